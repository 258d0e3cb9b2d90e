#include "device/cpu/nodes.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/cpu/host.h"
#include "device/gpu/library.h"
#include "util/threads.h"
#include "util/whole.h"

static const struct library_search search = {
    .title = "hwloc",
    .advice = "install libhwloc15, or hwloc-libs",
    .names = (const char *const[]){"libhwloc.so.15", NULL}, // the interface of hwloc 2
    .variables = (const char *const[]){NULL},
    .folders = (const char *const[]){"/usr", "/usr/local", NULL},
    .wheels = (const char *const[]){NULL},
};

#define HWLOC_CALLS(F)                                                                                                 \
    F(init, hwloc_topology_init)                                                                                       \
    F(load, hwloc_topology_load)                                                                                       \
    F(destroy, hwloc_topology_destroy)                                                                                 \
    F(is_this_machine, hwloc_topology_is_thissystem)                                                                   \
    F(allowed, hwloc_topology_get_allowed_cpuset)                                                                      \
    F(count_at, hwloc_get_nbobjs_by_depth)                                                                             \
    F(object_at, hwloc_get_obj_by_depth)                                                                               \
    F(new_set, hwloc_bitmap_alloc)                                                                                     \
    F(free_set, hwloc_bitmap_free)                                                                                     \
    F(copy_set, hwloc_bitmap_copy)                                                                                     \
    F(intersect, hwloc_bitmap_and)                                                                                     \
    F(remove, hwloc_bitmap_andnot)                                                                                     \
    F(set_only, hwloc_bitmap_only)                                                                                     \
    F(weight, hwloc_bitmap_weight)                                                                                     \
    F(next_of, hwloc_bitmap_next)                                                                                      \
    F(equal, hwloc_bitmap_isequal)                                                                                     \
    F(bound, hwloc_get_cpubind)                                                                                        \
    F(bind, hwloc_set_cpubind)                                                                                         \
    F(bind_area, hwloc_set_area_membind)                                                                               \
    F(locate_area, hwloc_get_area_memlocation)

LIBRARY_CALLS(hwloc, search, HWLOC_CALLS);

struct cpu_topology {
    hwloc_topology_t tree;
    hwloc_bitmap_t usual; // processors of this process before the first binding
    int usual_threads;    // 0: nothing was bound yet
    size_t count;
    struct cpu_node nodes[CPU_NODES_MAX];
    hwloc_bitmap_t processors[CPU_NODES_MAX]; // of a node
    hwloc_obj_t objects[CPU_NODES_MAX];
};

static int by_number(const void *a, const void *b) {
    const hwloc_obj_t *one = a, *other = b;
    return ((*one)->os_index > (*other)->os_index) - ((*one)->os_index < (*other)->os_index);
}

// The next processor belongs to the first node of those that are equally near to it, which is that of plain memory.
static void describe_nodes(struct cpu_topology *topology) {
    hwloc_bitmap_t left = hwloc.new_set();
    bool complete = left && hwloc.copy_set(left, hwloc.allowed(topology->tree)) == 0;
    if (complete && topology->usual && hwloc.is_this_machine(topology->tree)) {
        complete = hwloc.intersect(left, left, topology->usual) == 0;
    }
    for (size_t i = 0; complete && i < topology->count; i++) {
        const hwloc_obj_t object = topology->objects[i];
        hwloc_bitmap_t own = topology->processors[i] = hwloc.new_set();
        complete = own && hwloc.intersect(own, object->cpuset, left) == 0 && hwloc.remove(left, left, own) == 0;
        topology->nodes[i] = (struct cpu_node){.number = object->os_index,
                                               .threads = complete ? (uint32_t)hwloc.weight(own) : 0,
                                               .memory_bytes = object->attr->numanode.local_memory};
    }
    hwloc.free_set(left);
    if (!complete) {
        memory_end();
    }
}

enum status cpu_topology_load(struct cpu_topology **loaded, struct error *error) {
    *loaded = NULL;
    TRY(library_load(&hwloc_library, error));
    struct cpu_topology *topology = memory_zeros(1, sizeof *topology);
    if (hwloc.init(&topology->tree) != 0) {
        memory_end();
    }
    if (hwloc.load(topology->tree) != 0) {
        const int reason = errno;
        cpu_topology_free(topology);
        return error_set(error, STATUS_NO_DEVICE,
                         "cpu: hwloc does not understand this machine's topology: %s: check HWLOC_SYNTHETIC and "
                         "HWLOC_XMLFILE",
                         strerror(reason));
    }
    topology->usual = hwloc.new_set();
    if (topology->usual && hwloc.bound(topology->tree, topology->usual, HWLOC_CPUBIND_THREAD) != 0) {
        hwloc.copy_set(topology->usual, hwloc.allowed(topology->tree));
    }
    const unsigned found = hwloc.count_at(topology->tree, HWLOC_TYPE_DEPTH_NUMANODE);
    topology->count = found < CPU_NODES_MAX ? found : CPU_NODES_MAX;
    for (unsigned i = 0; i < topology->count; i++) {
        topology->objects[i] = hwloc.object_at(topology->tree, HWLOC_TYPE_DEPTH_NUMANODE, i);
    }
    qsort(topology->objects, topology->count, sizeof *topology->objects, by_number);
    describe_nodes(topology);
    *loaded = topology;
    return STATUS_OK;
}

void cpu_topology_free(struct cpu_topology *topology) {
    if (!topology) {
        return;
    }
    for (size_t i = 0; i < topology->count; i++) {
        hwloc.free_set(topology->processors[i]);
    }
    hwloc.free_set(topology->usual);
    hwloc.destroy(topology->tree);
    free(topology);
}

const struct cpu_node *cpu_topology_nodes(const struct cpu_topology *topology, size_t *count) {
    *count = topology->count;
    return topology->nodes;
}

bool cpu_topology_is_real(const struct cpu_topology *topology) {
    return hwloc.is_this_machine(topology->tree) != 0;
}

// ---- Threads ----

// The nth processor of a set, as a set; false if memory is short.
static bool take_processor(hwloc_bitmap_t into, hwloc_const_bitmap_t set, int nth) {
    int processor = hwloc.next_of(set, -1);
    for (int i = 0; i < nth && processor >= 0; i++) {
        processor = hwloc.next_of(set, processor);
    }
    return processor >= 0 && hwloc.set_only(into, (unsigned)processor) == 0;
}

// Returns the system's error, 0 for none.
static int bind_this_thread(struct cpu_topology *topology, hwloc_const_bitmap_t set, int nth) {
    hwloc_bitmap_t one = hwloc.new_set();
    if (!one) {
        return ENOMEM;
    }
    errno = 0;
    const bool is_bound = take_processor(one, set, nth) && hwloc.bind(topology->tree, one, HWLOC_CPUBIND_THREAD) == 0;
    const int reason = is_bound ? 0 : errno ? errno : ENOMEM;
    hwloc.free_set(one);
    return reason;
}

enum status cpu_bind_threads(struct cpu_topology *topology, const struct cpu_node *node, struct error *error) {
    const size_t index = (size_t)(node - topology->nodes);
    if (node->threads == 0) {
        return error_set(error, STATUS_NO_DEVICE, "cpu: node %u has no processors: bind to another one", node->number);
    }
    if (topology->usual_threads == 0) {
        topology->usual_threads = omp_get_max_threads();
    }
    const int most = topology->usual_threads, threads = (int)node->threads < most ? (int)node->threads : most;
    int failed = 0;
    omp_set_num_threads(threads);
#pragma omp parallel num_threads(threads) reduction(max : failed)
    failed = bind_this_thread(topology, topology->processors[index], omp_get_thread_num());
    return failed == 0 ? STATUS_OK
                       : error_set(error, STATUS_FAILED,
                                   "cpu: the system does not bind threads to node %u: %s: allow sched_setaffinity",
                                   node->number, strerror(failed));
}

void cpu_unbind_threads(struct cpu_topology *topology) {
    if (topology->usual_threads == 0) {
        return;
    }
    omp_set_num_threads(topology->usual_threads);
#pragma omp parallel
    hwloc.bind(topology->tree, topology->usual, HWLOC_CPUBIND_THREAD);
}

// ---- Memory ----

enum {
    LARGE_PAGE_BYTES = 2 << 20,
    HUGE_PAGE_SHIFT = 30,
    FLAG_SHIFT = 26, // of the page's size in mmap's flags
};

bool cpu_has_huge_pages(void) {
    char text[32];
    return cpu_read_text("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", text, sizeof text) &&
           strtoul(text, NULL, 10) > 0;
}

// Address space that begins at a large page.
static void *map(size_t bytes, enum cpu_pages pages) {
    const int huge = pages == CPU_PAGES_HUGE ? MAP_HUGETLB | HUGE_PAGE_SHIFT << FLAG_SHIFT : 0;
    const size_t slack = huge ? 0 : LARGE_PAGE_BYTES;
    char *start = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | huge, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    const size_t before = slack ? (LARGE_PAGE_BYTES - (uintptr_t)start % LARGE_PAGE_BYTES) % LARGE_PAGE_BYTES : 0;
    if (before) {
        munmap(start, before);
    }
    if (slack - before) {
        munmap(start + before + bytes, slack - before);
    }
    return start + before;
}

// Whether the pages are on the node, as far as the system tells.
static bool lies_on(const struct cpu_topology *topology, size_t index, const void *memory, size_t bytes) {
    hwloc_bitmap_t found = hwloc.new_set();
    const bool told = found && cpu_topology_is_real(topology) &&
                      hwloc.locate_area(topology->tree, memory, bytes, found, HWLOC_MEMBIND_BYNODESET) == 0;
    const bool lies = !told || hwloc.equal(found, topology->objects[index]->nodeset);
    hwloc.free_set(found);
    return lies;
}

enum status cpu_node_allocate(struct cpu_topology *topology, const struct cpu_node *node, enum cpu_pages pages,
                              size_t bytes, void **memory, size_t *mapped, struct error *error) {
    const size_t index = (size_t)(node - topology->nodes);
    const size_t size =
        round_up(bytes ? bytes : 1, pages == CPU_PAGES_HUGE ? (size_t)1 << HUGE_PAGE_SHIFT : LARGE_PAGE_BYTES);
    *memory = map(size, pages);
    *mapped = size;
    if (!*memory) {
        return error_set(error, STATUS_FAILED, "cpu: mapping %zu bytes for node %u: %s: %s", size, node->number,
                         strerror(errno), pages == CPU_PAGES_HUGE ? "reserve more pages of 1 GiB" : "use fewer");
    }
    madvise(*memory, size, pages == CPU_PAGES_SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE); // a refusal is harmless
    enum status status = STATUS_OK;
    if (hwloc.bind_area(topology->tree, *memory, size, topology->objects[index]->nodeset, HWLOC_MEMBIND_BIND,
                        HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_BYNODESET) != 0) {
        status = error_set(error, STATUS_FAILED,
                           "cpu: the system does not bind memory to node %u: %s: allow mbind, in a container by "
                           "--cap-add SYS_NICE",
                           node->number, strerror(errno));
    }
    if (status == STATUS_OK) {
        cpu_first_touch(*memory, size);
        if (!lies_on(topology, index, *memory, size)) {
            status = error_set(error, STATUS_FAILED, "cpu: pages for node %u lie on another node: use fewer bytes",
                               node->number);
        }
    }
    if (status != STATUS_OK) {
        cpu_node_free(*memory, size);
        *memory = NULL;
    }
    return status;
}

void cpu_node_free(void *memory, size_t mapped) {
    if (memory) {
        munmap(memory, mapped);
    }
}
