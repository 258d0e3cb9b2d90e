#include "bench/keys.h"

#include <string.h>

const struct key_column key_columns[] = {
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define KEY_TEXT(name) {#name, KEY_GIVEN},
#define KEY_COUNT(name) {#name, KEY_GIVEN},
#define SIZE_COUNT(name) {#name, KEY_SIZE},
#define SIZE_REAL(name, format) {#name, KEY_SIZE},
#define FOUND_TEXT(name) {#name, KEY_FOUND},
#define FOUND_COUNT(name) {#name, KEY_FOUND},
#include "bench/columns.h"
};

_Static_assert(sizeof key_columns / sizeof *key_columns <= 64, "a set of key columns is a number of 64 bits");
const size_t key_column_count = sizeof key_columns / sizeof *key_columns;

const struct key_column *key_column_find(const char *name) {
    const struct key_column *found = NULL;
    for (size_t i = 0; i < key_column_count && !found; i++) {
        found = strcmp(key_columns[i].name, name) == 0 ? &key_columns[i] : NULL;
    }
    return found;
}

// ---- The figures by which two rows of the same work are compared ----

const struct figure_kind figure_kinds[FIGURES] = {
    [FIGURE_LATENCY] = {"latency_ns", "ns", true},  [FIGURE_ONE_WAY] = {"one_way_gb_s", "GB/s", false},
    [FIGURE_UPDATES] = {"gop_s", "GOP/s", false},   [FIGURE_BANDWIDTH] = {"bandwidth_gb_s", "GB/s", false},
    [FIGURE_TIME] = {"time_ns_median", "ns", true},
};
