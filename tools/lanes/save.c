#include "tools/lanes/save.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

static const char *file_of(const char *text) {
    return text + save_name_length(text) + 1;
}

size_t save_name_length(const char *text) {
    return strcspn(text, ":");
}

enum status save_check(const char *const *texts, size_t count, struct error *error) {
    if (count > SAVES_MAX) {
        return error_set(error, STATUS_USAGE, "--save: more than %d: give fewer", SAVES_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t length = save_name_length(texts[i]);
        if (length == 0 || texts[i][length] == '\0' || texts[i][length + 1] == '\0' ||
            strcmp(file_of(texts[i]), "-") == 0) {
            return error_set(error, STATUS_USAGE, "--save %.100s: not understood: give BUFFER:FILE.npy", texts[i]);
        }
        TRY(file_write_check(file_of(texts[i]), error));
    }
    return STATUS_OK;
}

size_t save_header(char header[NPY_HEADER_MAX], const char *text, const struct element_type *type,
                   const struct shape *shape) {
    return fnmatch("*.npy", text, 0) == 0 ? npy_header(header, type, shape) : 0;
}

enum status save_write(const char *text, const struct saved *saved, struct error *error) {
    return file_write(file_of(text), &(struct file_piece){saved->bytes, saved->count}, 1, error);
}

void saved_clear(struct saved *saved) {
    free(saved->bytes);
    *saved = (struct saved){0};
}
