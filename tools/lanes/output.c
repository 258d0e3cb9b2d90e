#include "tools/lanes/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- Patterns ----

void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request) {
    request->active = 0;
    for (uint32_t lane = 0; lane < warp_width && lane < pattern->block_x * pattern->block_y; lane++) {
        uint64_t x = lane % pattern->block_x, y = lane / pattern->block_x;
        uint64_t row = pattern->by_column ? x : y, column = pattern->by_column ? y : x;
        uint64_t place = pattern->swizzled ? column ^ (row % pattern->pitch) : column;
        uint64_t element = row * pattern->pitch + place;
        request->active |= UINT64_C(1) << lane;
        request->address[lane] = (element * pattern->stride + pattern->offset) * request->width_bytes;
    }
}

// ---- Output ----

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
        fprintf(file, "%u,%u,,,,", cost->shared.passes, cost->shared.conflicts);
    } else {
        fprintf(file, ",,%u,%u,%u,", cost->sector_bytes, cost->global.sectors, cost->global.lines);
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
        fprintf(file, "%u", cost->global.l1_clocks);
    }
    fputc('\n', file);
}

static const char *certainty_meaning(const char *certainty) {
    return strcmp(certainty, "open") == 0    ? "open, not confirmed on this part"
           : strcmp(certainty, "guess") == 0 ? "a guess, from a related part"
                                             : certainty;
}

static const char *plural(uint32_t count) {
    return count == 1 ? "" : "s";
}

void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]) {
    const struct cost *cost = &panel->cost;
    char used[16] = "-";
    if (!isnan(cost->efficiency_pct)) {
        snprintf(used, sizeof used, "%.1f %%", cost->efficiency_pct);
    }
    if (cost->space == SPACE_SHARED) {
        char row[24] = "";
        if (cost->row_passes > 1) {
            snprintf(row, sizeof row, ", %u a row", cost->row_passes);
        }
        snprintf(lines[0], SUMMARY_WIDTH, "%u pass%s%s, %u bank conflict%s", cost->shared.passes,
                 cost->shared.passes == 1 ? "" : "es", row, cost->shared.conflicts, plural(cost->shared.conflicts));
        snprintf(lines[1], SUMMARY_WIDTH, "shared efficiency %s", used);
        snprintf(lines[2], SUMMARY_WIDTH, "rule: %s", certainty_meaning(cost->certainty));
        return;
    }
    snprintf(lines[0], SUMMARY_WIDTH, "%u sector%s of %u bytes, %u line%s", cost->global.sectors,
             plural(cost->global.sectors), cost->sector_bytes, cost->global.lines, plural(cost->global.lines));
    snprintf(lines[1], SUMMARY_WIDTH, "efficiency %s", used);
    snprintf(lines[2], SUMMARY_WIDTH, "%u distinct byte%s requested", cost->unique_bytes, plural(cost->unique_bytes));
}
