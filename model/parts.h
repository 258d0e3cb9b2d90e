// The rows of the table: what a program meets on a part, each figure taken from the model or computed of its figures.
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/evidence.h"
#include "model/gpus.h"

enum {
    CELL_TEXT = 20,
    CELL_SOURCE = 1024
};

struct cell {
    double value;         // NaN: unknown, or the part has no such thing
    char text[CELL_TEXT]; // the value as people read it, without its unit
    enum evidence known;
    char source[CELL_SOURCE]; // where the figure comes from, or how it follows from others
};

struct fact {
    const char *name;                                    // as in CSV: "l2_bytes"
    const char *title, *unit;                            // unit: "" where the text says it
    void (*find)(const struct gpu *, struct cell *cell); // sets value and text, and what `figure` leaves open
    const char *figure; // its names in the source of the table of GPUs (evidence.h); NULL: `find` sets the source
    // What a difference means for code. {A} and {B}: the parts with the most and the least, {a} and {b}: their cells,
    // {r}: their ratio. NULL: nothing that another row does not say.
    const char *meaning;
};

// The table.
extern const struct fact facts[];
extern const size_t fact_count;

void fact_cell(const struct fact *fact, const struct gpu *gpu, struct cell *cell);

// ---- Where a cell's source can be read: a page, or a file of this repository ----

enum {
    LINKS_MAX = 16
};

// The links for all that the source (struct cell) names, in the table's order and each once; returns their number.
size_t source_links(const char *source, const char *links[LINKS_MAX]);

// ---- What the differences between parts mean for code ----

enum {
    MEANING_TEXT = 512
};

// Fills in the fact's sentence with the parts that have most and least of it. False if it has none, if fewer than two
// parts have a known figure, or if these are equal.
bool meaning_of(const struct fact *fact, const struct gpu *const *gpus, size_t count, char text[MEANING_TEXT]);

#endif
