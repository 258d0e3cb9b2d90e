// The CUDA and HIP backends end to end on a fake driver (tests/fakes/fake.h).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/device.h"
#include "device/gpu/gpu.h"
#include "tests/unit/gpu_fixture.h"
#include "util/clock.h"

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
    refuses("cuda1", "did you mean cuda? there are cuda, hip, cpu, sim");
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

// The driver clears released memory after the call; that of 16 MiB takes 1.1 ms at 0.06 of this GPU's 256 GB/s.
static void test_released_memory_is_cleared(void **state) {
    struct device *device = open_numbered(*state, 0);
    struct error error = {0};
    uint64_t address, other;
    assert_ok(device_allocate(device, 16 << 20, &address, &error), &error);
    assert_ok(device_allocate(device, 4096, &other, &error), &error);
    assert_true(device->quiet_s == 0);
    const double before_s = clock_s();
    device_release(device, address);
    assert_true(device->quiet_s >= before_s + 1.09e-3 && device->quiet_s <= clock_s() + 1.1e-3);
    device_release(device, other);
    device_close(device);
}

static void test_copies_from_a_peer(void **state) {
    struct device *device[2] = {open_numbered(*state, 0), open_numbered(*state, 1)};
    const uint64_t words[2] = {allocate_words(device[0]), allocate_words(device[1])};
    struct error error = {0};
    assert_ok(device_fill(device[1], words[1], 0, 4 * WORDS, &error), &error);
    assert_ok(device_synchronize(device[1], &error), &error);
    assert_ok(device_copy_from_peer_in(device[1], NULL, words[1], device[0], words[0], 4 * WORDS, &error), &error);
    assert_ok(device_synchronize(device[1], &error), &error);
    assert_words(device[1], words[1], 0);
    for (int i = 0; i < 2; i++) {
        device_release(device[i], words[i]);
        device_close(device[i]);
    }
}

static void test_reaches_a_peer(void **state) {
    struct device *device[2] = {open_numbered(*state, 0), open_numbered(*state, 1)};
    struct error error = {0};
    assert_ok(device_reach(device[0], device[0], &error), &error);
    assert_ok(device_reach(device[0], device[1], &error), &error);
    setenv("FAKE_FAIL", "reach", 1); // requested only once
    assert_ok(device_reach(device[0], device[1], &error), &error);
    assert_int_equal(device_reach(device[1], device[0], &error), STATUS_FAILED);
    assert_contains(error.text, "reaching the memory of ");
    unsetenv("FAKE_FAIL");
    for (int i = 0; i < 2; i++) {
        device_close(device[i]);
    }
}

static void test_allocates_pinned_memory(void **state) {
    struct device *device = open_numbered(*state, 0);
    struct error error = {0};
    void *memory = NULL;
    uint64_t address = 0;
    assert_ok(device_allocate_pinned(device, 100000, &memory, &error), &error);
    assert_ok(device_map(device, memory, &address, &error), &error);
    assert_int_equal(address, (uintptr_t)memory); // where the fakes map it
    device_release_pinned(device, memory);
    assert_int_equal(device_map(device, memory, &address, &error), STATUS_FAILED);
    setenv("FAKE_FAIL", "pin", 1);
    assert_int_equal(device_allocate_pinned(device, 100000, &memory, &error), STATUS_FAILED);
    assert_null(memory);
    assert_contains(error.text, "use less memory");
    unsetenv("FAKE_FAIL");
    device_close(device);
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

// Barriers, shuffles, and as much dynamic shared memory as opting in allows.
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
    // A refused amount does not count as allowed.

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

// A launch overlaps with the last one only on a driver that knows how, and only if its kernel waits.
static void test_overlaps_launches(void **state) {
    const struct expected *expected = *state;
    const bool knows = strcmp(expected->name, "cuda") == 0;
    struct device *device = open_numbered(*state, 0);
    struct kernel *kernel = build(device, "add");
    uint64_t words = allocate_words(device);
    const struct launch launch = {
        .grid = {1, 1, 1},
        .block = {256, 1, 1},
        LAUNCH_ARGUMENTS(argument_pointer(words), argument_u64(WORDS), argument_u32(3)),
        .overlaps = true,
    };
    struct error error = {0};
    assert_ok(device_launch(device, kernel, &launch, &error), &error);
    setenv("FAKE_FAIL", "overlap", 1);
    assert_int_equal(device_launch(device, kernel, &launch, &error), knows ? STATUS_FAILED : STATUS_OK);
    setenv("FAKE_COMPILED_FOR", "80", 1);
    assert_ok(device_launch(device, kernel, &launch, &error), &error);
    unsetenv("FAKE_COMPILED_FOR");
    unsetenv("FAKE_FAIL");
    device_discard(device, kernel);
    device_release(device, words);
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
    assert_contains(error.text, "loading absent of tests/data/kernels/of_test_gpu.cu");
    error_clear(&error);
    device_close(device);
}

// A compiler gets the headers of the request beside the dialect's, and no other file.
static void test_passes_headers(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 0);
    const struct kernel_source source = {.file_name = "with_header.cu",
                                         .text = "#include \"device/kernel/kernel.h\"\n\n"
                                                 "#include \"tests/data/kernels/own.h\"\n"
                                                 "KERNEL void with_header(word_t *words) { *words = OWN; }\n"};
    const struct kernel_header headers[] = {{"tests/data/kernels/own.h", "#define OWN 7\n"}, {NULL, NULL}};
    struct kernel_request request = request_of("with_header");
    struct kernel *kernel = NULL;
    struct error error = {0};
    request.source = &source;
    assert_int_equal(device_build(device, &request, &kernel, &error), STATUS_FAILED);
    error_clear(&error);
    request.headers = headers;
    assert_ok(device_build(device, &request, &kernel, &error), &error);
    device_discard(device, kernel);
    device_close(device);
}

// A kernel is compiled once a session, and again whenever anything that the compiler sees is another.
static void test_compiles_a_kernel_once(void **state) {
    const struct expected *expected = *state;
    struct device *device = open_numbered(expected, 0);
    const struct code_cache *cache = &((struct gpu_device *)device)->code_cache;
    const struct kernel_source source = {.file_name = "with_header.cu",
                                         .text = "#include \"device/kernel/kernel.h\"\n\n"
                                                 "#include \"tests/data/kernels/own.h\"\n"
                                                 "KERNEL void with_header(word_t *words) { *words = OWN; }\n"};
    struct kernel_header headers[] = {{"tests/data/kernels/own.h", "#define OWN 7\n"}, {NULL, NULL}};
    struct kernel_request request = request_of("with_header");
    request.source = &source;
    request.headers = headers;
    uint64_t word;
    struct error error = {0};
    assert_ok(device_allocate(device, 4, &word, &error), &error);
    for (uint32_t round = 0; round < 4; round++) {
        headers[0].text = round < 2 ? "#define OWN 7\n" : "#define OWN 8\n";
        struct kernel *kernel = NULL;
        uint32_t found = 0;
        const struct argument argument = argument_pointer(word);
        const struct launch launch = {
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = &argument, .argument_count = 1};
        assert_ok(device_build(device, &request, &kernel, &error), &error);
        assert_ok(device_launch(device, kernel, &launch, &error), &error);
        assert_ok(device_copy_to_host(device, &found, word, sizeof found, &error), &error);
        assert_int_equal(found, round < 2 ? 7 : 8);
        assert_int_equal(cache->requests.count, round < 2 ? 1 : 2);
        device_discard(device, kernel);
    }
    device_release(device, word);
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

static void test_knows_what_a_slot_carries(void **state) {
    (void)state;
    assert_float_equal(pci_peak_gb_s(32, 16), 63.015, 0.001); // PCI Express 5, 4 and 2
    assert_float_equal(pci_peak_gb_s(16, 16), 31.508, 0.001);
    assert_float_equal(pci_peak_gb_s(5, 8), 4, 0.001);
    assert_true(pci_peak_gb_s(0, 16) == 0);
}

// ---- Streams ----

// Words go from device to device through the host, in streams of which one waits for the other's event.
static void test_waits_for_events(void **state) {
    struct device *device = open_numbered(*state, 0), *other = open_numbered(*state, 1);
    struct kernel *kernel = build(device, "add");
    uint64_t words = allocate_words(device), others = allocate_words(other);
    void *host = page_allocate(4 * WORDS);
    struct stream *stream;
    struct event *event;
    struct error error = {0};
    setenv("FAKE_ORDER", "lazy", 1);
    assert_ok(device_stream_create(device, STREAM_FIRST, &stream, &error), &error);
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

// A test of one backend, skipped if the backend was left out of the build.
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
        ON(kind, expected, test_copies_rows), ON(kind, expected, test_copies_from_a_peer),                             \
        ON(kind, expected, test_released_memory_is_cleared), ON(kind, expected, test_reaches_a_peer),                  \
        ON(kind, expected, test_allocates_pinned_memory), ON(kind, expected, test_opens_one_device_twice),             \
        ON(kind, expected, test_copies_fills_and_times), ON(kind, expected, test_opts_in_to_shared_memory),            \
        ON(kind, expected, test_overlaps_launches), ON(kind, expected, test_shows_why_a_kernel_does_not_compile),      \
        ON(kind, expected, test_passes_headers), ON(kind, expected, test_compiles_a_kernel_once),                      \
        ON(kind, expected, test_says_when_memory_runs_out), ON(kind, expected, test_says_when_the_device_is_lost)

int main(int argument_count, char **arguments) {
    (void)argument_count;
    set_up_fakes(arguments[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knows_how_far_apart_devices_are),
        cmocka_unit_test(test_knows_what_a_slot_carries),
        ON_BACKEND(BACKEND_CUDA, cuda),
        ON_BACKEND(BACKEND_HIP, hip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
