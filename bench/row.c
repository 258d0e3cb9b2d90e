#include "bench/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/global_memory.h"
#include "model/gpus.h"
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

const char *row_column_name(size_t column) {
    return columns[column].name;
}

enum column_type row_column_type(size_t column) {
    return columns[column].type;
}

bool row_column_is_signed(const char *name) {
    return strcmp(name, "drift_pct") == 0 || strcmp(name, "prediction_error_pct") == 0;
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

double row_real(const struct row *row, enum row_column column) {
    double real = NAN;
    if (column < ROW_COLUMN_COUNT && columns[column].type == COLUMN_REAL) {
        memcpy(&real, (const char *)row + columns[column].place, sizeof real);
    }
    return real;
}

size_t row_column_find(const char *name) {
    size_t column = 0;
    while (column < ROW_COLUMN_COUNT && strcmp(columns[column].name, name) != 0) {
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

static bool same_real(double a, double b) {
    return isnan(a) ? isnan(b) : !(a < b) && !(a > b);
}

bool row_same_work(const struct row *a, const struct row *b) {
    bool same = true;
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define KEY_TEXT(name) same = same && strcmp(a->name, b->name) == 0;
#define KEY_COUNT(name) same = same && a->name == b->name;
#define SIZE_REAL(name, format) same = same && same_real(a->name, b->name);
#define FOUND_TEXT(name)
#define FOUND_COUNT(name)
#include "bench/columns.h"
    return same;
}

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

// When a launch has a value for a column.
enum scope {
    ANY_LAUNCH,
    GLOBAL_REQUESTS, // it has requests of global memory
    SHARED_REQUESTS, // it has requests of shared memory
    SIMULATED,       // the simulator has run it, so that its instructions are counted
    BY_INSTRUCTIONS, // of AMD's compiler
    SCOPES
};

// Bytes that lanes accessed over the bytes of the moved sectors.
static double efficiency_pct(const struct memory_counts *memory, const struct gpu *gpu, enum operation operation) {
    return 100 * ratio(memory->lane_bytes, memory->sectors * global_sector_bytes(gpu, operation));
}

static double shared_efficiency_pct(const struct launch_counts *counts, const struct gpu *gpu) {
    const struct memory_counts *load = &counts->shared_load, *store = &counts->shared_store;
    const double passes = load->passes + store->passes;
    return 100 * ratio(load->unique_bytes + store->unique_bytes, shared_memory_pass_bytes(gpu) * passes);
}

// A prediction that a cache serves, in whole or in part, stands beside what that cache can do.
static double peak_of(const struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    const double moved = counts->device_read_bytes + counts->device_write_bytes;
    if (strcmp(row->source, "predicted") != 0 || !(counts->cached_bytes > 0) || !(moved > 0)) {
        return row->peak_gb_s;
    }
    const double cached = fmin(1, counts->cached_bytes / moved);
    return 1 / ((1 - cached) / row->peak_gb_s + cached / gpu_cache_gb_s(gpu));
}

void row_set_counts(struct row *row, const struct launch_counts *counts, const struct gpu *gpu) {
    const bool applies[SCOPES] = {
        [ANY_LAUNCH] = true,
        [GLOBAL_REQUESTS] = counts->global_load.requests + counts->global_store.requests > 0,
        [SHARED_REQUESTS] = counts->shared_load.requests + counts->shared_store.requests > 0,
        [SIMULATED] = counts->instructions > 0,
        [BY_INSTRUCTIONS] = counts->scalar_instructions > 0,
    };
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) row->name = applies[scope] ? (value) : row->name;
#include "bench/columns.h"
    if (applies[GLOBAL_REQUESTS]) {
        row->sector_bytes = gpu->sector_bytes;
    }
    row->peak_gb_s = peak_of(row, counts, gpu);
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

// ---- How far a row's figures can be trusted ----

static const struct {
    enum verdict verdict;
    const char *name;
} names[] = {
    {VERDICT_NOISY, "noisy"},           {VERDICT_DRIFTING, "drifting"},     {VERDICT_WAITED, "waited"},
    {VERDICT_THROTTLED, "throttled"},   {VERDICT_ABOVE_PEAK, "above-peak"}, {VERDICT_CACHE_RESIDENT, "cache-resident"},
    {VERDICT_UNVERIFIED, "unverified"},
};

unsigned verdicts_of_time(const struct statistics *time_ns, double noise_pct) {
    const bool narrow = statistics_interval_pct(time_ns) <= noise_pct; // not if there is no interval
    return (narrow ? 0u : VERDICT_NOISY) | (100 * fabs(time_ns->drift) > noise_pct ? VERDICT_DRIFTING : 0u);
}

void verdict_format(char to[ROW_TEXT], unsigned verdicts) {
    to[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (verdicts & names[i].verdict) {
            size_t used = strlen(to);
            snprintf(to + used, ROW_TEXT - used, "%s%s", used ? "+" : "", names[i].name);
        }
    }
    if (to[0] == '\0') {
        snprintf(to, ROW_TEXT, "ok");
    }
}
