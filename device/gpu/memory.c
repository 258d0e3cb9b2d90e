#include "device/gpu/memory.h"

#include <math.h>
#include <stdio.h>

#include "device/gpu/fault.h"
#include "device/gpu/stream.h"
#include "util/clock.h"

// The driver clears released memory in the background. On an H200 this takes 2.2 to 2.5 ms for each 10^9 bytes, which
// is 0.09 of the memory's peak, and slows reads by a seventh meanwhile (results/h200/memory-released.csv). Others are
// guessed to clear as much of their peak, and all to be slower by a half. A peak that is unknown, or that the user
// named too low, must not make the wait endless, so LEAST_GB_S is taken at least.
static const double CLEARED_OF_PEAK = 0.06, LEAST_GB_S = 15;

static void note(struct gpu_device *device, uint64_t address, size_t bytes) {
    device->buffers = memory_room(device->buffers, device->buffer_count, sizeof *device->buffers);
    device->buffers[device->buffer_count++] = (struct gpu_buffer){address, bytes};
}

static void note_release(struct gpu_device *device, uint64_t address) {
    struct gpu_buffer *buffers = device->buffers;
    const double peak_gb_s = device->base.info.peak_gb_s; // may be the user's, and wrong
    for (size_t i = 0; i < device->buffer_count; i++) {
        if (buffers[i].address == address) {
            const double gb_s = fmax(CLEARED_OF_PEAK * peak_gb_s, LEAST_GB_S);
            device->base.quiet_s = fmax(device->base.quiet_s, clock_s()) + (double)buffers[i].bytes * 1e-9 / gb_s;
            buffers[i] = buffers[--device->buffer_count];
            return;
        }
    }
}

enum status gpu_allocate(struct device *base, size_t bytes, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *address = 0;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes", bytes);
    TRY(GPU_CALL(device, device->driver->allocate(address, bytes), what, error));
    note(device, *address, bytes);
    return STATUS_OK;
}

void gpu_release(struct device *base, uint64_t address) {
    if (address && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->release(address);
        note_release(gpu_of(base), address);
    }
}

enum status gpu_pin(struct device *base, void *memory, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    char what[64];
    snprintf(what, sizeof what, "pinning %zu bytes of the host's memory", bytes);
    return GPU_CALL(device, device->driver->pin(memory, bytes), what, error);
}

void gpu_unpin(struct device *base, void *memory) {
    if (gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->unpin(memory);
    }
}

// The driver allocates in the order of a stream; other streams may use the memory from then on.
enum status gpu_allocate_pool(struct device *base, size_t bytes, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *address = 0;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes from the driver's pool", bytes);
    TRY(GPU_CALL(device, device->driver->allocate_pool(address, bytes, device->stream), what, error));
    note(device, *address, bytes);
    return device_synchronize(base, error);
}

enum status gpu_allocate_managed(struct device *base, size_t bytes, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *address = 0;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes of managed memory", bytes);
    return GPU_CALL(device, device->driver->allocate_managed(address, bytes), what, error);
}

enum status gpu_prefetch(struct device *base, uint64_t address, size_t bytes, bool to_device, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->prefetch(&device->context, address, bytes, to_device, device->stream),
                    "moving managed memory", error);
}

enum status gpu_keep_on_host(struct device *base, uint64_t address, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->keep_on_host(&device->context, address, bytes),
                    "keeping managed memory on the host", error);
}

enum status gpu_allocate_pinned(struct device *base, size_t bytes, void **memory, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *memory = NULL;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes of pinned memory", bytes);
    return GPU_CALL(device, device->driver->allocate_pinned(memory, bytes), what, error);
}

void gpu_release_pinned(struct device *base, void *memory) {
    if (memory && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->release_pinned(memory);
    }
}

enum status gpu_map(struct device *base, void *memory, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *address = 0;
    return GPU_CALL(device, device->driver->map(address, memory), "mapping the host's memory", error);
}

enum status gpu_copy_to_device_async(struct device *base, struct stream *stream, uint64_t to, const void *from,
                                     size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->copy_to_device(to, from, bytes, gpu_stream(device, stream)),
                    "copying to the device", error);
}

enum status gpu_copy_to_host_async(struct device *base, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                   struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->copy_to_host(to, from, bytes, gpu_stream(device, stream)),
                    "copying to the host", error);
}

enum status gpu_copy_to_device(struct device *base, uint64_t to, const void *from, size_t bytes, struct error *error) {
    TRY(gpu_copy_to_device_async(base, NULL, to, from, bytes, error));
    return gpu_synchronize(base, NULL, error);
}

enum status gpu_copy_to_host(struct device *base, void *to, uint64_t from, size_t bytes, struct error *error) {
    TRY(gpu_copy_to_host_async(base, NULL, to, from, bytes, error));
    return gpu_synchronize(base, NULL, error);
}

enum status gpu_copy_on_device(struct device *base, uint64_t to, uint64_t from, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->copy_on_device(to, from, bytes, device->stream), "copying on the device",
                    error);
}

static int reach(struct gpu_device *device, const struct gpu_device *peer) {
    struct gpu_reach *reached = &device->reached[peer->context.ordinal % GPU_ORDINALS_MAX];
    if (!reached->asked) {
        *reached = (struct gpu_reach){true, device->driver->enable_peer(&peer->context)};
    }
    return reached->result;
}

enum status gpu_reach(struct device *base, struct device *peer, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0 && gpu_of(peer)->context.ordinal != device->context.ordinal) {
        result = reach(device, gpu_of(peer));
    }
    char what[128];
    snprintf(what, sizeof what, "reaching the memory of %s", peer->info.spec);
    return result == 0 ? STATUS_OK
                       : gpu_fault_advising(device->driver, base->info.spec, result, what,
                                            "check that the system allows peer access", error);
}

// Uses the copy engine of `device`, which is one of the two.
static enum status copy_between(struct gpu_device *device, struct stream *stream, struct gpu_device *from_device,
                                uint64_t from, struct gpu_device *to_device, uint64_t to, size_t bytes,
                                struct error *error) {
    const struct gpu_driver *driver = device->driver;
    const struct gpu_device *peer = device == from_device ? to_device : from_device;
    int result = gpu_enter(device);
    if (result == 0 && from_device->context.ordinal == to_device->context.ordinal) {
        result = driver->copy_on_device(to, from, bytes, gpu_stream(device, stream));
    } else if (result == 0) {
        reach(device, peer); // otherwise the driver copies through the host
        result = driver->copy_to_peer(to, &to_device->context, from, &from_device->context, bytes,
                                      gpu_stream(device, stream));
    }
    return gpu_check(device, result, "copying to another device", error);
}

enum status gpu_copy_to_peer(struct device *from_base, struct stream *stream, uint64_t from, struct device *to_base,
                             uint64_t to, size_t bytes, struct error *error) {
    return copy_between(gpu_of(from_base), stream, gpu_of(from_base), from, gpu_of(to_base), to, bytes, error);
}

enum status gpu_copy_from_peer(struct device *to_base, struct stream *stream, uint64_t to, struct device *from_base,
                               uint64_t from, size_t bytes, struct error *error) {
    return copy_between(gpu_of(to_base), stream, gpu_of(from_base), from, gpu_of(to_base), to, bytes, error);
}

enum status gpu_copy_rows(struct device *base, struct stream *stream, const struct device_rows *rows,
                          struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *handle = gpu_stream(device, stream);
    TRY(GPU_CALL(device, device->driver->copy_rows(rows, handle), "copying rows", error));
    return gpu_check(device, device->driver->stream_synchronize(handle), "copying rows", error);
}

enum status gpu_fill(struct device *base, uint64_t address, uint8_t byte, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->fill(address, byte, bytes, device->stream), "filling memory", error);
}
