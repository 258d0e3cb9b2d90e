#include "tools/lanes/save.h"

#include <stdlib.h>
#include <string.h>

#include "tools/lanes/input/npy.h"
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

static bool is_npy(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

enum status save_write(const char *text, const struct saved *saved, struct error *error) {
    char header[NPY_HEADER_MAX];
    const char *path = file_of(text);
    const struct file_piece pieces[] = {{header, is_npy(path) ? npy_header(header, saved->type, &saved->shape) : 0},
                                        {saved->bytes, shape_elements(&saved->shape) * saved->type->bytes}};
    return file_write(path, pieces, sizeof pieces / sizeof *pieces, error);
}

void saved_clear(struct saved *saved) {
    free(saved->bytes);
    *saved = (struct saved){0};
}
