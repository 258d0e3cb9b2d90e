#include "model/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/gpus.h"
#include "model/shared_memory.h"
#include "model/time/latency.h"

enum {
    WIDEST_BYTES = 16
};

#define RULES "docs/model.md, Shared memory, "

static void set(struct cell *cell, double value, const char *format) {
    cell->value = value;
    snprintf(cell->text, sizeof cell->text, format, value);
}

static void set_none(struct cell *cell) {
    cell->value = NAN;
    snprintf(cell->text, sizeof cell->text, "none");
}

static void set_unknown(struct cell *cell) {
    cell->value = NAN;
    snprintf(cell->text, sizeof cell->text, "unknown");
    cell->known = EVIDENCE_GUESS;
    snprintf(cell->source, sizeof cell->source, "no source found; build/levels measures it on the part");
}

static void set_source(struct cell *cell, enum evidence known, const char *source) {
    cell->known = known;
    snprintf(cell->source, sizeof cell->source, "%s", source);
}

// ---- Figures of the table of GPUs ----

#define FIGURE(function, value, format)                                                                                \
    static void function(const struct gpu *gpu, struct cell *cell) {                                                   \
        set(cell, (double)(value), format);                                                                            \
    }

FIGURE(find_units, gpu->compute_units, "%.0f")
FIGURE(find_clock, gpu->clock_mhz, "%.0f")
FIGURE(find_lanes, gpu->warp_width, "%.0f")
FIGURE(find_updates, gpu->min_plus_per_clock, "%.0f")
FIGURE(find_block_shared, gpu->shared_bytes_per_block / 1024.0, "%.0f")
FIGURE(find_l1, gpu->l1_bytes / 1024.0, "%.0f")
FIGURE(find_line, gpu->line_bytes, "%.0f")
FIGURE(find_sector, gpu->sector_bytes, "%.0f")
FIGURE(find_l2, (double)gpu->l2_bytes / 1048576, "%.4g")
FIGURE(find_last_level, (double)gpu->last_level_cache_bytes / 1048576, "%.4g")
FIGURE(find_l2_rate, gpu_l2_bytes_per_clock(gpu) * gpu->clock_mhz / 1000, "%.0f")
FIGURE(find_memory, (double)gpu->memory_bytes / 1073741824, "%.0f")
FIGURE(find_memory_rate, gpu->memory_gb_s, "%.0f")

static void find_l2_reach(const struct gpu *gpu, struct cell *cell) {
    set(cell, (double)gpu->l2_bytes / (gpu->l2_private ? gpu->l2_parts : 1) / 1048576, "%.4g");
}

static void find_last_level_rate(const struct gpu *gpu, struct cell *cell) {
    if (gpu->cache_gb_s > 0) {
        set(cell, gpu->cache_gb_s, "%.0f");
    } else {
        set_none(cell);
        set_source(cell, EVIDENCE_PUBLISHED, "the L2 is the last-level cache");
    }
}

static void find_fetch(const struct gpu *gpu, struct cell *cell) {
    set(cell, gpu_fetch_bytes(gpu), "%.0f");
    if (gpu->load_fetch_bytes == 0) {
        set_source(cell, EVIDENCE_GUESS, "a sector, since no source says that more is fetched");
    }
}

static void find_threads(const struct gpu *gpu, struct cell *cell) {
    set(cell, gpu_unit_threads(gpu), "%.0f");
    set_source(cell, EVIDENCE_PUBLISHED,
               gpu->vendor == VENDOR_NVIDIA ? "CUDA Programming Guide, technical specifications"
                                            : "LLVM (AMDGPUBaseInfo.cpp): SIMDs x waves of each x lanes");
}

// ---- Banks, as the rules of shared memory serve a warp whose lanes access neighbours ----

static struct request neighbours(const struct gpu *gpu, enum operation operation, uint32_t width) {
    struct request request = {.operation = operation, .width_bytes = width};
    for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
        request.active |= UINT64_C(1) << lane;
        request.address[lane] = (uint64_t)lane * width;
    }
    return request;
}

static void set_rule(struct cell *cell, const struct gpu *gpu, const struct request *request) {
    static const enum evidence known[] = {
        [RULE_CERTAIN] = EVIDENCE_PUBLISHED, [RULE_OPEN] = EVIDENCE_DERIVED, [RULE_GUESS] = EVIDENCE_GUESS};
    set_source(cell, known[shared_memory_cost(gpu, request).certainty],
               gpu->vendor == VENDOR_AMD ? RULES "AMD" : RULES "NVIDIA: each rule with its source");
}

static void find_banks(const struct gpu *gpu, struct cell *cell) {
    const struct request request = neighbours(gpu, OPERATION_LOAD, WIDEST_BYTES);
    const struct shared_location location = shared_memory_location(gpu, &request, 0);
    cell->value = location.banks * location.bank_bytes;
    snprintf(cell->text, sizeof cell->text, "%u of %u B", location.banks, location.bank_bytes);
    set_rule(cell, gpu, &request);
}

static void find_pass_bytes(const struct gpu *gpu, struct cell *cell) {
    const struct request request = neighbours(gpu, OPERATION_LOAD, WIDEST_BYTES);
    set(cell, shared_memory_pass_bytes(gpu), "%.0f");
    set_rule(cell, gpu, &request);
}

static void find_groups(const struct gpu *gpu, struct cell *cell, enum operation operation, uint32_t width) {
    const struct request request = neighbours(gpu, operation, width);
    const uint64_t lanes = shared_memory_group_lanes(gpu, &request, 0);
    const int count = __builtin_popcountll(lanes);
    cell->value = is_run(lanes) ? count : count + 0.5; // as many other lanes are a difference, too
    snprintf(cell->text, sizeof cell->text, "%d%s", count, is_run(lanes) ? "" : " crossed");
    set_rule(cell, gpu, &request);
}

#define GROUPS(function, operation, width)                                                                             \
    static void function(const struct gpu *gpu, struct cell *cell) {                                                   \
        find_groups(gpu, cell, operation, width);                                                                      \
    }

GROUPS(find_loads_4, OPERATION_LOAD, 4)
GROUPS(find_loads_8, OPERATION_LOAD, 8)
GROUPS(find_loads_16, OPERATION_LOAD, 16)
GROUPS(find_stores_4, OPERATION_STORE, 4)
GROUPS(find_stores_8, OPERATION_STORE, 8)
GROUPS(find_stores_16, OPERATION_STORE, 16)

// ---- Latencies and the rates that launches reach ----

// known: on the part that heads the row of latencies; its kin take them over.
static void set_latency_source(struct cell *cell, const struct gpu *gpu, enum evidence known, const char *source) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    const size_t length = strlen(gpu->name);
    const bool heads = strncmp(latency->gpus, gpu->name, length) == 0 && strchr("|", latency->gpus[length]);
    set_source(cell, heads || known > EVIDENCE_DERIVED ? known : EVIDENCE_DERIVED, source);
}

// What the model takes where no source is known.
static void set_assumed(struct cell *cell, double clocks) {
    set(cell, clocks, "%.0f");
    set_source(cell, EVIDENCE_GUESS, "an H200's, which the model takes for want of a source; build/levels measures it");
}

#define WAIT(function, field, evidence)                                                                                \
    static void function(const struct gpu *gpu, struct cell *cell) {                                                   \
        const struct gpu_latency *latency = gpu_latency(gpu);                                                          \
        if (!latency) {                                                                                                \
            set_assumed(cell, gpu_waits(gpu).field);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        set(cell, latency->field, "%.0f");                                                                             \
        set_latency_source(cell, gpu, evidence, latency->source);                                                      \
    }

WAIT(find_shared_latency, shared, latency->shared_derived ? EVIDENCE_DERIVED : latency->known)
WAIT(find_l1_latency, l1, latency->known)
WAIT(find_l2_latency, l2, latency->known)

// Half of all lines belong to the far part of the L2, if it has two.
static void find_memory_latency(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    if (!latency) {
        set_assumed(cell, gpu_waits(gpu).memory);
        return;
    }
    set(cell, gpu_waits(gpu).memory, "%.0f");
    set_latency_source(cell, gpu, latency->memory_derived ? EVIDENCE_DERIVED : latency->known, latency->source);
}

// Of a level that not every part has. why_not: the reason if this one has none, else NULL; 0 clocks: not known.
static void set_level(struct cell *cell, const struct gpu *gpu, const char *why_not, uint32_t clocks) {
    if (why_not) {
        set_none(cell);
        set_source(cell, EVIDENCE_PUBLISHED, why_not);
        return;
    }
    if (clocks == 0) {
        set_unknown(cell);
        return;
    }
    const struct gpu_latency *latency = gpu_latency(gpu);
    set(cell, clocks, "%.0f");
    set_latency_source(cell, gpu, latency->known, latency->source);
}

static void find_far_latency(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    const char *why_not = gpu->l2_private ? "a unit reaches only the part of the L2 near to it" : NULL;
    set_level(cell, gpu, why_not, latency ? latency->far : 0);
}

static void find_l3_latency(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    const char *why_not = gpu->last_level_cache_bytes == gpu->l2_bytes ? "the L2 is the last-level cache" : NULL;
    set_level(cell, gpu, why_not, latency ? latency->l3 : 0);
}

static void find_l1_rate(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    if (!latency || latency->l1_bytes_per_clock <= 0) {
        set_unknown(cell);
        return;
    }
    // Found on an H200; the others' are as large a share of what the vendor states.
    const bool found = latency->known == EVIDENCE_MEASURED;
    set(cell, latency->l1_bytes_per_clock, "%.1f");
    set_latency_source(cell, gpu, found ? EVIDENCE_MEASURED : EVIDENCE_DERIVED, latency->source);
}

static void find_l2_reads(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    if (!latency || latency->l2_read_bytes_per_clock <= 0) {
        set_unknown(cell);
        return;
    }
    set(cell, latency->l2_read_bytes_per_clock * gpu->clock_mhz / 1000, "%.0f");
    set_latency_source(cell, gpu, latency->rates_known, latency->source);
}

static void find_memory_reads(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    if (gpu->read_gb_s > 0) {
        set(cell, gpu->read_gb_s, "%.0f");
        cell->known = gpu_origin(gpu, "rates that launches reach|reads", cell->source, sizeof cell->source);
    } else if (latency && latency->memory_share > 0) {
        set(cell, gpu->memory_gb_s * latency->memory_share, "%.0f");
        const bool found = latency->known == EVIDENCE_MEASURED;
        set_latency_source(cell, gpu, found ? EVIDENCE_MEASURED : EVIDENCE_DERIVED, latency->source);
    } else {
        set_unknown(cell);
    }
}

// ---- Balance ----

// A figure that follows from others is at most derived, and a guess if one of them is.
static void derive(struct cell *cell, const struct gpu *gpu, const char *figures, const char *formula) {
    char text[CELL_SOURCE];
    const char *name = figures;
    set_source(cell, EVIDENCE_DERIVED, formula);
    while (*name) {
        char figure[64];
        const size_t length = strcspn(name, "+");
        snprintf(figure, sizeof figure, "%.*s", (int)length, name);
        const enum evidence known = gpu_origin(gpu, figure, text, sizeof text);
        cell->known = known > cell->known ? known : cell->known;
        name += length + (name[length] == '+');
    }
}

#define UNITS "SMs|CUs"
#define CLOCK "clock|boost clock"
#define MEMORY_RATE "memory rate|memory"
#define UPDATES "minima a clock|updates a clock"

static double memory_bytes_of_clock(const struct gpu *gpu) {
    return gpu->memory_gb_s * 1000 / gpu->clock_mhz / gpu->compute_units;
}

static void find_memory_balance(const struct gpu *gpu, struct cell *cell) {
    set(cell, memory_bytes_of_clock(gpu), "%.1f");
    derive(cell, gpu, UNITS "+" CLOCK "+" MEMORY_RATE, "memory's peak / (units x clock)");
}

static void find_l2_balance(const struct gpu *gpu, struct cell *cell) {
    set(cell, gpu_l2_bytes_per_clock(gpu) / gpu->compute_units, "%.1f");
    derive(cell, gpu, UNITS "+L2 rate", "the L2's peak / (units x clock)");
}

static void find_operations(const struct gpu *gpu, struct cell *cell) {
    set(cell, gpu->min_plus_per_clock / memory_bytes_of_clock(gpu), "%.1f");
    derive(cell, gpu, UNITS "+" CLOCK "+" MEMORY_RATE "+" UPDATES,
           "updates a clock x units x clock / memory's peak; an update is 32-bit min(a, b + c)");
}

static void find_under_way(const struct gpu *gpu, struct cell *cell) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    set(cell, gpu_waits(gpu).memory * memory_bytes_of_clock(gpu) / 1024, "%.1f");
    derive(cell, gpu, UNITS "+" CLOCK "+" MEMORY_RATE, "latency of memory x bytes of memory a clock and unit");
    cell->known = latency ? cell->known : EVIDENCE_GUESS;
}

// ---- The table ----

#define LATENCY_MEANING(level)                                                                                         \
    "A chain of dependent loads from " level " takes {r} times the clocks on {A}: unroll, or keep more warps there."
#define RATE_MEANING(level) "What is bound by " level " runs up to {r} times as fast on {A}."
#define GROUPS_MEANING(access)                                                                                         \
    "Different lanes of " access " share a pass, so what is free of conflicts on {B} need not be on {A}: lanes "       \
    "--layout tries both."
#define CACHE_MEANING(cache)                                                                                           \
    "Data that is used again stays in " cache " up to {b} MiB on all; beyond that, up to {a} MiB, only on {A}."

const struct fact facts[] = {
    {"units", "compute units", "", find_units, UNITS,
     "Filling {A} takes {r} times as many blocks as {B}; a number of blocks just above a multiple of the units leaves "
     "most "
     "of them idle at the end."},
    {"clock_mhz", "clock", "MHz", find_clock, CLOCK, NULL},
    {"warp_lanes", "lanes of a warp", "", find_lanes, "lanes",
     "Lane masks need {a} bits on {A}, a reduction by shuffles {r} times the lanes, and a branch keeps {a} lanes "
     "together, not {b}: no code may assume either."},
    {"unit_threads", "threads a unit holds", "", find_threads, NULL,
     "{A} holds {r} times the threads in a unit to hide latency with: {B} needs more loads under way in each."},
    {"updates", "min-plus a clock, unit", "", find_updates, UPDATES,
     "A clock of a unit finishes {r} times the min-plus updates on {A}."},
    {"banks", "banks, loads of 16 B", "", find_banks, NULL,
     "A pitch that avoids conflicts with {b} need not with {a}: choose the padding for each."},
    {"loads_4", "lanes a pass, load 4 B", "", find_loads_4, NULL, GROUPS_MEANING("a 4-byte load")},
    {"loads_8", "  load 8 B", "", find_loads_8, NULL, GROUPS_MEANING("an 8-byte load")},
    {"loads_16", "  load 16 B", "", find_loads_16, NULL, GROUPS_MEANING("a 16-byte load")},
    {"stores_4", "  store 4 B", "", find_stores_4, NULL, GROUPS_MEANING("a 4-byte store")},
    {"stores_8", "  store 8 B", "", find_stores_8, NULL, GROUPS_MEANING("an 8-byte store")},
    {"stores_16", "  store 16 B", "", find_stores_16, NULL, GROUPS_MEANING("a 16-byte store")},
    {"shared_kib", "shared memory, block", "KiB", find_block_shared, "shared memory|shared memory of a block|LDS",
     "A tile may take {a} KiB on {A}; one that must run on all has at most {b} KiB."},
    {"shared_rate", "  bytes a clock, unit", "", find_pass_bytes, NULL, RATE_MEANING("shared memory")},
    {"l1_kib", "L1 (NVIDIA: + shared)", "KiB", find_l1, "L1|L1 with shared memory|vector cache",
     "A unit's L1 is {r} times as large on {A}: reuse of more than {b} KiB belongs into shared memory or registers "
     "on {B}."},
    {"line_bytes", "line", "B", find_line, "line|lines",
     "Rows and structures begin at multiples of {a} bytes, not {b}, if no access is to touch two lines on {A}."},
    {"l2_mib", "L2", "MiB", find_l2, "L2", NULL},
    {"l2_reach_mib", "  that a unit reaches", "MiB", find_l2_reach, "L2", CACHE_MEANING("the L2 that a unit reaches")},
    {"last_level_mib", "last-level cache", "MiB", find_last_level, "last-level cache|L2",
     CACHE_MEANING("the last-level cache")},
    {"sector_bytes", "sector", "B", find_sector, "sectors|line|lines",
     "A lone word costs {a} bytes on {A}, {b} on {B}: strided and scattered accesses move up to {r} times as much."},
    {"fetch_bytes", "fetched for a load", "B", find_fetch, "bytes that a load fetches",
     "Memory gives {a} bytes for a load that misses on {A}: what lies beside it is free if it is used soon."},
    {"memory_gib", "memory", "GiB", find_memory, "memory|memory size", "More than {b} GiB fits only on {A}."},
    {"shared_clocks", "latency: shared", "clocks", find_shared_latency, NULL, LATENCY_MEANING("shared memory")},
    {"l1_clocks", "  L1", "clocks", find_l1_latency, NULL, LATENCY_MEANING("L1")},
    {"l2_clocks", "  L2", "clocks", find_l2_latency, NULL, LATENCY_MEANING("L2")},
    {"far_clocks", "  far part of L2, more", "clocks", find_far_latency, NULL, NULL},
    {"last_level_clocks", "  cache behind L2", "clocks", find_l3_latency, NULL, NULL},
    {"memory_clocks", "  memory", "clocks", find_memory_latency, NULL, LATENCY_MEANING("memory")},
    {"l1_rate", "L1, bytes a clock, unit", "", find_l1_rate, NULL, RATE_MEANING("L1")},
    {"l2_gb_s", "L2, peak", "GB/s", find_l2_rate, "L2 rate", RATE_MEANING("L2")},
    {"l2_reads_gb_s", "  reads that arrive", "GB/s", find_l2_reads, NULL, NULL},
    {"last_level_gb_s", "cache behind L2", "GB/s", find_last_level_rate, "rate of the last-level cache", NULL},
    {"memory_gb_s", "memory, peak", "GB/s", find_memory_rate, MEMORY_RATE, RATE_MEANING("memory")},
    {"memory_reads_gb_s", "  reads that arrive", "GB/s", find_memory_reads, NULL, NULL},
    {"l2_balance", "L2 bytes a clock, unit", "", find_l2_balance, NULL,
     "A unit gets {r} times as much out of L2 in a clock on {A}; on {B} more must come from L1, shared memory or "
     "registers."},
    {"memory_balance", "memory's, the same", "", find_memory_balance, NULL,
     "A unit gets {r} times as much out of memory in a clock on {A}: kernels are bound by memory earlier on {B}."},
    {"operations_a_byte", "updates a byte", "", find_operations, NULL,
     "Arithmetic is the limit only from {a} updates a byte of memory on {A}, from {b} on {B}: {A} needs larger tiles."},
    {"under_way_kib", "under way, unit", "KiB", find_under_way, NULL,
     "A unit of {A} must have {a} KiB of loads under way to keep memory busy, {b} KiB on {B}: more loads of 16 bytes "
     "before the first use."},
};

const size_t fact_count = sizeof facts / sizeof *facts;

void fact_cell(const struct fact *fact, const struct gpu *gpu, struct cell *cell) {
    *cell = (struct cell){0};
    if (fact->figure) {
        cell->known = gpu_origin(gpu, fact->figure, cell->source, sizeof cell->source);
    }
    fact->find(gpu, cell);
    if (gpu->base) {
        struct cell before;
        fact_cell(fact, gpu->base, &before);
        if (strcmp(before.text, cell->text) != 0) {
            set_source(cell, EVIDENCE_GUESS, "given on the command line, or follows from what is given there");
        }
    }
}

// ---- Where a cell's source can be read: a page, or a file of this repository ----

#define AMD_DOCUMENTS "https://www.amd.com/content/dam/amd/en/documents/"
#define NVIDIA_PAGE "https://www.nvidia.com/en-us/data-center/"
#define CUDA_12 "https://docs.nvidia.com/cuda/archive/12.6.1/" // later ones are divided otherwise
#define ROCM_DOCS "https://rocm.docs.amd.com/"

// What a source calls it, and where it is.
static const struct link {
    const char *named, *where;
} table[] = {
    // NVIDIA
    {"CUDA Programming Guide", CUDA_12 "cuda-c-programming-guide/"},
    {"throughput of arithmetic instructions", CUDA_12 "cuda-c-programming-guide/"},
    {"CUDA C Programming Guide 10", "https://docs.nvidia.com/cuda/archive/10.0/cuda-c-programming-guide/"},
    {"Kernel Profiling Guide", "https://docs.nvidia.com/nsight-compute/ProfilingGuide/"},
    {"the driver's device properties", CUDA_12 "cuda-runtime-api/structcudaDeviceProp.html"},
    {"Tesla K40 board specification",
     "https://www.nvidia.com/content/PDF/kepler/Tesla-K40-Active-Board-Spec-BD-06949-001_v03.pdf"},
    {"GeForce GTX 1080 whitepaper",
     "https://international.download.nvidia.com/geforce-com/international/pdfs/GeForce_GTX_1080_Whitepaper_FINAL.pdf"},
    {"V100 whitepaper", "https://images.nvidia.com/content/volta-architecture/pdf/volta-architecture-whitepaper.pdf"},
    {"T4 datasheet", NVIDIA_PAGE "tesla-t4/"},
    {"GA102 whitepaper",
     "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.1.pdf"},
    {"A100 whitepaper", "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/"
                        "nvidia-ampere-architecture-whitepaper.pdf"},
    {"A40 datasheet", NVIDIA_PAGE "a40/"},
    {"Jetson AGX Orin", "https://www.nvidia.com/content/dam/en-zz/Solutions/gtcf21/jetson-orin/"
                        "nvidia-jetson-agx-orin-technical-brief.pdf"},
    {"Ada whitepaper", "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf"},
    {"L4 datasheet", NVIDIA_PAGE "l4/"},
    {"L40 datasheet", NVIDIA_PAGE "l40/"},
    {"L40S datasheet", NVIDIA_PAGE "l40s/"},
    {"NVIDIA's product page", "https://www.nvidia.com/en-us/geforce/graphics-cards/compare/"},
    {"NVIDIA's announcement", "https://www.nvidia.com/en-us/geforce/graphics-cards/40-series/rtx-4070-family/"},
    {"H100 whitepaper", "https://resources.nvidia.com/en-us-tensor-core/gtc22-whitepaper-hopper"},
    {"H200 datasheet", NVIDIA_PAGE "h200/"},
    {"GH200 datasheet", NVIDIA_PAGE "grace-hopper-superchip/"},
    {"DGX B200 datasheet", NVIDIA_PAGE "dgx-b200/"},
    {"Blackwell Tuning Guide", "https://docs.nvidia.com/cuda/blackwell-tuning-guide/"},
    {"Inside Blackwell Ultra",
     "https://developer.nvidia.com/blog/inside-nvidia-blackwell-ultra-the-chip-powering-the-ai-factory-era/"},
    // AMD
    {"AMD GPU specifications", ROCM_DOCS "en/latest/reference/gpu-specs.html"},
    {"64 lanes in a CU", ROCM_DOCS "en/latest/reference/gpu-specs.html"},
    {"MI100 microarchitecture", ROCM_DOCS "en/latest/reference/gpu-arch/index.html"},
    {"ROCm Compute Profiler", ROCM_DOCS "projects/rocprofiler-compute/en/latest/"},
    {"rocprofiler-compute", "https://github.com/ROCm/rocprofiler-compute"},
    {"rocprof-compute", "https://github.com/ROCm/rocprofiler-compute"},
    {"kfd_crat.c", "https://github.com/torvalds/linux/blob/master/drivers/gpu/drm/amd/amdkfd/kfd_crat.c"},
    {"CDNA 2 whitepaper", AMD_DOCUMENTS "instinct-business-docs/white-papers/amd-cdna2-white-paper.pdf"},
    {"CDNA 3 whitepaper", AMD_DOCUMENTS "instinct-tech-docs/white-papers/amd-cdna-3-white-paper.pdf"},
    {"CDNA 4 whitepaper", AMD_DOCUMENTS "instinct-tech-docs/white-papers/amd-cdna-4-architecture-whitepaper.pdf"},
    {"MI50 datasheet", "https://www.amd.com/system/files/documents/radeon-instinct-mi50-datasheet.pdf"},
    {"MI210 datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi200/mi210.html"},
    {"MI250 datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi200/mi250.html"},
    {"MI325X datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html"},
    {"MI355X datasheet", "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html"},
    {"RDNA 2 announcement", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"AMD product page: ", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"AMD product page, ", "https://www.amd.com/en/products/specifications/graphics.html"},
    {"Ryzen AI Max+", "https://www.amd.com/en/products/specifications/processors.html"},
    {"RDNA whitepaper", "https://www.amd.com/system/files/documents/rdna-whitepaper.pdf"},
    // What others measured
    {"Dissecting the NVIDIA Volta", "https://arxiv.org/abs/1804.06826"},
    {"Jia et al., 2018", "https://arxiv.org/abs/1804.06826"},
    {"Turing T4 GPU", "https://arxiv.org/abs/1903.07486"},
    {"2019, section 3.1.2", "https://arxiv.org/abs/1903.07486"},
    {"Benchmarking and Dissecting the Nvidia Hopper", "https://arxiv.org/abs/2402.13499"},
    {"Dissecting the NVIDIA Hopper Architecture, 2025", "https://arxiv.org/abs/2501.12084"},
    {"MT4G", "https://github.com/caps-tum/mt4g"},
    {"gpu-benches", "https://github.com/RRZE-HPC/gpu-benches"},
    {"gpu-arch-microbenchmark", "https://github.com/sjfeng1999/gpu-arch-microbenchmark"},
    {"Funny L2", "https://chipsandcheese.com/2023/07/02/nvidias-h100-funny-l2-and-tons-of-bandwidth/"},
    {"Testing AMD's Giant MI300X", "https://chipsandcheese.com/p/testing-amds-giant-mi300x"},
    {"Latency Testing is Hard", "https://chipsandcheese.com/p/latency-testing-is-hard-rdna-3-power-saving"},
    {"Microbenchmarking AMD's RDNA 3",
     "https://chipsandcheese.com/p/microbenchmarking-amds-rdna-3-graphics-architecture"},
    {"Blackwell: Nvidia's Massive GPU", "https://chipsandcheese.com/p/blackwell-nvidias-massive-gpu"},
    {"GPUBench by Soddentrough", "https://github.com/Soddentrough/GPUBench"},
    {"2187Nick/tinygrad", "https://github.com/2187Nick/tinygrad"},
    {"AMDGPUBaseInfo.cpp",
     "https://github.com/llvm/llvm-project/blob/main/llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp"},
    // Files of the repository
    {"docs/model.md", "docs/model.md"},
    {"results/h200/levels.csv", "results/h200/levels.csv"},
    {"results/h200/levels-units.csv", "results/h200/levels-units.csv"},
    {"results/h100", "results/h100/levels.csv"},
    {"results/published/latency.csv", "results/published/latency.csv"},
    {"results/published/l2-bandwidth.csv", "results/published/l2-bandwidth.csv"},
    {"results/published/working-set.csv", "results/published/working-set.csv"},
    {"stream.csv", "results/published/amd/stream.csv"},
    {"spatter-mi210.csv", "results/published/amd/spatter-mi210.csv"},
    {"roofline-mi210.csv", "results/published/amd/roofline-mi210.csv"},
    {"dram__bytes_read", "results/h200/README.md"},
    {"gpus.c", "model/gpus.c"},
    {"5/6 of an H200's", "model/gpus.c"},
    // Derived of figures that stand beside it, or guessed
    {"the L2 is the last-level cache", "model/gpus.c"},
    {"reaches only the part of the L2", "model/gpus.c"},
    {"[derived]", "model/gpus.c"},
    {"[guess]", "model/gpus.c"},
    {"want of a source", "model/time/latency.c"},
    {"no source found; build/levels", "docs/parts.md"},
    {"no source says", "docs/parts.md"},
    {"given on the command line", "docs/parts.md"},
    {"peak / (units x clock)", "docs/parts.md"},
    {"updates a clock x units", "docs/parts.md"},
    {"latency of memory x bytes", "docs/parts.md"},
};

size_t source_links(const char *source, const char *links[LINKS_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table && count < LINKS_MAX; i++) {
        size_t same = 0;
        while (same < count && strcmp(links[same], table[i].where) != 0) {
            same++;
        }
        if (same == count && strstr(source, table[i].named)) {
            links[count++] = table[i].where;
        }
    }
    return count;
}

// ---- What the differences between parts mean for code ----

struct extreme {
    const struct gpu *gpu; // NULL: no part has a known figure
    struct cell cell;
};

// Of cells with equal values the first is the least and the last the most, so that texts which differ are told apart.
static void find_extremes(const struct fact *fact, const struct gpu *const *gpus, size_t count, struct extreme *most,
                          struct extreme *least) {
    *most = *least = (struct extreme){0};
    for (size_t i = 0; i < count; i++) {
        struct extreme at = {.gpu = gpus[i]};
        fact_cell(fact, gpus[i], &at.cell);
        if (isnan(at.cell.value)) {
            continue;
        }
        if (!most->gpu || at.cell.value >= most->cell.value) {
            *most = at;
        }
        if (!least->gpu || at.cell.value < least->cell.value) {
            *least = at;
        }
    }
}

static void expand(char text[MEANING_TEXT], const char *template, const struct extreme *most,
                   const struct extreme *least) {
    char ratio[16];
    snprintf(ratio, sizeof ratio, "%.3g", most->cell.value / least->cell.value);
    const struct {
        const char *mark, *value;
    } places[] = {{"{A}", most->gpu->name},
                  {"{B}", least->gpu->name},
                  {"{a}", most->cell.text},
                  {"{b}", least->cell.text},
                  {"{r}", ratio}};
    size_t used = 0;
    while (*template && used + 1 < MEANING_TEXT) {
        const char *value = NULL;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            if (strncmp(template, places[i].mark, strlen(places[i].mark)) == 0) {
                value = places[i].value;
            }
        }
        used += (size_t)snprintf(text + used, MEANING_TEXT - used, "%.*s", value ? (int)strlen(value) : 1,
                                 value ? value : template);
        template += value ? strlen("{A}") : 1;
    }
}

bool meaning_of(const struct fact *fact, const struct gpu *const *gpus, size_t count, char text[MEANING_TEXT]) {
    struct extreme most, least;
    find_extremes(fact, gpus, count, &most, &least);
    if (!fact->meaning || !most.gpu || most.gpu == least.gpu || strcmp(most.cell.text, least.cell.text) == 0) {
        return false;
    }
    expand(text, fact->meaning, &most, &least);
    return true;
}
