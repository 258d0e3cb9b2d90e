// bandwidth: what each level delivers when every compute unit asks, by footprint; in-flight: by the bytes in flight.
#include <stdio.h>

#include "levels/caches.h"
#include "levels/levels_detail.h"

enum {
    MEMORY_SHARE = 4,     // the default footprints leave 1 / MEMORY_SHARE of the free memory unused
    MEMORY_MULTIPLE = 16, // footprint of in-flight in last-level caches, so that no cache helps much
    IN_FLIGHT_WIDTH = 16,
    CPU_CACHE_MULTIPLE = 8, // the CPU's default footprints end at this many last-level caches
    GPU_CACHE_MULTIPLE = 32,
    SIM_CACHE_MULTIPLE = 4, // because simulated lanes are slow
};
static const double IN_FLIGHT_SHARE = 2; // the bytes in flight are at most 1 / IN_FLIGHT_SHARE of the footprint
static const uint64_t UNKNOWN_FOOTPRINT = UINT64_C(2) << 30;
static const uint64_t DEFAULT_SHARED_MIN = 128 << 10; // gives each of a few blocks a chunk
static const uint64_t FOLLOW_MIN = 256 << 10;         // of a block's path

static const struct levels_stream *stream_of(const struct variant *variant) {
    return ((const struct levels_detail *)variant->detail)->stream;
}

// The footprint of in-flight, which no cache holds.
static uint64_t memory_footprint(const struct device_info *info) {
    const uint64_t cache = info->last_level_cache_bytes;
    return cache ? MEMORY_MULTIPLE * cache : UNKNOWN_FOOTPRINT;
}

static struct stream_plan shape_of(const struct run *run, const struct point *point) {
    const struct levels_stream *stream = stream_of(point->variant);
    const struct device_info *info = run_info(run);
    if (stream->in_flight) {
        const uint64_t footprint = point->values[LEVELS_FOOTPRINT];
        const uint64_t width = point->values[LEVELS_WIDTH];
        const struct stream_flight flight = {.path = stream->path,
                                             .warps = (uint32_t)point->values[LEVELS_WARPS],
                                             .loads = (uint32_t)point->values[LEVELS_LOADS],
                                             .width_bytes = width ? (uint32_t)width : IN_FLIGHT_WIDTH,
                                             .stages = (uint32_t)point->values[LEVELS_STAGES]};
        return stream_plan_in_flight(info, footprint ? footprint : memory_footprint(info), &flight);
    }
    if (stream->follow) {
        return stream_plan_follow(info, point->values[LEVELS_FOOTPRINT]);
    }
    struct stream_plan plan =
        stream_plan_make(run_info(run), stream->operation, stream->own, point->values[LEVELS_FOOTPRINT]);
    plan.policy = stream->policy;
    return plan;
}

static struct stream_plan plan_of(const struct run *run, const struct point *point) {
    struct stream_plan plan = shape_of(run, point);
    plan.memory = levels_memory(run);
    return plan;
}

static uint64_t allocated_bytes(const struct stream_plan *plan) {
    return stream_buffer_bytes(plan) * (plan->operation == STREAM_COPY ? 2 : 1);
}

// With a smaller footprint the time consists of waits, which the model covers only for so many bytes in flight.
static uint64_t least_simulated_bytes(const struct run *run) {
    const uint64_t l1 = run_info(run)->gpu->l1_bytes;
    return !stream_of(run->variant)->own ? 1 << 20 : l1 < 32 << 10 ? l1 : 32 << 10;
}

// Shorter paths would be hardly longer than a block's start.
static enum status check_followed(const struct run *run, uint64_t footprint, struct error *error) {
    if (stream_of(run->variant)->follow && footprint < FOLLOW_MIN) {
        return error_set(error, STATUS_USAGE,
                         "--footprint %llu: is too small for blocks that follow each other: give at least %llu",
                         (unsigned long long)footprint, (unsigned long long)FOLLOW_MIN);
    }
    return STATUS_OK;
}

static enum status check_simulated(const struct run *run, uint64_t footprint, struct error *error) {
    if (!stream_of(run->variant)->in_flight && footprint < least_simulated_bytes(run)) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: is too small to simulate: give at least %llu",
                         (unsigned long long)footprint, (unsigned long long)least_simulated_bytes(run));
    }
    return STATUS_OK;
}

// Blocks that have the same bytes in flight at once get them by one request.
static enum status check_apart(const struct stream_plan *plan, struct error *error) {
    const double most = (double)stream_footprint_bytes(plan) / IN_FLIGHT_SHARE, bytes = stream_bytes_in_flight(plan);
    return bytes <= most
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "--footprint: %.0f bytes would be in flight, of which units would ask for the same "
                           "at once: give at least %.0f, or fewer --warps, --loads or --stages",
                           bytes, IN_FLIGHT_SHARE * bytes);
}

// In shared memory, of a block that is alone in its unit.
static enum status check_stages(const struct run *run, const struct stream_plan *plan, struct error *error) {
    const struct device_info *info = run_info(run);
    const uint32_t width = plan->width_bytes;
    if ((width != 4 && width != 8 && width != 16) || (plan->path > STREAM_WORDS && width != 16)) {
        return error_set(error, STATUS_USAGE, "--width %u: %s copies %s bytes: give another width", width,
                         run->variant->name, plan->path == STREAM_WORDS ? "4, 8 or 16" : "16");
    }
    if (plan->threads > info->max_block_threads || plan->blocks > info->compute_units) {
        return error_set(error, STATUS_USAGE, "--warps: %s has one block in each unit: give up to %u",
                         run->variant->name, info->max_block_threads / info->warp_width);
    }
    if (stream_shared_bytes(plan) > info->shared_bytes_per_block_max) {
        return error_set(
            error, STATUS_USAGE, "--stages %u of %llu bytes: a block of %s has %u bytes of shared memory: give fewer",
            plan->stages, (unsigned long long)stream_chunk_bytes(plan), info->spec, info->shared_bytes_per_block_max);
    }
    return check_apart(plan, error);
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t footprint = point->values[LEVELS_FOOTPRINT];
    if (check_followed(run, footprint, error) != STATUS_OK ||
        (run_info(run)->predicted && check_simulated(run, footprint, error) != STATUS_OK)) {
        return STATUS_USAGE;
    }
    const struct stream_plan plan = plan_of(run, point);
    const uint64_t bytes = allocated_bytes(&plan), most = device_free_bytes(run_info(run));
    if (bytes > most) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: takes %llu bytes, %s has %llu free: give fewer",
                         (unsigned long long)footprint, (unsigned long long)bytes, run_info(run)->spec,
                         (unsigned long long)most);
    }
    const uint32_t warps = (uint32_t)point->values[LEVELS_WARPS];
    if (plan.path) {
        return check_stages(run, &plan, error);
    }
    if (!stream_fits_registers(&plan, warps)) {
        return error_set(error, STATUS_USAGE,
                         "--warps %u --loads %u: a unit's registers do not hold all of that: give fewer", warps,
                         plan.items);
    }
    return STATUS_OK;
}

bool levels_skip_warps(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    const struct stream_plan plan = plan_of(run, point);
    const uint64_t most = 2 * info->max_block_threads / info->warp_width; // warps that a unit usually holds
    const bool fits = stream_fits_registers(&plan, (uint32_t)point->values[LEVELS_WARPS]);
    return (run->defaulted[LEVELS_WARPS] || run->defaulted[LEVELS_LOADS]) &&
           (point->values[LEVELS_WARPS] > most || !fits);
}

// A separate footprint per unit shows nothing new beyond what the units' caches can hold.
static uint64_t most_default_bytes(const struct run *run) {
    const struct device_info *info = run_info(run);
    const uint64_t left = device_free_bytes(info) - device_free_bytes(info) / MEMORY_SHARE;
    const uint64_t cache = device_is_cpu(info) ? device_cache_bytes_max(info) : info->last_level_cache_bytes;
    const uint64_t multiple = device_is_cpu(info) ? CPU_CACHE_MULTIPLE
                              : info->predicted   ? SIM_CACHE_MULTIPLE
                                                  : GPU_CACHE_MULTIPLE;
    const uint64_t linked = levels_linked_bytes_most(run);
    const uint64_t cached = linked ? linked : (stream_of(run->variant)->own ? 2 : multiple) * cache;
    return cached > 0 && cached < left ? cached : left;
}

static bool skip(const struct run *run, const struct point *point) {
    const struct stream_plan plan = plan_of(run, point);
    const uint64_t footprint = point->values[LEVELS_FOOTPRINT];
    return run->defaulted[LEVELS_FOOTPRINT] &&
           (stream_footprint_bytes(&plan) != footprint || // the last chunk is incomplete
            allocated_bytes(&plan) > most_default_bytes(run) ||
            (run_info(run)->predicted && footprint < least_simulated_bytes(run)) ||
            (stream_of(run->variant)->follow && footprint < FOLLOW_MIN) ||
            (!stream_of(run->variant)->own && footprint < DEFAULT_SHARED_MIN));
}

// Default sweeps end where a block's shared memory, or its registers, do.
static bool skip_staged(const struct run *run, const struct point *point) {
    struct error unused;
    const struct stream_plan plan = plan_of(run, point);
    const bool defaulted =
        run->defaulted[LEVELS_WARPS] || run->defaulted[LEVELS_LOADS] || run->defaulted[LEVELS_STAGES];
    return defaulted && check_stages(run, &plan, &unused) != STATUS_OK;
}

// An H100's units get a footprint that fits their L1 at the L2's rate by these (results/h100/levels-policy.csv).
static bool passes_l1(enum stream_policy policy) {
    return policy == POLICY_CG || policy == POLICY_VOLATILE || policy == POLICY_L1_NO_ALLOCATE;
}

// A GPU's units bypass L1 when they share the footprint; the CPU's units each take a part of it.
static struct answer answer_of(const struct run *run, const struct stream_plan *plan) {
    const struct device_info *info = run_info(run);
    const bool own = stream_of(run->variant)->own;
    const double bytes = (double)stream_footprint_bytes(plan);
    const struct footprint footprint = {.unit_bytes = own ? bytes : bytes / info->compute_units,
                                        .units = info->compute_units,
                                        .past_first = (!own || passes_l1(plan->policy)) && !device_is_cpu(info),
                                        .copied_near = !own && plan->operation == STREAM_READ,
                                        .streamed = true};
    return caches_answer(info, &footprint);
}

// Each point allocates and fills its memory.
static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double CPU_BYTES_A_SECOND = 10e9, SIMULATED_BYTES_A_SECOND = 100e6;
    const struct stream_plan plan = plan_of(run, point);
    const double bytes = (double)allocated_bytes(&plan);
    cost->handle_bytes = bytes;
    cost->prepare_s = bytes * run->bench_device->rates.make_s;
    const double simulated = plan.follow ? stream_useful_bytes(&plan) : bytes;
    cost->prepare_s += run_info(run)->predicted ? simulated / SIMULATED_BYTES_A_SECOND : 0;
    cost->round_s = device_is_cpu(run_info(run)) ? bytes / CPU_BYTES_A_SECOND : 0;
}

static void describe(const struct run *run, const struct streaming *stream, struct row *row) {
    static const char *const operations[] = {[STREAM_READ] = "read", [STREAM_WRITE] = "write", [STREAM_COPY] = "copy"};
    const struct stream_plan *plan = &stream->plan;
    const uint64_t footprint = stream_footprint_bytes(plan);
    snprintf(row->op, sizeof row->op, "%s", operations[plan->operation]);
    row->width_bytes = plan->width_bytes;
    row->footprint_bytes = footprint;
    if (stream_of(run->variant)->in_flight) {
        row->bytes_in_flight = stream_bytes_in_flight(plan);
    }
    if (!device_is_cpu(run_info(run))) {
        row_format_dimensions(row->block, stream->launch.block);
        row_format_dimensions(row->grid, stream->launch.grid);
    }
}

// Where units have separate footprints, the slowest of them decides a launch's time, and which one that is differs from
// launch to launch. So a sample there is the mean of several launches.
static enum status time_stream(struct streaming *stream, struct measurement *measurement, struct error *error) {
    const struct trial trial = stream_trial(stream);
    struct settings settings = *stream->run->settings;
    settings.long_samples |= stream->plan.own;
    struct run run = *stream->run;
    run.settings = &settings;
    return run_trial(&run, &trial, measurement, error);
}

static enum status measure_stream(struct streaming *stream, struct error *error) {
    struct row row = run_row(stream->run);
    struct measurement measurement;
    TRY(time_stream(stream, &measurement, error));
    const struct device_info *info = run_info(stream->run);
    const struct answer answer = answer_of(stream->run, &stream->plan);
    describe(stream->run, stream, &row);
    const bool of_device = memory_is_on_device(stream->plan.memory);
    snprintf(row.level, sizeof row.level, "%s", of_device ? answer.level : "");
    const double bytes = stream_useful_bytes(&stream->plan);
    row.bandwidth_gb_s = bytes / measurement.time_ns.median;
    const bool shared = !stream_of(stream->run->variant)->own;
    if (of_device) {
        measurement.verdicts |= levels_mixed_verdicts(&row, info, &answer, shared);
        measurement.verdicts |= levels_shared_verdicts(&row, info, shared);
    }
    levels_finish_row(&row, &measurement, bytes);
    return run_emit(stream->run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    const struct stream_plan plan = plan_of(run, point);
    struct streaming stream;
    enum status status = stream_open(&stream, run, &plan, error);
    THEN(status, measure_stream(&stream, error));
    stream_close(&stream);
    return status;
}

TABLE(streams, COLUMN(device), COLUMN(variant), COLUMN(footprint_bytes), COLUMN(bandwidth_gb_s), COLUMN(interval_pct),
      COLUMN(peak_pct), COLUMN(level), COLUMN(verdict));

TABLE(staged, COLUMN(device), COLUMN(variant), COLUMN_WIDE(parameters, 8), COLUMN_WIDE(footprint_bytes, 10),
      COLUMN_WIDE(bytes_in_flight, 9), COLUMN(bandwidth_gb_s), COLUMN(interval_pct), COLUMN(verdict));

#define STREAMS .check = check, .cost = cost, .measure = measure_point
const struct variant_kind levels_streams = {streams, STREAMS, .skip = skip};
const struct variant_kind levels_staged = {staged, STREAMS, .skip = skip_staged};
