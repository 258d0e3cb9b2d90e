// PTX in the simulator: what runs, what it counts, and what is refused.
#include "sim/lines.h"
#include "sim/ptx/parse/entry_name.h"
#include "tests/unit/sim_fixture.h"

static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

// ---- What runs ----

enum {
    THREADS = 32
};

static void fill_rows(int32_t rows[THREADS][4]) {
    for (int32_t i = 0; i < THREADS; i++) {
        for (int32_t j = 0; j < 4; j++) {
            rows[i][j] = i * 37 % 11 + j * 100;
        }
    }
}

static int32_t expected_sum(int32_t rows[THREADS][4], int32_t thread) {
    static const int32_t factors[] = {1, 10, 100, 1000};
    const int32_t *row = rows[thread % 2 ? 0 : thread];
    return row[0] + row[1] + row[3] + 2 * factors[thread % 4] + (50 - 8) - 7 + THREADS / 2;
}

static void run_sums(struct device *device, struct kernel *kernel, int32_t rows[THREADS][4], int32_t sums[THREADS]) {
    struct error error = {0};
    const uint64_t in = upload(device, rows, THREADS * sizeof *rows), out = allocate(device, THREADS * sizeof *sums);
    const struct argument arguments[] = {POINTER(in), POINTER(out), U32(50), U32(8)};
    const struct shape shape = {{1, 1, 1}, {THREADS, 1, 1}, THREADS * sizeof *sums};
    must(try_launch(device, kernel, shape, arguments, 4, &error), &error);
    download(device, sums, out, THREADS * sizeof *sums);
}

static void loops_calls_and_vectors(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    int32_t rows[THREADS][4], sums[THREADS];
    char *text = read_text("tests/data/ptx/control.ptx");
    fill_rows(rows);
    must(build_ptx(device, "control.ptx", text, "sums", &kernel, &error), &error);
    run_sums(device, kernel, rows, sums);
    for (int32_t i = 0; i < THREADS; i++) {
        assert_int_equal(sums[i], expected_sum(rows, i ^ 1));
    }
    const struct launch_counts counts = counts_of(device);
    assert_int_equal(counts.global_load.requests, 3); // a vector of 16 bytes, the pointer, the table
    assert_int_equal(counts.global_load.sectors, 18); // 512 bytes, and two words
    assert_int_equal(counts.global_store.requests, 1);
    assert_int_equal(counts.shared_load.requests, 1);
    assert_int_equal(counts.shared_load.lane_bytes, 4 * THREADS / 2); // the odd lanes
    assert_int_equal(counts.shared_store.requests, 2);
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

static void lines_of_the_source_or_of_the_ptx(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    struct sim_line *lines;
    size_t count;
    int32_t rows[THREADS][4], sums[THREADS];
    char *text = read_text("tests/data/ptx/control.ptx");
    fill_rows(rows);
    must(build_ptx(device, "control.ptx", text, NULL, &kernel, &error), &error);
    run_sums(device, kernel, rows, sums);
    must(sim_lines(device, &lines, &count, &error), &error);
    assert_int_equal(count, 6);
    assert_string_equal(lines[0].file, "control.cu");
    assert_int_equal(lines[0].number, 3);
    assert_int_equal(lines[0].counts.global_load.requests, 1);
    free(lines);
    sim_prefer_own_lines(device);
    must(sim_lines(device, &lines, &count, &error), &error);
    assert_string_equal(lines[0].file, "control.ptx");
    assert_int_equal(lines[0].number, 42);
    free(lines);
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

// Bits of a half that is an integer below 16.
static uint16_t half_of(int32_t value) {
    int32_t exponent = 0;
    while (value >> (exponent + 1)) {
        exponent++;
    }
    return (uint16_t)(value ? (exponent + 15) << 10 | (value << (10 - exponent) & 1023) : 0);
}

static void copies_barriers_and_matrices(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    uint16_t a[16][16], b[16][8];
    float c[16][8];
    uint32_t counts[32];
    char *text = read_text("tests/data/ptx/matrix.ptx");
    for (int32_t i = 0; i < 256; i++) {
        a[i / 16][i % 16] = half_of(i * 7 % 16);
        b[i / 16][i / 2 % 8] = half_of(i * 5 % 13);
    }
    const uint64_t at_a = upload(device, a, sizeof a), at_b = upload(device, b, sizeof b);
    const uint64_t at_c = allocate(device, sizeof c), at_counts = allocate(device, sizeof counts);
    const struct argument arguments[] = {POINTER(at_a), POINTER(at_b), POINTER(at_c), POINTER(at_counts)};
    must(build_ptx(device, "matrix.ptx", text, NULL, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(64), arguments, 4, &error), &error);
    download(device, c, at_c, sizeof c);
    download(device, counts, at_counts, sizeof counts);
    for (int32_t row = 0; row < 16; row++) {
        for (int32_t column = 0; column < 8; column++) {
            int32_t sum = 1;
            for (int32_t k = 0; k < 16; k++) {
                const int32_t last = (k * 16 + column * 2 + 1) * 5 % 13; // the second of the two written there
                sum += (row * 16 + k) * 7 % 16 * last;
            }
            assert_true(c[row][column] == (float)sum);
        }
    }
    for (int32_t i = 0; i < 32; i++) {
        assert_int_equal(counts[i],
                         32); // half of the threads brought a true predicate, and stmatrix stored what was loaded
    }
    const struct launch_counts found = counts_of(device);
    assert_int_equal(found.global_load.requests, 1 + 16);      // cp.async, and 16 bytes at a time of the bulk copy
    assert_int_equal(found.shared_load.requests, 2 + 2);       // ldmatrix and ld
    assert_int_equal(found.shared_load.passes, 8 + 2 + 2 * 4); // rows of 32 bytes conflict in pairs
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

// Loads 64 words, each of which holds the address of the next.
#define WALK(load)                                                                                                     \
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n .reg .b64 %at, %next;\n"               \
    " .reg .pred %more; .reg .b32 %i; ld.param.u64 %at, [p]; mov.u32 %i, 64;\n"                                        \
    "Again: " load "\n sub.u32 %i, %i, 1; setp.ne.u32 %more, %i, 0; @%more bra Again;\n ret;\n}\n"

static double predicted_ns(struct device *device, const char *text) {
    uint64_t words[65];
    struct error error = {0};
    struct kernel *kernel;
    const uint64_t address = allocate(device, sizeof words);
    for (size_t i = 0; i < LENGTH(words); i++) {
        words[i] = address + 8 * (i + 1);
    }
    must(device_copy_to_device(device, address, words, sizeof words, &error), &error);
    const struct argument arguments[] = {POINTER(address)};
    must(build_ptx(device, "walk.ptx", text, NULL, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(1), arguments, 1, &error), &error);
    device_discard(device, kernel);
    return counts_of(device).predicted_ns;
}

static void loads_that_wait_for_each_other(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    const double apart = predicted_ns(device, WALK("ld.global.u64 %next, [%at]; add.u64 %at, %at, 8;"));
    const double in_turn = predicted_ns(device, WALK("ld.global.u64 %at, [%at];"));
    if (apart < 1000 || in_turn < apart + 200 || in_turn > 1e5) {
        fail_msg("%g ns apart, %g ns in turn", apart, in_turn);
    }
    device_close(device);
}

// Kernels make descriptors of a generic address's lowest bits, and of a struct's members.
static void generic_addresses_of_shared_memory(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".entry k(.param .align 8 .b8 packed[24]) {\n"
        " .shared .align 1024 .b8 tile[1024];\n"
        " .reg .b64 %s, %out; .reg .b32 %r, %t; mov.u64 %s, tile; mov.u32 %t, tile; cvta.shared.u64 %s, %s;\n"
        " cvt.u32.u64 %r, %s; and.b32 %r, %r, 0x3ffff; sub.u32 %r, %r, %t;\n"
        " ld.param.u64 %out, [packed+16]; st.global.u32 [%out], %r;\n ret;\n}\n";
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    uint32_t difference;
    const uint64_t out = allocate(device, sizeof difference);
    const struct argument arguments[] = {U32(1), U32(2), POINTER(0), POINTER(out)};
    must(build_ptx(device, "generic.ptx", text, NULL, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(1), arguments, 4, &error), &error);
    download(device, &difference, out, sizeof difference);
    assert_int_equal(difference, 0);
    device_discard(device, kernel);
    device_close(device);
}

static void names_of_entries(void **state) {
    (void)state;
    static const struct {
        const char *entry, *name;
        bool called;
    } names[] = {
        {"plain", "plain", true},
        {"plain", "pla", false},
        {"_Z6matmulPKfS0_Pfi", "matmul", true},
        {"_Z6matmulPKfS0_Pfi", "_Z6matmulPKfS0_Pfi", true},
        {"_Z6matmulPKfS0_Pfi", "matmu", false},
        {"_Z6matmulPKfS0_Pfi", "matmul<float>", false},
        {"_ZL4copyPf", "copy", true},
        {"_ZN5space4copyEPf", "space::copy", true},
        {"_ZN5space4copyEPf", "space", false},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm", true},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<float, 64>", true},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<float,64,-1,true>", true},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<float, 64, 1>", false},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<float, 6>", false},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<double, 64>", false},
        {"_Z4gemmIfLi64ELin1ELb1EEvPKT_", "gemm<float, 64, -1, false>", false},
        {"_ZN5space3sumI6__halfS1_jEEvPT_", "space::sum<half, half, unsigned>", true},
        {"_ZN5space3sumI6__halfS1_jEEvPT_", "sum<Other>", false},
        {"_Z", "a<1>", false},
        {"_Z99short", "short", false},
        {"_Z1aI", "a<", false},
    };
    for (size_t i = 0; i < LENGTH(names); i++) {
        const struct ptx_text entry = {names[i].entry, strlen(names[i].entry)};
        if (ptx_entry_is_called(entry, names[i].name) != names[i].called) {
            fail_msg("%s as %s", names[i].entry, names[i].name);
        }
    }
}

static void names_variables_as_the_source_does(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"_ZZ9transposeE4tile", "tile"},
        {"_ZZ4EdgePKfPfE4part", "part"},
        {"_ZZ9transposeE4tile_0", "tile"},
        {"_ZZ9transposeE4tile__12_", "tile"},
        {"_ZZ12copyE4word_xvE4tile", "tile"},
        {"_ZZ9transposeE5tile", "_ZZ9transposeE5tile"},
        {"tile", "tile"},
        {"_ZZ", "_ZZ"},
        {"_ZZ1aE", "_ZZ1aE"},
    };
    for (size_t i = 0; i < LENGTH(names); i++) {
        const struct ptx_text found = ptx_variable_name((struct ptx_text){names[i][0], strlen(names[i][0])});
        assert_int_equal(found.length, strlen(names[i][1]));
        assert_memory_equal(found.at, names[i][1], found.length);
    }
}

// ---- What is refused ----

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define BODY(statements)                                                                                               \
    HEAD ".entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %q;\n" statements "\n}\n"

static const struct {
    const char *text, *entry;
    enum status status;
    const char *message; // its beginning
} refused[] = {
    {"", NULL, STATUS_USAGE, "k.ptx:1: the file ends where .version, with which PTX begins, is expected: "},
    {"int main(void) {}", NULL, STATUS_USAGE, "k.ptx:1: 'int' where .version, with which PTX begins, is expected: "},
    {"\177ELF", NULL, STATUS_USAGE, "k.ptx:1: the byte 0x7f where a word of PTX is expected: "},
    {".version 8.0\n.target sm_90\n.address_size 32\n", NULL, STATUS_FAILED,
     "k.ptx:4: addresses of other than 64 bits"},
    {HEAD ".entry k(.param .u64 p) {\n", NULL, STATUS_USAGE, "k.ptx:5: the file ends where '}' is expected: "},
    {HEAD ".visible k", NULL, STATUS_USAGE, "k.ptx:4: 'k' where .entry, .func or the declaration of a variable"},
    {HEAD ".global .b8 a[99999999999];", NULL, STATUS_USAGE, "k.ptx:4: an array of more than "},
    {HEAD ".global .align 3 .b8 a[9];", NULL, STATUS_USAGE, "k.ptx:4: an alignment of 3: "},
    {HEAD ".global .b32 a; .global .b32 a;", NULL, STATUS_USAGE, "k.ptx:4: a is declared in line 4 already: "},
    {HEAD, NULL, STATUS_USAGE, "k.ptx: no .entry in the file: "},
    {HEAD ".entry k();", NULL, STATUS_USAGE, "k.ptx: no .entry in the file: "},
    {BODY("ret;"), "other", STATUS_USAGE, "k.ptx: no kernel is called other: the file has k"},
    {BODY("ret;") ".entry l() { ret; }", NULL, STATUS_USAGE, "k.ptx: several kernels fit: name one of k, l"},
    {BODY("add.s32 %r1, %r2;"), NULL, STATUS_FAILED, "k.ptx:6: add.s32: 2 operands, 3 are expected: "},
    {BODY("add.f16x2 ;"), NULL, STATUS_FAILED, "k.ptx:6: add.f16x2: 0 operands, 3 are expected: "},
    {BODY("add.f32.f16 %r1, %r2, %r3;"), NULL, STATUS_FAILED, "k.ptx:6: add.f32.f16: .f32 is not supported here: "},
    {BODY("cp.async.ca.shared.global [%r1], [%rd1], 3;"), NULL, STATUS_FAILED,
     "k.ptx:6: cp.async.ca.shared.global: its operands are not supported: copy 4, 8 or 16 bytes"},
    {BODY("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2;"), NULL, STATUS_FAILED,
     "k.ptx:6: st.async.shared::cluster.mbarrier::complete_tx::bytes.u32: operand 3 is missing: "},
    {BODY("wmma.load.a.sync.aligned.row.m65536n65536k16.shared.f16 {%r1}, [%r2];"), NULL, STATUS_FAILED,
     "k.ptx:6: wmma.load.a.sync.aligned.row.m65536n65536k16.shared.f16: this matrix is not supported: "},
    {BODY("barrier.arrive 1, 64;"), NULL, STATUS_FAILED, "k.ptx:6: barrier.arrive: it is not supported: use bar.sync"},
    {HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
          ".entry k() {\n.reg .b32 %r1; .reg .b64 %rd1;\ncall (%r1), vprintf, (%rd1, %rd1);\nret; }",
     NULL, STATUS_FAILED, "k.ptx:7: call: an argument in a register is not supported: "},
    {BODY("add.s32 %r1, %r2, %r9;"), NULL, STATUS_FAILED, "k.ptx:6: add.s32: %r9 is not declared: "},
    {BODY("add.u64 %rd1, %rd1, %r1;"), NULL, STATUS_FAILED, "k.ptx:6: add.u64: %r1 is too narrow"},
    {BODY("add.wide.s32 %r1, %r2, %r3;"), NULL, STATUS_FAILED, "k.ptx:6: add.wide.s32: .wide is not supported here: "},
    {BODY("tex.2d.v4.f32.f32 %r1, %r2;"), NULL, STATUS_FAILED, "k.ptx:6: tex.2d.v4.f32.f32: textures are not "},
    {BODY("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.im2col_no_offs.bulk_group [%rd1, {%r1}], [%r2];"),
     NULL, STATUS_FAILED,
     "k.ptx:6: cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.im2col_no_offs.bulk_group: this mode is "},
    {BODY("cp.reduce.async.bulk.tensor.1d [%rd1, {%r1}], [%r2];"), NULL, STATUS_FAILED,
     "k.ptx:6: cp.reduce.async.bulk.tensor.1d: it is not "},
    {BODY("wgmma.mma_async.sync.aligned.m64n300k16.f32.f16.f16 {%r1}, %rd1, %rd2, %q, 1, 1, 0, 0;"), NULL,
     STATUS_FAILED,
     "k.ptx:6: wgmma.mma_async.sync.aligned.m64n300k16.f32.f16.f16: a product of .m64n8 to .m64n256 is expected: "},
    {BODY("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r2];"), NULL,
     STATUS_FAILED,
     "k.ptx:6: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes: a tensor map "},
    {BODY("fence.sc.gpu;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;"), NULL, STATUS_FAILED,
     "k.ptx:7: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32: the tensor cores of sm_100 "},
    {BODY("\n@%q bra nowhere;"), NULL, STATUS_FAILED, "k.ptx:7: bra: nowhere is not declared: "},
    {BODY("ld.global.v4.u32 {%r1, %r2}, [%rd1];"), NULL, STATUS_FAILED, "k.ptx:6: ld.global.v4.u32: a vector of 4 "},
    {BODY("mov.u32 %r1, 0f12;"), NULL, STATUS_USAGE, "k.ptx:6: "},
    {BODY("mov.u32 %r1, {{{{{{{{{{{{%r2}}}}}}}}}}}};"), NULL, STATUS_USAGE, "k.ptx:6: lists of operands are nested"},
    {BODY("mov.u32 %r1, \"text;"), NULL, STATUS_USAGE, "k.ptx:6: "},
};

static void bad_files(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(refused); i++) {
        struct error error = {0};
        struct kernel *kernel;
        const enum status status = build_ptx(device, "k.ptx", refused[i].text, refused[i].entry, &kernel, &error);
        if (status != refused[i].status || strncmp(error.text, refused[i].message, strlen(refused[i].message)) != 0 ||
            !strchr(error.text + strlen("k.ptx:"), ':') || strchr(error.text, '\n')) {
            fail_msg("%s: status %d, \"%s\"", refused[i].text, (int)status, error.text);
        }
        error_clear(&error);
    }
    device_close(device);
}

static void a_part_that_knows_no_ptx(void **state) {
    (void)state;
    struct device *device = open_sim("mi210");
    struct error error = {0};
    struct kernel *kernel;
    assert_int_equal(build_ptx(device, "k.ptx", BODY("ret;"), NULL, &kernel, &error), STATUS_USAGE);
    assert_string_equal(error.text, "k.ptx: PTX is NVIDIA's: choose one of its GPUs, not mi210");
    device_close(device);
}

// ---- What fails while it runs ----

static void faults(void **state) {
    static const struct {
        const char *text, *message;
    } faulty[] = {
        {BODY("ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1+400], %r1; ret;"),
         "k.ptx:7: kernel k, block (0,0,0), thread"},
        {BODY("ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1+2], %r1; ret;"), "k.ptx:7: "},
        {BODY("ld.shared.u32 %r1, [%rd1+64]; ret;"), "k.ptx:6: "},
        {BODY("mov.u32 %r1, %tid.x; setp.eq.u32 %q, %r1, 3;\n@%q trap; ret;"), "k.ptx:7: "},
        {BODY("mov.u32 %r1, %tid.x; setp.eq.u32 %q, %r1, 3;\n@%q exit;\nbar.sync 0; ret;"), "k.ptx:8: "},
        {BODY(".shared .b32 s;\nst.shared.u32 [s], %r1;\nld.shared.u32 %r2, [s]; ret;"), "k.ptx:7: "},
        {BODY("loop: bra loop;"), "k.ptx:6: kernel k, block (0,0,0), thread ("},
    };
    (void)state;
    struct device *device = open_sim("h200");
    const uint64_t buffer = allocate(device, 256);
    const struct argument arguments[] = {POINTER(buffer)};
    sim_set_options(device, &(struct sim_options){.time_limit_s = 0.2});
    for (size_t i = 0; i < LENGTH(faulty); i++) {
        struct error error = {0};
        struct kernel *kernel;
        must(build_ptx(device, "k.ptx", faulty[i].text, NULL, &kernel, &error), &error);
        const enum status status = try_launch(device, kernel, one_block(64), arguments, 1, &error);
        if (status != STATUS_FAILED || strncmp(error.text, faulty[i].message, strlen(faulty[i].message)) != 0) {
            fail_msg("%s: status %d, \"%s\"", faulty[i].text, (int)status, error.text);
        }
        device_discard(device, kernel);
        error_clear(&error);
    }
    device_close(device);
}

static void bad_arguments(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    const struct argument arguments[] = {U32(1), U32(2)};
    must(build_ptx(device, "k.ptx", BODY("ret;"), NULL, &kernel, &error), &error);
    assert_int_equal(try_launch(device, kernel, one_block(1), arguments, 0, &error), STATUS_USAGE);
    assert_string_equal(error.text,
                        "kernel k: the launch gives 0 arguments, none of which is for parameter 'p': give all of "
                        "them");
    assert_int_equal(try_launch(device, kernel, one_block(1), arguments, 1, &error), STATUS_USAGE);
    assert_string_equal(error.text, "kernel k: argument 1 does not fit parameter 'p' of 8 bytes: pass what it takes");
    device_discard(device, kernel);
    must(build_ptx(device, "k.ptx",
                   ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .align 8 .b8 s[24], .param "
                   ".u64 p) "
                   "{ ret; }",
                   NULL, &kernel, &error),
         &error);
    assert_int_equal(try_launch(device, kernel, one_block(1), arguments, 2, &error), STATUS_USAGE);
    assert_string_equal(error.text,
                        "kernel k: the launch gives 2 arguments, too few for the members of parameter 's' of 24 "
                        "bytes: give one for each");
    device_discard(device, kernel);
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_variables_as_the_source_does),
        cmocka_unit_test(loops_calls_and_vectors),
        cmocka_unit_test(lines_of_the_source_or_of_the_ptx),
        cmocka_unit_test(copies_barriers_and_matrices),
        cmocka_unit_test(loads_that_wait_for_each_other),
        cmocka_unit_test(generic_addresses_of_shared_memory),
        cmocka_unit_test(names_of_entries),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(a_part_that_knows_no_ptx),
        cmocka_unit_test(faults),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
