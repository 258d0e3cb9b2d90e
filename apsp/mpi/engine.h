// What computes a rank's share, in blocks: on the CPU, or on a GPU. In each round a block column `left` and a block row
// `right` come from other ranks, and
//     w = min(w, left (x) right)
// is wanted of the whole share, but first of the block row and the block column that the next round sends.
#ifndef APSP_MPI_ENGINE_H
#define APSP_MPI_ENGINE_H

#include "apsp/mpi/share.h"
#include "device/device.h"

#define ENGINE_NO_BLOCK UINT32_MAX

// Called now and then while the CPU computes.
struct engine_poll {
    void (*call)(void *context);
    void *context;
};

// A round, and which of the share's blocks it concerns; ENGINE_NO_BLOCK: none.
struct engine_round {
    uint32_t k;
    uint32_t pivot_row;             // block row k: it is final
    uint32_t next_row, next_column; // block row and column k + 1
};

struct engine;
struct engine_operations {
    // The share is complete in memory; afterwards the engine has it.
    enum status (*load)(struct engine *engine, struct error *error);
    // A round begins, with its factors: row_count x block, and block x column_count words. They are left alone until
    // rest returns.
    enum status (*factors)(struct engine *engine, const struct engine_round *round, const int32_t *left,
                           const int32_t *right, struct error *error);
    // The product for the next block column, which is copied to `to`, row_count x block words, and for the next block
    // row. Before the first round they are as they are.
    enum status (*column)(struct engine *engine, uint32_t column, int32_t *to, struct error *error);
    enum status (*row)(struct engine *engine, uint32_t row, struct error *error);
    // row = closed (x) row, copied to `to`, block x column_count words. closed: block x block.
    enum status (*close_row)(struct engine *engine, uint32_t row, const int32_t *closed, int32_t *to,
                             struct error *error);
    // The product for all else. May return before it is computed.
    enum status (*rest)(struct engine *engine, const struct engine_poll *poll, struct error *error);
    // All is computed; and it is in memory again.
    enum status (*finish)(struct engine *engine, struct error *error);
    enum status (*unload)(struct engine *engine, struct error *error);
    void (*close)(struct engine *engine);
};

struct engine {
    const struct engine_operations *operations;
    struct device *device;
    struct share *share;
    uint32_t block;
};

// Blocks are multiples of so many vertices.
uint32_t engine_cpu_unit(void);
uint32_t engine_gpu_unit(void);

// Besides the share, in bytes of the host's memory.
size_t engine_cpu_bytes(const struct share *share);

// By the device's backend.
enum status engine_cpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error);
enum status engine_gpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error);

#endif
