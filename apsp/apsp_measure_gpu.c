// The GPU's variants as rows: a solution is a list of launches, its steps. The whole is timed as one; then once more
// step by step, for the time and the counts of each kernel.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp.h"
#include "bench/progress.h"
#include "common/embed.h"

EMBED_FILE(apsp_global_cu, "apsp/global.cu");
EMBED_FILE(apsp_shared_cu, "apsp/shared.cu");
EMBED_FILE(apsp_register_tiled_cu, "apsp/register_tiled.cu");
EMBED_FILE(apsp_matrix_cu, "apsp/matrix.cu");

enum {
    POISON = 0xA5,
    COPY_BLOCK = 256,
    ARGUMENTS_MAX = 5,
    FAR16 = 0x7fff,
    REGISTERS_TILE = 64, // what register_tiled.cu has pivots
    REGISTERS_PART = 128,
    REGISTERS_BLOCK = 256
};

static const struct kernel_source matrix_source = {"apsp/matrix.cu", apsp_matrix_cu};
static const struct kernel_source register_tiled_source = {"apsp/register_tiled.cu", apsp_register_tiled_cu};
static const struct kernel_source sources[] = {
    [APSP_GLOBAL] = {"apsp/global.cu", apsp_global_cu},
    [APSP_SHARED] = {"apsp/shared.cu", apsp_shared_cu},
    [APSP_REGISTERS] = {"apsp/shared.cu", apsp_shared_cu},
};

enum step_kind {
    PAD,
    PHASE1,
    PHASE2,
    PHASE3,
    UNPAD,
    STEP_KINDS
};
static const char *const step_names[] = {"pad", "phase1", "phase2", "phase3", "unpad"};

// What all launches of one kernel came to.
struct tally {
    uint64_t launches;
    double time_ns;
    struct launch_counts counts;
};

struct job {
    struct run *run;
    const struct apsp_input *input;
    const struct apsp_detail *detail;
    struct apsp_shape shape;
    uint32_t bits;              // of a distance on the device
    uint32_t vertices, pitch;   // pitch: vertices and what they are padded with
    uint32_t tiles;             // in a row of the padded matrix
    uint32_t rounds;            // that a solution has
    uint64_t from, w, to, most; // device addresses
    double copy_in_ns, copy_out_ns;
    struct kernel *kernels[STEP_KINDS];
    struct tally *tallies; // of each kind of step; NULL: the steps follow one another unmeasured
    struct progress progress;
    int32_t *distances; // the result, on the host
};

static struct device *device_of(const struct job *job) {
    return job->run->bench_device->device;
}

static bool in_registers(const struct job *job, enum step_kind kind) {
    return job->detail->kind == APSP_REGISTERS && kind == PHASE3;
}

static bool is_copy(enum step_kind kind) {
    return kind == PAD || kind == UNPAD;
}

// Only some blocks of the first round are simulated.
static bool sampled(const struct job *job) {
    return device_of(job)->info.simulated_blocks > 0;
}

static uint64_t matrix_bytes(const struct job *job) {
    return (uint64_t)job->vertices * job->vertices * sizeof(int32_t);
}

static uint64_t padded_bytes(const struct job *job) {
    return (uint64_t)job->pitch * job->pitch * job->bits / 8;
}

// ---- Steps ----

static struct dimensions grid_of(const struct job *job, enum step_kind kind) {
    const uint32_t others = job->tiles - 1;
    const uint64_t side = kind == PAD ? job->pitch : job->vertices;
    const uint32_t parts = job->pitch / REGISTERS_PART;
    switch (kind) {
    case PHASE1:
        return (struct dimensions){1, 1, 1};
    case PHASE2:
        return (struct dimensions){2 * others, 1, 1};
    case PHASE3:
        if (in_registers(job, kind)) {
            return (struct dimensions){parts * job->bits / 32, parts, 1};
        }
        return job->detail->linear ? (struct dimensions){others * others, 1, 1}
                                   : (struct dimensions){others, others, 1};
    default:
        return (struct dimensions){(uint32_t)((side * side + COPY_BLOCK - 1) / COPY_BLOCK), 1, 1};
    }
}

// The kernels' parameters are: pad(w, from, pitch, rows, vertices), unpad(to, w, pitch, vertices, most), and of the
// phases (w, pitch, pivot), in global.cu with vertices behind.
static size_t set_arguments(const struct job *job, enum step_kind kind, uint32_t pivot, struct argument *at) {
    const struct argument *first = at;
    *at++ = argument_pointer(kind == UNPAD ? job->to : job->w);
    if (is_copy(kind)) {
        *at++ = argument_pointer(kind == PAD ? job->from : job->w);
    }
    *at++ = argument_u32(in_registers(job, kind) ? job->pitch * job->bits / 32 : job->pitch);
    if (kind != UNPAD) {
        *at++ = argument_u32(kind == PAD ? job->pitch : pivot);
    }
    if (is_copy(kind) || job->detail->kind == APSP_GLOBAL) {
        *at++ = argument_u32(job->vertices);
    }
    if (kind == UNPAD) {
        *at++ = argument_pointer(job->most);
    }
    return (size_t)(at - first);
}

static uint32_t shared_bytes(const struct job *job, enum step_kind kind) {
    const uint32_t tiles = is_copy(kind) || in_registers(job, kind) ? 0 : kind == PHASE1 ? 1 : 2;
    return job->detail->kind == APSP_GLOBAL ? 0 : tiles * job->shape.tile * job->shape.tile * job->bits / 8;
}

static struct dimensions block_of(const struct job *job, enum step_kind kind) {
    return is_copy(kind)             ? (struct dimensions){COPY_BLOCK, 1, 1}
           : in_registers(job, kind) ? (struct dimensions){REGISTERS_BLOCK, 1, 1}
                                     : job->shape.block;
}

static enum status launch_step(struct job *job, enum step_kind kind, uint32_t pivot, struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const struct launch launch = {
        .grid = grid_of(job, kind),
        .block = block_of(job, kind),
        .dynamic_shared_bytes = shared_bytes(job, kind),
        .arguments = arguments,
        .argument_count = set_arguments(job, kind, pivot, arguments),
    };
    return device_of(job)->operations->launch(device_of(job), job->kernels[kind], &launch, error);
}

static void add_memory(struct memory_counts *sum, const struct memory_counts *more) {
    sum->requests += more->requests;
    sum->lane_bytes += more->lane_bytes;
    sum->sectors += more->sectors;
    sum->lines += more->lines;
    sum->passes += more->passes;
    sum->conflicts += more->conflicts;
    sum->unique_bytes += more->unique_bytes;
}

static void add_counts(struct launch_counts *sum, const struct launch_counts *more) {
    add_memory(&sum->global_load, &more->global_load);
    add_memory(&sum->global_store, &more->global_store);
    add_memory(&sum->shared_load, &more->shared_load);
    add_memory(&sum->shared_store, &more->shared_store);
    sum->warps += more->warps;
    sum->instructions += more->instructions;
    sum->lane_steps += more->lane_steps;
    sum->branches += more->branches;
}

// One step on its own, between two events.
static enum status measure_step(struct job *job, enum step_kind kind, uint32_t pivot, struct error *error) {
    struct device *device = device_of(job);
    const struct device_operations *operations = device->operations;
    struct bench_device *bench = job->run->bench_device;
    struct tally *tally = &job->tallies[kind];
    double time_ns = 0;
    enum status status = operations->event_record(device, bench->start, error);
    status = status == STATUS_OK ? launch_step(job, kind, pivot, error) : status;
    status = status == STATUS_OK ? operations->event_record(device, bench->stop, error) : status;
    status = status == STATUS_OK ? operations->synchronize(device, error) : status;
    status =
        status == STATUS_OK ? operations->event_elapsed(device, bench->start, bench->stop, &time_ns, error) : status;
    if (status == STATUS_OK && operations->counts) {
        struct launch_counts counts;
        status = operations->counts(device, &counts, error);
        add_counts(&tally->counts, &counts);
    }
    tally->launches++;
    tally->time_ns += time_ns;
    return status;
}

static enum status run_step(struct job *job, enum step_kind kind, uint32_t pivot, struct error *error) {
    return job->tallies ? measure_step(job, kind, pivot, error) : launch_step(job, kind, pivot, error);
}

static enum status run_round(struct job *job, uint32_t pivot, struct error *error) {
    enum status status = run_step(job, PHASE1, pivot, error);
    if (job->tiles > 1) {
        status = status == STATUS_OK ? run_step(job, PHASE2, pivot, error) : status;
        status = status == STATUS_OK ? run_step(job, PHASE3, pivot, error) : status;
    }
    if (job->tallies) {
        progress_advance(&job->progress);
        progress_show(&job->progress, "rounds");
    }
    return status;
}

static enum status run_steps(void *context, struct error *error) {
    struct job *job = context;
    enum status status = run_step(job, PAD, 0, error);
    for (uint32_t pivot = 0; pivot < (sampled(job) ? 1 : job->rounds) && status == STATUS_OK; pivot++) {
        status = run_round(job, pivot, error);
    }
    return status == STATUS_OK ? run_step(job, UNPAD, 0, error) : status;
}

// ---- Before and after ----

static enum status build(struct job *job, struct error *error) {
    struct device *device = device_of(job);
    const struct kernel_constant constants[] = {
        {"BITS", job->bits}, // the only one that matrix.cu and register_tiled.cu know
        {"TILE", job->shape.tile},
        {"BLOCK_X", job->shape.block.x},
        {"BLOCK_Y", job->shape.block.y},
        {"LINEAR", job->detail->linear},
        {"BOUNDED", job->detail->bounded},
        {"BY_COLUMN", job->detail->by_column},
        {"UNROLL", job->detail->unroll},
    };
    enum status status = STATUS_OK;
    for (enum step_kind kind = 0; kind < STEP_KINDS && status == STATUS_OK; kind++) {
        const bool bits_alone = is_copy(kind) || in_registers(job, kind);
        const struct kernel_request request = {
            .source = is_copy(kind)             ? &matrix_source
                      : in_registers(job, kind) ? &register_tiled_source
                                                : &sources[job->detail->kind],
            .entry = step_names[kind],
            .constants = constants,
            .constant_count = bits_alone ? 1 : sizeof constants / sizeof *constants,
        };
        status = device->operations->build(device, &request, &job->kernels[kind], error);
    }
    return status;
}

static enum status copy_in(struct job *job, struct error *error) {
    struct device *device = device_of(job);
    const double start = apsp_now_ns();
    enum status status =
        device->operations->copy_to_device(device, job->from, job->input->distances, matrix_bytes(job), error);
    job->copy_in_ns = apsp_now_ns() - start;
    return status;
}

static enum status copy_out(struct job *job, struct error *error) {
    struct device *device = device_of(job);
    memset(job->distances, POISON, matrix_bytes(job)); // and the pages are there before the clock runs
    const double start = apsp_now_ns();
    enum status status = device->operations->copy_to_host(device, job->distances, job->to, matrix_bytes(job), error);
    job->copy_out_ns = apsp_now_ns() - start;
    return status;
}

static enum status prepare(struct job *job, struct error *error) {
    struct device *device = device_of(job);
    const struct device_operations *operations = device->operations;
    enum status status = build(job, error);
    status = status == STATUS_OK ? operations->allocate(device, matrix_bytes(job), &job->from, error) : status;
    status = status == STATUS_OK ? operations->allocate(device, padded_bytes(job), &job->w, error) : status;
    status = status == STATUS_OK ? operations->allocate(device, matrix_bytes(job), &job->to, error) : status;
    status = status == STATUS_OK ? operations->allocate(device, sizeof(uint32_t), &job->most, error) : status;
    job->distances = malloc(matrix_bytes(job));
    if (status == STATUS_OK && !job->distances) {
        status = error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    return status == STATUS_OK ? copy_in(job, error) : status;
}

static void release(struct job *job) {
    const struct device_operations *operations = device_of(job)->operations;
    const uint64_t addresses[] = {job->from, job->w, job->to, job->most};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            operations->release(device_of(job), addresses[i]);
        }
    }
    for (size_t i = 0; i < STEP_KINDS; i++) {
        if (job->kernels[i]) {
            operations->discard(device_of(job), job->kernels[i]);
        }
    }
    free(job->distances);
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = device_of(job);
    enum status status = device->operations->fill(device, job->w, POISON, padded_bytes(job), error);
    status = status == STATUS_OK ? device->operations->fill(device, job->to, POISON, matrix_bytes(job), error) : status;
    return status == STATUS_OK ? device->operations->fill(device, job->most, 0, sizeof(uint32_t), error) : status;
}

static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    enum status status = copy_out(job, error);
    return status == STATUS_OK ? apsp_check(job->input, job->distances, right, error) : status;
}

// ---- Rows ----

static struct row row_of(const struct job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.tile = job->shape.tile;
    row.width_bytes = job->bits / 8;
    row_format_dimensions(row.block, job->shape.block);
    return row;
}

static struct launch_counts mean_counts(const struct tally *tally) {
    struct launch_counts mean = tally->counts;
    double *values[] = {&mean.warps, &mean.instructions, &mean.lane_steps, &mean.branches};
    struct memory_counts *memories[] = {&mean.global_load, &mean.global_store, &mean.shared_load, &mean.shared_store};
    const double launches = (double)tally->launches;
    for (size_t i = 0; i < 4; i++) {
        struct memory_counts *m = memories[i];
        double *of_memory[] = {&m->requests, &m->lane_bytes, &m->sectors,     &m->lines,
                               &m->passes,   &m->conflicts,  &m->unique_bytes};
        *values[i] /= launches;
        for (size_t k = 0; k < sizeof of_memory / sizeof *of_memory; k++) {
            *of_memory[k] /= launches;
        }
    }
    return mean;
}

// A phase's updates in all rounds.
static double updates_of(const struct job *job, enum step_kind kind) {
    const double tile = job->shape.tile, others = job->tiles - 1.0, of_tile = tile * tile * tile * job->rounds;
    if (in_registers(job, kind)) {
        return (double)job->tiles * job->tiles * of_tile; // it covers the whole matrix
    }
    return kind == PHASE1   ? of_tile
           : kind == PHASE2 ? 2 * others * of_tile
           : kind == PHASE3 ? others * others * of_tile
                            : NAN;
}

static enum status emit_step(struct job *job, enum step_kind kind, struct error *error) {
    const struct tally *tally = &job->tallies[kind];
    struct row row = row_of(job, step_names[kind]);
    if (tally->launches == 0) {
        return STATUS_OK;
    }
    if (device_of(job)->operations->counts) {
        const struct launch_counts counts = mean_counts(tally);
        row_set_counts(&row, &counts, device_of(job)->info.gpu);
    } else {
        row.samples = 1;
    }
    row_format_dimensions(row.block, block_of(job, kind));
    row_format_dimensions(row.grid, grid_of(job, kind));
    row.time_ns_median = tally->time_ns;
    row.ops = updates_of(job, kind);
    row.gop_s = row.ops / row.time_ns_median;
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(job->run, &row, error);
}

static enum status emit_rows(struct job *job, const struct measurement *measurement, enum verification verification,
                             struct error *error) {
    struct row row = row_of(job, "all");
    const double n = job->vertices;
    const bool host_times = !device_of(job)->info.predicted; // beside predictions they would say nothing
    enum status status = apsp_emit_input(job->run, job->input, error);
    status = status == STATUS_OK && host_times
                 ? apsp_emit_time(job->run, job->input, "copy-in", job->copy_in_ns, 4 * n * n, error)
                 : status;
    for (enum step_kind kind = 0; kind < STEP_KINDS && status == STATUS_OK; kind++) {
        status = emit_step(job, kind, error);
    }
    if (status == STATUS_OK && host_times) {
        status = apsp_emit_time(job->run, job->input, "copy-out", job->copy_out_ns, 4 * n * n, error);
    }
    row_finish(&row, job->run, measurement, NAN, verification);
    row.ops = n * n * n;
    row.gop_s = row.ops / row.time_ns_median;
    status = status == STATUS_OK ? run_emit(job->run, &row, error) : status;
    return status == STATUS_OK && !sampled(job) ? apsp_emit_output(job->run, job->input, job->distances, error)
                                                : status;
}

// ---- Measuring ----

// Of a simulated device: one run, step by step, is the verification, the prediction and the counts.
static enum status predict(struct job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    bool right = false;
    *measurement = (struct measurement){.clock_mhz = NAN, .time_ns = {0, NAN, NAN, 0, NAN}};
    enum status status = poison(job, error);
    status = status == STATUS_OK ? run_steps(job, error) : status;
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    *verification = sampled(job) ? VERIFICATION_NONE : right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    for (enum step_kind kind = 0; kind < STEP_KINDS; kind++) {
        job->tallies[kind].time_ns *= sampled(job) && !is_copy(kind) ? job->rounds : 1;
        measurement->time_ns.median += job->tallies[kind].time_ns;
    }
    return status;
}

static enum status time_all(struct job *job, struct tally *tallies, struct measurement *measurement,
                            enum verification *verification, struct error *error) {
    const struct trial trial = {job, poison, run_steps, check};
    enum status status = run_trial(job->run, &trial, measurement, verification, error);
    job->tallies = tallies;
    return status == STATUS_OK ? run_steps(job, error) : status;
}

// Whether 16 bits held every distance. On the way to a farther vertex distances grow by no more than the heaviest edge,
// so where the largest one found is that much below FAR16, there is none beyond it.
static enum status check_width(const struct job *job, bool *held, struct error *error) {
    uint32_t most = 0;
    *held = true;
    if (job->bits == 32 || sampled(job)) {
        return STATUS_OK;
    }
    enum status status = device_of(job)->operations->copy_to_host(device_of(job), &most, job->most, sizeof most, error);
    *held = most + (uint32_t)job->input->max_weight < FAR16;
    return status;
}

static enum status measure_job(struct job *job, bool *held, struct error *error) {
    struct tally tallies[STEP_KINDS] = {0};
    struct measurement measurement;
    enum verification verification;
    enum status status;
    job->progress = progress_start(job->rounds, job->run->settings->quiet);
    if (device_of(job)->info.predicted) {
        job->tallies = tallies;
        status = predict(job, &measurement, &verification, error);
    } else {
        status = time_all(job, tallies, &measurement, &verification, error);
    }
    progress_clear(&job->progress);
    status = status == STATUS_OK ? check_width(job, held, error) : status;
    return status == STATUS_OK && *held ? emit_rows(job, &measurement, verification, error) : status;
}

static struct job make_job(struct run *run, const struct point *point, const struct apsp_input *input, uint32_t bits) {
    struct job job = {
        .run = run, .detail = point->variant->detail, .shape = apsp_shape(point), .input = input, .bits = bits};
    const uint32_t unit = job.detail->kind == APSP_REGISTERS ? REGISTERS_PART * 32 / bits : job.shape.tile;
    job.vertices = input->graph.vertices;
    job.pitch = job.detail->bounded ? job.vertices : (job.vertices + unit - 1) / unit * unit;
    job.tiles = (job.pitch + job.shape.tile - 1) / job.shape.tile;
    job.rounds = (job.vertices + job.shape.tile - 1) / job.shape.tile;
    return job;
}

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error) {
    const struct apsp_detail *detail = point->variant->detail;
    const struct apsp_input *input;
    bool held = false;
    enum status status = apsp_input_get(run, apsp_vertices(run, point), &input, error);
    uint32_t bits = detail->bits == 16 && input->max_weight < FAR16 ? 16 : 32;
    for (; bits <= 32 && status == STATUS_OK && !held; bits *= 2) { // 16 bits may turn out too few
        struct job job = make_job(run, point, input, bits);
        status = prepare(&job, error);
        status = status == STATUS_OK ? measure_job(&job, &held, error) : status;
        release(&job);
    }
    return status;
}

// ---- What fits ----

struct apsp_shape apsp_shape(const struct point *point) {
    const struct apsp_detail *detail = point->variant->detail;
    const uint64_t block = point->values[APSP_BLOCK];
    if (detail->kind == APSP_REGISTERS) {
        return (struct apsp_shape){REGISTERS_TILE, {32, 8, 1}};
    }
    return (struct apsp_shape){(uint32_t)point->values[APSP_TILE], {(uint32_t)block, (uint32_t)(block >> 32), 1}};
}

static enum status check_shared(const struct device_info *info, const struct apsp_shape *shape, struct error *error) {
    enum {
        ELEMENTS_MAX = 64 // of a thread, in registers
    };
    const uint32_t bytes = 2 * shape->tile * shape->tile * (uint32_t)sizeof(int32_t);
    const uint32_t columns = (shape->tile + shape->block.x - 1) / shape->block.x;
    const uint32_t elements = columns * ((shape->tile + shape->block.y - 1) / shape->block.y);
    if (bytes > info->shared_bytes_per_block_max) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 ": two tiles need %" PRIu32
                         " bytes of shared memory, a block of %s has %" PRIu32 ": give a smaller tile",
                         shape->tile, bytes, info->spec, info->shared_bytes_per_block_max);
    }
    if (elements > ELEMENTS_MAX) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 " --block %" PRIu32 "x%" PRIu32 ": a thread would hold %" PRIu32
                         " elements, registers are for %d: give a larger block",
                         shape->tile, shape->block.x, shape->block.y, elements, ELEMENTS_MAX);
    }
    return STATUS_OK;
}

enum status apsp_check_shape(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = &run->bench_device->device->info;
    const struct apsp_detail *detail = point->variant->detail;
    const struct apsp_shape shape = apsp_shape(point);
    const uint64_t threads = (uint64_t)shape.block.x * shape.block.y;
    if (threads > info->max_block_threads) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %" PRIu64 " threads, a block of %s has %" PRIu32
                         ": give a smaller block",
                         shape.block.x, shape.block.y, threads, info->spec, info->max_block_threads);
    }
    if (detail->linear && shape.block.y != 1) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %s numbers its threads in one row: give N", shape.block.x,
                         shape.block.y, point->variant->name);
    }
    if (!detail->linear && (shape.block.x > shape.tile || shape.block.y > shape.tile)) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": larger than a tile of %" PRIu32 ": give a smaller block",
                         shape.block.x, shape.block.y, shape.tile);
    }
    return detail->kind != APSP_GLOBAL ? check_shared(info, &shape, error) : STATUS_OK;
}
