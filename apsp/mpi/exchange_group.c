#include "apsp/mpi/exchange_group.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/gpu/group.h"

enum {
    FIRST_BYTES = 1 << 22,
    FIRST_SECONDS = 60
};

struct group_exchange {
    struct exchange exchange;
    struct group_library *library;
    struct group *groups[EXCHANGE_DIRECTIONS]; // NULL where a rank is alone
};

static struct group_exchange *group(struct exchange *exchange) {
    return (struct group_exchange *)exchange;
}

static enum status broadcast(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                             size_t bytes, int from, MPI_Request *request, struct error *error) {
    struct group_exchange *e = group(exchange);
    *request = MPI_REQUEST_NULL;
    return e->groups[direction] && bytes > 0
               ? group_broadcast(e->groups[direction], exchange->stream, address, bytes, from, error)
               : STATUS_OK;
}

static enum status check(struct exchange *exchange, struct error *error) {
    struct group_exchange *e = group(exchange);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = e->groups[i] ? group_check(e->groups[i], error) : STATUS_OK;
    }
    return status;
}

static void leave(struct group_exchange *e, bool abort) {
    for (size_t i = 0; i < EXCHANGE_DIRECTIONS; i++) {
        group_leave(e->groups[i], abort);
        e->groups[i] = NULL;
    }
}

static void stop(struct exchange *exchange) {
    leave(group(exchange), true);
}

static void close_exchange(struct exchange *exchange) {
    struct group_exchange *e = group(exchange);
    leave(e, false);
    group_library_close(e->library);
    free(e);
}

static const struct exchange_operations by_group = {
    .broadcast = broadcast,
    .check = check,
    .stop = stop,
    .close = close_exchange,
};

// Joins the ranks of a direction. Its first rank makes the id.
static enum status join(struct group_exchange *e, enum exchange_direction direction, struct error *error) {
    const MPI_Comm ranks = exchange_ranks(&e->exchange, direction);
    struct group_id id = {{0}};
    int rank, count;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &count);
    enum status status = rank == 0 && count > 1 ? group_make_id(e->library, &id, error) : STATUS_OK;
    status = ranks_agree(e->exchange.ranks, status, error);
    if (status == STATUS_OK && count > 1) {
        MPI_Bcast(id.bytes, sizeof id.bytes, MPI_CHAR, 0, ranks);
        status = group_join(e->library, &id, rank, count, &e->groups[direction], error);
    }
    return ranks_agree(e->exchange.ranks, status, error);
}

// Waits for what the stream has enqueued, as long as the library reports no fault.
static enum status wait_for_stream(struct group_exchange *e, struct error *error) {
    struct device *device = e->exchange.device;
    const double begun = MPI_Wtime();
    struct event *event = NULL;
    bool done = false;
    enum status status = device_event_create(device, &event, error);
    if (status == STATUS_OK) {
        status = device_event_record_in(device, e->exchange.stream, event, error);
    }
    while (status == STATUS_OK && !done) {
        status = device_event_done(device, event, &done, error);
        status = status == STATUS_OK ? check(&e->exchange, error) : status;
        if (status == STATUS_OK && !done && MPI_Wtime() - begun > (double)FIRST_SECONDS) {
            status =
                error_set(error, STATUS_FAILED, "%s: the first broadcast takes more than %d s: give --exchange host",
                          device->info.spec, FIRST_SECONDS);
        }
    }
    device_event_destroy(device, event);
    return status;
}

// The libraries set up connections for the first broadcast, which must not count as a part of a solution.
static enum status warm_up(struct group_exchange *e, struct error *error) {
    struct device *device = e->exchange.device;
    MPI_Request request;
    uint64_t memory = 0;
    enum status status = device_allocate(device, FIRST_BYTES, &memory, error);
    for (enum exchange_direction i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = broadcast(&e->exchange, i, memory, FIRST_BYTES, 0, &request, error);
    }
    status = ranks_agree(e->exchange.ranks, status, error);
    if (status == STATUS_OK) {
        status = ranks_agree(e->exchange.ranks, wait_for_stream(e, error), error);
    }
    if (memory && status == STATUS_OK) { // otherwise a broadcast may still use it
        device_release(device, memory);
    }
    return status;
}

enum status exchange_group_open(const struct exchange *common, struct exchange **exchange, struct error *error) {
    struct group_exchange *e = calloc(1, sizeof *e);
    *exchange = e ? &e->exchange : NULL;
    enum status status = e ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    if (e) {
        e->exchange = *common;
        e->exchange.operations = &by_group;
        status = group_library_open(common->device, &e->library, e->exchange.text, sizeof e->exchange.text, error);
    }
    status = ranks_agree(common->ranks, status, error);
    for (enum exchange_direction i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = join(e, i, error);
    }
    return status == STATUS_OK ? warm_up(e, error) : status;
}
