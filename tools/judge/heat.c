#include "tools/judge/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

struct heat heat_make(size_t gpu_count) {
    return (struct heat){.cells = memory_zeros(gpu_count * HEAT_COLUMNS_MAX + 1, sizeof(struct heat_cell)),
                         .gpu_count = gpu_count};
}

void heat_clear(struct heat *heat) {
    for (size_t i = 0; i < heat->column_count; i++) {
        free(heat->columns[i]);
    }
    free(heat->cells);
    *heat = (struct heat){.cells = NULL};
}

// A row's name begins with its probe and variant, and goes on with a comma.
static size_t column_of(struct heat *heat, const char *name) {
    const size_t length = strcspn(name, ",");
    size_t i = 0;
    while (i < heat->column_count &&
           (strlen(heat->columns[i]) != length || strncmp(heat->columns[i], name, length) != 0)) {
        i++;
    }
    if (i == heat->column_count && i < HEAT_COLUMNS_MAX) {
        heat->columns[heat->column_count++] = memory_text(name, length);
    }
    return i;
}

static double distance(double cost, double median) {
    return fabs(log(cost / median));
}

void heat_add(struct heat *heat, const struct group *group, const struct record *record, double median) {
    const size_t column = column_of(heat, group->name);
    if (column == HEAT_COLUMNS_MAX) {
        heat->left_out++;
        return;
    }
    struct heat_cell *cell = &heat->cells[record->gpu * (size_t)HEAT_COLUMNS_MAX + column];
    if (!cell->name || distance(record->cost, median) > distance(cell->cost, cell->median)) {
        *cell = (struct heat_cell){group->name, record->cost, median, group->figure};
    }
}
