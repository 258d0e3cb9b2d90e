#include "apsp/mpi/edge_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/binary.h"
#include "apsp/graph/read.h"
#include "apsp/graph/text.h"
#include "apsp/mpi/shared_file.h"

// What rank 0 reads from a file and sends to the others.
struct file_head {
    uint64_t vertices, edge_count;
    int text;
};

static void take_part(const struct ranks *ranks, struct edge_source *source) {
    const uint64_t count = (uint64_t)ranks->count, rank = (uint64_t)ranks->rank;
    const uint64_t each = source->edge_count / count, more = source->edge_count % count;
    source->first = rank * each + (rank < more ? rank : more);
    source->count = each + (rank < more);
}

struct edge_source edge_source_random(const struct ranks *ranks, const struct graph_random_settings *settings) {
    struct edge_source source = {
        .vertices = (uint32_t)settings->vertices,
        .edge_count = settings->edges,
        .random = *settings,
        .file = MPI_FILE_NULL,
    };
    take_part(ranks, &source);
    return source;
}

// Reads all of a text file, but only the head of a binary one, which must match the file's length.
static enum status read_head(const char *path, int file, struct graph *text, struct file_head *head,
                             struct error *error) {
    struct graph_head binary;
    struct stat about;
    char bytes[32];
    const ssize_t got = fstat(file, &about) || !S_ISREG(about.st_mode) ? -1 : read(file, bytes, sizeof bytes);
    const size_t count = got > 0 ? (size_t)got : 0;
    const struct graph_text beginning = {path, bytes, bytes + count, 0};
    if (count < sizeof binary || graph_is_text(&beginning)) {
        head->text = 1;
        enum status status = graph_read_edges(path, text, error); // it also says why a file is no graph
        head->vertices = text->vertices;
        head->edge_count = text->edge_count;
        return status;
    }
    memcpy(&binary, bytes, sizeof binary);
    head->vertices = (uint64_t)binary.vertices;
    head->edge_count = (uint64_t)binary.edges;
    return graph_check_head(path, binary, (uint64_t)about.st_size, error);
}

static enum status find_out(const char *path, struct graph *text, struct file_head *head, struct error *error) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    }
    enum status status = read_head(path, file, text, head, error);
    close(file);
    return status;
}

enum status edge_source_open(const struct ranks *ranks, const char *path, struct edge_source *source,
                             struct error *error) {
    struct file_head head = {0};
    *source = (struct edge_source){.path = path, .file = MPI_FILE_NULL};
    enum status status = ranks->rank == 0 ? find_out(path, &source->text, &head, error) : STATUS_OK;
    status = ranks_agree(ranks, status, error);
    if (status != STATUS_OK) {
        return status;
    }
    MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, ranks->world);
    source->vertices = (uint32_t)head.vertices;
    source->edge_count = head.edge_count;
    if (head.text) {
        source->count = source->text.edge_count;
        return STATUS_OK;
    }
    take_part(ranks, source);
    const int code = MPI_File_open(ranks->world, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &source->file);
    return ranks_agree(ranks, shared_file_check(path, "read", code, error), error);
}

static enum status read_binary(const struct edge_source *source, uint64_t first, uint64_t count, struct edge *edges,
                               struct error *error) {
    const MPI_Offset offset = (MPI_Offset)(sizeof(struct graph_head) + first * sizeof *edges);
    const int words = (int)(count * 3);
    MPI_Status read;
    int got = 0;
    const int code = MPI_File_read_at_all(source->file, offset, edges, words, MPI_INT32_T, &read);
    enum status status = shared_file_check(source->path, "read", code, error);
    if (status != STATUS_OK) {
        return status;
    }
    MPI_Get_count(&read, MPI_INT32_T, &got);
    if (got != words) {
        return error_set(error, STATUS_FAILED, "%s: cannot be read: it was cut short meanwhile", source->path);
    }
    return graph_check_edges(source->path, source->vertices, edges, first, count, error);
}

enum status edge_source_read(const struct edge_source *source, uint64_t first, uint64_t count, struct edge *edges,
                             struct error *error) {
    if (source->file != MPI_FILE_NULL) {
        return read_binary(source, first, count, edges, error);
    }
    if (source->path && count) {
        memcpy(edges, source->text.edges + first, count * sizeof *edges);
    } else if (count) {
        graph_random_edges(&source->random, first, count, edges);
    }
    return STATUS_OK;
}

void edge_source_close(struct edge_source *source) {
    if (source->file != MPI_FILE_NULL) {
        MPI_File_close(&source->file);
    }
    graph_release(&source->text);
}
