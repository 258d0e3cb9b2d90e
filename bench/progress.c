#include "bench/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "util/clock.h"

struct progress progress_start(size_t total, bool quiet) {
    return (struct progress){.shown = !quiet && isatty(STDERR_FILENO), .total = total, .started_s = clock_s()};
}

void progress_show(struct progress *progress, const char *what) {
    if (!progress->shown) {
        return;
    }
    char left[32] = "";
    if (progress->done > 0) {
        double seconds = (clock_s() - progress->started_s) / (double)progress->done;
        snprintf(left, sizeof left, ", %.0f s left", seconds * (double)(progress->total - progress->done));
    }
    fprintf(stderr, "\r\033[K%zu of %zu: %.45s%s", progress->done + 1, progress->total, what, left);
    fflush(stderr);
}

void progress_advance(struct progress *progress) {
    progress->done++;
}

void progress_clear(const struct progress *progress) {
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
