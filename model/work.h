// The work of one launch over its whole grid. model/bound.c and model/time.c turn it into time.
#ifndef MODEL_WORK_H
#define MODEL_WORK_H

#include <stdint.h>

enum {
    MEMORY_RUN_BYTES = 256 // an aligned run of this many bytes lies in one row of one memory channel
};

// Between memory and the caches, each sector once.
struct memory_traffic {
    double load_bytes;            // that loads fetch
    double fill_bytes;            // of sectors that are written in part and therefore read first
    double write_bytes;           // of sectors written
    double unwritten_bytes;       // bytes of these sectors that no store wrote
    double load_runs, write_runs; // runs of MEMORY_RUN_BYTES with such bytes
    double partial_lines;         // lines with a sector that is written in part
    double unit_load_bytes;       // of sectors that loads touch, counted once per block: the L1s' misses
};

// What the longest warp of each block executes in sequence, summed over blocks.
struct launch_path {
    double instructions, global_waits, shared_waits, barriers;
    double chain_cycles; // of accesses that wait for one another, where the program says that they do
};

struct launch_work {
    double blocks;
    uint32_t block_threads, block_shared_bytes;
    struct memory_traffic memory;
    struct launch_path path;
    double instructions;                  // warp-wide: those that the program knows, accesses and branches
    double told_instructions;             // otherwise: as the host's compiler made them
    double load_requests, store_requests; // of global memory
    double load_lines, store_lines;
    double load_sector_bytes, store_sector_bytes;
    double joined_bytes; // of sectors that L2 merges from partial stores
    double shared_requests, passes;
    double atomics_in_turn; // on the most contended address of global memory
};

#endif
