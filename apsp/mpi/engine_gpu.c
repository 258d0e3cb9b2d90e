// Updates the share with register_tiled.cu in two streams. The default stream updates the share by a round's factors.
// Meanwhile the panels' stream, whose kernels have priority, updates what the next round sends, closes the next pivot
// block and sends the panels. Events let each stream wait for what it needs of the other.
#include <stdlib.h>

#include "apsp/mpi/engine.h"
#include "apsp/solve/gpu_panel.h"

enum {
    TILE = APSP_REGISTER_TILE,
    ROUNDS = 4 // that events tell apart
};

struct gpu_engine {
    struct engine engine;
    uint64_t w; // the share: row_count x column_count words
    struct apsp_panels panels;
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

// ---- The rest of a round ----

// The whole share and the latest round's factors.
static struct apsp_operands operands_of(const struct gpu_engine *e) {
    const struct share *share = e->engine.share;
    return (struct apsp_operands){
        .w = e->w,
        .left = e->left,
        .right = e->right,
        .rows = share->row_count,
        .columns = share->column_count,
        .pitch = share->column_count,
        .right_pitch = share->column_count,
    };
}

static enum status update_rest(struct gpu_engine *e, struct error *error) {
    const struct engine_round *round = &e->round;
    const struct apsp_skipped skipped = {e->engine.block, round->pivot_row, round->next_row, round->next_column};
    return apsp_panels_multiply(&e->panels, NULL, operands_of(e), e->engine.share->row_count, e->engine.block, &skipped,
                                error);
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

// Updates a part of the share by the latest round's factors, if there is a round.
static enum status update_part(const struct gpu_engine *e, const struct apsp_operands *operands, struct error *error) {
    const struct engine *engine = &e->engine;
    return e->factored ? apsp_panels_multiply(&e->panels, engine->panels, *operands, engine->share->row_count,
                                              engine->block, NULL, error)
                       : STATUS_OK;
}

static enum status column(struct engine *engine, uint32_t index, uint64_t left, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block;
    struct apsp_operands operands = operands_of(e);
    operands.w = at(e, 0, index * block);
    operands.right += words(index * block);
    operands.columns = block;
    enum status status = update_part(e, &operands, error);
    return status == STATUS_OK ? apsp_panels_take_left(&e->panels, engine->panels, left, operands.w, operands.pitch,
                                                       operands.rows, block, error)
                               : status;
}

static enum status row(struct engine *engine, uint32_t index, struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block;
    struct apsp_operands operands = operands_of(e);
    operands.w = at(e, index * block, 0);
    operands.left += words(index * block * TILE);
    operands.rows = block;
    return update_part(e, &operands, error);
}

static enum status close_pivot(struct engine *engine, uint32_t row, uint32_t column, uint64_t left, uint64_t closed,
                               struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t block = engine->block;
    (void)left; // the share holds the same values
    return apsp_panels_close(&e->panels, engine->panels, at(e, row * block, column * block),
                             engine->share->column_count, block, closed, error);
}

static enum status close_row(struct engine *engine, uint32_t index, uint64_t closed, uint64_t right,
                             struct error *error) {
    struct gpu_engine *e = gpu(engine);
    const uint32_t columns = engine->share->column_count, block = engine->block;
    const uint64_t own = at(e, index * block, 0);
    const struct apsp_operands operands = {
        .w = right,
        .left = closed,
        .right = own,
        .rows = block,
        .columns = columns,
        .pitch = columns,
        .right_pitch = columns,
    };
    enum status status =
        apsp_panels_copy(&e->panels, engine->panels, right, columns, own, columns, block, columns, error);
    if (status == STATUS_OK) {
        status = apsp_panels_multiply(&e->panels, engine->panels, operands, block, block, NULL, error);
    }
    return status == STATUS_OK
               ? apsp_panels_copy(&e->panels, engine->panels, own, columns, right, columns, block, columns, error)
               : status;
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
    if (e->w) {
        device_release(device, e->w);
    }
    apsp_panels_release(&e->panels);
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

static enum status make_streams(struct gpu_engine *e, struct error *error) {
    struct device *device = e->engine.device;
    enum status status = device_stream_create(device, STREAM_FIRST, &e->engine.panels, error);
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

enum status engine_gpu_open(struct device *device, struct share *share, struct engine **engine, struct error *error) {
    const uint64_t count = (uint64_t)share->row_count * share->column_count;
    struct gpu_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *engine = &e->engine;
    e->engine = (struct engine){&operations, device, share, NULL, share->rows.block};
    enum status status = apsp_panels_prepare(device, e->engine.block, &e->panels, error);
    if (status == STATUS_OK) {
        status = device_allocate(device, words(count + 1), &e->w, error); // never no bytes
    }
    return status == STATUS_OK ? make_streams(e, error) : status;
}
