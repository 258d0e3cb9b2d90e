// What one launch asks of a part, over its whole grid: what model/bound.c and model/time.c make time of.
#ifndef MODEL_WORK_H
#define MODEL_WORK_H

#include <stdint.h>

enum {
    MEMORY_RUN_BYTES = 256 // neighbouring bytes that lie in one row of one of memory's channels
};

// Between memory and the caches, each sector once.
struct memory_traffic {
    double load_bytes;            // that loads fetch
    double fill_bytes;            // of sectors that are written in part: they are read first
    double write_bytes;           // of sectors written
    double load_runs, write_runs; // runs of MEMORY_RUN_BYTES that have one of these
    double partial_lines;         // lines with a sector that is written in part
    double unit_load_bytes; // sectors that loads touch, each once in every block that was looked at: what L1s miss
};

// What the longest warp of each block goes through, one after the other; summed over blocks.
struct launch_path {
    double instructions, global_waits, shared_waits, barriers;
};

struct launch_work {
    double blocks;
    uint32_t block_threads, block_shared_bytes;
    struct memory_traffic memory;
    struct launch_path path;
    double instructions;                  // warp-wide, about as many as a GPU's compiler makes
    double load_requests, store_requests; // of global memory
    double load_lines, store_lines;
    double load_sector_bytes, store_sector_bytes;
    double shared_requests, passes;
    double atomics_in_turn; // on the address of global memory that has the most
};

#endif
