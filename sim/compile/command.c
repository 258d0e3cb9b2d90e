#include "sim/compile/command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/headers.h"
#include "device/launch.h"
#include "sim/compile/text.h"
#include "util/embed.h"

#ifndef BANKSHOT_CC
#define BANKSHOT_CC "cc"
#endif

void command_add(struct command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (command->count == COMMAND_WORDS || vasprintf(&command->word[command->count], format, arguments) < 0) {
        command->cut = true;
    } else {
        command->count++;
    }
    va_end(arguments);
    command->word[command->count] = NULL;
}

void command_free(struct command *command) {
    for (size_t i = 0; i < command->count; i++) {
        free(command->word[i]);
    }
}

void command_add_compiler(struct command *command) {
    const char *text = getenv("CC");
    if (!text || !text[strspn(text, " ")]) {
        text = BANKSHOT_CC;
    }
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        command_add(command, "%.*s", (int)length, text);
        text += length;
    }
}

// For every compiler: calls a hook at each access and basic block, and keeps the accesses of the source.
static const char *const common_options[] = {
    "-O1",
    "-g",
    "-fPIC",
#if defined(__x86_64__)
    "-fno-plt", // hooks are called often; elsewhere such a call names a register and not the hook
#endif
    "-fvisibility=hidden",
    "-fno-optimize-sibling-calls",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-finite-loops",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fomit-frame-pointer",
    "-fno-stack-protector",
    "-fstack-clash-protection", // so that a large frame cannot step over the guard
    "-fsanitize=thread",
    "-fsanitize-coverage=trace-pc",
    "-fdiagnostics-color=never",
    "-DBANKSHOT_SIM=1",
    NULL};
static const char *const c_options[] = {
    "-x", "c", "-std=gnu11", "-fgnu89-inline", "-Werror=implicit-function-declaration", NULL};
// For C that was translated from PTX, which calls the hooks itself.
static const char *const ptx_options[] = {"-x",
                                          "c",
                                          "-std=gnu11",
                                          "-O1",
                                          "-w",
                                          "-fPIC",
                                          "-fvisibility=hidden",
                                          "-fno-optimize-sibling-calls",
                                          "-fno-strict-aliasing",
                                          "-fwrapv",
                                          "-fno-math-errno",
                                          "-ffp-contract=off",
                                          "-fno-stack-protector",
                                          "-fstack-clash-protection",
                                          "-fdiagnostics-color=never",
                                          NULL};
// For C that was translated from AMDGPU assembly: loops over lanes become vector instructions.
static const char *const wave_options[] = {"-x",
                                           "c",
                                           "-std=gnu11",
                                           "-O2",
                                           "-ftree-vectorize",
                                           "-w",
                                           "-fPIC",
                                           "-fvisibility=hidden",
                                           "-fno-strict-aliasing",
                                           "-fwrapv",
                                           "-fno-math-errno",
                                           "-fno-trapping-math",
                                           "-ffp-contract=off",
                                           "-fno-stack-protector",
                                           "-fstack-clash-protection",
                                           "-fdiagnostics-color=never",
                                           NULL};
// tree-sra would split the copy of a struct into its members; the other options duplicate or reorder basic blocks.
static const char *const gcc_options[] = {
    "-fno-tree-vectorize",
    "-fno-tree-sra",
    "-fno-ipa-sra",
    "-fno-thread-jumps",
    "-fno-reorder-blocks",
    "-fno-tree-loop-distribute-patterns",
    "-finline-functions",
    "-fno-var-tracking", // it would take most of the time, and no lane's variables are shown
    "--param=tsan-distinguish-volatile=1",
    "--param=max-unrolled-insns=10000",
    "--param=max-average-unrolled-insns=10000",
    NULL};
// -fno-verbose-asm: with doubles in the debug information, comments in the assembly contain NUL bytes.
static const char *const clang_options[] = {"-fno-verbose-asm",
                                            "-fno-vectorize",
                                            "-fno-slp-vectorize",
                                            "-fno-unroll-loops",
                                            "-fsanitize-coverage=bb,no-prune",
                                            "-mllvm",
                                            "-tsan-instrument-read-before-write=1",
                                            "-mllvm",
                                            "-tsan-distinguish-volatile=1",
                                            "-mllvm",
                                            "-enable-tail-merge=false",
                                            NULL};

static void add_all(struct command *command, const char *const *options) {
    for (; *options; options++) {
        command_add(command, "%s", *options);
    }
}

// The most frequent operation of PTX is one instruction where the processor has it, and a wave's lanes are vectors.
static void add_processor(struct command *command, bool vectors) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) {
        command_add(command, "-mfma");
    }
    if (vectors && __builtin_cpu_supports("avx2")) {
        command_add(command, "-mavx2");
        command_add(command, "-mbmi2");
    }
#else
    (void)command, (void)vectors;
#endif
}

struct command command_of_dialect(const struct scratch *scratch, enum kernel_language language, const struct gpu *gpu,
                                  bool gcc) {
    struct command command = {0};
    command_add_compiler(&command);
    if (kernel_is_translated(language)) {
        add_all(&command, language == KERNEL_PTX ? ptx_options : wave_options);
        add_processor(&command, language == KERNEL_AMDGCN);
        command_add(&command, "-I%s", scratch->path);
        return command;
    }
    add_all(&command, c_options);
    add_all(&command, common_options);
    add_all(&command, gcc ? gcc_options : clang_options);
    command_add(&command, "-I%s", scratch->path);
    command_add(&command, "-DWARP_WIDTH=%" PRIu32, gpu->warp_width);
    command_add(&command, "-include");
    command_add(&command, "%s/device/kernel/kernel_c11.h", scratch->path);
    return command;
}

struct command command_of_kernel(const struct scratch *scratch, const struct kernel_request *request,
                                 const struct gpu *gpu, bool gcc) {
    struct command command = command_of_dialect(scratch, request->language, gpu, gcc);
    const char *name = request->source->file_name, *slash = strrchr(name, '/');
    if (!kernel_is_translated(request->language)) { // what stands beside the file
        command_add(&command, "-iquote%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
    }
    for (size_t i = 0; i < request->constant_count; i++) {
        command_add(&command, "-D%s=%" PRId64, request->constants[i].name, request->constants[i].value);
    }
    command_add(&command, "%s/kernel.c", scratch->path);
    return command;
}

// ---- The files that the compiler reads ----

EMBED_FILE(ptx_header_async, "sim/ptx/kernel/async.h");
EMBED_FILE(ptx_header_fragment, "sim/ptx/kernel/fragment.h");
EMBED_FILE(ptx_header_group, "sim/ptx/kernel/group.h");
EMBED_FILE(ptx_header_hooks, "sim/ptx/kernel/hooks.h");
EMBED_FILE(ptx_header_integers, "sim/ptx/kernel/integers.h");
EMBED_FILE(ptx_header_matrix, "sim/ptx/kernel/matrix.h");
EMBED_FILE(ptx_header_memory, "sim/ptx/kernel/memory.h");
EMBED_FILE(ptx_header_numbers, "sim/ptx/kernel/numbers.h");
EMBED_FILE(ptx_header_reduce, "sim/ptx/kernel/reduce.h");
EMBED_FILE(ptx_header_tensor, "sim/ptx/kernel/tensor.h");
EMBED_FILE(ptx_header_tensor_map, "sim/ptx/kernel/tensor_map.h");
EMBED_FILE(ptx_header_warp, "sim/ptx/kernel/warp.h");
EMBED_FILE(gcn_header_wave, "sim/amdgcn/kernel/wave.h");
EMBED_FILE(gcn_header_hooks, "sim/amdgcn/kernel/wave_hooks.h");

// What translations of PTX and of AMD's instructions include.
static const struct kernel_header translation_headers[] = {
    {"sim/ptx/kernel/async.h", ptx_header_async},
    {"sim/ptx/kernel/fragment.h", ptx_header_fragment},
    {"sim/ptx/kernel/group.h", ptx_header_group},
    {"sim/ptx/kernel/hooks.h", ptx_header_hooks},
    {"sim/ptx/kernel/integers.h", ptx_header_integers},
    {"sim/ptx/kernel/matrix.h", ptx_header_matrix},
    {"sim/ptx/kernel/memory.h", ptx_header_memory},
    {"sim/ptx/kernel/numbers.h", ptx_header_numbers},
    {"sim/ptx/kernel/reduce.h", ptx_header_reduce},
    {"sim/ptx/kernel/tensor.h", ptx_header_tensor},
    {"sim/ptx/kernel/tensor_map.h", ptx_header_tensor_map},
    {"sim/ptx/kernel/warp.h", ptx_header_warp},
    {"sim/amdgcn/kernel/wave.h", gcn_header_wave},
    {"sim/amdgcn/kernel/wave_hooks.h", gcn_header_hooks},
    {NULL, NULL},
};

EMBED_FILE(sim_hooks_header, "device/kernel/kernel_hooks.h");
EMBED_FILE(sim_c11_header, "device/kernel/kernel_c11.h");

// What the dialect's headers include.
static const struct kernel_header c_headers[] = {
    {"device/kernel/kernel_hooks.h", sim_hooks_header},
    {"device/kernel/kernel_c11.h", sim_c11_header},
    {NULL, NULL},
};
// What users' kernels include. Some of the toolkits' headers are empty, because the dialect provides their contents.
static const struct kernel_header toolkit_headers[] = {
    {"math_constants.h", "#define CUDART_INF_F ((float)INFINITY)\n#define CUDART_INF ((double)INFINITY)\n"
                         "#define CUDART_NAN_F ((float)NAN)\n#define CUDART_NAN ((double)NAN)\n"
                         "#define CUDART_PI_F 3.141592654f\n#define CUDART_PI M_PI\n"},
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"device_launch_parameters.h", ""},
    {"hip/hip_runtime.h", ""},
    {"assert.h", "#undef assert\n"
                 "#ifdef NDEBUG\n"
                 "#define assert(condition) ((void)0)\n"
                 "#else\n"
                 "#define assert(condition) ((condition) ? (void)0 : sim_trap(\"assertion failed: \" #condition))\n"
                 "#endif\n"},
    {NULL, NULL},
};

bool sim_is_own_kernel(const struct kernel_request *request) {
    return request->language == KERNEL_C && !request->from_file;
}

static void print_headers(const struct kernel_header *list, FILE *out) {
    for (; list && list->name; list++) {
        fprintf(out, "%s\n%s\n", list->name, list->text);
    }
}

void sim_print_own_headers(const struct kernel_request *request, FILE *out) {
    print_headers(kernel_headers, out);
    print_headers(c_headers, out);
    print_headers(request->headers, out);
}

static enum status write_headers(const struct scratch *scratch, const struct kernel_header *list, struct error *error) {
    for (; list && list->name; list++) {
        TRY(scratch_write_text(scratch, list->name, list->text, error));
    }
    return STATUS_OK;
}

// A translation is C already.
static enum status write_translation(const struct scratch *scratch, const struct kernel_request *request,
                                     struct error *error) {
    TRY(scratch_write_text(scratch, "kernel.c", request->source->text, error));
    return write_headers(scratch, translation_headers, error);
}

enum status sim_write_sources(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc, struct error *error) {
    if (kernel_is_translated(request->language)) {
        return write_translation(scratch, request, error);
    }
    const struct kernel_source *source = request->source;
    char *text = sim_source_text(source->file_name, source->text, gpu->shared_bytes_per_block, gcc);
    enum status status = text ? scratch_write_text(scratch, "kernel.c", text, error)
                              : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    free(text);
    const struct kernel_header *const lists[] = {kernel_headers, c_headers, request->headers, toolkit_headers};
    const size_t own = 3, all = sizeof lists / sizeof *lists;
    for (size_t i = 0; i < (sim_is_own_kernel(request) ? own : all) && status == STATUS_OK; i++) {
        status = write_headers(scratch, lists[i], error);
    }
    return status;
}
