// The facts about a device, which its backend sets when it opens it.
#ifndef DEVICE_DEVICE_INFO_H
#define DEVICE_DEVICE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gpus.h"

enum {
    DEVICE_TEXT = 256,
    DATA_CACHES_MAX = 4
};

// In the order of listings.
enum backend_kind {
    BACKEND_CUDA,
    BACKEND_HIP,
    BACKEND_CPU,
    BACKEND_SIM,
    BACKEND_COUNT
};

// A cache that keeps data of the CPU's threads.
struct data_cache {
    uint32_t level; // 1, 2, ...
    uint64_t bytes;
    uint32_t line_bytes, ways;
    uint32_t sharers;         // processors that share it, including those that this process may not use
    uint32_t allowed_sharers; // those that it may use
};

// Facts about a device. A number is 0 and a text is empty where the fact is unknown.
// How the simulator runs a kernel: as C by the host's compiler, or as what a GPU's compiler makes of it.
enum device_via {
    VIA_C,
    VIA_PTX,
    VIA_AMDGCN
};

struct device_info {
    char spec[64]; // name for --device: "cuda:0", "sim:h200", "cpu"
    enum backend_kind backend;
    char name[DEVICE_TEXT];     // "NVIDIA H200"
    char arch[64];              // "sm_90", "gfx90a", "x86-64 avx512"
    char driver[DEVICE_TEXT];   // driver version and the path of its library
    char runtime[DEVICE_TEXT];  // library and version of the run-time compiler
    char compiler[DEVICE_TEXT]; // what compiles kernels for this device
    uint64_t memory_bytes;
    uint64_t memory_free_bytes;
    uint64_t last_level_cache_bytes;                // capacity for programs; measured on the CPU
    uint64_t reported_cache_bytes;                  // cpu: the machine's own figure; elsewhere 0
    struct data_cache data_caches[DATA_CACHES_MAX]; // cpu: of the first processor that may be used, from the nearest on
    size_t data_cache_count;                        // elsewhere 0
    uint32_t compute_units;                         // SMs, CUs, or threads of the CPU backend
    uint32_t warp_width;                            // lanes; 1 on the CPU
    bool moves_pages;                               // of managed memory, to where they are accessed
    uint32_t max_block_threads;
    uint32_t shared_bytes_per_block;     // without opting in
    uint32_t shared_bytes_per_block_max; // after opting in
    double clock_mhz;                    // the vendor's or the driver's boost clock
    double time_counter_mhz;             // rate of time_counter() in a kernel; 0: there is no such timer
    double peak_gb_s;                    // memory's theoretical peak bandwidth
    bool predicted;                      // times come from a model, not from a clock
    uint64_t simulated_blocks;           // sim: only about this many blocks of a grid run; 0: all
    bool shows_progress;                 // sim: of long launches, on standard error
    enum device_via via;                 // sim: how kernels run
    const struct gpu *gpu;               // row in the model's table; NULL: none
};

static inline bool device_is_cpu(const struct device_info *info) {
    return info->backend == BACKEND_CPU;
}

static inline bool device_is_real_gpu(const struct device_info *info) {
    return info->backend == BACKEND_CUDA || info->backend == BACKEND_HIP;
}

// The most that caches may hold of what was touched. Guests share the cache of a CPU's host, so what one has of it at
// the start may grow to what the machine reports, which is believed up to the largest caches that cores share.
static inline uint64_t device_cache_bytes_max(const struct device_info *info) {
    const uint64_t most = UINT64_C(128) << 20;
    const uint64_t reported = info->reported_cache_bytes < most ? info->reported_cache_bytes : most;
    return reported > info->last_level_cache_bytes ? reported : info->last_level_cache_bytes;
}

// Bytes that may be allocated: the free memory, or all memory if the device does not know how much is free.
static inline uint64_t device_free_bytes(const struct device_info *info) {
    return info->memory_free_bytes ? info->memory_free_bytes : info->memory_bytes;
}

#endif
