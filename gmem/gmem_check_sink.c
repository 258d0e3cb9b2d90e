#include "gmem/gmem_check_sink.h"

#include <stdlib.h>
#include <string.h>

#include "gmem/gmem_check_device.h"

bool gmem_block_result(const struct gmem_result *result, uint64_t block, struct gmem_result *of_block) {
    const uint64_t first = block * result->block_elements, end = first + result->block_elements;
    *of_block = *result;
    of_block->elements_first = first;
    of_block->elements_run = end < result->layout.elements ? end : result->layout.elements;
    return first < of_block->elements_run;
}

// Sums add up modulo 2^64, checksums by exclusive or.
static uint64_t combine(const struct gmem_result *result, uint64_t a, uint64_t b) {
    return result->layout.kernel->numbers ? a + b : a ^ b;
}

static uint64_t expected_on_host(const struct gmem_result *result) {
    return result->layout.kernel->numbers ? gmem_expected_sum(result) : gmem_expected_checksum(result);
}

static uint64_t expected_of_blocks(const struct device *device, const struct gmem_result *result) {
    struct gmem_result of_block;
    uint64_t total = 0;
    for (uint64_t i = 0, block; device_next_block(device, result->grid, i, &block); i++) {
        if (gmem_block_result(result, block, &of_block)) {
            total = combine(result, total, expected_on_host(&of_block));
        }
    }
    return total;
}

static enum status expect(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
                          struct error *error) {
    if (device_is_real_gpu(&b->device->info)) {
        return gmem_expect_on_device(b, result, total, error);
    }
    *total = b->device->info.simulated_blocks ? expected_of_blocks(b->device, result) : expected_on_host(result);
    return STATUS_OK;
}

static uint64_t total_of_sink(const struct gmem_result *result, const uint8_t *sink) {
    const size_t step = result->layout.kernel->numbers ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t total = 0;
    for (uint64_t at = 0; at < result->sink_bytes; at += step) {
        uint64_t word = 0;
        memcpy(&word, sink + at, step);
        total = combine(result, total, word);
    }
    return total;
}

enum status gmem_check_sink(struct bench_device *b, const struct gmem_result *result, bool *right,
                            struct error *error) {
    uint8_t *sink = malloc(result->sink_bytes);
    uint64_t expected = 0;
    if (!sink) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = device_copy_to_host(b->device, sink, result->sink, result->sink_bytes, error);
    if (status == STATUS_OK) {
        status = expect(b, result, &expected, error);
    }
    *right = status == STATUS_OK && total_of_sink(result, sink) == expected;
    free(sink);
    return status;
}
