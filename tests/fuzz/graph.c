// A fuzzer of graph files. For any bytes graph_read must either refuse them with a message or return a graph whose
// edges are in range, and must not crash, hang or allocate more memory than the file justifies.
//   make build/tests/fuzz_graph             the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_graph && build/tests/fuzz_graph -max_total_time=600 CORPUS tests/data/graphs
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apsp/graph/file.h"
#include "tests/fuzz/mutate.h"

static void check(const struct graph *graph, size_t size) {
    if (graph->vertices == 0 || graph->memory_bytes > 16 * size + 64) {
        abort();
    }
    for (uint64_t i = 0; i < graph->edge_count; i++) {
        const struct edge *edge = &graph->edges[i];
        if ((uint32_t)edge->from >= graph->vertices || (uint32_t)edge->to >= graph->vertices || edge->weight < 0) {
            abort();
        }
    }
}

static void read_graph(const char *path, size_t size) {
    struct graph graph;
    struct error error = {0};
    const enum status status = graph_read(path, &graph, &error);
    if (status == STATUS_OK) {
        check(&graph, size);
        graph_release(&graph);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort(); // one line must say what is wrong
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/bankshot-fuzz.XXXXXX";
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    read_graph(path, size);
    unlink(path);
    return 0;
}
