// apsp's graphs: reading, writing, and refusals.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "apsp/graph/file.h"
#include "apsp/graph/random.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static char folder[] = "/tmp/bankshot-graph.XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/graph", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); // fails if a file was left behind
}

static void write_file(const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void assert_edges(const struct graph *graph, uint32_t vertices, const struct edge *edges, size_t count) {
    assert_int_equal(graph->vertices, vertices);
    assert_int_equal(graph->edge_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(graph->edges[i].from, edges[i].from);
        assert_int_equal(graph->edges[i].to, edges[i].to);
        assert_int_equal(graph->edges[i].weight, edges[i].weight);
    }
}

static void assert_read(const void *bytes, size_t size, uint32_t vertices, const struct edge *edges, size_t count) {
    struct graph graph;
    struct error error = {0};
    write_file(bytes, size);
    if (graph_read(path, &graph, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    assert_edges(&graph, vertices, edges, count);
    graph_release(&graph);
}

static void assert_refused(const void *bytes, size_t size, const char *where) {
    struct graph graph;
    struct error error = {0};
    write_file(bytes, size);
    assert_int_equal(graph_read(path, &graph, &error), STATUS_USAGE);
    if (!strstr(error.text, where) || strncmp(error.text, path, strlen(path)) != 0) {
        fail_msg("\"%s\" does not name the file and \"%s\"", error.text, where);
    }
}

static void test_binary(void **state) {
    (void)state;
    const int32_t file[] = {3, 2, 0, 1, 7, 2, 0, 0};
    const int32_t lone[] = {1, 0};
    const int32_t letters[] = {'c' | ' ' << 8, 0}; // begins like a DIMACS file
    assert_read(file, sizeof file, 3, (const struct edge[]){{0, 1, 7}, {2, 0, 0}}, 2);
    assert_read(lone, sizeof lone, 1, NULL, 0);
    assert_read(letters, sizeof letters, 'c' | ' ' << 8, NULL, 0);
}

static void test_binary_refused(void **state) {
    (void)state;
    static const struct {
        int32_t words[9];
        size_t bytes;
        const char *where;
    } files[] = {
        {{0}, 0, "byte 0: "},
        {{3}, 7, "byte 7: "},
        {{0, 0}, 8, "byte 0: 0 vertices"},
        {{-5, 0}, 8, "byte 0: -5 vertices"},
        {{3, -1}, 8, "byte 4: -1 edges"},
        {{3, 2, 0, 1, 7, 2, 0, 0}, 31, "byte 31: the file ends here"},
        {{3, 2, 0, 1, 7, 2, 0, 0}, 20, "byte 20: the file ends here"},
        {{3, 2, 0, 1, 7, 2, 0, 0, 0}, 36, "byte 32: the file goes on"},
        {{3, INT32_MAX, 0, 1, 7}, 20, "byte 20: the file ends here"},
        {{3, 2, 0, 3, 7, 2, 0, 0}, 32, "byte 12: edge 0 names vertex 3"},
        {{3, 2, 0, 1, 7, -1, 0, 0}, 32, "byte 20: edge 1 names vertex -1"},
        {{3, 2, 0, 1, 7, 2, 0, -4}, 32, "byte 28: edge 1 weighs -4"},
        {{0xffffff, 0}, 8, "16777215 vertices: "}, // a head with a wrong number
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        assert_refused(files[i].words, files[i].bytes, files[i].where);
    }
}

static void test_text(void **state) {
    (void)state;
    static const char dimacs[] = "c a comment\n\np sp 3 2\na 1 2 7\nc between\r\n  a\t3 1  0";
    static const char integers[] = "%%MatrixMarket matrix coordinate integer general\n% comment\n3 3 2\n1 2 7\n3 1 0\n";
    static const char reals[] = "%%MatrixMarket Matrix Coordinate Real General\n3 3 2\n1 2 7.0\n3 1 0e0\n";
    static const char symmetric[] = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
    const struct edge edges[] = {{0, 1, 7}, {2, 0, 0}};
    const struct edge both_ways[] = {{1, 0, 1}, {0, 1, 1}, {2, 2, 1}};
    assert_read(dimacs, sizeof dimacs - 1, 3, edges, 2);
    assert_read(integers, sizeof integers - 1, 3, edges, 2);
    assert_read(reals, sizeof reals - 1, 3, edges, 2);
    assert_read(symmetric, sizeof symmetric - 1, 3, both_ways, 3);
}

static void test_text_refused(void **state) {
    (void)state;
#define MARKET "%%MatrixMarket matrix coordinate integer general\n"
    static const struct {
        const char *text, *where;
    } files[] = {
        {"c only a comment\n", "line 2: the file ends before"},
        {"c\np max 3 2\n", "line 2: expected \"p sp"},
        {"p sp 0 2 \n", "line 1: the number of vertices"},
        {"p sp -3 2\n", "line 1: the number of vertices"},
        {"p sp 99999999999999999999 2\n", "line 1: the number of vertices"},
        {"p sp 3 -2\n", "line 1: the number of edges"},
        {"p sp 20000000 2\n", "20000000 vertices: "},
        {"p sp 3 2\na 1 2 7\n", "line 3: the file ends after 1 edges"},
        {"p sp 3 1\na 1 2 7\na 1 3 7\n", "line 4: the file ends after 2 edges"},
        {"p sp 3 1\na 1 4 7\n", "line 2: a vertex out of range"},
        {"p sp 3 1\na 0 2 7\n", "line 2: a vertex out of range"},
        {"p sp 3 1\na 1 x 7\n", "line 2: a vertex is a whole number"},
        {"p sp 3 1\n\na 1 2 -7\n", "line 3: a negative weight"},
        {"p sp 3 1\na 1 2 2147483648\n", "line 2: a weight above"},
        {"p sp 3 1\na 1 2 1.5\n", "line 2: a weight is a whole number"},
        {"p sp 3 1\na 1 2\n", "line 2: an edge has three numbers"},
        {"p sp 3 1\na 1 2 3 4\n", "line 2: an edge has three numbers"},
        {"p sp 3 1\na 1 2 3 4 5 6 7 8 9 10 11 12\n", "line 2: an edge has three numbers"},
        {"p sp 3 1\ne 1 2 3\n", "line 2: not a line of an edge"},
        {"%%MatrixMarket matrix array integer general\n3 3\n", "line 1: expected"},
        {"%%MatrixMarket matrix coordinate complex general\n3 3 0\n", "line 1: the field"},
        {"%%MatrixMarket matrix coordinate real hermitian\n3 3 0\n", "line 1: the symmetry"},
        {MARKET "3 4 1\n1 2 7\n", "line 2: expected \"ROWS"},
        {MARKET "3 3 1\n1 4 7\n", "line 3: a vertex out of range"},
        {MARKET "3 3 1\n1 2 7.5\n", "line 3: a weight is a whole number"},
        {MARKET, "line 2: the file ends before"},
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        assert_refused(files[i].text, strlen(files[i].text), files[i].where);
    }
}

// Numbers are read completely, however long they are.
static void test_long_words(void **state) {
    (void)state;
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define REALS "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
    static const struct {
        const char *text, *where;
    } files[] = {
        {REALS "1 2 3" ZEROS "e2\n", "line 3: a weight above"},
        {REALS "1 2 3." ZEROS "1x\n", "line 3: a weight is a whole number"},
        {REALS "1 2 3." ZEROS "e-1\n", "line 3: a weight is a whole number"},
        {REALS "1 2 -3" ZEROS "\n", "line 3: a negative weight"},
        {REALS "1 2 inf\n", "line 3: a weight above"},
        {REALS "1 2 nan\n", "line 3: a weight is a whole number"},
        {REALS "1 2" ZEROS " 3\n", "line 3: a vertex out of range"},
        {REALS "1 " ZEROS "2x 3\n", "line 3: a vertex is a whole number"},
        {"p sp 2 1\na 1 2 3" ZEROS "\n", "line 2: a weight above"},
        {"p sp 2" ZEROS " 1\n", "line 1: the number of vertices"},
        {"p sp 2 1" ZEROS "\n", "line 2: the file ends after 0 edges"},
        {"p sp 2 1\na" ZEROS " 1 2 3\n", "line 2: not a line of an edge"},
    };
    const struct edge edge = {0, 1, 3};
    static const char dimacs[] = "p sp " ZEROS "2 " ZEROS "1\na 1 " ZEROS "2 " ZEROS "3";
    static const char real[] = REALS "1 2 " ZEROS "3." ZEROS;
    for (size_t i = 0; i < LENGTH(files); i++) {
        assert_refused(files[i].text, strlen(files[i].text), files[i].where);
    }
    assert_read(dimacs, sizeof dimacs - 1, 2, &edge, 1);
    static const char scaled[] = REALS "1 2 3." ZEROS "e2";
    assert_read(real, sizeof real - 1, 2, &edge, 1);
    assert_read(scaled, sizeof scaled - 1, 2, &(const struct edge){0, 1, 300}, 1);
}

// Files of the kernel report more bytes than they hold.
static void test_shorter_than_said(void **state) {
    (void)state;
    static const char *const name = "/sys/kernel/mm/transparent_hugepage/enabled";
    struct graph graph;
    struct error error = {0};
    struct stat about;
    if (stat(name, &about) || !S_ISREG(about.st_mode) || about.st_size < 4096) {
        skip();
    }
    assert_int_equal(graph_read(name, &graph, &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "cannot be read: it was cut short meanwhile"));
}

// Cuts the file and writes it again, until it is killed. It uses no OpenMP: its threads do not survive the fork.
static void rewrite_for_ever(void) {
    enum {
        COMMENTS = 1 << 20
    };
    static char text[sizeof "p sp 2 0\n" + 3 * COMMENTS];
    size_t length = (size_t)sprintf(text, "p sp 2 0\n");
    for (int i = 0; i < COMMENTS; i++, length += 2) {
        memcpy(text + length, "c\n", 2);
    }
    for (;;) {
        const int file = open(path, O_WRONLY | O_CREAT, 0600);
        if (file < 0 || pwrite(file, text, length, 0) != (ssize_t)length || ftruncate(file, 0)) {
            _exit(1);
        }
        close(file);
    }
}

// Whatever a read finds, it returns a graph or a message.
static void test_cut_while_it_is_read(void **state) {
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rewrite_for_ever();
    }
    for (int i = 0; i < 100; i++) {
        struct graph graph;
        struct error error = {0};
        if (graph_read(path, &graph, &error) == STATUS_OK) {
            assert_int_equal(graph.vertices, 2);
            graph_release(&graph);
        } else {
            assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
        }
    }
    int status;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

// Enough lines that threads share them.
static void test_long_text(void **state) {
    (void)state;
    enum {
        LINES = 20000
    };
    struct graph graph;
    struct error error = {0};
    for (int wrong = 0; wrong < 2; wrong++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "p sp %d %d\n", LINES, LINES);
        for (int i = 0; i < LINES; i++) {
            fprintf(file, "a %d %d %d\n", i + 1, LINES - i, wrong && i >= 15000 ? -i : i);
        }
        assert_int_equal(fclose(file), 0);
        enum status status = graph_read(path, &graph, &error);
        assert_int_equal(status, wrong ? STATUS_USAGE : STATUS_OK);
        if (wrong) {
            assert_non_null(strstr(error.text, "line 15002: a negative weight"));
            continue;
        }
        assert_int_equal(graph.edge_count, LINES);
        for (int i = 0; i < LINES; i++) {
            assert_int_equal(graph.edges[i].from, i);
            assert_int_equal(graph.edges[i].to, LINES - i - 1);
            assert_int_equal(graph.edges[i].weight, i);
        }
        graph_release(&graph);
    }
}

static void test_no_file(void **state) {
    (void)state;
    struct graph graph;
    struct error error = {0};
    assert_int_equal(graph_read(folder, &graph, &error), STATUS_USAGE);
    assert_int_equal(graph_read("/dev/zero", &graph, &error), STATUS_USAGE);
    assert_int_equal(graph_read("/no/such/file", &graph, &error), STATUS_USAGE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(graph_read(path, &graph, &error), STATUS_USAGE);
}

static void test_distances(void **state) {
    (void)state;
    const struct edge edges[] = {{0, 1, 9}, {0, 1, 4}, {0, 1, 6}, {1, 1, 5}, {2, 1, INT32_MAX}, {1, 2, 0}};
    const struct graph graph = {.vertices = 3, .edge_count = LENGTH(edges), .edges = edges};
    const int32_t expected[] = {0, 4, UNREACHABLE, UNREACHABLE, 0, 0, UNREACHABLE, UNREACHABLE, 0};
    int32_t distances[9];
    graph_distances(&graph, distances);
    assert_memory_equal(distances, expected, sizeof expected);
    assert_int_equal(graph_max_weight(&graph), UNREACHABLE);
}

static void assert_random(uint32_t vertices, uint64_t edges, uint32_t max_weight) {
    struct graph graph, again;
    struct error error = {0};
    uint8_t *seen = calloc(vertices, vertices);
    assert_non_null(seen);
    const struct graph_random_settings settings = {vertices, edges, max_weight, 7};
    assert_int_equal(graph_random(&settings, &graph, &error), STATUS_OK);
    assert_int_equal(graph_random(&settings, &again, &error), STATUS_OK);
    assert_int_equal(graph.vertices, vertices);
    assert_int_equal(graph.edge_count, edges);
    assert_memory_equal(graph.edges, again.edges, edges * sizeof *graph.edges);
    for (uint64_t i = 0; i < edges; i++) {
        const struct edge *edge = &graph.edges[i];
        assert_in_range(edge->from, 0, vertices - 1);
        assert_in_range(edge->to, 0, vertices - 1);
        assert_in_range(edge->weight, 0, max_weight);
        assert_int_not_equal(edge->from, edge->to);
        uint8_t *pair = &seen[(uint64_t)edge->from * vertices + (uint64_t)edge->to];
        assert_int_equal(*pair, 0);
        *pair = 1;
    }
    graph_release(&graph);
    graph_release(&again);
    free(seen);
}

static void test_random(void **state) {
    (void)state;
    struct graph graph;
    struct error error = {0};
    assert_random(1, 0, 10);
    assert_random(2, 2, 0);
    assert_random(65, 65 * 64, 1000); // complete
    assert_random(300, 900, INT32_MAX);
    const struct graph_random_settings too_many = {3, 7, 1, 1};
    assert_int_equal(graph_random(&too_many, &graph, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "have 6 pairs"));
}

static void test_save(void **state) {
    (void)state;
    const int32_t distances[] = {0, 3, UNREACHABLE, 0};
    int32_t found[5];
    struct graph graph, again;
    struct error error = {0};
    struct stat about;
    unlink(path);
    const struct graph_random_settings settings = {1000, 500000, 9, 1}; // larger than what one thread writes at once
    assert_int_equal(graph_random(&settings, &graph, &error), STATUS_OK);
    assert_int_equal(graph_save(&graph, path, &error), STATUS_OK);
    assert_int_equal(graph_read(path, &again, &error), STATUS_OK);
    assert_edges(&again, graph.vertices, graph.edges, graph.edge_count);
    graph_release(&graph);
    graph_release(&again);

    assert_int_equal(distances_save(distances, 2, path, &error), STATUS_OK); // replaces the graph
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), sizeof distances);
    assert_memory_equal(found, distances, sizeof distances);
    fclose(file);

    assert_int_equal(distances_save(distances, 2, "/no/such/folder/file", &error), STATUS_FAILED);
    assert_int_equal(distances_save(distances, 2, folder, &error), STATUS_FAILED);
    assert_int_equal(distances_save(distances, 2, "/dev/full", &error), STATUS_FAILED);
    assert_int_equal(distances_save(distances, 2, "/dev/null", &error), STATUS_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_binary_refused),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_refused),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_shorter_than_said),
        cmocka_unit_test(test_cut_while_it_is_read),
    };
    return cmocka_run_group_tests_name("apsp graph", tests, make_folder, remove_folder);
}
