// The CPU backend: its kernels compared with plain loops over bytes, its clock, its memory, and the firmware's table.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cpu/host.h"
#include "device/cpu/slice.h"
#include "device/device.h"
#include "gmem/gmem_cpu.h"

// The kernels' source, with vectors and cache chosen by this test: each kind of vector that the machine has, and
// streaming stores on small buffers.
static enum cpu_vectors chosen_vectors;
static uint64_t chosen_cache_bytes;
static size_t chosen_method;
#define cpu_vectors() chosen_vectors
#include "gmem/gmem_cpu.c"
#undef cpu_vectors

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum {
    POISON = 0xa5,
    GUARD_BYTES = 128,
    SEED = 77
};

struct buffer {
    uint8_t *memory, *data; // data has a guard before and after it
    uint64_t bytes;         // without guards
};

struct run {
    uint32_t width, slices;
    uint64_t elements, stride, offset; // offset in elements
};

static struct buffer buffer_new(uint64_t bytes) {
    struct buffer buffer = {.bytes = bytes};
    assert_int_equal(posix_memalign((void **)&buffer.memory, 64, bytes + 2 * GUARD_BYTES), 0);
    buffer.data = buffer.memory + GUARD_BYTES;
    memset(buffer.memory, POISON, bytes + 2 * GUARD_BYTES);
    return buffer;
}

static struct buffer run_buffer(const struct run *run) {
    return buffer_new((run->offset + run->elements * run->stride) * run->width);
}

static void fill_random(struct buffer buffer) {
    for (uint64_t i = 0; i < buffer.bytes; i++) {
        buffer.data[i] = (uint8_t)mix64(i);
    }
}

// Compares every byte, including gaps and guards.
static void check_equal(const struct run *run, const char *entry, struct buffer is, struct buffer expected) {
    const uint64_t whole = is.bytes + 2 * GUARD_BYTES;
    for (uint64_t i = 0; i < whole; i++) {
        if (is.memory[i] != expected.memory[i]) {
            fail_msg("%s: vectors %d cache %d method %d width %u slices %u elements %u stride %u offset %u: byte %d is "
                     "%02x, not %02x",
                     entry, (int)chosen_vectors, (int)chosen_cache_bytes, (int)chosen_method, run->width, run->slices,
                     (unsigned)run->elements, (unsigned)run->stride, (unsigned)run->offset, (int)i - GUARD_BYTES,
                     is.memory[i], expected.memory[i]);
        }
    }
}

static void launch(const struct run *run, native_kernel *kernel, const struct argument *arguments, size_t count) {
    const struct launch launch = {
        .grid = {run->slices, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = count};
    kernel(&(struct native_call){&launch, KERNEL_CONSTANTS({"WIDTH", run->width}, {"METHOD", (int64_t)chosen_method},
                                                           {"CACHE_BYTES", (int64_t)chosen_cache_bytes})});
}

static struct argument pointer(const void *address) {
    return (struct argument){ARGUMENT_POINTER, {.pointer = (uintptr_t)address}};
}

static struct argument number(uint64_t value) {
    return (struct argument){ARGUMENT_U64, {.u64 = value}};
}

static uint64_t position_of(const struct run *run, uint64_t element) {
    return (run->offset + element * run->stride) * run->width;
}

static void check_copy(const struct run *run) {
    struct buffer source = run_buffer(run), destination = run_buffer(run), expected = run_buffer(run);
    fill_random(source);
    for (uint64_t i = 0; i < run->elements; i++) {
        memcpy(expected.data + position_of(run, i), source.data + position_of(run, i), run->width);
    }
    const uint64_t offset = position_of(run, 0);
    const struct argument arguments[] = {pointer(source.data + offset), pointer(destination.data + offset),
                                         number(run->elements), number(run->stride)};
    launch(run, gmem_stride_copy, arguments, LENGTH(arguments));
    check_equal(run, "stride_copy", destination, expected);
    free(source.memory);
    free(destination.memory);
    free(expected.memory);
}

static void check_read(const struct run *run) {
    struct buffer source = run_buffer(run), sink = buffer_new(run->slices * sizeof(uint32_t));
    fill_random(source);
    uint32_t expected = 0, checksum = 0;
    for (uint64_t i = 0; i < run->elements; i++) {
        for (uint32_t byte = 0; byte < run->width; byte++) {
            expected ^= (uint32_t)source.data[position_of(run, i) + byte] << 8 * (byte % 4);
        }
    }
    const struct argument arguments[] = {pointer(source.data + position_of(run, 0)), pointer(sink.data),
                                         number(run->elements), number(run->stride)};
    launch(run, gmem_stride_read, arguments, LENGTH(arguments));
    for (uint32_t i = 0; i < run->slices; i++) {
        checksum ^= ((uint32_t *)(void *)sink.data)[i];
    }
    if (checksum != expected) {
        fail_msg("stride_read: vectors %d method %d width %u slices %u elements %u stride %u offset %u: %08x, not %08x",
                 (int)chosen_vectors, (int)chosen_method, run->width, run->slices, (unsigned)run->elements,
                 (unsigned)run->stride, (unsigned)run->offset, checksum, expected);
    }
    assert_int_equal(sink.data[sink.bytes], POISON);
    free(source.memory);
    free(sink.memory);
}

static void check_write(const struct run *run) {
    struct buffer destination = run_buffer(run), expected = run_buffer(run);
    for (uint64_t i = 0; i < run->elements; i++) {
        for (uint32_t byte = 0; byte < run->width; byte++) {
            const uint64_t low = pattern64(SEED + i);
            expected.data[position_of(run, i) + byte] = (uint8_t)((byte < 8 ? low : ~low) >> 8 * (byte % 8));
        }
    }
    const struct argument arguments[] = {pointer(destination.data + position_of(run, 0)), number(run->elements),
                                         number(run->stride), number(SEED)};
    launch(run, gmem_stride_write, arguments, LENGTH(arguments));
    check_equal(run, "stride_write", destination, expected);
    free(destination.memory);
    free(expected.memory);
}

// Of doubles that are whole numbers, so that every sum is exact. Elements of a byte are no numbers.
static void check_triad(const struct run *run) {
    struct buffer b = run_buffer(run), c = run_buffer(run), a = run_buffer(run), expected = run_buffer(run);
    const uint64_t at = position_of(run, 0), numbers = run->elements * run->width / sizeof(double);
    for (uint64_t i = 0; i < numbers && run->width >= sizeof(double); i++) {
        const double values[] = {(double)(mix64(i) % 1000), (double)(mix64(i + SEED) % 1000)};
        const double sum = values[0] + 3 * values[1];
        memcpy(b.data + at + i * sizeof sum, &values[0], sizeof sum);
        memcpy(c.data + at + i * sizeof sum, &values[1], sizeof sum);
        memcpy(expected.data + at + i * sizeof sum, &sum, sizeof sum);
    }
    if (run->width >= sizeof(double)) {
        const struct argument arguments[] = {pointer(b.data + at), pointer(c.data + at), pointer(a.data + at),
                                             number(run->elements), number(run->stride)};
        launch(run, gmem_triad, arguments, LENGTH(arguments));
        check_equal(run, "triad", a, expected);
    }
    free(a.memory);
    free(b.memory);
    free(c.memory);
    free(expected.memory);
}

static void check_elements(struct run run) {
    static const uint64_t counts[] = {0, 1, 2, 7, 63, 64, 65, 129, 330};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        for (run.slices = 1; run.slices <= 5; run.slices += 2) {
            run.elements = counts[i];
            check_copy(&run);
            check_read(&run);
            check_write(&run);
        }
    }
}

static void check_kernels(void) {
    static const uint64_t strides[] = {1, 2, 3, 4, 5, 64};
    static const uint64_t offsets[] = {0, 1, 3, 17};
    for (uint32_t width = 1; width <= 16; width *= 2) {
        for (size_t s = 0; s < LENGTH(strides); s++) {
            for (size_t o = 0; o < LENGTH(offsets); o++) {
                check_elements((struct run){.width = width, .stride = strides[s], .offset = offsets[o]});
            }
        }
    }
}

static void for_all_vectors(void check(void)) {
    const enum cpu_vectors widest = cpu_vectors();
    const enum cpu_vectors first = widest >= CPU_SSE2 && widest <= CPU_AVX512 ? CPU_SSE2 : widest;
    for (chosen_vectors = first; chosen_vectors <= widest; chosen_vectors++) {
        check();
    }
}

static void check_in_and_past_caches(void) {
    static const uint64_t caches[] = {1, UINT64_C(1) << 40};
    for (size_t i = 0; i < LENGTH(caches); i++) {
        chosen_cache_bytes = caches[i];
        check_kernels();
    }
}

static void kernels_of_all_vectors(void **state) {
    (void)state;
    for_all_vectors(check_in_and_past_caches);
}

// One turn of eight pages for each of two slices, and a remainder that fills neither pages nor lines.
static void check_pages(void (*check)(const struct run *run)) {
    for (uint32_t width = 1; width <= 16; width += 15) {
        for (uint64_t offset = 0; offset <= 3; offset += 3) {
            check(&(struct run){
                .width = width, .slices = 2, .elements = 2 * (8 * 4096 + 777) / width, .stride = 1, .offset = offset});
        }
    }
}

static void check_all_methods(void) {
    static void (*const checks[])(const struct run *run) = {
        [GMEM_COPY] = check_copy, [GMEM_READ] = check_read, [GMEM_WRITE] = check_write, [GMEM_TRIAD] = check_triad};
    chosen_cache_bytes = 1;
    for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        const enum gmem_operation operation = (enum gmem_operation)i;
        for (size_t method = gmem_cpu_methods(operation); method-- > 0;) {
            assert_true(strlen(gmem_cpu_method_name(operation, method)) > 0);
            chosen_method = method;
            check_pages(checks[i]);
        }
    }
}

static void methods_of_all_vectors(void **state) {
    (void)state;
    for_all_vectors(check_all_methods);
}

// The fastest run counts, because another program may have lengthened the others; among equals the median does.
static void the_fastest_method_is_chosen(void **state) {
    (void)state;
    static const struct gmem_cpu_record disturbed[] = {{100, 500}, {140, 141}, {150, 900}};
    static const struct gmem_cpu_record equal[] = {{100, 130}, {101, 104}, {100.5, 160}, {103, 103}};
    static const struct gmem_cpu_record one[] = {{7, 7}};
    assert_int_equal(gmem_cpu_fastest(disturbed, 3), 0);
    assert_int_equal(gmem_cpu_fastest(equal, 4), 1);
    assert_int_equal(gmem_cpu_fastest(one, 1), 0);
}

static void rows_far_from_the_trials_are_told(void **state) {
    (void)state;
    const struct gmem_cpu_tuning tried = {0, 40}, untried = {0, 0};
    assert_false(gmem_cpu_is_far(&tried, 36));
    assert_false(gmem_cpu_is_far(&tried, 45));
    assert_true(gmem_cpu_is_far(&tried, 28));
    assert_true(gmem_cpu_is_far(&tried, 56));
    assert_false(gmem_cpu_is_far(&untried, 56));
}

// An address error is usually off by a power of two, so the pattern must differ at that distance.
static void pattern_tells_elements_apart(void **state) {
    (void)state;
    for (uint64_t distance = 1; distance < 1 << 24; distance *= 2) {
        uint32_t different = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            different += (uint8_t)pattern64(i) != (uint8_t)pattern64(i + distance);
        }
        assert_true(different > 500);
    }
}

static void slices_cover_all_once(void **state) {
    (void)state;
    static const uint64_t totals[] = {0, 1, 63, 64, 65, 1000, UINT64_C(1) << 44};
    for (size_t i = 0; i < LENGTH(totals); i++) {
        for (uint32_t parts = 1; parts <= 7; parts++) {
            uint64_t covered = 0;
            for (uint32_t part = 0; part < parts; part++) {
                const struct slice slice = cpu_slice(totals[i], part, parts);
                assert_true(slice.count == 0 || slice.first == covered);
                covered += slice.count;
            }
            assert_int_equal(covered, totals[i]);
        }
    }
}

static struct device *open_cpu(void) {
    struct device *device = NULL;
    assert_int_equal(cpu_backend.open(NULL, &device, NULL), STATUS_OK);
    return device;
}

static void describes_itself(void **state) {
    (void)state;
    struct device *device = open_cpu();
    assert_string_equal(device->info.spec, "cpu");
    assert_true(*device->info.name && *device->info.arch && *device->info.driver && *device->info.compiler);
    assert_true(device->info.memory_free_bytes > 0);
    assert_true(device->info.memory_free_bytes <= device->info.memory_bytes);
    assert_true(device->info.compute_units >= 1);
    assert_int_equal(device->info.warp_width, 1);
    assert_true(device->info.clock_mhz > 100);
    assert_true(device->info.peak_gb_s >= 0);
    device_close(device);
}

static void there_is_one_cpu(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = NULL;
    assert_int_equal(cpu_backend.open("7", &device, &error), STATUS_NO_DEVICE);
    assert_null(device);
    assert_non_null(strstr(error.text, "cpu:7"));
}

static void memory_beyond_the_machine_is_refused(void **state) {
    (void)state;
    struct device *device = open_cpu();
    struct error error = {0};
    uint64_t address = 0;
    assert_int_equal(device_allocate(device, device->info.memory_bytes + 1, &address, &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "available"));
    assert_int_equal(device_allocate(device, SIZE_MAX, &address, &error), STATUS_FAILED);
    assert_int_equal(address, 0);
    device_close(device);
}

static void memory_moves_whole(void **state) {
    (void)state;
    enum {
        BYTES = (3 << 20) + 5 // shared by threads, and unevenly
    };
    struct device *device = open_cpu();
    struct buffer source = buffer_new(BYTES), result = buffer_new(BYTES);
    fill_random(source);
    uint64_t a, b;
    assert_int_equal(device_allocate(device, BYTES, &a, NULL), STATUS_OK);
    assert_int_equal(device_allocate(device, BYTES, &b, NULL), STATUS_OK);
    assert_int_equal(a % (2 << 20), 0);
    assert_int_equal(device_fill(device, b, 0x3c, BYTES, NULL), STATUS_OK);
    assert_int_equal(device_copy_to_device(device, a, source.data, BYTES, NULL), STATUS_OK);
    assert_int_equal(device_copy_on_device(device, b, a, BYTES - 1, NULL), STATUS_OK);
    assert_int_equal(device_copy_to_host(device, result.data, b, BYTES, NULL), STATUS_OK);
    assert_memory_equal(result.data, source.data, BYTES - 1);
    assert_int_equal(result.data[BYTES - 1], 0x3c);
    assert_int_equal(result.data[BYTES], POISON);
    device_release(device, a);
    device_release(device, b);
    device_close(device);
    free(source.memory);
    free(result.memory);
}

static void set_flag(const struct native_call *call) {
    const uint32_t factor = (uint32_t)native_constant(call, "FACTOR");
    *(uint32_t *)(uintptr_t)call->launch->arguments[0].value.pointer = factor * call->launch->grid.x;
    assert_int_equal(native_constant(call, "MISSING"), 0);
}

static void launches_and_times(void **state) {
    (void)state;
    struct device *device = open_cpu();
    struct kernel *kernel = NULL;
    struct event *start, *stop;
    uint32_t flag = 0;
    double nanoseconds = -1;
    const struct argument arguments[] = {pointer(&flag)};
    struct kernel_constant constants[] = {{"BLOCK", 1}, {"FACTOR", 5}};
    const struct kernel_request request = {
        .entry = "set_flag", .constants = constants, .constant_count = 2, .native = set_flag};
    assert_int_equal(device_build(device, &request, &kernel, NULL), STATUS_OK);
    memset(constants, 0, sizeof constants); // the kernel has a copy
    assert_int_equal(device_event_create(device, &start, NULL), STATUS_OK);
    assert_int_equal(device_event_create(device, &stop, NULL), STATUS_OK);
    assert_int_equal(device_event_record(device, start, NULL), STATUS_OK);
    assert_int_equal(device_launch(device, kernel, &(struct launch){.grid = {3, 1, 1}, .arguments = arguments}, NULL),
                     STATUS_OK);
    assert_int_equal(device_event_record(device, stop, NULL), STATUS_OK);
    assert_int_equal(device_synchronize(device, NULL), STATUS_OK);
    assert_int_equal(device_event_elapsed(device, start, stop, &nanoseconds, NULL), STATUS_OK);
    assert_int_equal(flag, 5 * 3);
    assert_true(nanoseconds >= 0 && nanoseconds < 1e9);
    device_event_destroy(device, start);
    device_event_destroy(device, stop);
    device_discard(device, kernel);
    device_close(device);
}

static void only_wanted_operations_are_tried(void **state) {
    (void)state;
    struct device *device = open_cpu();
    struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS] = {{0, 0}};
    const bool none[GMEM_CPU_OPERATIONS] = {false}, writes[GMEM_CPU_OPERATIONS] = {[GMEM_WRITE] = true};
    chosen_vectors = cpu_vectors();
    gmem_cpu_tune(device, none, found);
    assert_true(found[GMEM_WRITE].gb_s == 0);
    gmem_cpu_tune(device, writes, found);
    assert_true(found[GMEM_WRITE].gb_s > 0 && found[GMEM_WRITE].method < gmem_cpu_methods(GMEM_WRITE));
    assert_true(found[GMEM_COPY].gb_s == 0 && found[GMEM_READ].gb_s == 0 && found[GMEM_TRIAD].gb_s == 0);
    device_close(device);
}

static void kernel_without_native_code_is_refused(void **state) {
    (void)state;
    struct device *device = open_cpu();
    struct error error = {0};
    struct kernel *kernel = NULL;
    assert_int_equal(device_build(device, &(struct kernel_request){.entry = "bank_load"}, &kernel, &error),
                     STATUS_NO_DEVICE);
    assert_null(kernel);
    assert_non_null(strstr(error.text, "bank_load"));
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_all_vectors),
        cmocka_unit_test(methods_of_all_vectors),
        cmocka_unit_test(the_fastest_method_is_chosen),
        cmocka_unit_test(rows_far_from_the_trials_are_told),
        cmocka_unit_test(only_wanted_operations_are_tried),
        cmocka_unit_test(pattern_tells_elements_apart),
        cmocka_unit_test(slices_cover_all_once),
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(there_is_one_cpu),
        cmocka_unit_test(memory_beyond_the_machine_is_refused),
        cmocka_unit_test(memory_moves_whole),
        cmocka_unit_test(launches_and_times),
        cmocka_unit_test(kernel_without_native_code_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
