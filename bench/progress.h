// Progress on standard error, where that is a terminal: which row is under way, how many are done, the time left.
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown;
    size_t total, done;
    double started_s;
};

struct progress progress_start(size_t total, bool quiet);
void progress_show(struct progress *progress, const char *what);
void progress_advance(struct progress *progress);
// Takes the line away, so that a row or an error can be printed.
void progress_clear(const struct progress *progress);

#endif
