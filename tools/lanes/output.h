// The program's outputs: CSV rows, pictures in the terminal, and pictures in a file.
#ifndef TOOLS_LANES_OUTPUT_H
#define TOOLS_LANES_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include "tools/lanes/grid.h"
#include "tools/lanes/pattern.h"
#include "util/error.h"

// ---- A request's cost as a row of CSV ----

void csv_header(FILE *file);

// Leaves the fields of the other memory space empty.
void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost,
             const struct pattern *pattern);

// ---- Files and pictures ----

// Opens path for writing; "-" is the standard output. STATUS_USAGE if it cannot be written.
enum status text_file_open(const char *path, FILE **file, struct error *error);
// Closes the file. STATUS_FAILED if not everything was written, as on a full disk.
enum status text_file_close(const char *path, FILE *file, struct error *error);

enum {
    PANELS_MAX = 2
};

// One GPU's picture of a request. Two panels are shown side by side.
struct panel {
    const struct gpu *gpu;
    struct request request;
    struct cost cost;
};

// Writes a panel's cost in two lines, and the certainty of its rule, with at most 39 characters each.
enum {
    SUMMARY_LINES = 3,
    SUMMARY_WIDTH = 40
};
void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]);

#endif
