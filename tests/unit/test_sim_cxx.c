// CUDA C++ on the simulator: the parts that are kept of a file, and the results of its kernels.
#include "tests/unit/sim_fixture.h"

#include "device/sim/compile/cxx/select.h"
#include "util/random.h"

// ---- Parts that are kept of a file ----

static void expect_text(const char *text, const char *entry, enum cxx_target target, const char *expected,
                        const char *expected_entry) {
    struct cxx_selection selection;
    struct error error = {0};
    must(cxx_select("folder/a.cu", text, entry, target, &selection, &error), &error);
    assert_string_equal(selection.text, expected);
    assert_string_equal(selection.entry, expected_entry);
    free(selection.text);
    free(selection.entry);
}

static void expect_selection(const char *text, const char *entry, const char *expected, const char *expected_entry) {
    expect_text(text, entry, CXX_FOR_HOST, expected, expected_entry);
}

static void selects_what_a_kernel_needs(void **state) {
    (void)state;
    expect_selection("#include <vector>\nstd::vector<int> v;\nint n;\n__global__ void f() { n; }\nint main() {}", NULL,
                     "                 \n                   \nint n;\n__global__ void f() { n; }\n             ", "f");
    expect_selection("struct A { int b; };\ntypedef A B;\nstruct C {};\n__global__ void f(B b) {}", NULL,
                     "struct A { int b; };\ntypedef A B;\n            \n__global__ void f(B b) {}", "f");
    expect_selection("#define D __device__\nD int g() { return 1; }\n__global__ void f() { g(); }", NULL,
                     "#define D __device__\nD int g() { return 1; }\n__global__ void f() { g(); }", "f");
    expect_selection("#define L(x) g<<<1, x>>>()\nvoid h() { L(1); }\n__global__ void g() {}", "g",
                     "#define L(x) g<<<1, x>>>()\n                  \n__global__ void g() {}", "g");
    expect_selection("namespace a { template <int N> __global__ void f() {} }", "f<2>",
                     "namespace a { template <int N> __global__ void f() {} }", "a::f<2>");
    expect_selection("__device__ int g() {}\ntemplate <int h()> __global__ void f() {}", "f<g>",
                     "__device__ int g() {}\ntemplate <int h()> __global__ void f() {}", "f<g>");
    expect_selection("__global__ void f() {}\n__global__ void g() {}", "g",
                     "                      \n__global__ void g() {}", "g");
    expect_selection("void h() { R\"x(}\" )x\"; '}'; \"}\"; } // }\n__global__ void f() {}", NULL,
                     "                                   // }\n__global__ void f() {}", "f");
    expect_selection("__global__ void f() { extern __shared__ int s[]; }", NULL,
                     "__global__ void f() {                   int (&s)[] = sim_dynamic_memory{}; }", "f");
}

// NVIDIA's compiler knows inline PTX and shared memory, but not C++'s headers.
static void selects_what_nvrtc_needs(void **state) {
    (void)state;
    expect_text("#include <cstdint>\n#include <cuda_fp16.h>\n__constant__ int c;\n"
                "__global__ void f() { extern __shared__ int s[]; asm(\"\" : \"+r\"(s[c])); }\nint main() {}",
                NULL, CXX_FOR_NVRTC,
                "                  \n#include <cuda_fp16.h>\n__constant__ int c;\n"
                "__global__ void f() { extern __shared__ int s[]; asm(\"\" : \"+r\"(s[c])); }\n             ",
                "f");
}

static void expect_refusal_with(enum status status, const char *text, const char *entry, const char *message) {
    struct cxx_selection selection;
    struct error error = {0};
    assert_int_equal(cxx_select("a.cu", text, entry, CXX_FOR_HOST, &selection, &error), status);
    if (!strstr(error.text, message)) {
        fail_msg("found: %s", error.text);
    }
}

static void expect_refusal(const char *text, const char *entry, const char *message) {
    expect_refusal_with(STATUS_FAILED, text, entry, message);
}

static void names_the_kernels_of_the_file(void **state) {
    (void)state;
    expect_refusal_with(STATUS_USAGE, "int a;", NULL, "no kernel in the file");
    expect_refusal_with(STATUS_USAGE, "<(", NULL, "no kernel in the file");
    expect_refusal_with(STATUS_USAGE, "<a::b(", NULL, "no kernel in the file");
    expect_refusal_with(STATUS_USAGE, "__global__ void f() {}\n__global__ void g() {}", NULL, "name one of f, g");
    expect_refusal_with(STATUS_USAGE, "__global__ void f() {}", "h", "no kernel is called h: the file has f");
    expect_refusal_with(STATUS_USAGE, "template <int N> __global__ void f() {}", "f", "template <int N> __global__");
}

static void names_what_is_not_supported(void **state) {
    (void)state;
    expect_refusal("__global__ void f() {\n    asm(\"nop\");\n}", NULL, "a.cu:2: inline PTX");
    expect_refusal("#define NOP asm(\"nop\")\n__device__ void g() { NOP; }\n__global__ void f() { g(); }", NULL,
                   "a.cu:1: inline PTX");
    expect_refusal("__global__ void g() {}\n__global__ void f() { g<<<1, 1>>>(); }", "f", "a.cu:2: a launch");
    expect_refusal("__global__ void f(cudaTextureObject_t t) {\n}", NULL, "a.cu:1: textures");
    // A file may contain anything that the kernel does not use.
    expect_selection("__device__ void g() { asm(\"nop\"); }\n__global__ void f() {}", NULL,
                     "                                   \n__global__ void f() {}", "f");
}

// ---- Results of kernels ----

static const char file[] = "tests/kernels/sim_cxx.cu";

static void run(struct device *device, const char *entry, const struct launch *launch) {
    struct kernel_source source = {file, kernel_text(file)};
    struct kernel_request request = {.source = &source, .entry = entry, .language = KERNEL_CXX};
    struct error error = {0};
    struct kernel *kernel;
    must(device_build(device, &request, &kernel, &error), &error);
    must(device_launch(device, kernel, launch, &error), &error);
    device_discard(device, kernel);
}

enum {
    NUMBERS = 64 * 64
};
static float in[NUMBERS], out[NUMBERS];

static void fill(void) {
    for (size_t i = 0; i < NUMBERS; i++) {
        in[i] = (float)(mix64(i) % 1000);
    }
}

static void transposes(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    struct launch_counts counts;
    fill();
    const uint64_t from = upload(device, in, sizeof in), to = allocate(device, sizeof out);
    run(device, "transpose",
        &(struct launch){.grid = {2, 2, 1},
                         .block = {32, 8, 1},
                         .arguments = (struct argument[]){argument_pointer(to), argument_pointer(from)},
                         .argument_count = 2});
    download(device, out, to, sizeof out);
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_true(out[i] == in[i % 64 * 64 + i / 64]);
    }
    must(device_counts(device, &counts, &(struct error){0}), &(struct error){0});
    assert_true(counts.shared_load.requests == 128 && counts.shared_load.conflicts == 0);
}

static void copies_four_at_once(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    struct launch_counts counts;
    fill();
    const uint64_t from = upload(device, in, sizeof in), to = allocate(device, sizeof out);
    const struct argument arguments[] = {argument_pointer(to), argument_pointer(from), argument_u32(NUMBERS)};
    run(device, "scale",
        &(struct launch){.grid = {4, 1, 1}, .block = {256, 1, 1}, .arguments = arguments, .argument_count = 3});
    download(device, out, to, sizeof out);
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_true(out[i] == in[i] * (float)(2 + i % 4));
    }
    must(device_counts(device, &counts, &(struct error){0}), &(struct error){0});
    assert_true(counts.global_load.requests == 32 && counts.global_load.sectors == 512);
    assert_true(counts.global_store.requests == 32);
}

// Constant memory has its own cache, so that its loads are no requests.
static void loads_constants(void **state) {
    (void)state;
    static const float weights[] = {1, 10, 100, 1000};
    struct device *device = shared_sim("h200");
    struct launch_counts counts;
    fill();
    const uint64_t from = upload(device, in, sizeof in), to = allocate(device, sizeof out);
    const struct argument arguments[] = {argument_pointer(to), argument_pointer(from)};
    run(device, "weigh",
        &(struct launch){.grid = {1, 1, 1}, .block = {64, 1, 1}, .arguments = arguments, .argument_count = 2});
    download(device, out, to, sizeof out);
    for (size_t i = 0; i < 64; i++) {
        assert_true(out[i] == in[i] * weights[i % 4] + 3);
    }
    must(device_counts(device, &counts, &(struct error){0}), &(struct error){0});
    assert_true(counts.global_load.requests == 2);
}

static void instantiates_templates(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    double a[64], b[64], c[64];
    for (size_t i = 0; i < 64; i++) {
        a[i] = (double)(mix64(i) % 100);
        b[i] = (double)(mix64(i + 64) % 100);
    }
    const struct argument arguments[] = {argument_pointer(allocate(device, sizeof c)),
                                         argument_pointer(upload(device, a, sizeof a)),
                                         argument_pointer(upload(device, b, sizeof b))};
    run(device, "product<double, 8>",
        &(struct launch){.grid = {1, 1, 1},
                         .block = {8, 8, 1},
                         .dynamic_shared_bytes = sizeof b,
                         .arguments = arguments,
                         .argument_count = 3});
    download(device, c, arguments[0].value.pointer, sizeof c);
    for (size_t i = 0; i < 64; i++) {
        double sum = 0;
        for (size_t k = 0; k < 8; k++) {
            sum += a[i / 8 * 8 + k] * b[k * 8 + i % 8];
        }
        assert_true(c[i] == sum);
    }
}

static void shares_memory_by_classes(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint16_t given[32], turned[32];
    for (uint16_t i = 0; i < 32; i++) {
        given[i] = (uint16_t)(0x3c00 + i);
    }
    const struct argument arguments[] = {POINTER(allocate(device, sizeof turned)),
                                         POINTER(upload(device, given, sizeof given))};
    run(device, "turn",
        &(struct launch){.grid = {1, 1, 1},
                         .block = {32, 1, 1},
                         .dynamic_shared_bytes = sizeof given,
                         .arguments = arguments,
                         .argument_count = 2});
    download(device, turned, arguments[0].value.pointer, sizeof turned);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(turned[i], given[31 - i]);
    }
}

static void folds_warps_and_blocks(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint32_t values[128], results[8] = {0}, most = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < 128; i++) {
        values[i] = (uint32_t)(mix64(i) >> 32);
        most = values[i] > most ? values[i] : most;
        least = i < 32 && values[i] < least ? values[i] : least;
    }
    const struct argument arguments[] = {argument_pointer(upload(device, results, sizeof results)),
                                         argument_pointer(upload(device, values, sizeof values))};
    run(device, "fold",
        &(struct launch){.grid = {1, 1, 1}, .block = {128, 1, 1}, .arguments = arguments, .argument_count = 2});
    download(device, results, arguments[0].value.pointer, sizeof results);
    // The last lane's match is the final one. atomicInc counts from 0 to 9, 128 times.
    const uint32_t expected[] = {most, 0xaaaaaaaa, 0xf0000000, least, 64, 8, 256, most};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(results[i], expected[i]);
    }
}

static void rounds_small_numbers(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    static const struct {
        double value;
        uint16_t half, brain, square; // square: half * half + 1
    } cases[] = {
        {0, 0, 0, 0x3c00},
        {-0.0, 0x8000, 0x8000, 0x3c00},
        {1.0 / 3, 0x3555, 0x3eab, 0x3c72},
        {1 + 0x1p-11, 0x3c00, 0x3f80, 0x4000},     // a tie goes to the even number
        {1 + 3 * 0x1p-11, 0x3c02, 0x3f80, 0x4002}, // the same upwards
        {65519.99, 0x7bff, 0x4780, 0x7c00},
        {65520, 0x7c00, 0x4780, 0x7c00}, // a tie between the greatest number and infinity
        {0x1p-24, 0x0001, 0x3380, 0x3c00},
        {0x1p-25, 0x0000, 0x3300, 0x3c00}, // a tie between the least number and 0
        {0x1.8p-25, 0x0001, 0x3340, 0x3c00},
        {3.4e38, 0x7c00, 0x7f80, 0x7c00},
        {-3.39e38, 0xfc00, 0xff7f, 0x7c00},
    };
    double in_values[LENGTH(cases)];
    uint16_t found[3][LENGTH(cases)];
    struct argument arguments[4];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        in_values[i] = cases[i].value;
    }
    for (size_t i = 0; i < 3; i++) {
        arguments[i] = argument_pointer(allocate(device, sizeof found[i]));
    }
    arguments[3] = argument_pointer(upload(device, in_values, sizeof in_values));
    run(device, "small",
        &(struct launch){
            .grid = {1, 1, 1}, .block = {LENGTH(cases), 1, 1}, .arguments = arguments, .argument_count = 4});
    for (size_t i = 0; i < 3; i++) {
        download(device, found[i], arguments[i].value.pointer, sizeof found[i]);
    }
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(found[0][i], cases[i].half);
        assert_int_equal(found[1][i], cases[i].brain);
        assert_int_equal(found[2][i], cases[i].square);
    }
}

static void folds_tiles(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    float sum = 0, found;
    fill();
    for (size_t tile = 0; tile < 16; tile++) {
        float most = 0;
        for (size_t i = 0; i < 8; i++) {
            most = in[tile * 8 + i] > most ? in[tile * 8 + i] : most;
        }
        sum += most;
    }
    const struct argument arguments[] = {argument_pointer(allocate(device, sizeof found)),
                                         argument_pointer(upload(device, in, sizeof in))};
    run(device, "tiles",
        &(struct launch){.grid = {1, 1, 1}, .block = {128, 1, 1}, .arguments = arguments, .argument_count = 2});
    download(device, &found, arguments[0].value.pointer, sizeof found);
    assert_true(found == sum);
}

int main(void) {
    const struct CMUnitTest selection[] = {
        cmocka_unit_test(selects_what_a_kernel_needs),
        cmocka_unit_test(selects_what_nvrtc_needs),
        cmocka_unit_test(names_the_kernels_of_the_file),
        cmocka_unit_test(names_what_is_not_supported),
    };
    const struct CMUnitTest kernels[] = {
        cmocka_unit_test(transposes),
        cmocka_unit_test(copies_four_at_once),
        cmocka_unit_test(loads_constants),
        cmocka_unit_test(instantiates_templates),
        cmocka_unit_test(shares_memory_by_classes),
        cmocka_unit_test(folds_warps_and_blocks),
        cmocka_unit_test(rounds_small_numbers),
        cmocka_unit_test(folds_tiles),
    };
    int failures = cmocka_run_group_tests_name("selection", selection, NULL, NULL);
    const char *const compilers[] = {"gcc", "clang"};
    for (size_t i = 0; i < LENGTH(compilers); i++) {
        setenv("CC", compilers[i], 1);
        failures += cmocka_run_group_tests_name(compilers[i], kernels, NULL, NULL);
        close_shared_sims();
    }
    return failures;
}
