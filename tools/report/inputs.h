// The files that a page is made from.
#ifndef TOOLS_REPORT_INPUTS_H
#define TOOLS_REPORT_INPUTS_H

#include "tools/report/table.h"

enum {
    ROWS_MAX = 50000 // of all files: a browser sorts and draws no more within a second
};

struct inputs {
    struct table *tables; // those with rows
    size_t count;
    size_t own; // of these the first are the reader's own; the others stand beside them
    size_t rows;
    size_t repeated; // files that were named twice, which count once
    struct texts paths;
};

// Reads files, and folders as compare does: FOLDER/*.csv and FOLDER/*/*.csv. A folder's foreign files are left out.
enum status inputs_read(struct inputs *inputs, const char *const *paths, size_t count, struct error *error);
void inputs_clear(struct inputs *inputs);

// The probe of a table's rows.
const char *table_probe(const struct table *table);

#endif
