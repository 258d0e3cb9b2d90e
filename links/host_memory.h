// Memory of the host as one end of a link.
#ifndef LINKS_HOST_MEMORY_H
#define LINKS_HOST_MEMORY_H

#include "device/device.h"

enum host_memory {
    HOST_PAGEABLE,   // plain: the driver copies it through a pinned buffer
    HOST_REGISTERED, // plain, pinned afterwards
    HOST_PINNED      // allocated by the driver as pinned memory
};

struct host_buffer {
    void *memory; // NULL: closed
    enum host_memory kind;
    struct device *device; // device whose driver pins it
};

// Allocates memory near the device, as far as the system knows and allows it.
enum status host_buffer_open(struct host_buffer *buffer, struct device *device, enum host_memory kind, uint64_t bytes,
                             struct error *error);
void host_buffer_close(struct host_buffer *buffer);

// Word i is mix64(seed + i).
void host_fill(void *memory, uint64_t words, uint64_t seed);
bool host_check(const void *memory, uint64_t words, uint64_t seed);

#endif
