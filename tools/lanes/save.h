// Buffers that a run leaves to the user: --save BUFFER:FILE.
#ifndef TOOLS_LANES_SAVE_H
#define TOOLS_LANES_SAVE_H

#include <stdio.h>

#include "tools/lanes/input/values.h"

enum {
    SAVES_MAX = 32
};

// A buffer's content after the last launch, row by row.
struct saved {
    const struct element_type *type;
    struct shape shape; // dense
    void *bytes;
};

// STATUS_USAGE if a --save cannot be understood, or its file cannot be written.
enum status save_check(const char *const *texts, size_t count, struct error *error);

// The part of "BUFFER:FILE" before the colon.
size_t save_name_length(const char *text);

// Writes a .npy file, or the elements alone where FILE does not end so.
enum status save_write(const char *text, const struct saved *saved, struct error *error);

void saved_clear(struct saved *saved);

#endif
