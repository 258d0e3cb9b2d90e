// From a path to a graph: the file is read, its format told, a binary one checked where it lies.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/file.h"
#include "device/cpu/host.h"

enum {
    FETCH_BYTES = 4 << 20, // that a thread asks for at once
    CUT_SHORT = -1
};

// 0, the error's number, or CUT_SHORT.
static int read_piece(int file, char *to, size_t count, off_t offset) {
    while (count > 0) {
        const ssize_t got = pread(file, to, count, offset);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return got < 0 ? errno : CUT_SHORT;
        }
        const size_t done = got > 0 ? (size_t)got : 0;
        to += done;
        count -= done;
        offset += (off_t)done;
    }
    return 0;
}

// By all threads, so that the disk has several requests at once.
static int read_pieces(int file, char *bytes, size_t size) {
    int fault = 0;
    bool cut = false;
#pragma omp parallel for schedule(dynamic) reduction(max : fault) reduction(|| : cut)
    for (size_t done = 0; done < size; done += FETCH_BYTES) {
        const size_t left = size - done;
        const int now = read_piece(file, bytes + done, left < FETCH_BYTES ? left : FETCH_BYTES, (off_t)done);
        cut = cut || now == CUT_SHORT;
        fault = now > fault ? now : fault;
    }
    return cut ? CUT_SHORT : fault;
}

// A copy, with a NUL behind it: whoever cuts or changes the file later changes nothing here. A mapped file would end
// the process when it is cut.
static enum status read_bytes(int file, size_t size, struct graph_text *text, struct error *error) {
    enum status status = cpu_memory_check(text->path, (double)size, "use a smaller graph", error);
    if (status != STATUS_OK) {
        return status;
    }
    char *bytes = malloc(size + 1);
    if (!bytes) {
        return error_set(error, STATUS_FAILED, "%s: out of memory: use a smaller graph", text->path);
    }
    const int fault = read_pieces(file, bytes, size);
    if (fault) {
        free(bytes);
        return error_set(error, STATUS_FAILED, "%s: can't be read: %s", text->path,
                         fault == CUT_SHORT ? "it was cut short meanwhile" : strerror(fault));
    }
    bytes[size] = '\0';
    text->begin = bytes;
    text->end = bytes + size;
    return STATUS_OK;
}

static enum status open_file(int file, struct graph_text *text, struct error *error) {
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) {
        return error_set(error, STATUS_USAGE, "%s: no regular file: give a file", text->path);
    }
    if (about.st_size < (off_t)sizeof(struct graph_head)) {
        return error_set(error, STATUS_USAGE, "%s: byte %" PRId64 ": the file ends within its head: no graph",
                         text->path, (int64_t)about.st_size);
    }
    return read_bytes(file, (size_t)about.st_size, text, error);
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

// The edges stay where the file was read to.
static enum status take_binary(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct graph_head head;
    memcpy(&head, text->begin, sizeof head);
    enum status status = graph_check_head(text->path, head, (uint64_t)(text->end - text->begin), error);
    status = status == STATUS_OK ? graph_check_memory(text->path, (uint64_t)head.vertices, 0, text->matrices, error)
                                 : status;
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
    enum status status = open_file(file, &text, error);
    close(file);
    if (status != STATUS_OK) {
        return status;
    }
    status = take(&text, graph, error);
    void *bytes = (void *)(uintptr_t)text.begin;
    if (status == STATUS_OK && !graph->memory) {
        graph->memory = bytes;
        graph->memory_bytes = (size_t)(text.end - text.begin);
    } else {
        free(bytes);
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
