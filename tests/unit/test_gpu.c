// The CUDA and HIP backends end to end on a fake driver (tests/fakes/fake.h), and how their libraries are found.
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/backends.h"
#include "device/gpu/library.h"
#include "device/pci.h"

enum {
    WORDS = 1024
};

static const struct kernel_source kernels = {
    .file_name = "tests/kernels/of_test_gpu.cu",
    .text = "#include \"device/kernel/kernel.h\"\n"
            "KERNEL void add(word_t *words, uint64_t count, int32_t more) {\n"
            "    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < count) {\n"
            "        store_global(words + i, load_global(words + i) + (word_t)more + FACTOR);\n"
            "    }\n"
            "}\n"
            "KERNEL void sum_block(const word_t *words, word_t *sum) {\n"
            "    DYNAMIC_SHARED(word_t, tile);\n"
            "    word_t value = words[threadIdx.x];\n"
            "    for (int distance = WARP_WIDTH / 2; distance > 0; distance /= 2) {\n"
            "        value += shuffle_down(value, distance);\n"
            "    }\n"
            "    tile[threadIdx.x] = value;\n"
            "    __syncthreads();\n"
            "    if (threadIdx.x == 0) {\n"
            "        *sum = 0;\n"
            "        for (uint32_t i = 0; i < blockDim.x; i += WARP_WIDTH) {\n"
            "            *sum += tile[i];\n"
            "        }\n"
            "    }\n"
            "}\n"};

static const struct kernel_constant constants[] = {{"WIDTH", 4}, {"FACTOR", -3}};

static struct kernel_request request_of(const char *entry) {
    return (struct kernel_request){.source = &kernels, .entry = entry, .constants = constants, .constant_count = 2};
}

// The backend under test, and what it shows of its fake device.
struct expected {
    const char *name, *arch, *target, *driver, *out_of_memory, *lost, *no_device;
    uint32_t warp_width;
    double time_counter_mhz;
};

static const struct expected cuda = {.name = "cuda",
                                     .arch = "sm_90",
                                     .target = "--gpu-architecture=sm_90",
                                     .driver = "CUDA 12.4, ",
                                     .out_of_memory = "CUDA_ERROR_OUT_OF_MEMORY",
                                     .lost = "CUDA_ERROR_ILLEGAL_ADDRESS",
                                     .no_device = "CUDA_ERROR_NO_DEVICE",
                                     .warp_width = 32,
                                     .time_counter_mhz = 1000};
static const struct expected hip = {.name = "hip",
                                    .arch = "gfx90a",
                                    .target = "--offload-arch=gfx90a:sramecc+:xnack-",
                                    .driver = "HIP 6.3.42133, ",
                                    .out_of_memory = "hipErrorOutOfMemory",
                                    .lost = "hipErrorIllegalAddress",
                                    .no_device = "hipErrorNoDevice",
                                    .warp_width = 64,
                                    .time_counter_mhz = 1000};

static void assert_contains(const char *text, const char *part) {
    if (!text || !strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, text ? text : "(nothing)");
    }
}

static void assert_ok(enum status status, const struct error *error) {
    if (status != STATUS_OK) {
        fail_msg("status %d: %s\n%s", (int)status, error->text, error->log ? error->log : "");
    }
}

static struct device *open_numbered(const struct expected *expected, int number) {
    char spec[16];
    struct error error = {0};
    struct device *device = NULL;
    snprintf(spec, sizeof spec, "%s:%d", expected->name, number);
    assert_ok(device_open(spec, &device, &error), &error);
    return device;
}

// Memory on the device with 0, 1, 2, ... in it.
static uint64_t allocate_words(struct device *device) {
    uint32_t words[WORDS];
    uint64_t address = 0;
    struct error error = {0};
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = i;
    }
    assert_ok(device_allocate(device, sizeof words, &address, &error), &error);
    assert_ok(device_copy_to_device(device, address, words, sizeof words, &error), &error);
    return address;
}

static void assert_words(struct device *device, uint64_t address, uint32_t first) {
    uint32_t words[WORDS] = {0};
    struct error error = {0};
    assert_ok(device_copy_to_host(device, words, address, sizeof words, &error), &error);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(words[i], first + i);
    }
}

static struct kernel *build(struct device *device, const char *entry) {
    struct kernel_request request = request_of(entry);
    struct kernel *kernel = NULL;
    struct error error = {0};
    assert_ok(device_build(device, &request, &kernel, &error), &error);
    return kernel;
}

static enum status launch_add_in(struct device *device, struct stream *stream, struct kernel *kernel, uint64_t address,
                                 int32_t more, struct error *error) {
    const struct argument arguments[] = {{.type = ARGUMENT_POINTER, .value.pointer = address},
                                         {.type = ARGUMENT_U64, .value.u64 = WORDS},
                                         {.type = ARGUMENT_I32, .value.i32 = more}};
    const struct launch launch = {
        .grid = {WORDS / 128, 1, 1}, .block = {128, 1, 1}, .arguments = arguments, .argument_count = 3};
    return device_launch_in(device, stream, kernel, &launch, error);
}

static enum status launch_add(struct device *device, struct kernel *kernel, uint64_t address, int32_t more,
                              struct error *error) {
    return launch_add_in(device, NULL, kernel, address, more, error);
}

// ---- Devices ----

static void test_describes_its_devices(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 1);
    const struct device_info *info = &device->info;
    char spec[16];
    snprintf(spec, sizeof spec, "%s:1", expected->name);
    assert_string_equal(info->spec, spec);
    assert_string_equal(backend_of(info->backend)->name, expected->name);
    assert_string_equal(info->name, "Fake GPU 1");
    assert_string_equal(info->arch, expected->arch);
    assert_contains(info->driver, expected->driver);
    assert_contains(info->driver, "/tests/fake_");
    assert_contains(info->runtime, "/tests/fake_");
    assert_contains(info->compiler, expected->target);
    assert_int_equal(info->memory_bytes, 64 << 20);
    assert_int_equal(info->memory_free_bytes, 64 << 20);
    assert_int_equal(info->last_level_cache_bytes, 1 << 20);
    assert_int_equal(info->compute_units, 4);
    assert_int_equal(info->warp_width, expected->warp_width);
    assert_int_equal(info->max_block_threads, 1024);
    assert_int_equal(info->shared_bytes_per_block, 48 << 10);
    assert_true(info->shared_bytes_per_block_max >= info->shared_bytes_per_block);
    assert_true(info->clock_mhz == 1500);
    assert_true(info->time_counter_mhz == expected->time_counter_mhz);
    assert_true(info->peak_gb_s == 256); // 2 * 2 GHz * 512 bits
    assert_null(info->gpu);
    device_close(device);
}

static void refuses(const char *spec, const char *part) {
    struct device *device = NULL;
    struct error error = {0};
    assert_int_equal(device_open(spec, &device, &error), STATUS_NO_DEVICE);
    assert_null(device);
    assert_contains(error.text, part);
    assert_null(strchr(error.text, '\n'));
}

static void test_refuses_absent_devices(void **state) {
    const struct expected *expected = *state;
    char spec[16];
    snprintf(spec, sizeof spec, "%s:2", expected->name);
    refuses(spec, "there are 2");
    snprintf(spec, sizeof spec, "%s:-1", expected->name);
    refuses(spec, "not the number of a device");
    snprintf(spec, sizeof spec, "%s:", expected->name);
    refuses(spec, "not the number of a device");
    snprintf(spec, sizeof spec, "%s:0x", expected->name);
    refuses(spec, "not the number of a device");
    setenv("FAKE_DEVICES", "0", 1);
    refuses(expected->name, expected->no_device);
    unsetenv("FAKE_DEVICES");
    setenv("FAKE_FAIL", "initialise", 1);
    refuses(expected->name, expected->no_device);
    unsetenv("FAKE_FAIL");
    refuses("cuda1", "use one of cuda, hip, cpu, sim");
    refuses("", "use one of");
}

// ---- Work ----

static void test_runs_two_devices_at_once(void **state) {
    struct device *device[2];
    struct kernel *kernel[2];
    uint64_t words[2];
    struct error error = {0};
    for (int i = 0; i < 2; i++) {
        device[i] = open_numbered(*state, i);
        words[i] = allocate_words(device[i]);
    }
    for (int i = 0; i < 2; i++) {
        kernel[i] = build(device[i], "add");
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(launch_add(device[i], kernel[i], words[i], 10 * i, &error), &error);
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(device_synchronize(device[i], &error), &error);
        assert_words(device[i], words[i], (uint32_t)(10 * i - 3));
    }
    assert_ok(device_copy_to_peer_in(device[1], NULL, words[1], device[0], words[0], 4 * WORDS, &error), &error);
    assert_ok(device_synchronize(device[1], &error), &error);
    assert_words(device[0], words[0], 7);
    for (int i = 0; i < 2; i++) {
        device_discard(device[i], kernel[i]);
        device_release(device[i], words[i]);
        device_close(device[i]);
    }
}

static void test_opens_one_device_twice(void **state) {
    struct device *first = open_numbered(*state, 0), *second = open_numbered(*state, 0);
    uint64_t from = allocate_words(first), to = 0;
    struct error error = {0};
    assert_ok(device_allocate(second, 4 * WORDS, &to, &error), &error);
    assert_ok(device_copy_to_peer_in(first, NULL, from, second, to, 4 * WORDS, &error), &error);
    assert_ok(device_synchronize(first, &error), &error);
    device_release(first, from);
    device_close(first);
    assert_words(second, to, 0);
    device_release(second, to);
    device_close(second);
}

static void test_copies_fills_and_times(void **state) {
    struct device *device = open_numbered(*state, 0);
    uint64_t from = allocate_words(device), to = 0;
    struct event *start, *stop;
    struct error error = {0};
    double nanoseconds = -1;
    assert_ok(device_allocate(device, 4 * WORDS, &to, &error), &error);
    assert_ok(device_event_create(device, &start, &error), &error);
    assert_ok(device_event_create(device, &stop, &error), &error);
    assert_ok(device_event_record(device, start, &error), &error);
    assert_ok(device_copy_on_device(device, to, from, 4 * WORDS, &error), &error);
    assert_ok(device_event_record(device, stop, &error), &error);
    assert_ok(device_synchronize(device, &error), &error);
    assert_ok(device_event_elapsed(device, start, stop, &nanoseconds, &error), &error);
    assert_true(nanoseconds > 0);
    assert_words(device, to, 0);
    assert_ok(device_fill(device, to, 0xa5, 8, &error), &error);
    uint32_t head[3];
    assert_ok(device_copy_to_host(device, head, to, sizeof head, &error), &error);
    assert_int_equal(head[0], 0xa5a5a5a5);
    assert_int_equal(head[1], 0xa5a5a5a5);
    assert_int_equal(head[2], 2);
    device_event_destroy(device, start);
    device_event_destroy(device, stop);
    device_release(device, from);
    device_release(device, to);
    device_close(device);
}

// Every other word, and back into a matrix of another pitch.
static void test_copies_rows(void **state) {
    struct device *device = open_numbered(*state, 0);
    uint64_t words = allocate_words(device);
    uint32_t found[WORDS] = {0};
    struct error error = {0};
    struct device_rows rows = {words, 8, found, 4, 4, WORDS / 2, true};
    assert_ok(device_copy_rows(device, &rows, &error), &error);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(found[i], i < WORDS / 2 ? 2 * i : 0);
    }
    rows = (struct device_rows){words, 32, found, 16, 16, WORDS / 8, false};
    assert_ok(device_copy_rows(device, &rows, &error), &error);
    assert_ok(device_copy_to_host(device, found, words, sizeof found, &error), &error);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(found[i], i % 8 < 4 ? i / 8 * 8 + i % 8 * 2 : i);
    }
    device_release(device, words);
    device_close(device);
}

// Barriers, shuffles, and as much dynamic shared memory as there is after opting in.
static void test_opts_in_to_shared_memory(void **state) {
    struct device *device = open_numbered(*state, 0);
    struct kernel *kernel = build(device, "sum_block");
    uint64_t words = allocate_words(device), sum = 0;
    struct error error = {0};
    assert_ok(device_allocate(device, 4, &sum, &error), &error);
    const struct argument arguments[] = {{.type = ARGUMENT_POINTER, .value.pointer = words},
                                         {.type = ARGUMENT_POINTER, .value.pointer = sum}};
    struct launch launch = {.grid = {1, 1, 1},
                            .block = {256, 1, 1},
                            .dynamic_shared_bytes = device->info.shared_bytes_per_block_max + 1024,
                            .arguments = arguments,
                            .argument_count = 2};
    // What was refused is not taken as allowed.

    assert_int_equal(device_launch(device, kernel, &launch, &error), STATUS_FAILED);
    launch.dynamic_shared_bytes = device->info.shared_bytes_per_block_max;
    assert_ok(device_launch(device, kernel, &launch, &error), &error);
    uint32_t found = 0;
    assert_ok(device_copy_to_host(device, &found, sum, sizeof found, &error), &error);
    assert_int_equal(found, 255 * 256 / 2);
    launch.dynamic_shared_bytes += 1024;
    assert_int_equal(device_launch(device, kernel, &launch, &error), STATUS_FAILED);
    assert_contains(error.text, "launching sum_block over 1x1x1 blocks of 256x1x1 threads");
    device_discard(device, kernel);
    device_release(device, words);
    device_release(device, sum);
    device_close(device);
}

// ---- Faults ----

static void test_shows_why_a_kernel_does_not_compile(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 0);
    const struct kernel_source source = {.file_name = "broken.cu",
                                         .text = "#include \"device/kernel/kernel.h\"\n"
                                                 "KERNEL void broken(word_t *words) { *words = nonsense; }\n"};
    struct kernel_request request = request_of("broken");
    struct kernel *kernel = NULL;
    struct error error = {0};
    request.source = &source;
    assert_int_equal(device_build(device, &request, &kernel, &error), STATUS_FAILED);
    assert_null(kernel);
    assert_contains(error.text, "broken.cu: broken does not compile for");
    assert_contains(error.text, expected->arch);
    assert_contains(error.text, "WIDTH=4 FACTOR=-3 WARP_WIDTH=");
    assert_contains(error.log, "nonsense");
    error_clear(&error);
    request = request_of("absent");
    assert_int_equal(device_build(device, &request, &kernel, &error), STATUS_FAILED);
    assert_contains(error.text, "loading absent of tests/kernels/of_test_gpu.cu");
    error_clear(&error);
    device_close(device);
}

static void test_says_when_memory_runs_out(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 0);
    uint64_t address = 0;
    struct error error = {0};
    assert_int_equal(device_allocate(device, (size_t)65 << 20, &address, &error), STATUS_FAILED);
    assert_contains(error.text, expected->out_of_memory);
    assert_contains(error.text, "68157440 bytes");
    assert_int_equal(address, 0);
    assert_ok(device_allocate(device, 64, &address, &error), &error);
    device_release(device, address);
    device_close(device);
}

static void test_says_when_the_device_is_lost(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 0), *other = open_numbered(expected, 1);
    uint64_t words = allocate_words(device), others = allocate_words(other);
    struct kernel *kernel = build(device, "add");
    struct error error = {0};
    setenv("FAKE_FAIL", "launch:2", 1);
    assert_ok(launch_add(device, kernel, words, 0, &error), &error);
    assert_ok(device_synchronize(device, &error), &error);
    assert_ok(launch_add(device, kernel, words, 0, &error), &error);
    assert_int_equal(device_synchronize(device, &error), STATUS_FAILED);
    unsetenv("FAKE_FAIL");
    assert_contains(error.text, expected->name);
    assert_contains(error.text, expected->lost);
    assert_int_equal(launch_add(device, kernel, words, 0, &error), STATUS_FAILED);
    assert_contains(error.text, expected->lost);
    assert_words(other, others, 0); // the other one is not
    device_release(other, others);
    device_discard(device, kernel);
    device_release(device, words);
    device_close(device);
    device_close(other);
}

// ---- Links ----

static void test_knows_how_far_apart_devices_are(void **state) {
    (void)state;
    const char *first = "/sys/devices/pci0000:00/0000:00:01.0/0000:1a:00.0";
    assert_string_equal(pci_common(first, "/sys/devices/pci0000:00/0000:00:01.0/0000:1b:00.0"), "PCIe, one switch");
    assert_string_equal(pci_common(first, "/sys/devices/pci0000:00/0000:00:02.0/0000:2a:00.0"),
                        "PCIe, one host bridge");
    assert_string_equal(pci_common(first, "/sys/devices/pci0000:80/0000:80:01.0/0000:9a:00.0"),
                        "PCIe, two host bridges");
    assert_string_equal(pci_common(first, "/sys/devices/LNXSYSTM:00/0000:9a:00.0"), "PCIe");
}

// ---- Streams ----

// Words go from device to device by way of the host, in streams of which one waits for the other's event.
static void test_waits_for_events(void **state) {
    struct device *device = open_numbered(*state, 0), *other = open_numbered(*state, 1);
    struct kernel *kernel = build(device, "add");
    uint64_t words = allocate_words(device), others = allocate_words(other);
    void *host = page_allocate(4 * WORDS);
    struct stream *stream;
    struct event *event;
    struct error error = {0};
    setenv("FAKE_ORDER", "lazy", 1);
    assert_ok(device_stream_create(device, &stream, &error), &error);
    assert_ok(device_event_create(device, &event, &error), &error);
    assert_ok(device_pin(device, host, 4 * WORDS, &error), &error);
    assert_ok(launch_add_in(device, stream, kernel, words, 4, &error), &error);
    assert_ok(device_copy_to_host_in(device, stream, host, words, 4 * WORDS, &error), &error);
    assert_ok(device_event_record_in(device, stream, event, &error), &error);
    assert_ok(device_event_wait_in(other, NULL, event, &error), &error);
    assert_ok(device_copy_to_device_in(other, NULL, others, host, 4 * WORDS, &error), &error);
    assert_words(other, others, 1);
    unsetenv("FAKE_ORDER");
    device_event_destroy(device, event);
    device_stream_destroy(device, stream);
    device_unpin(device, host);
    free(host);
    device_discard(device, kernel);
    device_release(device, words);
    device_release(other, others);
    device_close(device);
    device_close(other);
}

// ---- Libraries ----

static char *test_environment(const char *name) {
    static const char *const variables[][2] = {{"CUDA_HOME", "/home/cuda"},
                                               {"CUDA_PATH", ""},
                                               {"PYTHONPATH", "/first:/second"},
                                               {"HOME", "/home/me"},
                                               {"PATH", "/bin:/opt/conda/bin:/sbin"}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (!strcmp(variables[i][0], name)) {
            return (char *)(uintptr_t)variables[i][1];
        }
    }
    return NULL;
}

static const struct library_search search = {
    .title = "A library",
    .advice = "install it",
    .names = (const char *const[]){"liba.so.2", "liba.so", NULL},
    .variables = (const char *const[]){"CUDA_HOME", "CUDA_PATH", NULL},
    .folders = (const char *const[]){"/opt/a", "/opt/a-*", NULL},
    .wheels = (const char *const[]){"vendor/a/lib", NULL},
};

static void test_knows_where_to_look(void **state) {
    (void)state;
    static const char *const expected[] = {
        "/home/cuda/lib64/liba.so.2",
        "/home/cuda/lib64/liba.so",
        "/home/cuda/lib/liba.so.2",
        "/home/cuda/lib/liba.so",
        "/home/cuda/targets/*/lib/liba.so.2",
        "/home/cuda/targets/*/lib/liba.so",
        "/home/cuda/cuda/lib64/liba.so.2",
        "/home/cuda/cuda/lib64/liba.so",
        "liba.so.2",
        "liba.so",
        "/opt/a/lib64/liba.so.2",
        "/opt/a/lib64/liba.so",
        "/opt/a/lib/liba.so.2",
        "/opt/a/lib/liba.so",
        "/opt/a/targets/*/lib/liba.so.2",
        "/opt/a/targets/*/lib/liba.so",
        "/opt/a/cuda/lib64/liba.so.2",
        "/opt/a/cuda/lib64/liba.so",
        "/opt/a-*/lib64/liba.so.2",
        "/opt/a-*/lib64/liba.so",
        "/opt/a-*/lib/liba.so.2",
        "/opt/a-*/lib/liba.so",
        "/opt/a-*/targets/*/lib/liba.so.2",
        "/opt/a-*/targets/*/lib/liba.so",
        "/opt/a-*/cuda/lib64/liba.so.2",
        "/opt/a-*/cuda/lib64/liba.so",
        "/program/wheels/vendor/a/lib/liba.so.2",
        "/program/wheels/vendor/a/lib/liba.so",
        "/first/vendor/a/lib/liba.so.2",
        "/first/vendor/a/lib/liba.so",
        "/second/vendor/a/lib/liba.so.2",
        "/second/vendor/a/lib/liba.so",
        "/home/me/.local/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
        "/home/me/.local/lib/python3*/site-packages/vendor/a/lib/liba.so",
        "/opt/conda/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
        "/opt/conda/lib/python3*/site-packages/vendor/a/lib/liba.so",
        "/usr/local/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
    };
    char **found = library_candidates(&search, test_environment, "/program");
    assert_non_null(found);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_string_equal(found[i], expected[i]);
    }
    library_candidates_free(found);
}

static void test_says_what_is_missing(void **state) {
    (void)state;
    struct library library;
    struct error error = {0};
    assert_int_equal(library_open(&search, NULL, 0, &library, &error), STATUS_NO_DEVICE);
    assert_string_equal(error.text, "A library (liba.so.2) was not found: install it");
}

static void test_says_where_it_looked(void **state) {
    (void)state;
    char *home = strdup(getenv("CUDA_HOME") ? getenv("CUDA_HOME") : "");
    setenv("CUDA_HOME", "/home/cuda", 1);
    unsetenv("CUDA_PATH");
    char *places = library_places(&search);
    assert_non_null(places);
    assert_contains(places,
                    "CUDA_HOME=/home/cuda, CUDA_PATH (not set), the loader's folders (LD_LIBRARY_PATH), /opt/a, ");
    assert_contains(places, "/wheels/");
    assert_contains(places, "/usr/lib/python3/dist-packages/");
    setenv("CUDA_HOME", home, 1);
    free(home);
    free(places);
}

static bool accept_none(void *handle, int wanted_version) {
    (void)wanted_version;
    (void)handle;
    return false;
}

// The C library is on every machine; where none suits, the first that opens is taken.
static void test_takes_what_opens(void **state) {
    (void)state;
    struct library_search c = search;
    c.names = (const char *const[]){"libnowhere.so.1", "libc.so.6", NULL};
    struct library library;
    struct error error = {0};
    assert_ok(library_open(&c, accept_none, 0, &library, &error), &error);
    assert_true(library.path[0] == '/');
    void *functions[2] = {0};
    const struct library_symbol symbols[] = {{"getenv_v9", "getenv", 0}, {"malloc", "malloc", sizeof(void *)}};
    struct library_table table = {.search = &c, .symbols = symbols, .symbol_count = 2, .calls = functions};
    assert_ok(library_load(&table, &error), &error);
    assert_non_null(functions[0]);
    assert_non_null(functions[1]);
    const struct library_symbol absent = {"getenv_v9", "getenv_v8", 0};
    struct library_table incomplete = {.search = &c, .symbols = &absent, .symbol_count = 1, .calls = functions};
    assert_int_equal(library_load(&incomplete, &error), STATUS_NO_DEVICE);
    assert_contains(error.text, "has no getenv_v9");
}

// ---- The fakes under the names of the real libraries, beside this program ----

static void set_up_fakes(char *program) {
    static const char *const names[][2] = {{"fake_cuda.so", "libcuda.so.1"},
                                           {"fake_cuda.so", "libnvrtc.so"},
                                           {"fake_hip.so", "libamdhip64.so"},
                                           {"fake_hip.so", "libhiprtc.so"}};
    char folder[PATH_MAX], libraries[PATH_MAX + 16], path[3 * PATH_MAX], from[PATH_MAX + 64], to[PATH_MAX + 64];
    if (getenv("FAKE_DRIVER") || readlink("/proc/self/exe", folder, sizeof folder) < 0) {
        return;
    }
    char *self = realpath("/proc/self/exe", NULL);
    snprintf(folder, sizeof folder, "%s/fake", dirname(self));
    snprintf(libraries, sizeof libraries, "%s/lib", folder);
    mkdir(folder, 0777);
    mkdir(libraries, 0777);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(from, sizeof from, "../../%s", names[i][0]);
        snprintf(to, sizeof to, "%s/%s", libraries, names[i][1]);
        if (symlink(from, to) != 0 && access(to, F_OK) != 0) {
            fprintf(stderr, "%s: cannot be made, or %s was not built: run make unit-tests\n", to, from);
        }
    }
    free(self);
    setenv("FAKE_DRIVER", "1", 1);
    snprintf(path, sizeof path, "%s:%s", libraries, getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "");
    setenv("LD_LIBRARY_PATH", path, 1); // the loader reads it when a program starts
    setenv("CUDA_HOME", folder, 1);
    setenv("ROCM_PATH", folder, 1);
    execv("/proc/self/exe", (char *[]){program, NULL});
}

// A test of one backend; skipped where the backend was left out of the build.
struct backend_test {
    enum backend_kind backend;
    const struct expected *expected;
    void (*test)(void **state);
};

static void run_on_backend(void **state) {
    const struct backend_test *on = *state;
    if (backend_of(on->backend)->missing) {
        skip();
    }
    void *expected = (void *)(uintptr_t)on->expected;
    on->test(&expected);
}

#define ON(kind, expected, test)                                                                                       \
    {                                                                                                                  \
#expected ": " #test, run_on_backend, NULL, NULL, &(struct backend_test) {                                     \
            kind, &expected, test                                                                                      \
        }                                                                                                              \
    }
#define ON_BACKEND(kind, expected)                                                                                     \
    ON(kind, expected, test_describes_its_devices), ON(kind, expected, test_refuses_absent_devices),                   \
        ON(kind, expected, test_runs_two_devices_at_once), ON(kind, expected, test_waits_for_events),                  \
        ON(kind, expected, test_copies_rows), ON(kind, expected, test_opens_one_device_twice),                         \
        ON(kind, expected, test_copies_fills_and_times), ON(kind, expected, test_opts_in_to_shared_memory),            \
        ON(kind, expected, test_shows_why_a_kernel_does_not_compile),                                                  \
        ON(kind, expected, test_says_when_memory_runs_out), ON(kind, expected, test_says_when_the_device_is_lost)

int main(int argument_count, char **arguments) {
    (void)argument_count;
    set_up_fakes(arguments[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knows_where_to_look),
        cmocka_unit_test(test_says_what_is_missing),
        cmocka_unit_test(test_says_where_it_looked),
        cmocka_unit_test(test_takes_what_opens),
        cmocka_unit_test(test_knows_how_far_apart_devices_are),
        ON_BACKEND(BACKEND_CUDA, cuda),
        ON_BACKEND(BACKEND_HIP, hip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
