#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
