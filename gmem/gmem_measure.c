#include "gmem/gmem_measure.h"

#include <stdio.h>
#include <string.h>

#include "gmem/gmem_check.h"
#include "gmem/gmem_cpu.h"
#include "util/embed.h"

EMBED_FILE(gmem_cu, "gmem/gmem.cu");
EMBED_FILE(gmem_bulk_cu, "gmem/bulk.cu");
EMBED_FILE(gmem_numbers_cu, "gmem/numbers.cu");

enum {
    BULK_ALIGNMENT = 128 // of a tile in shared memory
};

static const struct kernel_source source = {"gmem/gmem.cu", gmem_cu};
static const struct kernel_source bulk_source = {"gmem/bulk.cu", gmem_bulk_cu};
static const struct kernel_source numbers_source = {"gmem/numbers.cu", gmem_numbers_cu};

native_kernel *gmem_native_of(const struct gmem_kernel *kernel) {
    return kernel->native ? kernel->native : gmem_native(kernel->entry);
}

static void shape_launch(struct gmem_job *job, uint64_t block) {
    if (device_is_cpu(gmem_info(job->run))) { // one slice of the elements for each thread
        job->launch.grid = (struct dimensions){gmem_info(job->run)->compute_units, 1, 1};
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

static void set_arguments(struct gmem_job *job) {
    const struct gmem_buffers *buffers = job->run->state;
    uint64_t offset = job->layout.offset * job->layout.width_bytes;
    struct argument *at = job->arguments;
    for (uint32_t i = 0; i < job->layout.kernel->reads; i++) {
        *at++ = argument_pointer(buffers->sources[i] + offset);
    }
    *at++ = argument_pointer(job->layout.kernel->writes == 0 ? buffers->sink : buffers->destination + offset);
    *at++ = argument_u64(job->layout.elements);
    *at++ = argument_u64(job->layout.stride);
    if (job->layout.kernel->reads == 0) {
        *at++ = argument_u64(job->run->settings->seed);
    }
    job->launch.arguments = job->arguments;
    job->launch.argument_count = (size_t)(at - job->arguments);
}

static enum gmem_operation operation_of(const struct gmem_kernel *kernel) {
    return kernel->writes == 0 ? GMEM_READ : kernel->reads == 0 ? GMEM_WRITE : GMEM_COPY;
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
    struct device *device = job->run->bench_device->device;
    const struct kernel_constant constants[ALL] = {
        {"WIDTH", (int64_t)job->layout.width_bytes},
        {"ITEMS", gmem_items(&job->layout)},
        {"PATTERN", (int64_t)job->index[0].length},
        {"BITS", (int64_t)(8 * job->layout.width_bytes)}, // of number_t, with FLOATING
        {"FLOATING", job->layout.kernel->floating},
        {"METHOD", (int64_t)session->cpu[operation_of(job->layout.kernel)].method},
        {"CACHE_BYTES", (int64_t)device->info.last_level_cache_bytes},
    };
    struct kernel_request request = {
        .source = source_of(job->layout.kernel),
        .entry = job->layout.kernel->entry,
        .constants = constants,
        .constant_count = device_is_cpu(&device->info) ? ALL : ON_GPU,
        .native = gmem_native_of(job->layout.kernel),
    };
    return device_build(device, &request, &job->kernel, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct gmem_job *job = context;
    struct device *device = job->run->bench_device->device;
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
        .sink = buffers->sink,
        .sink_bytes = buffers->sink_bytes,
        .elements_run = job->layout.elements,
        .block_elements = job->launch.block.x * gmem_items(&job->layout),
        .grid = job->launch.grid.x,
    };
    memcpy(result.sources, buffers->sources, sizeof result.sources);
    return gmem_check(job->run->bench_device, &result, right, error);
}

// The simulator's counts; on a GPU that the model knows, the model's counts of the same addresses.
static enum status set_counts(struct gmem_job *job, struct row *row, struct error *error) {
    struct device *device = job->run->bench_device->device;
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
        enum status status = device_counts(device, &counts, error);
        if (status != STATUS_OK) {
            return status;
        }
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
    if (job->kernel && !device_is_cpu(gmem_info(job->run))) {
        row_format_dimensions(row->block, job->launch.block);
        row_format_dimensions(row->grid, job->launch.grid);
    }
}

static enum status measure_job(struct gmem_job *job, struct error *error) {
    const struct gmem_family *family = job->layout.kernel->family;
    const struct trial trial = {job, family ? family->poison : gmem_buffers_poison, enqueue,
                                family ? family->check : check_result};
    struct measurement measurement;
    enum verification verification;
    struct row row = run_row(job->run);
    enum status status = run_trial(job->run, &trial, &measurement, &verification, error);
    if (status == STATUS_OK) {
        describe(job, &row);
        status = set_counts(job, &row, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    row_finish(&row, job->run, &measurement, gmem_useful_bytes(&job->layout), verification);
    row.fixed_pct = 100 * job->run->bench_device->launch_overhead_ns / row.time_ns_median;
    return run_emit(job->run, &row, error);
}

static enum status prepare(struct gmem_job *job, struct error *error) {
    if (job->layout.kernel->family) {
        return job->layout.kernel->family->prepare(job, error);
    }
    enum status status = gmem_buffers_prepare(job, &job->largest, error);
    if (status == STATUS_OK) {
        set_arguments(job);
        status = gmem_buffers_fill(job, error);
    }
    return status;
}

enum status gmem_measure(struct gmem_job *job, uint64_t block, struct error *error) {
    enum status status = STATUS_OK;
    shape_launch(job, block);
    if (job->layout.kernel->entry) {
        status = build(job, error);
    }
    if (status == STATUS_OK) {
        status = prepare(job, error);
    }
    if (status == STATUS_OK) {
        status = measure_job(job, error);
    }
    if (job->kernel) {
        device_discard(job->run->bench_device->device, job->kernel);
    }
    return status;
}
