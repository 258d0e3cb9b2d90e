#include "tools/compare/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"

// How a column of bankshot follows from the table's: a text that all rows share, or a column's own text, or a column
// times a factor, and over another column if there is one.
struct rule {
    const char *column, *text, *from;
    double factor; // 0: the text as it is
    const char *over;
};

struct published_table {
    const char *name;  // of the file
    const char *first; // what its rows' first field begins with; others are of another device
    struct rule rules[PUBLISHED_RULES_MAX];
};

#define TEXT(COLUMN, CONTENT)                                                                                          \
    { .column = (COLUMN), .text = (CONTENT) }
#define COPY(COLUMN)                                                                                                   \
    { .column = (COLUMN), .from = (COLUMN) }
#define SCALED(COLUMN, FROM, FACTOR)                                                                                   \
    { .column = (COLUMN), .from = (FROM), .factor = (FACTOR) }
#define RATIO(COLUMN, FROM, OVER, FACTOR)                                                                              \
    { .column = (COLUMN), .from = (FROM), .over = (OVER), .factor = (FACTOR) }

// A column stands here only if the publication says it, and rows that differ in a column do not join.
static const struct published_table tables[] = {
    {"latency.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "latency"), COPY("device"), TEXT("op", "load"),
      SCALED("footprint_bytes", "footprint_kib", 1024), COPY("clock_mhz"),
      RATIO("latency_ns", "cycles_median", "clock_mhz", 1e3)}},
    {"working-set.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "unit-bandwidth"), COPY("device"), TEXT("op", "read"),
      SCALED("footprint_bytes", "footprint_kib_per_unit", 1024), COPY("bandwidth_gb_s")}},
    {"l2-bandwidth.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "bandwidth-follow"), COPY("device"), TEXT("op", "read"),
      SCALED("footprint_bytes", "footprint_kib", 1024), COPY("bandwidth_gb_s")}},
    {"reduce-rtx3080.csv",
     "global-",
     {TEXT("probe", "reduce"), COPY("variant"), TEXT("device", "NVIDIA GeForce RTX 3080"), TEXT("kernel", "all"),
      TEXT("op", "read"), TEXT("type", "int32"), TEXT("width_bytes", "4"), TEXT("block", "512"), TEXT("devices", "1"),
      TEXT("elements", "16777216"), SCALED("time_ns_median", "time_ms", 1e6)}},
    {"reduce-mi.csv",
     "",
     {TEXT("probe", "reduce"), COPY("variant"), TEXT("device", "unnamed AMD Instinct"),
      SCALED("time_ns_median", "time_ns", 1)}},
    {"stride-copy.csv",
     "",
     {TEXT("probe", "gmem"), TEXT("variant", "stride-copy"), TEXT("device", "unnamed NVIDIA GPU"), COPY("op"),
      COPY("width_bytes"), COPY("stride"), COPY("bandwidth_gb_s")}},
    {"shared-stride.csv",
     "",
     {TEXT("probe", "smem"), TEXT("variant", "course"), TEXT("device", "unnamed NVIDIA GPU"), COPY("op"),
      COPY("width_bytes"), COPY("stride"), COPY("bandwidth_gb_s")}},
};

// Whether the header has the column.
static bool find_column(size_t *column, const struct csv_reader *header, const char *name) {
    *column = 0;
    while (*column < header->count && strcmp(csv_reader_field(header, *column), name) != 0) {
        (*column)++;
    }
    return *column < header->count;
}

static bool has_columns(struct published *published, const struct csv_reader *header) {
    bool has = true;
    const struct rule *rules = published->table->rules;
    for (size_t i = 0; rules[i].column && has; i++) {
        has = (!rules[i].from || find_column(&published->from[i], header, rules[i].from)) &&
              (!rules[i].over || find_column(&published->over[i], header, rules[i].over));
    }
    return has;
}

bool published_find(struct published *published, const struct csv_reader *header) {
    const char *slash = strrchr(header->path, '/');
    const char *name = slash ? slash + 1 : header->path;
    bool found = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !found; i++) {
        *published = (struct published){.table = &tables[i]};
        found = strcmp(tables[i].name, name) == 0 && has_columns(published, header);
    }
    return found;
}

static enum status read_number(const struct csv_reader *row, size_t column, double *number, struct error *error) {
    const char *text = csv_reader_field(row, column);
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number) || *number <= 0) {
        return error_set(error, STATUS_USAGE, "%s:%llu: '%.40s' is not a number above 0: restore the table", row->path,
                         (unsigned long long)row->line, text);
    }
    return STATUS_OK;
}

static enum status write_number(FILE *to, const struct published *published, size_t rule, const struct csv_reader *row,
                                struct error *error) {
    const struct rule *scaled = &published->table->rules[rule];
    double number = 0, divisor = 1;
    TRY(read_number(row, published->from[rule], &number, error));
    if (scaled->over) {
        TRY(read_number(row, published->over[rule], &divisor, error));
    }
    const double value = number * scaled->factor / divisor;
    fprintf(to, value >= 1e5 ? "%.0f" : "%.6g", value);
    return STATUS_OK;
}

static enum status write_row(FILE *to, const struct published *published, const struct csv_reader *row,
                             struct error *error) {
    const struct rule *rules = published->table->rules;
    for (size_t i = 0; rules[i].column; i++) {
        const char *text = rules[i].text ? rules[i].text : csv_reader_field(row, published->from[i]);
        if (rules[i].factor > 0 && *text) {
            TRY(write_number(to, published, i, row, error));
        } else {
            csv_write_field(to, text);
        }
        fputc(',', to);
    }
    fputs("published,\n", to);
    return STATUS_OK;
}

enum status published_translate(const struct published *published, struct csv_reader *reader, FILE *to,
                                struct error *error) {
    const struct published_table *table = published->table;
    const size_t columns = reader->count;
    bool found = true;
    for (const struct rule *rule = table->rules; rule->column; rule++) {
        fprintf(to, "%s,", rule->column);
    }
    fputs("source,verdict\n", to);
    while (found) {
        TRY(csv_reader_next(reader, &found, error));
        if (found && reader->count != columns) {
            return error_set(error, STATUS_USAGE,
                             "%s:%llu: the row has %zu fields, and the header %zu: restore the table", reader->path,
                             (unsigned long long)reader->line, reader->count, columns);
        }
        if (found && strncmp(csv_reader_field(reader, 0), table->first, strlen(table->first)) == 0) {
            TRY(write_row(to, published, reader, error));
        }
    }
    return STATUS_OK;
}
