#include "apsp/mpi/edge_share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/file.h"
#include "apsp/mpi/shared_file.h"
#include "device/cpu/host.h"

// ---- Sources of edges ----

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
    const enum status found = ranks->rank == 0 ? find_out(path, &source->text, &head, error) : STATUS_OK;
    TRY(ranks_agree(ranks, found, error));
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
    TRY(shared_file_check(source->path, "read", code, error));
    MPI_Get_count(&read, MPI_INT32_T, &got);
    if (got != words) {
        return error_set(error, STATUS_FAILED, "%s: cannot be read: it was cut short meanwhile", source->path);
    }
    return graph_check_edges(source->path, source->vertices, edges, first, count, error);
}

// Reads `count` edges of this rank's part, beginning with edge `first` of the graph, and checks those of a file.
// Collective.
static enum status edge_source_read(const struct edge_source *source, uint64_t first, uint64_t count,
                                    struct edge *edges, struct error *error) {
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

// ---- Each rank's share ----

enum {
    PIECE = 1 << 18, // number of edges that a rank reads and sends at once
    WORDS = 3        // of an edge
};

// The next edges that a rank sends, sorted by the rank that receives them.
struct parcel {
    const struct ranks *ranks;
    const struct share *share;
    struct edge *read, *sorted;
    int *send_words, *send_first, *receive_words, *receive_first; // to and from each rank
};

static enum status parcel_allocate(struct parcel *parcel, struct error *error) {
    const size_t ranks = (size_t)parcel->ranks->count;
    parcel->read = malloc(PIECE * sizeof *parcel->read);
    parcel->sorted = malloc(PIECE * sizeof *parcel->sorted);
    parcel->send_words = malloc(4 * ranks * sizeof *parcel->send_words);
    if (!parcel->read || !parcel->sorted || !parcel->send_words) {
        return error_set(error, STATUS_FAILED, "out of memory: use more nodes");
    }
    parcel->send_first = parcel->send_words + ranks;
    parcel->receive_words = parcel->send_first + ranks;
    parcel->receive_first = parcel->receive_words + ranks;
    return STATUS_OK;
}

static void parcel_release(struct parcel *parcel) {
    free(parcel->read);
    free(parcel->sorted);
    free(parcel->send_words);
}

static int owner_of(const struct parcel *parcel, const struct edge *edge) {
    const uint32_t row = cyclic_part_of(&parcel->share->rows, (uint32_t)edge->from);
    return (int)(row * parcel->share->columns.parts + cyclic_part_of(&parcel->share->columns, (uint32_t)edge->to));
}

static void sort(struct parcel *parcel, uint64_t count) {
    const int ranks = parcel->ranks->count;
    int *words = parcel->send_words, *first = parcel->send_first;
    for (int i = 0; i < ranks; i++) {
        words[i] = 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        words[owner_of(parcel, &parcel->read[i])] += WORDS;
    }
    for (int i = 0, sum = 0; i < ranks; i++) {
        first[i] = sum;
        sum += words[i];
    }
    for (uint64_t i = 0; i < count; i++) {
        int *next = &first[owner_of(parcel, &parcel->read[i])];
        parcel->sorted[*next / WORDS] = parcel->read[i];
        *next += WORDS;
    }
    for (int i = 0; i < ranks; i++) {
        first[i] -= words[i];
    }
}

// Makes room for `more` edges.
static enum status reserve(struct edge_share *edges, uint64_t more, struct error *error) {
    if (edges->edges && edges->count + more <= edges->capacity) {
        return STATUS_OK;
    }
    const uint64_t doubled = 2 * edges->capacity, needed = edges->count + more;
    const uint64_t capacity = doubled > needed ? doubled : needed;
    const double bytes = (double)(capacity - edges->count) * sizeof *edges->edges;
    TRY(cpu_memory_check("the edges of a rank", bytes, "use more nodes", error));
    struct edge *grown = realloc(edges->edges, (capacity + 1) * sizeof *grown);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "out of memory for the edges: use more nodes");
    }
    edges->edges = grown;
    edges->capacity = capacity;
    return STATUS_OK;
}

static enum status send(struct parcel *parcel, enum status status, struct edge_share *edges, struct error *error) {
    const struct ranks *ranks = parcel->ranks;
    int words = 0;
    MPI_Alltoall(parcel->send_words, 1, MPI_INT, parcel->receive_words, 1, MPI_INT, ranks->world);
    for (int i = 0; i < ranks->count; i++) {
        parcel->receive_first[i] = words;
        words += parcel->receive_words[i];
    }
    THEN(status, reserve(edges, (uint64_t)words / WORDS, error));
    status = ranks_agree(ranks, status, error);
    if (status == STATUS_OK) {
        MPI_Alltoallv(parcel->sorted, parcel->send_words, parcel->send_first, MPI_INT32_T, edges->edges + edges->count,
                      parcel->receive_words, parcel->receive_first, MPI_INT32_T, ranks->world);
        edges->count += (uint64_t)words / WORDS;
    }
    return status;
}

static enum status deal(struct parcel *parcel, const struct edge_source *source, const struct shared_file *file,
                        struct edge_share *edges, struct error *error) {
    uint64_t pieces = (source->count + PIECE - 1) / PIECE;
    enum status status = STATUS_OK;
    MPI_Allreduce(MPI_IN_PLACE, &pieces, 1, MPI_UINT64_T, MPI_MAX, parcel->ranks->world);
    for (uint64_t piece = 0; piece < pieces && status == STATUS_OK; piece++) {
        const uint64_t done = piece * PIECE < source->count ? piece * PIECE : source->count;
        const uint64_t left = source->count - done, count = left < PIECE ? left : PIECE;
        status = edge_source_read(source, source->first + done, count, parcel->read, error);
        if (file) {
            const uint64_t offset = sizeof(struct graph_head) + (source->first + done) * sizeof *parcel->read;
            const enum status saved = shared_file_write(file, (MPI_Offset)offset, parcel->read, (int)count * WORDS,
                                                        MPI_INT32_T, status == STATUS_OK ? error : NULL);
            THEN(status, saved);
        }
        sort(parcel, status == STATUS_OK ? count : 0);
        status = send(parcel, status, edges, error);
    }
    return status;
}

static enum status save_head(const struct ranks *ranks, const struct edge_source *source,
                             const struct shared_file *file, struct error *error) {
    const struct graph_head head = {(int32_t)source->vertices, (int32_t)source->edge_count};
    return ranks_agree(ranks, shared_file_write(file, 0, &head, ranks->rank == 0 ? 2 : 0, MPI_INT32_T, error), error);
}

static enum status deal_and_save(struct parcel *parcel, const struct edge_source *source, const char *path,
                                 struct edge_share *edges, struct error *error) {
    struct shared_file file;
    TRY(graph_check_edge_count(path, source->edge_count, error));
    TRY(shared_file_create(&file, parcel->ranks, path, error));
    enum status status = save_head(parcel->ranks, source, &file, error);
    THEN(status, deal(parcel, source, &file, edges, error));
    return shared_file_finish(&file, parcel->ranks, status, error);
}

enum status edge_share_deal(const struct ranks *ranks, const struct edge_source *source, const struct share *share,
                            const char *save_path, struct edge_share *edges, struct error *error) {
    struct parcel parcel = {.ranks = ranks, .share = share};
    *edges = (struct edge_share){0};
    enum status status = ranks_agree(ranks, parcel_allocate(&parcel, error), error);
    THEN(status, save_path ? deal_and_save(&parcel, source, save_path, edges, error)
                           : deal(&parcel, source, NULL, edges, error));
    parcel_release(&parcel);
    return status;
}

void edge_share_release(struct edge_share *edges) {
    free(edges->edges);
    *edges = (struct edge_share){0};
}
