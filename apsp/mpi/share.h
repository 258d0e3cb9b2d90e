// A rank's share of the matrix of distances, block-cyclic in both directions as in ScaLAPACK.
#ifndef APSP_MPI_SHARE_H
#define APSP_MPI_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/graph/graph.h"
#include "apsp/mpi/ranks.h"

// One direction: blocks of vertices are dealt in turn to the rows or the columns of the grid. The last block is padded
// with unreachable vertices.
struct cyclic {
    uint32_t vertices, block;
    uint32_t parts, part; // the number of parts, and this rank's
};

static inline uint32_t cyclic_blocks(const struct cyclic *cyclic) {
    return (cyclic->vertices + cyclic->block - 1) / cyclic->block;
}

static inline uint32_t cyclic_blocks_of(const struct cyclic *cyclic, uint32_t part) {
    return (cyclic_blocks(cyclic) + cyclic->parts - 1 - part) / cyclic->parts;
}

// How many vertices a part's block has; the last one of all may have fewer.
static inline uint32_t cyclic_vertices_in(const struct cyclic *cyclic, uint32_t part, uint32_t index) {
    const uint32_t first = (index * cyclic->parts + part) * cyclic->block, left = cyclic->vertices - first;
    return left < cyclic->block ? left : cyclic->block;
}

// The part that has a vertex, and the vertex's index in that part.
static inline uint32_t cyclic_part_of(const struct cyclic *cyclic, uint32_t vertex) {
    return vertex / cyclic->block % cyclic->parts;
}

static inline uint32_t cyclic_index_of(const struct cyclic *cyclic, uint32_t vertex) {
    return vertex / cyclic->block / cyclic->parts * cyclic->block + vertex % cyclic->block;
}

// The vertex of this index in a part. Padding gives numbers from cyclic->vertices up.
static inline uint32_t cyclic_vertex_at(const struct cyclic *cyclic, uint32_t part, uint32_t index) {
    return (index / cyclic->block * cyclic->parts + part) * cyclic->block + index % cyclic->block;
}

struct share {
    struct cyclic rows, columns;
    uint32_t row_count, column_count; // whole blocks
    size_t pitch;                     // words from row to row
    int32_t *w;
};

// Computes the layout and allocates nothing.
struct share share_make(const struct ranks *ranks, uint32_t vertices, uint32_t block);
size_t share_bytes(const struct share *share);
enum status share_allocate(struct share *share, struct error *error);
void share_release(struct share *share);

// Sets the elements as graph_distances does. All edges must lie in this rank's share.
void share_initialise(struct share *share, const struct edge *edges, uint64_t count);

#endif
