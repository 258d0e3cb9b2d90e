// AMD's counters, from rocprofv3. It counts every launch, but only few counters at a time, so there are several runs.
#include <glob.h>
#include <math.h>
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
    L2_MISSES,
    RDNA_CONFLICTS, // the same by the names that RDNA has
    RDNA_PASSES,
    RDNA_L2_HITS,
    RDNA_L2_MISSES
};
#define OF_UNITS "SQ_INSTS_VMEM_RD,SQ_INSTS_VMEM_WR,SQ_INSTS_BRANCH,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE"
#define OF_READS "FETCH_SIZE"
#define OF_WRITES "WRITE_SIZE,TCC_HIT_sum,TCC_MISS_sum"
#define OF_RDNA_UNITS "SQC_LDS_BANK_CONFLICT,SQC_LDS_IDX_ACTIVE"
#define OF_RDNA_L2 "GL2C_HIT_sum,GL2C_MISS_sum"

// rocprofiler-sdk, counter_defs.yaml, names each counter's architectures. Asked for one that it does not have, an older
// rocprofv3 ends, and one that finds none of a group writes no table.
static const char *const *groups_of(const char *arch) {
    static const char *const vega20[] = {"SQ_INSTS_VMEM_RD,SQ_INSTS_VMEM_WR,SQ_LDS_BANK_CONFLICT", OF_READS, OF_WRITES,
                                         NULL};
    static const char *const cdna[] = {OF_UNITS, OF_READS, OF_WRITES, NULL};
    static const char *const rdna[] = {OF_RDNA_UNITS, OF_READS, "WRITE_SIZE," OF_RDNA_L2, NULL};
    static const char *const rdna4[] = {OF_RDNA_UNITS, OF_READS, OF_RDNA_L2, NULL};
    return strncmp(arch, "gfx906", 6) == 0  ? vega20
           : strncmp(arch, "gfx9", 4) == 0  ? cdna
           : strncmp(arch, "gfx12", 5) == 0 ? rdna4
                                            : rdna;
}

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

// What was counted by either name; NaN: by neither.
static double counted(const struct counted_launch *launch, size_t number, size_t of_rdna) {
    const double value = launch->values[number];
    return isfinite(value) ? value : launch->values[of_rdna];
}

static void fill(const struct counted_launch *launch, struct row *row) {
    enum {
        KIB = 1024
    };
    const double *values = launch->values;
    row->counted_requests =
        (row_counts_loads(row) ? values[REQUESTS_LOAD] : 0) + (row_counts_stores(row) ? values[REQUESTS_STORE] : 0);
    row->counted_passes = counted(launch, PASSES, RDNA_PASSES);
    row->counted_conflicts = counted(launch, CONFLICTS, RDNA_CONFLICTS);
    row->counted_dram_read_bytes = (double)KIB * values[DRAM_READ];
    row->counted_dram_write_bytes = (double)KIB * values[DRAM_WRITE];
    const double hits = counted(launch, L2_HITS, RDNA_L2_HITS), misses = counted(launch, L2_MISSES, RDNA_L2_MISSES);
    row->counted_l2_hit_pct = 100 * hits / (hits + misses);
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
    .metrics = OF_UNITS "," OF_READS "," OF_WRITES "," OF_RDNA_UNITS "," OF_RDNA_L2,
    .groups_of = groups_of,
    .counts_all = true,
    .options = options,
    .read = read,
    .fill = fill,
};
