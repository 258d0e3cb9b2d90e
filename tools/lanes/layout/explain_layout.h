// Finds the layout of a tile that serves every access to it, and shows it.
#ifndef TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H
#define TOOLS_LANES_LAYOUT_EXPLAIN_LAYOUT_H

#include "tools/lanes/arguments.h"
#include "tools/lanes/kernel.h"
#include "tools/lanes/layout/search.h"

// ---- Accesses that a kernel makes ----

// The accesses of a kernel to an array in shared memory, from the requests that were recorded.

// A line that accesses the array, by operation and width.
struct recorded_access {
    uint32_t line;
    enum operation operation;
    enum tile_copy copy;
    uint32_t bytes; // of a lane
    char name[48];  // "line 20 load 4"
};

struct recorded_accesses {
    struct recorded_access *list; // owned
    size_t count;
};

// Adds those of the records that are of the array and not in the list yet.
enum status recorded_accesses_add(struct recorded_accesses *accesses, const struct record_list *records,
                                  const char *array, struct error *error);

// One access as a case of a GPU, with its requests as those to a tile, to be freed. STATUS_USAGE if they do not fit to
// it.
enum status recorded_case(struct layout_case *one, const struct recorded_access *access,
                          const struct record_list *records, const char *array, const struct gpu *gpu,
                          const struct tile *tile, struct error *error);

// ---- The command ----

enum status explain_layout(const struct arguments *arguments, struct error *error);

#endif
