// From a path to a graph: the file is mapped, its format told, a binary one checked where it lies.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph_file.h"

struct binary_head {
    int32_t vertices, edges;
};

enum {
    MATRICES = 2 // input and result; a solver asks for its own
};

static enum status map_file(int file, const char *path, struct graph_text *text, struct error *error) {
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) {
        return error_set(error, STATUS_USAGE, "%s: no regular file: give a file", path);
    }
    if (about.st_size < (off_t)sizeof(struct binary_head)) {
        return error_set(error, STATUS_USAGE, "%s: byte %" PRId64 ": the file ends within its head: no graph", path,
                         (int64_t)about.st_size);
    }
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) {
        return error_set(error, STATUS_FAILED, "%s: can't be mapped: %s", path, strerror(errno));
    }
    *text = (struct graph_text){path, bytes, (const char *)bytes + about.st_size};
    return STATUS_OK;
}

enum status graph_refuse_line(const struct graph_text *text, const char *at, const char *what, struct error *error) {
    uint64_t line = 1;
    for (const char *from = text->begin; from < at && (from = memchr(from, '\n', (size_t)(at - from))); from++) {
        line++;
    }
    return error_set(error, STATUS_USAGE, "%s: line %" PRIu64 ": %s", text->path, line, what);
}

static enum status check_head(const char *path, struct binary_head head, uint64_t bytes, struct error *error) {
    const uint64_t expected = sizeof head + (uint64_t)(uint32_t)head.edges * sizeof(struct edge);
    if (head.vertices <= 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 0: %" PRId32 " vertices: at least 1 is needed", path,
                         head.vertices);
    }
    if (head.edges < 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 4: %" PRId32 " edges: the number can't be negative", path,
                         head.edges);
    }
    if (bytes != expected) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": the file %s, %" PRId32 " edges end at byte %" PRIu64
                         ": it is damaged or no graph",
                         path, bytes < expected ? bytes : expected, bytes < expected ? "ends here" : "goes on",
                         head.edges, expected);
    }
    return graph_check_memory(path, (uint64_t)head.vertices, MATRICES, error);
}

static bool edge_is_right(const struct edge *edge, uint32_t vertices) {
    return (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices && edge->weight >= 0;
}

static enum status refuse_edge(const char *path, const struct graph *graph, uint64_t index, struct error *error) {
    const struct edge *edge = &graph->edges[index];
    uint64_t byte = sizeof(struct binary_head) + index * sizeof *edge;
    if (edge->weight < 0 && (uint32_t)edge->from < graph->vertices && (uint32_t)edge->to < graph->vertices) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": edge %" PRIu64 " weighs %" PRId32 ": weights can't be negative", path,
                         byte + 8, index, edge->weight);
    }
    const bool from = (uint32_t)edge->from >= graph->vertices;
    return error_set(error, STATUS_USAGE,
                     "%s: byte %" PRIu64 ": edge %" PRIu64 " names vertex %" PRId32 ": vertices are 0 to %" PRIu32,
                     path, byte + (from ? 0 : 4), index, from ? edge->from : edge->to, graph->vertices - 1);
}

static enum status check_edges(const char *path, const struct graph *graph, struct error *error) {
    uint64_t wrong = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (uint64_t i = 0; i < graph->edge_count; i++) {
        if (!edge_is_right(&graph->edges[i], graph->vertices)) {
            wrong = i < wrong ? i : wrong;
        }
    }
    return wrong == UINT64_MAX ? STATUS_OK : refuse_edge(path, graph, wrong, error);
}

// The edges stay where the file is mapped.
static enum status take_binary(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct binary_head head;
    memcpy(&head, text->begin, sizeof head);
    enum status status = check_head(text->path, head, (uint64_t)(text->end - text->begin), error);
    if (status != STATUS_OK) {
        return status;
    }
    *graph = (struct graph){
        .vertices = (uint32_t)head.vertices,
        .edge_count = (uint64_t)head.edges,
        .edges = (const void *)(text->begin + sizeof head),
    };
    return check_edges(text->path, graph, error);
}

static bool begins_with(const struct graph_text *text, const char *beginning) {
    const size_t length = strlen(beginning);
    return (size_t)(text->end - text->begin) >= length && memcmp(text->begin, beginning, length) == 0;
}

// A binary file's fourth byte is 0: more vertices fit into no memory.
static bool is_dimacs(const struct graph_text *text) {
    return !memchr(text->begin, '\0', sizeof(int32_t)) && (*text->begin == 'c' || *text->begin == 'p');
}

static enum status take(const struct graph_text *text, struct graph *graph, struct error *error) {
    if (begins_with(text, "%%MatrixMarket")) {
        return graph_parse_matrix_market(text, graph, error);
    }
    return is_dimacs(text) ? graph_parse_dimacs(text, graph, error) : take_binary(text, graph, error);
}

enum status graph_read(const char *path, struct graph *graph, struct error *error) {
    struct graph_text text = {0};
    *graph = (struct graph){0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer is refused, not waited for
    if (file < 0) {
        return error_set(error, STATUS_USAGE, "%s: can't be read: %s", path, strerror(errno));
    }
    enum status status = map_file(file, path, &text, error);
    close(file);
    if (status != STATUS_OK) {
        return status;
    }
    status = take(&text, graph, error);
    const size_t bytes = (size_t)(text.end - text.begin);
    if (status == STATUS_OK && !graph->memory) {
        graph->memory = (void *)(uintptr_t)text.begin;
        graph->memory_bytes = bytes;
        graph->mapped = true;
    } else {
        munmap((void *)(uintptr_t)text.begin, bytes);
    }
    return status;
}
