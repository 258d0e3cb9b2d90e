// Rows as one JSON object: metadata, columns, rows (docs/rows.schema.json).
#ifndef BENCH_ROWS_JSON_ROWS_H
#define BENCH_ROWS_JSON_ROWS_H

#include "bench/row.h"
#include "bench/rows/row_file.h"
#include "util/json_writer.h"

struct json_rows {
    struct row_file file;
    struct json_writer writer; // writes into the text of one call
};

// Call these in their order; each may fail as the calls of row_file.h do. A regular file is a whole object after each
// row.
enum status json_rows_open(struct json_rows *json, const char *path, struct error *error);
enum status json_rows_metadata(struct json_rows *json, const char *key, const char *value, struct error *error);
enum status json_rows_header(struct json_rows *json, struct error *error);
enum status json_rows_row(struct json_rows *json, const struct row *row, struct error *error);
// As row_file_begin_again; what follows is written as after json_rows_open.
enum status json_rows_begin_again(struct json_rows *again, const struct json_rows *json, struct error *error);

enum status json_rows_close(struct json_rows *json, bool whole, struct error *error);

#endif
