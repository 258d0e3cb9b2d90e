// Where the CPU's threads run and where its memory lies, for as long as a measurement needs it.
#ifndef DEVICE_CPU_CPU_H
#define DEVICE_CPU_CPU_H

#include "device/cpu/nodes.h"
#include "device/device.h"

// The nodes of the machine; the device must be the CPU. STATUS_NO_DEVICE if they cannot be found.
enum status cpu_nodes(struct device *device, const struct cpu_node **nodes, size_t *count, struct error *error);

// STATUS_NO_DEVICE, with the reason, where the machine has one node or nobody knows its nodes.
enum status cpu_several_nodes(struct error *error);

// Bytes on the node that caches hold little of: several times the caches, but at most a quarter of the node.
uint64_t cpu_node_footprint(const struct device_info *info, const struct cpu_node *node);

// Until cpu_unplace, threads run on one node, compute_units are its processors, and allocations of 2 MiB and more lie
// on another one. Memory that was allocated so must be released before cpu_unplace.
enum status cpu_place(struct device *device, const struct cpu_node *threads, const struct cpu_node *memory,
                      enum cpu_pages pages, struct error *error);
void cpu_unplace(struct device *device);

// Whether the placement takes effect: not if the topology is pretended.
bool cpu_placement_is_real(const struct device *device);

#endif
