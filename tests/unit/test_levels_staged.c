// levels: copies to shared memory by the instructions that a GPU has, too, on the simulator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "levels/stream.h"
#include "util/random.h"

enum {
    UNITS = 3,
    CHUNKS = 7,
    ROUNDS = 9, // with 4 stages some of them go round more than twice
    STAGES = 4,
    WARPS = 2
};

static struct device *device;

static int open_device(void **state) {
    (void)state;
    struct error error;
    if (device_open("sim:h200", &device, &error) != STATUS_OK) {
        return 1;
    }
    device_run_via(device, VIA_PTX);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

static struct stream_plan plan_of(enum stream_path path, uint32_t width, uint32_t items) {
    return (struct stream_plan){.operation = STREAM_READ,
                                .path = path,
                                .stages = STAGES,
                                .width_bytes = width,
                                .items = items,
                                .blocks = UNITS,
                                .threads = WARPS * 32,
                                .chunks = CHUNKS,
                                .group = UNITS,
                                .rounds = ROUNDS};
}

static uint32_t expected_total(const struct stream_plan *plan, const uint32_t *words) {
    const uint64_t per_chunk = stream_chunk_bytes(plan) / sizeof *words;
    uint32_t visits[CHUNKS], total = 0;
    stream_visits(plan, visits);
    for (uint64_t i = 0; i < CHUNKS * per_chunk; i++) {
        const bool folded = plan->width_bytes == 8; // a word's halves are xor-ed
        const uint32_t word = folded ? (i % 2 ? 0 : words[i] ^ words[i + 1]) : words[i];
        total += word * visits[i / per_chunk];
    }
    return total;
}

// Runs the kernel. NULL: no compiler of PTX is here.
static bool run(const struct stream_plan *plan, const char *entry, uint32_t *found, uint32_t *expected) {
    const struct kernel_constant constants[] = {{"WIDTH", plan->width_bytes},
                                                {"ITEMS", plan->items},
                                                {"THREADS", plan->threads},
                                                {"STAGES", plan->stages},
                                                {"PAST_L1", plan->path == STREAM_WORDS_PAST_L1}};
    const struct kernel_request request = {
        .source = stream_source(), .entry = entry, .constants = constants, .constant_count = 5};
    const uint64_t bytes = stream_buffer_bytes(plan);
    uint32_t *words = malloc(bytes);
    uint64_t from, sums;
    struct kernel *kernel;
    struct error error;
    assert_non_null(words);
    for (uint64_t i = 0; i < bytes / sizeof *words; i++) {
        words[i] = (uint32_t)mix64(i);
    }
    if (device_build(device, &request, &kernel, &error) != STATUS_OK) {
        free(words);
        return false;
    }
    assert_int_equal(device_allocate(device, bytes, &from, &error), STATUS_OK);
    assert_int_equal(device_allocate(device, UNITS * WARPS * sizeof *found, &sums, &error), STATUS_OK);
    assert_int_equal(device_copy_to_device(device, from, words, bytes, &error), STATUS_OK);
    const struct argument arguments[] = {argument_pointer(from), argument_pointer(sums), argument_u32(plan->chunks),
                                         argument_u32(plan->rounds), argument_u32(plan->group)};
    const struct launch launch = {.grid = {plan->blocks, 1, 1},
                                  .block = {plan->threads, 1, 1},
                                  .dynamic_shared_bytes = (uint32_t)stream_shared_bytes(plan),
                                  .arguments = arguments,
                                  .argument_count = 5};
    assert_int_equal(device_launch(device, kernel, &launch, &error), STATUS_OK); // a race would be a fault
    assert_int_equal(stream_total(device, sums, UNITS * WARPS, found, &error), STATUS_OK);
    *expected = expected_total(plan, words);
    device_release(device, from);
    device_release(device, sums);
    device_discard(device, kernel);
    free(words);
    return true;
}

static void check(const struct stream_plan *plan, const char *entry) {
    uint32_t found, expected;
    if (!run(plan, entry, &found, &expected)) {
        skip();
    }
    assert_int_equal(found, expected);
}

static void words_of_each_width_arrive(void **state) {
    (void)state;
    for (uint32_t width = 4; width <= 16; width *= 2) {
        const struct stream_plan plan = plan_of(STREAM_WORDS, width, 2);
        check(&plan, "staged_words");
    }
}

static void words_arrive_past_l1(void **state) {
    (void)state;
    const struct stream_plan plan = plan_of(STREAM_WORDS_PAST_L1, 16, 1);
    check(&plan, "staged_words");
}

static void chunks_arrive_in_bulk(void **state) {
    (void)state;
    const struct stream_plan plan = plan_of(STREAM_BULK, 16, 2);
    check(&plan, "staged_bulk");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_each_width_arrive),
        cmocka_unit_test(words_arrive_past_l1),
        cmocka_unit_test(chunks_arrive_in_bulk),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
