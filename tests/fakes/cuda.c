// Functions that only CUDA has, or has in another form.
#include <cuda.h>

#include <stdio.h>
#include <string.h>

#include "tests/fakes/fake.h"

static const int contexts[DEVICES_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};
static int retained[DEVICES_MAX];

int fake_get_device(int *device, int ordinal) NAMED("cuDeviceGet", );
int fake_get_device(int *device, int ordinal) {
    *device = ordinal;
    return ordinal < fake_setting("FAKE_DEVICES", 2) ? FAKE_SUCCESS : FAKE_INVALID_DEVICE;
}

int fake_retain(fake_place *place, int device) NAMED("cuDevicePrimaryCtxRetain", );
int fake_retain(fake_place *place, int device) {
    *place = &contexts[device];
    retained[device]++;
    return FAKE_SUCCESS;
}

int fake_release_context(int device) NAMED("cuDevicePrimaryCtxRelease_v2", );
int fake_release_context(int device) {
    return retained[device]-- > 0 ? FAKE_SUCCESS : FAKE_INVALID_CONTEXT;
}

int fake_set_context(fake_place place) NAMED("cuCtxSetCurrent", );
int fake_set_context(fake_place place) {
    if (!place || retained[*place] <= 0) {
        return FAKE_INVALID_CONTEXT;
    }
    fake_current = *place;
    return FAKE_SUCCESS;
}

int fake_version(int *version) NAMED("cuDriverGetVersion", );
int fake_version(int *version) {
    *version = 12040;
    return FAKE_SUCCESS;
}

int fake_error_name(int result, const char **name) NAMED("cuGetErrorName", );
int fake_error_name(int result, const char **name) {
    *name = result == FAKE_OUT_OF_MEMORY      ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == FAKE_NO_DEVICE        ? "CUDA_ERROR_NO_DEVICE"
            : result == FAKE_ILLEGAL_ADDRESS  ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : result == FAKE_PEER_UNSUPPORTED ? "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"
                                              : "CUDA_ERROR_INVALID_VALUE";
    return FAKE_SUCCESS;
}

int fake_error_text(int result, const char **text) NAMED("cuGetErrorString", );
int fake_error_text(int result, const char **text) {
    *text = result ? "a fake fault" : "no error";
    return FAKE_SUCCESS;
}

int fake_attribute(int *value, CUdevice_attribute attribute, int device) NAMED("cuDeviceGetAttribute", );
int fake_attribute(int *value, CUdevice_attribute attribute, int device) {
    static const struct {
        CUdevice_attribute attribute;
        int value;
    } table[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, BLOCK_THREADS},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_BYTES},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, SHARED_BYTES_MAX},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1500000},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2000000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 512},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
        {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    };
    (void)device;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].attribute == attribute) {
            *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? fake_setting("FAKE_UNITS", table[i].value)
                     : attribute == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS ? fake_setting("FAKE_MOVES_PAGES", 1)
                                                                                  : table[i].value;
            return FAKE_SUCCESS;
        }
    }
    return FAKE_INVALID_VALUE;
}

// Of an earlier CUDA these are the host's and the device's number, with another meaning of the arguments behind them.
#if CUDA_VERSION >= 12020
typedef CUmemLocation managed_place;
static bool is_known(managed_place place) {
    return place.type == CU_MEM_LOCATION_TYPE_HOST ||
           (place.type == CU_MEM_LOCATION_TYPE_DEVICE && place.id < fake_setting("FAKE_DEVICES", 2));
}
int fake_prefetch(const char *address, size_t bytes, managed_place place, unsigned flags, struct fake_stream *stream)
    NAMED("cuMemPrefetchAsync_v2", );
int fake_prefetch(const char *address, size_t bytes, managed_place place, unsigned flags, struct fake_stream *stream) {
    return flags == 0 && is_known(place) ? fake_move_pages(stream, address, bytes) : FAKE_INVALID_VALUE;
}
int fake_advise(const char *address, size_t bytes, CUmem_advise advice, managed_place place) NAMED("cuMemAdvise_v2", );
#else
typedef CUdevice managed_place;
static bool is_known(managed_place place) {
    return place == CU_DEVICE_CPU || (place >= 0 && place < fake_setting("FAKE_DEVICES", 2));
}
int fake_prefetch(const char *address, size_t bytes, managed_place place, struct fake_stream *stream)
    NAMED("cuMemPrefetchAsync", );
int fake_prefetch(const char *address, size_t bytes, managed_place place, struct fake_stream *stream) {
    return is_known(place) ? fake_move_pages(stream, address, bytes) : FAKE_INVALID_VALUE;
}
int fake_advise(const char *address, size_t bytes, CUmem_advise advice, managed_place place) NAMED("cuMemAdvise", );
#endif
int fake_advise(const char *address, size_t bytes, CUmem_advise advice, managed_place place) {
    const bool known = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY;
    return known && is_known(place) && fake_owned(address, bytes, fake_current) ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

int fake_copy_rows(const CUDA_MEMCPY2D *copy, struct fake_stream *stream) NAMED("cuMemcpy2DAsync_v2", );
int fake_copy_rows(const CUDA_MEMCPY2D *copy, struct fake_stream *stream) {
    const bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
    char *to = to_host ? copy->dstHost : (char *)(uintptr_t)copy->dstDevice;
    const char *from = to_host ? (const char *)(uintptr_t)copy->srcDevice : copy->srcHost;
    if (copy->srcMemoryType != (to_host ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST)) {
        return FAKE_INVALID_VALUE;
    }
    return fake_enqueue_rows(to, copy->dstPitch, from, copy->srcPitch, copy->WidthInBytes, copy->Height, to_host,
                             stream);
}

int fake_peer_attribute(int *value, CUdevice_P2PAttribute attribute, int device, int peer)
    NAMED("cuDeviceGetP2PAttribute", );
int fake_peer_attribute(int *value, CUdevice_P2PAttribute attribute, int device, int peer) {
    const bool joined = fake_has_vendors_link(device, peer);
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED   ? fake_is_direct(device, peer)
             : attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? !joined
                                                                     : joined;
    return device == peer ? FAKE_INVALID_DEVICE : FAKE_SUCCESS;
}

int fake_set_function_attribute(struct fake_function *function, CUfunction_attribute attribute, int value)
    NAMED("cuFuncSetAttribute", );
int fake_set_function_attribute(struct fake_function *function, CUfunction_attribute attribute, int value) {
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > SHARED_BYTES_MAX) {
        return FAKE_INVALID_VALUE;
    }
    function->shared_bytes = (unsigned)value;
    return FAKE_SUCCESS;
}

int fake_arch_count(int *count) NAMED("nvrtcGetNumSupportedArchs", );
int fake_arch_count(int *count) {
    *count = 2;
    return FAKE_SUCCESS;
}

int fake_archs(int *archs) NAMED("nvrtcGetSupportedArchs", );
int fake_archs(int *archs) {
    archs[0] = 75;
    archs[1] = 90;
    return FAKE_SUCCESS;
}

int fake_ptx_size(struct fake_program *program, size_t *bytes) NAMED("nvrtcGetPTXSize", );
int fake_ptx_size(struct fake_program *program, size_t *bytes) {
    return fake_rtc_code_size(program, bytes);
}

int fake_ptx(struct fake_program *program, char *ptx) NAMED("nvrtcGetPTX", );
int fake_ptx(struct fake_program *program, char *ptx) {
    return fake_rtc_code(program, ptx);
}

int fake_profiler_start(void) NAMED("cuProfilerStart", );
int fake_profiler_start(void) {
    fake_profiled = true;
    return FAKE_SUCCESS;
}

int fake_profiler_stop(void) NAMED("cuProfilerStop", );
int fake_profiler_stop(void) {
    fake_profiled = false;
    return FAKE_SUCCESS;
}

// One cluster a unit at a time, whatever its blocks need.
int fake_active_clusters(int *clusters, void *function, const CUlaunchConfig *config)
    NAMED("cuOccupancyMaxActiveClusters", );
int fake_active_clusters(int *clusters, void *function, const CUlaunchConfig *config) {
    (void)function;
    *clusters = fake_setting("FAKE_UNITS", 4) / (int)config->attrs[0].value.clusterDim.x;
    return config->numAttrs == 1 ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

// ---- Launches with an attribute ----

int fake_function_attribute(int *value, CUfunction_attribute attribute, void *function) NAMED("cuFuncGetAttribute", );
int fake_function_attribute(int *value, CUfunction_attribute attribute, void *function) {
    (void)function;
    *value = fake_setting("FAKE_COMPILED_FOR", 90);
    return attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

// A launch that may overlap with the last one; here it waits.
int fake_launch_by(const CUlaunchConfig *config, struct fake_function *function, void **parameters, void **extra)
    NAMED("cuLaunchKernelEx", );
int fake_launch_by(const CUlaunchConfig *config, struct fake_function *function, void **parameters, void **extra) {
    const bool known = config->numAttrs == 1 &&
                       config->attrs[0].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                       config->attrs[0].value.programmaticStreamSerializationAllowed == 1;
    if (!known || fake_fails("overlap")) {
        return FAKE_INVALID_VALUE;
    }
    return fake_launch(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                       config->blockDimY, config->blockDimZ, config->sharedMemBytes, (void *)config->hStream,
                       parameters, extra);
}

// ---- NVML ----

int fake_nvml_init(void) NAMED("nvmlInit_v2", );
int fake_nvml_init(void) {
    return FAKE_SUCCESS;
}

int fake_nvml_device(const char *address, void **device) NAMED("nvmlDeviceGetHandleByPciBusId_v2", );
int fake_nvml_device(const char *address, void **device) {
    *device = NULL;
    return strlen(address) == strlen("0000:00:00.0") ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

int fake_nvml_energy(void *device, unsigned long long *millijoules) NAMED("nvmlDeviceGetTotalEnergyConsumption", );
int fake_nvml_energy(void *device, unsigned long long *millijoules) {
    enum {
        NOT_SUPPORTED = 3
    };
    (void)device;
    *millijoules = fake_millijoules();
    return *millijoules > 0 ? FAKE_SUCCESS : NOT_SUPPORTED;
}

int fake_nvml_reasons(void *device, unsigned long long *reasons) NAMED("nvmlDeviceGetCurrentClocksThrottleReasons", );
int fake_nvml_reasons(void *device, unsigned long long *reasons) {
    const int bits = fake_setting("FAKE_THROTTLE", 0);
    (void)device;
    *reasons = (unsigned long long)bits;
    return bits >= 0 ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

const char *fake_nvml_text(int result) NAMED("nvmlErrorString", );
const char *fake_nvml_text(int result) {
    return result ? "Not Supported" : "Success";
}
