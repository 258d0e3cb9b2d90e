#include "links/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/row.h"

static double bus_peak_gb_s(struct device *device) {
    struct device_bus bus;
    device_bus(device, &bus);
    return bus.peak_gb_s > 0 ? bus.peak_gb_s : NAN;
}

// GB/s that the link between two devices, or a device and the host (NULL), carries in one direction; NaN: unknown.
static double links_peak_gb_s(const struct run *run, struct device *from, struct device *to) {
    struct device_link link;
    if (run->settings->peak_gb_s > 0) {
        return run->settings->peak_gb_s;
    }
    if (!from || !to) {
        return bus_peak_gb_s(from ? from : to);
    }
    device_link(from, to, &link);
    const double peaks[] = {bus_peak_gb_s(from), bus_peak_gb_s(to)};
    return strncmp(link.name, "PCIe", 4) != 0 || isnan(peaks[0]) || isnan(peaks[1]) ? NAN : fmin(peaks[0], peaks[1]);
}

static void copy_text(char to[ROW_TEXT], const char *from) {
    snprintf(to, ROW_TEXT, "%s", from);
}

static const char *end_name(const struct bench_device *bench) {
    return bench ? bench->device->info.spec : "host";
}

struct row links_row(const struct run *run, const struct transfer *transfer, const char *direction) {
    struct row row = run_row(run);
    const bool by_kernel = mover_is_kernel(transfer->mover);
    copy_text(row.from, end_name(transfer->from));
    copy_text(row.to, end_name(transfer->to));
    copy_text(row.direction, direction);
    copy_text(row.op, !by_kernel ? "copy" : transfer_actor(transfer) == transfer->to ? "read" : "write");
    row.devices = transfer->from && transfer->to ? 2 : 1;
    row.footprint_bytes = transfer->bytes;
    row.peak_gb_s = links_peak_gb_s(run, transfer->from ? transfer->from->device : NULL,
                                    transfer->to ? transfer->to->device : NULL);
    if (by_kernel) {
        row.width_bytes = LINKS_WORD_BYTES;
        row_format_dimensions(row.block, transfer->launch.block);
        row_format_dimensions(row.grid, transfer->launch.grid);
    }
    return row;
}

void links_finish_row(struct row *row, const struct measurement *measurement) {
    row_set_time(row, measurement);
    row->peak_gb_s = row->one_way_gb_s > 0 ? row->peak_gb_s : NAN;
    row->peak_pct = 100 * row->one_way_gb_s / row->peak_gb_s;
    row_judge(row, measurement->verdicts | (row->peak_pct > 100 ? VERDICT_ABOVE_PEAK : 0u), measurement->verification);
}

struct settings links_share(const struct settings *settings, size_t measurements) {
    struct settings shared = *settings;
    if (!settings->times_given && isfinite(settings->budget_s)) {
        shared.limit_s /= (double)measurements;
        shared.max_time_s /= (double)measurements;
        shared.min_time_s /= (double)measurements;
    }
    return shared;
}
