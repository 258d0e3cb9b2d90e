#include "apsp/mpi/exchange.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/group.h"

// ---- Through pinned memory of the host, in pieces: while MPI sends one, the GPU copies the next ----

enum {
    PIECES = 8,
    PIECE_BYTES = 1 << 20 // at least, because a smaller message is slower for each byte
};

struct host_exchange {
    struct exchange exchange;
    void *memory;
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
    MPI_Ibcast((char *)e->memory + index * pieces->piece, (int)(bytes_of(pieces, index) / sizeof(int32_t)), MPI_INT32_T,
               from, ranks, request);
}

static enum status wait_for_copy(struct host_exchange *e, size_t index, struct error *error) {
    bool done = false;
    while (!done) {
        TRY(device_event_done(e->exchange.device, e->copied[index], &done, error));
    }
    return STATUS_OK;
}

// The sender copies all pieces to the host and sends each as soon as it is there.
static enum status send(struct host_exchange *e, const struct pieces *pieces, uint64_t address, MPI_Comm ranks,
                        int from, MPI_Request requests[PIECES], struct error *error) {
    struct device *device = e->exchange.device;
    struct stream *stream = e->exchange.stream;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < pieces->count && status == STATUS_OK; i++) {
        const size_t offset = i * pieces->piece;
        status = device_copy_to_host_in(device, stream, (char *)e->memory + offset, address + offset,
                                        bytes_of(pieces, i), error);
        THEN(status, device_event_record_in(device, stream, e->copied[i], error));
    }
    for (size_t i = 0; i < pieces->count; i++) {
        THEN(status, wait_for_copy(e, i, error));
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
                                     : device_copy_to_device_in(device, stream, address + offset,
                                                                (char *)e->memory + offset, bytes_of(pieces, i), error);
    }
    return status;
}

static enum status broadcast_by_host(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
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

static void close_host(struct exchange *exchange) {
    struct host_exchange *e = host(exchange);
    struct device *device = exchange->device;
    page_release_pinned(device, e->memory);
    for (size_t i = 0; i < PIECES; i++) {
        device_event_destroy(device, e->copied[i]);
    }
    free(e);
}

static const struct exchange_operations by_host = {.broadcast = broadcast_by_host, .close = close_host};

static enum status open_host(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                             struct error *error) {
    struct host_exchange *e = memory_zeros(1, sizeof *e);
    *exchange = &e->exchange;
    e->exchange = *common;
    e->exchange.operations = &by_host;
    snprintf(e->exchange.text, sizeof e->exchange.text, "pinned memory of the host, in pieces");
    TRY(page_allocate_pinned(common->device, panel_bytes, "use more nodes", &e->memory, error));
    for (size_t i = 0; i < PIECES; i++) {
        TRY(device_event_create(common->device, &e->copied[i], error));
    }
    return STATUS_OK;
}

// ---- From GPU to GPU by NCCL or RCCL, in the stream of the panels ----

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

static enum status broadcast_by_group(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                                      size_t bytes, int from, MPI_Request *request, struct error *error) {
    struct group_exchange *e = group(exchange);
    *request = MPI_REQUEST_NULL;
    return e->groups[direction] && bytes > 0
               ? group_broadcast(e->groups[direction], exchange->stream, address, bytes, from, error)
               : STATUS_OK;
}

static enum status check(struct exchange *exchange, struct error *error) {
    struct group_exchange *e = group(exchange);
    for (size_t i = 0; i < EXCHANGE_DIRECTIONS; i++) {
        TRY(e->groups[i] ? group_check(e->groups[i], error) : STATUS_OK);
    }
    return STATUS_OK;
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

static void close_group(struct exchange *exchange) {
    struct group_exchange *e = group(exchange);
    leave(e, false);
    group_library_close(e->library);
    free(e);
}

static const struct exchange_operations by_group = {
    .broadcast = broadcast_by_group,
    .check = check,
    .stop = stop,
    .close = close_group,
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
    THEN(status, device_event_record_in(device, e->exchange.stream, event, error));
    while (status == STATUS_OK && !done) {
        status = device_event_done(device, event, &done, error);
        THEN(status, check(&e->exchange, error));
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
        status = broadcast_by_group(&e->exchange, i, memory, FIRST_BYTES, 0, &request, error);
    }
    status = ranks_agree(e->exchange.ranks, status, error);
    THEN(status, ranks_agree(e->exchange.ranks, wait_for_stream(e, error), error));
    if (memory && status == STATUS_OK) { // otherwise a broadcast may still use it
        device_release(device, memory);
    }
    return status;
}

// Collective, with one status for all.
static enum status open_group(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                              struct error *error) {
    struct group_exchange *e = memory_zeros(1, sizeof *e);
    (void)panel_bytes;
    *exchange = &e->exchange;
    e->exchange = *common;
    e->exchange.operations = &by_group;
    enum status status =
        group_library_open(common->device, &e->library, e->exchange.text, sizeof e->exchange.text, error);
    status = ranks_agree(common->ranks, status, error);
    for (enum exchange_direction i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = join(e, i, error);
    }
    return status == STATUS_OK ? warm_up(e, error) : status;
}

// ---- MPI from memory to memory ----

// On a GPU the call returns when the data have arrived, because MPI knows nothing of streams.
static enum status broadcast(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                             size_t bytes, int from, MPI_Request *request, struct error *error) {
    const bool on_gpu = exchange->stream;
    enum status status = on_gpu ? device_synchronize_in(exchange->device, exchange->stream, error) : STATUS_OK;
    MPI_Ibcast((void *)(uintptr_t)address, (int)(bytes / sizeof(int32_t)), MPI_INT32_T, from,
               exchange_ranks(exchange, direction), request);
    if (on_gpu) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    return status;
}

static void close_exchange(struct exchange *exchange) {
    free(exchange);
}

static const struct exchange_operations by_mpi = {.broadcast = broadcast, .close = close_exchange};

// Open MPI tells by these functions whether it takes a GPU's memory. Other libraries have no such function, and are
// taken not to.
static bool takes_memory_of(const struct device *device) {
    const char *name = device->info.backend == BACKEND_CUDA ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support";
    void *symbol = dlsym(RTLD_DEFAULT, name);
    int (*query)(void);
    memcpy(&query, &symbol, sizeof query);
    return symbol && query() == 1;
}

static enum status open_mpi(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                            struct error *error) {
    const bool on_cpu = device_is_cpu(&common->device->info);
    (void)panel_bytes;
    if (!on_cpu && !takes_memory_of(common->device)) {
        return error_set(error, STATUS_NO_DEVICE,
                         "--exchange mpi: this MPI does not say that it takes a GPU's memory: use one that is built "
                         "for it");
    }
    *exchange = memory_zeros(1, sizeof **exchange);
    **exchange = *common;
    (*exchange)->operations = &by_mpi;
    snprintf((*exchange)->text, sizeof(*exchange)->text, "%s", on_cpu ? "MPI" : "MPI, from GPU to GPU");
    return STATUS_OK;
}

// ---- The choice ----

// The ways between GPUs, the fastest first.
static const struct way {
    const char *name;
    enum status (*open)(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                        struct error *error);
} ways[] = {{"nccl", open_group}, {"mpi", open_mpi}, {"host", open_host}};

// Collective. A way that only some ranks can take is closed again.
static enum status open_way(const struct way *way, const struct exchange *common, size_t panel_bytes,
                            struct exchange **exchange, struct error *error) {
    const enum status status = ranks_agree(common->ranks, way->open(common, panel_bytes, exchange, error), error);
    if (status != STATUS_OK && *exchange) {
        exchange_stop(*exchange);
        (*exchange)->operations->close(*exchange);
        *exchange = NULL;
    }
    return status;
}

// Adds to the way's text why it is not the library's broadcasts.
static void explain(struct exchange *exchange, const struct error *reason) {
    const size_t length = strlen(exchange->text);
    if (*reason->text) {
        snprintf(exchange->text + length, sizeof exchange->text - length, " (%s)", reason->text);
    }
}

enum status exchange_open(const struct ranks *ranks, struct device *device, struct stream *stream, const char *way,
                          size_t panel_bytes, struct exchange **exchange, struct error *error) {
    const struct exchange common = {.ranks = ranks, .device = device, .stream = stream};
    const char *wanted = device_is_cpu(&device->info) ? "mpi" : way;
    const bool any = strcmp(wanted, "auto") == 0;
    struct error reason = {0};
    enum status status = STATUS_NO_DEVICE;
    *exchange = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status != STATUS_OK; i++) {
        if (any || strcmp(wanted, ways[i].name) == 0) {
            status = open_way(&ways[i], &common, panel_bytes, exchange, error);
            reason = i == 0 && status != STATUS_OK ? *error : reason;
        }
    }
    if (status == STATUS_OK) {
        explain(*exchange, &reason);
    }
    return status;
}
