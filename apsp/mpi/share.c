#include "apsp/mpi/share.h"

#include <stdlib.h>

#include "device/device.h"

enum {
    LINE_WORDS = 16 // a row has one more cache line, so that the rows of a tile do not compete for the same cache sets
};

struct share share_make(const struct ranks *ranks, uint32_t vertices, uint32_t block) {
    struct share share = {
        .rows = {vertices, block, (uint32_t)ranks->grid_rows, (uint32_t)ranks->at_row},
        .columns = {vertices, block, (uint32_t)ranks->grid_columns, (uint32_t)ranks->at_column},
    };
    share.row_count = cyclic_blocks_of(&share.rows, share.rows.part) * block;
    share.column_count = cyclic_blocks_of(&share.columns, share.columns.part) * block;
    share.pitch = share.column_count + LINE_WORDS;
    return share;
}

size_t share_bytes(const struct share *share) {
    return share->row_count * share->pitch * sizeof *share->w;
}

enum status share_allocate(struct share *share, struct error *error) {
    share->w = page_allocate(share_bytes(share));
    return share->w ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory: use more nodes, or fewer vertices");
}

void share_release(struct share *share) {
    free(share->w);
    share->w = NULL;
}

void share_initialise(struct share *share, const struct edge *edges, uint64_t count) {
    const struct cyclic *rows = &share->rows, *columns = &share->columns;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (uint32_t row = 0; row < share->row_count; row++) {
            int32_t *to = share->w + row * share->pitch;
            const uint32_t vertex = cyclic_vertex_at(rows, rows->part, row);
            for (size_t i = 0; i < share->pitch; i++) {
                to[i] = UNREACHABLE;
            }
            if (vertex < rows->vertices && cyclic_part_of(columns, vertex) == columns->part) {
                to[cyclic_index_of(columns, vertex)] = 0;
            }
        }
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < count; i++) {
            const uint32_t row = cyclic_index_of(rows, (uint32_t)edges[i].from);
            const uint32_t column = cyclic_index_of(columns, (uint32_t)edges[i].to);
            graph_lower(&share->w[row * share->pitch + column], edges[i].weight);
        }
    }
}
