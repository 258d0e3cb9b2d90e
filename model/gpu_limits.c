#include "model/gpu_limits.h"

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

double gpu_memory_channels(const struct gpu *gpu) {
    const double h200_gb_s = 4800.0 / 192;
    return gpu->memory_channels > 0 ? gpu->memory_channels : gpu->memory_gb_s / h200_gb_s;
}

// CUDA Programming Guide, technical specifications: 1536 on sm_86, sm_89 and sm_120, 1024 on sm_75. On AMD 2048 to
// 2560, depending on the part; 2048 is assumed.
uint32_t gpu_unit_threads(const struct gpu *gpu) {
    static const char *const fewer[] = {"sm_86", "sm_89", "sm_120", NULL}, *const fewest[] = {"sm_75", NULL};
    return is_one_of(gpu, fewer) ? 1536 : is_one_of(gpu, fewest) ? 1024 : 2048;
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
