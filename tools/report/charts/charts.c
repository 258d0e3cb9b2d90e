#include "tools/report/charts/charts.h"

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/select.h"
#include "tools/report/parts.h"
#include "util/error.h"

// STATUS_USAGE if the chart of this path cannot be computed.
static enum status add_chart(struct charts *charts, const char *path, const char *name, size_t length, const char *text,
                             const char *lists, struct error *error) {
    struct chart chart = chart_read(&charts->texts, texts_keep(&charts->texts, name, length), text, lists);
    enum status status = STATUS_OK;
    if (chart.endless) {
        status = error_set(error, STATUS_USAGE,
                           "%s: the column %s is computed from itself: name others in its line '# column:'", path,
                           chart.endless);
        chart_clear(&chart);
    } else if (*chart.probe && chart.rows.count > 0 && chart.rows.count <= POSITIONS_MAX && chart.values.count > 0) {
        charts->charts = memory_room(charts->charts, charts->count, sizeof *charts->charts);
        charts->charts[charts->count++] = chart;
    } else {
        chart_clear(&chart);
    }
    return status;
}

// A file's text, to be freed; NULL if it cannot be read.
static char *read_text(const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "r");
    if (file && getdelim(&text, &length, '\0', file) < 0) {
        free(text);
        text = ferror(file) ? NULL : memory_text("", 0);
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static enum status cannot_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
}

enum status charts_read_folder(struct charts *charts, const char *folder, struct error *error) {
    char *variants = memory_format("%s/variants", folder), *pattern = memory_format("%s/*.gp", folder);
    char *lists = read_text(variants);
    enum status status = lists ? STATUS_OK : cannot_read(variants, error);
    glob_t files = {0};
    if (status == STATUS_OK && glob(pattern, 0, NULL, &files) != 0) {
        status = error_set(error, STATUS_USAGE, "%s: there is no chart in it: name the folder plots", folder);
    }
    for (size_t i = 0; i < files.gl_pathc && status == STATUS_OK; i++) {
        const char *path = files.gl_pathv[i], *name = strrchr(path, '/') + 1;
        char *text = read_text(path);
        status = text ? STATUS_OK : cannot_read(path, error);
        if (text) {
            status = add_chart(charts, path, name, strlen(name) - strlen(".gp"), text, lists, error);
        }
        free(text);
    }
    globfree(&files);
    free(lists);
    free(variants);
    free(pattern);
    return status;
}

void charts_read_own(struct charts *charts) {
    static const char FOLDER[] = "plots/", END[] = ".gp";
    char *lists = part_text("plots/variants");
    struct part part = {0};
    while (part_next(&part, FOLDER, END)) {
        char *text = memory_text(part.text, part.length);
        add_chart(charts, "", part.path + strlen(FOLDER), part.path_length - strlen(FOLDER) - strlen(END), text, lists,
                  NULL);
        free(text);
    }
    free(lists);
}

void charts_clear(struct charts *charts) {
    for (size_t i = 0; i < charts->count; i++) {
        chart_clear(&charts->charts[i]);
    }
    free(charts->charts);
    texts_clear(&charts->texts);
    *charts = (struct charts){0};
}

bool charts_published(const char *name, struct table *table) {
    if (!*name) {
        return false;
    }
    struct part part = {0};
    struct error error = {0};
    char *path = memory_format("results/published/%s", name);
    const bool found = part_next(&part, path, path);
    FILE *file = found ? fmemopen((void *)(uintptr_t)part.text, part.length, "r") : NULL;
    const bool read = file && table_read_published(table, file, name, &error) == STATUS_OK;
    free(path);
    return read;
}

// ---- Curves ----

static double evaluate(const struct table *table, size_t row, const char *product) {
    struct factor factor;
    double result = 1;
    while (factor_take(&product, &factor)) {
        char *name = memory_text(factor.name, factor.length);
        const double amount = atof(factor.is_number ? name : table_text(table, row, name));
        free(name);
        result = factor.divides ? result / amount : result * amount;
    }
    return result;
}

struct curves curves_read(const struct chart *chart) {
    struct curves curves = {0};
    struct names devices = {0};
    struct table table;
    if (chart->curves.count != 3 || !charts_published(chart->curves.words[0], &table)) {
        return curves;
    }
    for (size_t row = 0; row < table.row_count; row++) {
        const char *device = table_text(&table, row, "device");
        const size_t number = names_number(&devices, device);
        if (number == curves.count) {
            curves.curves = memory_room(curves.curves, curves.count, sizeof *curves.curves);
            curves.curves[curves.count++] = (struct curve){.device = memory_copy(device)};
        }
        struct curve *curve = &curves.curves[number];
        curve->points = memory_room(curve->points, curve->count, sizeof *curve->points);
        curve->points[curve->count++] = (struct point){evaluate(&table, row, chart->curves.words[1]),
                                                       evaluate(&table, row, chart->curves.words[2])};
    }
    names_clear(&devices);
    table_clear(&table);
    return curves;
}

void curves_clear(struct curves *curves) {
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curves[i].device);
        free(curves->curves[i].points);
    }
    free(curves->curves);
    *curves = (struct curves){0};
}
