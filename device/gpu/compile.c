#include "device/gpu/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/headers.h"
#include "util/text.h"

// A compiler's command line.
struct options {
    const char **option;
    int count;
    struct texts texts; // of some of them
};

static void add_option(struct options *options, const char *text) {
    options->option = memory_room(options->option, (size_t)options->count, sizeof *options->option);
    options->option[options->count++] = text;
}

static void fill_options(struct options *options, const struct gpu_compiler *compiler,
                         const struct kernel_request *request, const char *arch, uint32_t warp_width) {
    add_option(options, texts_format(&options->texts, "%s%s", compiler->arch_option, arch));
    for (size_t i = 0; compiler->options[i]; i++) {
        add_option(options, compiler->options[i]);
    }
    char folder[512];
    for (size_t i = 0; request->language == KERNEL_CXX && compiler->header_folder; i++) {
        if (!compiler->header_folder(i, folder, sizeof folder)) {
            break;
        }
        add_option(options, texts_format(&options->texts, "-I%s", folder));
    }
    for (size_t i = 0; i < request->constant_count; i++) {
        const struct kernel_constant *constant = &request->constants[i];
        add_option(options, texts_format(&options->texts, "-D%s=%" PRId64, constant->name, constant->value));
    }
    add_option(options, texts_format(&options->texts, "-DWARP_WIDTH=%" PRIu32, warp_width));
}

// The arguments for a compiler that does not find headers as files.
struct headers {
    const char **text, **name;
    int count;
};

static void add_headers(struct headers *headers, const struct kernel_header *list) {
    for (; list && list->name; list++) {
        headers->text = memory_room(headers->text, (size_t)headers->count, sizeof *headers->text);
        headers->name = memory_room(headers->name, (size_t)headers->count, sizeof *headers->name);
        headers->text[headers->count] = list->text;
        headers->name[headers->count++] = list->name;
    }
}

static enum status compile_failed(const struct kernel_request *request, const char *arch, const struct options *options,
                                  const char *reason, const char *log, struct error *error) {
    char parameters[512] = "";
    for (int i = 0; i < options->count; i++) {
        size_t length = strlen(parameters);
        if (!strncmp(options->option[i], "-D", 2)) {
            snprintf(parameters + length, sizeof parameters - length, " %s", options->option[i] + 2);
        }
    }
    error_attach_log(error, log);
    return error_set(error, STATUS_FAILED, "%s: %s does not compile for %s with%s: %s%s", request->source->file_name,
                     request->entry, arch, parameters, reason, log && *log ? ", see the compiler's log above" : "");
}

// To be freed; NULL if there is none.
static char *get_log(const struct gpu_compiler *compiler, void *program) {
    size_t size = 0;
    if (compiler->log_size(program, &size) != 0 || size <= 1) {
        return NULL;
    }
    char *log = memory_zeros(1, size + 1);
    if (compiler->log(program, log) != 0) {
        *log = '\0';
    }
    return log;
}

// Returns the compiler's result.
static int compile_program(const struct gpu_compiler *compiler, void *program, const struct options *options,
                           const char *arch, struct gpu_code *code) {
    int result = compiler->compile(program, options->count, options->option);
    THEN(result, compiler->code_size(program, arch, &code->size));
    if (result != 0) {
        return result;
    }
    code->bytes = memory_zeros(1, code->size + 1);
    return compiler->code(program, arch, code->bytes);
}

enum status gpu_compile(const struct gpu_compiler *compiler, const struct kernel_request *request, const char *arch,
                        uint32_t warp_width, struct gpu_code *code, struct error *error) {
    *code = (struct gpu_code){0};
    struct options options = {0};
    struct headers headers = {0};
    enum status status = STATUS_OK;
    TRY(library_load(compiler->library, error));
    fill_options(&options, compiler, request, arch, warp_width);
    add_headers(&headers, kernel_headers);
    add_headers(&headers, request->headers);
    void *program = NULL;
    int result = compiler->create(&program, request->source->text, request->source->file_name, headers.count,
                                  headers.text, headers.name);
    THEN(result, compile_program(compiler, program, &options, arch, code));
    if (result != 0) {
        char *log = program ? get_log(compiler, program) : NULL;
        status = compile_failed(request, arch, &options, compiler->error_text(result), log, error);
        free(log);
        free(code->bytes);
        *code = (struct gpu_code){0};
    }
    if (program) {
        compiler->destroy(program);
    }
    free(options.option);
    texts_clear(&options.texts);
    free(headers.text);
    free(headers.name);
    return status;
}

// ---- What was compiled in this session ----

enum status code_cache_compile(struct code_cache *cache, const struct gpu_compiler *compiler,
                               const struct kernel_request *request, const char *arch, uint32_t warp_width,
                               const struct gpu_code **code, struct error *error) {
    struct gpu_code made;
    char *identity = kernel_identity(request);
    const size_t number = names_find(&cache->requests, identity);
    enum status status = STATUS_OK;
    if (number == cache->requests.count) {
        status = gpu_compile(compiler, request, arch, warp_width, &made, error);
        if (status == STATUS_OK) {
            cache->codes = memory_room(cache->codes, number, sizeof *cache->codes);
            cache->codes[number] = made;
            names_number(&cache->requests, identity);
        }
    }
    free(identity);
    *code = status == STATUS_OK ? &cache->codes[number] : NULL;
    return status;
}

void code_cache_destroy(struct code_cache *cache) {
    for (size_t i = 0; i < cache->requests.count; i++) {
        free(cache->codes[i].bytes);
    }
    free(cache->codes);
    names_clear(&cache->requests);
    *cache = (struct code_cache){0};
}
