#include "apsp/mpi/check.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "util/threads.h"

enum {
    LANES = 16,             // rows of a group, which are checked together
    GROUPS_BYTES = 1 << 26, // a rank holds as many groups at once as fit into this, and at least one for each thread
    PIECE = 1 << 18,        // number of edges that ranks broadcast at once
    EDGE_WORDS = 3,
    SUPPORTED = 1 << 30, // a bit in addition to a distance: the distance is the length of a path
    DISTANCE = SUPPORTED - 1
};

// The distances from LANES vertices to one vertex.
typedef int32_t lanes __attribute__((vector_size(LANES * sizeof(int32_t))));

// Some whole rows, which the ranks of a grid row gather.
struct slab {
    const struct ranks *ranks;
    const struct share *share;
    uint32_t groups;
    lanes *distances;         // groups x vertices
    int32_t *sent, *received; // this rank's part of all rows, all ranks' parts of this rank's rows
    struct edge *piece;
    bool wrong, changed;
};

// ---- Gathering rows ----

// The number of rows or columns of the largest share. As many columns travel from each rank, so that all send the same.
static uint32_t most_of(const struct cyclic *cyclic) {
    return cyclic_blocks_of(cyclic, 0) * cyclic->block;
}

static uint32_t rows_of(const struct slab *slab) {
    return slab->groups * LANES;
}

// The row of the share that becomes row `index` of another rank's slab.
static uint32_t row_at(const struct slab *slab, uint32_t first, uint32_t part, uint32_t index) {
    return first + part * rows_of(slab) + index;
}

static void pack(const struct slab *slab, uint32_t first) {
    const struct share *share = slab->share;
    const uint32_t count = rows_of(slab) * share->columns.parts, most = most_of(&share->columns);
#pragma omp parallel for schedule(static)
    for (uint32_t i = 0; i < count; i++) {
        int32_t *to = slab->sent + (size_t)i * most;
        if (first + i < share->row_count) {
            memcpy(to, share->w + (first + i) * share->pitch, share->column_count * sizeof *to);
        } else {
            for (uint32_t column = 0; column < share->column_count; column++) {
                to[column] = UNREACHABLE;
            }
        }
    }
}

// Assembles one row from the parts of all ranks. Returns false if a value is no distance.
static bool take_row(const struct slab *slab, uint32_t row) {
    const struct cyclic *columns = &slab->share->columns;
    int32_t *lane = (int32_t *)(slab->distances + (size_t)(row / LANES) * columns->vertices) + row % LANES;
    const uint32_t most = most_of(columns);
    bool right = true;
    for (uint32_t part = 0; part < columns->parts; part++) {
        const int32_t *from = slab->received + ((size_t)part * rows_of(slab) + row) * most;
        for (uint32_t i = 0; i < most; i++) {
            const uint32_t vertex = cyclic_vertex_at(columns, part, i);
            if (vertex < columns->vertices) {
                right = right && from[i] >= 0 && from[i] <= UNREACHABLE;
                lane[(size_t)vertex * LANES] = from[i] & DISTANCE;
            }
        }
    }
    return right;
}

// Marks the row's own vertex, which has the empty path. Returns false if its distance is not 0.
static bool begin_row(const struct slab *slab, uint32_t first, uint32_t row) {
    const struct cyclic *rows = &slab->share->rows;
    const uint32_t index = row_at(slab, first, slab->share->columns.part, row);
    const uint32_t vertex = cyclic_vertex_at(rows, rows->part, index);
    if (index >= slab->share->row_count || vertex >= rows->vertices) {
        return true;
    }
    lanes *own = slab->distances + (size_t)(row / LANES) * rows->vertices + vertex;
    const bool right = (*own)[row % LANES] == 0;
    (*own)[row % LANES] |= SUPPORTED;
    return right;
}

static void gather(struct slab *slab, uint32_t first) {
    const uint32_t count = rows_of(slab);
    const int words = (int)(count * most_of(&slab->share->columns));
    bool right = true;
    pack(slab, first);
    MPI_Alltoall(slab->sent, words, MPI_INT32_T, slab->received, words, MPI_INT32_T, slab->ranks->row);
#pragma omp parallel for schedule(static) reduction(&& : right)
    for (uint32_t row = 0; row < count; row++) {
        right = take_row(slab, row) && right;
        right = begin_row(slab, first, row) && right;
    }
    slab->wrong = slab->wrong || !right;
}

// ---- Checking edges ----

static bool any(const lanes *flags) {
    int32_t all = 0;
    for (int i = 0; i < LANES; i++) {
        all |= (*flags)[i];
    }
    return all != 0;
}

// Whether an edge makes a distance shorter. Marks the distances that an edge of positive weight attains.
static bool shortens(lanes *distances, const struct edge *edges, uint64_t count) {
    lanes shorter = {0};
    for (uint64_t i = 0; i < count; i++) {
        const int32_t weight = edges[i].weight < UNREACHABLE ? edges[i].weight : UNREACHABLE;
        lanes *to = &distances[edges[i].to];
        const lanes sum = (distances[edges[i].from] & DISTANCE) + weight;
        const lanes near = sum < UNREACHABLE, capped = (sum & near) | (UNREACHABLE & ~near);
        const lanes distance = *to & DISTANCE;
        shorter |= capped < distance;
        *to |= (capped == distance) & (weight > 0 ? SUPPORTED : 0);
    }
    return any(&shorter);
}

// Marks the distances to which an edge of weight 0 leads from a marked one. Returns whether there are any new ones.
static bool extends(lanes *distances, const struct edge *edges, uint64_t count) {
    lanes more = {0};
    for (uint64_t i = 0; i < count; i++) {
        const lanes from = distances[edges[i].from];
        lanes *to = &distances[edges[i].to];
        const lanes marks = from & ((from & DISTANCE) == (*to & DISTANCE)) & SUPPORTED;
        more |= marks & ~*to;
        *to |= marks;
    }
    return any(&more);
}

// Each thread checks whole groups.
static void check_edges(struct slab *slab, const struct edge *edges, uint64_t count, bool zero) {
    const size_t vertices = slab->share->columns.vertices;
    bool shorter = false, more = false;
#pragma omp parallel for schedule(dynamic) reduction(|| : shorter, more)
    for (uint32_t group = 0; group < slab->groups; group++) {
        lanes *distances = slab->distances + group * vertices;
        if (zero) {
            more = extends(distances, edges, count) || more;
        } else {
            shorter = shortens(distances, edges, count) || shorter;
        }
    }
    slab->wrong = slab->wrong || shorter;
    slab->changed = slab->changed || more;
}

// Broadcasts the edges of one rank after the other, or only those of weight 0, and checks them on all ranks.
static void circulate(struct slab *slab, const struct edge_share *own, uint64_t own_zeros, bool zero) {
    for (int rank = 0; rank < slab->ranks->count; rank++) {
        uint64_t count = zero ? own_zeros : own->count;
        MPI_Bcast(&count, 1, MPI_UINT64_T, rank, slab->ranks->world);
        for (uint64_t first = 0; first < count; first += PIECE) {
            const uint64_t now = count - first < PIECE ? count - first : PIECE;
            struct edge *edges = rank == slab->ranks->rank ? own->edges + first : slab->piece;
            MPI_Bcast(edges, (int)now * EDGE_WORDS, MPI_INT32_T, rank, slab->ranks->world);
            check_edges(slab, edges, now, zero);
        }
    }
}

// Moves the edges of weight 0 to the front and returns their number.
static uint64_t sort_zeros(struct edge_share *edges) {
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < edges->count; i++) {
        if (edges->edges[i].weight == 0) {
            const struct edge zero = edges->edges[i];
            edges->edges[i] = edges->edges[zeros];
            edges->edges[zeros++] = zero;
        }
    }
    return zeros;
}

static bool all_supported(const struct slab *slab) {
    const size_t count = (size_t)slab->groups * slab->share->columns.vertices;
    bool right = true;
#pragma omp parallel for schedule(static) reduction(&& : right)
    for (size_t i = 0; i < count; i++) {
        const lanes lost = (slab->distances[i] < UNREACHABLE); // a mark makes the value larger
        right = right && !any(&lost);
    }
    return right;
}

static void check_slab(struct slab *slab, const struct edge_share *edges, uint64_t zeros, uint32_t first) {
    gather(slab, first);
    circulate(slab, edges, zeros, false);
    do {
        slab->changed = false;
        circulate(slab, edges, zeros, true);
        MPI_Allreduce(MPI_IN_PLACE, &slab->changed, 1, MPI_C_BOOL, MPI_LOR, slab->ranks->world);
    } while (slab->changed);
    slab->wrong = slab->wrong || !all_supported(slab);
}

// ---- Around it ----

static uint32_t groups_of(const struct share *share) {
    const uint32_t threads = (uint32_t)omp_get_max_threads(), parts = share->columns.parts * LANES;
    const uint32_t fit = (uint32_t)(GROUPS_BYTES / (share->rows.vertices * sizeof(lanes)));
    const uint32_t all = (most_of(&share->rows) + parts - 1) / parts;
    const uint32_t most = fit > threads ? fit : threads;
    const uint32_t counted = INT32_MAX / (LANES * most_of(&share->columns)); // because MPI counts with int
    const uint32_t groups = most < all ? most : all;
    return groups < counted ? groups : counted;
}

// What a rank sends, or receives.
static size_t row_bytes(const struct share *share, uint32_t groups) {
    return (size_t)groups * LANES * share->columns.parts * most_of(&share->columns) * sizeof(int32_t);
}

size_t check_bytes(const struct share *share) {
    const uint32_t groups = groups_of(share);
    return 2 * row_bytes(share, groups) + (size_t)groups * share->columns.vertices * sizeof(lanes);
}

static enum status prepare(struct slab *slab, struct error *error) {
    const struct share *share = slab->share;
    slab->distances = page_allocate((size_t)slab->groups * share->columns.vertices * sizeof *slab->distances);
    slab->sent = page_allocate(row_bytes(share, slab->groups));
    slab->received = page_allocate(row_bytes(share, slab->groups));
    slab->piece = page_allocate(PIECE * sizeof *slab->piece);
    return slab->distances && slab->sent && slab->received && slab->piece
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "out of memory: use more nodes");
}

static void release(struct slab *slab) {
    free(slab->distances);
    free(slab->sent);
    free(slab->received);
    free(slab->piece);
}

enum status check(const struct ranks *ranks, const struct share *share, struct edge_share *edges, bool *right,
                  struct error *error) {
    struct slab slab = {.ranks = ranks, .share = share, .groups = groups_of(share)};
    MPI_Allreduce(MPI_IN_PLACE, &slab.groups, 1, MPI_UINT32_T, MPI_MIN, ranks->world);
    enum status status = ranks_agree(ranks, prepare(&slab, error), error);
    if (status == STATUS_OK) {
        const uint64_t zeros = sort_zeros(edges);
        for (uint32_t first = 0; first < most_of(&share->rows); first += rows_of(&slab) * share->columns.parts) {
            check_slab(&slab, edges, zeros, first);
        }
        MPI_Allreduce(MPI_IN_PLACE, &slab.wrong, 1, MPI_C_BOOL, MPI_LOR, ranks->world);
        *right = !slab.wrong;
    }
    release(&slab);
    return status;
}
