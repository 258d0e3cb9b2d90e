#include "apsp/mpi/edge_share.h"

#include <stdlib.h>

#include "apsp/graph/binary.h"
#include "apsp/graph/write.h"
#include "apsp/mpi/shared_file.h"
#include "device/cpu/host.h"

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
    enum status status = cpu_memory_check("the edges of a rank", bytes, "use more nodes", error);
    if (status != STATUS_OK) {
        return status;
    }
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
    if (status == STATUS_OK) {
        status = reserve(edges, (uint64_t)words / WORDS, error);
    }
    status = ranks_agree(ranks, status, error);
    if (status == STATUS_OK) {
        MPI_Alltoallv(parcel->sorted, parcel->send_words, parcel->send_first, MPI_INT32_T, edges->edges + edges->count,
                      parcel->receive_words, parcel->receive_first, MPI_INT32_T, ranks->world);
        edges->count += (uint64_t)words / WORDS;
    }
    return status;
}

static enum status save(const struct shared_file *file, const struct parcel *parcel, uint64_t first, uint64_t count,
                        struct error *error) {
    const MPI_Offset offset = (MPI_Offset)(sizeof(struct graph_head) + first * sizeof *parcel->read);
    return shared_file_write(file, offset, parcel->read, (int)count * WORDS, MPI_INT32_T, error);
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
            const enum status saved =
                save(file, parcel, source->first + done, count, status == STATUS_OK ? error : NULL);
            if (status == STATUS_OK) {
                status = saved;
            }
        }
        sort(parcel, status == STATUS_OK ? count : 0);
        status = send(parcel, status, edges, error);
    }
    return status;
}

static enum status save_head(const struct ranks *ranks, const struct edge_source *source,
                             const struct shared_file *file, struct error *error) {
    const struct graph_head head = {(int32_t)source->vertices, (int32_t)source->edge_count};
    enum status status = shared_file_write(file, 0, &head, ranks->rank == 0 ? 2 : 0, MPI_INT32_T, error);
    return ranks_agree(ranks, status, error);
}

static enum status deal_and_save(struct parcel *parcel, const struct edge_source *source, const char *path,
                                 struct edge_share *edges, struct error *error) {
    struct shared_file file;
    enum status status = graph_check_edge_count(path, source->edge_count, error);
    if (status == STATUS_OK) {
        status = shared_file_create(&file, parcel->ranks, path, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    status = save_head(parcel->ranks, source, &file, error);
    if (status == STATUS_OK) {
        status = deal(parcel, source, &file, edges, error);
    }
    return shared_file_finish(&file, parcel->ranks, status, error);
}

enum status edge_share_deal(const struct ranks *ranks, const struct edge_source *source, const struct share *share,
                            const char *save_path, struct edge_share *edges, struct error *error) {
    struct parcel parcel = {.ranks = ranks, .share = share};
    *edges = (struct edge_share){0};
    enum status status = ranks_agree(ranks, parcel_allocate(&parcel, error), error);
    if (status == STATUS_OK) {
        status = save_path ? deal_and_save(&parcel, source, save_path, edges, error)
                           : deal(&parcel, source, NULL, edges, error);
    }
    parcel_release(&parcel);
    return status;
}

void edge_share_release(struct edge_share *edges) {
    free(edges->edges);
    *edges = (struct edge_share){0};
}
