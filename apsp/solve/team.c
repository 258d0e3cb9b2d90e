#include "apsp/solve/team.h"

#include <stdlib.h>
#include <string.h>

// ---- Signals ----

static struct device *device_at(const struct apsp_team *team, size_t index) {
    return team->gpus[index].device;
}

// Where a device's work goes: into its stream ahead, or into its own.
static struct stream *stream_at(const struct apsp_team *team, size_t index, bool ahead) {
    return ahead ? team->ahead[index] : NULL;
}

static enum status record(const struct apsp_team *team, size_t from, bool ahead, enum apsp_signal signal,
                          struct error *error) {
    return device_event_record_in(device_at(team, from), stream_at(team, from, ahead), team->signals[from][signal],
                                  error);
}

static enum status wait_for(const struct apsp_team *team, size_t waiting, bool ahead, size_t from,
                            enum apsp_signal signal, struct error *error) {
    return device_event_wait_in(device_at(team, waiting), stream_at(team, waiting, ahead), team->signals[from][signal],
                                error);
}

static enum status wait_for_all(const struct apsp_team *team, size_t waiting, bool ahead, enum apsp_signal of,
                                struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = i == waiting ? STATUS_OK : wait_for(team, waiting, ahead, i, of, error);
    }
    return status;
}

// ---- The exchange ----

static uint64_t band_bytes(const struct apsp_team *team) {
    const struct apsp_gpu *gpu = &team->gpus[0];
    return (uint64_t)gpu->shape.tile * gpu->pitch * gpu->bits / 8;
}

uint64_t apsp_team_exchange_bytes(const struct apsp_team *team) {
    return (team->count - 1) * band_bytes(team);
}

static size_t owner_of(const struct apsp_team *team, uint32_t pivot) {
    size_t owner = 0;
    while (pivot >= team->gpus[owner].first_tile + team->gpus[owner].tile_count) {
        owner++;
    }
    return owner;
}

static enum apsp_signal taken_from(uint32_t pivot) {
    return pivot % 2 == 0 ? APSP_TAKEN_EVEN : APSP_TAKEN_ODD;
}

static enum status send_rows(const struct apsp_team *team, bool ahead, size_t owner, uint32_t pivot,
                             struct error *error) {
    struct device *device = device_at(team, owner);
    struct stream *stream = stream_at(team, owner, ahead);
    const uint64_t bytes = band_bytes(team), offset = pivot * bytes, from = team->gpus[owner].w + offset;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK && team->peer; i++) {
        status = i == owner ? STATUS_OK
                            : device_copy_to_peer_in(device, stream, from, device_at(team, i), team->gpus[i].w + offset,
                                                     bytes, error);
    }
    if (!team->peer) {
        status = wait_for_all(team, owner, ahead, taken_from(pivot), error);
        if (status == STATUS_OK) {
            status = device_copy_to_host_in(device, stream, team->staging[pivot % 2], from, bytes, error);
        }
    }
    return status == STATUS_OK ? record(team, owner, ahead, APSP_SENT, error) : status;
}

static enum status take_rows(const struct apsp_team *team, bool ahead, size_t index, size_t owner, uint32_t pivot,
                             struct error *error) {
    const uint64_t bytes = band_bytes(team), to = team->gpus[index].w + pivot * bytes;
    enum status status = wait_for(team, index, ahead, owner, APSP_SENT, error);
    if (team->peer || status != STATUS_OK) {
        return status;
    }
    status = device_copy_to_device_in(device_at(team, index), stream_at(team, index, ahead), to,
                                      team->staging[pivot % 2], bytes, error);
    return status == STATUS_OK ? record(team, index, ahead, taken_from(pivot), error) : status;
}

enum status apsp_team_exchange(struct apsp_team *team, uint32_t pivot, struct error *error) {
    const size_t owner = owner_of(team, pivot);
    enum status status = send_rows(team, false, owner, pivot, error);
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = i == owner ? STATUS_OK : take_rows(team, false, i, owner, pivot, error);
        if (status == STATUS_OK) {
            status = device_synchronize(device_at(team, i), error);
        }
    }
    return status;
}

// ---- Rounds ----

// The first pivot's rows are everywhere: they are the input's. Later ones are their owner's: it brings them up to date
// and sends them, to devices that have their input by then.
static enum status bring_rows(struct apsp_team *team, size_t index, size_t owner, uint32_t pivot, struct error *error) {
    if (pivot == 0) {
        return wait_for_all(team, index, true, APSP_READY, error);
    }
    enum status status = apsp_gpu_launch_next(&team->gpus[index], team->ahead[index], pivot - 1, index == owner, error);
    if (status != STATUS_OK || team->count == 1) {
        return status;
    }
    return index == owner ? send_rows(team, true, owner, pivot, error)
                          : take_rows(team, true, index, owner, pivot, error);
}

static enum status open_on(struct apsp_team *team, size_t index, size_t owner, uint32_t pivot, struct error *error) {
    struct apsp_gpu *gpu = &team->gpus[index];
    enum status status = wait_for(team, index, true, index, APSP_READY, error);
    if (status == STATUS_OK) {
        status = bring_rows(team, index, owner, pivot, error);
    }
    if (status == STATUS_OK) {
        status = apsp_gpu_launch(gpu, team->ahead[index], APSP_PHASE1, pivot, error);
    }
    if (status == STATUS_OK) {
        status = apsp_gpu_launch(gpu, team->ahead[index], APSP_PHASE2, pivot, error);
    }
    return status == STATUS_OK ? record(team, index, true, APSP_OPEN, error) : status;
}

// The owner first: the others wait for what it sends.
static enum status open_pivot(struct apsp_team *team, uint32_t pivot, struct error *error) {
    const size_t owner = owner_of(team, pivot);
    enum status status = open_on(team, owner, owner, pivot, error);
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = i == owner ? STATUS_OK : open_on(team, i, owner, pivot, error);
    }
    return status;
}

static enum status close_pivot(struct apsp_team *team, size_t index, uint32_t pivot, struct error *error) {
    enum status status = apsp_gpu_launch_rest(&team->gpus[index], NULL, pivot, error);
    return status == STATUS_OK ? record(team, index, false, APSP_READY, error) : status;
}

static enum status run_round(struct apsp_team *team, uint32_t pivot, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = wait_for(team, i, false, i, APSP_OPEN, error);
    }
    if (pivot + 1 < team->gpus[0].rounds) {
        if (status == STATUS_OK) {
            status = open_pivot(team, pivot + 1, error);
        }
    }
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = close_pivot(team, i, pivot, error);
    }
    return status;
}

// A step of every device, and its signal. The first device's clock runs from the first to the last: the others begin
// after it and end before it.
static enum status run_all(struct apsp_team *team, enum apsp_step step, struct error *error) {
    enum status status = step == APSP_PAD ? record(team, 0, false, APSP_READY, error) : STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = i > 0 && step == APSP_PAD ? wait_for(team, i, false, 0, APSP_READY, error) : STATUS_OK;
        if (status == STATUS_OK) {
            status = apsp_gpu_launch(&team->gpus[i], NULL, step, 0, error);
        }
    }
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = record(team, i, false, APSP_READY, error);
    }
    return status == STATUS_OK && step == APSP_UNPAD ? wait_for_all(team, 0, false, APSP_READY, error) : status;
}

enum status apsp_team_enqueue(struct apsp_team *team, struct error *error) {
    enum status status = run_all(team, APSP_PAD, error);
    if (status == STATUS_OK) {
        status = open_pivot(team, 0, error);
    }
    for (uint32_t pivot = 0; pivot < team->gpus[0].rounds && status == STATUS_OK; pivot++) {
        status = run_round(team, pivot, error);
    }
    return status == STATUS_OK ? run_all(team, APSP_UNPAD, error) : status;
}

// ---- Before and after ----

struct apsp_team apsp_team_make(struct device *const *devices, size_t count, const struct point *point,
                                const struct apsp_input *input, struct apsp_ways ways, uint32_t bits) {
    struct apsp_team team = {.count = count};
    for (size_t i = 0; i < count; i++) {
        struct apsp_gpu *gpu = &team.gpus[i];
        *gpu = apsp_gpu_make(devices[i], point, input, ways, bits);
        if (count > 1) {
            gpu->first_tile = (uint32_t)((size_t)gpu->tiles * i / count);
            gpu->tile_count = (uint32_t)((size_t)gpu->tiles * (i + 1) / count) - gpu->first_tile;
        }
    }
    return team;
}

static enum status prepare_member(struct apsp_team *team, size_t index, struct error *error) {
    struct device *device = device_at(team, index);
    enum status status = apsp_gpu_prepare(&team->gpus[index], error);
    if (strcmp(apsp_options.look_ahead, "yes") == 0) {
        if (status == STATUS_OK) {
            status = device_stream_create(device, &team->ahead[index], error);
        }
    }
    for (enum apsp_signal s = 0; s < APSP_SIGNALS && status == STATUS_OK; s++) {
        status = device_event_create(device, &team->signals[index][s], error);
    }
    return status;
}

static enum status prepare_staging(struct apsp_team *team, size_t index, struct error *error) {
    struct device *device = device_at(team, 0);
    void *memory = page_allocate(band_bytes(team));
    if (!memory) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    enum status status = device_pin(device, memory, band_bytes(team), error);
    if (status == STATUS_OK) {
        team->staging[index] = memory;
    } else {
        free(memory);
    }
    return status;
}

enum status apsp_team_prepare(struct apsp_team *team, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        status = prepare_member(team, i, error);
    }
    for (size_t i = 0; i < 2 && status == STATUS_OK && !team->peer; i++) {
        status = prepare_staging(team, i, error);
    }
    return status;
}

static void release_member(struct apsp_team *team, size_t index) {
    struct device *device = device_at(team, index);
    for (enum apsp_signal s = 0; s < APSP_SIGNALS; s++) {
        device_event_destroy(device, team->signals[index][s]);
    }
    device_stream_destroy(device, team->ahead[index]);
    apsp_gpu_release(&team->gpus[index]);
}

void apsp_team_release(struct apsp_team *team) {
    for (size_t i = 0; i < 2 && team->staging[i]; i++) {
        device_unpin(device_at(team, 0), team->staging[i]);
        free(team->staging[i]);
    }
    for (size_t i = 0; i < team->count; i++) {
        release_member(team, i);
    }
}
