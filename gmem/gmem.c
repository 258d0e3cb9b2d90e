// gmem: bandwidth of global memory by stride, width and offset.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/output.h"
#include "bench/plan.h"
#include "bench/probe.h"
#include "gmem/gmem_cpu.h"
#include "gmem/gmem_measure.h"
#include "util/random.h"

enum parameter_index {
    WIDTH,
    ELEMENTS,
    BLOCK,
    OFFSET,
    STRIDE,
    WINDOW
};
enum {
    OFFSET_BYTES_MAX = 64,
    BULK_WORD_BYTES = 16,
    BULK_SM = 90
};

// clang-format off
static const struct parameter parameters[] = {
    [WIDTH] = {.name = "width", .letter = 'w', .help = "bytes of an element: 1, 2, 4, 8, 16",
               .min = 1, .max = 16, .implied_by = "type"},
    [ELEMENTS] = {.name = "elements", .letter = 'n', .help = "number of elements; default: see below", .min = 1, .max = 1e15},
    [BLOCK] = {.name = "block", .letter = 'b', .help = "threads of a block, a multiple of the warp (256); the CPU has none",
               .min = 1, .max = 1024},
    [OFFSET] = {.name = "offset", .help = "elements between an aligned address and the first one (0)",
                .min = 0, .max = 1 << 20},
    [STRIDE] = {.name = "stride", .letter = 's', .help = "distance between elements, in elements (1 to 64)",
                .min = 1, .max = 1 << 20},
    [WINDOW] = {.name = "window", .help = "bytes within which indices are random or atomics fall; 0: the whole array",
                .min = 0, .max = 1e15},
};
// clang-format on

// The kinds of variants, which the end of this file defines. Elements lie one stride apart, where random indices say,
// or where a file says; of updates they are the targets of additions.
static const struct variant_kind by_stride, by_index, by_file, updates;

#define COPY .op = "copy", .reads = 1, .writes = 1, .factors = {1}, .check = "check_copy"
#define BULK_DEFAULTS [WIDTH] = "16", [ELEMENTS] = "0", [OFFSET] = "0"
#define WIDTHS [WIDTH] = "1,2,4,8,16", [ELEMENTS] = "0"
#define KERNEL_DEFAULTS WIDTHS, [BLOCK] = "256", [OFFSET] = "0"
#define NUMBERS_DEFAULTS [WIDTH] = "4,8,16", [ELEMENTS] = "0", [BLOCK] = "256", [OFFSET] = "0"
#define INDEXED_DEFAULTS [WIDTH] = "8", [ELEMENTS] = "0", [BLOCK] = "256", [WINDOW] = "64,1K,16K,128K,1M,8M,64M,512M,0"
#define ATOMIC_DEFAULTS [WIDTH] = "4,8", [ELEMENTS] = "0", [BLOCK] = "256", [WINDOW] = "1,128,0"
#define ATOMIC .writes = 1, .updates = true, .family = &gmem_atomic
#define ATOMIC_ADD .entry = "atomic_add", .op = "atomic-add", ATOMIC, .native = gmem_atomic_add
#define ATOMIC_FETCH_ADD                                                                                               \
    .entry = "atomic_fetch_add", .op = "atomic-fetch-add", ATOMIC, .fetches = true, .native = gmem_atomic_fetch_add
// clang-format off
static const struct variant variants[] = {
    {"stride-copy", "copy dst[i*S] = src[i*S]: what a stride costs",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_copy", .native = gmem_stride_copy, COPY}, &by_stride},
    {"read", "loads alone, by stride",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_read", .native = gmem_stride_read, .op = "read", .reads = 1, .factors = {1}}, &by_stride},
    {"write", "stores alone, by stride",
     {KERNEL_DEFAULTS, [STRIDE] = "1:64:*2"},
     &(struct gmem_kernel){.entry = "stride_write", .native = gmem_stride_write, .op = "write", .writes = 1, .check = "check_write"}, &by_stride},
    {"copy", "copy of adjacent elements",
     {KERNEL_DEFAULTS},
     &(struct gmem_kernel){.entry = "stride_copy", .native = gmem_stride_copy, COPY}, &by_stride},
    {"offset", "copy of adjacent elements, misaligned by 0 to 64 bytes",
     {WIDTHS, [BLOCK] = "256", [OFFSET] = "0:64"},
     &(struct gmem_kernel){.entry = "stride_copy", .native = gmem_stride_copy, COPY}, &by_stride},
    {"driver-copy", "the driver's own copy (CPU: memcpy), to compare with",
     {[WIDTH] = "16", [ELEMENTS] = "0"},
     &(struct gmem_kernel){COPY}, &by_stride},
    {"copy-bulk", "copy by the SMs' copy engines (TMA, sm_90)",
     {BULK_DEFAULTS, [BLOCK] = "32"}, // 2 KiB a tile, with which an H200 copies fastest
     &(struct gmem_kernel){.entry = "copy_bulk", COPY, .bulk = true}, &by_stride},
    {"read-bulk", "reads by the SMs' copy engines (TMA, sm_90)",
     {BULK_DEFAULTS, [BLOCK] = "128"},
     &(struct gmem_kernel){.entry = "read_bulk", .op = "read", .reads = 1, .factors = {1}, .bulk = true}, &by_stride},
    {"triad", "a[i] = b[i] + 3 * c[i] of floats or doubles",
     {NUMBERS_DEFAULTS},
     &(struct gmem_kernel){.entry = "triad", .native = gmem_triad, .op = "triad", .reads = 2, .writes = 1, .factors = {1, 3}, .numbers = true, .check = "check_triad"}, &by_stride},
    {"sum", "sums of floats or doubles, one for each block",
     {NUMBERS_DEFAULTS},
     &(struct gmem_kernel){.entry = "sum", .native = gmem_sum, .op = "sum", .reads = 1, .factors = {1}, .numbers = true}, &by_stride},
    {"gather", "loads by index, random within windows of many sizes",
     {INDEXED_DEFAULTS},
     &(struct gmem_kernel){GMEM_GATHER}, &by_index},
    {"scatter", "stores by index, random within windows of many sizes",
     {INDEXED_DEFAULTS},
     &(struct gmem_kernel){GMEM_SCATTER}, &by_index},
    {"gather-scatter", "loads by one random index, stores by another",
     {INDEXED_DEFAULTS},
     &(struct gmem_kernel){GMEM_GATHER_SCATTER}, &by_index},
    {"pattern", "gathers and scatters that a file lists: give --pattern",
     {[WIDTH] = "8", [ELEMENTS] = "0", [BLOCK] = "256"},
     &(struct gmem_kernel){GMEM_GATHER}, &by_file},
    {"atomic-add", "atomic integer additions to one address, a line or all",
     {ATOMIC_DEFAULTS},
     &(struct gmem_kernel){ATOMIC_ADD}, &updates},
    {"atomic-add-float", "atomic float additions to one address, a line or all",
     {ATOMIC_DEFAULTS},
     &(struct gmem_kernel){ATOMIC_ADD, .floating = true}, &updates},
    {"atomic-fetch-add", "atomic integer additions that return the old value",
     {ATOMIC_DEFAULTS},
     &(struct gmem_kernel){ATOMIC_FETCH_ADD}, &updates},
    {"atomic-fetch-add-float", "atomic float additions that return the old value",
     {ATOMIC_DEFAULTS},
     &(struct gmem_kernel){ATOMIC_FETCH_ADD, .floating = true}, &updates},
};
// clang-format on

// A window holds at least one element, and at most all of them.
static void set_window(struct gmem_layout *layout, uint64_t window_bytes) {
    const uint64_t window = window_bytes / layout->width_bytes;
    layout->slots = layout->elements;
    layout->indices = layout->elements * (layout->kernel->reads + layout->kernel->writes);
    layout->window = window_bytes == 0 || window > layout->elements ? layout->elements : window > 0 ? window : 1;
}

// Additions to one address are slow, so there are fewer of them by default. Indices have 32 bits.
static uint64_t most_by_default(const struct run *run, const struct gmem_kernel *kernel) {
    if (kernel->family == &gmem_atomic) {
        return device_is_cpu(run_info(run)) ? UINT64_C(1) << 20 : UINT64_C(1) << 24;
    }
    return kernel->indexed ? GMEM_INDEX_MAX : UINT64_MAX;
}

static uint64_t default_elements(const struct run *run, const struct gmem_layout *layout) {
    const uint64_t elements = gmem_default_elements(run_info(run), layout, run->bench_device->footprint_max);
    const uint64_t most = most_by_default(run, layout->kernel);
    return elements < most ? elements : most;
}

static struct gmem_layout layout_of(const struct run *run, const struct point *point) {
    struct gmem_layout layout = {
        .kernel = point->variant->detail,
        .width_bytes = point->values[WIDTH],
        .stride = point->values[STRIDE] ? point->values[STRIDE] : 1,
        .offset = point->values[OFFSET],
        .elements = point->values[ELEMENTS],
    };
    if (layout.elements == 0) {
        layout.elements = default_elements(run, &layout);
    }
    if (layout.kernel->indexed) {
        set_window(&layout, point->values[WINDOW]);
    } else if (layout.kernel->family == &gmem_atomic) {
        gmem_atomic_set_targets(&layout, point->values[WINDOW]);
    }
    return layout;
}

static enum status supports_pattern(const struct gmem_session *session, const struct variant *variant,
                                    struct error *error) {
    const bool wanted = variant->kind == &by_file;
    if (wanted && !session->pattern_path) {
        return error_set(error, STATUS_USAGE, "%s needs a file: give --pattern FILE", variant->name);
    }
    if (!wanted && session->pattern_path) {
        return error_set(error, STATUS_USAGE, "--pattern: variant %s does not use it: give --variant pattern",
                         variant->name);
    }
    return STATUS_OK;
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    const struct gmem_kernel *kernel = variant->detail;
    TRY(supports_pattern(session, variant, error));
    if (kernel->bulk && device_sm(&device->info) < BULK_SM) {
        return error_set(error, STATUS_NO_DEVICE, "%s (%s) has no bulk copies, which begin with sm_90: leave out %s",
                         device->info.spec, device->info.arch, variant->name);
    }
    if (kernel->entry && device_is_cpu(&device->info) && !kernel->native) {
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
    const struct device_info *info = run_info(run);
    if (block == 0 || device_is_cpu(info) || (block % info->warp_width == 0 && block <= info->max_block_threads)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "--block %llu: %s takes multiples of %u up to %u", (unsigned long long)block,
                     info->spec, info->warp_width, info->max_block_threads);
}

static enum status check_width(uint64_t width, struct error *error) {
    return (width & (width - 1)) == 0
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--width %llu: give 1, 2, 4, 8 or 16", (unsigned long long)width);
}

static enum status check_patterns(const struct run *run, const struct point *point, struct error *error) {
    const struct gmem_layout layout = layout_of(run, point);
    TRY(check_width(layout.width_bytes, error));
    TRY(gmem_pattern_check_point(run, &layout, error));
    return check_block(run, point->values[BLOCK], error);
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
    struct gmem_layout layout = layout_of(run, point);
    TRY(check_width(layout.width_bytes, error));
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
    TRY(layout.kernel->updates ? gmem_atomic_check(&layout, error) : STATUS_OK);
    if (layout.slots > GMEM_INDEX_MAX || (layout.slots > 0 && layout.elements > GMEM_INDEX_MAX)) {
        return error_set(error, STATUS_USAGE,
                         "%llu elements are more than an index of 32 bits can tell apart: give fewer",
                         (unsigned long long)(layout.slots > layout.elements ? layout.slots : layout.elements));
    }
    return check_block(run, point->values[BLOCK], error);
}

// The default offsets end at 64 bytes, which wide elements reach sooner. A number is at least as wide as a float.
// Bulk copies move 16 bytes or a multiple.
static bool skip(const struct run *run, const struct point *point) {
    const struct gmem_kernel *kernel = point->variant->detail;
    if (kernel->numbers && point->values[WIDTH] < sizeof(float)) {
        return true;
    }
    if (kernel->bulk && point->values[WIDTH] != BULK_WORD_BYTES) {
        return true;
    }
    if (kernel->updates && point->values[WIDTH] != sizeof(uint32_t) && point->values[WIDTH] != sizeof(uint64_t)) {
        return true;
    }
    const struct gmem_layout layout = layout_of(run, point);
    if (run->defaulted[WINDOW] && !kernel->updates && point->values[WINDOW] / layout.width_bytes >= layout.elements) {
        return true; // it equals a run without windows
    }
    return run->defaulted[OFFSET] && point->values[OFFSET] * point->values[WIDTH] > OFFSET_BYTES_MAX;
}

// Of all strides at the point's width. The default number of elements differs from stride to stride. A CPU's pages take
// time to come, and within a budget few strides may be measured, so there each gets what it needs.
static struct gmem_layout largest_layout(const struct run *run, const struct point *point) {
    struct point at = *point;
    struct gmem_layout largest = layout_of(run, point);
    const bool grows = device_is_cpu(run_info(run)) && isfinite(run->settings->budget_s);
    for (size_t i = 0; i < run->sweeps[STRIDE].count && !grows; i++) {
        at.values[STRIDE] = run->sweeps[STRIDE].values[i];
        const struct gmem_layout layout = layout_of(run, &at);
        if (gmem_buffer_bytes(&layout) > gmem_buffer_bytes(&largest)) {
            largest = layout;
        }
    }
    largest.offset = run->sweeps[OFFSET].count ? sweep_max(&run->sweeps[OFFSET]) : 0;
    return largest;
}

// Where the arrays of an earlier point are too small, larger ones are made.
static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    const struct gmem_buffers *buffers = run->state;
    const struct gmem_layout layout = layout_of(run, point), largest = largest_layout(run, point);
    const bool larger = !buffers || gmem_buffer_bytes(&largest) > buffers->bytes;
    cost->make_bytes = larger ? (double)gmem_footprint_bytes(&largest) : 0;
    cost->handle_bytes = layout.kernel->writes > 0 ? (double)gmem_buffer_bytes(&layout) : 0;
}

static void set_index(struct gmem_job *job) {
    for (uint32_t i = 0; i < 2; i++) {
        job->index[i] = (struct gmem_index){.elements = job->layout.elements,
                                            .window = job->layout.window,
                                            .seed = mix64(job->run->settings->seed + i)};
    }
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct gmem_job job = {.run = run, .layout = layout_of(run, point), .largest = largest_layout(run, point)};
    set_index(&job);
    return gmem_measure(&job, point->values[BLOCK] ? point->values[BLOCK] : 256, error);
}

static enum status measure_patterns(struct run *run, const struct point *point, struct error *error) {
    const struct gmem_layout layout = layout_of(run, point);
    return gmem_pattern_measure(run, &layout, point->values[BLOCK], error);
}

// Notes the operations of which some point's arrays are larger than the CPU's caches.
static void find_large_arrays(const struct run *run, bool leaves_caches[GMEM_CPU_OPERATIONS]) {
    enum gmem_operation operation;
    if (!device_is_cpu(run_info(run)) || !gmem_has_methods(run->variant->detail, &operation)) {
        return;
    }
    for (size_t i = 0; i < point_count(run); i++) {
        const struct point point = point_at(run, i);
        const struct gmem_layout layout = layout_of(run, &point);
        leaves_caches[operation] |= layout.stride == 1 && !point_skipped(run, &point) &&
                                    gmem_footprint_bytes(&layout) > run_info(run)->last_level_cache_bytes;
    }
}

static void describe_cpu(struct gmem_session *session, const struct run *runs, size_t run_count, struct device *device,
                         struct output *output) {
    static const char *const keys[] = {
        [GMEM_COPY] = "cpu copy method",
        [GMEM_READ] = "cpu read method",
        [GMEM_WRITE] = "cpu write method",
        [GMEM_TRIAD] = "cpu triad method",
    };
    const struct gmem_cpu_tuning *found = session->cpu;
    bool leaves_caches[GMEM_CPU_OPERATIONS] = {false};
    for (size_t i = 0; i < run_count; i++) {
        find_large_arrays(&runs[i], leaves_caches);
    }
    gmem_cpu_tune(device, leaves_caches, session->cpu);
    for (size_t i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        char text[128];
        snprintf(text, sizeof text, found[i].gb_s > 0 ? "%s, the fastest at the start: %.1f GB/s" : "%s, untried",
                 gmem_cpu_method_name((enum gmem_operation)i, found[i].method), found[i].gb_s);
        output_metadata(output, keys[i], text);
    }
}

static enum status describe_devices(void *session, const struct run *runs, size_t run_count,
                                    struct bench_device *devices, size_t count, struct output *output,
                                    struct error *error) {
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (device_is_cpu(&devices[i].device->info)) {
            describe_cpu(session, runs, run_count, devices[i].device, output);
        }
    }
    return STATUS_OK;
}

static const struct option_row options[] = {
    {"pattern", 0, OPTION_INPUT, offsetof(struct gmem_session, pattern_path), "FILE",
     "for --variant pattern: Spatter's JSON, or one request per line, one byte address per lane; - is standard input",
     0, 0, "-"},
};

static void release(void *session) {
    free(((struct gmem_session *)session)->pattern_text.bytes);
}

static const struct telling telling[] = {
    {"stride-copy", {[WIDTH] = 4}},
    {"read,write,copy,triad", {[WIDTH] = 16, [STRIDE] = 1}},
    {"stride-copy", {0}},
    {"read,write,copy,driver-copy,triad", {[STRIDE] = 1}},
};

TABLE(strides, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(stride), COLUMN(offset),
      COLUMN(bandwidth_gb_s), COLUMN(interval_pct), COLUMN(peak_pct), COLUMN_ON(ON_GPUS, sectors_per_request),
      COLUMN(verdict));
TABLE(indices, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(window_bytes), COLUMN(bandwidth_gb_s),
      COLUMN(interval_pct), COLUMN(peak_pct), COLUMN_ON(ON_GPUS, sectors_per_request), COLUMN(verdict));
TABLE(patterns, COLUMN(device), COLUMN(pattern), COLUMN(op), COLUMN(width_bytes), COLUMN(elements),
      COLUMN(bandwidth_gb_s), COLUMN(interval_pct), COLUMN(peak_pct), COLUMN_ON(ON_GPUS, sectors_per_request),
      COLUMN(verdict));
TABLE(additions, COLUMN(device), COLUMN(variant), COLUMN(type), COLUMN(window_bytes), COLUMN(gop_s),
      COLUMN(bandwidth_gb_s), COLUMN(interval_pct), COLUMN(verdict));

#define LAYOUTS .check = check, .skip = skip, .cost = cost, .measure = measure_point, .finish = gmem_buffers_release
static const struct variant_kind by_stride = {strides, LAYOUTS};
static const struct variant_kind by_index = {indices, LAYOUTS};
static const struct variant_kind updates = {additions, LAYOUTS};
static const struct variant_kind by_file = {
    .table = patterns, .check = check_patterns, .measure = measure_patterns, .finish = gmem_buffers_release};

static const struct metric metrics[] = {
    {.value = COLUMN_gop_s, .peak = COLUMN_peak_gop_s, .unit = "GOP/s"}}; // of atomics

static const struct probe gmem = {
    .name = "gmem",
    .summary = "bandwidth of global memory by stride, width, offset and index",
    .description = "Bandwidth counts the bytes that the program asked for, read plus written. By default there are so "
                   "many elements that a launch's fixed costs are about 0.25 % of its time, within a quarter of the "
                   "device's memory and within the budget, but at least 4 times the last-level cache at stride 1. A "
                   "simulated device runs 32 of the blocks unless --sim-blocks says otherwise.",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    .session_bytes = sizeof(struct gmem_session),
    PROBE_LIST(options, option_count),
    .release = release,
    PROBE_LIST(telling, telling_count),
    PROBE_LIST(metrics, metric_count),
    .headline = "read,write,copy,driver-copy",
    .headline_values = {[WIDTH] = 16, [STRIDE] = 1},
    .simulated_blocks = 32,
    .state_bytes = sizeof(struct gmem_buffers),
    .supports = supports,
    .describe = describe_devices,
};

int main(int argc, char **argv) {
    return program_main(&gmem, argc, argv);
}
