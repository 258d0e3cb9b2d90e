// The simulator's counts, and the time that it predicts from them.
#include <math.h>

#include "model/time/time.h"
#include "sim/lines.h"
#include "tests/unit/sim_fixture.h"

static const char dialect[] = "tests/data/kernels/sim_dialect.cu";

// in and out of a kernel `transpose` of 64x64 floats, PAD 0 or 1.
static struct launch_counts transpose(struct device *device, int64_t pad) {
    struct error error = {0};
    struct kernel *kernel;
    static float in[64][64], out[64][64];
    for (int i = 0; i < 64 * 64; i++) {
        in[i / 64][i % 64] = (float)i;
    }
    uint64_t from = upload(device, in, sizeof in), to = allocate(device, sizeof out);
    struct argument arguments[] = {POINTER(from), POINTER(to), U32(64)};
    struct shape shape = {{2, 2, 1}, {32, 8, 1}, 0};
    must(try_build(device, dialect, "transpose", (struct kernel_constant){"PAD", pad}, &kernel, &error), &error);
    must(try_launch(device, kernel, shape, arguments, LENGTH(arguments), &error), &error);
    struct launch_counts counts = counts_of(device);
    download(device, out, to, sizeof out);
    for (int i = 0; i < 64 * 64; i++) {
        assert_true(out[i / 64][i % 64] == in[i % 64][i / 64]);
    }
    device_discard(device, kernel);
    device_release(device, from);
    device_release(device, to);
    return counts;
}

static void bank_conflicts_of_a_transpose(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    struct launch_counts naive = transpose(device, 0), padded = transpose(device, 1);
    // 4 blocks, 8 warps, 4 turns of each loop.
    assert_true(naive.warps == 32 && naive.shared_load.requests == 128 && naive.shared_store.requests == 128);
    assert_true(naive.barriers == 32);
    assert_true(naive.shared_load.passes == 128 * 32 && naive.shared_load.conflicts == 128 * 31);
    assert_true(naive.shared_store.passes == 128 && naive.shared_store.conflicts == 0);
    assert_true(naive.shared_load.unique_bytes == 128 * 128);
    assert_true(padded.shared_load.passes == 128 && padded.shared_load.conflicts == 0);
    assert_true(naive.global_load.requests == 128 && naive.global_load.sectors == 512);
    assert_true(naive.global_store.sectors == 512 && naive.global_store.lines == 128);
    assert_true(naive.device_read_bytes == 64 * 64 * 4 && naive.device_write_bytes == 64 * 64 * 4);
    assert_true(naive.lane_steps == 32 * naive.instructions);
}

static void wide_accesses_are_one_request(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    float in4[32 * 4], out4[32 * 4];
    double in2[32 * 2], out2[32 * 2];
    for (int i = 0; i < 128; i++) {
        in4[i] = (float)i;
    }
    for (int i = 0; i < 64; i++) {
        in2[i] = i;
    }
    uint64_t from4 = upload(device, in4, sizeof in4), to4 = allocate(device, sizeof out4);
    uint64_t from2 = upload(device, in2, sizeof in2), to2 = allocate(device, sizeof out2);
    RUN(device, dialect, "vectors", one_block(32), POINTER(from4), POINTER(to4), POINTER(from2), POINTER(to2));
    struct launch_counts counts = counts_of(device);
    download(device, out4, to4, sizeof out4);
    download(device, out2, to2, sizeof out2);
    for (int i = 0; i < 32; i++) {
        assert_true(out4[4 * i] == in4[4 * i + 3] && out4[4 * i + 3] == in4[4 * i]);
        assert_true(out2[2 * i] == in2[2 * i + 1] && out2[2 * i + 1] == in2[2 * i]);
    }
    assert_true(counts.global_load.requests == 2 && counts.global_load.lane_bytes == 2 * 32 * 16);
    assert_true(counts.global_store.requests == 2 && counts.global_store.sectors == 32);
}

// Each access has the line of the kernel that makes it, not that of the dialect's function around it.
static void assert_counts_are_of(struct device *device, const char *path) {
    struct error error = {0};
    struct sim_line *lines;
    size_t count;
    must(sim_lines(device, &lines, &count, &error), &error);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(lines[i].file, path);
    }
    assert_true(count > 0);
    free(lines);
}

static void words_are_one_request(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint8_t data[32 * 16], copy[32 * 16];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 7);
    }
    uint64_t from = upload(device, data, sizeof data), to = allocate(device, sizeof copy), sink = allocate(device, 128);
    RUN(device, dialect, "words", one_block(32), POINTER(from), POINTER(to), POINTER(sink));
    struct launch_counts counts = counts_of(device);
    download(device, copy, to, sizeof copy);
    assert_memory_equal(copy, data, sizeof data);
    assert_true(counts.global_load.requests == 1 && counts.global_load.lane_bytes == 512);
    assert_true(counts.global_store.requests == 2 && counts.global_store.lane_bytes == 512 + 128);
    assert_counts_are_of(device, dialect);
}

// Nor are functions of a user whose file stands in a folder of the dialect's name taken for the dialect's.
static void functions_in_a_folder_of_the_dialects_name(void **state) {
    (void)state;
    static const char text[] = "#include \"device/kernel/kernel.h\"\n"
                               "static inline void put(uint32_t *out) {\n"
                               "    out[threadIdx.x] = 1;\n"
                               "}\n"
                               "KERNEL void filled(uint32_t *out) {\n"
                               "    put(out);\n"
                               "}\n";
    const struct kernel_source source = {"device/kernel/mine.c", text};
    const struct kernel_request request = {.source = &source, .entry = "filled", .from_file = true};
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    struct sim_line *lines;
    size_t count, i = 0;
    struct argument arguments[] = {POINTER(allocate(device, 128))};
    must(device_build(device, &request, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(32), arguments, 1, &error), &error);
    must(sim_lines(device, &lines, &count, &error), &error);
    while (i < count && lines[i].counts.global_store.requests == 0) {
        i++;
    }
    assert_true(i < count && lines[i].number == 3);
    assert_string_equal(lines[i].file, source.file_name);
    free(lines);
    device_discard(device, kernel);
    device_close(device);
}

// The place of a file's variables in a line does not depend on how much the file's kernels do.
static void variables_keep_their_place_in_a_line(void **state) {
    (void)state;
    static const char text[] = "#include \"device/kernel/kernel.h\"\n"
                               "static __device__ uint32_t table[64];\n"
                               "KERNEL void every_second(uint32_t *out) {\n"
                               "    const volatile uint32_t *const from = table;\n"
                               "    out[threadIdx.x] = from[threadIdx.x * 2];\n"
                               "}\n"
                               "KERNEL void other(volatile uint32_t *out) {\n"
                               "#if MORE\n"
                               "    out[1] = out[2] = out[3] = out[4] = 1;\n"
                               "#endif\n"
                               "    out[0] = 1;\n"
                               "}\n";
    const struct kernel_source source = {"variables.c", text};
    struct device *device = open_sim("mi210");
    struct argument arguments[] = {POINTER(allocate(device, 256))};
    double sectors[2];
    for (int more = 0; more < 2; more++) {
        const struct kernel_constant constant = {"MORE", more};
        const struct kernel_request request = {
            .source = &source, .entry = "every_second", .constants = &constant, .constant_count = 1, .from_file = true};
        struct error error = {0};
        struct kernel *kernel;
        must(device_build(device, &request, &kernel, &error), &error);
        must(try_launch(device, kernel, one_block(32), arguments, 1, &error), &error);
        sectors[more] = counts_of(device).global_load.sectors;
        device_discard(device, kernel);
    }
    assert_true(sectors[0] == sectors[1]);
    device_close(device);
}

static uint32_t line_with(const char *text, const char *comment) {
    uint32_t line = 1;
    const char *found = strstr(text, comment);
    for (const char *c = text; c < found; c++) {
        line += *c == '\n';
    }
    return line;
}

static void counts_by_line(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = open_sim("h200");
    struct kernel *kernel;
    struct sim_line *lines;
    size_t count, hits = 0;
    uint64_t from = allocate(device, 64 * 64 * 4), to = allocate(device, 64 * 64 * 4);
    struct argument arguments[] = {POINTER(from), POINTER(to), U32(64)};
    must(try_build(device, dialect, "transpose", (struct kernel_constant){"PAD", 0}, &kernel, &error), &error);
    must(try_launch(device, kernel, (struct shape){{2, 2, 1}, {32, 8, 1}, 0}, arguments, 3, &error), &error);
    must(sim_lines(device, &lines, &count, &error), &error);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(lines[i].file, dialect);
        if (lines[i].number == line_with(kernel_text(dialect), "// store: rows")) {
            assert_true(lines[i].counts.global_load.requests == 128 && lines[i].counts.shared_store.passes == 128);
            assert_true(lines[i].counts.shared_load.requests == 0);
            hits++;
        }
        if (lines[i].number == line_with(kernel_text(dialect), "// load: columns")) {
            assert_true(lines[i].counts.shared_load.conflicts == 128 * 31 &&
                        lines[i].counts.global_store.sectors == 512);
            const struct request *load = &lines[i].costliest[2], *store = &lines[i].costliest[1];
            assert_true(load->operation == OPERATION_LOAD && store->operation == OPERATION_STORE);
            assert_true(load->active == UINT32_MAX && load->address[31] - load->address[0] == 31 * 32 * 4);
            assert_true(store->address[0] == 0 && store->address[31] == 31 * 4 && !lines[i].costliest[0].active);
            hits++;
        }
    }
    assert_int_equal(hits, 2);
    free(lines);
    device_discard(device, kernel);
    device_close(device);
    device = open_sim("h200");
    assert_int_equal(sim_lines(device, &lines, &count, &error), STATUS_FAILED);
    device_close(device);
}

static void some_blocks_stand_for_all(void **state) {
    (void)state;
    struct launch_counts all, some;
    for (int part = 0; part < 2; part++) {
        struct device *device = open_sim("h200");
        device_simulate_blocks(device, part ? 1 : 0);
        uint64_t from = allocate(device, 64 * 64 * 4), to = allocate(device, 64 * 64 * 4);
        RUN(device, dialect, "transpose", ((struct shape){{2, 2, 1}, {32, 8, 1}, 0}), POINTER(from), POINTER(to),
            U32(64));
        *(part ? &some : &all) = counts_of(device);
        assert_int_equal(device->info.simulated_blocks, part);
        device_close(device);
    }
    assert_true(all.global_load.sectors == some.global_load.sectors && all.warps == some.warps);
    assert_true(all.device_read_bytes == some.device_read_bytes && all.predicted_ns == some.predicted_ns);
}

// A sector written in part is read first, unless the kernel reads it anyway.
static void partly_written_sectors(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint8_t found[96];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, dialect, "bytes", one_block(80), POINTER(out));
    struct launch_counts counts = counts_of(device);
    assert_true(counts.device_write_bytes == 96 && counts.device_read_bytes == 32);
}

// ---- Time ----

static void time_is_predicted(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = open_sim("h200");
    device_predict_begin(device);
    struct launch_counts counts = transpose(device, 0);
    const double ns = device_predict_end(device).ns;
    assert_true(ns > 0 && ns == counts.predicted_ns);
    // The launch itself, and 4 concurrent blocks, each with 1024 + 32 passes at one per clock; no access is volatile.
    const double passes_ns = (1024 + 32) * 1000 / device->info.clock_mhz;
    assert_true(ns > 1600 + passes_ns && ns < 3600 + passes_ns && counts.bound.ns < passes_ns);
    const uint64_t a = allocate(device, 4800), b = allocate(device, 4800);
    device_predict_begin(device);
    must(device_copy_on_device(device, b, a, 4800, &error), &error);
    const double copy_ns = device_predict_end(device).ns;
    assert_true(copy_ns > 0.999 * 9600 / device->info.peak_gb_s && copy_ns < 1.001 * 9600 / device->info.peak_gb_s);
    device_close(device);
}

// The clocks that each of a loop's rounds is predicted to take, in one warp.
static double round_clocks(const char *entry) {
    enum {
        FEW = 256,
        MANY = 1280
    };
    struct error error = {0};
    struct device *device = shared_sim("h200");
    struct kernel *kernel;
    double ns[2];
    must(try_build(device, "tests/data/kernels/sim_waits.cu", entry, (struct kernel_constant){"NONE", 0}, &kernel,
                   &error),
         &error);
    for (int i = 0; i < 2; i++) {
        struct argument arguments[] = {POINTER(allocate(device, 128)), U32(i == 0 ? FEW : MANY)};
        struct shape shape = {{1, 1, 1}, {32, 1, 1}, 0};
        must(try_launch(device, kernel, shape, arguments, LENGTH(arguments), &error), &error);
        ns[i] = counts_of(device).predicted_ns;
    }
    device_discard(device, kernel);
    return (ns[1] - ns[0]) / (MANY - FEW) * device->info.clock_mhz / 1000;
}

// As an H200 does (smem --variant load-latency; gmem --variant atomic-add,atomic-add-float).
static void a_chain_waits_for_each_load(void **state) {
    (void)state;
    const double chain = round_clocks("chain");
    assert_true(chain > 22 && chain < 26);
    assert_true(round_clocks("apart") < 4 * chain * 0.8);
    const double over_table = round_clocks("chain_over_table");
    assert_true(over_table > 1.8 * chain && over_table < 2.4 * chain);
}

// A load that hits L1 takes 33 clocks (docs/simulator.md).
static void a_loop_waits_unless_it_is_unrolled(void **state) {
    (void)state;
    const double counted = round_clocks("counted"), uncounted = round_clocks("uncounted");
    assert_true(uncounted > 33 && uncounted < 90);
    assert_true(counted < uncounted - 20);
}

enum {
    TILE_BYTES = 4096
};

// The counts of a launch of blocks that each rewrite a tile.
static struct launch_counts rewrite_tiles(struct device *device, uint64_t tiles, uint32_t blocks) {
    struct error error = {0};
    struct kernel *kernel;
    must(try_build(device, "tests/data/kernels/sim_waits.cu", "tile_in_place", (struct kernel_constant){"NONE", 0},
                   &kernel, &error),
         &error);
    struct argument arguments[] = {POINTER(tiles)};
    must(try_launch(device, kernel, (struct shape){{blocks, 1, 1}, {32, 1, 1}, 0}, arguments, 1, &error), &error);
    device_discard(device, kernel);
    return counts_of(device);
}

// A compiler moves loads before stores to shared memory, whether or not an earlier block has stored to the buffer.
static void blocks_of_a_launch_wait_alike(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    const uint64_t tiles = allocate(device, (size_t)2 * TILE_BYTES);
    const double one = rewrite_tiles(device, tiles, 1).part_ns[TIME_WAITING];
    const double two = rewrite_tiles(device, tiles, 2).part_ns[TIME_WAITING];
    assert_true(one > 0 && two > 0.99 * one && two < 1.01 * one);
}

static double passed_in_tiles(const struct launch_counts *counts) {
    return counts->memory.passed_bytes / cache_taken(gpu_find("h200"), 0, TILE_BYTES);
}

// As little passes through the cache as the launches since the data's last use have taken of it.
static void a_launch_finds_what_the_last_one_left(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    const uint64_t tiles = allocate(device, (size_t)4 * TILE_BYTES), others = allocate(device, TILE_BYTES);
    const struct launch_counts first = rewrite_tiles(device, tiles, 4), again = rewrite_tiles(device, tiles, 4);
    const struct launch_counts one = rewrite_tiles(device, tiles, 1), half = rewrite_tiles(device, tiles, 2);
    const struct launch_counts other = rewrite_tiles(device, others, 1), later = rewrite_tiles(device, tiles, 4);
    const double passed[] = {passed_in_tiles(&first), passed_in_tiles(&again), passed_in_tiles(&one),
                             passed_in_tiles(&half),  passed_in_tiles(&other), passed_in_tiles(&later)};
    // Half of the second launch's tiles were touched by one of a single tile: (1 + 2) / 2 for these, 2 for the rest.
    // Between the last launch of 2 tiles and that of 4, another took 1: 1 + (2 + 4) / 2 for half of them, 4 for the
    // rest.
    static const double expected[] = {4, 4, 1, 1.75, 1, 4};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_true(fabs(passed[i] - expected[i]) < 1e-9);
    }
}

static void atomics_take_turns(void **state) {
    (void)state;
    const double integers = round_clocks("add_integers"), floats = round_clocks("add_floats");
    assert_true(integers > 32 * 1.4 && integers < 32 * 1.6);
    assert_true(floats > 2.3 * integers && floats < 2.5 * integers);
}

static struct launch_counts scattered_atomics(void) {
    struct device *device = open_sim("h200");
    const uint64_t words = allocate(device, 64 * 64 * sizeof(uint32_t));
    RUN(device, dialect, "scattered_atomics", ((struct shape){{61, 1, 1}, {256, 1, 1}, 0}), POINTER(words));
    const struct launch_counts counts = counts_of(device);
    device_close(device);
    return counts;
}

// The slices of L2 follow from the addresses that the GPU has, which are the same in every run.
static void atomics_wherever_the_host_has_the_buffers(void **state) {
    (void)state;
    const struct launch_counts here = scattered_atomics();
    for (int i = 0; i < 8; i++) {
        struct device *other = open_sim("h200");
        allocate(other, 12345u << i);
        const struct launch_counts there = scattered_atomics();
        assert_memory_equal(&here, &there, sizeof here);
        device_close(other);
    }
}

static void shared_memory_is_no_file_scope(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    const uint64_t out = allocate(device, 32 * sizeof(int32_t));
    RUN(device, dialect, "file_scope_then_shared", one_block(32), POINTER(out));
    const struct launch_counts counts = counts_of(device);
    assert_true(counts.global_load.requests == 1 && counts.shared_load.requests == 1);
    assert_true(counts.shared_load.passes == 2 && counts.shared_store.requests == 2);
    device_release(device, out);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bank_conflicts_of_a_transpose),
        cmocka_unit_test(wide_accesses_are_one_request),
        cmocka_unit_test(words_are_one_request),
        cmocka_unit_test(functions_in_a_folder_of_the_dialects_name),
        cmocka_unit_test(variables_keep_their_place_in_a_line),
        cmocka_unit_test(counts_by_line),
        cmocka_unit_test(some_blocks_stand_for_all),
        cmocka_unit_test(partly_written_sectors),
        cmocka_unit_test(time_is_predicted),
        cmocka_unit_test(a_chain_waits_for_each_load),
        cmocka_unit_test(a_loop_waits_unless_it_is_unrolled),
        cmocka_unit_test(blocks_of_a_launch_wait_alike),
        cmocka_unit_test(a_launch_finds_what_the_last_one_left),
        cmocka_unit_test(atomics_take_turns),
        cmocka_unit_test(atomics_wherever_the_host_has_the_buffers),
        cmocka_unit_test(shared_memory_is_no_file_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return for_each_compiler(run_all);
}
