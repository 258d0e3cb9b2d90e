// Updates the share with the third phase of register_tiled.cu. That phase multiplies the matrix's own first column and
// row of tiles, so the share is framed by the round's factors, which are a block wide:
//
// clang-format off
//        | none  | right |        Phase 3 updates the share. The corner has no paths, so that the factors keep their
//        | left  | share |        values.
// clang-format on
//
// Two more framed matrices, with a single block column or block row instead of the share, compute what the next round
// sends. The copies of these panels have a separate stream, so that they run during the rest of the round.
#include <stdlib.h>

#include "apsp/mpi/engine.h"
#include "apsp/solve/gpu_launch.h"
#include "util/embed.h"

EMBED_FILE(apsp_panel_cu, "apsp/kernels/panel.cu");

enum {
    THREADS = 256
};

// Events in the stream that computes, for which the panels' stream waits.
enum signal {
    FRAMED,       // the factors have been copied from the staging memory
    COLUMN_READY, // the next block column is up to date in its own matrix
    ROW_READY,    // the next block row is up to date
    SIGNALS
};

// A matrix on the device with its frame.
struct framed {
    uint64_t w;
    uint32_t rows, pitch;
};

struct gpu_engine {
    struct engine engine;
    struct framed share, column, row;
    uint64_t left, right;    // staging memory for the factors, until the round before is computed
    struct apsp_gpu product; // the kernel of phase 3, for any matrix
    struct kernel *copy;
    struct stream *panels; // runs concurrently with the default stream, which computes
    struct event *signals[SIGNALS];
    bool factored; // the factors of the round have arrived
};

static struct gpu_engine *gpu(struct engine *engine) {
    return (struct gpu_engine *)engine;
}

uint32_t engine_gpu_unit(void) {
    return APSP_REGISTER_TILE;
}

// ---- Copies ----

static uint64_t at(const struct framed *matrix, uint32_t row, uint32_t column) {
    return matrix->w + ((uint64_t)row * matrix->pitch + column) * sizeof(int32_t);
}

static enum status copy(struct gpu_engine *e, struct stream *stream, uint64_t to, uint32_t to_pitch, uint64_t from,
                        uint32_t from_pitch, uint32_t rows, uint32_t columns, struct error *error) {
    enum {
        QUAD = 4 // words
    };
    const uint64_t threads = (uint64_t)rows * columns / QUAD;
    const struct argument arguments[] = {
        argument_pointer(to),     argument_pointer(from), argument_u32(to_pitch),
        argument_u32(from_pitch), argument_u32(rows),     argument_u32(columns / QUAD),
    };
    const struct launch launch = {
        .grid = {(uint32_t)((threads + THREADS - 1) / THREADS), 1, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    struct device *device = e->engine.device;
    return threads ? device_launch_in(device, stream, e->copy, &launch, error) : STATUS_OK;
}

// Copies rows of the host to a position in a matrix, or back, in the panels' stream.
static enum status transfer(struct gpu_engine *e, uint64_t at, uint32_t pitch, uint32_t rows, uint32_t columns,
                            const int32_t *host, size_t host_pitch, bool to_host, struct error *error) {
    struct device *device = e->engine.device;
    const struct device_rows copied = {
        .device = at,
        .device_pitch = pitch * sizeof *host,
        .host = (void *)(uintptr_t)host, // it is only read if rows go to the device
        .host_pitch = host_pitch * sizeof *host,
        .row_bytes = columns * sizeof *host,
        .rows = rows,
        .to_host = to_host,
    };
    return rows && columns ? device_copy_rows_in(device, e->panels, &copied, error) : STATUS_OK;
}

// ---- Signals ----

// Records an event in the stream that computes.
static enum status signal_panels(struct gpu_engine *e, enum signal signal, struct error *error) {
    struct device *device = e->engine.device;
    return device_event_record(device, e->signals[signal], error);
}

// Lets the panels' stream wait for an event.
static enum status wait_for(struct gpu_engine *e, enum signal signal, struct error *error) {
    struct device *device = e->engine.device;
    return device_event_wait_in(device, e->panels, e->signals[signal], error);
}

// ---- The product ----

// Updates `count` block rows of the framed matrix.
static enum status multiply(const struct gpu_engine *e, struct stream *stream, const struct framed *matrix,
                            uint32_t first, uint32_t count, struct error *error) {
    const uint32_t tiles = e->engine.block / APSP_REGISTER_TILE;
    struct apsp_gpu product = e->product;
    enum status status = STATUS_OK;
    product.w = matrix->w;
    product.pitch = matrix->pitch;
    for (uint32_t pivot = 0; pivot < tiles && status == STATUS_OK; pivot++) {
        status = apsp_gpu_launch_rows(&product, stream, pivot, (first + 1) * tiles, count * tiles, error);
    }
    return status;
}

// Updates a copy of the column. The share's own column gets the same values later, with the rest.
static enum status update_column(struct gpu_engine *e, uint32_t index, struct error *error) {
    const uint32_t rows = e->engine.share->row_count, block = e->engine.block, from = (index + 1) * block;
    const struct framed *m = &e->share, *c = &e->column;
    enum status status = copy(e, NULL, at(c, block, 0), c->pitch, at(m, block, 0), m->pitch, rows, block, error);
    if (status == STATUS_OK) {
        status = copy(e, NULL, at(c, 0, block), c->pitch, at(m, 0, from), m->pitch, rows + block, block, error);
    }
    if (status == STATUS_OK) {
        status = multiply(e, NULL, c, 0, rows / block, error);
    }
    return status == STATUS_OK ? signal_panels(e, COLUMN_READY, error) : status;
}

static enum status update_row(struct gpu_engine *e, uint32_t index, struct error *error) {
    enum status status = multiply(e, NULL, &e->share, index, 1, error);
    return status == STATUS_OK ? signal_panels(e, ROW_READY, error) : status;
}

static enum status update_rest(struct gpu_engine *e, const struct engine_round *round, struct error *error) {
    const uint32_t rows = e->engine.share->row_count / e->engine.block;
    uint32_t first = 0;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i <= rows && status == STATUS_OK; i++) {
        if (i == rows || i == round->pivot_row || i == round->next_row) {
            status = multiply(e, NULL, &e->share, first, i - first, error);
            first = i + 1;
        }
    }
    return status;
}

// Copies the factors from the staging memory into the frame, after the round before is computed.
static enum status frame(struct gpu_engine *e, struct error *error) {
    const struct share *share = e->engine.share;
    const struct framed *m = &e->share;
    const uint32_t block = e->engine.block, rows = share->row_count, columns = share->column_count;
    enum status status = copy(e, NULL, at(m, block, 0), m->pitch, e->left, block, rows, block, error);
    if (status == STATUS_OK) {
        status = copy(e, NULL, at(m, 0, block), m->pitch, e->right, columns, block, columns, error);
    }
    return status == STATUS_OK ? signal_panels(e, FRAMED, error) : status;
}

// Enqueues the whole round at once, beginning with what the next round sends.
static enum status factors(struct engine *engine, const struct engine_round *round, const int32_t *left,
                           const int32_t *right, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct share *share = engine->share;
    const uint32_t block = engine->block, rows = share->row_count, columns = share->column_count;
    enum status status = wait_for(e, FRAMED, error);
    if (status == STATUS_OK) {
        status = transfer(e, e->left, block, rows, block, left, block, false, error);
    }
    if (status == STATUS_OK) {
        status = transfer(e, e->right, columns, block, columns, right, columns, false, error);
    }
    if (status == STATUS_OK) {
        status = frame(e, error);
    }
    if (status == STATUS_OK && round->next_column != ENGINE_NO_BLOCK) {
        status = update_column(e, round->next_column, error);
    }
    if (status == STATUS_OK && round->next_row != ENGINE_NO_BLOCK) {
        status = update_row(e, round->next_row, error);
    }
    e->factored = true;
    return status == STATUS_OK ? update_rest(e, round, error) : status;
}

static enum status column(struct engine *engine, uint32_t index, int32_t *to, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct framed *from = e->factored ? &e->column : &e->share;
    const uint32_t block = engine->block, first = e->factored ? block : (index + 1) * block;
    enum status status = wait_for(e, COLUMN_READY, error);
    return status == STATUS_OK ? transfer(e, at(from, block, first), from->pitch, engine->share->row_count, block, to,
                                          block, true, error)
                               : status;
}

// `factors` has enqueued the update already.
static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    (void)engine;
    (void)index;
    (void)error;
    return STATUS_OK;
}

// Works in the panels' stream. The rest of the round, which runs at the same time, does not touch this row.
static enum status close_in_stream(struct gpu_engine *e, uint32_t index, struct error *error) {
    const uint32_t columns = e->engine.share->column_count, block = e->engine.block;
    const struct framed *m = &e->share, *r = &e->row;
    const uint64_t own = at(m, (index + 1) * block, block);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < 2 && status == STATUS_OK; i++) { // once as right factor, and once as the row to update
        status = copy(e, e->panels, at(r, i * block, block), r->pitch, own, m->pitch, block, columns, error);
    }
    if (status == STATUS_OK) {
        status = multiply(e, e->panels, r, 0, 1, error);
    }
    return status == STATUS_OK ? copy(e, e->panels, own, m->pitch, at(r, block, block), r->pitch, block, columns, error)
                               : status;
}

static enum status close_row(struct engine *engine, uint32_t index, const int32_t *closed, int32_t *to,
                             struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t columns = engine->share->column_count, block = engine->block;
    const struct framed *r = &e->row;
    enum status status = wait_for(e, ROW_READY, error);
    if (status == STATUS_OK) {
        status = transfer(e, at(r, block, 0), r->pitch, block, block, closed, block, false, error);
    }
    if (status == STATUS_OK) {
        status = close_in_stream(e, index, error);
    }
    return status == STATUS_OK ? transfer(e, at(r, block, block), r->pitch, block, columns, to, columns, true, error)
                               : status;
}

static enum status rest(struct engine *engine, const struct engine_poll *poll, struct error *error) {
    (void)engine;
    (void)error;
    poll->call(poll->context);
    return STATUS_OK;
}

// ---- Before and after ----

static enum status transfer_share(struct engine *engine, bool to_host, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct share *share = engine->share;
    const struct framed *m = &e->share;
    return transfer(e, at(m, engine->block, engine->block), m->pitch, share->row_count, share->column_count, share->w,
                    share->pitch, to_host, error);
}

static enum status load(struct engine *engine, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    enum status status = transfer_share(engine, false, error);
    e->factored = false;
    for (enum signal signal = 0; signal < SIGNALS && status == STATUS_OK; signal++) {
        status = signal_panels(e, signal, error);
    }
    return status;
}

static enum status finish(struct engine *engine, struct error *error) {
    return device_synchronize(engine->device, error);
}

static enum status unload(struct engine *engine, struct error *error) {
    return transfer_share(engine, true, error);
}

static void close_engine(struct engine *engine) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    const uint64_t addresses[] = {e->share.w, e->column.w, e->row.w, e->left, e->right};
    struct kernel *kernels[] = {e->product.kernels[APSP_PHASE3], e->copy};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(device, addresses[i]);
        }
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i]) {
            device_discard(device, kernels[i]);
        }
    }
    for (enum signal signal = 0; signal < SIGNALS; signal++) {
        if (e->signals[signal]) {
            device_event_destroy(device, e->signals[signal]);
        }
    }
    if (e->panels) {
        device_stream_destroy(device, e->panels);
    }
    free(e);
}

static const struct engine_operations operations = {
    .load = load,
    .factors = factors,
    .column = column,
    .row = row,
    .close_row = close_row,
    .rest = rest,
    .finish = finish,
    .unload = unload,
    .close = close_engine,
};

static enum status build(struct gpu_engine *e, struct error *error) {
    static const struct kernel_source panel = {"apsp/kernels/panel.cu", apsp_panel_cu};
    const struct kernel_request copying = {&panel, "copy_panel", NULL, 0, NULL, KERNEL_C, NULL};
    struct device *device = e->engine.device;
    e->product = (struct apsp_gpu){.device = device, .settings = apsp_register_settings(32)};
    enum status status = apsp_gpu_build(&e->product, APSP_PHASE3, error);
    return status == STATUS_OK ? device_build(device, &copying, &e->copy, error) : status;
}

// Allocates a framed matrix and clears the frame's corner.
static enum status make_framed(struct gpu_engine *e, struct framed *matrix, uint32_t rows, uint32_t columns,
                               struct error *error) {
    struct device *device = e->engine.device;
    const uint32_t block = e->engine.block;
    const size_t count = (size_t)block * block;
    *matrix = (struct framed){.rows = rows + block, .pitch = columns + block};
    const size_t bytes = (size_t)matrix->rows * matrix->pitch * sizeof(int32_t);
    enum status status = device_allocate(device, bytes, &matrix->w, error);
    int32_t *corner = malloc(count * sizeof *corner);
    if (!corner) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        corner[i] = UNREACHABLE;
    }
    if (status == STATUS_OK) {
        status = transfer(e, matrix->w, matrix->pitch, block, block, corner, block, false, error);
    }
    free(corner);
    return status;
}

static enum status make_streams(struct gpu_engine *e, struct error *error) {
    struct device *device = e->engine.device;
    enum status status = device_stream_create(device, &e->panels, error);
    for (enum signal signal = 0; signal < SIGNALS && status == STATUS_OK; signal++) {
        status = device_event_create(device, &e->signals[signal], error);
    }
    return status;
}

static enum status allocate(struct gpu_engine *e, struct error *error) {
    const struct share *share = e->engine.share;
    struct device *device = e->engine.device;
    const uint32_t block = e->engine.block, rows = share->row_count, columns = share->column_count;
    const size_t row_bytes = block * sizeof(int32_t);
    enum status status = device_allocate(device, (rows + (size_t)1) * row_bytes, &e->left, error);
    if (status == STATUS_OK) {
        status = device_allocate(device, (columns + (size_t)1) * row_bytes, &e->right, error);
    }
    if (status == STATUS_OK) {
        status = make_framed(e, &e->share, rows, columns, error);
    }
    if (status == STATUS_OK) {
        status = make_framed(e, &e->column, rows, block, error);
    }
    return status == STATUS_OK ? make_framed(e, &e->row, block, columns, error) : status;
}

enum status engine_gpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error) {
    struct gpu_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *engine = &e->engine;
    e->engine = (struct engine){&operations, device, share, share->rows.block};
    enum status status = build(e, error);
    if (status == STATUS_OK) {
        status = make_streams(e, error);
    }
    return status == STATUS_OK ? allocate(e, error) : status;
}
