// The functions of module.h for a library that was compiled from a translation of a GPU's instructions.
#ifndef SIM_COMPILE_MODULE_PROGRAM_H
#define SIM_COMPILE_MODULE_PROGRAM_H

#include "sim/compile/module.h"
#include "sim/program.h"

typedef void sim_shared_visitor(const struct sim_variable *variable, void *context);

enum status sim_module_open_program(struct sim_module *module, struct error *error);

void sim_module_program_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line);
void sim_module_program_each_shared(const struct sim_module *module, sim_shared_visitor *visit, void *context);

// Name and function; the parameters are the program's.
enum status sim_module_program_entry(const struct sim_module *module, struct sim_entry *entry, struct error *error);

#endif
