#include "device/gpu/gpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/fault.h"
#include "device/gpu/kernel.h"
#include "device/gpu/memory.h"
#include "device/gpu/stream.h"
#include "model/gpu_find.h"

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

enum status gpu_count(const struct gpu_driver *driver, uint32_t *count, struct error *error) {
    *count = 0;
    enum status status = library_load(driver->library, error);
    if (status == STATUS_OK) {
        driver->compiler->library->wanted_version = driver->major ? driver->major() : 0;
        status = library_load(driver->compiler->library, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    int devices = 0;
    int result = driver->initialise(0);
    if (result == 0) {
        result = driver->device_count(&devices);
    }
    if (result != 0) {
        char words[DEVICE_TEXT];
        return error_set(error, STATUS_NO_DEVICE, "the driver finds no GPU, %s: check that its kernel module is loaded",
                         gpu_error_words(driver, result, words));
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

// 0 if the driver does not know.
static int attribute(const struct gpu_device *device, enum gpu_attribute name) {
    int value = 0;
    return device->driver->attribute(&value, name, device->context.ordinal) == 0 && value > 0 ? value : 0;
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
    info->peak_gb_s = info->gpu ? info->gpu->memory_gb_s : driver->peak_gb_s(info, ordinal);
}

static void device_shut(struct device *base) {
    struct gpu_device *device = gpu_of(base);
    if (device->stream && gpu_enter(device) == 0) {
        device->driver->stream_destroy(device->stream);
    }
    device->driver->close_context(&device->context);
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
    int result = driver->open_context(&device->context);
    if (result == 0) {
        result = gpu_enter(device);
    }
    if (result == 0) {
        result = driver->stream_create(&device->stream);
    }
    if (result != 0) {
        return gpu_fault_advising(driver, device->base.info.spec, result, "opening the device",
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
    .copy_to_device_async = gpu_copy_to_device_async,
    .copy_to_host_async = gpu_copy_to_host_async,
    .copy_on_device = gpu_copy_on_device,
    .copy_to_peer = gpu_copy_to_peer,
    .copy_from_peer = gpu_copy_from_peer,
    .copy_rows = gpu_copy_rows,
    .fill = gpu_fill,
    .link = link_to,
    .reach = gpu_reach,
    .bus = describe_bus,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .allocate_pool = gpu_allocate_pool,
    .allocate_managed = gpu_allocate_managed,
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
    .graphs = &gpu_graphs,
};

enum status gpu_open(const struct gpu_driver *driver, const char *selector, struct device **opened,
                     struct error *error) {
    *opened = NULL;
    uint32_t count = 0;
    int ordinal = 0;
    enum status status = gpu_count(driver, &count, error);
    THEN(status, parse_ordinal(driver->name, selector, count, &ordinal, error));
    if (status != STATUS_OK) {
        return status;
    }
    struct gpu_device *device = memory_zeros(1, sizeof *device);
    device->base.operations = &operations;
    device->driver = driver;
    device->context.ordinal = ordinal;
    device->base.info.backend = driver->backend;
    snprintf(device->base.info.spec, sizeof device->base.info.spec, "%s:%d", driver->name, ordinal);
    status = set_up(device, error);
    if (status != STATUS_OK) {
        device_shut(&device->base);
        return status;
    }
    *opened = &device->base;
    return STATUS_OK;
}
