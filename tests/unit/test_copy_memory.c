// What copies to shared memory cost, beside an H200's counters (tests/data/copies.h200).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/copy_memory.h"

enum {
    LINE = 1024,
    PATTERN = 300
};

struct counted {
    struct copy copy;
    uint32_t passes, sectors;
    bool by_stride; // both sides
};

static bool is_stride(const char *text) {
    return !strpbrk(text, ",.");
}

// A stride, or one element for each lane; a dot is none.
static void place(const char *text, uint32_t width, uint64_t address[WARP_WIDTH_MAX], uint64_t *active) {
    const uint64_t stride = is_stride(text) ? strtoull(text, NULL, 10) : 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const bool dot = *text == '.';
        *active &= dot ? ~(UINT64_C(1) << lane) : UINT64_MAX;
        address[lane] = width * (stride ? stride * lane : dot ? 0 : strtoull(text, NULL, 10));
        const char *next = strchr(text, ',');
        text = next ? next + 1 : text;
    }
}

static bool read_counted(FILE *file, struct counted *counted) {
    char line[LINE], cache[16], from[PATTERN], to[PATTERN];
    struct copy *copy = &counted->copy;
    do {
        if (!fgets(line, sizeof line, file)) {
            return false;
        }
    } while (line[0] == '#');
    *counted = (struct counted){.copy = {.active = UINT32_MAX}};
    assert_int_equal(sscanf(line, "%15s %u %299s %299s %u %u", cache, &copy->width_bytes, from, to, &counted->passes,
                            &counted->sectors),
                     6);
    copy->past_l1 = strcmp(cache, "past") == 0;
    place(from, copy->width_bytes, copy->from, &copy->active);
    place(to, copy->width_bytes, copy->to, &copy->active);
    counted->by_stride = is_stride(from) && is_stride(to);
    return true;
}

// Past L1 every count is the H200's. Through L1 every count of strides is; of other patterns the error stays small.
static void counts_are_those_of_an_h200(void **state) {
    (void)state;
    const struct gpu *h200 = gpu_find("h200");
    struct counted counted;
    uint32_t exact = 0, others = 0, sum = 0, expected = 0;
    FILE *file = fopen("tests/data/copies.h200", "r");
    assert_non_null(file);
    while (read_counted(file, &counted)) {
        const struct shared_cost cost = copy_memory_cost(h200, &counted.copy);
        if (counted.copy.past_l1) {
            assert_int_equal(copy_sectors(&counted.copy), counted.sectors);
        }
        if (counted.copy.past_l1 || counted.by_stride) {
            assert_int_equal(cost.passes, counted.passes);
            exact++;
        } else {
            assert_in_range(cost.passes, counted.passes - counted.passes / 4, counted.passes + counted.passes / 4 + 1);
            sum += cost.passes;
            expected += counted.passes;
            others++;
        }
    }
    fclose(file);
    assert_int_equal(exact, 360);
    assert_int_equal(others, 75);
    assert_in_range(sum, expected * 98 / 100, expected * 102 / 100);
}

static struct shared_cost cost_of(bool past_l1, uint32_t width, uint32_t from_stride, uint32_t to_stride) {
    struct copy copy = {.past_l1 = past_l1, .width_bytes = width, .active = UINT32_MAX};
    for (uint32_t lane = 0; lane < 32; lane++) {
        copy.from[lane] = (uint64_t)lane * width * from_stride;
        copy.to[lane] = (uint64_t)lane * width * to_stride;
    }
    return copy_memory_cost(gpu_find("h200"), &copy);
}

static void conflicts_are_passes_beyond_those_that_the_bytes_need(void **state) {
    (void)state;
    assert_int_equal(cost_of(false, 4, 1, 1).conflicts, 0);
    assert_int_equal(cost_of(false, 4, 8, 1).conflicts, 7); // the banks of L1 decide, too
    assert_int_equal(cost_of(false, 16, 1, 1).passes, 4);
    assert_int_equal(cost_of(false, 16, 2, 1).conflicts, 4);
    assert_int_equal(cost_of(true, 16, 2, 1).conflicts, 0); // the profiler counts none past L1
    assert_int_equal(cost_of(true, 16, 2, 1).passes, 32);
}

// Four rows of 128 bytes, each so many bytes after the one before.
static void rows_off_their_sectors_cost_more(void **state) {
    (void)state;
    static const uint32_t expected[][3] = {{128, 4, 16}, {144, 10, 24}, {160, 7, 16}, {256, 4, 16}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct copy copy = {.past_l1 = true, .width_bytes = 16, .active = UINT32_MAX};
        for (uint64_t lane = 0; lane < 32; lane++) {
            copy.from[lane] = lane / 8 * 1024 + lane % 8 * 16;
            copy.to[lane] = lane / 8 * expected[i][0] + lane % 8 * 16;
        }
        assert_int_equal(copy_memory_cost(gpu_find("h200"), &copy).passes, expected[i][1]);
        assert_int_equal(copy_sectors(&copy), expected[i][2]);
    }
}

static void only_hopper_was_counted(void **state) {
    (void)state;
    struct copy copy = {.width_bytes = 4, .active = 1};
    assert_int_equal(copy_memory_cost(gpu_find("h200"), &copy).certainty, RULE_CERTAIN);
    assert_int_equal(copy_memory_cost(gpu_find("a100"), &copy).certainty, RULE_OPEN);
    assert_int_equal(copy_memory_cost(gpu_find("a100"), &copy).passes, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_an_h200),
        cmocka_unit_test(conflicts_are_passes_beyond_those_that_the_bytes_need),
        cmocka_unit_test(rows_off_their_sectors_cost_more),
        cmocka_unit_test(only_hopper_was_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
