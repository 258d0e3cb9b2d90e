// apsp on the CPU: every solver that this machine can run compared with the triple loop, and the checks of distances
// and of paths, which must find wrong ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apsp/graph/random.h"
#include "apsp/solve/check.h"
#include "apsp/solve/cpu.h"
#include "apsp/solve/cpu_solver.h"
#include "apsp/solve/next_hops.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// A graph, its matrix, and the distances from the textbook's algorithm.
struct problem {
    struct graph graph;
    int32_t max_weight;
    int32_t *distances, *expected, *found;
    size_t bytes;
};

static struct problem make_problem(uint32_t vertices, uint64_t edges, int32_t max_weight) {
    struct problem p = {.bytes = (size_t)vertices * vertices * sizeof(int32_t)};
    struct error error = {0};
    const struct graph_random_settings settings = {vertices, edges, (uint64_t)max_weight, 5};
    assert_int_equal(graph_random(&settings, &p.graph, &error), STATUS_OK);
    p.distances = malloc(p.bytes);
    p.expected = malloc(p.bytes);
    p.found = malloc(p.bytes);
    assert_true(p.distances && p.expected && p.found);
    graph_distances(&p.graph, p.distances);
    p.max_weight = graph_max_weight(&p.graph);
    memcpy(p.expected, p.distances, p.bytes);
    for (size_t k = 0; k < vertices; k++) {
        for (size_t i = 0; i < vertices; i++) {
            for (size_t j = 0; j < vertices; j++) {
                const int32_t sum = p.expected[i * vertices + k] + p.expected[k * vertices + j];
                int32_t *element = &p.expected[i * vertices + j];
                *element = sum < *element ? sum : *element;
            }
        }
    }
    return p;
}

static void free_problem(struct problem *p) {
    graph_release(&p->graph);
    free(p->distances);
    free(p->expected);
    free(p->found);
}

static void *scratch_of(size_t bytes) {
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, bytes + 64), 0);
    memset(memory, 0xA5, bytes + 64);
    return memory;
}

static void assert_solves(const struct solver *solver, struct problem *p, const char *name) {
    void *scratch = scratch_of(solver->scratch_bytes(p->graph.vertices));
    memset(p->found, 0xA5, p->bytes);
    solver->run(p->distances, p->found, scratch, p->graph.vertices, NULL);
    if (memcmp(p->found, p->expected, p->bytes) != 0) {
        fail_msg("%s is wrong for %u vertices", name, p->graph.vertices);
    }
    free(scratch);
}

static void test_solvers(void **state) {
    (void)state;
    static const struct {
        uint32_t vertices;
        uint64_t edges;
        int32_t max_weight;
    } cases[] = {
        {1, 0, 1},        {2, 1, 9},         {31, 62, 9},      {64, 64 * 63, 0}, {65, 400, 1000},
        {200, 100, 100},  {200, 39800, 500}, {241, 1000, 100}, {300, 90, 100}, // disconnected
        {490, 5000, 100},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct problem p = make_problem(cases[i].vertices, cases[i].edges, cases[i].max_weight);
        const struct solver_pair *pair;
        for (size_t s = 0; (pair = solver_pair(s)); s++) {
            assert_solves(pair->of_32, &p, pair->name);
            assert_solves(pair->of_16, &p, pair->name);
        }
        free_problem(&p);
    }
}

// Sums of the heaviest weights stay unreachable instead of wrapping round.
static void test_heavy(void **state) {
    (void)state;
    struct problem p = make_problem(100, 400, INT32_MAX);
    const struct solver_pair *pair;
    for (size_t s = 0; (pair = solver_pair(s)); s++) {
        assert_solves(pair->of_32, &p, pair->name);
    }
    free_problem(&p);
}

static uint32_t solve(const struct apsp_cpu_method *method, struct problem *p) {
    struct progress progress = progress_start(apsp_cpu_rounds(method, p->graph.vertices), true);
    const struct apsp_cpu_problem problem = {
        .input = p->distances,
        .output = p->found,
        .scratch = scratch_of(method->scratch_bytes(p->graph.vertices)),
        .vertices = p->graph.vertices,
        .max_weight = p->max_weight,
        .progress = &progress,
    };
    memset(p->found, 0xA5, p->bytes);
    const uint32_t width_bytes = method->solve(&problem);
    free(problem.scratch);
    assert_memory_equal(p->found, p->expected, p->bytes);
    if (method != &apsp_cpu_int16 || width_bytes == 2) { // its second attempt, in 32 bits, also reports its rounds
        assert_int_equal(progress.done, progress.total);
    }
    return width_bytes;
}

static void test_methods(void **state) {
    (void)state;
    struct problem p = make_problem(130, 600, 100);
    assert_int_equal(solve(&apsp_cpu_reference, &p), 4);
    assert_int_equal(solve(&apsp_cpu_course, &p), 4);
    assert_int_equal(solve(&apsp_cpu_tiled, &p), 4);
    assert_int_equal(solve(&apsp_cpu_int16, &p), 2);
    free_problem(&p);
}

// A chain whose length is just too long for 16 bits, and one that just fits.
static void test_int16_limit(void **state) {
    (void)state;
    static const struct {
        int32_t weight, last;
        uint32_t width;
    } cases[] = {{500, 266, 2}, {500, 267, 4}, {500, 267 + 500, 4}, {40000, 1, 4}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        enum {
            LINKS = 65
        };
        struct problem p = make_problem(LINKS + 1, 0, 1);
        struct edge edges[LINKS];
        for (int32_t k = 0; k < LINKS; k++) {
            edges[k] = (struct edge){k, k + 1, k + 1 < LINKS ? cases[i].weight : cases[i].last};
        }
        const struct graph chain = {.vertices = LINKS + 1, .edge_count = LINKS, .edges = edges};
        graph_distances(&chain, p.distances);
        p.max_weight = graph_max_weight(&chain);
        for (size_t from = 0; from <= LINKS; from++) {
            int32_t sum = 0;
            for (size_t to = 0; to <= LINKS; to++) {
                p.expected[from * (LINKS + 1) + to] = to < from ? UNREACHABLE : sum;
                sum += to >= from && to < LINKS ? edges[to].weight : 0;
            }
        }
        assert_int_equal(solve(&apsp_cpu_int16, &p), cases[i].width);
        free_problem(&p);
    }
}

static bool passes(const struct problem *p, const int32_t *distances) {
    bool right = false;
    struct error error = {0};
    assert_int_equal(apsp_check(&p->graph, distances, &right, &error), STATUS_OK);
    return right;
}

// One element wrong at a time, too large or too small: each must be found.
static void test_check(void **state) {
    (void)state;
    static const int32_t wrong[] = {-1, 1};
    struct problem p = make_problem(40, 90, 3); // edges of weight 0 among them
    assert_true(passes(&p, p.expected));
    for (size_t i = 0; i < p.bytes / sizeof *p.expected; i++) {
        for (size_t w = 0; w < LENGTH(wrong); w++) {
            memcpy(p.found, p.expected, p.bytes);
            p.found[i] += wrong[w];
            assert_false(passes(&p, p.found));
        }
        memcpy(p.found, p.expected, p.bytes);
        p.found[i] = p.found[i] == UNREACHABLE ? 7 : UNREACHABLE;
        assert_false(passes(&p, p.found));
    }
    assert_false(passes(&p, p.distances));
    free_problem(&p);
}

// Vertices that reach each other at no cost confirm each other's distances, but no path does.
static void test_check_circle(void **state) {
    (void)state;
    const struct edge edges[] = {{1, 2, 0}, {2, 1, 0}};
    const int32_t far = UNREACHABLE;
    const int32_t right[] = {0, far, far, far, 0, 0, far, 0, 0}, wrong[] = {0, 5, 5, far, 0, 0, far, 0, 0};
    const struct problem p = {.graph = {.vertices = 3, .edge_count = 2, .edges = edges}};
    assert_true(passes(&p, right));
    assert_false(passes(&p, wrong));
}

static bool hops_pass(const struct problem *p, const int32_t *next, uint64_t *paths) {
    bool right = false;
    struct error error = {0};
    assert_int_equal(apsp_next_hops_check(&p->graph, p->expected, next, &right, paths, &error), STATUS_OK);
    return right;
}

static void find_hops(const struct problem *p, int32_t *next) {
    struct apsp_hop_edges edges;
    struct error error = {0};
    assert_int_equal(apsp_hop_edges_make(&p->graph, &edges, &error), STATUS_OK);
    memset(next, 0xA5, p->bytes);
    apsp_next_hops(&edges, p->expected, next);
    apsp_hop_edges_release(&edges);
}

// Weights of 0 alone, some of them, hardly any, and paths too heavy to count.
static void test_hops(void **state) {
    (void)state;
    static const struct {
        uint32_t vertices;
        uint64_t edges;
        int32_t max_weight;
    } cases[] = {{1, 0, 1},      {40, 90, 0}, {40, 90, 3},         {100, 9900, 1},
                 {90, 400, 100}, {90, 60, 9}, {60, 240, INT32_MAX}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct problem p = make_problem(cases[i].vertices, cases[i].edges, cases[i].max_weight);
        uint64_t paths = 0, expected = 0;
        for (size_t j = 0; j < p.bytes / sizeof *p.expected; j++) {
            expected += p.expected[j] < UNREACHABLE;
        }
        find_hops(&p, p.found);
        assert_true(hops_pass(&p, p.found, &paths));
        assert_int_equal(paths, expected - cases[i].vertices);
        free_problem(&p);
    }
}

// The unique paths of a chain: every other hop is wrong.
static void test_hops_check(void **state) {
    (void)state;
    enum {
        N = 5
    };
    struct problem p = make_problem(N, 0, 1);
    const struct edge edges[] = {{0, 1, 2}, {1, 2, 0}, {2, 3, 1}, {3, 4, 0}, {2, 1, 0}};
    p.graph.edges = edges;
    p.graph.edge_count = LENGTH(edges);
    const int32_t far = UNREACHABLE;
    const int32_t distances[N * N] = {0, 2, 2,   3,   3,   far, 0, 0,   1,   1,   far, 0, 0,
                                      1, 1, far, far, far, 0,   0, far, far, far, far, 0};
    uint64_t paths;
    memcpy(p.expected, distances, sizeof distances);
    find_hops(&p, p.found);
    assert_true(hops_pass(&p, p.found, &paths));
    assert_int_equal(paths, 11);
    for (size_t i = 0; i < N * N; i++) {
        const int32_t right = p.found[i];
        for (int32_t hop = -2; hop <= N; hop++) {
            p.found[i] = hop;
            assert_int_equal(hops_pass(&p, p.found, &paths), hop == right);
        }
        p.found[i] = right;
    }
    free_problem(&p);
}

// Two vertices that reach each other at no cost point at each other: each hop is an edge of the right weight, but no
// path ends.
static void test_hops_circle(void **state) {
    (void)state;
    const struct edge edges[] = {{0, 1, 0}, {1, 0, 0}, {1, 2, 0}};
    int32_t distances[] = {0, 0, 0, 0, 0, 0, UNREACHABLE, UNREACHABLE, 0};
    const int32_t right[] = {0, 1, 1, 0, 1, 2, -1, -1, 2}, wrong[] = {0, 1, 1, 0, 1, 0, -1, -1, 2};
    const struct problem p = {.graph = {.vertices = 3, .edge_count = 3, .edges = edges}, .expected = distances};
    uint64_t paths;
    assert_true(hops_pass(&p, right, &paths));
    assert_false(hops_pass(&p, wrong, &paths));
}

static void test_peak(void **state) {
    (void)state;
    assert_true(apsp_cpu_peak_gop_s(4) > 0.1);
    assert_true(apsp_cpu_peak_gop_s(2) > apsp_cpu_peak_gop_s(4) / 4);
}

// More windows than are allocated at first.
static void test_peak_windows(void **state) {
    (void)state;
    struct apsp_cpu_peak peak = {0};
    assert_true(isnan(apsp_cpu_peak_median(&peak)));
    for (size_t window = 0; window < 70; window++) {
        apsp_cpu_peak_window(&peak, 4, 0);
    }
    assert_int_equal(peak.windows, 70);
    assert_true(apsp_cpu_peak_median(&peak) > 0.1);
    assert_true(apsp_cpu_peak_best(&peak) >= apsp_cpu_peak_median(&peak));
    apsp_cpu_peak_release(&peak);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solvers),     cmocka_unit_test(test_heavy),        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_int16_limit), cmocka_unit_test(test_check),        cmocka_unit_test(test_check_circle),
        cmocka_unit_test(test_hops),        cmocka_unit_test(test_hops_check),   cmocka_unit_test(test_hops_circle),
        cmocka_unit_test(test_peak),        cmocka_unit_test(test_peak_windows),
    };
    return cmocka_run_group_tests_name("apsp on the CPU", tests, NULL, NULL);
}
