#include "model/gpu_limits.h"

#include <math.h>
#include <string.h>

enum {
    KIBIBYTE = 1024
};

static bool is_one_of(const struct gpu *gpu, const char *const *archs) {
    for (; *archs; archs++) {
        if (strcmp(gpu->arch, *archs) == 0) {
            return true;
        }
    }
    return false;
}

// What gpu-benches measured out of L2 at a stated clock (gpu-cache, footprints beyond L1), by unit: 2490 to 2550 GB/s
// on an A40, which has the chip of other sm_86 parts, and 5370 to 5520 GB/s on an L40. A unit of RDNA is assumed to
// read as much as a unit of an MI210.
static double l2_bytes_of_unit(const struct gpu *gpu) {
    static const char *const ga102[] = {"sm_86", NULL};
    if (gpu->vendor == VENDOR_AMD) {
        return 4096.0 / 104;
    }
    return is_one_of(gpu, ga102) ? 2520 / 1.74 / 84 : 2200.0 / 142;
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

// CUDA Programming Guide, technical specifications: 1536 on sm_86, sm_87, sm_89 and sm_120, 1024 on sm_75. On AMD 2048
// to 2560, depending on the part; 2048 is assumed.
uint32_t gpu_unit_threads(const struct gpu *gpu) {
    static const char *const fewer[] = {"sm_86", "sm_87", "sm_89", "sm_120", NULL}, *const fewest[] = {"sm_75", NULL};
    return is_one_of(gpu, fewer) ? 1536 : is_one_of(gpu, fewest) ? 1024 : 2048;
}

// LLVM, AMDGPUBaseInfo.cpp (getTotalNumVGPRs, getVGPRAllocGranule): a SIMD's registers of a lane, and how many are
// given at a time. From gfx90a on accumulators are among them.
double gpu_unit_warps(const struct gpu *gpu, double registers) {
    static const struct {
        const char *arch;
        double simds, registers, granule;
    } files[] = {{"gfx906", 4, 256, 4},    {"gfx908", 4, 256, 4},    {"gfx90a", 4, 512, 8},    {"gfx942", 4, 512, 8},
                 {"gfx950", 4, 512, 8},    {"gfx1030", 2, 1024, 16}, {"gfx1100", 2, 1536, 24}, {"gfx1101", 2, 1536, 24},
                 {"gfx1151", 2, 1536, 24}, {"gfx1201", 2, 1536, 24}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(gpu->arch, files[i].arch) == 0) {
            const double own = ceil(fmax(registers, 1) / files[i].granule) * files[i].granule;
            return files[i].simds * floor(files[i].registers / own);
        }
    }
    return INFINITY;
}

// CUDA Programming Guide, technical specifications; the same is assumed on AMD.
uint32_t gpu_unit_blocks(const struct gpu *gpu) {
    static const char *const fewer[] = {"sm_89", "sm_120", NULL}, *const fewest[] = {"sm_35", "sm_75", "sm_86", "sm_87",
                                                                                     NULL};
    return is_one_of(gpu, fewer) ? 24 : is_one_of(gpu, fewest) ? 16 : 32;
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
    static const char *const without[] = {"sm_35", "sm_61", "sm_70", "sm_75", NULL};
    return gpu->vendor == VENDOR_NVIDIA && !is_one_of(gpu, without) ? KIBIBYTE : 0;
}

// CUDA Programming Guide, technical specifications: what a block can have, and the reserved part; a block of sm_61 can
// have half.
uint32_t gpu_unit_shared_bytes(const struct gpu *gpu) {
    static const char *const pascal[] = {"sm_61", NULL};
    return is_one_of(gpu, pascal) ? 96 * KIBIBYTE : gpu->shared_bytes_per_block + gpu_reserved_shared_bytes(gpu);
}

// On Pascal L1 is one with the texture cache (Pascal Tuning Guide), on AMD the vector cache and the LDS are apart.
bool gpu_shares_l1(const struct gpu *gpu) {
    static const char *const pascal[] = {"sm_61", NULL};
    return gpu->vendor == VENDOR_NVIDIA && !is_one_of(gpu, pascal);
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
