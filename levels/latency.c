// latency: the time of one access when each access waits for the one before, by footprint.
#include <math.h>
#include <stdio.h>

#include "bench/row.h"
#include "levels/caches.h"
#include "levels/chase.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"
#include "util/whole.h"

enum {
    ELEMENT_BYTES = 8,       // an address
    SHORT_ELEMENT_BYTES = 4, // in shared memory and in constants
    CONSTANT_BYTES = 64 << 10,
    CONSTANT_LINE = 64, // makes 64 KiB of constants 1024 elements
    CONSTANT_ELEMENTS = 1024,
    DEFAULT_GPU_LINE = 128,
    DEFAULT_CPU_LINE = 64,
    SIM_CACHE_MULTIPLE = 32, // the same for a simulated part: beyond, nothing changes
    CPU_CACHE_MULTIPLE = 8,  // the CPU's default ends at this many last-level caches, because filling more takes long
    STAGGER_LINES = 3,       // an odd number, so that all sets of a cache get elements
    MEMORY_SHARE = 4,        // the default footprints leave 1 / MEMORY_SHARE of the free memory unused
};

static const struct levels_latency *latency_of(const struct variant *variant) {
    return ((const struct levels_detail *)variant->detail)->latency;
}

// Other variants use lines, too.
static bool is_constant(const struct variant *variant) {
    return latency_of(variant) && latency_of(variant)->kernel.kind == CHASE_CONSTANT;
}

// The line of the nearest cache, as documented or else a usual one.
static uint64_t cache_line_bytes(const struct device_info *info) {
    const struct caches caches = caches_of(info);
    if (caches.count > 0 && caches.levels[0].line_bytes > 0) {
        return caches.levels[0].line_bytes;
    }
    return device_is_cpu(info) ? DEFAULT_CPU_LINE : DEFAULT_GPU_LINE;
}

uint64_t levels_stagger_bytes(const struct device_info *info) {
    return STAGGER_LINES * cache_line_bytes(info);
}

uint64_t levels_line_bytes(const struct run *run, const struct point *point) {
    if (point->values[LEVELS_LINE] > 0) {
        return point->values[LEVELS_LINE];
    }
    return is_constant(point->variant) ? CONSTANT_LINE : cache_line_bytes(run_info(run));
}

// The given footprint, or that of the given number of elements.
static uint64_t footprint_of(const struct run *run, const struct point *point) {
    return point->values[LEVELS_ELEMENTS] ? point->values[LEVELS_ELEMENTS] * levels_line_bytes(run, point)
                                          : point->values[LEVELS_FOOTPRINT];
}

static uint64_t most_bytes(const struct run *run) {
    const struct device_info *info = run_info(run);
    switch (latency_of(run->variant)->kernel.kind) {
    case CHASE_SHARED:
        return info->shared_bytes_per_block_max;
    case CHASE_CONSTANT:
        return CONSTANT_BYTES;
    default:
        return device_free_bytes(info);
    }
}

static uint64_t most_default_bytes(const struct run *run) {
    const struct device_info *info = run_info(run);
    const enum chase_kind kind = latency_of(run->variant)->kernel.kind;
    const uint64_t most = most_bytes(run);
    if (kind == CHASE_SHARED || kind == CHASE_CONSTANT) {
        return most;
    }
    if (latency_of(run->variant)->staggered && device_is_cpu(info)) {
        return most / MEMORY_SHARE;
    }
    const uint64_t left = most - most / MEMORY_SHARE;
    const uint64_t cached = device_is_cpu(info) ? CPU_CACHE_MULTIPLE * device_cache_bytes_max(info)
                            : info->predicted   ? SIM_CACHE_MULTIPLE * info->last_level_cache_bytes
                                                : levels_linked_bytes_most(run);
    return cached > 0 && cached < left ? cached : left;
}

static bool skip(const struct run *run, const struct point *point) {
    const uint64_t footprint = footprint_of(run, point);
    const uint64_t most = most_default_bytes(run);
    const bool defaulted = run->defaulted[LEVELS_FOOTPRINT] || run->defaulted[LEVELS_ELEMENTS];
    return defaulted && (footprint > most || footprint < 2 * levels_line_bytes(run, point));
}

static enum status check_line(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t line = levels_line_bytes(run, point), page = point->values[LEVELS_PAGE];
    const uint64_t footprint = footprint_of(run, point);
    if (is_constant(point->variant) && footprint / line > CONSTANT_ELEMENTS) {
        return error_set(error, STATUS_USAGE, "--line %llu: that makes more than %d constants: give more",
                         (unsigned long long)line, CONSTANT_ELEMENTS);
    }
    if (line % ELEMENT_BYTES != 0) {
        return error_set(error, STATUS_USAGE, "--line %llu: give a multiple of 8, the bytes of an address",
                         (unsigned long long)line);
    }
    if (line > footprint) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: give at least the %llu bytes of a line",
                         (unsigned long long)footprint, (unsigned long long)line);
    }
    if (page % line != 0) {
        return error_set(error, STATUS_USAGE, "--page %llu: give a multiple of the line's %llu bytes, or 0",
                         (unsigned long long)page, (unsigned long long)line);
    }
    return STATUS_OK;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    static const char *const kinds[] = {
        [CHASE_SHARED] = "shared memory for a block", [CHASE_CONSTANT] = "constants", [CHASE_STORES] = NULL};
    const char *kind = kinds[latency_of(point->variant)->kernel.kind];
    const uint64_t footprint = footprint_of(run, point), most = most_bytes(run);
    if (footprint > most) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: %s has %llu bytes of %s: give fewer",
                         (unsigned long long)footprint, run_info(run)->spec, (unsigned long long)most,
                         kind ? kind : "free memory");
    }
    return check_line(run, point, error);
}

// ---- One point ----

void levels_close_chase(struct run *run) {
    chase_close(run->state);
}

static enum status check_end(void *context, bool *right, struct error *error) {
    struct chase *chase = context;
    struct chase_result result;
    TRY(chase_read(chase, &result, error));
    *right = result.right;
    return *right && chase->kernel.kind == CHASE_STORES ? chase_check_stores(chase, right, error) : STATUS_OK;
}

// The largest footprint of all points of the variant.
static uint64_t largest_footprint(const struct run *run) {
    const struct sweep *sizes = &run->sweeps[run->sweeps[LEVELS_ELEMENTS].count ? LEVELS_ELEMENTS : LEVELS_FOOTPRINT];
    const struct sweep *lines = &run->sweeps[LEVELS_LINE];
    struct point point = {.variant = run->variant};
    uint64_t largest = 0;
    for (size_t i = 0; i < sizes->count * lines->count; i++) {
        point.values[sizes == &run->sweeps[LEVELS_ELEMENTS] ? LEVELS_ELEMENTS : LEVELS_FOOTPRINT] =
            sizes->values[i / lines->count];
        point.values[LEVELS_LINE] = lines->values[i % lines->count];
        largest = skip(run, &point) ? largest : larger(largest, footprint_of(run, &point));
    }
    return largest;
}

static const char *level_of(const struct run *run, const struct levels_latency *latency, uint64_t cached_bytes) {
    const struct device_info *info = run_info(run);
    const enum levels_path path = device_is_cpu(info) ? PATH_LOADS : latency->path;
    const struct footprint footprint = {.unit_bytes = (double)cached_bytes,
                                        .units = 1,
                                        .past_first = path == PATH_MEMORY,
                                        .copied_near = path == PATH_LOADS};
    if (latency->kernel.kind == CHASE_SHARED) {
        return "shared";
    }
    if (!memory_is_on_device(levels_memory(run))) {
        return "";
    }
    if (path == PATH_UNKNOWN || path == PATH_L2) {
        return path == PATH_L2 && caches_of(info).count > 0 ? "L2" : "";
    }
    return caches_answer(info, &footprint).level;
}

static void describe(const struct run *run, const struct point *point, const struct chain *chain, struct row *row) {
    const struct levels_latency *latency = latency_of(point->variant);
    const enum chase_kind kind = latency->kernel.kind;
    const uint64_t width = kind == CHASE_SHARED || kind == CHASE_CONSTANT ? SHORT_ELEMENT_BYTES : ELEMENT_BYTES;
    const struct caches caches = caches_of(run_info(run));
    const uint64_t line = caches.count && caches.levels[0].line_bytes ? caches.levels[0].line_bytes : chain->line_bytes;
    const uint64_t cached = chain->elements * (line < chain->line_bytes ? line : chain->line_bytes); // in whole lines
    snprintf(row->op, sizeof row->op, "%s", latency->op);
    row->width_bytes = width;
    row->stride = chain->line_bytes / width;
    row->elements = chain->elements;
    row->page_bytes = point->values[LEVELS_PAGE] ? point->values[LEVELS_PAGE] : ROW_NO_COUNT;
    row->footprint_bytes = chain_bytes(chain);
    snprintf(row->level, sizeof row->level, "%s", level_of(run, latency, cached));
}

static enum status measure_chain(struct run *run, const struct point *point, const struct chain *chain,
                                 struct error *error) {
    struct chase *chase = run->state;
    struct row row = run_row(run);
    struct measurement measurement;
    struct chase_result result;
    bool warm = false;
    const struct trial trial = {chase, chase_poison, chase_enqueue, check_end};
    TRY(chase_prepare(chase, chain, &warm, error));
    TRY(run_trial(run, &trial, &measurement, error));
    TRY(chase_read(chase, &result, error));
    measurement.verification = verification_of(result.right && measurement.verification == VERIFICATION_PASSED);
    describe(run, point, chain, &row);
    measurement.verdicts |= (warm ? 0u : VERDICT_NOISY) | levels_place_row(run, &row);
    levels_finish_row(&row, &measurement, NAN);
    row.latency_ns =
        isfinite(result.latency_ns) ? result.latency_ns : measurement.time_ns.median / (double)chase_steps(chase);
    row.latency_cycles =
        isfinite(result.latency_cycles) ? result.latency_cycles : row.latency_ns * measurement.clock_mhz / 1e3;
    return run_emit(run, &row, error);
}

static struct chain chain_of(const struct run *run, const struct point *point) {
    const struct levels_latency *latency = latency_of(point->variant);
    const uint64_t line = levels_line_bytes(run, point), footprint = footprint_of(run, point);
    const bool stepped = latency->kernel.kind == CHASE_CONSTANT || latency->kernel.kind == CHASE_STORES;
    struct chain chain = stepped ? chain_make_stepped(footprint, line)
                                 : chain_make(footprint, line, point->values[LEVELS_PAGE], run->settings->seed);
    chain.stagger_bytes = latency->staggered ? levels_stagger_bytes(run_info(run)) : 0;
    return chain;
}

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    const struct chain chain = chain_of(run, point);
    cost->make_bytes = (double)footprint_of(run, point);
    cost->prepare_s = chase_prepare_s(run_info(run), &chain);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct chase *chase = run->state; // kept from point to point of one variant on one device
    const struct levels_latency *latency = latency_of(point->variant);
    const struct chain chain = chain_of(run, point);
    if (!chase_is_open(chase)) {
        TRY(chase_open(chase, run->bench_device, &latency->kernel, levels_memory(run),
                       larger(largest_footprint(run), footprint_of(run, point)), error));
        if (latency->small_pages) {
            levels_cpu_small_pages(chase->memory, chase->memory_bytes);
        }
    }
    return measure_chain(run, point, &chain, error);
}

TABLE(latencies, COLUMN(device), COLUMN(variant), COLUMN(footprint_bytes), COLUMN(page_bytes), COLUMN(latency_ns),
      COLUMN(latency_cycles), COLUMN(interval_pct), COLUMN(level), COLUMN(verdict));

TABLE(tlbs, COLUMN(device), COLUMN(variant), COLUMN(elements), COLUMN(stride), COLUMN(latency_ns),
      COLUMN(latency_cycles), COLUMN(interval_pct), COLUMN(level), COLUMN(verdict));

#define LATENCIES .check = check, .skip = skip, .cost = cost, .measure = measure_point, .finish = levels_close_chase
const struct variant_kind levels_latencies = {latencies, LATENCIES};
const struct variant_kind levels_tlbs = {tlbs, LATENCIES};
