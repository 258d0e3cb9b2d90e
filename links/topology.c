#include "links/topology.h"

#include <inttypes.h>
#include <stdio.h>

#include "bench/output.h"

static enum status describe_bus(struct device *device, struct output *output, struct error *error) {
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
    return output_metadata(output, key, text, error);
}

static enum status describe_pair(struct device *from, struct device *to, struct output *output, struct error *error) {
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
    return output_metadata(output, key, text, error);
}

enum status links_describe(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                           size_t count, struct output *output, struct error *error) {
    (void)session, (void)runs, (void)run_count;
    for (size_t i = 0; i < count; i++) {
        if (device_has_links(devices[i].device)) {
            TRY(describe_bus(devices[i].device, output, error));
        }
    }
    for (size_t i = 0; i < count * count; i++) {
        struct device *from = devices[i / count].device, *to = devices[i % count].device;
        if (from != to && from->info.backend == to->info.backend) {
            TRY(describe_pair(from, to, output, error));
        }
    }
    return STATUS_OK;
}
