#include "bench/table.h"

#include <stdio.h>
#include <string.h>

static const char VERDICT[] = " verdict";

// Whether a column of the table has the parameter's values: a type has a width, and a block has as many threads as its
// warps have.
static bool is_told(const char *columns, const char *parameter, const char *column) {
    return strstr(columns, column) || (strcmp(parameter, "width") == 0 && strstr(columns, " type ")) ||
           (strcmp(parameter, "warps") == 0 && strstr(columns, " block "));
}

static const char *own_columns(const struct run *run) {
    const struct probe *probe = run->probe;
    const char *own = probe->columns_of ? probe->columns_of(run) : NULL;
    return own ? own : probe->table_columns;
}

const char *table_columns(char text[TABLE_TEXT], const struct run *run) {
    const char *columns = own_columns(run);
    const char *verdict = strstr(columns, VERDICT);
    const size_t before = verdict ? (size_t)(verdict - columns) : strlen(columns);
    int length = snprintf(text, TABLE_TEXT, "%.*s", (int)before, columns);
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        const char *name = run->probe->parameters[i].name;
        const char *column = strcmp(name, "width") == 0 ? "width_bytes" : name;
        const bool exists = row_column_find(column) < row_column_count(); // an option need not have a column
        if (run->sweeps[i].count > 1 && exists && !is_told(columns, name, column)) {
            length += snprintf(text + length, TABLE_TEXT - (size_t)length, " %s", column);
        }
    }
    snprintf(text + length, TABLE_TEXT - (size_t)length, "%s", columns + before);
    return text;
}

static int longer(int width, const char *name) {
    int length = (int)strlen(name);
    return length > width ? length : width;
}

struct output_widths table_widths(const struct run *runs, size_t count, const struct run *run) {
    struct output_widths widths = {(int)strlen("device"), (int)strlen("variant")};
    char wanted[TABLE_TEXT], columns[TABLE_TEXT];
    table_columns(wanted, run);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table_columns(columns, &runs[i]), wanted) == 0) {
            widths.device = longer(widths.device, runs[i].bench_device->device->info.spec);
            widths.variant = longer(widths.variant, runs[i].variant->name);
        }
    }
    return widths;
}
