// reduce: the sum of an array, step by step from the textbook to the memory's limit.
#include <stdio.h>
#include <string.h>

#include "reduce/reduce_cpu.h"
#include "reduce/reduce_job.h"
#include "reduce/reduce_measure.h"
#include "reduce/reduce_plan.h"
#include "reduce/reduce_session.h"
#include "util/embed.h"

EMBED_FILE(reduce_cu, "reduce/reduce.cu");
EMBED_FILE(reduce_global_cu, "reduce/global.cu");

enum {
    REDUX_SM = 80,
    SIMULATED_MAX = 1 << 24,
    GRID_MAX = INT32_MAX, // along x, on NVIDIA and AMD
};

static const struct kernel_source shared_source = {"reduce/reduce.cu", reduce_cu};
static const struct kernel_source global_source = {"reduce/global.cu", reduce_global_cu};

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

// Rows of a step through shared memory, of one at the limit, which is also measured at small sizes, of one in place,
// and of one on the CPU.
#define SHARED(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "0", [REDUCE_BLOCK] = "512"}, &(struct reduce_detail) {                    \
            .source = &shared_source, .check = reduce_check_launches, __VA_ARGS__                                      \
        }                                                                                                              \
    }
#define LIMIT(name, summary, ...)                                                                                      \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = SWEEP, [REDUCE_BLOCK] = "512"}, &(struct reduce_detail) {                  \
            .source = &shared_source, .strided = true, .one_launch = true, __VA_ARGS__                                 \
        }                                                                                                              \
    }
#define GLOBAL(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "16777216", [REDUCE_BLOCK] = "512"}, &(struct reduce_detail) {             \
            .source = &global_source, .check = reduce_check_launches, __VA_ARGS__                                      \
        }                                                                                                              \
    }
#define ON_CPU(name, summary, ...)                                                                                     \
    {                                                                                                                  \
        name, summary, {[REDUCE_ELEMENTS] = "0"}, &(struct reduce_detail) {                                            \
            .runs = REDUCE_ON_CPU, .check = reduce_check_sum, __VA_ARGS__                                              \
        }                                                                                                              \
    }
#define LAST_BLOCK .check = reduce_check_last_block, .result_apart = true, .arguments_more = 2, .counts_blocks = true
// clang-format off
static const struct variant variants[] = {
    LIMIT("read-limit", "the fastest plain read of the same bytes: the yardstick",
          .entry = "read_limit", .runs = REDUCE_ANYWHERE, .check = reduce_check_checksums, .checksums = true),
    SHARED("interleaved-modulo", "1: the stride doubles, every 2s-th thread adds",
           .entry = "interleaved_modulo", .unroll = 1),
    SHARED("interleaved-strided", "2: consecutive threads add; banks conflict",
           .entry = "interleaved_strided", .unroll = 1, .before = "interleaved-modulo"),
    SHARED("sequential", "3: the stride halves; no conflicts",
           .entry = "sequential", .unroll = 1, .before = "interleaved-strided"),
    SHARED("first-add", "4: half the blocks, two elements added on loading",
           .entry = "first_add", .unroll = 2, .before = "sequential"),
    SHARED("unroll-last-warp", "5: one warp needs no barrier, test or loop",
           .entry = "unroll_last_warp", .unroll = 2, .before = "first-add"),
    SHARED("unroll-full", "6: the block's size is a constant: no loop",
           .entry = "unroll_full", .unroll = 2, .before = "unroll-last-warp"),
    SHARED("cascade", "7: a thread adds log n elements first",
           .entry = "cascade", .unroll = 2, .strided = true, .before = "unroll-full"),
    SHARED("shuffle", "8: lanes exchange registers, one value per warp",
           .entry = "shuffle", .unroll = 2, .strided = true, .before = "cascade"),
    LIMIT("vector", "9: 16-byte loads, 4 or 8 in flight; an atomic a block",
          .entry = "vector_sum", .before = "shuffle", .check = reduce_check_sum, .result_apart = true, .zeroed = true,
          .tiled = true),
    LIMIT("single-pass", "10: the last block adds the blocks' sums",
          .entry = "single_pass", .before = "vector", LAST_BLOCK),
    LIMIT("redux", "11: one instruction sums a warp (int32, since sm_80)",
          .entry = "single_pass", .before = "single-pass", LAST_BLOCK, .int32_only = true, .redux = true),
    LIMIT("counted", "12: an atomic adds a block's sum and counts it (int32)",
          .entry = "counted_sum", .before = "single-pass", .check = reduce_check_counted, .result_apart = true,
          .arguments_more = 1, .tiled = true, .int32_only = true),
    GLOBAL("global-neighbored", "in place: the stride doubles",
           .entry = "global_neighbored", .unroll = 1),
    GLOBAL("global-neighbored-less", "in place: consecutive threads add",
           .entry = "global_neighbored_less", .unroll = 1, .before = "global-neighbored"),
    GLOBAL("global-interleaved", "in place: the stride halves",
           .entry = "global_interleaved", .unroll = 1, .before = "global-neighbored-less"),
    GLOBAL("global-unroll2", "a thread adds 2 data blocks first",
           .entry = "global_unroll2", .unroll = 2, .before = "global-interleaved"),
    GLOBAL("global-unroll4", "4 data blocks", .entry = "global_unroll4", .unroll = 4, .before = "global-unroll2"),
    GLOBAL("global-unroll8", "8 data blocks", .entry = "global_unroll8", .unroll = 8, .before = "global-unroll4"),
    GLOBAL("global-unroll8-warp", "and the last warp unrolled",
           .entry = "global_unroll8_warp", .unroll = 8, .before = "global-unroll8"),
    GLOBAL("global-unroll8-full", "and all steps unrolled",
           .entry = "global_unroll8_full", .unroll = 8, .before = "global-unroll8-warp"),
    GLOBAL("global-unroll8-const", "and the block's size a constant",
           .entry = "global_unroll8_const", .unroll = 8, .before = "global-unroll8-full"),
    {"library", "the vendor's library", {[REDUCE_ELEMENTS] = SWEEP},
     &(struct reduce_detail){.check = reduce_check_sum, .unroll = 1, .result_apart = true, .library = true}},
    ON_CPU("cpu-serial", "one sum, each addition waits for the one before", .entry = "sum_scalars", .unroll = 1),
    ON_CPU("cpu-unroll2", "2 independent sums",
           .entry = "sum_scalars", .unroll = 2, .before = "cpu-serial"),
    ON_CPU("cpu-unroll4", "4 sums", .entry = "sum_scalars", .unroll = 4, .before = "cpu-unroll2"),
    ON_CPU("cpu-unroll8", "8 sums", .entry = "sum_scalars", .unroll = 8, .before = "cpu-unroll4"),
    ON_CPU("cpu-simd", "4 vectors of sums", .entry = "sum_vectors", .before = "cpu-unroll8"),
    ON_CPU("cpu-threads", "the same with all threads", .entry = "sum_threads", .threads = true, .before = "cpu-simd"),
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
    return reduce_library_open(backend_of(info->backend)->name, &library, error);
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
    if (device_is_cpu(info) && !reduce_native(detail->entry)) {
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
            TRY(reduce_measure(run, point, type, error));
        }
    }
    return STATUS_OK;
}

static void release(void *session) {
    reduce_summary_clear(&((struct reduce_session *)session)->summary);
}

// Rows of several types name theirs.
static const struct table_column *table_of(const struct run *run) {
    TABLE(several_types, COLUMN(device), COLUMN(variant), COLUMN(type), COLUMN(elements), COLUMN(bandwidth_gb_s),
          COLUMN(interval_pct), COLUMN(limit_pct), COLUMN(speedup), COLUMN(verdict));
    unsigned types = 0;
    reduce_types(run->session, &types, NULL);
    return types & (types - 1) ? several_types : NULL;
}

static void conclude(const void *session, FILE *file) {
    reduce_summary_print(&((const struct reduce_session *)session)->summary, file);
}

TABLE(table, COLUMN(device), COLUMN(variant), COLUMN(elements), COLUMN(bandwidth_gb_s), COLUMN(interval_pct),
      COLUMN(limit_pct), COLUMN(speedup), COLUMN(verdict));

static const struct probe reduce = {
    .name = "reduce",
    .summary = "the sum of an array, step by step to the memory's limit",
    .description = "Bandwidth counts each number once; time is that of all launches until one sum is left; % limit is "
                   "the share of the fastest plain read of the same bytes. By default there are 4 times as many "
                   "numbers as fit into the last-level cache, in place 16777216, and for the fastest variants also "
                   "2^10 to 2^30. A simulated device runs 16 of the blocks unless --sim-blocks is given; their sums "
                   "are checked one by one. Counts are those of the first launch.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .session_bytes = sizeof session_defaults,
    .session_defaults = &session_defaults,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .table = table,
    .table_of = table_of,
    .headline = "read-limit,vector,single-pass,library,cpu-simd,cpu-threads",
    .headline_values = {[REDUCE_BLOCK] = 512},
    .simulated_blocks = 16,
    .supports = supports,
    .check = check,
    .skip = skip,
    .measure = measure_point,
    .release = release,
    .conclude = conclude,
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
