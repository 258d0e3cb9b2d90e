#include "gmem/gmem_measure.h"

#include <stdio.h>
#include <string.h>

#include "gmem/gmem_cpu.h"
#include "gmem/gmem_layout.h"
#include "util/clock.h"

enum {
    ALIGNMENT = 256
};

static uint64_t bytes_of(const struct gmem_layout *layout) {
    return (gmem_buffer_bytes(layout) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

// ---- Memory ----

static void release(struct run *run, uint64_t *address) {
    device_release(run_device(run), *address);
    *address = 0;
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
    struct device *device = run_device(job->run);
    struct gmem_buffers *buffers = job->run->state;
    gmem_buffers_release(job->run);
    buffers->bytes = bytes;
    for (uint32_t i = 0; i < kernel->reads; i++) {
        TRY(device_allocate(device, bytes, &buffers->sources[i], error));
    }
    if (kernel->writes > 0) {
        TRY(device_allocate(device, bytes, &buffers->destination, error));
    }
    return STATUS_OK;
}

static enum status allocate_sink(struct gmem_job *job, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    buffers->sink_bytes = gmem_sink_bytes(&job->layout, &job->launch, run_info(job->run)->warp_width);
    release(job->run, &buffers->sink);
    return device_allocate(run_device(job->run), buffers->sink_bytes, &buffers->sink, error);
}

static uint32_t index_arrays(const struct gmem_kernel *kernel) {
    return kernel->indexed ? kernel->reads + kernel->writes : 0;
}

static enum status allocate_indices(struct gmem_job *job, uint32_t array, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    const uint64_t count = gmem_index_count(&job->index[array]);
    if (buffers->index_count[array] >= count) {
        return STATUS_OK;
    }
    release(job->run, &buffers->indices[array]);
    buffers->index_count[array] = count;
    return device_allocate(run_device(job->run), count * sizeof(uint32_t), &buffers->indices[array], error);
}

// ---- The parts of a buffer that a launch reaches ----

struct piece {
    uint64_t first, bytes; // from the buffer's start, multiples of a word
};

bool gmem_next_part(const struct gmem_job *job, uint64_t i, struct gmem_part *part) {
    const uint64_t per_block = job->launch.block.x * gmem_items(&job->layout), whole = job->layout.elements;
    uint64_t block;
    *part = (struct gmem_part){0, whole};
    if (run_info(job->run)->simulated_blocks) {
        if (!device_next_block(run_device(job->run), job->launch.grid.x, i, &block)) {
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
    for (uint32_t i = 0; i < job->layout.kernel->reads; i++) {
        const uint64_t seed = gmem_source_seed(job->run->settings->seed, i) + piece->first / sizeof(uint64_t);
        TRY(bench_device_fill_masked(job->run->bench_device, buffers->sources[i] + piece->first, piece->bytes, seed,
                                     gmem_source_keep(&job->layout), gmem_source_set(&job->layout), error));
    }
    return STATUS_OK;
}

// Allocates what the job's kernel needs for the largest layout, unless there is as much, or just as much on a simulated
// device.
static enum status prepare_buffers(struct gmem_job *job, struct error *error) {
    struct gmem_buffers *buffers = job->run->state;
    const uint64_t kept_bits = gmem_source_keep(&job->layout);
    const uint64_t bytes = bytes_of(&job->largest);
    const bool predicted = run_info(job->run)->predicted;
    // Traffic depends a little on the size of a simulated array, which therefore is never one that is left of a larger
    // point.
    const bool unfit = predicted ? bytes != buffers->bytes : bytes > buffers->bytes;
    const double begun_s = clock_s();
    if (unfit) {
        TRY(allocate(job, bytes, error));
    }
    if ((unfit || buffers->kept_bits != kept_bits) && !predicted) {
        const struct piece whole = {0, buffers->bytes};
        buffers->kept_bits = kept_bits;
        TRY(fill_piece(job, &whole, error));
        if (unfit) {
            const struct gmem_kernel *kernel = job->layout.kernel;
            rates_note_made(job->run->bench_device, (double)(buffers->bytes * (kernel->reads + kernel->writes)),
                            clock_s() - begun_s);
        }
    }
    if (gmem_has_sink(job->layout.kernel)) {
        TRY(allocate_sink(job, error));
    }
    for (uint32_t array = 0; array < index_arrays(job->layout.kernel); array++) {
        TRY(allocate_indices(job, array, error));
    }
    return STATUS_OK;
}

// A simulated lane is slow, so the host makes the data of the blocks that will run.
static enum status fill_buffers(struct gmem_job *job, struct error *error) {
    struct piece piece;
    for (uint64_t i = 0; run_info(job->run)->predicted && next_piece(job, i, &piece); i++) {
        TRY(fill_piece(job, &piece, error));
    }
    return STATUS_OK;
}

static enum status poison_destination(struct gmem_job *job, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    struct piece piece;
    for (uint64_t i = 0; next_piece(job, i, &piece); i++) {
        TRY(device_poison(run_device(job->run), buffers->destination + piece.first, piece.bytes, error));
    }
    return STATUS_OK;
}

// Overwrites what the launch will write.
static enum status poison(void *context, struct error *error) {
    struct gmem_job *job = context;
    const struct gmem_buffers *buffers = job->run->state;
    const struct gmem_kernel *kernel = job->layout.kernel;
    if (gmem_has_sink(kernel)) {
        TRY(device_fill(run_device(job->run), buffers->sink, 0, buffers->sink_bytes, error));
    }
    return kernel->writes == 0 ? STATUS_OK
           : kernel->family    ? kernel->family->poison(job, error)
                               : poison_destination(job, error);
}

// ---- From the kernel to the row ----

enum {
    BULK_ALIGNMENT = 128 // of a tile in shared memory
};

KERNEL_SOURCE(source, gmem_cu, "gmem/gmem.cu");
KERNEL_SOURCE(bulk_source, gmem_bulk_cu, "gmem/bulk.cu");
KERNEL_SOURCE(numbers_source, gmem_numbers_cu, "gmem/numbers.cu");

static void shape_launch(struct gmem_job *job, uint64_t block) {
    job->launch.arguments = job->arguments;
    if (device_is_cpu(run_info(job->run))) { // one slice of the elements for each thread
        job->launch.grid = (struct dimensions){run_info(job->run)->compute_units, 1, 1};
        job->launch.block = (struct dimensions){1, 1, 1};
        return;
    }
    uint64_t per_block = block * gmem_items(&job->layout);
    job->launch.grid = (struct dimensions){(uint32_t)((job->layout.elements + per_block - 1) / per_block), 1, 1};
    job->launch.block = (struct dimensions){(uint32_t)block, 1, 1};
    if (job->layout.kernel->bulk) {
        job->launch.dynamic_shared_bytes = (uint32_t)(per_block * job->layout.width_bytes) + BULK_ALIGNMENT;
    }
}

// In the order of struct gmem_kernel.
static void set_arguments(struct gmem_job *job) {
    const struct gmem_buffers *buffers = job->run->state;
    const struct gmem_layout *layout = &job->layout;
    const struct gmem_kernel *kernel = layout->kernel;
    const uint64_t offset = layout->offset * layout->width_bytes;
    struct argument *at = job->arguments;
    for (uint32_t i = 0; i < kernel->reads; i++) {
        *at++ = argument_pointer(buffers->sources[i] + offset);
    }
    if (kernel->writes > 0) {
        *at++ = argument_pointer(buffers->destination + offset);
    }
    for (uint32_t array = 0; array < index_arrays(kernel); array++) {
        *at++ = argument_pointer(buffers->indices[array]);
    }
    if (gmem_has_sink(kernel)) {
        *at++ = argument_pointer(buffers->sink);
    }
    *at++ = argument_u64(layout->elements);
    for (uint32_t array = 0; array < index_arrays(kernel); array++) {
        *at++ = argument_u64(job->index[array].delta);
    }
    if (kernel->updates) {
        *at++ = argument_u64(layout->window == layout->elements ? UINT64_MAX : layout->window - 1);
    } else if (!kernel->indexed) {
        *at++ = argument_u64(layout->stride);
    }
    if (kernel->reads == 0 && !kernel->updates) {
        *at++ = argument_u64(job->run->settings->seed);
    }
    job->launch.argument_count = (size_t)(at - job->arguments);
}

bool gmem_has_methods(const struct gmem_kernel *kernel, enum gmem_operation *operation) {
    const bool writes = kernel->writes > 0, reads = kernel->reads > 0;
    *operation = kernel->numbers && writes ? GMEM_TRIAD : !writes ? GMEM_READ : !reads ? GMEM_WRITE : GMEM_COPY;
    return kernel->entry && !kernel->family && (!kernel->numbers || writes);
}

static const struct kernel_source *source_of(const struct gmem_kernel *kernel) {
    return kernel->family    ? kernel->family->source
           : kernel->numbers ? &numbers_source
           : kernel->bulk    ? &bulk_source
                             : &source;
}

static enum status build(struct gmem_job *job, struct error *error) {
    enum {
        ALL = 7,
        ON_GPU = 5 // number of constants of GPU kernels; the CPU's kernels have more
    };
    const struct gmem_session *session = job->run->session;
    struct device *device = run_device(job->run);
    enum gmem_operation operation;
    const size_t method = gmem_has_methods(job->layout.kernel, &operation) ? session->cpu[operation].method : 0;
    const struct kernel_constant constants[ALL] = {
        {"WIDTH", (int64_t)job->layout.width_bytes},
        {"ITEMS", gmem_items(&job->layout)},
        {"PATTERN", (int64_t)job->index[0].length},
        {"BITS", (int64_t)(8 * job->layout.width_bytes)}, // of number_t, with FLOATING
        {"FLOATING", job->layout.kernel->floating},
        {"METHOD", (int64_t)method},
        {"CACHE_BYTES", (int64_t)device->info.last_level_cache_bytes},
    };
    struct kernel_request request = {
        .source = source_of(job->layout.kernel),
        .entry = job->layout.kernel->entry,
        .constants = constants,
        .constant_count = device_is_cpu(&device->info) ? ALL : ON_GPU,
        .native = job->layout.kernel->native,
    };
    return device_build(device, &request, &job->kernel, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct gmem_job *job = context;
    struct device *device = run_device(job->run);
    if (job->kernel) {
        return device_launch(device, job->kernel, &job->launch, error);
    }
    const struct gmem_buffers *buffers = job->run->state;
    return device_copy_on_device(device, buffers->destination, buffers->sources[0],
                                 job->layout.elements * job->layout.width_bytes, error);
}

static enum status check_result(void *context, bool *right, struct error *error) {
    struct gmem_job *job = context;
    const struct gmem_buffers *buffers = job->run->state;
    struct gmem_result result = {
        .layout = job->layout,
        .seed = job->run->settings->seed,
        .destination = buffers->destination,
    };
    const bool to_sink = gmem_has_sink(job->layout.kernel);
    struct gmem_part part;
    uint64_t total, expected = 0;
    memcpy(result.sources, buffers->sources, sizeof result.sources);
    *right = true;
    for (uint64_t i = 0; *right && gmem_next_part(job, i, &part); i++) {
        result.elements_first = part.first;
        result.elements_run = part.end;
        TRY(to_sink ? gmem_expect(job->run->bench_device, &result, &expected, error)
                    : gmem_check(job->run->bench_device, &result, right, error));
    }
    if (to_sink) {
        TRY(gmem_sink_total(run_device(job->run), job->layout.kernel, buffers->sink, buffers->sink_bytes, &total,
                            error));
        *right = total == expected;
    }
    return STATUS_OK;
}

// The simulator's counts; on a GPU that the model knows, the model's counts of the same addresses.
static enum status set_counts(struct gmem_job *job, struct row *row, struct error *error) {
    struct device *device = run_device(job->run);
    struct launch_counts counts;
    if (!device->info.gpu || !job->kernel || job->layout.kernel->bulk) {
        return STATUS_OK; // a bulk copy is no request of a warp
    }
    if (!device_counts_launches(device) && job->layout.kernel->family) {
        return STATUS_OK; // the twin counts
    }
    if (!device_counts_launches(device)) {
        counts = gmem_model_counts(device->info.gpu, &job->layout);
    } else {
        TRY(device_counts(device, &counts, error));
        if (job->layout.kernel->writes == 0) {
            counts.global_store = (struct memory_counts){0}; // leaves out the checksums
        }
    }
    row_set_counts(row, &counts, device->info.gpu);
    return STATUS_OK;
}

static void describe(const struct gmem_job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "%s", job->layout.kernel->op);
    snprintf(row->type, sizeof row->type, "%s", gmem_type_name(&job->layout));
    row->width_bytes = job->layout.width_bytes;
    if (job->pattern) {
        snprintf(row->pattern, sizeof row->pattern, "%s", job->pattern);
    } else if (job->layout.slots > 0) {
        row->window_bytes = job->layout.window * job->layout.width_bytes;
    } else {
        row->stride = job->layout.stride;
        row->offset = job->layout.offset;
    }
    row->elements = job->layout.elements;
    row->ops = job->layout.kernel->updates ? (double)job->layout.elements : row->ops;
    row->footprint_bytes = gmem_footprint_bytes(&job->layout);
    if (job->kernel && !device_is_cpu(run_info(job->run))) {
        row_format_dimensions(row->block, job->launch.block);
        row_format_dimensions(row->grid, job->launch.grid);
    }
}

// The method was the fastest of trials at the start, when other programs may have disturbed those of a better one. A
// row that is far from the trials asks again, and is measured once more if the answer differs.
static enum status doubt_method(struct gmem_job *job, const struct trial *trial, struct measurement *measurement,
                                struct error *error) {
    enum {
        AGAIN_MAX = 2 // for an operation
    };
    struct gmem_session *session = job->run->session;
    struct device *device = run_device(job->run);
    const double gb_s = gmem_useful_bytes(&job->layout) / measurement->time_ns.min;
    enum gmem_operation operation;
    if (!device_is_cpu(&device->info) || !gmem_has_methods(job->layout.kernel, &operation) || job->layout.stride != 1 ||
        gmem_footprint_bytes(&job->layout) <= device->info.last_level_cache_bytes ||
        !gmem_cpu_is_far(&session->cpu[operation], gb_s) || session->tuned_again[operation] == AGAIN_MAX) {
        return STATUS_OK;
    }
    const size_t before = session->cpu[operation].method;
    bool wanted[GMEM_CPU_OPERATIONS] = {false};
    wanted[operation] = true;
    session->tuned_again[operation]++;
    gmem_cpu_tune(device, wanted, session->cpu);
    if (session->cpu[operation].method == before) {
        return STATUS_OK;
    }
    device_discard(device, job->kernel);
    job->kernel = NULL;
    TRY(build(job, error));
    return run_trial(job->run, trial, measurement, error);
}

static enum status measure_job(struct gmem_job *job, struct error *error) {
    const struct gmem_family *family = job->layout.kernel->family;
    const struct trial trial = {job, poison, enqueue, family ? family->check : check_result};
    struct measurement measurement;
    struct row row = run_row(job->run);
    TRY(run_trial(job->run, &trial, &measurement, error));
    TRY(doubt_method(job, &trial, &measurement, error));
    describe(job, &row);
    TRY(set_counts(job, &row, error));
    row_finish(&row, job->run, &measurement, gmem_useful_bytes(&job->layout));
    row.fixed_pct = 100 * job->run->bench_device->launch_overhead_ns / row.time_ns_median;
    return run_emit(job->run, &row, error);
}

static enum status prepare(struct gmem_job *job, struct error *error) {
    struct device *device = run_device(job->run);
    const struct gmem_family *family = job->layout.kernel->family;
    TRY(prepare_buffers(job, error));
    set_arguments(job);
    if (device->info.predicted) {
        TRY(device->operations->choose_blocks(device, job->kernel, &job->launch, error));
    }
    return !family ? fill_buffers(job, error) : family->fill ? family->fill(job, error) : STATUS_OK;
}

enum status gmem_measure(struct gmem_job *job, uint64_t block, struct error *error) {
    shape_launch(job, block);
    enum status status = job->layout.kernel->entry ? build(job, error) : STATUS_OK;
    THEN(status, prepare(job, error));
    THEN(status, measure_job(job, error));
    device_discard(run_device(job->run), job->kernel);
    return status;
}
