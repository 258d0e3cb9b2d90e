#include "sim/compile/clang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/clang/headers.h"
#include "device/kernel/headers.h"
#include "sim/compile/compile.h"
#include "sim/compile/kernel_cache.h"
#include "sim/compile/text.h"
#include "sim/process.h"

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

// ---- The kernel's file ----

static enum status write_headers(const struct scratch *scratch, const struct kernel_header *list, struct error *error) {
    enum status status = STATUS_OK;
    for (; list && list->name && status == STATUS_OK; list++) {
        status = scratch_write_text(scratch, list->name, list->text, error);
    }
    return status;
}

static enum status write_sources(const struct scratch *scratch, const struct kernel_request *request, const char *text,
                                 struct error *error) {
    const struct kernel_header *const lists[] = {kernel_headers, clang_headers, request->headers};
    enum status status = scratch_write_text(scratch, "kernel.cu", text, error);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == STATUS_OK; i++) {
        status = write_headers(scratch, lists[i], error);
    }
    return status;
}

// ---- Compiling ----

static struct command command_for(const struct scratch *scratch, const char *clang,
                                  const struct kernel_request *request, const struct gpu *gpu, const char *arch) {
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
                                          "-fdiagnostics-color=never"};
    const struct target *target = target_of(gpu);
    struct command command = {0};
    const char *slash = strrchr(request->source->file_name, '/');
    command_add(&command, "%s", clang);
    command_add(&command, "-x");
    command_add(&command, "%s", target->language);
    command_add(&command, "%s%s", target->arch_option, arch);
    if (target->option) {
        command_add(&command, "%s", target->option);
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        command_add(&command, "%s", options[i]);
    }
    command_add(&command, "-DWARP_WIDTH=%" PRIu32, gpu->warp_width);
    for (size_t i = 0; i < request->constant_count; i++) {
        command_add(&command, "-D%s=%" PRId64, request->constants[i].name, request->constants[i].value);
    }
    command_add(&command, "-I%s", scratch->path);
    if (request->from_file) {
        command_add(&command, "-iquote%.*s", slash ? (int)(slash - request->source->file_name) : 1,
                    slash ? request->source->file_name : ".");
    }
    // Lines of headers have names that do not change from one scratch folder to the next.
    command_add(&command, "-fdebug-prefix-map=%s/=", scratch->path);
    command_add(&command, "%s/kernel.cu", scratch->path);
    return command;
}

// Runs the command with one more option, and returns what it makes. The caller frees it.
static enum status make(const struct scratch *scratch, struct command *command, const char *option, char **text,
                        struct error *error) {
    size_t count;
    *text = NULL;
    command_add(command, "%s", option);
    command_add(command, "-o");
    command_add(command, "%s/made", scratch->path);
    if (command->cut) {
        return error_set(error, STATUS_FAILED, "the compiler's command line is too long: define fewer constants");
    }
    TRY(scratch_run(command->word, NULL, error));
    *text = scratch_read(scratch, "made", &count);
    return *text ? STATUS_OK : error_set(error, STATUS_FAILED, "clang left no assembly: run it by hand to see why");
}

// The macros that clang defines, which -dD shows, name its version and the part.
static void set_key(struct kernel_cache *cache, const struct scratch *scratch, const char *clang,
                    const struct kernel_request *request, const struct gpu *gpu, const char *arch) {
    struct command command = command_for(scratch, clang, request, gpu, arch);
    char *source = NULL;
    command_add(&command, "-dD");
    if (cache->folder >= 0 && make(scratch, &command, "-E", &source, NULL) == STATUS_OK) {
        kernel_cache_set_key(cache, scratch, command.word, "", source);
    }
    command_free(&command);
    free(source);
}

static enum status compile_anew(const struct scratch *scratch, const char *clang, const struct kernel_request *request,
                                const struct gpu *gpu, const char *arch, char **code, struct error *error) {
    struct command command = command_for(scratch, clang, request, gpu, arch);
    const enum status status = make(scratch, &command, "-S", code, error);
    command_free(&command);
    return status;
}

// Takes the assembly from the cache, or compiles it.
static enum status compile_for(const struct scratch *scratch, const char *clang, const struct kernel_request *request,
                               const struct gpu *gpu, const char *arch, char **code, struct error *error) {
    struct kernel_cache cache;
    enum status status = kernel_cache_open(&cache, error);
    size_t count;
    if (status == STATUS_OK) {
        set_key(&cache, scratch, clang, request, gpu, arch);
        *code = kernel_cache_read(&cache, &count);
    }
    if (status == STATUS_OK && !*code) {
        status = compile_anew(scratch, clang, request, gpu, arch, code, error);
        if (status == STATUS_OK) {
            kernel_cache_write(&cache, *code, strlen(*code));
        }
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

static enum status compile(const struct scratch *scratch, const char *clang, const struct kernel_request *request,
                           const struct gpu *gpu, char **code, struct error *error) {
    const char *const *older = target_of(gpu)->fallback;
    char part[32];
    write_part(gpu, part);
    enum status status = compile_for(scratch, clang, request, gpu, part, code, error);
    while (*older && strcmp(*older, part) != 0) {
        older++;
    }
    for (older += *older != NULL; status != STATUS_OK && is_unknown_part(error) && *older; older++) {
        error_clear(error);
        *error = (struct error){0};
        status = compile_for(scratch, clang, request, gpu, *older, code, error);
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

static enum status compile_text(const char *clang, const struct kernel_request *request, const struct gpu *gpu,
                                const char *text, char **code, struct error *error) {
    struct scratch scratch;
    struct error own = {0};
    *code = NULL;
    TRY(scratch_enter(&scratch, error));
    enum status status = write_sources(&scratch, request, text, &own);
    THEN(status, compile(&scratch, clang, request, gpu, code, &own));
    if (status != STATUS_OK) {
        error_set(error, status, "%s (for %s): %.900s", request->source->file_name, gpu->arch, own.text);
        error_attach_log(error, own.log);
    }
    error_clear(&own);
    scratch_leave(&scratch);
    return status;
}

// Puts the headers' include before the text.
static char *with_runtime(const char *file_name, const char *text) {
    struct sim_text whole;
    FILE *out = sim_text_begin(&whole);
    fputs("#include <hip/hip_runtime.h>\n", out);
    sim_text_line(out, 1, file_name);
    fprintf(out, "%s\n", text);
    return sim_text_finish(out, &whole);
}

enum status sim_clang_compile(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                              struct error *error) {
    char clang[PATH_MAX];
    *text = (struct gpu_text){0};
    TRY(find_clang(request, gpu, clang, error));
    char *whole = with_runtime(request->source->file_name, request->source->text);
    const enum status status = compile_text(clang, request, gpu, whole, &text->instructions, error);
    free(whole);
    return status;
}

static enum status compile_user(const struct user_compiler *compiler, const char *text, char **code,
                                struct error *error) {
    return compile_text(compiler->program, compiler->request, compiler->gpu, text, code, error);
}

enum status sim_clang_compile_user(const struct kernel_request *request, const struct gpu *gpu, struct gpu_text *text,
                                   struct error *error) {
    char clang[PATH_MAX];
    const struct user_compiler compiler = {.headers = {.list = clang_headers},
                                           .before = "#include <hip/hip_runtime.h>\n",
                                           .instantiate = "void *sim_instance = (void *)&%s;",
                                           .compile = compile_user,
                                           .request = request,
                                           .gpu = gpu,
                                           .program = clang};
    *text = (struct gpu_text){0};
    TRY(find_clang(request, gpu, clang, error));
    return user_compile(&compiler, text, error);
}
