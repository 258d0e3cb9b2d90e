#include "model/time/latency.h"

#include "model/gpus.h"
#include "util/text.h"

// ---- The placement of lines in a cache ----

enum {
    GROUPS_MAX = 32 // bits of short_groups
};

uint64_t cache_sets_hold(const struct cache_sets *sets, uint64_t bytes, uint32_t line_bytes) {
    uint64_t held[GROUPS_MAX] = {0}, at = 0;
    if (sets->groups == 0) {
        return bytes;
    }
    for (; at < bytes; at += line_bytes) {
        const uint64_t group = cache_sets_group(sets, at);
        if (held[group]++ == cache_sets_room(sets, bytes / line_bytes, group)) {
            return at;
        }
    }
    return bytes;
}

// ---- The table ----

// docs/simulator.md, Latency, says which figures were fitted, and on what.

// clang-format off
#define MT4G "Vanecek et al., MT4G, 2025, sample results of "
#define CDNA "L1, shared memory, and L2 as that L1 and the scalar L1's miss penalty: " MT4G
#define RATES_OF_H200 "rates: as large a share of the vendor's as the H200's"
#define ROOFLINE_OF_MI210                                                                                              \
    "rate of L2: rocprofiler-compute 3.0, tests/workloads, roofline.csv: what AMD's roofline measured "                 \
    "on a gfx90a of 104 CUs at 1700 MHz, 5.03 TB/s; "
#define BENCHES "RRZE gpu-benches, gpu-latency, "
#define NO_RATES "; rates: no source found"
#define GIANT "Lam et al., Testing AMD's Giant MI300X, 2024: "
#define HOPPER                                                                                                         \
    .l1_sets = {.ways = 4, .groups = 16, .group_bytes = 4096, .short_groups = 0xf3c0, .short_lines = 28},              \
    .l2_sets = {.ways = 16},                                                                                           \
    .l1 = 32, .l2 = 280, .far = 194, .memory = 585, .atomic = 13, .store = 404, .shared = 23,                          \
    .l1_bytes_per_clock = 125.4, .memory_share = 0.971, .merged_bytes = 380 << 10,                                     \
    .ports = {.gpc_tpcs = {8, 8, 8, 8, 8, 8, 9, 9}, .gpc_ports = 3, .under_way = 256 << 10}
#define HOPPER_SOURCE                                                                                                  \
    "sets of L1: eight groups lack 25 to 32 lines, by a GH200's curve of gpu-benches; sets of L2: a guess; ports: "    \
    "inferred from the blocks of each unit in results/h200/levels-units.csv, and from the latencies of each unit in "  \
    "`partitions` of results/h200 and results/h100; what one waits for: fitted on `bandwidth` at 96 and 128 MiB"

static const struct gpu_latency latencies[] = {
    {.gpus = "v100", .l1_sets = {.ways = 4, .groups = 4, .group_bytes = 128, .short_groups = 1 << 3, .short_lines = 14},
     .l2_sets = {.ways = 16},
     .l1 = 30, .l2 = 214, .memory = 408, .shared = 23,
     .l1_bytes_per_clock = 125.4, .l2_read_bytes_per_clock = 1964, .memory_share = 0.971,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_DERIVED,
     .source = MT4G "a V100 PCIe: latencies; " RATES_OF_H200 "; L1: Jia et al., 2018, table 3.1: four groups; 2019, "
         "section 3.1.2: 7 KiB short; that one group lacks its part of them, and no other, was chosen by the curve of "
         "RRZE gpu-benches; sets: an H200's, and those of L2 a guess"},
    {.gpus = "a100",
     .l1_sets = {.ways = 4, .groups = 12, .group_bytes = 4096, .short_groups = 0xf3c, .short_lines = 28},
     .l2_sets = {.ways = 16}, .crowding_copies = 7,
     .l1 = 33, .l2 = 208, .far = 149, .memory = 475, .shared = 29,
     .l1_bytes_per_clock = 125.4, .l2_read_bytes_per_clock = 3900, .memory_share = 0.971,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_PUBLISHED,
     .source = RATES_OF_H200 ", but L2 below 5.5 TB/s: Lam, Nvidia's H100: Funny L2, 2023; Luo et al., Dissecting the "
         "NVIDIA Hopper Architecture, 2025, tables 3 and 4: latencies, near and far hits and misses of L2 "
         "(unconfirmed); sets and copies: an H200's; that its groups count from the end and its copies crowd was "
         "chosen by the curve of RRZE gpu-benches"},
    {.gpus = "t4", .l1_sets = {.ways = 4}, .l2_sets = {.ways = 16},
     .l1 = 32, .l2 = 188, .memory = 484, .shared = 23,
     .known = EVIDENCE_DERIVED, .rates_known = EVIDENCE_GUESS,
     .source = "shared memory: Feng, gpu-arch-microbenchmark, an RTX 2070; L1, L2: Jia et al., Dissecting the NVidia "
         "Turing T4 GPU, 2019 (unconfirmed); memory: " MT4G "an RTX 2080 Ti; ways: an H200's" NO_RATES},
    {.gpus = "a40|rtx3090|rtx3080", .l1_sets = {.ways = 4}, .l2_sets = {.ways = 16},
     .l1 = 33, .l2 = 250, .memory = 547, .shared = 23, .shared_derived = true,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_GUESS,
     .source = BENCHES "an A40 (results/published/latency.csv); shared memory, ways: an H200's" NO_RATES},
    {.gpus = "l40|l40s|l4|rtx4090|rtx4070", .l1_sets = {.ways = 4}, .l2_sets = {.ways = 16},
     .l1 = 36, .l2 = 277, .memory = 630, .shared = 24, .shared_derived = true,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_GUESS,
     .source = BENCHES "l40.txt: an L40 at 2490 MHz; shared memory: Luo et al., Benchmarking and Dissecting the Nvidia "
         "Hopper GPU Architecture, 2024, table IV, a clock more than an H800 (unconfirmed; L2 273 and memory 542 "
         "clocks there); ways: an H200's" NO_RATES},
    {.gpus = "h200|gh200", HOPPER, .l2_read_bytes_per_clock = 4910, .l2_write_bytes_per_clock = 2415,
     .crowding_copies = 7,
     .known = EVIDENCE_MEASURED, .rates_known = EVIDENCE_MEASURED,
     .source = "fitted on results/h200/levels.csv; what copies crowd: on results/h200/levels-ends.csv; " HOPPER_SOURCE},
    {.gpus = "h100", HOPPER, .l2_read_bytes_per_clock = 4092, .l2_write_bytes_per_clock = 2012,
     .known = EVIDENCE_DERIVED, .rates_known = EVIDENCE_DERIVED,
     .source = "an H200's, but copies do not crowd; rates of L2: 5/6 of an H200's (model/gpus.c); " HOPPER_SOURCE},
    {.gpus = "mi100", .l1_sets = {.ways = 64}, .l2_sets = {.ways = 16, .hashed = true},
     .l1 = 133, .l2 = 264, .memory = 537, .shared = 50,
     .tlb_bytes = 64 << 20, .tlb_page = 4096, .tlb_miss = 100,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_GUESS,
     .source = BENCHES "an MI100 (results/published/latency.csv); what a TLB miss adds: the same curve above 1 GiB; "
         "its size and the ways of L1: an MI300X's; shared memory: " MT4G "an MI100" NO_RATES},
    {.gpus = "mi210|mi250x|mi250", .l1_sets = {.ways = 64}, .l2_sets = {.ways = 16, .hashed = true},
     .l1 = 124, .l2 = 251, .memory = 604, .memory_derived = true, .shared = 50,
     .tlb_bytes = 64 << 20, .tlb_page = 4096, .tlb_miss = 80,
     .l1_bytes_per_clock = 62.7, .l2_read_bytes_per_clock = 2960, .l2_fill_reads = 2,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_PUBLISHED,
     .source = "fills: a line of 128 bytes comes in two requests of 64 (AMD's counter TCC_EA_RDREQ), and a channel "
         "reads a line per clock (CDNA 2 whitepaper): inferred; " ROOFLINE_OF_MI210 "other " RATES_OF_H200 "; " CDNA
         "an MI210; memory: the median there, 684, without a TLB miss; TLB and ways of L1: an MI300X's, a guess; sets "
         "of L2: CDNA 2 whitepaper; ROCm Compute Profiler documentation: hashed"},
    {.gpus = "mi300a", .l1_sets = {.ways = 64}, .l2_sets = {.ways = 16},
     .l1 = 112, .l2 = 239, .l3 = 458, .memory = 745, .memory_derived = true, .shared = 48,
     .tlb_bytes = 64 << 20, .tlb_page = 4096, .tlb_miss = 99,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_GUESS,
     .source = "memory: the median, 844, without a TLB miss; " CDNA "an MI300A; L3, TLB, ways: an MI300X's" NO_RATES},
    {.gpus = "mi355x", .l1_sets = {.ways = 64}, .l2_sets = {.ways = 16},
     .l1 = 112, .l2 = 231, .l3 = 444, .memory = 740, .shared = 48,
     .l1_bytes_per_clock = 62.7, .l2_read_bytes_per_clock = 14385, .l3_read_gb_s = 6160,
     .known = EVIDENCE_DERIVED, .rates_known = EVIDENCE_DERIVED,
     .source = "rate of L2: 34.5 TB/s by rocprof-compute's roofline; of L1 and L3: an MI300X's; medians of L3 and "
         "memory; " CDNA "an MI350P, of the same architecture; ways: an MI300X's"},
    {.gpus = "mi300x|mi325x", .l1_sets = {.ways = 64}, .l2_sets = {.ways = 16},
     .l1 = 116, .l2 = 240, .l3 = 458, .memory = 777, .memory_derived = true, .shared = 51,
     .tlb_bytes = 64 << 20, .tlb_page = 4096, .tlb_miss = 99,
     .l1_bytes_per_clock = 62.7, .l2_read_bytes_per_clock = 14385, .l3_read_gb_s = 6160,
     .known = EVIDENCE_PUBLISHED, .rates_known = EVIDENCE_DERIVED,
     .source = "rate of L3: gpu-benches, the median from 22 to 270 MiB (results/published/working-set.csv); rate of "
         "L2: as large a share of the vendor's as an MI355X's (34.5 TB/s by rocprof-compute's roofline); other "
         RATES_OF_H200 "; " CDNA "an MI300X; memory: the median there, 876, without a TLB miss; " GIANT "L3 218 ns; "
         "TLB 64 MiB in pages of 4 KiB, a miss 47.1 ns; ways of L1, since steps of 4 KiB find 8 KiB of it, and sets "
         "that are not hashed; ways of L2: CDNA 3 whitepaper"},
    {.gpus = "rx9070xt", .l1_sets = {.ways = 32}, .l2_sets = {.ways = 16},
     .l1 = 92, .l2 = 248, .l3 = 460, .memory = 754, .shared = 31, .shared_derived = true,
     .known = EVIDENCE_DERIVED, .rates_known = EVIDENCE_GUESS,
     .source = "vector loads, published in nanoseconds without a clock and taken at this part's 2970 MHz: L0, L2 and L3 of a Radeon AI "
         "PRO R9700, which has the same chip (GPUBench by Soddentrough, chases in 16 KiB, 4 and 64 MiB); memory of an "
         "RX 9070 (Lam, Blackwell: Nvidia's Massive GPU, 2025); shared memory, ways of L0: an RX 7900 XTX's; ways of "
         "L2: an MI210's" NO_RATES},
    {.gpus = "rx7900xtx", .l1_sets = {.ways = 32}, .l2_sets = {.ways = 16},
     .l1 = 92, .l2 = 248, .l3 = 376, .memory = 586, .shared = 31,
     .known = EVIDENCE_GUESS, .rates_known = EVIDENCE_GUESS,
     .source = "vector loads at 2500 MHz: L3 150.3 ns and memory 234.55 ns (Lam, Latency Testing is Hard, 2023); L0 and "
         "L2: as many clocks as an RX 9070 XT's, a guess; the 256 KiB that a shader array shares between them are left "
         "out; ways: Lam, Microbenchmarking AMD's RDNA 3, 2023; shared memory: from a load to the end of its wait in "
         "a trace by the hardware (2187Nick/tinygrad, extra/sqtt)" NO_RATES},
};
// clang-format on

const struct gpu_latency *gpu_latency(const struct gpu *gpu) {
    if (gpu->base) {
        return gpu->latency;
    }
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        if (list_place(latencies[i].gpus, '|', gpu->name) >= 0) {
            return &latencies[i];
        }
    }
    return NULL;
}

// Latencies stay. Rates of the L2, its ports and the places of lines are those of so many units and bytes.
struct gpu_latency gpu_latency_changed(const struct gpu *gpu) {
    const struct gpu *base = gpu->base;
    struct gpu_latency latency = *gpu_latency(base);
    if (gpu->l1_bytes != base->l1_bytes) {
        const uint32_t lines = gpu->l1_bytes / gpu->line_bytes, ways = latency.l1_sets.ways;
        latency.l1_sets = (struct cache_sets){.ways = ways < lines ? ways : lines, .hashed = latency.l1_sets.hashed};
    }
    if (gpu->compute_units != base->compute_units || gpu->l1_bytes != base->l1_bytes ||
        gpu->l2_bytes != base->l2_bytes) {
        latency.crowding_copies = 0;
        latency.l2_read_bytes_per_clock = latency.l2_write_bytes_per_clock = 0;
        latency.l2_fill_reads = latency.merged_bytes = 0;
        latency.ports = (struct unit_ports){0};
        latency.known = latency.known > EVIDENCE_DERIVED ? latency.known : EVIDENCE_DERIVED;
    }
    return latency;
}

static double known_or(uint32_t clocks, uint32_t others) {
    return clocks > 0 ? clocks : others;
}

// What blocks load again is near, because the near half keeps a copy of it; a store or an atomic goes where the line
// is.
struct gpu_waits gpu_waits(const struct gpu *gpu) {
    const struct gpu_latency *h200 = gpu_latency(gpu_find("h200")), *row = gpu_latency(gpu), *part = row ? row : h200;
    const double far = part->far / 2.0;
    return (struct gpu_waits){.l1 = part->l1,
                              .l2 = part->l2,
                              .memory = part->memory + far,
                              .atomic = part->l2 + far + known_or(part->atomic, h200->atomic),
                              .fence = far + known_or(part->store, h200->store),
                              .shared = part->shared};
}

double gpu_l2_load_share(const struct gpu *gpu) {
    const struct gpu_latency *row = gpu_latency(gpu);
    const bool known = row && row->l2_read_bytes_per_clock > 0;
    const struct gpu *part = known ? gpu : gpu_find("h200");
    return gpu_latency(part)->l2_read_bytes_per_clock / gpu_l2_bytes_per_clock(part);
}
