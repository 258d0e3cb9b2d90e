// The packed solvers of one machine, by the width of a distance, and what all CPU variants share.
#ifndef APSP_SOLVE_CPU_SOLVER_H
#define APSP_SOLVE_CPU_SOLVER_H

#include <stddef.h>
#include <stdint.h>

#include "bench/progress.h"

#define FAR16 INT16_MAX // of uint16_t: sums of two need not saturate, which takes longer than a plain sum

enum {
    SOLVER_BLOCK = 240 // pivots a round: a multiple of every register tile's rows
};

struct solver {
    size_t (*scratch_bytes)(size_t vertices);
    // Returns the largest distance below UNREACHABLE, at 16 bits below FAR16.
    int32_t (*run)(const int32_t *input, int32_t *output, void *scratch, size_t vertices, struct progress *progress);
    double (*bare)(uint64_t rounds); // add-min instructions alone; returns the updates done

    // The multiply by itself, for those who hold but a share of a matrix: w = min(w, left (x) right), by the calling
    // thread. Rows and depth are multiples of tile_rows, columns of tile_columns; elements have the solver's width. The
    // packed left factor begins at row r with word r * depth, the right one at column c with element c * depth.
    size_t tile_rows, tile_columns;
    void (*pack_left)(uint32_t *packed, const void *from, size_t pitch, size_t rows, size_t depth);
    void (*pack_right)(void *packed, const void *from, size_t pitch, size_t columns, size_t depth);
    void (*multiply)(void *w, size_t pitch, size_t rows, size_t columns, const uint32_t *left, const void *right,
                     size_t depth);
};

struct solver_pair {
    const char *name; // of the vectors
    const struct solver *of_32, *of_16;
};

// Those that this machine can run, the widest vectors first; NULL behind the last.
const struct solver_pair *solver_pair(size_t index);

// width_bytes: 4 or 2. With the widest vectors that this machine has.
const struct solver *solver_of(size_t width_bytes);

// A round is done.
static inline void show_rounds(struct progress *progress) {
    if (progress) {
        progress_advance(progress);
        progress_show(progress, "rounds");
    }
}

#endif
