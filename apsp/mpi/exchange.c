#include "apsp/mpi/exchange.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/gpu/group.h"

// ---- Through pinned memory of the host, in pieces: while MPI sends one, the GPU copies the next ----

enum {
    PIECES = EXCHANGE_PIECES,
    PIECE_BYTES = 1 << 20 // at least, because a smaller message is slower for each byte
};

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

static void send_piece(struct exchange *e, const struct pieces *pieces, size_t index, MPI_Comm ranks, int from,
                       MPI_Request *request) {
    MPI_Ibcast((char *)e->memory + index * pieces->piece, (int)(bytes_of(pieces, index) / sizeof(int32_t)), MPI_INT32_T,
               from, ranks, request);
}

static enum status wait_for_copy(struct exchange *e, size_t index, struct error *error) {
    bool done = false;
    while (!done) {
        TRY(device_event_done(e->device, e->copied[index], &done, error));
    }
    return STATUS_OK;
}

// The sender copies all pieces to the host and sends each as soon as it is there.
static enum status send(struct exchange *e, const struct pieces *pieces, uint64_t address, MPI_Comm ranks, int from,
                        MPI_Request requests[PIECES], struct error *error) {
    struct device *device = e->device;
    struct stream *stream = e->stream;
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
static enum status receive(struct exchange *e, const struct pieces *pieces, uint64_t address, MPI_Comm ranks, int from,
                           MPI_Request requests[PIECES], struct error *error) {
    struct device *device = e->device;
    struct stream *stream = e->stream;
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
    return (rank == from ? send : receive)(exchange, &pieces, address, ranks, from, requests, error);
}

static enum status open_host(struct exchange *exchange, size_t panel_bytes, struct error *error) {
    exchange->broadcast = broadcast_by_host;
    snprintf(exchange->text, sizeof exchange->text, "pinned memory of the host, in pieces");
    TRY(page_allocate_pinned(exchange->device, panel_bytes, "use more nodes", &exchange->memory, error));
    for (size_t i = 0; i < PIECES; i++) {
        TRY(device_event_create(exchange->device, &exchange->copied[i], error));
    }
    return STATUS_OK;
}

// ---- From GPU to GPU by NCCL or RCCL, in the stream of the panels ----

enum {
    FIRST_BYTES = 1 << 22,
    FIRST_SECONDS = 60,
    JOIN_PAUSE_NS = 1000 * 1000,
    TAG_JOIN_FAULT = 2 // of the message by which a rank that could not join tells the others
};
static const double JOIN_S = 5; // in which a rank may still join, or fail itself, after another one has failed

static enum status broadcast_by_group(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                                      size_t bytes, int from, MPI_Request *request, struct error *error) {
    struct group *group = exchange->groups[direction];
    *request = MPI_REQUEST_NULL;
    return group && bytes > 0 ? group_broadcast(group, exchange->stream, address, bytes, from, error) : STATUS_OK;
}

enum status exchange_check(const struct exchange *exchange, struct error *error) {
    for (size_t i = 0; i < EXCHANGE_DIRECTIONS; i++) {
        TRY(exchange->groups[i] ? group_check(exchange->groups[i], error) : STATUS_OK);
    }
    return STATUS_OK;
}

static void leave(struct exchange *exchange, bool abort) {
    for (size_t i = 0; i < EXCHANGE_DIRECTIONS; i++) {
        group_leave(exchange->groups[i], abort);
        exchange->groups[i] = NULL;
    }
}

void exchange_stop(struct exchange *exchange) {
    leave(exchange, true);
}

// A call of the library that joins a group. It returns only when all members have joined, so it has a thread of its
// own, which is abandoned if another member has failed.
struct joining {
    struct group_library *library;
    struct group_id id;
    int rank, count;
    struct group *group;
    struct error error;
    enum status status;
    atomic_bool done; // the thread touches nothing any more
};

static void *join_group(void *context) {
    struct joining *j = context;
    j->status = group_join(j->library, &j->id, j->rank, j->count, &j->group, &j->error);
    atomic_store(&j->done, true);
    return NULL;
}

static bool another_failed(MPI_Comm ranks) {
    int failed;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_JOIN_FAULT, ranks, &failed, MPI_STATUS_IGNORE);
    return failed;
}

// Waits until this rank has joined or failed. False if it has not although another one failed some seconds ago.
static bool wait_for_join(const struct joining *j, MPI_Comm ranks) {
    const struct timespec pause = {.tv_nsec = JOIN_PAUSE_NS};
    double failed_s = 0;
    while (!atomic_load(&j->done)) {
        if (failed_s <= 0 && another_failed(ranks)) {
            failed_s = MPI_Wtime();
        }
        if (failed_s > 0 && MPI_Wtime() - failed_s > JOIN_S) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

// Tells the other ranks that this one has failed, and receives what the others told. Collective.
static void end_joining(MPI_Comm ranks, int rank, int count, bool failed) {
    int faults = failed;
    for (int other = 0; failed && other < count; other++) {
        if (other != rank) {
            MPI_Send(NULL, 0, MPI_INT, other, TAG_JOIN_FAULT, ranks);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, ranks);
    for (faults -= failed; faults > 0; faults--) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG_JOIN_FAULT, ranks, MPI_STATUS_IGNORE);
    }
}

// The call by which this rank joins. A rank that gives up waiting returns STATUS_OK, because the one that failed says
// why.
static enum status join_watchfully(struct exchange *e, enum exchange_direction direction, struct joining *j,
                                   bool *abandoned, struct error *error) {
    const MPI_Comm ranks = exchange_ranks(e, direction);
    pthread_t thread;
    if (pthread_create(&thread, NULL, join_group, j) != 0) {
        return error_set(error, STATUS_FAILED, "cannot start a thread: close other programs");
    }
    *abandoned = !wait_for_join(j, ranks);
    if (*abandoned) {
        pthread_detach(thread);
        e->library = NULL; // the thread still uses it
        return STATUS_OK;
    }
    pthread_join(thread, NULL);
    e->groups[direction] = j->group;
    if (j->status != STATUS_OK) {
        *error = j->error;
    }
    return j->status;
}

// Joins the ranks of a direction. Its first rank makes the id.
static enum status join(struct exchange *e, enum exchange_direction direction, struct error *error) {
    const MPI_Comm ranks = exchange_ranks(e, direction);
    struct group_id id = {{0}};
    int rank, count;
    MPI_Comm_rank(ranks, &rank);
    MPI_Comm_size(ranks, &count);
    enum status status = rank == 0 && count > 1 ? group_make_id(e->library, &id, error) : STATUS_OK;
    status = ranks_agree(e->ranks, status, error);
    if (status == STATUS_OK && count > 1) {
        bool abandoned = false;
        MPI_Bcast(id.bytes, sizeof id.bytes, MPI_CHAR, 0, ranks);
        struct joining *j = memory_zeros(1, sizeof *j);
        *j = (struct joining){.library = e->library, .id = id, .rank = rank, .count = count};
        status = join_watchfully(e, direction, j, &abandoned, error);
        end_joining(ranks, rank, count, status != STATUS_OK);
        if (!abandoned) {
            free(j);
        }
    }
    return ranks_agree(e->ranks, status, error);
}

// Waits for what the stream has enqueued, as long as the library reports no fault.
static enum status wait_for_stream(struct exchange *e, struct error *error) {
    struct device *device = e->device;
    const double begun = MPI_Wtime();
    struct event *event = NULL;
    bool done = false;
    enum status status = device_event_create(device, &event, error);
    THEN(status, device_event_record_in(device, e->stream, event, error));
    while (status == STATUS_OK && !done) {
        status = device_event_done(device, event, &done, error);
        THEN(status, exchange_check(e, error));
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
static enum status warm_up(struct exchange *e, struct error *error) {
    struct device *device = e->device;
    MPI_Request request;
    uint64_t memory = 0;
    enum status status = device_allocate(device, FIRST_BYTES, &memory, error);
    for (enum exchange_direction i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = broadcast_by_group(e, i, memory, FIRST_BYTES, 0, &request, error);
    }
    status = ranks_agree(e->ranks, status, error);
    THEN(status, ranks_agree(e->ranks, wait_for_stream(e, error), error));
    if (memory && status == STATUS_OK) { // otherwise a broadcast may still use it
        device_release(device, memory);
    }
    return status;
}

// Collective, with one status for all.
static enum status open_group(struct exchange *exchange, size_t panel_bytes, struct error *error) {
    (void)panel_bytes;
    exchange->broadcast = broadcast_by_group;
    enum status status =
        group_library_open(exchange->device, &exchange->library, exchange->text, sizeof exchange->text, error);
    status = ranks_agree(exchange->ranks, status, error);
    for (enum exchange_direction i = 0; i < EXCHANGE_DIRECTIONS && status == STATUS_OK; i++) {
        status = join(exchange, i, error);
    }
    return status == STATUS_OK ? warm_up(exchange, error) : status;
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

// Open MPI tells by these functions whether it takes a GPU's memory. Other libraries have no such function, and are
// taken not to.
static bool takes_memory_of(const struct device *device) {
    const char *name = device->info.backend == BACKEND_CUDA ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support";
    void *symbol = dlsym(RTLD_DEFAULT, name);
    int (*query)(void);
    memcpy(&query, &symbol, sizeof query);
    return symbol && query() == 1;
}

static enum status open_mpi(struct exchange *exchange, size_t panel_bytes, struct error *error) {
    const bool on_cpu = device_is_cpu(&exchange->device->info);
    (void)panel_bytes;
    exchange->broadcast = broadcast;
    snprintf(exchange->text, sizeof exchange->text, "%s", on_cpu ? "MPI" : "MPI, from GPU to GPU");
    return on_cpu || takes_memory_of(exchange->device)
               ? STATUS_OK
               : error_set(error, STATUS_NO_DEVICE,
                           "--exchange mpi: this MPI does not say that it takes a GPU's memory: use one that is built "
                           "for it");
}

// ---- The choice ----

// The ways between GPUs, the fastest first.
static const struct way {
    const char *name;
    enum status (*open)(struct exchange *exchange, size_t panel_bytes, struct error *error);
} ways[] = {{"nccl", open_group}, {"mpi", open_mpi}, {"host", open_host}};

void exchange_close(struct exchange *exchange) {
    leave(exchange, false);
    group_library_close(exchange->library);
    for (size_t i = 0; exchange->memory && i < PIECES; i++) {
        device_event_destroy(exchange->device, exchange->copied[i]);
    }
    page_release_pinned(exchange->device, exchange->memory);
    *exchange = (struct exchange){0};
}

// Collective. A way that only some ranks can take is closed again.
static enum status open_way(const struct way *way, struct exchange *exchange, size_t panel_bytes, struct error *error) {
    const enum status status = ranks_agree(exchange->ranks, way->open(exchange, panel_bytes, error), error);
    if (status != STATUS_OK) {
        exchange_stop(exchange);
        exchange_close(exchange);
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
                          size_t panel_bytes, struct exchange *exchange, struct error *error) {
    const char *wanted = device_is_cpu(&device->info) ? "mpi" : way;
    const bool any = strcmp(wanted, "auto") == 0;
    struct error reason = {0};
    enum status status = STATUS_NO_DEVICE;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status != STATUS_OK; i++) {
        if (any || strcmp(wanted, ways[i].name) == 0) {
            *exchange = (struct exchange){.ranks = ranks, .device = device, .stream = stream};
            status = open_way(&ways[i], exchange, panel_bytes, error);
            reason = i == 0 && status != STATUS_OK ? *error : reason;
        }
    }
    if (status == STATUS_OK) {
        explain(exchange, &reason);
    }
    return status;
}
