// CUDA C++ on the simulator: the text that compilers get, and the results of its kernels.
#include "tests/unit/sim_fixture.h"

#include "sim/compile/user/source.h"
#include "util/random.h"

// ---- The text for compilers, and its declarations ----

static const struct user_headers few = {.all = false};

static void expect_text(const char *text, const char *expected) {
    char *made = user_splice("folder/a.cu", text, &few);
    assert_string_equal(made, expected);
    free(made);
}

static void passes_over_headers_that_kernels_do_not_need(void **state) {
    (void)state;
    expect_text("int a;\n", "\n#line 1 \"folder/a.cu\"\nint a;\n");
    expect_text("#include <vector>\nint a;", "\n#line 1 \"folder/a.cu\"\n\n#line 1 \"folder/a.cu\"\n\nint a;");
    expect_text("# include <cuda_fp16.h>",
                "\n#line 1 \"folder/a.cu\"\n\n#if __has_include(<cuda_fp16.h>)\n#include <cuda_fp16.h>\n#endif"
                "\n#line 1 \"folder/a.cu\"\n");
    expect_text("// #include <cmath>\n\"#include <cmath>\"",
                "\n#line 1 \"folder/a.cu\"\n// #include <cmath>\n\"#include <cmath>\"");
}

static void finds_lines_of_files(void **state) {
    (void)state;
    static const char text[] = "\n#line 1 \"a.cu\"\none\n#line 7 \"b.h\"\nseven\neight\n#line 2 \"a.cu\"\ntwo"
                               "\n#line 4 \"a \\\"b\\\".cu\"\nfour";
    static const struct {
        const char *file;
        unsigned line;
        const char *begins; // NULL: the line is not there
    } cases[] = {{"a.cu", 1, "one"}, {"b.h", 8, "eight"},       {"a.cu", 2, "two"}, {"b.h", 1, NULL},
                 {"c.h", 1, NULL},   {"a \"b\".cu", 4, "four"}, {"a \"b", 4, NULL}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *found = user_place_find(text, cases[i].file, strlen(cases[i].file), cases[i].line);
        assert_true(cases[i].begins ? found && !strncmp(found, cases[i].begins, strlen(cases[i].begins)) : !found);
    }
}

// The declarations' texts, with bars between; K marks kernels, D what else is for the device.
static void expect_declarations(const char *text, const char *expected) {
    struct user_declarations all;
    char found[1024] = "";
    user_declarations_find(text, &all);
    for (size_t i = 0; i < all.count; i++) {
        const struct user_declaration *own = &all.list[i];
        const char *begin = all.tokens.list[own->first].begin, *end = all.tokens.list[own->end - 1].end;
        const size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%s%.*s", length ? "|" : "",
                 own->is_kernel   ? "K "
                 : own->is_device ? "D "
                                  : "",
                 (int)(end - begin), begin);
    }
    user_declarations_clear(&all);
    assert_string_equal(found, expected);
}

static void finds_declarations(void **state) {
    (void)state;
    expect_declarations("int a, b = 3; int f() { if (a) { b; } }", "int a, b = 3;|int f() { if (a) { b; } }");
    expect_declarations("struct S { int a; } s;", "struct S { int a; }|s;");
    expect_declarations("namespace a { namespace { __device__ int b; } } extern \"C\" { __global__ void f(); }",
                        "D __device__ int b;|K __global__ void f();");
    expect_declarations("#define F {\n#include <a>\nauto g = [](int x) { return x; };",
                        "auto g = [](int x) { return x; }|;");
    expect_declarations("void h() { R\"x(}\" )x\"; '}'; \"}\"; } // }\n__global__ void f() {}",
                        "void h() { R\"x(}\" )x\"; '}'; \"}\"; }|K __global__ void f() {}");
    expect_declarations("namespace a = b; int c(", "namespace a = b;|int c(");
    expect_declarations("}}} int a;", "int a;");
}

static void names_kernels_and_their_parameters(void **state) {
    (void)state;
    static const char text[] =
        "template <int N> __global__ void __launch_bounds__(128, (2)) f(const float *__restrict__ in, "
        "pair<int, long> two, int (&list)[N], float) {}\n__global__ void g() {}";
    struct user_declarations all;
    user_declarations_find(text, &all);
    const struct user_declaration *kernel = user_kernel_named(&all, "space::f<3, a::b>");
    assert_true(kernel && kernel->is_template && kernel == user_kernel_named(&all, NULL));
    assert_true(user_kernel_named(&all, "g") == kernel + 1 && !user_kernel_named(&all, "h"));
    char *names = user_parameter_names(&all, kernel);
    assert_string_equal(names, "in,two,int,float");
    free(names);
    user_declarations_clear(&all);
}

// ---- Results of kernels ----

#define KERNELS "tests/data/kernels/sim_cxx.cu"
#define KERNELS_WITH_HEADERS "tests/data/kernels/sim_cxx_headers.cu"

static void run(struct device *device, const char *file, const char *entry, const struct launch *launch) {
    struct kernel_source source = {file, kernel_text(file)};
    struct kernel_request request = {.source = &source, .entry = entry, .language = KERNEL_CXX};
    struct error error = {0};
    struct kernel *kernel;
    const enum status status = device_build(device, &request, &kernel, &error);
    if (status == STATUS_NO_DEVICE) { // no compiler is here
        skip();
    }
    must(status, &error);
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
    run(device, KERNELS, "transpose",
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
    run(device, KERNELS, "scale",
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
    run(device, KERNELS, "weigh",
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
    run(device, KERNELS, "product<double, 8>",
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
    run(device, KERNELS_WITH_HEADERS, "turn",
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
    run(device, KERNELS, "fold",
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
    run(device, KERNELS_WITH_HEADERS, "small",
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
    run(device, KERNELS_WITH_HEADERS, "tiles",
        &(struct launch){.grid = {1, 1, 1}, .block = {128, 1, 1}, .arguments = arguments, .argument_count = 2});
    download(device, &found, arguments[0].value.pointer, sizeof found);
    assert_true(found == sum);
}

int main(void) {
    const struct CMUnitTest texts[] = {
        cmocka_unit_test(passes_over_headers_that_kernels_do_not_need),
        cmocka_unit_test(finds_lines_of_files),
        cmocka_unit_test(finds_declarations),
        cmocka_unit_test(names_kernels_and_their_parameters),
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
    int failures = cmocka_run_group_tests_name("texts", texts, NULL, NULL);
    const char *const compilers[] = {"gcc", "clang"};
    for (size_t i = 0; i < LENGTH(compilers); i++) {
        setenv("CC", compilers[i], 1);
        failures += cmocka_run_group_tests_name(compilers[i], kernels, NULL, NULL);
        close_shared_sims();
    }
    return failures;
}
