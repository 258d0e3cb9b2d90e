#include "sim/compile/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/compile/command.h"
#include "sim/compile/kernel_cache.h"
#include "sim/compile/process.h"
#include "sim/compile/text.h"
#include "sim/confine.h"

// Runs the command and frees its words. If output is not NULL, the caller frees *output, the command's output.
static enum status run_command(struct command *command, char **output, struct error *error) {
    enum status status = command->cut ? error_set(error, STATUS_FAILED,
                                                  "the compiler's command line has more than %d words, or no memory: "
                                                  "define fewer constants",
                                                  COMMAND_WORDS)
                                      : scratch_run(command->word, output, error);
    command_free(command);
    return status;
}

// Turns the command into one that writes this file, and runs it.
static enum status run_to_file(const struct scratch *scratch, struct command *command, const char *file,
                               struct error *error) {
    command_add(command, "-o");
    command_add(command, "%s/%s", scratch->path, file);
    return run_command(command, NULL, error);
}

static enum status to_assembly(const struct scratch *scratch, const struct kernel_request *request,
                               const struct gpu *gpu, bool gcc, struct error *error) {
    struct command command = command_of_kernel(scratch, request, gpu, gcc);
    command_add(&command, "-S");
    return run_to_file(scratch, &command, "plain.s", error);
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
    enum status status = text ? scratch_write_text(scratch, "kernel.s", text, error)
                              : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    free(text);
    free(plain);
    if (status != STATUS_OK) {
        return status;
    }
    struct command command = {0};
    command_add_compiler(&command);
    command_add(&command, "-shared");
    command_add(&command, "%s/kernel.s", scratch->path);
    command_add(&command, "-lm");
    return run_to_file(scratch, &command, "kernel.so", error);
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

static enum status open_library(const struct scratch *scratch, bool later, struct sim_library *library,
                                struct error *error) {
    snprintf(library->path, sizeof library->path, "%.*s/kernel.so", PATH_MAX / 2, scratch->path);
    library->handle = NULL;
    library->file = open(library->path, O_RDONLY | O_CLOEXEC);
    if (library->file < 0) {
        return error_set(error, STATUS_FAILED, "the compiled kernel cannot be read: set TMPDIR to another folder");
    }
    const enum status status = later ? STATUS_OK : sim_library_load(library, error);
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

// Turns the command into one that only preprocesses. The caller frees the text; NULL if it cannot be had.
// -dD: the macros that the compiler defines show for which processor it compiles. -g0: otherwise the text would name
// the working folder.
static char *preprocess(const struct scratch *scratch, struct command *command) {
    size_t count;
    command_add(command, "-E");
    command_add(command, "-dD");
    command_add(command, "-g0");
    const enum status status = run_to_file(scratch, command, "kernel.i", NULL);
    return status == STATUS_OK ? scratch_read(scratch, "kernel.i", &count) : NULL;
}

// What the compiler and the host's headers make of the dialect. It is the same for all of the program's own kernels, so
// it is preprocessed once. -P: otherwise the text would name the scratch folder.
static const char *own_dialect(const struct scratch *scratch, const struct gpu *gpu, struct sim_compiler *compiler,
                               bool gcc) {
    if (!compiler->own_dialect) {
        struct command command = command_of_dialect(scratch, KERNEL_C, gpu, gcc);
        command_add(&command, "-P");
        command_add(&command, "/dev/null");
        compiler->own_dialect = preprocess(scratch, &command);
    }
    return compiler->own_dialect;
}

static char *own_source(const struct scratch *scratch, const struct kernel_request *request, const struct gpu *gpu,
                        struct sim_compiler *compiler, bool gcc) {
    const char *dialect = own_dialect(scratch, gpu, compiler, gcc);
    char *text = NULL;
    size_t size, count;
    char *kernel = scratch_read(scratch, "kernel.c", &count);
    FILE *out = dialect && kernel ? open_memstream(&text, &size) : NULL;
    if (out) {
        fprintf(out, "%s\n%s\n", dialect, kernel);
        sim_print_own_headers(request, out);
        text = sim_text_finish(out, &text);
    }
    free(kernel);
    return text;
}

// The source with all that it includes. The caller frees it; NULL if it is unknown.
static char *whole_source(const struct scratch *scratch, const struct kernel_request *request, const struct gpu *gpu,
                          struct sim_compiler *compiler, bool gcc) {
    if (sim_is_own_kernel(request)) {
        return own_source(scratch, request, gpu, compiler, gcc);
    }
    struct command command = command_of_kernel(scratch, request, gpu, gcc);
    return preprocess(scratch, &command);
}

static void set_key(struct kernel_cache *cache, const struct scratch *scratch, const struct kernel_request *request,
                    const struct gpu *gpu, struct sim_compiler *compiler, bool gcc) {
    char *source = cache->folder >= 0 ? whole_source(scratch, request, gpu, compiler, gcc) : NULL;
    if (source) {
        struct command command = command_of_kernel(scratch, request, gpu, gcc);
        if (!command.cut) {
            kernel_cache_set_key(cache, scratch, command.word, compiler->version, source);
        }
        command_free(&command);
    }
    free(source);
}

// ---- Compiling ----

static enum status compile_anew(const struct scratch *scratch, const struct kernel_request *request,
                                const struct gpu *gpu, bool gcc, struct error *error) {
    if (kernel_is_translated(request->language)) {
        struct command command = command_of_kernel(scratch, request, gpu, gcc);
        command_add(&command, "-shared");
        command_add(&command, "-lm");
        return run_to_file(scratch, &command, "kernel.so", error);
    }
    TRY(to_assembly(scratch, request, gpu, gcc, error));
    return to_library(scratch, error);
}

// Takes the library from the cache, or compiles it.
static enum status find_or_compile(const struct scratch *scratch, const struct kernel_request *request,
                                   const struct gpu *gpu, struct sim_compiler *compiler, bool later,
                                   struct sim_library *library, struct error *error) {
    const bool gcc = !strstr(compiler->version, "clang");
    struct kernel_cache cache;
    enum status status = kernel_cache_open(&cache, error);
    if (status == STATUS_OK) {
        status = sim_write_sources(scratch, request, gpu, gcc, error);
    }
    if (status == STATUS_OK) {
        set_key(&cache, scratch, request, gpu, compiler, gcc);
    }
    const bool found = kernel_cache_read(&cache, scratch) && open_library(scratch, later, library, NULL) == STATUS_OK;
    if (status == STATUS_OK && !found) {
        status = compile_anew(scratch, request, gpu, gcc, error);
        if (status == STATUS_OK) {
            status = open_library(scratch, later, library, error);
        }
        if (status == STATUS_OK) {
            kernel_cache_write(&cache, scratch);
        }
    }
    kernel_cache_close(&cache);
    return status;
}

enum status sim_compile(const struct kernel_request *request, const struct gpu *gpu, struct sim_compiler *compiler,
                        bool later, struct sim_library *library, struct error *error) {
    struct scratch scratch;
    enum status status = scratch_enter(&scratch, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = find_or_compile(&scratch, request, gpu, compiler, later, library, error);
    scratch_leave(&scratch);
    if (status != STATUS_OK) {
        name_kernel(request, error);
    }
    return status;
}

void sim_compiler_version(char *text, size_t size) {
    struct command command = {0};
    *text = '\0';
    command_add_compiler(&command);
    command_add(&command, "--version");
    char *version = NULL;
    if (run_command(&command, &version, NULL) == STATUS_OK) {
        snprintf(text, size, "%.*s", (int)strcspn(version, "\n"), version);
    }
    free(version);
}
