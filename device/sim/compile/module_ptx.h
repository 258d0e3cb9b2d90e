// The functions of module.h for a library that was compiled from a translation of PTX.
#ifndef DEVICE_SIM_COMPILE_MODULE_PTX_H
#define DEVICE_SIM_COMPILE_MODULE_PTX_H

#include "device/sim/compile/module.h"
#include "device/sim/ptx/program.h"

typedef void sim_shared_visitor(const struct sim_variable *variable, void *context);

// Takes ownership of the handle and the program, also after a failure.
enum status sim_module_open_ptx(void *handle, struct ptx_program *program, struct sim_module *module,
                                struct error *error);

void sim_module_ptx_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line);
void sim_module_ptx_each_shared(const struct sim_module *module, sim_shared_visitor *visit, void *context);

// Name and function; the parameters are the program's.
enum status sim_module_ptx_entry(const struct sim_module *module, struct sim_entry *entry, struct error *error);

#endif
