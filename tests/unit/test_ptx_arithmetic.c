// PTX's instructions in the simulator: against the C library's functions, and against what an H200 computes.
#include "tests/unit/sim_fixture.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>

#include "tests/data/ptx/fragments.h"

static struct operations operations;
static uint64_t inputs[3 * OPERATION_THREADS];
static uint64_t results[OPERATIONS][OPERATION_THREADS];

// Runs the kernel with one thread for each input. Frees the text.
static void run(char *text, uint32_t block, const void *input, size_t input_bytes, void *output, size_t output_bytes) {
    struct error error = {0};
    struct device *device = open_sim("h200");
    const uint64_t in = upload(device, input, input_bytes), out = allocate(device, output_bytes);
    const struct kernel_source source = {"kernel.ptx", text};
    const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
    const struct shape shape = {{OPERATION_THREADS / block, 1, 1}, {block, 1, 1}, 0};
    struct kernel *kernel;
    must(device_build(device, &request, &kernel, &error), &error);
    const struct argument arguments[] = {POINTER(in), POINTER(out)};
    must(try_launch(device, kernel, shape, arguments, 2, &error), &error);
    download(device, output, out, output_bytes);
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

static int compute(void **state) {
    (void)state;
    assert_true(operations_read(&operations, "tests/data/ptx/operations"));
    operations_inputs(inputs);
    run(operations_ptx(&operations), 256, inputs, sizeof inputs, results, operations.count * sizeof *results);
    return 0;
}

// The references share no code with the simulator, whose faults they would share, too.
#define BITS(of, to, type, bits)                                                                                       \
    static type of(uint64_t wide) {                                                                                    \
        const bits low = (bits)wide;                                                                                   \
        type x;                                                                                                        \
        memcpy(&x, &low, sizeof x);                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    static uint64_t to(type x) {                                                                                       \
        bits low;                                                                                                      \
        memcpy(&low, &x, sizeof low);                                                                                  \
        return low;                                                                                                    \
    }
BITS(f32_of, bits_of_f32, float, uint32_t)
BITS(f64_of, bits_of_f64, double, uint64_t)

// What an instruction computes of the three inputs.
typedef uint64_t reference(uint64_t a, uint64_t b, uint64_t c);

#define INTEGER(name, type, result, expression)                                                                        \
    static uint64_t name(uint64_t a64, uint64_t b64, uint64_t c64) {                                                   \
        const type a = (type)a64, b = (type)b64, c = (type)c64;                                                        \
        (void)b, (void)c;                                                                                              \
        return (result)(expression);                                                                                   \
    }
#define REAL(name, type, from, to, rounding, expression)                                                               \
    static uint64_t name(uint64_t a64, uint64_t b64, uint64_t c64) {                                                   \
        const volatile type a = from(a64), b = from(b64), c = from(c64);                                               \
        (void)a, (void)b, (void)c;                                                                                     \
        fesetround(rounding);                                                                                          \
        const volatile type result = (expression);                                                                     \
        fesetround(FE_TONEAREST);                                                                                      \
        return to(result);                                                                                             \
    }
#define F32(name, rounding, expression) REAL(name, float, f32_of, bits_of_f32, rounding, expression)
#define F64(name, rounding, expression) REAL(name, double, f64_of, bits_of_f64, rounding, expression)

INTEGER(add_u32, uint32_t, uint32_t, a + b)
INTEGER(sub_s64, uint64_t, uint64_t, a - b)
INTEGER(mul_hi_s32, int32_t, uint32_t, (int64_t)a *b >> 32)
INTEGER(mul_wide_s32, int32_t, uint64_t, (int64_t)a *b)
INTEGER(mul_wide_u16, uint16_t, uint32_t, (uint32_t)a *b)
INTEGER(mad_lo_u32, uint32_t, uint32_t, a *b + c)
INTEGER(min_s16, int16_t, uint16_t, a < b ? a : b)
INTEGER(max_u64, uint64_t, uint64_t, a > b ? a : b)
INTEGER(popc_b32, uint32_t, uint32_t, __builtin_popcount(a))
INTEGER(clz_b64, uint64_t, uint32_t, a ? __builtin_clzll(a) : 64)
INTEGER(lop3_ca, uint32_t, uint32_t, (a & b) | (~a & c))
INTEGER(shl_b32, uint32_t, uint32_t, b > 31 ? 0 : a << b)
INTEGER(setp_lt_s32, int32_t, uint32_t, a < b)
INTEGER(setp_ge_u64, uint64_t, uint32_t, a >= b)
INTEGER(pack_b64, uint32_t, uint64_t, (uint64_t)b << 32 | a)
INTEGER(cvt_s64_s8, int8_t, uint64_t, (int64_t)a)
INTEGER(cvt_u32_u8, uint8_t, uint32_t, a)

static uint64_t shr_s32(uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return (uint32_t)((int32_t)a >> ((uint32_t)b > 31 ? 31 : (uint32_t)b));
}

static uint64_t carry_u64(uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    return a + b + a + (a + b < a);
}

F32(add_rn_f32, FE_TONEAREST, a + b)
F32(add_rz_f32, FE_TOWARDZERO, a + b)
F32(mul_rm_f32, FE_DOWNWARD, a *b)
F32(div_rp_f32, FE_UPWARD, a / b)
F32(fma_rn_f32, FE_TONEAREST, fmaf(a, b, c))
F32(sqrt_rz_f32, FE_TOWARDZERO, sqrtf(a))
F64(sub_rm_f64, FE_DOWNWARD, a - b)
F64(mul_rn_f64, FE_TONEAREST, a *b)
F64(fma_rp_f64, FE_UPWARD, fma(a, b, c))
F64(rcp_rn_f64, FE_TONEAREST, 1 / a)
F64(cvt_rpi_f64, FE_UPWARD, nearbyint(a))

static uint64_t cvt_rz_f32_f64(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    const volatile double wide = f64_of(a);
    fesetround(FE_TOWARDZERO);
    const volatile float narrow = (float)wide;
    fesetround(FE_TONEAREST);
    return bits_of_f32(narrow);
}

static uint64_t cvt_rm_f32_s64(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    const volatile int64_t whole = (int64_t)a;
    fesetround(FE_DOWNWARD);
    const volatile float narrow = (float)whole;
    fesetround(FE_TONEAREST);
    return bits_of_f32(narrow);
}

// The nearest half by trying all of them; of two as near the even one.
static uint64_t cvt_rn_f16_f32(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    const double x = f32_of(a), magnitude = fabs(x);
    uint64_t best = 0x7c00;
    double least = INFINITY;
    if (isnan(x)) {
        return 0x7fff;
    }
    for (uint32_t bits = 0; bits < 0x7c01; bits++) {
        const uint32_t exponent = bits >> 10, fraction = bits & 1023;
        const double value = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
        const double distance = isinf(magnitude) ? (bits == 0x7c00 ? 0 : 1) : fabs(magnitude - value);
        if (distance < least || (distance == least && bits % 2 == 0)) {
            least = distance;
            best = bits;
        }
    }
    return best | (signbit(x) ? 0x8000 : 0);
}

static const struct {
    const char *text;
    reference *compute;
} references[] = {
    {"add.u32 D, A, B;", add_u32},
    {"sub.s64 D, A, B;", sub_s64},
    {"mul.hi.s32 D, A, B;", mul_hi_s32},
    {"mul.wide.s32 D, A, B;", mul_wide_s32},
    {"mul.wide.u16 D, A, B;", mul_wide_u16},
    {"mad.lo.u32 D, A, B, C;", mad_lo_u32},
    {"min.s16 D, A, B;", min_s16},
    {"max.u64 D, A, B;", max_u64},
    {"popc.b32 D, A;", popc_b32},
    {"clz.b64 D, A;", clz_b64},
    {"lop3.b32 D, A, B, C, 0xca;", lop3_ca},
    {"shl.b32 D, A, B;", shl_b32},
    {"shr.s32 D, A, B;", shr_s32},
    {"setp.lt.s32 D, A, B;", setp_lt_s32},
    {"setp.ge.u64 D, A, B;", setp_ge_u64},
    {"mov.b64 D, {A, B};", pack_b64},
    {"cvt.s64.s8 D, A;", cvt_s64_s8},
    {"cvt.u32.u8 D, A;", cvt_u32_u8},
    {"add.cc.u64 D, A, B; addc.u64 D, D, A;", carry_u64},
    {"add.rn.f32 D, A, B;", add_rn_f32},
    {"add.rz.f32 D, A, B;", add_rz_f32},
    {"mul.rm.f32 D, A, B;", mul_rm_f32},
    {"div.rp.f32 D, A, B;", div_rp_f32},
    {"fma.rn.f32 D, A, B, C;", fma_rn_f32},
    {"sqrt.rz.f32 D, A;", sqrt_rz_f32},
    {"sub.rm.f64 D, A, B;", sub_rm_f64},
    {"mul.rn.f64 D, A, B;", mul_rn_f64},
    {"fma.rp.f64 D, A, B, C;", fma_rp_f64},
    {"rcp.rn.f64 D, A;", rcp_rn_f64},
    {"cvt.rpi.f64.f64 D, A;", cvt_rpi_f64},
    {"cvt.rz.f32.f64 D, A;", cvt_rz_f32_f64},
    {"cvt.rm.f32.s64 D, A;", cvt_rm_f32_s64},
    {"cvt.rn.f16.f32 D, A;", cvt_rn_f16_f32},
};

static size_t find_operation(const char *text) {
    for (size_t i = 0; i < operations.count; i++) {
        if (!strcmp(operations.operation[i].text, text)) {
            return i;
        }
    }
    fail_msg("tests/data/ptx/operations has no %s", text);
    return 0;
}

static void as_the_c_library(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(references); i++) {
        const size_t n = find_operation(references[i].text);
        const char type = operations.operation[n].result;
        for (size_t thread = 0; thread < OPERATION_THREADS;
             thread += references[i].compute == cvt_rn_f16_f32 ? 16 : 1) {
            const uint64_t *in = inputs + 3 * thread;
            const uint64_t expected = operation_normal(type, references[i].compute(in[0], in[1], in[2]));
            const uint64_t found = operation_normal(type, results[n][thread]);
            if (expected != found) {
                fail_msg("%s of %016" PRIx64 " %016" PRIx64 " %016" PRIx64 ": %016" PRIx64 ", not %016" PRIx64,
                         references[i].text, in[0], in[1], in[2], found, expected);
            }
        }
    }
}

// ---- Approximations ----

#define APPROXIMATION(name, expression)                                                                                \
    static double name(double a, double b) {                                                                           \
        (void)b;                                                                                                       \
        return expression;                                                                                             \
    }
APPROXIMATION(quotient, a / b)
APPROXIMATION(reciprocal, 1 / a)
APPROXIMATION(square_root, sqrt(a))
APPROXIMATION(reciprocal_root, 1 / sqrt(a))
APPROXIMATION(sine, sin(a))
APPROXIMATION(cosine, cos(a))
APPROXIMATION(logarithm, log2(a))
APPROXIMATION(power, exp2(a))
APPROXIMATION(tangent, tanh(a))

static const struct {
    const char *opcode; // the beginning of the lines that begin with ~
    double (*compute)(double a, double b);
} approximations[] = {
    {"div.", quotient}, {"rcp.", reciprocal}, {"sqrt.", square_root}, {"rsqrt.", reciprocal_root}, {"sin.", sine},
    {"cos.", cosine},   {"lg2.", logarithm},  {"ex2.", power},        {"tanh.", tangent},
};

// A number's value by its type in tests/data/ptx/operations: h or e is a half.
static double value_of(char type, uint64_t bits) {
    const uint32_t half = (uint32_t)bits & 0x7fff, exponent = half >> 10, fraction = half & 1023;
    const double magnitude = exponent == 31 ? INFINITY
                             : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                            : ldexp(fraction, -24);
    return strchr("xd", type)   ? f64_of(bits)
           : strchr("wf", type) ? (double)f32_of(bits)
           : bits & 0x8000      ? -magnitude
                                : magnitude;
}

static bool is_moderate(double value) {
    return fabs(value) > 0x1p-13 && fabs(value) < 0x1p13;
}

static size_t check_approximation(size_t n, double (*exact)(double a, double b)) {
    const struct operation *operation = &operations.operation[n];
    const double error = operation->result == 'e' ? 0x1p-9 : 0x1p-19;
    size_t compared = 0;
    for (size_t thread = 0; thread < OPERATION_THREADS; thread++) {
        const uint64_t *in = inputs + 3 * thread;
        const double a = value_of(operation->operands[0], in[0]);
        const double b = operation->operands[1] ? value_of(operation->operands[1], in[1]) : 1;
        const double expected = exact(a, b), found = value_of(operation->result, results[n][thread]);
        if (!is_moderate(a) || !is_moderate(b) || !is_moderate(expected)) {
            continue;
        }
        compared++;
        if (!(fabs(found - expected) <= error * fabs(expected))) {
            fail_msg("%s of %g, %g: %g, not %g", operation->text, a, b, found, expected);
        }
    }
    return compared;
}

static void approximations_as_the_c_library(void **state) {
    (void)state;
    for (size_t n = 0; n < operations.count; n++) {
        size_t i = 0;
        if (!operations.operation[n].approximate) {
            continue;
        }
        while (i < LENGTH(approximations) &&
               strncmp(operations.operation[n].text, approximations[i].opcode, strlen(approximations[i].opcode)) != 0) {
            i++;
        }
        assert_in_range(i, 0, LENGTH(approximations) - 1);
        assert_in_range(check_approximation(n, approximations[i].compute), 100, OPERATION_THREADS);
    }
}

// The lines of tests/data/ptx/sums.h200: a sum and an instruction. Approximations differ in their last bits.
static void as_an_h200(void **state) {
    (void)state;
    char line[256], different[1024] = "";
    FILE *file = fopen("tests/data/ptx/sums.h200", "r");
    assert_non_null(file);
    size_t compared = 0;
    while (fgets(line, sizeof line, file)) {
        uint64_t sum;
        char text[OPERATION_TEXT];
        if (sscanf(line, "%16" SCNx64 " %119[^\n]", &sum, text) != 2) {
            continue;
        }
        const size_t n = find_operation(text), length = strlen(different);
        const struct operation *operation = &operations.operation[n];
        compared++;
        if (!operation->approximate && operation_sum(operation->result, results[n]) != sum) {
            snprintf(different + length, sizeof different - length, "\n%s", text);
        }
    }
    fclose(file);
    assert_int_equal(compared, operations.count);
    assert_string_equal(different, "");
}

// Compares with a file whose lines are a sum and the name of what it is of.
static void compare_sums(const char *path, size_t count, const char *(*name)(size_t), uint64_t (*sum)(size_t)) {
    char line[256], different[1024] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t compared = 0;
    while (fgets(line, sizeof line, file)) {
        uint64_t expected;
        char text[OPERATION_TEXT];
        const size_t length = strlen(different);
        if (sscanf(line, "%16" SCNx64 " %119s", &expected, text) != 2) {
            continue;
        }
        assert_in_range(compared, 0, count - 1);
        assert_string_equal(text, name(compared));
        if (sum(compared++) != expected) {
            snprintf(different + length, sizeof different - length, "\n%s", text);
        }
    }
    fclose(file);
    assert_int_equal(compared, count);
    assert_string_equal(different, "");
}

static uint32_t product_results[PRODUCTS][OPERATION_THREADS * PRODUCT_OUT];

static uint64_t product_found(size_t i) {
    return products_sum(i, product_results[i]);
}

static void products_as_an_h200(void **state) {
    (void)state;
    static uint32_t words[PRODUCTS * OPERATION_THREADS * PRODUCT_IN];
    products_inputs(words);
    run(products_ptx(), 128, words, sizeof words, product_results, sizeof product_results);
    compare_sums("tests/data/ptx/products.h200", PRODUCTS, products_name, product_found);
}

static uint32_t fragments_results[FRAGMENTS_PRODUCTS][OPERATION_THREADS * PRODUCT_OUT];

static uint64_t fragments_found(size_t i) {
    return fragments_sum(i, fragments_results[i]);
}

static void fragments_as_an_h200(void **state) {
    (void)state;
    static uint32_t words[FRAGMENTS_PRODUCTS * OPERATION_THREADS * PRODUCT_IN];
    fragments_inputs(words);
    run(fragments_ptx(), 128, words, sizeof words, fragments_results, sizeof fragments_results);
    compare_sums("tests/data/ptx/fragments.h200", FRAGMENTS_PRODUCTS, fragments_name, fragments_found);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_c_library),
                                       cmocka_unit_test(approximations_as_the_c_library), cmocka_unit_test(as_an_h200),
                                       cmocka_unit_test(products_as_an_h200), cmocka_unit_test(fragments_as_an_h200)};
    return cmocka_run_group_tests(tests, compute, NULL);
}
