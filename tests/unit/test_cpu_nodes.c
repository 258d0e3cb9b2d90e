// Nodes of memory: those of pretended topologies, and threads and memory on a node of this machine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device/cpu/cpu.h"
#include "util/threads.h"

enum {
    BYTES = 8 << 20
};

static struct cpu_topology *load(const char *synthetic) {
    struct cpu_topology *topology;
    struct error error = {0};
    if (synthetic) {
        setenv("HWLOC_SYNTHETIC", synthetic, 1);
    } else {
        unsetenv("HWLOC_SYNTHETIC");
    }
    const enum status status = cpu_topology_load(&topology, &error);
    unsetenv("HWLOC_SYNTHETIC");
    if (status == STATUS_NO_DEVICE) {
        print_message("%s\n", error.text);
        skip();
    }
    assert_int_equal(status, STATUS_OK);
    return topology;
}

static void expect_nodes(const char *synthetic, const struct cpu_node *expected, size_t expected_count) {
    struct cpu_topology *topology = load(synthetic);
    size_t count;
    const struct cpu_node *nodes = cpu_topology_nodes(topology, &count);
    assert_false(cpu_topology_is_real(topology));
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nodes[i].number, expected[i].number);
        assert_int_equal(nodes[i].threads, expected[i].threads);
        assert_int_equal(nodes[i].memory_bytes, expected[i].memory_bytes);
    }
    cpu_topology_free(topology);
}

static const uint64_t GB = 1000000000;

static void two_sockets(void **state) {
    (void)state;
    expect_nodes("Package:2 [NUMANode(memory=8000000000)] Core:4 PU:2",
                 (struct cpu_node[]){{0, 8, 8 * GB}, {1, 8, 8 * GB}}, 2);
}

// Processors belong to the first of the nodes that are equally near.
static void memory_without_processors(void **state) {
    (void)state;
    expect_nodes("Package:2 [NUMANode(memory=8000000000)] [NUMANode(memory=2000000000)] Core:2 PU:1",
                 (struct cpu_node[]){{0, 2, 8 * GB}, {1, 0, 2 * GB}, {2, 2, 8 * GB}, {3, 0, 2 * GB}}, 4);
}

static void a_node_without_processors_runs_no_threads(void **state) {
    (void)state;
    struct cpu_topology *topology =
        load("Package:1 [NUMANode(memory=8000000000)] [NUMANode(memory=2000000000)] Core:2 PU:1");
    size_t count;
    struct error error = {0};
    const struct cpu_node *nodes = cpu_topology_nodes(topology, &count);
    assert_int_equal(cpu_bind_threads(topology, &nodes[1], &error), STATUS_NO_DEVICE);
    assert_string_equal(error.text, "cpu: node 1 has no processors: bind to another one");
    cpu_topology_free(topology);
}

static void places_on_this_machine(void **state) {
    (void)state;
    struct cpu_topology *topology = load(NULL);
    const int threads = omp_get_max_threads();
    size_t count, mapped;
    struct error error = {0};
    const struct cpu_node *node = cpu_topology_nodes(topology, &count);
    assert_true(cpu_topology_is_real(topology) && count > 0);
    while (node->threads == 0 || node->memory_bytes == 0) {
        node++;
    }
    if (cpu_bind_threads(topology, node, &error) != STATUS_OK) {
        print_message("%s\n", error.text); // a container may forbid it
        cpu_topology_free(topology);
        skip();
    }
    assert_true(omp_get_max_threads() <= threads && omp_get_max_threads() <= (int)node->threads);
    for (enum cpu_pages pages = CPU_PAGES_LARGE; pages <= CPU_PAGES_SMALL; pages++) {
        unsigned char *memory;
        void *allocated;
        if (cpu_node_allocate(topology, node, pages, BYTES - 1, &allocated, &mapped, &error) != STATUS_OK) {
            print_message("%s\n", error.text);
            continue;
        }
        memory = allocated;
        assert_true(mapped >= BYTES && (uintptr_t)memory % (2 << 20) == 0);
        for (size_t i = 0; i < BYTES - 1; i++) {
            assert_true(memory[i] == 0);
        }
        cpu_node_free(memory, mapped);
    }
    cpu_unbind_threads(topology);
    assert_int_equal(omp_get_max_threads(), threads);
    cpu_topology_free(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sockets),
        cmocka_unit_test(memory_without_processors),
        cmocka_unit_test(a_node_without_processors_runs_no_threads),
        cmocka_unit_test(places_on_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
