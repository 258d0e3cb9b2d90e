#include "bench/table.h"

#include <stdio.h>
#include <string.h>

static const char VERDICT[] = " verdict";

static int longer(int width, const char *name) {
    int length = (int)strlen(name);
    return length > width ? length : width;
}

struct output_widths table_widths(const struct selection *selection) {
    struct output_widths widths = {(int)strlen("device"), (int)strlen("variant")};
    for (size_t i = 0; i < selection->spec_count; i++) {
        widths.device = longer(widths.device, selection->specs[i]);
    }
    for (size_t i = 0; i < selection->variant_count; i++) {
        widths.variant = longer(widths.variant, selection->variants[i]->name);
    }
    return widths;
}

static const char *columns_of(const struct probe *probe, const struct selection *selection) {
    const char *common = NULL;
    for (size_t i = 0; i < selection->variant_count && probe->variant_columns; i++) {
        const char *columns = probe->variant_columns(selection->variants[i]);
        if (!columns || (common && strcmp(columns, common) != 0)) {
            return probe->table_columns;
        }
        common = columns;
    }
    return common ? common : probe->table_columns;
}

const char *table_columns(char text[TABLE_TEXT], const struct probe *probe, const struct selection *selection,
                          const struct sweep *given) {
    const char *columns = columns_of(probe, selection);
    const char *verdict = strstr(columns, VERDICT);
    const size_t before = verdict ? (size_t)(verdict - columns) : strlen(columns);
    int length = snprintf(text, TABLE_TEXT, "%.*s", (int)before, columns);
    for (size_t i = 0; i < probe->parameter_count; i++) {
        const char *name = probe->parameters[i].name;
        const char *column = strcmp(name, "width") == 0 ? "width_bytes" : name;
        const bool exists = row_column_find(column) < row_column_count(); // an option need not have a column
        if (given[i].count > 1 && exists && !strstr(columns, column)) {
            length += snprintf(text + length, TABLE_TEXT - (size_t)length, " %s", column);
        }
    }
    snprintf(text + length, TABLE_TEXT - (size_t)length, "%s", columns + before);
    return text;
}
