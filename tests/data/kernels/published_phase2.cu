// Phase 2 of the blocked Floyd-Warshall program whose counters and times on a GTX 1080 are published
// (results/published/apsp-gtx1080-*.csv), with its tile of 78 and its block of 39x13. Its source is not published. The
// counters say which accesses it makes (docs/model.md): for every k each thread loads what it needs of the block's own
// tile and stores all its elements. Here a barrier stands between the loads and the stores, so that no thread reads
// what another one writes.
#define TILE 78
#define STEP_X 39
#define STEP_Y 13
#define ROWS (TILE / STEP_Y)
#define COLUMNS (TILE / STEP_X)

#define FOR_EACH_ELEMENT(body)                                                                                         \
    _Pragma("unroll") for (int j = 0; j < ROWS; j++) {                                                                 \
        _Pragma("unroll") for (int i = 0; i < COLUMNS; i++) {                                                          \
            const int y = threadIdx.y + j * STEP_Y, x = threadIdx.x + i * STEP_X;                                      \
            body                                                                                                       \
        }                                                                                                              \
    }

#define FOR_EACH_PIVOT(sum)                                                                                            \
    _Pragma("unroll 1") for (int k = 0; k < TILE; k++) {                                                               \
        FOR_EACH_ELEMENT(const int through = sum;                                                                      \
                         distance[j][i] = through < distance[j][i] ? through : distance[j][i];)                        \
        __syncthreads();                                                                                               \
        FOR_EACH_ELEMENT(own[y][x] = distance[j][i];)                                                                  \
        __syncthreads();                                                                                               \
    }

// Blocks of even number have tiles of the pivot's row, the others of its column.
extern "C" __global__ void phase2(int *w, int pitch, int pivot) {
    __shared__ volatile int own[TILE][TILE];
    __shared__ int closed[TILE][TILE]; // the pivot tile
    const int index = blockIdx.x / 2, tile = index + (index >= pivot), is_in_row = blockIdx.x % 2 == 0;
    const long long row = (is_in_row ? pivot : tile) * TILE, column = (is_in_row ? tile : pivot) * TILE;
    int *to = w + row * pitch + column;
    const int *from = w + (long long)pivot * TILE * (pitch + 1);
    int distance[ROWS][COLUMNS];
    FOR_EACH_ELEMENT(own[y][x] = to[(long long)y * pitch + x]; closed[y][x] = from[(long long)y * pitch + x];)
    __syncthreads();
    FOR_EACH_ELEMENT(distance[j][i] = own[y][x];)
    if (is_in_row) {
        FOR_EACH_PIVOT(closed[y][k] + own[k][x])
    } else {
        FOR_EACH_PIVOT(own[y][k] + closed[k][x])
    }
    FOR_EACH_ELEMENT(to[(long long)y * pitch + x] = distance[j][i];)
}
