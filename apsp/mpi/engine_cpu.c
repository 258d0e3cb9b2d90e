// Updates the share in place, a block at a time, with the packed multiply of apsp/solve/cpu_solver.h.
#include <stdlib.h>
#include <string.h>

#include "apsp/mpi/engine.h"
#include "apsp/solve/cpu_solver.h"
#include "util/threads.h"

enum {
    UNIT = 96,      // a multiple of the rows and of the columns of every register tile
    PART_BLOCKS = 4 // number of a row's blocks that a thread takes at once
};

struct cpu_engine {
    struct engine engine;
    const struct solver *solver;
    uint32_t rows, columns;  // blocks of the share
    uint32_t *left, *closed; // packed left factors, of the round and of close_row
    int32_t *right, *old;    // packed right factors
    void *scratch;           // of the solver, for a pivot block
    bool factored;           // the round has its factors
    size_t depth;            // their depth
    struct engine_round round;
};

static struct cpu_engine *cpu(struct engine *engine) {
    return (struct cpu_engine *)engine;
}

uint32_t engine_cpu_unit(void) {
    return UNIT;
}

static size_t factor_bytes(const struct share *share, uint32_t vertices) {
    return (size_t)vertices * share->rows.block * sizeof(int32_t);
}

size_t engine_cpu_bytes(const struct share *share) {
    return factor_bytes(share, share->row_count) + 2 * factor_bytes(share, share->column_count);
}

// A panel's address on this device is a pointer.
static int32_t *panel_at(uint64_t address) {
    return (int32_t *)(uintptr_t)address;
}

static int32_t *block_at(const struct cpu_engine *e, uint32_t row, uint32_t column) {
    const size_t block = e->engine.block;
    return e->engine.share->w + row * block * e->engine.share->pitch + column * block;
}

// Where a block begins in a packed factor.
static size_t packed_offset(const struct cpu_engine *e, uint32_t index) {
    return (size_t)index * e->engine.block * e->engine.block;
}

// The vertices of a block, rounded up to register tiles. The matrix's last block may be nearly empty.
static size_t rounded(const struct cyclic *cyclic, uint32_t part, uint32_t index, size_t unit) {
    return (cyclic_vertices_in(cyclic, part, index) + unit - 1) / unit * unit;
}

static size_t rows_in(const struct cpu_engine *e, uint32_t row) {
    const struct cyclic *rows = &e->engine.share->rows;
    return rounded(rows, rows->part, row, e->solver->tile_rows);
}

static size_t columns_in(const struct cpu_engine *e, uint32_t column) {
    const struct cyclic *columns = &e->engine.share->columns;
    return rounded(columns, columns->part, column, e->solver->tile_columns);
}

static void multiply(const struct cpu_engine *e, uint32_t row, uint32_t column) {
    e->solver->multiply(block_at(e, row, column), e->engine.share->pitch, rows_in(e, row), columns_in(e, column),
                        e->left + packed_offset(e, row), e->right + packed_offset(e, column), e->depth);
}

static enum status load(struct engine *engine, struct error *error) {
    struct cpu_engine *e = cpu(engine);
    (void)error;
    e->factored = false;
    return STATUS_OK;
}

static enum status factors(struct engine *engine, const struct engine_round *round, uint64_t left_panel,
                           uint64_t right_panel, struct error *error) {
    struct cpu_engine *e = cpu(engine);
    const int32_t *left = panel_at(left_panel), *right = panel_at(right_panel);
    const struct cyclic *rows = &engine->share->rows;
    const size_t block = engine->block, pitch = engine->share->column_count;
    e->depth = rounded(rows, round->k % rows->parts, round->k / rows->parts, e->solver->tile_rows);
    (void)error;
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (uint32_t row = 0; row < e->rows; row++) {
            e->solver->pack_left(e->left + packed_offset(e, row), left + packed_offset(e, row), block, rows_in(e, row),
                                 e->depth);
        }
#pragma omp for schedule(static)
        for (uint32_t column = 0; column < e->columns; column++) {
            e->solver->pack_right(e->right + packed_offset(e, column), right + column * block, pitch,
                                  columns_in(e, column), e->depth);
        }
    }
    e->factored = true;
    e->round = *round;
    return STATUS_OK;
}

static void copy_block(int32_t *to, size_t to_pitch, const int32_t *from, size_t from_pitch, size_t block) {
    for (size_t row = 0; row < block; row++) {
        memcpy(to + row * to_pitch, from + row * from_pitch, block * sizeof *to);
    }
}

static enum status column(struct engine *engine, uint32_t index, uint64_t left, struct error *error) {
    struct cpu_engine *e = cpu(engine);
    int32_t *to = panel_at(left);
    const size_t block = engine->block;
    (void)error;
#pragma omp parallel for schedule(static)
    for (uint32_t row = 0; row < e->rows; row++) {
        if (e->factored && row != e->round.pivot_row) {
            multiply(e, row, index);
        }
        copy_block(to + packed_offset(e, row), block, block_at(e, row, index), engine->share->pitch, block);
    }
    return STATUS_OK;
}

static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    struct cpu_engine *e = cpu(engine);
    (void)error;
#pragma omp parallel for schedule(static)
    for (uint32_t i = 0; i < e->columns; i++) {
        if (e->factored && i != e->round.next_column) {
            multiply(e, index, i);
        }
    }
    return STATUS_OK;
}

static enum status close_pivot(struct engine *engine, uint32_t row, uint32_t column, uint64_t left, uint64_t closed,
                               struct error *error) {
    struct cpu_engine *e = cpu(engine);
    (void)column, (void)error;
    e->solver->run(panel_at(left) + packed_offset(e, row), panel_at(closed), e->scratch, engine->block, NULL);
    return STATUS_OK;
}

static enum status close_row(struct engine *engine, uint32_t index, uint64_t closed, uint64_t right,
                             struct error *error) {
    struct cpu_engine *e = cpu(engine);
    int32_t *to = panel_at(right);
    const size_t block = engine->block, pitch = engine->share->pitch, rows = rows_in(e, index);
    (void)error;
    e->solver->pack_left(e->closed, panel_at(closed), block, rows, rows);
#pragma omp parallel for schedule(static)
    for (uint32_t i = 0; i < e->columns; i++) {
        int32_t *own = block_at(e, index, i), *old = e->old + packed_offset(e, i);
        e->solver->pack_right(old, own, pitch, columns_in(e, i), rows);
        e->solver->multiply(own, pitch, rows, columns_in(e, i), e->closed, old, rows);
        copy_block(to + i * block, engine->share->column_count, own, pitch, block);
    }
    return STATUS_OK;
}

static void multiply_part(const struct cpu_engine *e, uint32_t index, uint32_t first) {
    const uint32_t end = first + PART_BLOCKS < e->columns ? first + PART_BLOCKS : e->columns;
    for (uint32_t i = first; i < end && index != e->round.pivot_row && index != e->round.next_row; i++) {
        if (i != e->round.next_column) {
            multiply(e, index, i);
        }
    }
}

static enum status rest(struct engine *engine, const struct engine_poll *poll, struct error *error) {
    const struct cpu_engine *e = cpu(engine);
    (void)error;
#pragma omp parallel for schedule(dynamic) collapse(2)
    for (uint32_t i = 0; i < e->rows; i++) {
        for (uint32_t first = 0; first < e->columns; first += PART_BLOCKS) {
            multiply_part(e, i, first);
            if (omp_get_thread_num() == 0) {
                poll->call(poll->context);
            }
        }
    }
    return STATUS_OK;
}

static void close_engine(struct engine *engine) {
    struct cpu_engine *e = cpu(engine);
    free(e->left);
    free(e->right);
    free(e->closed);
    free(e->old);
    free(e->scratch);
    free(e);
}

static const struct engine_operations operations = {
    .load = load,
    .factors = factors,
    .column = column,
    .row = row,
    .close_pivot = close_pivot,
    .close_row = close_row,
    .rest = rest,
    .close = close_engine,
};

enum status engine_cpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error) {
    struct cpu_engine *e = memory_zeros(1, sizeof *e);
    *engine = &e->engine;
    e->engine = (struct engine){&operations, device, share, NULL, share->rows.block};
    e->solver = solver_of(sizeof(int32_t));
    e->rows = share->row_count / share->rows.block;
    e->columns = share->column_count / share->rows.block;
    e->left = page_allocate(factor_bytes(share, share->row_count));
    e->right = page_allocate(factor_bytes(share, share->column_count));
    e->closed = page_allocate(factor_bytes(share, share->rows.block));
    e->old = page_allocate(factor_bytes(share, share->column_count));
    e->scratch = page_allocate(e->solver->scratch_bytes(e->engine.block));
    if (!e->left || !e->right || !e->closed || !e->old || !e->scratch) {
        return error_set(error, STATUS_FAILED, "out of memory: use more nodes, or fewer vertices");
    }
    return STATUS_OK;
}
