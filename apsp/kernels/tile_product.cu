// Rounds of 256 or 512 pivots: register_tiled.cu with fewer loads and stores of the result for each update.
//
// A part of 128 rows by 128 words, 8 x 8 words for each thread, is loaded and stored once for all pivots of a round, so
// that 512 pivots take a quarter of the loads and stores that they take in rounds of 128. register_tiled.cu closes the
// larger pivot tile, as a matrix by itself. The rest of a round consists of products.
//
// The left factor is transposed: row k of its panel has the distances to pivot k from all rows. So both factors come in
// rows, stages are copied into shared memory past the registers, and two distances of 16 bits need no work of the inner
// loop: the panel has each in both halves of a word.
//
// Constants: BITS=16,32
#include "device/kernel/kernel.h"

#include "apsp/kernels/register_block.h"

enum {
    PART = 2 * HALF, // rows and words of a part; a thread has a group in each half
    DEPTH = 32       // pivots of a stage
};

// The loop over a stage's pivots.
#if IS_FUSED
#define UNROLL_PIVOTS _Pragma("unroll 16")
#else
#define UNROLL_PIVOTS _Pragma("unroll 1")
#endif

struct stage {
    quad left[DEPTH][PART / GROUP], right[DEPTH][PART / GROUP];
};

enum {
    STEP = THREADS * GROUP / PART, // rows of a factor that the block's threads copy at once, a quad each
    STEPS = DEPTH / STEP
};

// fetch begins to copy a stage from row k of the factors on, and arrive waits until it is there. NVIDIA's GPUs from
// sm_80 on copy past the registers. In the simulator's C, variables hold what is under way. On other GPUs fetch itself
// waits, because no registers are left for a stage.
#if __CUDA_ARCH__ >= 800
struct fetched {
    uint32_t none;
};

#define FETCH(shared, held, global) copy_16_bytes(shared, global)
#define ARRIVE(shared, held) (void)0
#define ARRIVE_ALL() await_copies()
#elif defined(__CUDACC__) || defined(__HIP__)
struct fetched {
    uint32_t none;
};
#define FETCH(shared, held, global) *(shared) = *(const quad *)(const void *)(global)
#define ARRIVE(shared, held) (void)0
#define ARRIVE_ALL() (void)0
#else
struct fetched {
    quad left[STEPS], right[STEPS];
};
#define FETCH(shared, held, global) held = *(const quad *)(const void *)(global)
#define ARRIVE(shared, held) *(shared) = held
#define ARRIVE_ALL() (void)0
#endif

static __device__ __forceinline__ void fetch(struct fetched *fetched, struct stage *stage, struct matrix left,
                                             struct matrix right, uint32_t k) {
    const uint32_t quad_at = threadIdx.x % (PART / GROUP), first = threadIdx.x / (PART / GROUP);
    (void)fetched, (void)stage;
#pragma unroll
    for (uint32_t i = 0; i < STEPS; i++) {
        const uint32_t row = i * STEP + first;
        FETCH(&stage->left[row][quad_at], fetched->left[i], left.at + (k + row) * left.pitch + quad_at * GROUP);
        FETCH(&stage->right[row][quad_at], fetched->right[i], right.at + (k + row) * right.pitch + quad_at * GROUP);
    }
}

static __device__ __forceinline__ void arrive(const struct fetched *fetched, struct stage *stage) {
    const uint32_t quad_at = threadIdx.x % (PART / GROUP), first = threadIdx.x / (PART / GROUP);
    (void)fetched, (void)stage, (void)quad_at, (void)first;
#pragma unroll
    for (uint32_t i = 0; i < STEPS; i++) {
        ARRIVE(&stage->left[i * STEP + first][quad_at], fetched->left[i]);
        ARRIVE(&stage->right[i * STEP + first][quad_at], fetched->right[i]);
    }
    ARRIVE_ALL();
}

// The thread's words of one of its rows, in one half of a part that begins here.
static __device__ __forceinline__ quad *quad_of(uint32_t *part, uint64_t pitch, uint32_t row, uint32_t half) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    return (quad *)(void *)(part + place_of(row, y) * pitch + place_of(half * GROUP, x));
}

static __device__ __forceinline__ void multiply_stage(quad distance[8][2], const struct stage *stage) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    UNROLL_PIVOTS
    for (uint32_t k = 0; k < DEPTH; k++) {
        const quad row[2] = {stage->left[k][y], stage->left[k][SIDE + y]};
        const quad word[2] = {stage->right[k][x], stage->right[k][SIDE + x]};
        update(distance, row, word, 2, 2);
    }
}

// While the block multiplies a stage, it fetches the next one. The first one has been fetched.
static __device__ __forceinline__ void multiply(quad distance[8][2], struct fetched *fetched, struct stage *stages,
                                                struct matrix left, struct matrix right, uint32_t pivots) {
#pragma unroll 1
    for (uint32_t k = 0; k < pivots; k += DEPTH) {
        const uint32_t turn = k / DEPTH % 2;
        arrive(fetched, &stages[turn]);
        __syncthreads();
        if (k + DEPTH < pivots) {
            fetch(fetched, &stages[1 - turn], left, right, k + DEPTH);
        }
        multiply_stage(distance, &stages[turn]);
    }
}

// The number of a part, of which `count` are left out from `first` on.
static __device__ __forceinline__ uint32_t beyond(uint32_t index, uint32_t first, uint32_t count) {
    return index < first ? index : index + count;
}

// to = min(w, left (x) right), a block for each part; `to` may be w, if that is no factor. Leaves out some rows and
// columns of parts. Pitches count words. Dynamic shared memory: two stages, 64 KiB.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    tile_product(uint32_t *to, uint32_t *w, uint32_t pitch, uint32_t *left, uint32_t left_pitch, uint32_t *right,
                 uint32_t right_pitch, uint32_t pivots, uint32_t skipped_row, uint32_t skipped_rows,
                 uint32_t skipped_column, uint32_t skipped_columns) {
    DYNAMIC_SHARED(struct stage, stages);
    const uint32_t row = beyond(blockIdx.y, skipped_row, skipped_rows) * PART;
    const uint32_t word = beyond(blockIdx.x, skipped_column, skipped_columns) * PART;
    const struct matrix rows = {left + row, left_pitch}, columns = {right + word, right_pitch};
    uint32_t *from = w + (uint64_t)row * pitch + word, *result = to + (uint64_t)row * pitch + word;
    struct fetched fetched;
    quad distance[8][2];
    fetch(&fetched, &stages[0], rows, columns, 0);
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
        distance[i][0] = *quad_of(from, pitch, i, 0);
        distance[i][1] = *quad_of(from, pitch, i, 1);
    }
    multiply(distance, &fetched, stages, rows, columns, pivots);
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
        *quad_of(result, pitch, i, 0) = distance[i][0];
        *quad_of(result, pitch, i, 1) = distance[i][1];
    }
}

// Makes the panel of a left factor: row k of it has the distances from `rows` rows of w to pivot k. Each thread copies
// a word of w; a warp reads along a row of w, and writes along a row of the panel.
KERNEL void __launch_bounds__(THREADS)
    transpose(uint32_t *RESTRICT panel, uint32_t panel_pitch, const uint32_t *RESTRICT w, uint32_t pitch) {
    enum {
        EDGE = 32,
        LINES = THREADS / EDGE
    };
    __shared__ uint32_t words[EDGE][EDGE + 1];
    const uint32_t row = blockIdx.y * EDGE, word = blockIdx.x * EDGE;
    const uint32_t lane = threadIdx.x % EDGE, line = threadIdx.x / EDGE;
#pragma unroll
    for (uint32_t i = line; i < EDGE; i += LINES) {
        words[i][lane] = w[(uint64_t)(row + i) * pitch + word + lane];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t i = line; i < EDGE; i += LINES) {
        const uint32_t distances = words[lane][i];
        uint32_t *to = panel + (uint64_t)(word + i) * PER_WORD * panel_pitch + row + lane;
#if BITS == 16
        to[0] = (distances & 0xffff) * 0x10001;
        to[panel_pitch] = (distances >> 16) * 0x10001;
#else
        to[0] = distances;
#endif
    }
}
