#include "links/transfer.h"

#include <string.h>

enum {
    POISON = 0xA5,
    CHECK_WORD_BYTES = 8,
    COPY_WORD_BYTES = 16
};

static struct device *device_or_host(const struct bench_device *bench) {
    return bench ? bench->device : NULL;
}

bool transfer_by_kernel(const struct transfer *transfer) {
    return transfer->mover == MOVER_SOURCE_KERNEL || transfer->mover == MOVER_DESTINATION_KERNEL;
}

struct bench_device *transfer_actor(const struct transfer *transfer) {
    const bool source = transfer->mover == MOVER_SOURCE_ENGINE || transfer->mover == MOVER_SOURCE_KERNEL;
    return !transfer->from || (transfer->to && !source) ? transfer->to : transfer->from;
}

static enum status kernel_of(const struct transfer *transfer, struct device *device, enum links_kernel which,
                             struct kernel **kernel, struct error *error) {
    return links_kernel_of(transfer->kernels, transfer->kernel_count, device, which, kernel, error);
}

// ---- Opening it ----

static enum status open_host(struct transfer *transfer, struct error *error) {
    struct device *device = transfer_actor(transfer)->device;
    uint64_t mapped = 0;
    TRY(host_buffer_open(&transfer->host, device, transfer->memory, transfer->bytes, error));
    if (transfer_by_kernel(transfer)) {
        TRY(device_map(device, transfer->host.memory, &mapped, error));
    }
    *(transfer->from ? &transfer->destination : &transfer->source) = mapped;
    return STATUS_OK;
}

static enum status open_ends(struct transfer *transfer, struct error *error) {
    if (transfer->from) {
        TRY(device_allocate(transfer->from->device, transfer->bytes, &transfer->source, error));
    }
    if (transfer->to) {
        TRY(device_allocate(transfer->to->device, transfer->bytes, &transfer->destination, error));
        TRY(device_allocate(transfer->to->device, sizeof(uint64_t), &transfer->wrong, error));
    }
    return !transfer->from || !transfer->to ? open_host(transfer, error) : STATUS_OK;
}

static enum status fill_source(const struct transfer *transfer, struct error *error) {
    const uint64_t words = transfer->bytes / CHECK_WORD_BYTES;
    if (!transfer->from) {
        host_fill(transfer->host.memory, words, transfer->seed);
        return STATUS_OK;
    }
    struct device *device = transfer->from->device;
    struct kernel *kernel;
    TRY(kernel_of(transfer, device, LINKS_FILL, &kernel, error));
    const struct argument arguments[] = {argument_pointer(transfer->source), argument_u64(words),
                                         argument_u64(transfer->seed)};
    const struct launch launch = links_launch_over(device, 0, words, 1, arguments, 3);
    TRY(device_launch(device, kernel, &launch, error));
    return device_synchronize(device, error);
}

static enum status prepare_kernel(struct transfer *transfer, struct error *error) {
    struct bench_device *actor = transfer_actor(transfer);
    struct bench_device *peer = actor == transfer->from ? transfer->to : transfer->from;
    const uint64_t words = transfer->bytes / COPY_WORD_BYTES;
    if (peer) {
        TRY(device_reach(actor->device, peer->device, error));
    }
    transfer->arguments[0] = argument_pointer(transfer->source);
    transfer->arguments[1] = argument_pointer(transfer->destination);
    transfer->arguments[2] = argument_u64(words);
    transfer->launch =
        links_launch_over(actor->device, transfer->others, words, links_copy_items, transfer->arguments, 3);
    return kernel_of(transfer, actor->device, LINKS_COPY, &transfer->copy, error);
}

enum status transfer_open(struct transfer *transfer, struct error *error) {
    TRY(open_ends(transfer, error));
    TRY(fill_source(transfer, error));
    TRY(device_stream_create(transfer_actor(transfer)->device, STREAM_FIRST, &transfer->stream, error));
    TRY(device_event_create(transfer_actor(transfer)->device, &transfer->reached, error));
    return transfer_by_kernel(transfer) ? prepare_kernel(transfer, error) : STATUS_OK;
}

void transfer_close(struct transfer *transfer) {
    struct device *from = device_or_host(transfer->from), *to = device_or_host(transfer->to);
    device_stream_destroy(transfer_actor(transfer)->device, transfer->stream);
    device_event_destroy(transfer_actor(transfer)->device, transfer->reached);
    if (from) {
        device_release(from, transfer->source);
    }
    if (to) {
        device_release(to, transfer->destination);
        device_release(to, transfer->wrong);
    }
    host_buffer_close(&transfer->host);
}

// ---- Using it ----

enum status transfer_enqueue(const struct transfer *transfer, struct stream *stream, struct error *error) {
    struct device *actor = transfer_actor(transfer)->device;
    struct device *from = device_or_host(transfer->from), *to = device_or_host(transfer->to);
    const uint64_t bytes = transfer->bytes;
    if (transfer_by_kernel(transfer)) {
        return device_launch_in(actor, stream, transfer->copy, &transfer->launch, error);
    }
    if (!from) {
        return device_copy_to_device_in(to, stream, transfer->destination, transfer->host.memory, bytes, error);
    }
    if (!to) {
        return device_copy_to_host_in(from, stream, transfer->host.memory, transfer->source, bytes, error);
    }
    return actor == from
               ? device_copy_to_peer_in(from, stream, transfer->source, to, transfer->destination, bytes, error)
               : device_copy_from_peer_in(to, stream, transfer->destination, from, transfer->source, bytes, error);
}

enum status transfer_poison(const struct transfer *transfer, struct error *error) {
    if (!transfer->to) {
        memset(transfer->host.memory, POISON, transfer->bytes);
        return STATUS_OK;
    }
    struct device *device = transfer->to->device;
    TRY(device_fill(device, transfer->destination, POISON, transfer->bytes, error));
    return device_synchronize(device, error);
}

enum status transfer_check(const struct transfer *transfer, bool *right, struct error *error) {
    const uint64_t words = transfer->bytes / CHECK_WORD_BYTES;
    *right = false;
    if (!transfer->to) {
        *right = host_check(transfer->host.memory, words, transfer->seed);
        return STATUS_OK;
    }
    struct device *device = transfer->to->device;
    struct kernel *kernel;
    TRY(kernel_of(transfer, device, LINKS_CHECK, &kernel, error));
    TRY(device_fill(device, transfer->wrong, 0, sizeof(uint64_t), error));
    const struct argument arguments[] = {argument_pointer(transfer->destination), argument_u64(words),
                                         argument_u64(transfer->seed), argument_pointer(transfer->wrong)};
    const struct launch launch = links_launch_over(device, 0, words, 1, arguments, 4);
    uint64_t wrong = 1;
    TRY(device_launch(device, kernel, &launch, error));
    TRY(device_copy_to_host(device, &wrong, transfer->wrong, sizeof wrong, error));
    *right = wrong == 0;
    return STATUS_OK;
}
