// What the simulator counts of a launch. A counter is one line of a list: the structs, the sums and the means follow
// from the lists.
#ifndef DEVICE_LAUNCH_H
#define DEVICE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/gpus.h"
#include "model/time/time.h"
#include "model/work.h"
#include "util/embed.h"

// clang-format off
#define MEMORY_COUNTERS(COUNTER)                                                                          \
    COUNTER(requests)     /* warp-wide instructions */                                                    \
    COUNTER(lanes)        /* active lanes, summed */                                                      \
    COUNTER(lane_bytes)   /* active lanes * width, summed */                                              \
    COUNTER(sectors)      /* global: the smallest units that move (32 bytes on NVIDIA, a line on AMD) */     \
    COUNTER(again)        /* global: of these, how many move again, for atomics of lanes with one address */ \
    COUNTER(lines)        /* global: cache lines */                                                       \
    COUNTER(l1_clocks)    /* global: clocks for which the units' L1s are busy, if loads find all there */   \
    COUNTER(way_clocks)   /* global: clocks of the way to L2, for stores */                               \
    COUNTER(passes)       /* shared: trips through the data stage */                                      \
    COUNTER(conflicts)    /* shared: bank conflicts as the vendor's profiler counts them */               \
    COUNTER(unique_bytes) /* shared: distinct bytes that each request touches, summed */

// One for each space and operation; an atomic counts as a store.
#define LAUNCH_MEMORIES(MEMORY)                                                                           \
    MEMORY(global_load)                                                                                   \
    MEMORY(global_store)                                                                                  \
    MEMORY(shared_load)                                                                                   \
    MEMORY(shared_store)

#define LAUNCH_COUNTERS(COUNTER)                                                                          \
    COUNTER(warps)                                                                                        \
    COUNTER(instructions)         /* warp-wide steps: memory requests, barriers, shuffles, branches; of AMD's instructions vector_instructions */ \
    COUNTER(lane_steps)           /* active lanes, summed over instructions */                            \
    COUNTER(branches)             /* warp-wide branches */                                                \
    COUNTER(barriers)             /* warp-wide block barriers */                                          \
    COUNTER(atomics)              /* of lanes, on global memory */                                        \
    COUNTER(device_read_bytes)    /* at least, from memory: loads, and sectors that stores fill in part */\
    COUNTER(device_write_bytes)   /* distinct sectors written */                                          \
    COUNTER(cached_bytes)         /* of both, what the last-level cache serves in memory's place */       \
    COUNTER(atomics_in_turn)      /* on the most contended address of global memory */                    \
    COUNTER(atomic_slice_bytes)   /* on the busiest slice of L2 (model/work.h) */                         \
    COUNTER(chain_cycles)         /* of chained accesses: their latencies */                              \
    COUNTER(weighed_instructions) /* about as many as a GPU's compiler makes */                           \
    COUNTER(least_requests)       /* of volatile accesses: no compiler leaves these out */                \
    COUNTER(least_passes)         /* the same */                                                          \
    COUNTER(kept_passes)          /* shared: without loads that a compiler holds in registers or makes wider */\
    COUNTER(left_out)             /* shared: these loads */                                               \
    COUNTER(vector_instructions)  /* of AMD's instructions: arithmetic of vectors */                      \
    COUNTER(scalar_instructions)  /* arithmetic and control of scalars, with branches and waits */        \
    COUNTER(lds_instructions)     /* of shared memory, and exchanges between lanes */                     \
    COUNTER(vector_memory_instructions)                                                                   \
    COUNTER(scalar_memory_instructions)                                                                   \
    COUNTER(scratch_instructions)         /* of the vector-memory ones, those of private memory, as spilled registers make them */
// clang-format on

#define COUNTER_FIELD(name) double name;
#define MEMORY_FIELD(name) struct memory_counts name;

// The counts of one memory space and operation.
struct memory_counts {
    MEMORY_COUNTERS(COUNTER_FIELD)
};

// The counts of the whole grid, scaled up if only some blocks ran. All up to the error are doubles, which are summed.
struct launch_counts {
    LAUNCH_MEMORIES(MEMORY_FIELD)
    LAUNCH_COUNTERS(COUNTER_FIELD)
    struct memory_traffic memory;
    double sampling_error_pct; // standard error of the requests; NaN: unknown
    bool sampled;              // not all blocks ran
    // These are not summed:
    uint32_t atomic_float_bytes; // the width of atomics of floats; 0: there are none
    struct launch_bound bound;   // lower bound of the time on a part with these limits
    double predicted_ns;         // the model's prediction
    const char *predicted_by;    // the resource that takes most of the time
    double part_ns[TIME_PARTS];  // of struct launch_time
};

enum {
    LAUNCH_SUMS = offsetof(struct launch_counts, sampling_error_pct) / sizeof(double) // doubles, from the first on
};

// Adds the counts of another launch, or of another part of the same launch.
static inline void launch_counts_add(struct launch_counts *sum, const struct launch_counts *more) {
    for (size_t i = 0; i < LAUNCH_SUMS; i++) {
        ((double *)sum)[i] += ((const double *)more)[i];
    }
    sum->sampling_error_pct += more->sampling_error_pct; // at least the error of the mean, after the division
    sum->sampled |= more->sampled;
}

// Adds `steps` times what the next launch counts more than this one: the counts of a launch that does so much more.
static inline void launch_counts_extrapolate(struct launch_counts *counts, const struct launch_counts *next,
                                             double steps) {
    for (size_t i = 0; i < LAUNCH_SUMS; i++) {
        ((double *)counts)[i] += steps * (((const double *)next)[i] - ((const double *)counts)[i]);
    }
}

// Turns the sum of several launches into their mean.
static inline void launch_counts_mean(struct launch_counts *counts, double launches) {
    for (size_t i = 0; i < LAUNCH_SUMS; i++) {
        ((double *)counts)[i] /= launches;
    }
    counts->sampling_error_pct /= launches;
}

// Kernels and their launches: the input of device_build and device_launch.

// The simulator compiles a kernel as one of these.
enum kernel_language {
    KERNEL_C,     // the dialect of device/kernel/kernel.h
    KERNEL_CXX,   // CUDA C++ as people write it
    KERNEL_PTX,   // what CUDA's compilers make of it
    KERNEL_AMDGCN // what compilers make of it for AMD's GPUs, as text
};

// Whether the simulator translates it to C.
static inline bool kernel_is_translated(enum kernel_language language) {
    return language == KERNEL_PTX || language == KERNEL_AMDGCN;
}

// A kernel's text, as embedded in the program at build time.
struct kernel_source {
    const char *file_name; // "gmem/gmem.cu", for messages and source lines
    const char *text;      // NUL-terminated
};

// Embeds the kernel's file; the symbol is that of its text.
#define KERNEL_SOURCE(source, symbol, path)                                                                            \
    EMBED_FILE(symbol, path);                                                                                          \
    static const struct kernel_source source = {path, symbol}

// A header that kernels include by this name, also embedded.
struct kernel_header {
    const char *name; // "apsp/kernels/matrix.h"
    const char *text;
};

struct dimensions {
    uint32_t x, y, z;
};

// The blocks of a grid, or the threads of a block.
static inline uint64_t dimensions_count(const struct dimensions *dimensions) {
    return (uint64_t)dimensions->x * dimensions->y * dimensions->z;
}

enum argument_type {
    ARGUMENT_POINTER,
    ARGUMENT_8, // bits of a small number
    ARGUMENT_16,
    ARGUMENT_I32,
    ARGUMENT_U32,
    ARGUMENT_I64,
    ARGUMENT_U64,
    ARGUMENT_F32,
    ARGUMENT_F64
};

struct argument {
    enum argument_type type;
    union {
        uint64_t pointer; // a device address
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
};

static inline struct argument argument_pointer(uint64_t address) {
    return (struct argument){ARGUMENT_POINTER, {.pointer = address}};
}

static inline struct argument argument_u32(uint32_t value) {
    return (struct argument){ARGUMENT_U32, {.u32 = value}};
}

static inline struct argument argument_u64(uint64_t value) {
    return (struct argument){ARGUMENT_U64, {.u64 = value}};
}

struct launch {
    struct dimensions grid, block;
    uint32_t dynamic_shared_bytes;
    const struct argument *arguments; // must match the kernel's parameters in number and type
    size_t argument_count;
    double thread_instructions; // the program's count if it knows better than a prediction; 0: unknown
    uint32_t thread_registers;  // as a GPU's compiler says; 0: unknown
    bool overlaps;              // may begin before the last launch ends: its kernel waits (await_last_launch)
    bool chained;               // each access waits for the one before: the simulator runs its caches
    struct cycle cycle;         // whether launches before it went through the same footprint
    uint64_t finished;          // the device address of a uint32_t that counts finished blocks; 0: none
};

// Sets the arguments of a launch, which live as long as the block that it stands in.
#define LAUNCH_ARGUMENTS(...)                                                                                          \
    .arguments = (const struct argument[]){__VA_ARGS__},                                                               \
    .argument_count = sizeof(const struct argument[]){__VA_ARGS__} / sizeof(struct argument)

struct kernel_constant {
    const char *name; // becomes -Dname=value
    int64_t value;
};

// Sets the constants of a request, which live as long as the block that it stands in.
#define KERNEL_CONSTANTS(...)                                                                                          \
    .constants = (const struct kernel_constant[]){__VA_ARGS__},                                                        \
    .constant_count = sizeof(const struct kernel_constant[]){__VA_ARGS__} / sizeof(struct kernel_constant)

struct native_call {
    const struct launch *launch;             // pointers in its arguments are host addresses
    const struct kernel_constant *constants; // that the kernel was built with
    size_t constant_count;
};

// The same work in C for the CPU backend.
typedef void native_kernel(const struct native_call *call);

// A native kernel's arguments.
static inline void *native_pointer(const struct native_call *call, size_t index) {
    return (void *)(uintptr_t)call->launch->arguments[index].value.pointer; // NOLINT: it is a host address
}

static inline uint32_t native_u32(const struct native_call *call, size_t index) {
    return call->launch->arguments[index].value.u32;
}

static inline uint64_t native_u64(const struct native_call *call, size_t index) {
    return call->launch->arguments[index].value.u64;
}

// 0 if there is no constant of this name.
static inline int64_t native_constant(const struct native_call *call, const char *name) {
    for (size_t i = 0; i < call->constant_count; i++) {
        if (strcmp(call->constants[i].name, name) == 0) {
            return call->constants[i].value;
        }
    }
    return 0;
}

struct kernel_request {
    const struct kernel_source *source;
    const char *entry;                       // the __global__ function
    const struct kernel_constant *constants; // in addition to WARP_WIDTH, which every backend defines
    size_t constant_count;
    native_kernel *native; // NULL where the CPU has no such variant
    enum kernel_language language;
    bool from_file;            // a user's source, which may include further files
    const char *compiled_from; // PTX: the source whose lines .loc names; NULL: not known
    const char *parameters;    // PTX: the names of the entry's parameters, with commas between; NULL: not known
    // In addition to the dialect's, with a last one that has no name; NULL: there are none.
    const struct kernel_header *headers;
};

// All that a device's compilers see of a request: language, file, text, constants and headers, and the kernel where the
// compiled text depends on it. To be freed.
char *kernel_identity(const struct kernel_request *request);

#endif
