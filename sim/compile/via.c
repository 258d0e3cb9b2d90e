#include "sim/compile/via.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/headers.h"
#include "sim/compile/compile.h"
#include "sim/compile/kernel_cache.h"
#include "sim/compile/text.h"
#include "sim/compile/user/compile.h"
#include "sim/process.h"
#include "util/child.h"
#include "util/embed.h"
#include "util/file.h"

#ifdef HAVE_CUDA
#include "device/gpu/compile.h"
#endif

enum {
    OLDEST = 75 // the oldest that CUDA 13 compiles for
};

// An older part gets the PTX of the oldest one that compilers know. From sm_90 on there are instructions, such as
// wgmma, that are only for one part, which the a stands for.
static void write_architecture(char *text, size_t size, const struct gpu *gpu) {
    unsigned version = 0;
    sscanf(gpu->arch, "sm_%u", &version);
    snprintf(text, size, "compute_%u%s", version < OLDEST ? OLDEST : version, version >= 90 ? "a" : "");
}

// nvcc in PATH, or where CUDA is installed.
static bool find_nvcc(char path[PATH_MAX]) {
    static const char usual[] = "/usr/local/cuda/bin", name[] = "nvcc";
    const char *home = getenv("CUDA_HOME");
    char bin[PATH_MAX];
    snprintf(bin, sizeof bin, "%.*s/bin", PATH_MAX / 2, home ? home : "");
    return path_find_program(name, path) || (home && path_program_in(bin, strlen(bin), name, path)) ||
           path_program_in(usual, strlen(usual), name, path);
}

// ---- nvcc ----

static enum status run_nvcc(const struct scratch *scratch, const struct user_compiler *nvcc, struct error *error) {
    static const char *const options[] = {"-ptx", "-lineinfo", "-std=c++17", "-Wno-deprecated-gpu-targets", "-w", NULL};
    struct command command = {0};
    char arch[32];
    write_architecture(arch, sizeof arch, nvcc->gpu);
    command_add(&command, "%s", nvcc->program);
    command_add_all(&command, options);
    command_add(&command, "-arch=%s", arch);
    command_add_folder(&command, "-I", nvcc->request->source->file_name);
    command_add_constants(&command, nvcc->request);
    command_add(&command, "%s/kernel.cu", scratch->path);
    return command_run(&command, scratch, "kernel.ptx", error);
}

static enum status compile_by_nvcc(const struct user_compiler *nvcc, const char *text, char **ptx,
                                   struct error *error) {
    struct scratch scratch;
    size_t count;
    TRY(scratch_enter(&scratch, error));
    enum status status = scratch_write_text(&scratch, "kernel.cu", text, error);
    THEN(status, run_nvcc(&scratch, nvcc, error));
    *ptx = status == STATUS_OK ? scratch_read(&scratch, "kernel.ptx", &count) : NULL;
    if (status == STATUS_OK && !*ptx) {
        status = error_set(error, STATUS_FAILED, "nvcc left no PTX: run it by hand to see why");
    }
    scratch_leave(&scratch);
    return status;
}

static enum status user_by_nvcc(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                                struct error *error) {
    char path[PATH_MAX];
    const struct user_compiler nvcc = {.headers = {.all = true},
                                       .instantiate = "void *sim_instance = (void *)&%s;",
                                       .compile = compile_by_nvcc,
                                       .request = request,
                                       .gpu = gpu,
                                       .program = path};
    return find_nvcc(path) ? user_compile(&nvcc, ptx, error)
                           : error_set(error, STATUS_NO_DEVICE, "nvcc is not here: install CUDA's toolkit");
}

// ---- clang ----

// What every kernel of the program's own includes when clang compiles it, by itself or by with_runtime.
#define RUNTIME_INCLUDE "#include <hip/hip_runtime.h>\n"
#define OWN_INCLUDES RUNTIME_INCLUDE "#include \"device/kernel/kernel.h\"\n"

// One compilation.
struct clang {
    const char *program;
    struct sim_via *via; // of the device; NULL for a user's file
    const struct kernel_request *request;
    const struct gpu *gpu;
    const struct scratch *scratch;
};

// How clang compiles for one vendor's parts.
struct target {
    const char *language;
    int oldest; // version of clang
    const char *arch_option;
    const char *option;          // another one; NULL: none
    const char *const *fallback; // parts from new to old, of which clang may know only the older ones
};

// A part runs the instructions of the ones before it.
static const char *const nvidia_parts[] = {"sm_120", "sm_103", "sm_100", "sm_90a", "sm_90",
                                           "sm_89",  "sm_87",  "sm_86",  NULL};
static const char *const amd_parts[] = {"gfx950", "gfx942", "gfx90a", NULL};

// clang 14 moves a load of shared memory over a barrier.
static const struct target nvidia = {"cuda", 16, "--cuda-gpu-arch=", "--cuda-feature=+ptx80", nvidia_parts};
static const struct target amd = {"hip", 14, "--offload-arch=", NULL, amd_parts};

static const struct target *target_of(const struct gpu *gpu) {
    return gpu->vendor == VENDOR_NVIDIA ? &nvidia : &amd;
}

static enum status write_sources(const struct clang *clang, const char *text, struct error *error) {
    const struct kernel_header *const lists[] = {kernel_headers, clang_headers, clang->request->headers};
    TRY(scratch_write_text(clang->scratch, "kernel.cu", text, error));
    return sim_write_headers(clang->scratch, lists, sizeof lists / sizeof *lists, error);
}

// What compiles a file of the scratch folder for the part, but for what it makes.
static struct command command_for(const struct clang *clang, const char *arch, const char *file) {
    static const char *const options[] = {"--cuda-device-only",
                                          "-O3",
                                          "-gline-tables-only",
                                          "-std=c++17",
                                          "-fdeclspec",
                                          "-nogpuinc",
                                          "-nogpulib",
                                          "-fno-math-errno",
                                          "-w",
                                          "-ferror-limit=0",
                                          "-fno-caret-diagnostics",
                                          "-fdiagnostics-color=never",
                                          NULL};
    const struct target *target = target_of(clang->gpu);
    const char *folder = clang->scratch->path;
    struct command command = {0};
    command_add(&command, "%s", clang->program);
    command_add(&command, "-x");
    command_add(&command, "%s", target->language);
    command_add(&command, "%s%s", target->arch_option, arch);
    if (target->option) {
        command_add(&command, "%s", target->option);
    }
    command_add_all(&command, options);
    command_add(&command, "-DWARP_WIDTH=%" PRIu32, clang->gpu->warp_width);
    command_add(&command, "-I%s", folder);
    if (clang->request->from_file) {
        command_add_folder(&command, "-iquote", clang->request->source->file_name);
    }
    // Lines of headers have names that do not change from one scratch folder to the next.
    command_add(&command, "-fdebug-prefix-map=%s/=", folder);
    command_add(&command, "%s/%s", folder, file);
    return command;
}

static struct command command_of_kernel(const struct clang *clang, const char *arch) {
    struct command command = command_for(clang, arch, "kernel.cu");
    command_add_constants(&command, clang->request);
    return command;
}

// What clang and the host's headers make of what each of the program's own kernels includes. It is the same for all of
// them, so it is preprocessed once for a part. -P: otherwise the text would name the scratch folder.
static const char *preprocessed_once(const struct clang *clang, const char *arch) {
    static const char file[] = "headers.cu";
    struct sim_via *via = clang->via;
    if (via->headers && *via->arch) {
        return via->headers;
    }
    struct command command = command_for(clang, arch, file);
    command_add(&command, "-P");
    free(via->headers);
    via->headers = scratch_write_text(clang->scratch, file, OWN_INCLUDES, NULL) == STATUS_OK
                       ? command_preprocess(&command, clang->scratch)
                       : NULL;
    return via->headers;
}

// The whole source of one of the program's own kernels, which includes nothing but the program's headers and what these
// include of the host. The caller frees it; NULL if it is unknown.
static char *own_source(const struct clang *clang, const char *arch) {
    const char *known = preprocessed_once(clang, arch);
    if (!known) {
        return NULL;
    }
    struct written source;
    FILE *out = memory_stream(&source);
    fprintf(out, "%s\n%s\n%s\n", known, clang->request->source->file_name, clang->request->source->text);
    kernel_cache_print_headers(kernel_headers, out);
    kernel_cache_print_headers(clang_headers, out);
    kernel_cache_print_headers(clang->request->headers, out);
    return memory_stream_end(&source);
}

static char *preprocessed(const struct clang *clang, const char *arch) {
    struct command command = command_of_kernel(clang, arch);
    return command_preprocess(&command, clang->scratch);
}

static void set_key(struct kernel_cache *cache, const struct clang *clang, const char *arch) {
    if (cache->folder < 0) {
        return;
    }
    struct command command = command_of_kernel(clang, arch);
    char *source = sim_is_own_kernel(clang->request) ? own_source(clang, arch) : preprocessed(clang, arch);
    if (source) {
        kernel_cache_set_key(cache, clang->scratch, command_words(&command), "", source);
    }
    command_free(&command);
    free(source);
}

static enum status compile_anew(const struct clang *clang, const char *arch, char **code, struct error *error) {
    size_t count;
    struct command command = command_of_kernel(clang, arch);
    command_add(&command, "-S");
    TRY(command_run(&command, clang->scratch, "made", error));
    *code = scratch_read(clang->scratch, "made", &count);
    return *code ? STATUS_OK : error_set(error, STATUS_FAILED, "clang left no assembly: run it by hand to see why");
}

// Takes the assembly from the cache, or compiles it.
static enum status compile_for(const struct clang *clang, const char *arch, char **code, struct error *error) {
    struct kernel_cache cache;
    size_t count;
    TRY(kernel_cache_open(&cache, error));
    set_key(&cache, clang, arch);
    *code = kernel_cache_read(&cache, &count);
    const bool found = *code != NULL;
    const enum status status = found ? STATUS_OK : compile_anew(clang, arch, code, error);
    if (status == STATUS_OK && !found) {
        kernel_cache_write(&cache, *code, strlen(*code));
    }
    kernel_cache_close(&cache);
    return status;
}

static bool is_unknown_part(const struct error *error) {
    static const char *const messages[] = {"invalid target ID", "unknown target CPU",
                                           "unsupported HIP gpu architecture", "unsupported CUDA gpu architecture"};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (strstr(error->text, messages[i])) {
            return true;
        }
    }
    return false;
}

// From sm_90 on there are instructions, such as wgmma, that are only for one part, which the a stands for.
static void write_part(const struct gpu *gpu, char part[32]) {
    snprintf(part, 32, "%.16s%s", gpu->arch, strcmp(gpu->arch, "sm_90") == 0 ? "a" : "");
}

static enum status compile(const struct clang *clang, char **code, struct error *error) {
    const char *const *older = target_of(clang->gpu)->fallback;
    char part[32];
    if (clang->via && *clang->via->arch) {
        return compile_for(clang, clang->via->arch, code, error);
    }
    write_part(clang->gpu, part);
    const char *arch = part;
    enum status status = compile_for(clang, arch, code, error);
    while (*older && strcmp(*older, part) != 0) {
        older++;
    }
    for (older += *older != NULL; status != STATUS_OK && is_unknown_part(error) && *older; older++) {
        error_clear(error);
        arch = *older;
        status = compile_for(clang, arch, code, error);
    }
    if (clang->via && status == STATUS_OK) {
        snprintf(clang->via->arch, sizeof clang->via->arch, "%s", arch);
    }
    return status;
}

static enum status find_clang(const struct kernel_request *request, const struct gpu *gpu, char path[PATH_MAX],
                              struct error *error) {
    const struct target *target = target_of(gpu);
    return sim_find_llvm_tool("clang", path) && sim_llvm_tool_version(path) >= target->oldest
               ? STATUS_OK
               : error_set(error, STATUS_NO_DEVICE,
                           "%s: no compiler makes %s instructions of it: install clang %d or newer%s",
                           request->source->file_name, gpu->vendor == VENDOR_NVIDIA ? "NVIDIA's" : "AMD's",
                           target->oldest,
                           gpu->vendor == VENDOR_NVIDIA ? " (clang-19), or NVRTC (nvidia-cuda-nvrtc of PyPI)" : "");
}

static enum status compile_text(struct clang *clang, const char *text, char **code, struct error *error) {
    const struct kernel_request *request = clang->request;
    struct scratch scratch;
    struct error own = {0};
    *code = NULL;
    TRY(scratch_enter(&scratch, error));
    clang->scratch = &scratch;
    enum status status = write_sources(clang, text, &own);
    THEN(status, compile(clang, code, &own));
    if (status != STATUS_OK) {
        error_set(error, status, "%s (for %s): %.900s%s", request->source->file_name, clang->gpu->arch, own.text,
                  request->language == KERNEL_C ? "; --via c runs it by the host's compiler" : "");
        error_attach_log(error, own.log);
    }
    error_clear(&own);
    scratch_leave(&scratch);
    return status;
}

// Puts the headers' include before the text.
static char *with_runtime(const char *file_name, const char *text) {
    struct written whole;
    FILE *out = memory_stream(&whole);
    fputs(RUNTIME_INCLUDE, out);
    sim_text_line(out, 1, file_name);
    fprintf(out, "%s\n", text);
    return memory_stream_end(&whole);
}

// Finds the device's clang once, because to ask a clang for its version takes as long as to compile a small kernel.
static enum status find_clang_once(struct sim_via *via, const struct kernel_request *request, const struct gpu *gpu,
                                   struct error *error) {
    char path[PATH_MAX];
    if (!via->clang) {
        TRY(find_clang(request, gpu, path, error));
        via->clang = memory_copy(path);
    }
    return STATUS_OK;
}

// Sets *text, which was empty: PTX or AMDGPU assembly, by the GPU's vendor. STATUS_NO_DEVICE if there is no
// clang that can do it. The request's text is compiled as it is.
static enum status by_clang(struct sim_via *via, const struct kernel_request *request, const struct gpu *gpu,
                            struct gpu_text *text, struct error *error) {
    TRY(find_clang_once(via, request, gpu, error));
    struct clang clang = {via->clang, via, request, gpu, NULL};
    char *whole = with_runtime(request->source->file_name, request->source->text);
    const enum status status = compile_text(&clang, whole, &text->instructions, error);
    free(whole);
    return status;
}

static enum status compile_user(const struct user_compiler *compiler, const char *text, char **code,
                                struct error *error) {
    struct clang clang = {compiler->program, NULL, compiler->request, compiler->gpu, NULL};
    return compile_text(&clang, text, code, error);
}

// The same of a user's file.
static enum status user_by_clang(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                 struct error *error) {
    char clang[PATH_MAX];
    const struct user_compiler compiler = {.headers = {.list = clang_headers},
                                           .before = RUNTIME_INCLUDE,
                                           .instantiate = "void *sim_instance = (void *)&%s;",
                                           .compile = compile_user,
                                           .request = request,
                                           .gpu = gpu,
                                           .program = clang};
    TRY(find_clang(request, gpu, clang, error));
    return user_compile(&compiler, text, error);
}

// ---- NVRTC ----

#ifdef HAVE_CUDA
EMBED_FILE(kernel_constants, "device/kernel/constants.h");

// The types and constants that kernels take from C's headers, which NVRTC does not have.
static const char prelude[] =
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t; "
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; "
    "typedef unsigned long long uint64_t; typedef uint64_t uintptr_t;\n"
    "#include <device/kernel/constants.h>\n";

static enum status by_nvrtc(const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                            struct error *error) {
    char arch[32];
    struct gpu_code code;
    write_architecture(arch, sizeof arch, gpu);
    const enum status status = gpu_compile(&nvrtc_compiler, request, arch, gpu->warp_width, &code, error);
    *ptx = code.bytes;
    return status;
}

// One compilation in a process of its own, because a header may never end.
struct compilation {
    const struct user_compiler *compiler;
    const char *text;
};

// Sends a status, the PTX or the reason, and the compiler's log, each with a zero behind it.
static void compile_apart(FILE *results, void *context) {
    const struct compilation *compilation = context;
    const struct user_compiler *compiler = compilation->compiler;
    // NVRTC knows what these declare, apart from the types that come with cuBLAS.
    static const char cublas[] = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
    const struct kernel_header known[] = {{"device/kernel/constants.h", kernel_constants},
                                          {"cuda_runtime.h", ""},
                                          {"cuda.h", ""},
                                          {"device_launch_parameters.h", ""},
                                          {"cublas_v2.h", cublas},
                                          {"cublasLt.h", cublas},
                                          {NULL, NULL}};
    const struct kernel_source source = {compiler->request->source->file_name, compilation->text};
    struct kernel_request request = *compiler->request;
    struct error error = {0};
    char *ptx = NULL;
    fputc('B', results);
    fflush(results); // from now on the time is limited
    request.source = &source;
    request.headers = known;
    request.entry = request.entry ? request.entry : "the kernel"; // for messages
    const enum status status = by_nvrtc(&request, compiler->gpu, &ptx, &error);
    fprintf(results, "%d%s%c%s", (int)status, ptx ? ptx : error.text, '\0', error.log ? error.log : "");
    fputc('\0', results);
}

static enum status compile_by_nvrtc(const struct user_compiler *nvrtc, const char *text, char **ptx,
                                    struct error *error) {
    struct compilation compilation = {nvrtc, text};
    const struct child_task task = {.run = compile_apart,
                                    .context = &compilation,
                                    .what = "the compiler NVRTC",
                                    .limit_s = scratch_compiler_seconds(),
                                    .program = "lanes"};
    char *results = NULL;
    size_t bytes;
    enum status status = child_run(&task, &results, &bytes, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (bytes < 4 || results[bytes - 1]) {
        status = error_set(error, STATUS_FAILED, "the compiler NVRTC left nothing: close other programs");
    } else if (results[1] == '0') {
        *ptx = memory_copy(results + 2);
    } else {
        const char *log = results + strlen(results) + 1;
        status = error_set(error, (enum status)(results[1] - '0'), "%s", results + 2);
        error_attach_log(error, log < results + bytes ? log : "");
    }
    free(results);
    return status;
}
#endif

static enum status user_by_nvrtc(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                                 struct error *error) {
#ifdef HAVE_CUDA
    const struct user_compiler nvrtc = {
        .before = prelude,
        .instantiate = "template <auto> struct sim_instance {}; __device__ sim_instance<&%s> sim_instantiated;",
        .compile = compile_by_nvrtc,
        .request = request,
        .gpu = gpu};
    return user_compile(&nvrtc, ptx, error);
#else
    (void)request, (void)gpu, (void)ptx;
    return error_set(error, STATUS_NO_DEVICE, "NVRTC is not built in: install CUDA's headers and build bankshot again");
#endif
}

// ---- Whichever is here ----

// NVRTC, which starts fastest, comes first; nvcc understands more, because it has C++'s headers. What clang says of a
// file is of use only where nvcc is not here.
static enum status user_to_ptx(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                               struct error *error) {
    static enum status (*const compilers[])(const struct kernel_request *, const struct gpu *, struct gpu_text *,
                                            struct error *) = {user_by_nvrtc, user_by_nvcc, user_by_clang};
    enum status status = STATUS_NO_DEVICE;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        struct error now = {0};
        const enum status of_now = compilers[i](request, gpu, ptx, &now);
        if (of_now == STATUS_OK || of_now == STATUS_USAGE || status == STATUS_NO_DEVICE || of_now == STATUS_FAILED) {
            error_clear(error);
            *error = now;
            status = of_now;
        } else {
            error_clear(&now);
        }
        if (status == STATUS_OK || status == STATUS_USAGE ||
            (status == STATUS_FAILED && compilers[i] == user_by_nvcc)) {
            break;
        }
    }
    return status;
}

#ifdef HAVE_CUDA
// One of the program's own kernels includes nothing but these headers.
static void set_own_key(struct kernel_cache *cache, const struct kernel_request *request, const struct gpu *gpu) {
    FILE *out = kernel_cache_begin_key(cache);
    int major, minor;
    char arch[32];
    if (!out) {
        return;
    }
    write_architecture(arch, sizeof arch, gpu);
    nvrtc_compiler.version(&major, &minor);
    fprintf(out, "NVRTC %d.%d %s %" PRIu32 "\n", major, minor, arch, gpu->warp_width);
    for (const char *const *option = nvrtc_compiler.options; *option; option++) {
        fprintf(out, "%s\n", *option);
    }
    for (size_t i = 0; i < request->constant_count; i++) {
        fprintf(out, "%s=%" PRId64 "\n", request->constants[i].name, request->constants[i].value);
    }
    fprintf(out, "%s\n%s\n", request->source->file_name, request->source->text);
    kernel_cache_print_headers(kernel_headers, out);
    kernel_cache_print_headers(request->headers, out);
    memory_stream_end(&cache->key);
}

static enum status own_to_ptx(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                              struct error *error) {
    struct kernel_cache cache;
    size_t count;
    TRY(library_load(nvrtc_compiler.library, error));
    TRY(kernel_cache_open(&cache, error));
    set_own_key(&cache, request, gpu);
    ptx->instructions = kernel_cache_read(&cache, &count);
    const bool found = ptx->instructions != NULL;
    const enum status status = found ? STATUS_OK : by_nvrtc(request, gpu, &ptx->instructions, error);
    if (status == STATUS_OK && !found) {
        kernel_cache_write(&cache, ptx->instructions, strlen(ptx->instructions));
    }
    kernel_cache_close(&cache);
    return status;
}
#else
static enum status own_to_ptx(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                              struct error *error) {
    (void)gpu, (void)ptx;
    return error_set(
        error, STATUS_NO_DEVICE,
        "%s: no compiler makes PTX of it: install CUDA's, build bankshot again, or compile it elsewhere and "
        "give --ptx",
        request->source->file_name);
}
#endif

static enum status compile_to_ptx(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *ptx,
                                  struct error *error) {
    if (gpu->vendor != VENDOR_NVIDIA) {
        return error_set(error, STATUS_USAGE, "--via ptx: PTX is NVIDIA's: choose one of its GPUs, not %s", gpu->name);
    }
    return (request->language == KERNEL_CXX ? user_to_ptx : own_to_ptx)(request, gpu, ptx, error);
}

static enum status compile_to_amdgcn(struct sim_via *made, const struct kernel_request *request, const struct gpu *gpu,
                                     struct gpu_text *text, struct error *error) {
    if (gpu->vendor != VENDOR_AMD) {
        return error_set(error, STATUS_USAGE,
                         "--via amdgcn: these instructions are AMD's: choose one of its GPUs, not %s", gpu->name);
    }
    return request->language == KERNEL_CXX ? user_by_clang(request, gpu, text, error)
                                           : by_clang(made, request, gpu, text, error);
}

static char *identity_of(enum device_via via, const struct kernel_request *request) {
    char *of_request = kernel_identity(request);
    char *identity = memory_format("%d %s", (int)via, of_request);
    free(of_request);
    return identity;
}

enum status sim_via_get(struct sim_via *made, enum device_via via, const struct kernel_request *request,
                        const struct gpu *gpu, const struct gpu_text **text, struct error *error) {
    struct gpu_text now = {0};
    char *identity = identity_of(via, request);
    const size_t number = names_find(&made->requests, identity);
    enum status status = STATUS_OK;
    if (number == made->requests.count) {
        status = via == VIA_PTX ? compile_to_ptx(request, gpu, &now, error)
                                : compile_to_amdgcn(made, request, gpu, &now, error);
        if (status == STATUS_OK) {
            made->texts = memory_room(made->texts, number, sizeof *made->texts);
            made->texts[number] = now;
            names_number(&made->requests, identity);
        }
    }
    free(identity);
    *text = status == STATUS_OK ? &made->texts[number] : NULL;
    return status;
}

void sim_via_forget(struct sim_via *made) {
    for (size_t i = 0; i < made->requests.count; i++) {
        free(made->texts[i].instructions);
        free(made->texts[i].parameters);
    }
    free(made->texts);
    names_clear(&made->requests);
    free(made->clang);
    free(made->headers);
    made->clang = made->headers = NULL;
}

// A clang may be built for other targets only.
static bool makes_amdgcn(char *clang) {
    char option[] = "--print-targets", *words[] = {clang, option, NULL}, *targets = NULL;
    const bool made = scratch_run(NULL, words, &targets, NULL) == STATUS_OK && strstr(targets, "amdgcn");
    free(targets);
    return made;
}

enum device_via sim_via_usual(const struct gpu *gpu) {
    char clang[PATH_MAX];
    return gpu->vendor == VENDOR_AMD && sim_find_llvm_tool("clang", clang) &&
                   sim_llvm_tool_version(clang) >= amd.oldest && makes_amdgcn(clang)
               ? VIA_AMDGCN
               : VIA_C;
}

void sim_via_compiler(enum device_via via, char *text, size_t size) {
    char path[PATH_MAX], option[] = "--version", *words[] = {path, option, NULL};
    *text = '\0';
    if (via == VIA_AMDGCN && sim_find_llvm_tool("clang", path)) {
        scratch_first_line(words, text, size);
    }
#ifdef HAVE_CUDA
    if (via == VIA_PTX && library_load(nvrtc_compiler.library, NULL) == STATUS_OK) {
        int major, minor;
        nvrtc_compiler.version(&major, &minor);
        snprintf(text, size, "NVRTC %d.%d", major, minor);
    }
#endif
}
