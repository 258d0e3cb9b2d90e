#include "bench/counters/vendor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t metric_count(const char *metrics) {
    size_t count = 1;
    for (const char *at = metrics; *at; at++) {
        count += *at == ',';
    }
    return count;
}

bool row_counts_loads(const struct row *row) {
    return isfinite(row->load_efficiency_pct) || !isfinite(row->store_efficiency_pct);
}

bool row_counts_stores(const struct row *row) {
    return isfinite(row->store_efficiency_pct) || !isfinite(row->load_efficiency_pct);
}

// ---- Lines of a profiler's CSV ----

// Splits the line in place into fields, which may be quoted, with two quotes for one. Returns 0 if a quote is not
// closed or the line has no end.
static size_t split(char *line, char *fields[CSV_FIELDS_MAX]) {
    size_t count = 0;
    char *end = strchr(line, '\n');
    if (!end) {
        return 0;
    }
    *end = '\0';
    for (char *at = line; count < CSV_FIELDS_MAX;) {
        char *to = at;
        const bool quoted = *at == '"';
        fields[count++] = to;
        at += quoted;
        while (*at && (quoted ? *at != '"' || at[1] == '"' : *at != ',' && *at != '\r')) {
            at += quoted && *at == '"';
            *to++ = *at++;
        }
        if (quoted && *at++ != '"') {
            return 0;
        }
        const bool more = *at == ',';
        *to = '\0';
        at++;
        if (!more) {
            return count;
        }
    }
    return 0;
}

static bool begins_with(const char *line, const char *name) {
    line += *line == '"';
    return strncmp(line, name, strlen(name)) == 0 && strchr("\",", line[strlen(name)]);
}

bool csv_open(struct csv_table *table, const char *path, const char *first_column) {
    *table = (struct csv_table){.file = fopen(path, "r")};
    while (table->file && table->count == 0 && getline(&table->header, &table->header_size, table->file) > 0) {
        if (begins_with(table->header, first_column)) {
            table->count = split(table->header, table->names);
        }
    }
    return table->count > 0;
}

void csv_close(struct csv_table *table) {
    if (table->file) {
        fclose(table->file);
    }
    free(table->header);
    free(table->line);
}

bool csv_next(struct csv_table *table) {
    while (!table->torn && getline(&table->line, &table->line_size, table->file) > 0) {
        if (strncmp(table->line, "==", 2) == 0 || table->line[0] == '\n') { // the profiler's remarks
            continue;
        }
        table->torn = split(table->line, table->fields) != table->count;
        return !table->torn;
    }
    return false;
}

const char *csv_field(const struct csv_table *table, const char *column) {
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->names[i], column) == 0) {
            return table->fields[i];
        }
    }
    return NULL;
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
