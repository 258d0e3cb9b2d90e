// The packed min-plus multiply and the solver around it, for one kind of vector and one width of element. Included once
// for each, with
//   VECTOR(name)      the name that a definition gets
//   VECTOR_BYTES      a vector's size
//   VECTOR_TARGET     the attribute by which the compiler may use its instructions
//   VECTOR_ROWS       rows of a register tile, a divisor of BLOCK; it is two vectors wide
//   VECTOR_MIN(a, b)  of vectors
//   VECTOR_ADD(a, b)  of vectors; at 16 bits it saturates
//   VECTOR_OPAQUE(v)  makes the compiler forget what it knows of a vector
//   ELEMENT           int32_t or uint16_t
//   FAR               the element that stands for UNREACHABLE
// No include guard, on purpose.
//
// One round of the solver, for the pivots K = k to k + depth - 1 of the matrix w:
//   1. closure   D = w[K][K], all its paths within K
//   2. row       R = D (x) w[K][*]: packed as the multiply reads it, and back into w
//   3. rest      w = min(w, w[*][K] (x) R) in all rows but K
// where (x) is the min-plus multiply. The column w[*][K] needs no step of its own: it is multiplied by R, which has D
// in its columns K. So a round costs vertices^2 * depth updates, as many as the plain algorithm, and depth^3 for the
// closure.
#define COLUMNS (2 * VECTOR_BYTES / sizeof(ELEMENT))

typedef ELEMENT VECTOR(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef VECTOR(vector) VECTOR(anywhere) __attribute__((aligned(4), may_alias)); // in memory
typedef uint32_t VECTOR(words) __attribute__((vector_size(VECTOR_BYTES)));

// A tile of w in registers takes the paths over depth pivots: left is packed by columns of VECTOR_ROWS elements, each
// repeated to 32 bits; right by rows of COLUMNS.
VECTOR_TARGET static inline __attribute__((always_inline)) void
VECTOR(multiply_tile)(ELEMENT *tile, size_t pitch, const uint32_t *left, const ELEMENT *right, size_t depth) {
    VECTOR(vector) sum[VECTOR_ROWS][2];
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        const VECTOR(anywhere) *from = (const void *)(tile + row * pitch);
        sum[row][0] = from[0];
        sum[row][1] = from[1];
    }
    for (size_t k = 0; k < depth; k++) {
        const VECTOR(anywhere) *from = (const void *)(right + k * COLUMNS);
        const VECTOR(vector) first = from[0], second = from[1];
        UNROLL
        for (size_t row = 0; row < VECTOR_ROWS; row++) {
            const VECTOR(vector) one = (VECTOR(vector))((VECTOR(words)){0} + left[k * VECTOR_ROWS + row]);
            sum[row][0] = VECTOR_MIN(sum[row][0], VECTOR_ADD(one, first));
            sum[row][1] = VECTOR_MIN(sum[row][1], VECTOR_ADD(one, second));
        }
    }
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        VECTOR(anywhere) *to = (void *)(tile + row * pitch);
        to[0] = sum[row][0];
        to[1] = sum[row][1];
    }
}

// The lines of a tile that is wanted next.
static inline void VECTOR(prefetch_tile)(const ELEMENT *tile, size_t pitch) {
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        const char *line = (const char *)(tile + row * pitch);
        for (size_t byte = 0; byte < 2 * VECTOR_BYTES; byte += LINE_BYTES) {
            __builtin_prefetch(line + byte, 1);
        }
    }
}

// A matrix that is solved in rounds of `block` pivots, with the room for its packed factors. Rows are filled up to
// whole tiles with FAR, and columns.
struct VECTOR(level) {
    ELEMENT *w;
    size_t pitch, vertices, block;
    uint32_t *pivot;              // D, packed as a left factor
    uint32_t *left;               // w[*][K], packed
    ELEMENT *right;               // R, packed
    struct VECTOR(level) * inner; // solves a block's closure; NULL: the plain algorithm does
};

static inline size_t VECTOR(tiles)(size_t rows) {
    return (rows + VECTOR_ROWS - 1) / VECTOR_ROWS;
}

static inline size_t VECTOR(panels)(size_t columns) {
    return (columns + COLUMNS - 1) / COLUMNS;
}

static inline size_t VECTOR(panel_size)(size_t depth) {
    return VECTOR(tiles)(depth) * VECTOR_ROWS * COLUMNS;
}

VECTOR_TARGET static void VECTOR(pack_left)(uint32_t *left, const ELEMENT *from, size_t pitch, size_t depth) {
    const uint32_t repeat = sizeof(ELEMENT) == 2 ? 0x10001 : 1;
    for (size_t k = 0; k < depth; k++) {
        for (size_t row = 0; row < VECTOR_ROWS; row++) {
            left[k * VECTOR_ROWS + row] = (uint32_t)from[row * pitch + k] * repeat;
        }
    }
}

// The plain algorithm on vertices `first` to first + depth - 1. Columns up to the next whole vector come along: paths
// through these pivots are theirs too.
VECTOR_TARGET static void VECTOR(plain)(const struct VECTOR(level) * level, size_t first, size_t depth) {
    const size_t vectors = (depth * sizeof(ELEMENT) + VECTOR_BYTES - 1) / VECTOR_BYTES;
    ELEMENT *w = level->w + first * level->pitch + first;
    for (size_t k = 0; k < depth; k++) {
        const VECTOR(anywhere) *pivot = (const void *)(w + k * level->pitch);
        for (size_t row = 0; row < depth; row++) {
            VECTOR(anywhere) *to = (void *)(w + row * level->pitch);
            const VECTOR(vector) one = (VECTOR(vector)){0} + w[row * level->pitch + k];
            for (size_t i = 0; i < vectors; i++) {
                to[i] = VECTOR_MIN(to[i], VECTOR_ADD(one, pivot[i]));
            }
        }
    }
}

static void VECTOR(solve)(const struct VECTOR(level) * level, struct progress *progress);

// Step 1, and D packed.
static void VECTOR(close_block)(const struct VECTOR(level) * level, size_t first, size_t depth) {
    const struct VECTOR(level) *from = level;
    const ELEMENT *block = level->w + first * level->pitch + first;
    if (level->inner) {
        level->inner->vertices = depth;
        for (size_t row = 0; row < depth; row++) {
            memcpy(level->inner->w + row * level->inner->pitch, block + row * level->pitch, depth * sizeof(ELEMENT));
        }
        VECTOR(solve)(level->inner, NULL);
        from = level->inner;
        block = from->w;
    } else {
        VECTOR(plain)(level, first, depth);
    }
    for (size_t tile = 0; tile < VECTOR(tiles)(depth); tile++) {
        VECTOR(pack_left)
        (level->pivot + tile * VECTOR_ROWS * depth, block + tile * VECTOR_ROWS * from->pitch, from->pitch, depth);
    }
}

// Step 2 for one panel of columns.
VECTOR_TARGET static void VECTOR(row_panel)(const struct VECTOR(level) * level, size_t first, size_t depth,
                                            size_t panel) {
    ELEMENT old[BLOCK * COLUMNS] __attribute__((aligned(LINE_BYTES)));
    ELEMENT *packed = level->right + panel * VECTOR(panel_size)(depth);
    ELEMENT *rows = level->w + first * level->pitch + panel * COLUMNS;
    for (size_t k = 0; k < depth; k++) {
        memcpy(old + k * COLUMNS, rows + k * level->pitch, COLUMNS * sizeof(ELEMENT));
    }
    memcpy(packed, old, depth * COLUMNS * sizeof(ELEMENT));
    for (size_t tile = 0; tile < VECTOR(tiles)(depth); tile++) {
        VECTOR(multiply_tile)
        (packed + tile * VECTOR_ROWS * COLUMNS, COLUMNS, level->pivot + tile * VECTOR_ROWS * depth, old, depth);
    }
    for (size_t k = 0; k < depth; k++) {
        memcpy(rows + k * level->pitch, packed + k * COLUMNS, COLUMNS * sizeof(ELEMENT));
    }
}

// Step 3 for PART_TILES row tiles from `tile` on and PART_PANELS panels from `panel` on: a row tile's left factor stays
// in the first cache, the panels of R come from the second, and w is walked along its rows.
VECTOR_TARGET static void VECTOR(rest_part)(const struct VECTOR(level) * level, size_t first, size_t depth, size_t tile,
                                            size_t panel) {
    const size_t pivot_tile = first / VECTOR_ROWS, pivot_end = VECTOR(tiles)(first + depth);
    const size_t tile_end = smaller(tile + PART_TILES, VECTOR(tiles)(level->vertices));
    const size_t panel_end = smaller(panel + PART_PANELS, VECTOR(panels)(level->vertices));
    for (size_t i = tile; i < tile_end; i++) {
        if (i >= pivot_tile && i < pivot_end) {
            continue;
        }
        for (size_t j = panel; j < panel_end; j++) {
            ELEMENT *at = level->w + i * VECTOR_ROWS * level->pitch + j * COLUMNS;
            VECTOR(prefetch_tile)(at + COLUMNS, level->pitch);
            VECTOR(multiply_tile)
            (at, level->pitch, level->left + i * VECTOR_ROWS * depth, level->right + j * VECTOR(panel_size)(depth),
             depth);
        }
    }
}

static void VECTOR(solve_round)(const struct VECTOR(level) * level, size_t first, size_t depth) {
    const size_t tiles = VECTOR(tiles)(level->vertices), panels = VECTOR(panels)(level->vertices);
    VECTOR(close_block)(level, first, depth);
#pragma omp parallel if (level->inner)
    {
#pragma omp for schedule(static) nowait
        for (size_t panel = 0; panel < panels; panel++) {
            VECTOR(row_panel)(level, first, depth, panel);
        }
#pragma omp for schedule(static)
        for (size_t tile = 0; tile < tiles; tile++) {
            VECTOR(pack_left)
            (level->left + tile * VECTOR_ROWS * depth, level->w + tile * VECTOR_ROWS * level->pitch + first,
             level->pitch, depth);
        }
#pragma omp for schedule(dynamic) collapse(2)
        for (size_t tile = 0; tile < tiles; tile += PART_TILES) {
            for (size_t panel = 0; panel < panels; panel += PART_PANELS) {
                VECTOR(rest_part)(level, first, depth, tile, panel);
            }
        }
    }
}

static void VECTOR(solve)(const struct VECTOR(level) * level, struct progress *progress) {
    for (size_t first = 0; first < level->vertices; first += level->block) {
        VECTOR(solve_round)(level, first, smaller(level->block, level->vertices - first));
        show_rounds(progress);
    }
}

// ---- Around it: memory, and the matrix in and out ----

// Carves a level out of memory; with no memory it only counts the bytes. A line more than a power of two keeps the rows
// of a tile out of one another's place in the cache.
static void VECTOR(carve)(struct carver *carver, struct VECTOR(level) * level, size_t vertices, size_t block) {
    const size_t rows = VECTOR(tiles)(vertices) * VECTOR_ROWS, columns = VECTOR(panels)(vertices) * COLUMNS;
    level->vertices = vertices;
    level->block = block;
    level->pitch = columns + LINE_BYTES / sizeof(ELEMENT);
    level->w = carve(carver, rows * level->pitch * sizeof(ELEMENT));
    level->pivot = carve(carver, (block + VECTOR_ROWS) * block * sizeof(uint32_t));
    level->left = carve(carver, rows * block * sizeof(uint32_t));
    level->right = carve(carver, columns * (block + VECTOR_ROWS) * sizeof(ELEMENT));
}

static size_t VECTOR(scratch_bytes)(size_t vertices) {
    struct carver carver = {0};
    struct VECTOR(level) outer, inner;
    VECTOR(carve)(&carver, &outer, vertices, BLOCK);
    VECTOR(carve)(&carver, &inner, BLOCK, INNER_BLOCK);
    return carver.bytes;
}

VECTOR_TARGET static void VECTOR(take_in)(const struct VECTOR(level) * level, const int32_t *input) {
    const size_t n = level->vertices, rows = VECTOR(tiles)(n) * VECTOR_ROWS;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; row++) {
        ELEMENT *to = level->w + row * level->pitch;
        const size_t count = row < n ? n : 0;
        for (size_t i = 0; i < count; i++) {
            const int32_t distance = input[row * n + i];
            to[i] = distance < (int32_t)FAR ? (ELEMENT)distance : FAR;
        }
        for (size_t i = count; i < level->pitch; i++) {
            to[i] = FAR;
        }
    }
}

// Returns the largest distance below FAR.
VECTOR_TARGET static int32_t VECTOR(give_back)(const struct VECTOR(level) * level, int32_t *output) {
    const size_t n = level->vertices;
    int32_t most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (size_t row = 0; row < n; row++) {
        const ELEMENT *from = level->w + row * level->pitch;
        for (size_t i = 0; i < n; i++) {
            const bool reached = from[i] < FAR;
            output[row * n + i] = reached ? (int32_t)from[i] : UNREACHABLE;
            most = reached && (int32_t)from[i] > most ? (int32_t)from[i] : most;
        }
    }
    return most;
}

static int32_t VECTOR(run)(const int32_t *input, int32_t *output, void *scratch, size_t vertices,
                           struct progress *progress) {
    struct carver carver = {.memory = scratch};
    struct VECTOR(level) outer, inner;
    VECTOR(carve)(&carver, &outer, vertices, BLOCK);
    VECTOR(carve)(&carver, &inner, BLOCK, INNER_BLOCK);
    outer.inner = &inner;
    inner.inner = NULL;
    for (size_t i = 0; i < BLOCK * inner.pitch; i++) {
        inner.w[i] = FAR; // what is copied in leaves the last columns as they are
    }
    VECTOR(take_in)(&outer, input);
    VECTOR(solve)(&outer, progress);
    return VECTOR(give_back)(&outer, output);
}

// Adds and minima alone, none waiting for another: `rounds` times 2 * VECTOR_ROWS of each. Returns the updates done.
VECTOR_TARGET static double VECTOR(bare)(uint64_t rounds) {
    VECTOR(vector) sum[VECTOR_ROWS][2], one = (VECTOR(vector)){0} + 3, other = one + 2;
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        sum[row][0] = sum[row][1] = one + (ELEMENT)(1000 + row);
        VECTOR_OPAQUE(sum[row][0]);
        VECTOR_OPAQUE(sum[row][1]);
    }
    for (uint64_t round = 0; round < rounds; round++) {
        UNROLL
        for (size_t row = 0; row < VECTOR_ROWS; row++) {
            VECTOR_OPAQUE(one);
            sum[row][0] = VECTOR_MIN(sum[row][0], VECTOR_ADD(one, other));
            VECTOR_OPAQUE(one);
            sum[row][1] = VECTOR_MIN(sum[row][1], VECTOR_ADD(one, other));
        }
    }
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        VECTOR_OPAQUE(sum[row][0]);
        VECTOR_OPAQUE(sum[row][1]);
    }
    return (double)rounds * VECTOR_ROWS * COLUMNS;
}

// ---- The multiply by itself ----

VECTOR_TARGET static void VECTOR(pack_left_rows)(uint32_t *packed, const void *from, size_t pitch, size_t rows,
                                                 size_t depth) {
    for (size_t row = 0; row < rows; row += VECTOR_ROWS) {
        VECTOR(pack_left)(packed + row * depth, (const ELEMENT *)from + row * pitch, pitch, depth);
    }
}

VECTOR_TARGET static void VECTOR(pack_right_columns)(void *packed, const void *from, size_t pitch, size_t columns,
                                                     size_t depth) {
    ELEMENT *to = packed;
    for (size_t column = 0; column < columns; column += COLUMNS) {
        for (size_t k = 0; k < depth; k++, to += COLUMNS) {
            memcpy(to, (const ELEMENT *)from + k * pitch + column, COLUMNS * sizeof(ELEMENT));
        }
    }
}

VECTOR_TARGET static void VECTOR(multiply)(void *w, size_t pitch, size_t rows, size_t columns, const uint32_t *left,
                                           const void *right, size_t depth) {
    for (size_t row = 0; row < rows; row += VECTOR_ROWS) {
        for (size_t column = 0; column < columns; column += COLUMNS) {
            ELEMENT *at = (ELEMENT *)w + row * pitch + column;
            VECTOR(prefetch_tile)(at + COLUMNS, pitch);
            VECTOR(multiply_tile)
            (at, pitch, left + row * depth, (const ELEMENT *)right + column * depth, depth);
        }
    }
}

static const struct solver VECTOR(solver) = {
    .scratch_bytes = VECTOR(scratch_bytes),
    .run = VECTOR(run),
    .bare = VECTOR(bare),
    .tile_rows = VECTOR_ROWS,
    .tile_columns = COLUMNS,
    .pack_left = VECTOR(pack_left_rows),
    .pack_right = VECTOR(pack_right_columns),
    .multiply = VECTOR(multiply),
};

#undef COLUMNS
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
#undef VECTOR_ROWS
#undef VECTOR_MIN
#undef VECTOR_ADD
#undef VECTOR_OPAQUE
#undef ELEMENT
#undef FAR
