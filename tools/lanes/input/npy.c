#include "tools/lanes/input/npy.h"

#include <ctype.h>
#include <inttypes.h>

static const char magic[] = "\x93NUMPY";

enum {
    MAGIC_BYTES = 6,
    CODE_TEXT = 16,
    ALIGNMENT = 64 // of the elements in the file
};

// The header's text, which is a literal of Python.
struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *cursor) {
    while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at)) {
        cursor->at++;
    }
}

static bool take(struct cursor *cursor, char expected) {
    skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != expected) {
        return false;
    }
    cursor->at++;
    return true;
}

static bool take_string(struct cursor *cursor, char text[CODE_TEXT]) {
    skip_blanks(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"')) {
        return false;
    }
    const char quote = *cursor->at++;
    size_t length = 0;
    while (cursor->at < cursor->end && *cursor->at != quote && length < CODE_TEXT - 1) {
        text[length++] = *cursor->at++;
    }
    text[length] = '\0';
    return take(cursor, quote);
}

static bool take_word(struct cursor *cursor, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0) {
        return false;
    }
    cursor->at += length;
    return true;
}

static bool take_size(struct cursor *cursor, uint64_t *size) {
    skip_blanks(cursor);
    const char *begin = cursor->at;
    for (*size = 0; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at); cursor->at++) {
        if (*size > UINT64_MAX / 16) {
            return false;
        }
        *size = *size * 10 + (uint64_t)(*cursor->at - '0');
    }
    return cursor->at > begin;
}

static bool take_shape(struct cursor *cursor, struct shape *shape) {
    *shape = (struct shape){0};
    if (!take(cursor, '(')) {
        return false;
    }
    while (!take(cursor, ')')) {
        if (shape->rank == RANK_MAX || !take_size(cursor, &shape->size[shape->rank++])) {
            return false;
        }
        if (!take(cursor, ',')) {
            return take(cursor, ')');
        }
    }
    return true;
}

// What the header says.
struct header {
    char code[CODE_TEXT];
    bool has_code, has_order, by_column, has_shape;
    struct shape shape;
};

static bool take_entry(struct cursor *cursor, struct header *header) {
    char key[CODE_TEXT];
    if (!take_string(cursor, key) || !take(cursor, ':')) {
        return false;
    }
    if (strcmp(key, "descr") == 0) {
        return header->has_code = take_string(cursor, header->code);
    }
    if (strcmp(key, "fortran_order") == 0) {
        header->by_column = take_word(cursor, "True");
        return header->has_order = header->by_column || take_word(cursor, "False");
    }
    return strcmp(key, "shape") == 0 && (header->has_shape = take_shape(cursor, &header->shape));
}

static bool take_header(struct cursor *cursor, struct header *header) {
    *header = (struct header){0};
    if (!take(cursor, '{')) {
        return false;
    }
    while (!take(cursor, '}')) {
        if (!take_entry(cursor, header)) {
            return false;
        }
        if (!take(cursor, ',')) {
            return take(cursor, '}') && header->has_code && header->has_order && header->has_shape;
        }
    }
    return header->has_code && header->has_order && header->has_shape;
}

static enum status refuse(const char *name, const char *what, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: %s: save an array of numbers with numpy.save", name, what);
}

// The length of the header's text, and in *text where it begins; false if the file is no .npy file or ends before it.
static bool find_header(const unsigned char *bytes, size_t count, size_t *text, size_t *length) {
    if (count < MAGIC_BYTES + 6 || memcmp(bytes, magic, MAGIC_BYTES) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return false;
    }
    *text = bytes[6] == 1 ? 10 : 12;
    *length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    return *length <= count - *text;
}

enum status npy_parse(const char *name, const unsigned char *bytes, size_t count, struct npy *npy,
                      struct error *error) {
    struct header header;
    size_t text, length;
    if (!find_header(bytes, count, &text, &length)) {
        return refuse(name, "not a .npy file", error);
    }
    struct cursor cursor = {(const char *)bytes + text, (const char *)bytes + text + length};
    if (!take_header(&cursor, &header)) {
        return refuse(name, "its header is none that a buffer can have", error);
    }
    header.code[0] = header.code[0] == '=' ? '<' : header.code[0];
    *npy = (struct npy){element_type_of_numpy(header.code), header.shape, text + length};
    if (!npy->type) {
        return refuse(name, header.code[0] == '>' ? "its numbers are big-endian" : "its elements are no plain numbers",
                      error);
    }
    shape_set_dense(&npy->shape, header.by_column);
    const uint64_t elements = shape_elements(&npy->shape), left = (count - npy->data) / npy->type->bytes;
    if (elements == 0 || elements > left) {
        return refuse(name, elements ? "it ends before its last element" : "it has no elements", error);
    }
    return STATUS_OK;
}

size_t npy_header(char header[NPY_HEADER_MAX], const struct element_type *type, const struct shape *shape) {
    char sizes[RANK_MAX * 24] = "";
    size_t used = 0;
    for (size_t i = 0; i < shape->rank; i++) {
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%" PRIu64, i ? ", " : "", shape->size[i]);
    }
    int length =
        snprintf(header + 10, NPY_HEADER_MAX - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                 type->numpy, sizes, shape->rank == 1 ? "," : "");
    while ((10 + length + 1) % ALIGNMENT) {
        header[10 + length++] = ' ';
    }
    header[10 + length++] = '\n';
    memcpy(header, magic, MAGIC_BYTES);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    return 10 + (size_t)length;
}
