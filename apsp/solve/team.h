// A solution on one GPU or on several. Each GPU holds the whole matrix and owns some of its rows, in whole tiles.
#ifndef APSP_SOLVE_TEAM_H
#define APSP_SOLVE_TEAM_H

#include "apsp/solve/gpu.h"
#include "apsp/solve/progress.h"

enum {
    APSP_TEAM_MAX = 64
};

// Events of each GPU. Host memory for the rows of a pivot is used in two buffers by turns, for even and odd pivots.
enum apsp_signal {
    APSP_ROWS_READY,    // the GPU's own rows are as a round left them, except for what was computed ahead
    APSP_HALF_READY,    // so is the half that runs beside them
    APSP_NEXT_UPDATED,  // the rows of the next wide pivot are as this round leaves them, except for its tile
    APSP_TILE_CLOSED,   // phase 1 of a wide pivot is done
    APSP_ROWS_CLOSED,   // the right panel has a wide pivot's rows
    APSP_COLUMNS_READY, // phase 2 of a wide pivot's columns is done
    APSP_PIVOT_READY,   // phase 2 of a pivot is done, except that the matrix may not have a wide one's rows yet
    APSP_ROWS_STORED,   // the matrix has them
    APSP_TILE_SENT,     // the owner's closed tile is on the other GPUs, or on the host
    APSP_ROWS_SENT,     // so are its rows
    APSP_TILE_RECEIVED, // the GPU has copied an even pivot's tile from the host; the next signal is for an odd pivot
    APSP_ROWS_RECEIVED = APSP_TILE_RECEIVED + 2, // so have rows
    APSP_SIGNALS = APSP_ROWS_RECEIVED + 2
};

// Streams of each GPU.
enum apsp_lane {
    APSP_MAIN,   // the default stream
    APSP_AHEAD,  // prepares the next pivot
    APSP_ASIDE,  // with wide tiles, prepares all but its closed rows
    APSP_BESIDE, // with wide tiles, runs half of phase 3
    APSP_AWAY,   // with wide tiles, sends to other GPUs
    APSP_LANES
};

struct apsp_team {
    size_t count;
    struct apsp_gpu gpus[APSP_TEAM_MAX];
    struct stream *lanes[APSP_TEAM_MAX][APSP_LANES]; // NULL: the default stream
    struct event *signals[APSP_TEAM_MAX][APSP_SIGNALS];
    void *staging[2]; // host memory for what is sent through the host: rows and a wide tile
};

// Splits the rows between `count` devices, no more than there are rows of tiles. Nothing is allocated yet.
struct apsp_team apsp_team_make(struct device *const *devices, size_t count, const struct graph *graph,
                                const struct apsp_settings *settings);

// Builds kernels and allocates memory and streams. The team must be released even if this fails.
enum status apsp_team_prepare(struct apsp_team *team, struct error *error);
void apsp_team_release(struct apsp_team *team);

// ---- Exchanges between the team's devices ----

// Sends the rows of a pivot from the GPU that owns them to the others.

// Exchanges the rows while nothing else runs, and returns when they have arrived.
enum status apsp_team_exchange(const struct apsp_team *team, uint32_t pivot, struct error *error);

// How many bytes an exchange moves.
uint64_t apsp_team_exchange_bytes(const struct apsp_team *team);

// ---- The solution ----

// Runs a whole solution on a team, at full speed or step by step, or records it as a graph.

// Enqueues a whole solution and does not wait for it. The first GPU's default stream finishes last. A team of several
// GPUs needs register_tiled.cu.
enum status apsp_team_enqueue(struct apsp_team *team, struct error *error);

// Whether a solution can be recorded as a graph: one GPU solves alone, and the host looks at nothing on the way.
bool apsp_team_can_capture(const struct apsp_team *team);

// Solves once, so that the driver has loaded all kernels, then records a solution. *graph is NULL if the driver has no
// graphs or refuses to make one, which is no error; *refused, which the caller clears, then says why.
enum status apsp_team_capture(struct apsp_team *team, struct launch_graph **graph, struct error *refused,
                              struct error *error);

// Likewise enqueues only the steps before and after the rounds, on a team of one.
enum status apsp_team_enqueue_padding(struct apsp_team *team, struct error *error);

// Calls a function for each step and for each exchange between GPUs, so that the caller can measure them.
struct apsp_step_visitor {
    enum status (*step)(void *context, enum apsp_step step, uint32_t pivot, struct error *error);
    enum status (*exchange)(void *context, uint32_t pivot, struct error *error);
    void *context;
    struct progress *progress; // may be NULL
};

// Visits the steps of `rounds` rounds in their order, and the steps before and after them.
enum status apsp_team_visit(struct apsp_team *team, uint32_t rounds, const struct apsp_step_visitor *visitor,
                            struct error *error);

#endif
