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

uint64_t apsp_team_rows_bytes(const struct apsp_team *team) {
    const struct apsp_gpu *gpu = &team->gpus[0];
    return (uint64_t)gpu->settings.tile * gpu->pitch * gpu->settings.bits / 8;
}

uint64_t apsp_team_tile_bytes(const struct apsp_team *team) {
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
