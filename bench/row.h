// One row of results: a field for each column of bench/columns.h.
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "util/statistics.h"

enum {
    ROW_TEXT = 256
};
#define ROW_NO_COUNT UINT64_MAX

struct row {
    char spec[ROW_TEXT]; // the device's name for --device; a table shows it instead of the long name
#define TEXT(name) char name[ROW_TEXT];
#define COUNT(name) uint64_t name;
#define REAL(name, format) double name;
#include "bench/columns.h"
};

// The columns by number.
enum row_column {
#define TEXT(name) COLUMN_##name,
#define COUNT(name) COLUMN_##name,
#define REAL(name, format) COLUMN_##name,
#include "bench/columns.h"
    ROW_COLUMN_COUNT,
    COLUMN_NONE = ROW_COLUMN_COUNT
};

// Rows that are kept, to be freed.
struct row_list {
    struct row *rows;
    size_t count;
};

// A row in which every field is empty.
struct row row_empty(void);

const char *row_column_name(size_t column);

enum column_type {
    COLUMN_TEXT,
    COLUMN_COUNT,
    COLUMN_REAL
};
enum column_type row_column_type(size_t column);

// "ns", "GB/s", "%", as the column's name tells; NULL for one without a unit.
const char *row_column_unit(size_t column);

// The field as text, as the CSV writes it before quoting; empty if unknown. Returns to.
const char *row_field(const struct row *row, size_t column, char to[ROW_TEXT]);

// The field of a column of type COLUMN_REAL; NaN if unknown.
double row_real(const struct row *row, enum row_column column);

// Whether the named column may hold a number below 0, as a change may be.
bool row_column_is_signed(const char *name);

// The column's number by name, or ROW_COLUMN_COUNT if there is none.
size_t row_column_find(const char *name);

// Whether the rows, of one point of one probe, are about the same work: all columns that say what was run agree, except
// those that are known only after measuring (bench/columns.h).
bool row_same_work(const struct row *a, const struct row *b);

// Fills the columns of memory, shared memory and control flow from one launch's counts.
void row_set_counts(struct row *row, const struct launch_counts *counts, const struct gpu *gpu);

void row_set_bound(struct row *row, double ns, const char *by);

// Writes "32x8", without trailing dimensions of 1.
void row_format_dimensions(char to[ROW_TEXT], struct dimensions dimensions);

// ---- How far a row's figures can be trusted ----

enum verdict {
    VERDICT_OK = 0,
    VERDICT_NOISY = 1,          // the interval of the median is wider than --noise, or there is none
    VERDICT_THROTTLED = 2,      // most samples ran below 75 % of the expected clock
    VERDICT_ABOVE_PEAK = 4,     // faster than the memory can be: not a memory bandwidth
    VERDICT_CACHE_RESIDENT = 8, // the data fit into the last-level cache
    VERDICT_UNVERIFIED = 16,    // the result is wrong or was not checked
    VERDICT_WAITED = 64,        // a thread did not run for more than VERDICT_WAITED_PCT of the time
    VERDICT_DRIFTING = 32,      // the time changed in the course of the samples, by more than --noise
};

static const double VERDICT_WAITED_PCT = 2;

// VERDICT_NOISY and VERDICT_DRIFTING, as the samples say.
unsigned verdicts_of_time(const struct statistics *time_ns, double noise_pct);

// "ok", or the names joined by '+'.
void verdict_format(char to[ROW_TEXT], unsigned verdicts);

#endif
