#include "apsp/mpi/solve.h"

#include <sched.h>
#include <stdlib.h>

enum {
    PANELS = 2,   // a round has a left and a right one
    AHEAD = 2,    // rounds that may be enqueued on a GPU
    TAG_FAULT = 1 // of the message by which a rank that has failed stops the others
};

// The factors of a round's multiply, arriving or complete, in the device's memory.
struct panels {
    uint64_t left, right;
    MPI_Request requests[PANELS];
};

struct solution {
    const struct ranks *ranks;
    struct engine *engine;
    struct exchange *exchange;
    struct solve_times *times;
    uint64_t closed; // the pivot block of the next round
    struct panels panels[2];
    enum status status; // of this rank
    struct error *error;
    bool stopped;   // some rank has failed, and no broadcast goes on
    int told;       // this rank has told the others
    int own, worst; // statuses of the latest round: this rank's, and the worst of all
    MPI_Request agreement;
};

static size_t left_bytes(const struct share *share) {
    return (size_t)share->row_count * share->rows.block * sizeof(int32_t);
}

static size_t right_bytes(const struct share *share) {
    return (size_t)share->column_count * share->rows.block * sizeof(int32_t);
}

static size_t block_bytes(const struct share *share) {
    return (size_t)share->rows.block * share->rows.block * sizeof(int32_t);
}

size_t solve_bytes(const struct share *share) {
    return 2 * (left_bytes(share) + right_bytes(share));
}

size_t solve_panel_bytes(const struct share *share) {
    const size_t sizes[] = {left_bytes(share), right_bytes(share), block_bytes(share)};
    size_t most = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        most = sizes[i] > most ? sizes[i] : most;
    }
    return most;
}

// ---- Waiting ----

static void wait_for(struct solution *s, MPI_Request *requests, int count) {
    const double start = MPI_Wtime();
    MPI_Status statuses[PANELS];
    MPI_Waitall(count, requests, statuses);
    s->times->wait_ns += (MPI_Wtime() - start) * 1e9;
}

// Gives MPI an opportunity to move data.
static void poll_panels(void *context) {
    struct panels *panels = context;
    MPI_Status statuses[PANELS];
    int done;
    MPI_Testall(PANELS, panels->requests, &done, statuses);
}

static void stop(struct solution *s) {
    s->stopped = true;
    exchange_stop(s->exchange);
}

// Stops the ranks whose GPUs wait for this one's data. Ranks that wait for a message still get it.
static void tell_others(struct solution *s) {
    for (int rank = 0; rank < s->ranks->count; rank++) {
        MPI_Request request;
        if (rank != s->ranks->rank) {
            MPI_Isend(NULL, 0, MPI_INT, rank, TAG_FAULT, s->ranks->world, &request);
            MPI_Request_free(&request);
        }
    }
    s->told = 1;
    stop(s);
}

static bool was_told(const struct solution *s) {
    int told;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAULT, s->ranks->world, &told, MPI_STATUS_IGNORE);
    return told;
}

// Waits until round k is computed, so that a GPU's queue stays short, and looks out for faults meanwhile.
static void wait_for_round(struct solution *s, uint32_t k) {
    bool done = !s->engine->operations->done;
    while (s->status == STATUS_OK && !s->stopped && !done) {
        s->status = s->engine->operations->done(s->engine, k, &done, &s->times->wait_ns, s->error);
        THEN(s->status, exchange_check(s->exchange, s->error));
        if (!done && was_told(s)) {
            stop(s);
        }
        if (!done) {
            sched_yield();
        }
    }
    if (s->status != STATUS_OK && !s->told) {
        tell_others(s);
    }
}

// Receives the messages of ranks that have failed, so that none is left.
static void hear_others(const struct solution *s) {
    int count;
    MPI_Allreduce(&s->told, &count, 1, MPI_INT, MPI_SUM, s->ranks->world);
    for (count -= s->told; count > 0; count--) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG_FAULT, s->ranks->world, MPI_STATUS_IGNORE);
    }
}

static void broadcast(struct solution *s, enum exchange_direction direction, uint64_t panel, size_t bytes,
                      uint32_t from, MPI_Request *request) {
    struct error ignored = {0}, *error = s->status == STATUS_OK ? s->error : &ignored;
    int rank;
    MPI_Comm_rank(exchange_ranks(s->exchange, direction), &rank);
    s->times->received_bytes += rank == (int)from ? 0 : (double)bytes;
    const enum status status = s->exchange->broadcast(s->exchange, direction, panel, bytes, (int)from, request, error);
    THEN(s->status, status);
}

// ---- Steps ----

// A rank that has failed stops computing, but keeps sending until all ranks know, so that none waits forever.
#define STEP(s, phase, operation, ...)                                                                                 \
    do {                                                                                                               \
        const double begun = MPI_Wtime();                                                                              \
        if ((s)->status == STATUS_OK) {                                                                                \
            (s)->status = (s)->engine->operations->operation((s)->engine, __VA_ARGS__, (s)->error);                    \
        }                                                                                                              \
        (s)->times->phase_ns[phase] += (MPI_Wtime() - begun) * 1e9;                                                    \
    } while (0)

// The index of the matrix's block k among this rank's blocks.
static uint32_t own_block(const struct cyclic *cyclic, uint32_t k) {
    return k < cyclic_blocks(cyclic) && k % cyclic->parts == cyclic->part ? k / cyclic->parts : ENGINE_NO_BLOCK;
}

// Computes and sends the factors of round k.
static void send_panels(struct solution *s, uint32_t k) {
    const struct share *share = s->engine->share;
    const uint32_t row_part = k % share->rows.parts, row = own_block(&share->rows, k);
    const uint32_t column_part = k % share->columns.parts, column = own_block(&share->columns, k);
    const bool in_row = row != ENGINE_NO_BLOCK, in_column = column != ENGINE_NO_BLOCK;
    struct panels *panels = &s->panels[k % 2];
    MPI_Request pivot;
    if (in_column) {
        STEP(s, 1, column, column, panels->left);
    }
    if (in_row) {
        if (in_column) {
            STEP(s, 0, close_pivot, row, column, panels->left, s->closed);
        }
        broadcast(s, ALONG_ROW, s->closed, block_bytes(share), column_part, &pivot);
    }
    broadcast(s, ALONG_ROW, panels->left, left_bytes(share), column_part, &panels->requests[0]);
    if (in_row) {
        STEP(s, 1, row, row);
        wait_for(s, &pivot, 1);
        STEP(s, 1, close_row, row, s->closed, panels->right);
    }
    broadcast(s, ALONG_COLUMN, panels->right, right_bytes(share), row_part, &panels->requests[1]);
}

static void run_round(struct solution *s, uint32_t k, uint32_t rounds) {
    const struct share *share = s->engine->share;
    const struct engine_round round = {
        .k = k,
        .pivot_row = own_block(&share->rows, k),
        .next_row = own_block(&share->rows, k + 1),
        .next_column = own_block(&share->columns, k + 1),
    };
    struct panels *panels = &s->panels[k % 2], *next = &s->panels[(k + 1) % 2];
    const struct engine_poll poll = {poll_panels, next};
    STEP(s, 2, factors, &round, panels->left, panels->right);
    if (k + 1 < rounds) {
        send_panels(s, k + 1);
    }
    if (s->engine->operations->rest) {
        STEP(s, 2, rest, &poll);
    }
    s->own = (int)s->status;
    MPI_Iallreduce(&s->own, &s->worst, 1, MPI_INT, MPI_MAX, s->ranks->world, &s->agreement);
}

static void run_rounds(struct solution *s, struct progress *progress) {
    const uint32_t rounds = cyclic_blocks(&s->engine->share->rows);
    send_panels(s, 0);
    for (uint32_t k = 0; k < rounds; k++) {
        wait_for(s, s->panels[k % 2].requests, PANELS);
        wait_for(s, &s->agreement, 1);
        if (s->worst != STATUS_OK) {
            return;
        }
        if (k >= AHEAD) {
            wait_for_round(s, k - AHEAD);
        }
        run_round(s, k, rounds);
        apsp_round_done(progress);
    }
    wait_for(s, &s->agreement, 1);
    for (uint32_t k = rounds < AHEAD ? 0 : rounds - AHEAD; k < rounds && s->worst == STATUS_OK; k++) {
        wait_for_round(s, k);
    }
}

// ---- Around them ----

static enum status prepare(struct solution *s) {
    struct device *device = s->engine->device;
    const struct share *share = s->engine->share;
    const struct {
        uint64_t *address;
        size_t bytes;
    } panels[] = {
        {&s->panels[0].left, left_bytes(share)},   {&s->panels[1].left, left_bytes(share)},
        {&s->panels[0].right, right_bytes(share)}, {&s->panels[1].right, right_bytes(share)},
        {&s->closed, block_bytes(share)},
    };
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        THEN(s->status, device_allocate(device, panels[i].bytes + 1, panels[i].address, s->error)); // never no bytes
    }
    return s->status;
}

static void release(struct solution *s) {
    DEVICE_RELEASE(s->engine->device, s->panels[0].left, s->panels[1].left, s->panels[0].right, s->panels[1].right,
                   s->closed);
}

enum status solve(const struct ranks *ranks, struct engine *engine, struct exchange *exchange,
                  struct progress *progress, struct solve_times *times, struct error *error) {
    struct solution s = {
        .ranks = ranks,
        .engine = engine,
        .exchange = exchange,
        .times = times,
        .panels = {{.requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}},
                   {.requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}}},
        .error = error,
        .agreement = MPI_REQUEST_NULL,
    };
    *times = (struct solve_times){0};
    enum status status = ranks_agree(ranks, prepare(&s), error);
    if (status == STATUS_OK) {
        const double begun = MPI_Wtime();
        run_rounds(&s, progress);
        times->total_ns = (MPI_Wtime() - begun) * 1e9;
        status = ranks_agree(ranks, s.status, error);
        hear_others(&s);
    }
    if (status != STATUS_OK) {
        exchange_stop(exchange);
    }
    release(&s);
    return status;
}
