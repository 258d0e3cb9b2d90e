// The model of L1 compared with published clocks and counters of loads that hit (results/published/amd/l1-strides.csv).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/global_memory.h"
#include "tests/unit/published.h"

enum {
    ROWS_MAX = 512,
    OFFSETS = 8
};

struct row {
    char device[32];
    uint32_t width, parameter;
    bool block;                // a block of `parameter` columns; else a stride
    double clocks, data, tags; // for 32 lanes; the counters are NVIDIA's
};

static struct row rows[ROWS_MAX];
static size_t row_count;

static bool parse(char *fields[], size_t count, void *to) {
    struct row *row = to;
    if (count < 8) {
        return false;
    }
    *row = (struct row){.width = (uint32_t)atoi(fields[1]),
                        .block = strcmp(fields[2], "block") == 0,
                        .parameter = (uint32_t)atoi(fields[3]),
                        .clocks = atof(fields[4]),
                        .data = atof(fields[6]),
                        .tags = atof(fields[7])};
    snprintf(row->device, sizeof row->device, "%s", fields[0]);
    return row->width > 0 && row->clocks > 0;
}

// The element that a thread of the published program loads.
static uint64_t element(const struct row *row, uint32_t thread, uint32_t offset) {
    if (!row->block) {
        return thread % 64 * row->parameter + offset;
    }
    const uint32_t x = thread % row->parameter, y = thread / row->parameter;
    return x % 64 + (y % 32 + 1) * UINT64_C(4098) + offset;
}

struct found {
    double clocks, tags; // for 32 lanes, the mean over all loads of all warps
};

static struct found model(const struct gpu *gpu, const struct row *row) {
    static const uint32_t offsets[OFFSETS] = {0, 4, 8, 12, 20, 16, 24, 28};
    const uint32_t warps = 1024 / gpu->warp_width;
    struct found sum = {0, 0};
    for (uint32_t warp = 0; warp < warps; warp++) {
        for (uint32_t i = 0; i < OFFSETS; i++) {
            struct request request = {.operation = OPERATION_LOAD, .width_bytes = row->width};
            for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
                request.active |= UINT64_C(1) << lane;
                request.address[lane] = element(row, warp * gpu->warp_width + lane, offsets[i]) * row->width;
            }
            sum.clocks += l1_cost(gpu, &request).clocks;
            sum.tags += l1_tag_clocks(gpu, &request);
        }
    }
    const double loads = warps * OFFSETS * (double)gpu->warp_width / 32;
    return (struct found){sum.clocks / loads, sum.tags / loads};
}

static bool is_of(const struct row *row, const char *device) {
    return strcmp(row->device, device) == 0;
}

// Rows whose data the 16 KiB hold.
static bool fits_l1(const struct row *row) {
    return (63 * row->parameter + 28 + 1) * row->width <= 16384;
}

static void mi210(void **state) {
    (void)state;
    const struct gpu *gpu = gpu_find("mi210");
    size_t fitting = 0;
    for (size_t i = 0; i < row_count; i++) {
        if (is_of(&rows[i], "AMD Instinct MI210") && fits_l1(&rows[i])) {
            const double error = model(gpu, &rows[i]).clocks / rows[i].clocks - 1;
            fitting++;
            if (fabs(error) > 0.09) {
                fail_msg("width %u stride %u: %+.1f %%", rows[i].width, rows[i].parameter, 100 * error);
            }
        }
    }
    assert_true(fitting > 95);
}

// The rows whose tag counter the model meets within 5 %, in per cent of all.
static double tags_met(const char *name, const char *device) {
    const struct gpu *gpu = gpu_find(name);
    size_t met = 0, all = 0;
    for (size_t i = 0; i < row_count; i++) {
        if (is_of(&rows[i], device)) {
            all++;
            met += fabs(model(gpu, &rows[i]).tags / rows[i].tags - 1) <= 0.05;
        }
    }
    print_message("%s: tags within 5 %% in %zu of %zu rows\n", device, met, all);
    return 100.0 * (double)met / (double)all;
}

static void tags_of_a100(void **state) {
    (void)state;
    assert_true(tags_met("a100", "NVIDIA A100") > 90);
}

static void tags_of_h200(void **state) {
    (void)state;
    assert_true(tags_met("h200", "NVIDIA H200") > 80);
}

// Where the model meets the tag counter, it meets the time.
static void clocks_of_nvidia(void **state) {
    (void)state;
    for (size_t i = 0; i < row_count; i++) {
        if (strncmp(rows[i].device, "NVIDIA", 6) == 0) {
            const struct found found = model(gpu_find(is_of(&rows[i], "NVIDIA A100") ? "a100" : "h200"), &rows[i]);
            const bool met =
                fabs(found.tags / rows[i].tags - 1) <= 0.05 || rows[i].data > fmax(found.tags, rows[i].tags);
            if (met && fabs(found.clocks / rows[i].clocks - 1) > 0.08) {
                fail_msg("%s width %u %s %u: %.2f clocks, published %.2f", rows[i].device, rows[i].width,
                         rows[i].block ? "block" : "stride", rows[i].parameter, found.clocks, rows[i].clocks);
            }
        }
    }
}

// A copy of doubles takes 16 accesses of L1 for a wave's load and as many for its store (vcopy-counters.csv).
static void copy_of_doubles(void **state) {
    (void)state;
    static const char *const names[] = {"mi100", "mi210"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        struct request request = {.operation = (enum operation)(i % 2), .width_bytes = 8, .active = ~UINT64_C(0)};
        for (uint32_t lane = 0; lane < 64; lane++) {
            request.address[lane] = lane * 8;
        }
        const struct global_cost cost = global_memory_cost(gpu_find(names[i / 2]), &request);
        assert_int_equal(cost.l1_clocks, 16);
        assert_int_equal(cost.sectors, 8);
    }
}

// Wherever a request lies, moving it by L1_PLACE_BYTES changes none of AMD's clocks.
static void place_of_a_request(void **state) {
    (void)state;
    static const char *const names[] = {"mi210", "mi300x", "rx7900xtx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct gpu *gpu = gpu_find(names[i]);
        for (uint64_t stride = 1; stride < 64; stride++) {
            struct request request = {.operation = OPERATION_LOAD, .width_bytes = 4, .active = 0x7ffffffe};
            for (uint32_t lane = 0; lane < 32; lane++) {
                request.address[lane] = lane * stride * 4;
            }
            const uint32_t clocks = l1_cost(gpu, &request).clocks;
            for (uint32_t lane = 0; lane < 32; lane++) {
                request.address[lane] += L1_PLACE_BYTES;
            }
            assert_int_equal(l1_cost(gpu, &request).clocks, clocks);
        }
    }
}

int main(void) {
    row_count = published_read("results/published/amd/l1-strides.csv", parse, rows, sizeof *rows, ROWS_MAX);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mi210),           cmocka_unit_test(tags_of_a100),
        cmocka_unit_test(tags_of_h200),    cmocka_unit_test(clocks_of_nvidia),
        cmocka_unit_test(copy_of_doubles), cmocka_unit_test(place_of_a_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
