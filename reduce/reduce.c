// reduce: the sum of an array, step by step from the textbook to the memory's limit.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/row.h"
#include "reduce/reduce_cpu.h"
#include "reduce/reduce_job.h"
#include "reduce/reduce_plan.h"

enum {
    REDUX_SM = 80,
    SIMULATED_MAX = 1 << 24,
    GRID_MAX = INT32_MAX, // along x, on NVIDIA and AMD
};

KERNEL_SOURCE(shared_source, reduce_cu, "reduce/reduce.cu");
KERNEL_SOURCE(global_source, reduce_global_cu, "reduce/global.cu");

static const struct reduce_session session_defaults = {.type = "int32"};

// clang-format off
static const struct parameter parameters[] = {
    [REDUCE_ELEMENTS] = {.name = "elements", .letter = 'n', .help = "number of elements, 0 or more (4 times the last-level cache; 16M in place)",
                         .min = 0, .max = 1e15},
    [REDUCE_BLOCK] = {.name = "block", .letter = 'b', .help = "threads of a block, a power of two from one warp up (512)",
                      .min = 1, .max = 1024},
};
// clang-format on

static const struct option_row options[] = {
    {"type", 't', OPTION_TEXT, offsetof(struct reduce_session, type), "LIST",
     "int32, int64, float32, float64, or all (int32)", 0, 0, 0},
};

#define SWEEP "1K:1G:*4,0" // 0: the default; charts of steps show the last size

static const struct variant_kind reductions; // at the end

// Rows of a step through shared memory, of one at the limit, which is also measured at small sizes, of one in place,
// and of one on the CPU.
#define SHARED(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "0", [REDUCE_BLOCK] = "512"},                                              \
            &(struct reduce_detail){.source = &shared_source, __VA_ARGS__}, &reductions                                \
    }
#define LIMIT(name, summary, ...)                                                                                      \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = SWEEP, [REDUCE_BLOCK] = "512"},                                            \
            &(struct reduce_detail){.source = &shared_source, .strided = true, .one_launch = true, __VA_ARGS__},       \
            &reductions                                                                                                \
    }
#define GLOBAL(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "16777216", [REDUCE_BLOCK] = "512"},                                       \
            &(struct reduce_detail){.source = &global_source, __VA_ARGS__}, &reductions                                \
    }
#define ON_CPU(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "0"}, &(struct reduce_detail){.runs = REDUCE_ON_CPU, __VA_ARGS__},         \
            &reductions                                                                                                \
    }
#define LAST_BLOCK .result_apart = true, .arguments_more = 2, .counts_blocks = true
#define SUM_SCALARS .entry = "sum_scalars", .native = reduce_sum_scalars
// The yardstick of all others.
static const struct reduce_detail read_limit = {.source = &shared_source,
                                                .strided = true,
                                                .one_launch = true,
                                                .entry = "read_limit",
                                                .native = reduce_read_limit,
                                                .runs = REDUCE_ANYWHERE,
                                                .checksums = true};
// clang-format off
static const struct variant variants[] = {
    {"read-limit", "the fastest plain read of the same bytes: the limit",
     {[REDUCE_ELEMENTS] = SWEEP, [REDUCE_BLOCK] = "512"}, &read_limit, &reductions},
    SHARED("interleaved-modulo", "1: the stride s doubles; every 2s-th thread adds",
           .entry = "interleaved_modulo", .unroll = 1),
    SHARED("interleaved-strided", "2: consecutive threads add, but banks conflict",
           .entry = "interleaved_strided", .unroll = 1, .before = "interleaved-modulo"),
    SHARED("sequential", "3: the stride halves, so no banks conflict",
           .entry = "sequential", .unroll = 1, .before = "interleaved-strided"),
    SHARED("first-add", "4: half the blocks, two elements added on loading",
           .entry = "first_add", .unroll = 2, .before = "sequential"),
    SHARED("unroll-last-warp", "5: the last warp needs no barrier, test or loop",
           .entry = "unroll_last_warp", .unroll = 2, .before = "first-add"),
    SHARED("unroll-full", "6: the block's size is a constant, so no loop is left",
           .entry = "unroll_full", .unroll = 2, .before = "unroll-last-warp"),
    SHARED("cascade", "7: each thread adds about log n elements first",
           .entry = "cascade", .unroll = 2, .strided = true, .before = "unroll-full"),
    SHARED("shuffle", "8: lanes add by shuffles, one value per warp is stored",
           .entry = "shuffle", .unroll = 2, .strided = true, .before = "cascade"),
    LIMIT("vector", "9: 4 or 8 16-byte loads in flight, one atomic per block",
          .entry = "vector_sum", .before = "shuffle", .result_apart = true, .zeroed = true, .tiled = true),
    LIMIT("single-pass", "10: one launch, whose last block adds the blocks' sums",
          .entry = "single_pass", .before = "vector", LAST_BLOCK),
    LIMIT("redux", "11: one instruction sums a warp (int32, since sm_80)",
          .entry = "single_pass", .before = "single-pass", LAST_BLOCK, .int32_only = true, .redux = true),
    LIMIT("counted", "12: one atomic adds and counts a block's sum (int32)",
          .entry = "counted_sum", .before = "single-pass", .result_apart = true, .arguments_more = 1, .tiled = true,
          .int32_only = true),
    GLOBAL("global-neighbored", "in place in global memory: the stride doubles",
           .entry = "global_neighbored", .unroll = 1),
    GLOBAL("global-neighbored-less", "in place in global memory: consecutive threads add",
           .entry = "global_neighbored_less", .unroll = 1, .before = "global-neighbored"),
    GLOBAL("global-interleaved", "in place in global memory: the stride halves",
           .entry = "global_interleaved", .unroll = 1, .before = "global-neighbored-less"),
    GLOBAL("global-unroll2", "in place: each thread adds 2 data blocks first",
           .entry = "global_unroll2", .unroll = 2, .before = "global-interleaved"),
    GLOBAL("global-unroll4", "in place: each thread adds 4 data blocks first", .entry = "global_unroll4", .unroll = 4, .before = "global-unroll2"),
    GLOBAL("global-unroll8", "in place: each thread adds 8 data blocks first", .entry = "global_unroll8", .unroll = 8, .before = "global-unroll4"),
    GLOBAL("global-unroll8-warp", "global-unroll8 with its last warp unrolled",
           .entry = "global_unroll8_warp", .unroll = 8, .before = "global-unroll8"),
    GLOBAL("global-unroll8-full", "global-unroll8-warp with all steps unrolled",
           .entry = "global_unroll8_full", .unroll = 8, .before = "global-unroll8-warp"),
    GLOBAL("global-unroll8-const", "global-unroll8-full with a constant block size",
           .entry = "global_unroll8_const", .unroll = 8, .before = "global-unroll8-full"),
    {"library", "the vendor's library", {[REDUCE_ELEMENTS] = SWEEP},
     &(struct reduce_detail){.unroll = 1, .result_apart = true, .library = true}, &reductions},
    ON_CPU("cpu-serial", "one sum: each addition waits for the one before", SUM_SCALARS, .unroll = 1),
    ON_CPU("cpu-unroll2", "2 independent sums, by one thread", SUM_SCALARS, .unroll = 2, .before = "cpu-serial"),
    ON_CPU("cpu-unroll4", "4 independent sums, by one thread", SUM_SCALARS, .unroll = 4, .before = "cpu-unroll2"),
    ON_CPU("cpu-unroll8", "8 independent sums, by one thread", SUM_SCALARS, .unroll = 8, .before = "cpu-unroll4"),
    ON_CPU("cpu-simd", "4 independent vectors of sums, by one thread", .entry = "sum_vectors", .native = reduce_sum_vectors, .before = "cpu-unroll8"),
    ON_CPU("cpu-threads", "4 independent vectors of sums, by every thread",
           .entry = "sum_threads", .native = reduce_sum_threads, .threads = true, .before = "cpu-simd"),
};
// clang-format on

// ---- Types ----

static bool has_some_type(const struct reduce_detail *detail, unsigned types) {
    for (enum reduce_type type = 0; type < REDUCE_TYPES; type++) {
        if ((types >> type & 1) && reduce_has_type(detail, type)) {
            return true;
        }
    }
    return false;
}

// ---- What runs where ----

static enum status supports_library(const struct device_info *info, struct error *error) {
    struct reduce_library library;
    if (info->predicted || device_is_cpu(info)) {
        return error_set(error, STATUS_NO_DEVICE, "library runs on a real GPU only: leave it out");
    }
    return reduce_library_open(info->backend, &library, error);
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    const struct reduce_detail *detail = variant->detail;
    const struct device_info *info = &device->info;
    unsigned types;
    if (detail->library) {
        return supports_library(info, error);
    }
    if (detail->runs == (device_is_cpu(info) ? REDUCE_ON_GPU : REDUCE_ON_CPU)) {
        return error_set(error, STATUS_NO_DEVICE, "%s does not run on %s: give %s", variant->name, info->spec,
                         device_is_cpu(info) ? "a variant that begins with cpu-" : "--device cpu");
    }
    if (device_is_cpu(info) && !detail->native) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no kernel for the CPU: give another variant", variant->name);
    }
    if (detail->redux && device_sm(info) < REDUX_SM) {
        return error_set(error, STATUS_NO_DEVICE, "%s (%s) has no instruction that sums a warp: give single-pass",
                         info->spec, info->arch);
    }
    if (reduce_types(session, &types, NULL) == STATUS_OK && !has_some_type(detail, types)) {
        return error_set(error, STATUS_USAGE, "%s has no --type %s: give int32", variant->name,
                         ((const struct reduce_session *)session)->type);
    }
    return STATUS_OK;
}

// ---- Points ----

// The default sweep ends where a simulated device would take long, or half the memory is full. The CPU has no such
// sweep.
static bool skip(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    const uint64_t elements = point->values[REDUCE_ELEMENTS];
    return reduce_is_swept(run, point) &&
           (device_is_cpu(info) || elements * sizeof(uint64_t) > device_free_bytes(info) / 2 ||
            (info->predicted && elements > SIMULATED_MAX));
}

static enum status check_block(const struct device_info *info, uint64_t block, struct error *error) {
    if (block == 0 || device_is_cpu(info) ||
        ((block & (block - 1)) == 0 && block >= info->warp_width && block <= info->max_block_threads)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "--block %llu: %s takes powers of two from %u to %u",
                     (unsigned long long)block, info->spec, info->warp_width, info->max_block_threads);
}

static enum status check_size(const struct run *run, const struct point *point, enum reduce_type type,
                              struct error *error) {
    const struct device_info *info = run_info(run);
    const uint64_t elements = reduce_elements(run, point, type);
    const uint64_t available = device_free_bytes(info);
    const uint32_t block = device_is_cpu(info) ? 0 : (uint32_t)point->values[REDUCE_BLOCK];
    const struct reduce_plan plan = reduce_plan(point->variant->detail, type, info, block, elements);
    const uint64_t bytes = (elements + 2 * plan.pass[0].grid) * reduce_type_bytes(type);
    if (bytes <= available && plan.pass[0].grid <= GRID_MAX) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE,
                     "%llu elements of %zu bytes do not fit into the %llu free bytes of %s: give fewer --elements",
                     (unsigned long long)elements, reduce_type_bytes(type), (unsigned long long)available, info->spec);
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    unsigned types;
    TRY(reduce_types(run->session, &types, error));
    TRY(check_block(run_info(run), point->values[REDUCE_BLOCK], error));
    for (enum reduce_type type = 0; type < REDUCE_TYPES; type++) {
        if (types >> type & 1) {
            TRY(check_size(run, point, type, error));
        }
    }
    return STATUS_OK;
}

// ---- From a point of a sweep to its row ----

static struct reduce_job make_job(struct run *run, const struct reduce_detail *detail, const struct point *point,
                                  enum reduce_type type) {
    struct reduce_job job = {.run = run, .detail = detail, .type = type};
    const uint32_t block = reduce_on_cpu(run) ? 0 : (uint32_t)point->values[REDUCE_BLOCK];
    job.plan = reduce_plan(detail, type, run_info(run), block, reduce_elements(run, point, type));
    return job;
}

// ---- The yardstick ----

static double useful_bytes(const struct reduce_job *job) {
    return (double)job->plan.pass[0].elements * (double)reduce_number_bytes(job);
}

// Reads the same bytes with a grid that fills the device once, and on a GPU also with one block per tile. The faster
// one counts.
static enum status measure_limit(struct reduce_job *job, struct reduce_times *times, struct error *error) {
    enum status status = reduce_job_run(job, times, error);
    if (status != STATUS_OK || run_info(job->run)->predicted || reduce_on_cpu(job->run)) {
        return status;
    }
    struct reduce_job tiled = *job;
    struct reduce_times tiled_times;
    tiled.kernel = NULL;
    tiled.buffers = (struct reduce_buffers){0};
    tiled.plan.pass[0].grid = reduce_tile_count(job) ? reduce_tile_count(job) : 1;
    status = reduce_job_run(&tiled, &tiled_times, error);
    reduce_job_release(&tiled);
    if (status == STATUS_OK && tiled_times.all.time_ns.median < times->all.time_ns.median) {
        if (times->all.verification != VERIFICATION_PASSED) {
            tiled_times.all.verification = times->all.verification;
        }
        *times = tiled_times;
        job->plan = tiled.plan;
    }
    return status;
}

// The yardstick is measured once per footprint, even if it is not among the variants.
static enum status ensure_limit(struct run *run, const struct point *point, enum reduce_type type,
                                struct error *error) {
    struct reduce_summary *summary = &reduce_session(run)->summary;
    struct point other = *point;
    if (other.values[REDUCE_BLOCK] == 0) {
        other.values[REDUCE_BLOCK] = 512;
    }
    const struct settings settings = measure_aside(run->settings);
    struct run aside = *run;
    aside.settings = &settings;
    struct reduce_job job = make_job(&aside, &read_limit, &other, type);
    const uint64_t elements = job.plan.pass[0].elements;
    if (elements == 0 || !isnan(reduce_summary_limit(summary, run_device(job.run), type, elements))) {
        return STATUS_OK;
    }
    struct reduce_times times;
    const enum status status = measure_limit(&job, &times, error);
    if (status == STATUS_OK) {
        reduce_summary_set_limit(summary, run_device(job.run), type, elements,
                                 useful_bytes(&job) / times.all.time_ns.median);
    }
    reduce_job_release(&job);
    return status;
}

// ---- The row ----

static void describe(const struct reduce_job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "read");
    snprintf(row->type, sizeof row->type, "%s", reduce_type_name(job->type));
    row->width_bytes = reduce_number_bytes(job);
    row->elements = job->plan.pass[0].elements;
    row->footprint_bytes = (uint64_t)useful_bytes(job);
    if (job->kernel && !reduce_on_cpu(job->run)) {
        row_format_dimensions(row->block, (struct dimensions){job->plan.block, 1, 1});
        row_format_dimensions(row->grid, (struct dimensions){(uint32_t)job->plan.pass[0].grid, 1, 1});
    }
}

// Faster than the fastest plain read of the same bytes: one of the two was not a read of memory. The verdict is
// cache-resident where the bytes fit into the cache.
static unsigned limit_verdict(const struct reduce_job *job, const struct reduce_times *times) {
    static const double TOLERANCE = 1.05; // the read was measured at another moment
    const double bytes = useful_bytes(job), gb_s = bytes / times->all.time_ns.median;
    const double limit = reduce_summary_limit(&reduce_session(job->run)->summary, run_device(job->run), job->type,
                                              job->plan.pass[0].elements);
    const bool cached = bytes <= (double)run_info(job->run)->last_level_cache_bytes;
    return !cached && !job->detail->checksums && gb_s > TOLERANCE * limit ? VERDICT_ABOVE_PEAK : 0u;
}

static enum status emit(struct reduce_job *job, const struct point *point, const struct reduce_times *times,
                        struct error *error) {
    struct reduce_summary *summary = &reduce_session(job->run)->summary;
    struct row row = run_row(job->run);
    describe(job, &row);
    if (device_counts_launches(run_device(job->run))) {
        row_set_counts(&row, &job->counts, run_info(job->run)->gpu);
    }
    struct measurement measurement = times->all;
    measurement.verdicts |= run_info(job->run)->predicted ? 0u : limit_verdict(job, times);
    row_finish(&row, job->run, &measurement, useful_bytes(job));
    if (job->detail->checksums) {
        reduce_summary_set_limit(summary, run_device(job->run), job->type, row.elements, row.bandwidth_gb_s);
    }
    row.first_kernel_pct =
        fmin(100, 100 * times->first_ns / times->all.time_ns.median); // measured separately, so noise may exceed 100
    row.limit_pct =
        100 * row.bandwidth_gb_s / reduce_summary_limit(summary, run_device(job->run), job->type, row.elements);
    if (!job->run->predicts) {
        reduce_summary_add(summary, job->run->variant, &row, !reduce_is_swept(job->run, point));
    }
    return run_emit(job->run, &row, error);
}

// Measures one variant with numbers of one type, and gives its row to run_emit.
static enum status measure_type(struct run *run, const struct point *point, enum reduce_type type,
                                struct error *error) {
    const struct reduce_detail *detail = point->variant->detail;
    const bool limit = detail->checksums;
    TRY(limit || run->settings->counting ? STATUS_OK : ensure_limit(run, point, type, error));
    struct reduce_job job = make_job(run, detail, point, type);
    struct reduce_times times;
    enum status status = limit ? measure_limit(&job, &times, error) : reduce_job_run(&job, &times, error);
    THEN(status, emit(&job, point, &times, error));
    reduce_job_release(&job);
    return status;
}

// Leaves out types that the variant lacks, because it has another of the requested ones, and the size of the default
// sweep that equals the default.
static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    const struct reduce_detail *detail = point->variant->detail;
    unsigned types;
    TRY(reduce_types(run->session, &types, error));
    for (enum reduce_type type = 0; type < REDUCE_TYPES; type++) {
        const bool repeated =
            reduce_is_swept(run, point) &&
            point->values[REDUCE_ELEMENTS] == reduce_default_elements(run_info(run), reduce_type_bytes(type));
        if ((types >> type & 1) && reduce_has_type(detail, type) && !repeated) {
            TRY(measure_type(run, point, type, error));
        }
    }
    return STATUS_OK;
}

static void release(void *session) {
    reduce_summary_clear(&((struct reduce_session *)session)->summary);
}

// A row's speedup is that over an earlier one, its limit may be another one's bandwidth, and the summary has all.
static bool keeps_rows(const void *session) {
    (void)session;
    return true;
}

static void conclude(const void *session, FILE *file) {
    reduce_summary_print(&((const struct reduce_session *)session)->summary, file);
}

TABLE(table, COLUMN(device), COLUMN(variant), COLUMN(elements), COLUMN(bandwidth_gb_s), COLUMN(interval_pct),
      COLUMN(limit_pct), COLUMN(speedup), COLUMN(verdict));

static const struct variant_kind reductions = {.table = table, .check = check, .skip = skip, .measure = measure_point};

static const struct probe reduce = {
    .name = "reduce",
    .summary = "the sum of an array, step by step to the memory's limit",
    .description = "Bandwidth counts each number once; time is that of all launches until one sum is left; % limit is "
                   "the share of the fastest plain read of the same bytes. By default there are 4 times as many "
                   "numbers as fit into the last-level cache, in place 16777216, and for the fastest variants also "
                   "2^10 to 2^30. A simulated device runs 16 of the blocks unless --sim-blocks is given; their sums "
                   "are checked one by one. Counts are those of the first launch.",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    .session_bytes = sizeof session_defaults,
    .session_defaults = &session_defaults,
    PROBE_LIST(options, option_count),
    .headline = "read-limit,vector,single-pass,library,cpu-simd,cpu-threads",
    .headline_values = {[REDUCE_BLOCK] = 512},
    .simulated_blocks = 16,
    .supports = supports,
    .release = release,
    .conclude = conclude,
    .keeps_rows = keeps_rows,
};

// --list and --help show which libraries this machine has.
int main(int argc, char **argv) {
    char libraries[160];
    struct variant rows[sizeof variants / sizeof *variants];
    struct probe probe = reduce;
    reduce_library_describe(libraries, sizeof libraries);
    memcpy(rows, variants, sizeof variants);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (((const struct reduce_detail *)rows[i].detail)->library) {
            rows[i].summary = libraries;
        }
    }
    probe.variants = rows;
    return program_main(&probe, argc, argv);
}
