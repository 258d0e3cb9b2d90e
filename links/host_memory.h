// Memory of the host as one end of a link.
#ifndef LINKS_HOST_MEMORY_H
#define LINKS_HOST_MEMORY_H

#include "device/device.h"

enum host_memory {
    HOST_PAGEABLE,   // plain: the driver copies it by way of its own pinned memory
    HOST_REGISTERED, // plain, and pinned afterwards
    HOST_PINNED      // allocated by the driver, pinned
};

struct host_buffer {
    void *memory; // NULL: closed
    enum host_memory kind;
    struct device *device; // whose driver holds it
};

// Memory near the device, as far as the system knows and lets a program choose.
enum status host_buffer_open(struct host_buffer *buffer, struct device *device, enum host_memory kind, uint64_t bytes,
                             struct error *error);
void host_buffer_close(struct host_buffer *buffer);

// Word i is mix64(seed + i).
void host_fill(void *memory, uint64_t words, uint64_t seed);
bool host_check(const void *memory, uint64_t words, uint64_t seed);

#endif
