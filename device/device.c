#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/backends.h"

const struct device_operations *const device_backends[] = {&cuda_backend, &hip_backend, &cpu_backend, &sim_backend,
                                                           NULL};

static uint64_t simulated_blocks;

void device_simulate_blocks(uint64_t blocks) {
    simulated_blocks = blocks;
}

uint64_t device_simulated_blocks(void) {
    return simulated_blocks;
}

static const struct device_operations *find_backend(const char *name, size_t length) {
    for (size_t i = 0; device_backends[i]; i++) {
        if (strlen(device_backends[i]->name) == length && !strncmp(device_backends[i]->name, name, length)) {
            return device_backends[i];
        }
    }
    return NULL;
}

static enum status no_backend(const char *spec, struct error *error) {
    char names[DEVICE_TEXT] = "";
    for (size_t i = 0; device_backends[i]; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", device_backends[i]->name);
    }
    return error_set(error, STATUS_NO_DEVICE, "%s: no such backend: use one of %s", spec, names);
}

enum status device_open(const char *spec, struct device **device, struct error *error) {
    *device = NULL;
    size_t length = strcspn(spec, ":");
    const struct device_operations *backend = find_backend(spec, length);
    if (!backend) {
        return no_backend(spec, error);
    }
    return backend->open(spec[length] ? spec + length + 1 : NULL, device, error);
}

void device_close(struct device *device) {
    if (device) {
        device->operations->close(device);
    }
}

void *page_allocate(size_t bytes) {
    enum {
        PAGE_BYTES = 64 << 10 // the largest that is a plain page somewhere
    };
    return aligned_alloc(PAGE_BYTES, bytes / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES);
}
