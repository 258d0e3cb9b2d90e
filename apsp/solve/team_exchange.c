#include "apsp/solve/team_exchange.h"

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
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        if (i != index) {
            status = apsp_team_wait(team, index, lane, i, signal, error);
        }
    }
    return status;
}

static enum apsp_signal received_signal(uint32_t pivot) {
    return pivot % 2 == 0 ? APSP_EVEN_RECEIVED : APSP_ODD_RECEIVED;
}

static enum status send_to_peers(const struct apsp_team *team, enum apsp_lane lane, size_t owner, uint32_t pivot,
                                 struct error *error) {
    struct device *device = device_at(team, owner);
    const uint64_t bytes = apsp_team_rows_bytes(team), offset = pivot * bytes;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        if (i != owner) {
            status = device_copy_to_peer_in(device, stream_at(team, owner, lane), team->gpus[owner].w + offset,
                                            device_at(team, i), team->gpus[i].w + offset, bytes, error);
        }
    }
    return status;
}

static enum status send_to_host(const struct apsp_team *team, enum apsp_lane lane, size_t owner, uint32_t pivot,
                                struct error *error) {
    const uint64_t bytes = apsp_team_rows_bytes(team);
    enum status status = apsp_team_wait_for_all(team, owner, lane, received_signal(pivot), error);
    if (status == STATUS_OK) {
        status = device_copy_to_host_in(device_at(team, owner), stream_at(team, owner, lane), team->staging[pivot % 2],
                                        team->gpus[owner].w + pivot * bytes, bytes, error);
    }
    return status;
}

enum status apsp_team_send(const struct apsp_team *team, enum apsp_lane lane, uint32_t pivot, struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    enum status status =
        is_peer(team) ? send_to_peers(team, lane, owner, pivot, error) : send_to_host(team, lane, owner, pivot, error);
    return status == STATUS_OK ? apsp_team_record(team, owner, lane, APSP_ROWS_SENT, error) : status;
}

enum status apsp_team_receive(const struct apsp_team *team, enum apsp_lane lane, size_t index, uint32_t pivot,
                              struct error *error) {
    const uint64_t bytes = apsp_team_rows_bytes(team);
    enum status status = apsp_team_wait(team, index, lane, apsp_team_owner(team, pivot), APSP_ROWS_SENT, error);
    if (status == STATUS_OK && !is_peer(team)) {
        status = device_copy_to_device_in(device_at(team, index), stream_at(team, index, lane),
                                          team->gpus[index].w + pivot * bytes, team->staging[pivot % 2], bytes, error);
        if (status == STATUS_OK) {
            status = apsp_team_record(team, index, lane, received_signal(pivot), error);
        }
    }
    return status;
}

enum status apsp_team_exchange(const struct apsp_team *team, uint32_t pivot, struct error *error) {
    const size_t owner = apsp_team_owner(team, pivot);
    enum status status = apsp_team_send(team, APSP_MAIN, pivot, error);
    for (size_t i = 0; i < team->count && status == STATUS_OK; i++) {
        if (i != owner) {
            status = apsp_team_receive(team, APSP_MAIN, i, pivot, error);
        }
        if (status == STATUS_OK) {
            status = device_synchronize(device_at(team, i), error);
        }
    }
    return status;
}

uint64_t apsp_team_exchange_bytes(const struct apsp_team *team) {
    return (team->count - 1) * apsp_team_rows_bytes(team);
}
