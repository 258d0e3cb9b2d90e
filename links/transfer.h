// One way across a link: bytes from the host or a device to a device or the host.
#ifndef LINKS_TRANSFER_H
#define LINKS_TRANSFER_H

#include "bench/bench_device.h"
#include "links/host_memory.h"
#include "links/kernels.h"

// What moves the bytes. Of two devices the source pushes or the destination pulls; with the host it is the device.
enum transfer_mover {
    MOVER_SOURCE_ENGINE,
    MOVER_DESTINATION_ENGINE,
    MOVER_SOURCE_KERNEL,
    MOVER_DESTINATION_KERNEL
};

struct transfer {
    struct bench_device *from, *to; // NULL: the host
    enum transfer_mover mover;
    enum host_memory memory; // of the host's end
    uint64_t bytes;          // whole words of the copy kernel, or one of 8 bytes by an engine
    uint64_t seed;           // of what it carries
    size_t beside;           // how many more the same device moves at the same time
    struct links_kernels *kernels;
    size_t kernel_count; // places for devices

    // Filled by transfer_open.
    struct host_buffer host;
    uint64_t source, destination; // device addresses: of the host's end where a kernel finds it
    uint64_t wrong;               // device address: how many words a check found
    struct stream *stream;        // for transfers beside the one that is timed
    struct kernel *copy;
    struct launch launch;
    struct argument arguments[3];
};

// The device that moves the bytes.
struct bench_device *transfer_actor(const struct transfer *transfer);
bool transfer_by_kernel(const struct transfer *transfer);

// Allocates both ends and fills the source. Whatever it returns, transfer_close cleans up.
enum status transfer_open(struct transfer *transfer, struct error *error);
void transfer_close(struct transfer *transfer);

// The transfer must stay where it is as long as it is open.
enum status transfer_enqueue(const struct transfer *transfer, struct stream *stream, struct error *error);

// Overwrites the destination; and whether every byte there is the source's.
enum status transfer_poison(const struct transfer *transfer, struct error *error);
enum status transfer_check(const struct transfer *transfer, bool *right, struct error *error);

#endif
