// levels: size, latency and bandwidth of each level of the memory hierarchy.
#include "levels/levels_detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row.h"
#include "levels/levels_cpu.h"
#include "model/time/latency.h"

// Kept from point to point of a variant.
union levels_state {
    struct chase chase;
    struct dram dram;
    struct loaded loaded;
};

// clang-format off
static const struct parameter parameters[] = {
    [LEVELS_FOOTPRINT] = {.name = "footprint", .letter = 'f', .help = "bytes accessed; default: 1K to the largest that fits",
                          .min = 64, .max = 1e15},
    [LEVELS_LINE] = {.name = "line", .help = "bytes between accesses; 0: the device's line (0)",
                     .min = 0, .max = 1e12, .column = "stride"},
    [LEVELS_ELEMENTS] = {.name = "elements", .letter = 'n', .help = "elements that are visited, --line bytes apart (16 to 64K)",
                         .min = 2, .max = 1e9},
    [LEVELS_WARPS] = {.name = "warps", .help = "warps of a compute unit, or threads of a CPU (1 to 64)",
                      .min = 1, .max = 64, .column = "block"},
    [LEVELS_LOADS] = {.name = "loads", .help = "16-byte loads in flight of each lane, or of each thread of a CPU (1 to 32)",
                      .min = 1, .max = 64, .column = "bytes_in_flight"},
    [LEVELS_TRAFFIC] = {.name = "traffic", .help = "traffic during the chase, in percent of the blocks or of a CPU's rate (0 to 100)",
                        .min = 0, .max = 100},
    [LEVELS_WRITES] = {.name = "writes", .help = "quarters of that traffic that are writes (0, 2)", .min = 0, .max = 4},
    [LEVELS_FETCH] = {.name = "fetch", .help = "contiguous bytes of a piece, a power of two (32 to 4K)",
                      .min = 16, .max = 8192},
    [LEVELS_PAGE] = {.name = "page", .help = "bytes within which the order is random, one page after another; 0: all is random (0)",
                     .min = 0, .max = 1e12},
    [LEVELS_WIDTH] = {.name = "width", .letter = 'w', .help = "bytes of an asynchronous copy by a lane: 4, 8, 16", .min = 4, .max = 16},
    [LEVELS_STAGES] = {.name = "stages", .help = "stages of a block in shared memory, each with --loads words of every lane (1 to 8)",
                       .min = 1, .max = 32},
};
// clang-format on

// Four footprints per octave.
#define FOOTPRINTS                                                                                                     \
    "1K,1280,1536,1792,2K,2560,3K,3584,"                                                                               \
    "4K,5K,6K,7K,8K,10K,12K,14K,16K,20K,24K,28K,32K,40K,48K,56K,"                                                      \
    "64K,80K,96K,112K,128K,160K,192K,224K,256K,320K,384K,448K,512K,640K,768K,896K,"                                    \
    "1M,1280K,1536K,1792K,2M,2560K,3M,3584K,"                                                                          \
    "4M,5M,6M,7M,8M,10M,12M,14M,16M,20M,24M,28M,32M,40M,48M,56M,"                                                      \
    "64M,80M,96M,112M,128M,160M,192M,224M,256M,320M,384M,448M,512M,640M,768M,896M,"                                    \
    "1G,1280M,1536M,1792M,2G,2560M,3G,3584M,"                                                                          \
    "4G,5G,6G,7G,8G,10G,12G,14G,16G,20G,24G,28G,32G,40G,48G,56G,64G"

// Properties of a latency of plain loads.
#define LOADS .kernel = {"chase", levels_cpu_chase, CHASE_MEMORY}, .op = "load"
static const struct levels_latency loads = {LOADS};

static const struct levels_detail other = {NULL, NULL, NULL}; // of variants whose kind needs no properties

#define LATENCY_OF(...)                                                                                                \
    &(struct levels_detail) {                                                                                          \
        .latency = &(struct levels_latency) {                                                                          \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define LATENCY(name, summary, ...)                                                                                    \
    {                                                                                                                  \
        name, summary, {[LEVELS_FOOTPRINT] = FOOTPRINTS, [LEVELS_LINE] = "0", [LEVELS_PAGE] = "0"},                    \
            LATENCY_OF(__VA_ARGS__), &levels_latencies                                                                 \
    }

// Powers of two; from a page on also one fetch more and one fetch less.
#define DISTANCES                                                                                                      \
    "32:4K:*2,4032,4160,8K,8128,8256,16K,16320,16448,32K,32704,32832,64K,65472,65600,128K,131008,131136,"              \
    "256K,262080,262208,512K,524224,524352,1M,1048512,1048640,2M,2097088,2097216,4M,4194240,4194368,"                  \
    "8M,8388544,8388672,16M,16777152,16777280,32M,33554368,33554496,64M,67108800,67108928,"                            \
    "128M,134217664,134217792,256M,268435392,268435520,512M,536870848,536870976,1G,1073741760,1073741888"

#define STREAM_OF(...)                                                                                                 \
    &(struct levels_detail) {                                                                                          \
        .stream = &(struct levels_stream) {                                                                            \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define STREAM(name, summary, footprints, ...)                                                                         \
    { name, summary, {[LEVELS_FOOTPRINT] = footprints}, STREAM_OF(__VA_ARGS__), &levels_streams }

#define POLICY(name, summary, of_loads)                                                                                \
    STREAM(name, summary, "64K,128K,192K,256K,320K,384K,512K,1M,4M", .own = true, .policy = of_loads)

#define STAGED(name, summary, width, warps, to_shared)                                                                 \
    {                                                                                                                  \
        name, summary,                                                                                                 \
            {[LEVELS_FOOTPRINT] = "8M,0",                                                                              \
             [LEVELS_WIDTH] = width,                                                                                   \
             [LEVELS_WARPS] = warps,                                                                                   \
             [LEVELS_LOADS] = "1:16:*2",                                                                               \
             [LEVELS_STAGES] = "1:8:*2"},                                                                              \
            STREAM_OF(.in_flight = true, .path = to_shared), &levels_staged                                            \
    }

#define NODES(...)                                                                                                     \
    &(struct levels_detail) {                                                                                          \
        .latency = &loads, .numa = &(struct levels_numa) {                                                             \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define NUMA(name, summary, pages)                                                                                     \
    {                                                                                                                  \
        name, summary, {[LEVELS_FOOTPRINT] = "0", [LEVELS_LINE] = "0"}, NODES(pages, &levels_latencies, 1),            \
            &levels_nodes                                                                                              \
    }

// clang-format off
static const struct variant variants[] = {
    LATENCY("latency", "latency of loads, each waiting for the one before", LOADS),
    LATENCY("latency-read-only", "latency of read-only loads (AMD: by the scalar cache)",
            .kernel = {"chase_read_only", NULL, CHASE_MEMORY}, .op = "load-read-only"),
    LATENCY("latency-atomic", "latency of atomic additions",
            .kernel = {"chase_atomic", levels_cpu_chase_atomic, CHASE_MEMORY}, .op = "atomic-add", .path = PATH_MEMORY),
    LATENCY("latency-shared", "latency of shared memory",
            .kernel = {"chase_shared", NULL, CHASE_SHARED}, .op = "load-shared", .path = PATH_UNKNOWN),
    LATENCY("latency-store", "latency of a GPU's stores, until every unit sees them",
            .kernel = {"chase_store", NULL, CHASE_STORES}, .op = "store", .path = PATH_L2),
    LATENCY("latency-constant", "latency of constants, on NVIDIA's separate path",
            .kernel = {"chase_constant", NULL, CHASE_CONSTANT}, .op = "load-constant", .path = PATH_UNKNOWN),
    STREAM("bandwidth", "bandwidth of reads, all units sharing the footprint", FOOTPRINTS, .operation = STREAM_READ),
    STREAM("bandwidth-follow", "bandwidth of reads by short blocks, one after another", FOOTPRINTS, .follow = true),
    STREAM("bandwidth-write", "bandwidth of writes, all units sharing the footprint", FOOTPRINTS, .operation = STREAM_WRITE),
    STREAM("bandwidth-copy", "bandwidth of copies; both buffers are the footprint", FOOTPRINTS, .operation = STREAM_COPY),
    STREAM("unit-bandwidth", "bandwidth of reads, each unit with its own footprint", FOOTPRINTS, .own = true),
    STREAM("unit-bandwidth-write", "bandwidth of writes, each unit with its own footprint", FOOTPRINTS, .operation = STREAM_WRITE, .own = true),
    STREAM("unit-bandwidth-copy", "bandwidth of copies, each unit with its own footprint", FOOTPRINTS, .operation = STREAM_COPY, .own = true),
    POLICY("policy-ca", "unit-bandwidth by ld.global.ca", POLICY_CA),
    POLICY("policy-cg", "unit-bandwidth by ld.global.cg", POLICY_CG),
    POLICY("policy-cs", "unit-bandwidth by ld.global.cs, AMD's nontemporal load", POLICY_CS),
    POLICY("policy-nc", "unit-bandwidth by ld.global.nc", POLICY_NC),
    POLICY("policy-volatile", "unit-bandwidth by ld.volatile.global", POLICY_VOLATILE),
    POLICY("policy-l1-evict-first", "unit-bandwidth by ld.global.L1::evict_first", POLICY_L1_EVICT_FIRST),
    POLICY("policy-l1-evict-last", "unit-bandwidth by ld.global.L1::evict_last", POLICY_L1_EVICT_LAST),
    POLICY("policy-l1-no-allocate", "unit-bandwidth by ld.global.L1::no_allocate", POLICY_L1_NO_ALLOCATE),
    POLICY("policy-l2-evict-first", "unit-bandwidth by loads with L2::evict_first", POLICY_L2_EVICT_FIRST),
    POLICY("policy-l2-evict-last", "unit-bandwidth by loads with L2::evict_last", POLICY_L2_EVICT_LAST),
    {"in-flight", "bandwidth of memory by the bytes in flight",
     {[LEVELS_FOOTPRINT] = "0", [LEVELS_WARPS] = "1:64:*2", [LEVELS_LOADS] = "1:32:*2"},
     STREAM_OF(.in_flight = true), &levels_in_flight},
    STAGED("in-flight-async", "in-flight by NVIDIA's asynchronous copies (sm_80)", "4,8,16", "8", STREAM_WORDS),
    STAGED("in-flight-async-l2", "in-flight by asynchronous copies past L1 (sm_80)", "16", "8", STREAM_WORDS_PAST_L1),
    STAGED("in-flight-bulk", "in-flight by the SMs' copy engines (TMA, sm_90)", "16", "4", STREAM_BULK),
    {"tlb", "latency by the distance and the number of elements",
     {[LEVELS_ELEMENTS] = "16:64K:*2", [LEVELS_LINE] = "0,64K,2M,32M"},
     LATENCY_OF(LOADS, .staggered = true), &levels_tlbs},
    {"tlb-small-pages", "tlb with the CPU's memory in its smallest pages",
     {[LEVELS_ELEMENTS] = "16:64K:*2", [LEVELS_LINE] = "0,4K,64K"},
     LATENCY_OF(LOADS, .staggered = true, .small_pages = true), &levels_tlbs},
    {"dram", "bandwidth of memory by the size and distance of pieces",
     {[LEVELS_FOOTPRINT] = "0", [LEVELS_LINE] = DISTANCES, [LEVELS_FETCH] = "32:4K:*2"},
     &other, &levels_dram},
    {"partitions", "latency of atomics from each unit to several addresses",
     {[LEVELS_FOOTPRINT] = "0", [LEVELS_LINE] = "0", [LEVELS_ELEMENTS] = "16"},
     &other, &levels_partitions},
    {"loaded-latency", "latency of memory, by the amount of other traffic",
     {[LEVELS_FOOTPRINT] = "0", [LEVELS_TRAFFIC] = "0,1,2,5,10,15,20,25,30,40,50,60,70,80,90,100", [LEVELS_WRITES] = "0,2"},
     &other, &levels_loaded},
    NUMA("numa", "latency from each NUMA node to each node's memory", CPU_PAGES_LARGE),
    NUMA("numa-small-pages", "numa in pages of 4 KiB", CPU_PAGES_SMALL),
    NUMA("numa-huge-pages", "numa in pages of 1 GiB, which must be reserved", CPU_PAGES_HUGE),
    {"numa-loaded", "numa while the node's other threads read that memory",
     {[LEVELS_FOOTPRINT] = "0", [LEVELS_LINE] = "0", [LEVELS_TRAFFIC] = "100", [LEVELS_WRITES] = "0"},
     NODES(CPU_PAGES_LARGE, &levels_loaded, 2), &levels_nodes},
    {"geometry", "each cache's size, line, ways and more, from latencies",
     {[LEVELS_LINE] = "0"},
     &other, &levels_geometry},
};
// clang-format on

static const struct levels_detail *detail_of(const struct variant *variant) {
    return variant->detail;
}

// The latency of a chase, which is not what each pair of nodes has.
static const struct levels_latency *latency_of(const struct variant *variant) {
    return detail_of(variant)->numa ? NULL : detail_of(variant)->latency;
}

static bool has_native(const struct variant *variant) {
    const struct levels_latency *latency = latency_of(variant);
    const struct levels_stream *stream = detail_of(variant)->stream;
    if (latency) {
        return latency->kernel.native != NULL;
    }
    if (stream) {
        return !stream->follow && !stream->path;
    }
    return variant->kind != &levels_partitions;
}

static bool has_path(const struct device_info *info, const struct variant *variant) {
    static const unsigned least_sm[] = {[STREAM_WORDS] = 80, [STREAM_WORDS_PAST_L1] = 80, [STREAM_BULK] = 90};
    const struct levels_latency *latency = latency_of(variant);
    const struct levels_stream *stream = detail_of(variant)->stream;
    if (stream && stream->path) {
        return device_sm(info) >= least_sm[stream->path];
    }
    if (stream && stream->policy) {
        return device_sm(info) >= 80 || (info->backend == BACKEND_HIP && stream->policy == POLICY_CS);
    }
    if (latency && latency->kernel.kind == CHASE_CONSTANT) {
        return info->backend == BACKEND_CUDA; // AMD loads constants through its scalar cache
    }
    if ((latency && latency->small_pages) || detail_of(variant)->numa) {
        return device_is_cpu(info); // a GPU's driver chooses its page size
    }
    return !device_is_cpu(info) || has_native(variant);
}

// The latency of an access by this path on a simulated part; 0: unknown.
static uint32_t simulated_latency(const struct gpu *gpu, const struct levels_latency *path) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    if (!latency || path->kernel.kind == CHASE_CONSTANT || path->small_pages || path->staggered) {
        return 0;
    }
    if (path->kernel.kind == CHASE_SHARED) {
        return latency->shared;
    }
    if (path->kernel.kind == CHASE_STORES) {
        return latency->store;
    }
    const bool scalar = path->path == PATH_LOADS && strcmp(path->op, "load") != 0 && gpu->vendor == VENDOR_AMD;
    return path->path == PATH_MEMORY ? latency->atomic : scalar ? 0 : latency->l1;
}

static bool simulates_stream(const struct gpu *gpu, const struct levels_stream *stream) {
    const struct gpu_latency *part = gpu_latency(gpu);
    const bool reads = stream->operation != STREAM_WRITE, writes = stream->operation != STREAM_READ;
    return part && !stream->policy && (!reads || part->l2_read_bytes_per_clock > 0) &&
           (!writes || part->l2_write_bytes_per_clock > 0);
}

static enum status simulates(const struct device_info *info, const struct variant *variant, struct error *error) {
    const struct levels_latency *latency = latency_of(variant);
    const struct levels_stream *stream = detail_of(variant)->stream;
    if (!latency && !stream) {
        return error_set(error, STATUS_NO_DEVICE, "%s: the model does not cover --variant %s: leave it out", info->spec,
                         variant->name);
    }
    // Some blocks read only a part of the footprint. Only some are simulated beside a measured row, too, so a measured
    // stream has no prediction.
    if (stream && info->simulated_blocks > 0) {
        return error_set(error, STATUS_USAGE,
                         "%s: measures all of its footprint, not some blocks of it: leave --sim-blocks out",
                         variant->name);
    }
    if (latency ? !simulated_latency(info->gpu, latency) : !simulates_stream(info->gpu, stream)) {
        return error_set(error, STATUS_NO_DEVICE, "%s: no figure is known for --variant %s: leave it out", info->spec,
                         variant->name);
    }
    return STATUS_OK;
}

static bool has_kinds_of_memory(const struct variant *variant) {
    const struct levels_latency *latency = latency_of(variant);
    return detail_of(variant)->stream ||
           (latency && latency->kernel.kind != CHASE_SHARED && latency->kernel.kind != CHASE_CONSTANT);
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    const char *memory = ((const struct levels_session *)session)->memory;
    if (memory && strcmp(memory, "device") != 0 &&
        (!device_is_real_gpu(&device->info) || !has_kinds_of_memory(variant))) {
        return error_set(error, STATUS_NO_DEVICE, "%s: --variant %s has no --memory %s: leave it out",
                         device->info.spec, variant->name, memory);
    }
    const struct levels_detail *detail = detail_of(variant);
    const bool copies = detail->stream && detail->stream->path;
    if ((copies || !device->info.predicted) && !has_path(&device->info, variant)) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no such path: leave out --variant %s", device->info.spec,
                         variant->name);
    }
    if (device->info.predicted) {
        return simulates(&device->info, variant, error);
    }
    return detail->numa                      ? levels_supports_numa(detail->numa, error)
           : variant->kind == &levels_loaded ? levels_supports_loaded(&device->info, variant->name, error)
                                             : STATUS_OK;
}

static const struct option_row options[] = {
    {"memory", 0, OPTION_CHOICE, offsetof(struct levels_session, memory), "device|pool|pinned|managed",
     "where a latency's or stream's footprint lies: a GPU's own memory, a pool of it, the host's, or what the driver "
     "moves (device)",
     0, 0, "device|pool|pinned|managed"},
    {"emit-gpu", 0, OPTION_FLAG, offsetof(struct levels_session, emit_gpu), NULL,
     "with --variant geometry on a GPU: print its row for model/gpus.c", 0, 0, NULL},
};

static bool keeps_rows(const void *session) {
    return ((const struct levels_session *)session)->emit_gpu;
}

// The row for model/gpus.c goes to standard output after the CSV rows.
static void release(void *session) {
    const struct levels_session *levels_session = session;
    if (levels_session->row) {
        fputs(levels_session->row, stdout);
    } else if (levels_session->emit_gpu) {
        fprintf(stderr, "levels: --emit-gpu has no row to print: give --variant geometry and a GPU\n");
    }
    free(levels_session->row);
}

static const struct telling telling[] = {
    {"latency,bandwidth", {0}}, // side by side, so that a short run draws both with fewer points
};

static const struct metric metrics[] = {
    {.value = COLUMN_latency_ns, .peak = COLUMN_NONE, .unit = "ns", .is_cost = true}};

static const struct probe levels = {
    .name = "levels",
    .summary = "latency and bandwidth of every level of the memory hierarchy",
    .description =
        "Latency is that of one access in a dependent chain, by the device's counters; the level is the one documented "
        "to hold the footprint. A simulated device has latencies and bandwidths as far as those of its part are known "
        "(bankshot parts).",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    .headline = "latency,bandwidth,unit-bandwidth,latency-shared,tlb",
    PROBE_LIST(telling, telling_count),
    PROBE_LIST(metrics, metric_count),
    .session_bytes = sizeof(struct levels_session),
    PROBE_LIST(options, option_count),
    .state_bytes = sizeof(union levels_state),
    .counts_warm = true,
    .supports = supports,
    .release = release,
    .keeps_rows = keeps_rows,
};

int main(int argc, char **argv) {
    return program_main(&levels, argc, argv);
}
