#include "tools/report/charts/curves.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/charts.h"
#include "util/error.h"

static double evaluate(const struct table *table, size_t row, const char *product) {
    struct factor factor;
    double result = 1;
    while (factor_take(&product, &factor)) {
        const double amount = atof(factor.is_number ? factor.name : table_text(table, row, factor.name));
        result = factor.divides ? result / amount : result * amount;
    }
    return result;
}

static struct curve *curve_of(struct curves *curves, const char *device) {
    for (size_t i = 0; i < curves->count; i++) {
        if (strcmp(curves->curves[i].device, device) == 0) {
            return &curves->curves[i];
        }
    }
    curves->curves = memory_room(curves->curves, curves->count, sizeof *curves->curves);
    curves->curves[curves->count] = (struct curve){.device = memory_copy(device)};
    return &curves->curves[curves->count++];
}

struct curves curves_read(const struct chart *chart) {
    struct curves curves = {0};
    struct table table;
    if (chart->curves.count != 3 || !charts_published(chart->curves.words[0], &table)) {
        return curves;
    }
    for (size_t row = 0; row < table.row_count; row++) {
        struct curve *curve = curve_of(&curves, table_text(&table, row, "device"));
        curve->points = memory_room(curve->points, curve->count, sizeof *curve->points);
        curve->points[curve->count++] = (struct point){evaluate(&table, row, chart->curves.words[1]),
                                                       evaluate(&table, row, chart->curves.words[2])};
    }
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

void notes_add(struct notes *notes, const struct chart *chart, char *text) {
    notes->notes = memory_room(notes->notes, notes->count, sizeof *notes->notes);
    notes->notes[notes->count++] = (struct note){memory_copy(chart->name), text};
}

void notes_clear(struct notes *notes) {
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->notes[i].chart);
        free(notes->notes[i].text);
    }
    free(notes->notes);
    *notes = (struct notes){0};
}
