#include "reduce/reduce_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct plugin {
    const char *backend, *name, *compiler;
} plugins[] = {
    {"cuda", "CUB", "nvcc"},
    {"hip", "hipCUB", "hipcc"},
};

// The program's folder, where make puts the plug-in, and the folder where make install does.
static const char *const folders[] = {"", "../lib/bankshot/"};

// The path of the plug-in, or of its compiler's log (".log"); false if there is no such file.
static bool find_file(const struct plugin *plugin, const char *suffix, char path[2 * PATH_MAX]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    program[slash ? slash - program + 1 : 0] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, 2 * PATH_MAX, "%s%sreduce-library-%s%s", program, folders[i], plugin->backend, suffix);
        if (access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

static enum status load(const struct plugin *plugin, const char *path, struct reduce_library *library,
                        struct error *error) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *version = handle ? dlsym(handle, "bankshot_library_version") : NULL;
    void *sum = version ? dlsym(handle, "bankshot_library_sum") : NULL;
    if (!sum) {
        return error_set(error, STATUS_NO_DEVICE, "no %s: %s", plugin->name, dlerror());
    }
    library->name = plugin->name;
    memcpy(&library->version, &version, sizeof version);
    memcpy(&library->sum, &sum, sizeof sum);
    return STATUS_OK;
}

static enum status open_plugin(const struct plugin *plugin, struct reduce_library *library, struct error *error) {
    char path[2 * PATH_MAX];
    if (find_file(plugin, ".so", path)) {
        return load(plugin, path, library, error);
    }
    return find_file(plugin, ".log", path)
               ? error_set(error, STATUS_NO_DEVICE, "no %s: see %s", plugin->name, path)
               : error_set(error, STATUS_NO_DEVICE, "no %s: build with %s", plugin->name, plugin->compiler);
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

// A library finds no device if its toolkit is newer than the driver.
static enum status check(const struct reduce_library *library, const char *reason, enum status status,
                         struct error *error) {
    return reason ? error_set(error, status, "%s: %s: use a toolkit no newer than the driver", library->name, reason)
                  : STATUS_OK;
}

enum status reduce_library_open(const char *backend, struct reduce_library *library, struct error *error) {
    const struct plugin *plugin = NULL;
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        if (!strcmp(plugins[i].backend, backend)) {
            plugin = &plugins[i];
        }
    }
    if (!plugin) {
        return error_set(error, STATUS_NO_DEVICE, "no library for %s: leave it out", backend);
    }
    TRY(open_plugin(plugin, library, error));
    size_t bytes = 0;
    return check(library, library->sum(REDUCE_INT32, NULL, NULL, 1, NULL, &bytes, NULL), STATUS_NO_DEVICE, error);
}

enum status reduce_library_scratch(const struct reduce_library *library, enum reduce_type type, uint64_t elements,
                                   size_t *bytes, struct error *error) {
    return check(library, library->sum((int)type, NULL, NULL, elements, NULL, bytes, NULL), STATUS_FAILED, error);
}

enum status reduce_library_sum(const struct reduce_library *library, struct device *device, enum reduce_type type,
                               uint64_t in, uint64_t sum, uint64_t elements, uint64_t scratch, size_t scratch_bytes,
                               struct error *error) {
    void *stream = device_native_stream(device);
    const char *reason =
        library->sum((int)type, pointer(in), pointer(sum), elements, pointer(scratch), &scratch_bytes, stream);
    return check(library, reason, STATUS_FAILED, error);
}

static int describe(const struct plugin *plugin, char *text, size_t size) {
    struct error error = {0};
    struct reduce_library library;
    if (open_plugin(plugin, &library, &error) != STATUS_OK) {
        return snprintf(text, size, "%s", error.text);
    }
    const int version = library.version();
    return snprintf(text, size, "%s %d.%d.%d", library.name, version / 100000, version / 100 % 1000, version % 100);
}

void reduce_library_describe(char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins && used + 2 < size; i++) {
        used += i > 0 ? (size_t)snprintf(text + used, size - used, "; ") : 0;
        used += (size_t)describe(&plugins[i], text + used, size - used);
    }
}
