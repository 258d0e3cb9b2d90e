// dram: bandwidth of memory by the contiguous bytes of a piece and by the distance between pieces.
#include <math.h>
#include <stdio.h>

#include "bench/row.h"
#include "levels/chain.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"
#include "levels/stream.h"
#include "util/random.h"
#include "util/whole.h"

enum {
    WIDTH = 16,
    ITEMS = 4,
    THREADS = 512,
    BLOCKS_A_UNIT = 4,
    PIECE_MAX = WIDTH * THREADS,
    MEMORY_MULTIPLE = 16, // bytes fetched from memory in last-level caches, so that no cache helps much
    FETCH_BYTES = 64,     // memory fetches this much at once, or less
    ROWS_MIN = 8,         // a default distance leaves room for this many rows
    DENSE_MAX = 8192,     // the default takes pieces of every size up to this distance
    CONFLICT_PIECE = 64,  // and only pieces of this size beyond it
};
static const uint64_t UNKNOWN_CACHE = UINT64_C(64) << 20;
static const uint64_t GPU_MEMORY = UINT64_C(64) << 30, CPU_MEMORY = UINT64_C(1) << 30; // allocated at most

struct job {
    struct run *run;
    struct dram *dram;
    struct pieces pieces;
};

static uint64_t fetched_bytes(const struct device_info *info) {
    const uint64_t cache = device_cache_bytes_max(info);
    return MEMORY_MULTIPLE * (cache ? cache : UNKNOWN_CACHE);
}

// The given size, or one that makes the far distances possible.
static uint64_t memory_bytes(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    const uint64_t given = point->values[LEVELS_FOOTPRINT];
    return given ? given : smaller(device_free_bytes(info) / 2, device_is_cpu(info) ? CPU_MEMORY : GPU_MEMORY);
}

static bool skip(const struct run *run, const struct point *point) {
    const uint64_t row = point->values[LEVELS_LINE], piece = point->values[LEVELS_FETCH];
    const bool power = (row & (row - 1)) == 0;
    const bool wanted = row <= DENSE_MAX && power ? piece <= row : piece == CONFLICT_PIECE;
    return run->defaulted[LEVELS_LINE] &&
           (row > memory_bytes(run, point) / ROWS_MIN || (run->defaulted[LEVELS_FETCH] ? !wanted : piece > row));
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t row = point->values[LEVELS_LINE], piece = point->values[LEVELS_FETCH];
    const uint64_t memory = memory_bytes(run, point), most = device_free_bytes(run_info(run));
    if (memory > most) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: %s has %llu bytes free: give fewer",
                         (unsigned long long)memory, run_info(run)->spec, (unsigned long long)most);
    }
    if (piece < WIDTH || piece > PIECE_MAX || (piece & (piece - 1)) != 0) {
        return error_set(error, STATUS_USAGE, "--fetch %llu: give a power of two from %d to %d",
                         (unsigned long long)piece, WIDTH, PIECE_MAX);
    }
    if (row % WIDTH != 0 || (row > 0 && row < piece) || row > memory) {
        return error_set(error, STATUS_USAGE,
                         "--line %llu: give a multiple of %d from the %llu bytes of --fetch to %llu",
                         (unsigned long long)row, WIDTH, (unsigned long long)piece, (unsigned long long)memory);
    }
    return STATUS_OK;
}

static struct pieces pieces_of(const struct run *run, const struct point *point, uint64_t memory) {
    return pieces_make(memory, fetched_bytes(run_info(run)), FETCH_BYTES, point->values[LEVELS_LINE],
                       point->values[LEVELS_FETCH]);
}

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double CPU_BYTES_A_SECOND = 4e9; // of fetched bytes
    const uint64_t memory = memory_bytes(run, point);
    const struct pieces pieces = pieces_of(run, point, memory);
    cost->make_bytes = (double)memory;
    cost->handle_bytes = (double)pieces.count * (double)pieces.piece_bytes;
    cost->round_s = device_is_cpu(run_info(run)) ? (double)fetched_bytes(run_info(run)) / CPU_BYTES_A_SECOND : 0;
}

// ---- Memory and kernel, kept from point to point ----

static uint64_t sum_count(const struct device_info *info) {
    return device_is_cpu(info) ? info->compute_units
                               : (uint64_t)info->compute_units * BLOCKS_A_UNIT * THREADS / info->warp_width;
}

static enum status open_dram(struct dram *dram, struct run *run, uint64_t bytes, struct error *error) {
    struct device *device = run_device(run);
    const struct kernel_request request = {.source = stream_source(),
                                           .entry = "piece_read",
                                           KERNEL_CONSTANTS({"WIDTH", WIDTH}, {"ITEMS", ITEMS}, {"THREADS", THREADS}),
                                           .native = levels_cpu_piece_read};
    dram->memory_bytes = bytes;
    TRY(device_build(device, &request, &dram->kernel, error));
    TRY(device_allocate(device, bytes, &dram->memory, error));
    TRY(device_allocate(device, sum_count(&device->info) * sizeof(uint32_t), &dram->sums, error));
    return bench_device_fill_random(run->bench_device, dram->memory, bytes, run->settings->seed, error);
}

static void finish(struct run *run) {
    struct dram *dram = run->state;
    DEVICE_RELEASE(run_device(run), dram->memory, dram->sums);
    device_discard(run_device(run), dram->kernel);
    *dram = (struct dram){0};
}

// ---- One point ----

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    const uint64_t bytes = sum_count(run_info(job->run)) * sizeof(uint32_t);
    return device_poison(run_device(job->run), job->dram->sums, bytes, error);
}

static enum status enqueue(void *context, struct error *error) {
    const struct job *job = context;
    const struct device_info *info = run_info(job->run);
    const struct pieces *pieces = &job->pieces;
    const struct launch launch = {.grid = {info->compute_units * (device_is_cpu(info) ? 1 : BLOCKS_A_UNIT), 1, 1},
                                  .block = {device_is_cpu(info) ? 1 : THREADS, 1, 1},
                                  LAUNCH_ARGUMENTS(argument_pointer(job->dram->memory),
                                                   argument_pointer(job->dram->sums), argument_u64(pieces->count),
                                                   argument_u64(pieces->rows), argument_u64(pieces->row_bytes),
                                                   argument_u64(pieces->piece_bytes))};
    return device_launch(run_device(job->run), job->dram->kernel, &launch, error);
}

static uint32_t expected_sum(const struct pieces *pieces, uint64_t seed) {
    uint32_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (uint64_t piece = 0; piece < pieces->count; piece++) {
        const uint64_t first = pieces_offset(pieces, piece) / sizeof(uint64_t);
        for (uint64_t i = 0; i < pieces->piece_bytes / sizeof(uint64_t); i++) {
            const uint64_t word = mix64(seed + first + i);
            total += (uint32_t)word + (uint32_t)(word >> 32);
        }
    }
    return total;
}

static enum status check_sums(void *context, bool *right, struct error *error) {
    struct job *job = context;
    uint32_t total;
    const enum status status =
        stream_total(run_device(job->run), job->dram->sums, sum_count(run_info(job->run)), &total, error);
    *right = total == expected_sum(&job->pieces, job->run->settings->seed);
    return status;
}

static struct answer answer_of(const struct run *run, const struct pieces *pieces) {
    const struct device_info *info = run_info(run);
    const double fetched = fmax((double)pieces->piece_bytes, fmin((double)FETCH_BYTES, (double)pieces->row_bytes));
    const struct footprint footprint = {.unit_bytes = (double)pieces->count * fetched / info->compute_units,
                                        .units = info->compute_units,
                                        .past_first = !device_is_cpu(info),
                                        .streamed = true};
    return caches_answer(info, &footprint);
}

static enum status measure_pieces(struct job *job, struct error *error) {
    struct row row = run_row(job->run);
    struct measurement measurement;
    const struct trial trial = {job, poison, enqueue, check_sums};
    TRY(run_trial(job->run, &trial, &measurement, error));
    const struct pieces *pieces = &job->pieces;
    const struct answer answer = answer_of(job->run, pieces);
    const double bytes = (double)pieces->count * (double)pieces->piece_bytes;
    snprintf(row.op, sizeof row.op, "read");
    snprintf(row.level, sizeof row.level, "%s", answer.level);
    row.width_bytes = WIDTH;
    row.fetch_bytes = pieces->piece_bytes;
    row.stride = pieces->row_bytes / WIDTH;
    row.elements = pieces->count;
    row.footprint_bytes = job->dram->memory_bytes;
    row.bandwidth_gb_s = bytes / measurement.time_ns.median;
    measurement.verdicts |= levels_mixed_verdicts(&row, run_info(job->run), &answer, true);
    levels_finish_row(&row, &measurement, bytes);
    return run_emit(job->run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct dram *dram = run->state;
    const uint64_t bytes = memory_bytes(run, point) / PIECE_MAX * PIECE_MAX;
    struct job job = {.run = run, .dram = dram};
    job.pieces = pieces_of(run, point, bytes);
    if (dram->memory_bytes != bytes) {
        finish(run);
        TRY(open_dram(dram, run, bytes, error));
    }
    return measure_pieces(&job, error);
}

TABLE(dram, COLUMN(device), COLUMN(variant), COLUMN(fetch_bytes), COLUMN(stride), COLUMN(bandwidth_gb_s),
      COLUMN(interval_pct), COLUMN(peak_pct), COLUMN(level), COLUMN(verdict));

const struct variant_kind levels_dram = {
    .table = dram, .check = check, .skip = skip, .cost = cost, .measure = measure_point, .finish = finish};
