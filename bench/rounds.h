// How much is measured, from the command line, and what the user is told about it.
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "bench/output.h"
#include "bench/plan.h"
#include "bench/table.h"
#include "util/terminal.h"

// The value of a time or a budget that no option has set.
static const double BUDGET_NOT_GIVEN = -1;

// Fills in what was not given. Refuses options that contradict each other.
enum status budget_resolve(struct settings *settings, bool quick, bool full, struct error *error);

// Metadata: the budget.
void budget_describe(const struct plan *plan, struct output *output);

// Says on standard error that rows were left out for lack of time, and how to get them.
void budget_report(const struct plan *plan, size_t rows, int argc, char **argv);

// Describes what was left out, "cpu read, write: --stride 32,64; cpu copy: 3 points", to be freed; empty if nothing
// was.
char *budget_left_out(const struct plan *plan);

// Measures the points of a plan and delivers their rows. A file has a row as soon as it is known, and a better one
// later. What cannot be taken back, a table or standard output, gets each row once, when it is final, in the order of
// the variants and their points; if a signal ends the program first, it gets what is known.

// What is kept from point to point of the run that a device measures.
struct active {
    struct run *run; // NULL: none
    struct run twin;
    bool has_twin;
};

struct rounds {
    struct plan *plan;
    struct output *output;
    // Fills the columns of a row that depend on its prediction, when that is known. again: it did so before for the
    // same row of an earlier round.
    void (*complete)(struct run *run, struct row *row, bool again);
    struct bench_device *twins; // of the plan's devices
    const struct run *runs;
    size_t run_count;
    struct progress progress;
    struct active *active;   // of each device
    struct workers *workers; // NULL: there are none
    bool workers_predict;    // the rows of measured devices; otherwise they make those of simulated ones
    size_t ahead;            // the first place of the plan's order whose prediction no worker was given ahead
    struct item *item;       // that is being measured, or whose rows a worker made
    struct row *fresh;       // its rows of this round
    size_t fresh_count;
    size_t front;               // the first item whose rows streams do not have
    const struct run *section;  // whose columns the table has
    double rewritten_s, said_s; // when the files were rewritten and the last words chosen
    char *last_words;
};

// Fill in the fields from the plan to the runs first. The rows of runs must be given to rounds_row. After an error,
// what was measured is delivered.
enum status rounds_run(struct rounds *rounds, bool quiet, struct error *error);

// Takes a row of the current point, and completes it.
enum status rounds_row(struct rounds *rounds, const struct row *row, struct error *error);

// How many rows there are.
size_t rounds_row_count(const struct rounds *rounds);

#endif
