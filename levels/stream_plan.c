#include "levels/stream.h"

#include "util/whole.h"

enum {
    GPU_ITEMS = 4,     // more would take too many registers for a full unit
    OWN_ITEMS_MAX = 7, // of two steps at once, because a unit has one block
    GPU_THREADS = 512,
    GPU_BLOCKS_A_UNIT = 64, // many times the resident blocks, so that fast units can take more of them
    FOLLOW_BLOCKS_A_UNIT = 512,
    RESIDENT_THREADS = 2048, // that a unit holds at once
    REGISTERS = 2048,        // 32-bit registers per lane position, shared by all warps of a unit, on NVIDIA and AMD
    OTHER_REGISTERS = 16,    // that a lane needs besides the words in flight
    CPU_CHUNK_BYTES = 4096,
    CPU_STEP_BYTES = 512, // one step of the CPU's loops: 8 vectors of up to 64 bytes
    WORD_BYTES = 16,
    FLIGHT_SIM_TURNS = 2, // through all stages
    OWN_SIM_TURNS = 8,    // of a simulated launch, so that loads from L1 take longer than the first turn's from the L2
    SHARED_SIM_TURNS = 2, // so that loads take longer than the first turn's, though the L2 serves some together
};

// What a block reads: `rounds` of a block that others follow are short against a launch, and long against its start.
struct shape {
    uint32_t width_bytes, items, threads, rounds;
};
static const struct shape common = {WORD_BYTES, GPU_ITEMS, GPU_THREADS, 8};
// As gpu-benches' gpu-l2-cache, of which clang 14 and 15 for a gfx90a unroll 16 loads. How far blocks drift apart
// depends on it, so their public curves can be compared.
static const struct shape of_64_lanes = {8, 16, 1024, 4};

uint64_t stream_chunk_bytes(const struct stream_plan *plan) {
    return (uint64_t)plan->threads * plan->width_bytes * (plan->own ? 1 : plan->items);
}

uint64_t stream_buffer_bytes(const struct stream_plan *plan) {
    return stream_chunk_bytes(plan) * plan->chunks * (plan->own ? plan->blocks : 1);
}

static uint64_t buffers(const struct stream_plan *plan) {
    return plan->operation == STREAM_COPY ? 2 : 1;
}

uint64_t stream_footprint_bytes(const struct stream_plan *plan) {
    const uint64_t chunks = plan->whole_chunks ? plan->whole_chunks : plan->chunks;
    return buffers(plan) * stream_chunk_bytes(plan) * chunks * (plan->split ? plan->blocks : 1);
}

double stream_useful_bytes(const struct stream_plan *plan) {
    const double chunks = (double)plan->blocks * plan->rounds * (plan->own ? plan->chunks : 1);
    return (double)(buffers(plan) * stream_chunk_bytes(plan)) * chunks;
}

uint64_t stream_shared_bytes(const struct stream_plan *plan) {
    return plan->stages * (stream_chunk_bytes(plan) + (plan->path == STREAM_BULK ? sizeof(uint64_t) : 0));
}

double stream_bytes_in_flight(const struct stream_plan *plan) {
    return (double)plan->blocks * (double)stream_chunk_bytes(plan) * (plan->stages ? plan->stages : 1);
}

static const uint64_t ONE_TURN_BYTES = 16 << 20; // from this footprint on, a simulated launch goes through it once

// Through a footprint that blocks share.
static uint32_t simulated_turns(const struct stream_plan *plan) {
    return stream_chunk_bytes(plan) * plan->chunks < ONE_TURN_BYTES ? SHARED_SIM_TURNS : 1;
}

// A simulated launch is no longer than it must be.
static void simulate(struct stream_plan *plan, uint32_t units) {
    plan->blocks = units;
    plan->rounds = plan->own ? OWN_SIM_TURNS : simulated_turns(plan) * ((plan->chunks + units - 1) / units);
    plan->group = (uint32_t)smaller(units, plan->chunks);
}

// Loads of a step through a block's own chunks. Two are enough, because the next step's loads are in flight as well.
static uint32_t own_items(uint32_t chunks) {
    uint32_t items = 2;
    while (items <= OWN_ITEMS_MAX && chunks % items != 0) {
        items++;
    }
    return items <= OWN_ITEMS_MAX ? items : 1;
}

static void share_chunks(struct stream_plan *plan, uint64_t bytes, uint32_t resident_blocks) {
    plan->chunks = (uint32_t)larger(1, bytes / stream_chunk_bytes(plan));
    plan->group = (uint32_t)smaller(resident_blocks, plan->chunks);
    plan->rounds = plan->own ? 1 : (plan->chunks + plan->blocks - 1) / plan->blocks;
}

static struct stream_plan plan_of(const struct device_info *info, enum stream_operation operation, bool own,
                                  uint64_t footprint_bytes, const struct shape *shape) {
    const uint32_t units = info->compute_units ? info->compute_units : 1;
    struct stream_plan plan = {.operation = operation,
                               .own = own,
                               .width_bytes = shape->width_bytes,
                               .items = shape->items,
                               .blocks = own ? units : units * GPU_BLOCKS_A_UNIT,
                               .threads = shape->threads};
    uint64_t bytes = footprint_bytes / buffers(&plan);
    if (device_is_cpu(info)) { // each thread has a part of the shared footprint
        bytes = own ? bytes : bytes / units;
        plan.own = true;
        plan.split = !own;
        plan.blocks = units;
        plan.items = 1;
        plan.threads = CPU_CHUNK_BYTES / WORD_BYTES;
    }
    // A small footprint gets a small chunk of whole warps (GPU) or whole steps (CPU).
    const uint32_t least_threads = device_is_cpu(info) ? CPU_STEP_BYTES / WORD_BYTES : info->warp_width;
    const uint64_t least_bytes = (uint64_t)least_threads * plan.width_bytes * (plan.own ? 1 : plan.items);
    if (bytes < stream_chunk_bytes(&plan)) {
        plan.threads = (uint32_t)larger(1, bytes / least_bytes) * least_threads;
    }
    plan.threads = (uint32_t)smaller(plan.threads, device_is_cpu(info) ? plan.threads : info->max_block_threads);
    share_chunks(&plan, bytes, units * (uint32_t)larger(1, RESIDENT_THREADS / plan.threads));
    if (plan.own && !device_is_cpu(info)) {
        plan.items = own_items(plan.chunks);
    }
    plan.gpu_blocks = plan.blocks;
    if (info->predicted) {
        simulate(&plan, units);
    }
    return plan;
}

struct stream_plan stream_plan_make(const struct device_info *info, enum stream_operation operation, bool own,
                                    uint64_t footprint_bytes) {
    return plan_of(info, operation, own, footprint_bytes, &common);
}

struct stream_plan stream_plan_follow(const struct device_info *info, uint64_t footprint_bytes) {
    const struct shape *shape = info->warp_width == 64 ? &of_64_lanes : &common;
    struct stream_plan plan = plan_of(info, STREAM_READ, false, footprint_bytes, shape);
    // All that a GPU holds at once, or memory would bound the time of those that read the same.
    const uint32_t simulated = footprint_bytes > info->last_level_cache_bytes ? RESIDENT_THREADS / plan.threads : 1;
    const uint32_t gpu_blocks = info->compute_units * FOLLOW_BLOCKS_A_UNIT;
    const uint32_t least_blocks = info->predicted ? info->compute_units * simulated : gpu_blocks;
    plan.follow = true;
    plan.rounds = (uint32_t)smaller(shape->rounds, plan.chunks);
    plan.group = plan.chunks / plan.rounds;
    plan.chunks = plan.group * plan.rounds;
    plan.blocks = plan.group * ((least_blocks + plan.group - 1) / plan.group); // whole turns
    plan.gpu_blocks = larger(plan.blocks, gpu_blocks);
    plan.blocks *= info->predicted ? simulated_turns(&plan) : 1;
    return plan;
}

// A simulated launch goes through a few of its rounds, whose memory alone is there.
static void simulate_flight(struct stream_plan *plan) {
    const uint64_t rounds = smaller(plan->rounds, FLIGHT_SIM_TURNS * larger(1, plan->stages));
    plan->whole_chunks = plan->chunks;
    plan->rounds = (uint32_t)rounds;
    plan->chunks = (uint32_t)smaller(plan->chunks, rounds * plan->blocks);
}

struct stream_plan stream_plan_in_flight(const struct device_info *info, uint64_t footprint_bytes,
                                         const struct stream_flight *flight) {
    const uint32_t units = info->compute_units ? info->compute_units : 1;
    const uint32_t block_warps = info->max_block_threads / info->warp_width;
    const uint32_t unit_blocks = (flight->warps + block_warps - 1) / block_warps;
    struct stream_plan plan = {.operation = STREAM_READ,
                               .flight = true,
                               .path = flight->path,
                               .stages = flight->stages,
                               .width_bytes = flight->width_bytes,
                               .items = flight->loads,
                               .blocks = units * unit_blocks,
                               .threads = flight->warps / unit_blocks * info->warp_width};
    share_chunks(&plan, footprint_bytes, plan.blocks);
    if (info->predicted) {
        simulate_flight(&plan);
    }
    return plan;
}

bool stream_fits_registers(const struct stream_plan *plan, uint32_t warps) {
    return warps * (plan->items * plan->width_bytes / 4 + OTHER_REGISTERS) <= REGISTERS;
}

uint32_t stream_chunk(const struct stream_plan *plan, uint32_t block, uint32_t round) {
    const uint64_t first = ((uint64_t)(block / plan->group) * plan->rounds + round) * plan->group;
    const uint32_t place = (block % plan->group + round) % plan->group;
    return (uint32_t)((first + place) % plan->chunks);
}

void stream_visits(const struct stream_plan *plan, uint32_t *visits) {
    for (uint32_t chunk = 0; chunk < plan->chunks; chunk++) {
        visits[chunk] = plan->own ? plan->rounds : 0;
    }
    for (uint32_t block = 0; block < plan->blocks && !plan->own; block++) {
        for (uint32_t round = 0; round < plan->rounds; round++) {
            visits[stream_chunk(plan, block, round)]++;
        }
    }
}
