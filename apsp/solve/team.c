#include "apsp/solve/team.h"

#include <stdlib.h>

#include "apsp/solve/gpu_transfer.h"

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
    enum status status = STATUS_OK;
    for (enum apsp_lane lane = APSP_AHEAD; lane < APSP_LANES && status == STATUS_OK && gpu->settings.look_ahead;
         lane++) {
        if ((apsp_is_wide(&gpu->settings) || !lanes[lane].wide) && (team->count > 1 || !lanes[lane].several)) {
            status = device_stream_create(gpu->device, lanes[lane].priority, &team->lanes[index][lane], error);
        }
    }
    return status;
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

static enum status prepare_staging(struct apsp_team *team, size_t index, struct error *error) {
    const uint64_t bytes = apsp_team_rows_bytes(team) + apsp_team_tile_bytes(team);
    void *memory = page_allocate(bytes);
    if (!memory) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    enum status status = device_pin(team->gpus[0].device, memory, bytes, error);
    if (status == STATUS_OK) {
        team->staging[index] = memory;
    } else {
        free(memory);
    }
    return status;
}

enum status apsp_team_prepare(struct apsp_team *team, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(prepare_member(team, i, error));
    }
    for (size_t i = 0; i < 2 && !team->gpus[0].settings.peer; i++) {
        TRY(prepare_staging(team, i, error));
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
    for (size_t i = 0; i < 2 && team->staging[i]; i++) {
        device_unpin(team->gpus[0].device, team->staging[i]);
        free(team->staging[i]);
    }
    for (size_t i = 0; i < team->count; i++) {
        release_member(team, i);
    }
}

enum status apsp_team_copy_in(struct apsp_team *team, const struct graph *graph, const int32_t *distances,
                              struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(apsp_gpu_copy_in(&team->gpus[i], graph, distances, error));
    }
    return STATUS_OK;
}

enum status apsp_team_initialise(struct apsp_team *team, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(apsp_gpu_initialise(&team->gpus[i], error));
    }
    return STATUS_OK;
}

enum status apsp_team_poison(struct apsp_team *team, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(apsp_gpu_poison(&team->gpus[i], error));
    }
    return STATUS_OK;
}

enum status apsp_team_copy_out(struct apsp_team *team, int32_t *distances, struct error *error) {
    for (size_t i = 0; i < team->count; i++) {
        TRY(apsp_gpu_copy_out(&team->gpus[i], distances, error));
    }
    return STATUS_OK;
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

size_t apsp_team_owner(const struct apsp_team *team, uint32_t pivot) {
    size_t owner = 0;
    while (pivot >= team->gpus[owner].first_tile + team->gpus[owner].tile_count) {
        owner++;
    }
    return owner;
}

enum status apsp_team_record(const struct apsp_team *team, size_t index, enum apsp_lane lane, enum apsp_signal signal,
                             struct error *error) {
    return device_event_record_in(device_at(team, index), stream_at(team, index, lane), team->signals[index][signal],
                                  error);
}

enum status apsp_team_wait(const struct apsp_team *team, size_t index, enum apsp_lane lane, size_t from,
                           enum apsp_signal signal, struct error *error) {
    return device_event_wait_in(device_at(team, index), stream_at(team, index, lane), team->signals[from][signal],
                                error);
}

enum status apsp_team_wait_for_all(const struct apsp_team *team, size_t index, enum apsp_lane lane,
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

enum status apsp_team_send(const struct apsp_team *team, enum apsp_lane lane, enum apsp_parcel parcel, uint32_t pivot,
                           struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    TRY(is_peer(team) ? send_to_peers(team, stream_at(team, owner, lane), owner, parcel, pivot, error)
                      : send_to_host(team, lane, owner, parcel, pivot, error));
    return apsp_team_record(team, owner, lane, signals_of[parcel].sent, error);
}

enum status apsp_team_receive(const struct apsp_team *team, enum apsp_lane lane, size_t index, enum apsp_parcel parcel,
                              uint32_t pivot, struct error *error) {
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
