// The order in which a first round takes points: those that tell most first.
#ifndef BENCH_PLAN_ORDER_H
#define BENCH_PLAN_ORDER_H

#include "bench/plan/item.h"

// The point that stands for its run in a headline: it has the probe's headline values, or else the last of each sweep.
struct point order_headline(const struct run *run);

// Fills `order` with the items, in their own order unless `by_telling`.
void order_items(struct item *items, struct item **order, size_t count, bool by_telling);

#endif
