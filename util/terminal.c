#include "util/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/clock.h"

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

static bool is_rank_of_mpi(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (is_set(variables[i])) {
            return true;
        }
    }
    return false;
}

static bool is_terminal(FILE *stream) {
    return isatty(fileno(stream)) && !is_rank_of_mpi();
}

bool terminal_has_colour(FILE *stream) {
    const char *terminal = getenv("TERM");
    if (is_set("NO_COLOR")) {
        return false;
    }
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0) {
        return true;
    }
    return is_terminal(stream) && terminal && strcmp(terminal, "dumb") != 0;
}

int terminal_columns(FILE *stream) {
    enum {
        USUAL = 80,
        MOST = 10000
    };
    const char *wanted = getenv("COLUMNS");
    const long columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns > 0 && columns <= MOST) {
        return (int)columns;
    }
    if (!is_terminal(stream)) {
        return 0;
    }
    struct winsize size = {0};
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

// ---- Standard output in place of a file ----

bool standard_output_is(const char *path) {
    return path && strcmp(path, "-") == 0;
}

enum status standard_output_finish(struct error *error) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED,
                     "standard output: not written completely (%s): free some space, or redirect the output",
                     errno ? strerror(errno) : "a write failed before");
}

int program_end(const char *program, enum status status, struct error *error) {
    const enum status written = standard_output_finish(status == STATUS_OK ? error : NULL);
    status = status == STATUS_OK ? written : status;
    if (status != STATUS_OK && *error->text) {
        error_print(program, error);
    }
    error_clear(error);
    return (int)status;
}

// ---- Progress on standard error ----

struct progress progress_start_lines(size_t total, bool quiet) {
    return (struct progress){
        .shown = !quiet,
        .terminal = isatty(STDERR_FILENO),
        .total = total,
        .started_s = clock_s(),
        .next_line_s = 1,
        .ends_s = INFINITY,
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
        const double seconds = passed_s / (double)progress->done * (double)(progress->total - progress->done);
        snprintf(left, sizeof left, ", %.0f s left", fmax(0, fmin(seconds, progress->ends_s - clock_s())));
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
