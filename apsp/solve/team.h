// A solution on one GPU or on several: what runs where, and what waits for what. Each device has the matrix and owns
// some of its rows, whole tiles of register_tiled.cu.
//
// A round's pivot is opened before the round, beside the round before it, in a stream that goes ahead: phase 3 of its
// rows and columns comes first, the owner of the rows sends them to the others, and all do phases 1 and 2. A round then
// is: the next pivot opened, and beside it the rest of phase 3.
#ifndef APSP_SOLVE_TEAM_H
#define APSP_SOLVE_TEAM_H

#include "apsp/solve/gpu.h"
#include "bench/selection.h"

enum apsp_signal {
    APSP_READY,      // a device's own rows are as a round left them, but for what was done ahead
    APSP_OPEN,       // phase 2 of a pivot is done
    APSP_SENT,       // the owner's rows are at the others', or on the host
    APSP_TAKEN_EVEN, // a device has read them from the host's first buffer
    APSP_TAKEN_ODD,  // from its second
    APSP_SIGNALS
};

struct apsp_team {
    size_t count;
    struct apsp_gpu gpus[SELECTION_DEVICES_MAX];
    struct stream *ahead[SELECTION_DEVICES_MAX]; // NULL: the next pivot is opened in order, beside nothing
    struct event *signals[SELECTION_DEVICES_MAX][APSP_SIGNALS];
    bool peer;        // rows go from device to device, not through the host
    void *staging[2]; // of the host: rows under way, while those of the round before may still be read
};

// The rows of a solution split between devices, no more of them than there are rows of tiles.
struct apsp_team apsp_team_make(struct device *const *devices, size_t count, const struct point *point,
                                const struct apsp_input *input, struct apsp_ways ways, uint32_t bits);

// Kernels, memory and streams. Release it also where this fails.
enum status apsp_team_prepare(struct apsp_team *team, struct error *error);
void apsp_team_release(struct apsp_team *team);

// A whole solution, not waited for: the first device's own stream is done when all are.
enum status apsp_team_enqueue(struct apsp_team *team, struct error *error);

// The rows of the pivot from their owner to the others, after and before all else. Returns when they are there.
enum status apsp_team_exchange(struct apsp_team *team, uint32_t pivot, struct error *error);

// How many bytes an exchange moves.
uint64_t apsp_team_exchange_bytes(const struct apsp_team *team);

#endif
