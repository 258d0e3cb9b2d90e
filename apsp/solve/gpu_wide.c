#include "apsp/solve/gpu_wide.h"

#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_panel.h"

enum {
    PART = APSP_REGISTER_TILE, // rows and words of a block's part
    WORD = sizeof(uint32_t)
};

// ---- Places ----

static uint32_t words_of(const struct apsp_gpu *gpu, uint32_t columns) {
    return columns * gpu->settings.bits / 32;
}

static uint32_t pitch_of(const struct apsp_gpu *gpu) {
    return words_of(gpu, gpu->pitch);
}

static uint32_t tile_words(const struct apsp_gpu *gpu) {
    return words_of(gpu, gpu->settings.tile);
}

// The addresses of a tile of the matrix and of tiles in a pivot's panels.
static uint64_t tile_at(const struct apsp_gpu *gpu, uint32_t row, uint32_t column) {
    const uint64_t first = (uint64_t)row * gpu->settings.tile * pitch_of(gpu);
    return gpu->w + (first + (uint64_t)column * tile_words(gpu)) * WORD;
}

static uint64_t left_at(const struct apsp_gpu *gpu, uint32_t pivot, uint32_t row) {
    return gpu->left[pivot % 2] + (uint64_t)row * gpu->settings.tile * WORD;
}

static uint64_t right_at(const struct apsp_gpu *gpu, uint32_t pivot, uint32_t column) {
    return gpu->right[pivot % 2] + (uint64_t)column * tile_words(gpu) * WORD;
}

// ---- Launches ----

// Rows or columns of tiles.
struct range {
    uint32_t first, count;
};

// The right factor of a product.
enum factor {
    RIGHT_PANEL,
    OWN_TILE,       // the pivot's tile, which this GPU has closed
    RECEIVED_TILE,  // or has received
    ROWS_THEMSELVES // the rectangle is the factor, too, so the result goes to the right panel
};

// A rectangle of tiles, some of which are left out.
struct product {
    struct range rows, columns, skipped_rows, skipped_columns;
    enum factor factor;
};

// What two ranges have in common, counted from the beginning of the second one.
static struct range common(struct range skipped, struct range of) {
    const uint32_t skipped_end = skipped.first + skipped.count, end = of.first + of.count;
    const uint32_t from = skipped.first > of.first ? skipped.first : of.first;
    const uint32_t to = skipped_end < end ? skipped_end : end;
    return from < to ? (struct range){from - of.first, to - from} : (struct range){0, 0};
}

static enum status multiply(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, const struct product *p,
                            struct error *error) {
    const uint32_t high = gpu->settings.tile / PART, wide = tile_words(gpu) / PART; // parts of a tile
    const struct range rows = common(p->skipped_rows, p->rows), columns = common(p->skipped_columns, p->columns);
    const uint64_t w = tile_at(gpu, p->rows.first, p->columns.first), right = right_at(gpu, pivot, p->columns.first);
    const uint64_t factors[] = {[RIGHT_PANEL] = right,
                                [OWN_TILE] = tile_at(gpu, pivot, pivot),
                                [RECEIVED_TILE] = gpu->closed[pivot % 2],
                                [ROWS_THEMSELVES] = w};
    const struct apsp_product product = {
        .to = p->factor == ROWS_THEMSELVES ? right : w,
        .w = {w, pitch_of(gpu)},
        .left = {left_at(gpu, pivot, p->rows.first), gpu->pitch},
        .right = {factors[p->factor], p->factor == RECEIVED_TILE ? tile_words(gpu) : pitch_of(gpu)},
        .pivots = gpu->settings.tile,
        .high = p->rows.count * high,
        .wide = p->columns.count * wide,
        .skipped_rows = {rows.first * high, rows.count * high},
        .skipped_columns = {columns.first * wide, columns.count * wide},
    };
    return apsp_product_launch_wide(gpu, stream, &product, error);
}

static struct range all_columns(const struct apsp_gpu *gpu) {
    return (struct range){0, gpu->tiles};
}

static struct range own_rows(const struct apsp_gpu *gpu) {
    return (struct range){gpu->first_tile, gpu->tile_count};
}

// Makes the left panel of `rows` rows of tiles.
static enum status transpose(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t row, uint32_t rows,
                             struct error *error) {
    const struct apsp_words left = {left_at(gpu, pivot, row), gpu->pitch};
    const struct apsp_words columns = {tile_at(gpu, row, pivot), pitch_of(gpu)};
    return apsp_product_transpose(gpu, stream, left, columns, rows * gpu->settings.tile, tile_words(gpu), error);
}

// Copies a tile's rows, or the first words of them, from the matrix or the right panel.
static enum status copy_rows(struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to, uint64_t from,
                             uint32_t words, struct error *error) {
    const struct apsp_words rows = {from, pitch_of(gpu)};
    return apsp_product_copy(gpu, stream, to, rows, gpu->settings.tile, words, error);
}

// ---- Phases ----

enum status apsp_wide_close(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    return apsp_gpu_launch_close(gpu, stream, tile_at(gpu, pivot, pivot), gpu->settings.tile, error);
}

enum status apsp_wide_share_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    return transpose(gpu, stream, pivot, pivot, 1, error);
}

enum status apsp_wide_pack_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const struct apsp_words closed = {gpu->closed[pivot % 2], tile_words(gpu)};
    return copy_rows(gpu, stream, closed, tile_at(gpu, pivot, pivot), tile_words(gpu), error);
}

enum status apsp_wide_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const struct range own = {pivot, 1};
    const struct product rows = {
        .rows = own, .columns = all_columns(gpu), .skipped_columns = own, .factor = ROWS_THEMSELVES};
    return multiply(gpu, stream, pivot, &rows, error);
}

// On both sides of the pivot's tile, which the panel does not have.
enum status apsp_wide_store_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const uint32_t words_before = pivot * tile_words(gpu), words_after = (gpu->tiles - pivot - 1) * tile_words(gpu);
    const struct apsp_words before = {tile_at(gpu, pivot, 0), pitch_of(gpu)};
    const struct apsp_words after = {tile_at(gpu, pivot, pivot + 1), pitch_of(gpu)};
    TRY(copy_rows(gpu, stream, before, right_at(gpu, pivot, 0), words_before, error));
    return copy_rows(gpu, stream, after, right_at(gpu, pivot, pivot + 1), words_after, error);
}

// Without the pivot's tile, which another stream may share at the same time.
enum status apsp_wide_take_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const uint32_t first = gpu->first_tile, end = first + gpu->tile_count;
    const uint32_t before = pivot < first ? first : pivot < end ? pivot : end; // this GPU's rows before the pivot's end
    const uint32_t after = pivot >= first && pivot < end ? pivot + 1 : before;
    TRY(transpose(gpu, stream, pivot, first, before - first, error));
    return transpose(gpu, stream, pivot, after, end - after, error);
}

enum status apsp_wide_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, bool received,
                              struct error *error) {
    const struct range own = {pivot, 1};
    const struct product columns = {
        .rows = own_rows(gpu), .columns = own, .skipped_rows = own, .factor = received ? RECEIVED_TILE : OWN_TILE};
    TRY(multiply(gpu, stream, pivot, &columns, error));
    return apsp_wide_take_columns(gpu, stream, pivot, error);
}

enum status apsp_wide_next_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const struct range next = {pivot + 1, 1};
    const struct product tile = {.rows = next, .columns = next};
    return multiply(gpu, stream, pivot, &tile, error);
}

enum status apsp_wide_next_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const struct range next = {pivot + 1, 1}, both = {pivot, 2};
    const struct product rows = {.rows = next, .columns = all_columns(gpu), .skipped_columns = both};
    return multiply(gpu, stream, pivot, &rows, error);
}

enum status apsp_wide_next_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    const struct range next = {pivot + 1, 1}, both = {pivot, 2};
    const struct product columns = {.rows = own_rows(gpu), .columns = next, .skipped_rows = both};
    return multiply(gpu, stream, pivot, &columns, error);
}

enum status apsp_wide_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t skipped,
                           uint32_t first, uint32_t count, struct error *error) {
    const struct range crossed = {pivot, skipped};
    const struct product rest = {
        .rows = {first, count}, .columns = all_columns(gpu), .skipped_rows = crossed, .skipped_columns = crossed};
    return multiply(gpu, stream, pivot, &rest, error);
}

struct dimensions apsp_wide_grid(const struct apsp_gpu *gpu, enum apsp_step step) {
    const uint32_t parts = gpu->settings.tile / PART, wide = tile_words(gpu) / PART;
    const uint32_t others = gpu->tiles - 1, own = gpu->tile_count - (gpu->tile_count == gpu->tiles);
    return step == APSP_PHASE1   ? (struct dimensions){wide, parts, 1}
           : step == APSP_PHASE2 ? (struct dimensions){parts * wide * (others + own), 1, 1}
                                 : (struct dimensions){wide * others, parts * own, 1};
}
