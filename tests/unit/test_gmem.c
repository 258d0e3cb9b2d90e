// gmem: how many elements, what the checks find, and the model's counts against the simulator's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gmem/gmem_index.h"
#include "gmem/gmem_layout.h"
#include "util/embed.h"
#include "util/random.h"

EMBED_FILE(test_gmem_cu, "gmem/gmem.cu");
EMBED_FILE(test_gmem_numbers_cu, "gmem/numbers.cu");

static const struct gmem_kernel copy = {.reads = 1, .writes = 1, .factors = {1}};
static const struct gmem_kernel read_only = {.reads = 1, .factors = {1}};
static const struct gmem_kernel write_only = {.writes = 1};

static struct gmem_layout layout_of(const struct gmem_kernel *kernel, uint64_t width_bytes, uint64_t stride,
                                    uint64_t offset, uint64_t elements) {
    return (struct gmem_layout){
        .kernel = kernel, .width_bytes = width_bytes, .stride = stride, .offset = offset, .elements = elements};
}

// The kernels and the host agree on the number of checksums.
static void test_checksum_count(void **state) {
    (void)state;
    const struct launch launch = {.grid = {100000, 1, 1}, .block = {256, 1, 1}};
    const struct gmem_layout layout = layout_of(&read_only, 4, 1, 0, 1);
    char define[64];
    snprintf(define, sizeof define, "#define CHECKSUMS %d ", GMEM_CHECKSUMS);
    assert_non_null(strstr(test_gmem_cu, define));
    assert_non_null(strstr(test_gmem_numbers_cu, define));
    assert_int_equal(gmem_sink_bytes(&layout, &launch, 32), GMEM_CHECKSUMS * sizeof(uint32_t));
    assert_int_equal(gmem_sink_bytes(&layout, &launch, 1), 100000 * 256 * sizeof(uint32_t)); // the CPU's threads
}

static uint64_t default_bytes(const struct device_info *info, uint64_t stride, uint64_t footprint_max) {
    const struct gmem_layout layout = {.kernel = &copy, .width_bytes = 4, .stride = stride};
    return 2 * 4 * gmem_default_elements(info, &layout, footprint_max);
}

static void test_default_elements(void **state) {
    (void)state;
    const uint64_t gib = UINT64_C(1) << 30;
    const uint64_t mib = UINT64_C(1) << 20;
    struct device_info info = {
        .memory_bytes = 64 * gib, .memory_free_bytes = 64 * gib, .last_level_cache_bytes = 50 * mib, .peak_gb_s = 4000};
    assert_in_range(default_bytes(&info, 1, UINT64_MAX), 7900000000, 8000000000); // two milliseconds at the peak
    assert_in_range(default_bytes(&info, 4, UINT64_MAX), 1950000000, 2000000000); // each element moves 4 times as much
    assert_in_range(default_bytes(&info, 8, UINT64_MAX), 970000000, 1000000000);
    assert_in_range(default_bytes(&info, 16, UINT64_MAX), 970000000, 1000000000);   // a sector is the most it moves
    assert_in_range(default_bytes(&info, 64, UINT64_MAX) * 64, 15 * gib, 16 * gib); // a quarter of the memory decides
    assert_in_range(default_bytes(&info, 64, 8 * gib) * 64, 7 * gib, 13 * gib);     // the budget, or the cache
    assert_in_range(default_bytes(&info, 1, gib), gib - mib, gib);                  // the budget decides
    assert_true(default_bytes(&info, 1, mib) >= 4 * 50 * mib);                      // the cache decides
    info.peak_gb_s = 0;                                                             // not known
    assert_in_range(default_bytes(&info, 1, UINT64_MAX), 4 * 50 * mib, 4 * 50 * mib + mib);
    info.memory_free_bytes = 100 * mib; // what is free decides
    assert_in_range(default_bytes(&info, 8, UINT64_MAX) * 8, 40 * mib, 50 * mib);
}

static void test_buffer_bytes(void **state) {
    (void)state;
    struct gmem_layout layout = {.width_bytes = 4, .stride = 3, .offset = 2, .elements = 5};
    assert_int_equal(gmem_buffer_bytes(&layout), (2 + 4 * 3 + 1) * 4);
    layout.elements = UINT64_C(1) << 60;
    layout.stride = 1 << 10;
    assert_int_equal(gmem_buffer_bytes(&layout), 0); // overflows
}

// A destination after a correct launch.
static void make_destination(const struct gmem_result *result, uint8_t *bytes, uint64_t count) {
    const struct gmem_layout *layout = &result->layout;
    memset(bytes, DEVICE_POISON, count);
    for (uint64_t i = 0; i < result->elements_run; i++) {
        for (uint64_t k = 0; k < layout->width_bytes; k++) {
            uint64_t position = (layout->offset + i * layout->stride) * layout->width_bytes + k;
            uint8_t byte = (uint8_t)(mix64(result->seed + position / 8) >> (8 * (position % 8)));
            if (layout->kernel->reads == 0) {
                uint64_t value = k < 8 ? pattern64(result->seed + i) : ~pattern64(result->seed + i);
                byte = (uint8_t)(value >> (8 * (k % 8)));
            }
            bytes[i * layout->stride * layout->width_bytes + k] = byte;
        }
    }
}

static void test_every_wrong_byte_is_found(void **state) {
    (void)state;
    static const struct gmem_kernel *const kernels[] = {&copy, &write_only};
    for (size_t kernel = 0; kernel < 2; kernel++) {
        for (uint64_t width = 1; width <= 16; width *= 2) {
            for (uint64_t stride = 1; stride <= 4; stride++) {
                struct gmem_result result = {.layout = layout_of(kernels[kernel], width, stride, 3, 20), .seed = 7};
                uint8_t bytes[20 * 4 * 16];
                uint64_t count = 20 * stride * width;
                result.elements_run = 17; // the last three have not been reached
                make_destination(&result, bytes, count);
                assert_int_equal(gmem_wrong_bytes(&result, bytes, 0, count), 0);
                uint64_t half = count / 2 / width * width; // a piece that begins anywhere
                assert_int_equal(gmem_wrong_bytes(&result, bytes + half, half, count - half), 0);
                const uint64_t reached = result.elements_run * stride * width;
                const uint64_t parts[] = {16 * width, 17 * width}; // words from here on, if they are compared
                for (uint64_t i = 0; i < count; i++) {
                    bytes[i] ^= 1;
                    assert_int_equal(gmem_wrong_bytes(&result, bytes, 0, count), 1);
                    assert_int_equal(gmem_wrong_bytes(&result, bytes, 0, reached), i < reached);
                    for (size_t part = 0; part < 2; part++) {
                        const uint64_t from = parts[part];
                        const uint64_t size = reached > from ? reached - from : 0;
                        assert_int_equal(gmem_wrong_bytes(&result, bytes + from, from, size), i >= from && i < reached);
                    }
                    bytes[i] ^= 1;
                }
            }
        }
    }
}

static void test_checksum(void **state) {
    (void)state;
    for (uint64_t width = 1; width <= 16; width *= 2) {
        for (uint64_t stride = 1; stride <= 4; stride++) {
            for (uint64_t first = 0; first <= 16; first += 8) {
                struct gmem_result result = {.layout = layout_of(&read_only, width, stride, 3, 21),
                                             .seed = 3,
                                             .elements_first = first,
                                             .elements_run = 21};
                const uint64_t step = stride * width;
                uint8_t bytes[21 * 4 * 16];
                uint32_t expected = 0;
                make_destination(&result, bytes, 21 * step);
                for (uint64_t i = first * step; i < 21 * step; i++) {
                    expected ^= i % step < width ? (uint32_t)bytes[i] << (8 * (i % step % 4)) : 0;
                }
                assert_int_equal(gmem_expected_checksum(&result), expected);
            }
        }
    }
}

// Two sources, each times its factor. 16 bytes are four numbers of 4 bytes.
static void test_sum_of_sources(void **state) {
    (void)state;
    static const struct gmem_kernel triad = {.reads = 2, .writes = 1, .factors = {1, 3}};
    for (uint64_t width = 4; width <= 16; width *= 2) {
        struct gmem_result result = {.layout = layout_of(&triad, width, 1, 2, 10), .seed = 5, .elements_run = 10};
        const uint64_t part_bytes = width == 8 ? 8 : 4;
        uint8_t sources[2][12 * 16], sum[10 * 16];
        for (uint32_t source = 0; source < 2; source++) {
            for (uint64_t word = 0; word < 12 * width / 8; word++) {
                const uint64_t value = mix64(gmem_source_seed(5, source) + word);
                memcpy(sources[source] + 8 * word, &value, sizeof value);
            }
        }
        for (uint64_t at = 0; at < 10 * width; at += part_bytes) {
            uint64_t x = 0, y = 0;
            memcpy(&x, sources[0] + 2 * width + at, part_bytes);
            memcpy(&y, sources[1] + 2 * width + at, part_bytes);
            x += 3 * y;
            memcpy(sum + at, &x, part_bytes);
        }
        assert_int_equal(gmem_wrong_bytes(&result, sum, 0, 10 * width), 0);
        sum[width] ^= 1;
        assert_int_equal(gmem_wrong_bytes(&result, sum, 0, 10 * width), 1);
        assert_true(gmem_useful_bytes(&result.layout) == (double)(3 * 10 * width));
        assert_int_equal(gmem_footprint_bytes(&result.layout), 3 * 12 * width);
    }
}

// Numbers are from 1 to 2, and all arithmetic on them is exact, so they are compared bit by bit.
static void test_numbers(void **state) {
    (void)state;
    static const struct gmem_kernel triad = {.reads = 2, .writes = 1, .factors = {1, 3}, .numbers = true};
    static const struct gmem_kernel sum = {.reads = 1, .factors = {1}, .numbers = true};
    enum {
        NUMBERS = 40
    };
    for (uint64_t width = 4; width <= 16; width *= 2) {
        struct gmem_result result = {.layout = layout_of(&triad, width, 1, 0, 4 * NUMBERS / width), .seed = 9};
        uint8_t a[4 * NUMBERS];
        uint64_t fixed = 0;
        result.elements_run = result.layout.elements;
        for (uint64_t word = 0; word < sizeof a / 8; word++) {
            uint64_t bits[2];
            for (uint32_t source = 0; source < 2; source++) {
                bits[source] =
                    (mix64(gmem_source_seed(9, source) + word) & gmem_number_keep(width)) | gmem_number_set(width);
            }
            float x[2], y[2];
            double x_double, y_double;
            memcpy(x, &bits[0], sizeof x);
            memcpy(y, &bits[1], sizeof y);
            memcpy(&x_double, &bits[0], sizeof x_double);
            memcpy(&y_double, &bits[1], sizeof y_double);
            for (uint64_t i = 0; i < 2 && width == 4; i++) {
                const float exact = x[i] + 3 * y[i];
                assert_true(x[i] >= 1 && x[i] < 2 && (double)exact == (double)x[i] + 3 * (double)y[i]);
                memcpy(a + 8 * word + 4 * i, &exact, sizeof exact);
                fixed += (uint64_t)(x[i] * 2048);
            }
            if (width > 4) {
                const double exact = x_double + 3 * y_double;
                assert_true(x_double >= 1 && x_double < 2);
                memcpy(a + 8 * word, &exact, sizeof exact);
                fixed += (uint64_t)ldexp(x_double, 38);
            }
        }
        assert_int_equal(gmem_wrong_bytes(&result, a, 0, sizeof a), 0);
        a[width] ^= 1;
        assert_int_equal(gmem_wrong_bytes(&result, a, 0, sizeof a), 1);
        result.layout.kernel = &sum;
        assert_true(gmem_expected_sum(&result) == fixed);
        result.elements_run--;
        assert_true(gmem_expected_sum(&result) != fixed);
    }
}

// Each index occurs once, and within its window.
static void test_permuted_index(void **state) {
    (void)state;
    static const uint64_t elements[] = {1, 2, 3, 64, 1000, 4097}, windows[] = {0, 1, 2, 7, 64, 5000};
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            const struct gmem_index index = {.elements = elements[e], .window = windows[w], .seed = 11};
            const uint64_t window = windows[w] ? windows[w] : elements[e];
            uint8_t seen[4097] = {0};
            uint64_t moved = 0;
            assert_true(gmem_index_slots(&index) == elements[e] && gmem_index_count(&index) == elements[e]);
            for (uint64_t i = 0; i < elements[e]; i++) {
                const uint64_t place = gmem_index_slot(&index, i);
                assert_true(place < elements[e] && place / window == i / window && !seen[place]++);
                assert_true(gmem_index_at(&index, i) == place);
                moved += place != i;
            }
            if (elements[e] >= 1000 && window >= 64) { // nearly all have moved, and two seeds move them differently
                struct gmem_index other = index;
                uint64_t alike = 0;
                other.seed++;
                for (uint64_t i = 0; i < elements[e]; i++) {
                    alike += gmem_index_slot(&index, i) == gmem_index_slot(&other, i);
                }
                assert_true(moved > elements[e] * 9 / 10 && alike < elements[e] / 10);
            }
        }
    }
}

static void test_pattern_index(void **state) {
    (void)state;
    uint32_t pattern[] = {0, 9, 4};
    struct gmem_index index = {.elements = 8, .pattern = pattern, .length = 3, .delta = 5};
    static const uint64_t expected[] = {0, 9, 4, 5, 14, 9, 10, 19};
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(gmem_index_slot(&index, i), expected[i]);
    }
    assert_int_equal(gmem_index_slots(&index), 20);
    assert_int_equal(gmem_index_count(&index), 3);
    index.elements = UINT64_C(1) << 40;
    index.delta = UINT64_C(1) << 40;
    assert_true(gmem_index_slots(&index) == UINT64_MAX); // overflows
}

#ifdef HAVE_SIM

static struct launch_counts simulate(const char *spec, const struct gmem_layout *layout) {
    static const struct kernel_source source = {"gmem/gmem.cu", test_gmem_cu};
    const struct kernel_constant constants[] = {{"WIDTH", (int64_t)layout->width_bytes}, {"ITEMS", gmem_items(layout)}};
    struct kernel_request request = {
        .source = &source, .entry = "stride_copy", .constants = constants, .constant_count = 2};
    struct error error = {0};
    struct device *device;
    struct kernel *kernel;
    uint64_t from;
    uint64_t to;
    struct launch_counts counts;
    uint64_t offset = layout->offset * layout->width_bytes;
    uint64_t bytes = gmem_buffer_bytes(layout) + 256;
    uint32_t per_block = 256 * gmem_items(layout);
    assert_int_equal(device_open(spec, &device, &error), STATUS_OK);
    assert_int_equal(device_build(device, &request, &kernel, &error), STATUS_OK);
    assert_int_equal(device_allocate(device, bytes, &from, &error), STATUS_OK);
    assert_int_equal(device_allocate(device, bytes, &to, &error), STATUS_OK);
    struct argument arguments[] = {argument_pointer(from + offset), argument_pointer(to + offset),
                                   argument_u64(layout->elements), argument_u64(layout->stride)};
    struct launch launch = {.grid = {(uint32_t)((layout->elements + per_block - 1) / per_block), 1, 1},
                            .block = {256, 1, 1},
                            .arguments = arguments,
                            .argument_count = 4};
    assert_int_equal(device_launch(device, kernel, &launch, &error), STATUS_OK);
    assert_int_equal(device_counts(device, &counts, &error), STATUS_OK);
    device_discard(device, kernel);
    device_close(device);
    return counts;
}

static void test_model_equals_simulator(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t width, stride, offset;
    } cases[] = {
        {"sim:h200", 1, 1, 0},   {"sim:h200", 2, 3, 1},   {"sim:h200", 4, 1, 1},    {"sim:h200", 8, 5, 2},
        {"sim:h200", 16, 7, 3},  {"sim:mi210", 1, 1, 5},  {"sim:mi210", 4, 3, 1},   {"sim:mi210", 16, 2, 1},
        {"sim:mi300x", 1, 1, 0}, {"sim:mi300x", 4, 1, 9}, {"sim:gtx1080", 4, 9, 0}, {"sim:rx7900xtx", 8, 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gmem_layout layout = {.kernel = &copy,
                                     .width_bytes = cases[i].width,
                                     .stride = cases[i].stride,
                                     .offset = cases[i].offset,
                                     .elements = 16384};
        struct launch_counts counted = simulate(cases[i].spec, &layout);
        struct launch_counts modelled = gmem_model_counts(gpu_find(strchr(cases[i].spec, ':') + 1), &layout);
        assert_true(fabs(counted.global_load.sectors - modelled.global_load.sectors) < 1e-6);
        assert_true(fabs(counted.global_store.lines - modelled.global_store.lines) < 1e-6);
        assert_true(counted.global_load.requests == modelled.global_load.requests);
        assert_true(counted.global_store.lane_bytes == modelled.global_store.lane_bytes);
    }
}

// As counted on an H200: loads read 64 bytes at once from memory, and stores read 32 to fill a sector. AMD's L2 fetches
// its line for both, of 128 bytes from gfx90a on, and writes 32 at least.
static void test_memory_traffic(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t stride, read_bytes, write_bytes; // the latter two an element
    } cases[] = {{"sim:h200", 1, 4, 4},         {"sim:h200", 2, 16, 8},     {"sim:h200", 8, 64, 32},
                 {"sim:h200", 16, 64 + 32, 32}, {"sim:v100", 16, 64, 32},   {"sim:mi210", 8, 64, 32},
                 {"sim:mi210", 16, 128, 32},    {"sim:mi210", 32, 256, 32}, {"sim:mi100", 16, 128, 32},
                 {"sim:mi300x", 32, 256, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gmem_layout layout = {
            .kernel = &copy, .width_bytes = 4, .stride = cases[i].stride, .elements = 16384};
        const struct launch_counts counted = simulate(cases[i].spec, &layout);
        const double end = 128; // the last element has no neighbour to share with
        assert_true(fabs(counted.device_read_bytes - (double)(cases[i].read_bytes * layout.elements)) <= end);
        assert_true(fabs(counted.device_write_bytes - (double)(cases[i].write_bytes * layout.elements)) <= end);
    }
}

#endif

// A virtual machine's share of its host's cache may grow during the run.
static void test_default_elements_of_a_cpu(void **state) {
    (void)state;
    const uint64_t gib = UINT64_C(1) << 30, mib = UINT64_C(1) << 20;
    const struct device_info info = {.backend = BACKEND_CPU,
                                     .memory_bytes = 64 * gib,
                                     .memory_free_bytes = 64 * gib,
                                     .last_level_cache_bytes = 4 * mib,
                                     .reported_cache_bytes = 32 * mib};
    assert_in_range(default_bytes(&info, 1, UINT64_MAX), 256 * mib, 257 * mib);
    assert_in_range(default_bytes(&info, 16, UINT64_MAX) * 16, 256 * mib, 259 * mib); // in whole lines
    assert_in_range(default_bytes(&info, 64, UINT64_MAX) * 64, gib, gib + 10 * mib);
    struct device_info server = info; // a guest's share of a large cache, of which 128 MiB are believed
    server.reported_cache_bytes = 480 * mib;
    server.last_level_cache_bytes = 16 * mib;
    assert_in_range(default_bytes(&server, 1, UINT64_MAX), 512 * mib, 513 * mib);
    server.last_level_cache_bytes = 100 * mib;
    assert_in_range(default_bytes(&server, 1, UINT64_MAX), 800 * mib, 801 * mib);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksum_count),
        cmocka_unit_test(test_default_elements),
        cmocka_unit_test(test_default_elements_of_a_cpu),
        cmocka_unit_test(test_buffer_bytes),
        cmocka_unit_test(test_every_wrong_byte_is_found),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_sum_of_sources),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_permuted_index),
        cmocka_unit_test(test_pattern_index),
#ifdef HAVE_SIM
        cmocka_unit_test(test_model_equals_simulator),
        cmocka_unit_test(test_memory_traffic),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
