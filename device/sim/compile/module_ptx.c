// A library compiled from a translation of PTX describes itself by tables instead of debug information.
#include "device/sim/compile/module_ptx.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static struct sim_range range_of(const void *const *table) {
    return (struct sim_range){(uintptr_t)table[0], (uintptr_t)table[1]};
}

enum status sim_module_open_ptx(void *handle, struct ptx_program *program, struct sim_module *module,
                                struct error *error) {
    const void *const *shared = dlsym(handle, "sim_module_shared"), *const *own = dlsym(handle, "sim_module_ptx");
    if (!shared || !own) {
        dlclose(handle);
        ptx_program_destroy(program);
        return error_set(error, STATUS_FAILED, "the translated kernel has no tables: set CC to gcc or clang");
    }
    *module = (struct sim_module){.handle = handle, .debug = -1, .program = program};
    module->shared = range_of(shared);
    module->dynamic = range_of(shared + 2);
    module->weights = range_of(shared + 4);
    module->text = range_of(own);
    module->image = range_of(own + 2);
    memcpy(&module->parameters, &own[4], sizeof module->parameters);
    return STATUS_OK;
}

void sim_module_ptx_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line) {
    const uintptr_t first = module->text.begin + 1;
    *file = NULL;
    *line = 0;
    if (pc >= first && pc < module->text.end) {
        ptx_program_line(module->program, (uint32_t)(pc - first), file, line);
    }
}

void sim_module_ptx_each_shared(const struct sim_module *module, sim_shared_visitor *visit, void *context) {
    const struct ptx_program *program = module->program;
    for (size_t i = 0; i < program->shared_count; i++) {
        const struct ptx_variable *own = &program->shared[i];
        const struct sim_variable variable = {own->name, own->place, own->bytes};
        visit(&variable, context);
    }
}

enum status sim_module_ptx_entry(const struct sim_module *module, struct sim_entry *entry, struct error *error) {
    const struct ptx_program *program = module->program;
    void *symbol = dlsym(module->handle, "sim_ptx_entry");
    if (!symbol) {
        return error_set(error, STATUS_FAILED, "the translated kernel has no entry: set CC to gcc or clang");
    }
    snprintf(entry->name, sizeof entry->name, "%s", program->entry);
    memcpy(&entry->function, &symbol, sizeof symbol);
    return STATUS_OK;
}
