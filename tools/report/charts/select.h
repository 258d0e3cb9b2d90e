// Selects the rows of a picture, by columns of their files and computed ones, and says it in words.
#ifndef TOOLS_REPORT_CHARTS_SELECT_H
#define TOOLS_REPORT_CHARTS_SELECT_H

#include "tools/report/charts/selection.h"

// ---- Columns ----

// The columns of a row: those in its file and computed ones.
//
// An expression is a product of columns and numbers, evaluated from left to right (100*valu_active_threads/64). Of
// several expressions with bars between them the first one counts whose columns are all there (time_ns|1e6*time_ms).
// relative(NAME) is NAME in percent of the row that the chart's key "relative" names. number(NAME) is the number of the
// device that the column NAME holds, 1 of cuda:1. sure_level is
// the level where the rows of variant geometry are sure of it.

// Finds the rows and the columns that the chart may show.
void select_rows(struct selection *selection);
void forget_rows(struct selection *selection);

const char *column_name(const struct selection *selection, size_t column);

// A row's value; "" if it is unknown.
const char *item_value(struct selection *selection, const struct item *item, size_t column);

// The name of a row's series.
const char *item_series(struct selection *selection, const struct item *item);

// Where its values come from. Where a chart shows counts, the model's, measured rows count as predicted.
enum source item_origin(const struct selection *selection, const struct item *item);

// The ends of a measured value's bar: those of the 95 % interval of the median, or of all samples where the file has no
// interval.
enum bar_interval item_interval(struct selection *selection, const struct item *item, double *low, double *high);

// The words of its verdict for which its point is hollow, with '+' between them; kept by the selection.
const char *item_marks(struct selection *selection, const struct item *item);

// Finds the rows that relative columns refer to, among those that are kept.
void find_references(struct selection *selection);

bool is_number_text(const char *text);

// ---- Words ----

// What is said about the picture, kept by the selection, as the next ones.
const char *settings_text(struct selection *selection);
const char *left_out_text(struct selection *selection);
const char *sources_text(const struct selection *selection, long series);
const char *series_title(struct selection *selection, const char *name);

// The text, and another one behind the separator; the other one alone if the text is empty.
const char *text_and(struct selection *selection, const char *text, const char *separator, const char *more);

// The name of the folder that a file is in, or the path if it names none.
const char *folder_name(struct selection *selection, const char *path);

// The text, or a kept one that is cut after a word to at most `longest` characters.
const char *cut_text(struct texts *texts, const char *text, size_t longest);

// Selects the rows of a picture.

// Keeps the rows of one device: those of a file, and those lent to them by another.
void keep_device(struct selection *selection, size_t part, size_t file, const char *const *same);

// Keeps the rows of all devices that have rows with the settings that most devices have.
void keep_all_devices(struct selection *selection);

// Leaves a row out because of its value of the column: "repeated", "source" and "file" are reasons, too.
void drop(struct selection *selection, struct item *item, const char *column);
void forget_drops(struct selection *selection);

#endif
