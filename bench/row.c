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

// The columns that are counters or sums of two of them. A counter of device/counts.h becomes a column by a line here
// and one in bench/columns.h.
#define COLUMN(name) offsetof(struct row, name)
#define COUNTER_OF(name) offsetof(struct launch_counts, name)
#define NO_SECOND SIZE_MAX
static const struct counter_column {
    size_t column;
    enum scope scope;
    size_t first, second;
    bool per_warp;
} counter_columns[] = {
    {COLUMN(requests), ANY_LAUNCH, COUNTER_OF(global_load.requests), COUNTER_OF(global_store.requests), false},
    {COLUMN(sectors), GLOBAL_REQUESTS, COUNTER_OF(global_load.sectors), COUNTER_OF(global_store.sectors), false},
    {COLUMN(device_read_bytes), SIMULATED, COUNTER_OF(device_read_bytes), NO_SECOND, false},
    {COLUMN(device_write_bytes), SIMULATED, COUNTER_OF(device_write_bytes), NO_SECOND, false},
    {COLUMN(passes), SHARED_REQUESTS, COUNTER_OF(shared_load.passes), COUNTER_OF(shared_store.passes), false},
    {COLUMN(load_bank_conflicts), SHARED_REQUESTS, COUNTER_OF(shared_load.conflicts), NO_SECOND, false},
    {COLUMN(store_bank_conflicts), SHARED_REQUESTS, COUNTER_OF(shared_store.conflicts), NO_SECOND, false},
    {COLUMN(bank_conflicts), SHARED_REQUESTS, COUNTER_OF(shared_load.conflicts), COUNTER_OF(shared_store.conflicts),
     false},
    {COLUMN(warps), ANY_LAUNCH, COUNTER_OF(warps), NO_SECOND, false},
    {COLUMN(branches), ANY_LAUNCH, COUNTER_OF(branches), NO_SECOND, true},
    {COLUMN(barriers), SIMULATED, COUNTER_OF(barriers), NO_SECOND, true},
};

static double counter_value(const struct launch_counts *counts, size_t counter) {
    return counter == NO_SECOND ? 0 : *(const double *)(const void *)((const char *)counts + counter);
}

static void set_counter(struct row *row, const struct counter_column *column, const struct launch_counts *counts) {
    const double value = counter_value(counts, column->first) + counter_value(counts, column->second);
    *(double *)(void *)((char *)row + column->column) = column->per_warp ? ratio(value, counts->warps) : value;
}

// The columns that are ratios of counters.
static void set_ratios(struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    const struct memory_counts *load = &counts->global_load, *store = &counts->global_store;
    const double pass_bytes = shared_memory_pass_bytes(gpu) * row->passes;
    row->sectors_per_request = row->sectors / row->requests;
    row->load_efficiency_pct = 100 * ratio(load->lane_bytes, load->sectors * gpu->sector_bytes);
    row->store_efficiency_pct = 100 * ratio(store->lane_bytes, store->sectors * gpu->sector_bytes);
    row->passes_per_request = row->passes / (counts->shared_load.requests + counts->shared_store.requests);
    row->shared_efficiency_pct =
        100 * ratio(counts->shared_load.unique_bytes + counts->shared_store.unique_bytes, pass_bytes);
    row->active_lanes_pct = 100 * ratio(counts->lane_steps, counts->instructions * gpu->warp_width);
}

void row_set_counts(struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    const bool applies[SCOPES] = {
        [ANY_LAUNCH] = true,
        [GLOBAL_REQUESTS] = counts->global_load.requests + counts->global_store.requests > 0,
        [SHARED_REQUESTS] = counts->shared_load.requests + counts->shared_store.requests > 0,
        [SIMULATED] = counts->instructions > 0,
    };
    for (size_t i = 0; i < sizeof counter_columns / sizeof *counter_columns; i++) {
        if (applies[counter_columns[i].scope]) {
            set_counter(row, &counter_columns[i], counts);
        }
    }
    set_ratios(row, counts, gpu);
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
