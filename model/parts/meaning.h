// What the differences between parts mean for code.
#ifndef MODEL_PARTS_MEANING_H
#define MODEL_PARTS_MEANING_H

#include <stdbool.h>
#include <stddef.h>

#include "model/parts/facts.h"

enum {
    MEANING_TEXT = 512
};

// Fills in the fact's sentence with the parts that have most and least of it. False if it has none, if fewer than two
// parts have a known figure, or if these are equal.
bool meaning_of(const struct fact *fact, const struct gpu *const *gpus, size_t count, char text[MEANING_TEXT]);

#endif
