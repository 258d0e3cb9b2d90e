#include "gmem/gmem_tally.h"

void gmem_tally_add(struct gmem_tally *tally, struct argument argument) {
    tally->arguments[tally->count++] = argument;
}

static enum status launch_with_word(struct bench_device *b, struct gmem_tally *tally, uint64_t word,
                                    struct error *error) {
    enum {
        BLOCK = 256,
        BLOCKS_A_UNIT = 16
    };
    const struct kernel_constant width = {"WIDTH", (int64_t)tally->width_bytes};
    const struct kernel_request request = {
        .source = tally->source, .entry = tally->entry, .constants = &width, .constant_count = 1};
    gmem_tally_add(tally, argument_pointer(word));
    const struct launch launch = {.grid = {b->device->info.compute_units * BLOCKS_A_UNIT, 1, 1},
                                  .block = {BLOCK, 1, 1},
                                  .arguments = tally->arguments,
                                  .argument_count = tally->count};
    return bench_device_run(b, &request, &launch, error);
}

enum status gmem_tally_run(struct bench_device *b, struct gmem_tally *tally, uint64_t *result, struct error *error) {
    const uint64_t zero = 0;
    uint64_t word = 0;
    enum status status = device_allocate(b->device, sizeof word, &word, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = device_copy_to_device(b->device, word, &zero, sizeof zero, error);
    if (status == STATUS_OK) {
        status = launch_with_word(b, tally, word, error);
    }
    if (status == STATUS_OK) {
        status = device_copy_to_host(b->device, result, word, sizeof *result, error);
    }
    device_release(b->device, word);
    return status;
}
