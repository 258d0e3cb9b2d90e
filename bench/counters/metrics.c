#include "bench/counters/metrics.h"

#include <math.h>
#include <string.h>

#include "bench/counters/vendor.h"

int metric_number(const char *metrics, const char *name) {
    const size_t length = strlen(name);
    int number = 0;
    for (const char *at = metrics; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return number;
        }
        number++;
    }
    return -1;
}

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
