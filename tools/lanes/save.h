// Buffers that a run leaves to the user: --save BUFFER:FILE.
#ifndef TOOLS_LANES_SAVE_H
#define TOOLS_LANES_SAVE_H

#include <stdio.h>

#include "tools/lanes/input/npy.h"

enum {
    SAVES_MAX = 32
};

// What the file of a --save will hold.
struct saved {
    void *bytes;
    size_t count;
};

// STATUS_USAGE if a --save cannot be understood, or its file cannot be written.
enum status save_check(const char *const *texts, size_t count, struct error *error);

// The part of "BUFFER:FILE" before the colon.
size_t save_name_length(const char *text);

// Writes what stands in the file before a buffer's elements, row by row: the header of a .npy file, or nothing where
// FILE does not end so. Returns its bytes.
size_t save_header(char header[NPY_HEADER_MAX], const char *text, const struct element_type *type,
                   const struct shape *shape);

enum status save_write(const char *text, const struct saved *saved, struct error *error);

void saved_clear(struct saved *saved);

#endif
