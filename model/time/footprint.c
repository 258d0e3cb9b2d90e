#include "model/time/footprint.h"

#include <math.h>

#include "model/gpu_limits.h"
#include "model/overlap.h"
#include "model/time/drift.h"
#include "model/time/latency.h"
#include "model/time/returns.h"
#include "model/time/time_constants.h"

// ---- Bytes in flight ----

static const double SCHEDULERS = 4;       // of a unit, so that words of several warps pass at the same time
static const double BULK_LINES = 4;       // that a copy engine asks for while a warp asks for one
static const double ALONE_SHARE = 1 / 4.; // of a round's instructions: what does not run while a lone round waits

static double chunk_bytes(const struct flight *flight) {
    return (double)flight->block_threads * flight->word_bytes * flight->words;
}

// Of all units.
static double in_flight(const struct flight *flight) {
    return chunk_bytes(flight) * flight->blocks * flight->stages;
}

static double round_cycles(const struct flight *flight) {
    const double of_path[] = {0, time_constants.cycled_word_copies, time_constants.cycled_bulk_copies};
    return of_path[flight->path];
}

// What each further word of a lane adds to a round of copies: loads to registers are under way together.
static double more_words(const struct flight *flight) {
    return flight->path == FLIGHT_LOADS ? 0 : time_constants.cycled_word * (flight->words - 1.0);
}

// From asking for a chunk until its words are used. The lines that are waited for together come one after another.
static double wait_cycles(const struct gpu *gpu, const struct flight *flight, double latency) {
    const double askers = flight->path == FLIGHT_BULK ? 1 : (double)flight->block_threads / gpu->warp_width;
    const double lines = chunk_bytes(flight) / askers / gpu->line_bytes;
    const double share = time_constants.cycled_line_share / (flight->path == FLIGHT_BULK ? BULK_LINES : 1);
    return latency * (1 + share * (lines - 1)) + time_constants.cycled_round + more_words(flight) +
           round_cycles(flight) * ALONE_SHARE;
}

// The rounds of all stages, which a unit cannot run faster though all data is there.
static double stages_cycles(const struct gpu *gpu, const struct flight *flight) {
    const double blocks = ceil((double)flight->blocks / gpu->compute_units);
    const double warps = blocks * flight->block_threads / gpu->warp_width;
    const double issue = warps * (time_constants.cycled_word + more_words(flight) / SCHEDULERS);
    const double path = round_cycles(flight) + more_words(flight);
    return flight->path == FLIGHT_LOADS ? 0 : flight->stages * overlap(path, issue, time_constants.cycled_flight_norm);
}

// Until the bytes in flight have come, from a level of that latency and rate, in bytes per clock.
static double flight_cycles(const struct gpu *gpu, const struct flight *flight, double latency, double rate) {
    const double norm = time_constants.cycled_flight_norm;
    const double own = overlap(wait_cycles(gpu, flight, latency), stages_cycles(gpu, flight), norm);
    return overlap(own, in_flight(flight) / rate, norm);
}

// lost: the share of the footprint that the L2 does not hold. Without the launch's start and end. The part's latencies
// and rates must be known.
static double flight_ns(const struct gpu *gpu, const struct flight *flight, double lost) {
    const struct gpu_latency *part = gpu_latency(gpu);
    const double ghz = gpu->clock_mhz / 1000.0, share = part->memory_share > 0 ? part->memory_share : 1;
    const double l2 = flight_cycles(gpu, flight, part->l2, part->l2_read_bytes_per_clock);
    const double memory = flight_cycles(gpu, flight, gpu_waits(gpu).memory, share * gpu_read_gb_s(gpu) / ghz);
    const double turns = (double)flight->rounds / flight->stages;
    return turns * ((1 - lost) * l2 + lost * memory) / ghz;
}

// docs/simulator.md, Footprints, derives this.

// A launch through a footprint.
struct passage {
    const struct gpu *gpu;
    const struct gpu_latency *part;
    enum cycled cycled;
    bool shared;              // by all units
    double footprint, rounds; // in bytes, of all units
    double loaded, stored;    // bytes of all rounds
    double readers;           // blocks at once on the same path through a part of the footprint
};

static struct passage passage_of(const struct gpu *gpu, const struct gpu_latency *part, const struct launch_work *work,
                                 enum cycled cycled) {
    const double footprint = work->memory.load_bytes + work->memory.write_bytes, loaded = work->load_sector_bytes;
    const bool only_sums = work->store_sector_bytes < loaded / 100; // of what is loaded
    const double stored = only_sums ? 0 : work->store_sector_bytes;
    const double blocks = (double)gpu->compute_units * gpu_unit_threads(gpu) / fmax(1, work->block_threads); // at once
    return (struct passage){.gpu = gpu,
                            .part = part,
                            .cycled = cycled,
                            .shared = cycled != CYCLED_OWN,
                            .footprint = footprint,
                            .rounds = (loaded + stored) / footprint,
                            .loaded = loaded,
                            .stored = stored,
                            .readers = fmax(1, blocks * loaded / work->blocks / footprint)};
}

// 1 if as many bytes are read as written, 0 if only one of both happens.
static double balance(double read, double written) {
    return read + written > 0 ? 2 * fmin(read, written) / (read + written) : 0;
}

// ---- What each level answers ----

// Blocks that load the same lines at about the same time ask the L2 for some of them together.
static double merged_share(const struct passage *passage) {
    const bool loads_decide = passage->stored <= 0; // else the stores are what is waited for
    return passage->shared && loads_decide
               ? fmin(time_constants.cycled_merged_most, passage->part->merged_bytes / passage->footprint)
               : 0;
}

// A unit's own footprint over what its L1 holds before the first set overflows.
static double of_l1(const struct passage *passage) {
    const struct gpu *gpu = passage->gpu;
    const double held = (double)cache_sets_hold(&passage->part->l1_sets, gpu->l1_bytes, gpu->line_bytes);
    return passage->footprint / gpu->compute_units / held;
}

// Warps of a unit whose footprint is somewhat larger than L1 drift apart, because one that hits gets ahead.
static bool warps_drift(const struct passage *passage) {
    const double own = passage->footprint / passage->gpu->compute_units;
    return passage->loaded > 0 && of_l1(passage) > 1 && own < time_constants.cycled_drift_most * passage->gpu->l1_bytes;
}

// Loads and stores of a unit's own footprint that miss L1. Were all warps in step, none would hit a larger one. But a
// warp that hits gets ahead, comes back to its lines sooner, and hits again, while others wait for the L2.
static double l1_misses(const struct passage *passage) {
    if (!passage->shared && warps_drift(passage)) {
        const double excess = of_l1(passage) - 1;
        return fmin(1, time_constants.cycled_drift_misses * excess * excess);
    }
    return passage->shared || of_l1(passage) > 1;
}

// How irregular the visits to a line are. Blocks and warps that drift apart return by chance. Short blocks start in
// order, and soon end; n of them on the same path stray n times as far, and a unit's own path has one.
static double irregularity(const struct passage *passage) {
    if (passage->shared ? passage->cycled != CYCLED_FOLLOWED : warps_drift(passage)) {
        return 1;
    }
    return fmin(1, time_constants.cycled_follow_spread * (passage->shared ? passage->readers : 1));
}

// What the last-level cache does not hold. Stores to a footprint that units share make no copies in the other half;
// what each unit stores of its own is gone as early as if they did.
static double lost_to_memory(const struct passage *passage) {
    const struct gpu *gpu = passage->gpu;
    const double of_cache = passage->footprint / (double)gpu->last_level_cache_bytes;
    const double copying = passage->shared ? balance(passage->loaded, passage->stored) : 0;
    const double copied = fmax(0, 1 - time_constants.cycled_copied_share / of_cache);
    const bool halves =
        gpu->l2_parts == 2 && !gpu->l2_private && !(passage->shared && passage->stored >= passage->loaded);
    return (1 - copying) * returns_missed(of_cache, halves, irregularity(passage)) + copying * copied;
}

// ---- How long they take ----

static double l1_ns(const struct passage *passage, double bytes) {
    const struct gpu *gpu = passage->gpu;
    return bytes / (passage->part->l1_bytes_per_clock * gpu->compute_units * gpu->clock_mhz / 1000.0);
}

static double l2_ns(const struct passage *passage, double read) {
    const struct gpu_latency *part = passage->part;
    const double write_rate =
        part->l2_write_bytes_per_clock > 0 ? part->l2_write_bytes_per_clock : part->l2_read_bytes_per_clock;
    const double reads = read * (1 - merged_share(passage)) / part->l2_read_bytes_per_clock;
    return overlap(reads, passage->stored / write_rate, time_constants.cycled_l2_norm) * 1000 / passage->gpu->clock_mhz;
}

static double share_of_rate(const struct passage *passage) {
    return passage->part->memory_share > 0 ? passage->part->memory_share : 1;
}

static double read_rate(const struct passage *passage) {
    return share_of_rate(passage) * gpu_read_gb_s(passage->gpu);
}

static double memory_ns(const struct passage *passage, double read, double written) {
    const struct gpu *gpu = passage->gpu;
    const double turn_ns = passage->shared ? time_constants.cycled_turn_ns : time_constants.cycled_own_turn_ns;
    const double write_rate = share_of_rate(passage) * gpu_write_gb_s(gpu);
    return read / read_rate(passage) + written / write_rate +
           turn_ns * fmin(read, written) / (double)MEMORY_RUN_BYTES / gpu_memory_channels(gpu);
}

// read: bytes that miss L1. Stores do not wait for memory.
static double beyond_l1_ns(const struct passage *passage, double read) {
    const double lost = lost_to_memory(passage);
    const double l2 = l2_ns(passage, read), memory = memory_ns(passage, lost * read, lost * passage->stored);
    return read > 0 ? overlap(l2, memory, time_constants.cycled_level_norm) : fmax(l2, memory);
}

static double own_ns(const struct passage *passage) {
    const double misses = l1_misses(passage), all = l1_ns(passage, passage->loaded + passage->stored);
    const double hit = fmax(all, beyond_l1_ns(passage, 0));
    const double missed = fmax(all, beyond_l1_ns(passage, passage->loaded));
    return (1 - misses) * hit + misses * missed +
           (passage->stored > 0 ? passage->rounds * time_constants.cycled_pause_ns : 0);
}

// ---- Blocks that follow each other, load by load ----

// Loads keep the L2 busy at the rate that launches reach; so its channels are not told apart, nor are memory's.
static double walk_ns(const struct passage *passage, const struct launch_work *work, struct cycle cycle,
                      struct walked *last) {
    const struct gpu *gpu = passage->gpu;
    const struct gpu_latency *part = passage->part;
    const double bytes = work->load_sector_bytes / work->load_requests; // of a warp's load
    const double warps = ceil((double)work->block_threads / gpu->warp_width);
    const double loads = work->load_requests / work->blocks / warps, hit = bytes / part->l2_read_bytes_per_clock;
    const struct walk walk = {
        .units = gpu->compute_units,
        .unit_blocks = gpu_unit_threads(gpu) / work->block_threads,
        .block_warps = (uint32_t)warps,
        .loads = (uint32_t)loads,
        .batch = (uint32_t)fmax(1, (double)cycle.chunk_bytes / warps / bytes),
        .under_way = (uint32_t)fmax(1, gpu->l1_bytes / bytes), // what the L2 sends has its place in L1
        .paths = (uint64_t)fmax(1, passage->footprint * work->blocks / passage->loaded),
        .sets = (uint32_t)((double)gpu->last_level_cache_bytes / bytes / part->l2_sets.ways),
        .ways = part->l2_sets.ways,
        .issue = bytes / part->l1_bytes_per_clock,
        .hit = hit,
        .fill = part->l2_fill_reads * hit,
        .miss = bytes / read_rate(passage) * gpu->clock_mhz / 1000,
        .hit_latency = part->l2,
        .miss_latency = part->memory,
        .block = time_constants.block_cycles,
    };
    return work->load_requests * walk_clocks(&walk, last) * 1000 / gpu->clock_mhz;
}

// ---- Blocks that drift apart, load by load ----

static const uint32_t FIRST_ROUNDS =
    16; // of a short launch, whose rate says how many rounds a launch of the right length has

// Half the cache holds a smaller footprint of loads, and the whole cache one of stores, which make no copies. Then no
// block waits longer than others.
static bool drifts(const struct passage *passage) {
    const struct gpu *gpu = passage->gpu;
    const double held = (double)gpu->last_level_cache_bytes / (passage->stored > 0 ? 1 : gpu->l2_parts);
    return passage->shared && fmin(passage->loaded, passage->stored) <= 0 && passage->part->ports.gpc_ports > 0 &&
           gpu->l2_parts > 1 && passage->footprint > held;
}

// What a block loads at once, or stores.
static double load_bytes(const struct passage *passage, const struct launch_work *work) {
    const double requests = passage->stored > 0 ? work->store_requests : work->load_requests;
    return (passage->loaded + passage->stored) / requests * work->block_threads / passage->gpu->warp_width;
}

static struct drift drift_of(const struct passage *passage, const struct launch_work *work, struct cycle cycle) {
    const struct gpu *gpu = passage->gpu;
    const struct gpu_latency *part = passage->part;
    const bool stores = passage->stored > 0;
    const double bytes = load_bytes(passage, work), chunk_bytes = fmax(bytes, (double)cycle.chunk_bytes);
    const uint32_t unit_blocks = gpu_unit_threads(gpu) / work->block_threads;
    const uint32_t chunks = (uint32_t)fmax(1, passage->footprint / chunk_bytes);
    const uint32_t rounds = (uint32_t)fmax(1, (passage->loaded + passage->stored) / work->blocks / chunk_bytes);
    const bool followed = cycle.cycled == CYCLED_FOLLOWED;
    const double l2_rate = stores ? part->l2_write_bytes_per_clock : part->l2_read_bytes_per_clock;
    const double port_rate = l2_rate / drift_ports(&part->ports);
    const double far_rate = part->l2_write_bytes_per_clock / 2 / gpu->l2_parts; // as half of all stores cross
    return (struct drift){
        .stores = stores,
        .ports = &part->ports,
        .unit_blocks = unit_blocks,
        .chunk_loads = (uint32_t)(chunk_bytes / bytes),
        .chunks = chunks,
        .group =
            followed ? (uint32_t)fmax(1, chunks / rounds) : (uint32_t)fmin(gpu->compute_units * unit_blocks, chunks),
        .rounds = followed ? rounds : FIRST_ROUNDS,
        .blocks = cycle.blocks > 0 ? cycle.blocks : (uint64_t)work->blocks,
        .under_way = (uint32_t)(fmax(chunk_bytes, part->ports.under_way) / bytes),
        .sets = (uint32_t)((double)gpu->last_level_cache_bytes / gpu->l2_parts / bytes / part->l2_sets.ways),
        .ways = part->l2_sets.ways,
        .port = bytes / port_rate,
        .far = bytes / far_rate,
        .memory = bytes / read_rate(passage) * gpu->clock_mhz / 1000,
        .hit_latency = part->l2,
        .far_latency = part->far,
        .miss_latency = part->memory,
        .block = time_constants.block_cycles,
    };
}

// Launches of nearly the same length differ, because blocks that meet keep each other's lines in the L2.
static double drift_clocks_about(struct drift drift, uint32_t rounds) {
    double clocks = 0;
    for (int32_t more = -1; more <= 1; more++) {
        drift.rounds = (uint32_t)fmax(1, (double)rounds + more);
        clocks += drift_clocks(&drift) / 3;
    }
    return clocks;
}

// The longer a launch takes, the farther its blocks drift apart.
static double drift_ns(const struct passage *passage, const struct launch_work *work, struct cycle cycle) {
    const struct drift drift = drift_of(passage, work, cycle);
    const double ghz = passage->gpu->clock_mhz / 1000.0;
    double clocks = drift_clocks(&drift);
    if (cycle.cycled == CYCLED_SHARED && cycle.ns > 0) {
        const double loads = (double)drift.blocks * drift.chunk_loads;
        clocks = drift_clocks_about(drift, (uint32_t)ceil(cycle.ns * ghz / (loads * clocks)));
    }
    return (passage->loaded + passage->stored) / load_bytes(passage, work) * clocks / ghz;
}

// All blocks run at once, so they stay together.
static double lost_of_flight(const struct gpu *gpu, const struct gpu_latency *part, double footprint) {
    const struct passage passage = {.gpu = gpu,
                                    .part = part,
                                    .cycled = CYCLED_FOLLOWED,
                                    .shared = true,
                                    .footprint = footprint,
                                    .loaded = footprint,
                                    .readers = 1};
    return lost_to_memory(&passage);
}

double footprint_ns(const struct gpu *gpu, const struct launch_work *work, struct cycle cycle, struct walked *last) {
    const struct gpu_latency *part = gpu_latency(gpu);
    if (cycle.cycled == CYCLED_NOT || !part || part->l2_read_bytes_per_clock <= 0) {
        return NAN;
    }
    if (cycle.cycled == CYCLED_FLIGHT) {
        return flight_ns(gpu, &cycle.flight, lost_of_flight(gpu, part, (double)cycle.flight.footprint_bytes));
    }
    const struct passage passage = passage_of(gpu, part, work, cycle.cycled);
    if (cycle.cycled == CYCLED_FOLLOWED && part->l2_fill_reads > 0) {
        return walk_ns(&passage, work, cycle, last);
    }
    if (drifts(&passage)) {
        return drift_ns(&passage, work, cycle);
    }
    return passage.shared
               ? fmax(l1_ns(&passage, passage.loaded + passage.stored), beyond_l1_ns(&passage, passage.loaded))
               : own_ns(&passage);
}

// ---- Reuse ----

// Half of the cache keeps them, and the other half holds what passes through meanwhile.
double lost_share(const struct gpu *gpu, double reach) {
    const double kept = (double)gpu->last_level_cache_bytes / 2;
    return reach > kept ? 1 - kept / reach : 0;
}

// Loads copy the other part's lines into a part of the L2, and stores do not.
double cache_taken(const struct gpu *gpu, double loaded, double stored) {
    return loaded + stored / (gpu->l2_parts > 1 ? gpu->l2_parts : 1);
}

// The first data that the earlier launch touched has met all of it, the last nothing of it but all of this launch.
double reuse_distance(double before, double since, double now, double covered) {
    return fmin(now, covered * (since + (before + now) / 2) + (1 - covered) * now);
}
