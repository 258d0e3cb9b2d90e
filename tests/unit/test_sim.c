// The simulator on correct kernels.
#include "tests/unit/sim_fixture.h"

static const char dialect[] = "tests/data/kernels/sim_dialect.cu";
static const char cuda_file[] = "tests/data/kernels/sim_cuda.cu";
static const char *const gpus[] = {"h200", "mi210", "gtx1080", "rx7900xtx"};

static void each_gpu(void (*test)(struct device *device)) {
    for (size_t i = 0; i < LENGTH(gpus); i++) {
        struct device *device = shared_sim(gpus[i]);
        test(device);
    }
}

// ---- Results ----

static void check_indices(struct device *device) {
    const struct dimensions grid = {3, 2, 2}, block = {5, 3, 4};
    enum {
        BLOCKS = 12,
        THREADS = 60
    };
    uint32_t where[BLOCKS * THREADS];
    uint64_t buffer = allocate(device, sizeof where);
    RUN(device, dialect, "indices", ((struct shape){grid, block, 0}), POINTER(buffer));
    download(device, where, buffer, sizeof where);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
        uint32_t b = i / THREADS, t = i % THREADS;
        uint32_t expected = b / grid.x / grid.y << 24 | b / grid.x % grid.y << 20 | b % grid.x << 16 |
                            t / block.x / block.y << 12 | t / block.x % block.y << 8 | t % block.x;
        assert_int_equal(where[i], expected);
    }
}

static void indices(void **state) {
    (void)state;
    each_gpu(check_indices);
}

static void fill_numbers(int32_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = (int32_t)(i * 2654435761u >> 8) % 1000 - 300;
    }
}

static void check_sums(struct device *device) {
    int32_t values[1024], sums[4], expected[4] = {0};
    fill_numbers(values, LENGTH(values));
    for (size_t i = 0; i < LENGTH(values); i++) {
        expected[i / 256] += values[i];
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, sizeof sums);
    RUN(device, dialect, "sum_shared", ((struct shape){{4, 1, 1}, {256, 1, 1}, 1024}), POINTER(in), POINTER(out));
    download(device, sums, out, sizeof sums);
    assert_memory_equal(sums, expected, sizeof sums);
}

static void sums(void **state) {
    (void)state;
    each_gpu(check_sums);
}

static void check_warp_sums(struct device *device) {
    uint32_t width = device->info.warp_width;
    int32_t values[128], sums_found[4], greatest[4];
    fill_numbers(values, LENGTH(values));
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, 16), top = allocate(device, 16);
    RUN(device, dialect, "sum_warp", one_block(128), POINTER(in), POINTER(out), POINTER(top));
    download(device, sums_found, out, sizeof sums_found);
    download(device, greatest, top, sizeof greatest);
    for (uint32_t warp = 0; warp < 128 / width; warp++) {
        int32_t sum = 0, most = INT32_MIN;
        for (uint32_t i = warp * width; i < (warp + 1) * width; i++) {
            sum += values[i];
            most = values[i] > most ? values[i] : most;
        }
        assert_int_equal(sums_found[warp], sum);
        assert_int_equal(greatest[warp], most);
    }
}

static void warp_sums(void **state) {
    (void)state;
    each_gpu(check_warp_sums);
}

static void check_shuffles(struct device *device) {
    uint32_t width = device->info.warp_width;
    double values[64], found[6 * 64];
    for (uint32_t i = 0; i < width; i++) {
        values[i] = 1.5 * i;
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, sizeof found);
    RUN(device, dialect, "shuffles", one_block(width), POINTER(in), POINTER(out));
    download(device, found, out, 6 * width * sizeof *found);
    for (uint32_t l = 0; l < width; l++) {
        const uint32_t sources[] = {
            l + 3 < width ? l + 3 : l, l >= 3 ? l - 3 : l, l ^ 5, 7, l % 8 < 5 ? l + 3 : l, l ^ 1};
        for (uint32_t kind = 0; kind < LENGTH(sources); kind++) {
            assert_true(found[kind * width + l] == values[sources[kind]]);
        }
    }
}

static void shuffles(void **state) {
    (void)state;
    each_gpu(check_shuffles);
}

static void shuffle_from_an_inactive_lane(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint32_t found[32];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, dialect, "shuffle_inactive", one_block(32), POINTER(out));
    download(device, found, out, sizeof found);
    for (uint32_t lane = 0; lane < 32; lane += 2) {
        assert_int_equal(found[lane], 0);
    }
}

static void check_votes(struct device *device) {
    uint32_t width = device->info.warp_width, values[64];
    uint64_t found[3], odd = 0;
    for (uint32_t i = 0; i < 64; i++) {
        values[i] = i * i + i / 3;
        odd |= i < width && values[i] % 2 ? UINT64_C(1) << i : 0;
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, sizeof found);
    RUN(device, dialect, "votes", one_block(width), POINTER(in), POINTER(out));
    download(device, found, out, sizeof found);
    assert_int_equal(found[0], odd);
    assert_int_equal(found[1], 0);
    assert_int_equal(found[2], width == 32);
}

static void votes(void **state) {
    (void)state;
    each_gpu(check_votes);
}

static void check_histogram(struct device *device) {
    uint8_t values[5000];
    uint32_t bins[256] = {0}, expected[256] = {0};
    for (size_t i = 0; i < sizeof values; i++) {
        values[i] = (uint8_t)(i * i / 7);
        expected[values[i]]++;
    }
    uint64_t in = upload(device, values, sizeof values), out = upload(device, bins, sizeof bins);
    RUN(device, dialect, "histogram", ((struct shape){{3, 1, 1}, {192, 1, 1}, 0}), POINTER(in), POINTER(out),
        U32(sizeof values));
    download(device, bins, out, sizeof bins);
    assert_memory_equal(bins, expected, sizeof bins);
}

static void histogram(void **state) {
    (void)state;
    each_gpu(check_histogram);
}

static void check_atomics(struct device *device) {
    enum {
        THREADS = 128
    };
    int32_t i[3] = {5, 0, 0};
    uint32_t u[5] = {0, 0, UINT32_MAX, 0, 0};
    uint64_t ull[2] = {1, 0};
    float f = 1;
    double d = 1;
    uint64_t at_i = upload(device, i, sizeof i), at_u = upload(device, u, sizeof u);
    uint64_t at_ull = upload(device, ull, sizeof ull), at_f = upload(device, &f, sizeof f);
    uint64_t at_d = upload(device, &d, sizeof d);
    RUN(device, dialect, "atomics", one_block(THREADS), POINTER(at_i), POINTER(at_u), POINTER(at_ull), POINTER(at_f),
        POINTER(at_d));
    download(device, i, at_i, sizeof i);
    download(device, u, at_u, sizeof u);
    download(device, ull, at_ull, sizeof ull);
    download(device, &f, at_f, sizeof f);
    download(device, &d, at_d, sizeof d);
    assert_int_equal(i[0], 5 + THREADS * (THREADS - 1) / 2);
    assert_int_equal(i[1], 1 - THREADS);
    assert_int_equal(i[2], THREADS - 1);
    assert_int_equal(u[0], 0); // four threads flip each bit
    assert_int_equal(u[1], UINT32_MAX);
    assert_int_equal(u[2], ~UINT32_C(0x7f));
    assert_int_equal(u[3], 77);
    assert_int_equal(u[4], THREADS); // each thread finds the value of the thread before
    assert_int_equal(ull[0], 1 + (((uint64_t)THREADS << 33)));
    assert_int_equal(ull[1], (uint64_t)(THREADS - 1) << 40);
    assert_true(f == 1 + 0.5f * (float)THREADS);
    assert_true(d == 1 + 0.25 * (double)THREADS);
}

static void atomics(void **state) {
    (void)state;
    each_gpu(check_atomics);
}

static void check_diverge(struct device *device) {
    uint32_t width = device->info.warp_width, values[64], found[64], sum = 0;
    for (uint32_t i = 0; i < width; i++) {
        values[i] = i * 3 + 1;
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, sizeof found);
    RUN(device, dialect, "diverge", one_block(width), POINTER(in), POINTER(out));
    struct launch_counts counts = counts_of(device);
    download(device, found, out, sizeof found);
    for (uint32_t i = 0; i < width; i++) {
        assert_int_equal(found[i], sum += values[i]);
    }
    // Turn i of the loop is one load of the lanes from i on; then all lanes store together.
    assert_true(counts.global_load.requests == width);
    assert_true(counts.global_load.lane_bytes == 4.0 * width * (width + 1) / 2);
    assert_true(counts.global_store.requests == 1);
    assert_true(counts.branches >= width);
}

static void diverging_lanes_meet_again(void **state) {
    (void)state;
    each_gpu(check_diverge);
}

static void file_scope_data(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    int32_t values[4 * 64], expected = 0, found;
    static const int32_t weights[4] = {1, 10, 100, 1000};
    fill_numbers(values, LENGTH(values));
    for (size_t i = 0; i < LENGTH(values); i++) {
        expected += values[i] * weights[i % 4];
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, 4);
    for (int launch = 0; launch < 2; launch++) {
        RUN(device, dialect, "file_scope", one_block(64), POINTER(in), POINTER(out));
        download(device, &found, out, sizeof found);
        assert_int_equal(found, expected);
    }
}

static void bytes_of_several_warps(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint8_t found[256];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, dialect, "bytes", one_block(256), POINTER(out));
    download(device, found, out, sizeof found);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(found[i * 33 % 256], i);
    }
}

static void arguments_of_all_types(void **state) {
    (void)state;
    struct device *device = shared_sim("mi210");
    double found[4];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, dialect, "scalars", one_block(1), {ARGUMENT_I32, {.i32 = -7}}, {ARGUMENT_U64, {.u64 = 1ull << 40}},
        {ARGUMENT_F32, {.f32 = 0.5f}}, {ARGUMENT_F64, {.f64 = -1e300}}, POINTER(out));
    download(device, found, out, sizeof found);
    assert_true(found[0] == -7 && found[1] == 1099511627776.0 && found[2] == 0.5 && found[3] == -1e300);
}

static void warps_that_wait_for_warps(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint32_t flag = 0;
    uint64_t at = upload(device, &flag, sizeof flag);
    RUN(device, dialect, "wait_for_warp", one_block(128), POINTER(at));
    download(device, &flag, at, sizeof flag);
    assert_int_equal(flag, 96);
}

static void clocks(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint64_t found[4] = {0};
    uint64_t out = upload(device, found, sizeof found);
    RUN(device, dialect, "clocks", one_block(1), POINTER(out));
    download(device, found, out, sizeof found);
    assert_int_equal(found[0], 2); // a load and a store
    assert_true(found[1] <= found[0]);
}

static void a_users_cuda_file(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    int32_t values[256], found[256];
    float numbers[100], scaled[100];
    fill_numbers(values, 256);
    for (int i = 0; i < 100; i++) {
        numbers[i] = (float)i;
    }
    uint64_t in = upload(device, values, sizeof values), out = allocate(device, sizeof found);
    uint64_t data = upload(device, numbers, sizeof numbers);
    RUN(device, cuda_file, "reverse", ((struct shape){{1, 1, 1}, {256, 1, 1}, 1024}), POINTER(in), POINTER(out));
    RUN(device, cuda_file, "scale", ((struct shape){{2, 1, 1}, {64, 1, 1}, 0}), POINTER(data), U32(100));
    download(device, found, out, sizeof found);
    download(device, scaled, data, sizeof scaled);
    for (int i = 0; i < 256; i++) {
        assert_int_equal(found[i], values[255 - i]);
    }
    for (int i = 0; i < 100; i++) {
        assert_true(scaled[i] == 4.0f * numbers[i]);
    }
}

static void c_atomics(void **state) {
    (void)state;
    struct device *device = shared_sim("mi210");
    uint32_t u[2] = {0};
    uint64_t ull = 0, at_u = upload(device, u, sizeof u), at_ull = upload(device, &ull, sizeof ull);
    RUN(device, dialect, "c_atomics", one_block(96), POINTER(at_u), POINTER(at_ull));
    download(device, u, at_u, sizeof u);
    download(device, &ull, at_ull, sizeof ull);
    assert_int_equal(u[0], 96);
    assert_int_equal(u[1], UINT32_MAX);
    assert_int_equal(ull, 96 * 95 / 2);
}

static void copies_of_structs_and_bytes(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint8_t in[64 * 16], out[64 * 16], raw[64 * 5];
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(i * 13);
    }
    uint64_t from = upload(device, in, sizeof in), to = allocate(device, sizeof out);
    uint64_t to_raw = allocate(device, sizeof raw);
    RUN(device, dialect, "copies", one_block(64), POINTER(from), POINTER(to), POINTER(to_raw));
    download(device, out, to, sizeof out);
    download(device, raw, to_raw, sizeof raw);
    for (size_t i = 0; i < 64; i++) {
        assert_memory_equal(out + 16 * i, in + 16 * i, 13); // the rest is padding
        assert_memory_equal(raw + 5 * i, in + 16 * i, 5);
    }
}

static void lanes_at_different_depths(void **state) {
    (void)state;
    static const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    struct device *device = shared_sim("h200");
    uint32_t found[64];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, dialect, "recursion", one_block(64), POINTER(out));
    struct launch_counts counts = counts_of(device);
    download(device, found, out, sizeof found);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(found[i], fibonacci[i % 9]);
    }
    assert_true(counts.global_store.requests == 2);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices),
        cmocka_unit_test(sums),
        cmocka_unit_test(warp_sums),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(shuffle_from_an_inactive_lane),
        cmocka_unit_test(votes),
        cmocka_unit_test(histogram),
        cmocka_unit_test(atomics),
        cmocka_unit_test(diverging_lanes_meet_again),
        cmocka_unit_test(file_scope_data),
        cmocka_unit_test(bytes_of_several_warps),
        cmocka_unit_test(arguments_of_all_types),
        cmocka_unit_test(warps_that_wait_for_warps),
        cmocka_unit_test(clocks),
        cmocka_unit_test(a_users_cuda_file),
        cmocka_unit_test(c_atomics),
        cmocka_unit_test(copies_of_structs_and_bytes),
        cmocka_unit_test(lanes_at_different_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return for_each_compiler(run_all);
}
