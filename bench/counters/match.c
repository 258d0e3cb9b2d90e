#include "bench/counters/match.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 0.01;

// ---- Launches ----

// A profiler may append a kernel's parameters or the suffix of its descriptor.
static bool is_kernel(const char *printed, const char *kernel) {
    const size_t length = strlen(kernel);
    return strncmp(printed, kernel, length) == 0 && strchr("(. ", printed[length]);
}

static double product(struct dimensions size) {
    return (double)size.x * size.y * size.z;
}

// Older versions print no sizes. AMD's profiler prints the numbers of threads of the grid and of a block.
static bool is_size(const struct counter_vendor *vendor, struct dimensions printed, struct dimensions size,
                    double threads) {
    const bool same = printed.x == size.x && printed.y == size.y && printed.z == size.z;
    return product(printed) == 0 || (vendor->counts_all ? product(printed) == product(size) * threads : same);
}

static bool is_launch(const struct counter_vendor *vendor, const struct counted_launch *printed,
                      const struct counted_launch *launch) {
    return is_kernel(printed->kernel, launch->kernel) &&
           is_size(vendor, printed->grid, launch->grid, product(launch->block)) &&
           is_size(vendor, printed->block, launch->block, 1);
}

// Whether some row needs this kernel's counts.
static bool is_wanted(const struct launch_log *log, const char *printed) {
    for (size_t i = 0; i < log->launches.count; i++) {
        if (log->launches.at[i].counted && is_kernel(printed, log->launches.at[i].kernel)) {
            return true;
        }
    }
    return false;
}

// The next counted launch, starting with this one.
static size_t next_launch(const struct counter_vendor *vendor, const struct launch_log *log, size_t from) {
    while (from < log->launches.count && !log->launches.at[from].counted &&
           !(vendor->counts_all && is_wanted(log, log->launches.at[from].kernel))) {
        from++;
    }
    return from;
}

static void add_values(double to[LAUNCH_COUNTERS_MAX], const double from[LAUNCH_COUNTERS_MAX]) {
    for (size_t i = 0; i < LAUNCH_COUNTERS_MAX; i++) {
        to[i] = isnan(from[i]) ? to[i] : from[i];
    }
}

enum status match_launches(const struct counter_vendor *vendor, const struct launch_list *counted,
                           struct launch_log *log, struct error *error) {
    size_t at = next_launch(vendor, log, 0);
    for (size_t i = 0; i < counted->count; i++) {
        const struct counted_launch *printed = &counted->at[i];
        if (vendor->counts_all && !is_wanted(log, printed->kernel)) {
            continue;
        }
        if (at == log->launches.count || !is_launch(vendor, printed, &log->launches.at[at])) {
            return error_set(error, STATUS_FAILED, "%s counted %.60s as launch %zu, where %s was launched",
                             vendor->profiler, printed->kernel, i,
                             at < log->launches.count ? log->launches.at[at].kernel : "nothing");
        }
        add_values(log->launches.at[at].values, printed->values);
        at = next_launch(vendor, log, at + 1);
    }
    return at == log->launches.count
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "%s counted only %zu launches", vendor->profiler, counted->count);
}

// ---- Rows ----

// Rows that are measured again come again, in the same order.
static struct counted_row *find_row(struct launch_log *log, const struct row *row) {
    char key[ROW_KEY];
    struct counted_row *found = NULL;
    row_key(row, key);
    for (size_t i = 0; i < log->row_count; i++) {
        if (strcmp(log->rows[i].key, key) == 0 && (!found || log->rows[i].uses < found->uses)) {
            found = &log->rows[i];
        }
    }
    if (found) {
        found->uses++;
    }
    return found;
}

// A row about one of several kernels names it.
static bool is_of_row(const struct counted_launch *launch, const struct row *row) {
    char grid[ROW_TEXT], block[ROW_TEXT];
    if (strcmp(row->kernel, "all") != 0 && strcmp(row->kernel, launch->kernel) != 0) {
        return false;
    }
    row_format_dimensions(grid, launch->grid);
    row_format_dimensions(block, launch->block);
    return strcmp(grid, row->grid) == 0 && strcmp(block, row->block) == 0;
}

const struct counted_launch *match_row(struct launch_log *log, const struct row *row, bool *left_out) {
    const struct counted_row *found = find_row(log, row);
    const struct counted_launch *match = NULL;
    const bool has_launch = *row->grid && *row->block;
    *left_out = !found && log->row_count > 0;
    if (!found || (!has_launch && *row->block)) {
        return NULL; // a row about several kernels, or about the host
    }
    for (size_t i = found->first; i < found->end; i++) {
        const struct counted_launch *launch = &log->launches.at[i];
        if (!launch->counted || (has_launch ? !is_of_row(launch, row) : launch->window != found->window)) {
            continue;
        }
        if (!has_launch && match) {
            return NULL;
        }
        match = launch;
    }
    return match;
}

// ---- The verdict ----

static void compare(double counted, double model, double whole, bool *compared, bool *differs) {
    if (!isnan(counted) && !isnan(model)) {
        *compared = true;
        *differs |= fabs(counted - model) > TOLERANCE * fmax(model, whole);
    }
}

const char *match_verdict(const struct row *row) {
    bool compared = false, differs = false;
    if (row->requests > 0) { // smem's rows leave out their requests to global memory
        compare(row->counted_requests, row->requests, 0, &compared, &differs);
        compare(row->counted_sectors, row->sectors, 0, &compared, &differs);
    }
    compare(row->counted_passes, row->passes, 0, &compared, &differs);
    compare(row->counted_conflicts, row->bank_conflicts, row->passes, &compared, &differs);
    return differs ? "differs" : compared ? "agrees" : "";
}
