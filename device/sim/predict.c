#include "device/sim/predict.h"

#include "model/bound.h"

static double least(double a, double b) {
    return a < b ? a : b;
}

static void set_bound(const struct gpu *gpu, uint64_t blocks, struct launch_counts *counts) {
    const struct memory_traffic *memory = &counts->memory;
    const struct launch_least needs = {
        .blocks = (double)blocks,
        .memory_bytes = least_memory_bytes(gpu, memory),
        .l2_bytes = least(memory->load_bytes, counts->global_load.sectors * gpu->sector_bytes) +
                    least(memory->write_bytes, counts->global_store.sectors * gpu->sector_bytes),
        .passes = counts->least_passes,
        .requests = counts->least_requests,
    };
    counts->bound = launch_bound(gpu, &needs);
}

struct need {
    const char *name;
    double ns;
};

// Warp-wide instructions that a compute unit starts each clock: four schedulers on NVIDIA, and on AMD four SIMDs that
// take four clocks each for 64 lanes, or two (RDNA) that take one for 32.
static double issue_per_clock(const struct gpu *gpu) {
    if (gpu->vendor == VENDOR_NVIDIA) {
        return 4;
    }
    return gpu->warp_width == 64 ? 1 : 2;
}

// NVIDIA Kepler GK110 whitepaper: atomics to one address of global memory run at one a clock. For later parts and AMD's
// a guess.
static const double atomics_per_clock = 1;

static void set_prediction(const struct gpu *gpu, uint64_t blocks, struct launch_counts *counts) {
    double units = blocks < gpu->compute_units ? (double)blocks : (double)gpu->compute_units;
    double clocks_per_ns = gpu->clock_mhz / 1000.0;
    double memory_bytes = counts->device_read_bytes + counts->device_write_bytes;
    double l2_bytes = (counts->global_load.sectors + counts->global_store.sectors) * gpu->sector_bytes;
    double passes = counts->shared_load.passes + counts->shared_store.passes;
    double accesses = counts->global_load.requests + counts->global_store.requests + counts->shared_load.requests +
                      counts->shared_store.requests;
    double issue = counts->instructions / issue_per_clock(gpu);
    const struct need resources[] = {
        {"memory", memory_bytes / gpu->memory_gb_s}, // 1 GB/s is 1 byte a nanosecond
        {"L2", gpu->l2_bytes_per_clock > 0 ? l2_bytes / (gpu->l2_bytes_per_clock * clocks_per_ns) : 0},
        {"atomics", counts->atomics_in_turn / (atomics_per_clock * clocks_per_ns)},
        {"shared memory", passes / (units * clocks_per_ns)},
        {"issue", (accesses > issue ? accesses : issue) / (units * clocks_per_ns)},
    };
    const struct need *bound = &resources[0];
    for (size_t i = 1; i < sizeof resources / sizeof *resources; i++) {
        if (resources[i].ns > bound->ns) {
            bound = &resources[i];
        }
    }
    counts->predicted_ns = bound->ns;
    counts->predicted_by = bound->name;
}

void sim_predict(const struct gpu *gpu, uint64_t blocks, struct launch_counts *counts) {
    set_bound(gpu, blocks, counts);
    set_prediction(gpu, blocks, counts);
}
