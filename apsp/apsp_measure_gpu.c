// A point on the run's GPU or, if the variant says so, on several GPUs of its backend together.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu_job.h"
#include "apsp/apsp_input.h"
#include "apsp/apsp_link.h"
#include "apsp/apsp_look_ahead.h"
#include "apsp/apsp_output.h"
#include "apsp/apsp_session.h"
#include "apsp/apsp_settings.h"
#include "apsp/solve/check.h"
#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_round.h"
#include "apsp/solve/next_hops.h"
#include "apsp/solve/team.h"
#include "bench/counters/counters.h"
#include "bench/plan.h"
#include "bench/row.h"
#include "model/time/time_constants.h"
#include "util/clock.h"

// ---- Traffic ----

// The bytes that the kernels read and write, counted word by word in their sources.

struct apsp_traffic {
    double global_bytes, shared_bytes; // read and written
};

// The counts are upper bounds, because a compiler may keep in registers some of what a source reads again.

static struct apsp_traffic times(double count, struct apsp_traffic traffic) {
    return (struct apsp_traffic){count * traffic.global_bytes, count * traffic.shared_bytes};
}

static struct apsp_traffic sum_of(struct apsp_traffic a, struct apsp_traffic b) {
    return (struct apsp_traffic){a.global_bytes + b.global_bytes, a.shared_bytes + b.shared_bytes};
}

// global.cu: phases 1 and 2 read three words and write one for each update, except in the row and the column of the
// pivot. Phase 3 reads two words for each update, and reads and writes each element once.
static struct apsp_traffic of_global(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const double left = (double)gpu->pitch - (double)pivot * gpu->settings.tile; // a whole tile if the matrix is padded
    const double tile = left < gpu->settings.tile ? left : gpu->settings.tile, others = gpu->pitch - tile;
    const double words = step == APSP_PHASE1   ? 4 * tile * (tile - 1) * (tile - 1)
                         : step == APSP_PHASE2 ? 4 * tile * 2 * (tile - 1) * others
                                               : others * others * (2 * tile + 2);
    return (struct apsp_traffic){words * sizeof(int32_t), 0};
}

// shared.cu: a block copies one or two tiles into shared memory, and reads and writes its own tile. Then every update
// reads two words of shared memory; in phase 1 it also reads and writes a third one.
static struct apsp_traffic of_shared(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->settings.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * sizeof(int32_t);
    const struct apsp_traffic first = {2 * of_tile, of_tile * (4 * tile + 1)};
    const struct apsp_traffic other = {4 * of_tile, of_tile * (2 * tile + 2)};
    return step == APSP_PHASE1 ? first : times(step == APSP_PHASE2 ? 2 * others : others * others, other);
}

// register_tiled.cu: what parts read as factors. `high` and `wide` are a part's sides in halves of a tile. For each
// pivot every thread reads four words of shared memory for each half.
static struct apsp_traffic of_factors(const struct apsp_gpu *gpu, double parts, double high, double wide) {
    const double pivots = gpu->settings.tile, half = pivots / 2, word = sizeof(int32_t), quad = 4 * word;
    return (struct apsp_traffic){
        parts * pivots * half * (high * gpu->settings.bits / 8 + wide * word),
        parts * pivots * (high + wide) * (half * word + gpu->settings.block.x * quad),
    };
}

// Each phase also reads and writes the tiles that it updates. Phase 3 counts whole parts, although a part may include a
// tile of the pivot's column that it leaves alone. Phase 1 reads as much shared memory as a whole part does.
static struct apsp_traffic of_registers(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->settings.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * gpu->settings.bits / 8;
    const double wide = gpu->settings.bits / 16.0; // the width of a tile in halves of a part
    const struct apsp_traffic row = of_factors(gpu, others * wide, 2, 1), column = of_factors(gpu, others * 2, 1, wide);
    const struct apsp_traffic rest = of_factors(gpu, others * ceil(others * wide / 2), 2, 2);
    switch (step) {
    case APSP_PHASE1:
        return (struct apsp_traffic){2 * of_tile, of_factors(gpu, 1, 2, 2).shared_bytes};
    case APSP_PHASE2:
        return (struct apsp_traffic){row.global_bytes + column.global_bytes + 2 * others * 2 * of_tile,
                                     row.shared_bytes + column.shared_bytes};
    default:
        return (struct apsp_traffic){rest.global_bytes + others * others * 2 * of_tile, rest.shared_bytes};
    }
}

// tile_product.cu, in parts of 128 rows and words. For each part and pivot a block reads a row of each factor, and
// every thread four words of shared memory for each half. The part itself is read and written.
static struct apsp_traffic of_products(const struct apsp_gpu *gpu, double parts) {
    const double pivots = gpu->settings.tile, side = APSP_REGISTER_TILE, word = sizeof(uint32_t), quad = 4 * word;
    return (struct apsp_traffic){
        parts * (pivots * 2 * side + 2 * side * side) * word,
        parts * pivots * (2 * side * word + 4 * gpu->settings.block.x * quad),
    };
}

// Phase 1 is a solution of smaller tiles. Phase 2 also copies the rows, transposes the columns twice, and transposes
// the closed tile.
static struct apsp_traffic of_wide(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double inner = (double)gpu->settings.tile / (double)APSP_REGISTER_TILE, others = gpu->tiles - 1.0;
    const double parts = inner * inner * gpu->settings.bits / 32; // of a tile
    const double tile = (double)gpu->settings.tile * gpu->settings.tile, width = gpu->settings.bits / 8.0;
    const double word = sizeof(uint32_t), transposed = 2 * others + 1;
    if (step == APSP_PHASE3) {
        return of_products(gpu, parts * others * others);
    }
    if (step == APSP_PHASE2) {
        const struct apsp_traffic copies = {tile * (2 * others * width + transposed * (width + word)),
                                            tile * transposed * 2 * width};
        return sum_of(of_products(gpu, parts * 2 * others), copies);
    }
    struct apsp_gpu closer = *gpu;
    closer.settings.tile = APSP_REGISTER_TILE;
    closer.tiles = (uint32_t)inner;
    const struct apsp_traffic row = sum_of(of_registers(&closer, APSP_PHASE2), of_registers(&closer, APSP_PHASE3));
    return times(inner, sum_of(of_registers(&closer, APSP_PHASE1), row));
}

// whole_round.cu: a block that finishes a round reads both factors, and reads and writes its part. It leaves the next
// pivots' rows and columns alone. A block that prepares reads the tile, three factors and its part, and writes the
// part. Rows are packed, the left panel is not. For each pivot a thread that finishes reads two quads of shared memory.
// One that prepares reads two pieces of the tile, and a piece and its words of the part, twice: it updates both by the
// last pivots, and then closes the tile and multiplies the part by it.
static struct apsp_traffic of_small(const struct apsp_gpu *gpu, uint32_t pivot) {
    const double tile = gpu->settings.tile, word = sizeof(uint32_t), width = gpu->settings.bits / 8.0;
    const double columns = apsp_gpu_small_shape(gpu).columns, own = 16 * columns;
    const double parts = gpu->tiles * tile / own; // in each of rows and columns
    const double next = pivot + 1 < gpu->rounds ? 1 : 0, skipped = pivot + 1 < gpu->tiles ? 1 : 0;
    const double others = gpu->tiles - skipped, most = APSP_SMALL_TILE_MAX, leaves = tile < most ? 0 : skipped;
    const double lines = gpu->pitch / most - leaves, blocks = lines * ceil(lines * width / word);
    const double square = tile * tile, of_threads = tile * gpu->settings.block.x, quad = 4 * word;
    const double piece = tile / 16 * word, own_words = columns * word, prepare = 2 * parts * next;
    const double global = blocks * 2 * tile * most * word + others * others * square * 2 * width +
                          parts * next * (square * 2 * (word + 2 * width) + tile * own * (4 * width + 2 * word));
    const double shared = blocks * (2 * tile * most * word + of_threads * 2 * quad) +
                          prepare * ((3 * square + 2 * tile * own) * word + 2 * of_threads * (3 * piece + own_words));
    return (struct apsp_traffic){global, shared};
}

static struct apsp_traffic of_round(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    if (gpu->settings.kernels == APSP_GLOBAL) {
        return of_global(gpu, step, pivot);
    }
    if (gpu->settings.kernels == APSP_SHARED) {
        return of_shared(gpu, step);
    }
    return apsp_is_small(&gpu->settings)  ? of_small(gpu, pivot)
           : apsp_is_wide(&gpu->settings) ? of_wide(gpu, step)
                                          : of_registers(gpu, step);
}

// The traffic of all launches of a phase in a solution.
static struct apsp_traffic apsp_gpu_traffic(const struct apsp_gpu *gpu, enum apsp_step step) {
    struct apsp_traffic sum = {0, 0};
    for (uint32_t pivot = 0; pivot < gpu->rounds; pivot++) {
        sum = sum_of(sum, of_round(gpu, step, pivot));
    }
    return sum;
}

// ---- Rows ----

static struct row row_of(const struct apsp_job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.tile = first_gpu(job)->settings.tile;
    row.width_bytes = first_gpu(job)->settings.bits / 8;
    row.devices = job->team.count;
    row_format_dimensions(row.block, first_gpu(job)->settings.block);
    if (job->next) {
        row.paths = job->paths;
    }
    if (job->team.count > 1) {
        snprintf(row.op, sizeof row.op, "%s", first_gpu(job)->settings.peer ? "peer" : "host");
    }
    return row;
}

// Names the options of the transfers in `op`.
static void name_transfer(struct row *row, const struct apsp_job *job) {
    const struct apsp_transfer *transfer = &first_gpu(job)->settings.transfer;
    snprintf(row->op, sizeof row->op, "%s+%s+%s", transfer->pinned ? "pinned" : "pageable",
             transfer->strip_by_copy ? "copy" : "kernel", transfer->from_edges ? "device" : "host");
}

static struct launch_counts mean_counts(const struct apsp_tally *tally) {
    struct launch_counts mean = tally->counts;
    launch_counts_mean(&mean, (double)tally->launches);
    return mean;
}

// Sets the bandwidths of a phase. The simulator counts the bytes of global memory; elsewhere the kernel's source tells.
static void set_bandwidths(struct row *row, const struct apsp_job *job, enum apsp_step step) {
    const struct apsp_gpu *gpu = first_gpu(job);
    if (apsp_step_is_outside_rounds(step) || job->team.count > 1) {
        return;
    }
    const struct apsp_traffic traffic = apsp_gpu_traffic(gpu, step);
    row->useful_bytes = traffic.global_bytes;
    if (device_counts_launches(gpu->device)) {
        const struct launch_counts counts = mean_counts(&job->tallies[step]);
        row->useful_bytes = (counts.global_load.lane_bytes + counts.global_store.lane_bytes) * gpu->rounds;
    }
    row->bandwidth_gb_s = row->useful_bytes / row->time_ns_median;
    if (traffic.shared_bytes > 0) {
        row->shared_gb_s = traffic.shared_bytes / row->time_ns_median;
    }
}

// The peak of all GPUs together.
static double peak_gop_s(const struct apsp_job *job, double clock_mhz) {
    return apsp_gpu_peak_gop_s(first_gpu(job), clock_mhz) * (double)job->team.count;
}

// Sets the time of one solution, or the statistics of several. Returns the verdicts that follow.
static unsigned set_time(struct row *row, const struct apsp_tally *tally, double noise_pct) {
    struct measurement measurement = measurement_empty();
    if (tally->samples > 1) {
        measurement.samples = tally->samples;
        measurement.time_ns = tally->solution_ns;
        row_set_time(row, &measurement);
        return verdicts_of_time(&tally->solution_ns, noise_pct);
    }
    row_set_single_time(row, tally->time_ns);
    return VERDICT_NOISY;
}

static enum status emit_step(struct apsp_job *job, enum apsp_step step, struct error *error) {
    const struct apsp_tally *tally = &job->tallies[step];
    const enum apsp_step kernel = step == APSP_PREPARE ? APSP_ROUND : step;
    struct row row = row_of(job, apsp_step_name(step));
    unsigned verdicts = 0;
    if (tally->launches == 0) {
        return STATUS_OK;
    }
    if (apsp_step_is_outside_rounds(step) && step != APSP_PREPARE) {
        name_transfer(&row, job);
    }
    if (device_counts_launches(first_gpu(job)->device) && apsp_gpu_has_kernel(first_gpu(job), kernel)) {
        const struct launch_counts counts = mean_counts(tally);
        row_set_counts(&row, &counts, info_of(job)->gpu);
    }
    row_format_dimensions(row.block, apsp_gpu_block(first_gpu(job), step));
    row_format_dimensions(row.grid, apsp_round_grid(first_gpu(job), step));
    if (info_of(job)->predicted) {
        row_set_bound(&row, tally->bound_ns, tally->bound_by);
        row.time_ns_median = row.predicted_ns = tally->time_ns;
    } else {
        verdicts = set_time(&row, tally, job->run->settings->noise_pct);
    }
    row.ops = apsp_gpu_updates(first_gpu(job), step);
    row.gop_s = row.ops / row.time_ns_median;
    row.peak_gop_s = isnan(row.ops) ? NAN : peak_gop_s(job, NAN);
    set_bandwidths(&row, job, step);
    verdicts |= row_verdicts(&row, info_of(job));
    row_judge(&row, verdicts, sampled(job) ? VERIFICATION_LEFT_OUT : VERIFICATION_NONE);
    return run_emit(job->run, &row, error);
}

// Emits a time by the host's clock, which has no meaning among predictions.
static enum status emit_time(struct apsp_job *job, const char *kernel, double time_ns, double bytes,
                             struct error *error) {
    struct row row = row_of(job, kernel);
    if (info_of(job)->predicted || bytes == 0 || isnan(time_ns)) {
        return STATUS_OK;
    }
    if (strcmp(kernel, "exchange") != 0) {
        name_transfer(&row, job);
    }
    row_set_single_time(&row, time_ns);
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bytes / time_ns;
    return run_emit(job->run, &row, error);
}

// Sets the bound of the whole. With look-ahead phase 3 runs beside the other phases, else the steps follow one another.
static void set_bound_of_all(struct row *row, const struct apsp_job *job) {
    const struct apsp_tally *longest = &job->tallies[0];
    double sum_ns = 0, beside_ns = 0;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        const struct apsp_tally *tally = &job->tallies[step];
        *(apsp_looks_ahead(job) && step == APSP_PHASE3 ? &beside_ns : &sum_ns) += tally->bound_ns;
        longest = tally->bound_ns > longest->bound_ns ? tally : longest;
    }
    row_set_bound(row, fmax(sum_ns, beside_ns), longest->bound_by ? longest->bound_by : "");
    row->predicted_ns = row->time_ns_median;
}

// On a simulated device the row tells how the launches of its part would go.
static bool is_graph(const struct apsp_job *job) {
    return info_of(job)->predicted ? apsp_wants_graph(job) : job->graph != NULL;
}

static enum status emit_all(struct apsp_job *job, const struct measurement *measurement, struct error *error) {
    struct row row = row_of(job, "all");
    const double n = first_gpu(job)->vertices;
    if (job->transfers) {
        name_transfer(&row, job);
    } else {
        snprintf(row.launch, sizeof row.launch, "%s", is_graph(job) ? "graph" : "stream");
        row.ops = n * n * n;
        row.peak_gop_s = peak_gop_s(job, measurement->clock_mhz);
    }
    row_finish(&row, job->run, measurement, NAN);
    if (info_of(job)->predicted) {
        set_bound_of_all(&row, job);
    }
    return run_emit(job->run, &row, error);
}

// Emits what the host does before the first step.
static enum status emit_input(struct apsp_job *job, struct error *error) {
    const double bytes = (double)apsp_gpu_matrix_bytes(first_gpu(job)), count = (double)job->team.count;
    const double edge_bytes = (double)job->input->graph.edge_count * sizeof(struct edge);
    const double init_bytes = bytes * (first_gpu(job)->settings.transfer.from_edges ? count : 1);
    const double copied = count * (first_gpu(job)->settings.transfer.from_edges ? edge_bytes : bytes);
    TRY(emit_time(job, "read", job->input->read_ns, edge_bytes, error));
    TRY(emit_time(job, "pin", job->pin_ns, bytes * (double)job->pinned, error));
    TRY(emit_time(job, "copy-in", job->copy_in_ns, copied, error));
    return emit_time(job, "init", job->initialise_ns, init_bytes, error);
}

static enum status emit_parts(struct apsp_job *job, struct error *error) {
    const double exchanged = (double)apsp_team_exchange_bytes(&job->team) * first_gpu(job)->rounds;
    TRY(emit_input(job, error));
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        TRY(emit_step(job, step, error));
    }
    TRY(emit_time(job, "exchange", job->exchange_ns, exchanged, error));
    return emit_time(job, "copy-out", job->copy_out_ns, (double)apsp_gpu_matrix_bytes(first_gpu(job)), error);
}

// Emits the rows of a measurement that is done, and writes the file of its result.
static enum status apsp_job_emit(struct apsp_job *job, const struct measurement *measurement, struct error *error) {
    TRY(emit_parts(job, error));
    TRY(emit_all(job, measurement, error));
    if (sampled(job) || job->transfers) {
        return STATUS_OK;
    }
    struct apsp_written written;
    TRY(apsp_write_output(job->run, job->input, job->distances, job->next, &written, error));
    return emit_time(job, "write", written.time_ns, written.bytes, error);
}

// ---- Steps ----

enum {
    SOLUTIONS_MOST = 9, // that are timed step by step
    STEP_LAUNCHES = 10  // more than any step has
};

// The step is queued between two events while the GPU is still busy, so that the time between them does not contain
// what the host takes to launch. A profiler times nothing, and would count the kernel that keeps the GPU busy.
static enum status begin_time(struct apsp_job *job, size_t index, struct error *error) {
    struct bench_device *bench = job->benches[index];
    if (bench->device->info.predicted) {
        device_predict_begin(bench->device);
        return STATUS_OK;
    }
    if (!job->run->settings->counting) {
        TRY(bench_device_hold_for(bench, STEP_LAUNCHES, error));
    }
    return device_event_record(bench->device, bench->start, error);
}

static enum status start_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot,
                              struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[index];
    TRY(begin_time(job, index, error));
    gpu->counts = device_counts_launches(gpu->device) ? &job->tallies[step].counts : NULL;
    const enum status status = apsp_round_step(gpu, NULL, step, pivot, error);
    gpu->counts = NULL;
    return status == STATUS_OK ? device_event_record(gpu->device, job->benches[index]->stop, error) : status;
}

// The model predicts the time of memory requests. If the arithmetic takes longer, its time counts.
static double predicted_ns(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot) {
    struct apsp_tally *tally = &job->tallies[step];
    const struct prediction prediction = device_predict_end(job->benches[index]->device);
    const double least_ns = apsp_gpu_least_ns(&job->team.gpus[index], step, pivot);
    tally->bound_ns += fmax(prediction.bound.ns, least_ns) / (double)job->team.count;
    tally->bound_by = least_ns > prediction.bound.ns ? "arithmetic" : resource_name(prediction.bound.by);
    return fmax(prediction.ns, least_ns) + time_constants.events_ns;
}

static enum status end_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot, double *time_ns,
                            struct error *error) {
    const struct bench_device *bench = job->benches[index];
    TRY(device_synchronize(bench->device, error));
    if (bench->device->info.predicted) {
        *time_ns = predicted_ns(job, index, step, pivot);
    } else {
        TRY(device_event_elapsed(bench->device, bench->start, bench->stop, time_ns, error));
    }
    job->tallies[step].launches++;
    return STATUS_OK;
}

// Times one step on each GPU. The slowest GPU's time counts.
static enum status measure_step(void *context, enum apsp_step step, uint32_t pivot, struct error *error) {
    struct apsp_job *job = context;
    double slowest_ns = 0;
    enum status status = STATUS_OK;
    if (step == APSP_UNPAD && !apsp_gpu_has_kernel(first_gpu(job), step)) {
        return STATUS_OK;
    }
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = start_step(job, i, step, pivot, error);
    }
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        double time_ns = 0;
        status = end_step(job, i, step, pivot, &time_ns, error);
        slowest_ns = fmax(slowest_ns, time_ns);
    }
    job->tallies[step].time_ns += slowest_ns;
    return status;
}

static enum status measure_exchange(void *context, uint32_t pivot, struct error *error) {
    struct apsp_job *job = context;
    const double start = clock_ns();
    enum status status = apsp_team_exchange(&job->team, pivot, error);
    job->exchange_ns += clock_ns() - start;
    return status;
}

// Runs the steps one after another and adds the time and the counts of each kernel to the job's tallies.
static enum status apsp_measure_steps(struct apsp_job *job, struct error *error) {
    const struct apsp_step_visitor visitor = {measure_step, measure_exchange, job, &job->progress};
    const uint32_t rounds = job->transfers ? 0 : first_round_alone(job) ? 1 : first_gpu(job)->rounds;
    return apsp_team_visit(&job->team, rounds, &visitor, error);
}

static enum status time_solution(struct apsp_job *job, struct error *error) {
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        job->tallies[step].launches = 0;
        job->tallies[step].time_ns = 0;
    }
    job->exchange_ns = 0;
    job->progress = progress_start(first_gpu(job)->rounds, job->run->settings->quiet);
    return apsp_measure_steps(job, error);
}

// Whether another solution is timed: as many as the user asks for, or as the least time of a measurement allows.
static bool goes_on(const struct settings *settings, size_t count, double spent_s) {
    if (count >= SOLUTIONS_MOST) {
        return false;
    }
    return settings->samples > 0 ? count < settings->samples : spent_s < settings->min_time_s;
}

// Does so for up to nine solutions, and leaves the median time of each kernel.
static enum status apsp_time_steps(struct apsp_job *job, struct error *error) {
    double step_ns[APSP_STEPS][SOLUTIONS_MOST], exchange_ns[SOLUTIONS_MOST];
    const double start_s = clock_s();
    size_t count = 0;
    enum status status;
    do {
        status = time_solution(job, error);
        for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
            step_ns[step][count] = job->tallies[step].time_ns;
        }
        exchange_ns[count++] = job->exchange_ns;
    } while (status == STATUS_OK && goes_on(job->run->settings, count, clock_s() - start_s));
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        struct apsp_tally *tally = &job->tallies[step];
        tally->samples = count;
        tally->solution_ns = statistics_of(step_ns[step], count);
        tally->time_ns = tally->solution_ns.median;
    }
    job->exchange_ns = statistics_of(exchange_ns, count).median;
    return status;
}

_Static_assert((int)SELECTION_DEVICES_MAX <= (int)APSP_TEAM_MAX, "a team has room for all devices");

// ---- Before and after ----

static enum status pin(struct apsp_job *job, void *memory, struct error *error) {
    struct device *device = first_gpu(job)->device;
    enum status status = device_pin(device, memory, apsp_gpu_matrix_bytes(first_gpu(job)), error);
    job->pinned += status == STATUS_OK;
    return status;
}

// Allocates the result's matrix. Pins it if the settings say so, and also the input's matrix if that is copied.
static enum status prepare_host(struct apsp_job *job, struct error *error) {
    const struct apsp_transfer *transfer = &first_gpu(job)->settings.transfer;
    const bool paths = first_gpu(job)->settings.paths;
    job->distances = apsp_matrix_allocate(first_gpu(job)->vertices);
    job->next = paths ? apsp_matrix_allocate(first_gpu(job)->vertices) : NULL;
    if (!job->distances || (paths && !job->next)) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    memset(job->distances, DEVICE_POISON, apsp_gpu_matrix_bytes(first_gpu(job))); // so that no page fault is timed
    const double start = clock_ns();
    enum status status = transfer->pinned ? pin(job, job->distances, error) : STATUS_OK;
    if (status == STATUS_OK && transfer->pinned && !transfer->from_edges) {
        status = pin(job, job->input->distances, error);
    }
    job->pin_ns = clock_ns() - start;
    return status;
}

// The first pinned page and the first copy are slow. They must not count when the options of transfers are compared.
static enum status warm_up(struct apsp_job *job, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    void *page = NULL;
    TRY(page_allocate_pinned(gpu->device, 1, "use fewer vertices", &page, error));
    page_release_pinned(gpu->device, page);
    return apsp_gpu_copy_in(gpu, &job->input->graph, job->input->distances, error);
}

static enum status copy_in(struct apsp_job *job, struct error *error) {
    const double start = clock_ns();
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->team.count; i++) {
        THEN(status, apsp_gpu_copy_in(&job->team.gpus[i], &job->input->graph, job->input->distances, error));
    }
    const double copied = clock_ns();
    for (size_t i = 0; i < job->team.count; i++) {
        THEN(status, apsp_gpu_initialise(&job->team.gpus[i], error));
    }
    job->copy_in_ns = copied - start;
    job->initialise_ns = first_gpu(job)->settings.transfer.from_edges ? clock_ns() - copied : job->input->initialise_ns;
    return status;
}

static enum status prepare(struct apsp_job *job, struct error *error) {
    TRY(apsp_team_prepare(&job->team, error));
    if (job->transfers) {
        TRY(warm_up(job, error));
    }
    TRY(prepare_host(job, error));
    return copy_in(job, error);
}

static void release(struct apsp_job *job) {
    struct device *device = first_gpu(job)->device;
    void *matrices[] = {job->distances, job->input->distances};
    for (size_t i = 0; i < job->pinned; i++) {
        device_unpin(device, matrices[i]);
    }
    device_graph_destroy(device, job->graph);
    apsp_team_release(&job->team);
    free(job->distances);
    free(job->next);
}

static enum status poison(void *context, struct error *error) {
    struct apsp_job *job = context;
    for (size_t i = 0; i < job->team.count; i++) {
        TRY(apsp_gpu_poison(&job->team.gpus[i], error));
    }
    return STATUS_OK;
}

static enum status enqueue(void *context, struct error *error) {
    struct apsp_job *job = context;
    return job->transfers ? apsp_team_enqueue_padding(&job->team, error)
           : job->graph   ? device_graph_launch(first_gpu(job)->device, job->graph, error)
                          : apsp_team_enqueue(&job->team, error);
}

static enum status copy_out(struct apsp_job *job, struct error *error) {
    memset(job->distances, DEVICE_POISON, apsp_gpu_matrix_bytes(first_gpu(job)));
    const double start = clock_ns();
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->team.count; i++) {
        THEN(status, apsp_gpu_copy_out(&job->team.gpus[i], job->distances, error));
    }
    job->copy_out_ns = clock_ns() - start;
    return status;
}

static enum status check(void *context, bool *right, struct error *error) {
    struct apsp_job *job = context;
    TRY(copy_out(job, error));
    if (job->transfers) {
        *right = memcmp(job->distances, job->input->distances, apsp_gpu_matrix_bytes(first_gpu(job))) == 0;
        return STATUS_OK;
    }
    TRY(apsp_check(&job->input->graph, job->distances, right, error));
    if (!*right || !job->next) {
        return STATUS_OK;
    }
    TRY(apsp_gpu_copy_next(&job->team.gpus[0], job->next, error));
    return apsp_next_hops_check(&job->input->graph, job->distances, job->next, right, &job->paths, error);
}

// ---- Measuring ----

// In a graph the units of a GPU get their blocks while the launch before ends, so a launch takes less by the ramp.
// If the first round stands for the others, the tallies are multiplied.
static void scale_tallies(struct apsp_job *job) {
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        struct apsp_tally *tally = &job->tallies[step];
        const double rounds = sampled(job) && !apsp_step_is_outside_rounds(step) ? first_gpu(job)->rounds : 1;
        tally->time_ns *= rounds;
        tally->bound_ns *= rounds;
        tally->events_ns = rounds * (double)tally->launches * time_constants.events_ns;
        tally->graph_ns = apsp_wants_graph(job) ? rounds * (double)tally->launches * time_constants.ramp_ns : 0;
    }
}

// The predicted time of the whole. Without look-ahead its steps follow one another.
static double whole_ns(const struct apsp_job *job, double cross_ns) {
    double sum_ns = apsp_looks_ahead(job) ? apsp_look_ahead_ns(job, cross_ns) : 0;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        const struct apsp_tally *tally = &job->tallies[step];
        const bool counted = apsp_looks_ahead(job) && !apsp_step_is_outside_rounds(step);
        sum_ns += counted ? 0 : fmax(0, tally->time_ns - tally->events_ns - tally->graph_ns);
    }
    return sum_ns;
}

// On a simulated device one run, step by step, gives the result, the prediction and the counts.
static enum status predict(struct apsp_job *job, struct measurement *measurement, struct error *error) {
    double cross_ns = 0;
    bool right = false;
    *measurement = measurement_empty();
    enum status status = poison(job, error);
    THEN(status, apsp_measure_steps(job, error));
    if (status == STATUS_OK && apsp_looks_ahead(job)) {
        status = apsp_look_ahead_cross(job, &cross_ns, error);
    }
    if (status == STATUS_OK && apsp_is_small(&first_gpu(job)->settings)) {
        status = apsp_look_ahead_small(job, error);
    }
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    measurement->verification = sampled(job) ? VERIFICATION_LEFT_OUT : verification_of(right);
    scale_tallies(job);
    measurement->time_ns.median = whole_ns(job, cross_ns);
    return status;
}

// Says once for a device why its rows have the launches of a stream although a graph was wanted.
static void tell_refusal(struct apsp_job *job, const struct error *refused) {
    struct apsp_session *session = apsp_session_of(job->run);
    if (job->run->settings->quiet || session->without_graphs == job->run->bench_device) {
        return;
    }
    session->without_graphs = job->run->bench_device;
    progress_clear(&job->progress);
    fprintf(stderr, "%s: launches go to the device one by one, because no graph holds them: %s\n",
            program_name(job->run->probe->name), refused->text);
}

static enum status record_graph(struct apsp_job *job, struct error *error) {
    struct error refused = {0};
    enum status status = apsp_team_capture(&job->team, &job->graph, &refused, error);
    if (status == STATUS_OK && !job->graph) {
        tell_refusal(job, &refused);
    }
    error_clear(&refused);
    return status;
}

// Elsewhere the whole is timed as it runs fastest, and further runs give the time of each kernel.
static enum status time_all(struct apsp_job *job, struct measurement *measurement, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    enum status status = apsp_wants_graph(job) ? record_graph(job, error) : STATUS_OK;
    THEN(status, run_trial(job->run, &trial, measurement, error));
    return status == STATUS_OK ? apsp_time_steps(job, error) : status;
}

// Under a profiler the first launch of each kernel is counted.
static enum status count_steps(struct apsp_job *job, struct measurement *measurement, struct error *error) {
    *measurement = measurement_empty();
    measurement->verification = VERIFICATION_LEFT_OUT;
    counting_begin(job->run->settings->counting);
    const enum status status = apsp_measure_steps(job, error);
    counting_end(job->run->settings->counting);
    return status;
}

// Whether 16 bits held every distance. A path to a farther vertex adds at most the heaviest edge, so if all distances
// found are that much below APSP_FAR16, no distance lies beyond.
static enum status check_width(const struct apsp_job *job, bool *held, struct error *error) {
    uint32_t too_far = 0;
    enum status status = STATUS_OK;
    const struct apsp_gpu *gpu = first_gpu(job);
    if (gpu->settings.bits == 16 && !first_round_alone(job)) {
        status = device_copy_to_host(gpu->device, &too_far, gpu->too_far, sizeof too_far, error);
    }
    *held = !too_far;
    return status;
}

static enum status measure_job(struct apsp_job *job, bool *held, struct error *error) {
    struct measurement measurement;
    job->progress = progress_start(first_gpu(job)->rounds, job->run->settings->quiet);
    enum status (*const way)(struct apsp_job *, struct measurement *, struct error *) =
        info_of(job)->predicted        ? predict
        : job->run->settings->counting ? count_steps
                                       : time_all;
    enum status status = way(job, &measurement, error);
    progress_clear(&job->progress);
    THEN(status, check_width(job, held, error));
    return status == STATUS_OK && *held ? apsp_job_emit(job, &measurement, error) : status;
}

// Finds the devices that solve a point: the run's, or the first of its backend, no more than there are rows of tiles.
static enum status find_devices(const struct run *run, const struct point *point, struct bench_device **found,
                                size_t *count, struct error *error) {
    const bool several = apsp_is_shared(point);
    const size_t tiles = apsp_rounds(run, point), wanted = point->values[APSP_DEVICES];
    *count = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        struct bench_device *bench = &run->devices[i];
        if (several ? bench->device->info.backend == run_info(run)->backend : bench == run->bench_device) {
            found[(*count)++] = bench;
        }
    }
    if (several && *count < wanted) {
        return error_set(error, STATUS_USAGE, "--devices %zu: %zu of %s are there: name them with --device", wanted,
                         *count, backend_of(run_info(run)->backend)->name);
    }
    *count = !several ? 1 : wanted < tiles ? wanted : tiles;
    return STATUS_OK;
}

static enum status make_job(struct apsp_job *job, const struct point *point, struct apsp_settings settings,
                            struct error *error) {
    struct device *devices[APSP_TEAM_MAX];
    size_t count;
    TRY(find_devices(job->run, point, job->benches, &count, error));
    for (size_t i = 0; i < count; i++) {
        devices[i] = job->benches[i]->device;
    }
    settings.peer = apsp_link_prefers_peer(apsp_session_of(job->run), devices, count);
    job->team = apsp_team_make(devices, count, &job->input->graph, &settings);
    return STATUS_OK;
}

// *held becomes false if some distance did not fit into settings.bits. Then no row is emitted.
static enum status measure_with(struct run *run, const struct point *point, struct apsp_settings settings,
                                bool transfers, bool *held, struct error *error) {
    const bool needs_matrix = !settings.transfer.from_edges || transfers;
    const uint32_t vertices = apsp_vertices(run, point);
    struct apsp_job *job = memory_zeros(1, sizeof *job);
    job->run = run;
    job->transfers = transfers;
    enum status status = needs_matrix ? apsp_input_distances(run, vertices, &job->input, error)
                                      : apsp_input_graph(run, vertices, &job->input, error);
    THEN(status, make_job(job, point, settings, error));
    if (status == STATUS_OK) {
        status = prepare(job, error);
        THEN(status, measure_job(job, held, error));
        release(job);
    }
    free(job);
    return status;
}

// Begins with the plainest transfer and adds one improvement after the other.
enum status apsp_measure_transfers(struct run *run, const struct point *point, struct error *error) {
    static const struct apsp_transfer transfers[] = {
        {.pinned = false},
        {.pinned = true},
        {.pinned = true, .strip_by_copy = true},
        {.pinned = true, .strip_by_copy = true, .from_edges = true},
    };
    struct apsp_settings settings = apsp_settings_of(run, point, apsp_detail_of(point)->settings.bits);
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
        bool held;
        settings.transfer = transfers[i];
        TRY(measure_with(run, point, settings, true, &held, error));
    }
    return STATUS_OK;
}

// Other bits than the variant's may have another tile, and need more shared memory.
static enum status measure_bits(struct run *run, const struct point *point, const struct apsp_input *input,
                                uint32_t bits, bool *held, struct error *error) {
    struct apsp_settings settings = apsp_settings_of(run, point, bits);
    settings.max_weight = (uint32_t)input->max_weight;
    settings.transfer = apsp_transfer_of(run, &input->graph, bits);
    TRY(apsp_settings_check(run, point, bits, error));
    TRY(apsp_input_hop_edges(run, &settings.paths, error));
    return measure_with(run, point, settings, false, held, error);
}

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error) {
    const struct apsp_input *input;
    bool held = false;
    TRY(apsp_input_graph(run, apsp_vertices(run, point), &input, error));
    uint32_t bits = apsp_detail_of(point)->settings.bits == 16 && input->max_weight < APSP_FAR16 ? 16 : 32;
    for (; bits <= 32 && !held; bits *= 2) { // 16 bits may turn out to be too few
        TRY(measure_bits(run, point, input, bits, &held, error));
    }
    return STATUS_OK;
}
