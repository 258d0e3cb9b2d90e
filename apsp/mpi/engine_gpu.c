// Updates the share in three streams. Two of them update it by a round's factors, half each, so that one's blocks run
// where the last blocks of the other leave multiprocessors idle. Meanwhile the panels' stream, whose kernels have
// priority, updates what the next round sends, closes the next pivot block and sends the panels. Events let each stream
// wait for what it needs of the others.
#include <math.h>
#include <stdlib.h>

#include "apsp/mpi/engine.h"
#include "apsp/solve/gpu_panel.h"

enum {
    TILE = APSP_REGISTER_TILE,
    ROUNDS = 4, // that events tell apart
    HALVES = 2
};

struct gpu_engine {
    struct engine engine;
    uint64_t w; // the share: row_count x column_count words
    struct apsp_panels panels;
    struct event *arrived;         // in the panels' stream: the factors of the latest round are there
    struct stream *halves[HALVES]; // the first one is the default stream: NULL
    // In the latest rounds: when the factors had arrived for the first half, and when each half was updated.
    struct event *started[ROUNDS], *computed[ROUNDS][HALVES];
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

// ---- The rest of a round ----

// Some rows and columns of the share times the latest round's factors.
static struct apsp_product product_of(const struct gpu_engine *e, uint32_t row, uint32_t column, uint32_t rows,
                                      uint32_t columns) {
    const struct share *share = e->engine.share;
    const uint64_t w = at(e, row, column);
    return (struct apsp_product){
        .to = w,
        .w = {w, share->column_count},
        .left = {apsp_panels_left_at(&e->panels, e->left, row), share->row_count},
        .right = {e->right + words(column), share->column_count},
        .pivots = e->engine.block,
        .high = rows / TILE,
        .wide = columns / TILE,
    };
}

// Adds a block to those that a product leaves out, which are neighbours, if it is among the product's `count` blocks
// from `first` on.
static void skip(struct apsp_parts *skipped, uint32_t block, uint32_t first, uint32_t count, uint32_t parts) {
    if (block != ENGINE_NO_BLOCK && block >= first && block < first + count) {
        const uint32_t part = (block - first) * parts;
        skipped->first = skipped->count == 0 || part < skipped->first ? part : skipped->first;
        skipped->count += parts;
    }
}

static enum status update_half(const struct gpu_engine *e, uint32_t half, struct error *error) {
    const struct share *share = e->engine.share;
    const uint32_t block = e->engine.block, parts = block / TILE, blocks = share->row_count / block;
    const uint32_t middle = blocks / 2, first = half ? middle : 0, count = half ? blocks - middle : middle;
    struct apsp_product product = product_of(e, first * block, 0, count * block, share->column_count);
    skip(&product.skipped_rows, e->round.pivot_row, first, count, parts);
    skip(&product.skipped_rows, e->round.next_row, first, count, parts);
    skip(&product.skipped_columns, e->round.next_column, 0, share->column_count / block, parts);
    return apsp_panels_multiply(&e->panels, e->halves[half], &product, false, error);
}

static enum status enqueue_half(const struct gpu_engine *e, uint32_t half, struct error *error) {
    struct device *device = e->engine.device;
    const uint32_t turn = e->round.k % ROUNDS;
    TRY(device_event_wait_in(device, e->halves[half], e->arrived, error));
    if (half == 0) {
        TRY(device_event_record(device, e->started[turn], error));
    }
    TRY(update_half(e, half, error));
    return device_event_record_in(device, e->halves[half], e->computed[turn][half], error);
}

// Enqueues the rest of the round. Until the round before is computed, the panels' stream must neither read what that
// round updates nor overwrite its factors.
static enum status factors(struct engine *engine, const struct engine_round *round, uint64_t left, uint64_t right,
                           struct error *error) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    const bool is_first = !e->factored;
    e->round = *round;
    e->left = left;
    e->right = right;
    e->factored = true;
    TRY(device_event_record_in(device, engine->panels, e->arrived, error));
    for (uint32_t half = 0; half < HALVES; half++) {
        TRY(enqueue_half(e, half, error));
        if (!is_first) {
            TRY(device_event_wait_in(device, engine->panels, e->computed[(round->k - 1) % ROUNDS][half], error));
        }
    }
    return STATUS_OK;
}

// ---- What the next round sends ----

// Updates a part of the share by the latest round's factors, if there is a round.
static enum status update_part(const struct gpu_engine *e, const struct apsp_product *product, struct error *error) {
    return e->factored ? apsp_panels_multiply(&e->panels, e->engine.panels, product, true, error) : STATUS_OK;
}

static enum status column(struct engine *engine, uint32_t index, uint64_t left, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block, rows = engine->share->row_count;
    const struct apsp_product product = product_of(e, 0, index * block, rows, block);
    TRY(update_part(e, &product, error));
    return apsp_panels_take_left(&e->panels, engine->panels, left, product.w.at, product.w.pitch, rows, block, error);
}

static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block;
    const struct apsp_product product = product_of(e, index * block, 0, block, engine->share->column_count);
    return update_part(e, &product, error);
}

static enum status close_pivot(struct engine *engine, uint32_t row, uint32_t column, uint64_t left, uint64_t closed,
                               struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block, pitch = engine->share->column_count;
    const uint64_t pivot = at(e, row * block, column * block);
    (void)left; // the share holds the same values
    TRY(apsp_panels_close(&e->panels, engine->panels, pivot, pitch, block, error));
    return apsp_panels_take_left(&e->panels, engine->panels, closed, pivot, pitch, block, block, error);
}

static enum status close_row(struct engine *engine, uint32_t index, uint64_t closed, uint64_t right,
                             struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t columns = engine->share->column_count, block = engine->block;
    const struct apsp_words own = {at(e, index * block, 0), columns}, result = {right, columns};
    const struct apsp_product product = {
        .to = right,
        .w = own,
        .left = {closed, block},
        .right = own,
        .pivots = block,
        .high = block / TILE,
        .wide = columns / TILE,
    };
    TRY(apsp_panels_multiply(&e->panels, engine->panels, &product, true, error));
    return apsp_product_copy(&e->panels.closer, engine->panels, own, result, block, columns, error);
}

// A GPU waits from the end of a round's later half until it has the factors of the next round.
static enum status done(struct engine *engine, uint32_t k, bool *done, double *waited_ns, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    struct device *device = engine->device;
    const bool waits = k > 0 && !device->info.predicted;
    double idle_ns = waits ? INFINITY : 0;
    enum status status = STATUS_OK;
    *done = true;
    for (uint32_t half = 0; half < HALVES && status == STATUS_OK && *done; half++) {
        status = device_event_done(device, e->computed[k % ROUNDS][half], done, error);
    }
    for (uint32_t half = 0; half < HALVES && status == STATUS_OK && *done && waits; half++) {
        double since_ns = 0;
        status =
            device_event_elapsed(device, e->computed[(k - 1) % ROUNDS][half], e->started[k % ROUNDS], &since_ns, error);
        idle_ns = fmin(idle_ns, since_ns);
    }
    *waited_ns += *done && status == STATUS_OK ? fmax(idle_ns, 0) : 0;
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
    device_release(device, e->w);
    apsp_panels_release(&e->panels);
    for (size_t i = 0; i < ROUNDS; i++) {
        device_event_destroy(device, e->started[i]);
        for (uint32_t half = 0; half < HALVES; half++) {
            device_event_destroy(device, e->computed[i][half]);
        }
    }
    device_event_destroy(device, e->arrived);
    device_stream_destroy(device, engine->panels);
    device_stream_destroy(device, e->halves[1]);
    free(e);
}

static const struct engine_operations operations = {
    .load = load,
    .factors = factors,
    .column = column,
    .row = row,
    .close_pivot = close_pivot,
    .close_row = close_row,
    .done = done,
    .unload = unload,
    .close = close_engine,
};

static enum status make_streams(struct gpu_engine *e, struct error *error) {
    struct device *device = e->engine.device;
    TRY(device_stream_create(device, STREAM_FIRST, &e->engine.panels, error));
    TRY(device_stream_create(device, STREAM_AS_DEFAULT, &e->halves[1], error));
    TRY(device_event_create(device, &e->arrived, error));
    for (size_t i = 0; i < ROUNDS; i++) {
        TRY(device_event_create(device, &e->started[i], error));
        for (uint32_t half = 0; half < HALVES; half++) {
            TRY(device_event_create(device, &e->computed[i][half], error));
        }
    }
    return STATUS_OK;
}

enum status engine_gpu_open(struct device *device, struct share *share, bool wide, struct engine **engine,
                            struct error *error) {
    const uint64_t count = (uint64_t)share->row_count * share->column_count;
    struct gpu_engine *e = memory_zeros(1, sizeof *e);
    *engine = &e->engine;
    e->engine = (struct engine){&operations, device, share, NULL, share->rows.block};
    TRY(apsp_panels_prepare(device, e->engine.block, wide, &e->panels, error));
    TRY(device_allocate(device, words(count + 1), &e->w, error)); // never no bytes
    return make_streams(e, error);
}
