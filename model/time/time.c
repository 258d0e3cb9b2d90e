#include "model/time/time.h"

#include "model/gpus.h"
#include "model/time/drift.h"
#include "model/time/latency.h"
#include "model/time/returns.h"
#include "model/time/time_constants.h"

// docs/simulator.md, Time, derives this and says what each parameter was fitted on.

enum {
    L1_L2_BYTES = 64 // that L1 takes from L2 per clock
};

const char *time_part_name(enum time_part part) {
    static const char *const names[] = {"launch", "memory", "L2", "atomics", "L1", "shared memory", "issue", "waiting"};
    return names[part];
}

// ---- Memory and L2 ----

// The share of the traffic that goes to memory. What an earlier launch left is still in the last-level cache if little
// has passed since.
double memory_share(const struct gpu *gpu, const struct memory_traffic *memory) {
    const double of_cache = memory->passed_bytes / (double)gpu->last_level_cache_bytes;
    return fmin(1, fmax(0, (of_cache - time_constants.cached_share) / time_constants.dram_share));
}

// Rows that open again, once for each further request to a line that stores leave in part. Where requests share
// sectors, L2 joins them, which is counted apart.
static double reopened_rows(const struct gpu *gpu, const struct launch_work *work, double filled, double written) {
    const bool joins = work->joined_bytes > 0 || filled <= 0 || gpu->vendor == VENDOR_AMD;
    return joins ? 0 : fmax(0, work->store_lines * filled / written - work->memory.partial_lines);
}

// AMD's L2 fetches a line before it writes a part of it, and the channel turns in between.
static double refill_turns_ns(const struct gpu *gpu, double filled) {
    return gpu->vendor == VENDOR_AMD ? time_constants.refill_turn_ns * filled / gpu_fill_bytes(gpu) : 0;
}

static double memory_ns(const struct gpu *gpu, const struct launch_work *work) {
    const struct memory_traffic *memory = &work->memory;
    const double loaded = memory->load_bytes + memory->again_load_bytes;
    const double filled = memory->fill_bytes + memory->again_fill_bytes;
    const double written = memory->write_bytes + memory->again_write_bytes;
    const double channels = gpu_memory_channels(gpu), norm = time_constants.row_norm;
    const double read_rate = gpu_read_gb_s(gpu), write_rate = gpu_write_gb_s(gpu);
    const double turns = time_constants.turn_ns * fmin(loaded + filled, written) / (double)MEMORY_RUN_BYTES +
                         refill_turns_ns(gpu, filled);
    const double filled_runs = fmin(memory->write_runs, filled / gpu_fill_bytes(gpu));
    const double reopened = reopened_rows(gpu, work, filled, written);
    const double rows = time_constants.row_ns * (memory->write_runs + reopened) +
                        time_constants.refill_row_ns * (filled_runs + reopened);
    const double loads = overlap(loaded / read_rate, time_constants.row_ns * memory->load_runs / channels, norm);
    const double moved = filled / read_rate + written / write_rate;
    const double stores = overlap(moved + turns / channels, rows / channels, norm);
    const double joined = time_constants.joined_share * work->joined_bytes / write_rate;
    const double share = memory_share(gpu, memory);
    const double cache = gpu->cache_gb_s > 0 ? (loaded + filled + written) / gpu->cache_gb_s : 0;
    return share * (loads + stores + joined) + (1 - share) * cache;
}

static double l1_miss_bytes(const struct launch_work *work) {
    return fmin(work->load_sector_bytes, work->memory.unit_load_bytes);
}

// What stores keep L2 busy with, in bytes. Its check bits are of whole sectors, so it reads and writes the rest of a
// sector that stores write in part: of a part that was written before, and of what a block leaves.
static double store_bytes(const struct gpu *gpu, const struct launch_work *work) {
    const double unfinished = gpu->without_ecc ? 0 : work->memory.unfinished_lines;
    return (work->store_lines + unfinished) * gpu->line_bytes + 2 * work->rewritten_bytes;
}

// Stores reach the vendor's rate on NVIDIA; on AMD they are taken to reach what loads do.
static double l2_ns(const struct gpu *gpu, const struct launch_work *work) {
    const double share = gpu_l2_load_share(gpu), reached = gpu->vendor == VENDOR_AMD ? share : 1;
    const double rate = reached * gpu_l2_bytes_per_clock(gpu) * gpu->clock_mhz / 1000;
    const double missed = l1_miss_bytes(work) * reached / share;
    const double requests = fmin(work->load_lines * reached / share, missed / gpu->sector_bytes) + work->store_requests;
    const double whole = fmax(missed + work->store_sector_bytes, requests * gpu_slice_bytes(gpu));
    return fmax(whole, missed + store_bytes(gpu, work)) / rate;
}

// The way from the units to L2, where its rate is known.
static double store_ns(const struct gpu *gpu, const struct launch_work *work) {
    const struct gpu_latency *part = gpu_latency(gpu);
    const double rate = part ? part->l2_write_bytes_per_clock * gpu->clock_mhz / 1000 : 0;
    return rate > 0 ? work->store_cycles * gpu->sector_bytes / rate : 0;
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

// Blocks whose registers a unit has.
static double blocks_by_registers(const struct gpu *gpu, const struct launch_work *work) {
    const double warps = ceil((double)work->block_threads / gpu->warp_width);
    if (work->thread_registers == 0) {
        return INFINITY;
    }
    return gpu->vendor == VENDOR_NVIDIA
               ? gpu_unit_registers(gpu) / (ceil(work->thread_registers / 8) * 8 * gpu->warp_width * warps)
               : gpu_unit_warps(gpu, work->thread_registers) / warps;
}

// How many blocks a unit holds at once.
static double resident_blocks(const struct gpu *gpu, const struct launch_work *work) {
    const double shared = work->block_shared_bytes + gpu_reserved_shared_bytes(gpu);
    const double limits[] = {
        gpu_unit_blocks(gpu),
        (double)gpu_unit_threads(gpu) / work->block_threads,
        work->block_shared_bytes ? gpu_unit_shared_bytes(gpu) / shared : INFINITY,
        blocks_by_registers(gpu, work),
    };
    double held = limits[0];
    for (size_t i = 1; i < sizeof limits / sizeof *limits; i++) {
        held = fmin(held, limits[i]);
    }
    return fmax(1, floor(held));
}

// Stores to one sector come far apart if the units' stores wait for the way to L2. Where the blocks that run at once
// store more than L2 keeps, it gives up some sectors before they are complete.
static double given_up_share(const struct gpu *gpu, const struct launch_work *work, double memory_ns) {
    const double way = store_ns(gpu, work);
    const double blocks = fmin(work->blocks, gpu->compute_units * resident_blocks(gpu, work));
    const double open = (work->memory.write_bytes + work->memory.again_write_bytes) * blocks / work->blocks;
    const bool kept = open <= time_constants.open_share * (double)gpu->last_level_cache_bytes;
    return kept || way <= memory_ns ? 0 : 1 - memory_ns / way;
}

// A sector that is given up is read, written, and written again when it is complete, each time in a row that nothing
// else needs. The sectors of a line that one request stores to share the row.
static double given_up_ns(const struct gpu *gpu, const struct launch_work *work, double memory_ns) {
    const double row = (2 * time_constants.row_ns + time_constants.refill_row_ns) / gpu_memory_channels(gpu);
    const double requests = work->store_sector_bytes / fmax(1, work->memory.write_bytes); // to each sector
    const double sectors = fmin(work->store_lines / fmax(1, requests), work->joined_sectors);
    return sectors * given_up_share(gpu, work, memory_ns) * (row + 2 * gpu->sector_bytes / gpu->memory_gb_s);
}

uint32_t l1_load_cycles(uint32_t clocks, uint32_t missed_bytes) {
    const uint32_t missed = (missed_bytes + L1_L2_BYTES - 1) / L1_L2_BYTES;
    return clocks > missed ? clocks : missed;
}

// The mean latency of loads that miss L1. Memory answers those that no other block makes, unless an earlier launch left
// the data in a cache.
static double far_cycles(const struct gpu *gpu, const struct launch_work *work) {
    const double missed = l1_miss_bytes(work);
    const double alone = missed > 0 ? fmin(1, work->memory.load_bytes / missed) : 1;
    const struct gpu_waits waits = gpu_waits(gpu);
    return waits.l2 + alone * memory_share(gpu, &work->memory) * (waits.memory - waits.l2);
}

// Whether loads and arithmetic alternate, as in kernels with tiles in shared memory whose instructions the program
// states.
static bool alternates(const struct launch_work *work) {
    return work->stated_instructions > 0 && work->passes > 0;
}

// A GPU's instructions for each that the host's compiler made.
static double instruction_share(const struct launch_work *work) {
    double counted = 0;
    for (size_t i = 0; i < work->interval_count && work->stated_instructions > 0; i++) {
        counted += work->intervals[i].blocks * work->intervals[i].work.instructions;
    }
    return counted > 0 ? work->stated_instructions / counted : time_constants.issue_share;
}

// Clocks of a compute unit, summed over blocks.
struct unit_cycles {
    double issue, l1, shared;
    double busy;  // the longest of these, by interval
    double alone; // with waiting, if the unit holds one block at a time
};

// A warp's waits in an interval, and the clocks that these take.
struct waits {
    double count, cycles;
};

// What a chain of loads needs to make an address of a value of another width is included.
static double shared_cycles(const struct gpu_waits *gpu, const struct block_interval *work) {
    return work->shared_waits * (gpu->shared - time_constants.pass_cycles) +
           work->other_waits * time_constants.other_width_cycles + work->shared_passes * time_constants.pass_cycles;
}

static struct waits waits_of(const struct gpu *gpu, const struct block_interval *work, double far_cycles) {
    const struct gpu_waits of = gpu_waits(gpu);
    return (struct waits){.count = work->near_waits + work->far_waits + work->atomic_waits + work->fence_waits +
                                   work->exchanges + work->shared_waits,
                          .cycles = work->near_waits * of.l1 + work->far_waits * far_cycles +
                                    work->atomic_waits * of.atomic + work->fence_waits * of.fence +
                                    work->exchanges * time_constants.exchange_cycles + shared_cycles(&of, work)};
}

// How long L1 and shared memory are busy. They take turns if they are one.
static double load_cycles(const struct gpu *gpu, double l1, double shared) {
    return gpu_shares_l1(gpu) ? l1 + shared : fmax(l1, shared);
}

// How much longer than its busiest resource an interval's resources take, because warps that leave a barrier together
// first all compute and then all load. After a few loads they are no longer in step.
static double in_step(const struct launch_work *launch, const struct block_interval *work, double issue, double loads) {
    const double rounds =
        work->near_waits + work->far_waits + work->atomic_waits + work->shared_waits + work->iterations;
    return alternates(launch) || rounds <= 0 ? 0 : fmin(issue, loads) / rounds;
}

// Instructions run while an access is under way.
double chain_cycles(double instructions, double accesses) {
    return fmax(accesses, instructions * time_constants.issue_share * time_constants.dependent_cycles);
}

// The warp that takes longest by itself.
static double path_cycles(const struct launch_work *launch, const struct block_interval *work, double share,
                          const struct waits *waits) {
    const double instruction = alternates(launch) ? share : time_constants.issue_share * time_constants.chained_cycles;
    return waits->cycles + work->path_instructions * instruction;
}

// A block alone takes as long as its resources are busy and the last warp waits once, or as its longest warp.
static void add_interval(const struct gpu *gpu, const struct launch_work *launch, double far_cycles, double share,
                         const struct launch_interval *interval, struct unit_cycles *cycles) {
    const struct block_interval *work = &interval->work;
    const double issue = work->instructions * share / issue_per_clock(gpu);
    const double loads = load_cycles(gpu, work->l1_cycles, work->passes), busy = fmax(issue, loads);
    const struct waits waits = waits_of(gpu, work, far_cycles);
    const double path = path_cycles(launch, work, share, &waits);
    const double together = busy + in_step(launch, work, issue, loads) + waits.cycles / fmax(waits.count, 1);
    const double end = work->ends_block ? time_constants.block_cycles : time_constants.exchange_cycles;
    cycles->issue += issue * interval->blocks;
    cycles->l1 += work->l1_cycles * interval->blocks;
    cycles->shared += work->passes * interval->blocks;
    cycles->busy += busy * interval->blocks;
    cycles->alone += (fmax(together, path) + end) * interval->blocks;
}

static struct unit_cycles unit_cycles(const struct gpu *gpu, const struct launch_work *work) {
    const double far = far_cycles(gpu, work);
    const double share = instruction_share(work);
    struct unit_cycles cycles = {0};
    for (size_t i = 0; i < work->interval_count; i++) {
        add_interval(gpu, work, far, share, &work->intervals[i], &cycles);
    }
    return cycles;
}

// The clocks per block of a unit that holds several blocks, each of which alternates between work and waiting: mean
// value analysis of a closed queueing network (Reiser and Lavenberg, 1980).
static double shared_unit_cycles(double busy, double waiting, double blocks) {
    double queue = 0, rate = 0;
    for (double held = 1; held <= blocks; held++) {
        const double response = busy * (1 + queue);
        rate = held / (waiting + response);
        queue = rate * response;
    }
    return 1 / rate;
}

// How long a block takes for its tail.
static double tail_ns(const struct gpu *gpu, const struct launch_work *work, const struct block_tail *tail) {
    const struct waits waits = waits_of(gpu, &tail->work, gpu_waits(gpu).l2);
    const double cycles = path_cycles(work, &tail->work, instruction_share(work), &waits) +
                          tail->barriers * time_constants.exchange_cycles;
    return cycles * 1000 / gpu->clock_mhz;
}

// How long a unit's resources are busy. Where loads and arithmetic alternate, one block loads while another computes.
static double busy_cycles(const struct gpu *gpu, const struct launch_work *work, const struct unit_cycles *cycles) {
    return alternates(work) ? fmax(cycles->issue, load_cycles(gpu, cycles->l1, cycles->shared)) : cycles->busy;
}

// move_ns: the time in which memory and L2 move the launch's bytes. Where loads and arithmetic alternate, a block does
// nothing else meanwhile, and the units' blocks move theirs at the same time.
// The launch's start includes that of its first blocks, and its end that of its last ones.
static double unit_ns(const struct gpu *gpu, const struct launch_work *work, double move_ns, struct launch_time *time) {
    const struct unit_cycles cycles = unit_cycles(gpu, work);
    const double units = fmin(work->blocks, gpu->compute_units), of_unit = ceil(work->blocks / units);
    const double ns = of_unit / work->blocks * 1000 / gpu->clock_mhz;
    const double moving = alternates(work) ? move_ns * gpu->clock_mhz / 1000 * units : 0;
    const double busy = busy_cycles(gpu, work, &cycles);
    const double held = fmin(of_unit, resident_blocks(gpu, work)), waiting = cycles.alone + moving - busy;
    double *part = time->part_ns;
    part[TIME_ISSUE] = cycles.issue * ns;
    part[TIME_L1] = cycles.l1 * ns;
    part[TIME_SHARED_MEMORY] = cycles.shared * ns;
    part[TIME_WAITING] = waiting / held * ns;
    const double once = time_constants.block_cycles * 1000 / gpu->clock_mhz;
    return fmax(0, shared_unit_cycles(busy, waiting, held) * ns - once);
}

// What a block does after an atomic has returned to it, in the mean.
static double mean_last_ns(const struct gpu *gpu, const struct launch_work *work) {
    const double share = instruction_share(work);
    double cycles = 0;
    for (size_t i = 0; i < work->interval_count; i++) {
        const struct block_interval *interval = &work->intervals[i].work;
        const struct waits waits = waits_of(gpu, interval, gpu_waits(gpu).l2);
        const double barrier = interval->ends_block ? 0 : time_constants.exchange_cycles;
        cycles += interval->after_atomic
                      ? work->intervals[i].blocks * (path_cycles(work, interval, share, &waits) + barrier)
                      : 0;
    }
    return cycles / work->blocks * 1000 / gpu->clock_mhz;
}

// How long a launch goes on for its last block, which learns from an atomic that it is the last one, and then does what
// no other block does.
static double last_block_ns(const struct gpu *gpu, const struct launch_work *work) {
    const double of_unit = ceil(work->blocks / gpu->compute_units);
    return fmax(0, tail_ns(gpu, work, &work->last) - of_unit * mean_last_ns(gpu, work));
}

// An H200 takes for 16777216 additions of int32 and float32 12.27 and 29.45 ms on one address, and 1.234 and 0.617 ms
// for int32 on 256 and 512 bytes.
static double atomic_address_clocks(const struct atomic_work *work) {
    return work->turns * time_constants.turn_clocks * (work->float_bytes > 0 ? time_constants.float_turns : 1);
}

static double atomic_slice_clocks(const struct atomic_work *work) {
    const double times = work->float_bytes == sizeof(double) ? time_constants.wide_float_share : 1;
    return work->slice_bytes * time_constants.byte_clocks * times;
}

// ---- The launch ----

// Atomics on one address keep a single slice of the L2 busy, and memory goes on beside them. Others wait in their slice
// for what memory brings, those of float64 no longer than others.
static double memory_beside_atomics(const struct gpu *gpu, const struct launch_work *work, double memory_ns,
                                    double atomics_ns) {
    const struct atomic_work moving = {.slice_bytes = work->memory.write_bytes / gpu_l2_slices(gpu)};
    const double moved = atomic_slice_clocks(&moving) * 1000 / gpu->clock_mhz;
    const bool one_slice = atomic_address_clocks(&work->atomics) > atomic_slice_clocks(&work->atomics);
    return one_slice ? overlap(memory_ns, atomics_ns, time_constants.total_norm)
                     : fmax(memory_ns + fmin(atomics_ns, moved), atomics_ns);
}

// Units, L2 and memory together. If nothing waits for memory, because the launch stores whole sectors and loads
// nothing, the slowest of them alone decides.
static double beside_each_other(const struct launch_work *work, double a, double b) {
    const bool waits = work->load_sector_bytes + work->memory.fill_bytes + work->memory.again_fill_bytes > 0;
    return waits ? overlap(a, b, time_constants.total_norm) : fmax(a, b);
}

double launch_overhead_ns(const struct gpu *gpu, double blocks) {
    return time_constants.overhead_ns + time_constants.ramp_ns * fmin(1, blocks / gpu->compute_units);
}

struct launch_time launch_time(const struct gpu *gpu, const struct launch_work *work) {
    struct launch_time time = {.most = TIME_LAUNCH};
    double *part = time.part_ns;
    part[TIME_LAUNCH] = launch_overhead_ns(gpu, work->blocks);
    part[TIME_MEMORY] = memory_ns(gpu, work);
    part[TIME_MEMORY] += given_up_ns(gpu, work, part[TIME_MEMORY]);
    part[TIME_L2] = l2_ns(gpu, work);
    part[TIME_ATOMICS] =
        fmax(atomic_address_clocks(&work->atomics), atomic_slice_clocks(&work->atomics)) * 1000 / gpu->clock_mhz;
    const double last_atomics = work->tail.work.atomic_waits > 0 ? part[TIME_ATOMICS] : 0;
    const double beside = memory_beside_atomics(gpu, work, part[TIME_MEMORY], part[TIME_ATOMICS] - last_atomics);
    const double memory = fmax(beside_each_other(work, beside, part[TIME_L2]), store_ns(gpu, work));
    const double chain = work->chain_cycles / work->blocks * 1000 / gpu->clock_mhz;
    const double unit = unit_ns(gpu, work, memory, &time), units = chain > 0 ? chain : unit;
    part[TIME_WAITING] = fmax(part[TIME_WAITING], chain);
    const double tail = fmin(units, tail_ns(gpu, work, &work->tail)), last = last_block_ns(gpu, work);
    const double all = beside_each_other(work, memory, units - tail) + tail + last_atomics + last;
    time.ns = part[TIME_LAUNCH] + all;
    for (enum time_part i = 0; i < TIME_PARTS; i++) {
        time.most = part[i] > part[time.most] ? i : time.most;
    }
    return time;
}

// ---- Lines ----

// The clocks that a warp waits if it runs alone.
static double wait_cycles(const struct gpu *gpu, const struct line_work *work) {
    const struct gpu_waits waits = gpu_waits(gpu);
    return work->instructions * time_constants.issue_share * time_constants.chained_cycles +
           work->barriers * time_constants.exchange_cycles + work->global_loads * waits.l2 +
           work->shared_loads * (waits.shared - time_constants.pass_cycles) + work->passes * time_constants.pass_cycles;
}

// A line's share of what all lines do in one part.
static double part_share(const struct gpu *gpu, enum time_part part, const struct line_work *line,
                         const struct line_work *launch) {
    const struct {
        double line, launch;
    } work[TIME_PARTS] = {
        [TIME_MEMORY] = {line->memory_sectors, launch->memory_sectors},
        [TIME_L2] = {line->sectors, launch->sectors},
        [TIME_ATOMICS] = {line->atomics, launch->atomics},
        [TIME_L1] = {line->l1_cycles, launch->l1_cycles},
        [TIME_SHARED_MEMORY] = {line->passes, launch->passes},
        [TIME_ISSUE] = {line->instructions, launch->instructions},
        [TIME_WAITING] = {wait_cycles(gpu, line), wait_cycles(gpu, launch)},
    };
    return work[part].launch > 0 ? fmin(1, work[part].line / work[part].launch) : 0;
}

// The parts together, without the launch itself.
static double parts_ns(const double part_ns[TIME_PARTS]) {
    double all = 0;
    for (enum time_part part = TIME_LAUNCH + 1; part < TIME_PARTS; part++) {
        all = overlap(all, part_ns[part], time_constants.total_norm);
    }
    return all;
}

double time_share(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *line,
                  const struct line_work *launch) {
    const double all = parts_ns(part_ns);
    double share = 0;
    for (enum time_part part = TIME_LAUNCH + 1; part < TIME_PARTS && all > 0; part++) {
        share += pow(part_ns[part] / all, time_constants.total_norm) * part_share(gpu, part, line, launch);
    }
    return all > 0 ? share * all / (all + part_ns[TIME_LAUNCH]) : 0;
}

double time_gain_ns(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *less,
                    const struct line_work *launch) {
    double left[TIME_PARTS] = {0};
    for (enum time_part part = TIME_LAUNCH + 1; part < TIME_PARTS; part++) {
        left[part] = part_ns[part] * (1 - part_share(gpu, part, less, launch));
    }
    return parts_ns(part_ns) - parts_ns(left);
}

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
static double flight_wait_cycles(const struct gpu *gpu, const struct flight *flight, double latency) {
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
    const double own = overlap(flight_wait_cycles(gpu, flight, latency), stages_cycles(gpu, flight), norm);
    return overlap(own, in_flight(flight) / rate, norm);
}

// Of memory's, what launches reach that do nothing else.
static double share_of_rate(const struct gpu_latency *part) {
    return part->memory_share > 0 ? part->memory_share : 1;
}

// lost: the share of the footprint that the L2 does not hold. Without the launch's start and end. The part's latencies
// and rates must be known.
static double flight_ns(const struct gpu *gpu, const struct flight *flight, double lost) {
    const struct gpu_latency *part = gpu_latency(gpu);
    const double ghz = gpu->clock_mhz / 1000.0;
    const double l2 = flight_cycles(gpu, flight, part->l2, part->l2_read_bytes_per_clock);
    const double memory =
        flight_cycles(gpu, flight, gpu_waits(gpu).memory, share_of_rate(part) * gpu_read_gb_s(gpu) / ghz);
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

// What a unit reaches of the L2: where it reaches only the part near to it, each part holds all of a footprint that the
// units share, and of other footprints those of its own units.
static double l2_reach(const struct passage *passage) {
    const struct gpu *gpu = passage->gpu;
    return (double)gpu->l2_bytes / (gpu->l2_private && passage->shared ? gpu->l2_parts : 1);
}

// What the L2 does not hold and a cache behind it answers, or passes on.
static double lost_to_l3(const struct passage *passage) {
    const bool behind = passage->gpu->last_level_cache_bytes > passage->gpu->l2_bytes;
    return behind ? returns_missed(passage->footprint / l2_reach(passage), false, irregularity(passage)) : 0;
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

static double passage_l2_ns(const struct passage *passage, double read) {
    const struct gpu_latency *part = passage->part;
    const double write_rate =
        part->l2_write_bytes_per_clock > 0 ? part->l2_write_bytes_per_clock : part->l2_read_bytes_per_clock;
    const double reads = read * (1 - merged_share(passage)) / part->l2_read_bytes_per_clock;
    return overlap(reads, passage->stored / write_rate, time_constants.cycled_l2_norm) * 1000 / passage->gpu->clock_mhz;
}

// bytes: what the L2 does not hold.
static double passage_l3_ns(const struct passage *passage, double bytes) {
    const double rate = passage->part->l3_read_gb_s > 0 ? passage->part->l3_read_gb_s : gpu_cache_gb_s(passage->gpu);
    return bytes / rate;
}

static double read_rate(const struct passage *passage) {
    return share_of_rate(passage->part) * gpu_read_gb_s(passage->gpu);
}

static double passage_memory_ns(const struct passage *passage, double read, double written) {
    const struct gpu *gpu = passage->gpu;
    const double turn_ns = passage->shared ? time_constants.cycled_turn_ns : time_constants.cycled_own_turn_ns;
    const double write_rate = share_of_rate(passage->part) * gpu_write_gb_s(gpu);
    return read / read_rate(passage) + written / write_rate +
           turn_ns * fmin(read, written) / (double)MEMORY_RUN_BYTES / gpu_memory_channels(gpu);
}

// read: bytes that miss L1. Stores do not wait for memory.
static double beyond_l1_ns(const struct passage *passage, double read) {
    const double lost = lost_to_memory(passage);
    const double l2 = passage_l2_ns(passage, read), l3 = passage_l3_ns(passage, lost_to_l3(passage) * read),
                 memory = passage_memory_ns(passage, lost * read, lost * passage->stored);
    return read > 0 ? overlap(fmax(l2, l3), memory, time_constants.cycled_level_norm) : fmax(l2, memory);
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
