// docs/simulator.md, Footprints, derives this.
#include "model/footprint.h"

#include <math.h>

#include "model/latency.h"
#include "model/time_constants.h"

// What a launch asks of each level, in bytes.
struct demand {
    double l1, l1_hits, l2_read, l2_write, memory_read, memory_write;
};

// Blocks that load the same lines at about the same time ask the L2 for some of them together.
static double merged_share(const struct gpu_latency *part, double footprint) {
    return footprint > 0 ? fmin(time_constants.cycled_merged_most, part->merged_bytes / footprint) : 0;
}

// A footprint larger than the last-level cache is gone when its turn comes again, unless blocks share it: then a part
// stays.
static double memory_share(const struct gpu *gpu, const struct gpu_latency *part, double footprint, bool shared) {
    const double cache = (double)gpu->last_level_cache_bytes;
    const bool copies = gpu->l2_parts > 1 && !gpu->l2_private;
    if (footprint <= (copies ? time_constants.cycled_held_share : 1) * cache) {
        return 0;
    }
    return shared ? 1 - part->kept_share * cache / footprint : 1;
}

// A unit's L1 helps only with a footprint of the unit's own.
static struct demand demand_of(const struct gpu *gpu, const struct gpu_latency *part, const struct launch_work *work,
                               bool shared) {
    const double loaded = work->load_sector_bytes, stored = work->store_sector_bytes;
    const double read = work->memory.load_bytes, written = work->memory.write_bytes;
    const bool in_l1 = !shared && read / fmin(work->blocks, gpu->compute_units) <= gpu->l1_bytes;
    const double missed = in_l1 ? 0 : loaded, from_memory = memory_share(gpu, part, read + written, shared);
    const bool merges = shared && stored < loaded / 100; // else the writes are what is waited for
    return (struct demand){.l1 = loaded + stored,
                           .l1_hits = loaded - missed,
                           .l2_read = missed * (1 - (merges ? merged_share(part, read) : 0)),
                           .l2_write = stored,
                           .memory_read = missed * from_memory,
                           .memory_write = stored * from_memory};
}

static double memory_ns(const struct gpu_latency *part, const struct demand *demand) {
    const double all = demand->memory_read + demand->memory_write;
    const double turns = all > 0 ? 2 * fmin(demand->memory_read, demand->memory_write) / all : 0;
    return all * (1 + time_constants.cycled_turn_share * turns) / part->memory_gb_s;
}

double footprint_ns(const struct gpu *gpu, const struct launch_work *work, bool shared) {
    const struct gpu_latency *part = gpu_latency(gpu);
    if (!part || part->l2_read_bytes_per_clock <= 0) {
        return NAN;
    }
    const struct demand demand = demand_of(gpu, part, work, shared);
    const double units = fmin(work->blocks, gpu->compute_units), clocks_per_ns = gpu->clock_mhz / 1000.0;
    const double reads = demand.l2_read / part->l2_read_bytes_per_clock;
    const double write_rate =
        part->l2_write_bytes_per_clock > 0 ? part->l2_write_bytes_per_clock : part->l2_read_bytes_per_clock;
    const double writes = demand.l2_write / write_rate;
    const double norm = time_constants.cycled_l2_norm;
    const double l2 = pow(pow(reads, norm) + pow(writes, norm), 1 / norm);
    const double l1_rate = part->l1_bytes_per_clock * units;
    // Loads that hit L1 and stores take turns.
    const double clocks = fmax(demand.l1 / l1_rate, demand.l1_hits / l1_rate + l2);
    return fmax(clocks / clocks_per_ns, memory_ns(part, &demand));
}
