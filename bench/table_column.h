// A column of the table for people, as a probe names it.
#ifndef BENCH_TABLE_COLUMN_H
#define BENCH_TABLE_COLUMN_H

#include "bench/row.h"

// The devices on which a column has values.
enum table_devices {
    ON_ALL,
    ON_GPUS,
    ON_MEASURED,
    ON_PREDICTED
};

struct table_column {
    enum row_column column;
    int width; // 0: the usual one
    enum table_devices devices;
};
#define COLUMN(name)                                                                                                   \
    { .column = COLUMN_##name }
#define COLUMN_WIDE(name, columns)                                                                                     \
    { .column = COLUMN_##name, .width = (columns) }
#define COLUMN_ON(which, name)                                                                                         \
    { .column = COLUMN_##name, .devices = (which) }
#define TABLE_END                                                                                                      \
    { .column = COLUMN_NONE }

// The columns of a table. 80 columns of text hold them, with a short verdict.
#define TABLE(name, ...) static const struct table_column name[] = {__VA_ARGS__, TABLE_END}

#endif
