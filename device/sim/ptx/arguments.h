// Copies a launch's arguments to an entry's parameters.
#ifndef DEVICE_SIM_PTX_ARGUMENTS_H
#define DEVICE_SIM_PTX_ARGUMENTS_H

#include "device/launch.h"
#include "device/sim/ptx/program.h"

// Stores each argument where the entry expects it. A parameter that is an array of bytes, like a struct, takes as many
// arguments as fill it. With parameters NULL it only checks.
enum status ptx_place_arguments(const struct ptx_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error);

#endif
