// Copies a launch's arguments to the parameters of a kernel that was translated.
#ifndef SIM_COMPILE_ARGUMENTS_H
#define SIM_COMPILE_ARGUMENTS_H

#include "device/launch.h"
#include "sim/compile/module.h"
#include "sim/program.h"
#include "util/error.h"

// Stores each argument where the entry expects it. A parameter that is an array of bytes, like a struct, takes as many
// arguments as fill it but for padding. With parameters NULL it only checks.
enum status sim_place_arguments(const struct sim_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error);

// The name of the parameter that takes the argument; NULL if it is not known.
const char *sim_argument_parameter(const struct sim_module *module, const struct sim_entry *entry,
                                   const struct launch *launch, size_t argument);

#endif
