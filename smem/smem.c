// smem: bank conflicts of shared memory by width and stride, and remedies.
#include <stdio.h>
#include <stdlib.h>

#include "smem/smem_pattern.h"

enum {
    CLUSTER_SM = 90
};

// clang-format off
static const struct parameter parameters[] = {
    [SMEM_WIDTH] = {.name = "width", .letter = 'w', .help = "bytes of an element: 1, 2, 4, 8, 16", .min = 1, .max = 16},
    [SMEM_ELEMENTS] = {.name = "elements", .letter = 'n', .help = "elements of the transposed matrix, the square of a multiple of 32; default: see below",
                       .min = 1, .max = 1e12},
    [SMEM_BLOCK] = {.name = "block", .letter = 'b', .help = "threads of a block, a multiple of the warp (the device's maximum)",
                    .min = 1, .max = 1024},
    [SMEM_GROUP] = {.name = "group", .help = "neighbouring lanes that share an address (1 to 64)", .min = 1, .max = 64},
    [SMEM_STRIDE] = {.name = "stride", .letter = 's', .help = "elements from a lane's address to the next (0 to 64)",
                     .min = 0, .max = 1024},
    [SMEM_CLUSTER] = {.name = "cluster", .help = "blocks of a cluster (1 to 16)", .min = 1, .max = 16},
    [SMEM_DISTANCE] = {.name = "distance", .help = "ranks in its cluster from a block to the one whose memory it accesses; 0: itself (0, 1)",
                       .min = 0, .max = 15},
};
// clang-format on

#define ALL_WIDTHS [SMEM_WIDTH] = "1,2,4,8,16", [SMEM_BLOCK] = "0"
#define LOADS .op = "load", .operation = OPERATION_LOAD
#define STORES(name) .op = name, .operation = OPERATION_STORE
#define REMOTES .remote = true, .certainty = RULE_OPEN
#define REMOTE(widths)                                                                                                 \
    [SMEM_WIDTH] = widths, [SMEM_BLOCK] = "0", [SMEM_STRIDE] = "1,2,8,32", [SMEM_CLUSTER] = "1:16:*2",                 \
    [SMEM_DISTANCE] = "0,1"
#define TILES(name, summary, detail)                                                                                   \
    { name, summary, {[SMEM_WIDTH] = "2,4,8", [SMEM_ELEMENTS] = "0"}, detail, &smem_transposes }
#define TRANSPOSE(kernel)                                                                                              \
    &(struct smem_detail) {                                                                                            \
        .entry = kernel, .op = "copy", .width_min = 2, .width_max = 8                                                  \
    }
// clang-format off
static const struct variant variants[] = {
    {"load", "loads by width and stride, at full throughput",
     {ALL_WIDTHS, [SMEM_STRIDE] = "0:64"},
     &(struct smem_detail){LOADS, .entry = "shared_load", .expected = smem_sum_of_loads}, &smem_accesses},
    {"store", "stores by width and stride, at full throughput",
     {ALL_WIDTHS, [SMEM_STRIDE] = "0:64"},
     &(struct smem_detail){STORES("store"), .entry = "shared_store", .expected = smem_stored_word},
     &smem_accesses},
    {"load-latency", "a chain of dependent loads by one warp",
     {[SMEM_WIDTH] = "1,2,4,8,16", [SMEM_STRIDE] = "0:64"},
     &(struct smem_detail){.entry = "shared_load_latency", .op = "load", .expected = smem_chain_end, .dependent = true},
     &smem_latencies},
    {"broadcast", "groups of lanes load one address each",
     {ALL_WIDTHS, [SMEM_GROUP] = "1:64:*2", [SMEM_STRIDE] = "1"},
     &(struct smem_detail){LOADS, .entry = "shared_load", .expected = smem_sum_of_loads}, &smem_broadcasts},
    {"atomic-add", "atomicAdd on 4-byte counters, by stride",
     {[SMEM_WIDTH] = "4", [SMEM_BLOCK] = "0", [SMEM_STRIDE] = "0:64"},
     &(struct smem_detail){STORES("atomic-add"), .entry = "shared_atomic_add", .certainty = RULE_OPEN,
                           .expected = smem_atomic_count, .width_min = 4, .width_max = 4},
     &smem_accesses},
    {"course", "an old GPU course's loop over a volatile array",
     {[SMEM_WIDTH] = "2,4,8", [SMEM_STRIDE] = "1:32:*2"},
     &(struct smem_detail){LOADS, .entry = "course", .expected = smem_course_sum, .width_max = 8,
                           .block = 128, .blocks_per_unit = 16, .array_elements = SMEM_COURSE_ELEMENTS,
                           .simulated_rounds = 256}, // each of its threads fills 32 elements first
     &smem_accesses},
    {"remote-load", "loads from another block's shared memory (sm_90)",
     {REMOTE("4,16")},
     &(struct smem_detail){REMOTES, .entry = "remote_load", .op = "load", .expected = smem_sum_of_loads},
     &smem_remotes},
    {"remote-store", "stores to another block's shared memory (sm_90)",
     {REMOTE("4,16")},
     &(struct smem_detail){REMOTES, .entry = "remote_store", .op = "store", .operation = OPERATION_STORE, .writes = true,
                           .expected = smem_stored_word},
     &smem_remotes},
    {"remote-atomic-add", "atomic additions to another block's shared memory",
     {REMOTE("4")},
     &(struct smem_detail){REMOTES, .entry = "remote_atomic_add", .op = "atomic-add", .operation = OPERATION_STORE,
                           .atomic = true, .expected = smem_atomic_count, .width_min = 4, .width_max = 4},
     &smem_remotes},
    {"remote-latency", "dependent loads from another block's shared memory",
     {[SMEM_WIDTH] = "4", [SMEM_STRIDE] = "1,32", [SMEM_CLUSTER] = "1:16:*2", [SMEM_DISTANCE] = "0:15"},
     &(struct smem_detail){REMOTES, .entry = "remote_latency", .op = "load", .expected = smem_chain_end,
                           .dependent = true, .width_min = 4},
     &smem_remotes},
    {"addresses", "the requests that a file lists, in any pattern",
     {[SMEM_WIDTH] = "4"}, &(struct smem_detail){0}, &smem_addresses},
    TILES("tile-copy", "copy of 32x32 tiles, to compare the transposes with", &smem_tile_copy),
    TILES("transpose-naive", "transpose without shared memory: rows in, columns out", TRANSPOSE("transpose_naive")),
    TILES("transpose-shared", "transpose through a 32x32 tile: 32-way conflicts", TRANSPOSE("transpose_shared")),
    TILES("transpose-padded", "transpose through a tile with a 33rd column", TRANSPOSE("transpose_padded")),
    TILES("transpose-swizzled", "transpose through a tile, columns xor-ed with rows", TRANSPOSE("transpose_swizzled")),
};
// clang-format on

static const struct smem_detail *detail_of(const struct variant *variant) {
    return variant->detail;
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    if (device_is_cpu(&device->info)) {
        return error_set(error, STATUS_NO_DEVICE,
                         "cpu has no shared memory and no banks: give --device sim:h200, cuda or hip");
    }
    if (detail_of(variant)->remote && device->info.predicted && device->info.via != VIA_PTX) {
        return error_set(error, STATUS_NO_DEVICE, "%s runs clusters as PTX alone: give --via ptx, or leave out %s",
                         device->info.spec, variant->name);
    }
    if (detail_of(variant)->remote && device_sm(&device->info) < CLUSTER_SM) {
        return error_set(error, STATUS_NO_DEVICE, "%s (%s) has no clusters, which begin with sm_90: leave out %s",
                         device->info.spec, device->info.arch, variant->name);
    }
    return smem_supports_addresses(session, variant, error);
}

static void release(void *session) {
    free(((struct smem_session *)session)->text.bytes);
}

// The strides of the classic picture of bank conflicts, and what a conflict costs a transpose.
#define LOAD_BY(stride)                                                                                                \
    {                                                                                                                  \
        "load", {                                                                                                      \
            [SMEM_WIDTH] = 4, [SMEM_STRIDE] = (stride)                                                                 \
        }                                                                                                              \
    }
static const struct telling telling[] = {
    LOAD_BY(1),
    LOAD_BY(2),
    LOAD_BY(4),
    LOAD_BY(8),
    LOAD_BY(16),
    LOAD_BY(32),
    {"transpose-naive,transpose-shared,transpose-padded,transpose-swizzled", {[SMEM_WIDTH] = 4}},
    {"load", {[SMEM_WIDTH] = 4}},
};

static const struct probe smem = {
    .name = "smem",
    .summary = "bank conflicts of shared memory by width and stride, and remedies",
    .description =
        "GB/s and B/clk (bytes per clock of one compute unit) count requested bytes. degree is the measured "
        "cost of a request over that of stride 1 in the same run, model the same by the rules; the CSV "
        "column model says 'differs' if they are more than 10 % apart; rule_certainty says how sure the rule is. "
        "By default a transposed matrix and its result are together 4 times the last-level cache. A "
        "simulated device runs 4 of the blocks unless --sim-blocks is given.",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    PROBE_LIST(telling, telling_count),
    .session_bytes = sizeof(struct smem_session),
    .options = smem_address_options,
    .option_count = SMEM_ADDRESS_OPTIONS,
    .headline = "load,store,transpose-shared,transpose-padded",
    .headline_values = {[SMEM_WIDTH] = 4, [SMEM_STRIDE] = 1, [SMEM_GROUP] = 1},
    .simulated_blocks = 4,
    .state_bytes = sizeof(struct smem_state),
    .supports = supports,
    .release = release,
};

int main(int argc, char **argv) {
    return program_main(&smem, argc, argv);
}
