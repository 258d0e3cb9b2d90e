#include "levels/levels_detail.h"

#include <math.h>
#include <string.h>

#include "bench/row.h"

enum {
    LINKED_CACHE_MULTIPLE = 4
};

enum memory_kind levels_memory(const struct run *run) {
    const char *name = ((const struct levels_session *)run->session)->memory;
    return !name || strcmp(name, "device") == 0 ? MEMORY_DEVICE
           : strcmp(name, "pool") == 0          ? MEMORY_POOL
           : strcmp(name, "pinned") == 0        ? MEMORY_PINNED
                                                : MEMORY_MANAGED;
}

uint64_t levels_linked_bytes_most(const struct run *run) {
    return levels_memory(run) == MEMORY_PINNED ? LINKED_CACHE_MULTIPLE * levels_info(run)->last_level_cache_bytes : 0;
}

void levels_finish_row(struct row *row, const struct measurement *measurement, double useful_bytes,
                       enum verification verification) {
    row_set_time(row, measurement);
    row->peak_gb_s = strcmp(row->level, "memory") == 0 && useful_bytes > 0 ? row->peak_gb_s : NAN;
    row->useful_bytes = useful_bytes;
    row->bandwidth_gb_s = useful_bytes / measurement->time_ns.median;
    row->peak_pct = 100 * row->bandwidth_gb_s / row->peak_gb_s;
    row_judge(row, measurement->verdicts | (row->peak_pct > 100 ? VERDICT_ABOVE_PEAK : 0u), verification);
}
