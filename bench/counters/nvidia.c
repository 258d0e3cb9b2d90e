// NVIDIA's counters, from Nsight Compute's command line.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/counters/vendor.h"

// The metrics, in the order of their values.
#define L1 "l1tex__"
#define METRICS(F)                                                                                                     \
    F(REQUESTS_LOAD, L1 "t_requests_pipe_lsu_mem_global_op_ld.sum")                                                    \
    F(REQUESTS_STORE, L1 "t_requests_pipe_lsu_mem_global_op_st.sum")                                                   \
    F(REQUESTS_ATOMIC, L1 "t_requests_pipe_lsu_mem_global_op_atom.sum")                                                \
    F(REQUESTS_REDUCTION, L1 "t_requests_pipe_lsu_mem_global_op_red.sum")                                              \
    F(SECTORS_LOAD, L1 "t_sectors_pipe_lsu_mem_global_op_ld.sum")                                                      \
    F(SECTORS_STORE, L1 "t_sectors_pipe_lsu_mem_global_op_st.sum")                                                     \
    F(SECTORS_ATOMIC, L1 "t_sectors_pipe_lsu_mem_global_op_atom.sum")                                                  \
    F(SECTORS_REDUCTION, L1 "t_sectors_pipe_lsu_mem_global_op_red.sum")                                                \
    F(PASSES_LOAD, L1 "data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                                                 \
    F(PASSES_STORE, L1 "data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                                                \
    F(PASSES_ATOMIC, L1 "data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")                                             \
    F(CONFLICTS_LOAD, L1 "data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")                                          \
    F(CONFLICTS_STORE, L1 "data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")                                         \
    F(CONFLICTS_ATOMIC, L1 "data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")                                      \
    F(REQUESTS_REMOTE, L1 "t_requests_pipe_lsu_mem_dshared.sum")                                                       \
    F(PASSES_REMOTE_READ, L1 "data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum")                                         \
    F(PASSES_REMOTE_WRITE, L1 "data_pipe_lsu_wavefronts_mem_lgds_cmd_write.sum")                                       \
    F(DRAM_READ, "dram__bytes_read.sum")                                                                               \
    F(DRAM_WRITE, "dram__bytes_write.sum")                                                                             \
    F(L1_HITS, L1 "t_sector_hit_rate.pct")                                                                             \
    F(L2_HITS, "lts__t_sector_hit_rate.pct")                                                                           \
    F(INSTRUCTIONS, "smsp__inst_executed.sum")                                                                         \
    F(LANES, "smsp__thread_inst_executed_per_inst_executed.ratio")                                                     \
    F(BRANCHES, "smsp__inst_executed_op_branch.sum")                                                                   \
    F(PASSES, "profiler__replayer_passes")

enum {
    WARP_LANES = 32,
    BANK_BYTES = 4
};

#define NUMBER(name, metric) name,
#define LISTED(name, metric) "," metric
enum {
    METRICS(NUMBER) METRICS_END
};
_Static_assert((int)METRICS_END <= (int)LAUNCH_COUNTERS_MAX, "a launch has room for all metrics");
static const char listed[] = METRICS(LISTED); // begins with a comma

static void options(const struct profile *profile, struct profiler_options *options) {
    const char *const all[] = {"--csv",
                               "--print-units",
                               "base",
                               "--clock-control",
                               "none",
                               "--profile-from-start",
                               "off",
                               "--cache-control",
                               profile->warm ? "none" : "all",
                               "--metrics",
                               profile->metrics};
    memcpy(options->option, all, sizeof all);
    options->count = sizeof all / sizeof *all;
}

// Each pass is a launch, which finds in the caches what the one before left there.
static enum status check_passes(const struct launch_list *list, struct error *error) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].values[PASSES] > 1) {
            return error_set(error, STATUS_FAILED, "ncu launched a kernel again, which changes what the caches hold");
        }
    }
    return STATUS_OK;
}

static enum status read(const struct profile *profile, struct launch_list *list, struct error *error) {
    TRY(counter_table_read(&nvidia_counters, profile, profile->log, list, error));
    return profile->warm ? check_passes(list, error) : STATUS_OK;
}

static double or_none(double count) {
    return isnan(count) ? 0 : count;
}

// ncu counts atomics that return nothing as reductions. Atomics count as stores, so a row about loads leaves out those
// of the kernel's checksums.
static double of_global(double loads, double stores, double atomics, double reductions, const struct row *row) {
    const double written = stores + or_none(atomics) + or_none(reductions);
    return (row_counts_loads(row) ? loads : 0) + (row_counts_stores(row) ? written : 0);
}

// Requests of loads or stores if the row is about only these, otherwise of all. ncu's named sum is no substitute,
// because it includes the global stores of a kernel without shared memory.
static double of_shared(double loads, double stores, double atomics, const struct row *row) {
    return strcmp(row->op, "load") == 0 ? loads : strcmp(row->op, "store") == 0 ? stores : loads + stores + atomics;
}

// Another block's shared memory has counters of its own: the requests, and the passes of the unit that answers, beside
// those of global memory. Passes that the width of a request does not need are conflicts. An atomic takes passes for
// its parts, which no rule of the model covers.
static void fill_remote(const double *values, struct row *row) {
    const double needed = row->width_bytes > BANK_BYTES ? (double)row->width_bytes / (double)BANK_BYTES : 1;
    const double passes = strcmp(row->op, "load") == 0    ? values[PASSES_REMOTE_READ]
                          : strcmp(row->op, "store") == 0 ? values[PASSES_REMOTE_WRITE]
                                                          : NAN;
    row->counted_passes = passes;
    row->counted_conflicts = passes - needed * values[REQUESTS_REMOTE];
}

static void fill(const struct counted_launch *launch, struct row *row) {
    const double *values = launch->values;
    const struct dimensions grid = launch->grid, block = launch->block;
    const double block_warps = ceil((double)block.x * block.y * block.z / (double)WARP_LANES);
    row->counted_requests = of_global(values[REQUESTS_LOAD], values[REQUESTS_STORE], values[REQUESTS_ATOMIC],
                                      values[REQUESTS_REDUCTION], row);
    row->counted_sectors =
        of_global(values[SECTORS_LOAD], values[SECTORS_STORE], values[SECTORS_ATOMIC], values[SECTORS_REDUCTION], row);
    row->counted_passes = of_shared(values[PASSES_LOAD], values[PASSES_STORE], values[PASSES_ATOMIC], row);
    row->counted_conflicts = of_shared(values[CONFLICTS_LOAD], values[CONFLICTS_STORE], values[CONFLICTS_ATOMIC], row);
    if (row->distance > 0 && row->distance != ROW_NO_COUNT) {
        fill_remote(values, row);
    }
    row->counted_dram_read_bytes = values[DRAM_READ];
    row->counted_dram_write_bytes = values[DRAM_WRITE];
    row->counted_l1_hit_pct = values[L1_HITS];
    row->counted_l2_hit_pct = values[L2_HITS];
    row->counted_instructions = values[INSTRUCTIONS];
    row->counted_active_lanes_pct = 100 * values[LANES] / (double)WARP_LANES;
    row->counted_branches = values[BRANCHES] / (block_warps * grid.x * grid.y * grid.z);
}

const struct counter_vendor nvidia_counters = {
    .backend = BACKEND_CUDA,
    .profiler = "ncu",
    .variable = "NCU",
    .folders = (const char *const[]){"$CUDA_HOME/bin", "$CUDA_PATH/bin", "/usr/local/cuda/bin", "/opt/cuda/bin",
                                     "/opt/nvidia/nsight-compute/*", "/usr/local/cuda-*/bin", NULL},
    .missing = "install Nsight Compute, or name its ncu with NCU=FILE",
    .denied = "run as root, or load NVIDIA's kernel module with NVreg_RestrictProfilingToAdminUsers=0",
    .refusals = (const char *const[]){"ERR_NVGPUCTRPERM", NULL},
    .columns = {"ID", "ID", "Kernel Name", "Grid Size", "Block Size", "Metric Name", "Metric Value"},
    .metrics = listed + 1,
    .groups = (const char *const[]){listed + 1, NULL},
    // On sm_90 these take one pass. The share of hits in L2 would take three.
    .warm_groups = (const char *const[]){L1 "t_sector_hit_rate.pct,dram__bytes_read.sum,dram__bytes_write.sum,"
                                            "profiler__replayer_passes",
                                         NULL},
    .prints_each = true,
    .logs_table = true,
    .options = options,
    .read = read,
    .fill = fill,
};
