#include "bench/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/shared_memory.h"

static const struct column {
    const char *name;
    enum column_type type;
    size_t place;
    const char *format;
} columns[] = {
#define TEXT(name) {#name, COLUMN_TEXT, offsetof(struct row, name), NULL},
#define COUNT(name) {#name, COLUMN_COUNT, offsetof(struct row, name), NULL},
#define REAL(name, format) {#name, COLUMN_REAL, offsetof(struct row, name), format},
#include "bench/columns.h"
};

struct row row_empty(void) {
    return (struct row){
#define TEXT(name) .name = "",
#define COUNT(name) .name = ROW_NO_COUNT,
#define REAL(name, format) .name = NAN,
#include "bench/columns.h"
    };
}

size_t row_column_count(void) {
    return sizeof columns / sizeof columns[0];
}

const char *row_column_name(size_t column) {
    return columns[column].name;
}

enum column_type row_column_type(size_t column) {
    return columns[column].type;
}

// Whether the words are in the name, as "gb_s" is in "peak_gb_s".
static bool has_words(const char *name, const char *words) {
    const char *at = strstr(name, words);
    const size_t length = strlen(words);
    while (at && !((at == name || at[-1] == '_') && (at[length] == '_' || at[length] == '\0'))) {
        at = strstr(at + 1, words);
    }
    return at != NULL;
}

const char *row_column_unit(size_t column) {
    static const struct {
        const char *words, *unit;
    } units[] = {{"ns", "ns"},   {"gb_s", "GB/s"},   {"gop_s", "10^9/s"}, {"pct", "%"},
                 {"mhz", "MHz"}, {"bytes", "bytes"}, {"cycles", "cycles"}};
    const char *unit = NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units && !unit; i++) {
        unit = has_words(columns[column].name, units[i].words) ? units[i].unit : NULL;
    }
    return columns[column].type == COLUMN_TEXT ? NULL : unit;
}

size_t row_column_find(const char *name) {
    size_t column = 0;
    while (column < row_column_count() && strcmp(columns[column].name, name) != 0) {
        column++;
    }
    return column;
}

// The formats come from the column list alone.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
const char *row_field(const struct row *row, size_t column, char to[ROW_TEXT]) {
    const struct column *c = &columns[column];
    const char *place = (const char *)row + c->place;
    to[0] = '\0';
    if (c->type == COLUMN_TEXT) {
        snprintf(to, ROW_TEXT, "%s", place);
    } else if (c->type == COLUMN_COUNT) {
        uint64_t count;
        memcpy(&count, place, sizeof count);
        if (count != ROW_NO_COUNT) {
            snprintf(to, ROW_TEXT, "%llu", (unsigned long long)count);
        }
    } else {
        double real;
        memcpy(&real, place, sizeof real);
        if (isfinite(real)) {
            snprintf(to, ROW_TEXT, c->format, real);
        }
    }
    return to;
}
#pragma GCC diagnostic pop

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

// When a launch has a value for a column.
enum scope {
    ANY_LAUNCH,
    GLOBAL_REQUESTS, // it has requests of global memory
    SHARED_REQUESTS, // it has requests of shared memory
    SIMULATED,       // the simulator has run it, so that its instructions are counted
    SCOPES
};

// Bytes that lanes accessed over the bytes of the moved sectors.
static double efficiency_pct(const struct memory_counts *memory, const struct gpu *gpu) {
    return 100 * ratio(memory->lane_bytes, memory->sectors * gpu->sector_bytes);
}

static double shared_efficiency_pct(const struct launch_counts *counts, const struct gpu *gpu) {
    const struct memory_counts *load = &counts->shared_load, *store = &counts->shared_store;
    const double passes = load->passes + store->passes;
    return 100 * ratio(load->unique_bytes + store->unique_bytes, shared_memory_pass_bytes(gpu) * passes);
}

void row_set_counts(struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    const bool applies[SCOPES] = {
        [ANY_LAUNCH] = true,
        [GLOBAL_REQUESTS] = counts->global_load.requests + counts->global_store.requests > 0,
        [SHARED_REQUESTS] = counts->shared_load.requests + counts->shared_store.requests > 0,
        [SIMULATED] = counts->instructions > 0,
    };
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) row->name = applies[scope] ? (value) : row->name;
#include "bench/columns.h"
    if (applies[GLOBAL_REQUESTS]) {
        row->sector_bytes = gpu->sector_bytes;
    }
    if (counts->sampled) { // a count of 0 would only hold for the sample
        row->requests = row->requests > 0 ? row->requests : NAN;
        row->sampling_error_pct = counts->sampling_error_pct;
    }
}

void row_set_bound(struct row *row, double ns, const char *by) {
    row->bound_ns = ns;
    snprintf(row->bound_by, sizeof row->bound_by, "%s", ns > 0 ? by : "");
}

void row_format_dimensions(char to[ROW_TEXT], struct dimensions dimensions) {
    if (dimensions.z > 1) {
        snprintf(to, ROW_TEXT, "%ux%ux%u", dimensions.x, dimensions.y, dimensions.z);
    } else if (dimensions.y > 1) {
        snprintf(to, ROW_TEXT, "%ux%u", dimensions.x, dimensions.y);
    } else {
        snprintf(to, ROW_TEXT, "%u", dimensions.x);
    }
}
