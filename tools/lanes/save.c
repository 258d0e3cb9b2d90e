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

// What precedes the elements.
struct head {
    size_t type;
    struct shape shape;
};

static enum status out_of_memory(struct error *error) {
    return error_set(error, STATUS_FAILED, "out of memory: save a smaller buffer");
}

enum status save_send(FILE *file, struct device *device, const struct value *value, struct error *error) {
    struct head head = {element_type_index(value->type), value->shape};
    const size_t width = value->type->bytes, extent = shape_extent(&value->shape) * width;
    char *buffer = malloc(extent);
    if (!buffer) {
        return out_of_memory(error);
    }
    enum status status = device_copy_to_host(device, buffer, value->argument.value.pointer, extent, error);
    shape_set_dense(&head.shape, false);
    if (status == STATUS_OK) {
        fwrite(&head, sizeof head, 1, file);
        const uint64_t elements = shape_elements(&value->shape);
        for (uint64_t i = 0; i < elements; i++) {
            fwrite(buffer + shape_place(&value->shape, i) * width, width, 1, file);
        }
    }
    free(buffer);
    return status;
}

enum status save_receive(const char **bytes, size_t *count, struct saved *saved, struct error *error) {
    struct head head;
    if (*count >= sizeof head) {
        memcpy(&head, *bytes, sizeof head);
        saved->type = element_type_at(head.type);
        saved->shape = head.shape;
    }
    const bool known = *count >= sizeof head && saved->type && head.shape.rank <= RANK_MAX;
    const uint64_t elements = known ? shape_elements(&head.shape) : 0;
    if (elements == 0 || elements > (*count - sizeof head) / saved->type->bytes) {
        return error_set(error, STATUS_FAILED,
                         "the kernel's process ended without a buffer: see that it does not end it");
    }
    saved->bytes = malloc(elements * saved->type->bytes);
    if (!saved->bytes) {
        return out_of_memory(error);
    }
    memcpy(saved->bytes, *bytes + sizeof head, elements * saved->type->bytes);
    *bytes += sizeof head + elements * saved->type->bytes;
    *count -= sizeof head + elements * saved->type->bytes;
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
