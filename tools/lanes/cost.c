#include "tools/lanes/cost.h"

#include <math.h>

#include "model/global_memory.h"
#include "model/shared_memory.h"

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : NAN;
}

static struct cost shared_cost(const struct gpu *gpu, const struct request *request) {
    struct shared_cost shared = shared_memory_cost(gpu, request);
    return (struct cost){
        .space = SPACE_SHARED,
        .active_lanes = shared.active_lanes,
        .unique_bytes = shared.unique_bytes,
        .efficiency_pct = percent(shared.unique_bytes, (double)shared_memory_pass_bytes(gpu) * shared.passes),
        .passes = shared.passes,
        .conflicts = shared.conflicts,
        .certainty = certainty_name(shared.certainty),
    };
}

static struct cost global_cost(const struct gpu *gpu, const struct request *request) {
    const struct global_cost global = global_memory_cost(gpu, request);
    const uint32_t sector_bytes = global_sector_bytes(gpu, request->operation);
    return (struct cost){
        .space = SPACE_GLOBAL,
        .active_lanes = global.active_lanes,
        .unique_bytes = global.unique_bytes,
        .efficiency_pct =
            percent((double)global.active_lanes * request->width_bytes, (double)sector_bytes * global.sectors),
        .certainty = "",
        .sectors = global.sectors,
        .lines = global.lines,
        .sector_bytes = sector_bytes,
        .l1_clocks = global.l1_clocks,
    };
}

struct cost request_cost(const struct gpu *gpu, enum space space, const struct request *request) {
    return space == SPACE_SHARED ? shared_cost(gpu, request) : global_cost(gpu, request);
}

const char *space_name(enum space space) {
    return space == SPACE_SHARED ? "shared" : "global";
}

const char *request_name(const struct request *request) {
    return request->atomic ? "atomic" : operation_name(request->operation);
}

const char *operation_name(enum operation operation) {
    return operation == OPERATION_LOAD ? "load" : "store";
}
