#include "apsp/solve/team.h"

#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_round.h"
#include "apsp/solve/gpu_wide.h"

// What one GPU sends to all others.
enum apsp_parcel {
    APSP_MATRIX_ROWS, // a pivot's rows of the matrix
    APSP_PANEL_ROWS,  // a wide pivot's right panel
    APSP_CLOSED_TILE, // of a wide pivot
    APSP_PARCELS
};

struct apsp_team apsp_team_make(struct device *const *devices, size_t count, const struct graph *graph,
                                const struct apsp_settings *settings) {
    struct apsp_team team = {.count = count};
    for (size_t i = 0; i < count; i++) {
        struct apsp_gpu *gpu = &team.gpus[i];
        *gpu = apsp_gpu_make(devices[i], graph, settings);
        if (count > 1) {
            gpu->first_tile = (uint32_t)((size_t)gpu->tiles * i / count);
            gpu->tile_count = (uint32_t)((size_t)gpu->tiles * (i + 1) / count) - gpu->first_tile;
        }
    }
    return team;
}

// Bytes of the rows that belong to one pivot, and bytes of its tile.
static uint64_t apsp_team_rows_bytes(const struct apsp_team *team) {
    const struct apsp_gpu *gpu = &team->gpus[0];
    return (uint64_t)gpu->settings.tile * gpu->pitch * gpu->settings.bits / 8;
}

static uint64_t apsp_team_tile_bytes(const struct apsp_team *team) {
    const struct apsp_settings *settings = &team->gpus[0].settings;
    return (uint64_t)settings->tile * settings->tile * settings->bits / 8;
}

static enum status prepare_lanes(struct apsp_team *team, size_t index, struct error *error) {
    static const struct {
        enum stream_priority priority;
        bool wide, several; // only with wide tiles, and only on several GPUs
    } lanes[APSP_LANES] = {
        [APSP_AHEAD] = {STREAM_FIRST, false, false},
        [APSP_ASIDE] = {STREAM_SECOND, true, false},
        [APSP_BESIDE] = {STREAM_AS_DEFAULT, true, false},
        [APSP_AWAY] = {STREAM_FIRST, true, true},
    };
    const struct apsp_gpu *gpu = &team->gpus[index];
    for (enum apsp_lane lane = APSP_AHEAD; lane < APSP_LANES && gpu->settings.look_ahead; lane++) {
        if ((apsp_is_wide(&gpu->settings) || !lanes[lane].wide) && (team->count > 1 || !lanes[lane].several)) {
            TRY(device_stream_create(gpu->device, lanes[lane].priority, &team->lanes[index][lane], error));
        }
    }
    return STATUS_OK;
}

static enum status prepare_member(struct apsp_team *team, size_t index, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[index];
    TRY(apsp_gpu_prepare(gpu, error));
    TRY(prepare_lanes(team, index, error));
    for (enum apsp_signal signal = 0; signal < APSP_SIGNALS; signal++) {
        TRY(device_event_create(gpu->device, &team->signals[index][signal], error));
    }
    return STATUS_OK;
}

enum status apsp_team_prepare(struct apsp_team *team, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(prepare_member(team, i, error));
    }
    for (size_t i = 0; i < 2 && !team->gpus[0].settings.peer; i++) {
        TRY(page_allocate_pinned(team->gpus[0].device, apsp_team_rows_bytes(team) + apsp_team_tile_bytes(team),
                                 "use fewer vertices", &team->staging[i], error));
    }
    return STATUS_OK;
}

static void release_member(struct apsp_team *team, size_t index) {
    struct device *device = team->gpus[index].device;
    for (enum apsp_signal signal = 0; signal < APSP_SIGNALS; signal++) {
        device_event_destroy(device, team->signals[index][signal]);
    }
    for (enum apsp_lane lane = 0; lane < APSP_LANES; lane++) {
        device_stream_destroy(device, team->lanes[index][lane]);
    }
    apsp_gpu_release(&team->gpus[index]);
}

void apsp_team_release(struct apsp_team *team) {
    for (size_t i = 0; i < 2; i++) {
        page_release_pinned(team->gpus[0].device, team->staging[i]);
    }
    for (size_t i = 0; i < team->count; i++) {
        release_member(team, i);
    }
}

// ---- Exchanges between the team's devices ----

static struct device *device_at(const struct apsp_team *team, size_t index) {
    return team->gpus[index].device;
}

static struct stream *stream_at(const struct apsp_team *team, size_t index, enum apsp_lane lane) {
    return team->lanes[index][lane];
}

static bool is_peer(const struct apsp_team *team) {
    return team->gpus[0].settings.peer;
}

// The GPU that owns the pivot's rows.
static size_t apsp_team_owner(const struct apsp_team *team, uint32_t pivot) {
    size_t owner = 0;
    while (pivot >= team->gpus[owner].first_tile + team->gpus[owner].tile_count) {
        owner++;
    }
    return owner;
}

// Records a signal, or waits for another GPU's, in a GPU's stream.
static enum status apsp_team_record(const struct apsp_team *team, size_t index, enum apsp_lane lane,
                                    enum apsp_signal signal, struct error *error) {
    return device_event_record_in(device_at(team, index), stream_at(team, index, lane), team->signals[index][signal],
                                  error);
}

static enum status apsp_team_wait(const struct apsp_team *team, size_t index, enum apsp_lane lane, size_t from,
                                  enum apsp_signal signal, struct error *error) {
    return device_event_wait_in(device_at(team, index), stream_at(team, index, lane), team->signals[from][signal],
                                error);
}

static enum status apsp_team_wait_for_all(const struct apsp_team *team, size_t index, enum apsp_lane lane,
                                          enum apsp_signal signal, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        if (i != index) {
            TRY(apsp_team_wait(team, index, lane, i, signal, error));
        }
    }
    return STATUS_OK;
}

static const struct {
    enum apsp_signal sent, received;
} signals_of[APSP_PARCELS] = {
    [APSP_MATRIX_ROWS] = {APSP_ROWS_SENT, APSP_ROWS_RECEIVED},
    [APSP_PANEL_ROWS] = {APSP_ROWS_SENT, APSP_ROWS_RECEIVED},
    [APSP_CLOSED_TILE] = {APSP_TILE_SENT, APSP_TILE_RECEIVED},
};

static enum apsp_signal received_signal(enum apsp_parcel parcel, uint32_t pivot) {
    return signals_of[parcel].received + pivot % 2;
}

static uint64_t address_of(const struct apsp_team *team, size_t index, enum apsp_parcel parcel, uint32_t pivot) {
    const struct apsp_gpu *gpu = &team->gpus[index];
    return parcel == APSP_MATRIX_ROWS  ? gpu->w + pivot * apsp_team_rows_bytes(team)
           : parcel == APSP_PANEL_ROWS ? gpu->right[pivot % 2]
                                       : gpu->closed[pivot % 2];
}

static uint64_t bytes_of(const struct apsp_team *team, enum apsp_parcel parcel) {
    return parcel == APSP_CLOSED_TILE ? apsp_team_tile_bytes(team) : apsp_team_rows_bytes(team);
}

// The host's memory has the rows first, then the tile.
static void *staging_of(const struct apsp_team *team, enum apsp_parcel parcel, uint32_t pivot) {
    const uint64_t before = parcel == APSP_CLOSED_TILE ? apsp_team_rows_bytes(team) : 0;
    return (char *)team->staging[pivot % 2] + before;
}

static enum status send_to_peers(const struct apsp_team *team, struct stream *stream, size_t owner,
                                 enum apsp_parcel parcel, uint32_t pivot, struct error *error) {
    struct device *device = device_at(team, owner);
    const uint64_t from = address_of(team, owner, parcel, pivot), bytes = bytes_of(team, parcel);
    for (size_t i = 0; i < team->count; i++) {
        if (i != owner) {
            TRY(device_copy_to_peer_in(device, stream, from, device_at(team, i), address_of(team, i, parcel, pivot),
                                       bytes, error));
        }
    }
    return STATUS_OK;
}

static enum status send_to_host(const struct apsp_team *team, enum apsp_lane lane, size_t owner,
                                enum apsp_parcel parcel, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait_for_all(team, owner, lane, received_signal(parcel, pivot), error));
    return device_copy_to_host_in(device_at(team, owner), stream_at(team, owner, lane), staging_of(team, parcel, pivot),
                                  address_of(team, owner, parcel, pivot), bytes_of(team, parcel), error);
}

// Enqueues the owner's part of an exchange, and that of another GPU. The owner may write to the other GPUs' memory.
static enum status apsp_team_send(const struct apsp_team *team, enum apsp_lane lane, enum apsp_parcel parcel,
                                  uint32_t pivot, struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    TRY(is_peer(team) ? send_to_peers(team, stream_at(team, owner, lane), owner, parcel, pivot, error)
                      : send_to_host(team, lane, owner, parcel, pivot, error));
    return apsp_team_record(team, owner, lane, signals_of[parcel].sent, error);
}

static enum status apsp_team_receive(const struct apsp_team *team, enum apsp_lane lane, size_t index,
                                     enum apsp_parcel parcel, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait(team, index, lane, apsp_team_owner(team, pivot), signals_of[parcel].sent, error));
    if (!is_peer(team)) {
        TRY(device_copy_to_device_in(device_at(team, index), stream_at(team, index, lane),
                                     address_of(team, index, parcel, pivot), staging_of(team, parcel, pivot),
                                     bytes_of(team, parcel), error));
        TRY(apsp_team_record(team, index, lane, received_signal(parcel, pivot), error));
    }
    return STATUS_OK;
}

enum status apsp_team_exchange(const struct apsp_team *team, uint32_t pivot, struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    TRY(apsp_team_send(team, APSP_MAIN, APSP_MATRIX_ROWS, pivot, error));
    for (size_t i = 0; i < team->count; i++) {
        if (i != owner) {
            TRY(apsp_team_receive(team, APSP_MAIN, i, APSP_MATRIX_ROWS, pivot, error));
        }
        TRY(device_synchronize(device_at(team, i), error));
    }
    return STATUS_OK;
}

uint64_t apsp_team_exchange_bytes(const struct apsp_team *team) {
    return (team->count - 1) * apsp_team_rows_bytes(team);
}

// ---- The solution ----

// With register_tiled.cu the work on a pivot begins before its round. A second stream, which runs ahead, updates the
// pivot's row and column first (a part of phase 3 of the round before), runs phases 1 and 2, and sends the closed row
// to the other GPUs, which update only their columns. Meanwhile the GPU's default stream runs the rest of the round
// before.

// ---- With look-ahead ----

// The rest of a round comes in halves, each in a stream: while the last blocks of one half leave multiprocessors idle,
// the other one's run there. Neither half reads what the other one writes.
static const struct {
    enum apsp_lane lane;
    enum apsp_signal ready;
} halves[] = {{APSP_MAIN, APSP_ROWS_READY}, {APSP_BESIDE, APSP_HALF_READY}};

enum {
    HALVES = sizeof halves / sizeof *halves
};

// Lets a stream wait until both halves of the latest round are done.
static enum status wait_for_halves(struct apsp_team *team, size_t index, enum apsp_lane lane, struct error *error) {
    for (uint32_t half = 0; half < HALVES; half++) {
        TRY(apsp_team_wait(team, index, lane, index, halves[half].ready, error));
    }
    return STATUS_OK;
}

// Only the owner of a pivot's rows updates and closes them, and the others receive what it has computed. The first
// pivot's rows are part of the owner's input; the others have theirs by then, too, and the owner may write to their
// memory.
static enum status make_rows(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[owner];
    struct stream *ahead = team->lanes[owner][APSP_AHEAD];
    TRY(pivot > 0 ? apsp_gpu_launch_next(gpu, ahead, pivot - 1, true, error)
                  : apsp_team_wait_for_all(team, owner, APSP_AHEAD, APSP_ROWS_READY, error));
    TRY(apsp_round_step(gpu, ahead, APSP_PHASE1, pivot, error));
    if (team->count == 1) {
        return STATUS_OK;
    }
    TRY(apsp_gpu_launch_pivot_row(gpu, ahead, pivot, error));
    return apsp_team_send(team, APSP_AHEAD, APSP_MATRIX_ROWS, pivot, error);
}

static enum status take_rows(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    TRY(pivot > 0 ? apsp_gpu_launch_next(&team->gpus[index], team->lanes[index][APSP_AHEAD], pivot - 1, false, error)
                  : STATUS_OK);
    return apsp_team_receive(team, APSP_AHEAD, index, APSP_MATRIX_ROWS, pivot, error);
}

static enum status prepare_narrow_on(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[index];
    struct stream *ahead = team->lanes[index][APSP_AHEAD];
    TRY(wait_for_halves(team, index, APSP_AHEAD, error));
    TRY(index == apsp_team_owner(team, pivot) ? make_rows(team, index, pivot, error)
                                              : take_rows(team, index, pivot, error));
    TRY(team->count == 1 ? apsp_round_step(gpu, ahead, APSP_PHASE2, pivot, error)
                         : apsp_gpu_launch_pivot_column(gpu, ahead, pivot, error));
    return apsp_team_record(team, index, APSP_AHEAD, APSP_PIVOT_READY, error);
}

// ---- With wide tiles ----

// The longest way to the next round is: the pivot's tile is updated and closed, its rows are multiplied by it and sent.
// One stream does only that, and its blocks run first. A second stream updates the other tiles of the rows, then
// updates and closes the columns. A third one sends.

static enum status update_wide(struct apsp_team *team, size_t index, uint32_t pivot, bool owns, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[index];
    struct stream *aside = team->lanes[index][APSP_ASIDE];
    TRY(wait_for_halves(team, index, APSP_ASIDE, error));
    if (pivot > 0) { // then the panels of the pivot before are complete
        TRY(apsp_team_wait(team, index, APSP_ASIDE, index, APSP_PIVOT_READY, error));
    }
    if (pivot > 0 && owns) {
        TRY(apsp_wide_next_rows(gpu, aside, pivot - 1, error));
    }
    if (owns) {
        TRY(apsp_team_record(team, index, APSP_ASIDE, APSP_NEXT_UPDATED, error));
    }
    if (pivot > 0) {
        TRY(apsp_wide_next_columns(gpu, aside, pivot - 1, error));
    }
    return apsp_wide_take_columns(gpu, aside, pivot, error);
}

static enum status close_wide_tile(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[owner];
    struct stream *ahead = team->lanes[owner][APSP_AHEAD];
    TRY(pivot > 0 ? apsp_wide_next_tile(gpu, ahead, pivot - 1, error) : STATUS_OK);
    TRY(apsp_wide_close(gpu, ahead, pivot, error));
    TRY(apsp_team_record(team, owner, APSP_AHEAD, APSP_TILE_CLOSED, error));
    return apsp_wide_share_tile(gpu, ahead, pivot, error);
}

static enum status close_wide_rows(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait(team, owner, APSP_AHEAD, owner, APSP_NEXT_UPDATED, error));
    TRY(apsp_wide_rows(&team->gpus[owner], team->lanes[owner][APSP_AHEAD], pivot, error));
    return apsp_team_record(team, owner, APSP_AHEAD, APSP_ROWS_CLOSED, error);
}

// The other GPUs have finished the round that used the same buffers.
static enum status wait_for_buffers(struct apsp_team *team, size_t owner, struct error *error) {
    static const enum apsp_signal signals[] = {APSP_ROWS_READY, APSP_HALF_READY, APSP_PIVOT_READY};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        TRY(apsp_team_wait_for_all(team, owner, APSP_AWAY, signals[i], error));
    }
    return STATUS_OK;
}

static enum status send_wide_tile(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait(team, owner, APSP_AWAY, owner, APSP_TILE_CLOSED, error));
    TRY(apsp_wide_pack_tile(&team->gpus[owner], team->lanes[owner][APSP_AWAY], pivot, error));
    TRY(wait_for_buffers(team, owner, error));
    return apsp_team_send(team, APSP_AWAY, APSP_CLOSED_TILE, pivot, error);
}

static enum status send_wide_rows(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait(team, owner, APSP_AWAY, owner, APSP_ROWS_CLOSED, error));
    return apsp_team_send(team, APSP_AWAY, APSP_PANEL_ROWS, pivot, error);
}

// The first wait keeps the buffers until they are sent.
static enum status make_wide_rows(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    const bool several = team->count > 1;
    TRY(several ? apsp_team_wait(team, owner, APSP_AHEAD, owner, APSP_ROWS_SENT, error) : STATUS_OK);
    TRY(close_wide_tile(team, owner, pivot, error));
    TRY(several ? send_wide_tile(team, owner, pivot, error) : STATUS_OK);
    TRY(close_wide_rows(team, owner, pivot, error));
    return several ? send_wide_rows(team, owner, pivot, error) : STATUS_OK;
}

static enum status close_wide_columns(struct apsp_team *team, size_t index, uint32_t pivot, bool owns,
                                      struct error *error) {
    TRY(owns ? apsp_team_wait(team, index, APSP_ASIDE, index, APSP_TILE_CLOSED, error)
             : apsp_team_receive(team, APSP_ASIDE, index, APSP_CLOSED_TILE, pivot, error));
    TRY(apsp_wide_columns(&team->gpus[index], team->lanes[index][APSP_ASIDE], pivot, !owns, error));
    return apsp_team_record(team, index, APSP_ASIDE, APSP_COLUMNS_READY, error);
}

// The panels are complete when both streams are done.
static enum status join_wide(struct apsp_team *team, size_t index, struct error *error) {
    TRY(apsp_team_wait(team, index, APSP_AHEAD, index, APSP_COLUMNS_READY, error));
    return apsp_team_record(team, index, APSP_AHEAD, APSP_PIVOT_READY, error);
}

// This may come after the pivot is ready: the rest of the round takes the rows from the panel, and the next pivot's
// work in this stream comes later.
static enum status store_wide_rows(struct apsp_team *team, size_t owner, uint32_t pivot, struct error *error) {
    TRY(apsp_team_wait(team, owner, APSP_ASIDE, owner, APSP_ROWS_CLOSED, error));
    TRY(apsp_wide_store_rows(&team->gpus[owner], team->lanes[owner][APSP_ASIDE], pivot, error));
    return apsp_team_record(team, owner, APSP_ASIDE, APSP_ROWS_STORED, error);
}

static enum status prepare_wide_on(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    const bool owns = index == apsp_team_owner(team, pivot);
    TRY(update_wide(team, index, pivot, owns, error));
    TRY(wait_for_halves(team, index, APSP_AHEAD, error));
    TRY(owns ? make_wide_rows(team, index, pivot, error)
             : apsp_team_receive(team, APSP_AHEAD, index, APSP_PANEL_ROWS, pivot, error));
    TRY(close_wide_columns(team, index, pivot, owns, error));
    TRY(join_wide(team, index, error));
    return owns ? store_wide_rows(team, index, pivot, error) : STATUS_OK;
}

// ---- Rounds ----

static enum status prepare_pivot_on(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    return apsp_is_wide(&team->gpus[index].settings) ? prepare_wide_on(team, index, pivot, error)
                                                     : prepare_narrow_on(team, index, pivot, error);
}

// The owner comes first, because the others wait for the event that it records.
static enum status prepare_pivot(struct apsp_team *team, uint32_t pivot, struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    TRY(prepare_pivot_on(team, owner, pivot, error));
    for (size_t i = 0; i < team->count; i++) {
        if (i != owner) {
            TRY(prepare_pivot_on(team, i, pivot, error));
        }
    }
    return STATUS_OK;
}

static enum status finish_round(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    for (uint32_t half = 0; half < HALVES; half++) {
        const enum apsp_lane lane = halves[half].lane;
        TRY(apsp_round_rest(&team->gpus[index], team->lanes[index][lane], pivot, half, error));
        TRY(apsp_team_record(team, index, lane, halves[half].ready, error));
    }
    return STATUS_OK;
}

static enum status run_round(struct apsp_team *team, uint32_t pivot, struct error *error) {
    for (size_t i = 0; i < team->count * HALVES; i++) {
        const size_t index = i / HALVES;
        TRY(apsp_team_wait(team, index, halves[i % HALVES].lane, index, APSP_PIVOT_READY, error));
    }
    if (pivot + 1 < team->gpus[0].rounds) {
        TRY(prepare_pivot(team, pivot + 1, error));
    }
    for (size_t i = 0; i < team->count; i++) {
        TRY(finish_round(team, i, pivot, error));
    }
    return STATUS_OK;
}

static enum status wait_for_end(struct apsp_team *team, size_t index, struct error *error) {
    TRY(wait_for_halves(team, index, APSP_MAIN, error));
    return apsp_team_wait(team, index, APSP_MAIN, index, APSP_ROWS_STORED, error);
}

// Padding leaves these ready, as a round does, so that no solution waits for an event of the one before, which a graph
// could not.
static enum status record_all_ready(struct apsp_team *team, size_t index, struct error *error) {
    static const enum apsp_signal signals[] = {APSP_ROWS_STORED, APSP_HALF_READY, APSP_ROWS_READY};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        TRY(apsp_team_record(team, index, APSP_MAIN, signals[i], error));
    }
    return STATUS_OK;
}

// Runs padding or its removal on every GPU. The first GPU's stream begins before the others' and ends after them, so
// that its clock covers all of them.
static enum status run_on_all(struct apsp_team *team, enum apsp_step step, struct error *error) {
    if (step == APSP_PAD) {
        TRY(apsp_team_record(team, 0, APSP_MAIN, APSP_ROWS_READY, error));
    }
    for (size_t i = 0; i < team->count; i++) {
        if (step == APSP_UNPAD) {
            TRY(wait_for_end(team, i, error));
        } else if (i > 0) {
            TRY(apsp_team_wait(team, i, APSP_MAIN, 0, APSP_ROWS_READY, error));
        }
        TRY(apsp_round_step(&team->gpus[i], NULL, step, 0, error));
    }
    for (size_t i = 0; i < team->count; i++) {
        TRY(step == APSP_PAD ? record_all_ready(team, i, error)
                             : apsp_team_record(team, i, APSP_MAIN, APSP_ROWS_READY, error));
    }
    if (step == APSP_UNPAD) {
        TRY(apsp_team_wait_for_all(team, 0, APSP_MAIN, APSP_ROWS_READY, error));
    }
    return STATUS_OK;
}

// ---- Next hops, on a team of one ----

enum {
    PASSES_AT_ONCE = 8
};

static uint32_t zero_passes(const struct apsp_gpu *gpu) {
    return gpu->settings.paths->passes + 1; // the last one forgets what was fresh
}

// Most graphs have so few edges of weight 0 that their passes are enqueued at once. Otherwise the host looks now and
// then whether another one is needed.
static enum status visit_zero_hops(struct apsp_gpu *gpu, const struct apsp_step_visitor *visitor, struct error *error) {
    const uint32_t passes = zero_passes(gpu);
    bool found = passes > 1;
    for (uint32_t pass = 0; pass < passes && found; pass++) {
        TRY(visitor->step(visitor->context, APSP_ZERO_HOPS, pass, error));
        if ((pass + 1) % PASSES_AT_ONCE == 0 && pass + 1 < passes) {
            TRY(apsp_gpu_take_found(gpu, &found, error));
        }
    }
    return STATUS_OK;
}

static enum status visit_hops(struct apsp_team *team, const struct apsp_step_visitor *visitor, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[0];
    if (!gpu->settings.paths) {
        return STATUS_OK;
    }
    TRY(visitor->step(visitor->context, APSP_NEXT_HOPS, 0, error));
    return visit_zero_hops(gpu, visitor, error);
}

static enum status launch_step(void *context, enum apsp_step step, uint32_t pivot, struct error *error) {
    return apsp_round_step(context, NULL, step, pivot, error);
}

static struct apsp_step_visitor launcher(struct apsp_team *team) {
    return (struct apsp_step_visitor){.step = launch_step, .context = &team->gpus[0]};
}

static enum status enqueue_ahead(struct apsp_team *team, struct error *error) {
    TRY(run_on_all(team, APSP_PAD, error));
    TRY(prepare_pivot(team, 0, error));
    for (uint32_t pivot = 0; pivot < team->gpus[0].rounds; pivot++) {
        TRY(run_round(team, pivot, error));
    }
    TRY(run_on_all(team, APSP_UNPAD, error));
    const struct apsp_step_visitor visitor = launcher(team);
    return visit_hops(team, &visitor, error);
}

// ---- Step by step ----

static enum status visit_round(const struct apsp_team *team, uint32_t pivot, const struct apsp_step_visitor *visitor,
                               struct error *error) {
    const bool small = apsp_is_small(&team->gpus[0].settings);
    const enum apsp_step first = small ? APSP_ROUND : APSP_PHASE1;
    const enum apsp_step last = small ? APSP_ROUND : team->gpus[0].tiles > 1 ? APSP_PHASE3 : APSP_PHASE1;
    if (team->count > 1) {
        TRY(visitor->exchange(visitor->context, pivot, error));
    }
    for (enum apsp_step step = first; step <= last; step++) {
        TRY(visitor->step(visitor->context, step, pivot, error));
    }
    apsp_round_done(visitor->progress);
    return STATUS_OK;
}

enum status apsp_team_visit(struct apsp_team *team, uint32_t rounds, const struct apsp_step_visitor *visitor,
                            struct error *error) {
    TRY(visitor->step(visitor->context, APSP_PAD, 0, error));
    if (rounds > 0 && apsp_is_small(&team->gpus[0].settings)) {
        TRY(visitor->step(visitor->context, APSP_PREPARE, 0, error));
    }
    for (uint32_t pivot = 0; pivot < rounds; pivot++) {
        TRY(visit_round(team, pivot, visitor, error));
    }
    TRY(visitor->step(visitor->context, APSP_UNPAD, 0, error));
    return visit_hops(team, visitor, error);
}

static enum status enqueue_in_order(struct apsp_team *team, uint32_t rounds, struct error *error) {
    const struct apsp_step_visitor visitor = launcher(team);
    return apsp_team_visit(team, rounds, &visitor, error);
}

enum status apsp_team_enqueue_padding(struct apsp_team *team, struct error *error) {
    return enqueue_in_order(team, 0, error);
}

enum status apsp_team_enqueue(struct apsp_team *team, struct error *error) {
    const struct apsp_gpu *gpu = &team->gpus[0];
    const bool in_order = gpu->settings.kernels != APSP_REGISTERS || apsp_is_small(&gpu->settings);
    return in_order ? enqueue_in_order(team, gpu->rounds, error) : enqueue_ahead(team, error);
}

// ---- As a graph ----

bool apsp_team_can_capture(const struct apsp_team *team) {
    const struct apsp_gpu *gpu = &team->gpus[0];
    return team->count == 1 && !(gpu->settings.paths && zero_passes(gpu) > PASSES_AT_ONCE);
}

// *graph stays NULL if the driver refuses.
static void capture(struct apsp_team *team, struct launch_graph **graph, struct error *refused) {
    struct device *device = team->gpus[0].device;
    if (device_capture_begin(device, refused) == STATUS_OK) {
        const enum status recorded = apsp_team_enqueue(team, refused);
        (void)device_capture_end(device, graph, recorded == STATUS_OK ? refused : NULL);
        if (recorded != STATUS_OK) {
            device_graph_destroy(device, *graph);
            *graph = NULL;
        }
    }
}

enum status apsp_team_capture(struct apsp_team *team, struct launch_graph **graph, struct error *refused,
                              struct error *error) {
    struct device *device = team->gpus[0].device;
    *graph = NULL;
    if (!device_has_graphs(device)) {
        (void)error_set(refused, STATUS_FAILED, "%s: the driver has no graphs", device->info.spec);
        return STATUS_OK;
    }
    TRY(apsp_team_enqueue(team, error));
    TRY(device_synchronize(device, error));
    capture(team, graph, refused);
    return STATUS_OK;
}
