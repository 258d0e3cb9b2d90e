// NVIDIA GPUs: CUDA's driver API.
#include <cuda.h>
#include <stdio.h>

#include "device/device.h"
#include "device/gpu/driver.h"
#include "device/gpu/gpu.h"

// The host's memory is pinned for all devices, and their kernels may use it.
enum {
    HOST_REGISTERED = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP,
    HOST_ALLOCATED = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
};

enum {
    NOT_SUPPORTED = CUDA_ERROR_NOT_SUPPORTED
};

// In cudaProfiler.h, which not every package of CUDA's headers has.
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

// CUDA's headers have it since 11.4.
CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags);

// Calls of the table in driver.h, with the arguments as CUDA takes them.
#define SHARED_CALLS(F)                                                                                                \
    DRIVER_CALLS(F, cu)                                                                                                \
    F(device_count, cuDeviceGetCount, (int *count), (count))                                                           \
    F(release, cuMemFree, (uint64_t address), (address))                                                               \
    F(pin, cuMemHostRegister, (void *memory, size_t bytes), (memory, bytes, HOST_REGISTERED))                          \
    F(unpin, cuMemHostUnregister, (void *memory), (memory))                                                            \
    F(allocate_pinned, cuMemHostAlloc, (void **memory, size_t bytes), (memory, bytes, HOST_ALLOCATED))                 \
    F(release_pinned, cuMemFreeHost, (void *memory), (memory))

// Functions of CUDA that the calls below use.
#define OWN_CALLS(F)                                                                                                   \
    DRIVER_FUNCTIONS(F, cu)                                                                                            \
    F(device, cuDeviceGet)                                                                                             \
    F(retain_context, cuDevicePrimaryCtxRetain)                                                                        \
    F(release_context, cuDevicePrimaryCtxRelease)                                                                      \
    F(set_context, cuCtxSetCurrent)                                                                                    \
    F(enable_peer, cuCtxEnablePeerAccess)                                                                              \
    F(allocate_managed, cuMemAllocManaged)                                                                             \
    F(allocate, cuMemAlloc)                                                                                            \
    F(map, cuMemHostGetDevicePointer)                                                                                  \
    F(set_function_attribute, cuFuncSetAttribute)                                                                      \
    F(launch, cuLaunchKernel)                                                                                          \
    F(stream_create, cuStreamCreate)                                                                                   \
    F(stream_priorities, cuCtxGetStreamPriorityRange)                                                                  \
    F(event_create, cuEventCreate)                                                                                     \
    F(profiler_start, cuProfilerStart)                                                                                 \
    F(profiler_stop, cuProfilerStop)

// Since 12.2 they take a kind of place, before that a device.
#if CUDA_VERSION >= 12020
#define MANAGED_CALLS(F)                                                                                               \
    F(prefetch, cuMemPrefetchAsync_v2)                                                                                 \
    F(advise, cuMemAdvise_v2)
#else
#define MANAGED_CALLS(F)                                                                                               \
    F(prefetch, cuMemPrefetchAsync)                                                                                    \
    F(advise, cuMemAdvise)
#endif

#if CUDA_VERSION >= 11080 // whose headers have them
#define LAUNCH_CALLS(F)                                                                                                \
    F(max_active_clusters, cuOccupancyMaxActiveClusters)                                                               \
    F(function_attribute, cuFuncGetAttribute)                                                                          \
    F(launch_by, cuLaunchKernelEx)
#else
#define LAUNCH_CALLS(F)
#endif

// Functions that older drivers lack.
#define OPTIONAL_CALLS(F)                                                                                              \
    DRIVER_GRAPH_FUNCTIONS(F, cu)                                                                                      \
    F(allocate_pool, cuMemAllocAsync)                                                                                  \
    MANAGED_CALLS(F)                                                                                                   \
    LAUNCH_CALLS(F)

// The driver's library belongs to the kernel driver; a toolkit has only stubs of it.
static const struct library_search driver_search = {
    .title = "NVIDIA's driver",
    .advice = "install the NVIDIA driver",
    .names = (const char *const[]){"libcuda.so.1", "libcuda.so", NULL},
    .variables = (const char *const[]){NULL},
    .folders = (const char *const[]){"/usr", "/usr/local/nvidia", "/usr/lib/wsl", "/run/opengl-driver", NULL},
    .wheels = (const char *const[]){NULL},
};

DRIVER_LIBRARY(driver_search)

static CUdeviceptr pointer(uint64_t address) {
    return address;
}

SHARED_CALLS(DRIVER_CALL)

static const char *error_name(int result) {
    const char *name = NULL;
    calls.error_name((CUresult)result, &name);
    return name ? name : "an unknown error";
}

static const char *error_text(int result) {
    const char *text = NULL;
    calls.error_text((CUresult)result, &text);
    return text ? text : "no description";
}

static bool refused_launch(int result) {
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

static int version_number(void) {
    int version = 0;
    calls.version(&version);
    return version;
}

static void version(char *text, size_t size) {
    const int number = version_number();
    snprintf(text, size, "CUDA %d.%d", number / 1000, number % 1000 / 10);
}

static int major_version(void) {
    return version_number() / 1000;
}

// ---- Devices ----

static int attribute_of(int ordinal, int attribute) {
    int value = 0;
    return calls.attribute(&value, (CUdevice_attribute)attribute, ordinal) == CUDA_SUCCESS && value > 0 ? value : 0;
}

static const int attributes[GPU_ATTRIBUTE_COUNT] = {
    [GPU_COMPUTE_UNITS] = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    [GPU_WARP_WIDTH] = CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    [GPU_BLOCK_THREADS] = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    [GPU_SHARED_BYTES] = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    [GPU_SHARED_BYTES_MAX] = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    [GPU_CLOCK_KHZ] = CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
    [GPU_MEMORY_CLOCK_KHZ] = CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
    [GPU_MEMORY_BUS_BITS] = CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
    [GPU_L2_BYTES] = CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    [GPU_MOVES_PAGES] = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
};

// Machine code for the device if NVRTC knows it, otherwise PTX, which the driver compiles.
static enum status find_target(struct device_info *info, int ordinal, char *target, size_t size, struct error *error) {
    const int arch = attribute_of(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                     attribute_of(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    const int best = nvrtc_compiler.best_arch(arch);
    snprintf(info->arch, sizeof info->arch, "sm_%d", arch);
    if (!best) {
        return error_set(error, STATUS_NO_DEVICE,
                         "%s: %s does not compile for sm_%d any more: install an older CUDA toolkit", info->spec,
                         nvrtc_compiler.library->library.path, arch);
    }
    snprintf(target, size, "%s_%d", best == arch ? "sm" : "compute", best);
    return STATUS_OK;
}

// %globaltimer counts nanoseconds.
static double time_counter_mhz(int ordinal) {
    (void)ordinal;
    return 1000;
}

// Only NVLink executes all atomics on a peer's memory in hardware.
static void link_of(int ordinal, int peer, struct device_link *link) {
    CUdevice from, to;
    int direct = 0, atomics = 0, rank = -1;
    if (calls.device(&from, ordinal) != CUDA_SUCCESS || calls.device(&to, peer) != CUDA_SUCCESS) {
        return;
    }
    calls.peer_attribute(&direct, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, from, to);
    calls.peer_attribute(&atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to);
    if (calls.peer_attribute(&rank, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, from, to) == CUDA_SUCCESS) {
        link->rank = rank;
    }
    link->direct = direct > 0;
    link->atomics = atomics > 0;
    if (direct > 0 && atomics > 0) {
        snprintf(link->name, sizeof link->name, "NVLink");
    }
}

// ---- Contexts ----

static int open_context(struct gpu_context *context) {
    CUdevice device;
    CUcontext handle = NULL;
    CUresult result = calls.device(&device, context->ordinal);
    if (result == CUDA_SUCCESS) {
        result = calls.retain_context(&handle, device);
    }
    context->handle = handle;
    return (int)result;
}

static void close_context(struct gpu_context *context) {
    CUdevice device;
    if (context->handle && calls.device(&device, context->ordinal) == CUDA_SUCCESS) {
        calls.release_context(device);
    }
}

static int enter(const struct gpu_context *context) {
    return (int)calls.set_context(context->handle);
}

static int enable_peer(const struct gpu_context *peer) {
    const CUresult result = calls.enable_peer(peer->handle, 0);
    return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? 0 : (int)result;
}

// ---- Memory ----

DRIVER_MEMORY_CALLS(CUdeviceptr, CU_MEM_ATTACH_GLOBAL)

#if CUDA_VERSION >= 12020
static CUmemLocation place_of(bool device, int ordinal) {
    return (CUmemLocation){.type = device ? CU_MEM_LOCATION_TYPE_DEVICE : CU_MEM_LOCATION_TYPE_HOST,
                           .id = device ? ordinal : 0};
}
#define NO_FLAGS 0,
#else
static CUdevice place_of(bool device, int ordinal) {
    return device ? (CUdevice)ordinal : CU_DEVICE_CPU;
}
#define NO_FLAGS
#endif

static int prefetch(const struct gpu_context *context, uint64_t address, size_t bytes, bool to_device, void *stream) {
    return calls.prefetch ? (int)calls.prefetch(address, bytes, place_of(to_device, context->ordinal), NO_FLAGS stream)
                          : CUDA_ERROR_NOT_SUPPORTED;
}

static int keep_on_host(const struct gpu_context *context, uint64_t address, size_t bytes) {
    if (!calls.advise) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const CUresult result =
        calls.advise(address, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place_of(false, context->ordinal));
    return (int)(result == CUDA_SUCCESS
                     ? calls.advise(address, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, place_of(true, context->ordinal))
                     : result);
}

static int copy_to_peer(uint64_t to, const struct gpu_context *to_context, uint64_t from,
                        const struct gpu_context *from_context, size_t bytes, void *stream) {
    return (int)calls.copy_to_peer(to, to_context->handle, from, from_context->handle, bytes, stream);
}

static int copy_rows(const struct device_rows *rows, void *stream) {
    CUDA_MEMCPY2D copy = {.WidthInBytes = rows->row_bytes, .Height = rows->rows};
    if (rows->to_host) {
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = rows->device;
        copy.srcPitch = rows->device_pitch;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = rows->host;
        copy.dstPitch = rows->host_pitch;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = rows->host;
        copy.srcPitch = rows->host_pitch;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = rows->device;
        copy.dstPitch = rows->device_pitch;
    }
    return (int)calls.copy_rows(&copy, stream);
}

// ---- Kernels ----

DRIVER_MAKE(load_module, CUmodule, (void **module, const void *code), module, (&made, code))
DRIVER_MAKE(find_function, CUfunction, (void **function, void *module, const char *entry), function,
            (&made, module, entry))

static int allow_shared(void *function, int bytes) {
    return (int)calls.set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

#if CUDA_VERSION >= 11080
// A launch with one attribute.
static CUlaunchConfig config_of(const struct launch *launch, struct dimensions grid, CUlaunchAttribute *attribute) {
    return (CUlaunchConfig){.gridDimX = grid.x,
                            .gridDimY = grid.y,
                            .gridDimZ = grid.z,
                            .blockDimX = launch->block.x,
                            .blockDimY = launch->block.y,
                            .blockDimZ = launch->block.z,
                            .sharedMemBytes = launch->dynamic_shared_bytes,
                            .attrs = attribute,
                            .numAttrs = 1};
}

// Whether a kernel waits for the launch before it: only what is compiled for Hopper or later does (await_last_launch in
// device/kernel/kernel.h).
static bool may_overlap(CUfunction function) {
    int compiled_for = 0;
    return calls.launch_by && calls.function_attribute &&
           calls.function_attribute(&compiled_for, CU_FUNC_ATTRIBUTE_PTX_VERSION, function) == CUDA_SUCCESS &&
           compiled_for >= 90;
}
#endif

static int launch(void *function, const struct launch *launch, void *stream, void **parameters) {
    const struct dimensions grid = launch->grid, block = launch->block;
#if CUDA_VERSION >= 11080
    if (launch->overlaps && may_overlap(function)) {
        CUlaunchAttribute overlap = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                     .value.programmaticStreamSerializationAllowed = 1};
        CUlaunchConfig config = config_of(launch, grid, &overlap);
        config.hStream = stream;
        return (int)calls.launch_by(&config, function, parameters, NULL);
    }
#endif
    return (int)calls.launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, launch->dynamic_shared_bytes,
                             stream, parameters, NULL);
}

// More than 8 blocks are not portable, so the driver wants them allowed.
static int active_clusters(void *function, const struct launch *launch, uint32_t blocks, uint32_t *clusters) {
#if CUDA_VERSION >= 11080
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {.x = blocks, .y = 1, .z = 1}};
    const CUlaunchConfig config = config_of(launch, (struct dimensions){blocks, 1, 1}, &cluster);
    int count = 0;
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    if (calls.max_active_clusters) {
        result = calls.set_function_attribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    if (result == CUDA_SUCCESS) {
        result = calls.max_active_clusters(&count, function, &config);
    }
    *clusters = (uint32_t)count;
    return (int)result;
#else
    (void)function, (void)launch, (void)blocks, (void)clusters;
    return CUDA_ERROR_NOT_SUPPORTED;
#endif
}

// ---- Streams and events ----

DRIVER_STREAM_CALLS(CUstream, CUevent, CU_STREAM_NON_BLOCKING)

// ---- Graphs ----

DRIVER_GRAPH_CALLS(cu, CUgraph, CUgraphExec, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)

static int profile(bool on) {
    return (int)(on ? calls.profiler_start() : calls.profiler_stop());
}

const struct gpu_driver cuda_driver = {.backend = BACKEND_CUDA,
                                       .name = "cuda",
                                       .compiler = &nvrtc_compiler,
                                       .out_of_memory = CUDA_ERROR_OUT_OF_MEMORY,
                                       .not_ready = CUDA_ERROR_NOT_READY,
                                       .doubled_archs = "sm_",
                                       .open_context = open_context,
                                       .close_context = close_context,
                                       .allow_shared = allow_shared,
                                       .active_clusters = active_clusters,
                                       .major = major_version,
                                       .profile = profile,
                                       DRIVER_OWN_ROWS,
                                       SHARED_CALLS(DRIVER_ROW)};

DRIVER_BACKEND(BACKEND_CUDA, cuda)
