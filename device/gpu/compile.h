// Compiles a kernel's text to a GPU's code with the vendors' run-time compilers. Needs no GPU.
#ifndef DEVICE_GPU_COMPILE_H
#define DEVICE_GPU_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "device/gpu/library.h"
#include "util/text.h"

// ---- Compilers ----

// A vendor's run-time compiler as a table of calls, because NVRTC and hiprtc are called alike. A call returns the
// vendor's result, an int; 0 is success for both.

struct gpu_compiler {
    const char *name;           // "NVRTC"
    const char *arch_option;    // "--gpu-architecture="
    const char *const *options; // for every compilation, NULL at the end
    struct library_table *library;

    void (*version)(int *major, int *minor);
    // The newest arch, 90 for sm_90, that it compiles for and the device understands; 0: none. NULL where an arch is no
    // number.
    int (*best_arch)(int device_arch);
    const char *(*error_text)(int result);
    int (*create)(void **program, const char *text, const char *file_name, int headers, const char *const *header_texts,
                  const char *const *header_names);
    int (*compile)(void *program, int count, const char *const *options);
    void (*destroy)(void *program);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *log);
    // Machine code, or PTX if arch is a virtual one.
    int (*code_size)(void *program, const char *arch, size_t *size);
    int (*code)(void *program, const char *arch, char *code);
    // The i-th folder where the headers that kernels include may be; false if there are fewer. NULL: there are none.
    bool (*header_folder)(size_t i, char *path, size_t size);
};

extern const struct gpu_compiler nvrtc_compiler, hiprtc_compiler;

// For nvrtc.c and hiprtc.c, whose list COMPILER_CALLS(F) of F(name, function) names the vendor's functions: their
// pointers, the library that they come from, and the calls that take the same arguments for both vendors.
#define COMPILER_LIBRARY(search_, accept_)                                                                             \
    static struct calls { COMPILER_CALLS(LIBRARY_FIELD) } calls;                                                       \
    static const struct library_symbol symbols[] = {COMPILER_CALLS(LIBRARY_SYMBOL)};                                   \
    static struct library_table library = {LIBRARY_TABLE(search_, symbols, calls), .accept = (accept_)};

#define COMPILER_DEFINITIONS(program_type, result_type)                                                                \
    static void version(int *major, int *minor) {                                                                      \
        calls.version(major, minor);                                                                                   \
    }                                                                                                                  \
    static const char *error_text(int result) {                                                                        \
        return calls.error_text((result_type)result);                                                                  \
    }                                                                                                                  \
    static int create(void **program, const char *text, const char *file_name, int headers,                            \
                      const char *const *header_texts, const char *const *header_names) {                              \
        program_type created = NULL;                                                                                   \
        const int result = (int)calls.create(&created, text, file_name, headers, (void *)(uintptr_t)header_texts,      \
                                             (void *)(uintptr_t)header_names); /* hiprtc's are not constant */         \
        *program = created;                                                                                            \
        return result;                                                                                                 \
    }                                                                                                                  \
    static int compile(void *program, int count, const char *const *options) {                                         \
        return (int)calls.compile(program, count, (void *)(uintptr_t)options); /* nor are these */                     \
    }                                                                                                                  \
    static void destroy(void *program) {                                                                               \
        program_type destroyed = program;                                                                              \
        calls.destroy(&destroyed);                                                                                     \
    }                                                                                                                  \
    static int log_size(void *program, size_t *size) {                                                                 \
        return (int)calls.log_size(program, size);                                                                     \
    }                                                                                                                  \
    static int get_log(void *program, char *log) {                                                                     \
        return (int)calls.log(program, log);                                                                           \
    }

#define COMPILER_ROWS                                                                                                  \
    .library = &library, .version = version, .error_text = error_text, .create = create, .compile = compile,           \
    .destroy = destroy, .log_size = log_size, .log = get_log, .code_size = code_size, .code = get_code

// Machine code (a cubin, a code object), or PTX, which ends with a NUL that size counts.
struct gpu_code {
    char *bytes; // to be freed
    size_t size;
};

// arch: "sm_90" (a cubin), "compute_90" (PTX), "gfx90a", "gfx90a:sramecc+:xnack-".
// Returns STATUS_NO_DEVICE if the compiler is missing, and STATUS_FAILED if the kernel does not compile: the line names
// the file, the entry, the arch and the parameters, and the compiler's log is attached.
enum status gpu_compile(const struct gpu_compiler *compiler, const struct kernel_request *request, const char *arch,
                        uint32_t warp_width, struct gpu_code *code, struct error *error);

// ---- What was compiled in this session ----

// Measurements are repeated in rounds, and compiling a kernel takes longer than measuring it.

struct code_cache {
    struct names requests;  // by their identity
    struct gpu_code *codes; // by the request's number
};

// gpu_compile, unless a request of the same identity was compiled before. All kernels of a cache are compiled for one
// arch. The code stays the cache's, and where it is until the next call.
enum status code_cache_compile(struct code_cache *cache, const struct gpu_compiler *compiler,
                               const struct kernel_request *request, const char *arch, uint32_t warp_width,
                               const struct gpu_code **code, struct error *error);

void code_cache_destroy(struct code_cache *cache);

#endif
