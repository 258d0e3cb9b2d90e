// The solvers, built once per instruction set (device/cpu/host.h) and width of a distance in bits.
#ifndef APSP_SOLVE_CPU_VECTOR_H
#define APSP_SOLVE_CPU_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/solve/progress.h"
#include "device/cpu/host.h"

#define FAR16 INT16_MAX // in a uint16_t: the sum of two fits, so that a plain addition does, which is faster

enum {
    SOLVER_BLOCK = 240 // pivots of a round: a multiple of the rows of every register tile
};

// Of one kind of vector instructions and one width of a distance.
struct solver {
    size_t (*scratch_bytes)(size_t vertices);
    // Returns the largest distance below UNREACHABLE, or below FAR16 with 16 bits.
    int32_t (*run)(const int32_t *input, int32_t *output, void *scratch, size_t vertices, struct progress *progress);
    double (*bare)(uint64_t rounds); // runs add-min instructions alone and returns the number of updates

    // The multiply alone, for callers that hold a part of a matrix: w = min(w, left (x) right), by the calling thread.
    // Rows and depth must be multiples of tile_rows, columns of tile_columns; elements have the solver's width. In the
    // packed left factor row r begins at word r * depth, in the right one column c begins at element c * depth.
    size_t tile_rows, tile_columns;
    void (*pack_left)(uint32_t *packed, const void *from, size_t pitch, size_t rows, size_t depth);
    void (*pack_right)(void *packed, const void *from, size_t pitch, size_t columns, size_t depth);
    void (*multiply)(void *w, size_t pitch, size_t rows, size_t columns, const uint32_t *left, const void *right,
                     size_t depth);
};

#define DECLARE_SOLVERS(vectors, isa) extern const struct solver solver_##isa##_32, solver_##isa##_16;
CPU_VECTORS_BUILT(DECLARE_SOLVERS)

#endif
