#include "bench/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "util/clock.h"

struct progress progress_start_lines(size_t total, bool quiet) {
    return (struct progress){
        .shown = !quiet,
        .terminal = isatty(STDERR_FILENO),
        .total = total,
        .started_s = clock_s(),
        .next_line_s = 1,
    };
}

struct progress progress_start(size_t total, bool quiet) {
    struct progress progress = progress_start_lines(total, quiet);
    progress.shown = progress.shown && progress.terminal;
    return progress;
}

// Whether the next line is due.
static bool is_due(struct progress *progress, double passed_s) {
    static const double LONGEST_S = 60;
    if (progress->terminal) {
        return true;
    }
    if (passed_s < progress->next_line_s) {
        return false;
    }
    progress->next_line_s = passed_s + (passed_s < LONGEST_S ? passed_s : LONGEST_S);
    return true;
}

void progress_show(struct progress *progress, const char *what) {
    const double passed_s = clock_s() - progress->started_s;
    if (!progress->shown || progress->done >= progress->total || !is_due(progress, passed_s)) {
        return;
    }
    char left[32] = "";
    if (progress->done > 0) {
        const double seconds = passed_s / (double)progress->done;
        snprintf(left, sizeof left, ", %.0f s left", seconds * (double)(progress->total - progress->done));
    }
    fprintf(stderr, "%s%zu of %zu: %.45s%s%s", progress->terminal ? "\r\033[K" : "", progress->done + 1,
            progress->total, what, left, progress->terminal ? "" : "\n");
    fflush(stderr);
}

void progress_advance(struct progress *progress) {
    progress->done++;
}

void progress_clear(const struct progress *progress) {
    if (progress->shown && progress->terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
