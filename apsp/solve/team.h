// A solution on one GPU or on several. Each GPU holds the whole matrix and owns some of its rows, in whole tiles.
#ifndef APSP_SOLVE_TEAM_H
#define APSP_SOLVE_TEAM_H

#include "apsp/solve/gpu.h"

enum {
    APSP_TEAM_MAX = 64
};

// Events of each GPU. Host memory for the rows of a pivot is used in two buffers by turns, for even and odd pivots.
enum apsp_signal {
    APSP_ROWS_READY,    // the GPU's own rows are as a round left them, except for what was computed ahead
    APSP_HALF_READY,    // likewise those whose round runs beside the others'
    APSP_TILE_CLOSED,   // the panels have a wide pivot tile
    APSP_COLUMNS_READY, // phase 2 of a wide pivot's columns is done
    APSP_PIVOT_READY,   // phase 2 of a pivot is done
    APSP_ROWS_SENT,     // the owner's rows are on the other GPUs, or on the host
    APSP_EVEN_RECEIVED, // the GPU has copied the rows of an even pivot from the host
    APSP_ODD_RECEIVED,  // likewise of an odd pivot
    APSP_SIGNALS
};

// Streams of each GPU.
enum apsp_lane {
    APSP_MAIN,   // the default stream
    APSP_AHEAD,  // prepares the next pivot
    APSP_ASIDE,  // with wide tiles, its columns
    APSP_BESIDE, // runs half of phase 3
    APSP_LANES
};

struct apsp_team {
    size_t count;
    struct apsp_gpu gpus[APSP_TEAM_MAX];
    struct stream *lanes[APSP_TEAM_MAX][APSP_LANES]; // NULL: the default stream
    struct event *signals[APSP_TEAM_MAX][APSP_SIGNALS];
    void *staging[2]; // host memory for rows that are sent through the host
};

// Splits the rows between `count` devices, no more than there are rows of tiles. Nothing is allocated yet.
struct apsp_team apsp_team_make(struct device *const *devices, size_t count, const struct graph *graph,
                                const struct apsp_settings *settings);

// Builds kernels and allocates memory and streams. The team must be released even if this fails.
enum status apsp_team_prepare(struct apsp_team *team, struct error *error);
void apsp_team_release(struct apsp_team *team);

// The operations of gpu.h and gpu_transfer.h on every GPU of the team.
enum status apsp_team_copy_in(struct apsp_team *team, const struct graph *graph, const int32_t *distances,
                              struct error *error);
enum status apsp_team_initialise(struct apsp_team *team, struct error *error);
enum status apsp_team_poison(struct apsp_team *team, struct error *error);
enum status apsp_team_copy_out(struct apsp_team *team, int32_t *distances, struct error *error);

// Bytes of the rows that belong to one pivot.
uint64_t apsp_team_rows_bytes(const struct apsp_team *team);

#endif
