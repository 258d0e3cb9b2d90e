#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void error_print(const char *program, const struct error *error) {
    if (error->log) {
        size_t length = strlen(error->log);
        fprintf(stderr, "%s%s", error->log, length && error->log[length - 1] == '\n' ? "" : "\n");
    }
    fprintf(stderr, "%s: %s\n", program_name(program), error->text);
}

void error_clear(struct error *error) {
    free(error->log);
    *error = (struct error){0};
}
