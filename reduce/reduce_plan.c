#include "reduce/reduce_plan.h"

#include <math.h>
#include <string.h>

#include "reduce/reduce_cpu.h"
#include "util/whole.h"

enum {
    CACHE_MULTIPLE = 4,
    ELEMENTS_MIN = 1 << 24, // the smallest default
};

static bool find_type(const char *name, size_t length, unsigned *types) {
    for (enum reduce_type type = 0; type < REDUCE_TYPES; type++) {
        if (strlen(reduce_type_name(type)) == length && !strncmp(reduce_type_name(type), name, length)) {
            *types |= 1u << type;
            return true;
        }
    }
    return false;
}

enum status reduce_types(const struct reduce_session *session, unsigned *types, struct error *error) {
    *types = 0;
    if (!strcmp(session->type, "all")) {
        *types = (1u << REDUCE_TYPES) - 1;
        return STATUS_OK;
    }
    const char *at = session->type;
    do {
        const size_t length = strcspn(at, ",");
        if (!find_type(at, length, types)) {
            return error_set(error, STATUS_USAGE,
                             "--type: there is no type '%.*s': give int32, int64, float32, float64 or all",
                             (int)(length < 100 ? length : 100), at);
        }
        at += length;
    } while (*at++ == ',');
    return STATUS_OK;
}

bool reduce_has_type(const struct reduce_detail *detail, enum reduce_type type) {
    return !detail->int32_only || type == REDUCE_INT32;
}

uint64_t reduce_default_elements(const struct device_info *info, size_t bytes) {
    uint64_t elements = ELEMENTS_MIN;
    while (elements * bytes < CACHE_MULTIPLE * device_cache_bytes_max(info) &&
           4 * elements * bytes < info->memory_free_bytes) {
        elements *= 2;
    }
    return elements;
}

uint64_t reduce_elements(const struct run *run, const struct point *point, enum reduce_type type) {
    const uint64_t elements = point->values[REDUCE_ELEMENTS];
    return run->defaulted[REDUCE_ELEMENTS] && elements == 0
               ? reduce_default_elements(run_info(run), reduce_type_bytes(type))
               : elements;
}

bool reduce_is_swept(const struct run *run, const struct point *point) {
    return run->defaulted[REDUCE_ELEMENTS] && run->sweeps[REDUCE_ELEMENTS].count > 1 &&
           point->values[REDUCE_ELEMENTS] != 0;
}

enum {
    LOAD_BYTES = 16,         // of a vector load
    ITEMS = 4,               // of these in flight in a thread
    TILED_ITEMS = 8,         // the same where each tile has a block
    TILED_GRIDS = 4,         // full devices, from which on it has
    RESIDENT_THREADS = 2048, // of a compute unit, on most parts
    SLICE_UNIT = 64,         // the CPU's slices begin at multiples of it (device/cpu/slice.h)
};

static uint64_t log2_up(uint64_t number) {
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < number) {
        bits++;
    }
    return bits;
}

// As many blocks as the device holds at once.
static uint64_t full_grid(const struct reduce_plan *plan, const struct device_info *info) {
    return (uint64_t)info->compute_units * (RESIDENT_THREADS / plan->block);
}

static uint64_t loaded_tile(const struct reduce_plan *plan, uint32_t items) {
    return (uint64_t)plan->block * items * LOAD_BYTES / reduce_type_bytes(plan->type);
}

// Blocks start in the order of their tiles, so memory is read in order if each tile has one. That is worth it where a
// block leaves after one addition. Larger tiles make fewer additions, which take turns.
static bool has_block_for_each_tile(const struct reduce_plan *plan, const struct device_info *info, uint64_t elements) {
    return plan->detail->tiled && elements / loaded_tile(plan, TILED_ITEMS) >= TILED_GRIDS * full_grid(plan, info);
}

// The grid fills the device or, if each thread adds log n elements, has as few blocks as that takes. It is then reduced
// to the fewest blocks with the same number of tiles each.
static uint64_t strided_grid(const struct reduce_plan *plan, const struct device_info *info,
                             const struct reduce_pass *pass, uint64_t tiles) {
    uint64_t grid = full_grid(plan, info);
    if (!plan->detail->one_launch) {
        const uint64_t elements_a_thread = UINT64_C(1) << log2_up(log2_up(pass->elements) + 1);
        grid = divide_up(pass->elements, elements_a_thread * plan->block);
    }
    return tiles > grid ? divide_up(tiles, divide_up(tiles, grid)) : tiles;
}

static struct reduce_pass plan_pass(const struct reduce_plan *plan, const struct device_info *info, uint64_t elements) {
    const struct reduce_detail *detail = plan->detail;
    struct reduce_pass pass = {.elements = elements, .tile = (uint64_t)plan->block * detail->unroll};
    if (detail->one_launch) {
        pass.tile = loaded_tile(plan, plan->items);
    }
    const uint64_t tiles = divide_up(elements, pass.tile);
    pass.grid = detail->strided && plan->items == ITEMS ? strided_grid(plan, info, &pass, tiles) : tiles;
    pass.grid += pass.grid == 0;
    return pass;
}

struct reduce_plan reduce_plan(const struct reduce_detail *detail, enum reduce_type type,
                               const struct device_info *info, uint32_t block, uint64_t elements) {
    struct reduce_plan plan = {.detail = detail, .type = type, .block = block, .items = ITEMS};
    if (block == 0) { // the CPU: a slice for each thread
        plan.pass_count = 1;
        plan.pass[0] = (struct reduce_pass){elements, elements, info->compute_units};
        return plan;
    }
    if (has_block_for_each_tile(&plan, info, elements)) {
        plan.items = TILED_ITEMS;
    }
    do {
        plan.pass[plan.pass_count++] = plan_pass(&plan, info, elements);
        elements = plan.pass[plan.pass_count - 1].grid;
    } while (!detail->one_launch && elements > 1 && plan.pass_count < REDUCE_PASSES_MAX);
    return plan;
}

static double pass_depth(const struct reduce_plan *plan, const struct reduce_pass *pass) {
    const double tiles_a_block = ceil((double)divide_up(pass->elements, pass->tile) / (double)pass->grid);
    const double within_block = (double)log2_up(plan->block);
    if (!plan->detail->one_launch) {
        return tiles_a_block * plan->detail->unroll + within_block;
    }
    const double parts = (double)LOAD_BYTES / (double)reduce_type_bytes(plan->type);
    const double joined =
        plan->detail->zeroed ? (double)pass->grid : ceil((double)pass->grid / plan->block) + within_block;
    return tiles_a_block * (double)plan->items + parts + 1 + within_block + joined;
}

// Additions on the CPU: those of a slice's accumulators, those of a remainder shorter than the accumulators, and those
// that combine accumulators and slices.
static double cpu_depth(const struct reduce_plan *plan) {
    const struct reduce_pass *pass = &plan->pass[0];
    const uint32_t lanes = reduce_cpu_vector_bytes() / (uint32_t)reduce_type_bytes(plan->type);
    const uint32_t accumulators = plan->detail->unroll ? plan->detail->unroll : 4 * lanes;
    const bool threads = plan->detail->threads;
    const double elements = (double)pass->elements;
    const double slice = threads ? ceil(elements / (double)pass->grid) + (double)SLICE_UNIT : elements;
    return ceil(slice / accumulators) + 2.0 * accumulators + (threads ? (double)pass->grid : 0);
}

double reduce_plan_depth(const struct reduce_plan *plan, uint32_t passes) {
    double depth = 0;
    if (plan->block == 0) {
        return cpu_depth(plan);
    }
    for (uint32_t i = 0; i < passes; i++) {
        depth += pass_depth(plan, &plan->pass[i]);
    }
    return depth;
}

// One value per thread, and those that lanes past the stride of an unrolled last warp read.
uint32_t reduce_plan_shared_bytes(const struct reduce_plan *plan, uint32_t warp_width) {
    return (plan->block + warp_width) * (uint32_t)reduce_type_bytes(plan->type);
}
