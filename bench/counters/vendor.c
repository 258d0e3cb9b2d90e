#include "bench/counters/vendor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool row_counts_loads(const struct row *row) {
    return isfinite(row->load_efficiency_pct) || !isfinite(row->store_efficiency_pct);
}

bool row_counts_stores(const struct row *row) {
    return isfinite(row->store_efficiency_pct) || !isfinite(row->load_efficiency_pct);
}

// ---- Lines of a profiler's CSV ----

static bool begins_with(const char *line, const char *name) {
    line += *line == '"';
    return strncmp(line, name, strlen(name)) == 0 && strchr("\",", line[strlen(name)]);
}

// The lines of the table, to be freed: from the header on, without the profiler's remarks. Empty if there is no header.
static struct written table_of(FILE *file, const char *first_column) {
    struct written text;
    char *line = NULL;
    size_t size = 0;
    bool begun = false;
    FILE *table = memory_stream(&text);
    while (file && getline(&line, &size, file) > 0) {
        begun = begun || begins_with(line, first_column);
        if (begun && strncmp(line, "==", 2) != 0 && *line != '\n') {
            fputs(line, table);
        }
    }
    memory_stream_end(&text);
    free(line);
    return text;
}

bool csv_open(struct csv_table *table, const char *path, const char *first_column) {
    FILE *file = fopen(path, "r");
    const struct written text = table_of(file, first_column);
    *table = (struct csv_table){.text = text.text};
    if (file) {
        fclose(file);
    }
    csv_reader_from(&table->reader, text.length > 0 ? fmemopen(table->text, text.length, "r") : NULL, path);
    return table->reader.file && csv_reader_header(&table->reader, NULL, NULL, NULL) == STATUS_OK;
}

void csv_close(struct csv_table *table) {
    csv_reader_close(&table->reader);
    free(table->text);
}

bool csv_next(struct csv_table *table) {
    bool found = false;
    const enum status status = table->torn ? STATUS_FAILED : csv_reader_next(&table->reader, &found, NULL);
    table->torn = status != STATUS_OK || table->reader.torn > 0;
    table->reader.torn = 0; // whoever reads the table says it
    return found && !table->torn;
}

const char *csv_field(const struct csv_table *table, const char *column) {
    const size_t number = csv_reader_column(&table->reader, column);
    return number < table->reader.columns ? csv_reader_field(&table->reader, number) : NULL;
}

bool csv_number(const char *field, double *value) {
    char digits[64], *to = digits, *end;
    *value = NAN;
    if (!field || strcmp(field, "n/a") == 0) {
        return field != NULL;
    }
    for (const char *at = field; *at && to < digits + sizeof digits - 1; at++) {
        if (*at != ',') {
            *to++ = *at;
        }
    }
    *to = '\0';
    *value = strtod(digits, &end);
    return end != digits && *end == '\0';
}

struct dimensions csv_dimensions(const char *field) {
    struct dimensions size = {0, 0, 0};
    if (field && sscanf(field, "(%u, %u, %u)", &size.x, &size.y, &size.z) != 3) {
        size = (struct dimensions){(uint32_t)strtoul(field, NULL, 10), 1, 1};
    }
    return size;
}

// The launch of this number, which is added if it is new.
static struct counted_launch *find_launch(const struct csv_table *table, const struct metric_columns *columns,
                                          struct launch_list *list, size_t first) {
    const char *id = csv_field(table, columns->launch), *kernel = csv_field(table, columns->kernel);
    const size_t number = id ? strtoul(id, NULL, 10) : 0;
    for (size_t i = list->count; i > first; i--) {
        if (list->at[i - 1].window == number) {
            return &list->at[i - 1];
        }
    }
    struct counted_launch *launch = launches_add(list);
    launch->window = number;
    launch->grid = csv_dimensions(csv_field(table, columns->grid));
    launch->block = csv_dimensions(csv_field(table, columns->block));
    snprintf(launch->kernel, sizeof launch->kernel, "%s", kernel ? kernel : "");
    return launch;
}

static int by_number(const void *a, const void *b) {
    const size_t left = ((const struct counted_launch *)a)->window, right = ((const struct counted_launch *)b)->window;
    return (left > right) - (left < right);
}

static size_t metric_count(const char *metrics) {
    size_t count = 1;
    for (const char *at = metrics; *at; at++) {
        count += *at == ',';
    }
    return count;
}

enum status counter_table_read(const struct counter_vendor *vendor, const struct profile *profile, const char *path,
                               struct launch_list *list, struct error *error) {
    const struct metric_columns *columns = &vendor->columns;
    const size_t first = list->count;
    struct csv_table table;
    const bool found = csv_open(&table, path, columns->first);
    bool whole = found || vendor->logs_table;
    while (found && whole && csv_next(&table)) {
        struct counted_launch *launch = find_launch(&table, columns, list, first);
        const char *name = csv_field(&table, columns->metric);
        const int number = name ? list_place(vendor->metrics, ',', name) : -1;
        if (number >= 0) {
            whole = csv_number(csv_field(&table, columns->value), &launch->values[number]);
            launch->printed++;
        }
    }
    whole = whole && !table.torn;
    csv_close(&table);
    for (size_t i = first; i < list->count && vendor->prints_each; i++) {
        whole = whole && list->at[i].printed == metric_count(profile->metrics);
    }
    if (list->count > first) {
        qsort(list->at + first, list->count - first, sizeof *list->at, by_number);
    }
    return whole ? STATUS_OK
                 : error_set(error, STATUS_FAILED, "%s's table is incomplete after %zu launches", vendor->profiler,
                             list->count > 0 ? list->count - 1 : 0);
}
