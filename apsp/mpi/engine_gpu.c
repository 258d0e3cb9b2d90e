// Updates the share with register_tiled.cu in two streams. The default stream updates the share by a round's factors.
// Meanwhile the panels' stream, whose kernels have priority, updates what the next round sends, closes the next pivot
// block and sends the panels. Events let each stream wait for what it needs of the other.
//
// A left panel consists of parts that are a tile wide, one after the other, so that each is the left factor of a
// multiply. A closed pivot block has the same layout.
#include <stdlib.h>

#include "apsp/mpi/engine.h"
#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_product.h"
#include "util/embed.h"

EMBED_FILE(apsp_panel_cu, "apsp/kernels/panel.cu");

enum {
    THREADS = 256,
    TILE = APSP_REGISTER_TILE,
    ROUNDS = 4 // that events tell apart
};

struct gpu_engine {
    struct engine engine;
    uint64_t w;             // the share: row_count x column_count words
    uint64_t closing;       // a pivot block, row by row
    struct apsp_gpu closer; // the kernels that close it
    struct apsp_product product;
    struct kernel *copy;
    struct event *arrived; // in the panels' stream: the factors of the latest round are there
    // In the default stream, of the latest rounds: the factors were there, and the share is updated.
    struct event *started[ROUNDS], *computed[ROUNDS];
    struct engine_round round; // the latest, and its factors
    uint64_t left, right;
    bool factored; // there is one
};

static struct gpu_engine *gpu(struct engine *engine) {
    return (struct gpu_engine *)engine;
}

uint32_t engine_gpu_unit(void) {
    return TILE;
}

static uint64_t words(uint64_t count) {
    return count * sizeof(int32_t);
}

// The address of an element of the share.
static uint64_t at(const struct gpu_engine *e, uint64_t row, uint32_t column) {
    return e->w + words(row * e->engine.share->column_count + column);
}

static uint32_t tiles_of_block(const struct gpu_engine *e) {
    return e->engine.block / TILE;
}

// The address of row `row` in one of the parts of a left panel with `rows` rows.
static uint64_t left_part(uint64_t left, uint32_t rows, uint32_t part, uint32_t row) {
    return left + words(((uint64_t)part * rows + row) * TILE);
}

// Enqueues a copy of rows in the panels' stream.
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
    return threads ? device_launch_in(e->engine.device, e->engine.panels, e->copy, &launch, error) : STATUS_OK;
}

// ---- The rest of a round ----

// The share's operands for one tile of the latest round's pivots.
static struct apsp_operands operands_of(const struct gpu_engine *e, uint32_t tile) {
    const struct share *share = e->engine.share;
    return (struct apsp_operands){
        .w = e->w,
        .left = left_part(e->left, share->row_count, tile, 0),
        .right = e->right + words((uint64_t)tile * TILE * share->column_count),
        .rows = share->row_count,
        .columns = share->column_count,
        .pitch = share->column_count,
        .right_pitch = share->column_count,
    };
}

static enum status update_rest(struct gpu_engine *e, struct error *error) {
    const struct engine_round *round = &e->round;
    const struct apsp_skipped skipped = {e->engine.block, round->pivot_row, round->next_row, round->next_column};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK; i++) {
        const struct apsp_operands operands = operands_of(e, i);
        status = apsp_product_launch(&e->product, NULL, &operands, &skipped, error);
    }
    return status;
}

// Enqueues the rest of the round in the default stream. Until the round before is computed, the panels' stream must
// neither read what that round updates nor overwrite its factors.
static enum status factors(struct engine *engine, const struct engine_round *round, uint64_t left, uint64_t right,
                           struct error *error) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    const bool is_first = !e->factored;
    e->round = *round;
    e->left = left;
    e->right = right;
    e->factored = true;
    enum status status = device_event_record_in(device, engine->panels, e->arrived, error);
    if (status == STATUS_OK) {
        status = device_event_wait_in(device, NULL, e->arrived, error);
    }
    if (status == STATUS_OK) {
        status = device_event_record(device, e->started[round->k % ROUNDS], error);
    }
    if (status == STATUS_OK) {
        status = update_rest(e, error);
    }
    if (status == STATUS_OK) {
        status = device_event_record(device, e->computed[round->k % ROUNDS], error);
    }
    return status == STATUS_OK && !is_first
               ? device_event_wait_in(device, engine->panels, e->computed[(round->k - 1) % ROUNDS], error)
               : status;
}

// ---- What the next round sends ----

static enum status column(struct engine *engine, uint32_t index, uint64_t left, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block, rows = engine->share->row_count, pitch = engine->share->column_count;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK && e->factored; i++) {
        struct apsp_operands operands = operands_of(e, i);
        operands.w = at(e, 0, index * block);
        operands.right += words(index * block);
        operands.columns = block;
        status = apsp_product_launch_narrow(&e->product, engine->panels, &operands, error);
    }
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK; i++) {
        status =
            copy(e, left_part(left, rows, i, 0), TILE, at(e, 0, index * block + i * TILE), pitch, rows, TILE, error);
    }
    return status;
}

static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block, rows = engine->share->row_count;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK && e->factored; i++) {
        struct apsp_operands operands = operands_of(e, i);
        operands.w = at(e, index * block, 0);
        operands.left = left_part(e->left, rows, i, index * block);
        operands.rows = block;
        status = apsp_product_launch_narrow(&e->product, engine->panels, &operands, error);
    }
    return status;
}

// Copies a pivot block between the matrix `closing` and a panel with that many rows, from this row on.
static enum status copy_pivot(struct gpu_engine *e, uint64_t panel, uint32_t rows, uint32_t row, bool to_panel,
                              struct error *error) {
    const uint32_t block = e->engine.block;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK; i++) {
        const uint64_t part = left_part(panel, rows, i, row), columns = e->closing + words(i * TILE);
        status = to_panel ? copy(e, part, TILE, columns, block, block, TILE, error)
                          : copy(e, columns, block, part, TILE, block, TILE, error);
    }
    return status;
}

static enum status close_pivot(struct engine *engine, uint32_t index, uint64_t left, uint64_t closed,
                               struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block, tiles = tiles_of_block(e);
    const enum apsp_step last = tiles > 1 ? APSP_PHASE3 : APSP_PHASE1;
    enum status status = copy_pivot(e, left, engine->share->row_count, index * block, false, error);
    for (uint32_t pivot = 0; pivot < tiles; pivot++) {
        for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
            status = apsp_gpu_launch(&e->closer, engine->panels, step, pivot, error);
        }
    }
    return status == STATUS_OK ? copy_pivot(e, closed, block, 0, true, error) : status;
}

static enum status close_row(struct engine *engine, uint32_t index, uint64_t closed, uint64_t right,
                             struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t columns = engine->share->column_count, block = engine->block;
    const uint64_t own = at(e, index * block, 0);
    enum status status = copy(e, right, columns, own, columns, block, columns, error);
    for (uint32_t i = 0; i < tiles_of_block(e) && status == STATUS_OK; i++) {
        const struct apsp_operands operands = {
            .w = right,
            .left = left_part(closed, block, i, 0),
            .right = own + words((uint64_t)i * TILE * columns),
            .rows = block,
            .columns = columns,
            .pitch = columns,
            .right_pitch = columns,
        };
        status = apsp_product_launch_narrow(&e->product, engine->panels, &operands, error);
    }
    return status == STATUS_OK ? copy(e, own, columns, right, columns, block, columns, error) : status;
}

// `factors` has enqueued it.
static enum status rest(struct engine *engine, const struct engine_poll *poll, struct error *error) {
    (void)engine, (void)poll, (void)error;
    return STATUS_OK;
}

static enum status done(struct engine *engine, uint32_t k, bool *done, double *waited_ns, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    double idle_ns = 0;
    enum status status = device_event_done(device, e->computed[k % ROUNDS], done, error);
    if (status == STATUS_OK && *done && k > 0) {
        status = device_event_elapsed(device, e->computed[(k - 1) % ROUNDS], e->started[k % ROUNDS], &idle_ns, error);
    }
    *waited_ns += idle_ns;
    return status;
}

// ---- Before and after ----

static enum status transfer_share(struct engine *engine, bool to_host, struct error *error) {
    const struct share *share = engine->share;
    const struct device_rows rows = {
        .device = gpu(engine)->w,
        .device_pitch = words(share->column_count),
        .host = share->w,
        .host_pitch = words(share->pitch),
        .row_bytes = words(share->column_count),
        .rows = share->row_count,
        .to_host = to_host,
    };
    return rows.rows && rows.row_bytes ? device_copy_rows_in(engine->device, engine->panels, &rows, error) : STATUS_OK;
}

static enum status load(struct engine *engine, struct error *error) {
    gpu(engine)->factored = false;
    return transfer_share(engine, false, error);
}

static enum status unload(struct engine *engine, struct error *error) {
    return transfer_share(engine, true, error);
}

static void close_engine(struct engine *engine) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    const uint64_t addresses[] = {e->w, e->closing};
    struct kernel *kernels[] = {e->closer.kernels[APSP_PHASE1], e->closer.kernels[APSP_PHASE2],
                                e->closer.kernels[APSP_PHASE3], e->copy};
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
    apsp_product_release(&e->product);
    for (size_t i = 0; i < ROUNDS; i++) {
        device_event_destroy(device, e->started[i]);
        device_event_destroy(device, e->computed[i]);
    }
    device_event_destroy(device, e->arrived);
    if (engine->panels) {
        device_stream_destroy(device, engine->panels);
    }
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
    .done = done,
    .unload = unload,
    .close = close_engine,
};

static enum status build(struct gpu_engine *e, struct error *error) {
    static const struct kernel_source panel = {"apsp/kernels/panel.cu", apsp_panel_cu};
    const struct kernel_request copying = {&panel, "copy_panel", NULL, 0, NULL, KERNEL_C, NULL};
    struct device *device = e->engine.device;
    const uint32_t tiles = tiles_of_block(e);
    const enum apsp_step last = tiles > 1 ? APSP_PHASE3 : APSP_PHASE1;
    enum status status = apsp_product_build(device, &e->product, error);
    e->closer = (struct apsp_gpu){
        .device = device,
        .settings = apsp_register_settings(32),
        .pitch = e->engine.block,
        .tiles = tiles,
        .tile_count = tiles,
        .w = e->closing,
    };
    for (enum apsp_step step = APSP_PHASE1; step <= last && status == STATUS_OK; step++) {
        status = apsp_gpu_build(&e->closer, step, error);
    }
    return status == STATUS_OK ? device_build(device, &copying, &e->copy, error) : status;
}

static enum status make_streams(struct gpu_engine *e, struct error *error) {
    struct device *device = e->engine.device;
    enum status status = device_stream_create(device, &e->engine.panels, error);
    if (status == STATUS_OK) {
        status = device_event_create(device, &e->arrived, error);
    }
    for (size_t i = 0; i < ROUNDS && status == STATUS_OK; i++) {
        status = device_event_create(device, &e->started[i], error);
        if (status == STATUS_OK) {
            status = device_event_create(device, &e->computed[i], error);
        }
    }
    return status;
}

static enum status allocate(struct gpu_engine *e, struct error *error) {
    const struct share *share = e->engine.share;
    struct device *device = e->engine.device;
    const uint64_t block = e->engine.block, share_words = (uint64_t)share->row_count * share->column_count;
    enum status status = device_allocate(device, words(share_words + 1), &e->w, error);
    return status == STATUS_OK ? device_allocate(device, words(block * block), &e->closing, error) : status;
}

enum status engine_gpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error) {
    struct gpu_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *engine = &e->engine;
    e->engine = (struct engine){&operations, device, share, NULL, share->rows.block};
    enum status status = allocate(e, error);
    if (status == STATUS_OK) {
        status = build(e, error);
    }
    return status == STATUS_OK ? make_streams(e, error) : status;
}
