// One row a part. A figure is the vendor's where the vendor states it; `source` names where each comes from.
#include "model/gpus.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define KIB(n) ((n)*UINT32_C(1024))
#define MIB(n) ((n)*UINT64_C(1048576))
#define GIB(n) ((n)*UINT64_C(1073741824))

// Lanes, banks, sectors and lines are the same on every part of a family.
#define NVIDIA(rule)                                                                                                   \
    .vendor = VENDOR_NVIDIA, .shared_rule = (rule), .warp_width = 32, .banks = 32, .sector_bytes = 32, .line_bytes = 128
#define MAXWELL NVIDIA(SHARED_NVIDIA_MAXWELL)
#define AMPERE NVIDIA(SHARED_NVIDIA_AMPERE)
#define GFX9(rule, line)                                                                                               \
    .vendor = VENDOR_AMD, .shared_rule = (rule), .warp_width = 64, .banks = 32, .sector_bytes = (line),                \
    .line_bytes = (line)
#define GFX950                                                                                                         \
    .vendor = VENDOR_AMD, .shared_rule = SHARED_AMD_GFX950, .warp_width = 64, .banks = 64, .sector_bytes = 128,        \
    .line_bytes = 128
#define RDNA(rule)                                                                                                     \
    .vendor = VENDOR_AMD, .shared_rule = (rule), .warp_width = 32, .banks = 32, .sector_bytes = 128, .line_bytes = 128

// The families' sources. The guide's table of compute capabilities: warp, banks, shared memory of a block, L1 data
// cache with shared memory; its text on device memory: sectors of 32 bytes. Lines of 128: the tuning guides.
#define GUIDE "CUDA C++ Programming Guide, compute capabilities: warp, banks, sector, shared memory, L1; "
// ROCm's hardware table: CUs, wavefront, LDS, L1, L2, L3. Lines: the Linux driver's cache table (kfd_crat.c).
#define ROCM "ROCm documentation, accelerator and GPU hardware specifications: CUs, wavefront, LDS, caches, memory; "
#define KFD "line: Linux amdkfd cache tables (kfd_crat.c)"
#define OMNIPERF_L2 "L2 rate: Omniperf documentation, 32 channels of 128 bytes a clock; line: Omniperf, vL1D 64 bytes"
#define KEPLER_SOURCE                                                                                                  \
    GUIDE "Tesla K40 board specification: SMs, boost clock, memory; GK110 whitepaper: L2; "                            \
          "L2 rate: 339 GB/s measured on a K80 at 875 MHz (Jia et al., Dissecting the NVIDIA Volta GPU, 2018)"
#define KEPLER_K40                                                                                                     \
    .arch = "sm_35", .compute_units = 15, .clock_mhz = 875, .shared_bytes_per_block = KIB(48), .l1_bytes = KIB(64),    \
    .l2_bytes = MIB(3) / 2, .last_level_cache_bytes = MIB(3) / 2, .l2_bytes_per_clock = 387, .memory_bytes = GIB(12),  \
    .memory_gb_s = 288, .source = KEPLER_SOURCE

static const struct gpu gpus[] = {
    {.name = "k40",
     .title = "NVIDIA Tesla K40 (4-byte banks)",
     .alias = "K40c|K40m|K40s|K40t",
     NVIDIA(SHARED_NVIDIA_KEPLER_4),
     KEPLER_K40},
    {.name = "k40-8byte",
     .title = "NVIDIA Tesla K40 (8-byte banks)",
     .alias = "",
     NVIDIA(SHARED_NVIDIA_KEPLER_8),
     KEPLER_K40},
    {.name = "gtx1080",
     .title = "NVIDIA GeForce GTX 1080",
     .arch = "sm_61",
     .alias = "GTX 1080",
     MAXWELL,
     .compute_units = 20,
     .clock_mhz = 1733,
     .shared_bytes_per_block = KIB(48),
     .l1_bytes = KIB(48),
     .l2_bytes = MIB(2),
     .last_level_cache_bytes = MIB(2),
     .l2_bytes_per_clock = 879,
     .memory_bytes = GIB(8),
     .memory_gb_s = 320,
     .source = GUIDE "GeForce GTX 1080 whitepaper: SMs, boost clock, L1, L2, memory; L2 rate: 979 GB/s measured on the "
                     "same chip in a P4 at 1114 MHz (Jia et al., Dissecting the NVIDIA Volta GPU, 2018)"},
    {.name = "v100",
     .title = "NVIDIA V100 SXM2",
     .arch = "sm_70",
     .alias = "V100-SXM2-16GB|V100-SXM2-32GB",
     MAXWELL,
     .compute_units = 80,
     .clock_mhz = 1530,
     .shared_bytes_per_block = KIB(96),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(6),
     .last_level_cache_bytes = MIB(6),
     .l2_bytes_per_clock = 2048,
     .memory_bytes = GIB(16),
     .memory_gb_s = 900,
     .source = GUIDE "V100 whitepaper: SMs, boost clock, L2, memory; L2 rate: A100 whitepaper, which compares both"},
    {.name = "t4",
     .title = "NVIDIA T4",
     .arch = "sm_75",
     .alias = "T4",
     MAXWELL,
     .compute_units = 40,
     .clock_mhz = 1590,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(96),
     .l2_bytes = MIB(4),
     .last_level_cache_bytes = MIB(4),
     .l2_bytes_per_clock = 799,
     .memory_bytes = GIB(16),
     .memory_gb_s = 320,
     .source = GUIDE "T4 datasheet: SMs, boost clock, memory; L2 and its rate: 4 MB, 1270 GB/s measured at 1590 MHz "
                     "(Jia et al., Dissecting the NVIDIA Turing T4 GPU, 2019)"},
    {.name = "rtx3080",
     .title = "NVIDIA GeForce RTX 3080",
     .arch = "sm_86",
     .alias = "RTX 3080",
     AMPERE,
     .compute_units = 68,
     .clock_mhz = 1710,
     .shared_bytes_per_block = KIB(99),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(5),
     .last_level_cache_bytes = MIB(5),
     .memory_bytes = GIB(10),
     .memory_gb_s = 760.3,
     .source = GUIDE "GA102 whitepaper: SMs, boost clock, L2, memory (10 GB board)"},
    {.name = "a100",
     .title = "NVIDIA A100 SXM 80 GB",
     .arch = "sm_80",
     .alias = "A100-SXM4-80GB",
     AMPERE,
     .compute_units = 108,
     .clock_mhz = 1410,
     .shared_bytes_per_block = KIB(163),
     .l1_bytes = KIB(192),
     .l2_bytes = MIB(40),
     .last_level_cache_bytes = MIB(40),
     .l2_bytes_per_clock = 5120,
     .memory_bytes = GIB(80),
     .memory_gb_s = 2039,
     .source = GUIDE "A100 whitepaper: SMs, boost clock, L2 and its rate; A100 80 GB datasheet: memory"},
    {.name = "l40s",
     .title = "NVIDIA L40S",
     .arch = "sm_89",
     .alias = "L40S",
     AMPERE,
     .compute_units = 142,
     .clock_mhz = 2520,
     .shared_bytes_per_block = KIB(99),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(96),
     .last_level_cache_bytes = MIB(96),
     .memory_bytes = GIB(48),
     .memory_gb_s = 864,
     .source = GUIDE "L40S datasheet: SMs, memory; Ada whitepaper: boost clock, L2"},
    {.name = "rtx4090",
     .title = "NVIDIA GeForce RTX 4090",
     .arch = "sm_89",
     .alias = "RTX 4090",
     AMPERE,
     .compute_units = 128,
     .clock_mhz = 2520,
     .shared_bytes_per_block = KIB(99),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(72),
     .last_level_cache_bytes = MIB(72),
     .memory_bytes = GIB(24),
     .memory_gb_s = 1008,
     .source = GUIDE "Ada whitepaper: SMs, boost clock, L2, memory"},
    {.name = "h100",
     .title = "NVIDIA H100 SXM",
     .arch = "sm_90",
     .alias = "H100 80GB HBM3",
     AMPERE,
     .compute_units = 132,
     .clock_mhz = 1980,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_bytes = MIB(50),
     .last_level_cache_bytes = MIB(50),
     .l2_bytes_per_clock = 4472,
     .memory_bytes = GIB(80),
     .memory_gb_s = 3352,
     .source = GUIDE "H100 whitepaper: SMs, L2; datasheet: memory; boost clock: the driver's maximum; L2 rate: 4472 "
                     "bytes a clock measured on an H800 (Luo et al., Dissecting the Nvidia Hopper GPU, 2024)"},
    {.name = "h200",
     .title = "NVIDIA H200 SXM",
     .arch = "sm_90",
     .alias = "H200",
     AMPERE,
     .compute_units = 132,
     .clock_mhz = 1980,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_bytes = MIB(60),
     .last_level_cache_bytes = MIB(60),
     .l2_bytes_per_clock = 4472,
     .memory_bytes = GIB(141),
     .memory_gb_s = 4800,
     .source = GUIDE "H200 datasheet: memory; SMs, boost clock, L2: the driver's attributes; L2 rate: 4472 bytes a "
                     "clock measured on an H800 (Luo et al., Dissecting the Nvidia Hopper GPU, 2024)"},
    {.name = "b200",
     .title = "NVIDIA B200",
     .arch = "sm_100",
     .alias = "B200",
     AMPERE,
     .compute_units = 148,
     .clock_mhz = 1965,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_bytes = MIB(126),
     .last_level_cache_bytes = MIB(126),
     .memory_bytes = GIB(180),
     .memory_gb_s = 8000,
     .source = GUIDE "DGX B200 datasheet: memory; SMs, clock, L2: Chips and Cheese, Nvidia's B200 (2025)"},
    {.name = "rtx5090",
     .title = "NVIDIA GeForce RTX 5090",
     .arch = "sm_120",
     .alias = "RTX 5090",
     AMPERE,
     .compute_units = 170,
     .clock_mhz = 2407,
     .shared_bytes_per_block = KIB(99),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(96),
     .last_level_cache_bytes = MIB(96),
     .memory_bytes = GIB(32),
     .memory_gb_s = 1792,
     .source = GUIDE "RTX Blackwell whitepaper: SMs, boost clock, L2, memory"},
    {.name = "mi50",
     .title = "AMD Instinct MI50",
     .arch = "gfx906",
     .alias = "MI50|MI60 / MI50|MI50/MI60",
     GFX9(SHARED_AMD_GFX906, 64),
     .compute_units = 60,
     .clock_mhz = 1725,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(16),
     .l2_bytes = MIB(4),
     .last_level_cache_bytes = MIB(4),
     .memory_bytes = GIB(16),
     .memory_gb_s = 1024,
     .source = ROCM "MI50 datasheet: clock, memory; " KFD},
    {.name = "mi100",
     .title = "AMD Instinct MI100",
     .arch = "gfx908",
     .alias = "MI100",
     GFX9(SHARED_AMD_GFX906, 64),
     .compute_units = 120,
     .clock_mhz = 1502,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(16),
     .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(8),
     .l2_bytes_per_clock = 4096,
     .memory_bytes = GIB(32),
     .memory_gb_s = 1228.8,
     .source = ROCM "MI100 datasheet: clock, memory; " OMNIPERF_L2},
    {.name = "mi210",
     .title = "AMD Instinct MI210",
     .arch = "gfx90a",
     .alias = "MI210",
     GFX9(SHARED_AMD_GFX90A, 64),
     .compute_units = 104,
     .clock_mhz = 1700,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(16),
     .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(8),
     .l2_bytes_per_clock = 4096,
     .memory_bytes = GIB(64),
     .memory_gb_s = 1638.4,
     .source = ROCM "MI210 datasheet: clock, memory; " OMNIPERF_L2},
    {.name = "mi250x",
     .title = "AMD Instinct MI250X (one GCD)",
     .arch = "gfx90a",
     .alias = "MI250X|MI250X / MI250|MI250X/MI250",
     GFX9(SHARED_AMD_GFX90A, 64),
     .compute_units = 110,
     .clock_mhz = 1700,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(16),
     .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(8),
     .l2_bytes_per_clock = 4096,
     .memory_bytes = GIB(64),
     .memory_gb_s = 1638.4,
     .source = ROCM "MI250X datasheet, halved: clock, memory; " OMNIPERF_L2},
    {.name = "mi300x",
     .title = "AMD Instinct MI300X",
     .arch = "gfx942",
     .alias = "MI300X",
     GFX9(SHARED_AMD_GFX90A, 128),
     .compute_units = 304,
     .clock_mhz = 2100,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(32),
     .l2_bytes = MIB(32),
     .last_level_cache_bytes = MIB(256),
     .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(192),
     .memory_gb_s = 5325,
     .source = ROCM "MI300X datasheet: clock, memory; CDNA 3 whitepaper: L1 line of 128 bytes, L2 rate (8 XCDs of 2 KB "
                    "a clock)"},
    {.name = "mi355x",
     .title = "AMD Instinct MI355X",
     .arch = "gfx950",
     .alias = "MI355X",
     GFX950,
     .compute_units = 256,
     .clock_mhz = 2400,
     .shared_bytes_per_block = KIB(160),
     .l1_bytes = KIB(32),
     .l2_bytes = MIB(32),
     .last_level_cache_bytes = MIB(256),
     .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(288),
     .memory_gb_s = 8000,
     .source = ROCM "MI355X datasheet: clock, memory; CDNA 4 whitepaper: LDS, L1 line of 128 bytes, L2 rate (8 XCDs of "
                    "2 KB a clock)"},
    {.name = "rx7900xtx",
     .title = "AMD Radeon RX 7900 XTX",
     .arch = "gfx1100",
     .alias = "RX 7900 XTX",
     RDNA(SHARED_AMD_RDNA3),
     .compute_units = 96,
     .clock_mhz = 2500,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(32),
     .l2_bytes = MIB(6),
     .last_level_cache_bytes = MIB(96),
     .memory_bytes = GIB(24),
     .memory_gb_s = 960,
     .source = ROCM "AMD product page: boost clock, memory; " KFD},
    {.name = "rx9070xt",
     .title = "AMD Radeon RX 9070 XT",
     .arch = "gfx1201",
     .alias = "RX 9070 XT",
     RDNA(SHARED_AMD_RDNA4),
     .compute_units = 64,
     .clock_mhz = 2970,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(32),
     .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(64),
     .memory_bytes = GIB(16),
     .memory_gb_s = 640,
     .source = ROCM "AMD product page: boost clock, memory; " KFD},
};

enum {
    GPU_COUNT = sizeof gpus / sizeof *gpus
};

const struct gpu *gpu_table(size_t *count) {
    *count = GPU_COUNT;
    return gpus;
}

const struct gpu *gpu_find(const char *name) {
    for (size_t i = 0; i < GPU_COUNT; i++)
        if (strcmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return NULL;
}

// Drivers put the vendor's words before a name or leave them out, from version to version.
static const char *without_vendor(const char *name) {
    static const char *const words[] = {"NVIDIA ", "GeForce ", "Tesla ", "AMD ", "Radeon ", "Instinct "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(name, words[i], strlen(words[i])) == 0)
            return without_vendor(name + strlen(words[i]));
    return name;
}

static bool alias_names(const char *alias, const char *name) {
    size_t length = strlen(name);
    for (const char *next; *alias; alias = next) {
        size_t part = strcspn(alias, "|");
        next = alias + part + (alias[part] == '|');
        if (part == length && strncasecmp(alias, name, length) == 0)
            return true;
    }
    return false;
}

// "gfx90a:sramecc+:xnack-" is a gfx90a; an arch that is not told fits every row.
static bool arch_fits(const char *row, const char *arch) {
    if (!arch || !*arch)
        return true;
    size_t length = strcspn(arch, ":");
    return strlen(row) == length && strncmp(row, arch, length) == 0;
}

const struct gpu *gpu_match(const char *device_name, const char *arch) {
    const char *name = without_vendor(device_name);
    for (size_t i = 0; i < GPU_COUNT; i++)
        if (alias_names(gpus[i].alias, name) && arch_fits(gpus[i].arch, arch))
            return &gpus[i];
    return NULL;
}
