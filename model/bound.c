#include "model/bound.h"

const char *resource_name(enum resource resource) {
    static const char *const names[] = {"memory", "L2", "shared memory", "requests"};
    return names[resource];
}

struct launch_bound launch_bound(const struct gpu *gpu, const struct launch_least *least) {
    const double units = least->blocks < gpu->compute_units ? least->blocks : gpu->compute_units;
    const double clocks_per_ns = gpu->clock_mhz / 1000.0;
    const double ns[] = {
        [RESOURCE_MEMORY] = least->memory_bytes / gpu->memory_gb_s, // 1 GB/s is 1 byte a nanosecond
        [RESOURCE_L2] = gpu->l2_bytes_per_clock > 0 ? least->l2_bytes / (gpu->l2_bytes_per_clock * clocks_per_ns) : 0,
        [RESOURCE_SHARED_MEMORY] = least->passes / (units * clocks_per_ns),
        [RESOURCE_REQUESTS] = least->requests / (units * clocks_per_ns),
    };
    struct launch_bound most = {ns[0], RESOURCE_MEMORY};
    for (enum resource resource = 1; resource < RESOURCES; resource++) {
        if (ns[resource] > most.ns) {
            most = (struct launch_bound){ns[resource], resource};
        }
    }
    return most;
}

double least_memory_bytes(const struct gpu *gpu, const struct memory_traffic *traffic) {
    const double bytes = traffic->load_bytes + traffic->fill_bytes + traffic->write_bytes;
    const double cached = (double)gpu->last_level_cache_bytes;
    return bytes > cached ? bytes - cached : 0;
}
