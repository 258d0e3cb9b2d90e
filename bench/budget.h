// How much is measured, from the command line, and what the user is told about it.
#ifndef BENCH_BUDGET_H
#define BENCH_BUDGET_H

#include "bench/output.h"
#include "bench/plan.h"

// The value of a time or a budget that no option has set.
static const double BUDGET_NOT_GIVEN = -1;

// Fills in what was not given. Refuses options that contradict each other.
enum status budget_resolve(struct settings *settings, bool quick, bool full, struct error *error);

// Metadata: the budget, and what the plan leaves out from the start.
enum status budget_describe(const struct plan *plan, struct output *output, struct error *error);

// Warns on standard error if what was asked for takes longer than the default budget.
void budget_warn(const struct plan *plan, const char *program);

// Says on standard error what was left out in the end.
void budget_report(const struct plan *plan, const char *program);

#endif
