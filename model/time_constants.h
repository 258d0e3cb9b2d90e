// Every constant of the model of time, with its unit, what it says, and where it comes from. docs/simulator.md has this
// list as a table (build/tests/time_constants prints it). All were found on an H200; other parts have the same ones.
#ifndef MODEL_TIME_CONSTANTS_H
#define MODEL_TIME_CONSTANTS_H

#include <stddef.h>

enum {
    TIME_UNROLLED_ROUNDS = 4,
    TIME_COPIES = 16,
    TIME_PATH_WAIT = 200,
    TIME_PATH_INSTRUCTIONS = 2
};

// The rows that constants were fitted on. All other rows were held out.
#define ROWS_OF_MEMORY "fitted: rows M"
#define ROWS_OF_ALL "fitted: rows A"
#define ROW_OF_LEVELS(row) "fitted: `levels`, " row
#define NVRTC_SAYS "counted in code of NVRTC 13.0 for sm_90"
#define PROGRAMMING_GUIDE "CUDA Programming Guide, technical specifications"
#define ATOMIC_ADD(floats) "measured: `gmem --variant atomic-add" floats "`"
#define LOAD_LATENCY "measured: `smem --variant load-latency`"
#define ONE_ACCESS "measured: a block of 32 to 1024 threads that repeats one access 256 times"

// TIME_CONSTANT(name, value, unit, meaning, source)
// clang-format off
#define TIME_CONSTANTS(TIME_CONSTANT) \
    TIME_CONSTANT(overhead_ns, 1600, "ns", "a launch's start and end, with a block on one unit", "fitted: `reduce --variant read-limit` with 1024 and 4096 numbers, in two earlier processes") \
    TIME_CONSTANT(ramp_ns, 802, "ns", "in addition, where all units have blocks", "the rest of 2402 ns, which is fitted: rows A") \
    TIME_CONSTANT(events_ns, 1312, "ns", "two events around a step of `apsp`", "measured: two events that follow each other") \
    TIME_CONSTANT(graph_ns, 790, "ns", "what a launch takes less in a graph", "fitted: `int16` with up to 2048 vertices in `apsp-launch.csv`") \
    TIME_CONSTANT(fill_ns, 1400, "ns", "setting a few bytes", "measured: `reduce`, what `vector` took longer than `read-limit` on two hosts, 0.9 and 1.9 us; 1.5 us in rows whose launches are queued") \
    TIME_CONSTANT(turn_ns, 1.37, "ns", "a memory channel turns from reads to writes and back, for each 256 bytes of either that it moves", ROWS_OF_MEMORY) \
    TIME_CONSTANT(row_ns, 4.48, "ns", "opening a row keeps a memory channel busy", ROWS_OF_MEMORY) \
    TIME_CONSTANT(refill_row_ns, 6.4, "ns", "in addition, if stores need the rest of a sector first", ROWS_OF_MEMORY) \
    TIME_CONSTANT(partial_line_ns, 6.96, "ns", "a line that is written in part keeps its channel busy, at least", ROWS_OF_MEMORY) \
    TIME_CONSTANT(row_norm, 2.9, "", "overlap of transfers and rows", ROWS_OF_MEMORY) \
    TIME_CONSTANT(joined_share, 0.32, "", "of the bytes of sectors that L2 joins from several stores, which move again", "fitted: one width of `gmem --variant offset`, an earlier run") \
    TIME_CONSTANT(cached_share, 0.24, "", "if up to this share of the last-level cache has passed since, loads find their data there", "fitted: rows A of an earlier run") \
    TIME_CONSTANT(dram_share, 0.154, "", "if more by this share, they come from memory", "fitted: as `cached_share`") \
    TIME_CONSTANT(stored_share, 0.43, "", "what stores take of that cache, for each byte that loads take", "counted by ncu: DRAM bytes of `apsp`'s phase 3 with 3072 vertices; `pad` and `unpad` held out") \
    TIME_CONSTANT(kept_share, 0.35, "", "of the last-level cache, what a random window keeps", "counted by ncu: `gmem --variant gather`, windows of 64 MiB") \
    TIME_CONSTANT(open_share, 0.125, "", "of the last-level cache: up to this share, L2 waits for all stores to a sector", "chosen: sectors that it gives up, counted by ncu in `gmem-counters.csv`") \
    TIME_CONSTANT(slice_bytes, 64, "bytes", "that a slice of NVIDIA's L2 moves per clock, for one request", "A100 whitepaper") \
    TIME_CONSTANT(store_line_bytes, 131, "bytes", "a line that a request stores to keeps L2 busy as long as these", ROWS_OF_ALL) \
    TIME_CONSTANT(l1_sectors, 2, "", "sectors that L1 takes per clock, from L2 and from stores", "chosen: 64 bytes per clock") \
    TIME_CONSTANT(l2_load_share, 0.96, "", "of the L2's rate, what loads reach", "measured: `levels --variant bandwidth` at 16 MiB") \
    TIME_CONSTANT(issue_share, 0.65, "", "instructions of a GPU for each of the host's compiler", "chosen: so that stores to shared memory, a pass per clock, are not bound by it") \
    TIME_CONSTANT(stated_share, 1.015, "", "the same for each that the program states", NVRTC_SAYS ": 1133 for 1024 updates of `register-tiled`") \
    TIME_CONSTANT(wide_instructions, 2, "", "instructions of a 64-bit operation, before `issue_share`", "two registers of 32 bits") \
    TIME_CONSTANT(wide_product_instructions, 4, "", "of a 64-bit product", "products of halves") \
    TIME_CONSTANT(quotient_instructions, 58, "", "of a 32-bit quotient", NVRTC_SAYS ": 17, of which 3 take eight times as long as others: 38, over `issue_share`") \
    TIME_CONSTANT(wide_quotient_instructions, 71, "", "of a 64-bit quotient", NVRTC_SAYS ": 25 for numbers below 2^32, of which 3 take eight times as long as others: 46, over `issue_share`") \
    TIME_CONSTANT(chained_cycles, 8, "clocks", "an instruction of the host's compiler when a warp runs alone", ROWS_OF_ALL) \
    TIME_CONSTANT(dependent_cycles, 4, "clocks", "an instruction of a GPU that needs the one before, in a chain of accesses", "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018: from Volta on") \
    TIME_CONSTANT(stated_cycles, 1.65, "clocks", "one that the program states", "fitted: phases of `apsp` in rows A") \
    TIME_CONSTANT(unrolled_rounds, TIME_UNROLLED_ROUNDS, "", "rounds of a loop whose loads wait together", "fitted: phase 3 of `coalesced`") \
    TIME_CONSTANT(copies, TIME_COPIES, "", "loads that are only stored elsewhere and wait together", "chosen: as many as registers allow; `apsp`'s tiles") \
    TIME_CONSTANT(path_wait, TIME_PATH_WAIT, "clocks", "a wait for global memory, only to find a block's longest warp", "chosen: between L1 and memory") \
    TIME_CONSTANT(path_instructions, TIME_PATH_INSTRUCTIONS, "", "instructions per clock, for the same", "chosen") \
    TIME_CONSTANT(exchange_cycles, 25, "clocks", "a shuffle or a vote", ONE_ACCESS) \
    TIME_CONSTANT(barrier_cycles, 26, "clocks", "a barrier of a block", ONE_ACCESS) \
    TIME_CONSTANT(l1_cycles, 33, "clocks", "a load that hits L1", ONE_ACCESS) \
    TIME_CONSTANT(l2_cycles, 268, "clocks", "a load that hits L2", ONE_ACCESS) \
    TIME_CONSTANT(memory_cycles, 682, "clocks", "a load from memory", "measured: `levels --variant latency`") \
    TIME_CONSTANT(atomic_cycles, 487, "clocks", "until an atomic returns", "measured: `levels --variant partitions`, the mean") \
    TIME_CONSTANT(fence_cycles, 502, "clocks", "a fence after a store", "measured: `levels --variant latency-store`") \
    TIME_CONSTANT(shared_1_cycles, 27, "clocks", "a load of 1 byte from shared memory, without passes", LOAD_LATENCY) \
    TIME_CONSTANT(shared_2_cycles, 27, "clocks", "of 2 bytes", LOAD_LATENCY) \
    TIME_CONSTANT(shared_4_cycles, 21, "clocks", "of 4 bytes", LOAD_LATENCY) \
    TIME_CONSTANT(shared_8_cycles, 28, "clocks", "of 8 bytes", LOAD_LATENCY) \
    TIME_CONSTANT(shared_16_cycles, 25, "clocks", "of 16 bytes", LOAD_LATENCY) \
    TIME_CONSTANT(pass_cycles, 2, "clocks", "each pass, when a warp waits for it", LOAD_LATENCY) \
    TIME_CONSTANT(block_cycles, 815, "clocks", "a block's start and end", ROWS_OF_ALL) \
    TIME_CONSTANT(unit_blocks, 32, "", "blocks that a unit holds at once, at most", PROGRAMMING_GUIDE) \
    TIME_CONSTANT(unit_registers, 65536, "", "registers of an NVIDIA unit", PROGRAMMING_GUIDE) \
    TIME_CONSTANT(turn_clocks, 1.449, "clocks", "an atomic on the address that has most", ATOMIC_ADD("") ", windows of 4 bytes") \
    TIME_CONSTANT(float_turns, 2.4, "", "times as long for floats", ATOMIC_ADD("-float") ", windows of 4 bytes") \
    TIME_CONSTANT(byte_clocks, 0.0364, "clocks", "a byte of atomics in a slice of L2", ATOMIC_ADD("") ", windows of 256 and 512 bytes") \
    TIME_CONSTANT(wide_float_share, 2, "", "times as long for float64", ATOMIC_ADD("-float") " of float64, windows of 128 bytes") \
    TIME_CONSTANT(total_norm, 3.67, "", "overlap of units, L2 and memory", ROWS_OF_ALL) \
    TIME_CONSTANT(cycled_turn_ns, 3.48, "ns", "as `turn_ns`, where a launch cycles through one footprint", ROW_OF_LEVELS("`bandwidth-copy` at 1 GiB")) \
    TIME_CONSTANT(cycled_own_turn_ns, 10.1, "ns", "the same where each unit has one", ROW_OF_LEVELS("`unit-bandwidth-copy` at 640 KiB")) \
    TIME_CONSTANT(cycled_l2_norm, 1.5, "", "overlap of the L2's reads and writes there", ROW_OF_LEVELS("`bandwidth-copy` at 16 MiB")) \
    TIME_CONSTANT(cycled_level_norm, 2.5, "", "overlap of loads that the L2 answers and those that memory answers", ROW_OF_LEVELS("`bandwidth` at 96 and 128 MiB")) \
    TIME_CONSTANT(cycled_l1_norm, 2, "", "overlap of loads that hit L1 and stores", ROW_OF_LEVELS("`unit-bandwidth-copy` at 96 KiB")) \
    TIME_CONSTANT(cycled_copied_share, 0.5, "", "of the last-level cache, what a footprint keeps in it that is copied", ROW_OF_LEVELS("`bandwidth-copy` at 48 MiB")) \
    TIME_CONSTANT(cycled_follow_spread, 0.15, "", "of a block's time: how far blocks that follow each other stray", "fitted: `levels-counters.csv`, memory's share in `bandwidth-follow` at 64 MiB") \
    TIME_CONSTANT(cycled_drift_most, 2, "", "times L1: the smallest footprint of a unit of which L1 keeps nothing", "measured: `levels --variant unit-bandwidth` with 480 and 512 KiB") \
    TIME_CONSTANT(cycled_drift_misses, 0.31, "", "the share of misses in a footprint twice as large as L1", ROW_OF_LEVELS("`unit-bandwidth` at 448 KiB")) \
    TIME_CONSTANT(cycled_drift_power, 2, "", "how it grows with what exceeds L1", ROW_OF_LEVELS("`unit-bandwidth` at 320 KiB")) \
    TIME_CONSTANT(cycled_pause_ns, 110, "ns", "between two rounds of a unit's stores", ROW_OF_LEVELS("`unit-bandwidth-write` at 32 KiB")) \
    TIME_CONSTANT(cycled_merged_most, 0.46, "", "of loads, those that the L2 need not serve", ROW_OF_LEVELS("`bandwidth` below 1 MiB"))
// clang-format on

struct time_constants {
#define TIME_CONSTANT_FIELD(name, value, unit, meaning, source) double name;
    TIME_CONSTANTS(TIME_CONSTANT_FIELD)
#undef TIME_CONSTANT_FIELD
};

extern const struct time_constants time_constants;

struct time_constant {
    const char *name;
    double value;
    const char *unit, *meaning, *source;
};

// The list; *count rows.
const struct time_constant *time_constant_table(size_t *count);

#endif
