// The run-time compiler.
#include "tests/fakes/fake.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fake_rtc_version(int *major, int *minor) NAMED("nvrtcVersion", "hiprtcVersion");
int fake_rtc_version(int *major, int *minor) {
    *major = 12;
    *minor = 4;
    return FAKE_SUCCESS;
}

const char *fake_rtc_error(int result) NAMED("nvrtcGetErrorString", "hiprtcGetErrorString");
const char *fake_rtc_error(int result) {
    return result ? "FAKE_ERROR_COMPILATION" : "FAKE_SUCCESS";
}

static bool has_header(const struct fake_program *program, const char *name, size_t length) {
    for (int i = 0; i < program->header_count; i++) {
        const char *known = program->headers[i].name;
        if (strlen(known) == length && !strncmp(known, name, length)) {
            return true;
        }
    }
    return false;
}

// Whether the program was given every header that a text includes, but for the one that makes it C.
static bool has_included(const struct fake_program *program, const char *text) {
    static const char include[] = "\n#include \"", of_c[] = "device/kernel/kernel_c11.h";
    while ((text = strstr(text, include))) {
        text += sizeof include - 1;
        if (!has_header(program, text, strcspn(text, "\"")) && strncmp(text, of_c, sizeof of_c - 1) != 0) {
            return false;
        }
    }
    return true;
}

int fake_rtc_create(struct fake_program **program, const char *text, const char *name, int headers,
                    const char *const *header_texts, const char *const *header_names)
    NAMED("nvrtcCreateProgram", "hiprtcCreateProgram");
int fake_rtc_create(struct fake_program **program, const char *text, const char *name, int headers,
                    const char *const *header_texts, const char *const *header_names) {
    (void)name;
    struct fake_program *made = calloc(1, sizeof *made);
    made->text = strdup(text);
    for (; made->header_count < headers && made->header_count < HEADERS_MAX; made->header_count++) {
        const int i = made->header_count;
        made->headers[i] = (struct fake_header){strdup(header_names[i]), strdup(header_texts[i])};
    }
    *program = made;
    bool complete = has_included(made, text);
    for (int i = 0; i < made->header_count; i++) {
        complete = complete && has_included(made, made->headers[i].text);
    }
    return complete ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

int fake_rtc_destroy(struct fake_program **program) NAMED("nvrtcDestroyProgram", "hiprtcDestroyProgram");
int fake_rtc_destroy(struct fake_program **program) {
    free((*program)->text);
    for (int i = 0; i < (*program)->header_count; i++) {
        free((*program)->headers[i].name);
        free((*program)->headers[i].text);
    }
    free((*program)->log);
    free((*program)->code);
    free(*program);
    *program = NULL;
    return FAKE_SUCCESS;
}

static char *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    *bytes = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    return text;
}

// The number of parameters of each KERNEL, for the launch, as a constant after the kernel's text.
static void write_parameter_counts(FILE *file, const char *text) {
    for (const char *at = text; (at = strstr(at, "KERNEL void ")); at++) {
        const char *name = at + strlen("KERNEL void "), *bounds = strstr(name, "__launch_bounds__(");
        name = bounds == name ? strchr(name, ')') + 1 : name;
        name += strspn(name, " \n");
        int length = (int)strcspn(name, "("), count = 1;
        const char *c = name + length + 1;
        if (!strncmp(c, "void)", 5) || *c == ')') {
            count = 0;
        }
        for (; *c && *c != ')'; c++) {
            count += *c == ',';
        }
        fprintf(file, "\nconst int parameters_of_%.*s = %d;", length, name, count);
    }
}

// Creates a file, and the folders that its name has.
static FILE *create_in(const char *folder, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    return fopen(path, "w");
}

// The headers as passed to the compiler, which finds these before those on disk.
static bool write_headers(const struct fake_program *program, const char *folder) {
    for (int i = 0; i < program->header_count; i++) {
        FILE *file = create_in(folder, program->headers[i].name);
        if (!file || fputs(program->headers[i].text, file) < 0 || fclose(file) != 0) {
            return false;
        }
    }
    return true;
}

static bool write_sources(const struct fake_program *program, const char *folder) {
    FILE *file = write_headers(program, folder) ? create_in(folder, "kernel.c") : NULL;
    if (!file) {
        return false;
    }
    fprintf(file, "#line 1 \"kernel\"\n%s", program->text);
    write_parameter_counts(file, program->text);
    fprintf(file, "\nconst uint32_t host_warp_width = WARP_WIDTH;\n");
    return fclose(file) == 0;
}

// Results of earlier compilations, shared by devices and by kernels of one text and headers.
static struct compiled {
    char *text, *options, *code;
    uint64_t headers;
    size_t bytes;
    struct compiled *next;
} * compilations;

static uint64_t hash(uint64_t sum, const char *text) {
    for (; *text; text++) {
        sum = (sum ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static uint64_t hash_headers(uint64_t sum, const struct fake_program *program) {
    for (int i = 0; i < program->header_count; i++) {
        sum = hash(sum, program->headers[i].text);
    }
    return sum;
}

static bool find_compiled(struct fake_program *program, const char *options) {
    const struct compiled *found = compilations;
    const uint64_t headers = hash_headers(0, program);
    while (found && (found->headers != headers || strcmp(found->text, program->text) != 0 ||
                     strcmp(found->options, options) != 0)) {
        found = found->next;
    }
    if (found) {
        program->code = malloc(found->bytes);
        program->code_bytes = found->bytes;
        memcpy(program->code, found->code, found->bytes);
    }
    return found;
}

static void keep_compiled(const struct fake_program *program, const char *options) {
    struct compiled *kept = malloc(sizeof *kept);
    *kept = (struct compiled){.text = strdup(program->text),
                              .options = strdup(options),
                              .code = malloc(program->code_bytes),
                              .headers = hash_headers(0, program),
                              .bytes = program->code_bytes,
                              .next = compilations};
    memcpy(kept->code, program->code, kept->bytes);
    compilations = kept;
}

// The file in which processes share what they have compiled; false if no folder is named for such files.
static bool shared_path(const struct fake_program *program, const char *options, char path[PATH_MAX]) {
    const char *folder = getenv("BANKSHOT_KERNEL_CACHE");
    struct stat lanes = {0};
    if (!folder || !*folder || stat(HOST_LANES, &lanes) != 0) {
        return false;
    }
    uint64_t sum = (uint64_t)lanes.st_mtim.tv_sec * 1000000000 + (uint64_t)lanes.st_mtim.tv_nsec;
    sum = hash_headers(hash(hash(sum, program->text), options), program);
    return snprintf(path, PATH_MAX, "%s/fake-%016" PRIx64 ".so", folder, sum) < PATH_MAX;
}

// Renames a file of its own, so that other processes find a whole one or none.
static void write_shared(const struct fake_program *program, const char *path) {
    char draft[PATH_MAX + 32];
    snprintf(draft, sizeof draft, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(draft, "w");
    const bool written = file && fwrite(program->code, 1, program->code_bytes, file) == program->code_bytes;
    if (file && (fclose(file) != 0 || !written || rename(draft, path) != 0)) {
        unlink(draft);
    }
}

static int compile(struct fake_program *program, const char *options) {
    char folder[] = "/tmp/bankshot-fake.XXXXXX", command[4096], path[256];
    if (!mkdtemp(folder) || !write_sources(program, folder)) {
        return FAKE_INVALID_VALUE;
    }
    snprintf(command, sizeof command,
             "cc -std=gnu11 -O3 -w -shared -fPIC -Wl,-Bsymbolic -I%s -I.%s -o %s/kernel.so %s/kernel.c " HOST_LANES
             " >%s/log 2>&1",
             folder, options, folder, folder, folder);
    int result = system(command) == 0 ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/log", folder);
    program->log = read_all(path, &bytes);
    if (result == FAKE_SUCCESS) {
        snprintf(path, sizeof path, "%s/kernel.so", folder);
        program->code = read_all(path, &program->code_bytes);
        keep_compiled(program, options);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? result : FAKE_INVALID_VALUE;
}

static int find_or_compile(struct fake_program *program, const char *options) {
    char path[PATH_MAX];
    const bool shared = shared_path(program, options, path);
    if (shared && access(path, R_OK) == 0) {
        program->code = read_all(path, &program->code_bytes);
        keep_compiled(program, options);
        return FAKE_SUCCESS;
    }
    const int result = compile(program, options);
    if (shared && result == FAKE_SUCCESS) {
        write_shared(program, path);
    }
    return result;
}

int fake_rtc_compile(struct fake_program *program, int count, const char *const *options)
    NAMED("nvrtcCompileProgram", "hiprtcCompileProgram");
int fake_rtc_compile(struct fake_program *program, int count, const char *const *options) {
    char constants[3072] = "";
    int length = 0;
    for (int i = 0; i < count; i++) {
        if (!strncmp(options[i], "-D", 2)) {
            length += snprintf(constants + length, sizeof constants - (size_t)length, " %s", options[i]);
        }
    }
    return find_compiled(program, constants) ? FAKE_SUCCESS : find_or_compile(program, constants);
}

int fake_rtc_log_size(struct fake_program *program, size_t *bytes)
    NAMED("nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize");
int fake_rtc_log_size(struct fake_program *program, size_t *bytes) {
    *bytes = program->log ? strlen(program->log) + 1 : 1;
    return FAKE_SUCCESS;
}

int fake_rtc_log(struct fake_program *program, char *log) NAMED("nvrtcGetProgramLog", "hiprtcGetProgramLog");
int fake_rtc_log(struct fake_program *program, char *log) {
    strcpy(log, program->log ? program->log : "");
    return FAKE_SUCCESS;
}

int fake_rtc_code_size(struct fake_program *program, size_t *bytes) {
    *bytes = program->code_bytes + sizeof(uint64_t);
    return FAKE_SUCCESS;
}

int fake_rtc_code(struct fake_program *program, char *code) {
    uint64_t bytes = program->code_bytes;
    memcpy(code, &bytes, sizeof bytes);
    memcpy(code + sizeof bytes, program->code, bytes);
    return FAKE_SUCCESS;
}
