// AMD's counters, from rocprofv3. It counts every launch, but only few counters at a time, so there are several runs.
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "bench/counters/vendor.h"

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
#define OF_UNITS "SQ_INSTS_VMEM_RD,SQ_INSTS_VMEM_WR,SQ_INSTS_BRANCH,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE"
#define OF_READS "FETCH_SIZE"
#define OF_WRITES "WRITE_SIZE,TCC_HIT_sum,TCC_MISS_sum"

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

static enum status read(const struct profile *profile, struct launch_list *list, struct error *error) {
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
            status = counter_table_read(&amd_counters, profile, found.gl_pathv[file], list, error);
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
    .columns = {"Correlation_Id", "Dispatch_Id", "Kernel_Name", "Grid_Size", "Workgroup_Size", "Counter_Name",
                "Counter_Value"},
    .metrics = OF_UNITS "," OF_READS "," OF_WRITES,
    .groups = (const char *const[]){OF_UNITS, OF_READS, OF_WRITES, NULL},
    .counts_all = true,
    .options = options,
    .read = read,
    .fill = fill,
};
