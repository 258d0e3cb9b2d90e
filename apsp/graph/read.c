// From a path to a graph: the file is mapped, its format told, a binary one checked where it lies.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/file.h"

enum {
    FETCH_BYTES = 4 << 20 // that a thread asks for at once
};

// By all threads, so that the disk has several requests at once. A kernel before 5.14 refuses: then pages come as they
// are read.
static void fetch(char *bytes, size_t size) {
#ifdef MADV_POPULATE_READ
#pragma omp parallel for schedule(dynamic)
    for (size_t done = 0; done < size; done += FETCH_BYTES) {
        madvise(bytes + done, size - done < FETCH_BYTES ? size - done : FETCH_BYTES, MADV_POPULATE_READ);
    }
#else
    madvise(bytes, size, MADV_WILLNEED);
#endif
}

static enum status map_file(int file, struct graph_text *text, struct error *error) {
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) {
        return error_set(error, STATUS_USAGE, "%s: no regular file: give a file", text->path);
    }
    if (about.st_size < (off_t)sizeof(struct graph_head)) {
        return error_set(error, STATUS_USAGE, "%s: byte %" PRId64 ": the file ends within its head: no graph",
                         text->path, (int64_t)about.st_size);
    }
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        return error_set(error, STATUS_FAILED, "%s: can't be mapped: %s", text->path, strerror(errno));
    }
    fetch(bytes, (size_t)about.st_size);
    text->begin = bytes;
    text->end = text->begin + about.st_size;
    return STATUS_OK;
}

enum status graph_refuse_line(const struct graph_text *text, const char *at, const char *what, struct error *error) {
    uint64_t line = 1;
    for (const char *from = text->begin; from < at && (from = memchr(from, '\n', (size_t)(at - from))); from++) {
        line++;
    }
    return error_set(error, STATUS_USAGE, "%s: line %" PRIu64 ": %s", text->path, line, what);
}

enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error) {
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
    return STATUS_OK;
}

static bool edge_is_right(const struct edge *edge, uint32_t vertices) {
    return (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices && edge->weight >= 0;
}

static enum status refuse_edge(const char *path, uint32_t vertices, const struct edge *edge, uint64_t index,
                               struct error *error) {
    const uint64_t byte = sizeof(struct graph_head) + index * sizeof *edge;
    if (edge->weight < 0 && (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": edge %" PRIu64 " weighs %" PRId32 ": weights can't be negative", path,
                         byte + 8, index, edge->weight);
    }
    const bool from = (uint32_t)edge->from >= vertices;
    return error_set(error, STATUS_USAGE,
                     "%s: byte %" PRIu64 ": edge %" PRIu64 " names vertex %" PRId32 ": vertices are 0 to %" PRIu32,
                     path, byte + (from ? 0 : 4), index, from ? edge->from : edge->to, vertices - 1);
}

enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error) {
    uint64_t wrong = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (uint64_t i = 0; i < count; i++) {
        if (!edge_is_right(&edges[i], vertices)) {
            wrong = i < wrong ? i : wrong;
        }
    }
    return wrong == UINT64_MAX ? STATUS_OK : refuse_edge(path, vertices, &edges[wrong], first + wrong, error);
}

// The edges stay where the file is mapped.
static enum status take_binary(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct graph_head head;
    memcpy(&head, text->begin, sizeof head);
    enum status status = graph_check_head(text->path, head, (uint64_t)(text->end - text->begin), error);
    status =
        status == STATUS_OK ? graph_check_memory(text->path, (uint64_t)head.vertices, text->matrices, error) : status;
    if (status != STATUS_OK) {
        return status;
    }
    *graph = (struct graph){
        .vertices = (uint32_t)head.vertices,
        .edge_count = (uint64_t)head.edges,
        .edges = (const void *)(text->begin + sizeof head),
    };
    return graph_check_edges(text->path, graph->vertices, graph->edges, 0, graph->edge_count, error);
}

static bool is_matrix_market(const struct graph_text *text) {
    static const char banner[] = "%%MatrixMarket";
    const size_t length = sizeof banner - 1;
    return (size_t)(text->end - text->begin) >= length && memcmp(text->begin, banner, length) == 0;
}

// A binary file's fourth byte is 0: more vertices fit into no memory.
bool graph_is_text(const struct graph_text *text) {
    const bool dimacs = !memchr(text->begin, '\0', sizeof(int32_t)) && (*text->begin == 'c' || *text->begin == 'p');
    return dimacs || is_matrix_market(text);
}

static enum status take(const struct graph_text *text, struct graph *graph, struct error *error) {
    if (!graph_is_text(text)) {
        return take_binary(text, graph, error);
    }
    return is_matrix_market(text) ? graph_parse_matrix_market(text, graph, error)
                                  : graph_parse_dimacs(text, graph, error);
}

static enum status read_file(struct graph_text text, struct graph *graph, struct error *error) {
    *graph = (struct graph){0};
    int file = open(text.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer is refused, not waited for
    if (file < 0) {
        return error_set(error, STATUS_USAGE, "%s: can't be read: %s", text.path, strerror(errno));
    }
    enum status status = map_file(file, &text, error);
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

enum status graph_read_edges(const char *path, struct graph *graph, struct error *error) {
    return read_file((struct graph_text){.path = path}, graph, error);
}

enum status graph_read(const char *path, struct graph *graph, struct error *error) {
    enum {
        MATRICES = 2 // input and result; a solver asks for its own
    };
    return read_file((struct graph_text){.path = path, .matrices = MATRICES}, graph, error);
}
