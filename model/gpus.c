#include "model/gpus.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "util/text.h"

// One row per part. A figure is the vendor's where the vendor states it; `source` says where each comes from.

#define KIB(n) ((n)*UINT32_C(1024))
#define MIB(n) ((n)*UINT64_C(1048576))
#define GIB(n) ((n)*UINT64_C(1073741824))

// Lanes, banks, sectors and lines are the same on every part of a family.
#define NVIDIA(rule)                                                                                                   \
    .vendor = VENDOR_NVIDIA, .shared_rule = (rule), .warp_width = 32, .banks = 32, .sector_bytes = 32, .line_bytes = 128
#define MAXWELL NVIDIA(SHARED_NVIDIA_MAXWELL), .min_plus_per_clock = 64
#define AMPERE NVIDIA(SHARED_NVIDIA_AMPERE), .min_plus_per_clock = 64
#define HOPPER NVIDIA(SHARED_NVIDIA_HOPPER), .l1_rule = L1_HOPPER, .min_plus_per_clock = 64
#define BLACKWELL NVIDIA(SHARED_NVIDIA_AMPERE), .min_plus_per_clock = 64
#define AMD(rule, width, line, min_plus)                                                                               \
    .vendor = VENDOR_AMD, .shared_rule = (rule), .warp_width = (width), .min_plus_per_clock = (min_plus),              \
    .sector_bytes = (line), .line_bytes = (line), .store_bytes = 64
#define GFX9(rule, line) AMD(rule, 64, line, 32), .banks = 32
#define GFX950 AMD(SHARED_AMD_GFX950, 64, 128, 32), .banks = 64
#define RDNA2 AMD(SHARED_AMD_RDNA2, 32, 128, 32), .banks = 32
#define RDNA(rule) AMD(rule, 32, 128, 64), .banks = 32

// What all parts of an architecture in the table have in common, whose sources each row states.
#define LAST_L2(bytes) .l2_bytes = (bytes), .last_level_cache_bytes = (bytes) // behind which there is no cache
#define SM86 AMPERE, .arch = "sm_86", .shared_bytes_per_block = KIB(99), .l1_bytes = KIB(128)
#define SM89 AMPERE, .arch = "sm_89", .shared_bytes_per_block = KIB(99), .l1_bytes = KIB(128)
#define SM90                                                                                                           \
    HOPPER, .arch = "sm_90", .compute_units = 132, .clock_mhz = 1980, .shared_bytes_per_block = KIB(227),              \
            .l1_bytes = KIB(256), .l2_parts = 2, .load_fetch_bytes = 64
#define GFX90A                                                                                                         \
    GFX9(SHARED_AMD_GFX90A, 64), .arch = "gfx90a", .clock_mhz = 1700, .shared_bytes_per_block = KIB(64),               \
                                 .l1_bytes = KIB(16), LAST_L2(MIB(8)), .l2_bytes_per_clock = 4096,                     \
                                 .memory_bytes = GIB(64), .memory_gb_s = 1638.4, .read_gb_s = 1389,                    \
                                 .write_gb_s = 1533, .load_fetch_bytes = 128, .memory_channels = 64
#define GFX942                                                                                                         \
    GFX9(SHARED_AMD_GFX90A, 128), .arch = "gfx942", .clock_mhz = 2100, .shared_bytes_per_block = KIB(64),              \
                                  .l1_bytes = KIB(32), .l2_private = true, .last_level_cache_bytes = MIB(256),         \
                                  .cache_gb_s = 17200, .memory_channels = 256

// The families' sources; a row adds its own.
#define GUIDE                                                                                                          \
    "CUDA Programming Guide, compute capabilities: lanes, banks, shared memory of a block, L1 with shared memory; "    \
    "throughput of arithmetic instructions: minima a clock, of which an update has one; "                              \
    "Nsight Compute, Kernel Profiling Guide: sectors of 32 bytes, lines of four; "
#define KEPLER_GUIDE                                                                                                   \
    "CUDA C Programming Guide 10, compute capability 3.x: lanes, banks, shared memory, L1, lines, "                    \
    "sectors of L2; "
#define ISSUED_MINIMA                                                                                                  \
    "; minima a clock: no source found, half of the 128 lanes that four schedulers start, because an addition takes "  \
    "the others [guess]"
#define DRIVER "the driver's device properties: " // as deviceQuery prints them
#define NO_L2_RATE "L2 rate: no source found, that of a related part by unit (gpus.c) [guess]"
#define ROCM                                                                                                           \
    "ROCm documentation, AMD GPU specifications: CUs, lanes, LDS, vector cache, L2, last-level cache, memory size; "   \
    "updates a clock: 64 lanes in a CU, an addition and a minimum each on GCN, CDNA and RDNA 2, at least a minimum "   \
    "on RDNA 3 and later; "
#define KFD "line: Linux amdkfd cache tables (kfd_crat.c); "
#define KFD_RDNA3 "line: Linux amdkfd, what the firmware says, or else 128 (kfd_crat.c); "
#define CDNA2                                                                                                          \
    KFD "L2 rate: CDNA 2 whitepaper, 32 slices of 128 bytes a clock in a GCD; its L2 lines are of 128 bytes, the "     \
        "row's are the vector cache's"
#define HOPPER_L2                                                                                                      \
    "L2 rate: not published, so the A100's is taken, below which a public curve of an H200 stays (9.7 to 9.9 TB/s at " \
    "16 to 30 MB) [derived]; 4472 were measured on an H800 PCIe of 114 SMs (Luo et al., Benchmarking and Dissecting "  \
    "the Nvidia "                                                                                                      \
    "Hopper GPU Architecture, 2024, table V)"
#define HOPPER_FETCH                                                                                                   \
    "; bytes that a load fetches: read off an H200's counters (dram__bytes_read for loads of 4 and 16 bytes, strides " \
    "1 to 64) [measured]"
// A pseudo channel has 64 bits in HBM2 and 32 in HBM3.
#define HBM2_CHANNELS "; channels: JEDEC, JESD235"
#define HBM3_CHANNELS "; channels: JEDEC, JESD238"
// The best of gpu-stream's rates, reads and stores alone (results/published/amd/stream.csv), as shares of the peak, for
// parts that have the same memory.
#define STREAM "; rates that launches reach: gpu-stream's best, results/published/amd/stream.csv"
#define STREAM_AS(part) "; rates that launches reach: shares of the peak as " part "'s [derived]"
#define EA_WRITES "; L2 writes 32 or 64 bytes (AMD's counters TCC_EA_WRREQ and TCC_EA_WRREQ_64B)"
#define CDNA2_FETCH "; bytes that a load fetches: L2's line, by published strides of an MI210 (spatter-mi210.csv)"
#define INFINITY_CACHE "; rate of the last-level cache: CDNA 3 whitepaper, 17.2 TB/s at 2.1 GHz"
#define SHARES(peak, read, write) .read_gb_s = (peak) * (read), .write_gb_s = (peak) * (write)
#define RDNA_UNITS "HIP counts CUs in pairs (work-group processors); "
#define KEPLER_SOURCE                                                                                                  \
    KEPLER_GUIDE "Tesla K40 board specification: boost clock, the higher of two (" DRIVER                              \
                 "745 MHz, SMs, L2, memory); L2 rate: 339 GB/s on a K80 at 875 MHz (Jia et al., Dissecting the "       \
                 "NVIDIA Volta GPU Architecture, 2018, table 3.1; unconfirmed)"                                        \
                 "; minima a clock: half of 192 cores, because an addition takes the others [derived]"
#define KEPLER_K40                                                                                                     \
    .arch = "sm_35", .compute_units = 15, .clock_mhz = 875, .min_plus_per_clock = 96,                                  \
    .shared_bytes_per_block = KIB(48), .l1_bytes = KIB(64), LAST_L2(MIB(3) / 2), .l2_bytes_per_clock = 387,            \
    .memory_bytes = GIB(12), .memory_gb_s = 288, .source = KEPLER_SOURCE

// The lines of a row: what the part is, its units and their caches, memory, sources.
// clang-format off
const struct gpu gpu_rows[] = {
    {.name = "k40", .title = "NVIDIA Tesla K40 (4-byte banks)", .alias = "K40c|K40m|K40s|K40t",
     NVIDIA(SHARED_NVIDIA_KEPLER_4), KEPLER_K40},
    {.name = "k40-8byte", .title = "NVIDIA Tesla K40 (8-byte banks)", .alias = "", NVIDIA(SHARED_NVIDIA_KEPLER_8),
     KEPLER_K40},
    {.name = "gtx1080", .title = "NVIDIA GeForce GTX 1080", .arch = "sm_61", .alias = "GTX 1080", MAXWELL,
     .compute_units = 20, .clock_mhz = 1733, .shared_bytes_per_block = KIB(48), .l1_bytes = KIB(48), LAST_L2(MIB(2)),
     .l2_bytes_per_clock = 879, .without_ecc = true,
     .memory_bytes = GIB(8), .memory_gb_s = 320,
     .source = GUIDE "GeForce GTX 1080 whitepaper: SMs, boost clock, L2, memory (" DRIVER "the same, 1734 MHz); L2 "
         "rate: 979 GB/s on a P4, the same chip, at 1114 MHz (Jia et al., Dissecting the NVIDIA Volta GPU "
         "Architecture, 2018, table 3.1; unconfirmed)"},
    {.name = "v100", .title = "NVIDIA V100 SXM2 16 GB", .arch = "sm_70", .alias = "V100-SXM2-16GB", MAXWELL,
     .compute_units = 80, .clock_mhz = 1530, .shared_bytes_per_block = KIB(96), .l1_bytes = KIB(128), LAST_L2(MIB(6)),
     .l2_bytes_per_clock = 2048,
     .memory_bytes = GIB(16), .memory_gb_s = 900, .memory_channels = 64,
     .source = GUIDE DRIVER "SMs, clock, L2, memory; V100 whitepaper: memory rate (877 MHz on 4096 bits are 898); L2 "
         "rate: A100 whitepaper, which gives both parts' reads a clock" HBM2_CHANNELS},
    {.name = "t4", .title = "NVIDIA T4", .arch = "sm_75", .alias = "T4", MAXWELL,
     .compute_units = 40, .clock_mhz = 1590, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(96), LAST_L2(MIB(4)),
     .l2_bytes_per_clock = 799,
     .memory_bytes = GIB(16), .memory_gb_s = 320,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate; T4 datasheet: memory; L2 rate: 1270 GB/s at 1590 MHz (Jia et "
         "al., Dissecting the NVidia Turing T4 GPU, 2019; unconfirmed)"},
    {.name = "rtx3080", .title = "NVIDIA GeForce RTX 3080", .alias = "RTX 3080", SM86,
     .compute_units = 68, .clock_mhz = 1710, LAST_L2(MIB(5)), .without_ecc = true,
     .memory_bytes = GIB(10), .memory_gb_s = 760,
     .source = GUIDE DRIVER "SMs, clock, L2, memory, memory rate (board of 10 GB); L2 rate: an A40's, by unit (gpus.c) "
         "[derived]"},
    {.name = "rtx3090", .title = "NVIDIA GeForce RTX 3090", .alias = "RTX 3090", SM86,
     .compute_units = 82, .clock_mhz = 1695, LAST_L2(MIB(6)),
     .memory_bytes = GIB(24), .memory_gb_s = 936, .without_ecc = true,
     .source = GUIDE "GA102 whitepaper: SMs, boost clock, L2, memory, memory rate; L2 rate: an A40's, by unit (gpus.c) "
         "[derived]"},
    {.name = "a40", .title = "NVIDIA A40", .alias = "A40", SM86,
     .compute_units = 84, .clock_mhz = 1740, LAST_L2(MIB(6)),
     .memory_bytes = GIB(48), .memory_gb_s = 696,
     .source = GUIDE DRIVER "SMs, clock, L2; A40 datasheet: memory, with ECC; L2 rate: measured by gpu-benches "
         "(gpus.c)"},
    {.name = "orin", .title = "NVIDIA Jetson AGX Orin 64 GB", .arch = "sm_87", .alias = "Orin", AMPERE,
     .compute_units = 16, .clock_mhz = 1300, .shared_bytes_per_block = KIB(163), .l1_bytes = KIB(192), LAST_L2(MIB(4)),
     .memory_bytes = GIB(64), .memory_gb_s = 204.8, .without_ecc = true,
     .source = GUIDE "Jetson AGX Orin technical brief: SMs, L2; Jetson AGX Orin datasheet: clock, memory, memory rate "
         "(unconfirmed; 256 bits of 6.4 Gb/s); " NO_L2_RATE},
    {.name = "a100", .title = "NVIDIA A100 SXM 80 GB", .arch = "sm_80", .alias = "A100-SXM4-80GB|A100-SXM-80GB", AMPERE,
     .compute_units = 108, .clock_mhz = 1410, .shared_bytes_per_block = KIB(163), .l1_bytes = KIB(192), .l2_parts = 2,
     LAST_L2(MIB(40)), .l2_bytes_per_clock = 5120,
     .memory_bytes = GIB(80), .memory_gb_s = 2039, SHARES(2039, 0.915, 0.915), .memory_channels = 80,
     .source = GUIDE "A100 whitepaper: SMs, boost clock, L2 and its two partitions, L2 rate; " DRIVER "the same, "
         "memory, memory rate (1593 MHz on 5120 bits); rates that launches reach: 1859 GB/s at 150 MiB and 1731 from "
         "700 MiB on (gpu-benches, results/published/l2-bandwidth.csv), between which reads lie; stores as reads "
         "[guess]" HBM2_CHANNELS},
    {.name = "l4", .title = "NVIDIA L4", .alias = "L4", SM89,
     .compute_units = 58, .clock_mhz = 2040, LAST_L2(MIB(48)),
     .memory_bytes = GIB(24), .memory_gb_s = 300,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate (6251 MHz on 192 bits); L4 datasheet: memory; L2 rate: an "
         "L40's, by unit (gpus.c) [derived]"},
    {.name = "l40", .title = "NVIDIA L40", .alias = "L40", SM89,
     .compute_units = 142, .clock_mhz = 2490, LAST_L2(MIB(96)),
     .memory_bytes = GIB(48), .memory_gb_s = 864,
     .source = GUIDE "L40 datasheet: SMs (18176 cores), memory, memory rate; Ada whitepaper: clock, L2 (unconfirmed; "
         "the L40S, of the same chip, has as much); L2 rate: measured by gpu-benches (gpus.c)"},
    {.name = "l40s", .title = "NVIDIA L40S", .alias = "L40S", SM89,
     .compute_units = 142, .clock_mhz = 2520, LAST_L2(MIB(96)),
     .memory_bytes = GIB(48), .memory_gb_s = 864,
     .source = GUIDE DRIVER "SMs, clock, L2, memory rate; L40S datasheet: memory; " NO_L2_RATE},
    {.name = "rtx4070", .title = "NVIDIA GeForce RTX 4070", .alias = "RTX 4070", SM89,
     .compute_units = 46, .clock_mhz = 2475, LAST_L2(MIB(36)),
     .memory_bytes = GIB(12), .memory_gb_s = 504, .without_ecc = true,
     .source = GUIDE "NVIDIA's announcement: SMs, boost clock, L2, memory, memory rate (192 bits of 21 Gb/s); L2 rate: "
         "an L40's, by unit (gpus.c) [derived]"},
    {.name = "rtx4090", .title = "NVIDIA GeForce RTX 4090", .alias = "RTX 4090", SM89,
     .compute_units = 128, .clock_mhz = 2520, LAST_L2(MIB(72)), .without_ecc = true,
     .memory_bytes = GIB(24), .memory_gb_s = 1008,
     .source = GUIDE DRIVER "SMs, clock, L2, memory, memory rate; " NO_L2_RATE},
    {.name = "h100", .title = "NVIDIA H100 SXM", .alias = "H100 80GB HBM3", SM90, LAST_L2(MIB(50)),
     .l2_bytes_per_clock = 4267,
     .memory_bytes = GIB(80), .memory_gb_s = 3352, .memory_channels = 160,
     .source = GUIDE DRIVER "SMs, clock, L2, memory, memory rate (2619 MHz on 5120 bits; datasheet: 3.35 TB/s); L2 "
         "rate: 5/6 of the H200's, since its parts go with memory controllers (H100 whitepaper: 10 of the chip's 12, "
         "and 50 of its 60 MB) [derived]; 3984 by gpu-benches on an H100 PCIe (7.0 TB/s at 12 MiB; 1755 MHz)"
         HOPPER_FETCH HBM3_CHANNELS},
    {.name = "h200", .title = "NVIDIA H200 SXM", .alias = "H200", SM90, LAST_L2(MIB(60)), .l2_bytes_per_clock = 5120,
     .memory_bytes = GIB(141), .memory_gb_s = 4800, .memory_channels = 192,
     .source = GUIDE "H200 datasheet: memory; " DRIVER "SMs, clock, 6144 bits, L2 (the whole GH100's 60 MB, as the "
         "H100 whitepaper has it; an H100 has 50); " HOPPER_L2 HOPPER_FETCH HBM3_CHANNELS},
    {.name = "gh200", .title = "NVIDIA GH200 96 GB", .alias = "GH200 480GB", SM90, LAST_L2(MIB(60)),
     .memory_bytes = GIB(96), .memory_gb_s = 4000, .l2_bytes_per_clock = 5120, .memory_channels = 192,
     .source = GUIDE DRIVER "SMs, clock; GH200 datasheet: memory, memory rate (HBM3); L2: the whole GH100's, as the "
         "H200's [derived]; L2 rate: the H200's [derived]; bytes that a load fetches: the H200's [derived]"
         HBM3_CHANNELS},
    {.name = "b200", .title = "NVIDIA B200", .arch = "sm_100", .alias = "B200", BLACKWELL,
     .compute_units = 148, .clock_mhz = 1965, .shared_bytes_per_block = KIB(227), .l1_bytes = KIB(256),
     LAST_L2(MIB(126)),
     .memory_bytes = GIB(180), .memory_gb_s = 8000, .memory_channels = 240,
     .source = GUIDE "Blackwell Tuning Guide: L2; " DRIVER "SMs, clock, L2 of 126.5 MB; DGX B200 datasheet: memory, an "
         "eighth of 1440 GB and 64 TB/s (the size unconfirmed; the driver's 3996 MHz on 7680 bits are 7672 GB/s); "
         NO_L2_RATE ISSUED_MINIMA HBM3_CHANNELS},
    {.name = "b300", .title = "NVIDIA B300", .arch = "sm_103", .alias = "B300 SXM6 AC", BLACKWELL,
     .compute_units = 148, .clock_mhz = 2032, .shared_bytes_per_block = KIB(227), .l1_bytes = KIB(256),
     LAST_L2(MIB(126)),
     .memory_bytes = MIB(275040), .memory_gb_s = 8000, .memory_channels = 256,
     .source = GUIDE DRIVER "SMs, clock, L2, memory; NVIDIA, Inside Blackwell Ultra, 2025: memory rate; minima a "
         "clock: a B200's; " NO_L2_RATE ISSUED_MINIMA HBM3_CHANNELS},
    {.name = "rtx5090", .title = "NVIDIA GeForce RTX 5090", .arch = "sm_120", .alias = "RTX 5090", BLACKWELL,
     .compute_units = 170, .clock_mhz = 2407, .shared_bytes_per_block = KIB(99), .l1_bytes = KIB(128), LAST_L2(MIB(96)),
     .without_ecc = true,
     .memory_bytes = GIB(32), .memory_gb_s = 1792,
     .source = GUIDE DRIVER "SMs, clock, L2, memory, memory rate; " NO_L2_RATE ISSUED_MINIMA},
    {.name = "mi50", .title = "AMD Instinct MI50", .arch = "gfx906", .alias = "MI50|MI60 / MI50|MI50/MI60",
     GFX9(SHARED_AMD_GFX906, 64),
     .compute_units = 60, .clock_mhz = 1725, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(16), LAST_L2(MIB(4)),
     .l2_bytes_per_clock = 1024,
     .memory_bytes = GIB(16), .memory_gb_s = 1024, SHARES(1024, 0.73, 0.89), .memory_channels = 64,
     .source = ROCM KFD "MI50 datasheet: clock, memory rate (unconfirmed; rocminfo: 1725 MHz); L2 rate: ROCm Compute "
         "Profiler, peaks of gfx906, 16 channels of 64 bytes a clock; 4096 bits: four stacks" HBM2_CHANNELS
         STREAM_AS("an MI100") EA_WRITES},
    {.name = "mi100", .title = "AMD Instinct MI100", .arch = "gfx908",
     .alias = "MI100|Arcturus GL-XL [Instinct MI100]|Arcturus GL-XL [AMD Instinct MI100]", GFX9(SHARED_AMD_GFX906, 64),
     .compute_units = 120, .clock_mhz = 1502, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(16), LAST_L2(MIB(8)),
     .l2_bytes_per_clock = 2048,
     .memory_bytes = GIB(32), .memory_gb_s = 1228.8, .read_gb_s = 901, .write_gb_s = 1095, .memory_channels = 64,
     .source = ROCM KFD "ROCm documentation, MI100 microarchitecture: clock, memory rate; L2 rate: ROCm Compute "
         "Profiler, peaks of gfx908, 32 channels of 64 bytes a clock; CDNA 2 whitepaper: it doubled the slices' 64; "
         "4096 bits: four stacks" HBM2_CHANNELS STREAM EA_WRITES},
    {.name = "mi210", .title = "AMD Instinct MI210", .alias = "MI210", GFX90A,
     .compute_units = 104,
     .source = ROCM "MI210 datasheet: clock, memory rate (CDNA 2 whitepaper, endnotes, has the same); " CDNA2
         HBM2_CHANNELS "; reads: AMD's roofline (results/published/amd/roofline-mi210.csv)" STREAM CDNA2_FETCH
         EA_WRITES},
    {.name = "mi250", .title = "AMD Instinct MI250 (one GCD)", .alias = "MI250|MI250X / MI250|MI250X/MI250", GFX90A,
     .compute_units = 104,
     .source = ROCM "MI250 datasheet: clock, memory rate (8192 bits of 3.2 Gb/s, halved; CDNA 2 whitepaper, endnotes, "
         "has the same); " CDNA2 HBM2_CHANNELS STREAM_AS("an MI210") CDNA2_FETCH EA_WRITES},
    {.name = "mi250x", .title = "AMD Instinct MI250X (one GCD)", .alias = "MI250X|MI250X / MI250|MI250X/MI250", GFX90A,
     .compute_units = 110,
     .source = ROCM "CDNA 3 whitepaper, endnotes: clock, memory rate (8192 bits of 3.2 Gb/s, halved); " CDNA2
         HBM2_CHANNELS STREAM_AS("an MI210") CDNA2_FETCH EA_WRITES},
    {.name = "mi300x", .title = "AMD Instinct MI300X", .alias = "MI300X|MI300X VF|MI300X OAM", GFX942,
     .compute_units = 304, .l2_parts = 8, .l2_bytes = MIB(32), .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(192), .memory_gb_s = 5325, .read_gb_s = 4199, .write_gb_s = 4849,
     .source = ROCM KFD "CDNA 3 whitepaper and its endnotes: clock, memory rate (8192 bits of 5.2 Gb/s), line of 128 "
         "bytes, L2 rate (8 XCDs that read 2 KB a clock)" HBM3_CHANNELS STREAM EA_WRITES INFINITY_CACHE},
    {.name = "mi300a", .title = "AMD Instinct MI300A", .alias = "MI300A", GFX942,
     .compute_units = 228, .l2_parts = 6, .l2_bytes = MIB(24), .l2_bytes_per_clock = 12288,
     .memory_bytes = GIB(128), .memory_gb_s = 5325, .read_gb_s = 4199, .write_gb_s = 4849,
     .source = ROCM KFD "CDNA 3 whitepaper: clock, line, L2 rate (six XCDs, each as an MI300X's), memory rate, memory "
         "of 128 GB" HBM3_CHANNELS STREAM_AS("an MI300X") EA_WRITES INFINITY_CACHE},
    {.name = "mi325x", .title = "AMD Instinct MI325X", .alias = "MI325X|MI325X VF|MI325X OAM", GFX942,
     .compute_units = 304, .l2_parts = 8, .l2_bytes = MIB(32), .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(256), .memory_gb_s = 6000, SHARES(6000, 0.79, 0.91),
     .source = ROCM KFD "MI325X datasheet: clock, memory rate; CDNA 3 whitepaper: line, L2 rate (8 XCDs that read 2 KB "
         "a clock, as an MI300X's)" HBM3_CHANNELS STREAM_AS("an MI300X") EA_WRITES INFINITY_CACHE},
    {.name = "mi355x", .title = "AMD Instinct MI355X", .arch = "gfx950", .alias = "MI355X|MI355X VF", GFX950,
     .compute_units = 256, .clock_mhz = 2400, .shared_bytes_per_block = KIB(160), .l1_bytes = KIB(32), .l2_parts = 8,
     .l2_private = true, .l2_bytes = MIB(32), .last_level_cache_bytes = MIB(256), .l2_bytes_per_clock = 16384,
     .memory_bytes = GIB(288), .memory_gb_s = 8000, SHARES(8000, 0.79, 0.91), .cache_gb_s = 17200,
     .memory_channels = 256,
     .source = ROCM "MI355X datasheet: clock (unconfirmed), memory rate; CDNA 4 whitepaper: memory rate, line of L2, "
         "L2 rate (8 XCDs of 16 channels that read a line of 128 bytes a clock); 8192 bits: eight stacks" HBM3_CHANNELS
         STREAM_AS("an MI300X") EA_WRITES "; rate of the last-level cache: an MI300X's [guess]"},
    {.name = "rx6900xt", .title = "AMD Radeon RX 6900 XT", .arch = "gfx1030", .alias = "RX 6900 XT", RDNA2,
     .compute_units = 80, .clock_mhz = 2250, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(16), .l2_bytes = MIB(4),
     .last_level_cache_bytes = MIB(128), .without_ecc = true,
     .l2_bytes_per_clock = 2048,
     .memory_bytes = GIB(16), .memory_gb_s = 512, .read_gb_s = 505, .write_gb_s = 504, .cache_gb_s = 1987,
     .source = ROCM KFD RDNA_UNITS "LDS: RDNA whitepaper, 64 KB of a pair's 128 for one work-group; AMD product page: "
         "boost clock, memory rate; L2 rate: 4550 to 5160 GB/s at 1.5 to 4 MB and 2.55 GHz, up to 2020 bytes a clock "
         "(gpu-benches, results/published/l2-bandwidth.csv), taken for 16 slices of 128 [derived]" STREAM
         "; rate of the last-level cache: 16 channels of 64 bytes at 1.94 GHz (AMD, RDNA 2 announcement), of which "
         "gpu-benches has 1969 GB/s at 25 MB"},
    {.name = "rx7800xt", .title = "AMD Radeon RX 7800 XT", .arch = "gfx1101", .alias = "RX 7800 XT",
     RDNA(SHARED_AMD_RDNA3),
     .compute_units = 60, .clock_mhz = 2430, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(32), .l2_bytes = MIB(4),
     .last_level_cache_bytes = MIB(64), .without_ecc = true,
     .memory_bytes = GIB(16), .memory_gb_s = 624, SHARES(624, 0.98, 0.98), .cache_gb_s = 2708,
     .source = ROCM KFD_RDNA3 RDNA_UNITS "LDS: RDNA whitepaper, 64 KB of a pair's 128 for one work-group; AMD product "
         "page: boost clock, memory rate (256 bits of 19.5 Gb/s); " NO_L2_RATE STREAM_AS("an RX 6900 XT") "; rate of the "
         "last-level cache: AMD product page, effective memory bandwidth, up to 2708 GB/s (unconfirmed)"},
    {.name = "rx7900xtx", .title = "AMD Radeon RX 7900 XTX", .arch = "gfx1100", .alias = "RX 7900 XTX",
     RDNA(SHARED_AMD_RDNA3),
     .compute_units = 96, .clock_mhz = 2500, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(32), .l2_bytes = MIB(6),
     .last_level_cache_bytes = MIB(96), .without_ecc = true,
     .memory_bytes = GIB(24), .memory_gb_s = 960, SHARES(960, 0.98, 0.98), .cache_gb_s = 3500,
     .source = ROCM KFD_RDNA3 RDNA_UNITS "LDS: RDNA whitepaper, 64 KB of a pair's 128 for one work-group; AMD product "
         "page: boost clock, memory rate; " NO_L2_RATE STREAM_AS("an RX 6900 XT") "; rate of the last-level cache: AMD "
         "product page, effective memory bandwidth, up to 3500 GB/s"},
    {.name = "strixhalo", .title = "AMD Radeon 8060S (Strix Halo)", .arch = "gfx1151", .alias = "8060S Graphics|8060S",
     RDNA(SHARED_AMD_RDNA3),
     .compute_units = 40, .clock_mhz = 2900, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(32), .l2_bytes = MIB(2),
     .last_level_cache_bytes = MIB(32), .without_ecc = true,
     .memory_bytes = GIB(128), .memory_gb_s = 256, SHARES(256, 0.98, 0.98), .cache_gb_s = 1000,
     .source = ROCM RDNA_UNITS "LDS: as RDNA 3 [derived]; line: taken over from RDNA 3 [guess]; AMD product page of "
         "the Ryzen AI Max+ 395: CUs, boost clock, memory, memory rate (256 bits of LPDDR5X-8000); " NO_L2_RATE
         STREAM_AS("an RX 6900 XT") "; rate of the last-level cache: half an RX 6900 XT's [guess]"},
    {.name = "rx9070xt", .title = "AMD Radeon RX 9070 XT", .arch = "gfx1201", .alias = "RX 9070 XT",
     RDNA(SHARED_AMD_RDNA4),
     .compute_units = 64, .clock_mhz = 2970, .shared_bytes_per_block = KIB(64), .l1_bytes = KIB(32), .l2_bytes = MIB(8),
     .last_level_cache_bytes = MIB(64), .without_ecc = true,
     .memory_bytes = GIB(16), .memory_gb_s = 640, SHARES(640, 0.98, 0.98), .cache_gb_s = 2000,
     .source = ROCM RDNA_UNITS "LDS: as RDNA 3 [derived]; line: taken over from RDNA 3 [guess]; AMD product page: "
         "boost clock, memory rate; " NO_L2_RATE STREAM_AS("an RX 6900 XT") "; rate of the last-level cache: an RX 6900 "
         "XT's [guess]"},
};
// clang-format on

const size_t gpu_row_count = sizeof gpu_rows / sizeof *gpu_rows;

const struct gpu *gpu_find(const char *name) {
    for (size_t i = 0; i < gpu_row_count; i++) {
        if (strcasecmp(gpu_rows[i].name, name) == 0) {
            return &gpu_rows[i];
        }
    }
    return NULL;
}

// ---- What the table leaves open: rates and sizes that follow from an architecture ----

enum {
    KIBIBYTE = 1024
};

// Architectures are separated by '|'.
static bool is_one_of(const struct gpu *gpu, const char *archs) {
    return list_place(archs, '|', gpu->arch) >= 0;
}

// What gpu-benches measured out of L2 at a stated clock (gpu-cache, footprints beyond L1), by unit: 2490 to 2550 GB/s
// on an A40, which has the chip of other sm_86 parts, and 5370 to 5730 GB/s on an L40. A unit of RDNA is assumed to
// read as much as a unit of an RX 6900 XT, and one of the Blackwell of servers as much as an H200's.
static double l2_bytes_of_unit(const struct gpu *gpu) {
    if (gpu->vendor == VENDOR_AMD) {
        return 2048.0 / 80;
    }
    if (is_one_of(gpu, "sm_100|sm_103")) {
        return 5120.0 / 132;
    }
    return is_one_of(gpu, "sm_86") ? 2520 / 1.74 / 84 : 2200.0 / 142;
}

double gpu_l2_bytes_per_clock(const struct gpu *gpu) {
    return gpu->l2_bytes_per_clock > 0 ? gpu->l2_bytes_per_clock : l2_bytes_of_unit(gpu) * gpu->compute_units;
}

double gpu_read_gb_s(const struct gpu *gpu) {
    return gpu->read_gb_s > 0 ? gpu->read_gb_s : gpu->memory_gb_s;
}

double gpu_write_gb_s(const struct gpu *gpu) {
    return gpu->write_gb_s > 0 ? gpu->write_gb_s : gpu->memory_gb_s;
}

uint32_t gpu_fetch_bytes(const struct gpu *gpu) {
    return gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
}

// An H200 reads a sector, although its loads fetch two (results/h200/gmem-counters.csv); AMD's L2 fetches its line.
uint32_t gpu_fill_bytes(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_AMD ? gpu_fetch_bytes(gpu) : gpu->sector_bytes;
}

double gpu_cache_gb_s(const struct gpu *gpu) {
    return gpu->cache_gb_s > 0 ? gpu->cache_gb_s : gpu_l2_bytes_per_clock(gpu) * gpu->clock_mhz / 1000;
}

double gpu_memory_channels(const struct gpu *gpu) {
    const double h200_gb_s = 4800.0 / 192;
    return gpu->memory_channels > 0 ? gpu->memory_channels : gpu->memory_gb_s / h200_gb_s;
}

// LLVM, AMDGPUBaseInfo.cpp (getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule): the SIMDs of a CU, the waves that
// each holds, its registers of a lane, and how many are given at a time. From gfx90a on accumulators are among them.
static const struct simds {
    const char *archs;
    uint32_t count, waves;
    double registers, granule;
} simds[] = {{"gfx906|gfx908", 4, 10, 256, 4},
             {"gfx90a|gfx942|gfx950", 4, 8, 512, 8},
             {"gfx1030", 2, 16, 1024, 16},
             {"gfx1100|gfx1101|gfx1151|gfx1201", 2, 16, 1536, 24}};

static const struct simds *simds_of(const struct gpu *gpu) {
    for (size_t i = 0; i < sizeof simds / sizeof *simds; i++) {
        if (is_one_of(gpu, simds[i].archs)) {
            return &simds[i];
        }
    }
    return NULL;
}

// CUDA Programming Guide, technical specifications: 1536 on sm_86, sm_87, sm_89 and sm_120, 1024 on sm_75.
uint32_t gpu_unit_threads(const struct gpu *gpu) {
    const struct simds *of_cu = simds_of(gpu);
    if (of_cu) {
        return of_cu->count * of_cu->waves * gpu->warp_width;
    }
    return is_one_of(gpu, "sm_86|sm_87|sm_89|sm_120") ? 1536 : is_one_of(gpu, "sm_75") ? 1024 : 2048;
}

double gpu_unit_warps(const struct gpu *gpu, double registers) {
    const struct simds *of_cu = simds_of(gpu);
    if (!of_cu) {
        return INFINITY;
    }
    const double own = ceil(fmax(registers, 1) / of_cu->granule) * of_cu->granule;
    return of_cu->count * fmin(of_cu->waves, floor(of_cu->registers / own));
}

// CUDA Programming Guide, technical specifications; the same is assumed on AMD.
uint32_t gpu_unit_blocks(const struct gpu *gpu) {
    return is_one_of(gpu, "sm_89|sm_120") ? 24 : is_one_of(gpu, "sm_35|sm_75|sm_86|sm_87") ? 16 : 32;
}

// CUDA Programming Guide, technical specifications.
uint32_t gpu_unit_registers(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA ? 65536 : 0;
}

// A100 whitepaper: 64 bytes.
uint32_t gpu_slice_bytes(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA ? 64 : gpu->sector_bytes;
}

// CUDA Programming Guide, shared memory of each compute capability: from sm_80 on 1 KiB of each block.
uint32_t gpu_reserved_shared_bytes(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA && !is_one_of(gpu, "sm_35|sm_61|sm_70|sm_75") ? KIBIBYTE : 0;
}

// CUDA Programming Guide, technical specifications: what a block can have, and the reserved part; a block of sm_61 can
// have half.
uint32_t gpu_unit_shared_bytes(const struct gpu *gpu) {
    return is_one_of(gpu, "sm_61") ? 96 * KIBIBYTE : gpu->shared_bytes_per_block + gpu_reserved_shared_bytes(gpu);
}

// On Pascal L1 is one with the texture cache (Pascal Tuning Guide), on AMD the vector cache and the LDS are apart.
bool gpu_shares_l1(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA && !is_one_of(gpu, "sm_61");
}

uint32_t gpu_l2_slices(const struct gpu *gpu) {
    const double slices = gpu_l2_bytes_per_clock(gpu) / gpu_slice_bytes(gpu);
    return slices > 1 ? (uint32_t)slices : 1;
}

// ---- A lower bound of a launch's time: its least work over the part's rates ----

const char *resource_name(enum resource resource) {
    static const char *const names[] = {"memory", "L2", "shared memory", "requests"};
    return names[resource];
}

struct launch_bound launch_bound(const struct gpu *gpu, const struct launch_least *least) {
    const double units = least->blocks < gpu->compute_units ? least->blocks : gpu->compute_units;
    const double clocks_per_ns = gpu->clock_mhz / 1000.0;
    const double ns[] = {
        [RESOURCE_MEMORY] = least->memory_bytes / gpu->memory_gb_s, // 1 GB/s is 1 byte a nanosecond
        [RESOURCE_L2] = gpu->l2_bytes_per_clock > 0 ? least->l2_bytes / (gpu->l2_bytes_per_clock * clocks_per_ns) : 0,
        [RESOURCE_SHARED_MEMORY] = least->passes / (units * clocks_per_ns),
        [RESOURCE_REQUESTS] = least->requests / (units * clocks_per_ns),
    };
    struct launch_bound most = {ns[0], RESOURCE_MEMORY};
    for (enum resource resource = 1; resource < RESOURCES; resource++) {
        if (ns[resource] > most.ns) {
            most = (struct launch_bound){ns[resource], resource};
        }
    }
    return most;
}

double least_memory_bytes(const struct gpu *gpu, const struct memory_traffic *traffic) {
    const double bytes = traffic->load_bytes + traffic->fill_bytes + traffic->write_bytes;
    const double cached = (double)gpu->last_level_cache_bytes;
    return bytes > cached ? bytes - cached : 0;
}
