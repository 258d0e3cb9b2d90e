// The work of one launch over its whole grid. model/gpus.c and model/time/time.c turn it into time.
#ifndef MODEL_WORK_H
#define MODEL_WORK_H

#include <stddef.h>
#include <stdint.h>

// Atomics of a launch that compete.
struct atomic_work {
    double turns;         // on the most contended address
    double slice_bytes;   // in the busiest slice of L2
    uint32_t float_bytes; // the width of those that are of floats; 0: none are
};

enum {
    MEMORY_RUN_BYTES = 256 // an aligned run of this many bytes lies in one row of one memory channel
};

// Between memory and the caches. Bytes count once, however many blocks touch them.
struct memory_traffic {
    double load_bytes;            // that loads fetch
    double fill_bytes;            // of sectors that are written in part and therefore read first
    double write_bytes;           // of sectors written
    double unwritten_bytes;       // bytes of these sectors that no store wrote
    double reloaded_bytes;        // of sectors written that loads touch, too
    double load_runs, write_runs; // runs of MEMORY_RUN_BYTES with such bytes
    double partial_lines;         // lines with a sector that is written in part
    double unit_load_bytes;       // of sectors that loads touch, counted once per block: the L1s' misses
    double unfinished_lines;      // lines that a block leaves with a sector written in part
    double passed_bytes;          // that pass through the last-level cache before a load comes back to data (time.h)
    // Moved again for other blocks, because the last-level cache has lost them meanwhile; runs and lines include these.
    double again_load_bytes, again_fill_bytes, again_write_bytes;
};

// What a block does between two of its barriers, or after its last one.
struct block_interval {
    // Of all its warps: as the host's compiler made them; of shared memory; of L1.
    uint32_t instructions, passes, l1_cycles;
    // Of the warp that takes longest by itself:
    uint32_t path_instructions;
    uint32_t near_waits, far_waits;     // for loads from global memory that find all in L1; that do not
    uint32_t atomic_waits;              // for what atomics return
    uint32_t fence_waits;               // until stores are visible
    uint32_t exchanges;                 // shuffles and votes
    uint32_t shared_waits, other_waits; // for loads from shared memory; of these, of other widths than 4 bytes
    uint32_t shared_passes;             // of the loads that it waited for
    uint32_t iterations;                // that use what they load
    uint32_t ends_block;                // 1: no barrier ends the interval
    uint32_t after_atomic;              // 1: an atomic has returned to the block in an earlier interval
};

// What a block does after some interval.
struct block_tail {
    struct block_interval work; // of the warp that takes longest, and nothing else
    uint32_t barriers;
};

struct launch_interval {
    struct block_interval work;
    double blocks; // that have it, each as often as it has it
};

struct launch_work {
    double blocks;
    uint32_t block_threads, block_shared_bytes;
    double thread_registers; // 0: unknown
    struct memory_traffic memory;
    const struct launch_interval *intervals;
    size_t interval_count;
    struct block_tail tail;     // after the interval of the last loads that miss L1, of the block with the longest one
    struct block_tail last;     // after the interval in which an atomic returned to the block, likewise
    double stated_instructions; // warp-wide, if the program states them: these, accesses and branches; else 0
    double load_requests, store_requests; // to global memory
    double load_lines, store_lines;
    double store_cycles; // of the way from the units to L2
    double load_sector_bytes, store_sector_bytes;
    double joined_bytes;    // of sectors that L2 merges from partial stores
    double rewritten_bytes; // that partial stores leave out of loaded sectors which others have written before
    double joined_sectors;  // that L2 merges and does not have from memory
    double passes;
    struct atomic_work atomics;
    double chain_cycles; // of accesses that wait for one another, where the program says that they do
};

#endif
