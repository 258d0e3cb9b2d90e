// The program's outputs: a CSV row, a picture in the terminal, a picture in a file.
#ifndef LANES_OUTPUT_H
#define LANES_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "lanes/cost.h"
#include "util/error.h"

// Opens path for writing, "-" is the standard output. USAGE if it can't be written.
enum status text_file_open(const char *path, FILE **file, struct error *error);
// Tells whether everything arrived; FAILED if not, on a full disk say.
enum status text_file_close(const char *path, FILE *file, struct error *error);

void csv_header(FILE *file);
// Fields of the other memory space stay empty.
void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost);

enum {
    PANELS_MAX = 2
};

// One GPU's view of a request; two of them stand side by side.
struct panel {
    const struct gpu *gpu;
    struct request request;
    struct cost cost;
};

void picture_print(FILE *file, const struct panel *panels, size_t count);
void svg_write(FILE *file, const struct panel *panels, size_t count);

// A panel's cost in words, two lines, and what its rule's certainty means; at most 39 characters each.
enum {
    SUMMARY_LINES = 3,
    SUMMARY_WIDTH = 40
};
void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

#endif
