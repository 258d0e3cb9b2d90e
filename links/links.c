#include <inttypes.h>
#include <stdio.h>

#include "bench/output.h"
#include "bench/probe.h"
#include "device/cpu/cpu.h"
#include "links/row.h"
#include "links/schedule.h"

static void describe_bus(struct device *device, struct output *output) {
    struct device_bus bus;
    char key[96], node[32] = "", speed[96] = "", text[192];
    device_bus(device, &bus);
    if (bus.numa_node >= 0) {
        snprintf(node, sizeof node, ", NUMA node %d", bus.numa_node);
    }
    if (bus.peak_gb_s > 0) {
        snprintf(speed, sizeof speed, ", PCIe %g GT/s x%" PRIu32 ", at most %.3g GB/s one way", bus.gt_s, bus.lanes,
                 bus.peak_gb_s);
    }
    snprintf(key, sizeof key, "%s bus", device->info.spec);
    snprintf(text, sizeof text, "%s%s%s", bus.address, node, speed);
    output_metadata(output, key, text);
}

static void describe_pair(struct device *from, struct device *to, struct output *output) {
    struct device_link link;
    char key[160], rank[48] = "", text[256];
    device_link(from, to, &link);
    if (link.rank >= 0) {
        snprintf(rank, sizeof rank, ", performance rank %d", link.rank);
    }
    snprintf(key, sizeof key, "%s to %s", from->info.spec, to->info.spec);
    snprintf(text, sizeof text, "%s, %s%s%s", *link.name ? link.name : "an unknown link",
             link.direct ? "direct" : "not direct, copied through the host", rank,
             link.atomics ? ", with atomics" : "");
    output_metadata(output, key, text);
}

// Writes metadata: a line for each device's bus, and one for each pair of devices.
static enum status links_describe(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                                  size_t count, struct output *output, struct error *error) {
    (void)session, (void)runs, (void)run_count, (void)error;
    for (size_t i = 0; i < count; i++) {
        if (device_has_links(devices[i].device)) {
            describe_bus(devices[i].device, output);
        }
    }
    for (size_t i = 0; i < count * count; i++) {
        struct device *from = devices[i / count].device, *to = devices[i % count].device;
        if (from != to && from->info.backend == to->info.backend) {
            describe_pair(from, to, output);
        }
    }
    return STATUS_OK;
}

// links: bandwidth and latency between the host and the devices of a machine.

// clang-format off
static const struct parameter parameters[] = {
    [LINKS_FOOTPRINT] = {.name = "footprint", .letter = 'f', .help = "bytes of a transfer; default: 4K to the largest that fits",
                         .min = LINKS_WORD_BYTES, .max = 1e13},
};
// clang-format on

#define FOOTPRINTS "4K,16K,64K,256K,1M,4M,16M,64M,256M,512M"
TABLE(bandwidths, COLUMN(variant), COLUMN_WIDE(from, 6), COLUMN_WIDE(to, 6), COLUMN(direction),
      COLUMN_WIDE(footprint_bytes, 9), COLUMN(one_way_gb_s), COLUMN(interval_pct), COLUMN(sum_gb_s), COLUMN(verdict));
TABLE(latencies, COLUMN(variant), COLUMN_WIDE(from, 6), COLUMN_WIDE(to, 6), COLUMN(op), COLUMN(latency_ns),
      COLUMN(interval_pct), COLUMN(verdict));

#define SIZES .check = links_check_bandwidth, .skip = links_skip_bandwidth, .cost = links_cost_bandwidth
static const struct variant_kind of_bandwidth = {bandwidths, SIZES, .measure = links_measure_bandwidth};
static const struct variant_kind of_managed = {bandwidths, SIZES, .measure = links_measure_managed};
static const struct variant_kind of_latency = {latencies, .skip = links_skip_unreachable,
                                               .measure = links_measure_latency};
static const struct variant_kind of_nodes = {bandwidths, .check = links_check_nodes, .measure = links_measure_nodes};

#define DETAIL(...)                                                                                                    \
    &(const struct links_detail) {                                                                                     \
        __VA_ARGS__                                                                                                    \
    }
#define BANDWIDTH(name, summary, of_pairs, by, host)                                                                   \
    {                                                                                                                  \
        name, summary, {[LINKS_FOOTPRINT] = FOOTPRINTS}, DETAIL(.pairs = of_pairs, .mover = by, .memory = host),       \
            &of_bandwidth                                                                                              \
    }
#define LATENCY(name, summary, of_pairs)                                                                               \
    { name, summary, {0}, DETAIL(.pairs = of_pairs), &of_latency }
#define NODES(name, summary, by)                                                                                       \
    { name, summary, {[LINKS_FOOTPRINT] = "0"}, DETAIL(.access = by), &of_nodes }

#define PAGES "4K,64K,2M,64M,512M"
#define MANAGED(name, summary, pages, footprints)                                                                      \
    { name, summary, {[LINKS_FOOTPRINT] = footprints}, DETAIL(.managed = pages), &of_managed }

// Only a device can move the host's bytes: with the host MOVER_SOURCE_ENGINE is its copy engine, whichever end it is.
static const struct variant variants[] = {
    BANDWIDTH("host-pageable", "copies of the host's plain memory, by the copy engine", false, MOVER_SOURCE_ENGINE,
              HOST_PAGEABLE),
    BANDWIDTH("host-register", "copies of memory pinned afterwards, by the copy engine", false, MOVER_SOURCE_ENGINE,
              HOST_REGISTERED),
    BANDWIDTH("host-pinned", "copies of the driver's pinned memory, by the copy engine", false, MOVER_SOURCE_ENGINE,
              HOST_PINNED),
    BANDWIDTH("host-mapped", "a kernel's loads and stores to the driver's pinned memory", false, MOVER_SOURCE_KERNEL,
              HOST_PINNED),
    LATENCY("host-latency", "latency of a load from the host, and of a copied word", false),
    MANAGED("managed-touch", "a kernel's first stores to managed memory", MANAGED_TOUCH, PAGES),
    MANAGED("managed-fault", "managed pages that move because they are loaded", MANAGED_FAULT, PAGES),
    MANAGED("managed-prefetch", "managed pages that the driver moves ahead", MANAGED_PREFETCH, PAGES),
    MANAGED("managed-stay", "a kernel's loads and stores to managed pages that stay", MANAGED_STAY, PAGES),
    MANAGED("managed-overflow", "a kernel's loads and stores to twice the pages that fit", MANAGED_OVERFLOW, "512M,4G"),
    BANDWIDTH("pair-copy", "copies between two devices, by the source's copy engine", true, MOVER_SOURCE_ENGINE,
              HOST_PINNED),
    BANDWIDTH("pair-pull", "copies between two devices, by the destination's engine", true, MOVER_DESTINATION_ENGINE,
              HOST_PINNED),
    BANDWIDTH("pair-write", "a kernel's stores to another device", true, MOVER_SOURCE_KERNEL, HOST_PINNED),
    BANDWIDTH("pair-read", "a kernel's loads from another device", true, MOVER_DESTINATION_KERNEL, HOST_PINNED),
    LATENCY("pair-latency", "latency of a load from another device, and of a copy", true),
    NODES("node-read", "loads by a NUMA node's threads from each node's memory", NODES_READ),
    NODES("node-write", "plain stores by a node's threads to each node's memory", NODES_WRITE),
    NODES("node-write-streaming", "streaming stores by a node's threads to each node", NODES_WRITE_PAST_CACHES),
};

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    (void)session;
    if (variant->kind == &of_nodes && device_is_cpu(&device->info)) {
        return cpu_several_nodes(error);
    }
    if (variant->kind == &of_managed && device_has_links(device) && !device->info.moves_pages) {
        return error_set(error, STATUS_NO_DEVICE, "%s moves no pages of managed memory: leave out %s",
                         device->info.spec, variant->name);
    }
    return device_has_links(device) && variant->kind != &of_nodes
               ? STATUS_OK // by default the user has named no device, so the message names none
               : error_set(error, STATUS_NO_DEVICE,
                           "no real GPU is here, and simulated GPUs have no links: give --device cuda or hip, or "
                           "--device cpu for the nodes of a machine's memory; --list-devices shows what is found");
}

static void release(void *context) {
    links_kernels_discard(((struct links_session *)context)->kernels);
}

static const struct metric metrics[] = {
    {.value = COLUMN_latency_ns, .peak = COLUMN_NONE, .unit = "ns", .is_cost = true},
    {.value = COLUMN_one_way_gb_s, .peak = COLUMN_peak_gb_s, .unit = "GB/s"},
};

static const struct probe links = {
    .name = "links",
    .summary = "bandwidth and latency between the host and the devices",
    .description = "A row is one direction of a transfer: alone (one-way), with the opposite one (both-ways), or with "
                   "all others of its kind (all-at-once); sum GB/s adds the rates of concurrent transfers. Pairs need "
                   "two devices or more. Every byte is checked. The peak is that of PCI Express, if the system knows "
                   "it; --peak gives another. --device cpu has the links between the nodes of the machine's memory, "
                   "if there are several; simulated devices have none.",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    .session_bytes = sizeof(struct links_session),
    PROBE_LIST(metrics, metric_count),
    .headline_values = {[LINKS_FOOTPRINT] = 64 << 20},
    .headline = "host-pinned,host-latency,pair-copy,pair-latency",
    .supports = supports,
    .describe = links_describe,
    .release = release,
};

int main(int argc, char **argv) {
    return program_main(&links, argc, argv);
}
