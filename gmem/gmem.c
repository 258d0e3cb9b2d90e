// gmem: bandwidth of global memory by stride, width and offset.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/output.h"
#include "bench/probe.h"
#include "gmem/gmem_buffers.h"
#include "gmem/gmem_check.h"
#include "gmem/gmem_cpu.h"
#include "gmem/gmem_cpu_tune.h"
#include "gmem/gmem_layout.h"
#include "util/embed.h"

EMBED_FILE(gmem_cu, "gmem/gmem.cu");

enum parameter_index {
    WIDTH,
    ELEMENTS,
    BLOCK,
    OFFSET,
    STRIDE
};
enum {
    OFFSET_BYTES_MAX = 64
};

// Kept for a run of the program.
struct gmem_session {
    struct gmem_cpu_tuning cpu[GMEM_CPU_OPERATIONS]; // which methods the CPU's kernels use
};

static const struct kernel_source source = {"gmem/gmem.cu", gmem_cu};

static const struct parameter parameters[] = {
    [WIDTH] = {"width", "bytes of an element: 1, 2, 4, 8, 16", 1, 16, false},
    [ELEMENTS] = {"elements", "how many; default: see below", 1, 1e15, false},
    [BLOCK] = {"block", "threads of a block, a multiple of the warp (256); the CPU has none", 1, 1024, false},
    [OFFSET] = {"offset", "elements between an aligned address and the first one (0)", 0, 1 << 20, false},
    [STRIDE] = {"stride", "elements from one to the next (1 to 64)", 1, 1 << 20, false},
};

#define COPY .op = "copy", .reads = 1, .writes = 1, .factors = {1}, .check = "check_copy"
#define WIDTHS [WIDTH] = "1,2,4,8,16", [ELEMENTS] = "0"
#define KERNEL_DEFAULTS WIDTHS, [BLOCK] = "256", [OFFSET] = "0"
// clang-format off
static const struct variant variants[] = {
    {"stride-copy", "dst[i*S] = src[i*S]: what a stride costs",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_copy", COPY}},
    {"read", "loads alone, by stride",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_read", .op = "read", .reads = 1, .factors = {1}}},
    {"write", "stores alone, by stride",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_write", .op = "write", .writes = 1, .check = "check_write"}},
    {"copy", "contiguous copy, stride 1",
     {KERNEL_DEFAULTS},
     &(struct gmem_kernel){.entry = "stride_copy", COPY}},
    {"offset", "contiguous copy, misaligned by 0 to 64 bytes",
     {WIDTHS, [BLOCK] = "256", [OFFSET] = "0:64"},
     &(struct gmem_kernel){.entry = "stride_copy", COPY}},
    {"driver-copy", "the driver's own copy (CPU: memcpy), a yardstick",
     {[WIDTH] = "16", [ELEMENTS] = "0"},
     &(struct gmem_kernel){COPY}},
};
// clang-format on

static struct gmem_layout layout_of(const struct run *run, const struct point *point) {
    struct gmem_layout layout = {
        .kernel = point->variant->detail,
        .width_bytes = point->values[WIDTH],
        .stride = point->values[STRIDE] ? point->values[STRIDE] : 1,
        .offset = point->values[OFFSET],
        .elements = point->values[ELEMENTS],
    };
    if (layout.elements == 0) {
        layout.elements = gmem_default_elements(gmem_info(run), layout.width_bytes, sweep_max(&run->sweeps[STRIDE]),
                                                run->bench_device->footprint_max);
    }
    return layout;
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    (void)session;
    const struct gmem_kernel *kernel = variant->detail;
    if (kernel->entry && device_is_cpu(&device->info) && !gmem_native(kernel->entry)) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no kernel for the CPU: give a GPU or --device sim:h200",
                         variant->name);
    }
    if (!kernel->entry && (!device_can_copy_on_device(device) || device->info.predicted)) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no driver to copy: leave out --variant %s", device->info.spec,
                         variant->name);
    }
    return STATUS_OK;
}

static enum status check_block(const struct run *run, uint64_t block, struct error *error) {
    const struct device_info *info = gmem_info(run);
    if (block == 0 || device_is_cpu(info) || (block % info->warp_width == 0 && block <= info->max_block_threads)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "--block %llu: %s takes multiples of %u up to %u", (unsigned long long)block,
                     info->spec, info->warp_width, info->max_block_threads);
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = gmem_info(run);
    struct gmem_layout layout = layout_of(run, point);
    if ((layout.width_bytes & (layout.width_bytes - 1)) != 0) {
        return error_set(error, STATUS_USAGE, "--width %llu: give 1, 2, 4, 8 or 16",
                         (unsigned long long)layout.width_bytes);
    }
    uint64_t bytes = gmem_footprint_bytes(&layout);
    uint64_t available = device_free_bytes(info);
    if (bytes == 0 || bytes > available) {
        return error_set(
            error, STATUS_USAGE,
            "%llu elements of %llu bytes at stride %llu do not fit into the %llu free bytes of %s: give fewer "
            "--elements or a smaller --stride",
            (unsigned long long)layout.elements, (unsigned long long)layout.width_bytes,
            (unsigned long long)layout.stride, (unsigned long long)available, info->spec);
    }
    return check_block(run, point->values[BLOCK], error);
}

// The default offsets are counted in bytes: wide elements reach 64 of them sooner.
static bool skip(const struct run *run, const struct point *point) {
    return run->defaulted[OFFSET] && point->values[OFFSET] * point->values[WIDTH] > OFFSET_BYTES_MAX;
}

static void shape_launch(struct gmem_job *job, uint64_t block) {
    if (device_is_cpu(gmem_info(job->run))) { // a slice of the elements for each thread
        job->launch.grid = (struct dimensions){gmem_info(job->run)->compute_units, 1, 1};
        job->launch.block = (struct dimensions){1, 1, 1};
        return;
    }
    uint64_t per_block = block * gmem_items(&job->layout);
    job->launch.grid = (struct dimensions){(uint32_t)((job->layout.elements + per_block - 1) / per_block), 1, 1};
    job->launch.block = (struct dimensions){(uint32_t)block, 1, 1};
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

static enum status build(struct gmem_job *job, struct error *error) {
    enum {
        ALL = 4,
        ON_GPU = 2 // the others are for the CPU's kernels alone
    };
    const struct gmem_session *session = job->run->session;
    struct device *device = job->run->bench_device->device;
    const struct kernel_constant constants[ALL] = {
        {"WIDTH", (int64_t)job->layout.width_bytes},
        {"ITEMS", gmem_items(&job->layout)},
        {"METHOD", (int64_t)session->cpu[operation_of(job->layout.kernel)].method},
        {"CACHE_BYTES", (int64_t)device->info.last_level_cache_bytes},
    };
    struct kernel_request request = {
        .source = &source,
        .entry = job->layout.kernel->entry,
        .constants = constants,
        .constant_count = device_is_cpu(&device->info) ? ALL : ON_GPU,
        .native = gmem_native(job->layout.kernel->entry),
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
        .sink_words = buffers->sink_bytes / sizeof(uint32_t),
        .elements_run = job->layout.elements,
        .block_elements = job->launch.block.x * gmem_items(&job->layout),
        .grid = job->launch.grid.x,
    };
    memcpy(result.sources, buffers->sources, sizeof result.sources);
    return gmem_check(job->run->bench_device, &result, right, error);
}

// On the simulator what it counted; on a GPU that the model knows what the model says of the same addresses.
static enum status set_counts(struct gmem_job *job, struct row *row, struct error *error) {
    struct device *device = job->run->bench_device->device;
    struct launch_counts counts;
    if (!device->info.gpu || !job->kernel) {
        return STATUS_OK;
    }
    if (!device_counts_launches(device)) {
        counts = gmem_model_counts(device->info.gpu, &job->layout);
    } else {
        enum status status = device_counts(device, &counts, error);
        if (status != STATUS_OK) {
            return status;
        }
        if (job->layout.kernel->writes == 0) {
            counts.global_store = (struct memory_counts){0}; // the checksums
        }
    }
    row_set_counts(row, &counts, device->info.gpu);
    return STATUS_OK;
}

static void describe(const struct gmem_job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "%s", job->layout.kernel->op);
    row->width_bytes = job->layout.width_bytes;
    row->stride = job->layout.stride;
    row->offset = job->layout.offset;
    row->elements = job->layout.elements;
    row->footprint_bytes = gmem_footprint_bytes(&job->layout);
    if (job->kernel && !device_is_cpu(gmem_info(job->run))) {
        row_format_dimensions(row->block, job->launch.block);
        row_format_dimensions(row->grid, job->launch.grid);
    }
}

static enum status measure_job(struct gmem_job *job, struct error *error) {
    struct trial trial = {job, gmem_buffers_poison, enqueue, check_result};
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
    return run_emit(job->run, &row, error);
}

static struct gmem_layout largest_layout(const struct run *run, const struct gmem_layout *layout) {
    struct gmem_layout largest = *layout;
    largest.stride = run->sweeps[STRIDE].count ? sweep_max(&run->sweeps[STRIDE]) : 1;
    largest.offset = run->sweeps[OFFSET].count ? sweep_max(&run->sweeps[OFFSET]) : 0;
    return largest;
}

// An element apart from the next takes a line of its own, which a store reads as well.
static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    enum {
        LINE_BYTES = 64,
        CHECK_BYTES = 192 // an element is checked in the time that so many bytes take
    };
    const struct gmem_layout layout = layout_of(run, point), largest = largest_layout(run, &layout);
    const uint64_t step = layout.stride * layout.width_bytes;
    const double moved = (double)layout.elements * (double)(step < LINE_BYTES ? step : LINE_BYTES);
    const double buffers = layout.kernel->reads + 2 * layout.kernel->writes;
    cost->make_bytes = (double)gmem_footprint_bytes(&largest);
    cost->handle_bytes = 2 * (double)gmem_footprint_bytes(&layout) + (double)CHECK_BYTES * (double)layout.elements;
    cost->round_s = moved * buffers * run->bench_device->rates.copy_s / 2;
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct gmem_job job = {.run = run, .layout = layout_of(run, point)};
    enum status status = STATUS_OK;
    shape_launch(&job, point->values[BLOCK] ? point->values[BLOCK] : 256);
    if (job.layout.kernel->entry) {
        status = build(&job, error);
    }
    if (status == STATUS_OK) {
        const struct gmem_layout largest = largest_layout(run, &job.layout);
        status = gmem_buffers_prepare(&job, &largest, error);
    }
    if (status == STATUS_OK) {
        set_arguments(&job);
        status = gmem_buffers_fill(&job, error);
    }
    if (status == STATUS_OK) {
        status = measure_job(&job, error);
    }
    if (job.kernel) {
        device_discard(run->bench_device->device, job.kernel);
    }
    return status;
}

static enum status describe_cpu(struct gmem_session *session, struct device *device, struct output *output,
                                struct error *error) {
    static const char *const keys[] = {
        [GMEM_COPY] = "cpu copy method", [GMEM_READ] = "cpu read method", [GMEM_WRITE] = "cpu write method"};
    const struct gmem_cpu_tuning *found = session->cpu;
    enum status status = STATUS_OK;
    gmem_cpu_tune(device, session->cpu);
    for (size_t i = 0; i < GMEM_CPU_OPERATIONS && status == STATUS_OK; i++) {
        char text[128];
        snprintf(text, sizeof text, found[i].gb_s > 0 ? "%s, the fastest at the start: %.1f GB/s" : "%s, untried",
                 gmem_cpu_method_name((enum gmem_operation)i, found[i].method), found[i].gb_s);
        status = output_metadata(output, keys[i], text, error);
    }
    return status;
}

static enum status describe_devices(void *session, struct bench_device *devices, size_t count, struct output *output,
                                    struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (device_is_cpu(&devices[i].device->info)) {
            status = describe_cpu(session, devices[i].device, output, error);
        }
    }
    return status;
}

static const struct probe gmem = {
    .name = "gmem",
    .summary = "bandwidth of global memory by stride, width and offset",
    .description = "Bandwidth counts the bytes that the program asked for, read plus written. By\n"
                   "default there are as many elements as let stride 64 fit into a quarter of the\n"
                   "device's memory and into the budget, but no fewer than make 4 times the\n"
                   "last-level cache at stride 1. A simulated device runs 32 of the blocks unless\n"
                   "--sim-blocks says.\n",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .session_bytes = sizeof(struct gmem_session),
    .table_columns = "device variant width_bytes stride offset bandwidth_gb_s peak_pct sectors_per_request verdict",
    .headline = "read,write,copy,driver-copy",
    .headline_values = {[WIDTH] = 16, [STRIDE] = 1},
    .simulated_blocks = 32,
    .state_bytes = sizeof(struct gmem_buffers),
    .supports = supports,
    .check = check,
    .describe = describe_devices,
    .skip = skip,
    .cost = cost,
    .measure = measure_point,
    .finish = gmem_buffers_release,
};

int main(int argc, char **argv) {
    return program_main(&gmem, argc, argv);
}
