// Progress on standard error: the current point, how much is done, and the time left.
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown;
    bool terminal; // one line is overwritten; otherwise lines follow each other
    size_t total, done;
    double started_s, next_line_s;
};

// Shows progress on a terminal only.
struct progress progress_start(size_t total, bool quiet);
// Elsewhere, too: a line after 1, 2, 4, ... seconds and later every minute, for programs that run under mpirun or in a
// job, where standard error is never a terminal.
struct progress progress_start_lines(size_t total, bool quiet);
// Says what is done next, unless all is done.
void progress_show(struct progress *progress, const char *what);
void progress_advance(struct progress *progress);
// Removes the line on a terminal, so that a row or an error can be printed.
void progress_clear(const struct progress *progress);

#endif
