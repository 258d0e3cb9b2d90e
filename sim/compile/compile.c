#include "sim/compile/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/kernel/headers.h"
#include "sim/compile/assembly.h"
#include "sim/compile/kernel_cache.h"
#include "sim/compile/text.h"
#include "util/embed.h"
#include "util/file.h"

#ifndef BANKSHOT_CC
#define BANKSHOT_CC "cc"
#endif

void command_add(struct command *command, const char *format, ...) {
    char *word;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0) {
        memory_end();
    }
    va_end(arguments);
    command->word = memory_room(command->word, command->count, sizeof *command->word);
    command->word[command->count++] = word;
}

char *const *command_words(struct command *command) {
    command->word = memory_room(command->word, command->count, sizeof *command->word);
    command->word[command->count] = NULL;
    return command->word;
}

void command_free(struct command *command) {
    for (size_t i = 0; i < command->count; i++) {
        free(command->word[i]);
    }
    free(command->word);
}

void command_add_all(struct command *command, const char *const *words) {
    for (; *words; words++) {
        command_add(command, "%s", *words);
    }
}

void command_add_folder(struct command *command, const char *option, const char *file_name) {
    const char *slash = strrchr(file_name, '/');
    command_add(command, "%s%.*s", option, slash ? (int)(slash - file_name) : 1, slash ? file_name : ".");
}

void command_add_constants(struct command *command, const struct kernel_request *request) {
    for (size_t i = 0; i < request->constant_count; i++) {
        command_add(command, "-D%s=%" PRId64, request->constants[i].name, request->constants[i].value);
    }
}

enum status command_run(struct command *command, const struct scratch *scratch, const char *file, struct error *error) {
    command_add(command, "-o");
    command_add(command, "%s/%s", scratch->path, file);
    const enum status status = scratch_run(scratch, command_words(command), NULL, error);
    command_free(command);
    return status;
}

// -dD: the macros that the compiler defines show for which processor it compiles. -g0: otherwise the text would name
// the working folder.
char *command_preprocess(struct command *command, const struct scratch *scratch) {
    size_t count;
    command_add(command, "-E");
    command_add(command, "-dD");
    command_add(command, "-g0");
    const enum status status = command_run(command, scratch, "kernel.i", NULL);
    return status == STATUS_OK ? scratch_read(scratch, "kernel.i", &count) : NULL;
}

// Adds the compiler that CC names. CC may contain arguments: "gcc -m64".
static void command_add_compiler(struct command *command) {
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
// For C that was translated from PTX, which calls the hooks itself, or from AMDGPU assembly.
#define TRANSLATED                                                                                                     \
    "-x", "c", "-std=gnu11", "-w", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv",                  \
        "-fno-math-errno", "-ffp-contract=off", "-fno-stack-protector", "-fstack-clash-protection",                    \
        "-fdiagnostics-color=never", "-Og" // more would take longer to compile than it saves when the kernel runs
static const char *const ptx_options[] = {TRANSLATED, "-fno-optimize-sibling-calls", NULL};
static const char *const wave_options[] = {TRANSLATED, "-fno-trapping-math", NULL};
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

// The most frequent operation of translations is one instruction where the processor has it.
static void add_processor(struct command *command) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) {
        command_add(command, "-mfma");
    }
#else
    (void)command;
#endif
}

// One compilation.
struct job {
    const struct scratch *scratch;
    const struct kernel_request *request;
    struct sim_compiler *compiler;
    bool gcc;
};

// The part that is the same for all kernels of a language on GPUs with warps of one width.
static struct command command_of_dialect(const struct job *job) {
    struct command command = {0};
    const enum kernel_language language = job->request->language;
    command_add_compiler(&command);
    if (kernel_is_translated(language)) {
        command_add_all(&command, language == KERNEL_PTX ? ptx_options : wave_options);
        add_processor(&command);
        command_add(&command, "-I%s", job->scratch->path);
        return command;
    }
    command_add_all(&command, c_options);
    command_add_all(&command, common_options);
    command_add_all(&command, job->gcc ? gcc_options : clang_options);
    command_add(&command, "-I%s", job->scratch->path);
    command_add(&command, "-DWARP_WIDTH=%" PRIu32, job->compiler->gpu->warp_width);
    command_add(&command, "-include");
    command_add(&command, "%s/device/kernel/kernel_c11.h", job->scratch->path);
    return command;
}

// What compiles the scratch folder's kernel.c, but for what it makes.
static struct command command_of_kernel(const struct job *job) {
    const struct kernel_request *request = job->request;
    struct command command = command_of_dialect(job);
    if (request->from_file && !kernel_is_translated(request->language)) { // what stands beside it
        command_add_folder(&command, "-iquote", request->source->file_name);
    }
    command_add_constants(&command, request);
    command_add(&command, "%s/kernel.c", job->scratch->path);
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
EMBED_FILE(ptx_header_tensor, "sim/ptx/kernel/tensor.h");
EMBED_FILE(ptx_header_tensor_map, "sim/ptx/kernel/tensor_map.h");
EMBED_FILE(ptx_header_warp, "sim/ptx/kernel/warp.h");
EMBED_FILE(gcn_header_matrix, "sim/amdgcn/kernel/matrix.h");
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
    {"sim/ptx/kernel/tensor.h", ptx_header_tensor},
    {"sim/ptx/kernel/tensor_map.h", ptx_header_tensor_map},
    {"sim/ptx/kernel/warp.h", ptx_header_warp},
    {"sim/amdgcn/kernel/wave.h", gcn_header_wave},
    {"sim/amdgcn/kernel/wave_hooks.h", gcn_header_hooks},
    {"sim/amdgcn/kernel/matrix.h", gcn_header_matrix},
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

enum status sim_write_headers(const struct scratch *scratch, const struct kernel_header *const *lists, size_t count,
                              struct error *error) {
    for (size_t i = 0; i < count; i++) {
        for (const struct kernel_header *header = lists[i]; header && header->name; header++) {
            TRY(scratch_write_text(scratch, header->name, header->text, error));
        }
    }
    return STATUS_OK;
}

// Writes kernel.c and the headers into the folder. A translation is C already.
static enum status write_sources(const struct job *job, struct error *error) {
    const struct kernel_request *request = job->request;
    const struct kernel_source *source = request->source;
    const struct kernel_header *const of_translation[] = {translation_headers};
    const struct kernel_header *const lists[] = {kernel_headers, c_headers, request->headers, toolkit_headers};
    const size_t own = 3, all = sizeof lists / sizeof *lists;
    if (kernel_is_translated(request->language)) {
        TRY(scratch_write_text(job->scratch, "kernel.c", source->text, error));
        return sim_write_headers(job->scratch, of_translation, 1, error);
    }
    char *text = sim_source_text(source->file_name, source->text, job->compiler->gpu->shared_bytes_per_block, job->gcc);
    enum status status = scratch_write_text(job->scratch, "kernel.c", text, error);
    free(text);
    THEN(status, sim_write_headers(job->scratch, lists, sim_is_own_kernel(request) ? own : all, error));
    return status;
}

static enum status to_library(const struct scratch *scratch, struct error *error) {
    size_t count;
    char *plain = scratch_read(scratch, "plain.s", &count);
    if (!plain) {
        return error_set(error, STATUS_FAILED,
                         errno == ENOMEM ? "no memory for a kernel: close other programs"
                                         : "the compiler left no assembly: set CC to gcc or clang");
    }
    char *text = sim_assembly_text(plain);
    const enum status status = scratch_write_text(scratch, "kernel.s", text, error);
    free(text);
    free(plain);
    TRY(status);
    struct command command = {0};
    command_add_compiler(&command);
    command_add(&command, "-shared");
    command_add(&command, "%s/kernel.s", scratch->path);
    command_add(&command, "-lm");
    return command_run(&command, scratch, "kernel.so", error);
}

enum status sim_library_load(struct sim_library *library, struct error *error) {
    sim_confine_offer(library->file);
    library->handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    sim_confine_offer(-1);
    return library->handle ? STATUS_OK
                           : error_set(error, STATUS_FAILED, "the compiled kernel cannot be loaded: %s", dlerror());
}

void sim_library_close(struct sim_library *library) {
    if (library->handle) {
        dlclose(library->handle);
    }
    if (library->file >= 0) {
        close(library->file);
    }
    library->handle = NULL;
    library->file = -1;
}

static enum status open_library(const struct job *job, struct sim_library *library, struct error *error) {
    snprintf(library->path, sizeof library->path, "%.*s/kernel.so", PATH_MAX / 2, job->scratch->path);
    library->handle = NULL;
    library->file = open(library->path, O_RDONLY | O_CLOEXEC);
    if (library->file < 0) {
        return error_set(error, STATUS_FAILED, "the compiled kernel cannot be read: set TMPDIR to another folder");
    }
    const enum status status = job->compiler->loads_later ? STATUS_OK : sim_library_load(library, error);
    if (status != STATUS_OK) {
        sim_library_close(library);
    }
    return status;
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

// ---- The key of what is compiled ----

// The headers that every translation from this language includes; what else it includes, these include.
static void add_translation_headers(struct command *command, const struct scratch *scratch,
                                    enum kernel_language language) {
    static const char *const ptx[] = {"tensor", "fragment", "group", NULL}, *const wave[] = {"wave", NULL};
    for (const char *const *name = language == KERNEL_PTX ? ptx : wave; *name; name++) {
        command_add(command, "-include");
        command_add(command, "%s/sim/%s/kernel/%s.h", scratch->path, language == KERNEL_PTX ? "ptx" : "amdgcn", *name);
    }
}

// What the compiler and the host's headers make of the dialect, or of the headers of translations. It is the same for
// all of the program's own kernels, and for all translations from a language, so it is preprocessed once. -P: otherwise
// the text would name the scratch folder.
static const char *preprocessed_once(const struct job *job) {
    const enum kernel_language language = job->request->language;
    char **known = &job->compiler->preprocessed[language];
    if (!*known) {
        struct command command = command_of_dialect(job);
        if (kernel_is_translated(language)) {
            add_translation_headers(&command, job->scratch, language);
        }
        command_add(&command, "-P");
        command_add(&command, "/dev/null");
        *known = command_preprocess(&command, job->scratch);
    }
    return *known;
}

void sim_compiler_forget(struct sim_compiler *compiler) {
    for (size_t i = 0; i < sizeof compiler->preprocessed / sizeof *compiler->preprocessed; i++) {
        free(compiler->preprocessed[i]);
        compiler->preprocessed[i] = NULL;
    }
}

// The whole source of a kernel that includes nothing but the program's headers and what these include of the host.
static char *closed_source(const struct job *job) {
    const char *known = preprocessed_once(job);
    size_t count;
    char *kernel = scratch_read(job->scratch, "kernel.c", &count);
    if (!known || !kernel) {
        free(kernel);
        return NULL;
    }
    struct written text;
    FILE *out = memory_stream(&text);
    fprintf(out, "%s\n%s\n", known, kernel);
    if (kernel_is_translated(job->request->language)) {
        kernel_cache_print_headers(translation_headers, out); // a kernel's macros choose among their branches
    } else {
        kernel_cache_print_headers(kernel_headers, out);
        kernel_cache_print_headers(c_headers, out);
        kernel_cache_print_headers(job->request->headers, out);
    }
    free(kernel);
    return memory_stream_end(&text);
}

// The source with all that it includes. The caller frees it; NULL if it is unknown.
static char *whole_source(const struct job *job) {
    if (sim_is_own_kernel(job->request) || kernel_is_translated(job->request->language)) {
        return closed_source(job);
    }
    struct command command = command_of_kernel(job);
    return command_preprocess(&command, job->scratch);
}

static void set_key(struct kernel_cache *cache, const struct job *job) {
    char *source = cache->folder >= 0 ? whole_source(job) : NULL;
    if (source) {
        struct command command = command_of_kernel(job);
        kernel_cache_set_key(cache, job->scratch, command_words(&command), job->compiler->version, source);
        command_free(&command);
    }
    free(source);
}

// ---- Compiling ----

static enum status compile_anew(const struct job *job, struct error *error) {
    struct command command = command_of_kernel(job);
    if (kernel_is_translated(job->request->language)) {
        command_add(&command, "-shared");
        command_add(&command, "-lm");
        return command_run(&command, job->scratch, "kernel.so", error);
    }
    command_add(&command, "-S");
    TRY(command_run(&command, job->scratch, "plain.s", error));
    return to_library(job->scratch, error);
}

// Copies the key's library to kernel.so in the scratch folder. Returns false if the cache has no valid one.
static bool take_kept(const struct kernel_cache *cache, const struct scratch *scratch) {
    size_t count;
    char *library = kernel_cache_read(cache, &count);
    const bool taken = library && scratch_write(scratch, "kernel.so", library, count, NULL) == STATUS_OK;
    free(library);
    return taken;
}

static void keep(const struct kernel_cache *cache, const struct scratch *scratch) {
    size_t count;
    char *library = cache->key.text ? scratch_read(scratch, "kernel.so", &count) : NULL;
    if (library) {
        kernel_cache_write(cache, library, count);
    }
    free(library);
}

// Takes the library from the cache, or compiles it.
static enum status find_or_compile(const struct job *job, struct sim_library *library, struct error *error) {
    struct kernel_cache cache;
    enum status status = kernel_cache_open(&cache, error);
    THEN(status, write_sources(job, error));
    if (status == STATUS_OK) {
        set_key(&cache, job);
    }
    const bool found = take_kept(&cache, job->scratch) && open_library(job, library, NULL) == STATUS_OK;
    if (status == STATUS_OK && !found) {
        status = compile_anew(job, error);
        THEN(status, open_library(job, library, error));
        if (status == STATUS_OK) {
            keep(&cache, job->scratch);
        }
    }
    kernel_cache_close(&cache);
    return status;
}

enum status sim_compile(const struct kernel_request *request, struct sim_compiler *compiler,
                        struct sim_library *library, struct error *error) {
    struct scratch scratch;
    TRY(scratch_enter(&scratch, error));
    const struct job job = {&scratch, request, compiler, !strstr(compiler->version, "clang")};
    const enum status status = find_or_compile(&job, library, error);
    scratch_leave(&scratch);
    if (status != STATUS_OK) {
        name_kernel(request, error);
    }
    return status;
}

void sim_compiler_version(char *text, size_t size) {
    struct command command = {0};
    command_add_compiler(&command);
    command_add(&command, "--version");
    scratch_first_line(command_words(&command), text, size);
    command_free(&command);
}
