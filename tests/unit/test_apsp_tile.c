// The default tile of a graph, which must be the fastest one of the rows that one H200 and two have measured.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apsp/solve/gpu.h"
#include "util/csv.h"

enum {
    KERNEL,
    WIDTH,
    VERTICES,
    TILE,
    DEVICES,
    TIME,
    COLUMNS,
    MEASURED_MAX = 32
};

// The fastest tile of a graph.
struct measured {
    uint64_t vertices, devices;
    uint32_t bits, tile;
    double time_ns;
};

static const struct device_info h200 = {.shared_bytes_per_block_max = 227 * 1024};

static void next(struct csv_reader *reader, bool *found) {
    struct error error = {0};
    if (csv_reader_next(reader, found, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
}

static void find_columns(struct csv_reader *reader, size_t columns[COLUMNS]) {
    static const char *const names[COLUMNS] = {"kernel", "width_bytes", "vertices",
                                               "tile",   "devices",     "time_ns_median"};
    bool found;
    do {
        next(reader, &found);
    } while (found && csv_reader_field(reader, 0)[0] == '#');
    for (size_t i = 0; i < COLUMNS; i++) {
        for (columns[i] = 0; strcmp(csv_reader_field(reader, columns[i]), names[i]) != 0; columns[i]++) {
            assert_true(columns[i] + 1 < reader->count);
        }
    }
}

static void keep_fastest(struct measured fastest[MEASURED_MAX], size_t *count, struct measured row) {
    size_t i = 0;
    while (i < *count &&
           (fastest[i].vertices != row.vertices || fastest[i].bits != row.bits || fastest[i].devices != row.devices)) {
        i++;
    }
    assert_true(i < MEASURED_MAX);
    if (i == *count || row.time_ns < fastest[i].time_ns) {
        fastest[i] = row;
        *count += i == *count;
    }
}

static size_t read_fastest(const char *path, struct measured fastest[MEASURED_MAX]) {
    struct csv_reader reader;
    struct error error = {0};
    size_t columns[COLUMNS], count = 0;
    assert_int_equal(csv_reader_open(&reader, path, &error), STATUS_OK);
    find_columns(&reader, columns);
    for (bool found = true; next(&reader, &found), found;) {
        const struct measured row = {strtoull(csv_reader_field(&reader, columns[VERTICES]), NULL, 10),
                                     strtoull(csv_reader_field(&reader, columns[DEVICES]), NULL, 10),
                                     8 * (uint32_t)atoi(csv_reader_field(&reader, columns[WIDTH])),
                                     (uint32_t)atoi(csv_reader_field(&reader, columns[TILE])),
                                     atof(csv_reader_field(&reader, columns[TIME]))};
        if (strcmp(csv_reader_field(&reader, columns[KERNEL]), "all") == 0 && row.tile >= 128) {
            keep_fastest(fastest, &count, row);
        }
    }
    csv_reader_close(&reader);
    return count;
}

static void choose_fastest(const char *path, size_t least) {
    struct measured fastest[MEASURED_MAX];
    const size_t count = read_fastest(path, fastest);
    assert_true(count >= least);
    for (size_t i = 0; i < count; i++) {
        const struct measured *row = &fastest[i];
        const uint32_t tile = apsp_gpu_tile(&h200, row->vertices, row->bits, row->devices, 1);
        if (tile != row->tile) {
            fail_msg("%llu vertices, %u bits, %llu devices: tile %u, but %u is the fastest",
                     (unsigned long long)row->vertices, row->bits, (unsigned long long)row->devices, tile, row->tile);
        }
    }
}

static void test_one(void **state) {
    (void)state;
    choose_fastest("results/h200/apsp-tiles.csv", 10);
}

static void test_two(void **state) {
    (void)state;
    choose_fastest("results/h200-x2/multi-device-tiles.csv", 6);
}

// The devices may form a grid, of which only the number counts here.
static void test_grid(void **state) {
    (void)state;
    assert_int_equal(apsp_gpu_tile(&h200, 16384, 32, 2, 1), 512);
    assert_int_equal(apsp_gpu_tile(&h200, 16384, 32, 1, 2), 512);
    assert_int_equal(apsp_gpu_tile(&h200, 16384, 32, 2, 2), 512);
    assert_int_equal(apsp_gpu_tile(&h200, 8192, 32, 2, 2), 128);
}

static void test_small_memory(void **state) {
    (void)state;
    const struct device_info info = {.shared_bytes_per_block_max = 48 * 1024};
    assert_int_equal(apsp_gpu_tile(&info, 16384, 32, 1, 1), 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_small_memory),
    };
    return cmocka_run_group_tests_name("apsp's tile", tests, NULL, NULL);
}
