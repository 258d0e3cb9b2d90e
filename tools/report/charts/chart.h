// A chart: what the comments of its file, plots/NAME.gp, say that it shows. First comes its caption, in Markdown, which
// a page and plots/README.md show with it. Then come keys, each "# KEY: VALUE" in a line of its own:
//     probe: NAME              whose rows
//     variants: A B* !BAD      rows of these variants: A, all that begin with B, but not BAD; @NAME stands for a
//                              line of plots/variants, !@unpublished leaves out what the published table lacks
//     yardsticks: A B          variants that are drawn not as bars but as levels to compare with
//     beside: A B*             variants that make no picture without others
//     file: NAME               a folder's NAME.csv takes the place of its PROBE.csv
//     scope: device compare    which pictures to draw: one for each device, one that compares all devices
//     first: N                 its place among the few charts with which a page begins
//     where: COLUMN=A|B ...    rows whose column has one of these values, or is empty
//     series: COLUMN           the column that distinguishes lines, or sets of bars
//     groups: NAME=A|B C ...   the series: rows whose series column is A or B belong to NAME, those of C to C,
//                              others are not shown; also the order of the series. Without it kernel is 'all'
//     rows: COLUMN ...         the position of a point; the last one is x. An x that is not a number, such as
//                              variant, gets the positions 1, 2 ... in the order of the file
//     values: COLUMN ...       its values; the first one is y, and a row without it is left out. The bar through a
//                              point follows from the interval of its row's time
//     column: NAME = EXPRESSION     a column that only this chart has (select.h)
//     points: N                with fewer different x no picture is drawn (2 for lines and bars, otherwise 1)
//     same: COLUMN ...         all rows of the picture agree on these (select.c)
//     alike: COLUMN ...        all rows of one device agree on these; devices that are compared may differ
//     sources: one             rows of one source: measured, or predicted if none is measured
//     relative: COLUMN=VALUE   the row of the same line that relative(NAME) is a percentage of
//     published: FILE          a table of results/published to show too
//     curves: FILE X Y         curves of a table of results/published that stand behind (below)
//     picture: KIND            what draws it on a page, if none of series.gp, bars.gp ...: cells or columns
//     counts: all              the values are the model's counts in every row, so all rows count as predicted
#ifndef TOOLS_REPORT_CHARTS_CHART_H
#define TOOLS_REPORT_CHARTS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/table.h"
#include "util/error.h"
#include "util/text.h"

enum {
    POSITIONS_MAX = 4 // of a chart's "rows"
};

struct words {
    const char **words;
    size_t count;
};

// NAME=A|B, or A alone.
struct key_choice {
    const char *name, *members;
};

struct key_choices {
    struct key_choice *choices;
    size_t count;
};

struct definition {
    const char *name, *expression;
};

struct chart {
    const char *name; // gmem-stride
    const char *text; // the file
    const char *caption;
    const char *probe, *file, *variants, *scope, *series, *kind, *published; // "" where the file does not say
    struct words patterns, yardsticks, beside, rows, values, same, alike, curves;
    struct key_choices where, groups;
    struct definition *definitions;
    size_t definition_count;
    const char *reference_column, *reference_value; // of relative()
    size_t points;
    size_t first; // 0 if a page does not begin with it
    bool one_source, counts_all;
};

// Whether a list "A B* !C" of words holds the variant; a word with '!' takes it out again. `published` says whether the
// published table has it.
bool chart_lists(const struct chart *chart, const char *variant, bool is_published);

// Whether rows of the variant alone make a picture.
bool chart_is_about(const struct chart *chart, const char *variant);

// Whether the chart names the variant, even if it leaves it out in the end.
bool chart_names(const struct chart *chart, const char *variant);

// The variant's name without the beginning that all variants of its pattern share.
const char *chart_short_name(const struct chart *chart, const char *variant);

// The group that a value of the series' column belongs to; NULL if it is in none.
const char *chart_group(const struct chart *chart, const char *value);

// ---- Computed columns ----

// The expression of a column (select.h): that of its name, or the name itself where that is one; NULL for others.
const char *chart_expression(const struct chart *chart, const char *column);

// A factor of a product of columns and numbers, such as 100*valu_active_threads/64.
struct factor {
    const char *name; // of the column, or the number; it ends after `length` characters
    size_t length;
    bool divides, is_number;
};

// Moves *product past its next factor. False at its end, which is that of the text or a bar.
bool factor_take(const char **product, struct factor *factor);

// The words are kept by `texts`, and their list is to be freed.
struct words words_split(struct texts *texts, const char *text, const char *separators);
bool words_have(const struct words *words, const char *word);

// ---- Charts ----

struct charts {
    struct chart *charts; // in the order of their names
    size_t count;
    struct texts texts;
};

// The files FOLDER/*.gp that are charts, and not what charts load.
enum status charts_read_folder(struct charts *charts, const char *folder, struct error *error);

// Those that the program contains.
void charts_read_own(struct charts *charts);
void charts_clear(struct charts *charts);

// Reads a table of results/published, of those that the program contains. False if there is none of the name.
bool charts_published(const char *name, struct table *table);

// ---- Curves ----

// Published curves that stand behind a chart: its key "curves: FILE X Y" names a table of results/published and the
// products of a point, such as 1000*cycles_mean/clock_mhz.

struct point {
    double x, y;
};

struct curve {
    char *device;
    struct point *points;
    size_t count;
};

struct curves {
    struct curve *curves; // in the order of the table
    size_t count;
};

struct curves curves_read(const struct chart *chart);
void curves_clear(struct curves *curves);

#endif
