// The parts of apsp-mpi on one rank: the distribution of blocks, and the check of distances, which must find wrong
// ones. tests/shell/test_apsp_mpi.sh runs the program on many ranks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apsp/mpi/check.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// Options for a sanitizer, because MPI's libraries do not free all their memory.
const char *__lsan_default_options(void);
const char *__asan_default_options(void);
const char *__lsan_default_options(void) {
    return "suppressions=tests/shell/mpi.supp:print_suppressions=0";
}
const char *__asan_default_options(void) {
    return "fast_unwind_on_malloc=0";
}

static struct ranks ranks;

// Every vertex has one index in one part, and that index leads back to the vertex.
static void test_cyclic(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 31, 32, 33, 200}, blocks[] = {1, 7, 32}, parts[] = {1, 2, 3, 6};
    for (size_t i = 0; i < LENGTH(sizes) * LENGTH(blocks) * LENGTH(parts); i++) {
        struct cyclic c = {sizes[i % LENGTH(sizes)], blocks[i / LENGTH(sizes) % LENGTH(blocks)],
                           parts[i / LENGTH(sizes) / LENGTH(blocks)], 0};
        uint32_t dealt = 0;
        for (uint32_t part = 0; part < c.parts; part++) {
            dealt += cyclic_blocks_of(&c, part);
        }
        assert_int_equal(dealt, cyclic_blocks(&c));
        for (uint32_t vertex = 0; vertex < c.vertices; vertex++) {
            const uint32_t part = cyclic_part_of(&c, vertex), place = cyclic_index_of(&c, vertex);
            assert_in_range(part, 0, c.parts - 1);
            assert_in_range(place, 0, cyclic_blocks_of(&c, part) * c.block - 1);
            assert_int_equal(cyclic_vertex_at(&c, part, place), vertex);
        }
    }
}

// A graph in a share of one rank, with distances from the textbook's algorithm.
struct problem {
    struct share share;
    struct edge_share edges;
    uint32_t vertices;
};

static struct problem make_problem(uint32_t vertices, const struct edge *edges, uint64_t count) {
    enum {
        BLOCK = 5
    };
    struct problem p = {.share = share_make(&ranks, vertices, BLOCK), .vertices = vertices};
    struct error error = {0};
    p.edges.edges = malloc(count * sizeof *edges);
    assert_non_null(p.edges.edges);
    memcpy(p.edges.edges, edges, count * sizeof *edges);
    p.edges.count = count;
    assert_int_equal(share_allocate(&p.share, &error), STATUS_OK);
    share_initialise(&p.share, edges, count);
    for (size_t k = 0; k < vertices; k++) {
        for (size_t i = 0; i < vertices; i++) {
            for (size_t j = 0; j < vertices; j++) {
                const int32_t sum = p.share.w[i * p.share.pitch + k] + p.share.w[k * p.share.pitch + j];
                graph_lower(&p.share.w[i * p.share.pitch + j], sum);
            }
        }
    }
    return p;
}

static void free_problem(struct problem *p) {
    share_release(&p->share);
    edge_share_release(&p->edges);
}

static int passes(struct problem *p) {
    struct error error = {0};
    bool right = false;
    assert_int_equal(check(&ranks, &p->share, &p->edges, &right, &error), STATUS_OK);
    return right;
}

// One element wrong at a time, too large or too small: each must be found.
static void test_check(void **state) {
    (void)state;
    enum {
        VERTICES = 14
    };
    static const int32_t wrong[] = {-1, 1};
    struct graph graph;
    struct error error = {0};
    const struct graph_random_settings settings = {VERTICES, 30, 3, 5}; // some edges have weight 0
    assert_int_equal(graph_random(&settings, &graph, &error), STATUS_OK);
    struct problem p = make_problem(VERTICES, graph.edges, graph.edge_count);
    assert_true(passes(&p));
    for (size_t i = 0; i < VERTICES * VERTICES; i++) {
        int32_t *element = &p.share.w[i / VERTICES * p.share.pitch + i % VERTICES];
        const int32_t expected = *element;
        for (size_t k = 0; k < LENGTH(wrong); k++) {
            *element = expected + wrong[k];
            assert_false(passes(&p));
        }
        *element = expected == UNREACHABLE ? 7 : UNREACHABLE;
        assert_false(passes(&p));
        *element = expected;
    }
    assert_true(passes(&p));
    free_problem(&p);
    graph_release(&graph);
}

// Vertices that reach each other at no cost confirm each other's distances, but no path does.
static void test_check_circle(void **state) {
    (void)state;
    static const struct edge edges[] = {{1, 2, 0}, {2, 1, 0}};
    struct problem p = make_problem(3, edges, LENGTH(edges));
    assert_true(passes(&p));
    p.share.w[1] = p.share.w[2] = 5;
    assert_false(passes(&p));
    free_problem(&p);
}

// The longest chain of edges of weight 0, against the order in which they are checked.
static void test_check_chain(void **state) {
    (void)state;
    enum {
        LINKS = 50
    };
    struct edge edges[LINKS];
    for (int32_t i = 0; i < LINKS; i++) {
        edges[i] = (struct edge){LINKS - 1 - i, LINKS - i, 0};
    }
    struct problem p = make_problem(LINKS + 1, edges, LINKS);
    assert_int_equal(p.share.w[LINKS], 0);
    assert_true(passes(&p));
    free_problem(&p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cyclic),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_circle),
        cmocka_unit_test(test_check_chain),
    };
    ranks_begin(&argc, &argv);
    ranks_open(&ranks);
    const int failed = cmocka_run_group_tests_name("apsp on many ranks", tests, NULL, NULL);
    ranks_close(&ranks);
    MPI_Finalize();
    return failed;
}
