// The result of a comparison, and the formats that it is written in.
#ifndef TOOLS_COMPARE_DOCUMENT_H
#define TOOLS_COMPARE_DOCUMENT_H

#include <stdio.h>

#include "tools/compare/judge.h"

// What is compared: a file, a folder or a device.
struct named_side {
    const char *name, *date; // date: when it was measured; empty: unknown
    size_t foreign;          // files of the folder that are not bankshot's
    struct side rows;
};

// Two sides that were compared.
struct contrast {
    const struct named_side *a, *b;
    struct joined joined;
    struct judgement judgement;
    struct mean *means; // one for each variant and pair of devices
    size_t mean_count;
};

// The geometric mean of the ratios of a variant.
struct mean {
    const struct comparison *first; // gives the probe, the variant and the devices
    double log_sum;
    size_t rows; // with a ratio
    size_t outcomes[OUTCOMES];
};

struct document {
    const char *command;
    double threshold_pct;
    bool colour;
    bool brief; // the table shows only what is faster or slower
    struct contrast *contrasts;
    size_t contrast_count;
};

void contrast_find_means(struct contrast *contrast);
// Whether the single runs of CPUs moved together, so that none of their rows can be decided.
bool document_moved_alike(const struct contrast *contrast);
// How many pairs of rows are compared on all sides together.
size_t document_pairs(const struct document *document);
// Each format says this of sides without a row in common.
extern const char nothing_compared[];
double mean_ratio(const struct mean *mean);
void contrast_clear(struct contrast *contrast);

void document_write_table(FILE *file, const struct document *document);
// These write a struct document, as print_file (util/file.h) calls them.
void document_write_csv(FILE *file, const void *document);
void document_write_json(FILE *file, const void *document);

#endif
