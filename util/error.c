#include "util/error.h"

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

void error_print(const char *program, const struct error *error) {
    if (error->log) {
        size_t length = strlen(error->log);
        fprintf(stderr, "%s%s", error->log, length && error->log[length - 1] == '\n' ? "" : "\n");
    }
    fprintf(stderr, "%s: %s\n", program, error->text);
}

void error_clear(struct error *error) {
    free(error->log);
    *error = (struct error){0};
}
