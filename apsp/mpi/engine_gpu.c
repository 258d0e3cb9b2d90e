// register_tiled.cu, whose third phase is the product that is wanted if the round's factors stand at the matrix's upper
// and left edge, a block wide:
//
//        | none  | right |        the share is what it updates; the corner has no paths, so that the factors
//        | left  | share |        stay as they are
//
// Two more matrices of this kind, with a single block column or block row in the share's place, serve what the next
// round sends, before the factors of this round are used up.
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu.h"
#include "apsp/mpi/engine.h"
#include "common/embed.h"

EMBED_FILE(apsp_panel_cu, "apsp/panel.cu");

enum {
    PIVOTS = 64, // of a launch of register_tiled.cu
    THREADS = 256
};

// On the device: a block wider and higher than what it frames.
struct framed {
    uint64_t w;
    uint32_t rows, pitch;
};

struct gpu_engine {
    struct engine engine;
    struct framed share, column, row;
    uint64_t staging;        // a panel, as the host has it
    int32_t *host;           // a block row of the share
    struct apsp_gpu product; // with any matrix
    struct kernel *copy;
    bool factored;                // factors have come
    uint32_t pivot_row, next_row; // blocks that need no more in this round
};

static struct gpu_engine *gpu(struct engine *engine) {
    return (struct gpu_engine *)engine;
}

uint32_t engine_gpu_unit(void) {
    return APSP_PART;
}

// ---- Copies ----

static uint64_t at(const struct framed *matrix, uint32_t row, uint32_t column) {
    return matrix->w + ((uint64_t)row * matrix->pitch + column) * sizeof(int32_t);
}

static enum status copy(struct gpu_engine *e, uint64_t to, uint32_t to_pitch, uint64_t from, uint32_t from_pitch,
                        uint32_t rows, uint32_t columns, struct error *error) {
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
    return threads ? device->operations->launch(device, e->copy, &launch, error) : STATUS_OK;
}

// A panel of the host's, rows times columns, to a place in a matrix, and the other way.
static enum status upload(struct gpu_engine *e, uint64_t to, uint32_t pitch, uint32_t rows, uint32_t columns,
                          const int32_t *from, struct error *error) {
    struct device *device = e->engine.device;
    const size_t bytes = (size_t)rows * columns * sizeof *from;
    enum status status = bytes ? device->operations->copy_to_device(device, e->staging, from, bytes, error) : STATUS_OK;
    return status == STATUS_OK ? copy(e, to, pitch, e->staging, columns, rows, columns, error) : status;
}

static enum status download(struct gpu_engine *e, uint64_t from, uint32_t pitch, uint32_t rows, uint32_t columns,
                            int32_t *to, struct error *error) {
    struct device *device = e->engine.device;
    const size_t bytes = (size_t)rows * columns * sizeof *to;
    enum status status = copy(e, e->staging, columns, from, pitch, rows, columns, error);
    return status == STATUS_OK && bytes ? device->operations->copy_to_host(device, to, e->staging, bytes, error)
                                        : status;
}

// ---- The product ----

// For `count` block rows of the framed matrix.
static enum status multiply(const struct gpu_engine *e, const struct framed *matrix, uint32_t first, uint32_t count,
                            struct error *error) {
    const uint32_t parts = e->engine.block / APSP_PART;
    struct apsp_gpu product = e->product;
    enum status status = STATUS_OK;
    product.w = matrix->w;
    product.pitch = matrix->pitch;
    for (uint32_t pivot = 0; pivot < e->engine.block / PIVOTS && status == STATUS_OK; pivot++) {
        status = apsp_gpu_launch_parts(&product, pivot, (first + 1) * parts, count * parts, error);
    }
    return status;
}

static enum status factors(struct engine *engine, uint32_t k, const int32_t *left, const int32_t *right,
                           uint32_t pivot_row, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct share *share = engine->share;
    const struct framed *m = &e->share;
    const uint32_t block = engine->block;
    (void)k;
    e->factored = true;
    e->pivot_row = pivot_row;
    e->next_row = ENGINE_NO_BLOCK;
    enum status status = upload(e, at(m, block, 0), m->pitch, share->row_count, block, left, error);
    return status == STATUS_OK ? upload(e, at(m, 0, block), m->pitch, block, share->column_count, right, error)
                               : status;
}

// The share's own column is updated with the rest, to the same.
static enum status column(struct engine *engine, uint32_t index, int32_t *to, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t rows = engine->share->row_count, block = engine->block, from = (index + 1) * block;
    const struct framed *m = &e->share, *c = &e->column;
    if (!e->factored) {
        return download(e, at(m, block, from), m->pitch, rows, block, to, error);
    }
    enum status status = copy(e, at(c, block, 0), c->pitch, at(m, block, 0), m->pitch, rows, block, error);
    if (status == STATUS_OK) {
        status = copy(e, at(c, 0, block), c->pitch, at(m, 0, from), m->pitch, rows + block, block, error);
    }
    status = status == STATUS_OK ? multiply(e, c, 0, rows / block, error) : status;
    return status == STATUS_OK ? download(e, at(c, block, block), c->pitch, rows, block, to, error) : status;
}

static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    e->next_row = index;
    return e->factored ? multiply(e, &e->share, index, 1, error) : STATUS_OK;
}

static enum status close_row(struct engine *engine, uint32_t index, const int32_t *closed, int32_t *to,
                             struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t columns = engine->share->column_count, block = engine->block;
    const struct framed *m = &e->share, *r = &e->row;
    const uint64_t own = at(m, (index + 1) * block, block);
    enum status status = upload(e, at(r, block, 0), r->pitch, block, block, closed, error);
    for (uint32_t i = 0; i < 2 && status == STATUS_OK; i++) { // as right factor, and as what is updated
        status = copy(e, at(r, i * block, block), r->pitch, own, m->pitch, block, columns, error);
    }
    status = status == STATUS_OK ? multiply(e, r, 0, 1, error) : status;
    if (status == STATUS_OK) {
        status = copy(e, own, m->pitch, at(r, block, block), r->pitch, block, columns, error);
    }
    return status == STATUS_OK ? download(e, at(r, block, block), r->pitch, block, columns, to, error) : status;
}

static enum status rest(struct engine *engine, const struct engine_poll *poll, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t rows = engine->share->row_count / engine->block;
    uint32_t first = 0;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i <= rows && status == STATUS_OK; i++) {
        if (i == rows || i == e->pivot_row || i == e->next_row) {
            status = multiply(e, &e->share, first, i - first, error);
            first = i + 1;
        }
    }
    poll->call(poll->context);
    return status;
}

// ---- Before and after ----

static enum status load(struct engine *engine, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct share *share = engine->share;
    const uint32_t block = engine->block, columns = share->column_count;
    const struct framed *m = &e->share;
    enum status status = STATUS_OK;
    e->factored = false;
    for (uint32_t first = 0; first < share->row_count && status == STATUS_OK; first += block) {
        for (uint32_t i = 0; i < block; i++) {
            memcpy(e->host + (size_t)i * columns, share->w + (first + i) * share->pitch, columns * sizeof *e->host);
        }
        status = upload(e, at(m, first + block, block), m->pitch, block, columns, e->host, error);
    }
    return status;
}

static enum status finish(struct engine *engine, struct error *error) {
    return engine->device->operations->synchronize(engine->device, error);
}

static enum status unload(struct engine *engine, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const struct share *share = engine->share;
    const uint32_t block = engine->block, columns = share->column_count;
    const struct framed *m = &e->share;
    enum status status = STATUS_OK;
    for (uint32_t first = 0; first < share->row_count && status == STATUS_OK; first += block) {
        status = download(e, at(m, first + block, block), m->pitch, block, columns, e->host, error);
        for (uint32_t i = 0; i < block; i++) {
            memcpy(share->w + (first + i) * share->pitch, e->host + (size_t)i * columns, columns * sizeof *e->host);
        }
    }
    return status;
}

static void close_engine(struct engine *engine) {
    struct gpu_engine *e = gpu(engine);
    const struct device_operations *operations = engine->device->operations;
    const uint64_t addresses[] = {e->share.w, e->column.w, e->row.w, e->staging};
    struct kernel *kernels[] = {e->product.kernels[APSP_PHASE3], e->copy};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            operations->release(engine->device, addresses[i]);
        }
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i]) {
            operations->discard(engine->device, kernels[i]);
        }
    }
    free(e->host);
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
    static const struct apsp_detail registers = {.kind = APSP_REGISTERS, .bits = 32};
    static const struct kernel_source panel = {"apsp/panel.cu", apsp_panel_cu};
    const struct kernel_request copying = {&panel, "copy_panel", NULL, 0, NULL};
    struct device *device = e->engine.device;
    e->product = (struct apsp_gpu){.device = device, .detail = &registers, .bits = registers.bits};
    enum status status = apsp_gpu_build(&e->product, APSP_PHASE3, error);
    return status == STATUS_OK ? device->operations->build(device, &copying, &e->copy, error) : status;
}

// The frame's corner has no paths.
static enum status make_framed(struct gpu_engine *e, struct framed *matrix, uint32_t rows, uint32_t columns,
                               struct error *error) {
    struct device *device = e->engine.device;
    const uint32_t block = e->engine.block;
    const size_t count = (size_t)block * block;
    *matrix = (struct framed){.rows = rows + block, .pitch = columns + block};
    const size_t bytes = (size_t)matrix->rows * matrix->pitch * sizeof(int32_t);
    enum status status = device->operations->allocate(device, bytes, &matrix->w, error);
    int32_t *corner = malloc(count * sizeof *corner);
    if (!corner) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        corner[i] = UNREACHABLE;
    }
    status = status == STATUS_OK ? upload(e, matrix->w, matrix->pitch, block, block, corner, error) : status;
    free(corner);
    return status;
}

static enum status allocate(struct gpu_engine *e, struct error *error) {
    const struct share *share = e->engine.share;
    struct device *device = e->engine.device;
    const uint32_t block = e->engine.block, rows = share->row_count, columns = share->column_count;
    const size_t longest = (rows > columns ? rows : columns) + (size_t)block; // with the corner
    e->host = malloc((size_t)block * columns * sizeof *e->host + 1);
    enum status status = e->host ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory: use more nodes");
    if (status == STATUS_OK) {
        status = device->operations->allocate(device, longest * block * sizeof(int32_t), &e->staging, error);
    }
    status = status == STATUS_OK ? make_framed(e, &e->share, rows, columns, error) : status;
    status = status == STATUS_OK ? make_framed(e, &e->column, rows, block, error) : status;
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
    return status == STATUS_OK ? allocate(e, error) : status;
}
