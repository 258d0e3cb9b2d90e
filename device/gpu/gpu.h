// A GPU as a device: device.h's operations over a vendor's driver (driver.h).
#ifndef DEVICE_GPU_GPU_H
#define DEVICE_GPU_GPU_H

#include "device/gpu/driver.h"

enum {
    GPU_ORDINALS_MAX = 64
};

// What asking to reach another device's memory has come to. Asked twice, a driver would call it a fault.
struct gpu_reach {
    bool asked;
    int result; // the driver's
};

struct gpu_device {
    struct device base; // first: a struct device * of this backend is one of these
    const struct gpu_driver *driver;
    struct gpu_context context;
    void *stream;                               // the device's own
    char target[64];                            // what the compiler is told: "sm_90", "gfx90a:sramecc+:xnack-"
    struct gpu_reach reached[GPU_ORDINALS_MAX]; // the other devices' memory, by their ordinals
};

// The vendors' count and open (see struct backend).
enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error);
enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error);

// The vendors' places: of the first library that did not load.
char *gpu_places(const struct gpu_driver *driver);

// ---- For the files of this folder ----

static inline struct gpu_device *gpu_of(struct device *device) {
    return (struct gpu_device *)device;
}

static inline int gpu_enter(const struct gpu_device *device) {
    return device->driver->enter(&device->context);
}

// The driver's handle of a stream; NULL means the device's own.
void *gpu_stream(const struct gpu_device *device, const struct stream *stream);

// The operations, by file; each is described in device.h.
// memory.c
enum status gpu_allocate(struct device *base, size_t bytes, uint64_t *address, struct error *error);
void gpu_release(struct device *base, uint64_t address);
enum status gpu_pin(struct device *base, void *memory, size_t bytes, struct error *error);
void gpu_unpin(struct device *base, void *memory);
enum status gpu_allocate_pinned(struct device *base, size_t bytes, void **memory, struct error *error);
void gpu_release_pinned(struct device *base, void *memory);
enum status gpu_map(struct device *base, void *memory, uint64_t *address, struct error *error);
enum status gpu_copy_to_device(struct device *base, uint64_t to, const void *from, size_t bytes, struct error *error);
enum status gpu_copy_to_host(struct device *base, void *to, uint64_t from, size_t bytes, struct error *error);
enum status gpu_copy_to_device_async(struct device *base, struct stream *stream, uint64_t to, const void *from,
                                     size_t bytes, struct error *error);
enum status gpu_copy_to_host_async(struct device *base, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                   struct error *error);
enum status gpu_copy_on_device(struct device *base, uint64_t to, uint64_t from, size_t bytes, struct error *error);
enum status gpu_copy_to_peer(struct device *from_base, struct stream *stream, uint64_t from, struct device *to_base,
                             uint64_t to, size_t bytes, struct error *error);
enum status gpu_copy_from_peer(struct device *to_base, struct stream *stream, uint64_t to, struct device *from_base,
                               uint64_t from, size_t bytes, struct error *error);
enum status gpu_reach(struct device *base, struct device *peer, struct error *error);
enum status gpu_copy_rows(struct device *base, struct stream *stream, const struct device_rows *rows,
                          struct error *error);
enum status gpu_fill(struct device *base, uint64_t address, uint8_t byte, size_t bytes, struct error *error);
// kernel.c
enum status gpu_build(struct device *base, const struct kernel_request *request, struct kernel **built,
                      struct error *error);
void gpu_discard(struct device *base, struct kernel *kernel);
enum status gpu_launch(struct device *base, struct stream *stream, struct kernel *kernel, const struct launch *launch,
                       struct error *error);
// stream.c
enum status gpu_stream_create(struct device *base, struct stream **created, struct error *error);
void gpu_stream_destroy(struct device *base, struct stream *stream);
enum status gpu_synchronize(struct device *base, struct stream *stream, struct error *error);
void *gpu_native_stream(struct device *base);
enum status gpu_event_create(struct device *base, struct event **created, struct error *error);
enum status gpu_event_record(struct device *base, struct stream *stream, struct event *event, struct error *error);
enum status gpu_event_wait(struct device *base, struct stream *stream, struct event *event, struct error *error);
enum status gpu_event_elapsed(struct device *base, struct event *start, struct event *stop, double *nanoseconds,
                              struct error *error);
void gpu_event_destroy(struct device *base, struct event *event);

#endif
