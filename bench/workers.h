// Processes that simulate points side by side: the rows of simulated devices, or the predictions of measured ones.
#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/row.h"
#include "util/error.h"

// What a worker makes of a number that it is given.
struct answer {
    struct row_list made;
    enum status status;
    struct error error; // unless the status is STATUS_OK
    double seconds;     // that the worker needed
};

void answer_clear(struct answer *answer);

typedef void make_answer(size_t number, struct answer *answer, void *context);

struct workers;

// The processors that simulations may use: what the variable BANKSHOT_SIM_THREADS says, or else those of this process
// (cpu_processors). STATUS_USAGE if the variable says something else.
enum status workers_processors(uint32_t *count, struct error *error);

// Starts so many processes, each of which is a copy of this one and calls `make` for the numbers that it is given, with
// one OpenMP thread. NULL if of several there can be only one, for want of processes or memory.
struct workers *workers_start(uint32_t count, make_answer *make, void *context);

// Whether one of them has nothing to do.
bool workers_idle(struct workers *workers);

// Waits until one of them has nothing to do. False if none will: all have ended.
bool workers_wait(struct workers *workers);

// Gives a number to one that has nothing to do.
void workers_give(struct workers *workers, size_t number);

// The numbers whose answers have not been taken.
size_t workers_given(const struct workers *workers);

// Whether the answer to the first of these numbers is known.
bool workers_have_answer(struct workers *workers);

// Takes the answer to the first of these numbers, and waits for it. The caller clears it. False if its worker ended
// without an answer.
bool workers_take(struct workers *workers, size_t *number, struct answer *answer);

// Ends the processes, whatever they do.
void workers_end(struct workers *workers);

#endif
