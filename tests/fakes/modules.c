// Modules and launches: a module is a shared library.
#include "tests/fakes/fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_module {
    void *library;
    size_t count;
    struct fake_function functions[64];
};

// The code is a 64-bit length and the library.
int fake_load_module(struct fake_module **loaded, const char *code) NAMED("cuModuleLoadData", "hipModuleLoadData");
int fake_load_module(struct fake_module **loaded, const char *code) {
    uint64_t bytes;
    char path[] =
        "/tmp/bankshot-fake-kernel.XXXXXX"; // a new name each time, because the loader identifies files by name
    memcpy(&bytes, code, sizeof bytes);
    struct fake_module *module = calloc(1, sizeof *module);
    int file = mkstemp(path);
    if (module && file >= 0 && write(file, code + sizeof bytes, bytes) == (ssize_t)bytes) {
        module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    if (!module || !module->library) {
        fprintf(stderr, "fake driver: %s\n", dlerror());
        free(module);
        return FAKE_INVALID_IMAGE;
    }
    *loaded = module;
    return (int)fake_usable();
}

int fake_unload_module(struct fake_module *module) NAMED("cuModuleUnload", "hipModuleUnload");
int fake_unload_module(struct fake_module *module) {
    fake_finish_all();
    dlclose(module->library);
    free(module);
    return FAKE_SUCCESS;
}

int fake_find_function(struct fake_function **function, struct fake_module *module, const char *name)
    NAMED("cuModuleGetFunction", "hipModuleGetFunction");
int fake_find_function(struct fake_function **function, struct fake_module *module, const char *name) {
    char parameters[256];
    snprintf(parameters, sizeof parameters, "parameters_of_%s", name);
    const int *count = dlsym(module->library, parameters);
    if (!count) {
        fprintf(stderr, "fake driver: %s\n", dlerror());
    }
    if (!count || module->count == sizeof module->functions / sizeof *module->functions) {
        return FAKE_NOT_FOUND;
    }
    *function = &module->functions[module->count++];
    **function = (struct fake_function){.kernel = dlsym(module->library, name),
                                        .run_block = dlsym(module->library, "host_run_block"),
                                        .parameters = *count,
                                        .shared_bytes = SHARED_BYTES};
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    return FAKE_SUCCESS;
}

static bool launch_fails(const struct fake_function *function, const char *kind) {
    const char *name = getenv("FAKE_KERNEL");
    return (!name || !strcmp(name, function->name)) && fake_fails(kind);
}

#ifdef FAKE_CUDA
bool fake_profiled = false;
#else
bool fake_profiled = true;
#endif

static void tell_profiler(const struct work *work) {
    const char *path = getenv("FAKE_LAUNCHES");
    FILE *file = path && fake_profiled ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s %u %u %u %u %u %u\n", work->function->name, work->grid[0], work->grid[1], work->grid[2],
                work->block[0], work->block[1], work->block[2]);
        fclose(file);
    }
}

int fake_launch(struct fake_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, struct fake_stream *stream,
                void **parameters, void **extra) {
    struct work work = {LAUNCH, .function = function, .blocks = (uint64_t)grid_x * grid_y * grid_z,
                        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    if (fake_usable() != FAKE_SUCCESS || stream->device != fake_current) {
        return fake_usable() != FAKE_SUCCESS ? (int)fake_usable() : FAKE_INVALID_CONTEXT;
    }
    if (!work.blocks || (uint64_t)block_x * block_y * block_z > BLOCK_THREADS ||
        shared_bytes > function->shared_bytes || function->parameters > ARGUMENTS_MAX || extra) {
        return FAKE_INVALID_VALUE;
    }
    for (int i = 0; i < function->parameters; i++) {
        memcpy(&work.arguments[i], parameters[i], sizeof work.arguments[i]);
    }
    if (stream->graph && fake_fails("unrecorded")) {
        return FAKE_INVALID_VALUE; // without harm to what is recorded around it
    }
    if (launch_fails(function, "launch")) {
        fake_lost[fake_current] = true; // reported by the next call
        return FAKE_SUCCESS;
    }
    tell_profiler(&work);
    work.blocks -= (work.blocks > 1 || getenv("FAKE_KERNEL")) && launch_fails(function, "wrong");
    return fake_enqueue(stream, work);
}
