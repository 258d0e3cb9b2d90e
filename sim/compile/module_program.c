// A library compiled from a translation of a GPU's instructions describes itself by tables instead of debug
// information.
#include "sim/compile/module_program.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_range range_of(const void *const *table) {
    return (struct sim_range){(uintptr_t)table[0], (uintptr_t)table[1]};
}

enum status sim_module_open_program(struct sim_module *module, struct error *error) {
    void *handle = module->library.handle;
    const void *const *shared = dlsym(handle, "sim_module_shared"), *const *own = dlsym(handle, "sim_module_program");
    if (!shared || !own) {
        return error_set(error, STATUS_FAILED, "the translated kernel has no tables: set CC to gcc or clang");
    }
    module->shared = range_of(shared);
    module->dynamic = range_of(shared + 2);
    module->weights = range_of(shared + 4);
    module->text = range_of(own);
    module->image = range_of(own + 2);
    memcpy(&module->parameters, &own[4], sizeof module->parameters);
    module->runs = dlsym(handle, "sim_module_runs");
    return STATUS_OK;
}

void sim_module_program_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line) {
    const uintptr_t first = module->text.begin + 1;
    *file = NULL;
    *line = 0;
    if (pc >= first && pc < module->text.end) {
        module->program->line(module->program, (uint32_t)(pc - first), file, line);
    }
}

void sim_module_program_each_shared(const struct sim_module *module, sim_shared_visitor *visit, void *context) {
    const struct sim_program *program = module->program;
    for (size_t i = 0; i < program->shared_count; i++) {
        const struct sim_program_variable *own = &program->shared[i];
        const struct sim_variable variable = {own->name, own->place, own->bytes};
        visit(&variable, context);
    }
}

// The last name of "_ZN5space6matmulEPf", without what C++ makes of it.
static void write_plain_name(const char *entry, char *name, size_t size) {
    const char *at = entry + strspn(entry, "_Z");
    snprintf(name, size, "%s", entry);
    for (at += strspn(at, "NL"); !strncmp(entry, "_Z", 2) && isdigit((unsigned char)*at);) {
        char *begin;
        const size_t length = strtoul(at, &begin, 10);
        if (strnlen(begin, length) < length) {
            return;
        }
        snprintf(name, size, "%.*s", (int)length, begin);
        at = begin + length;
    }
}

enum status sim_module_program_entry(const struct sim_module *module, struct sim_entry *entry, struct error *error) {
    const struct sim_program *program = module->program;
    void *symbol = dlsym(module->library.handle, "sim_program_entry");
    if (!symbol) {
        return error_set(error, STATUS_FAILED, "the translated kernel has no entry: set CC to gcc or clang");
    }
    write_plain_name(program->entry, entry->name, sizeof entry->name);
    memcpy(&entry->function, &symbol, sizeof symbol);
    entry->thread_registers = program->thread_registers;
    return STATUS_OK;
}
