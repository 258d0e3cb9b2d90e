// Reads the rows of a fleet's CSV files into a store.
#ifndef TOOLS_JUDGE_ROWS_H
#define TOOLS_JUDGE_ROWS_H

#include "tools/judge/fleet.h"
#include "tools/judge/store.h"

struct rows {
    struct fleet *fleet;
    struct store *store;
    const struct fleet *earlier; // whose rows these are, to compare with; NULL: they are the fleet's own
    uint64_t count;              // of the fleet's own rows
};

// A fleet_file_reader, whose context is a struct rows. A file that cannot be read is a fault of its GPU.
enum status rows_read(void *rows, uint32_t gpu, const char *path, struct error *error);

// The times of a reference, a file: each becomes that of all groups that ran the same. Call it when the store is full.
enum status rows_read_reference(struct store *store, const char *path, struct error *error);

#endif
