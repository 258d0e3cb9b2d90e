#include "gmem/gmem_check.h"

#include <stdlib.h>
#include <string.h>

#include "gmem/gmem_numbers.h"
#include "util/embed.h"

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

// ---- On a GPU ----

EMBED_FILE(gmem_check_cu, "gmem/gmem_check.cu");

static const struct kernel_source source = {"gmem/gmem_check.cu", gmem_check_cu};

// Elements are compared in units of up to 8 bytes. Elements that are numbers are compared number by number.
static enum status gmem_check_destination_on_device(struct bench_device *b, const struct gmem_result *result,
                                                    uint64_t span, bool *right, struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    const uint64_t offset = layout->offset * layout->width_bytes;
    struct gmem_tally check = {.source = &source,
                               .entry = layout->kernel->check,
                               .width_bytes = layout->width_bytes < 8 ? layout->width_bytes : 8};
    for (uint32_t i = 0; i < layout->kernel->reads; i++) {
        gmem_tally_add(&check, argument_pointer(result->sources[i] + offset));
    }
    gmem_tally_add(&check, argument_pointer(result->destination + offset));
    gmem_tally_add(&check, argument_u64(span / check.width_bytes));
    if (!layout->kernel->numbers) {
        gmem_tally_add(&check, argument_u64(layout->width_bytes / check.width_bytes));
        gmem_tally_add(&check, argument_u64(layout->stride));
        if (layout->kernel->reads == 0) {
            gmem_tally_add(&check, argument_u64(result->seed));
        }
        gmem_tally_add(&check, argument_u64(GMEM_POISON * UINT64_C(0x0101010101010101)));
    }
    uint64_t wrong = 0;
    const enum status status = gmem_tally_run(b, &check, &wrong, error);
    *right = wrong == 0;
    return status;
}

// The expected total of the checksums or sums: gmem_expected_checksum or gmem_expected_sum of all elements.
static enum status gmem_expect_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
                                         struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    const bool numbers = layout->kernel->numbers;
    struct gmem_tally check = {.source = &source,
                               .entry = numbers ? "expect_sum" : "expect_checksum",
                               .width_bytes = layout->width_bytes < 8 ? layout->width_bytes : 8};
    const uint64_t units_per_element = layout->width_bytes / check.width_bytes;
    gmem_tally_add(&check, argument_u64(layout->elements * units_per_element));
    gmem_tally_add(&check, argument_u64(gmem_source_seed(result->seed, 0)));
    if (numbers) {
        gmem_tally_add(&check, argument_u64(layout->offset * units_per_element));
        gmem_tally_add(&check, argument_u64(gmem_source_keep(layout)));
        gmem_tally_add(&check, argument_u64(gmem_source_set(layout)));
        gmem_tally_add(&check, argument_u64(UINT64_C(1) << gmem_number_bits(layout->width_bytes)));
    } else {
        gmem_tally_add(&check, argument_u64(units_per_element));
        gmem_tally_add(&check, argument_u64(layout->stride));
        gmem_tally_add(&check, argument_u64(layout->offset));
    }
    return gmem_tally_run(b, &check, total, error);
}

// ---- Checksums and sums ----

static bool gmem_block_result(const struct gmem_result *result, uint64_t block, struct gmem_result *of_block) {
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

// Sets *right to whether their total is that of the sources' elements, or on a simulated device of the elements of the
// blocks that ran. A GPU recomputes the total itself; for other devices the host does.
static enum status gmem_check_sink(struct bench_device *b, const struct gmem_result *result, bool *right,
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

// ---- A whole result ----

static const uint64_t PIECE_BYTES = UINT64_C(4) << 20;

// Recomputes the bytes from first to end of the destination on the host, one piece after another. A CPU's are looked at
// where they are, all at once: between two pieces each thread would wait for one that shares its processor.
static enum status check_on_host(struct bench_device *b, const struct gmem_result *result, uint64_t first, uint64_t end,
                                 bool *right, struct error *error) {
    const uint64_t start = result->destination + result->layout.offset * result->layout.width_bytes;
    if (device_is_cpu(&b->device->info)) {
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)(start + first); // NOLINT: it is a host address
        *right = gmem_wrong_bytes(result, bytes, first, end - first) == 0;
        return STATUS_OK;
    }
    uint8_t *piece = malloc(PIECE_BYTES);
    if (!piece) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = STATUS_OK;
    for (uint64_t at = first; at < end && *right && status == STATUS_OK; at += PIECE_BYTES) {
        uint64_t count = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;
        status = device_copy_to_host(b->device, piece, start + at, count, error);
        *right = status == STATUS_OK && gmem_wrong_bytes(result, piece, at, count) == 0;
    }
    free(piece);
    return status;
}

// Checks the elements of each simulated block, and the gaps between them.
static enum status check_blocks(struct bench_device *b, const struct gmem_result *result, bool *right,
                                struct error *error) {
    const uint64_t step = result->layout.stride * result->layout.width_bytes;
    struct gmem_result of_block;
    for (uint64_t i = 0, block; device_next_block(b->device, result->grid, i, &block); i++) {
        if (gmem_block_result(result, block, &of_block)) {
            const uint64_t end = (of_block.elements_run - 1) * step + result->layout.width_bytes;
            TRY(check_on_host(b, &of_block, of_block.elements_first * step, end, right, error));
        }
    }
    return STATUS_OK;
}

enum status gmem_check(struct bench_device *b, const struct gmem_result *result, bool *right, struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    *right = true;
    if (layout->kernel->writes == 0) {
        return gmem_check_sink(b, result, right, error);
    }
    uint64_t span = ((result->elements_run - 1) * layout->stride + 1) * layout->width_bytes;
    if (b->device->info.simulated_blocks) {
        return check_blocks(b, result, right, error);
    }
    if (!layout->kernel->check || !device_is_real_gpu(&b->device->info)) {
        return check_on_host(b, result, 0, span, right, error);
    }
    TRY(gmem_check_destination_on_device(b, result, span, right, error));
    uint64_t piece = PIECE_BYTES / layout->width_bytes * layout->width_bytes;
    if (*right) {
        TRY(check_on_host(b, result, 0, span < piece ? span : piece, right, error));
    }
    if (*right && span > piece) {
        TRY(check_on_host(b, result, span - piece, span, right, error));
    }
    return STATUS_OK;
}
