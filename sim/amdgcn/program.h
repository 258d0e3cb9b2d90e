// A kernel of a file of AMDGPU assembly, translated to C.
#ifndef SIM_AMDGCN_PROGRAM_H
#define SIM_AMDGCN_PROGRAM_H

#include "device/launch.h"
#include "sim/program.h"
#include "util/error.h"

// STATUS_USAGE if the text is no such file, or is for another GPU; STATUS_FAILED if it has something unsupported.
enum status gcn_program_create(const struct sim_code *request, struct sim_program **program, struct error *error);

// Writes what a launch tells a kernel behind its arguments: sizes of grid and block.
void gcn_place_launch(const struct sim_program *program, const struct launch *launch, unsigned char *arguments);

#endif
