// AMD GPUs: HIP's module API.
#include <ctype.h>
#include <hip/hip_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "device/gpu/driver.h"
#include "device/gpu/gpu.h"
#include "device/gpu/rocm.h"

// Pins the host's memory for all devices, whose kernels may use it. HIP leaves its NUMA node to the calling thread only
// with this flag.
enum {
    HOST_REGISTERED = hipHostRegisterPortable | hipHostRegisterMapped,
    HOST_ALLOCATED = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocNumaUser
};

enum {
    NOT_SUPPORTED = hipErrorNotSupported
};

// Calls of the table in driver.h, with the arguments as HIP takes them.
#define SHARED_CALLS(F)                                                                                                \
    DRIVER_CALLS(F, hip)                                                                                               \
    F(device_count, hipGetDeviceCount, (int *count), (count))                                                          \
    F(release, hipFree, (uint64_t address), (pointer(address)))                                                        \
    F(pin, hipHostRegister, (void *memory, size_t bytes), (memory, bytes, HOST_REGISTERED))                            \
    F(unpin, hipHostUnregister, (void *memory), (memory))                                                              \
    F(allocate_pinned, hipHostMalloc, (void **memory, size_t bytes), (memory, bytes, HOST_ALLOCATED))                  \
    F(release_pinned, hipHostFree, (void *memory), (memory))

// Functions of HIP that the calls below use.
#define OWN_CALLS(F)                                                                                                   \
    DRIVER_FUNCTIONS(F, hip)                                                                                           \
    F(device_properties, hipGetDeviceProperties)                                                                       \
    F(can_reach, hipDeviceCanAccessPeer)                                                                               \
    F(link, hipExtGetLinkTypeAndHopCount)                                                                              \
    F(set_device, hipSetDevice)                                                                                        \
    F(enable_peer, hipDeviceEnablePeerAccess)                                                                          \
    F(allocate_managed, hipMallocManaged)                                                                              \
    F(allocate, hipMalloc)                                                                                             \
    F(map, hipHostGetDevicePointer)                                                                                    \
    F(launch, hipModuleLaunchKernel)                                                                                   \
    F(stream_create, hipStreamCreateWithFlags)                                                                         \
    F(stream_priorities, hipDeviceGetStreamPriorityRange)                                                              \
    F(event_create, hipEventCreateWithFlags)

// Functions that older drivers lack.
#define OPTIONAL_CALLS(F)                                                                                              \
    DRIVER_GRAPH_FUNCTIONS(F, hip)                                                                                     \
    F(allocate_pool, hipMallocAsync)                                                                                   \
    F(prefetch, hipMemPrefetchAsync)                                                                                   \
    F(advise, hipMemAdvise)

static const struct library_search driver_search = {
    .title = "HIP",
    .names = (const char *const[]){"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
    ROCM_PLACES("HIP runtime"),
};

DRIVER_LIBRARY(driver_search)

static hipDeviceptr_t pointer(uint64_t address) {
    return (hipDeviceptr_t)(uintptr_t)address;
}

SHARED_CALLS(DRIVER_CALL)

static const char *error_name(int result) {
    return calls.error_name((hipError_t)result);
}

static const char *error_text(int result) {
    return calls.error_text((hipError_t)result);
}

static bool refused_launch(int result) {
    return result == hipErrorInvalidValue || result == hipErrorInvalidConfiguration ||
           result == hipErrorLaunchOutOfResources;
}

static void version(char *text, size_t size) {
    int number = 0;
    (void)calls.version(&number);
    snprintf(text, size, "HIP %d.%d.%d", number / 10000000, number / 100000 % 100, number % 100000);
}

// ---- Devices ----

static int attribute_of(int ordinal, int attribute) {
    int value = 0;
    return calls.attribute(&value, (hipDeviceAttribute_t)attribute, ordinal) == hipSuccess && value > 0 ? value : 0;
}

static const int attributes[GPU_ATTRIBUTE_COUNT] = {
    [GPU_COMPUTE_UNITS] = hipDeviceAttributeMultiprocessorCount,
    [GPU_WARP_WIDTH] = hipDeviceAttributeWarpSize,
    [GPU_BLOCK_THREADS] = hipDeviceAttributeMaxThreadsPerBlock,
    [GPU_SHARED_BYTES] = hipDeviceAttributeMaxSharedMemoryPerBlock,
    [GPU_SHARED_BYTES_MAX] = hipDeviceAttributeSharedMemPerBlockOptin,
    [GPU_CLOCK_KHZ] = hipDeviceAttributeClockRate,
    [GPU_MEMORY_CLOCK_KHZ] = hipDeviceAttributeMemoryClockRate,
    [GPU_MEMORY_BUS_BITS] = hipDeviceAttributeMemoryBusWidth,
    [GPU_L2_BYTES] = hipDeviceAttributeL2CacheSize,
    [GPU_MOVES_PAGES] = hipDeviceAttributeConcurrentManagedAccess,
};

// The arch in the compiler's form, "gfx90a:sramecc+:xnack-", is a member of the device's properties, whose offset and
// size changed with ROCm 6. The library may be older or newer than the headers, so the text is searched for.
static enum status find_target(struct device_info *info, int ordinal, char *target, size_t size, struct error *error) {
    union {
        hipDeviceProp_t properties;
        char bytes[16384];
    } answer;
    memset(&answer, 0, sizeof answer);
    const hipError_t result = calls.device_properties(&answer.properties, ordinal);
    if (result != hipSuccess) {
        return gpu_fault(&hip_driver, info->spec, (int)result, "asking for the arch", error);
    }
    const char *arch = answer.bytes, *end = answer.bytes + sizeof answer.bytes - size;
    while (arch < end && !(!strncmp(arch, "gfx", 3) && isdigit((unsigned char)arch[3]))) {
        arch++;
    }
    if (arch == end) {
        return error_set(error, STATUS_NO_DEVICE, "%s: the driver names no gfx arch: this part cannot run HIP",
                         info->spec);
    }
    snprintf(target, size, "%.*s", (int)strnlen(arch, size - 1), arch);
    snprintf(info->arch, sizeof info->arch, "%.*s", (int)strcspn(arch, ":"), arch);
    return STATUS_OK;
}

// ROCm 5.3 added the attribute after the last one of earlier versions; without it CDNA's rate is assumed.
static double time_counter_mhz(int ordinal) {
    const int rate_khz = attribute_of(ordinal, hipDeviceAttributeFineGrainSupport + 1);
    return rate_khz ? rate_khz / 1e3 : 100;
}

static void link_of(int ordinal, int peer, struct device_link *link) {
    enum {
        INFINITY_FABRIC = 4 // value of HSA_AMD_LINK_INFO_TYPE_XGMI in hsa_ext_amd.h, a type of link
    };
    int direct = 0, atomics = 0, rank = -1;
    uint32_t type = 0, hops = 0;
    (void)calls.can_reach(&direct, ordinal, peer);
    (void)calls.peer_attribute(&atomics, hipDevP2PAttrNativeAtomicSupported, ordinal, peer);
    if (calls.peer_attribute(&rank, hipDevP2PAttrPerformanceRank, ordinal, peer) == hipSuccess) {
        link->rank = rank;
    }
    link->direct = direct > 0;
    link->atomics = atomics > 0;
    if (calls.link(ordinal, peer, &type, &hops) == hipSuccess && type == INFINITY_FABRIC) {
        snprintf(link->name, sizeof link->name, "Infinity Fabric, %" PRIu32 " hop%s", hops, hops == 1 ? "" : "s");
    }
}

// ---- Contexts: in HIP the device that the thread has selected ----

static int enter(const struct gpu_context *context) {
    return (int)calls.set_device(context->ordinal);
}

static int enable_peer(const struct gpu_context *peer) {
    const hipError_t result = calls.enable_peer(peer->ordinal, 0);
    return result == hipErrorPeerAccessAlreadyEnabled ? 0 : (int)result;
}

// ---- Memory ----

DRIVER_MEMORY_CALLS(void *, hipMemAttachGlobal)

static int prefetch(const struct gpu_context *context, uint64_t address, size_t bytes, bool to_device, void *stream) {
    return calls.prefetch
               ? (int)calls.prefetch(pointer(address), bytes, to_device ? context->ordinal : hipCpuDeviceId, stream)
               : hipErrorNotSupported;
}

static int keep_on_host(const struct gpu_context *context, uint64_t address, size_t bytes) {
    if (!calls.advise) {
        return hipErrorNotSupported;
    }
    const hipError_t result = calls.advise(pointer(address), bytes, hipMemAdviseSetPreferredLocation, hipCpuDeviceId);
    return (int)(result == hipSuccess
                     ? calls.advise(pointer(address), bytes, hipMemAdviseSetAccessedBy, context->ordinal)
                     : result);
}

static int copy_to_peer(uint64_t to, const struct gpu_context *to_context, uint64_t from,
                        const struct gpu_context *from_context, size_t bytes, void *stream) {
    return (int)calls.copy_to_peer(pointer(to), to_context->ordinal, pointer(from), from_context->ordinal, bytes,
                                   stream);
}

static int copy_rows(const struct device_rows *rows, void *stream) {
    return (int)(rows->to_host
                     ? calls.copy_rows(rows->host, rows->host_pitch, pointer(rows->device), rows->device_pitch,
                                       rows->row_bytes, rows->rows, hipMemcpyDeviceToHost, stream)
                     : calls.copy_rows(pointer(rows->device), rows->device_pitch, rows->host, rows->host_pitch,
                                       rows->row_bytes, rows->rows, hipMemcpyHostToDevice, stream));
}

// ---- Kernels ----

DRIVER_MAKE(load_module, hipModule_t, (void **module, const void *code), module, (&made, code))
DRIVER_MAKE(find_function, hipFunction_t, (void **function, void *module, const char *entry), function,
            (&made, module, entry))

static int launch(void *function, const struct launch *launch, void *stream, void **parameters) {
    const struct dimensions grid = launch->grid, block = launch->block;
    return (int)calls.launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, launch->dynamic_shared_bytes,
                             stream, parameters, NULL);
}

// ---- Streams and events ----

DRIVER_STREAM_CALLS(hipStream_t, hipEvent_t, hipStreamNonBlocking)

// ---- Graphs ----

DRIVER_GRAPH_CALLS(hip, hipGraph_t, hipGraphExec_t, hipStreamCaptureModeThreadLocal)

const struct gpu_driver hip_driver = {.backend = BACKEND_HIP,
                                      .name = "hip",
                                      .compiler = &hiprtc_compiler,
                                      .out_of_memory = hipErrorOutOfMemory,
                                      .not_ready = hipErrorNotReady,
                                      .doubled_archs = "gfx9", // with HBM; no such rule applies to GDDR6's clock
                                      DRIVER_OWN_ROWS,
                                      SHARED_CALLS(DRIVER_ROW)};

DRIVER_BACKEND(BACKEND_HIP, hip)
