// How much is measured, from the command line, and what the user is told about it.
#ifndef BENCH_BUDGET_H
#define BENCH_BUDGET_H

#include "bench/output.h"
#include "bench/plan/plan.h"

// The value of a time or a budget that no option has set.
static const double BUDGET_NOT_GIVEN = -1;

// Fills in what was not given. Refuses options that contradict each other.
enum status budget_resolve(struct settings *settings, bool quick, bool full, struct error *error);

// Metadata: the budget.
enum status budget_describe(const struct plan *plan, struct output *output, struct error *error);

// Says on standard error that rows were left out for lack of time, and how to get them.
void budget_report(const struct plan *plan, size_t rows, int argc, char **argv);

// Describes what was left out, "cpu read, write: --stride 32,64; cpu copy: 3 points", to be freed; empty if nothing
// was, NULL if memory ran out.
char *budget_left_out(const struct plan *plan);

#endif
