// NVIDIA GPUs: CUDA's driver API and NVRTC.
#include "device/backends.h"
#include "device/gpu/compile.h"

#define GPU_BACKEND "cuda"
#define GPU_OPERATIONS cuda_backend
#define GPU_COMPILE cuda_compile

#ifdef HAVE_CUDA

#include <ctype.h>
#include <cuda.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/library.h"
#include "device/pci.h"

#define DRIVER_FUNCTIONS(F)                                                                                            \
    F(initialise, cuInit)                                                                                              \
    F(version, cuDriverGetVersion)                                                                                     \
    F(error_name, cuGetErrorName)                                                                                      \
    F(error_text, cuGetErrorString)                                                                                    \
    F(device_count, cuDeviceGetCount)                                                                                  \
    F(device, cuDeviceGet)                                                                                             \
    F(device_name, cuDeviceGetName)                                                                                    \
    F(attribute, cuDeviceGetAttribute)                                                                                 \
    F(pci_address, cuDeviceGetPCIBusId)                                                                                \
    F(peer_attribute, cuDeviceGetP2PAttribute)                                                                         \
    F(retain_context, cuDevicePrimaryCtxRetain)                                                                        \
    F(release_context, cuDevicePrimaryCtxRelease)                                                                      \
    F(set_context, cuCtxSetCurrent)                                                                                    \
    F(enable_peer, cuCtxEnablePeerAccess)                                                                              \
    F(memory_info, cuMemGetInfo)                                                                                       \
    F(allocate, cuMemAlloc)                                                                                            \
    F(release, cuMemFree)                                                                                              \
    F(pin, cuMemHostRegister)                                                                                          \
    F(unpin, cuMemHostUnregister)                                                                                      \
    F(copy_rows, cuMemcpy2DAsync)                                                                                      \
    F(copy_to_device, cuMemcpyHtoDAsync)                                                                               \
    F(copy_to_host, cuMemcpyDtoHAsync)                                                                                 \
    F(copy_on_device, cuMemcpyDtoDAsync)                                                                               \
    F(copy_peer, cuMemcpyPeerAsync)                                                                                    \
    F(fill, cuMemsetD8Async)                                                                                           \
    F(load_module, cuModuleLoadData)                                                                                   \
    F(find_function, cuModuleGetFunction)                                                                              \
    F(unload_module, cuModuleUnload)                                                                                   \
    F(set_function_attribute, cuFuncSetAttribute)                                                                      \
    F(launch, cuLaunchKernel)                                                                                          \
    F(stream_create, cuStreamCreate)                                                                                   \
    F(stream_priorities, cuCtxGetStreamPriorityRange)                                                                  \
    F(stream_create_prior, cuStreamCreateWithPriority)                                                                 \
    F(stream_destroy, cuStreamDestroy)                                                                                 \
    F(stream_synchronize, cuStreamSynchronize)                                                                         \
    F(event_create, cuEventCreate)                                                                                     \
    F(event_destroy, cuEventDestroy)                                                                                   \
    F(event_record, cuEventRecord)                                                                                     \
    F(event_wait, cuStreamWaitEvent)                                                                                   \
    F(event_elapsed, cuEventElapsedTime)

#define COMPILER_FUNCTIONS(F)                                                                                          \
    F(version, nvrtcVersion)                                                                                           \
    F(error_text, nvrtcGetErrorString)                                                                                 \
    F(arch_count, nvrtcGetNumSupportedArchs)                                                                           \
    F(archs, nvrtcGetSupportedArchs)                                                                                   \
    F(create, nvrtcCreateProgram)                                                                                      \
    F(compile, nvrtcCompileProgram)                                                                                    \
    F(destroy, nvrtcDestroyProgram)                                                                                    \
    F(log_size, nvrtcGetProgramLogSize)                                                                                \
    F(log, nvrtcGetProgramLog)                                                                                         \
    F(ptx_size, nvrtcGetPTXSize)                                                                                       \
    F(ptx, nvrtcGetPTX)                                                                                                \
    F(cubin_size, nvrtcGetCUBINSize)                                                                                   \
    F(cubin, nvrtcGetCUBIN)

static const char *const toolkit_variables[] = {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", NULL};

// The driver is the kernel driver's other half: a toolkit has only stubs of it.
static const struct library_search driver_search = {
    .title = "NVIDIA's driver",
    .advice = "install the NVIDIA driver",
    .names = (const char *const[]){"libcuda.so.1", "libcuda.so", NULL},
    .variables = (const char *const[]){NULL},
    .folders = (const char *const[]){"/usr", "/usr/local/nvidia", "/usr/lib/wsl", "/run/opengl-driver", NULL},
    .wheels = (const char *const[]){NULL},
};

static const struct library_search compiler_search = {
    .title = "NVRTC",
    .advice = "install the CUDA toolkit, or set CUDA_HOME to where it is",
    .names = (const char *const[]){"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", NULL},
    .variables = toolkit_variables,
    .folders = (const char *const[]){"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", NULL},
    .wheels = (const char *const[]){"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL},
};

#include "device/gpu/api.inc.h"

// A driver runs the code of its own and of older major versions of the toolkit.
static bool compiler_suits(void *handle) {
    __typeof__(&nvrtcVersion) get_version;
    void *symbol = dlsym(handle, "nvrtcVersion");
    int major = 0, minor = 0, driver_version = 0;
    memcpy(&get_version, &symbol, sizeof symbol);
    return symbol && get_version(&major, &minor) == NVRTC_SUCCESS && driver.version(&driver_version) == CUDA_SUCCESS &&
           major <= driver_version / 1000;
}

typedef nvrtcProgram rtc_program;
typedef nvrtcResult rtc_result;
#define RTC_SUCCESS NVRTC_SUCCESS
#define RTC_OUT_OF_MEMORY NVRTC_ERROR_OUT_OF_MEMORY
#define ARCH_OPTION "--gpu-architecture="
#define COMPILER_NAME "NVRTC"
static const char *const compile_options[] = {"--std=c++17", "--generate-line-info"};

#include "device/gpu/compile.inc.h"

static rtc_result get_code(rtc_program program, const char *arch, struct gpu_code *code) {
    if (!strncmp(arch, "compute_", strlen("compute_"))) {
        return read_code(program, compiler.ptx_size, compiler.ptx, code);
    }
    return read_code(program, compiler.cubin_size, compiler.cubin, code);
}

typedef CUresult gpu_result;
typedef CUdeviceptr gpu_pointer;
typedef CUcontext gpu_place;
typedef CUstream gpu_stream;
typedef CUevent gpu_event;
typedef CUmodule gpu_module;
typedef CUfunction gpu_function;
typedef CUdevice_attribute gpu_attribute;
#define GPU_SUCCESS CUDA_SUCCESS
#define GPU_OUT_OF_MEMORY CUDA_ERROR_OUT_OF_MEMORY
#define GPU_REFUSED_LAUNCH(result)                                                                                     \
    ((result) == CUDA_ERROR_INVALID_VALUE || (result) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
#define GPU_STREAM_NON_BLOCKING CU_STREAM_NON_BLOCKING
#define GPU_PIN_PORTABLE CU_MEMHOSTREGISTER_PORTABLE
#define GPU_COPY_SOURCE(from) (from)
#define ATTRIBUTE_COMPUTE_UNITS CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
#define ATTRIBUTE_WARP_WIDTH CU_DEVICE_ATTRIBUTE_WARP_SIZE
#define ATTRIBUTE_BLOCK_THREADS CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
#define ATTRIBUTE_SHARED_BYTES CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
#define ATTRIBUTE_SHARED_BYTES_MAX CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
#define ATTRIBUTE_CLOCK_KHZ CU_DEVICE_ATTRIBUTE_CLOCK_RATE
#define ATTRIBUTE_L2_BYTES CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE

#include "device/gpu/backend.inc.h"

static gpu_result place_open(struct gpu_device *device) {
    CUdevice handle;
    CUresult result = driver.device(&handle, device->ordinal);
    return result == CUDA_SUCCESS ? driver.retain_context(&device->place, handle) : result;
}

static void place_close(struct gpu_device *device) {
    CUdevice handle;
    if (device->place && driver.device(&handle, device->ordinal) == CUDA_SUCCESS) {
        driver.release_context(handle);
    }
}

static gpu_result place_enter(const struct gpu_device *device) {
    return driver.set_context(device->place);
}

static void place_reach(const struct gpu_device *peer) {
    driver.enable_peer(peer->place, 0);
}

static gpu_result place_copy_rows(const struct device_rows *rows, gpu_stream stream) {
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
    return driver.copy_rows(&copy, stream);
}

// Only over NVLink are all atomics on a peer's memory the hardware's own.
static void find_link(const struct gpu_device *device, const struct gpu_device *peer, struct device_link *link) {
    CUdevice from, to;
    int direct = 0, atomics = 0;
    if (driver.device(&from, device->ordinal) != CUDA_SUCCESS || driver.device(&to, peer->ordinal) != CUDA_SUCCESS) {
        return;
    }
    driver.peer_attribute(&direct, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, from, to);
    driver.peer_attribute(&atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to);
    link->direct = direct > 0;
    if (direct > 0 && atomics > 0) {
        snprintf(link->name, sizeof link->name, "NVLink");
    } else {
        pci_link(device, peer, link);
    }
}

static const char *error_name(gpu_result result) {
    const char *name = NULL;
    driver.error_name(result, &name);
    return name ? name : "an unknown error";
}

static const char *error_text(gpu_result result) {
    const char *text = NULL;
    driver.error_text(result, &text);
    return text ? text : "no description";
}

static gpu_result allow_shared(gpu_function function, int bytes) {
    return driver.set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

static void version_text(char *text, size_t size, int version) {
    snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

// The newest arch that NVRTC knows and the device understands, 90 for sm_90; 0 where there is none.
static int best_arch(int device_arch) {
    int count = 0, best = 0;
    if (compiler.arch_count(&count) != NVRTC_SUCCESS || count <= 0) {
        return 0;
    }
    int *archs = calloc((size_t)count, sizeof *archs);
    if (archs && compiler.archs(archs) == NVRTC_SUCCESS) {
        for (int i = 0; i < count; i++) {
            best = archs[i] <= device_arch && archs[i] > best ? archs[i] : best;
        }
    }
    free(archs);
    return best;
}

// Machine code for the device where NVRTC knows it, else PTX, which the driver compiles.
static enum status find_target(struct gpu_device *device, struct error *error) {
    int arch = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
               attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    int best = best_arch(arch);
    snprintf(device->base.info.arch, sizeof device->base.info.arch, "sm_%d", arch);
    if (!best) {
        return error_set(error, STATUS_NO_DEVICE,
                         "%s: %s does not compile for sm_%d any more: install an older CUDA toolkit",
                         device->base.info.spec, compiler.library.path, arch);
    }
    snprintf(device->target, sizeof device->target, "%s_%d", best == arch ? "sm" : "compute", best);
    return STATUS_OK;
}

// Two transfers a memory clock.
static double find_peak_gb_s(const struct gpu_device *device) {
    double clock_hz = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3;
    return 2 * clock_hz * attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8 / 1e9;
}

// %globaltimer counts nanoseconds.
static double find_time_counter_mhz(const struct gpu_device *device) {
    (void)device;
    return 1000;
}

#else

#define GPU_HEADER "CUDA's cuda.h and nvrtc.h"
#include "device/missing_backend.inc.h"

#endif
