#include "apsp/mpi/solve.h"

#include <stdlib.h>

#include "apsp/solve/cpu_solver.h"

enum {
    PANELS = 2 // a round has a left and a right one
};

// The factors of a round's multiply, arriving or complete.
struct panels {
    int32_t *left, *right;
    MPI_Request requests[PANELS];
};

struct solution {
    const struct ranks *ranks;
    struct engine *engine;
    struct solve_times *times;
    const struct solver *solver; // closes pivot blocks on the host
    void *scratch;
    int32_t *closed;
    struct panels panels[2];
    enum status status; // of this rank
    struct error *error;
    int own, worst; // statuses of the latest round: this rank's, and the worst of all
    MPI_Request agreement;
};

static size_t left_bytes(const struct share *share) {
    return (size_t)share->row_count * share->rows.block * sizeof(int32_t);
}

static size_t right_bytes(const struct share *share) {
    return (size_t)share->column_count * share->rows.block * sizeof(int32_t);
}

static size_t block_words(const struct solution *s) {
    return (size_t)s->engine->block * s->engine->block;
}

size_t solve_bytes(const struct share *share) {
    return 2 * (left_bytes(share) + right_bytes(share));
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

static void broadcast(struct solution *s, int32_t *words, size_t bytes, uint32_t from, MPI_Comm where,
                      MPI_Request *request) {
    int rank;
    MPI_Comm_rank(where, &rank);
    s->times->received_bytes += rank == (int)from ? 0 : (double)bytes;
    MPI_Ibcast(words, (int)(bytes / sizeof *words), MPI_INT32_T, (int)from, where, request);
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

static void close_pivot(struct solution *s, const int32_t *pivot) {
    const double begun = MPI_Wtime();
    s->solver->run(pivot, s->closed, s->scratch, s->engine->block, NULL);
    s->times->phase_ns[0] += (MPI_Wtime() - begun) * 1e9;
}

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
            close_pivot(s, panels->left + row * block_words(s));
        }
        broadcast(s, s->closed, block_words(s) * sizeof *s->closed, column_part, s->ranks->row, &pivot);
    }
    broadcast(s, panels->left, left_bytes(share), column_part, s->ranks->row, &panels->requests[0]);
    if (in_row) {
        STEP(s, 1, row, row);
        wait_for(s, &pivot, 1);
        STEP(s, 1, close_row, row, s->closed, panels->right);
    }
    broadcast(s, panels->right, right_bytes(share), row_part, s->ranks->column, &panels->requests[1]);
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
    STEP(s, 2, rest, &poll);
    s->own = (int)s->status;
    MPI_Iallreduce(&s->own, &s->worst, 1, MPI_INT, MPI_MAX, s->ranks->world, &s->agreement);
}

static void run_rounds(struct solution *s, const struct apsp_progress *progress) {
    const uint32_t rounds = cyclic_blocks(&s->engine->share->rows);
    send_panels(s, 0);
    for (uint32_t k = 0; k < rounds; k++) {
        wait_for(s, s->panels[k % 2].requests, PANELS);
        wait_for(s, &s->agreement, 1);
        if (s->worst != STATUS_OK) {
            return;
        }
        run_round(s, k, rounds);
        apsp_round_done(progress);
    }
    wait_for(s, &s->agreement, 1);
}

// ---- Around them ----

// Allocates a panel that a GPU can copy from and to; NULL if memory is short. A range of no bytes cannot be pinned, so
// one more byte is.
static int32_t *allocate_panel(struct solution *s, size_t bytes) {
    struct device *device = s->engine->device;
    int32_t *panel = page_allocate(bytes);
    if (panel && s->status == STATUS_OK) {
        s->status = device_pin(device, panel, bytes + 1, s->error);
    }
    return panel;
}

static void free_panel(struct solution *s, int32_t *panel) {
    if (panel) {
        device_unpin(s->engine->device, panel);
    }
    free(panel);
}

static enum status prepare(struct solution *s) {
    const struct share *share = s->engine->share;
    bool room = true;
    for (size_t i = 0; i < 2; i++) {
        struct panels *panels = &s->panels[i];
        panels->left = allocate_panel(s, left_bytes(share));
        panels->right = allocate_panel(s, right_bytes(share));
        panels->requests[0] = panels->requests[1] = MPI_REQUEST_NULL;
        room = room && panels->left && panels->right;
    }
    s->closed = page_allocate(block_words(s) * sizeof *s->closed);
    s->scratch = page_allocate(s->solver->scratch_bytes(s->engine->block));
    return room && s->closed && s->scratch ? s->status
                                           : error_set(s->error, STATUS_FAILED, "out of memory: use more nodes");
}

static void release(struct solution *s) {
    for (size_t i = 0; i < 2; i++) {
        free_panel(s, s->panels[i].left);
        free_panel(s, s->panels[i].right);
    }
    free(s->closed);
    free(s->scratch);
}

enum status solve(const struct ranks *ranks, struct engine *engine, const struct apsp_progress *progress,
                  struct solve_times *times, struct error *error) {
    struct solution s = {
        .ranks = ranks,
        .engine = engine,
        .times = times,
        .solver = solver_of(sizeof(int32_t)),
        .error = error,
        .agreement = MPI_REQUEST_NULL,
    };
    *times = (struct solve_times){0};
    enum status status = ranks_agree(ranks, prepare(&s), error);
    if (status == STATUS_OK) {
        run_rounds(&s, progress);
        if (s.status == STATUS_OK) {
            s.status = engine->operations->finish(engine, error);
        }
        status = ranks_agree(ranks, s.status, error);
    }
    release(&s);
    return status;
}
