// AMD's counters, from rocprofv3. It counts every launch, but only few counters at a time, so there are several runs.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/vendor.h"
#include "util/text.h"

// In the order of the groups below. Bytes read from and written to memory are in KiB.
enum {
    REQUESTS_LOAD,
    REQUESTS_STORE,
    BRANCHES,
    CONFLICTS,
    PASSES,
    DRAM_READ,
    DRAM_WRITE,
    L2_HITS,
    L2_MISSES
};
static const char *const groups[] = {
    "SQ_INSTS_VMEM_RD,SQ_INSTS_VMEM_WR,SQ_INSTS_BRANCH,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE", "FETCH_SIZE",
    "WRITE_SIZE,TCC_HIT_sum,TCC_MISS_sum", NULL};

static void options(const struct profile *profile, struct profiler_options *options) {
    const char *const others[] = {"--output-format", "csv", "-d", profile->folder, "--"};
    size_t count = 0;
    options->option[count++] = "--pmc";
    snprintf(options->words, sizeof options->words, "%s", profile->metrics);
    for (char *rest = options->words, *name; (name = strsep(&rest, ",")) != NULL;) {
        options->option[count++] = name;
    }
    memcpy(options->option + count, others, sizeof others);
    options->count = count + sizeof others / sizeof *others;
}

// The dispatch of this number, which is added if it is new.
static struct counted_launch *find_dispatch(const struct csv_table *table, struct launch_list *list, size_t first) {
    const char *id = csv_field(table, "Dispatch_Id"), *kernel = csv_field(table, "Kernel_Name");
    const size_t number = id ? strtoul(id, NULL, 10) : 0;
    for (size_t i = list->count; i > first; i--) {
        if (list->at[i - 1].window == number) {
            return &list->at[i - 1];
        }
    }
    struct counted_launch *launch = launches_add(list);
    launch->window = number;
    launch->grid = csv_dimensions(csv_field(table, "Grid_Size"));
    launch->block = csv_dimensions(csv_field(table, "Workgroup_Size"));
    snprintf(launch->kernel, sizeof launch->kernel, "%s", kernel ? kernel : "");
    return launch;
}

static int by_dispatch(const void *a, const void *b) {
    const size_t left = ((const struct counted_launch *)a)->window, right = ((const struct counted_launch *)b)->window;
    return (left > right) - (left < right);
}

// The table has a line for each counter of each dispatch.
static enum status read_table(const struct profile *profile, const char *path, size_t first_metric,
                              struct launch_list *list, struct error *error) {
    struct csv_table table;
    const size_t first = list->count;
    bool whole = csv_open(&table, path, "Correlation_Id");
    while (whole && csv_next(&table)) {
        struct counted_launch *launch = find_dispatch(&table, list, first);
        const char *name = csv_field(&table, "Counter_Name");
        const int number = name ? list_place(profile->metrics, ',', name) : -1;
        whole = number < 0 ||
                csv_number(csv_field(&table, "Counter_Value"), &launch->values[first_metric + (size_t)number]);
    }
    whole = whole && !table.torn;
    csv_close(&table);
    if (list->count > first) {
        qsort(list->at + first, list->count - first, sizeof *list->at, by_dispatch);
    }
    return whole ? STATUS_OK
                 : error_set(error, STATUS_FAILED, "rocprofv3's table is incomplete after %zu launches", list->count);
}

static enum status read(const struct profile *profile, size_t first_metric, struct launch_list *list,
                        struct error *error) {
    static const char *const subfolders[] = {"", "/*", "/*/*"}; // depends on the version
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof subfolders / sizeof *subfolders; i++) {
        char pattern[PATH_MAX];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s/*counter_collection.csv", profile->folder, subfolders[i]);
        if (glob(pattern, 0, NULL, &found) != 0) {
            continue;
        }
        for (size_t file = 0; file < found.gl_pathc && status == STATUS_OK; file++) {
            status = read_table(profile, found.gl_pathv[file], first_metric, list, error);
        }
        globfree(&found);
    }
    return status;
}

static void fill(const struct counted_launch *launch, struct row *row) {
    enum {
        KIB = 1024
    };
    const double *values = launch->values;
    row->counted_requests =
        (row_counts_loads(row) ? values[REQUESTS_LOAD] : 0) + (row_counts_stores(row) ? values[REQUESTS_STORE] : 0);
    row->counted_passes = values[PASSES];
    row->counted_conflicts = values[CONFLICTS];
    row->counted_dram_read_bytes = (double)KIB * values[DRAM_READ];
    row->counted_dram_write_bytes = (double)KIB * values[DRAM_WRITE];
    row->counted_l2_hit_pct = 100 * values[L2_HITS] / (values[L2_HITS] + values[L2_MISSES]);
    row->counted_branches = values[BRANCHES] / row->warps;
}

const struct counter_vendor amd_counters = {
    .backend = BACKEND_HIP,
    .profiler = "rocprofv3",
    .variable = "ROCPROF",
    .folders = (const char *const[]){"$ROCM_PATH/bin", "$ROCM_HOME/bin", "/opt/rocm/bin", "/opt/rocm-*/bin", NULL},
    .missing = "install rocprofiler-sdk, or name its rocprofv3 with ROCPROF=FILE",
    .denied = "run as root, or as a member of the groups video and render",
    .refusals = (const char *const[]){"ermission denied", "not permitted", NULL},
    .groups = groups,
    .counts_all = true,
    .options = options,
    .read = read,
    .fill = fill,
};
