#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOG_LINES = 12 // the first errors; the last line of the message stays in sight
};

enum status error_set(struct error *error, enum status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

void error_attach_log(struct error *error, const char *log) {
    if (!error || !log || !*log) {
        return;
    }
    free(error->log);
    error->log = strdup(log);
}

const char *program_name(const char *own) {
    static const char INSTALLED[] = "bankshot-";
    return strncmp(program_invocation_short_name, INSTALLED, sizeof INSTALLED - 1) == 0 ? program_invocation_short_name
                                                                                        : own;
}

static void print_log(const char *log) {
    const char *asked = getenv("BANKSHOT_WHOLE_LOG");
    const size_t shown = asked && strcmp(asked, "yes") == 0 ? SIZE_MAX : LOG_LINES;
    size_t lines = 0;
    while (*log) {
        const size_t length = strcspn(log, "\n");
        if (lines++ < shown) {
            fprintf(stderr, "%.*s\n", (int)length, log);
        }
        log += length + (log[length] == '\n');
    }
    if (lines > shown) {
        fprintf(stderr, "... and %zu more line%s, which BANKSHOT_WHOLE_LOG=yes shows\n", lines - shown,
                lines - shown == 1 ? "" : "s");
    }
}

void error_print(const char *program, const struct error *error) {
    if (error->log) {
        print_log(error->log);
    }
    fprintf(stderr, "%s: %s\n", program_name(program), error->text);
}

void error_clear(struct error *error) {
    free(error->log);
    *error = (struct error){0};
}
