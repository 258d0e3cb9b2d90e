// Translates the instructions of the table of rules.
#ifndef SIM_PTX_ARITHMETIC_H
#define SIM_PTX_ARITHMETIC_H

#include "sim/ptx/writer.h"

// Writes the current instruction; false if no rule is for its opcode.
bool ptx_write_arithmetic(struct ptx_writer *writer);

// The function that makes a subnormal number of this type a zero, or of each of its lanes; "" if none does.
const char *ptx_flush_of(const struct ptx_statement *statement, const struct ptx_type *type);

// The constant of enum rounding that the opcode's parts name.
const char *ptx_rounding_of(const struct ptx_statement *statement);

#endif
