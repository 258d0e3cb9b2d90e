#include "reduce/reduce_buffers.h"

#include <stdlib.h>
#include <string.h>

#include "reduce/reduce_check.h"
#include "reduce/reduce_cpu.h"
#include "reduce/reduce_launch.h"
#include "util/embed.h"

EMBED_FILE(reduce_fill_cu, "reduce/fill.cu");

enum {
    POISON = 0xA5,
    FILL_BLOCK = 256,
    FILL_PIECE = 1 << 16, // numbers copied to a simulated device at once
};

static const struct kernel_source fill_source = {"reduce/fill.cu", reduce_fill_cu};

// ---- Buffers ----

void reduce_buffers_release(struct reduce_job *job) {
    uint64_t *const addresses[] = {&job->buffers.input, &job->buffers.sums[0], &job->buffers.sums[1],
                                   &job->buffers.ticket};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (*addresses[i]) {
            device_release(reduce_device(job), *addresses[i]);
        }
    }
    free(job->first_blocks);
    job->first_blocks = NULL;
}

static enum status size_sums(struct reduce_job *job, struct error *error) {
    const struct reduce_plan *plan = &job->plan;
    size_t *bytes = job->buffers.sums_bytes;
    bytes[0] = (plan->pass[0].grid + 1) * REDUCE_SLOT_BYTES;
    bytes[1] = (plan->pass_count > 1 ? plan->pass[1].grid : 1) * REDUCE_SLOT_BYTES;
    if (job->detail->checksums && !reduce_on_cpu(job->run)) {
        bytes[0] = REDUCE_CHECKSUMS * sizeof(uint32_t);
    }
    if (job->detail->library) {
        return reduce_library_scratch(&job->library, job->type, plan->pass[0].elements, &bytes[0], error);
    }
    return STATUS_OK;
}

static enum status allocate(struct reduce_job *job, struct error *error) {
    struct reduce_buffers *buffers = &job->buffers;
    const size_t input_bytes = job->plan.pass[0].elements * reduce_number_bytes(job);
    enum status status = size_sums(job, error);
    if (status == STATUS_OK) {
        status = device_allocate(reduce_device(job), input_bytes + REDUCE_SLOT_BYTES, &buffers->input, error);
    }
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status =
            device_allocate(reduce_device(job), buffers->sums_bytes[i] + REDUCE_SLOT_BYTES, &buffers->sums[i], error);
    }
    if (status == STATUS_OK) {
        status = device_allocate(reduce_device(job), REDUCE_SLOT_BYTES, &buffers->ticket, error);
    }
    if (status == STATUS_OK) {
        status = device_fill(reduce_device(job), buffers->ticket, 0, REDUCE_SLOT_BYTES, error);
    }
    return status;
}

// Checksums begin at 0, because blocks xor into them.
static enum status poison(struct reduce_job *job, struct error *error) {
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = device_fill(reduce_device(job), job->buffers.sums[i], job->detail->checksums ? 0 : POISON,
                             job->buffers.sums_bytes[i] + REDUCE_SLOT_BYTES, error);
    }
    return status;
}

// ---- The numbers ----

static enum status fill_by_kernel(struct reduce_job *job, struct error *error) {
    const struct kernel_constant constants[] = {
        {"BITS", (int64_t)reduce_number_bytes(job) * 8},
        {"FLOATING", reduce_type_is_floating(job->type)},
    };
    const struct argument arguments[] = {
        argument_pointer(job->buffers.input),
        argument_u64(job->plan.pass[0].elements),
        argument_u64(job->run->settings->seed),
    };
    const struct kernel_request request = {.source = &fill_source,
                                           .entry = "fill_numbers",
                                           .constants = constants,
                                           .constant_count = 2,
                                           .native = reduce_native("fill_numbers")};
    const struct launch launch = {.grid = {reduce_info(job->run)->compute_units * 8, 1, 1},
                                  .block = {FILL_BLOCK, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = 3};
    return bench_device_run(job->run->bench_device, &request, &launch, error);
}

static enum status fill_piece(struct reduce_job *job, void *numbers, uint64_t first, uint64_t count,
                              struct error *error) {
    reduce_fill(job->type, numbers, first, count, job->run->settings->seed);
    return device_copy_to_device(reduce_device(job), job->buffers.input + first * reduce_number_bytes(job), numbers,
                                 count * reduce_number_bytes(job), error);
}

static enum status fill_tile(struct reduce_job *job, uint64_t tile, void *numbers, struct error *error) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    const uint64_t first = tile * pass->tile;
    const uint64_t end = first + pass->tile < pass->elements ? first + pass->tile : pass->elements;
    enum status status = STATUS_OK;
    for (uint64_t i = first; i < end && status == STATUS_OK; i += FILL_PIECE) {
        status = fill_piece(job, numbers, i, end - i < FILL_PIECE ? end - i : FILL_PIECE, error);
    }
    return status;
}

// A simulated lane is slow, so the host makes the numbers of the blocks that will run.
static enum status fill_from_host(struct reduce_job *job, struct error *error) {
    void *numbers = malloc(FILL_PIECE * REDUCE_SLOT_BYTES);
    enum status status = numbers ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    for (uint64_t i = 0, block; reduce_next_block(job, i, &block); i++) {
        for (uint64_t tile = block; tile < reduce_tile_count(job) && status == STATUS_OK;
             tile += job->plan.pass[0].grid) {
            status = fill_tile(job, tile, numbers, error);
        }
    }
    free(numbers);
    return status;
}

// Keeps the blocks of the first launch, because only its input is known before it runs.
static enum status choose_blocks(struct reduce_job *job, struct error *error) {
    struct device *device = reduce_device(job);
    if (!reduce_info(job->run)->predicted) {
        return STATUS_OK;
    }
    struct argument arguments[REDUCE_ARGUMENTS_MAX];
    const struct launch launch = reduce_launch(job, 0, arguments);
    enum status status = device->operations->choose_blocks(device, job->kernel, &launch, error);
    size_t count = 0;
    const uint64_t *blocks = status == STATUS_OK ? device->operations->chosen_blocks(device, &count) : NULL;
    if (blocks) {
        job->first_count = count;
        job->first_blocks = malloc(count * sizeof *blocks);
        if (!job->first_blocks) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        memcpy(job->first_blocks, blocks, count * sizeof *blocks);
    }
    return status;
}

static enum status fill(struct reduce_job *job, struct error *error) {
    return reduce_info(job->run)->predicted ? fill_from_host(job, error) : fill_by_kernel(job, error);
}

enum status reduce_buffers_prepare(struct reduce_job *job, struct error *error) {
    enum status status = allocate(job, error);
    if (status == STATUS_OK) {
        status = poison(job, error);
    }
    if (status == STATUS_OK) {
        status = choose_blocks(job, error);
    }
    return status == STATUS_OK ? fill(job, error) : status;
}
