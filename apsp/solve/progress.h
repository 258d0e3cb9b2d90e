// Reports the progress of a solution to a caller.
#ifndef APSP_SOLVE_PROGRESS_H
#define APSP_SOLVE_PROGRESS_H

struct apsp_progress {
    void (*round_done)(void *context);
    void *context;
};

// progress may be NULL.
static inline void apsp_round_done(const struct apsp_progress *progress) {
    if (progress) {
        progress->round_done(progress->context);
    }
}

#endif
