#include "bench/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/shared_memory.h"

enum column_type {
    COLUMN_TEXT,
    COLUMN_COUNT,
    COLUMN_REAL
};

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

static void set_global(struct row *row, const struct launch_counts *counts, uint32_t sector_bytes) {
    const struct memory_counts *load = &counts->global_load;
    const struct memory_counts *store = &counts->global_store;
    row->requests = load->requests + store->requests;
    if (row->requests > 0) {
        row->sector_bytes = sector_bytes;
        row->sectors = load->sectors + store->sectors;
        row->sectors_per_request = row->sectors / row->requests;
        row->load_efficiency_pct = 100 * ratio(load->lane_bytes, load->sectors * sector_bytes);
        row->store_efficiency_pct = 100 * ratio(store->lane_bytes, store->sectors * sector_bytes);
    }
}

static void set_shared(struct row *row, const struct launch_counts *counts, double pass_bytes) {
    const struct memory_counts *load = &counts->shared_load;
    const struct memory_counts *store = &counts->shared_store;
    double requests = load->requests + store->requests;
    if (requests > 0) {
        row->passes = load->passes + store->passes;
        row->passes_per_request = row->passes / requests;
        row->load_bank_conflicts = load->conflicts;
        row->store_bank_conflicts = store->conflicts;
        row->bank_conflicts = load->conflicts + store->conflicts;
        row->shared_efficiency_pct = 100 * ratio(load->unique_bytes + store->unique_bytes, pass_bytes * row->passes);
    }
}

void row_set_counts(struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    set_global(row, counts, gpu->sector_bytes);
    set_shared(row, counts, shared_memory_pass_bytes(gpu));
    if (counts->sampled) { // a count of 0 would be the sample's
        row->requests = row->requests > 0 ? row->requests : NAN;
        row->sampling_error_pct = counts->sampling_error_pct;
    }
    row->warps = counts->warps;
    row->active_lanes_pct = 100 * ratio(counts->lane_steps, counts->instructions * gpu->warp_width);
    row->branches = ratio(counts->branches, counts->warps);
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
