// The solver around the packed min-plus multiply, compiled once for each instruction set and width of a distance.
//
// One round of the solver, for the pivots K = k to k + depth - 1 of the matrix w:
//   1. closure   w[K][K] = D, all its paths within K
//   2. row       w[K][*] = D (x) w[K][*] = R
//   3. rest      w = min(w, w[*][K] (x) R) in all rows but K
// where (x) is the min-plus multiply. The column w[*][K] needs no separate step, because step 3 multiplies it by R,
// which has D in its columns K. So a round costs vertices^2 * depth updates, as many as the plain algorithm, and
// depth^3 for the closure.
//
// w is stored by panels of TILE_COLUMNS columns, one below another. So a register tile is one piece of memory, whatever
// the size of the pages, and rows K of a panel are the right factor as the multiply reads it. Only the left factor is
// packed.
#include "apsp/solve/cpu_vector.h"

#include <stdbool.h>
#include <string.h>

#include "apsp/graph/graph.h"
#include "util/loops.h"
#include "util/whole.h"

// ---- The register tile: VECTOR_BYTES selects it on x86-64, ELEMENT_BITS is the width of a distance ----

// FAR stands for UNREACHABLE; twice FAR still fits an element.
#if ELEMENT_BITS == 32
typedef int32_t element;
#define FAR UNREACHABLE
#else
typedef uint16_t element;
#define FAR FAR16
#endif

// TILE_ROWS divides SOLVER_BLOCK.
#if defined __x86_64__ && VECTOR_BYTES == 64
#include <immintrin.h>
enum {
    REGISTER_BYTES = 64,
    TILE_ROWS = 12
};
#define REGISTER "+v"
#define MIN_OF_32(a, b) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#define MIN_OF_16(a, b) _mm512_min_epu16((__m512i)(a), (__m512i)(b))
#elif defined __x86_64__ && VECTOR_BYTES == 32
#include <immintrin.h>
enum {
    REGISTER_BYTES = 32,
    TILE_ROWS = 6
};
#define REGISTER "+x"
#define MIN_OF_32(a, b) _mm256_min_epi32((__m256i)(a), (__m256i)(b))
#define MIN_OF_16(a, b) _mm256_min_epu16((__m256i)(a), (__m256i)(b))
#elif defined __aarch64__
#include <arm_neon.h>
enum {
    REGISTER_BYTES = 16,
    TILE_ROWS = 12
};
#define REGISTER "+w"
#define MIN_OF_32(a, b) vminq_s32((int32x4_t)(a), (int32x4_t)(b))
#define MIN_OF_16(a, b) vminq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#else
enum {
    REGISTER_BYTES = 16,
    TILE_ROWS = 4
};
#define REGISTER "+m"
#endif

typedef element vector __attribute__((vector_size(REGISTER_BYTES)));
typedef vector vector_in_memory __attribute__((aligned(4), may_alias));
typedef uint32_t word_vector __attribute__((vector_size(REGISTER_BYTES)));

enum {
    TILE_COLUMNS = 2 * REGISTER_BYTES / sizeof(element),
    CACHE_LINE_BYTES = 64,
    // The pivots of a tile in parts. Each part but the last ones also prefetches a row of the next tile.
    TILE_PARTS = TILE_ROWS * 4 / 3
};

ALWAYS_INLINE vector vector_of(element value) {
    return (vector){0} + value;
}

// On instruction sets without such a minimum the compiler builds one.
ALWAYS_INLINE vector vector_min(vector a, vector b) {
#ifdef MIN_OF_32
    return ELEMENT_BITS == 32 ? (vector)MIN_OF_32(a, b) : (vector)MIN_OF_16(a, b);
#else
    const vector less = (vector)(a < b);
    return (a & less) | (b & ~less);
#endif
}

// Hides a vector's value from the compiler.
ALWAYS_INLINE void vector_hide(vector *v) {
    __asm__ volatile("" : REGISTER(*v));
}

// A packed left factor: words that repeat an element, so that one load fills a vector with it.
struct left_factor {
    const uint32_t *words;
    size_t row_pitch, pivot_pitch;
};

// Data to prefetch meanwhile: a tile of the same pitch, and a line of each of TILE_ROWS pieces of a left factor.
struct next_tile {
    const element *tile;
    const uint32_t *left;
    size_t left_pitch;
};

// Prefetches row by row, because a core drops most requests of a burst.
ALWAYS_INLINE void prefetch_row(struct next_tile next, size_t pitch, size_t row) {
    const char *line = (const char *)(next.tile + row * pitch);
    for (size_t byte = 0; byte < 2 * REGISTER_BYTES; byte += CACHE_LINE_BYTES) {
        __builtin_prefetch(line + byte);
    }
    __builtin_prefetch(next.left + row * next.left_pitch);
}

// tile = min(tile, left (x) right) over `depth` pivots, in registers. A row of right has TILE_COLUMNS elements. The
// tile may be a part of right: it is read first and written last.
ALWAYS_INLINE void multiply_tile(element *tile, size_t pitch, struct left_factor left, const element *right,
                                 size_t depth, struct next_tile next) {
    vector sum[TILE_ROWS][2];
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        const vector_in_memory *from = (const void *)(tile + row * pitch);
        sum[row][0] = from[0];
        sum[row][1] = from[1];
    }
    for (size_t part = 0, k = 0; part < TILE_PARTS; part++) {
        if (part < TILE_ROWS) {
            prefetch_row(next, pitch, part);
        }
        for (const size_t end = depth * (part + 1) / TILE_PARTS; k < end; k++) {
            const vector_in_memory *from = (const void *)(right + k * TILE_COLUMNS);
            const vector first = from[0], second = from[1];
            UNROLL(16)
            for (size_t row = 0; row < TILE_ROWS; row++) {
                const uint32_t word = left.words[row * left.row_pitch + k * left.pivot_pitch];
                const vector one = (vector)((word_vector){0} + word);
                sum[row][0] = vector_min(sum[row][0], one + first);
                sum[row][1] = vector_min(sum[row][1], one + second);
            }
        }
    }
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        vector_in_memory *to = (void *)(tile + row * pitch);
        to[0] = sum[row][0];
        to[1] = sum[row][1];
    }
}

// An element as a word of a left factor.
ALWAYS_INLINE uint32_t left_word(element value) {
    return ELEMENT_BITS == 32 ? (uint32_t)value : (uint32_t)value << 16 | (uint32_t)value;
}

// Runs only independent add-min instructions: `rounds` of a whole register tile. Returns the number of updates.
static double add_min_alone(uint64_t rounds) {
    vector sum[TILE_ROWS][2], one = vector_of(3), other = vector_of(5);
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        sum[row][0] = sum[row][1] = vector_of((element)(1003 + row));
        vector_hide(&sum[row][0]);
        vector_hide(&sum[row][1]);
    }
    for (uint64_t round = 0; round < rounds; round++) {
        UNROLL(16)
        for (size_t row = 0; row < TILE_ROWS; row++) {
            vector_hide(&one);
            sum[row][0] = vector_min(sum[row][0], one + other);
            vector_hide(&one);
            sum[row][1] = vector_min(sum[row][1], one + other);
        }
    }
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        vector_hide(&sum[row][0]);
        vector_hide(&sum[row][1]);
    }
    return (double)rounds * (double)TILE_ROWS * (double)TILE_COLUMNS;
}

// ---- The solver ----

enum {
    BLOCK = SOLVER_BLOCK,
    INNER_BLOCK = 48, // pivots per round within a block
    PART_TILES = 16,
    PART_PANELS = 16, // 240 rows of a panel are 30 KiB with the widest vectors: 16 fill half of a second-level cache
    // Words of a packed row: the panels that overlap a block, also for narrow distances, which may have to be solved
    // again with wide ones. The 4 more put the rows of a tile into different banks of the first-level cache.
    LEFT_PITCH = (BLOCK + 2 * REGISTER_BYTES - 1) / REGISTER_BYTES * REGISTER_BYTES + 4
};

struct range {
    size_t begin, end;
};

static bool contains(struct range range, size_t index) {
    return index >= range.begin && index < range.end;
}

// A matrix that is solved in rounds of `block` pivots, with the memory for its packed factors. FAR pads rows and
// columns to whole tiles.
struct level {
    element *w;
    size_t panel_size; // in elements
    size_t vertices, block;
    uint32_t *pivot;     // D, packed
    uint32_t *left;      // w[*][K], packed
    struct level *inner; // solves a block's closure; NULL: the plain algorithm does
};

static size_t tiles_in(size_t rows) {
    return (rows + TILE_ROWS - 1) / TILE_ROWS;
}

static size_t panels_in(size_t columns) {
    return (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
}

static element *element_at(const struct level *level, size_t row, size_t column) {
    return level->w + column / TILE_COLUMNS * level->panel_size + row * TILE_COLUMNS + column % TILE_COLUMNS;
}

static element *tile_at(const struct level *level, size_t tile, size_t panel) {
    return level->w + panel * level->panel_size + tile * TILE_ROWS * TILE_COLUMNS;
}

// The pivots of a round, and the tiles and panels that overlap them; none after the last vertex.
struct pivots {
    size_t first, depth;
    struct range tiles, panels;
};

static struct pivots pivots_at(const struct level *level, size_t first) {
    if (first >= level->vertices) {
        return (struct pivots){0};
    }
    const size_t depth = smaller(level->block, level->vertices - first);
    return (struct pivots){
        .first = first,
        .depth = depth,
        .tiles = {first / TILE_ROWS, tiles_in(first + depth)},
        .panels = {first / TILE_COLUMNS, panels_in(first + depth)},
    };
}

// Columns K of a row tile, row by row in whole panels.
static void pack_panels(uint32_t *left, const struct level *level, const struct pivots *k, size_t tile) {
    for (size_t panel = k->panels.begin; panel < k->panels.end; panel++, left += TILE_COLUMNS) {
        const element *from = tile_at(level, tile, panel);
        for (size_t row = 0; row < TILE_ROWS; row++) {
            for (size_t i = 0; i < TILE_COLUMNS; i++) {
                left[row * LEFT_PITCH + i] = left_word(from[row * TILE_COLUMNS + i]);
            }
        }
    }
}

// The left factor of a tile that pack_panels packed.
static struct left_factor left_of(const uint32_t *packed, const struct pivots *k, size_t tile) {
    const uint32_t *words = packed + tile * TILE_ROWS * LEFT_PITCH + k->first % TILE_COLUMNS;
    return (struct left_factor){words, LEFT_PITCH, 1};
}

// ---- Step 1 ----

// The plain algorithm on K. It updates whole panels, because paths through these pivots are valid for every column.
static void solve_plainly(const struct level *level, const struct pivots *k) {
    for (size_t pivot = k->first; pivot < k->first + k->depth; pivot++) {
        for (size_t row = k->first; row < k->first + k->depth; row++) {
            const vector one = vector_of(*element_at(level, row, pivot));
            for (size_t panel = k->panels.begin; panel < k->panels.end; panel++) {
                const vector_in_memory *from = (const void *)element_at(level, pivot, panel * TILE_COLUMNS);
                vector_in_memory *to = (void *)element_at(level, row, panel * TILE_COLUMNS);
                to[0] = vector_min(to[0], one + from[0]);
                to[1] = vector_min(to[1], one + from[1]);
            }
        }
    }
}

// Copies `depth` rows and columns, in pieces within one panel of both matrices.
static void copy_block(const struct level *to, size_t to_first, const struct level *from, size_t from_first,
                       size_t depth) {
    for (size_t column = 0, count; column < depth; column += count) {
        const size_t to_left = TILE_COLUMNS - (to_first + column) % TILE_COLUMNS;
        const size_t from_left = TILE_COLUMNS - (from_first + column) % TILE_COLUMNS;
        count = smaller(smaller(to_left, from_left), depth - column);
        for (size_t row = 0; row < depth; row++) {
            memcpy(element_at(to, to_first + row, to_first + column),
                   element_at(from, from_first + row, from_first + column), count * sizeof(element));
        }
    }
}

static void solve(const struct level *level, struct progress *progress);

// Step 1, and D packed.
static void close_block(const struct level *level, const struct pivots *k) {
    if (level->inner) {
        level->inner->vertices = k->depth;
        copy_block(level->inner, 0, level, k->first, k->depth);
        solve(level->inner, NULL);
        copy_block(level, k->first, level->inner, 0, k->depth);
    } else {
        solve_plainly(level, k);
    }
    for (size_t tile = k->tiles.begin; tile < k->tiles.end; tile++) {
        pack_panels(level->pivot + (tile - k->tiles.begin) * TILE_ROWS * LEFT_PITCH, level, k, tile);
    }
}

// ---- Steps 2 and 3 ----

// Step 2 for one panel, in place: a row of w[K] that already is a row of R gives the same minima, because D is closed.
static void multiply_row_panel(const struct level *level, const struct pivots *k, size_t panel) {
    const element *right = element_at(level, k->first, panel * TILE_COLUMNS);
    for (size_t tile = k->tiles.begin; tile < k->tiles.end; tile++) {
        const struct left_factor left = left_of(level->pivot, k, tile - k->tiles.begin);
        element *at = tile_at(level, tile, panel);
        const uint32_t *next_left = left.words + TILE_ROWS * LEFT_PITCH;
        const struct next_tile next = {at + TILE_ROWS * TILE_COLUMNS, next_left, LEFT_PITCH};
        multiply_tile(at, TILE_COLUMNS, left, right, k->depth, next);
    }
}

// Step 3 for a row tile and some panels: its left factor stays in the first-level cache, the panels of R come from the
// second. The same panels of the tile below are prefetched.
static void multiply_rest_of_tile(const struct level *level, const struct pivots *k, size_t tile, struct range panels) {
    const size_t line = CACHE_LINE_BYTES / sizeof(uint32_t);
    const struct left_factor left = left_of(level->left, k, tile);
    const uint32_t *next_left = left.words + TILE_ROWS * LEFT_PITCH;
    for (size_t panel = panels.begin; panel < panels.end; panel++, next_left += line) {
        const bool last = panel + 1 == panels.end;
        const element *wanted = tile_at(level, last ? tile + 1 : tile, last ? panels.begin : panel + 1);
        const struct next_tile next = {wanted, next_left, LEFT_PITCH};
        const element *right = element_at(level, k->first, panel * TILE_COLUMNS);
        multiply_tile(tile_at(level, tile, panel), TILE_COLUMNS, left, right, k->depth, next);
    }
}

// Step 3 for PART_TILES row tiles and PART_PANELS panels, except for the next pivot block, which is ahead.
static void multiply_rest_part(const struct level *level, const struct pivots *k, const struct pivots *next,
                               size_t tile, size_t panel) {
    const size_t tile_end = smaller(tile + PART_TILES, tiles_in(level->vertices));
    const struct range panels = {panel, smaller(panel + PART_PANELS, panels_in(level->vertices))};
    for (size_t i = tile; i < tile_end; i++) {
        if (contains(k->tiles, i)) {
            continue;
        }
        if (contains(next->tiles, i)) {
            const size_t end = smaller(panels.end, next->panels.begin);
            const size_t begin = larger(panels.begin, next->panels.end);
            multiply_rest_of_tile(level, k, i, (struct range){panels.begin, end});
            multiply_rest_of_tile(level, k, i, (struct range){begin, panels.end});
        } else {
            multiply_rest_of_tile(level, k, i, panels);
        }
    }
}

// Steps 3 and 1 for the next pivot block, by one thread while the others do the rest.
static void close_next_block(const struct level *level, const struct pivots *k, const struct pivots *next) {
    for (size_t tile = next->tiles.begin; tile < next->tiles.end; tile++) {
        multiply_rest_of_tile(level, k, tile, next->panels);
    }
    close_block(level, next);
}

// A round by all threads of a team; its pivot block is closed.
static void solve_round(const struct level *level, size_t first) {
    const struct pivots k = pivots_at(level, first), next = pivots_at(level, first + k.depth);
    const size_t tiles = tiles_in(level->vertices), panels = panels_in(level->vertices);
#pragma omp for schedule(dynamic, 4) nowait
    for (size_t panel = 0; panel < panels; panel++) {
        multiply_row_panel(level, &k, panel);
    }
#pragma omp for schedule(dynamic, 16)
    for (size_t tile = 0; tile < tiles; tile++) {
        if (!contains(k.tiles, tile)) {
            pack_panels(level->left + tile * TILE_ROWS * LEFT_PITCH, level, &k, tile);
        }
    }
#pragma omp single nowait
    close_next_block(level, &k, &next);
#pragma omp for schedule(dynamic) collapse(2)
    for (size_t panel = 0; panel < panels; panel += PART_PANELS) {
        for (size_t tile = 0; tile < tiles; tile += PART_TILES) {
            multiply_rest_part(level, &k, &next, tile, panel);
        }
    }
}

static void solve(const struct level *level, struct progress *progress) {
    const struct pivots k = pivots_at(level, 0);
    close_block(level, &k);
#pragma omp parallel if (level->inner)
    for (size_t first = 0; first < level->vertices; first += level->block) {
        solve_round(level, first);
#pragma omp master
        apsp_round_done(progress);
    }
}

// ---- Memory, and the matrix in and out ----

// Hands out pieces of memory, or counts the bytes if there is none.
struct pool {
    char *memory;
    size_t bytes;
};

static void *pool_take(struct pool *pool, size_t bytes) {
    void *piece = pool->memory ? pool->memory + pool->bytes : NULL;
    pool->bytes += (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
    return piece;
}

// Rows from one panel to the next: an odd multiple of 256, so that the rows K of several panels spread over the sets of
// the second-level cache, and 16 more, so that neighbouring tiles lie in different sets of the first.
static size_t panel_rows(size_t vertices) {
    return (vertices + TILE_ROWS + 255) / 512 * 512 + 256 + 16;
}

static struct level take_level(struct pool *pool, size_t vertices, size_t block) {
    const size_t rows = tiles_in(vertices) * TILE_ROWS;
    struct level level = {.vertices = vertices, .block = block, .panel_size = panel_rows(vertices) * TILE_COLUMNS};
    level.w = pool_take(pool, panels_in(vertices) * level.panel_size * sizeof(element));
    level.pivot = pool_take(pool, tiles_in(block) * TILE_ROWS * LEFT_PITCH * sizeof(uint32_t));
    level.left = pool_take(pool, rows * LEFT_PITCH * sizeof(uint32_t));
    return level;
}

// The minimum number of rounds, all alike, because even a short one walks the whole matrix.
static size_t block_of(size_t vertices) {
    const size_t rounds = (vertices + BLOCK - 1) / BLOCK;
    return tiles_in((vertices + rounds - 1) / rounds) * TILE_ROWS;
}

static size_t scratch_bytes(size_t vertices) {
    struct pool pool = {0};
    take_level(&pool, vertices, block_of(vertices));
    take_level(&pool, BLOCK, INNER_BLOCK);
    return pool.bytes;
}

ALWAYS_INLINE void load_elements(element *to, const int32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] < (int32_t)FAR ? (element)from[i] : FAR;
    }
}

// Returns the largest distance below FAR.
ALWAYS_INLINE int32_t store_elements(int32_t *to, const element *from, size_t count) {
    int32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t distance = from[i], reached = distance < (int32_t)FAR ? distance : 0;
        to[i] = distance < (int32_t)FAR ? distance : UNREACHABLE;
        largest = reached > largest ? reached : largest;
    }
    return largest;
}

// The piece of a row within a panel: whole pieces have a constant size and become vectors.
static void load_piece(element *to, const int32_t *from, size_t count) {
    if (count == TILE_COLUMNS) {
        load_elements(to, from, TILE_COLUMNS);
    } else {
        load_elements(to, from, count);
        for (size_t i = count; i < TILE_COLUMNS; i++) {
            to[i] = FAR;
        }
    }
}

static int32_t store_piece(int32_t *to, const element *from, size_t count) {
    return count == TILE_COLUMNS ? store_elements(to, from, TILE_COLUMNS) : store_elements(to, from, count);
}

static void load_matrix(const struct level *level, const int32_t *input) {
    const size_t n = level->vertices, tiles = tiles_in(n);
#pragma omp parallel for schedule(static)
    for (size_t tile = 0; tile < tiles; tile++) {
        for (size_t column = 0; column < n; column += TILE_COLUMNS) {
            const size_t count = smaller(TILE_COLUMNS, n - column);
            for (size_t row = tile * TILE_ROWS; row < (tile + 1) * TILE_ROWS; row++) {
                load_piece(element_at(level, row, column), input + row * n + column, row < n ? count : 0);
            }
        }
    }
}

// Returns the largest distance below FAR.
static int32_t store_matrix(const struct level *level, int32_t *output) {
    const size_t n = level->vertices, tiles = tiles_in(n);
    int32_t largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (size_t tile = 0; tile < tiles; tile++) {
        for (size_t column = 0; column < n; column += TILE_COLUMNS) {
            const size_t count = smaller(TILE_COLUMNS, n - column);
            for (size_t row = tile * TILE_ROWS; row < smaller((tile + 1) * TILE_ROWS, n); row++) {
                const int32_t piece = store_piece(output + row * n + column, element_at(level, row, column), count);
                largest = piece > largest ? piece : largest;
            }
        }
    }
    return largest;
}

static int32_t run(const int32_t *input, int32_t *output, void *scratch, size_t vertices, struct progress *progress) {
    struct pool pool = {.memory = scratch};
    struct level outer = take_level(&pool, vertices, block_of(vertices));
    struct level inner = take_level(&pool, BLOCK, INNER_BLOCK);
    outer.inner = &inner;
    for (size_t i = 0; i < panels_in(BLOCK) * inner.panel_size; i++) {
        inner.w[i] = FAR; // blocks are copied in without their padding
    }
    load_matrix(&outer, input);
    solve(&outer, progress);
    return store_matrix(&outer, output);
}

// ---- The multiply alone ----

static void pack_left(uint32_t *packed, const void *from, size_t pitch, size_t rows, size_t depth) {
    for (size_t tile = 0; tile < rows; tile += TILE_ROWS) {
        for (size_t row = 0; row < TILE_ROWS; row++) {
            const element *at = (const element *)from + (tile + row) * pitch;
            for (size_t i = 0; i < depth; i++) {
                packed[tile * depth + i * TILE_ROWS + row] = left_word(at[i]);
            }
        }
    }
}

static void pack_right(void *packed, const void *from, size_t pitch, size_t columns, size_t depth) {
    element *to = packed;
    for (size_t column = 0; column < columns; column += TILE_COLUMNS) {
        for (size_t k = 0; k < depth; k++, to += TILE_COLUMNS) {
            memcpy(to, (const element *)from + k * pitch + column, TILE_COLUMNS * sizeof(element));
        }
    }
}

static void multiply(void *w, size_t pitch, size_t rows, size_t columns, const uint32_t *left, const void *right,
                     size_t depth) {
    const size_t line = CACHE_LINE_BYTES / sizeof(uint32_t);
    for (size_t row = 0; row < rows; row += TILE_ROWS) {
        const struct left_factor factor = {left + row * depth, 1, TILE_ROWS};
        for (size_t column = 0; column < columns; column += TILE_COLUMNS) {
            element *at = (element *)w + row * pitch + column;
            const struct next_tile next = {
                column + TILE_COLUMNS < columns ? at + TILE_COLUMNS : (element *)w + (row + TILE_ROWS) * pitch,
                factor.words + TILE_ROWS * depth + column / TILE_COLUMNS * TILE_ROWS * line,
                line,
            };
            multiply_tile(at, pitch, factor, (const element *)right + column * depth, depth, next);
        }
    }
}

#define JOIN(isa, bits) solver_##isa##_##bits
#define SOLVER(isa, bits) JOIN(isa, bits)
const struct solver SOLVER(ISA, ELEMENT_BITS) = {
    .scratch_bytes = scratch_bytes,
    .run = run,
    .bare = add_min_alone,
    .tile_rows = TILE_ROWS,
    .tile_columns = TILE_COLUMNS,
    .pack_left = pack_left,
    .pack_right = pack_right,
    .multiply = multiply,
};
