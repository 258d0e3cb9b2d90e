// Translates functions and variables to C.
#ifndef SIM_PTX_FUNCTION_H
#define SIM_PTX_FUNCTION_H

#include "sim/ptx/writer.h"

// "static void f12(uint32_t depth, unsigned char *v13)"; an entry has no such parameters.
void ptx_write_signature(FILE *out, const struct ptx_function *function);

// Writes the whole function.
void ptx_write_function(struct ptx_writer *writer, const struct ptx_function *function);

// Declarations, then definitions of the used variables in global memory and constants.
void ptx_write_variables(struct ptx_writer *writer);

// The offset of an entry's parameter after the one before, which ends at `end`.
uint32_t ptx_parameter_place(const struct ptx_symbol *symbol, uint32_t end);

#endif
