// Compiles a kernel file as the device layer does, with no GPU:
//   compile_kernel cuda|hip FILE.cu FOLDER ARCH[,ARCH...] [NAME=VALUE...]
// One file an arch in FOLDER: a cubin (sm_90), PTX (compute_90) or a code object (gfx90a).
// Exit status: 1 where it does not compile, 3 where the compiler is not here.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/compile.h"

enum {
    CONSTANTS_MAX = 32,
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

static enum status compile_all(const struct gpu_compiler *compiler, const struct kernel_request *request,
                               const char *folder, char *archs, struct error *error) {
    enum status status = STATUS_OK;
    for (char *arch = strtok(archs, ","); arch && status == STATUS_OK; arch = strtok(NULL, ",")) {
        struct gpu_code code = {0};
        status = gpu_compile(compiler, request, arch, warp_width(arch), &code, error);
        if (status == STATUS_OK) {
            status = write_file(folder, arch, &code, error);
        }
        free(code.bytes);
    }
    return status;
}

static size_t parse_constants(char **arguments, struct kernel_constant constants[CONSTANTS_MAX]) {
    size_t count = 0;
    for (; arguments[count] && count < CONSTANTS_MAX; count++) {
        char *equals = strchr(arguments[count], '=');
        constants[count].value = equals ? strtoll(equals + 1, NULL, 0) : 1;
        constants[count].name = arguments[count];
        if (equals) {
            *equals = '\0';
        }
    }
    return count;
}

int main(int argument_count, char **arguments) {
    if (argument_count < 5) {
        fprintf(stderr, "usage: compile_kernel cuda|hip FILE.cu FOLDER ARCH[,ARCH...] [NAME=VALUE...]\n");
        return STATUS_USAGE;
    }
    struct kernel_constant constants[CONSTANTS_MAX];
    struct kernel_source source = {.file_name = arguments[2]};
    struct kernel_header headers[HEADERS_MAX] = {{NULL, NULL}};
    size_t header_count = 0;
    struct kernel_request request = {
        .source = &source, .entry = "every entry", .constants = constants, .headers = headers};
    request.constant_count = parse_constants(arguments + 5, constants);
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
        status = compile_all(compiler, &request, arguments[3], arguments[4], &error);
    }
    if (status != STATUS_OK) {
        error_print("compile_kernel", &error);
    }
    error_clear(&error);
    free_headers(headers);
    free(text);
    return (int)status;
}
