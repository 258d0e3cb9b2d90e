#include "gmem/gmem_expected.h"

#include <string.h>

#include "gmem/gmem_numbers.h"
#include "util/random.h"

uint64_t gmem_source_seed(uint64_t seed, uint32_t number) {
    return seed + ((uint64_t)number << 40);
}

uint64_t gmem_source_keep(const struct gmem_layout *layout) {
    return layout->kernel->numbers ? gmem_number_keep(layout->width_bytes) : UINT64_MAX;
}

uint64_t gmem_source_set(const struct gmem_layout *layout) {
    return layout->kernel->numbers ? gmem_number_set(layout->width_bytes) : 0;
}

// The bits of a source at this byte. A caller takes at most 8 bytes, and the position is a multiple of that number.
static uint64_t source_bits(const struct gmem_result *result, uint32_t source, uint64_t position) {
    const uint64_t word = mix64(gmem_source_seed(result->seed, source) + position / 8);
    return ((word & gmem_source_keep(&result->layout)) | gmem_source_set(&result->layout)) >> (8 * (position % 8));
}

// The bits of a sum of floating-point numbers, which is exact.
static uint64_t expected_number(const struct gmem_result *result, uint64_t position) {
    const struct gmem_kernel *kernel = result->layout.kernel;
    const bool narrow = gmem_number_bytes(result->layout.width_bytes) == sizeof(float);
    double sum = 0;
    uint64_t bits = 0;
    for (uint32_t source = 0; source < kernel->reads; source++) {
        bits = source_bits(result, source, position);
        float single;
        double number;
        memcpy(&single, &bits, sizeof single);
        memcpy(&number, &bits, sizeof number);
        sum += (double)kernel->factors[source] * (narrow ? (double)single : number);
    }
    const float single = (float)sum;
    memcpy(&bits, narrow ? (const void *)&single : (const void *)&sum, narrow ? sizeof single : sizeof sum);
    return bits;
}

static uint64_t expected_part(const struct gmem_result *result, uint64_t position) {
    const struct gmem_kernel *kernel = result->layout.kernel;
    uint64_t sum = 0;
    for (uint32_t source = 0; source < kernel->reads; source++) {
        sum += kernel->factors[source] * source_bits(result, source, position);
    }
    return sum;
}

static void expected_element(const struct gmem_result *result, uint64_t element, uint8_t bytes[16]) {
    const struct gmem_layout *layout = &result->layout;
    if (layout->kernel->reads == 0) {
        uint64_t value[2];
        value[0] = pattern64(result->seed + element);
        value[1] = ~value[0];
        memcpy(bytes, value, sizeof value);
        return;
    }
    const uint64_t position = (layout->offset + element * layout->stride) * layout->width_bytes;
    const bool numbers = layout->kernel->numbers;
    const uint64_t whole_bytes = layout->width_bytes == 16 ? 4 : layout->width_bytes;
    const uint64_t part_bytes = numbers ? gmem_number_bytes(layout->width_bytes) : whole_bytes;
    for (uint64_t done = 0; done < layout->width_bytes; done += part_bytes) {
        const uint64_t part =
            numbers ? expected_number(result, position + done) : expected_part(result, position + done);
        memcpy(bytes + done, &part, part_bytes);
    }
}

// Counts the bytes that are not poison. Usually all are poison, which one comparison of the gap with itself shows.
static uint64_t wrong_in_gap(const uint8_t *bytes, uint64_t count) {
    if (count == 0 || (bytes[0] == GMEM_POISON && memcmp(bytes, bytes + 1, count - 1) == 0)) {
        return 0;
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        wrong += bytes[i] != GMEM_POISON;
    }
    return wrong;
}

static uint64_t wrong_in_element(const struct gmem_result *result, uint64_t element, const uint8_t *bytes) {
    uint8_t expected[16];
    uint64_t wrong = 0;
    expected_element(result, element, expected);
    for (uint64_t i = 0; i < result->layout.width_bytes; i++) {
        wrong += bytes[i] != expected[i];
    }
    return wrong;
}

uint64_t gmem_wrong_bytes(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count) {
    const uint64_t width = result->layout.width_bytes;
    const uint64_t step = result->layout.stride * width; // between elements
    const uint64_t end = first + count;
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t element = first / step; element < (end + step - 1) / step; element++) {
        const uint64_t start = element * step;
        uint64_t gap = start + width;
        if (element < result->elements_first || element >= result->elements_run) {
            gap = start;
        } else if (start >= first) {
            wrong += wrong_in_element(result, element, bytes + start - first);
        }
        gap = gap > first ? gap : first;
        uint64_t next = start + step < end ? start + step : end;
        wrong += gap < next ? wrong_in_gap(bytes + gap - first, next - gap) : 0;
    }
    return wrong;
}

uint32_t gmem_expected_checksum(const struct gmem_result *result) {
    uint64_t width = result->layout.width_bytes;
    uint32_t checksum = 0;
#pragma omp parallel for schedule(static) reduction(^ : checksum)
    for (uint64_t element = result->elements_first; element < result->elements_run; element++) {
        uint8_t bytes[16];
        expected_element(result, element, bytes);
        for (uint64_t i = 0; i < width; i++) {
            checksum ^= (uint32_t)bytes[i] << (8 * (i % 4));
        }
    }
    return checksum;
}

uint64_t gmem_expected_sum(const struct gmem_result *result) {
    const struct gmem_layout *layout = &result->layout;
    const uint64_t number_bytes = gmem_number_bytes(layout->width_bytes);
    const double scale = (double)(UINT64_C(1) << gmem_number_bits(layout->width_bytes));
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (uint64_t element = result->elements_first; element < result->elements_run; element++) {
        uint8_t bytes[16];
        expected_element(result, element, bytes);
        for (uint64_t i = 0; i < layout->width_bytes; i += number_bytes) {
            float single;
            double number;
            memcpy(&single, bytes + i, sizeof single);
            if (number_bytes == sizeof number) {
                memcpy(&number, bytes + i, sizeof number);
            } else {
                number = (double)single;
            }
            sum += (uint64_t)(number * scale);
        }
    }
    return sum;
}
