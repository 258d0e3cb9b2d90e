#include "reduce/reduce_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct reduce_library {
    const char *backend, *name, *compiler; // compiler: of the plug-in
    void *handle;
    int (*version)(void); // major * 100000 + minor * 100 + patch
    // See plugin/library.cu: NULL, or what went wrong.
    const char *(*sum)(int type, const void *in, void *sum, uint64_t elements, void *scratch, size_t *bytes,
                       void *stream);
};

static struct reduce_library libraries[] = {
    {.backend = "cuda", .name = "CUB", .compiler = "nvcc"},
    {.backend = "hip", .name = "hipCUB", .compiler = "hipcc"},
};

// Beside the program, where make puts it; or where make install does.
static const char *const places[] = {"", "../lib/bankshot/"};

// The path of the plug-in, or of what its compiler said (".log"); false if there is no such file.
static bool find_file(const struct reduce_library *library, const char *suffix, char path[2 * PATH_MAX]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    program[slash ? slash - program + 1 : 0] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, 2 * PATH_MAX, "%s%sreduce-library-%s%s", program, places[i], library->backend, suffix);
        if (access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

static bool find_functions(struct reduce_library *library) {
    void *version = dlsym(library->handle, "bankshot_library_version");
    void *sum = dlsym(library->handle, "bankshot_library_sum");
    memcpy(&library->version, &version, sizeof version);
    memcpy(&library->sum, &sum, sizeof sum);
    return version && sum;
}

static enum status load(struct reduce_library *library, const char *path, struct error *error) {
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle && find_functions(library)) {
        return STATUS_OK;
    }
    library->handle = NULL;
    return error_set(error, STATUS_NO_DEVICE, "%s unavailable: %s", library->name, dlerror());
}

static enum status open_plugin(struct reduce_library *library, struct error *error) {
    char path[2 * PATH_MAX];
    if (library->handle) {
        return STATUS_OK;
    }
    if (find_file(library, ".so", path)) {
        return load(library, path, error);
    }
    return find_file(library, ".log", path)
               ? error_set(error, STATUS_NO_DEVICE, "%s unavailable: see %s", library->name, path)
               : error_set(error, STATUS_NO_DEVICE, "%s unavailable: build with %s", library->name, library->compiler);
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

// Where a toolkit is newer than the driver, a library finds no device.
static enum status check(const struct reduce_library *library, const char *reason, enum status status,
                         struct error *error) {
    return reason
               ? error_set(error, status, "%s: %s: see that its toolkit is as old as the driver", library->name, reason)
               : STATUS_OK;
}

enum status reduce_library_open(const char *backend, struct reduce_library **library, struct error *error) {
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!strcmp(libraries[i].backend, backend)) {
            size_t bytes = 0;
            *library = &libraries[i];
            const enum status status = open_plugin(*library, error);
            return status == STATUS_OK
                       ? check(*library, (*library)->sum(REDUCE_INT32, NULL, NULL, 1, NULL, &bytes, NULL),
                               STATUS_NO_DEVICE, error)
                       : status;
        }
    }
    return error_set(error, STATUS_NO_DEVICE, "no library for %s: leave it out", backend);
}

enum status reduce_library_scratch(struct reduce_library *library, enum reduce_type type, uint64_t elements,
                                   size_t *bytes, struct error *error) {
    return check(library, library->sum((int)type, NULL, NULL, elements, NULL, bytes, NULL), STATUS_FAILED, error);
}

enum status reduce_library_sum(struct reduce_library *library, struct device *device, enum reduce_type type,
                               uint64_t in, uint64_t sum, uint64_t elements, uint64_t scratch, size_t scratch_bytes,
                               struct error *error) {
    void *stream = device_native_stream(device);
    const char *reason =
        library->sum((int)type, pointer(in), pointer(sum), elements, pointer(scratch), &scratch_bytes, stream);
    return check(library, reason, STATUS_FAILED, error);
}

static int describe(struct reduce_library *library, char *text, size_t size) {
    struct error error = {0};
    if (open_plugin(library, &error) != STATUS_OK) {
        return snprintf(text, size, "%s", error.text);
    }
    const int version = library->version();
    return snprintf(text, size, "%s %d.%d.%d", library->name, version / 100000, version / 100 % 1000, version % 100);
}

void reduce_library_describe(char *text, size_t size) {
    int used = describe(&libraries[0], text, size);
    if ((size_t)used + 2 < size) {
        used += snprintf(text + used, size - (size_t)used, "; ");
        describe(&libraries[1], text + used, size - (size_t)used);
    }
}
