#include "util/option_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

static bool is_file(const struct bound_option *option) {
    return option->row->kind == OPTION_INPUT || option->row->kind == OPTION_OUTPUT;
}

static const char *name_of(const struct bound_option *option) {
    return *(const char **)option->target;
}

static bool is_stream(const struct bound_option *option) {
    return option->row->choices && strcmp(name_of(option), option->row->choices) == 0;
}

static bool find(const struct bound_option *option, struct stat *about) {
    const int stream = option->row->kind == OPTION_INPUT ? STDIN_FILENO : STDOUT_FILENO;
    return is_stream(option) ? fstat(stream, about) == 0 : stat(name_of(option), about) == 0;
}

// Several options may name a terminal or /dev/null.
static bool are_same(const struct bound_option *a, const struct bound_option *b) {
    struct stat about_a, about_b;
    char path_a[PATH_MAX], path_b[PATH_MAX];
    const bool there_a = find(a, &about_a), there_b = find(b, &about_b);
    if (there_a && there_b) {
        return !S_ISCHR(about_a.st_mode) && about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
    }
    return !there_a && !there_b && path_resolve(name_of(a), path_a) && path_resolve(name_of(b), path_b) &&
           strcmp(path_a, path_b) == 0;
}

static bool collide(const struct bound_option *a, const struct bound_option *b) {
    const bool written = a->row->kind == OPTION_OUTPUT || b->row->kind == OPTION_OUTPUT;
    if (is_stream(a) && is_stream(b)) {
        return a->row->kind == b->row->kind;
    }
    return written && are_same(a, b);
}

static enum status check_row(const struct bound_option *options, size_t row, struct error *error) {
    if (strcmp(name_of(&options[row]), "-") == 0 && !is_stream(&options[row])) {
        return error_set(error, STATUS_USAGE,
                         "--%s -: a stream cannot be used here: name a file (./- is a file called -)",
                         options[row].row->name);
    }
    for (size_t i = 0; i < row; i++) {
        if (is_file(&options[i]) && name_of(&options[i]) && collide(&options[i], &options[row])) {
            return error_set(error, STATUS_USAGE, "--%s %.200s: --%s is the same file: name another one",
                             options[i].row->name, name_of(&options[i]), options[row].row->name);
        }
    }
    return STATUS_OK;
}

enum status option_files_check(const struct bound_option *options, size_t count, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (is_file(&options[i]) && name_of(&options[i])) {
            status = check_row(options, i, error);
        }
    }
    return status;
}
