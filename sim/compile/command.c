#include "sim/compile/command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/sources.h"

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
