#include "apsp/graph/read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/binary.h"
#include "apsp/graph/text.h"
#include "device/cpu/host.h"

enum {
    READ_BYTES = 4 << 20, // a thread asks for so many bytes at once
    CUT_SHORT = -1
};

// Returns 0, an errno, or CUT_SHORT.
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

// All threads read, so that the disk has several requests at once.
static int read_pieces(int file, char *bytes, size_t size) {
    int fault = 0;
    bool cut = false;
#pragma omp parallel for schedule(dynamic) reduction(max : fault) reduction(|| : cut)
    for (size_t done = 0; done < size; done += READ_BYTES) {
        const size_t left = size - done;
        const int now = read_piece(file, bytes + done, left < READ_BYTES ? left : READ_BYTES, (off_t)done);
        cut = cut || now == CUT_SHORT;
        fault = now > fault ? now : fault;
    }
    return cut ? CUT_SHORT : fault;
}

// Reads the file into memory and appends a NUL. The file is not mapped, because the process would die if another one
// cut the file short.
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
        return error_set(error, STATUS_FAILED, "%s: cannot be read: %s", text->path,
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
        return error_set(error, STATUS_USAGE, "%s: not a regular file: give a file", text->path);
    }
    if (about.st_size < (off_t)sizeof(struct graph_head)) {
        return error_set(error, STATUS_USAGE, "%s: byte %" PRId64 ": the file ends within its head: it is no graph",
                         text->path, (int64_t)about.st_size);
    }
    return read_bytes(file, (size_t)about.st_size, text, error);
}

// The graph keeps its edges in the memory that the file was read into.
static enum status parse_binary(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct graph_head head;
    memcpy(&head, text->begin, sizeof head);
    enum status status = graph_check_head(text->path, head, (uint64_t)(text->end - text->begin), error);
    if (status == STATUS_OK) {
        status = graph_check_memory(text->path, (uint64_t)head.vertices, 0, text->matrices, error);
    }
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

static enum status read_file(struct graph_text text, struct graph *graph, struct error *error) {
    *graph = (struct graph){0};
    int file = open(text.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // so that open does not wait for a pipe's writer
    if (file < 0) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", text.path, strerror(errno));
    }
    enum status status = open_file(file, &text, error);
    close(file);
    if (status != STATUS_OK) {
        return status;
    }
    status = graph_is_text(&text) ? graph_parse(&text, graph, error) : parse_binary(&text, graph, error);
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
        MATRICES = 2 // input and result; a solver checks its own memory
    };
    return read_file((struct graph_text){.path = path, .matrices = MATRICES}, graph, error);
}

enum status graph_refuse_options(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE,
                     "--graph %s: the file says what graph it is: leave out --random, --vertices, --edges and "
                     "--max-weight",
                     path);
}
