// The parts beside each other: for people, with the source of each cell, and for programs.
#ifndef BENCH_PARTS_TABLE_H
#define BENCH_PARTS_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "model/gpu_part.h"

struct parts {
    const struct gpu **gpus;
    struct gpu_part **made; // owns those that are no rows of the table
    size_t count;
};

// Three parts beside each other within 80 columns, more below them, then what the differences mean.
void parts_write_table(FILE *file, const struct parts *parts);

// Each cell with its source.
void parts_write_sources(FILE *file, const struct parts *parts);

// These write a struct parts, as print_file (util/file.h) calls them.
void parts_write_csv(FILE *file, const void *parts);
void parts_write_json(FILE *file, const void *parts);

#endif
