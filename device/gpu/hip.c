// AMD GPUs: HIP's module API and hiprtc.
#include "device/backends.h"
#include "device/gpu/compile.h"

#define GPU_BACKEND "hip"
#define GPU_OPERATIONS hip_backend
#define GPU_COMPILE hip_compile

#ifdef HAVE_HIP

#include <ctype.h>
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/library.h"
#include "device/pci.h"

#define DRIVER_FUNCTIONS(F)                                                                                            \
    F(initialise, hipInit)                                                                                             \
    F(version, hipDriverGetVersion)                                                                                    \
    F(error_name, hipGetErrorName)                                                                                     \
    F(error_text, hipGetErrorString)                                                                                   \
    F(device_count, hipGetDeviceCount)                                                                                 \
    F(device_name, hipDeviceGetName)                                                                                   \
    F(device_properties, hipGetDeviceProperties)                                                                       \
    F(attribute, hipDeviceGetAttribute)                                                                                \
    F(pci_address, hipDeviceGetPCIBusId)                                                                               \
    F(can_reach, hipDeviceCanAccessPeer)                                                                               \
    F(link, hipExtGetLinkTypeAndHopCount)                                                                              \
    F(set_device, hipSetDevice)                                                                                        \
    F(enable_peer, hipDeviceEnablePeerAccess)                                                                          \
    F(memory_info, hipMemGetInfo)                                                                                      \
    F(allocate, hipMalloc)                                                                                             \
    F(release, hipFree)                                                                                                \
    F(pin, hipHostRegister)                                                                                            \
    F(unpin, hipHostUnregister)                                                                                        \
    F(copy_rows, hipMemcpy2DAsync)                                                                                     \
    F(copy_to_device, hipMemcpyHtoDAsync)                                                                              \
    F(copy_to_host, hipMemcpyDtoHAsync)                                                                                \
    F(copy_on_device, hipMemcpyDtoDAsync)                                                                              \
    F(copy_peer, hipMemcpyPeerAsync)                                                                                   \
    F(fill, hipMemsetD8Async)                                                                                          \
    F(load_module, hipModuleLoadData)                                                                                  \
    F(find_function, hipModuleGetFunction)                                                                             \
    F(unload_module, hipModuleUnload)                                                                                  \
    F(launch, hipModuleLaunchKernel)                                                                                   \
    F(stream_create, hipStreamCreateWithFlags)                                                                         \
    F(stream_priorities, hipDeviceGetStreamPriorityRange)                                                              \
    F(stream_create_prior, hipStreamCreateWithPriority)                                                                \
    F(stream_destroy, hipStreamDestroy)                                                                                \
    F(stream_synchronize, hipStreamSynchronize)                                                                        \
    F(event_create, hipEventCreateWithFlags)                                                                           \
    F(event_destroy, hipEventDestroy)                                                                                  \
    F(event_record, hipEventRecord)                                                                                    \
    F(event_wait, hipStreamWaitEvent)                                                                                  \
    F(event_elapsed, hipEventElapsedTime)

#define COMPILER_FUNCTIONS(F)                                                                                          \
    F(version, hiprtcVersion)                                                                                          \
    F(error_text, hiprtcGetErrorString)                                                                                \
    F(create, hiprtcCreateProgram)                                                                                     \
    F(compile, hiprtcCompileProgram)                                                                                   \
    F(destroy, hiprtcDestroyProgram)                                                                                   \
    F(log_size, hiprtcGetProgramLogSize)                                                                               \
    F(log, hiprtcGetProgramLog)                                                                                        \
    F(code_size, hiprtcGetCodeSize)                                                                                    \
    F(code, hiprtcGetCode)

#define ROCM_PLACES                                                                                                    \
    .advice = "install ROCm's HIP runtime, or set ROCM_PATH to where it is",                                           \
    .variables = (const char *const[]){"ROCM_PATH", "HIP_PATH", NULL},                                                 \
    .folders = (const char *const[]){"/opt/rocm", "/opt/rocm-*", NULL}, .wheels = (const char *const[]) {              \
        "_rocm_sdk_core/lib", "torch/lib", NULL                                                                        \
    }

static const struct library_search driver_search = {
    .title = "HIP",
    .names = (const char *const[]){"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
    ROCM_PLACES,
};

// Up to ROCm 5.2 hiprtc was a part of the HIP library.
static const struct library_search compiler_search = {
    .title = "hiprtc",
    .names = (const char *const[]){"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                   "libamdhip64.so", "libamdhip64.so.5", NULL},
    ROCM_PLACES,
};

#include "device/gpu/api.inc.h"

static bool compiler_suits(void *handle) {
    return dlsym(handle, "hiprtcCreateProgram") != NULL;
}

typedef hiprtcProgram rtc_program;
typedef hiprtcResult rtc_result;
#define RTC_SUCCESS HIPRTC_SUCCESS
#define RTC_OUT_OF_MEMORY HIPRTC_ERROR_OUT_OF_MEMORY
#define ARCH_OPTION "--offload-arch="
#define COMPILER_NAME "hiprtc"
static const char *const compile_options[] = {"-std=c++17", "-O3"};

#include "device/gpu/compile.inc.h"

static rtc_result get_code(rtc_program program, const char *arch, struct gpu_code *code) {
    (void)arch;
    return read_code(program, compiler.code_size, compiler.code, code);
}

typedef hipError_t gpu_result;
typedef hipDeviceptr_t gpu_pointer;
typedef int gpu_place;
typedef hipStream_t gpu_stream;
typedef hipEvent_t gpu_event;
typedef hipModule_t gpu_module;
typedef hipFunction_t gpu_function;
typedef hipDeviceAttribute_t gpu_attribute;
#define GPU_SUCCESS hipSuccess
#define GPU_OUT_OF_MEMORY hipErrorOutOfMemory
#define GPU_REFUSED_LAUNCH(result)                                                                                     \
    ((result) == hipErrorInvalidValue || (result) == hipErrorInvalidConfiguration ||                                   \
     (result) == hipErrorLaunchOutOfResources)
#define GPU_STREAM_NON_BLOCKING hipStreamNonBlocking
#define GPU_PIN_PORTABLE hipHostRegisterPortable
#define GPU_COPY_SOURCE(from) ((void *)(uintptr_t)(from)) // not const in ROCm 5
#define ATTRIBUTE_COMPUTE_UNITS hipDeviceAttributeMultiprocessorCount
#define ATTRIBUTE_WARP_WIDTH hipDeviceAttributeWarpSize
#define ATTRIBUTE_BLOCK_THREADS hipDeviceAttributeMaxThreadsPerBlock
#define ATTRIBUTE_SHARED_BYTES hipDeviceAttributeMaxSharedMemoryPerBlock
#define ATTRIBUTE_SHARED_BYTES_MAX hipDeviceAttributeSharedMemPerBlockOptin
#define ATTRIBUTE_CLOCK_KHZ hipDeviceAttributeClockRate
#define ATTRIBUTE_L2_BYTES hipDeviceAttributeL2CacheSize

#include "device/gpu/backend.inc.h"

static gpu_result place_open(struct gpu_device *device) {
    device->place = device->ordinal;
    return hipSuccess;
}

static void place_close(struct gpu_device *device) {
    (void)device;
}

static gpu_result place_enter(const struct gpu_device *device) {
    return driver.set_device(device->ordinal);
}

static void place_reach(const struct gpu_device *peer) {
    (void)driver.enable_peer(peer->ordinal, 0);
}

static gpu_result place_copy_rows(const struct device_rows *rows, gpu_stream stream) {
    return rows->to_host ? driver.copy_rows(rows->host, rows->host_pitch, pointer(rows->device), rows->device_pitch,
                                            rows->row_bytes, rows->rows, hipMemcpyDeviceToHost, stream)
                         : driver.copy_rows(pointer(rows->device), rows->device_pitch, rows->host, rows->host_pitch,
                                            rows->row_bytes, rows->rows, hipMemcpyHostToDevice, stream);
}

static void find_link(const struct gpu_device *device, const struct gpu_device *peer, struct device_link *link) {
    enum {
        INFINITY_FABRIC = 4 // HSA_AMD_LINK_INFO_TYPE_XGMI of hsa_ext_amd.h, which says what a link's type is
    };
    int direct = 0;
    uint32_t type = 0, hops = 0;
    (void)driver.can_reach(&direct, device->ordinal, peer->ordinal);
    link->direct = direct > 0;
    if (driver.link(device->ordinal, peer->ordinal, &type, &hops) == hipSuccess && type == INFINITY_FABRIC) {
        snprintf(link->name, sizeof link->name, "Infinity Fabric, %" PRIu32 " hop%s", hops, hops == 1 ? "" : "s");
    } else {
        pci_link(device, peer, link);
    }
}

static const char *error_name(gpu_result result) {
    return driver.error_name(result);
}

static const char *error_text(gpu_result result) {
    return driver.error_text(result);
}

// All of LDS is a block's for the asking.
static gpu_result allow_shared(gpu_function function, int bytes) {
    (void)function;
    (void)bytes;
    return hipSuccess;
}

static void version_text(char *text, size_t size, int version) {
    snprintf(text, size, "HIP %d.%d.%d", version / 10000000, version / 100000 % 100, version % 100000);
}

// The arch as the compiler wants it, "gfx90a:sramecc+:xnack-", is a member of the device's properties, whose place
// and size changed with ROCm 6. The library may be older or newer than the headers, so the text is searched for.
static enum status find_target(struct gpu_device *device, struct error *error) {
    union {
        hipDeviceProp_t properties;
        char bytes[16384];
    } answer;
    memset(&answer, 0, sizeof answer);
    gpu_result result = driver.device_properties(&answer.properties, device->ordinal);
    if (result != hipSuccess) {
        return check(device, result, "asking for the arch", error);
    }
    const char *arch = answer.bytes, *end = answer.bytes + sizeof answer.bytes - sizeof device->target;
    while (arch < end && !(!strncmp(arch, "gfx", 3) && isdigit((unsigned char)arch[3]))) {
        arch++;
    }
    if (arch == end) {
        return error_set(error, STATUS_NO_DEVICE, "%s: the driver names no gfx arch: this part cannot run HIP",
                         device->base.info.spec);
    }
    snprintf(device->target, sizeof device->target, "%.*s", (int)strnlen(arch, sizeof device->target - 1), arch);
    snprintf(device->base.info.arch, sizeof device->base.info.arch, "%.*s", (int)strcspn(arch, ":"), arch);
    return STATUS_OK;
}

// Two transfers a memory clock on HBM, the memory of gfx9; on GDDR6 the clock that HIP states has no such rule.
static double find_peak_gb_s(const struct gpu_device *device) {
    bool has_hbm = !strncmp(device->base.info.arch, "gfx9", 4);
    double clock_hz = attribute(device, hipDeviceAttributeMemoryClockRate) * 1e3;
    return has_hbm ? 2 * clock_hz * attribute(device, hipDeviceAttributeMemoryBusWidth) / 8 / 1e9 : 0;
}

// ROCm 5.3 added the attribute behind the last one of before; where it is not known, CDNA's rate.
static double find_time_counter_mhz(const struct gpu_device *device) {
    int rate_khz = attribute(device, (gpu_attribute)(hipDeviceAttributeFineGrainSupport + 1));
    return rate_khz ? rate_khz / 1e3 : 100;
}

#else

#define GPU_HEADER "HIP's hip_runtime_api.h and hiprtc.h"
#include "device/missing_backend.inc.h"

#endif
