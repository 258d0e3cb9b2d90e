// Shows the progress of a solution on standard error.
#ifndef APSP_SOLVE_PROGRESS_H
#define APSP_SOLVE_PROGRESS_H

#include "util/terminal.h"

// A round is done. progress may be NULL.
static inline void apsp_round_done(struct progress *progress) {
    if (progress) {
        progress_advance(progress);
        progress_show(progress, "rounds of all-pairs shortest paths");
    }
}

#endif
