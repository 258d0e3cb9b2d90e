// One row per part. A figure is the vendor's where the vendor states it; `source` says where each comes from.
#include "model/gpus.h"

#include <string.h>
#include <strings.h>

#define KIB(n) ((n)*UINT32_C(1024))
#define MIB(n) ((n)*UINT64_C(1048576))
#define GIB(n) ((n)*UINT64_C(1073741824))

// Lanes, banks, sectors and lines are the same on every part of a family.
#define NVIDIA(rule)                                                                                                   \
    .vendor = VENDOR_NVIDIA, .shared_rule = (rule), .warp_width = 32, .banks = 32, .sector_bytes = 32, .line_bytes = 128
#define MAXWELL NVIDIA(SHARED_NVIDIA_MAXWELL), .min_plus_per_clock = 64
#define AMPERE NVIDIA(SHARED_NVIDIA_AMPERE), .min_plus_per_clock = 64
#define HOPPER NVIDIA(SHARED_NVIDIA_HOPPER), .min_plus_per_clock = 64
#define BLACKWELL NVIDIA(SHARED_NVIDIA_AMPERE), .min_plus_per_clock = 128
#define AMD(rule, width, line, min_plus)                                                                               \
    .vendor = VENDOR_AMD, .shared_rule = (rule), .warp_width = (width), .min_plus_per_clock = (min_plus),              \
    .sector_bytes = (line), .line_bytes = (line)
#define GFX9(rule, line) AMD(rule, 64, line, 32), .banks = 32
#define GFX950 AMD(SHARED_AMD_GFX950, 64, 128, 32), .banks = 64
#define RDNA(rule) AMD(rule, 32, 128, 64), .banks = 32

// The families' sources; a row adds its own.
#define GUIDE                                                                                                          \
    "CUDA Programming Guide, compute capabilities: lanes, banks, shared memory of a block, L1 with shared memory; "    \
    "throughput of arithmetic instructions: minima a clock, of which an update has one; "                              \
    "Nsight Compute, Kernel Profiling Guide: sectors of 32 bytes, lines of four; "
#define KEPLER_GUIDE                                                                                                   \
    "CUDA C Programming Guide 10, compute capability 3.x: lanes, banks, shared memory, L1, lines, minima a clock; "
#define ISSUED_MINIMA "; minima a clock: no source found, four schedulers start 128 lanes'"
#define DRIVER "the driver's device properties: " // as deviceQuery prints them
#define NO_L2_RATE "L2 rate: no source found"
#define ROCM                                                                                                           \
    "ROCm documentation, AMD GPU specifications: CUs, lanes, LDS, vector cache, L2, last-level cache, memory size; "   \
    "updates a clock: 64 lanes in a CU, an addition and a minimum each on GCN and CDNA, at least a minimum on RDNA; "
#define KFD "line: Linux amdkfd cache tables (kfd_crat.c); "
#define CDNA2                                                                                                          \
    KFD "L2 rate: CDNA 2 whitepaper, 32 slices of 128 bytes a clock in a GCD; its L2 lines are of 128 bytes, the "     \
        "row's are the vector cache's"
#define HOPPER_L2                                                                                                      \
    "L2 rate: not published; the A100's is taken, below which a public curve of an H200 stays (9.7 to 9.9 TB/s at 16 " \
    "to 30 MB); 4472 were measured on an H800 PCIe of 114 SMs (Luo et al., Benchmarking and Dissecting the Nvidia "    \
    "Hopper GPU Architecture, 2024, table V)"
#define HOPPER_FETCH                                                                                                   \
    "; bytes that a load fetches: read off an H200's counters (dram__bytes_read for loads of 4 and 16 bytes, strides " \
    "1 to 64)"
// A pseudo channel has 64 bits in HBM2 and 32 in HBM3.
#define HBM2_CHANNELS "; channels: JEDEC, JESD235"
#define HBM3_CHANNELS "; channels: JEDEC, JESD238"
#define RDNA_UNITS "HIP counts CUs in pairs (work-group processors); "
#define KEPLER_SOURCE                                                                                                  \
    KEPLER_GUIDE "Tesla K40 board specification: boost clock, the higher of two (unconfirmed; " DRIVER                 \
                 "745 MHz, 15 SMs, L2, memory); L2 rate: 339 GB/s on a K80 at 875 MHz (Jia et al., Dissecting the "    \
                 "NVIDIA Volta GPU Architecture, 2018, table 3.1; unconfirmed)"
#define KEPLER_K40                                                                                                     \
    .arch = "sm_35", .compute_units = 15, .clock_mhz = 875, .min_plus_per_clock = 160,                                 \
    .shared_bytes_per_block = KIB(48), .l1_bytes = KIB(64), .l2_bytes = MIB(3) / 2,                                    \
    .last_level_cache_bytes = MIB(3) / 2, .l2_bytes_per_clock = 387, .memory_bytes = GIB(12), .memory_gb_s = 288,      \
    .source = KEPLER_SOURCE

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
     .without_ecc = true,
     .memory_bytes = GIB(8),
     .memory_gb_s = 320,
     .source =
         GUIDE "GeForce GTX 1080 whitepaper: SMs, boost clock, L2, memory (" DRIVER "the same, 1734 MHz); L2 rate: "
               "979 GB/s on a P4, the same chip, at 1114 MHz (Jia et al., Dissecting the NVIDIA Volta GPU "
               "Architecture, 2018, table 3.1; unconfirmed)"},
    {.name = "v100",
     .title = "NVIDIA V100 SXM2 16 GB",
     .arch = "sm_70",
     .alias = "V100-SXM2-16GB",
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
     .memory_channels = 64,
     .source =
         GUIDE DRIVER "SMs, clock, L2; V100 whitepaper: memory rate (877 MHz on 4096 bits are 898); L2 rate: A100 "
                      "whitepaper, which gives both parts' reads a clock" HBM2_CHANNELS},
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
     .source =
         GUIDE DRIVER "SMs, clock, L2, memory rate; T4 datasheet: memory; L2 rate: 1270 GB/s at 1590 MHz (Jia et al., "
                      "Dissecting the NVidia Turing T4 GPU, 2019; unconfirmed)"},
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
     .without_ecc = true,
     .memory_bytes = GIB(10),
     .memory_gb_s = 760,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate (board of 10 GB); "
                            "L2 rate: an A40's, by unit (gpu_limits.c)"},
    {.name = "a100",
     .title = "NVIDIA A100 SXM 80 GB",
     .arch = "sm_80",
     .alias = "A100-SXM4-80GB|A100-SXM-80GB",
     AMPERE,
     .compute_units = 108,
     .clock_mhz = 1410,
     .shared_bytes_per_block = KIB(163),
     .l1_bytes = KIB(192),
     .l2_parts = 2,
     .l2_bytes = MIB(40),
     .last_level_cache_bytes = MIB(40),
     .l2_bytes_per_clock = 5120,
     .memory_bytes = GIB(80),
     .memory_gb_s = 2039,
     .memory_channels = 80,
     .source =
         GUIDE "A100 whitepaper: SMs, boost clock, L2 and its two partitions, bytes that L2 reads a clock; " DRIVER
               "the same, memory rate (1593 MHz on 5120 bits)" HBM2_CHANNELS},
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
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate; L40S datasheet: memory; " NO_L2_RATE},
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
     .without_ecc = true,
     .memory_bytes = GIB(24),
     .memory_gb_s = 1008,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate; " NO_L2_RATE},
    {.name = "h100",
     .title = "NVIDIA H100 SXM",
     .arch = "sm_90",
     .alias = "H100 80GB HBM3",
     HOPPER,
     .compute_units = 132,
     .load_fetch_bytes = 64,
     .clock_mhz = 1980,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_parts = 2,
     .l2_bytes = MIB(50),
     .last_level_cache_bytes = MIB(50),
     .l2_bytes_per_clock = 4267,
     .memory_bytes = GIB(80),
     .memory_gb_s = 3352,
     .memory_channels = 160,
     .source = GUIDE DRIVER
     "SMs, clock, L2, memory rate (2619 MHz on 5120 bits; datasheet: 3.35 TB/s); L2 rate: 5/6 of the H200's, since its "
     "parts go with memory controllers (H100 whitepaper: 10 of the chip's 12, and 50 of its 60 MB); 3984 by "
     "gpu-benches on an H100 PCIe (7.0 TB/s at 12 MiB; 1755 MHz)" HOPPER_FETCH HBM3_CHANNELS},
    {.name = "h200",
     .title = "NVIDIA H200 SXM",
     .arch = "sm_90",
     .alias = "H200",
     HOPPER,
     .compute_units = 132,
     .load_fetch_bytes = 64,
     .clock_mhz = 1980,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_parts = 2,
     .l2_bytes = MIB(60),
     .last_level_cache_bytes = MIB(60),
     .l2_bytes_per_clock = 5120,
     .memory_bytes = GIB(141),
     .memory_gb_s = 4800,
     .memory_channels = 192,
     .source = GUIDE "H200 datasheet: memory; " DRIVER
                     "SMs, clock, 6144 bits, L2 (the whole GH100's 60 MB, as the H100 whitepaper "
                     "has it; an H100 has 50); " HOPPER_L2 HOPPER_FETCH HBM3_CHANNELS},
    {.name = "b200",
     .title = "NVIDIA B200",
     .arch = "sm_100",
     .alias = "B200",
     BLACKWELL,
     .compute_units = 148,
     .clock_mhz = 1965,
     .shared_bytes_per_block = KIB(227),
     .l1_bytes = KIB(256),
     .l2_bytes = MIB(126),
     .last_level_cache_bytes = MIB(126),
     .memory_bytes = GIB(180),
     .memory_gb_s = 8000,
     .memory_channels = 240,
     .source = GUIDE
     "Blackwell Tuning Guide: L2; " DRIVER
     "SMs, clock, L2 of 126.5 MB; DGX B200 datasheet: memory, an eighth of 1440 GB and 64 TB/s (the "
     "size unconfirmed; the driver's 3996 MHz on 7680 bits are 7672 GB/s); " NO_L2_RATE ISSUED_MINIMA HBM3_CHANNELS},
    {.name = "rtx5090",
     .title = "NVIDIA GeForce RTX 5090",
     .arch = "sm_120",
     .alias = "RTX 5090",
     BLACKWELL,
     .compute_units = 170,
     .clock_mhz = 2407,
     .shared_bytes_per_block = KIB(99),
     .l1_bytes = KIB(128),
     .l2_bytes = MIB(96),
     .last_level_cache_bytes = MIB(96),
     .without_ecc = true,
     .memory_bytes = GIB(32),
     .memory_gb_s = 1792,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate; " NO_L2_RATE ISSUED_MINIMA},
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
     .l2_bytes_per_clock = 1024,
     .memory_bytes = GIB(16),
     .memory_gb_s = 1024,
     .memory_channels = 64,
     .source =
         ROCM KFD "MI50 datasheet: clock, memory rate (unconfirmed; rocminfo: 1725 MHz); L2 rate: ROCm Compute "
                  "Profiler, peaks of gfx906, 16 channels of 64 bytes a clock; 4096 bits: four stacks" HBM2_CHANNELS},
    {.name = "mi100",
     .title = "AMD Instinct MI100",
     .arch = "gfx908",
     .alias = "MI100|Arcturus GL-XL [Instinct MI100]|Arcturus GL-XL [AMD Instinct MI100]",
     GFX9(SHARED_AMD_GFX906, 64),
     .compute_units = 120,
     .clock_mhz = 1502,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(16),
     .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(8),
     .l2_bytes_per_clock = 2048,
     .memory_bytes = GIB(32),
     .memory_gb_s = 1228.8,
     .memory_channels = 64,
     .source =
         ROCM KFD "ROCm documentation, MI100 microarchitecture: clock, memory rate; L2 rate: ROCm Compute Profiler, "
                  "peaks of gfx908, 32 channels of 64 bytes a clock; CDNA 2 whitepaper: it doubled the slices' 64; "
                  "4096 bits: four stacks" HBM2_CHANNELS},
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
     .memory_channels = 64,
     .source = ROCM
     "MI210 datasheet: clock, memory rate (unconfirmed; a GCD of the MI250X has the same); " CDNA2 HBM2_CHANNELS},
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
     .memory_channels = 64,
     .source =
         ROCM "CDNA 3 whitepaper, endnotes: clock, memory rate (8192 bits of 3.2 Gb/s, halved); " CDNA2 HBM2_CHANNELS},
    {.name = "mi300x",
     .title = "AMD Instinct MI300X",
     .arch = "gfx942",
     .alias = "MI300X|MI300X VF|MI300X OAM",
     GFX9(SHARED_AMD_GFX90A, 128),
     .compute_units = 304,
     .clock_mhz = 2100,
     .shared_bytes_per_block = KIB(64),
     .l1_bytes = KIB(32),
     .l2_parts = 8,
     .l2_private = true,
     .l2_bytes = MIB(32),
     .last_level_cache_bytes = MIB(256),
     .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(192),
     .memory_gb_s = 5325,
     .memory_channels = 256,
     .source = ROCM KFD "CDNA 3 whitepaper and its endnotes: clock, memory rate (8192 bits of 5.2 Gb/s), line of 128 "
                        "bytes, L2 rate (8 XCDs that read 2 KB a clock)" HBM3_CHANNELS},
    {.name = "mi355x",
     .title = "AMD Instinct MI355X",
     .arch = "gfx950",
     .alias = "MI355X|MI355X VF",
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
     .memory_channels = 256,
     .source =
         ROCM "MI355X datasheet: clock, memory rate (unconfirmed); CDNA 4 whitepaper: line of L2, L2 rate (8 "
              "XCDs of 16 channels that read a line of 128 bytes a clock); 8192 bits: eight stacks" HBM3_CHANNELS},
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
     .without_ecc = true,
     .memory_bytes = GIB(24),
     .memory_gb_s = 960,
     .source =
         ROCM KFD RDNA_UNITS "LDS: RDNA whitepaper, 64 KB of a pair's 128 for one work-group; AMD product page: boost "
                             "clock, memory rate; " NO_L2_RATE},
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
     .without_ecc = true,
     .memory_bytes = GIB(16),
     .memory_gb_s = 640,
     .source = ROCM RDNA_UNITS
     "LDS: as RDNA 3; line: taken over from RDNA 3; AMD product page: boost clock, memory rate; " NO_L2_RATE},
};

enum {
    GPU_COUNT = sizeof gpus / sizeof *gpus
};

const struct gpu *gpu_table(size_t *count) {
    *count = GPU_COUNT;
    return gpus;
}

const struct gpu *gpu_find(const char *name) {
    for (size_t i = 0; i < GPU_COUNT; i++) {
        if (strcmp(gpus[i].name, name) == 0) {
            return &gpus[i];
        }
    }
    return NULL;
}
