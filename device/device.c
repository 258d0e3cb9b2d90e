#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/gpu_find.h"
#include "util/text.h"

// ---- Operations ----

#define LEFT_OUT(of_kind, of_name, headers)                                                                            \
    (const struct backend) {                                                                                           \
        .kind = of_kind, .name = of_name, .missing = headers                                                           \
    }

static const struct backend *const backends[BACKEND_COUNT] = {
#ifdef HAVE_CUDA
    [BACKEND_CUDA] = &cuda_backend,
#else
    [BACKEND_CUDA] = &LEFT_OUT(BACKEND_CUDA, "cuda", "CUDA's cuda.h and nvrtc.h"),
#endif
#ifdef HAVE_HIP
    [BACKEND_HIP] = &hip_backend,
#else
    [BACKEND_HIP] = &LEFT_OUT(BACKEND_HIP, "hip", "HIP's hip_runtime_api.h and hiprtc.h"),
#endif
    [BACKEND_CPU] = &cpu_backend,
#ifdef HAVE_SIM
    [BACKEND_SIM] = &sim_backend,
#else
    [BACKEND_SIM] = &LEFT_OUT(BACKEND_SIM, "sim", "elfutils' libdwfl.h and libffi's ffi.h"),
#endif
};

const struct backend *backend_of(enum backend_kind kind) {
    return backends[kind];
}

static enum status left_out(const struct backend *backend, struct error *error) {
    return error_set(error, STATUS_NO_DEVICE, "%s was left out when this program was built: install %s and build again",
                     backend->name, backend->missing);
}

enum status backend_count(const struct backend *backend, uint32_t *count, struct error *error) {
    *count = 0;
    return backend->missing ? left_out(backend, error) : backend->count(count, error);
}

static enum status no_backend(const char *spec, struct error *error) {
    char names[DEVICE_TEXT] = "";
    const char *gpu = gpu_suggest(spec);
    struct suggestion suggestion = suggestion_for(spec, strcspn(spec, ":"));
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        size_t length = strlen(names);
        suggestion_offer(&suggestion, backends[i]->name);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", backends[i]->name);
    }
    if (suggestion.nearest) {
        return error_set(error, STATUS_NO_DEVICE, "%s: no such backend: did you mean %s%s? there are %s", spec,
                         suggestion.nearest, spec + suggestion.length, names);
    }
    if (gpu) {
        return error_set(error, STATUS_NO_DEVICE,
                         "%s: no such backend: did you mean sim:%s, the simulated GPU? there are %s", spec, gpu, names);
    }
    return error_set(error, STATUS_NO_DEVICE, "%s: no such backend: use one of %s", spec, names);
}

enum status device_open(const char *spec, struct device **device, struct error *error) {
    *device = NULL;
    const size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        const struct backend *backend = backends[i];
        if (strlen(backend->name) == length && !strncmp(backend->name, spec, length)) {
            return backend->missing ? left_out(backend, error)
                                    : backend->open(spec[length] ? spec + length + 1 : NULL, device, error);
        }
    }
    return no_backend(spec, error);
}

enum device_via device_via_named(const char *name) {
    return name && !strcmp(name, "ptx") ? VIA_PTX : name && !strcmp(name, "amdgcn") ? VIA_AMDGCN : VIA_C;
}

const char *device_via_name(enum device_via via) {
    return via == VIA_PTX ? "ptx" : via == VIA_AMDGCN ? "amdgcn" : "c";
}

unsigned device_sm(const struct device_info *info) {
    unsigned version = 0;
    sscanf(info->arch, "sm_%u", &version);
    return version;
}

enum status device_copy_rows_in(struct device *device, struct stream *stream, const struct device_rows *rows,
                                struct error *error) {
    if (device->operations->copy_rows) {
        return device->operations->copy_rows(device, stream, rows, error);
    }
    for (size_t i = 0; i < rows->rows; i++) {
        char *host = (char *)rows->host + i * rows->host_pitch;
        const uint64_t address = rows->device + i * rows->device_pitch;
        TRY(rows->to_host ? device_copy_to_host(device, host, address, rows->row_bytes, error)
                          : device_copy_to_device(device, address, host, rows->row_bytes, error));
    }
    return STATUS_OK;
}

void device_close(struct device *device) {
    if (device) {
        device->operations->close(device);
    }
}

enum status device_allocate_kind(struct device *device, enum memory_kind kind, size_t bytes, uint64_t *address,
                                 void **host, struct error *error) {
    *host = NULL;
    if (kind != MEMORY_PINNED) {
        return device->operations->allocate(device, kind, bytes, address, error);
    }
    TRY(device_allocate_pinned(device, bytes, host, error));
    return device_map(device, *host, address, error);
}

void device_release_kind(struct device *device, uint64_t address, void *host) {
    if (host) {
        device_release_pinned(device, host);
    } else {
        device_release(device, address);
    }
}

void *page_allocate(size_t bytes) {
    enum {
        PAGE_BYTES = 64 << 10 // the largest plain page on any supported system
    };
    return aligned_alloc(PAGE_BYTES, bytes / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES);
}

enum status page_allocate_pinned(struct device *device, size_t bytes, const char *cure, void **memory,
                                 struct error *error) {
    void *pages = page_allocate(bytes);
    if (!pages) {
        return error_set(error, STATUS_FAILED, "out of memory: %s", cure);
    }
    memset(pages, 0, bytes);
    const enum status status = device_pin(device, pages, bytes, error);
    if (status == STATUS_OK) {
        *memory = pages;
    } else {
        free(pages);
    }
    return status;
}

void page_release_pinned(struct device *device, void *memory) {
    if (memory) {
        device_unpin(device, memory);
        free(memory);
    }
}
