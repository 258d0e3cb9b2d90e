// The blocked Floyd-Warshall program whose LDS conflicts on an MI210 are published
// (results/published/apsp-mi210-counters.csv). Its source is not. The counters say which accesses it makes
// (docs/model.md): phase 1 updates its tile in place after one barrier for each k, phase 2 stores its elements for
// every k, phase 3 keeps them in registers. Threads read what others write in the same step, which does no harm: row k
// and column k do not change in step k. Constants: TILE, BLOCK_X, BLOCK_Y.
#ifndef TILE
#define TILE 32
#define BLOCK_X 8
#define BLOCK_Y 32
#endif
#define ROWS (TILE / BLOCK_Y)
#define COLUMNS (TILE / BLOCK_X)

#define FOR_EACH_ELEMENT(body)                                                                                         \
    _Pragma("unroll") for (int j = 0; j < ROWS; j++) {                                                                 \
        _Pragma("unroll") for (int i = 0; i < COLUMNS; i++) {                                                          \
            const int y = threadIdx.y + j * BLOCK_Y, x = threadIdx.x + i * BLOCK_X;                                    \
            body                                                                                                       \
        }                                                                                                              \
    }

__device__ inline int smaller(int a, int b) {
    return a < b ? a : b;
}

// A tile's first element.
__device__ inline int *tile_at(int *w, int pitch, int row, int column) {
    return w + row * TILE * pitch + column * TILE;
}

// The number of the n-th tile beside the pivot's.
__device__ inline int other(int n, int pivot) {
    return n + (n >= pivot);
}

extern "C" __global__ void phase1(int *w, int pitch, int pivot) {
    __shared__ int own[TILE][TILE];
    int *to = tile_at(w, pitch, pivot, pivot);
    FOR_EACH_ELEMENT(own[y][x] = to[y * pitch + x];)
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        __syncthreads();
        FOR_EACH_ELEMENT(own[y][x] = smaller(own[y][x], own[y][k] + own[k][x]);)
    }
    FOR_EACH_ELEMENT(to[y * pitch + x] = own[y][x];)
}

// Blocks of even number have tiles of the pivot's row, the others of its column.
extern "C" __global__ void phase2(int *w, int pitch, int pivot) {
    __shared__ int own[TILE][TILE], closed[TILE][TILE]; // closed: the pivot tile
    const int is_in_row = blockIdx.x % 2 == 0, tile = other(blockIdx.x / 2, pivot);
    int *to = tile_at(w, pitch, is_in_row ? pivot : tile, is_in_row ? tile : pivot);
    const int *from = tile_at(w, pitch, pivot, pivot);
    int distance[ROWS][COLUMNS];
    FOR_EACH_ELEMENT(own[y][x] = to[y * pitch + x]; closed[y][x] = from[y * pitch + x];)
    __syncthreads();
    FOR_EACH_ELEMENT(distance[j][i] = own[y][x];)
#pragma unroll 4
    for (int k = 0; k < TILE; k++) {
        FOR_EACH_ELEMENT(const int through = is_in_row ? closed[y][k] + own[k][x] : own[y][k] + closed[k][x];
                         own[y][x] = distance[j][i] = smaller(distance[j][i], through);)
        __syncthreads();
    }
    FOR_EACH_ELEMENT(to[y * pitch + x] = distance[j][i];)
}

extern "C" __global__ void phase3(int *w, int pitch, int pivot) {
    __shared__ int left[TILE][TILE], right[TILE][TILE];
    const int row = other(blockIdx.y, pivot), column = other(blockIdx.x, pivot);
    int *to = tile_at(w, pitch, row, column);
    const int *of_row = tile_at(w, pitch, row, pivot), *of_column = tile_at(w, pitch, pivot, column);
    int distance[ROWS][COLUMNS];
    FOR_EACH_ELEMENT(left[y][x] = of_row[y * pitch + x]; right[y][x] = of_column[y * pitch + x];
                     distance[j][i] = to[y * pitch + x];)
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++) {
        FOR_EACH_ELEMENT(distance[j][i] = smaller(distance[j][i], left[y][k] + right[k][x]);)
    }
    FOR_EACH_ELEMENT(to[y * pitch + x] = distance[j][i];)
}
