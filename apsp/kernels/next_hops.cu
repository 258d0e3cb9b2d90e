// Finds the vertices of shortest paths from the distances, as solve/next_hops.h explains. A block has columns of one
// row, so that all its lanes read the same edge, and neighbouring distances from the vertex to which it leads.
#include "device/kernel/kernel.h"

#include "apsp/kernels/matrix.h"

#define NO_HOP (-1)

// Marks a hop that this pass has found. The pass must not build on it, because another thread may read it before or
// after it is written.
#define FRESH(pass) ((1 << 29) << (pass) % 2)

typedef struct __attribute__((aligned(8))) {
    uint32_t to;
    int32_t weight;
} hop_edge;

// Edges with a weight. Those of a vertex begin with the lightest one, so that the search ends at the first that weighs
// more than the path. The distances have a pitch in words, the hops have `vertices` columns.
KERNEL void next_hops(int32_t *RESTRICT next, const int32_t *RESTRICT distances, uint32_t pitch, uint32_t vertices,
                      const uint32_t *RESTRICT first, const hop_edge *RESTRICT edges) {
    const uint32_t blocks = (vertices + blockDim.x - 1) / blockDim.x, row = blockIdx.x / blocks;
    const uint32_t column = blockIdx.x % blocks * blockDim.x + threadIdx.x;
    if (column < vertices) {
        const int32_t own = distances[(uint64_t)row * pitch + column];
        int32_t hop = row == column ? (int32_t)row : NO_HOP;
        for (uint32_t e = first[row]; e < first[row + 1] && hop < 0 && own < UNREACHABLE; e++) {
            const hop_edge edge = edges[e];
            if (edge.weight > own) {
                break;
            }
            hop = distances[(uint64_t)edge.to * pitch + column] + edge.weight == own ? (int32_t)edge.to : NO_HOP;
        }
        next[(uint64_t)row * vertices + column] = hop;
    }
}

// Edges of weight 0, for the rows of the vertices that such edges leave. *found becomes 1 if the pass finds a hop.
KERNEL void zero_hops(int32_t *next, const int32_t *RESTRICT distances, uint32_t pitch, uint32_t vertices,
                      const uint32_t *RESTRICT rows, const uint32_t *RESTRICT first, const uint32_t *RESTRICT to,
                      uint32_t *found, uint32_t pass) {
    const uint32_t blocks = (vertices + blockDim.x - 1) / blockDim.x, index = blockIdx.x / blocks, row = rows[index];
    const uint32_t column = blockIdx.x % blocks * blockDim.x + threadIdx.x;
    if (column < vertices) {
        const int32_t own = distances[(uint64_t)row * pitch + column];
        int32_t hop = next[(uint64_t)row * vertices + column];
        const uint32_t searches = hop < 0 && own < UNREACHABLE;
        for (uint32_t e = first[index]; searches && e < first[index + 1] && hop < 0; e++) {
            const int32_t after = next[(uint64_t)to[e] * vertices + column];
            if (distances[(uint64_t)to[e] * pitch + column] == own && after >= 0 && !(after & FRESH(pass))) {
                hop = (int32_t)to[e] | FRESH(pass);
                *found = 1;
            }
        }
        next[(uint64_t)row * vertices + column] = hop < 0 ? NO_HOP : hop & ~FRESH(pass + 1);
    }
}
