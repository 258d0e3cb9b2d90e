// docs/simulator.md, Time, derives this and says what each parameter was fitted on.
#include "model/time.h"

#include <math.h>

// Fitted on an H200's rows. Other parts use the same shares of their own rates, which is a guess.
// clang-format off
static const struct {
    double least_ns;           // from launch to launch, when they follow each other
    double overhead_ns;        // a launch's start, ramp and end
    double memory_share;       // of the peak rate, reached by loads alone
    double turn_share;         // additional time if as many bytes are written as read
    double load_row_bytes;     // opening a row for loads takes as long as moving this many bytes at the peak
    double store_row_bytes;    // the same for stores
    double partial_line_bytes; // a line that is written in part takes at least as long as moving this many bytes
    double joined_share;       // of the bytes of sectors that L2 merges from several stores, which are moved again
    double row_norm;           // overlap of transfers and row openings: 1 none, infinite full
    double cached_share;       // a footprint up to this share of the cache is served by the cache
    double dram_share;         // a footprint larger by this share of the cache is served by memory
    double l2_share;           // of the L2's rate
    double issue_share;        // instructions on a GPU for each instruction counted in the host's code
    double instruction_cycles; // for an instruction of a warp that runs alone
    double l1_cycles, l2_cycles, memory_cycles, shared_cycles, barrier_cycles; // latencies
    double miss_share;         // of loads after the first that wait for L2, for each sector that misses L1
    double block_cycles;       // to start and end a block
    double unit_norm;          // overlap of a unit's work and its waiting
    double total_norm;         // overlap of units, L2 and memory
} fitted = {
    .least_ns = 3183,
    .overhead_ns = 3148,
    .memory_share = 0.988,
    .turn_share = 0.101,
    .load_row_bytes = 102,
    .store_row_bytes = 176,
    .partial_line_bytes = 218,
    .joined_share = 0.32,
    .row_norm = 3.56,
    .cached_share = 0.24,
    .dram_share = 0.154,
    .l2_share = 1,
    .issue_share = 0.81,
    .instruction_cycles = 0.52,
    .l1_cycles = 40,
    .l2_cycles = 261,
    .memory_cycles = 800,
    .shared_cycles = 22,
    .barrier_cycles = 37,
    .miss_share = 0.137,
    .block_cycles = 109,
    .unit_norm = 1,
    .total_norm = 3.67,
};
// clang-format on

enum {
    BLOCKS_MOST = 32,         // that a unit holds at once, on NVIDIA since Maxwell
    BLOCK_SHARED_BYTES = 1024 // reserved by the system in each block's shared memory, since Ampere
};

const char *time_part_name(enum time_part part) {
    static const char *const names[] = {"launch", "memory", "L2", "atomics", "L1", "shared memory", "issue", "waiting"};
    return names[part];
}

// The time that two parts take together: their sum at norm 1, the longer one at an infinite norm.
static double overlap(double a, double b, double norm) {
    const double most = fmax(a, b);
    return most > 0 ? most * pow(pow(a / most, norm) + pow(b / most, norm), 1 / norm) : 0;
}

// ---- Memory and L2 ----

// The share of the traffic that goes to memory. If an earlier launch left little in the last-level cache, it is still
// there.
static double share_of_memory(const struct gpu *gpu, const struct memory_traffic *memory) {
    const double bytes = memory->load_bytes + memory->fill_bytes + memory->write_bytes;
    const double of_cache = bytes / (double)gpu->last_level_cache_bytes;
    return fmin(1, fmax(0, (of_cache - fitted.cached_share) / fitted.dram_share));
}

static double memory_ns(const struct gpu *gpu, const struct launch_work *work) {
    const struct memory_traffic *memory = &work->memory;
    const double read = memory->load_bytes + memory->fill_bytes, all = read + memory->write_bytes;
    const double turns = all > 0 ? 2 * fmin(read, memory->write_bytes) / all : 0;
    const double filled_runs = fmin(memory->write_runs, memory->fill_bytes / gpu->sector_bytes);
    const double transfer = all / fitted.memory_share * (1 + fitted.turn_share * turns);
    const double rows =
        fitted.load_row_bytes * (memory->load_runs + filled_runs) + fitted.store_row_bytes * memory->write_runs;
    const double bytes = overlap(transfer, rows, fitted.row_norm) + fitted.joined_share * work->joined_bytes;
    return fmax(bytes, memory->partial_lines * fitted.partial_line_bytes) / gpu->memory_gb_s *
           share_of_memory(gpu, memory);
}

static double l1_miss_bytes(const struct launch_work *work) {
    return fmin(work->load_sector_bytes, work->memory.unit_load_bytes);
}

// A slice of NVIDIA's L2 moves 64 bytes per clock for one request (A100 whitepaper), so a smaller request takes as
// long.
static double l2_request_bytes(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA ? 64 : gpu->sector_bytes;
}

static double l2_ns(const struct gpu *gpu, const struct launch_work *work) {
    const double rate = gpu_l2_bytes_per_clock(gpu) * fitted.l2_share * gpu->clock_mhz / 1000;
    const double missed = l1_miss_bytes(work);
    const double requests = fmin(work->load_requests, missed / gpu->sector_bytes) + work->store_requests;
    return fmax(missed + work->store_sector_bytes, requests * l2_request_bytes(gpu)) / rate;
}

// ---- A compute unit ----

// Warp-wide instructions that a compute unit starts per clock. NVIDIA has four schedulers. AMD has four SIMDs that take
// four clocks each for 64 lanes, or (RDNA) two that take one clock for 32.
static double issue_per_clock(const struct gpu *gpu) {
    if (gpu->vendor == VENDOR_NVIDIA) {
        return 4;
    }
    return gpu->warp_width == 64 ? 1 : 2;
}

static double instructions_of(const struct launch_work *work) {
    return work->instructions + work->told_instructions * fitted.issue_share;
}

// How many blocks a unit holds at once.
static double resident_blocks(const struct gpu *gpu, const struct launch_work *work) {
    const double by_threads = floor((double)gpu_unit_threads(gpu) / work->block_threads);
    const double by_shared =
        floor((double)gpu->shared_bytes_per_block / (work->block_shared_bytes + BLOCK_SHARED_BYTES));
    const double held =
        fmin((double)BLOCKS_MOST, fmin(by_threads, work->block_shared_bytes ? by_shared : (double)BLOCKS_MOST));
    return fmax(1, held);
}

// Clocks that a block takes alone, when its longest warp waits for what it loads.
static double block_cycles(const struct gpu *gpu, const struct launch_work *work) {
    const struct launch_path *path = &work->path;
    const double missing = work->load_sector_bytes > 0 ? l1_miss_bytes(work) / work->load_sector_bytes : 0;
    const double first =
        fitted.l2_cycles + share_of_memory(gpu, &work->memory) * (fitted.memory_cycles - fitted.l2_cycles);
    const double later = fitted.l1_cycles + missing * fitted.miss_share * (fitted.l2_cycles - fitted.l1_cycles);
    const double waits = path->global_waits / work->blocks;
    const double warps = ceil((double)work->block_threads / gpu->warp_width);
    const double instructions = fmin(path->instructions, instructions_of(work) / warps) / work->blocks;
    return fitted.block_cycles + instructions * fitted.instruction_cycles + fmin(waits, 1) * first +
           fmax(waits - 1, 0) * later + path->shared_waits / work->blocks * fitted.shared_cycles +
           path->barriers / work->blocks * fitted.barrier_cycles;
}

static double unit_ns(const struct gpu *gpu, const struct launch_work *work, struct launch_time *time) {
    const double units = fmin(work->blocks, gpu->compute_units), of_unit = ceil(work->blocks / units);
    const double ns = of_unit / work->blocks * 1000 / gpu->clock_mhz;
    double *part = time->part_ns;
    part[TIME_ISSUE] = instructions_of(work) / issue_per_clock(gpu) * ns;
    part[TIME_L1] = (work->load_lines + work->store_lines) * ns;
    part[TIME_SHARED_MEMORY] = work->passes * ns;
    part[TIME_WAITING] =
        block_cycles(gpu, work) * fmax(1, of_unit / resident_blocks(gpu, work)) * 1000 / gpu->clock_mhz;
    const double busy = fmax(part[TIME_ISSUE], part[TIME_L1] + part[TIME_SHARED_MEMORY]);
    return overlap(busy, part[TIME_WAITING], fitted.unit_norm);
}

// ---- The launch ----

// What an addition to one address of global memory takes when it waits for the one before: measured on an H200, for
// 16777216 additions of int32 (gmem --variant atomic-add --window 4: 12.28 ms at 1980 MHz). For other parts a guess.
static const double atomic_clocks = 1.45;

struct launch_time launch_time(const struct gpu *gpu, const struct launch_work *work) {
    struct launch_time time = {.most = TIME_LAUNCH};
    double *part = time.part_ns;
    const double chain = work->path.chain_cycles / work->blocks * 1000 / gpu->clock_mhz;
    const double units = fmax(unit_ns(gpu, work, &time), chain);
    part[TIME_WAITING] = fmax(part[TIME_WAITING], chain);
    part[TIME_LAUNCH] = fitted.overhead_ns;
    part[TIME_MEMORY] = memory_ns(gpu, work);
    part[TIME_L2] = l2_ns(gpu, work);
    part[TIME_ATOMICS] = work->atomics_in_turn * atomic_clocks * 1000 / gpu->clock_mhz;
    const double memory = overlap(part[TIME_MEMORY], part[TIME_L2], fitted.total_norm);
    const double all = overlap(memory, overlap(units, part[TIME_ATOMICS], fitted.total_norm), fitted.total_norm);
    time.ns = fmax(fitted.least_ns, fitted.overhead_ns + all);
    for (enum time_part i = 0; i < TIME_PARTS; i++) {
        time.most = part[i] > part[time.most] ? i : time.most;
    }
    return time;
}
