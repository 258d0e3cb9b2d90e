#include "device/gpu/gpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_find.h"
#include "util/clock.h"

// ---- Faults ----

// The driver's description of a fault: "NAME (text)", or only the name if the text says no more. Returns words.
static const char *error_words(const struct gpu_driver *driver, int result, char words[DEVICE_TEXT]) {
    const char *name = driver->error_name(result), *text = driver->error_text(result);
    const bool same = !strcmp(name, text);
    snprintf(words, DEVICE_TEXT, "%s%s%s%s", name, same ? "" : " (", same ? "" : text, same ? "" : ")");
    return words;
}

// As gpu_fault, with other advice, unless memory ran out.
static enum status fault_advising(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                                  const char *advice, struct error *error) {
    char words[DEVICE_TEXT];
    return error_set(error, STATUS_FAILED, "%s: %s failed with %s: %s", spec, what, error_words(driver, result, words),
                     result == driver->out_of_memory ? "use less memory" : advice);
}

enum status gpu_fault(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                      struct error *error) {
    return fault_advising(driver, spec, result, what, "the device can do no more in this run", error);
}

// STATUS_OK if the result is success.
static enum status gpu_check(const struct gpu_device *device, int result, const char *what, struct error *error) {
    return result == 0 ? STATUS_OK : gpu_fault(device->driver, device->base.info.spec, result, what, error);
}

// The status of a call of the device's driver, for which this thread enters the device first. Where it cannot, the call
// is not made.
#define GPU_CALL(device, call, what, error)                                                                            \
    (gpu_check(device, gpu_enter(device), what, error) == STATUS_OK ? gpu_check(device, call, what, error)             \
                                                                    : STATUS_FAILED)

// GPU_OPERATION defines an operation that is one such call, GPU_RELEASE one that gives back what the driver made and
// ignores NULL.
#define GPU_OPERATION(name, parameters, call, what)                                                                    \
    static enum status gpu_##name parameters {                                                                         \
        struct gpu_device *device = gpu_of(base);                                                                      \
        return GPU_CALL(device, device->driver->call, what, error);                                                    \
    }
#define GPU_RELEASE(name, type, call)                                                                                  \
    static void gpu_##name(struct device *base, type made) {                                                           \
        if (made && gpu_enter(gpu_of(base)) == 0) {                                                                    \
            gpu_of(base)->driver->call(made);                                                                          \
        }                                                                                                              \
    }

// ---- The device's place on PCI ----

enum {
    LANES_MAX = 32
};

// A path is "/sys/devices/pci0000:00/0000:00:01.0/0000:1a:00.0": a host bridge, bridges, the device.
const char *pci_common(const char *path, const char *peer) {
    const char *bridge = strstr(path, "/pci"),
               *common = path; // becomes the end of the common beginning of both, in whole names
    for (size_t i = 0; path[i] && path[i] == peer[i]; i++) {
        common = path[i] == '/' ? path + i : common;
    }
    if (!bridge || !strstr(peer, "/pci")) {
        return "PCIe";
    }
    return common <= bridge                    ? "PCIe, two host bridges"
           : strchr(bridge + 1, '/') == common ? "PCIe, one host bridge"
                                               : "PCIe, one switch";
}

// Drivers write addresses in capitals, /sys in small letters.
static void lower(char to[32], const char *address) {
    size_t i = 0;
    for (; address[i] && i < 31; i++) {
        to[i] = (char)tolower((unsigned char)address[i]);
    }
    to[i] = '\0';
}

// The device's folder, or a file in it.
static void find_file(const char *address, const char *name, char path[PATH_MAX]) {
    const char *root = getenv("BANKSHOT_SYSFS"); // for tests: another machine's devices
    snprintf(path, PATH_MAX, "%s/bus/pci/devices/%s%s", root ? root : "/sys", address, name);
}

// The address's path; NULL if there is none.
static char *find_path(const char *address, char found[PATH_MAX]) {
    char link[PATH_MAX], name[32];
    lower(name, address);
    find_file(name, "", link);
    return realpath(link, found);
}

// Reads a file that begins with a number; returns otherwise if there is none.
static double read_number(const char *address, const char *name, double otherwise) {
    char path[PATH_MAX];
    double number = otherwise;
    find_file(address, name, path);
    FILE *file = fopen(path, "r");
    if (file) {
        number = fscanf(file, "%lf", &number) == 1 ? number : otherwise;
        fclose(file);
    }
    return number;
}

// The first two generations encode 8 bits as 10, the next three 128 as 130; the sixth uses 242 of 256 bytes for
// packets.
double pci_peak_gb_s(double gt_s, uint32_t lanes) {
    const double share = gt_s < 8 ? 8.0 / 10 : gt_s < 64 ? 128.0 / 130 : 242.0 / 256;
    return gt_s * lanes * share / 8;
}

// Takes the link's best speed, because the speed falls while the device is idle, but its present width.
static void pci_describe(const char *address, struct device_bus *bus) {
    *bus = (struct device_bus){0};
    lower(bus->address, address);
    bus->numa_node = (int)read_number(bus->address, "/numa_node", -1);
    bus->gt_s = read_number(bus->address, "/max_link_speed", 0);
    const double lanes = read_number(bus->address, "/current_link_width", 0);
    // 63 and 255 mean an unknown width.
    bus->lanes = lanes > 0 && lanes <= (double)LANES_MAX ? (uint32_t)lanes : 0;
    bus->peak_gb_s = pci_peak_gb_s(bus->gt_s, bus->lanes);
}

// What two devices share on their paths to the processor, by their addresses ("0000:1A:00.0"): "PCIe, one switch",
// "PCIe, one host bridge", "PCIe, two host bridges"; "PCIe" if the system does not tell.
static void pci_link_name(const char *address, const char *peer, char *name, size_t size) {
    char path[PATH_MAX], peer_path[PATH_MAX];
    const bool known = find_path(address, path) && find_path(peer, peer_path);
    snprintf(name, size, "%s", known ? pci_common(path, peer_path) : "PCIe");
}

// ---- Streams and events ----

// A pointer to a stream or an event is the driver's handle.

void *gpu_stream(const struct gpu_device *device, struct stream *stream) {
    return stream ? stream : device->stream;
}

static void *gpu_native_stream(struct device *base) {
    return gpu_of(base)->stream;
}

static enum status gpu_stream_create(struct device *base, enum stream_priority priority, struct stream **created,
                                     struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_driver *driver = device->driver;
    void *handle = NULL;
    *created = NULL;
    TRY(GPU_CALL(device,
                 priority == STREAM_AS_DEFAULT ? driver->stream_create(&handle)
                                               : driver->stream_create_prior(&handle, priority),
                 "creating a stream", error));
    *created = handle;
    return STATUS_OK;
}

GPU_RELEASE(stream_destroy, struct stream *, stream_destroy)

GPU_OPERATION(synchronize, (struct device * base, struct stream *stream, struct error *error),
              stream_synchronize(gpu_stream(device, stream)), "what was launched before")

static enum status gpu_event_create(struct device *base, struct event **created, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *handle = NULL;
    *created = NULL;
    TRY(GPU_CALL(device, device->driver->event_create(&handle), "creating an event", error));
    *created = handle;
    return STATUS_OK;
}

GPU_OPERATION(event_record, (struct device * base, struct stream *stream, struct event *event, struct error *error),
              event_record(event, gpu_stream(device, stream)), "recording an event")

GPU_OPERATION(event_wait, (struct device * base, struct stream *stream, struct event *event, struct error *error),
              event_wait(gpu_stream(device, stream), event), "waiting for an event")

static enum status gpu_event_done(struct device *base, struct event *event, bool *done, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    THEN(result, device->driver->event_query(event));
    *done = result != device->driver->not_ready;
    return gpu_check(device, *done ? result : 0, "what was launched before", error);
}

static enum status gpu_event_elapsed(struct device *base, struct event *start, struct event *stop, double *nanoseconds,
                                     struct error *error) {
    struct gpu_device *device = gpu_of(base);
    float milliseconds = 0;
    const enum status status =
        GPU_CALL(device, device->driver->event_elapsed(&milliseconds, start, stop), "timing", error);
    *nanoseconds = (double)milliseconds * 1e6;
    return status;
}

GPU_RELEASE(event_destroy, struct event *, event_destroy)

// ---- Memory: allocation, pinned memory of the host, copies ----

// The driver clears released memory in the background. On an H200 this takes 2.2 to 2.5 ms for each 10^9 bytes, which
// is 0.09 of the memory's peak, and slows reads by a seventh meanwhile; after managed memory no read was slower
// (results/h200/memory-released.csv). Others are guessed to clear as much of their peak, and all to be slower by a
// half. A peak that is unknown, or that the user named too low, must not make the wait endless, so LEAST_GB_S is taken
// at least.
static const double CLEARED_OF_PEAK = 0.06, LEAST_GB_S = 15;

static void note(struct gpu_device *device, uint64_t address, size_t bytes) {
    device->buffers = memory_room(device->buffers, device->buffer_count, sizeof *device->buffers);
    device->buffers[device->buffer_count++] = (struct gpu_buffer){address, bytes};
}

static void note_release(struct gpu_device *device, uint64_t address) {
    struct gpu_buffer *buffers = device->buffers;
    const double peak_gb_s = device->base.info.peak_gb_s; // may be the user's, and wrong
    for (size_t i = 0; i < device->buffer_count; i++) {
        if (buffers[i].address == address) {
            const double gb_s = fmax(CLEARED_OF_PEAK * peak_gb_s, LEAST_GB_S);
            device->base.quiet_s = fmax(device->base.quiet_s, clock_s()) + (double)buffers[i].bytes * 1e-9 / gb_s;
            buffers[i] = buffers[--device->buffer_count];
            return;
        }
    }
}

// The driver allocates from its pool in the order of a stream; other streams may use the memory from then on.
static enum status gpu_allocate(struct device *base, enum memory_kind kind, size_t bytes, uint64_t *address,
                                struct error *error) {
    static const char *const kinds[] = {
        [MEMORY_DEVICE] = "", [MEMORY_POOL] = " from the driver's pool", [MEMORY_MANAGED] = " of managed memory"};
    struct gpu_device *device = gpu_of(base);
    const struct gpu_driver *driver = device->driver;
    char what[64];
    *address = 0;
    snprintf(what, sizeof what, "allocating %zu bytes%s", bytes, kinds[kind]);
    TRY(GPU_CALL(device,
                 kind == MEMORY_POOL      ? driver->allocate_pool(address, bytes, device->stream)
                 : kind == MEMORY_MANAGED ? driver->allocate_managed(address, bytes)
                                          : driver->allocate(address, bytes),
                 what, error));
    if (memory_is_on_device(kind)) {
        note(device, *address, bytes);
    }
    return kind == MEMORY_POOL ? device_synchronize(base, error) : STATUS_OK;
}

static void gpu_release(struct device *base, uint64_t address) {
    if (address && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->release(address);
        note_release(gpu_of(base), address);
    }
}

static enum status gpu_pin(struct device *base, void *memory, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    char what[64];
    snprintf(what, sizeof what, "pinning %zu bytes of the host's memory", bytes);
    return GPU_CALL(device, device->driver->pin(memory, bytes), what, error);
}

GPU_RELEASE(unpin, void *, unpin)

GPU_OPERATION(prefetch, (struct device * base, uint64_t address, size_t bytes, bool to_device, struct error *error),
              prefetch(&device->context, address, bytes, to_device, device->stream), "moving managed memory")

GPU_OPERATION(keep_on_host, (struct device * base, uint64_t address, size_t bytes, struct error *error),
              keep_on_host(&device->context, address, bytes), "keeping managed memory on the host")

static enum status gpu_allocate_pinned(struct device *base, size_t bytes, void **memory, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *memory = NULL;
    char what[64];
    snprintf(what, sizeof what, "allocating %zu bytes of pinned memory", bytes);
    return GPU_CALL(device, device->driver->allocate_pinned(memory, bytes), what, error);
}

GPU_RELEASE(release_pinned, void *, release_pinned)

static enum status gpu_map(struct device *base, void *memory, uint64_t *address, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    *address = 0;
    return GPU_CALL(device, device->driver->map(address, memory), "mapping the host's memory", error);
}

GPU_OPERATION(copy_to_device,
              (struct device * base, struct stream *stream, uint64_t to, const void *from, size_t bytes,
               struct error *error),
              copy_to_device(to, from, bytes, gpu_stream(device, stream)), "copying to the device")

GPU_OPERATION(copy_to_host,
              (struct device * base, struct stream *stream, void *to, uint64_t from, size_t bytes, struct error *error),
              copy_to_host(to, from, bytes, gpu_stream(device, stream)), "copying to the host")

GPU_OPERATION(copy_on_device, (struct device * base, uint64_t to, uint64_t from, size_t bytes, struct error *error),
              copy_on_device(to, from, bytes, device->stream), "copying on the device")

static int reach(struct gpu_device *device, const struct gpu_device *peer) {
    struct gpu_reach *reached = &device->reached[peer->context.ordinal % GPU_ORDINALS_MAX];
    if (!reached->asked) {
        *reached = (struct gpu_reach){true, device->driver->enable_peer(&peer->context)};
    }
    return reached->result;
}

static enum status gpu_reach(struct device *base, struct device *peer, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0 && gpu_of(peer)->context.ordinal != device->context.ordinal) {
        result = reach(device, gpu_of(peer));
    }
    char what[128];
    snprintf(what, sizeof what, "reaching the memory of %s", peer->info.spec);
    return result == 0 ? STATUS_OK
                       : fault_advising(device->driver, base->info.spec, result, what,
                                        "check that the system allows peer access", error);
}

// Uses the copy engine of the device whose stream it is.
static enum status gpu_copy_between(struct device *base, struct stream *stream, struct device *from_base, uint64_t from,
                                    struct device *to_base, uint64_t to, size_t bytes, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_device *from_device = gpu_of(from_base), *to_device = gpu_of(to_base);
    const struct gpu_driver *driver = device->driver;
    int result = gpu_enter(device);
    if (result == 0 && from_device->context.ordinal == to_device->context.ordinal) {
        result = driver->copy_on_device(to, from, bytes, gpu_stream(device, stream));
    } else if (result == 0) {
        reach(device, device == from_device ? to_device : from_device); // else the driver copies through the host
        result = driver->copy_to_peer(to, &to_device->context, from, &from_device->context, bytes,
                                      gpu_stream(device, stream));
    }
    return gpu_check(device, result, "copying to another device", error);
}

static enum status gpu_copy_rows(struct device *base, struct stream *stream, const struct device_rows *rows,
                                 struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *handle = gpu_stream(device, stream);
    TRY(GPU_CALL(device, device->driver->copy_rows(rows, handle), "copying rows", error));
    return gpu_check(device, device->driver->stream_synchronize(handle), "copying rows", error);
}

GPU_OPERATION(fill, (struct device * base, uint64_t address, uint8_t byte, size_t bytes, struct error *error),
              fill(address, byte, bytes, device->stream), "filling memory")

// ---- Kernels ----

enum {
    ARGUMENTS_MAX = 32
};

struct kernel {
    void *module, *function; // the driver's
    char entry[128];
    uint32_t shared_allowed; // bytes of dynamic shared memory that the driver allows
};

static void gpu_discard(struct device *base, struct kernel *kernel) {
    if (kernel && kernel->module && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->unload_module(kernel->module);
    }
    free(kernel);
}

static enum status load(struct gpu_device *device, const struct kernel_request *request, const struct gpu_code *code,
                        struct kernel *kernel, struct error *error) {
    const struct gpu_driver *driver = device->driver;
    int result = gpu_enter(device);
    THEN(result, driver->load_module(&kernel->module, code->bytes));
    THEN(result, driver->find_function(&kernel->function, kernel->module, request->entry));
    if (result == 0) {
        return STATUS_OK;
    }
    char what[256];
    snprintf(what, sizeof what, "loading %s of %s, compiled for %s,", request->entry, request->source->file_name,
             device->target);
    return fault_advising(driver, device->base.info.spec, result, what, "use a compiler no newer than the driver",
                          error);
}

static enum status gpu_build(struct device *base, const struct kernel_request *request, struct kernel **built,
                             struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_code *code;
    *built = NULL;
    TRY(code_cache_compile(&device->code_cache, device->driver->compiler, request, device->target,
                           base->info.warp_width, &code, error));
    struct kernel *kernel = memory_zeros(1, sizeof *kernel);
    snprintf(kernel->entry, sizeof kernel->entry, "%s", request->entry);
    const enum status status = load(device, request, code, kernel, error);
    if (status != STATUS_OK) {
        gpu_discard(base, kernel);
        return status;
    }
    *built = kernel;
    return STATUS_OK;
}

static enum status launch_failed(const struct gpu_device *device, const struct kernel *kernel,
                                 const struct launch *launch, int result, struct error *error) {
    char what[256];
    snprintf(what, sizeof what,
             "launching %s over %" PRIu32 "x%" PRIu32 "x%" PRIu32 " blocks of %" PRIu32 "x%" PRIu32 "x%" PRIu32
             " threads and %" PRIu32 " bytes of shared memory",
             kernel->entry, launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x, launch->block.y,
             launch->block.z, launch->dynamic_shared_bytes);
    const char *spec = device->base.info.spec;
    return device->driver->refused_launch(result)
               ? fault_advising(device->driver, spec, result, what, "keep the block within its limits", error)
               : gpu_fault(device->driver, spec, result, what, error);
}

// A block gets more shared memory than usual only after a request to the driver.
static int allow_shared(const struct gpu_device *device, struct kernel *kernel, uint32_t bytes) {
    if (bytes <= kernel->shared_allowed) {
        return 0;
    }
    const struct gpu_driver *driver = device->driver;
    const int result = driver->allow_shared ? driver->allow_shared(kernel->function, (int)bytes) : 0;
    if (result == 0) {
        kernel->shared_allowed = bytes;
    }
    return result;
}

// No other launch lies between the two calls of the driver between which a profiler counts.
static int launch_counted(const struct gpu_device *device, void *function, const struct launch *launch, void *stream,
                          void **parameters) {
    const struct gpu_driver *driver = device->driver;
    int result = driver->profile ? driver->profile(true) : 0;
    THEN(result, driver->launch(function, launch, stream, parameters));
    THEN(result, driver->stream_synchronize(stream));
    return result == 0 && driver->profile ? driver->profile(false) : result;
}

static enum status gpu_launch(struct device *base, struct stream *stream, struct kernel *kernel,
                              const struct launch *launch, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *parameters[ARGUMENTS_MAX];
    if (launch->argument_count > ARGUMENTS_MAX) {
        return error_set(error, STATUS_FAILED, "%s: %s has too many arguments", base->info.spec, kernel->entry);
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        // The driver only reads the values, each as long as the kernel's parameter.
        parameters[i] = (void *)(uintptr_t)&launch->arguments[i].value;
    }
    int result = gpu_enter(device);
    THEN(result, allow_shared(device, kernel, launch->dynamic_shared_bytes));
    if (result == 0) {
        const bool counted = base->watcher && base->watcher->counts(base->watcher, kernel->entry, launch);
        result = (counted ? launch_counted(device, kernel->function, launch, gpu_stream(device, stream), parameters)
                          : device->driver->launch(kernel->function, launch, gpu_stream(device, stream), parameters));
    }
    return result == 0 ? STATUS_OK : launch_failed(device, kernel, launch, result, error);
}

static enum status gpu_active_clusters(struct device *base, struct kernel *kernel, const struct launch *launch,
                                       uint32_t blocks, uint32_t *clusters, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_driver *driver = device->driver;
    int result = driver->active_clusters ? gpu_enter(device) : driver->not_supported;
    THEN(result, allow_shared(device, kernel, launch->dynamic_shared_bytes));
    THEN(result, driver->active_clusters(kernel->function, launch, blocks, clusters));
    char what[256];
    snprintf(what, sizeof what, "asking for clusters of %" PRIu32 " blocks of %s", blocks, kernel->entry);
    return gpu_check(device, result, what, error);
}

// ---- Graphs of launches, which are recorded from the default stream: a pointer is the driver's executable form ----

GPU_OPERATION(capture_begin, (struct device * base, struct error *error), capture_begin(device->stream),
              "beginning to record launches")

// The driver needs the recorded graph only until its executable form exists.
static int instantiate(const struct gpu_device *device, void **executable) {
    const struct gpu_driver *driver = device->driver;
    void *recorded = NULL;
    int result = gpu_enter(device);
    THEN(result, driver->capture_end(&recorded, device->stream));
    if (result == 0) {
        result = driver->graph_instantiate(executable, recorded);
        driver->graph_destroy(recorded);
    }
    return result;
}

static enum status gpu_capture_end(struct device *base, struct launch_graph **ended, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *executable = NULL;
    *ended = NULL;
    TRY(gpu_check(device, instantiate(device, &executable), "making a graph of launches", error));
    *ended = executable;
    return STATUS_OK;
}

GPU_OPERATION(graph_launch, (struct device * base, struct launch_graph *graph, struct error *error),
              graph_launch(graph, device->stream), "launching a graph")

GPU_RELEASE(graph_destroy, struct launch_graph *, executable_destroy)

// ---- Devices ----

enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error) {
    *count = 0;
    TRY(library_load(driver->library, error));
    driver->compiler->library->wanted_version = driver->major ? driver->major() : 0;
    TRY(library_load(driver->compiler->library, error));
    int devices = 0;
    int result = driver->initialise(0);
    THEN(result, driver->device_count(&devices));
    if (result != 0) {
        char words[DEVICE_TEXT];
        return error_set(error, STATUS_NO_DEVICE, "the driver finds no GPU, %s: check that its kernel module is loaded",
                         error_words(driver, result, words));
    }
    if (devices <= 0) {
        return error_set(error, STATUS_NO_DEVICE, "the driver finds no GPU: see that one is there and may be used");
    }
    *count = (uint32_t)devices;
    return STATUS_OK;
}

char *gpu_places(const struct gpu_driver *driver) {
    const struct library_table *library = driver->library->library.handle ? driver->compiler->library : driver->library;
    return library->library.handle ? NULL : library_places(library->search);
}

// Reads the ordinal after the colon; NULL stands for the first device.
static enum status parse_ordinal(const char *name, const char *selector, uint32_t count, int *ordinal,
                                 struct error *error) {
    char *end = NULL;
    const char *digits = selector ? selector : "0";
    const unsigned long value = isdigit((unsigned char)*digits) ? strtoul(digits, &end, 10) : 0;
    if (!end || *end) {
        return error_set(error, STATUS_NO_DEVICE, "%s:%s: not the number of a device: use %s:0 to %s:%" PRIu32, name,
                         selector, name, name, count - 1);
    }
    if (value >= count) {
        return error_set(error, STATUS_NO_DEVICE, "%s:%s: no such device: there are %" PRIu32 ", see --list-devices",
                         name, digits, count);
    }
    *ordinal = (int)value;
    return STATUS_OK;
}

static int attribute(const struct gpu_device *device, enum gpu_attribute name) {
    return device->driver->attribute_of(device->context.ordinal, device->driver->attributes[name]);
}

// By the memory's clock; 0 where no rule is known for it.
static double peak_gb_s(const struct gpu_device *device) {
    const char *doubled = device->driver->doubled_archs;
    const double clock_hz = attribute(device, GPU_MEMORY_CLOCK_KHZ) * 1e3;
    return strncmp(device->base.info.arch, doubled, strlen(doubled)) == 0
               ? 2 * clock_hz * attribute(device, GPU_MEMORY_BUS_BITS) / 8 / 1e9
               : 0;
}

static void describe_software(struct gpu_device *device) {
    struct device_info *info = &device->base.info;
    const struct gpu_compiler *compiler = device->driver->compiler;
    char version[32];
    int major = 0, minor = 0;
    device->driver->version(version, sizeof version);
    snprintf(info->driver, sizeof info->driver, "%s, %.200s", version, device->driver->library->library.path);
    compiler->version(&major, &minor);
    snprintf(info->runtime, sizeof info->runtime, "%s %d.%d, %.200s", compiler->name, major, minor,
             compiler->library->library.path);
    snprintf(info->compiler, sizeof info->compiler, "%s %d.%d %s%s", compiler->name, major, minor,
             compiler->arch_option, device->target);
}

static void describe_hardware(struct gpu_device *device) {
    struct device_info *info = &device->base.info;
    const struct gpu_driver *driver = device->driver;
    const int ordinal = device->context.ordinal;
    size_t free_bytes = 0, bytes = 0;
    if (driver->memory_info(&free_bytes, &bytes) == 0) {
        info->memory_bytes = bytes;
        info->memory_free_bytes = free_bytes;
    }
    driver->device_name(info->name, sizeof info->name, ordinal);
    info->compute_units = (uint32_t)attribute(device, GPU_COMPUTE_UNITS);
    info->warp_width = (uint32_t)attribute(device, GPU_WARP_WIDTH);
    info->max_block_threads = (uint32_t)attribute(device, GPU_BLOCK_THREADS);
    info->shared_bytes_per_block = (uint32_t)attribute(device, GPU_SHARED_BYTES);
    info->shared_bytes_per_block_max = (uint32_t)attribute(device, GPU_SHARED_BYTES_MAX);
    if (info->shared_bytes_per_block_max < info->shared_bytes_per_block) {
        info->shared_bytes_per_block_max = info->shared_bytes_per_block;
    }
    info->moves_pages = attribute(device, GPU_MOVES_PAGES) != 0;
    info->clock_mhz = attribute(device, GPU_CLOCK_KHZ) / 1e3;
    info->time_counter_mhz = driver->time_counter_mhz(ordinal);
    info->gpu = gpu_match(info->name, info->arch, info->compute_units);
    info->last_level_cache_bytes =
        info->gpu ? info->gpu->last_level_cache_bytes : (uint64_t)attribute(device, GPU_L2_BYTES);
    info->peak_gb_s = info->gpu ? info->gpu->memory_gb_s : peak_gb_s(device);
}

static void device_shut(struct device *base) {
    struct gpu_device *device = gpu_of(base);
    if (device->stream && gpu_enter(device) == 0) {
        device->driver->stream_destroy(device->stream);
    }
    if (device->driver->close_context) {
        device->driver->close_context(&device->context);
    }
    code_cache_destroy(&device->code_cache);
    free(device->buffers);
    free(device);
}

// The link is PCI Express if no link of the vendor joins them.
static void link_to(struct device *base, struct device *peer, struct device_link *link) {
    const struct gpu_driver *driver = gpu_of(base)->driver;
    const int from = gpu_of(base)->context.ordinal, to = gpu_of(peer)->context.ordinal;
    *link = (struct device_link){.rank = -1};
    if (from == to) {
        *link = (struct device_link){.direct = true, .atomics = true, .name = "the same device"};
        return;
    }
    driver->link(from, to, link);
    char address[32], peer_address[32];
    if (!*link->name && driver->pci_address(address, sizeof address, from) == 0 &&
        driver->pci_address(peer_address, sizeof peer_address, to) == 0) {
        pci_link_name(address, peer_address, link->name, sizeof link->name);
    }
}

static void describe_bus(struct device *base, struct device_bus *bus) {
    char address[sizeof bus->address];
    *bus = (struct device_bus){.numa_node = -1};
    if (gpu_of(base)->driver->pci_address(address, sizeof address, gpu_of(base)->context.ordinal) == 0) {
        pci_describe(address, bus);
    }
}

static enum status set_up(struct gpu_device *device, struct error *error) {
    const struct gpu_driver *driver = device->driver;
    int result = driver->open_context ? driver->open_context(&device->context) : 0;
    THEN(result, gpu_enter(device));
    THEN(result, driver->stream_create(&device->stream));
    if (result != 0) {
        return fault_advising(driver, device->base.info.spec, result, "opening the device",
                              "check that no other program holds it", error);
    }
    TRY(driver->find_target(&device->base.info, device->context.ordinal, device->target, sizeof device->target, error));
    describe_hardware(device);
    describe_software(device);
    return STATUS_OK;
}

static const struct device_operations operations = {
    .close = device_shut,
    .allocate = gpu_allocate,
    .release = gpu_release,
    .copy_to_device = gpu_copy_to_device,
    .copy_to_host = gpu_copy_to_host,
    .copy_on_device = gpu_copy_on_device,
    .copy_between = gpu_copy_between,
    .copy_rows = gpu_copy_rows,
    .fill = gpu_fill,
    .link = link_to,
    .reach = gpu_reach,
    .bus = describe_bus,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .prefetch = gpu_prefetch,
    .keep_on_host = gpu_keep_on_host,
    .allocate_pinned = gpu_allocate_pinned,
    .release_pinned = gpu_release_pinned,
    .map = gpu_map,
    .build = gpu_build,
    .discard = gpu_discard,
    .launch = gpu_launch,
    .active_clusters = gpu_active_clusters,
    .stream_create = gpu_stream_create,
    .stream_destroy = gpu_stream_destroy,
    .synchronize = gpu_synchronize,
    .native_stream = gpu_native_stream,
    .event_create = gpu_event_create,
    .event_record = gpu_event_record,
    .event_wait = gpu_event_wait,
    .event_done = gpu_event_done,
    .event_elapsed = gpu_event_elapsed,
    .event_destroy = gpu_event_destroy,
    .capture_begin = gpu_capture_begin,
    .capture_end = gpu_capture_end,
    .graph_launch = gpu_graph_launch,
    .graph_destroy = gpu_graph_destroy,
};

enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error) {
    *opened = NULL;
    uint32_t count = 0;
    int ordinal = 0;
    TRY(gpu_count(driver, &count, error));
    TRY(parse_ordinal(driver->name, selector, count, &ordinal, error));
    struct gpu_device *device = memory_zeros(1, sizeof *device);
    device->base.operations = &operations;
    device->driver = driver;
    device->context.ordinal = ordinal;
    device->base.info.backend = driver->backend;
    snprintf(device->base.info.spec, sizeof device->base.info.spec, "%s:%d", driver->name, ordinal);
    const enum status status = set_up(device, error);
    if (status != STATUS_OK) {
        device_shut(&device->base);
        return status;
    }
    *opened = &device->base;
    return STATUS_OK;
}
