// HIP's run-time compiler.
#include <dlfcn.h>
#include <hip/hiprtc.h>
#include <stdint.h>

#include "device/gpu/compiler.h"
#include "device/gpu/rocm.h"

#define COMPILER_CALLS(F)                                                                                              \
    F(version, hiprtcVersion)                                                                                          \
    F(error_text, hiprtcGetErrorString)                                                                                \
    F(create, hiprtcCreateProgram)                                                                                     \
    F(compile, hiprtcCompileProgram)                                                                                   \
    F(destroy, hiprtcDestroyProgram)                                                                                   \
    F(log_size, hiprtcGetProgramLogSize)                                                                               \
    F(log, hiprtcGetProgramLog)                                                                                        \
    F(code_size, hiprtcGetCodeSize)                                                                                    \
    F(code, hiprtcGetCode)

// Up to ROCm 5.2 hiprtc was a part of the HIP library.
static const struct library_search compiler_search = {
    .title = "hiprtc",
    .names = (const char *const[]){"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                   "libamdhip64.so", "libamdhip64.so.5", NULL},
    ROCM_PLACES,
};

static bool suits_driver(void *handle, int driver_major) {
    (void)driver_major;
    return dlsym(handle, "hiprtcCreateProgram") != NULL;
}

static struct calls { COMPILER_CALLS(LIBRARY_FIELD) } calls;

#define COMPILER_SYMBOL(name, function) LIBRARY_SYMBOL(calls, name, function, #function),
static const struct library_symbol symbols[] = {COMPILER_CALLS(COMPILER_SYMBOL)};
static struct library_table library = {.search = &compiler_search,
                                       .accept = suits_driver,
                                       .symbols = symbols,
                                       .symbol_count = sizeof symbols / sizeof *symbols,
                                       .calls = &calls};

static void version(int *major, int *minor) {
    calls.version(major, minor);
}

static const char *error_text(int result) {
    return calls.error_text((hiprtcResult)result);
}

static int create(void **program, const char *text, const char *file_name, const char *header,
                  const char *header_name) {
    hiprtcProgram created = NULL;
    const hiprtcResult result = calls.create(&created, text, file_name, 1, &header, &header_name);
    *program = created;
    return (int)result;
}

static int compile(void *program, int count, const char *const *options) {
    return (int)calls.compile(program, count, (const char **)(uintptr_t)options);
}

static void destroy(void *program) {
    hiprtcProgram destroyed = program;
    calls.destroy(&destroyed);
}

static int log_size(void *program, size_t *size) {
    return (int)calls.log_size(program, size);
}

static int get_log(void *program, char *log) {
    return (int)calls.log(program, log);
}

static int code_size(void *program, const char *arch, size_t *size) {
    (void)arch;
    return (int)calls.code_size(program, size);
}

static int get_code(void *program, const char *arch, char *code) {
    (void)arch;
    return (int)calls.code(program, code);
}

static const char *const options[] = {"-std=c++17", "-O3", NULL};

const struct gpu_compiler hiprtc_compiler = {
    .name = "hiprtc",
    .arch_option = "--offload-arch=",
    .options = options,
    .library = &library,
    .version = version,
    .error_text = error_text,
    .create = create,
    .compile = compile,
    .destroy = destroy,
    .log_size = log_size,
    .log = get_log,
    .code_size = code_size,
    .code = get_code,
};
