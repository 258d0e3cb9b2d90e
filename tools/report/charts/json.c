#include "tools/report/charts/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

// A number, text, or null.
static void write_value(struct json_writer *writer, const char *text) {
    if (*text) {
        json_write_number(writer, NULL, text);
    } else {
        json_write_text(writer, NULL, NULL);
    }
}

// ---- Settings ----

static bool has_source(const struct picture *picture, enum source source) {
    bool found = false;
    for (size_t i = 0; i < picture->mark_count && !found; i++) {
        found = picture->marks[i]->origin == source;
    }
    return found;
}

static bool skip(const char **at, const char *beginning) {
    const size_t length = strlen(beginning);
    const bool fits = strncmp(*at, beginning, length) == 0;
    *at += fits ? length : 0;
    return fits;
}

// The text between quotes, of which those in single quotes double these; NULL if the value is no such text, or has a
// backslash in double quotes. To be freed.
static char *unquote(const char *value) {
    const size_t length = strlen(value);
    const char quote = length < 2 ? '\0' : *value;
    if ((quote != '\'' && quote != '"') || value[length - 1] != quote) {
        return NULL;
    }
    char *text = memory_zeros(length, 1), *to = text;
    for (const char *at = value + 1; at + 1 < value + length; at++) {
        if (quote == '\'' && at[0] == '\'' && at[1] == '\'' && at + 2 < value + length) {
            at++;
        } else if (*at == quote || (quote == '"' && *at == '\\')) {
            free(text);
            return NULL;
        }
        *to++ = *at;
    }
    return text;
}

// NAME = VALUE, set NAME VALUE: VALUE is a number or a text in quotes. Other statements are gnuplot's alone.
static void write_statement(struct json_writer *writer, const char *statement) {
    char name[64];
    int length = 0;
    if (skip(&statement, "set ") && strncmp(statement, "format x", strlen("format x")) == 0) {
        skip(&statement, "format ");
    }
    if (sscanf(statement, "%63[a-z0-9_]%*[ =]%n", name, &length) != 1 || length == 0) {
        return;
    }
    const char *value = statement + length;
    char *text = unquote(value);
    if (text) {
        json_write_text(writer, name, text);
    } else if (is_number_text(value)) {
        json_write_number(writer, name, value);
    }
    free(text);
}

static void write_settings(struct json_writer *writer, const struct picture *picture) {
    char *lines = memory_copy(picture->chart->text), *rest = NULL;
    json_begin_object(writer, "settings");
    for (const char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const bool for_measured = skip(&line, "if (measured) "), for_predicted = skip(&line, "if (predicted) ");
        if ((!for_measured || has_source(picture, MEASURED)) && (!for_predicted || has_source(picture, PREDICTED))) {
            write_statement(writer, line);
        }
    }
    json_end(writer);
    free(lines);
}

// ---- Marks ----

// To six digits, which is more than a screen shows.
static double rounded(double number) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", number);
    return atof(digits);
}

static void write_mark(struct json_writer *writer, const struct picture *picture, const struct item *mark) {
    const size_t rows = picture->chart->rows.count - 1, values = picture->chart->values.count;
    json_begin_array(writer, NULL);
    json_write_count(writer, NULL, mark->series + 1);
    json_write_count(writer, NULL, mark->origin);
    json_write_count(writer, NULL, mark->origin == PUBLISHED ? 0 : mark->file + 1);
    json_write_count(writer, NULL, mark->row + 1);
    json_write_text(writer, NULL, mark->warnings);
    for (size_t i = 0; i < rows; i++) {
        write_value(writer, mark->values[picture->rows[i]]);
    }
    json_write_real(writer, NULL, mark->positions[rows]);
    for (size_t i = 0; i < values; i++) {
        write_value(writer, mark->values[picture->values[i]]);
    }
    if (mark->interval != NO_INTERVAL) {
        json_write_real(writer, NULL, rounded(mark->low));
        json_write_real(writer, NULL, rounded(mark->high));
        json_write_count(writer, NULL, mark->interval);
    }
    json_end(writer);
}

static void write_words(struct json_writer *writer, const char *key, const char *const *words, size_t count) {
    json_begin_array(writer, key);
    for (size_t i = 0; i < count; i++) {
        json_write_text(writer, NULL, words[i]);
    }
    json_end(writer);
}

static void write_series(struct json_writer *writer, const struct picture *picture) {
    json_begin_array(writer, "series");
    for (size_t i = 0; i < picture->series_count; i++) {
        const double peak = picture->series[i].peak;
        json_begin_array(writer, NULL);
        json_write_text(writer, NULL, picture->series[i].title);
        json_write_real(writer, NULL, peak > 0 ? peak : NAN); // null if it is unknown
        json_end(writer);
    }
    json_end(writer);
}

// Whether a line shows nothing of the point: its neighbours are as high, and the last one that was written is near.
static bool is_within_line(const struct curve *curve, size_t i, double written) {
    const struct point *points = curve->points;
    return i > 0 && i + 1 < curve->count && points[i].x < 2 * written &&
           fabs(points[i - 1].y - points[i].y) + fabs(points[i].y - points[i + 1].y) <= 0; // == warns of reals
}

static void write_points(struct json_writer *writer, const struct curve *curve) {
    double written = 0;
    json_begin_array(writer, NULL);
    for (size_t i = 0; i < curve->count; i++) {
        if (!is_within_line(curve, i, written)) {
            written = curve->points[i].x;
            json_begin_array(writer, NULL);
            json_write_real(writer, NULL, rounded(curve->points[i].x));
            json_write_real(writer, NULL, rounded(curve->points[i].y));
            json_end(writer);
        }
    }
    json_end(writer);
}

void curves_write_json(struct json_writer *writer, const struct chart *chart) {
    struct curves curves = curves_read(chart);
    if (curves.count > 0) {
        json_begin_array(writer, chart->name);
    }
    for (size_t i = 0; i < curves.count; i++) {
        json_begin_array(writer, NULL);
        json_write_text(writer, NULL, curves.curves[i].device);
        write_points(writer, &curves.curves[i]);
        json_end(writer);
    }
    if (curves.count > 0) {
        json_end(writer);
    }
    curves_clear(&curves);
}

// The devices of a picture.
static void write_machines(struct json_writer *writer, const struct picture *picture) {
    json_begin_array(writer, "machines");
    for (size_t i = 0; i < picture->series_count && picture->is_comparison; i++) {
        json_write_text(writer, NULL, picture->series[i].name);
    }
    if (!picture->is_comparison) {
        json_write_text(writer, NULL, picture->machine);
    }
    json_end(writer);
}

void picture_write_json(void *context, const struct picture *picture) {
    struct json_writer *writer = context;
    const struct chart *chart = picture->chart;
    json_begin_object(writer, NULL);
    json_write_text(writer, "chart", chart->name);
    json_write_count(writer, "file", picture->is_comparison ? 0 : picture->file + 1);
    write_machines(writer, picture);
    json_write_text(writer, "kind", chart->kind);
    write_settings(writer, picture);
    json_write_text(writer, "subtitle", picture->subtitle);
    json_write_text(writer, "common", picture->settings);
    json_write_text(writer, "left_out", picture->left_out);
    write_series(writer, picture);
    write_words(writer, "rows", chart->rows.words, chart->rows.count);
    write_words(writer, "values", chart->values.words, chart->values.count);
    write_words(writer, "names", picture->names, picture->name_count);
    json_write_count(writer, "bars", picture->bars);
    json_write_bool(writer, "curves", !picture->of_cpu);
    json_begin_array(writer, "gaps");
    for (size_t i = 0; i < picture->mark_count; i++) {
        if (picture->marks[i]->after_gap) {
            json_write_count(writer, NULL, i);
        }
    }
    json_end(writer);
    json_begin_array(writer, "marks");
    for (size_t i = 0; i < picture->mark_count; i++) {
        write_mark(writer, picture, picture->marks[i]);
    }
    json_end(writer);
    json_end(writer);
}
