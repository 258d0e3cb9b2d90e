#include "tools/lanes/csv.h"

#include <inttypes.h>
#include <math.h>

#include "tools/lanes/output.h"

void csv_header(FILE *file) {
    fputs("gpu,space,op,width_bytes,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,"
          "efficiency_pct,certainty,stride,offset,l1_clocks\n",
          file);
}

void csv_row(FILE *file, const struct gpu *gpu, const struct request *request, const struct cost *cost,
             const struct pattern *pattern) {
    fprintf(file, "%s,%s,%s,%u,%u,", gpu->name, space_name(cost->space), request_name(request), request->width_bytes,
            cost->active_lanes);
    if (cost->space == SPACE_SHARED) {
        fprintf(file, "%u,%u,,,,", cost->passes, cost->conflicts);
    } else {
        fprintf(file, ",,%u,%u,%u,", cost->sector_bytes, cost->sectors, cost->lines);
    }
    fprintf(file, "%u,", cost->unique_bytes);
    if (!isnan(cost->efficiency_pct)) {
        fprintf(file, "%.2f", cost->efficiency_pct);
    }
    fprintf(file, ",%s,", cost->certainty);
    if (pattern) {
        fprintf(file, "%" PRIu64 ",%" PRIu64 ",", pattern->stride, pattern->offset);
    } else {
        fputs(",,", file);
    }
    if (cost->space == SPACE_GLOBAL) {
        fprintf(file, "%u", cost->l1_clocks);
    }
    fputc('\n', file);
}
