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
};

#endif
