// The figures by which two rows of the same work are compared.
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>

// The first of these that both rows have. A probe may fit to its device how much a row does, so the time comes last.
enum figure {
    FIGURE_LATENCY,
    FIGURE_ONE_WAY,
    FIGURE_UPDATES,
    FIGURE_BANDWIDTH,
    FIGURE_TIME,
    FIGURES
};

struct figure_kind {
    const char *column, *unit;
    bool less_is_faster;
};
extern const struct figure_kind figure_kinds[FIGURES];

#endif
