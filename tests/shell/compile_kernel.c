// Compiles a kernel file as the device layer does, with no GPU:
//   compile_kernel cuda|hip FILE.cu <LIST
// A line of the list is a compilation, and a tab follows the folder because its name may have spaces:
//   FOLDER<tab>ARCH[,ARCH...] [OPTION...] [NAME=VALUE...]
// It leaves one file an arch in FOLDER: a cubin (sm_90), PTX (compute_90) or a code object (gfx90a). A whole list is
// compiled by one process because it takes long to load a compiler. Exit status: 1 where it does not compile, 3 where
// the compiler is not here.
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/compile.h"

enum {
    CONSTANTS_MAX = 32,
    OPTIONS_MAX = 16,
    HEADERS_MAX = 8
};

static enum status read_file(const char *path, char **text, struct error *error) {
    FILE *file = fopen(path, "r");
    size_t room = 1 << 20, length = 0;
    *text = file ? calloc(1, room + 1) : NULL;
    if (*text) {
        length = fread(*text, 1, room, file);
    }
    if (file) {
        fclose(file);
    }
    return length ? STATUS_OK : error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
}

// Appends the headers that a text includes, and those that they include, but for the dialect's. The caller frees names
// and texts.
static enum status read_headers(const char *text, struct kernel_header headers[HEADERS_MAX], size_t *count,
                                struct error *error) {
    static const char include[] = "\n#include \"", of_dialect[] = "device/";
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *count + 1 < HEADERS_MAX && (text = strstr(text, include))) {
        text += sizeof include - 1;
        if (strncmp(text, of_dialect, sizeof of_dialect - 1) != 0) {
            char *header = NULL, *name = strndup(text, strcspn(text, "\""));
            status = read_file(name, &header, error);
            headers[(*count)++] = (struct kernel_header){name, header};
            if (status == STATUS_OK) {
                status = read_headers(header, headers, count, error);
            }
        }
    }
    return status;
}

static void free_headers(struct kernel_header headers[HEADERS_MAX]) {
    for (size_t i = 0; i < HEADERS_MAX; i++) {
        free((void *)(uintptr_t)headers[i].name);
        free((void *)(uintptr_t)headers[i].text);
    }
}

static enum status write_file(const char *folder, const char *arch, const struct gpu_code *code, struct error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, arch);
    FILE *file = fopen(path, "w");
    size_t written = file ? fwrite(code->bytes, 1, code->size, file) : 0;
    if (!file || fclose(file) != 0 || written != code->size) {
        return error_set(error, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

static uint32_t warp_width(const char *arch) {
    return strncmp(arch, "gfx9", 4) ? 32 : 64;
}

// NULL where it was left out of the build.
static const struct gpu_compiler *find_compiler(const char *backend) {
    const struct gpu_compiler *found = NULL;
#ifdef HAVE_CUDA
    found = strcmp(backend, "cuda") ? found : &nvrtc_compiler;
#endif
#ifdef HAVE_HIP
    found = strcmp(backend, "hip") ? found : &hiprtc_compiler;
#endif
    (void)backend;
    return found;
}

// What a line of the list asks for; it points into the line.
struct compilation {
    const char *folder;
    char *archs;
    const char *options[OPTIONS_MAX + 1]; // the device layer's, then the line's; NULL at the end
    struct kernel_constant constants[CONSTANTS_MAX];
    size_t option_count, constant_count;
};

static void add_constant(struct compilation *compilation, char *text) {
    char *equals = strchr(text, '=');
    compilation->constants[compilation->constant_count++] =
        (struct kernel_constant){text, equals ? strtoll(equals + 1, NULL, 0) : 1};
    if (equals) {
        *equals = '\0';
    }
}

static bool parse_line(char *line, const struct gpu_compiler *compiler, struct compilation *compilation) {
    *compilation = (struct compilation){.folder = strtok(line, "\t"), .archs = strtok(NULL, " \n")};
    for (size_t i = 0; compiler->options[i]; i++) {
        compilation->options[compilation->option_count++] = compiler->options[i];
    }
    for (char *word; (word = strtok(NULL, " \n"));) {
        if (compilation->option_count == OPTIONS_MAX || compilation->constant_count == CONSTANTS_MAX) {
            return false;
        }
        if (*word == '-') {
            compilation->options[compilation->option_count++] = word;
        } else {
            add_constant(compilation, word);
        }
    }
    return compilation->archs != NULL;
}

static enum status compile_line(char *line, const struct gpu_compiler *compiler, struct kernel_request request,
                                struct error *error) {
    struct compilation compilation;
    if (!parse_line(line, compiler, &compilation)) {
        return error_set(error, STATUS_USAGE, "%s: not a line of the list: see compile_kernel.c", line);
    }
    struct gpu_compiler with_options = *compiler;
    with_options.options = compilation.options;
    request.constants = compilation.constants;
    request.constant_count = compilation.constant_count;
    enum status status = STATUS_OK;
    for (char *arch = strtok(compilation.archs, ","); arch && status == STATUS_OK; arch = strtok(NULL, ",")) {
        struct gpu_code code = {0};
        status = gpu_compile(&with_options, &request, arch, warp_width(arch), &code, error);
        if (status == STATUS_OK) {
            status = write_file(compilation.folder, arch, &code, error);
        }
        free(code.bytes);
    }
    return status;
}

static enum status compile_list(const struct gpu_compiler *compiler, const struct kernel_request *request,
                                struct error *error) {
    enum status status = STATUS_OK;
    char *line = NULL;
    size_t room = 0;
    while (status == STATUS_OK && getline(&line, &room, stdin) > 0) {
        status = compile_line(line, compiler, *request, error);
    }
    free(line);
    return status;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: compile_kernel cuda|hip FILE.cu <LIST\n");
        return STATUS_USAGE;
    }
    // Otherwise each compilation returns its memory, and the kernel clears it for the next one.
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    struct kernel_source source = {.file_name = arguments[2]};
    struct kernel_header headers[HEADERS_MAX] = {{NULL, NULL}};
    size_t header_count = 0;
    const struct kernel_request request = {.source = &source, .entry = "every entry", .headers = headers};
    struct error error = {0};
    char *text = NULL;
    enum status status = read_file(arguments[2], &text, &error);
    source.text = text;
    if (status == STATUS_OK) {
        status = read_headers(text, headers, &header_count, &error);
    }
    const struct gpu_compiler *compiler = find_compiler(arguments[1]);
    if (!compiler) {
        status = error_set(&error, STATUS_NO_DEVICE, "%s was left out of the build", arguments[1]);
    }
    if (status == STATUS_OK) {
        status = compile_list(compiler, &request, &error);
    }
    if (status != STATUS_OK) {
        error_print("compile_kernel", &error);
    }
    error_clear(&error);
    free_headers(headers);
    free(text);
    return (int)status;
}
