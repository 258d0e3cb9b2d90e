// The machine's NUMA nodes, by hwloc, which is found when a program runs, and the placement of the CPU's threads and
// memory on them. HWLOC_SYNTHETIC or HWLOC_XMLFILE names a topology to pretend: then nothing can be bound.
#ifndef DEVICE_CPU_NODES_H
#define DEVICE_CPU_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
    CPU_NODES_MAX = 64
};

struct cpu_node {
    uint32_t number;       // the system's
    uint32_t threads;      // processors that this process may use and that are nearest to it; 0: it has only memory
    uint64_t memory_bytes; // 0: it has only processors
};

struct cpu_topology;

// STATUS_NO_DEVICE if hwloc is missing.
enum status cpu_topology_load(struct cpu_topology **topology, struct error *error);
void cpu_topology_free(struct cpu_topology *topology); // NULL: nothing to free

// In the order of their numbers; at most CPU_NODES_MAX.
const struct cpu_node *cpu_topology_nodes(const struct cpu_topology *topology, size_t *count);

// Whether it is this machine's, so that bindings take effect.
bool cpu_topology_is_real(const struct cpu_topology *topology);

// Binds each of OpenMP's threads to a processor of the node, and lets later parallel regions have as many. A node
// without processors is refused. `error` gets the system's reason and its cure.
enum status cpu_bind_threads(struct cpu_topology *topology, const struct cpu_node *node, struct error *error);
// As before the first binding.
void cpu_unbind_threads(struct cpu_topology *topology);

// Pages that memory may consist of. The largest must have been reserved by the machine's administrator.
enum cpu_pages {
    CPU_PAGES_LARGE, // 2 MiB where the system has them
    CPU_PAGES_SMALL,
    CPU_PAGES_HUGE // 1 GiB
};
// Whether the system has pages of 1 GiB that are free.
bool cpu_has_huge_pages(void);

// Memory on this node, present and zero; *mapped are its bytes, for cpu_node_free. Fails if a page is elsewhere.
enum status cpu_node_allocate(struct cpu_topology *topology, const struct cpu_node *node, enum cpu_pages pages,
                              size_t bytes, void **memory, size_t *mapped, struct error *error);
void cpu_node_free(void *memory, size_t mapped);

#endif
