#include "model/cluster_memory.h"

#include <string.h>

#include "model/distinct.h"
#include "model/global_memory.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    FIRST_LINE = 24 // of a block's shared memory, as the tags count; fitted to the counters
};

// Clocks in a cluster of two. A load takes them for each line, as for a packet's header, and for each sector; a store
// for each sector, and more if its elements have 8 bytes.
static const double HEADER_CLOCKS = 1.35, LOAD_CLOCKS = 1.77, STORE_CLOCKS = 1.7, STORE_8_CLOCKS = 1.94;
// Of a sector that an atomic request adds to: if it alone of its line is, and if it is not.
static const double ATOMIC_CLOCKS = 3, ATOMICS_CLOCKS = 3.55;

// Requests take longer where more blocks share the paths to each other: `mean` times as long as in a cluster of two, on
// the average of all blocks, and `slowest` times that average in the slowest block. The rows are clusters of up to two
// blocks, of up to four, and larger ones.
static const struct crowding {
    double mean, slowest;
} crowded_loads[] = {{1, 1}, {1.1, 1.11}, {1.065, 1.17}}, crowded_stores[] = {{1, 1.01}, {1.1, 1.025}, {1.1, 1.02}},
  crowded_atomics[] = {{1, 1.01}, {1.26, 1.065}, {1.18, 1.015}};

uint32_t cluster_units(const struct gpu *gpu, uint32_t blocks) {
    // H100 and H200: so that clusters of 2, 4, 8 and 16 occupy 132, 120, 120 and 112 units, as the driver says of both.
    static const uint8_t groups[] = {18, 18, 18, 18, 18, 16, 16, 10};
    if (strcmp(gpu->arch, "sm_90") != 0 || gpu->compute_units != 132) {
        return gpu->compute_units / blocks * blocks;
    }
    uint32_t units = 0;
    for (size_t i = 0; i < sizeof groups; i++) {
        units += groups[i] / blocks * blocks;
    }
    return units;
}

static inline uint64_t line_of(const struct request *request, uint32_t lane) {
    return request->address[lane] / LINE_BYTES;
}

// The lanes from this one on that access its line.
static uint64_t lanes_of_line(const struct request *request, uint64_t lanes) {
    const uint64_t line = line_of(request, (uint32_t)__builtin_ctzll(lanes));
    uint64_t same = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        same |= line_of(request, (uint32_t)__builtin_ctzll(left)) == line ? left & -left : 0;
    }
    return same;
}

// ---- Passes ----

// A load goes through the tags first. It is split into turns whose lines all lie in different banks of tags: turn[i]
// has the lanes of the i-th line of each bank.
static uint32_t split_into_turns(const struct request *request, uint64_t turn[WARP_WIDTH_MAX]) {
    uint32_t lines[L1_TAG_BANKS] = {0}, turns = 0;
    for (uint64_t left = request->active; left;) {
        const uint64_t lanes = lanes_of_line(request, left);
        const uint32_t bank = l1_folded_bank(line_of(request, (uint32_t)__builtin_ctzll(left)) + FIRST_LINE);
        const uint32_t own = lines[bank]++;
        turn[own] = lanes | (own < turns ? turn[own] : 0);
        turns = own < turns ? turns : own + 1;
        left &= ~lanes;
    }
    return turns;
}

struct shared_cost cluster_memory_cost(const struct gpu *gpu, const struct request *request) {
    struct shared_cost cost = shared_memory_cost(gpu, request);
    const bool by_tags = request->operation == OPERATION_LOAD || request->width_bytes == 16;
    if (request->path == PATH_REMOTE && by_tags) {
        const uint32_t least = cost.passes - cost.conflicts; // one for each group of lanes
        uint64_t turn[WARP_WIDTH_MAX];
        const uint32_t turns = split_into_turns(request, turn);
        struct request part = *request;
        cost.passes = 0;
        for (uint32_t i = 0; i < turns; i++) {
            part.active = turn[i];
            cost.passes += shared_memory_cost(gpu, &part).passes;
        }
        cost.conflicts = cost.passes - least;
    }
    cost.certainty = request->path == PATH_REMOTE ? RULE_OPEN : cost.certainty;
    return cost;
}

// ---- Time ----

// The bytes of a sector that the lanes access, one bit each.
static uint32_t bytes_of_sector(const struct request *request, uint64_t sector) {
    uint32_t bytes = 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        if (address / SECTOR_BYTES == sector) {
            bytes |= (uint32_t)(((UINT64_C(1) << request->width_bytes) - 1) << address % SECTOR_BYTES);
        }
    }
    return bytes;
}

// Whether the lanes access no other sector of its line.
static bool is_alone(const struct request *request, uint64_t sector) {
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        if (address / SECTOR_BYTES != sector && address / LINE_BYTES == sector * SECTOR_BYTES / LINE_BYTES) {
            return false;
        }
    }
    return true;
}

// A store whose bytes have gaps in a sector takes twice as long there.
static double sector_clocks(const struct request *request, uint64_t sector) {
    const uint32_t bytes = bytes_of_sector(request, sector);
    if (request->operation == OPERATION_LOAD) {
        return LOAD_CLOCKS;
    }
    if (request->atomic) {
        return is_alone(request, sector) ? ATOMIC_CLOCKS : ATOMICS_CLOCKS;
    }
    const double clocks = request->width_bytes == 8 ? STORE_8_CLOCKS : STORE_CLOCKS;
    return is_run(bytes) ? clocks : 2 * clocks;
}

// A store to the block's own memory takes a clock more by this way, which conflicts hide.
static double own_clocks(const struct gpu *gpu, const struct request *request) {
    const struct shared_cost cost = shared_memory_cost(gpu, request);
    const uint32_t without_conflicts = cost.passes - cost.conflicts;
    return request->operation == OPERATION_STORE && cost.conflicts == 0 ? without_conflicts + 1 : cost.passes;
}

static const struct crowding *crowding_of(const struct request *request, uint32_t blocks) {
    const struct crowding *of = request->atomic                        ? crowded_atomics
                                : request->operation == OPERATION_LOAD ? crowded_loads
                                                                       : crowded_stores;
    return &of[blocks <= 2 ? 0 : blocks <= 4 ? 1 : 2];
}

double cluster_memory_clocks(const struct gpu *gpu, const struct request *request, uint32_t blocks) {
    struct distinct sectors, lines;
    double clocks = 0;
    if (request->path != PATH_REMOTE) {
        return own_clocks(gpu, request);
    }
    distinct_begin(&sectors);
    distinct_begin(&lines);
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        bool is_new_sector, is_new_line;
        distinct_add_key(&sectors, address / SECTOR_BYTES, &is_new_sector);
        distinct_add_key(&lines, address / LINE_BYTES, &is_new_line);
        clocks += is_new_sector ? sector_clocks(request, address / SECTOR_BYTES) : 0;
        clocks += is_new_line && request->operation == OPERATION_LOAD ? HEADER_CLOCKS : 0;
    }
    return clocks * crowding_of(request, blocks)->mean;
}

double cluster_memory_slowest(const struct request *request, uint32_t blocks) {
    return request->path == PATH_REMOTE ? crowding_of(request, blocks)->slowest : 1;
}

struct cluster_latency cluster_memory_latency(enum shared_path path) {
    static const struct cluster_latency latencies[] = {[PATH_CLUSTER] = {9.4, 9.4}, [PATH_REMOTE] = {169.4, 191.8}};
    return latencies[path];
}
