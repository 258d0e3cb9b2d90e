#include "tools/report/charts/gnuplot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/report/charts/chart.h"
#include "tools/report/charts/pictures.h"
#include "tools/report/table.h"
#include "util/csv.h"
#include "util/error.h"
#include "util/statistics.h"
#include "util/text.h"

static const size_t TEXT_MAX = 100; // characters of a line at the foot or below the title

struct gnuplot {
    const char *results, *work; // folders
    FILE *pictures;
    size_t count; // of scripts
    enum status status;
    struct error *error; // of the first script that could not be written
    const struct table *const *tables;
};

// ---- One script ----

// Text in gnuplot's single quotes, in which only these are doubled.
static void write_quoted(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        fputs(*text == '\'' ? "''" : (const char[]){(unsigned char)*text < ' ' ? ' ' : *text, '\0'}, file);
    }
    fputc('\'', file);
}

static void write_text(FILE *file, const char *name, const char *text) {
    fprintf(file, "%s = ", name);
    write_quoted(file, text);
    fputc('\n', file);
}

static void write_series(FILE *file, const struct picture *picture, struct texts *texts) {
    static const size_t LONGEST = 36;
    const size_t count = picture->series_count;
    fprintf(file, "array series[%zu] = [", count);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", file);
        write_quoted(file, cut_text(texts, picture->series[i].title, LONGEST));
    }
    fprintf(file, "]\narray source[%zu] = [", count);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s'%s'", i > 0 ? ", " : "", picture->series[i].sources);
    }
    fprintf(file, "]\narray peak[%zu] = [", count);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", file);
        fprintf(file, picture->series[i].peak > 0 ? "%.10g" : "NaN", picture->series[i].peak);
    }
    fputs("]\n", file);
}

struct range {
    double least, most;
    bool is_known;
};

static void widen(struct range *range, double value) {
    range->least = !range->is_known || value < range->least ? value : range->least;
    range->most = !range->is_known || value > range->most ? value : range->most;
    range->is_known = true;
}

static void write_range(FILE *file, const char *axis, const struct range *range) {
    if (range->is_known) {
        fprintf(file, "%s_min = %.10g\n%s_max = %.10g\n", axis, range->least, axis, range->most);
    }
}

static void write_ranges(FILE *file, const struct picture *picture) {
    const size_t rows = picture->chart->rows.count - 1, values = picture->chart->values.count;
    struct range x = {0}, all = {0}, *each = memory_zeros(values, sizeof *each);
    for (size_t i = 0; i < picture->mark_count; i++) {
        const struct item *mark = picture->marks[i];
        widen(&x, mark->positions[rows]);
        for (size_t j = 0; j < values; j++) {
            const char *text = mark->values[picture->values[j]];
            if (j == 0 && mark->interval != NO_INTERVAL) {
                widen(&all, mark->low);
                widen(&all, mark->high);
                widen(&each[0], mark->low);
                widen(&each[0], mark->high);
            }
            if (*text && strchr("-+.0123456789", *text)) { // a value may be a name
                widen(&all, atof(text));
                widen(&each[j], atof(text));
            }
        }
    }
    write_range(file, "x", &x);
    write_range(file, "y", &all);
    for (size_t j = 0; j < values; j++) {
        char name[24];
        snprintf(name, sizeof name, "y%zu", j + 1);
        write_range(file, name, &each[j]);
    }
    free(each);
}

// A word of one of gnuplot's lists, which has no blanks.
static void write_word(FILE *file, const char *text) {
    for (; *text; text++) {
        fputc(*text == ' ' ? '-' : *text == '\'' ? '"' : *text, file);
    }
}

// The different x in order, and their names.
static void write_x_values(FILE *file, const struct picture *picture) {
    double *xs = memory_zeros(picture->mark_count, sizeof *xs);
    size_t count = 0;
    for (size_t i = 0; i < picture->mark_count; i++) {
        const double x = picture->marks[i]->positions[picture->chart->rows.count - 1];
        if (picture->name_count == 0 || x <= (double)picture->bars) {
            xs[count++] = x;
        }
    }
    qsort(xs, count, sizeof *xs, by_value);
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        if (different == 0 || xs[i] > xs[different - 1]) {
            xs[different++] = xs[i];
        }
    }
    fputs("x_values = '", file);
    for (size_t i = 0; i < different; i++) {
        fprintf(file, i > 0 ? " %.10g" : "%.10g", xs[i]);
    }
    fputs("'\nx_names = '", file);
    for (size_t i = 0; i < different; i++) {
        fputs(i > 0 ? " " : "", file);
        if (picture->name_count > 0) {
            write_word(file, picture->names[(size_t)xs[i] - 1]);
        } else {
            fprintf(file, "%.10g", xs[i]);
        }
    }
    fputs("'\n", file);
    free(xs);
}

// The different warnings.
static void write_warnings(FILE *file, const struct picture *picture, struct texts *texts) {
    struct names found = {0};
    fputs("marks = '", file);
    for (size_t i = 0; i < picture->mark_count; i++) {
        struct words words = words_split(texts, picture->marks[i]->warnings, "+");
        for (size_t j = 0; j < words.count; j++) {
            if (names_find(&found, words.words[j]) == found.count) {
                fprintf(file, "%s%s", found.count > 0 ? " " : "", words.words[j]);
                names_number(&found, words.words[j]);
            }
        }
        free(words.words);
    }
    fputs("'\n", file);
    names_clear(&found);
}

// ---- Data ----

enum block {
    BLOCK_MEASURED, // as the sources are numbered
    BLOCK_PREDICTED,
    BLOCK_PUBLISHED,
    BLOCK_MARKED, // the measured ones with a warning, which are hollow
    BLOCK_PLAIN,  // the other measured ones
    BLOCKS
};

static const char *const block_names[BLOCKS] = {"measured", "predicted", "published", "marked", "plain"};

static bool is_in_block(const struct item *mark, enum block block, size_t series) {
    const bool is_marked = *mark->warnings;
    const bool fits = block == BLOCK_MARKED  ? mark->origin == MEASURED && is_marked
                      : block == BLOCK_PLAIN ? mark->origin == MEASURED && !is_marked
                                             : mark->origin == (enum source)block;
    return mark->series == series && fits;
}

static void write_value(FILE *file, const char *text) {
    if (*text) {
        write_word(file, text);
    } else {
        fputs("NaN", file);
    }
}

static void write_mark(FILE *file, const struct picture *picture, const struct item *mark) {
    const size_t rows = picture->chart->rows.count - 1, values = picture->chart->values.count;
    for (size_t i = 0; i < rows; i++) {
        write_value(file, mark->values[picture->rows[i]]);
        fputc(' ', file);
    }
    fprintf(file, "%.10g", mark->positions[rows]);
    for (size_t i = 0; i < values; i++) {
        fputc(' ', file);
        write_value(file, mark->values[picture->values[i]]);
    }
    if (mark->interval == NO_INTERVAL) {
        fputs(" NaN NaN\n", file);
    } else {
        fprintf(file, " %.10g %.10g\n", mark->low, mark->high);
    }
}

// An empty line breaks the line through the points. A block without points has one that is not drawn.
static void write_block(FILE *file, const struct picture *picture, enum block block, size_t series) {
    bool is_empty = true;
    fprintf(file, "# %s:%zu:\n", block_names[block], series + 1);
    for (size_t i = 0; i < picture->mark_count; i++) {
        const struct item *mark = picture->marks[i];
        if (is_in_block(mark, block, series)) {
            fputs(!is_empty && mark->after_gap ? "\n" : "", file);
            write_mark(file, picture, mark);
            is_empty = false;
        }
    }
    const size_t columns = picture->chart->rows.count + picture->chart->values.count + 2;
    for (size_t i = 0; i < columns && is_empty; i++) {
        fputs(i + 1 < columns ? "NaN " : "NaN\n", file);
    }
    fputs("\n\n", file);
}

static void write_data(FILE *file, const struct picture *picture) {
    bool has[SOURCES] = {false}, of_median = false, of_samples = false;
    for (size_t i = 0; i < picture->mark_count; i++) {
        has[picture->marks[i]->origin] = true;
        of_median = of_median || picture->marks[i]->interval == OF_THE_MEDIAN;
        of_samples = of_samples || picture->marks[i]->interval == OF_ALL_SAMPLES;
    }
    fputs("$data << END_OF_DATA\n", file);
    for (enum block block = 0; block < BLOCKS; block++) {
        for (size_t i = 0; i < picture->series_count; i++) {
            write_block(file, picture, block, i);
        }
    }
    fputs("END_OF_DATA\n", file);
    for (enum source source = MEASURED; source < SOURCES; source++) {
        fprintf(file, "%s = %d\n", block_names[source], has[source]);
    }
    const size_t low = picture->chart->rows.count + picture->chart->values.count + 1;
    fprintf(file, "low_column = %zu\nhigh_column = %zu\nbar_kind = '%s'\n", low, low + 1,
            of_median && of_samples ? "95 % or range"
            : of_median             ? "95 % interval"
            : of_samples            ? "min to max"
                                    : "");
}

static void write_curves(FILE *file, const struct chart *chart) {
    struct curves curves = curves_read(chart);
    if (curves.count > 0) {
        fprintf(file, "array curve[%zu] = [", curves.count);
        for (size_t i = 0; i < curves.count; i++) {
            fputs(i > 0 ? ", " : "", file);
            write_quoted(file, curves.curves[i].device);
        }
        fputs("]\n$curves << END_OF_DATA\n", file);
        for (size_t i = 0; i < curves.count; i++) {
            for (size_t j = 0; j < curves.curves[i].count; j++) {
                fprintf(file, "%.6g %.6g\n", curves.curves[i].points[j].x, curves.curves[i].points[j].y);
            }
            fputs("\n\n", file);
        }
        fputs("END_OF_DATA\n", file);
    }
    curves_clear(&curves);
}

// Writes a text that may need a second line, NAME_more. The first one ends after a reason, if the rest fits, or else
// after a word.
static void write_two_lines(FILE *file, struct texts *texts, const char *name, const char *text) {
    const size_t length = strlen(text);
    const char *second = text + length;
    if (length > TEXT_MAX) {
        const char *blank = memrchr(text, ' ', TEXT_MAX + 1);
        second = blank ? blank + 1 : text + TEXT_MAX;
        for (const char *reason = second; reason > text + 1 && strlen(reason) <= TEXT_MAX; reason--) {
            if (reason[-1] == ' ' && reason[-2] == ';') {
                second = reason;
                break;
            }
        }
    }
    const size_t first = (size_t)(second - text);
    write_text(file, name, texts_keep(texts, text, first > 0 && second[-1] == ' ' ? first - 1 : first));
    write_text(file, texts_format(texts, "%s_more", name), cut_text(texts, second, TEXT_MAX));
}

// The script defines: subtitle, settings (what all rows have in common), left_out and left_out_more (which rows are not
// shown);
// arrays series (names), source and peak (GB/s), with one element per series; measured, predicted and published,
// whether there are such rows; marks, the warnings of hollow points; low_column and high_column, those with the ends of
// a point's bar, and bars, what bars show, empty if there are none; x_values and x_names; x_min, x_max, y_min, y_max,
// and y1_min, y1_max ... of each value alone, if there are any; and $data, with the blocks "measured:I:",
// "predicted:I:" and "published:I:" of series I, and of its measured ones "marked:I:", those with a warning, and
// "plain:I:", the others. A chart with published curves behind has their devices in the array curve, and the points of
// each in $curves.
static void write_script(FILE *file, const struct picture *picture) {
    struct texts texts = {0};
    const char *left_out = *picture->left_out ? texts_format(&texts, "left out: %s", picture->left_out) : "";
    write_text(file, "subtitle", picture->subtitle);
    write_text(file, "settings", cut_text(&texts, picture->settings, TEXT_MAX));
    write_two_lines(file, &texts, "left_out", left_out);
    write_series(file, picture, &texts);
    write_ranges(file, picture);
    write_x_values(file, picture);
    write_warnings(file, picture, &texts);
    write_data(file, picture);
    if (!picture->of_cpu) {
        write_curves(file, picture->chart);
    }
    texts_clear(&texts);
}

// ---- All scripts ----

static enum status cannot_write(const char *path, struct error *error) {
    return error_set(error, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

// A picture stands beside its CSV file, a comparison in the folder of results.
static char *picture_path(const struct gnuplot *gnuplot, const struct picture *picture) {
    const char *name = picture->chart->name, *suffix = picture->suffix;
    if (picture->is_comparison) {
        return memory_format("%s/%s%s", gnuplot->results, name, suffix);
    }
    const char *path = gnuplot->tables[picture->file]->path, *slash = strrchr(path, '/');
    return memory_format("%.*s%s%s", slash ? (int)(slash + 1 - path) : 0, path, name, suffix);
}

// Whether all that was written to the file, which is closed, is on the disk.
static bool close_written(FILE *file) {
    const bool failed = ferror(file);
    return fclose(file) == 0 && !failed;
}

static void write_picture(void *context, const struct picture *picture) {
    struct gnuplot *gnuplot = context;
    char *name = memory_format("%s/%zu.gp", gnuplot->work, ++gnuplot->count);
    char *path = picture_path(gnuplot, picture);
    FILE *file = gnuplot->status == STATUS_OK ? fopen(name, "w") : NULL;
    if (file) {
        write_script(file, picture);
        fprintf(gnuplot->pictures, "%zu %s %s\n", gnuplot->count, picture->chart->name, path);
    }
    if (gnuplot->status == STATUS_OK && (!file || !close_written(file))) {
        gnuplot->status = cannot_write(name, gnuplot->error);
    }
    free(name);
    free(path);
}

static void complain(enum status *status, const struct error *error) {
    fprintf(stderr, "plots: %s\n", error->text);
    *status = STATUS_USAGE;
}

// ---- Files ----

// The CSV files of a results folder that are called as a probe that a chart is about, or as a chart's own file.
struct results {
    struct names files;
    struct table *tables;
    size_t *file_of; // by table
    size_t count, own_count;
    struct texts paths;
    bool is_beside; // the folder that is being read
    bool found;     // also one at fault
    enum status status;
};

static enum status check_folder(const char *path, struct error *error) {
    const char *end = strrchr(path, '/');
    char *folder = memory_text(end ? path : ".", end ? (size_t)(end - path) : 1);
    const enum status status =
        access(folder, W_OK) == 0
            ? STATUS_OK
            : error_set(error, STATUS_USAGE,
                        "%s: cannot be written to: copy the CSV file to a folder that you can write to", folder);
    free(folder);
    return status;
}

// Reads a file if a chart is about it; one at fault is named and left out.
static enum status read_results(void *context, const char *path, bool *foreign, struct error *unused) {
    struct results *results = context;
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *name = memory_text(file, strlen(file) - strlen(".csv"));
    const size_t called = names_find(&results->files, name);
    struct error error = {0};
    (void)unused;
    *foreign = false;
    free(name);
    if (called == results->files.count) {
        return STATUS_OK;
    }
    struct table table = {0};
    const char *kept = texts_copy(&results->paths, path);
    results->found = true;
    enum status status = results->is_beside ? STATUS_OK : check_folder(path, &error);
    THEN(status, table_read(&table, kept, ROWS_MAX, foreign, &error));
    *foreign = false;
    if (status != STATUS_OK) {
        complain(&results->status, &error);
        table_clear(&table);
        return STATUS_OK;
    }
    results->tables = memory_room(results->tables, results->count, sizeof *results->tables);
    results->file_of = memory_room(results->file_of, results->count, sizeof *results->file_of);
    results->tables[results->count] = table;
    results->file_of[results->count++] = called;
    return STATUS_OK;
}

static void results_clear(struct results *results) {
    for (size_t i = 0; i < results->count; i++) {
        table_clear(&results->tables[i]);
    }
    free(results->tables);
    free(results->file_of);
    names_clear(&results->files);
    texts_clear(&results->paths);
}

static bool share_folder(const char *a, const char *b) {
    const char *const end_a = strrchr(a, '/'), *const end_b = strrchr(b, '/');
    const size_t length = end_a ? (size_t)(end_a - a) : 0;
    return length == (end_b ? (size_t)(end_b - b) : 0) && strncmp(a, b, length) == 0;
}

// Whether the chart shows rows of this file: of its own one, or of its probe's where the folder has no own one.
static bool is_for_chart(const struct results *results, const struct chart *chart, size_t table) {
    const size_t own = *chart->file ? names_find(&results->files, chart->file) : results->files.count;
    bool replaced = false;
    for (size_t i = 0; i < results->count && !replaced; i++) {
        replaced = results->file_of[i] == own && share_folder(results->tables[i].path, results->tables[table].path);
    }
    return results->file_of[table] == (replaced ? own : names_find(&results->files, chart->probe));
}

static void draw_chart(struct gnuplot *gnuplot, const struct chart *chart, const struct results *results,
                       struct notes *notes) {
    const struct table **tables = memory_zeros(results->count, sizeof *tables);
    size_t count = 0, own_count = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (is_for_chart(results, chart, i)) {
            tables[count++] = &results->tables[i];
            own_count += i < results->own_count;
        }
    }
    if (own_count > 0) {
        gnuplot->tables = tables;
        chart_pictures(chart, tables, count, own_count, write_picture, gnuplot, notes);
    }
    free(tables);
}

static enum status draw_all(struct gnuplot *gnuplot, const struct charts *charts, const struct results *results,
                            struct error *error) {
    struct notes notes = {0};
    char *name = memory_format("%s/pictures", gnuplot->work);
    gnuplot->pictures = fopen(name, "w");
    enum status status = gnuplot->pictures ? STATUS_OK : cannot_write(name, error);
    for (size_t i = 0; i < charts->count && status == STATUS_OK; i++) {
        draw_chart(gnuplot, &charts->charts[i], results, &notes);
    }
    for (size_t i = 0; i < notes.count; i++) {
        fprintf(stderr, "plots: %s %s\n", notes.notes[i].chart, notes.notes[i].text);
    }
    if (gnuplot->pictures && !close_written(gnuplot->pictures) && status == STATUS_OK) {
        status = cannot_write(name, error);
    }
    THEN(status, gnuplot->status);
    notes_clear(&notes);
    free(name);
    return status;
}

enum status gnuplot_write(const char *folder, const struct option_list *beside, const char *plots, const char *work,
                          struct error *error) {
    struct charts charts = {0};
    struct results results = {0};
    struct gnuplot gnuplot = {.results = folder, .work = work, .error = error};
    size_t foreign;
    enum status status = charts_read_folder(&charts, plots, error);
    for (size_t i = 0; i < charts.count; i++) {
        names_number(&results.files, charts.charts[i].probe);
        if (*charts.charts[i].file) {
            names_number(&results.files, charts.charts[i].file);
        }
    }
    THEN(status, csv_files_read(folder, read_results, &results, &foreign, error));
    if (status == STATUS_OK && !results.found) {
        status = error_set(error, STATUS_USAGE,
                           "%s: there is no CSV file of a probe in it: run one, such as build/gmem --csv %s/gmem.csv",
                           folder, folder);
    }
    results.own_count = results.count;
    results.is_beside = true;
    for (size_t i = 0; i < beside->count && status == STATUS_OK; i++) {
        status = csv_files_read(beside->values[i], read_results, &results, &foreign, error);
    }
    THEN(status, draw_all(&gnuplot, &charts, &results, error));
    const enum status read_status = results.status;
    results_clear(&results);
    charts_clear(&charts);
    return status == STATUS_OK ? read_status : status;
}
