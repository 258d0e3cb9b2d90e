#include "gmem/gmem_check_device.h"

#include "gmem/gmem_numbers.h"
#include "gmem/gmem_tally.h"
#include "util/embed.h"

EMBED_FILE(gmem_check_cu, "gmem/gmem_check.cu");

static const struct kernel_source source = {"gmem/gmem_check.cu", gmem_check_cu};

// Elements are compared in units of up to 8 bytes. Elements that are numbers are compared number by number.
enum status gmem_check_destination_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t span,
                                             bool *right, struct error *error) {
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

enum status gmem_expect_on_device(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
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
