// Faults of kernels, launches and compilers. Each gives one error, and the device stays usable.
#include "tests/unit/sim_fixture.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char faults[] = "tests/data/kernels/sim_faults.cu";

// "tests/data/kernels/sim_faults.cu:7", for the line with the comment "fault NAME".
static void place_of(const char *kind, const char *name, char *text, size_t size) {
    char comment[128];
    snprintf(comment, sizeof comment, "// %s %s\n", kind, name);
    const char *source = kernel_text(faults), *found = strstr(source, comment);
    if (!found) {
        fail_msg("no line has the comment %s", comment);
    }
    unsigned line = 1;
    for (const char *c = source; c < found; c++) {
        line += *c == '\n';
    }
    snprintf(text, size, "%s:%u", faults, line);
}

static void expect_text(const struct error *error, const char *expected) {
    if (!strstr(error->text, expected)) {
        fail_msg("the error says \"%s\", not \"%s\"", error->text, expected);
    }
}

// A kernel without a fault must still run.
static void expect_usable(struct device *device) {
    uint32_t found[64];
    uint64_t out = allocate(device, sizeof found);
    RUN(device, faults, "fine", one_block(64), POINTER(out));
    download(device, found, out, sizeof found);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(found[i], i);
    }
    device_release(device, out);
}

// The launch must fail at the marked line with this message.
static void expect_fault(struct device *device, const char *name, struct shape shape, const struct argument *arguments,
                         size_t count, const char *words) {
    struct error error = {0};
    struct kernel *kernel;
    char place[128];
    must(try_build(device, faults, name, (struct kernel_constant){0}, &kernel, &error), &error);
    assert_int_equal(try_launch(device, kernel, shape, arguments, count, &error), STATUS_FAILED);
    if (words) {
        expect_text(&error, words);
    }
    place_of("fault", name, place, sizeof place);
    expect_text(&error, place);
    assert_null(strchr(error.text, '\n'));
    if (strstr(kernel_text(faults), "// other ") && strstr(error.text, "race")) {
        char other[128], comment[128];
        snprintf(comment, sizeof comment, "// other %s\n", name);
        if (strstr(kernel_text(faults), comment)) {
            place_of("other", name, other, sizeof other);
            expect_text(&error, other);
        }
    }
    device_discard(device, kernel);
    expect_usable(device);
}

#define EXPECT_FAULT(device, name, shape, words, ...)                                                                  \
    do {                                                                                                               \
        const struct argument fault_arguments[] = {__VA_ARGS__};                                                       \
        expect_fault(device, name, shape, fault_arguments, LENGTH(fault_arguments), words);                            \
    } while (0)

// ---- Accesses ----

static void accesses_outside_every_buffer(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint64_t in = allocate(device, 400), out = allocate(device, 400);
    struct shape blocks = {{2, 1, 1}, {64, 1, 1}, 0};
    EXPECT_FAULT(device, "beyond_end", blocks, "writes 4 bytes", POINTER(in), POINTER(out), U32(100));
    EXPECT_FAULT(device, "beyond_end", blocks, "right after the end of 'out' (400 bytes", POINTER(in), POINTER(out),
                 U32(100));
    EXPECT_FAULT(device, "beyond_end", blocks, "block (1,0,0), thread (36,0,0), lane 4", POINTER(in), POINTER(out),
                 U32(100));
    EXPECT_FAULT(device, "before_start", one_block(32), "4 bytes before the start of 'in'", POINTER(in), POINTER(out));
    EXPECT_FAULT(device, "null_pointer", one_block(32), "a null pointer", POINTER(0));
    EXPECT_FAULT(device, "misaligned", one_block(32), "not a multiple of 4", POINTER(out));
    EXPECT_FAULT(device, "through_copy", ((struct shape){{1, 1, 1}, {100, 1, 1}, 0}), "after the end of 'out'",
                 POINTER(out));
    device_release(device, out);
    EXPECT_FAULT(device, "null_pointer", one_block(32), "outside every buffer", POINTER(out));
}

static void accesses_outside_shared_memory(void **state) {
    (void)state;
    struct device *device = shared_sim("mi210");
    uint64_t out = allocate(device, 4096);
    uint32_t zeros[1024] = {0};
    struct error error = {0};
    EXPECT_FAULT(device, "beyond_static", one_block(128), "right after the end of 'tile' (256 bytes", POINTER(out));
    EXPECT_FAULT(device, "beyond_dynamic", ((struct shape){{1, 1, 1}, {65, 1, 1}, 256}), "byte 256 of dynamic shared",
                 POINTER(out));
    must(device_copy_to_device(device, out, zeros, sizeof zeros, &error), &error);
    EXPECT_FAULT(device, "foreign_local", one_block(64), "local variable of another thread", POINTER(out));
}

// ---- Barriers and races ----

static void barriers_that_not_all_reach(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint64_t out = allocate(device, 4096);
    char other[128];
    EXPECT_FAULT(device, "early_return", one_block(64), "33 threads of the block wait", POINTER(out), U32(33));
    place_of("other", "split_barrier", other, sizeof other);
    struct error error = {0};
    struct kernel *kernel;
    struct argument argument = POINTER(out);
    char place[128];
    must(try_build(device, faults, "split_barrier", (struct kernel_constant){0}, &kernel, &error), &error);
    assert_int_equal(try_launch(device, kernel, one_block(64), &argument, 1, &error), STATUS_FAILED);
    place_of("fault", "split_barrier", place, sizeof place);
    expect_text(&error, place);
    expect_text(&error, other);
    device_discard(device, kernel);
}

static void races_between_warps(void **state) {
    (void)state;
    static const char *const kernels[] = {"read_after_write", "write_after_read", "two_writers", "byte_race"};
    struct device *device = shared_sim("h200");
    uint64_t out = allocate(device, 4096);
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        EXPECT_FAULT(device, kernels[i], one_block(256), "race on shared memory", POINTER(out));
    }
    EXPECT_FAULT(device, "atomic_and_plain", one_block(64), "updates byte 0 of 'sum'", POINTER(out));
    // A single warp does not race with others.
    RUN(device, faults, "two_writers", one_block(32), POINTER(out));
}

static void races_within_a_warp(void **state) {
    (void)state;
    static const char *const lockstep[] = {"gtx1080", "mi210", "rx7900xtx"};
    struct device *device = shared_sim("h200");
    EXPECT_FAULT(device, "within_warp", one_block(32), "__syncwarp", POINTER(allocate(device, 256)));
    for (size_t i = 0; i < LENGTH(lockstep); i++) {
        device = shared_sim(lockstep[i]);
        RUN(device, faults, "within_warp", one_block(32), POINTER(allocate(device, 256)));
    }
}

// ---- Kernels that would stop the host ----

static void endless_loops(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    uint64_t out = allocate(device, 4096);
    sim_set_options(device, &(struct sim_options){.time_limit_s = 0.2});
    EXPECT_FAULT(device, "spin_empty", one_block(32), "still runs after 0.2 s", POINTER(out));
    EXPECT_FAULT(device, "spin_on_memory", one_block(32), "still runs after 0.2 s", POINTER(out));
    sim_set_options(device, &(struct sim_options){.time_limit_s = 0});
}

static void signals(void **state) {
    (void)state;
    struct device *device = shared_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    uint64_t out = allocate(device, 4096);
    struct argument argument = POINTER(out);
#if defined(__x86_64__) // on other processors a division by zero is not a fault
    EXPECT_FAULT(device, "divide_by_zero", one_block(32), "division by zero", POINTER(out), U32(0));
#endif
    static const char *const kernels[] = {"deep_stack", "leap"};
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        must(try_build(device, faults, kernels[i], (struct kernel_constant){0}, &kernel, &error), &error);
        assert_int_equal(try_launch(device, kernel, one_block(32), &argument, 1, &error), STATUS_FAILED);
        expect_text(&error, "local variables");
        device_discard(device, kernel);
        expect_usable(device);
    }
}

static void shuffles_of_a_wrong_width(void **state) {
    (void)state;
    static const uint32_t widths[] = {0, 3, 64, 128};
    struct device *device = shared_sim("h200");
    uint64_t out = allocate(device, 4096);
    for (size_t i = 0; i < LENGTH(widths); i++) {
        EXPECT_FAULT(device, "shuffle_width", one_block(32), "give a power of two from 1 to 32", POINTER(out),
                     U32(widths[i]));
    }
    RUN(device, faults, "shuffle_width", one_block(32), POINTER(out), U32(8));
    RUN(shared_sim("mi210"), faults, "shuffle_width", one_block(64), POINTER(allocate(shared_sim("mi210"), 4096)),
        U32(64));
}

static void expect_trap(uint32_t n, const char *words) {
    struct device *device = shared_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    int32_t values[64] = {0};
    struct argument arguments[] = {POINTER(upload(device, values, sizeof values)), U32(n)};
    must(try_build(device, "tests/data/kernels/sim_cuda.cu", "positive", (struct kernel_constant){0}, &kernel, &error),
         &error);
    assert_int_equal(try_launch(device, kernel, one_block(64), arguments, 2, &error), STATUS_FAILED);
    expect_text(&error, words);
    expect_text(&error, "tests/data/kernels/sim_cuda.cu:");
    device_discard(device, kernel);
    expect_usable(device);
}

static void traps(void **state) {
    (void)state;
    expect_trap(1, "assertion failed: n > 3 || in[threadIdx.x] > 0");
    expect_trap(4, "__trap()");
}

// ---- Launches ----

static void expect_refused(struct device *device, const char *entry, struct shape shape,
                           const struct argument *arguments, size_t count, const char *words) {
    struct error error = {0};
    struct kernel *kernel;
    must(try_build(device, faults, entry, (struct kernel_constant){0}, &kernel, &error), &error);
    assert_int_equal(try_launch(device, kernel, shape, arguments, count, &error), STATUS_USAGE);
    expect_text(&error, words);
    device_discard(device, kernel);
}

static void launches_that_do_not_fit(void **state) {
    (void)state;
    struct device *device = shared_sim("gtx1080");
    struct argument one[] = {POINTER(allocate(device, 4096)), U32(1)};
    expect_refused(device, "fine", one_block(1025), one, 1, "1025x1x1");
    expect_refused(device, "fine", one_block(0), one, 1, "0x1x1");
    expect_refused(device, "fine", (struct shape){{1, 1, 1}, {1, 1, 128}, 0}, one, 1, "1x1x128");
    expect_refused(device, "fine", (struct shape){{1, 70000, 1}, {1, 1, 1}, 0}, one, 1, "1x70000x1");
    expect_refused(device, "fine", (struct shape){{1, 1, 1}, {1, 1, 1}, 49153}, one, 1, "49153");
    expect_refused(device, "too_much_shared", one_block(64), one, 1, "262144 + 0 bytes");
    expect_refused(device, "fine", one_block(1), one, 2, "takes 1 argument, but the launch gives 2: give each once");
    expect_refused(device, "fine", one_block(1), one, 0, "takes 1 argument, but the launch gives 0: give each once");
    expect_refused(device, "fine", one_block(1), one + 1, 1,
                   "argument 1 is a 4-byte integer, but parameter 'out' is a");
}

static void entries_that_are_not_there(void **state) {
    (void)state;
    struct error error = {0};
    struct kernel *kernel;
    struct device *device = shared_sim("h200");
    assert_int_equal(try_build(device, faults, "nothing", (struct kernel_constant){0}, &kernel, &error), STATUS_USAGE);
    expect_text(&error, "no kernel is called nothing: the file has beyond_end, before_start");
    assert_int_equal(try_build(device, faults, NULL, (struct kernel_constant){0}, &kernel, &error), STATUS_USAGE);
    expect_text(&error, "several kernels");
    assert_int_equal(try_build(device, faults, "by_value", (struct kernel_constant){0}, &kernel, &error),
                     STATUS_FAILED);
    expect_text(&error, "parameter 'pair'");
}

// ---- Files that do not compile ----

static enum status build_text(struct device *device, const char *text, struct error *error) {
    struct kernel_source source = {"user/kernel.cu", text};
    struct kernel_request request = {.source = &source, .from_file = true};
    struct kernel *kernel = NULL;
    enum status status = device_build(device, &request, &kernel, error);
    if (kernel) {
        device_discard(device, kernel);
    }
    return status;
}

static void expect_build_error(enum status status, const char *text, const char *words, const char *log) {
    struct error error = {0};
    struct device *device = open_sim("h200");
    assert_int_equal(build_text(device, text, &error), status);
    expect_text(&error, words);
    if (log && (!error.log || !strstr(error.log, log))) {
        fail_msg("the log says \"%s\", not \"%s\"", error.log ? error.log : "", log);
    }
    error_clear(&error);
    device_close(device);
}

static void sources_with_errors(void **state) {
    (void)state;
    expect_build_error(STATUS_FAILED, "__global__ void f(int *a) {\n    a[0] = b;\n}\n", "user/kernel.cu:2",
                       "user/kernel.cu:2");
    expect_build_error(STATUS_FAILED, "__global__ void f(int *a) {\n    a[0] = unknown(1);\n}\n", "user/kernel.cu:2",
                       "unknown");
    expect_build_error(STATUS_USAGE, "void f(int *a) {\n    a[0] = 1;\n}\n", "no kernel in the file", NULL);
    expect_build_error(STATUS_USAGE, "", "no kernel in the file", NULL);
    expect_build_error(STATUS_USAGE,
                       "#define MAKE(type) __global__ void fill_##type(type *out) { out[0] = 1; }\n"
                       "MAKE(float) MAKE(double)\n",
                       "name one of fill_float, fill_double", NULL);
    expect_build_error(STATUS_FAILED,
                       "extern int elsewhere(void);\n__global__ void f(int *a) {\n    a[0] = elsewhere();\n}\n",
                       "elsewhere", NULL);
}

static void unusual_sources(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\xef\xbb\xbf__global__ void f(int *a) {\n    a[0] = 1;\n}\n",
        "static __global__ void f(int *a) {\n    a[0] = 1;\n}\n",
        "#define FOUR 4\n__global__ void f(int *a) {\n#pragma unroll FOUR // of them\n"
        "    for (int i = 0; i < 4; i++)\n        a[i] = 1;\n}\n",
        "__global__ void f(int *a) {\n#pragma unroll /* all */\n"
        "    for (int i = 0; i < 4; i++)\n        a[i] = 1;\n}\n",
    };
    struct error error = {0};
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(texts); i++) {
        must(build_text(device, texts[i], &error), &error);
    }
    device_close(device);
}

// A folder for the tests' temporary files, which must be empty after every build.
static char scratch[] = "/tmp/test_sim_faults.XXXXXX";

static void expect_empty(const char *folder) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
            fail_msg("%s was left in %s", entry->d_name, folder);
        }
    }
    closedir(directory);
}

static const char good[] = "__global__ void f(int *a) {\n    a[0] = 1;\n}\n";

static void compilers_that_fail(void **state) {
    (void)state;
    char script[256], *before = strdup(getenv("CC"));
    snprintf(script, sizeof script, "%s.sh", scratch);
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho some words\nkill -9 $$\n", file);
    fclose(file);
    chmod(script, 0700);
    setenv("CC", script, 1);
    expect_build_error(STATUS_FAILED, good, "killed by signal 9", "some words");
    setenv("CC", "/bin/false", 1);
    expect_build_error(STATUS_FAILED, good, "/bin/false failed with status 1", NULL);
    setenv("CC", "no-such-compiler", 1);
    expect_build_error(STATUS_FAILED, good, "cannot run the compiler no-such-compiler", NULL);
    setenv("CC", "/bin/true", 1);
    expect_build_error(STATUS_FAILED, good, "left no assembly", NULL);
    setenv("CC", before, 1);
    free(before);
    remove(script);
    expect_empty(scratch);
}

static void temporary_files(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = open_sim("h200");
    must(build_text(device, good, &error), &error);
    expect_empty(scratch);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(build_text(device, "__global__ void g(int *a) {\n    a[0] = 1;\n}\n", &error), STATUS_FAILED);
    expect_text(&error, "TMPDIR");
    // A kernel that was compiled before needs no files.
    must(build_text(device, good, &error), &error);
    setenv("TMPDIR", scratch, 1);
    device_close(device);
}

// 2000 letters, which the compiler's options must hold several times.
static void a_long_temporary_folder(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device = open_sim("h200");
    char folder[2001];
    snprintf(folder, sizeof folder, "%s", scratch);
    for (size_t length = strlen(folder); length + 2 < sizeof folder; length = strlen(folder)) {
        snprintf(folder + length, sizeof folder - length, "/%0200d", 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    setenv("TMPDIR", folder, 1);
    enum status status = build_text(device, good, &error);
    setenv("TMPDIR", scratch, 1);
    for (; strcmp(folder, scratch) != 0; *strrchr(folder, '/') = '\0') {
        assert_int_equal(rmdir(folder), 0);
    }
    must(status, &error);
    device_close(device);
}

static void selectors(void **state) {
    (void)state;
    struct error error = {0};
    struct device *device;
    assert_int_equal(sim->open("h2000", &device, &error), STATUS_NO_DEVICE);
    expect_text(&error, "--list-gpus");
    assert_int_equal(sim->open(NULL, &device, &error), STATUS_NO_DEVICE);
    expect_text(&error, "sim:NAME");
    assert_null(device);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_outside_every_buffer),
        cmocka_unit_test(accesses_outside_shared_memory),
        cmocka_unit_test(barriers_that_not_all_reach),
        cmocka_unit_test(races_between_warps),
        cmocka_unit_test(races_within_a_warp),
        cmocka_unit_test(endless_loops),
        cmocka_unit_test(signals),
        cmocka_unit_test(shuffles_of_a_wrong_width),
        cmocka_unit_test(traps),
        cmocka_unit_test(launches_that_do_not_fit),
        cmocka_unit_test(entries_that_are_not_there),
        cmocka_unit_test(sources_with_errors),
        cmocka_unit_test(unusual_sources),
        cmocka_unit_test(compilers_that_fail),
        cmocka_unit_test(temporary_files),
        cmocka_unit_test(a_long_temporary_folder),
        cmocka_unit_test(selectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    if (!mkdtemp(scratch)) {
        return 1;
    }
    setenv("TMPDIR", scratch, 1);
    unsetenv("BANKSHOT_KERNEL_CACHE"); // because compilers that fail are tested
    int failures = for_each_compiler(run_all);
    rmdir(scratch);
    return failures;
}
