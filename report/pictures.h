// Selects what each chart shows. This is the selection of plots/draw.sh, by the same programs of awk, so that a page
// and the pictures of gnuplot agree.
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/inputs.h"

struct pictures {
    char **texts; // for each run of awk, lines of JSON (report/marks.awk)
    size_t count;
};

enum status pictures_select(struct pictures *pictures, const struct inputs *inputs, struct error *error);
void pictures_clear(struct pictures *pictures);

#endif
