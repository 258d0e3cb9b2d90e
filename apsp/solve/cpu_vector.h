// The packed min-plus multiply and the solver around it, for one kind of vector and one width of element. Included once
// for each, with
//   VECTOR(name)      the name that a definition gets
//   VECTOR_BYTES      a vector's size
//   VECTOR_TARGET     the attribute by which the compiler may use its instructions
//   VECTOR_ROWS       rows of a register tile, a divisor of BLOCK; it is two vectors wide
//   VECTOR_MIN(a, b)  of vectors
//   VECTOR_OPAQUE(v)  makes the compiler forget what it knows of a vector
//   ELEMENT           int32_t or uint16_t
//   FAR               the element that stands for UNREACHABLE; twice it still is an ELEMENT
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
#define PARTS                                                                                                          \
    (VECTOR_ROWS * 4 / 3) // of a tile's pivots: a row of the next tile is fetched beside each, none at the end

typedef ELEMENT VECTOR(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef VECTOR(vector) VECTOR(anywhere) __attribute__((aligned(4), may_alias)); // in memory
typedef uint32_t VECTOR(words) __attribute__((vector_size(VECTOR_BYTES)));

// What comes after a tile: another of the same pitch, and a part of the next left factor, VECTOR_ROWS lines of it.
struct VECTOR(next) {
    const ELEMENT *tile;
    const char *left;
};

// Row by row, while there is other work: in one burst most of it would be dropped.
static inline __attribute__((always_inline)) void VECTOR(prefetch)(struct VECTOR(next) next, size_t pitch, size_t row) {
    const char *line = (const char *)(next.tile + row * pitch);
    for (size_t byte = 0; byte < 2 * VECTOR_BYTES; byte += LINE_BYTES) {
        __builtin_prefetch(line + byte);
    }
    __builtin_prefetch(next.left + row * LINE_BYTES);
}

// A tile of w in registers takes the paths over depth pivots: left is packed by columns of VECTOR_ROWS elements, each
// repeated to 32 bits; right by rows of COLUMNS.
VECTOR_TARGET static inline __attribute__((always_inline)) void
VECTOR(multiply_tile)(ELEMENT *tile, size_t pitch, const uint32_t *left, const ELEMENT *right, size_t depth,
                      struct VECTOR(next) next) {
    VECTOR(vector) sum[VECTOR_ROWS][2];
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        const VECTOR(anywhere) *from = (const void *)(tile + row * pitch);
        sum[row][0] = from[0];
        sum[row][1] = from[1];
    }
    for (size_t part = 0, k = 0; part < PARTS; part++) {
        if (part < VECTOR_ROWS) {
            VECTOR(prefetch)(next, pitch, part);
        }
        for (const size_t end = depth * (part + 1) / PARTS; k < end; k++) {
            const VECTOR(anywhere) *from = (const void *)(right + k * COLUMNS);
            const VECTOR(vector) first = from[0], second = from[1];
            UNROLL
            for (size_t row = 0; row < VECTOR_ROWS; row++) {
                const VECTOR(vector) one = (VECTOR(vector))((VECTOR(words)){0} + left[k * VECTOR_ROWS + row]);
                sum[row][0] = VECTOR_MIN(sum[row][0], one + first);
                sum[row][1] = VECTOR_MIN(sum[row][1], one + second);
            }
        }
    }
    UNROLL
    for (size_t row = 0; row < VECTOR_ROWS; row++) {
        VECTOR(anywhere) *to = (void *)(tile + row * pitch);
        to[0] = sum[row][0];
        to[1] = sum[row][1];
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

// By lines of a row; the rows below are wanted next.
VECTOR_TARGET static void VECTOR(pack_left)(uint32_t *left, const ELEMENT *from, size_t pitch, size_t depth) {
    const uint32_t repeat = sizeof(ELEMENT) == 2 ? 0x10001 : 1;
    const size_t line = LINE_BYTES / sizeof(ELEMENT);
    for (size_t k = 0; k < depth; k += line) {
        const size_t end = smaller(k + line, depth);
        for (size_t row = 0; row < VECTOR_ROWS; row++) {
            __builtin_prefetch(from + (VECTOR_ROWS + row) * pitch + k);
            for (size_t i = k; i < end; i++) {
                left[i * VECTOR_ROWS + row] = (uint32_t)from[row * pitch + i] * repeat;
            }
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
                to[i] = VECTOR_MIN(to[i], one + pivot[i]);
            }
        }
    }
}

// The pivots of a round, and the tiles and panels that have a part of them; none behind the last vertex.
struct VECTOR(pivots) {
    size_t first, depth;
    struct range tiles, panels;
};

static inline struct VECTOR(pivots) VECTOR(pivots_at)(const struct VECTOR(level) * level, size_t first) {
    if (first >= level->vertices) {
        return (struct VECTOR(pivots)){0};
    }
    const size_t depth = smaller(level->block, level->vertices - first);
    return (struct VECTOR(pivots)){
        .first = first,
        .depth = depth,
        .tiles = {first / VECTOR_ROWS, VECTOR(tiles)(first + depth)},
        .panels = {first / COLUMNS, VECTOR(panels)(first + depth)},
    };
}

static void VECTOR(solve)(const struct VECTOR(level) * level, const struct apsp_progress *progress);

// Step 1, and D packed.
static void VECTOR(close_block)(const struct VECTOR(level) * level, const struct VECTOR(pivots) * k) {
    const struct VECTOR(level) *from = level;
    const ELEMENT *block = level->w + k->first * level->pitch + k->first;
    if (level->inner) {
        level->inner->vertices = k->depth;
        for (size_t row = 0; row < k->depth; row++) {
            memcpy(level->inner->w + row * level->inner->pitch, block + row * level->pitch, k->depth * sizeof(ELEMENT));
        }
        VECTOR(solve)(level->inner, NULL);
        from = level->inner;
        block = from->w;
    } else {
        VECTOR(plain)(level, k->first, k->depth);
    }
    for (size_t tile = 0; tile < VECTOR(tiles)(k->depth); tile++) {
        VECTOR(pack_left)
        (level->pivot + tile * VECTOR_ROWS * k->depth, block + tile * VECTOR_ROWS * from->pitch, from->pitch, k->depth);
    }
}

// Step 2 for one panel of columns; the one to its right is wanted next.
VECTOR_TARGET static void VECTOR(row_panel)(const struct VECTOR(level) * level, const struct VECTOR(pivots) * k,
                                            size_t panel) {
    ELEMENT old[BLOCK * COLUMNS] __attribute__((aligned(LINE_BYTES)));
    ELEMENT *packed = level->right + panel * VECTOR(panel_size)(k->depth);
    ELEMENT *rows = level->w + k->first * level->pitch + panel * COLUMNS;
    for (size_t row = 0; row < k->depth; row++) {
        memcpy(old + row * COLUMNS, rows + row * level->pitch, COLUMNS * sizeof(ELEMENT));
    }
    for (size_t tile = 0; tile < VECTOR(tiles)(k->depth); tile++) {
        const uint32_t *left = level->pivot + tile * VECTOR_ROWS * k->depth;
        ELEMENT *at = rows + tile * VECTOR_ROWS * level->pitch;
        const struct VECTOR(next) next = {at + COLUMNS, (const char *)(left + VECTOR_ROWS * k->depth)};
        VECTOR(multiply_tile)(at, level->pitch, left, old, k->depth, next);
    }
    for (size_t row = 0; row < k->depth; row++) {
        memcpy(packed + row * COLUMNS, rows + row * level->pitch, COLUMNS * sizeof(ELEMENT));
    }
}

// Step 3 for a row tile and some panels of it: its left factor stays in the first cache, the panels of R come from the
// second, and w is walked along its rows. The same panels of the tile below are wanted next.
VECTOR_TARGET static void VECTOR(rest_of_tile)(const struct VECTOR(level) * level, const struct VECTOR(pivots) * k,
                                               size_t tile, struct range panels) {
    const uint32_t *left = level->left + tile * VECTOR_ROWS * k->depth;
    const char *next_left = (const char *)(left + VECTOR_ROWS * k->depth);
    ELEMENT *row = level->w + tile * VECTOR_ROWS * level->pitch, *below = row + VECTOR_ROWS * level->pitch;
    for (size_t j = panels.begin; j < panels.end; j++) {
        const ELEMENT *right = level->right + j * VECTOR(panel_size)(k->depth);
        const struct VECTOR(next) next = {
            j + 1 < panels.end ? row + (j + 1) * COLUMNS : below + panels.begin * COLUMNS,
            next_left + (j - panels.begin) * VECTOR_ROWS * LINE_BYTES,
        };
        VECTOR(multiply_tile)(row + j * COLUMNS, level->pitch, left, right, k->depth, next);
    }
}

// Step 3 for PART_TILES row tiles and PART_PANELS panels, but for the next pivot block, which is ahead.
static void VECTOR(rest_part)(const struct VECTOR(level) * level, const struct VECTOR(pivots) * k,
                              const struct VECTOR(pivots) * next, size_t tile, size_t panel) {
    const size_t tile_end = smaller(tile + PART_TILES, VECTOR(tiles)(level->vertices));
    const struct range panels = {panel, smaller(panel + PART_PANELS, VECTOR(panels)(level->vertices))};
    for (size_t i = tile; i < tile_end; i++) {
        if (contains(k->tiles, i)) {
            continue;
        }
        if (contains(next->tiles, i)) {
            VECTOR(rest_of_tile)(level, k, i, (struct range){panels.begin, smaller(panels.end, next->panels.begin)});
            VECTOR(rest_of_tile)(level, k, i, (struct range){larger(panels.begin, next->panels.end), panels.end});
        } else {
            VECTOR(rest_of_tile)(level, k, i, panels);
        }
    }
}

// Steps 1 and 3 for the next pivot block, by one thread while the others are at the rest.
static void VECTOR(go_ahead)(const struct VECTOR(level) * level, const struct VECTOR(pivots) * k,
                             const struct VECTOR(pivots) * next) {
    for (size_t tile = next->tiles.begin; tile < next->tiles.end; tile++) {
        VECTOR(rest_of_tile)(level, k, tile, next->panels);
    }
    VECTOR(close_block)(level, next);
}

// A round by all threads of a team; its pivot block is closed.
static void VECTOR(solve_round)(const struct VECTOR(level) * level, size_t first) {
    const struct VECTOR(pivots) k = VECTOR(pivots_at)(level, first), next = VECTOR(pivots_at)(level, first + k.depth);
    const size_t tiles = VECTOR(tiles)(level->vertices), panels = VECTOR(panels)(level->vertices);
#pragma omp for schedule(dynamic, 4) nowait
    for (size_t panel = 0; panel < panels; panel++) {
        VECTOR(row_panel)(level, &k, panel);
    }
#pragma omp for schedule(dynamic, 16)
    for (size_t tile = 0; tile < tiles; tile++) {
        if (!contains(k.tiles, tile)) {
            VECTOR(pack_left)
            (level->left + tile * VECTOR_ROWS * k.depth, level->w + tile * VECTOR_ROWS * level->pitch + k.first,
             level->pitch, k.depth);
        }
    }
#pragma omp single nowait
    VECTOR(go_ahead)(level, &k, &next);
#pragma omp for schedule(dynamic) collapse(2)
    for (size_t panel = 0; panel < panels; panel += PART_PANELS) {
        for (size_t tile = 0; tile < tiles; tile += PART_TILES) {
            VECTOR(rest_part)(level, &k, &next, tile, panel);
        }
    }
}

static void VECTOR(solve)(const struct VECTOR(level) * level, const struct apsp_progress *progress) {
    const struct VECTOR(pivots) k = VECTOR(pivots_at)(level, 0);
    VECTOR(close_block)(level, &k);
#pragma omp parallel if (level->inner)
    for (size_t first = 0; first < level->vertices; first += level->block) {
        VECTOR(solve_round)(level, first);
#pragma omp master
        apsp_round_done(progress);
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

// As many rounds as there must be, all alike: a short one walks the whole matrix for little.
static size_t VECTOR(block_of)(size_t vertices) {
    const size_t rounds = (vertices + BLOCK - 1) / BLOCK;
    return VECTOR(tiles)((vertices + rounds - 1) / rounds) * VECTOR_ROWS;
}

static size_t VECTOR(scratch_bytes)(size_t vertices) {
    struct carver carver = {0};
    struct VECTOR(level) outer, inner;
    VECTOR(carve)(&carver, &outer, vertices, VECTOR(block_of)(vertices));
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
        int32_t row_most = 0; // a sum that threads share keeps the loop from being vectors
        for (size_t i = 0; i < n; i++) {
            const int32_t distance = from[i];
            const int32_t reached = distance < (int32_t)FAR ? distance : 0;
            output[row * n + i] = distance < (int32_t)FAR ? distance : UNREACHABLE;
            row_most = reached > row_most ? reached : row_most;
        }
        most = row_most > most ? row_most : most;
    }
    return most;
}

static int32_t VECTOR(run)(const int32_t *input, int32_t *output, void *scratch, size_t vertices,
                           const struct apsp_progress *progress) {
    struct carver carver = {.memory = scratch};
    struct VECTOR(level) outer, inner;
    VECTOR(carve)(&carver, &outer, vertices, VECTOR(block_of)(vertices));
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
            sum[row][0] = VECTOR_MIN(sum[row][0], one + other);
            VECTOR_OPAQUE(one);
            sum[row][1] = VECTOR_MIN(sum[row][1], one + other);
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
            const struct VECTOR(next) next = {
                column + COLUMNS < columns ? at + COLUMNS : (ELEMENT *)w + (row + VECTOR_ROWS) * pitch,
                (const char *)(left + (row + VECTOR_ROWS) * depth) + column / COLUMNS * VECTOR_ROWS * LINE_BYTES,
            };
            VECTOR(multiply_tile)
            (at, pitch, left + row * depth, (const ELEMENT *)right + column * depth, depth, next);
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
#undef PARTS
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
#undef VECTOR_ROWS
#undef VECTOR_MIN
#undef VECTOR_OPAQUE
#undef ELEMENT
#undef FAR
