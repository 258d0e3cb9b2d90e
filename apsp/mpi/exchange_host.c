#include "apsp/mpi/exchange_host.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PIECES = 8,
    PIECE_BYTES = 1 << 20 // at least, because a smaller message is slower for each byte
};

struct host_exchange {
    struct exchange exchange;
    char *memory;
    bool pinned;
    struct event *copied[PIECES];
};

static struct host_exchange *host(struct exchange *exchange) {
    return (struct host_exchange *)exchange;
}

// A broadcast in pieces. The last one may be shorter.
struct pieces {
    size_t bytes, piece;
    size_t count;
};

static struct pieces divide(size_t bytes) {
    const size_t even = (bytes + PIECES - 1) / PIECES, whole = (even + sizeof(int32_t) - 1) & ~(sizeof(int32_t) - 1);
    const size_t piece = whole < PIECE_BYTES ? PIECE_BYTES : whole;
    return (struct pieces){bytes, piece, (bytes + piece - 1) / piece};
}

static size_t bytes_of(const struct pieces *pieces, size_t index) {
    const size_t left = pieces->bytes - index * pieces->piece;
    return left < pieces->piece ? left : pieces->piece;
}

static void send_piece(struct host_exchange *e, const struct pieces *pieces, size_t index, MPI_Comm ranks, int from,
                       MPI_Request *request) {
    MPI_Ibcast(e->memory + index * pieces->piece, (int)(bytes_of(pieces, index) / sizeof(int32_t)), MPI_INT32_T, from,
               ranks, request);
}

static enum status wait_for_copy(struct host_exchange *e, size_t index, struct error *error) {
    bool done = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !done) {
        status = device_event_done(e->exchange.device, e->copied[index], &done, error);
    }
    return status;
}

// The sender copies all pieces to the host and sends each as soon as it is there.
static enum status send(struct host_exchange *e, const struct pieces *pieces, uint64_t address, MPI_Comm ranks,
                        int from, MPI_Request requests[PIECES], struct error *error) {
    struct device *device = e->exchange.device;
    struct stream *stream = e->exchange.stream;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < pieces->count && status == STATUS_OK; i++) {
        const size_t offset = i * pieces->piece;
        status =
            device_copy_to_host_in(device, stream, e->memory + offset, address + offset, bytes_of(pieces, i), error);
        if (status == STATUS_OK) {
            status = device_event_record_in(device, stream, e->copied[i], error);
        }
    }
    for (size_t i = 0; i < pieces->count; i++) {
        status = status == STATUS_OK ? wait_for_copy(e, i, error) : status;
        send_piece(e, pieces, i, ranks, from, &requests[i]);
    }
    MPI_Waitall((int)pieces->count, requests, MPI_STATUSES_IGNORE);
    return status;
}

// The others copy each piece to their GPU while the next ones arrive.
static enum status receive(struct host_exchange *e, const struct pieces *pieces, uint64_t address, MPI_Comm ranks,
                           int from, MPI_Request requests[PIECES], struct error *error) {
    struct device *device = e->exchange.device;
    struct stream *stream = e->exchange.stream;
    enum status status = device_synchronize_in(device, stream, error); // the latest copy has left the memory
    for (size_t i = 0; i < pieces->count; i++) {
        send_piece(e, pieces, i, ranks, from, &requests[i]);
    }
    for (size_t i = 0; i < pieces->count; i++) {
        const size_t offset = i * pieces->piece;
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        status = status != STATUS_OK ? status
                                     : device_copy_to_device_in(device, stream, address + offset, e->memory + offset,
                                                                bytes_of(pieces, i), error);
    }
    return status;
}

static enum status broadcast(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                             size_t bytes, int from, MPI_Request *request, struct error *error) {
    struct host_exchange *e = host(exchange);
    const MPI_Comm ranks = exchange_ranks(exchange, direction);
    const struct pieces pieces = divide(bytes);
    MPI_Request requests[PIECES];
    int rank, count;
    *request = MPI_REQUEST_NULL;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &count);
    if (count == 1) {
        return STATUS_OK;
    }
    return (rank == from ? send : receive)(e, &pieces, address, ranks, from, requests, error);
}

static void close_exchange(struct exchange *exchange) {
    struct host_exchange *e = host(exchange);
    struct device *device = exchange->device;
    if (e->pinned) {
        device_unpin(device, e->memory);
    }
    free(e->memory);
    for (size_t i = 0; i < PIECES; i++) {
        device_event_destroy(device, e->copied[i]);
    }
    free(e);
}

static const struct exchange_operations by_host = {.broadcast = broadcast, .close = close_exchange};

enum status exchange_host_open(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                               struct error *error) {
    struct host_exchange *e = calloc(1, sizeof *e);
    if (!e) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *exchange = &e->exchange;
    e->exchange = *common;
    e->exchange.operations = &by_host;
    snprintf(e->exchange.text, sizeof e->exchange.text, "pinned memory of the host, in pieces");
    e->memory = page_allocate(panel_bytes);
    if (!e->memory) {
        return error_set(error, STATUS_FAILED, "out of memory: use more nodes");
    }
    enum status status = device_pin(common->device, e->memory, panel_bytes, error);
    e->pinned = status == STATUS_OK;
    for (size_t i = 0; i < PIECES && status == STATUS_OK; i++) {
        status = device_event_create(common->device, &e->copied[i], error);
    }
    return status;
}
