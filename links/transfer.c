#include "links/transfer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/random.h"

// ---- Kernels ----

enum {
    THREADS = 512,
    ITEMS = 8,  // words that a thread of the copy has in flight
    WIDTH = 16, // of a word of the copy
    UNITS_UNKNOWN = 64
};

KERNEL_SOURCE(kernels_source, links_links_cu, "links/links.cu");

static const char *const entries[LINKS_KERNEL_COUNT] = {
    [LINKS_COPY] = "link_copy",
    [LINKS_CHASE] = "link_chase",
    [LINKS_FILL] = "link_fill",
    [LINKS_CHECK] = "link_check",
};

enum status links_kernel_of(struct links_kernels *kernels, struct device *device, enum links_kernel which,
                            struct kernel **kernel, struct error *error) {
    while (kernels->device && kernels->device != device) {
        kernels++;
    }
    kernels->device = device;
    enum status status = STATUS_OK;
    if (!kernels->kernel[which]) {
        const struct kernel_request request = {
            .source = &kernels_source,
            .entry = entries[which],
            KERNEL_CONSTANTS({"WIDTH", WIDTH}, {"ITEMS", ITEMS}, {"THREADS", THREADS})};
        status = device_build(device, &request, &kernels->kernel[which], error);
    }
    *kernel = kernels->kernel[which];
    return status;
}

void links_kernels_discard(struct links_kernels *kernels) {
    for (size_t i = 0; i < SELECTION_DEVICES_MAX && kernels[i].device; i++) {
        for (size_t k = 0; k < LINKS_KERNEL_COUNT; k++) {
            device_discard(kernels[i].device, kernels[i].kernel[k]);
        }
        kernels[i] = (struct links_kernels){0};
    }
}

// A launch over that many words, `each` of them per thread, that leaves room on the device for `others` more launches.
// A unit has room for two blocks of the copy, by its registers.
static struct launch launch_over(const struct device *device, size_t others, uint64_t words, uint64_t each,
                                 const struct argument *arguments, size_t count) {
    const uint64_t all = device->info.compute_units ? device->info.compute_units : UNITS_UNKNOWN;
    const uint64_t units = others < 2 ? all : (2 * all + others) / (others + 1);
    const uint64_t blocks = (words + each * THREADS - 1) / (each * THREADS);
    return (struct launch){.grid = {(uint32_t)(blocks < units ? blocks : units), 1, 1},
                           .block = {THREADS, 1, 1},
                           .arguments = arguments,
                           .argument_count = count};
}

enum status links_visit_words(struct links_kernels *kernels, struct device *device, enum links_kernel which,
                              uint64_t memory, uint64_t bytes, uint64_t seed, uint64_t wrong, struct error *error) {
    const uint64_t words = bytes / sizeof(uint64_t);
    const struct argument arguments[] = {argument_pointer(memory), argument_u64(words), argument_u64(seed),
                                         argument_pointer(wrong)};
    const struct launch launch = launch_over(device, 0, words, 1, arguments, which == LINKS_CHECK ? 4 : 3);
    struct kernel *kernel;
    TRY(links_kernel_of(kernels, device, which, &kernel, error));
    return device_launch(device, kernel, &launch, error);
}

// ---- The host's memory ----

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
    if (buffer->kind == HOST_REGISTERED) {
        return page_allocate_pinned(buffer->device, bytes, "give a smaller --footprint", &buffer->memory, error);
    }
    buffer->memory = page_allocate(bytes);
    if (!buffer->memory) {
        return error_set(error, STATUS_FAILED, "out of memory: give a smaller --footprint");
    }
    memset(buffer->memory, 0, bytes); // touched by this thread, whose preference applies
    return STATUS_OK;
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
    } else if (buffer->kind == HOST_REGISTERED) {
        page_release_pinned(buffer->device, buffer->memory);
    } else {
        free(buffer->memory);
    }
    buffer->memory = NULL;
}

void host_fill(void *memory, uint64_t bytes, uint64_t seed) {
    uint64_t *word = memory;
#pragma omp parallel for
    for (uint64_t i = 0; i < bytes / sizeof *word; i++) {
        word[i] = mix64(seed + i);
    }
}

bool host_check(const void *memory, uint64_t bytes, uint64_t seed) {
    const uint64_t *word = memory;
    uint64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (uint64_t i = 0; i < bytes / sizeof *word; i++) {
        wrong += word[i] != mix64(seed + i);
    }
    return wrong == 0;
}

// ---- Transfers ----

static struct device *device_or_host(const struct bench_device *bench) {
    return bench ? bench->device : NULL;
}

struct bench_device *transfer_actor(const struct transfer *transfer) {
    const bool source = transfer->mover == MOVER_SOURCE_ENGINE || transfer->mover == MOVER_SOURCE_KERNEL;
    return !transfer->from || (transfer->to && !source) ? transfer->to : transfer->from;
}

// ---- Opening it ----

static enum status open_host(struct transfer *transfer, struct error *error) {
    struct device *device = transfer_actor(transfer)->device;
    uint64_t mapped = 0;
    TRY(host_buffer_open(&transfer->host, device, transfer->memory, transfer->bytes, error));
    if (mover_is_kernel(transfer->mover)) {
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
    if (transfer->from) {
        return bench_device_fill_random(transfer->from, transfer->source, transfer->bytes, transfer->seed, error);
    }
    host_fill(transfer->host.memory, transfer->bytes, transfer->seed);
    return STATUS_OK;
}

static enum status prepare_kernel(struct transfer *transfer, struct error *error) {
    struct bench_device *actor = transfer_actor(transfer);
    struct bench_device *peer = actor == transfer->from ? transfer->to : transfer->from;
    const uint64_t words = transfer->bytes / WIDTH;
    if (peer) {
        TRY(device_reach(actor->device, peer->device, error));
    }
    transfer->arguments[0] = argument_pointer(transfer->source);
    transfer->arguments[1] = argument_pointer(transfer->destination);
    transfer->arguments[2] = argument_u64(words);
    transfer->launch = launch_over(actor->device, transfer->others, words, ITEMS, transfer->arguments, 3);
    return links_kernel_of(transfer->kernels, actor->device, LINKS_COPY, &transfer->copy, error);
}

enum status transfer_open(struct transfer *transfer, struct error *error) {
    TRY(open_ends(transfer, error));
    TRY(fill_source(transfer, error));
    TRY(device_stream_create(transfer_actor(transfer)->device, STREAM_FIRST, &transfer->stream, error));
    TRY(device_event_create(transfer_actor(transfer)->device, &transfer->reached, error));
    return mover_is_kernel(transfer->mover) ? prepare_kernel(transfer, error) : STATUS_OK;
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
    if (mover_is_kernel(transfer->mover)) {
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

enum status transfer_poison(void *context, struct error *error) {
    const struct transfer *transfer = context;
    if (!transfer->to) {
        memset(transfer->host.memory, DEVICE_POISON, transfer->bytes);
        return STATUS_OK;
    }
    struct device *device = transfer->to->device;
    TRY(device_poison(device, transfer->destination, transfer->bytes, error));
    return device_synchronize(device, error);
}

enum status transfer_check(void *context, bool *right, struct error *error) {
    const struct transfer *transfer = context;
    uint64_t wrong = 1;
    *right = false;
    if (!transfer->to) {
        *right = host_check(transfer->host.memory, transfer->bytes, transfer->seed);
        return STATUS_OK;
    }
    struct device *device = transfer->to->device;
    TRY(device_fill(device, transfer->wrong, 0, sizeof wrong, error));
    TRY(links_visit_words(transfer->kernels, device, LINKS_CHECK, transfer->destination, transfer->bytes,
                          transfer->seed, transfer->wrong, error));
    TRY(device_copy_to_host(device, &wrong, transfer->wrong, sizeof wrong, error));
    *right = wrong == 0;
    return STATUS_OK;
}
