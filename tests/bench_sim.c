// The simulator's speed: million lane accesses a second, for kernels that access memory in different ways.
//   build/tests/bench_sim [KERNEL]     by default all
// Run it on an idle machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "sim/sim.h"
#include "util/clock.h"

enum {
    TEXT_BYTES = 1 << 16,
    CONSTANTS_MAX = 6,
    ARGUMENTS_MAX = 6,
    BUFFERS = 2,
    REPEATS = 2 // the fastest counts
};

// An argument is a buffer's number if `buffer` is set.
struct given {
    bool buffer;
    uint64_t value;
    uint32_t bytes;
};

#define BUFFER(number)                                                                                                 \
    { true, number, 8 }
#define NUMBER32(number)                                                                                               \
    { false, number, 4 }
#define NUMBER64(number)                                                                                               \
    { false, number, 8 }

#define STRIDED_COPY(blocks, megabytes, elements, stride)                                                              \
    .file = "gmem/gmem.cu", .entry = "stride_copy", .constants = {{"WIDTH", 4}, {"ITEMS", 4}}, .constant_count = 2,    \
    .grid = {blocks, 1, 1}, .block = {256, 1, 1}, .buffer_bytes = (megabytes) << 20,                                   \
    .given = {BUFFER(0), BUFFER(1), NUMBER64(elements), NUMBER64(stride)}, .given_count = 4

#define SHARED_LOADS(stride)                                                                                           \
    .file = "smem/smem.cu", .entry = "shared_load", .constants = {{"WIDTH", 4}, {"UNROLL", 8}}, .constant_count = 2,   \
    .grid = {256, 1, 1}, .block = {256, 1, 1}, .shared_bytes = 32 << 10, .buffer_bytes = 1 << 20,                      \
    .given = {BUFFER(0), BUFFER(1), NUMBER32(stride), NUMBER32(1), NUMBER32(32), NUMBER64(1)}, .given_count = 6

static const struct workload {
    const char *name, *file, *entry;
    const char *header; // of the file's own; NULL: it includes none
    struct kernel_constant constants[CONSTANTS_MAX];
    size_t constant_count;
    struct dimensions grid, block;
    uint32_t shared_bytes;
    uint64_t buffer_bytes; // of each
    struct given given[ARGUMENTS_MAX];
    size_t given_count;
} workloads[] = {
    {"copy", STRIDED_COPY(16384, 64, 1 << 24, 1)},
    {"copy by stride 32", STRIDED_COPY(4096, 512, 1 << 22, 32)},
    {"shared memory", SHARED_LOADS(1)},
    {"shared memory with conflicts", SHARED_LOADS(32)},
    {.name = "reduction",
     .file = "reduce/reduce.cu",
     .entry = "sequential",
     .constants = {{"WIDTH", 16}, {"BITS", 32}, {"FLOATING", 0}, {"BLOCK", 256}, {"ITEMS", 4}, {"REDUX", 0}},
     .constant_count = 6,
     .grid = {8192, 1, 1},
     .block = {256, 1, 1},
     .shared_bytes = 1024,
     .buffer_bytes = 8 << 20,
     .given = {BUFFER(0), BUFFER(1), NUMBER64(1 << 21)},
     .given_count = 3},
    {.name = "transpose",
     .file = "tests/data/kernels/sim_dialect.cu",
     .entry = "transpose",
     .constants = {{"WIDTH", 16}, {"PAD", 0}},
     .constant_count = 2,
     .grid = {64, 64, 1},
     .block = {32, 8, 1},
     .buffer_bytes = 16 << 20,
     .given = {BUFFER(0), BUFFER(1), NUMBER32(2048)},
     .given_count = 3},
    {.name = "min-plus tiles",
     .file = "apsp/kernels/global.cu",
     .header = "apsp/kernels/matrix.h",
     .entry = "phase3",
     .constants = {{"TILE", 32}, {"BLOCK_X", 16}, {"BLOCK_Y", 16}, {"LINEAR", 0}, {"BOUNDED", 0}, {"BY_COLUMN", 0}},
     .constant_count = 6,
     .grid = {31, 31, 1},
     .block = {16, 16, 1},
     .buffer_bytes = 4 << 20,
     .given = {BUFFER(0), NUMBER32(1024), NUMBER32(3), NUMBER32(1024)},
     .given_count = 4},
};

static void must(enum status status, const struct error *error) {
    if (status != STATUS_OK) {
        fprintf(stderr, "bench_sim: %s\n", error->text);
        exit(1);
    }
}

static void read_file(const char *path, char text[TEXT_BYTES]) {
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "bench_sim: %s is missing: run it in the repository's root\n", path);
        exit(1);
    }
    text[fread(text, 1, TEXT_BYTES - 1, file)] = '\0';
    fclose(file);
}

static struct kernel *build(struct device *device, const struct workload *load) {
    static char text[TEXT_BYTES], header[TEXT_BYTES];
    struct error error = {0};
    struct kernel *kernel;
    read_file(load->file, text);
    if (load->header) {
        read_file(load->header, header);
    }
    const struct kernel_source source = {load->file, text};
    const struct kernel_header headers[] = {{load->header, header}, {NULL, NULL}};
    const struct kernel_request request = {.source = &source,
                                           .entry = load->entry,
                                           .constants = load->constants,
                                           .constant_count = load->constant_count,
                                           .headers = headers};
    must(device_build(device, &request, &kernel, &error), &error);
    return kernel;
}

static struct argument argument_of(const struct given *given, const uint64_t buffers[BUFFERS]) {
    return given->buffer       ? argument_pointer(buffers[given->value])
           : given->bytes == 8 ? argument_u64(given->value)
                               : argument_u32((uint32_t)given->value);
}

static double accesses_of(const struct launch_counts *counts) {
    const double bytes = counts->global_load.lane_bytes + counts->global_store.lane_bytes +
                         counts->shared_load.lane_bytes + counts->shared_store.lane_bytes;
    return bytes / 4; // every access of these kernels is 4 bytes wide, but for a few
}

// The speed of one launch.
static double launch(struct device *device, struct kernel *kernel, const struct workload *load) {
    struct error error = {0};
    struct launch_counts counts;
    uint64_t buffers[BUFFERS];
    struct argument arguments[ARGUMENTS_MAX];
    for (size_t i = 0; i < BUFFERS; i++) {
        must(device_allocate(device, load->buffer_bytes, &buffers[i], &error), &error);
    }
    for (size_t i = 0; i < load->given_count; i++) {
        arguments[i] = argument_of(&load->given[i], buffers);
    }
    const struct launch launch = {.grid = load->grid,
                                  .block = load->block,
                                  .dynamic_shared_bytes = load->shared_bytes,
                                  .arguments = arguments,
                                  .argument_count = load->given_count};
    const double begun_s = clock_s();
    must(device_launch(device, kernel, &launch, &error), &error);
    const double passed_s = clock_s() - begun_s;
    must(device_counts(device, &counts, &error), &error);
    for (size_t i = 0; i < BUFFERS; i++) {
        device_release(device, buffers[i]);
    }
    return accesses_of(&counts) / passed_s;
}

static void run(struct device *device, const struct workload *load) {
    struct kernel *kernel = build(device, load);
    double fastest = 0;
    for (int i = 0; i < REPEATS; i++) {
        const double speed = launch(device, kernel, load);
        fastest = speed > fastest ? speed : fastest;
    }
    device_discard(device, kernel);
    printf("%-30s %6.1f million lane accesses a second\n", load->name, fastest * 1e-6);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *const only = argc > 1 ? argv[1] : NULL;
    struct error error = {0};
    struct device *device;
    bool known = !only;
    must(sim_backend.open("h200", &device, &error), &error);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        if (!only || strcmp(only, workloads[i].name) == 0) {
            known = true;
            run(device, &workloads[i]);
        }
    }
    device_close(device);
    if (!known || argc > 2) {
        fprintf(stderr, "usage: bench_sim [KERNEL]: a kernel as it is printed\n");
        return 2;
    }
    return 0;
}
