#include "gmem/gmem_layout.h"

#include <stdlib.h>
#include <string.h>

#include "model/global_memory.h"
#include "util/random.h"
#include "util/whole.h"

// An element of 4 bytes is a float, one of 8 a double, one of 16 two doubles.
static uint64_t gmem_number_bytes(uint64_t width_bytes) {
    return width_bytes < 8 ? width_bytes : 8;
}

enum {
    CACHE_MULTIPLE = 4,     // of the most that caches may hold
    CPU_CACHE_MULTIPLE = 8, // of a CPU's usual share, because its last level keeps a part of what streams through it
    CPU_CACHE_BYTES = 32 << 20, // of a usual last level, to which a smaller share that was measured may grow
    CPU_LINE_BYTES = 64,
    MEMORY_SHARE = 4, // the default takes at most 1 / MEMORY_SHARE of the memory
    SECTOR_BYTES = 32,
    THREAD_BYTES = 64,
    // With 64 an H200 writes 1 % slower, and copies 2 to 5 %, because reads and writes alternate less finely.
    WRITING_THREAD_BYTES = 16,
    ITEMS_MAX = 16,
    WARPS_SAMPLED = 64, // alignments repeat after this many warps at the latest
};

static const double LAUNCH_NS = 5000; // start, ramp and end of a launch on an H200
static const double FIXED_SHARE = 0.0025;

static uint64_t round_down(uint64_t value, uint64_t unit) {
    return value < unit ? larger(value, 1) : value / unit * unit;
}

static uint32_t streams(const struct gmem_layout *layout) {
    return layout->kernel->reads + layout->kernel->writes;
}

static uint64_t index_bytes(const struct gmem_layout *layout) {
    return layout->kernel->indexed ? streams(layout) * sizeof(uint32_t) : 0;
}

// Bytes that the memory moves for one element at least: a sector where elements lie further apart.
static uint64_t moved_bytes(const struct gmem_layout *layout) {
    return streams(layout) * smaller(layout->width_bytes * layout->stride, SECTOR_BYTES) + index_bytes(layout);
}

// Bytes that one element takes up in all buffers.
static uint64_t element_bytes(const struct gmem_layout *layout) {
    return streams(layout) * layout->width_bytes * layout->stride + index_bytes(layout);
}

// Bytes of several last-level caches: of what a CPU's are likely to hold, and of the most that caches may hold.
static uint64_t bytes_above_cache(const struct device_info *info) {
    const uint64_t most = device_cache_bytes_max(info);
    const uint64_t usual = larger(info->last_level_cache_bytes, smaller(most, CPU_CACHE_BYTES));
    return device_is_cpu(info) ? larger(CPU_CACHE_MULTIPLE * usual, CACHE_MULTIPLE * most) : CACHE_MULTIPLE * most;
}

// Elements that take so many bytes; a CPU's caches hold lines.
static uint64_t elements_above_cache(const struct device_info *info, const struct gmem_layout *layout) {
    const uint64_t held =
        device_is_cpu(info) ? smaller(layout->width_bytes * layout->stride, CPU_LINE_BYTES) : layout->width_bytes;
    return bytes_above_cache(info) / (streams(layout) * held);
}

uint64_t gmem_default_elements(const struct device_info *info, const struct gmem_layout *layout,
                               uint64_t footprint_max) {
    const uint64_t whole_blocks = 16384; // of any width, at any usual block size
    const uint64_t above_cache = elements_above_cache(info, layout) + whole_blocks;
    const uint64_t enough = (uint64_t)(info->peak_gb_s * LAUNCH_NS / FIXED_SHARE) / moved_bytes(layout);
    const uint64_t limit = smaller(info->memory_bytes / MEMORY_SHARE, footprint_max) / element_bytes(layout);
    const uint64_t possible = device_free_bytes(info) / 2 / element_bytes(layout);
    return round_down(smaller(larger(smaller(enough, limit), above_cache), possible), whole_blocks);
}

uint64_t gmem_buffer_bytes(const struct gmem_layout *layout) {
    uint64_t slots;
    uint64_t bytes;
    if (layout->slots > 0) {
        return layout->slots > UINT64_MAX / 64 ? 0 : layout->slots * layout->width_bytes;
    }
    if (__builtin_mul_overflow(layout->elements - 1, layout->stride, &slots) ||
        __builtin_add_overflow(slots, layout->offset + 1, &slots) ||
        __builtin_mul_overflow(slots, layout->width_bytes, &bytes) || bytes > UINT64_MAX / 4) {
        return 0;
    }
    return bytes;
}

uint64_t gmem_footprint_bytes(const struct gmem_layout *layout) {
    return gmem_buffer_bytes(layout) * streams(layout) + layout->indices * sizeof(uint32_t);
}

double gmem_useful_bytes(const struct gmem_layout *layout) {
    return (double)(layout->elements * layout->width_bytes) * (layout->kernel->updates ? 2 : streams(layout));
}

bool gmem_has_sink(const struct gmem_kernel *kernel) {
    return kernel->writes == 0 || kernel->fetches;
}

static size_t sink_word_bytes(const struct gmem_kernel *kernel) {
    return kernel->numbers || kernel->fetches ? sizeof(uint64_t) : sizeof(uint32_t);
}

uint64_t gmem_sink_bytes(const struct gmem_layout *layout, const struct launch *launch, uint32_t warp_width) {
    const uint64_t warps = (uint64_t)launch->grid.x * launch->block.x / warp_width;
    const bool shared = !layout->kernel->family && warp_width > 1; // each thread of a CPU has its own
    return (shared ? GMEM_CHECKSUMS : warps) * sink_word_bytes(layout->kernel);
}

static uint64_t combine(const struct gmem_kernel *kernel, uint64_t a, uint64_t b) {
    return kernel->numbers || kernel->family ? a + b : a ^ b;
}

enum status gmem_sink_total(struct device *device, const struct gmem_kernel *kernel, uint64_t sink, uint64_t bytes,
                            uint64_t *total, struct error *error) {
    const size_t step = sink_word_bytes(kernel);
    void *words = memory_zeros(bytes, 1);
    const enum status status = device_copy_to_host(device, words, sink, bytes, error);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < bytes / step && status == STATUS_OK; i++) {
        const bool wide = step == sizeof(uint64_t); // a copy of any size would take ten times as long as a load
        sum = combine(kernel, sum, wide ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i]);
    }
    *total = sum;
    free(words);
    return status;
}

const char *gmem_type_name(const struct gmem_layout *layout) {
    const bool narrow = layout->width_bytes == sizeof(float);
    if (layout->kernel->numbers || layout->kernel->floating) {
        return narrow ? "float32" : "float64";
    }
    return !layout->kernel->updates ? "" : narrow ? "int32" : "int64";
}

uint32_t gmem_items(const struct gmem_layout *layout) {
    const struct gmem_kernel *kernel = layout->kernel;
    const bool writes = kernel->writes > 0 && !layout->slots && !kernel->updates && !kernel->bulk;
    const uint64_t items = (writes ? WRITING_THREAD_BYTES : THREAD_BYTES) / layout->width_bytes;
    return (uint32_t)(items < ITEMS_MAX ? items : ITEMS_MAX);
}

static struct request warp_request(const struct gpu *gpu, const struct gmem_layout *layout, uint64_t warp) {
    struct request request = {.width_bytes = (uint32_t)layout->width_bytes};
    for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
        uint64_t element = warp * gpu->warp_width + lane;
        request.address[lane] = (layout->offset + element * layout->stride) * layout->width_bytes;
        request.active |= UINT64_C(1) << lane;
    }
    return request;
}

static struct memory_counts times(const struct memory_counts *stream, uint32_t streams) {
    return (struct memory_counts){
        .requests = stream->requests * streams,
        .lane_bytes = stream->lane_bytes * streams,
        .sectors = stream->sectors * streams,
        .lines = stream->lines * streams,
    };
}

struct launch_counts gmem_model_counts(const struct gpu *gpu, const struct gmem_layout *layout) {
    double sectors = 0;
    double lines = 0;
    for (uint64_t warp = 0; warp < WARPS_SAMPLED; warp++) {
        struct request request = warp_request(gpu, layout, warp);
        struct global_cost cost = global_memory_cost(gpu, &request);
        sectors += cost.sectors;
        lines += cost.lines;
    }
    const double requests = (double)((layout->elements + gpu->warp_width - 1) / gpu->warp_width);
    const struct memory_counts stream = {
        .requests = requests,
        .lane_bytes = (double)(layout->elements * layout->width_bytes),
        .sectors = sectors / (double)WARPS_SAMPLED * requests,
        .lines = lines / (double)WARPS_SAMPLED * requests,
    };
    return (struct launch_counts){.global_load = times(&stream, layout->kernel->reads),
                                  .global_store = times(&stream, layout->kernel->writes)};
}

// ---- What each element must be ----

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

// A float or a double, by its bytes.
static double number_at(const void *bytes, uint64_t number_bytes) {
    union {
        float single;
        double number;
    } value;
    memcpy(&value, bytes, number_bytes);
    return number_bytes == sizeof value.single ? (double)value.single : value.number;
}

// The bits of a sum of floating-point numbers, which is exact.
static uint64_t expected_number(const struct gmem_result *result, uint64_t position) {
    const struct gmem_kernel *kernel = result->layout.kernel;
    const uint64_t number_bytes = gmem_number_bytes(result->layout.width_bytes);
    double sum = 0;
    uint64_t bits = 0;
    for (uint32_t source = 0; source < kernel->reads; source++) {
        bits = source_bits(result, source, position);
        sum += (double)kernel->factors[source] * number_at(&bits, number_bytes);
    }
    const float single = (float)sum;
    memcpy(&bits, number_bytes == sizeof single ? (const void *)&single : (const void *)&sum, number_bytes);
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

static uint64_t first_bytes(uint64_t bits, uint64_t count) {
    return count >= sizeof bits ? bits : bits & ((UINT64_C(1) << (8 * count)) - 1);
}

// Counts the bytes that are not poison. Usually all are poison, which one comparison of the gap with itself shows.
static uint64_t wrong_in_gap(const uint8_t *bytes, uint64_t count) {
    if (count == 0 || (bytes[0] == DEVICE_POISON && memcmp(bytes, bytes + 1, count - 1) == 0)) {
        return 0;
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        wrong += bytes[i] != DEVICE_POISON;
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

// ---- Narrow elements, by words of the destination ----

// Whether each word of the destination holds whole elements, which are new values or bytes of one source. There may be
// many more elements than words.
static bool has_equal_words(const struct gmem_result *result) {
    const struct gmem_kernel *kernel = result->layout.kernel;
    const uint64_t step = result->layout.stride * result->layout.width_bytes;
    return 8 % step == 0 && (kernel->reads == 0 || (kernel->reads == 1 && kernel->factors[0] == 1 && !kernel->numbers));
}

// The elements of the word at this byte, which is a multiple of 8; the bits of its gaps are anything.
static uint64_t expected_word(const struct gmem_result *result, uint64_t byte) {
    const struct gmem_layout *layout = &result->layout;
    const uint64_t step = layout->stride * layout->width_bytes;
    uint64_t bits = 0;
    if (layout->kernel->reads == 0) {
        for (uint64_t at = 8; at > 0; at -= step) {
            bits = (step < 8 ? bits << (8 * step) : 0) |
                   first_bytes(pattern64(result->seed + (byte + at) / step - 1), step);
        }
        return bits;
    }
    const uint64_t source = byte + layout->offset * layout->width_bytes;
    const uint64_t shift = 8 * (source % 8);
    bits = source_bits(result, 0, source - source % 8) >> shift;
    return shift > 0 ? bits | source_bits(result, 0, source - source % 8 + 8) << (64 - shift) : bits;
}

// The bits of a word in which its elements lie.
static uint64_t element_bits(const struct gmem_layout *layout) {
    uint64_t bits = 0;
    for (uint64_t byte = 0; byte < 8; byte += layout->stride * layout->width_bytes) {
        bits |= first_bytes(UINT64_MAX, layout->width_bytes) << (8 * byte);
    }
    return bits;
}

static uint64_t different_bytes(uint64_t a, uint64_t b) {
    uint64_t different = 0;
    for (uint64_t bits = a ^ b; bits != 0; bits >>= 8) {
        different += (bits & 0xff) != 0;
    }
    return different;
}

static uint64_t wrong_in_words(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count) {
    const uint64_t elements = element_bits(&result->layout);
    const uint64_t gaps = DEVICE_POISON * UINT64_C(0x0101010101010101) & ~elements;
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t i = 0; i < count; i += sizeof(uint64_t)) {
        const uint64_t expected = (expected_word(result, first + i) & elements) | gaps;
        uint64_t found = 0;
        memcpy(&found, bytes + i, count - i < sizeof found ? count - i : sizeof found);
        wrong += different_bytes(first_bytes(expected, count - i), found);
    }
    return wrong;
}

// The xor of the bytes from first to end, as of 32-bit words, or as of narrower elements.
static uint32_t checksum_of_words(const struct gmem_result *result, uint64_t first, uint64_t end) {
    const uint64_t elements = element_bits(&result->layout);
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(^ : sum)
    for (uint64_t at = first; at < end; at += sizeof(uint64_t)) {
        sum ^= first_bytes(expected_word(result, at) & elements, end - at);
    }
    for (uint64_t bits = 32; bits >= 8 * result->layout.width_bytes; bits /= 2) {
        sum = (sum ^ sum >> bits) & first_bytes(UINT64_MAX, bits / 8);
    }
    return (uint32_t)(sum ^ sum >> 32);
}

// ---- Every element by itself ----

static uint64_t wrong_in_elements(const struct gmem_result *result, const uint8_t *bytes, uint64_t first,
                                  uint64_t count) {
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

uint64_t gmem_wrong_bytes(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count) {
    const uint64_t step = result->layout.stride * result->layout.width_bytes;
    const bool reached = first >= result->elements_first * step && first + count <= result->elements_run * step;
    return reached && first % 8 == 0 && has_equal_words(result) ? wrong_in_words(result, bytes, first, count)
                                                                : wrong_in_elements(result, bytes, first, count);
}

uint32_t gmem_expected_checksum(const struct gmem_result *result) {
    const uint64_t width = result->layout.width_bytes;
    const uint64_t step = result->layout.stride * width;
    if (has_equal_words(result) && result->elements_first * step % 8 == 0) {
        return checksum_of_words(result, result->elements_first * step, result->elements_run * step);
    }
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
            sum += (uint64_t)(number_at(bytes + i, number_bytes) * scale);
        }
    }
    return sum;
}

void gmem_tally_add(struct gmem_tally *tally, struct argument argument) {
    tally->arguments[tally->count++] = argument;
}

static enum status launch_with_word(struct bench_device *b, struct gmem_tally *tally, uint64_t word,
                                    struct error *error) {
    enum {
        BLOCK = 256,
        BLOCKS_A_UNIT = 16
    };
    const struct kernel_request request = {
        .source = tally->source, .entry = tally->entry, KERNEL_CONSTANTS({"WIDTH", (int64_t)tally->width_bytes})};
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
    TRY(device_allocate(b->device, sizeof word, &word, error));
    enum status status = device_copy_to_device(b->device, word, &zero, sizeof zero, error);
    THEN(status, launch_with_word(b, tally, word, error));
    THEN(status, device_copy_to_host(b->device, result, word, sizeof *result, error));
    device_release(b->device, word);
    return status;
}

// ---- On a GPU ----

KERNEL_SOURCE(source, gmem_check_cu, "gmem/gmem_check.cu");

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
        gmem_tally_add(&check, argument_u64(DEVICE_POISON * UINT64_C(0x0101010101010101)));
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

static uint64_t expected_on_host(const struct gmem_result *result) {
    return result->layout.kernel->numbers ? gmem_expected_sum(result) : gmem_expected_checksum(result);
}

enum status gmem_expect(struct bench_device *b, const struct gmem_result *result, uint64_t *total,
                        struct error *error) {
    uint64_t more = 0;
    if (device_is_real_gpu(&b->device->info)) {
        TRY(gmem_expect_on_device(b, result, &more, error));
    } else {
        more = expected_on_host(result);
    }
    *total = combine(result->layout.kernel, *total, more);
    return STATUS_OK;
}

// ---- A destination ----

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
    uint8_t *piece = memory_zeros(PIECE_BYTES, 1);
    enum status status = STATUS_OK;
    for (uint64_t at = first; at < end && *right && status == STATUS_OK; at += PIECE_BYTES) {
        uint64_t count = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;
        status = device_copy_to_host(b->device, piece, start + at, count, error);
        *right = status == STATUS_OK && gmem_wrong_bytes(result, piece, at, count) == 0;
    }
    free(piece);
    return status;
}

enum status gmem_check(struct bench_device *b, const struct gmem_result *result, bool *right, struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    const uint64_t step = layout->stride * layout->width_bytes, start = result->elements_first * step;
    const uint64_t end = (result->elements_run - 1) * step + layout->width_bytes;
    if (!layout->kernel->check || !device_is_real_gpu(&b->device->info)) {
        return check_on_host(b, result, start, end, right, error);
    }
    TRY(gmem_check_destination_on_device(b, result, end, right, error));
    const uint64_t piece = PIECE_BYTES / layout->width_bytes * layout->width_bytes;
    if (*right) {
        TRY(check_on_host(b, result, 0, end < piece ? end : piece, right, error));
    }
    if (*right && end > piece) {
        TRY(check_on_host(b, result, end - piece, end, right, error));
    }
    return STATUS_OK;
}
