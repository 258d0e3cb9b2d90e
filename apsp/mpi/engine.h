// An engine computes a rank's share in blocks, on the CPU or on a GPU. In each round a block column `left` and a block
// row `right` arrive from other ranks, and the engine computes
//     w = min(w, left (x) right)
// for the whole share. The caller asks first for the block row and the block column that the next round sends.
//
// Panels are in the memory of the engine's device. A GPU makes and receives them in a stream apart from the one that
// computes, so that they travel during the rest of a round. Then the calls below only enqueue their work.
#ifndef APSP_MPI_ENGINE_H
#define APSP_MPI_ENGINE_H

#include "apsp/mpi/share.h"
#include "device/device.h"

#define ENGINE_NO_BLOCK UINT32_MAX

// The CPU engine calls this from time to time while it computes.
struct engine_poll {
    void (*call)(void *context);
    void *context;
};

// A round, and which of the share's blocks it concerns. ENGINE_NO_BLOCK means that the share has no such block.
struct engine_round {
    uint32_t k;
    uint32_t pivot_row;             // block row k, which is final
    uint32_t next_row, next_column; // block row and column k + 1
};

struct engine;
struct engine_operations {
    // Takes the share, which is complete in memory.
    enum status (*load)(struct engine *engine, struct error *error);
    // Begins a round with its factors of row_count x block and block x column_count words, which must not change until
    // `rest` returns or, on a GPU, until the round is done.
    enum status (*factors)(struct engine *engine, const struct engine_round *round, uint64_t left, uint64_t right,
                           struct error *error);
    // Updates the next block column and copies it to `left`; updates the next block row. Before the first round there
    // is nothing to update.
    enum status (*column)(struct engine *engine, uint32_t column, uint64_t left, struct error *error);
    enum status (*row)(struct engine *engine, uint32_t row, struct error *error);
    // Closes the pivot block, which is in this block row and column of the share and also in the factor `left`, and
    // writes it to `closed`, block x block words.
    enum status (*close_pivot)(struct engine *engine, uint32_t row, uint32_t column, uint64_t left, uint64_t closed,
                               struct error *error);
    // Computes row = closed (x) row and copies it to `right`.
    enum status (*close_row)(struct engine *engine, uint32_t row, uint64_t closed, uint64_t right, struct error *error);
    // Updates all other blocks. NULL: `factors` has enqueued it.
    enum status (*rest)(struct engine *engine, const struct engine_poll *poll, struct error *error);
    // Whether round k, one of the latest three, is computed. If it is, adds the time for which a GPU waited for the
    // round's factors. NULL: it always is.
    enum status (*done)(struct engine *engine, uint32_t k, bool *done, double *waited_ns, struct error *error);
    // Brings the share back into memory. NULL: it is there.
    enum status (*unload)(struct engine *engine, struct error *error);
    void (*close)(struct engine *engine);
};

struct engine {
    const struct engine_operations *operations;
    struct device *device;
    struct share *share;
    struct stream *panels; // the stream of the panels; NULL on the CPU
    uint32_t block;
};

// The size of a block must be a multiple of these.
uint32_t engine_cpu_unit(void);
uint32_t engine_gpu_unit(void);

// Bytes of the host's memory that the engine needs in addition to the share.
size_t engine_cpu_bytes(const struct share *share);

// Both need a device of their kind. A GPU has wide panels (apsp/solve/gpu_panel.h) if all ranks' GPUs can have them.
enum status engine_cpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error);
enum status engine_gpu_open(struct device *device, struct share *share, bool wide, struct engine **engine,
                            struct error *error);

#endif
