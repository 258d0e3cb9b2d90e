// The default tile of a graph, which must be the fastest one of an H200's rows (results/h200/apsp-tiles.csv).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apsp/solve/gpu_tile.h"
#include "util/csv_read.h"

enum {
    KERNEL,
    WIDTH,
    VERTICES,
    TILE,
    TIME,
    COLUMNS,
    MEASURED_MAX = 32
};

// The fastest tile of a graph.
struct measured {
    uint64_t vertices;
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
    static const char *const names[COLUMNS] = {"kernel", "width_bytes", "vertices", "tile", "time_ns_median"};
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
    while (i < *count && (fastest[i].vertices != row.vertices || fastest[i].bits != row.bits)) {
        i++;
    }
    assert_true(i < MEASURED_MAX);
    if (i == *count || row.time_ns < fastest[i].time_ns) {
        fastest[i] = row;
        *count += i == *count;
    }
}

static size_t read_fastest(struct measured fastest[MEASURED_MAX]) {
    struct csv_reader reader;
    struct error error = {0};
    size_t columns[COLUMNS], count = 0;
    assert_int_equal(csv_reader_open(&reader, "results/h200/apsp-tiles.csv", &error), STATUS_OK);
    find_columns(&reader, columns);
    for (bool found = true; next(&reader, &found), found;) {
        const struct measured row = {strtoull(csv_reader_field(&reader, columns[VERTICES]), NULL, 10),
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

static void test_fastest(void **state) {
    (void)state;
    struct measured fastest[MEASURED_MAX];
    const size_t count = read_fastest(fastest);
    assert_true(count >= 10);
    for (size_t i = 0; i < count; i++) {
        const struct measured *row = &fastest[i];
        const uint32_t tile = apsp_gpu_tile(&h200, row->vertices, row->bits, 1, 1);
        if (tile != row->tile) {
            fail_msg("%llu vertices, %u bits: tile %u, but %u is the fastest", (unsigned long long)row->vertices,
                     row->bits, tile, row->tile);
        }
    }
}

// Devices share the updates of a round, so that larger tiles need larger graphs (results/h200-x2: 512 at 16384).
static void test_devices(void **state) {
    (void)state;
    assert_int_equal(apsp_gpu_tile(&h200, 16384, 32, 2, 1), 512);
    assert_int_equal(apsp_gpu_tile(&h200, 16384, 32, 1, 2), 512);
    assert_int_equal(apsp_gpu_tile(&h200, 8192, 32, 4, 1), 128);
}

static void test_small_memory(void **state) {
    (void)state;
    const struct device_info info = {.shared_bytes_per_block_max = 48 * 1024};
    assert_int_equal(apsp_gpu_tile(&info, 16384, 32, 1, 1), 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_small_memory),
    };
    return cmocka_run_group_tests_name("apsp's tile", tests, NULL, NULL);
}
