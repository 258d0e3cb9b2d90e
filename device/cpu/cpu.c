// This machine's processor as a device: native kernels in C, divided among OpenMP's threads, with times from the
// monotonic clock.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "device/cpu/cpu.h"
#include "device/cpu/host.h"
#include "device/cpu/slice.h"
#include "device/device.h"
#include "util/clock.h"
#include "util/threads.h"

enum {
    HUGE_PAGE_BYTES = 2 << 20,
    CLOCK_SAMPLES = 20, // 2 ms: enough for a core to leave its idle clock
    PLACED_MAX = 16,    // allocations of a measurement
};

// Memory on one node.
struct placed_memory {
    void *memory; // NULL: unused
    size_t mapped;
};

struct cpu_device {
    struct device base;
    struct cpu_topology *topology;      // NULL: nobody asked for nodes
    const struct cpu_node *memory_node; // NULL: not placed
    enum cpu_pages pages;
    uint32_t usual_units;
    struct placed_memory placed[PLACED_MAX];
};

struct kernel {
    native_kernel *run;
    size_t constant_count;
    struct kernel_constant constants[];
};

struct event {
    double nanoseconds;
};

static void *host_pointer(uint64_t address) {
    return (void *)(uintptr_t)address; // NOLINT: a device address of this backend is a host address
}

static void parallel_copy(void *to, const void *from, size_t bytes) {
    const uint32_t threads = cpu_threads_for(bytes);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t thread = 0; thread < threads; thread++) {
        const struct slice slice = cpu_slice(bytes, thread, threads);
        memcpy((char *)to + slice.first, (const char *)from + slice.first, slice.count);
    }
}

static void parallel_fill(void *to, int byte, size_t bytes) {
    const uint32_t threads = cpu_threads_for(bytes);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t thread = 0; thread < threads; thread++) {
        const struct slice slice = cpu_slice(bytes, thread, threads);
        memset((char *)to + slice.first, byte, slice.count);
    }
}

// Measured with all threads at work, because a core runs faster alone.
static double busy_clock_mhz(void) {
    double fastest = 0;
#pragma omp parallel reduction(max : fastest)
    for (int sample = 0; sample < CLOCK_SAMPLES; sample++) {
        const double mhz = cpu_clock_mhz();
        fastest = mhz > fastest ? mhz : fastest;
    }
    return fastest;
}

static void describe(struct device_info *info) {
    const struct cpu_memory memory = cpu_memory();
    const struct cpu_cache_sizes caches = cpu_last_level_caches();
    struct utsname system;
    *info = (struct device_info){
        .spec = "cpu",
        .backend = BACKEND_CPU,
        .memory_bytes = memory.total_bytes,
        .memory_free_bytes = memory.available_bytes,
        .last_level_cache_bytes = caches.effective_bytes,
        .reported_cache_bytes = caches.reported_bytes,
        .compute_units = (uint32_t)omp_get_max_threads(),
        .warp_width = 1,
        .max_block_threads = 1,
        .clock_mhz = busy_clock_mhz(),
        .peak_gb_s = cpu_memory_peak_gb_s(),
    };
    info->data_cache_count = cpu_data_caches(info->data_caches);
    cpu_model_name(info->name, sizeof info->name);
    snprintf(info->arch, sizeof info->arch, "%s", cpu_arch());
    if (uname(&system) == 0) {
        snprintf(info->driver, sizeof info->driver, "%s %s, %s, %" PRIu32 " threads", system.sysname, system.release,
                 openmp_version(), info->compute_units);
    }
    snprintf(info->compiler, sizeof info->compiler, "%s", BANKSHOT_CC " " __VERSION__);
}

static struct cpu_device *cpu_of(struct device *device) {
    return (struct cpu_device *)device;
}

static void cpu_close(struct device *device) {
    cpu_topology_free(cpu_of(device)->topology);
    free(device);
}

// ---- Placement ----

enum status cpu_nodes(struct device *device, const struct cpu_node **nodes, size_t *count, struct error *error) {
    struct cpu_device *cpu = cpu_of(device);
    if (!cpu->topology) {
        TRY(cpu_topology_load(&cpu->topology, error));
    }
    *nodes = cpu_topology_nodes(cpu->topology, count);
    return STATUS_OK;
}

enum status cpu_several_nodes(struct error *error) {
    struct cpu_topology *topology;
    size_t count;
    TRY(cpu_topology_load(&topology, error));
    cpu_topology_nodes(topology, &count);
    cpu_topology_free(topology);
    return count > 1 ? STATUS_OK
                     : error_set(error, STATUS_NO_DEVICE,
                                 "cpu: this machine has one node of memory, and no other to compare it with: use gmem, "
                                 "or levels --variant latency");
}

uint64_t cpu_node_footprint(const struct device_info *info, const struct cpu_node *node) {
    enum {
        CACHES = 4,
        NODE_SHARE = 4
    };
    const uint64_t least = UINT64_C(256) << 20, caches = CACHES * info->last_level_cache_bytes;
    const uint64_t usual = caches > least ? caches : least, most = node->memory_bytes / NODE_SHARE;
    return (usual < most ? usual : most) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

enum status cpu_place(struct device *device, const struct cpu_node *threads, const struct cpu_node *memory,
                      enum cpu_pages pages, struct error *error) {
    struct cpu_device *cpu = cpu_of(device);
    cpu->usual_units = cpu->usual_units ? cpu->usual_units : device->info.compute_units;
    cpu->memory_node = memory;
    cpu->pages = pages;
    TRY(cpu_bind_threads(cpu->topology, threads, error));
    device->info.compute_units = (uint32_t)omp_get_max_threads();
    return STATUS_OK;
}

void cpu_unplace(struct device *device) {
    struct cpu_device *cpu = cpu_of(device);
    if (cpu->memory_node) {
        cpu_unbind_threads(cpu->topology);
        device->info.compute_units = cpu->usual_units;
        cpu->memory_node = NULL;
    }
}

bool cpu_placement_is_real(const struct device *device) {
    return cpu_topology_is_real(((const struct cpu_device *)device)->topology);
}

static enum status allocate_placed(struct cpu_device *cpu, size_t bytes, uint64_t *address, struct error *error) {
    struct placed_memory *free_place = cpu->placed;
    while (free_place->memory) {
        if (++free_place == cpu->placed + PLACED_MAX) {
            return error_set(error, STATUS_FAILED, "cpu: more than %d allocations on one node", PLACED_MAX);
        }
    }
    TRY(cpu_node_allocate(cpu->topology, cpu->memory_node, cpu->pages, bytes, &free_place->memory, &free_place->mapped,
                          error));
    *address = (uintptr_t)free_place->memory;
    return STATUS_OK;
}

// The kernel promises more memory than there is and kills the process later, so the available memory is checked first.
static enum status cpu_allocate(struct device *device, enum memory_kind kind, size_t bytes, uint64_t *address,
                                struct error *error) {
    const uint64_t available = cpu_memory().available_bytes;
    struct cpu_device *cpu = cpu_of(device);
    const bool on_node = cpu->memory_node && bytes >= HUGE_PAGE_BYTES;
    void *memory = NULL;
    (void)kind;
    if (on_node && bytes <= available) {
        return allocate_placed(cpu, bytes, address, error);
    }
    if (bytes > available || posix_memalign(&memory, HUGE_PAGE_BYTES, bytes ? bytes : 1)) {
        return error_set(error, STATUS_FAILED, "cpu: %.3g GB requested, %.3g GB available: use fewer elements",
                         (double)bytes / 1e9, (double)available / 1e9);
    }
    madvise(memory, bytes,
            MADV_HUGEPAGE); // avoids that address translation takes most of the time; a refusal is harmless
    cpu_first_touch(memory, bytes);
    *address = (uintptr_t)memory;
    return STATUS_OK;
}

static void cpu_release(struct device *device, uint64_t address) {
    struct cpu_device *cpu = cpu_of(device);
    for (size_t i = 0; i < PLACED_MAX; i++) {
        if (address && cpu->placed[i].memory == host_pointer(address)) {
            cpu_node_free(cpu->placed[i].memory, cpu->placed[i].mapped);
            cpu->placed[i] = (struct placed_memory){NULL, 0};
            return;
        }
    }
    free(host_pointer(address));
}

static enum status cpu_copy_to_device(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                      size_t bytes, struct error *error) {
    (void)device, (void)stream, (void)error;
    parallel_copy(host_pointer(to), from, bytes);
    return STATUS_OK;
}

static enum status cpu_copy_to_host(struct device *device, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                    struct error *error) {
    (void)device, (void)stream, (void)error;
    parallel_copy(to, host_pointer(from), bytes);
    return STATUS_OK;
}

static enum status cpu_copy_on_device(struct device *device, uint64_t to, uint64_t from, size_t bytes,
                                      struct error *error) {
    return cpu_copy_to_device(device, NULL, to, host_pointer(from), bytes, error);
}

static enum status cpu_fill(struct device *device, uint64_t address, uint8_t byte, size_t bytes, struct error *error) {
    (void)device, (void)error;
    parallel_fill(host_pointer(address), byte, bytes);
    return STATUS_OK;
}

static enum status cpu_build(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                             struct error *error) {
    (void)device;
    if (!request->native) {
        return error_set(error, STATUS_NO_DEVICE, "%s: the cpu has no such kernel: use a GPU or --device sim:h200",
                         request->entry);
    }
    const size_t constants_bytes = request->constant_count * sizeof *request->constants;
    *kernel = memory_zeros(1, sizeof **kernel + constants_bytes);
    (*kernel)->run = request->native;
    (*kernel)->constant_count = request->constant_count;
    if (constants_bytes) {
        memcpy((*kernel)->constants, request->constants, constants_bytes);
    }
    return STATUS_OK;
}

static void cpu_discard(struct device *device, struct kernel *kernel) {
    (void)device;
    free(kernel);
}

// A launch returns when its work is done.
static enum status cpu_launch(struct device *device, struct stream *stream, struct kernel *kernel,
                              const struct launch *launch, struct error *error) {
    (void)device, (void)stream, (void)error;
    kernel->run(&(struct native_call){launch, kernel->constants, kernel->constant_count});
    return STATUS_OK;
}

static enum status cpu_event_create(struct device *device, struct event **event, struct error *error) {
    (void)device, (void)error;
    *event = memory_zeros(1, sizeof **event);
    return STATUS_OK;
}

static enum status cpu_event_record(struct device *device, struct stream *stream, struct event *event,
                                    struct error *error) {
    (void)device, (void)stream, (void)error;
    event->nanoseconds = clock_ns();
    return STATUS_OK;
}

static enum status cpu_event_elapsed(struct device *device, struct event *start, struct event *stop,
                                     double *nanoseconds, struct error *error) {
    (void)device, (void)error;
    *nanoseconds = stop->nanoseconds - start->nanoseconds;
    return STATUS_OK;
}

static void cpu_event_destroy(struct device *device, struct event *event) {
    (void)device;
    free(event);
}

static const struct device_operations operations = {
    .close = cpu_close,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .copy_to_device = cpu_copy_to_device,
    .copy_to_host = cpu_copy_to_host,
    .copy_on_device = cpu_copy_on_device,
    .fill = cpu_fill,
    .build = cpu_build,
    .discard = cpu_discard,
    .launch = cpu_launch,
    .event_create = cpu_event_create,
    .event_record = cpu_event_record,
    .event_elapsed = cpu_event_elapsed,
    .event_destroy = cpu_event_destroy,
};

static enum status cpu_count(uint32_t *count, struct error *error) {
    (void)error;
    *count = 1;
    return STATUS_OK;
}

static enum status cpu_open(const char *selector, struct device **device, struct error *error) {
    if (selector && strcmp(selector, "0")) {
        return error_set(error, STATUS_NO_DEVICE, "cpu:%s: there is one cpu: use --device cpu", selector);
    }
    struct cpu_device *cpu = memory_zeros(1, sizeof *cpu);
    *device = &cpu->base;
    (*device)->operations = &operations;
    describe(&(*device)->info);
    return STATUS_OK;
}

const struct backend cpu_backend = {BACKEND_CPU, "cpu", NULL, cpu_count, cpu_open, NULL};
