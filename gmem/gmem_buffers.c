#include "gmem/gmem_buffers.h"

#include <string.h>

#include "gmem/gmem_check.h"

enum {
    ALIGNMENT = 256
};

static uint64_t bytes_of(const struct gmem_layout *layout) {
    return (gmem_buffer_bytes(layout) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

// ---- Memory ----

static void release(struct run *run, uint64_t *address) {
    if (*address) {
        device_release(run->bench_device->device, *address);
        *address = 0;
    }
}

void gmem_buffers_release(struct run *run) {
    struct gmem_buffers *buffers = run->state;
    for (uint32_t i = 0; i < GMEM_SOURCES_MAX; i++) {
        release(run, &buffers->sources[i]);
    }
    release(run, &buffers->destination);
    release(run, &buffers->sink);
    release(run, &buffers->indices[0]);
    release(run, &buffers->indices[1]);
    memset(buffers->index_count, 0, sizeof buffers->index_count);
    buffers->bytes = 0;
}

static enum status allocate(struct gmem_job *job, uint64_t bytes, struct error *error) {
    const struct gmem_kernel *kernel = job->layout.kernel;
    struct device *device = job->run->bench_device->device;
    struct gmem_buffers *buffers = job->run->state;
    enum status status = STATUS_OK;
    gmem_buffers_release(job->run);
    buffers->bytes = bytes;
    for (uint32_t i = 0; i < kernel->reads && status == STATUS_OK; i++) {
        status = device_allocate(device, bytes, &buffers->sources[i], error);
    }
    if (status == STATUS_OK && kernel->writes > 0) {
        status = device_allocate(device, bytes, &buffers->destination, error);
    }
    return status;
}

static enum status allocate_sink(struct gmem_job *job, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    buffers->sink_bytes = gmem_sink_bytes(&job->layout, &job->launch, gmem_info(job->run)->warp_width);
    release(job->run, &buffers->sink);
    return device_allocate(job->run->bench_device->device, buffers->sink_bytes, &buffers->sink, error);
}

enum status gmem_buffers_prepare_indices(struct gmem_job *job, uint32_t array, uint64_t count, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    if (buffers->index_count[array] >= count) {
        return STATUS_OK;
    }
    release(job->run, &buffers->indices[array]);
    buffers->index_count[array] = count;
    return device_allocate(job->run->bench_device->device, count * sizeof(uint32_t), &buffers->indices[array], error);
}

// ---- The parts of a buffer that a launch reaches ----

struct piece {
    uint64_t first, bytes; // from the buffer's start, multiples of a word
};

bool gmem_next_part(const struct gmem_job *job, uint64_t i, struct gmem_part *part) {
    const uint64_t per_block = job->launch.block.x * gmem_items(&job->layout), whole = job->layout.elements;
    uint64_t block;
    *part = (struct gmem_part){0, whole};
    if (gmem_info(job->run)->simulated_blocks) {
        if (!device_next_block(job->run->bench_device->device, job->launch.grid.x, i, &block)) {
            return false;
        }
        part->first = block * per_block;
        part->end = part->first + per_block < whole ? part->first + per_block : whole;
        return true;
    }
    return i == 0;
}

// Bytes of the i-th part.
static bool next_piece(const struct gmem_job *job, uint64_t i, struct piece *piece) {
    const struct gmem_layout *layout = &job->layout;
    struct gmem_part part;
    if (!gmem_next_part(job, i, &part)) {
        return false;
    }
    const uint64_t step = layout->stride * layout->width_bytes, offset = layout->offset * layout->width_bytes;
    piece->first = (part.first * step + offset) / ALIGNMENT * ALIGNMENT;
    piece->bytes = (part.end * step + offset + ALIGNMENT - piece->first) / ALIGNMENT * ALIGNMENT;
    if (piece->first + piece->bytes > bytes_of(layout)) {
        piece->bytes = bytes_of(layout) - piece->first;
    }
    return true;
}

// ---- Contents ----

static enum status fill_piece(struct gmem_job *job, const struct piece *piece, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < job->layout.kernel->reads && status == STATUS_OK; i++) {
        const uint64_t seed = gmem_source_seed(job->run->settings->seed, i) + piece->first / sizeof(uint64_t);
        status = bench_device_fill_masked(job->run->bench_device, buffers->sources[i] + piece->first, piece->bytes,
                                          seed, gmem_source_keep(&job->layout), gmem_source_set(&job->layout), error);
    }
    return status;
}

enum status gmem_buffers_prepare(struct gmem_job *job, const struct gmem_layout *largest, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    const uint64_t kept_bits = gmem_source_keep(&job->layout);
    const bool too_small = bytes_of(largest) > buffers->bytes;
    enum status status = STATUS_OK;
    if (too_small) {
        status = allocate(job, bytes_of(largest), error);
    }
    if (status == STATUS_OK && (too_small || buffers->kept_bits != kept_bits) && !gmem_info(job->run)->predicted) {
        const struct piece whole = {0, buffers->bytes};
        buffers->kept_bits = kept_bits;
        status = fill_piece(job, &whole, error);
    }
    if (status == STATUS_OK && (job->layout.kernel->writes == 0 || job->layout.kernel->fetches)) {
        status = allocate_sink(job, error);
    }
    return status;
}

// A simulated lane is slow, so the host makes the data of the blocks that will run.
enum status gmem_buffers_fill(struct gmem_job *job, struct error *error) {
    struct device *device = job->run->bench_device->device;
    struct piece piece;
    if (!device->info.predicted) {
        return STATUS_OK;
    }
    enum status status = device->operations->choose_blocks(device, job->kernel, &job->launch, error);
    for (uint64_t i = 0; status == STATUS_OK && next_piece(job, i, &piece); i++) {
        status = fill_piece(job, &piece, error);
    }
    return status;
}

enum status gmem_buffers_poison(void *context, struct error *error) {
    struct gmem_job *job = context;
    struct device *device = job->run->bench_device->device;
    const struct gmem_buffers *buffers = job->run->state;
    if (job->layout.kernel->writes == 0) {
        return device_fill(device, buffers->sink, 0, buffers->sink_bytes, error);
    }
    struct piece piece;
    enum status status = STATUS_OK;
    for (uint64_t i = 0; status == STATUS_OK && next_piece(job, i, &piece); i++) {
        status = device_fill(device, buffers->destination + piece.first, GMEM_POISON, piece.bytes, error);
    }
    return status;
}
