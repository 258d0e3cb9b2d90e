#include "device/sim/compile/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/sim/compile/cxx/headers.h"
#include "device/sim/compile/kernel_cache.h"
#include "device/sim/compile/process.h"
#include "device/sim/compile/sources.h"
#include "device/sim/compile/text.h"

#ifndef BANKSHOT_CC
#define BANKSHOT_CC "cc"
#endif

enum {
    WORDS_MAX = 255
};

// The words of a command line, terminated by NULL.
struct words {
    char *word[WORDS_MAX + 1];
    size_t count;
    bool cut; // whether a word did not fit
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (words->count == WORDS_MAX || vasprintf(&words->word[words->count], format, arguments) < 0) {
        words->cut = true;
    } else {
        words->count++;
    }
    va_end(arguments);
    words->word[words->count] = NULL;
}

static void free_words(struct words *words) {
    for (size_t i = 0; i < words->count; i++) {
        free(words->word[i]);
    }
}

// Runs the command and frees its words. If output is not NULL, the caller frees *output, the command's output.
static enum status run_words(const struct scratch *scratch, struct words *words, char **output, struct error *error) {
    enum status status = words->cut ? error_set(error, STATUS_FAILED,
                                                "the compiler's command line has more than %d words, or no memory: "
                                                "define fewer constants",
                                                WORDS_MAX)
                                    : scratch_run(scratch, words->word, output, error);
    free_words(words);
    return status;
}

// The compiler's command may contain arguments: "gcc -m64".
static void add_compiler(struct words *words) {
    const char *command = getenv("CC");
    if (!command || !command[strspn(command, " ")]) {
        command = BANKSHOT_CC;
    }
    while (*(command += strspn(command, " "))) {
        size_t length = strcspn(command, " ");
        add(words, "%.*s", (int)length, command);
        command += length;
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
static const char *const cxx_options[] = {
    "-x", "c++", "-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-w", NULL};
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

static void add_all(struct words *words, const char *const *options) {
    for (; *options; options++) {
        add(words, "%s", *options);
    }
}

// What CUDA's and HIP's compilers say of the part that they compile for.
static void add_architecture(struct words *words, const struct gpu *gpu) {
    unsigned version = 0;
    if (gpu->vendor == VENDOR_NVIDIA && sscanf(gpu->arch, "sm_%u", &version) == 1) {
        add(words, "-D__CUDA_ARCH__=%u", 10 * version);
    } else {
        add(words, "-D__HIP_DEVICE_COMPILE__=1");
        add(words, "-D__%s__=1", gpu->arch);
    }
}

// gcc calls cc1plus to compile C++, and clang takes gcc's headers; either may be missing where C compiles.
static enum status explain_cxx(const struct kernel_source *source, struct error *error) {
    char header[64], reason[sizeof error->text];
    const bool missing = (strstr(error->text, "cannot execute") && strstr(error->text, "cc1plus")) ||
                         strstr(error->text, "'type_traits' file not found");
    if (missing) {
        return error_set(error, STATUS_FAILED,
                         "the compiler does not compile C++, which a .cu file is: install g++ or clang++");
    }
    if (cxx_library_passed_over(source->file_name, source->text, header, sizeof header)) {
        snprintf(reason, sizeof reason, "%s", error->text);
        error_set(error, STATUS_FAILED, "%.400s; the file's library %s is passed over: run it by --via ptx", reason,
                  header);
    }
    return STATUS_FAILED;
}

// PTX's most frequent operation is one instruction where the processor has it.
static void add_fused_multiply_add(struct words *words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) {
        add(words, "-mfma");
    }
#else
    (void)words;
#endif
}

// The command that compiles the scratch folder's kernel.c, but for what it makes.
static struct words compile_command(const struct scratch *scratch, const struct kernel_request *request,
                                    const struct gpu *gpu, bool gcc) {
    struct words words = {0};
    const bool cxx = request->language == KERNEL_CXX;
    add_compiler(&words);
    if (request->language == KERNEL_PTX) {
        add_all(&words, ptx_options);
        add_fused_multiply_add(&words);
        add(&words, "-I%s", scratch->path);
        add(&words, "%s/kernel.c", scratch->path);
        return words;
    }
    add_all(&words, cxx ? cxx_options : c_options);
    add_all(&words, common_options);
    add_all(&words, gcc ? gcc_options : clang_options);
    add(&words, "-I%s", scratch->path);
    const char *slash = strrchr(request->source->file_name, '/');
    if (slash) {
        add(&words, "-iquote%.*s", (int)(slash - request->source->file_name), request->source->file_name);
    }
    add(&words, "-DWARP_WIDTH=%" PRIu32, gpu->warp_width);
    if (cxx) {
        add_architecture(&words, gpu);
    }
    for (size_t i = 0; i < request->constant_count; i++) {
        add(&words, "-D%s=%" PRId64, request->constants[i].name, request->constants[i].value);
    }
    add(&words, "-include");
    add(&words, "%s/%s", scratch->path, sim_dialect_header(request->language));
    add(&words, "%s/kernel.c", scratch->path);
    return words;
}

// Turns the command into one that writes this file, and runs it.
static enum status run_to_file(const struct scratch *scratch, struct words *words, const char *file,
                               struct error *error) {
    add(words, "-o");
    add(words, "%s/%s", scratch->path, file);
    return run_words(scratch, words, NULL, error);
}

static enum status to_assembly(const struct scratch *scratch, const struct kernel_request *request,
                               const struct gpu *gpu, bool gcc, struct error *error) {
    struct words words = compile_command(scratch, request, gpu, gcc);
    add(&words, "-S");
    const enum status status = run_to_file(scratch, &words, "plain.s", error);
    return status != STATUS_OK && request->language == KERNEL_CXX && error ? explain_cxx(request->source, error)
                                                                           : status;
}

// -dD: the macros that the compiler defines show for which processor it compiles. -g0: otherwise the text would name
// the working folder.
static enum status preprocess(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc) {
    struct words words = compile_command(scratch, request, gpu, gcc);
    add(&words, "-E");
    add(&words, "-dD");
    add(&words, "-g0");
    return run_to_file(scratch, &words, "kernel.i", NULL);
}

static enum status to_library(const struct scratch *scratch, bool cxx, struct error *error) {
    size_t count;
    char *plain = scratch_read(scratch, "plain.s", &count);
    if (!plain) {
        return error_set(error, STATUS_FAILED,
                         errno == ENOMEM ? "no memory for a kernel: close other programs"
                                         : "the compiler left no assembly: set CC to gcc or clang");
    }
    char *text = sim_assembly_text(plain, cxx);
    enum status status = text ? scratch_write_text(scratch, "kernel.s", text, error)
                              : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    free(text);
    free(plain);
    if (status != STATUS_OK) {
        return status;
    }
    struct words words = {0};
    add_compiler(&words);
    add(&words, "-shared");
    add(&words, "%s/kernel.s", scratch->path);
    add(&words, "-lm");
    return run_to_file(scratch, &words, "kernel.so", error);
}

static enum status load(const struct scratch *scratch, void **handle, int *debug, struct error *error) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/kernel.so", PATH_MAX / 2, scratch->path);
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        return error_set(error, STATUS_FAILED, "the compiled kernel cannot be loaded: %s", dlerror());
    }
    *debug = open(path, O_RDONLY | O_CLOEXEC);
    if (*debug < 0) {
        dlclose(*handle);
        return error_set(error, STATUS_FAILED, "the compiled kernel cannot be read: set TMPDIR to another folder");
    }
    return STATUS_OK;
}

// Puts the kernel's name and constants before the compiler's error.
static void name_kernel(const struct kernel_request *request, struct error *error) {
    if (!error) {
        return;
    }
    char reason[sizeof error->text], constants[256] = "";
    snprintf(reason, sizeof reason, "%s", error->text);
    for (size_t i = 0; i < request->constant_count; i++) {
        size_t length = strlen(constants);
        snprintf(constants + length, sizeof constants - length, " %s=%" PRId64, request->constants[i].name,
                 request->constants[i].value);
    }
    const size_t length = strlen(request->source->file_name);
    if (!strncmp(reason, request->source->file_name, length) && reason[length] == ':') {
        return; // it names a line of the file
    }
    error_set(error, STATUS_FAILED, "%s%s%s%s: %s", request->source->file_name, *constants ? " (with" : "", constants,
              *constants ? ")" : "", reason);
}

// The key of what is compiled, if there is a cache and the source can be preprocessed.
static void set_key(struct kernel_cache *cache, const struct scratch *scratch, const struct kernel_request *request,
                    const struct gpu *gpu, const char *compiler, bool gcc) {
    if (cache->folder >= 0 && preprocess(scratch, request, gpu, gcc) == STATUS_OK) {
        struct words words = compile_command(scratch, request, gpu, gcc);
        if (!words.cut) {
            kernel_cache_set_key(cache, scratch, words.word, compiler);
        }
        free_words(&words);
    }
}

static enum status compile_anew(const struct scratch *scratch, const struct kernel_request *request,
                                const struct gpu *gpu, bool gcc, void **handle, int *debug, struct error *error) {
    enum status status;
    if (request->language == KERNEL_PTX) {
        struct words words = compile_command(scratch, request, gpu, gcc);
        add(&words, "-shared");
        add(&words, "-lm");
        status = run_to_file(scratch, &words, "kernel.so", error);
        return status == STATUS_OK ? load(scratch, handle, debug, error) : status;
    }
    status = to_assembly(scratch, request, gpu, gcc, error);
    if (status == STATUS_OK) {
        status = to_library(scratch, request->language == KERNEL_CXX, error);
    }
    return status == STATUS_OK ? load(scratch, handle, debug, error) : status;
}

// Loads the library from the cache, or compiles it.
static enum status find_or_compile(const struct scratch *scratch, const struct kernel_request *request,
                                   const struct gpu *gpu, const char *compiler, void **handle, int *debug,
                                   struct error *error) {
    const bool gcc = !strstr(compiler, "clang");
    struct kernel_cache cache;
    enum status status = kernel_cache_open(&cache, error);
    if (status == STATUS_OK) {
        status = sim_write_sources(scratch, request, gpu, gcc, error);
    }
    if (status == STATUS_OK) {
        set_key(&cache, scratch, request, gpu, compiler, gcc);
    }
    const bool found = kernel_cache_read(&cache, scratch) && load(scratch, handle, debug, NULL) == STATUS_OK;
    if (status == STATUS_OK && !found) {
        status = compile_anew(scratch, request, gpu, gcc, handle, debug, error);
        if (status == STATUS_OK) {
            kernel_cache_write(&cache, scratch);
        }
    }
    kernel_cache_close(&cache);
    return status;
}

enum status sim_compile(const struct kernel_request *request, const struct gpu *gpu, const char *compiler,
                        void **handle, int *debug, struct error *error) {
    struct scratch scratch;
    enum status status = scratch_enter(&scratch, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = find_or_compile(&scratch, request, gpu, compiler, handle, debug, error);
    scratch_leave(&scratch);
    if (status != STATUS_OK) {
        name_kernel(request, error);
    }
    return status;
}

void sim_compiler_version(char *text, size_t size) {
    struct scratch scratch;
    *text = '\0';
    if (scratch_enter(&scratch, NULL) != STATUS_OK) {
        return;
    }
    struct words words = {0};
    add_compiler(&words);
    add(&words, "--version");
    char *version = NULL;
    if (run_words(&scratch, &words, &version, NULL) == STATUS_OK) {
        snprintf(text, size, "%.*s", (int)strcspn(version, "\n"), version);
    }
    free(version);
    scratch_leave(&scratch);
}
