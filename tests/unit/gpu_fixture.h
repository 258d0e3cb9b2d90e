// Shared by the tests of the GPU backends: kernels, devices of the fake drivers, work on them. Include it after
// cmocka.h.
#ifndef TESTS_UNIT_GPU_FIXTURE_H
#define TESTS_UNIT_GPU_FIXTURE_H

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"
#include "tests/unit/assertions.h"

enum {
    WORDS = 1024
};

static const struct kernel_source kernels = {
    .file_name = "tests/data/kernels/of_test_gpu.cu",
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

static inline struct kernel_request request_of(const char *entry) {
    return (struct kernel_request){.source = &kernels, .entry = entry, .constants = constants, .constant_count = 2};
}

// The backend under test, and the properties of its fake device.
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

static inline struct device *open_numbered(const struct expected *expected, int number) {
    char spec[16];
    struct error error = {0};
    struct device *device = NULL;
    snprintf(spec, sizeof spec, "%s:%d", expected->name, number);
    assert_ok(device_open(spec, &device, &error), &error);
    return device;
}

// Memory on the device with 0, 1, 2, ... in it.
static inline uint64_t allocate_words(struct device *device) {
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

static inline void assert_words(struct device *device, uint64_t address, uint32_t first) {
    uint32_t words[WORDS] = {0};
    struct error error = {0};
    assert_ok(device_copy_to_host(device, words, address, sizeof words, &error), &error);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(words[i], first + i);
    }
}

static inline struct kernel *build(struct device *device, const char *entry) {
    struct kernel_request request = request_of(entry);
    struct kernel *kernel = NULL;
    struct error error = {0};
    assert_ok(device_build(device, &request, &kernel, &error), &error);
    return kernel;
}

static inline enum status launch_add_in(struct device *device, struct stream *stream, struct kernel *kernel,
                                        uint64_t address, int32_t more, struct error *error) {
    const struct argument arguments[] = {{.type = ARGUMENT_POINTER, .value.pointer = address},
                                         {.type = ARGUMENT_U64, .value.u64 = WORDS},
                                         {.type = ARGUMENT_I32, .value.i32 = more}};
    const struct launch launch = {
        .grid = {WORDS / 128, 1, 1}, .block = {128, 1, 1}, .arguments = arguments, .argument_count = 3};
    return device_launch_in(device, stream, kernel, &launch, error);
}

static inline enum status launch_add(struct device *device, struct kernel *kernel, uint64_t address, int32_t more,
                                     struct error *error) {
    return launch_add_in(device, NULL, kernel, address, more, error);
}

// Links the fakes next to this program under the names of the real libraries, and restarts the program.
static inline void set_up_fakes(char *program) {
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

#endif
