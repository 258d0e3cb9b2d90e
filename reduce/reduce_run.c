// One reduction: buffers, launches, the check of its result, its times, its row.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/embed.h"
#include "reduce/reduce_cpu.h"
#include "reduce/reduce_library.h"
#include "reduce/reduce_plan.h"
#include "reduce/reduce_story.h"

EMBED_FILE(reduce_fill_cu, "reduce/fill.cu");

enum {
    POISON = 0xA5,
    FILL_BLOCK = 256,
    FILL_PIECE = 1 << 16, // numbers that go to a simulated device at once
    SLOT_BYTES = 8,       // of a sum of any type
};

static const struct kernel_source fill_source = {"reduce/fill.cu", reduce_fill_cu};

// Device addresses.
struct buffers {
    uint64_t input;
    uint64_t sums[2]; // launches take turns; else the blocks' sums (or the library's own needs), and the result
    uint64_t ticket;  // of the last block
    size_t sums_bytes[2];
};

// One reduction under way.
struct job {
    struct run *run;
    const struct reduce_detail *detail;
    enum reduce_type type;
    struct reduce_plan plan;
    struct buffers buffers;
    struct kernel *kernel;
    struct reduce_library *library;
    uint32_t launches; // of the plan's, as many as are handed to the device
    bool watched;      // take the counts, and check the blocks' sums, behind the first launch
    struct launch_counts counts;
    bool blocks_right;
};

static const struct device_info *info_of(const struct run *run) {
    return &run->bench_device->device->info;
}

static const struct device_operations *operations_of(const struct job *job) {
    return job->run->bench_device->device->operations;
}

static struct device *device_of(const struct job *job) {
    return job->run->bench_device->device;
}

static bool is_cpu(const struct run *run) {
    return strcmp(info_of(run)->backend, "cpu") == 0;
}

static size_t number_bytes(const struct job *job) {
    return reduce_type_bytes(job->type);
}

// ---- Blocks that run: all, or the first ones on the simulator ----

static uint64_t blocks_run(const struct job *job) {
    const uint64_t some = info_of(job->run)->simulated_blocks;
    const uint64_t grid = job->plan.pass[0].grid;
    return some > 0 && some < grid ? some : grid;
}

static bool is_partial(const struct job *job) {
    return blocks_run(job) < job->plan.pass[0].grid;
}

// The numbers that a tile holds; the yardstick leaves out what is behind the last whole word.
static uint64_t tile_elements(const struct job *job, uint64_t tile) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    uint64_t elements = pass->elements;
    if (job->detail->kind == REDUCE_READ && !is_cpu(job->run)) {
        elements -= elements % (16 / number_bytes(job));
    }
    const uint64_t first = tile * pass->tile;
    const uint64_t left = elements > first ? elements - first : 0;
    return left < pass->tile ? left : pass->tile;
}

static uint64_t tile_count(const struct job *job) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    return pass->tile ? pass->elements / pass->tile + (pass->elements % pass->tile != 0) : 0;
}

// Of the numbers that blocks first ... last - 1 sum.
static struct reduce_reference blocks_reference(const struct job *job, uint64_t first, uint64_t last) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    struct reduce_reference reference = {0};
    for (uint64_t block = first; block < last; block++) {
        for (uint64_t tile = block; tile < tile_count(job); tile += pass->grid) {
            const struct reduce_reference part =
                reduce_reference(job->type, tile * pass->tile, tile_elements(job, tile), job->run->settings->seed);
            reduce_reference_add(&reference, &part);
        }
    }
    return reference;
}

// Of all numbers: as many variants sum the same ones, the latest is kept.
static struct reduce_reference whole_reference(const struct job *job, uint64_t elements) {
    static struct {
        bool known;
        enum reduce_type type;
        uint64_t elements, seed;
        struct reduce_reference reference;
    } latest;
    const uint64_t seed = job->run->settings->seed;
    if (!latest.known || latest.type != job->type || latest.elements != elements || latest.seed != seed) {
        latest.known = true;
        latest.type = job->type;
        latest.elements = elements;
        latest.seed = seed;
        latest.reference = reduce_reference(job->type, 0, elements, seed);
    }
    return latest.reference;
}

static uint64_t summed_elements(const struct job *job) {
    const uint64_t tiles = tile_count(job);
    return tiles ? (tiles - 1) * job->plan.pass[0].tile + tile_elements(job, tiles - 1) : 0;
}

static struct reduce_reference reference_of(const struct job *job) {
    return is_partial(job) ? blocks_reference(job, 0, blocks_run(job)) : whole_reference(job, summed_elements(job));
}

// ---- Buffers ----

static void release_buffers(struct job *job) {
    uint64_t *const addresses[] = {&job->buffers.input, &job->buffers.sums[0], &job->buffers.sums[1],
                                   &job->buffers.ticket};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (*addresses[i]) {
            operations_of(job)->release(device_of(job), *addresses[i]);
        }
    }
}

static enum status size_sums(struct job *job, struct error *error) {
    const struct reduce_plan *plan = &job->plan;
    size_t *bytes = job->buffers.sums_bytes;
    bytes[0] = (plan->pass[0].grid + 1) * SLOT_BYTES;
    bytes[1] = (plan->pass_count > 1 ? plan->pass[1].grid : 1) * SLOT_BYTES;
    if (job->detail->kind == REDUCE_READ && !is_cpu(job->run)) {
        bytes[0] = plan->pass[0].grid * plan->block / info_of(job->run)->warp_width * sizeof(uint32_t);
    }
    if (job->detail->kind == REDUCE_LIBRARY) {
        return reduce_library_scratch(job->library, job->type, plan->pass[0].elements, &bytes[0], error);
    }
    return STATUS_OK;
}

static enum status allocate(struct job *job, struct error *error) {
    struct buffers *buffers = &job->buffers;
    const size_t input_bytes = job->plan.pass[0].elements * number_bytes(job);
    enum status status = size_sums(job, error);
    if (status == STATUS_OK) {
        status = operations_of(job)->allocate(device_of(job), input_bytes + SLOT_BYTES, &buffers->input, error);
    }
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status =
            operations_of(job)->allocate(device_of(job), buffers->sums_bytes[i] + SLOT_BYTES, &buffers->sums[i], error);
    }
    if (status == STATUS_OK) {
        status = operations_of(job)->allocate(device_of(job), SLOT_BYTES, &buffers->ticket, error);
    }
    if (status == STATUS_OK) {
        status = operations_of(job)->fill(device_of(job), buffers->ticket, 0, SLOT_BYTES, error);
    }
    return status;
}

static enum status poison(struct job *job, struct error *error) {
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = operations_of(job)->fill(device_of(job), job->buffers.sums[i], POISON,
                                          job->buffers.sums_bytes[i] + SLOT_BYTES, error);
    }
    return status;
}

// ---- The numbers ----

static enum status fill_by_kernel(struct job *job, struct error *error) {
    const struct kernel_constant constants[] = {
        {"BITS", (int64_t)number_bytes(job) * 8},
        {"FLOATING", reduce_type_is_floating(job->type)},
    };
    const struct argument arguments[] = {
        argument_pointer(job->buffers.input),
        argument_u64(job->plan.pass[0].elements),
        argument_u64(job->run->settings->seed),
    };
    const struct kernel_request request = {&fill_source, "fill_numbers", constants, 2,
                                           reduce_native("fill_numbers", job->type)};
    const struct launch launch = {.grid = {info_of(job->run)->compute_units * 8, 1, 1},
                                  .block = {FILL_BLOCK, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = 3};
    return bench_device_run(job->run->bench_device, &request, &launch, error);
}

static enum status fill_piece(struct job *job, void *numbers, uint64_t first, uint64_t count, struct error *error) {
    reduce_fill(job->type, numbers, first, count, job->run->settings->seed);
    return operations_of(job)->copy_to_device(device_of(job), job->buffers.input + first * number_bytes(job), numbers,
                                              count * number_bytes(job), error);
}

static enum status fill_tile(struct job *job, uint64_t tile, void *numbers, struct error *error) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    const uint64_t first = tile * pass->tile;
    const uint64_t end = first + pass->tile < pass->elements ? first + pass->tile : pass->elements;
    enum status status = STATUS_OK;
    for (uint64_t i = first; i < end && status == STATUS_OK; i += FILL_PIECE) {
        status = fill_piece(job, numbers, i, end - i < FILL_PIECE ? end - i : FILL_PIECE, error);
    }
    return status;
}

// A simulated lane is slow: its numbers are made on the host, those of the blocks that run.
static enum status fill_from_host(struct job *job, struct error *error) {
    void *numbers = malloc(FILL_PIECE * SLOT_BYTES);
    enum status status = numbers ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    for (uint64_t block = 0; block < blocks_run(job); block++) {
        for (uint64_t tile = block; tile < tile_count(job) && status == STATUS_OK; tile += job->plan.pass[0].grid) {
            status = fill_tile(job, tile, numbers, error);
        }
    }
    free(numbers);
    return status;
}

static enum status fill(struct job *job, struct error *error) {
    return info_of(job->run)->predicted ? fill_from_host(job, error) : fill_by_kernel(job, error);
}

// ---- Whether the result is right ----

static double depth_of(const struct job *job, uint32_t launches) {
    if (job->detail->kind == REDUCE_LIBRARY) {
        return INFINITY; // its order is not known
    }
    if (is_cpu(job->run)) {
        return reduce_native_depth(job->detail->entry, job->type, job->plan.pass[0].elements,
                                   (uint32_t)job->plan.pass[0].grid);
    }
    return reduce_plan_depth(&job->plan, launches);
}

static uint64_t result_address(const struct job *job) {
    switch (job->detail->kind) {
    case REDUCE_LAUNCHES:
        return job->buffers.sums[(job->plan.pass_count - 1) % 2];
    case REDUCE_ATOMIC:
    case REDUCE_LAST:
    case REDUCE_LIBRARY:
        return job->buffers.sums[1];
    case REDUCE_READ:
    case REDUCE_CPU:
        break;
    }
    return job->buffers.sums[0];
}

// The sum of each block that ran by itself.
static enum status check_blocks(struct job *job, bool *right, struct error *error) {
    const uint64_t blocks = blocks_run(job);
    uint8_t *sums = malloc(blocks * number_bytes(job));
    if (!sums) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status =
        operations_of(job)->copy_to_host(device_of(job), sums, job->buffers.sums[0], blocks * number_bytes(job), error);
    *right = status == STATUS_OK;
    for (uint64_t block = 0; block < blocks && *right; block++) {
        const struct reduce_reference reference = blocks_reference(job, block, block + 1);
        *right = reduce_is_right(job->type, &reference, depth_of(job, 1), sums + block * number_bytes(job));
    }
    free(sums);
    return status;
}

static enum status check_checksums(struct job *job, bool *right, struct error *error) {
    const uint64_t words = is_cpu(job->run) ? 1 : blocks_run(job) * job->plan.block / info_of(job->run)->warp_width;
    uint32_t *sums = malloc(words * sizeof *sums);
    if (!sums) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status =
        operations_of(job)->copy_to_host(device_of(job), sums, job->buffers.sums[0], words * sizeof *sums, error);
    uint32_t checksum = reference_of(job).checksum;
    for (uint64_t i = 0; i < words; i++) {
        checksum ^= sums[i];
    }
    free(sums);
    *right = status == STATUS_OK && checksum == 0;
    return status;
}

static enum status check_sum(struct job *job, bool *right, struct error *error) {
    uint64_t result = 0;
    const enum status status =
        operations_of(job)->copy_to_host(device_of(job), &result, result_address(job), number_bytes(job), error);
    const struct reduce_reference reference = reference_of(job);
    *right =
        status == STATUS_OK && reduce_is_right(job->type, &reference, depth_of(job, job->plan.pass_count), &result);
    return status;
}

static enum status check_result(struct job *job, bool *right, struct error *error) {
    if (job->detail->kind == REDUCE_READ) {
        return check_checksums(job, right, error);
    }
    if (!is_partial(job) || job->detail->kind == REDUCE_ATOMIC) {
        return check_sum(job, right, error);
    }
    if (job->detail->kind == REDUCE_LAST) {
        return check_blocks(job, right, error);
    }
    *right = job->blocks_right; // checked before the next launch
    return STATUS_OK;
}

// ---- Launches ----

static enum status after_first(struct job *job, struct error *error) {
    enum status status = STATUS_OK;
    if (operations_of(job)->counts) {
        status = operations_of(job)->counts(device_of(job), &job->counts, error);
    }
    if (status == STATUS_OK && is_partial(job) && job->detail->kind == REDUCE_LAUNCHES) {
        status = check_blocks(job, &job->blocks_right, error);
    }
    return status;
}

static enum status launch_pass(struct job *job, uint32_t number, struct error *error) {
    const struct reduce_plan *plan = &job->plan;
    const struct buffers *buffers = &job->buffers;
    const bool sums = job->detail->kind == REDUCE_ATOMIC || job->detail->kind == REDUCE_LAST;
    const struct argument arguments[] = {
        argument_pointer(number == 0 ? buffers->input : buffers->sums[(number - 1) % 2]),
        argument_pointer(sums ? buffers->sums[1] : buffers->sums[number % 2]),
        argument_u64(plan->pass[number].elements),
        argument_pointer(buffers->sums[0]),
        argument_pointer(buffers->ticket),
    };
    const struct launch launch = {
        .grid = {(uint32_t)plan->pass[number].grid, 1, 1},
        .block = {plan->block ? plan->block : 1, 1, 1},
        .dynamic_shared_bytes = reduce_plan_shared_bytes(plan, info_of(job->run)->warp_width),
        .arguments = arguments,
        .argument_count = job->detail->kind == REDUCE_LAST ? 5 : 3,
    };
    return operations_of(job)->launch(device_of(job), job->kernel, &launch, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    struct buffers *buffers = &job->buffers;
    enum status status = STATUS_OK;
    if (job->detail->kind == REDUCE_LIBRARY) {
        return reduce_library_sum(job->library, device_of(job), job->type, buffers->input, buffers->sums[1],
                                  job->plan.pass[0].elements, buffers->sums[0], buffers->sums_bytes[0], error);
    }
    if (job->detail->kind == REDUCE_ATOMIC) {
        status = operations_of(job)->fill(device_of(job), buffers->sums[1], 0, SLOT_BYTES, error);
    }
    for (uint32_t i = 0; i < job->launches && status == STATUS_OK; i++) {
        status = launch_pass(job, i, error);
        if (status == STATUS_OK && i == 0 && job->watched) {
            status = after_first(job, error);
        }
    }
    return status;
}

static enum status build(struct job *job, struct error *error) {
    const struct kernel_constant constants[] = {
        {"BITS", (int64_t)number_bytes(job) * 8},
        {"FLOATING", reduce_type_is_floating(job->type)},
        {"BLOCK", job->plan.block},
        {"ITEMS", REDUCE_ITEMS},
        {"REDUX", job->detail->redux},
        {"WIDTH", 16},
    };
    const struct kernel_request request = {
        .source = job->detail->source,
        .entry = job->detail->entry,
        .constants = constants,
        .constant_count = sizeof constants / sizeof constants[0],
        .native = reduce_native(job->detail->entry, job->type),
    };
    return operations_of(job)->build(device_of(job), &request, &job->kernel, error);
}

static enum status prepare(struct job *job, struct error *error) {
    job->launches = job->plan.pass_count;
    enum status status = job->detail->kind == REDUCE_LIBRARY
                             ? reduce_library_open(info_of(job->run)->backend, &job->library, error)
                             : build(job, error);
    if (status == STATUS_OK) {
        status = allocate(job, error);
    }
    if (status == STATUS_OK) {
        status = poison(job, error);
    }
    return status == STATUS_OK ? fill(job, error) : status;
}

static void release(struct job *job) {
    if (job->kernel) {
        operations_of(job)->discard(device_of(job), job->kernel);
    }
    release_buffers(job);
}

// ---- Times ----

struct times {
    struct measurement all;
    double first_ns; // of the first launch
};

static enum status measure_all(struct job *job, struct measurement *measurement, struct error *error) {
    const struct work work = {enqueue, job};
    return measure(job->run->bench_device, job->run->settings, &work, measurement, error);
}

// On the simulator one run gives result, counts and times.
static enum status simulate(struct job *job, struct times *times, bool *right, struct error *error) {
    job->watched = true;
    enum status status = measure_all(job, &times->all, error);
    times->first_ns = job->counts.predicted_ns;
    return status == STATUS_OK ? check_result(job, right, error) : status;
}

static enum status verify(struct job *job, bool *right, struct error *error) {
    enum status status = enqueue(job, error);
    if (status == STATUS_OK) {
        status = operations_of(job)->synchronize(device_of(job), error);
    }
    return status == STATUS_OK ? check_result(job, right, error) : status;
}

static enum status verify_and_measure(struct job *job, struct times *times, bool *right, struct error *error) {
    struct measurement first;
    enum status status = verify(job, right, error);
    if (status == STATUS_OK) {
        status = measure_all(job, &times->all, error);
    }
    times->first_ns = times->all.time_ns.median;
    if (status == STATUS_OK && job->plan.pass_count > 1) {
        job->launches = 1;
        status = measure_all(job, &first, error);
        times->first_ns = first.time_ns.median;
    }
    return status;
}

static enum status run_job(struct job *job, struct times *times, bool *right, struct error *error) {
    enum status status = prepare(job, error);
    if (status != STATUS_OK) {
        return status;
    }
    return info_of(job->run)->predicted ? simulate(job, times, right, error)
                                        : verify_and_measure(job, times, right, error);
}

static struct job make_job(struct run *run, const struct reduce_detail *detail, const struct point *point,
                           enum reduce_type type) {
    struct job job = {.run = run, .detail = detail, .type = type};
    const uint32_t block = is_cpu(run) ? 0 : (uint32_t)point->values[REDUCE_BLOCK];
    job.plan = reduce_plan(detail, type, info_of(run), block, reduce_elements(run, point, type));
    return job;
}

// ---- The yardstick ----

static const struct reduce_detail *read_limit(const struct run *run) {
    for (size_t i = 0; i < run->probe->variant_count; i++) {
        const struct reduce_detail *detail = run->probe->variants[i].detail;
        if (detail->kind == REDUCE_READ) {
            return detail;
        }
    }
    return NULL;
}

static double useful_bytes(const struct job *job) {
    return (double)job->plan.pass[0].elements * (double)number_bytes(job);
}

// The same bytes, read by a grid that fills the part once; on a GPU also by a block for each tile: the faster counts.
static enum status measure_limit(struct job *job, struct times *times, bool *right, struct error *error) {
    enum status status = run_job(job, times, right, error);
    if (status != STATUS_OK || info_of(job->run)->predicted || is_cpu(job->run)) {
        return status;
    }
    struct job tiled = *job;
    struct times tiled_times;
    bool tiled_right;
    tiled.kernel = NULL;
    tiled.buffers = (struct buffers){0};
    tiled.plan.pass[0].grid = tile_count(job) ? tile_count(job) : 1;
    status = run_job(&tiled, &tiled_times, &tiled_right, error);
    release(&tiled);
    if (status == STATUS_OK && tiled_times.all.time_ns.median < times->all.time_ns.median) {
        *times = tiled_times;
        job->plan = tiled.plan;
        *right &= tiled_right;
    }
    return status;
}

// The yardstick is measured once for each footprint, whether or not it is among the variants.
static enum status ensure_limit(struct run *run, const struct point *point, enum reduce_type type,
                                struct error *error) {
    struct point other = *point;
    if (other.values[REDUCE_BLOCK] == 0) {
        other.values[REDUCE_BLOCK] = 512;
    }
    struct job job = make_job(run, read_limit(run), &other, type);
    const uint64_t elements = job.plan.pass[0].elements;
    if (elements == 0 || !isnan(reduce_story_limit(device_of(&job), type, elements))) {
        return STATUS_OK;
    }
    struct times times;
    bool right = false;
    const enum status status = measure_limit(&job, &times, &right, error);
    if (status == STATUS_OK) {
        reduce_story_set_limit(device_of(&job), type, elements, useful_bytes(&job) / times.all.time_ns.median);
    }
    release(&job);
    return status;
}

// ---- The row ----

static void describe(const struct job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "read");
    snprintf(row->type, sizeof row->type, "%s", reduce_type_name(job->type));
    row->width_bytes = number_bytes(job);
    row->elements = job->plan.pass[0].elements;
    row->footprint_bytes = (uint64_t)useful_bytes(job);
    if (job->kernel && !is_cpu(job->run)) {
        row_format_dimensions(row->block, (struct dimensions){job->plan.block, 1, 1});
        row_format_dimensions(row->grid, (struct dimensions){(uint32_t)job->plan.pass[0].grid, 1, 1});
    }
}

static void set_counts(const struct job *job, struct row *row) {
    if (operations_of(job)->counts) {
        row_set_counts(row, &job->counts, info_of(job->run)->gpu);
        row->barriers = job->counts.barriers / job->counts.warps;
    }
}

static enum status emit(struct job *job, const struct point *point, const struct times *times, bool right,
                        struct error *error) {
    struct row row = run_row(job->run);
    describe(job, &row);
    set_counts(job, &row);
    row_finish(&row, job->run, &times->all, useful_bytes(job), right ? VERIFICATION_PASSED : VERIFICATION_FAILED);
    if (job->detail->kind == REDUCE_READ) {
        reduce_story_set_limit(device_of(job), job->type, row.elements, row.bandwidth_gb_s);
    }
    row.first_kernel_pct = 100 * times->first_ns / times->all.time_ns.median;
    row.limit_pct = 100 * row.bandwidth_gb_s / reduce_story_limit(device_of(job), job->type, row.elements);
    reduce_story_add(job->run->variant, &row, !reduce_is_swept(job->run, point));
    return run_emit(job->run, &row, error);
}

enum status reduce_measure(struct run *run, const struct point *point, enum reduce_type type, struct error *error) {
    const struct reduce_detail *detail = point->variant->detail;
    const bool limit = detail->kind == REDUCE_READ;
    enum status status = limit ? STATUS_OK : ensure_limit(run, point, type, error);
    if (status != STATUS_OK) {
        return status;
    }
    struct job job = make_job(run, detail, point, type);
    struct times times;
    bool right = false;
    status = limit ? measure_limit(&job, &times, &right, error) : run_job(&job, &times, &right, error);
    if (status == STATUS_OK) {
        status = emit(&job, point, &times, right, error);
    }
    release(&job);
    return status;
}
