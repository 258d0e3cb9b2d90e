#include "links/host_memory.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/random.h"

// Makes this thread's new pages come from the NUMA node while it has free pages; a node below 0 restores the default.
// The system may ignore this preference.
static void prefer_node(int node) {
    enum {
        NODES = 1024,
        BITS = 8 * sizeof(unsigned long),
        MODE_DEFAULT = 0, // linux/mempolicy.h
        MODE_PREFERRED = 1
    };
    unsigned long nodes[NODES / BITS] = {0};
    if (node >= 0 && node < NODES) {
        nodes[(size_t)node / BITS] = 1UL << (size_t)node % BITS;
        (void)syscall(SYS_set_mempolicy, MODE_PREFERRED, nodes, (unsigned long)NODES);
    } else {
        (void)syscall(SYS_set_mempolicy, MODE_DEFAULT, NULL, 0UL);
    }
}

static enum status allocate(struct host_buffer *buffer, uint64_t bytes, struct error *error) {
    if (buffer->kind == HOST_PINNED) {
        return device_allocate_pinned(buffer->device, bytes, &buffer->memory, error);
    }
    void *memory = page_allocate(bytes);
    if (!memory) {
        return error_set(error, STATUS_FAILED, "out of memory: give a smaller --footprint");
    }
    memset(memory, 0, bytes); // touched by this thread, whose preference applies
    enum status status = buffer->kind == HOST_REGISTERED ? device_pin(buffer->device, memory, bytes, error) : STATUS_OK;
    if (status == STATUS_OK) {
        buffer->memory = memory;
    } else {
        free(memory);
    }
    return status;
}

enum status host_buffer_open(struct host_buffer *buffer, struct device *device, enum host_memory kind, uint64_t bytes,
                             struct error *error) {
    struct device_bus bus;
    *buffer = (struct host_buffer){.kind = kind, .device = device};
    device_bus(device, &bus);
    prefer_node(bus.numa_node);
    enum status status = allocate(buffer, bytes, error);
    prefer_node(-1);
    return status;
}

void host_buffer_close(struct host_buffer *buffer) {
    if (buffer->memory && buffer->kind == HOST_PINNED) {
        device_release_pinned(buffer->device, buffer->memory);
    } else if (buffer->memory) {
        if (buffer->kind == HOST_REGISTERED) {
            device_unpin(buffer->device, buffer->memory);
        }
        free(buffer->memory);
    }
    buffer->memory = NULL;
}

void host_fill(void *memory, uint64_t words, uint64_t seed) {
    uint64_t *word = memory;
#pragma omp parallel for
    for (uint64_t i = 0; i < words; i++) {
        word[i] = mix64(seed + i);
    }
}

bool host_check(const void *memory, uint64_t words, uint64_t seed) {
    const uint64_t *word = memory;
    uint64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (uint64_t i = 0; i < words; i++) {
        wrong += word[i] != mix64(seed + i);
    }
    return wrong == 0;
}
