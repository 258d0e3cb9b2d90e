// The transpose of a square matrix by tiles, with several layouts of the tile in shared memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smem/smem_pattern.h"
#include "util/random.h"

enum {
    TILE = 32,
    ROWS = 8,
    CACHE_MULTIPLE = 4,
    WIDTH_MIN = 2, // as in the table of variants
    SIDE_MIN = 1024,
    SIDE_MAX = 1 << 20
};

KERNEL_SOURCE(source, smem_transpose_cu, "smem/transpose.cu");

const struct smem_detail smem_tile_copy = {
    .op = "copy", .width_min = WIDTH_MIN, .width_max = 8, .entry = "tile_copy", .copies = true};

// One point during its measurement.
struct job {
    struct run *run;
    const struct smem_detail *detail;
    uint32_t width_bytes;
    uint64_t side;
    struct kernel *kernel;
    struct argument arguments[3];
    struct launch launch;
};

// The smallest power of two at which both matrices exceed the cache by CACHE_MULTIPLE at the smallest width. All widths
// have the same side, so that their conflicts compare.
static uint64_t default_side(const struct device_info *info) {
    uint64_t side = SIDE_MIN;
    while (2 * side * side * WIDTH_MIN < CACHE_MULTIPLE * info->last_level_cache_bytes) {
        side *= 2;
    }
    return side;
}

static uint64_t side_of(const struct run *run, const struct point *point) {
    uint64_t elements = point->values[SMEM_ELEMENTS];
    return elements ? (uint64_t)llround(sqrt((double)elements)) : default_side(run_info(run));
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    TRY(smem_check_width(point->variant, point->values[SMEM_WIDTH], error));
    const struct device_info *info = run_info(run);
    uint64_t elements = point->values[SMEM_ELEMENTS];
    uint64_t side = side_of(run, point);
    uint64_t bytes = 2 * side * side * point->values[SMEM_WIDTH];
    if (elements && (side * side != elements || side % TILE != 0 || side > SIDE_MAX)) {
        return error_set(error, STATUS_USAGE, "--elements %llu: give the square of a multiple of %d, such as 1M",
                         (unsigned long long)elements, TILE);
    }
    uint64_t available = device_free_bytes(info);
    if (bytes > available) {
        return error_set(error, STATUS_USAGE,
                         "two matrices of %llu bytes do not fit into the %llu free bytes of %s: give fewer --elements",
                         (unsigned long long)bytes / 2, (unsigned long long)available, info->spec);
    }
    return STATUS_OK;
}

static void finish(struct run *run) {
    struct smem_state *state = run->state;
    struct device *device = run_device(run);
    device_release(device, state->in);
    device_release(device, state->out);
    state->in = state->out = state->matrix_bytes = 0;
}

static enum status allocate(struct run *run, uint64_t side, uint64_t width, struct error *error) {
    const uint64_t bytes = side * side * width;
    struct smem_state *state = run->state;
    struct device *device = run_device(run);
    if (bytes == state->matrix_bytes) {
        return STATUS_OK;
    }
    finish(run);
    TRY(device_allocate(device, bytes, &state->in, error));
    TRY(device_allocate(device, bytes, &state->out, error));
    state->matrix_bytes = bytes;
    if (!run_info(run)->predicted) {
        TRY(bench_device_fill_random(run->bench_device, state->in, bytes, run->settings->seed, error));
    }
    return STATUS_OK;
}

// A simulated lane is slow, so the host makes the tile rows that its blocks read.
static enum status fill_rows(struct job *job, struct error *error) {
    struct run *run = job->run;
    struct device *device = run_device(run);
    const struct smem_state *state = run->state;
    const uint64_t bytes = TILE * job->side * job->width_bytes;
    if (!device->info.predicted) {
        return STATUS_OK;
    }
    TRY(device->operations->choose_blocks(device, job->kernel, &job->launch, error));
    const uint64_t blocks = (uint64_t)job->launch.grid.x * job->launch.grid.y;
    for (uint64_t i = 0, block; device_next_block(device, blocks, i, &block); i++) {
        const uint64_t first = block / job->launch.grid.x * bytes;
        TRY(bench_device_fill_random(run->bench_device, state->in + first, bytes,
                                     run->settings->seed + first / sizeof(uint64_t), error));
    }
    return STATUS_OK;
}

static enum status prepare(struct job *job, struct run *run, const struct point *point,
                           const struct smem_detail *detail, struct error *error) {
    const struct smem_state *state = run->state;
    *job = (struct job){
        .run = run, .detail = detail, .width_bytes = (uint32_t)point->values[SMEM_WIDTH], .side = side_of(run, point)};
    uint32_t tiles = (uint32_t)(job->side / TILE);
    const struct kernel_request request = {
        .source = &source, .entry = detail->entry, KERNEL_CONSTANTS({"WIDTH", job->width_bytes})};
    job->launch = (struct launch){
        .grid = {tiles, tiles, 1}, .block = {TILE, ROWS, 1}, .arguments = job->arguments, .argument_count = 3};
    TRY(allocate(run, job->side, job->width_bytes, error));
    TRY(device_build(run_device(run), &request, &job->kernel, error));
    job->arguments[0] = argument_pointer(state->in);
    job->arguments[1] = argument_pointer(state->out);
    job->arguments[2] = argument_u64(job->side);
    return fill_rows(job, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    return device_launch(run_device(job->run), job->kernel, &job->launch, error);
}

// ---- Whether the result is right ----

// The element at (row, column) of the input, where the 8-byte word i is mix64(seed + i).
static uint64_t input_element(const struct job *job, uint64_t row, uint64_t column) {
    uint64_t byte = (row * job->side + column) * job->width_bytes;
    uint64_t word = mix64(job->run->settings->seed + byte / 8) >> (8 * (byte % 8));
    return job->width_bytes == 8 ? word : word & ((UINT64_C(1) << (8 * job->width_bytes)) - 1);
}

// A flag for each tile, row by row: whether a block wrote it. The caller frees them. Blocks run along x first. Block
// (x, y) of a copy writes the tile in tile row y, and that of a transpose the tile in tile row x.
static bool *tiles_written(const struct job *job) {
    const bool copied = job->detail->copies;
    const uint64_t across = job->launch.grid.x;
    bool *written = memory_zeros(across * across, sizeof *written);
    for (uint64_t i = 0, block; device_next_block(run_device(job->run), across * across, i, &block); i++) {
        const uint64_t x = block % across, y = block / across;
        written[copied ? y * across + x : x * across + y] = true;
    }
    return written;
}

static bool row_right(const struct job *job, const bool *written, uint64_t row, const uint8_t *bytes) {
    for (uint64_t column = 0; column < job->side; column++) {
        uint64_t value = 0;
        uint64_t expected = 0;
        memcpy(&value, bytes + column * job->width_bytes, job->width_bytes);
        if (written[row / TILE * (job->side / TILE) + column / TILE]) {
            expected = job->detail->copies ? input_element(job, row, column) : input_element(job, column, row);
        } else {
            memset(&expected, DEVICE_POISON, job->width_bytes);
        }
        if (value != expected) {
            return false;
        }
    }
    return true;
}

// Checks a band of TILE rows, unless no block wrote there.
static enum status check_band(struct job *job, const bool *written, uint64_t first, uint8_t *band, bool *right,
                              struct error *error) {
    const struct smem_state *state = job->run->state;
    struct device *device = run_device(job->run);
    const uint64_t row_bytes = job->side * job->width_bytes, tiles = job->side / TILE;
    if (!memchr(written + first / TILE * tiles, true, tiles)) {
        return STATUS_OK;
    }
    TRY(device_copy_to_host(device, band, state->out + first * row_bytes, TILE * row_bytes, error));
    for (uint64_t row = 0; row < TILE && *right; row++) {
        *right = row_right(job, written, first + row, band + row * row_bytes);
    }
    return STATUS_OK;
}

static enum status check_result(void *context, bool *right, struct error *error) {
    struct job *job = context;
    uint8_t *band = memory_zeros(TILE * job->side, job->width_bytes);
    bool *written = tiles_written(job);
    enum status status = STATUS_OK;
    *right = true;
    for (uint64_t first = 0; first < job->side && *right && status == STATUS_OK; first += TILE) {
        status = check_band(job, written, first, band, right, error);
    }
    free(written);
    free(band);
    return status;
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    const struct smem_state *state = job->run->state;
    return device_poison(run_device(job->run), state->out, state->matrix_bytes, error);
}

// ---- The row ----

static double useful_bytes(const struct job *job) {
    return 2.0 * (double)(job->side * job->side) * job->width_bytes;
}

// The plain copy of the same tiles is measured once per width (*copy_gb_s is 0 until then), even if it is not among the
// variants.
static enum status ensure_copy(struct run *run, const struct point *point, double *copy_gb_s, struct error *error) {
    if (*copy_gb_s > 0) {
        return STATUS_OK;
    }
    const struct settings aside = measure_aside(run->settings);
    struct job job;
    const struct work work = {enqueue, &job};
    struct measurement measurement;
    enum status status = prepare(&job, run, point, &smem_tile_copy, error);
    THEN(status, measure(run->bench_device, &aside, &work, &measurement, error));
    if (status == STATUS_OK) {
        *copy_gb_s = useful_bytes(&job) / measurement.time_ns.median;
    }
    device_discard(run_device(run), job.kernel);
    return status;
}

static void describe(const struct job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "%s", job->detail->op);
    row->width_bytes = job->width_bytes;
    row->elements = job->side * job->side;
    row->tile = TILE;
    row->footprint_bytes = (uint64_t)useful_bytes(job);
    row_format_dimensions(row->block, job->launch.block);
    row_format_dimensions(row->grid, job->launch.grid);
}

static enum status set_counts(struct job *job, struct row *row, struct error *error) {
    struct device *device = run_device(job->run);
    struct launch_counts counts;
    if (!device_counts_launches(device) || !device->info.gpu) {
        return STATUS_OK;
    }
    TRY(device_counts(device, &counts, error));
    row_set_counts(row, &counts, device->info.gpu);
    return STATUS_OK;
}

static enum status measure_and_emit(struct job *job, double copy_gb_s, struct error *error) {
    struct trial trial = {job, poison, enqueue, check_result};
    struct measurement measurement;
    struct row row = run_row(job->run);
    TRY(run_trial(job->run, &trial, &measurement, error));
    describe(job, &row);
    TRY(set_counts(job, &row, error));
    row_finish(&row, job->run, &measurement, useful_bytes(job));
    row.copy_pct = 100 * row.bandwidth_gb_s / copy_gb_s;
    return run_emit(job->run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    double *copy_gb_s = &((struct smem_state *)run->state)->copy_gb_s[__builtin_ctzll(point->values[SMEM_WIDTH])];
    TRY(ensure_copy(run, point, copy_gb_s, error));
    struct job job;
    enum status status = prepare(&job, run, point, point->variant->detail, error);
    THEN(status, measure_and_emit(&job, *copy_gb_s, error));
    device_discard(run_device(run), job.kernel);
    return status;
}

TABLE(transposes, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(bandwidth_gb_s), COLUMN(interval_pct),
      COLUMN(copy_pct), COLUMN(passes_per_request), COLUMN(bank_conflicts), COLUMN(verdict));

const struct variant_kind smem_transposes = {
    .table = transposes, .check = check, .measure = measure_point, .finish = finish};
