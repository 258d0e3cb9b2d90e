// How far a run is, on standard error: at a terminal one line that is written over; elsewhere, where mpirun or a job's
// log stands between, a line after 1, 2, 4, ... seconds, at last one a minute.
#ifndef APSP_MPI_ROUNDS_H
#define APSP_MPI_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

struct rounds {
    bool shown, terminal;
    size_t total, done;
    double started_s, next_s;
};

struct rounds rounds_start(size_t total, bool shown);
void rounds_advance(struct rounds *rounds);
void rounds_end(const struct rounds *rounds);

#endif
