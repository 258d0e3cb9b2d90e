#include "apsp/mpi/rounds.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static const double FIRST_S = 1, LONGEST_S = 60, AT_TERMINAL_S = 0.1;

struct rounds rounds_start(size_t total, bool shown) {
    return (struct rounds){
        .shown = shown,
        .terminal = isatty(STDERR_FILENO),
        .total = total,
        .started_s = MPI_Wtime(),
        .next_s = FIRST_S,
    };
}

void rounds_advance(struct rounds *rounds) {
    const double passed = MPI_Wtime() - rounds->started_s;
    rounds->done++;
    if (!rounds->shown || passed < rounds->next_s || rounds->done == rounds->total) {
        return;
    }
    const double left = passed / (double)rounds->done * (double)(rounds->total - rounds->done);
    fprintf(stderr, "%s%zu of %zu rounds, %.0f s left%s", rounds->terminal ? "\r\033[K" : "apsp-mpi: ", rounds->done,
            rounds->total, left, rounds->terminal ? "" : "\n");
    fflush(stderr);
    rounds->next_s = rounds->terminal ? passed + AT_TERMINAL_S : passed + (passed < LONGEST_S ? passed : LONGEST_S);
}

void rounds_end(const struct rounds *rounds) {
    if (rounds->shown && rounds->terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
