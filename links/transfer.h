// A transfer in one direction of a link: bytes from the host or a device to a device or the host.
#ifndef LINKS_TRANSFER_H
#define LINKS_TRANSFER_H

#include "bench/bench_device.h"
#include "bench/plan.h"
#include "device/device.h"

// ---- Kernels ----

// links' kernels on one device, each compiled at its first use.

enum links_kernel {
    LINKS_COPY,
    LINKS_CHASE,
    LINKS_FILL,
    LINKS_CHECK,
    LINKS_KERNEL_COUNT
};

struct links_kernels {
    struct device *device; // NULL: unused
    struct kernel *kernel[LINKS_KERNEL_COUNT];
};

// The device's kernel, which is built when it is first asked for. A device without an entry takes the first free one;
// there is one for each device that a run can have.
enum status links_kernel_of(struct links_kernels *kernels, struct device *device, enum links_kernel which,
                            struct kernel **kernel, struct error *error);
void links_kernels_discard(struct links_kernels *kernels);

// Enqueues LINKS_FILL over memory that the device reaches, or LINKS_CHECK, which adds the number of wrong words to the
// one at `wrong`. Word i, of 8 bytes, is mix64(seed + i).
enum status links_visit_words(struct links_kernels *kernels, struct device *device, enum links_kernel which,
                              uint64_t memory, uint64_t bytes, uint64_t seed, uint64_t wrong, struct error *error);

// ---- The host's memory ----

// Memory of the host as one end of a link.

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

// What LINKS_FILL and LINKS_CHECK do, by the host's threads. Returns whether every word is right.
void host_fill(void *memory, uint64_t bytes, uint64_t seed);
bool host_check(const void *memory, uint64_t bytes, uint64_t seed);

// ---- Transfers ----

// What moves the bytes. Between two devices the source pushes or the destination pulls; with the host the device acts.
enum transfer_mover {
    MOVER_SOURCE_ENGINE,
    MOVER_DESTINATION_ENGINE,
    MOVER_SOURCE_KERNEL,
    MOVER_DESTINATION_KERNEL
};

static inline bool mover_is_kernel(enum transfer_mover mover) {
    return mover == MOVER_SOURCE_KERNEL || mover == MOVER_DESTINATION_KERNEL;
}

struct transfer {
    struct bench_device *from, *to; // NULL: the host
    enum transfer_mover mover;
    enum host_memory memory; // of the host's end
    uint64_t bytes;          // whole words of the copy kernel, or one word of 8 bytes by an engine
    uint64_t seed;           // of the content
    size_t others;           // number of concurrent transfers by the same device
    struct links_kernels *kernels;

    // Filled by transfer_open.
    struct host_buffer host;
    uint64_t source, destination; // device addresses; the host's end has one if a kernel accesses it
    uint64_t wrong;               // device address of the number of wrong words
    struct stream *stream;        // of transfers that run while another one is timed
    struct event *reached;        // recorded on the stream that the transfer uses
    struct kernel *copy;
    struct launch launch;
    struct argument arguments[3];

    bool right; // what the last check of a group said (bandwidth.c)
};

// The device that moves the bytes.
struct bench_device *transfer_actor(const struct transfer *transfer);

// Allocates both ends and fills the source. Call transfer_close afterwards, also after a failure.
enum status transfer_open(struct transfer *transfer, struct error *error);
void transfer_close(struct transfer *transfer);

// The transfer must not move in memory while it is open.
enum status transfer_enqueue(const struct transfer *transfer, struct stream *stream, struct error *error);

// transfer_poison overwrites the destination; transfer_check compares every byte there with the source. The context is
// the transfer, as in struct trial.
enum status transfer_poison(void *context, struct error *error);
enum status transfer_check(void *context, bool *right, struct error *error);

#endif
