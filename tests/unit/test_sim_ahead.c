// Lanes that pass branches and barriers without waiting for others: results and counts stay those of lanes that stop at
// each.
#include "tests/unit/sim_fixture.h"

enum {
    THREADS = 96
};

// Lanes take different paths through a loop; the clock and the fences show how far they are.
static const char mixed[] = "#include \"device/kernel/kernel.h\"\n"
                            "KERNEL void mixed(uint32_t *out) {\n"
                            "    __shared__ uint32_t tile[96];\n"
                            "    const uint32_t thread = threadIdx.x;\n"
                            "    uint32_t sum = 0;\n"
                            "    tile[thread] = thread;\n"
                            "    for (uint32_t stride = 48; stride > 0; stride /= 2) {\n"
                            "        __syncthreads();\n"
                            "        const uint32_t more = thread < stride ? tile[thread + stride] : 0;\n"
                            "        __syncthreads();\n"
                            "        if (thread < stride) {\n"
                            "            tile[thread] += more;\n"
                            "        }\n"
                            "        if (thread % 7 == 3) {\n"
                            "            sum += (uint32_t)clock64();\n"
                            "        }\n"
                            "        for (uint32_t i = 0; i < thread % 41; i++) {\n"
                            "            sum = sum % 5 ? sum * 3 + i : sum + 1;\n"
                            "        }\n"
                            "        if (thread % 3 == 1) {\n"
                            "            __threadfence();\n"
                            "        }\n"
                            "        sum += __shfl_xor_sync(0xffffffff, sum, 1);\n"
                            "    }\n"
                            "    __syncthreads();\n"
                            "    out[thread] = sum + tile[0];\n"
                            "}\n";

// Lanes of a file that calls other functions stop at each step. This call is never reached, and no instruction that the
// simulator weighs.
#if defined(__aarch64__)
#define CALL "bl\\tputs"
#else
#define CALL "call\\tputs@PLT"
#endif
static const char calls_others[] = "__asm__(\"\\t.section others,\\\"ax\\\"\\n\\t" CALL "\\n\\t.text\\n\");\n";

struct outcome {
    uint32_t out[THREADS];
    struct launch_counts counts;
};

static void run(struct device *device, const char *text, struct outcome *outcome) {
    struct error error = {0};
    struct kernel *kernel;
    const struct kernel_source source = {"mixed.cu", text};
    const struct kernel_constant constants[] = {{"WIDTH", 16}};
    const struct kernel_request request = {.source = &source,
                                           .entry = "mixed",
                                           .constants = constants,
                                           .constant_count = LENGTH(constants),
                                           .language = KERNEL_C};
    const uint64_t out = allocate(device, sizeof outcome->out);
    const struct argument arguments[] = {POINTER(out)};
    must(device_build(device, &request, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(THREADS), arguments, LENGTH(arguments), &error), &error);
    download(device, outcome->out, out, sizeof outcome->out);
    outcome->counts = counts_of(device);
    device_discard(device, kernel);
    device_release(device, out);
}

static void nothing_shows_that_lanes_are_ahead(void **state) {
    (void)state;
    static const char *const gpus[] = {"h200", "mi210"};
    char stopping_text[sizeof mixed + sizeof calls_others];
    snprintf(stopping_text, sizeof stopping_text, "%s%s", mixed, calls_others);
    for (size_t i = 0; i < LENGTH(gpus); i++) {
        struct device *device = shared_sim(gpus[i]);
        struct outcome ahead, stopping;
        run(device, mixed, &ahead);
        run(device, stopping_text, &stopping);
        assert_memory_equal(ahead.out, stopping.out, sizeof ahead.out);
        assert_memory_equal(&ahead.counts, &stopping.counts, sizeof ahead.counts);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_shows_that_lanes_are_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return for_each_compiler(run_all);
}
