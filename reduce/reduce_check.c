#include "reduce/reduce_check.h"

#include <math.h>
#include <stdlib.h>

#include "reduce/reduce_session.h"

// ---- Blocks that run: all, or some on the simulator ----

bool reduce_next_block(const struct reduce_job *job, uint64_t i, uint64_t *block) {
    const uint64_t count = job->first_blocks ? job->first_count : job->plan.pass[0].grid;
    *block = job->first_blocks && i < count ? job->first_blocks[i] : i;
    return i < count;
}

bool reduce_is_partial(const struct reduce_job *job) {
    return job->first_blocks != NULL;
}

// The numbers of a tile. The yardstick leaves out those after the last whole word of 16 bytes.
static uint64_t tile_elements(const struct reduce_job *job, uint64_t tile) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    uint64_t elements = pass->elements;
    if (job->detail->checksums && !reduce_on_cpu(job->run)) {
        elements -= elements % (16 / reduce_number_bytes(job));
    }
    const uint64_t first = tile * pass->tile;
    const uint64_t left = elements > first ? elements - first : 0;
    return left < pass->tile ? left : pass->tile;
}

uint64_t reduce_tile_count(const struct reduce_job *job) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    return pass->tile ? pass->elements / pass->tile + (pass->elements % pass->tile != 0) : 0;
}

// Adds the reference of the numbers that a block sums.
static void add_block_reference(const struct reduce_job *job, uint64_t block, struct reduce_reference *reference) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    for (uint64_t tile = block; tile < reduce_tile_count(job); tile += pass->grid) {
        const struct reduce_reference part =
            reduce_reference(job->type, tile * pass->tile, tile_elements(job, tile), job->run->settings->seed);
        reduce_reference_add(reference, &part);
    }
}

static struct reduce_reference blocks_reference(const struct reduce_job *job) {
    struct reduce_reference reference = {0};
    for (uint64_t i = 0, block; reduce_next_block(job, i, &block); i++) {
        add_block_reference(job, block, &reference);
    }
    return reference;
}

static uint64_t summed_elements(const struct reduce_job *job) {
    const uint64_t tiles = reduce_tile_count(job);
    return tiles ? (tiles - 1) * job->plan.pass[0].tile + tile_elements(job, tiles - 1) : 0;
}

static struct reduce_reference reference_of(const struct reduce_job *job) {
    return reduce_is_partial(job) ? blocks_reference(job)
                                  : reduce_reference_known(&reduce_session(job->run)->known, job->type,
                                                           summed_elements(job), job->run->settings->seed);
}

// ---- Whether the result is right ----

static double depth_of(const struct reduce_job *job, uint32_t launches) {
    return job->detail->library ? INFINITY // its order is unknown
                                : reduce_plan_depth(&job->plan, launches);
}

static uint64_t result_address(const struct reduce_job *job) {
    return job->buffers.sums[job->detail->result_apart ? 1 : (job->plan.pass_count - 1) % 2];
}

enum status reduce_check_blocks(struct reduce_job *job, bool *right, struct error *error) {
    const uint64_t blocks = job->plan.pass[0].grid;
    uint8_t *sums = malloc(blocks * reduce_number_bytes(job));
    if (!sums) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status =
        device_copy_to_host(reduce_device(job), sums, job->buffers.sums[0], blocks * reduce_number_bytes(job), error);
    *right = status == STATUS_OK;
    for (uint64_t i = 0, block; *right && reduce_next_block(job, i, &block); i++) {
        struct reduce_reference reference = {0};
        add_block_reference(job, block, &reference);
        *right = reduce_is_right(job->type, &reference, depth_of(job, 1), sums + block * reduce_number_bytes(job));
    }
    free(sums);
    return status;
}

enum status reduce_check_checksums(struct reduce_job *job, bool *right, struct error *error) {
    uint32_t sums[REDUCE_CHECKSUMS];
    const size_t words = reduce_on_cpu(job->run) ? 1 : REDUCE_CHECKSUMS;
    const enum status status =
        device_copy_to_host(reduce_device(job), sums, job->buffers.sums[0], words * sizeof *sums, error);
    uint32_t checksum = reference_of(job).checksum;
    for (size_t i = 0; i < words && status == STATUS_OK; i++) {
        checksum ^= sums[i];
    }
    *right = status == STATUS_OK && checksum == 0;
    return status;
}

enum status reduce_check_sum(struct reduce_job *job, bool *right, struct error *error) {
    uint64_t result = 0;
    const enum status status =
        device_copy_to_host(reduce_device(job), &result, result_address(job), reduce_number_bytes(job), error);
    const struct reduce_reference reference = reference_of(job);
    *right =
        status == STATUS_OK && reduce_is_right(job->type, &reference, depth_of(job, job->plan.pass_count), &result);
    return status;
}

enum status reduce_check_last_block(struct reduce_job *job, bool *right, struct error *error) {
    return reduce_is_partial(job) ? reduce_check_blocks(job, right, error) : reduce_check_sum(job, right, error);
}

// The ticket has the sum of the blocks that ran in its upper half and their number in its lower half.
static enum status check_count(struct reduce_job *job, bool *right, struct error *error) {
    uint64_t counted = 0;
    const enum status status =
        device_copy_to_host(reduce_device(job), &counted, job->buffers.ticket, sizeof counted, error);
    const struct reduce_reference reference = blocks_reference(job);
    const uint32_t sum = (uint32_t)(counted >> 32);
    *right =
        status == STATUS_OK && (uint32_t)counted == job->first_count && reduce_is_right(job->type, &reference, 0, &sum);
    return status;
}

enum status reduce_check_counted(struct reduce_job *job, bool *right, struct error *error) {
    return reduce_is_partial(job) ? check_count(job, right, error) : reduce_check_sum(job, right, error);
}

enum status reduce_check_launches(struct reduce_job *job, bool *right, struct error *error) {
    if (!reduce_is_partial(job)) {
        return reduce_check_sum(job, right, error);
    }
    *right = job->blocks_right;
    return STATUS_OK;
}
