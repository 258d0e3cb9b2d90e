// A PTX file translated to C: one entry, with the functions and variables that it needs.
#ifndef SIM_PTX_PROGRAM_H
#define SIM_PTX_PROGRAM_H

#include "sim/program.h"
#include "util/error.h"

// Returns STATUS_USAGE if the text is not PTX or has no such entry, STATUS_FAILED if it contains something unsupported.
enum status ptx_program_create(const struct sim_code *request, struct sim_program **program, struct error *error);

#endif
