// Instead of nodes.c where hwloc's header is missing.
#include "device/cpu/nodes.h"

enum status cpu_topology_load(struct cpu_topology **topology, struct error *error) {
    *topology = NULL;
    return error_set(error, STATUS_NO_DEVICE,
                     "cpu: hwloc.h was missing when this program was built, and only hwloc knows the machine's nodes: "
                     "run scripts/setup.sh --numa, then make");
}

void cpu_topology_free(struct cpu_topology *topology) {
    (void)topology;
}

const struct cpu_node *cpu_topology_nodes(const struct cpu_topology *topology, size_t *count) {
    (void)topology;
    *count = 0;
    return NULL;
}

bool cpu_topology_is_real(const struct cpu_topology *topology) {
    (void)topology;
    return false;
}

enum status cpu_bind_threads(struct cpu_topology *topology, const struct cpu_node *node, struct error *error) {
    (void)node;
    return cpu_topology_load(&topology, error);
}

void cpu_unbind_threads(struct cpu_topology *topology) {
    (void)topology;
}

bool cpu_has_huge_pages(void) {
    return false;
}

enum status cpu_node_allocate(struct cpu_topology *topology, const struct cpu_node *node, enum cpu_pages pages,
                              size_t bytes, void **memory, size_t *mapped, struct error *error) {
    (void)node, (void)pages, (void)bytes, (void)memory, (void)mapped;
    return cpu_topology_load(&topology, error);
}

void cpu_node_free(void *memory, size_t mapped) {
    (void)memory, (void)mapped;
}
