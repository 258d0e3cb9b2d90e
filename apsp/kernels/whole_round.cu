// A round of blocked Floyd-Warshall in one launch, for graphs so small that most of register_tiled.cu's time is spent
// on waiting: for phase 1, which one multiprocessor runs, and for one launch after another.
//
// A round has PIVOTS pivots. A panel of their rows and one of their columns, apart from the matrix, hold the results of
// phases 1 and 2. A launch has blocks of two kinds, which do not depend on each other:
//   - one kind finishes a round: it is phase 3 of all tiles except the next pivots' rows and columns,
//   - the other kind prepares the next round: each block updates the next pivots' tile and its own part of their rows
//     or columns, closes the tile, and multiplies its part by it. The result goes to the next panels.
// All blocks of the second kind close the same tile, because that takes less time than to wait for one of them.
//
// The pivots' rows and columns need no case of their own when a round is finished, because the panels' product with the
// closed tile is the panels again. Until then these tiles of the matrix are old.
//
// The left panel is transposed: row k of it has the distances from all rows to pivot k. With BITS = 16 a word of the
// matrix and of the right panel has two neighbouring distances, and a word of the left panel has one distance twice.
// A block that prepares has one distance in a word.
//
// A block that prepares has COLUMNS columns of its part in each thread. The work on the pivots' tile, which all of them
// repeat, grows with the square of PIVOTS for each pivot; with fewer pivots more launches follow one another.
//
// Constants: BITS=16,32 PIVOTS=32,64 COLUMNS=2,4
#include "device/kernel/kernel.h"

#include "apsp/kernels/register_block.h"

enum {
    SQUARE = PIVOTS / SIDE, // rows, and columns, of the pivots' tile that a thread has
    PAIRS = SIDE / 2,
    PART = HALF,           // rows and words of a block that finishes a round
    OWN = SIDE * COLUMNS,  // columns of the part of a block that prepares
    PADDED = PART + GROUP, // words of a row that is also written by columns
    BLOCKS = 3             // of a multiprocessor; with THREADS it limits the registers of a thread
};

typedef struct __attribute__((aligned(8))) {
    uint32_t word[2];
} pair;

// A thread's part of a row, or of a column, of the pivots' tile.
typedef struct __attribute__((aligned(4 * SQUARE))) {
    uint32_t word[SQUARE];
} piece;

// The loop over the pivots of a product.
#if IS_FUSED
#define UNROLL_PIVOTS _Pragma("unroll 16")
#else
#define UNROLL_PIVOTS _Pragma("unroll 4")
#endif

struct factors {
    uint32_t left[PIVOTS][PADDED], right[PIVOTS][PART];
};

// The left one serves as the closed tile, too.
struct preparation {
    struct factors factors;
    uint32_t own[PIVOTS][OWN];
    piece row[2][2][SIDE], column[2][2][SIDE]; // of two pivots, by turns
};

// Copies `columns` columns of a panel into shared memory. A packed panel has PER_WORD distances in a word, which are
// taken apart.
static __device__ __forceinline__ void share(uint32_t *to, uint32_t to_pitch, const uint32_t *panel, uint64_t pitch,
                                             uint32_t columns, uint32_t packed) {
    const uint32_t quads = columns / GROUP, per_word = packed ? PER_WORD : 1;
#pragma unroll
    for (uint32_t i = 0; i < PIVOTS * quads / THREADS; i++) {
        const uint32_t at = i * THREADS + threadIdx.x, row = at / quads, column = at % quads * GROUP;
        const uint32_t *from = panel + row * pitch + column / per_word;
        quad *shared = (quad *)(void *)(to + row * to_pitch + column);
        if (per_word == 1) {
            copy_16_bytes(shared, from);
        } else {
            *shared = load_distances(from);
        }
    }
}

// Takes the thread's first words of a row: four or two of them.
static __device__ __forceinline__ void take_words(uint32_t to[GROUP], const uint32_t *from, uint32_t count) {
    if (count == GROUP) {
        const quad words = *(const quad *)(const void *)from;
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++) {
            to[j] = words.word[j];
        }
    } else {
        const pair words = *(const pair *)(const void *)from;
        to[0] = words.word[0];
        to[1] = words.word[1];
    }
}

// Likewise distances, a word for each.
static __device__ __forceinline__ void take_distances(uint32_t to[GROUP], const uint32_t *from, uint32_t count) {
#if BITS == 16
#pragma unroll
    for (uint32_t j = 0; j < GROUP; j += 2) {
        if (j < count) {
            to[j] = from[j / 2] & 0xffff;
            to[j + 1] = from[j / 2] >> 16;
        }
    }
#else
    take_words(to, from, count);
#endif
}

// Likewise stores them, each times `factor`.
static __device__ __forceinline__ void put_words(uint32_t *to, const uint32_t from[GROUP], uint32_t count,
                                                 uint32_t factor) {
    if (count == GROUP) {
        const quad words = {{from[0] * factor, from[1] * factor, from[2] * factor, from[3] * factor}};
        *(quad *)(void *)to = words;
    } else {
        const pair words = {{from[0] * factor, from[1] * factor}};
        *(pair *)(void *)to = words;
    }
}

static __device__ __forceinline__ piece row_of(uint32_t tile[GROUP][GROUP], uint32_t i) {
    piece row;
#pragma unroll
    for (uint32_t j = 0; j < SQUARE; j++) {
        row.word[j] = tile[i][j];
    }
    return row;
}

static __device__ __forceinline__ piece column_of(uint32_t tile[GROUP][GROUP], uint32_t j) {
    piece column;
#pragma unroll
    for (uint32_t i = 0; i < SQUARE; i++) {
        column.word[i] = tile[i][j];
    }
    return column;
}

// The paths through one pivot.
static __device__ __forceinline__ void go_through(uint32_t distance[GROUP][GROUP], quad row, quad word, uint32_t rows,
                                                  uint32_t columns) {
#pragma unroll
    for (uint32_t i = 0; i < GROUP; i++) {
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++) {
            if (i < rows && j < columns) {
                distance[i][j] = ADD_MIN(row.word[i], word.word[j], distance[i][j]);
            }
        }
    }
}

// distance = min(distance, left (x) right) of the thread's first `rows` rows and `columns` words.
static __device__ __forceinline__ void multiply(uint32_t distance[GROUP][GROUP], const uint32_t *left,
                                                uint32_t left_pitch, const uint32_t *right, uint32_t right_pitch,
                                                uint32_t rows, uint32_t columns) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    UNROLL_PIVOTS
    for (uint32_t k = 0; k < PIVOTS; k++) {
        quad row = {{0}}, word = {{0}};
        take_words(row.word, left + k * left_pitch + y * rows, rows);
        take_words(word.word, right + k * right_pitch + x * columns, columns);
        go_through(distance, row, word, rows, columns);
    }
}

// ---- Finishing a round ----

static __device__ __forceinline__ void finish(struct factors *factors, struct matrix w, struct matrix left,
                                              struct matrix right, uint32_t row, uint32_t word, uint32_t next) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const uint32_t is_free = (row + y * GROUP) / PIVOTS != next && (word + x * GROUP) * PER_WORD / PIVOTS != next;
    uint32_t *at = w.at + (row + y * GROUP) * w.pitch + word + x * GROUP;
    uint32_t distance[GROUP][GROUP] = {{0}};
    share(&factors->left[0][0], PADDED, left.at + row, left.pitch, PART, 0);
    share(&factors->right[0][0], PART, right.at + word, right.pitch, PART, 0);
#pragma unroll
    for (uint32_t i = 0; i < GROUP; i++) {
        if (is_free) {
            take_words(distance[i], at + i * w.pitch, GROUP);
        }
    }
    await_copies();
    __syncthreads();
    multiply(distance, &factors->left[0][0], PADDED, &factors->right[0][0], PART, GROUP, GROUP);
#pragma unroll
    for (uint32_t i = 0; i < GROUP; i++) {
        if (is_free) {
            put_words(at + i * w.pitch, distance[i], GROUP, 1);
        }
    }
}

// ---- Preparing the next one ----

// The part of the pivots' rows that begins at column `at`, or the part of their columns that begins at row `at`. A part
// of the columns is used transposed, so that a row of a part always belongs to a pivot.
struct own {
    uint32_t of_columns, at;
};

static __device__ __forceinline__ void load_own(uint32_t distance[GROUP][GROUP], struct matrix w, struct own own,
                                                uint32_t pivot) {
    const uint32_t x = own.at + threadIdx.x % SIDE * COLUMNS, y = pivot + threadIdx.x / SIDE * SQUARE;
    if (own.of_columns) {
#pragma unroll
        for (uint32_t j = 0; j < COLUMNS; j++) {
            uint32_t column[GROUP];
            take_distances(column, w.at + (x + j) * w.pitch + y / PER_WORD, SQUARE);
#pragma unroll
            for (uint32_t i = 0; i < SQUARE; i++) {
                distance[i][j] = column[i];
            }
        }
    } else {
#pragma unroll
        for (uint32_t i = 0; i < SQUARE; i++) {
            take_distances(distance[i], w.at + (y + i) * w.pitch + x / PER_WORD, COLUMNS);
        }
    }
}

static __device__ __forceinline__ void load_tile(uint32_t distance[GROUP][GROUP], struct matrix w, uint32_t pivot) {
    const uint32_t x = pivot + threadIdx.x % SIDE * SQUARE, y = pivot + threadIdx.x / SIDE * SQUARE;
#pragma unroll
    for (uint32_t i = 0; i < SQUARE; i++) {
        take_distances(distance[i], w.at + (y + i) * w.pitch + x / PER_WORD, SQUARE);
    }
}

// Pivots come in pairs, to halve the number of barriers. A pair is row `index`, and column `index`, of each of two
// neighbouring threads, which are pair `number` of the threads.
struct pivots {
    uint32_t index, number;
};

// Stores the rows and columns of two pivots for the threads that hold other distances.
static __device__ __forceinline__ void show(struct preparation *shared, uint32_t distance[GROUP][GROUP],
                                            struct pivots pair) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, k = pair.index, turn = pair.number % 2;
    if (y / 2 == pair.number) {
        shared->row[turn][y % 2][x] = row_of(distance, k);
    }
    if (x / 2 == pair.number) {
        shared->column[turn][x % 2][y] = column_of(distance, k);
    }
}

// The paths through two pivots. The second one's row and column first take the paths through the first one. The rows
// and columns of the next pair are updated first and shown at once, so that the threads wait for each other while they
// compute. There are two buffers, so one barrier is enough for each pair.
static __device__ __forceinline__ void pass(struct preparation *shared, uint32_t distance[GROUP][GROUP],
                                            struct pivots pair, struct pivots next) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, turn = pair.number % 2;
    __syncthreads();
    const piece row = shared->row[turn][0][x], column = shared->column[turn][0][y];
    piece second_row = shared->row[turn][1][x], second_column = shared->column[turn][1][y];
    const uint32_t there = shared->row[turn][0][2 * pair.number + 1].word[pair.index];
    const uint32_t back = shared->row[turn][1][2 * pair.number].word[pair.index];
#pragma unroll
    for (uint32_t i = 0; i < SQUARE; i++) {
        second_row.word[i] = ADD_MIN(back, row.word[i], second_row.word[i]);
        second_column.word[i] = ADD_MIN(column.word[i], there, second_column.word[i]);
    }
#pragma unroll
    for (uint32_t others = 0; others < 2; others++) {
#pragma unroll
        for (uint32_t i = 0; i < SQUARE; i++) {
#pragma unroll
            for (uint32_t j = 0; j < SQUARE; j++) {
                if ((i != next.index && j != next.index) == others) {
                    distance[i][j] = ADD_MIN(column.word[i], row.word[j], distance[i][j]);
                    distance[i][j] = ADD_MIN(second_column.word[i], second_row.word[j], distance[i][j]);
                }
            }
        }
        if (others == 0 && next.index < SQUARE) {
            show(shared, distance, next);
        }
    }
}

// The order of pivots is free, so the loop takes all pivots of one index before those of the next.
static __device__ __forceinline__ void close_tile(struct preparation *shared, uint32_t distance[GROUP][GROUP]) {
    const struct pivots first = {0, 0};
    show(shared, distance, first);
#pragma unroll
    for (uint32_t index = 0; index < SQUARE; index++) {
        const struct pivots last = {index, PAIRS - 1}, following = {index + 1, 0};
#pragma unroll 1
        for (uint32_t number = 0; number + 1 < PAIRS; number++) {
            const struct pivots pair = {index, number}, next = {index, number + 1};
            pass(shared, distance, pair, next);
        }
        pass(shared, distance, last, following);
    }
}

// The closed tile becomes a left factor: transposed, unless the part is transposed. The part becomes a right factor.
static __device__ __forceinline__ void share_closed(struct preparation *shared, uint32_t tile[GROUP][GROUP],
                                                    uint32_t distance[GROUP][GROUP], struct own own) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll
    for (uint32_t i = 0; i < SQUARE; i++) {
        if (own.of_columns) {
            *(piece *)(void *)&shared->factors.left[y * SQUARE + i][x * SQUARE] = row_of(tile, i);
        } else {
            *(piece *)(void *)&shared->factors.left[x * SQUARE + i][y * SQUARE] = column_of(tile, i);
        }
        put_words(&shared->own[y * SQUARE + i][x * COLUMNS], distance[i], COLUMNS, 1);
    }
}

static __device__ __forceinline__ void store_own(uint32_t distance[GROUP][GROUP], struct own own, struct matrix left,
                                                 struct matrix right) {
    const uint32_t x = own.at + threadIdx.x % SIDE * COLUMNS, y = threadIdx.x / SIDE * SQUARE;
#pragma unroll
    for (uint32_t i = 0; i < SQUARE; i++) {
        uint32_t *to = right.at + (y + i) * right.pitch + x / PER_WORD;
        if (own.of_columns) {
            put_words(left.at + (y + i) * left.pitch + x, distance[i], COLUMNS, PER_WORD == 2 ? 0x10001 : 1);
        } else {
#if BITS == 16
#pragma unroll
            for (uint32_t j = 0; j < COLUMNS; j += 2) {
                to[j / 2] = distance[i][j] | distance[i][j + 1] << 16;
            }
#else
            put_words(to, distance[i], COLUMNS, 1);
#endif
        }
    }
}

// The products for the tile and for the part. In one loop one hides the waits of the other, where registers hold both.
static __device__ __forceinline__ void multiply_both(const struct preparation *shared, uint32_t tile[GROUP][GROUP],
                                                     uint32_t distance[GROUP][GROUP], struct own own) {
    const struct factors *factors = &shared->factors;
#if IS_FUSED
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    UNROLL_PIVOTS
    for (uint32_t k = 0; k < PIVOTS; k++) {
        quad row = {{0}}, word = {{0}}, own_row = {{0}}, own_word = {{0}};
        take_words(row.word, &factors->left[k][y * SQUARE], SQUARE);
        take_words(word.word, &factors->right[k][x * SQUARE], SQUARE);
        take_words(own_row.word, own.of_columns ? &factors->right[k][y * SQUARE] : &factors->left[k][y * SQUARE],
                   SQUARE);
        take_words(own_word.word, &shared->own[k][x * COLUMNS], COLUMNS);
        go_through(tile, row, word, SQUARE, SQUARE);
        go_through(distance, own_row, own_word, SQUARE, COLUMNS);
    }
#else
    multiply(tile, &factors->left[0][0], PADDED, &factors->right[0][0], PART, SQUARE, SQUARE);
    if (own.of_columns) {
        multiply(distance, &factors->right[0][0], PART, &shared->own[0][0], OWN, SQUARE, COLUMNS);
    } else {
        multiply(distance, &factors->left[0][0], PADDED, &shared->own[0][0], OWN, SQUARE, COLUMNS);
    }
#endif
}

static __device__ __forceinline__ void update_by_last(struct preparation *shared, uint32_t tile[GROUP][GROUP],
                                                      uint32_t distance[GROUP][GROUP], struct own own,
                                                      struct matrix left, struct matrix right, uint32_t pivot) {
    const struct matrix other = own.of_columns ? left : right;
    const uint32_t packed = !own.of_columns;
    share(&shared->factors.left[0][0], PADDED, left.at + pivot, left.pitch, PIVOTS, 0);
    share(&shared->factors.right[0][0], PART, right.at + pivot / PER_WORD, right.pitch, PIVOTS, 1);
    share(&shared->own[0][0], OWN, other.at + own.at / (packed ? PER_WORD : 1), other.pitch, OWN, packed);
    await_copies();
    __syncthreads();
    multiply_both(shared, tile, distance, own);
}

static __device__ __forceinline__ void prepare(struct preparation *shared, struct matrix w, struct matrix left,
                                               struct matrix right, struct matrix next_left, struct matrix next_right,
                                               struct own own, uint32_t next) {
    uint32_t tile[GROUP][GROUP] = {{0}}, distance[GROUP][GROUP] = {{0}};
    load_tile(tile, w, next * PIVOTS);
    load_own(distance, w, own, next * PIVOTS);
    if (next > 0) {
        update_by_last(shared, tile, distance, own, left, right, next * PIVOTS);
    }
    close_tile(shared, tile);
    __syncthreads();
    share_closed(shared, tile, distance, own);
    __syncthreads();
    multiply(distance, &shared->factors.left[0][0], PADDED, &shared->own[0][0], OWN, SQUARE, COLUMNS);
    store_own(distance, own, next_left, next_right);
}

// Finishes the round before `next` by the panels left and right, and prepares the round `next`. The first blocks, which
// are `preparing`, prepare; each of the others finishes a part of 64 rows and words. Pitches are in words.
KERNEL void __launch_bounds__(THREADS, BLOCKS)
    whole_round(uint32_t *w, uint32_t pitch, uint32_t *left, uint32_t *right, uint32_t left_pitch, uint32_t *next_left,
                uint32_t *next_right, uint32_t next, uint32_t preparing) {
    DYNAMIC_SHARED(struct preparation, shared);
    const struct matrix all = {w, pitch}, rows = {left, left_pitch}, columns = {right, pitch};
    const struct matrix next_rows = {next_left, left_pitch}, next_columns = {next_right, pitch};
    await_last_launch();
    if (blockIdx.x < preparing) {
        const uint32_t half = preparing / 2;
        const struct own own = {blockIdx.x >= half, blockIdx.x % half * OWN};
        prepare(shared, all, rows, columns, next_rows, next_columns, own, next);
    } else {
        const uint32_t index = blockIdx.x - preparing, in_row = pitch / PART;
        const uint32_t row = index / in_row * PART, word = index % in_row * PART;
        // Has the part a distance that the next pivots' rows and columns leave to it?
        if (PIVOTS < PART || (row / PIVOTS != next && (PER_WORD == 2 || word / PIVOTS != next))) {
            finish(&shared->factors, all, rows, columns, row, word, next);
        }
    }
}
