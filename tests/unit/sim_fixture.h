// Helpers of the simulator's tests: devices, the kernels of tests/data/kernels/, launches in one line.
#ifndef TESTS_UNIT_SIM_FIXTURE_H
#define TESTS_UNIT_SIM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "sim/sim.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const struct backend *const sim = &sim_backend;

// Fails the test with the error's message.
static inline void must(enum status status, struct error *error) {
    if (status != STATUS_OK) {
        fail_msg("%s\n%s", error->text, error->log ? error->log : "");
    }
}

static inline struct device *open_sim(const char *gpu) {
    struct error error = {0};
    struct device *device;
    must(sim->open(gpu, &device, &error), &error);
    return device;
}

enum {
    SHARED_SIMS = 8
};

static struct {
    const char *gpu;
    struct device *device;
} shared_sims[SHARED_SIMS];

// The device that all tests of one compiler share, so that each kernel file is compiled once. Buffers are not released.
static inline struct device *shared_sim(const char *gpu) {
    size_t i = 0;
    while (shared_sims[i].gpu && strcmp(shared_sims[i].gpu, gpu) != 0) {
        i++;
    }
    assert_in_range(i, 0, SHARED_SIMS - 2);
    if (!shared_sims[i].gpu) {
        shared_sims[i].device = open_sim(gpu);
        shared_sims[i].gpu = gpu;
    }
    return shared_sims[i].device;
}

static inline void close_shared_sims(void) {
    for (size_t i = 0; shared_sims[i].gpu; i++) {
        device_close(shared_sims[i].device);
        shared_sims[i].gpu = NULL;
    }
}

static inline enum status build_ptx(struct device *device, const char *name, const char *text, const char *entry,
                                    struct kernel **kernel, struct error *error) {
    const struct kernel_source source = {name, text};
    const struct kernel_request request = {.source = &source, .entry = entry, .language = KERNEL_PTX};
    return device_build(device, &request, kernel, error);
}

static inline uint64_t allocate(struct device *device, size_t bytes) {
    struct error error = {0};
    uint64_t address;
    must(device_allocate(device, bytes, &address, &error), &error);
    return address;
}

static inline uint64_t upload(struct device *device, const void *data, size_t bytes) {
    struct error error = {0};
    uint64_t address = allocate(device, bytes);
    must(device_copy_to_device(device, address, data, bytes, &error), &error);
    return address;
}

static inline void download(struct device *device, void *data, uint64_t address, size_t bytes) {
    struct error error = {0};
    must(device_copy_to_host(device, data, address, bytes, &error), &error);
}

// A file of tests/data/kernels as a string that lives as long as the program.
static inline const char *kernel_text(const char *path) {
    static char texts[4][1 << 16];
    static const char *paths[4];
    for (size_t i = 0; i < LENGTH(texts); i++) {
        if (paths[i] && !strcmp(paths[i], path)) {
            return texts[i];
        }
        if (paths[i]) {
            continue;
        }
        FILE *file = fopen(path, "r");
        if (!file) {
            fail_msg("%s is missing: run the tests in the repository's root", path);
        }
        texts[i][fread(texts[i], 1, sizeof texts[i] - 1, file)] = '\0';
        fclose(file);
        paths[i] = path;
        return texts[i];
    }
    return NULL;
}

static inline enum status try_build(struct device *device, const char *path, const char *entry,
                                    struct kernel_constant constant, struct kernel **kernel, struct error *error) {
    struct kernel_source source = {path, kernel_text(path)};
    struct kernel_constant constants[] = {{"WIDTH", 16}, constant};
    struct kernel_request request = {.source = &source,
                                     .entry = entry,
                                     .constants = constants,
                                     .constant_count = constant.name ? 2 : 1,
                                     .from_file = true};
    return device_build(device, &request, kernel, error);
}

struct shape {
    struct dimensions grid, block;
    uint32_t dynamic_shared_bytes;
};

static inline struct shape one_block(uint32_t threads) {
    return (struct shape){{1, 1, 1}, {threads, 1, 1}, 0};
}

static inline enum status try_launch(struct device *device, struct kernel *kernel, struct shape shape,
                                     const struct argument *arguments, size_t count, struct error *error) {
    struct launch launch = {.grid = shape.grid,
                            .block = shape.block,
                            .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                            .arguments = arguments,
                            .argument_count = count};
    enum status status = device_launch(device, kernel, &launch, error);
    return status == STATUS_OK ? device_synchronize(device, error) : status;
}

#define POINTER(address)                                                                                               \
    {                                                                                                                  \
        ARGUMENT_POINTER, {                                                                                            \
            .pointer = (address)                                                                                       \
        }                                                                                                              \
    }
#define U32(number)                                                                                                    \
    {                                                                                                                  \
        ARGUMENT_U32, {                                                                                                \
            .u32 = (number)                                                                                            \
        }                                                                                                              \
    }

// Builds, launches, discards.
static inline void run_kernel(struct device *device, const char *path, const char *entry, struct shape shape,
                              const struct argument *arguments, size_t count) {
    struct error error = {0};
    struct kernel *kernel;
    must(try_build(device, path, entry, (struct kernel_constant){"PAD", 0}, &kernel, &error), &error);
    must(try_launch(device, kernel, shape, arguments, count, &error), &error);
    device_discard(device, kernel);
}

#define RUN(device, path, entry, shape, ...)                                                                           \
    do {                                                                                                               \
        const struct argument run_arguments[] = {__VA_ARGS__};                                                         \
        run_kernel(device, path, entry, shape, run_arguments, LENGTH(run_arguments));                                  \
    } while (0)

static inline struct launch_counts counts_of(struct device *device) {
    struct error error = {0};
    struct launch_counts counts;
    must(device_counts(device, &counts, &error), &error);
    return counts;
}

// Runs the tests once with each compiler that is installed, and names the others.
static inline int for_each_compiler(int (*run)(void)) {
    static const char *const compilers[] = {"gcc", "clang", "clang-19"};
    int failures = 0;
    for (size_t i = 0; i < LENGTH(compilers); i++) {
        char command[64];
        snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compilers[i]);
        if (system(command) != 0) {
            printf("SKIP kernels compiled by %s: it is not installed\n", compilers[i]);
            continue;
        }
        printf("# kernels compiled by %s\n", compilers[i]);
        fflush(stdout);
        setenv("CC", compilers[i], 1);
        failures += run();
        close_shared_sims();
    }
    return failures;
}

#endif
