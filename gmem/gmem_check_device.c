#include "gmem/gmem_check_device.h"

#include "gmem/gmem_numbers.h"
#include "util/embed.h"

EMBED_FILE(gmem_check_cu, "gmem/gmem_check.cu");

static const struct kernel_source source = {"gmem/gmem_check.cu", gmem_check_cu};

// A launch whose last argument is a 64-bit word, zero at first, to which its threads add.
struct check_launch {
    const char *entry;
    uint64_t unit_bytes; // the kernel's WIDTH
    struct argument arguments[8];
    size_t count;
};

static void add(struct check_launch *launch, struct argument argument) {
    launch->arguments[launch->count++] = argument;
}

static enum status launch_with_word(struct bench_device *b, struct check_launch *check, uint64_t word,
                                    struct error *error) {
    enum {
        BLOCK = 256,
        BLOCKS_A_UNIT = 16
    };
    const struct kernel_constant width = {"WIDTH", (int64_t)check->unit_bytes};
    const struct kernel_request request = {
        .source = &source, .entry = check->entry, .constants = &width, .constant_count = 1};
    add(check, argument_pointer(word));
    const struct launch launch = {.grid = {b->device->info.compute_units * BLOCKS_A_UNIT, 1, 1},
                                  .block = {BLOCK, 1, 1},
                                  .arguments = check->arguments,
                                  .argument_count = check->count};
    return bench_device_run(b, &request, &launch, error);
}

static enum status run(struct bench_device *b, struct check_launch *check, uint64_t *result, struct error *error) {
    const uint64_t zero = 0;
    uint64_t word = 0;
    enum status status = device_allocate(b->device, sizeof word, &word, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = device_copy_to_device(b->device, word, &zero, sizeof zero, error);
    if (status == STATUS_OK) {
        status = launch_with_word(b, check, word, error);
    }
    if (status == STATUS_OK) {
        status = device_copy_to_host(b->device, result, word, sizeof *result, error);
    }
    device_release(b->device, word);
    return status;
}

// Elements are compared in units of up to 8 bytes. Elements that are numbers are compared number by number.
enum status gmem_check_destination_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t span,
                                             bool *right, struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    const uint64_t offset = layout->offset * layout->width_bytes;
    struct check_launch check = {.entry = layout->kernel->check,
                                 .unit_bytes = layout->width_bytes < 8 ? layout->width_bytes : 8};
    for (uint32_t i = 0; i < layout->kernel->reads; i++) {
        add(&check, argument_pointer(result->sources[i] + offset));
    }
    add(&check, argument_pointer(result->destination + offset));
    add(&check, argument_u64(span / check.unit_bytes));
    if (!layout->kernel->numbers) {
        add(&check, argument_u64(layout->width_bytes / check.unit_bytes));
        add(&check, argument_u64(layout->stride));
        if (layout->kernel->reads == 0) {
            add(&check, argument_u64(result->seed));
        }
        add(&check, argument_u64(GMEM_POISON * UINT64_C(0x0101010101010101)));
    }
    uint64_t wrong = 0;
    const enum status status = run(b, &check, &wrong, error);
    *right = wrong == 0;
    return status;
}

enum status gmem_expect_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
                                  struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    const bool numbers = layout->kernel->numbers;
    struct check_launch check = {.entry = numbers ? "expect_sum" : "expect_checksum",
                                 .unit_bytes = layout->width_bytes < 8 ? layout->width_bytes : 8};
    const uint64_t units_per_element = layout->width_bytes / check.unit_bytes;
    add(&check, argument_u64(layout->elements * units_per_element));
    add(&check, argument_u64(gmem_source_seed(result->seed, 0)));
    if (numbers) {
        add(&check, argument_u64(layout->offset * units_per_element));
        add(&check, argument_u64(gmem_source_keep(layout)));
        add(&check, argument_u64(gmem_source_set(layout)));
        add(&check, argument_u64(UINT64_C(1) << gmem_number_bits(layout->width_bytes)));
    } else {
        add(&check, argument_u64(units_per_element));
        add(&check, argument_u64(layout->stride));
        add(&check, argument_u64(layout->offset));
    }
    return run(b, &check, total, error);
}
