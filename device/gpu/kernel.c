#include "device/gpu/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/gpu/fault.h"
#include "device/gpu/stream.h"
#include "util/error.h"

enum {
    ARGUMENTS_MAX = 32
};

struct kernel {
    void *module, *function; // the driver's
    char entry[128];
    uint32_t shared_allowed; // bytes of dynamic shared memory that the driver allows
};

void gpu_discard(struct device *base, struct kernel *kernel) {
    if (kernel && kernel->module && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->unload_module(kernel->module);
    }
    free(kernel);
}

static enum status load(struct gpu_device *device, const struct kernel_request *request, const struct gpu_code *code,
                        struct kernel *kernel, struct error *error) {
    const struct gpu_driver *driver = device->driver;
    int result = gpu_enter(device);
    if (result == 0) {
        result = driver->load_module(&kernel->module, code->bytes);
    }
    if (result == 0) {
        result = driver->find_function(&kernel->function, kernel->module, request->entry);
    }
    if (result == 0) {
        return STATUS_OK;
    }
    char what[256];
    snprintf(what, sizeof what, "loading %s of %s, compiled for %s,", request->entry, request->source->file_name,
             device->target);
    return gpu_fault_advising(driver, device->base.info.spec, result, what, "use a compiler no newer than the driver",
                              error);
}

enum status gpu_build(struct device *base, const struct kernel_request *request, struct kernel **built,
                      struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_code *code;
    *built = NULL;
    TRY(code_cache_compile(&device->code_cache, device->driver->compiler, request, device->target,
                           base->info.warp_width, &code, error));
    struct kernel *kernel = memory_zeros(1, sizeof *kernel);
    snprintf(kernel->entry, sizeof kernel->entry, "%s", request->entry);
    const enum status status = load(device, request, code, kernel, error);
    if (status != STATUS_OK) {
        gpu_discard(base, kernel);
        return status;
    }
    *built = kernel;
    return STATUS_OK;
}

static enum status launch_failed(const struct gpu_device *device, const struct kernel *kernel,
                                 const struct launch *launch, int result, struct error *error) {
    char what[256];
    snprintf(what, sizeof what,
             "launching %s over %" PRIu32 "x%" PRIu32 "x%" PRIu32 " blocks of %" PRIu32 "x%" PRIu32 "x%" PRIu32
             " threads and %" PRIu32 " bytes of shared memory",
             kernel->entry, launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x, launch->block.y,
             launch->block.z, launch->dynamic_shared_bytes);
    const char *spec = device->base.info.spec;
    return device->driver->refused_launch(result)
               ? gpu_fault_advising(device->driver, spec, result, what, "keep the block within its limits", error)
               : gpu_fault(device->driver, spec, result, what, error);
}

// A block gets more shared memory than usual only after a request to the driver.
static int allow_shared(const struct gpu_device *device, struct kernel *kernel, uint32_t bytes) {
    if (bytes <= kernel->shared_allowed) {
        return 0;
    }
    const int result = device->driver->allow_shared(kernel->function, (int)bytes);
    if (result == 0) {
        kernel->shared_allowed = bytes;
    }
    return result;
}

// No other launch lies between the two calls of the driver between which a profiler counts.
static int launch_counted(const struct gpu_device *device, void *function, const struct launch *launch, void *stream,
                          void **parameters) {
    const struct gpu_driver *driver = device->driver;
    int result = driver->profile ? driver->profile(true) : 0;
    if (result == 0) {
        result = driver->launch(function, launch, stream, parameters);
    }
    if (result == 0) {
        result = driver->stream_synchronize(stream);
    }
    return result == 0 && driver->profile ? driver->profile(false) : result;
}

enum status gpu_launch(struct device *base, struct stream *stream, struct kernel *kernel, const struct launch *launch,
                       struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *parameters[ARGUMENTS_MAX];
    if (launch->argument_count > ARGUMENTS_MAX) {
        return error_set(error, STATUS_FAILED, "%s: %s has too many arguments", base->info.spec, kernel->entry);
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        // The driver only reads the values, each as long as the kernel's parameter.
        parameters[i] = (void *)(uintptr_t)&launch->arguments[i].value;
    }
    int result = gpu_enter(device);
    if (result == 0) {
        result = allow_shared(device, kernel, launch->dynamic_shared_bytes);
    }
    if (result == 0) {
        const bool counted = base->watcher && base->watcher->counts(base->watcher, kernel->entry, launch);
        result = (counted ? launch_counted(device, kernel->function, launch, gpu_stream(device, stream), parameters)
                          : device->driver->launch(kernel->function, launch, gpu_stream(device, stream), parameters));
    }
    return result == 0 ? STATUS_OK : launch_failed(device, kernel, launch, result, error);
}

enum status gpu_active_clusters(struct device *base, struct kernel *kernel, const struct launch *launch,
                                uint32_t blocks, uint32_t *clusters, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_driver *driver = device->driver;
    int result = driver->active_clusters ? gpu_enter(device) : driver->not_supported;
    if (result == 0) {
        result = allow_shared(device, kernel, launch->dynamic_shared_bytes);
    }
    if (result == 0) {
        result = driver->active_clusters(kernel->function, launch, blocks, clusters);
    }
    char what[256];
    snprintf(what, sizeof what, "asking for clusters of %" PRIu32 " blocks of %s", blocks, kernel->entry);
    return gpu_check(device, result, what, error);
}
