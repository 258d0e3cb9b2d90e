// What a GPU's compiler made of the kernels of this session: measurements are repeated in rounds, and compiling a
// kernel takes longer than measuring it.
#ifndef DEVICE_GPU_CODE_CACHE_H
#define DEVICE_GPU_CODE_CACHE_H

#include "device/gpu/compile.h"

struct cached_code;

struct code_cache {
    struct cached_code *codes;
    size_t count;
};

// gpu_compile, unless the same text was compiled with the same headers and constants before. All kernels of a cache are
// compiled for one arch. The code stays the cache's.
enum status code_cache_compile(struct code_cache *cache, const struct gpu_compiler *compiler,
                               const struct kernel_request *request, const char *arch, uint32_t warp_width,
                               const struct gpu_code **code, struct error *error);

void code_cache_destroy(struct code_cache *cache);

#endif
