#include "apsp/mpi/exchange_group.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/gpu/group.h"

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
    return status;
}
