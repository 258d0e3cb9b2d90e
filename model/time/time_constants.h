// Every constant of the model of time, with its unit, what it says, and where it comes from. docs/simulator.md has this
// list as a table (build/tests/time_constants prints it). Other parts than the H200 have the same ones; what differs by
// part is in model/gpus.c and model/time/latency.c.
#ifndef MODEL_TIME_TIME_CONSTANTS_H
#define MODEL_TIME_TIME_CONSTANTS_H

#include <stddef.h>

enum {
    TIME_UNROLLED_ROUNDS = 4,
    TIME_COPIES = 16
};

// `make fit` finds these again (model/experiments/fit.c), from rows of results/h200 alone. The rows named are those
// that decide.
#define FITTED(rows) "fitted: " rows
#define NVRTC_SAYS "counted in code of NVRTC 13.0 for sm_90"

// TIME_CONSTANT(name, value, without, unit, meaning, source). without: the value that takes the constant out of the
// model; NAN: what the simulator counts depends on the constant, or no row of results/h200 decides it, so `make fit`
// leaves it.
// clang-format off
#define TIME_CONSTANTS(TIME_CONSTANT) \
    TIME_CONSTANT(overhead_ns, 1600, 0, "ns", "a launch's start and end, with a block on one unit", FITTED("`reduce`, `smem`, `apsp`")) \
    TIME_CONSTANT(ramp_ns, 938, 0, "ns", "in addition, where all units have blocks", FITTED("`reduce`, `smem`, `apsp`")) \
    TIME_CONSTANT(events_ns, 1230, 0, "ns", "two events around a step of `apsp`", FITTED("`apsp`")) \
    TIME_CONSTANT(fill_ns, 1220, 0, "ns", "setting a few bytes", FITTED("`reduce`")) \
    TIME_CONSTANT(turn_ns, 1.35, 0, "ns", "a memory channel turns from reads to writes and back, for each 256 bytes of either that it moves", FITTED("`gmem`, `apsp`")) \
    TIME_CONSTANT(row_ns, 4.48, 0, "ns", "opening a row keeps a memory channel busy", FITTED("`gmem`")) \
    TIME_CONSTANT(refill_row_ns, 7.31, 0, "ns", "in addition, if stores need the rest of a sector first", FITTED("`gmem`")) \
    TIME_CONSTANT(refill_turn_ns, 2.5, NAN, "ns", "a channel of AMD's turns to write the part of a line that was fetched first", "`spatter-mi210.csv`, strides of 2 to 16") \
    TIME_CONSTANT(row_norm, 2.9, 1e9, "", "overlap of transfers and rows", FITTED("`gmem`")) \
    TIME_CONSTANT(joined_share, 0.443, 0, "", "of the bytes of sectors that L2 joins from several stores, which move again", FITTED("`gmem`")) \
    TIME_CONSTANT(cached_share, 0.237, 0, "", "if up to this share of the last-level cache has passed since, loads find their data there", FITTED("`reduce`, `apsp`")) \
    TIME_CONSTANT(dram_share, 0.154, 1e-9, "", "if more by this share, they come from memory", FITTED("`reduce`, `apsp`")) \
    TIME_CONSTANT(open_share, 0.125, 0, "", "of the last-level cache: up to this share, L2 waits for all stores to a sector", FITTED("`gmem`, `smem`")) \
    TIME_CONSTANT(issue_share, 0.78, 1, "", "instructions of a GPU for each of the host's compiler", FITTED("`reduce`, `gmem`")) \
    TIME_CONSTANT(wide_instructions, 2, NAN, "", "instructions of a 64-bit operation, before `issue_share`", "two registers of 32 bits") \
    TIME_CONSTANT(quotient_instructions, 49, NAN, "", "of a quotient", NVRTC_SAYS ": 17, of which 3 take eight times as long as others: 38, over `issue_share`") \
    TIME_CONSTANT(chained_cycles, 7.95, 4, "clocks", "an instruction of the host's compiler when a warp runs alone", FITTED("`reduce`, `apsp`")) \
    TIME_CONSTANT(dependent_cycles, 4, NAN, "clocks", "an instruction of a GPU that needs the one before, in a chain of accesses", "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018: from Volta on") \
    TIME_CONSTANT(unrolled_rounds, TIME_UNROLLED_ROUNDS, NAN, "", "rounds of a loop whose loads wait together", "phase 3 of `coalesced`, as NVRTC unrolls it") \
    TIME_CONSTANT(copies, TIME_COPIES, NAN, "", "loads that are only stored elsewhere and wait together", "chosen: as many as registers allow; `apsp`'s tiles") \
    TIME_CONSTANT(exchange_cycles, 33.4, 0, "clocks", "a shuffle, a vote, or a barrier of a block", FITTED("`reduce`, `apsp`")) \
    TIME_CONSTANT(other_width_cycles, 5.8, 0, "clocks", "a load from shared memory of another width than 4 bytes, in addition", FITTED("`smem`, `load-latency`")) \
    TIME_CONSTANT(pass_cycles, 1.95, 1, "clocks", "each pass, when a warp waits for it", FITTED("`smem`, `load-latency`")) \
    TIME_CONSTANT(block_cycles, 633, 0, "clocks", "a block's start and end", FITTED("`reduce`, `apsp`")) \
    TIME_CONSTANT(turn_clocks, 1.449, 1, "clocks", "an atomic on the address that has most", FITTED("`gmem`, `atomic-add`")) \
    TIME_CONSTANT(float_turns, 2.4, 1, "", "times as long for floats", FITTED("`gmem`, `atomic-add-float`")) \
    TIME_CONSTANT(byte_clocks, 0.0364, 1.0 / 64, "clocks", "a byte of atomics in a slice of L2", FITTED("`gmem`, `atomic-add`")) \
    TIME_CONSTANT(wide_float_share, 1.99, 1, "", "times as long for float64", FITTED("`gmem`, `atomic-add-float` of float64")) \
    TIME_CONSTANT(total_norm, 3.67, 1e9, "", "overlap of units, L2 and memory", FITTED("`gmem`, `reduce`, `apsp`")) \
    TIME_CONSTANT(cycled_turn_ns, 3.99, 0, "ns", "as `turn_ns`, where a launch cycles through one footprint", FITTED("`levels`, `bandwidth-copy`")) \
    TIME_CONSTANT(cycled_own_turn_ns, 8.89, 0, "ns", "the same where each unit has one", FITTED("`levels`, `unit-bandwidth-copy`")) \
    TIME_CONSTANT(cycled_l2_norm, 1.44, 1, "", "overlap of the L2's reads and writes there", FITTED("`levels`, `bandwidth-copy`")) \
    TIME_CONSTANT(cycled_level_norm, 2.76, 1e9, "", "overlap of loads that the L2 answers and those that memory answers", FITTED("`levels`, `bandwidth-copy`")) \
    TIME_CONSTANT(cycled_copied_share, 0.471, 1, "", "of the last-level cache, what a footprint keeps in it that is copied", FITTED("`levels`, `bandwidth-copy`")) \
    TIME_CONSTANT(cycled_follow_spread, 0.15, NAN, "", "of a block's time: how far blocks that follow each other stray", "`levels-counters.csv`, memory's share in `bandwidth-follow` at 64 MiB; it decides the A100's curve in `l2-bandwidth.csv`") \
    TIME_CONSTANT(cycled_drift_most, 2, 1, "", "times L1: the smallest footprint of a unit of which L1 keeps nothing", FITTED("`levels`, `unit-bandwidth`")) \
    TIME_CONSTANT(cycled_drift_misses, 0.33, 1, "", "the share of misses in a footprint twice as large as L1", FITTED("`levels`, `unit-bandwidth`")) \
    TIME_CONSTANT(cycled_pause_ns, 125, 0, "ns", "between two rounds of a unit's stores", FITTED("`levels`, `unit-bandwidth-write`")) \
    TIME_CONSTANT(cycled_merged_most, 0.46, 0, "", "of loads, those that the L2 need not serve", FITTED("`levels`, `bandwidth`")) \
    TIME_CONSTANT(cycled_flight_norm, 2.84, 1e9, "", "overlap of waiting for data, the rounds of copies, and the rate of L2 or memory", FITTED("`levels`, `in-flight`")) \
    TIME_CONSTANT(cycled_line_share, 0.0216, 0, "", "of a latency: each further line that a warp waits for comes so much later; a quarter of that in a bulk copy", FITTED("`levels`, `in-flight`")) \
    TIME_CONSTANT(cycled_round, 82.2, 0, "clocks", "a round of loads or copies, in addition to the latency", FITTED("`levels`, `in-flight`")) \
    TIME_CONSTANT(cycled_word, 7.97, 0, "clocks", "each further word of a lane in a round of copies; a warp's first, where several warps ask", FITTED("`levels`, `in-flight-async`")) \
    TIME_CONSTANT(cycled_word_copies, 154, 0, "clocks", "a round of asynchronous copies, where data is there", FITTED("`levels`, `in-flight-async`")) \
    TIME_CONSTANT(cycled_bulk_copies, 297, 0, "clocks", "likewise of bulk copies", FITTED("`levels`, `in-flight-bulk`"))
// clang-format on

struct time_constants {
#define TIME_CONSTANT_FIELD(name, value, without, unit, meaning, source) double name;
    TIME_CONSTANTS(TIME_CONSTANT_FIELD)
#undef TIME_CONSTANT_FIELD
};

// model/experiments/fit.c varies them.
#ifndef TIME_CONSTANTS_CONST
#define TIME_CONSTANTS_CONST const
#endif
extern TIME_CONSTANTS_CONST struct time_constants time_constants;

struct time_constant {
    const char *name;
    double value, without;
    const char *unit, *meaning, *source;
};

// The list, in the order of the struct.
extern const struct time_constant time_constant_list[];
extern const size_t time_constant_count;

#endif
