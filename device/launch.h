// Kernels and their launches: the input of device_build and device_launch.
#ifndef DEVICE_LAUNCH_H
#define DEVICE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/counts.h"
#include "model/time/footprint.h"

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
    bool chained;               // each access waits for the one before: the simulator runs its caches
    struct cycle cycle;         // whether launches before it went through the same footprint
    uint64_t finished;          // the device address of a uint32_t that counts finished blocks; 0: none
};

struct kernel_constant {
    const char *name; // becomes -Dname=value
    int64_t value;
};

struct kernel_constants {
    const struct kernel_constant *values;
    size_t count;
};

// 0 if there is no constant of this name.
static inline int64_t kernel_constant_value(const struct kernel_constants *constants, const char *name) {
    for (size_t i = 0; i < constants->count; i++) {
        if (strcmp(constants->values[i].name, name) == 0) {
            return constants->values[i].value;
        }
    }
    return 0;
}

// The same work in C for the CPU backend, where pointers in the arguments are host addresses. The constants are those
// that the kernel was built with.
typedef void native_kernel(const struct launch *launch, const struct kernel_constants *constants);

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

#endif
