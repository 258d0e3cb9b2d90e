// The instructions that compute a result from registers: a table of rules, comparisons, conversions, moves.
#ifndef SIM_PTX_ARITHMETIC_H
#define SIM_PTX_ARITHMETIC_H

#include "sim/ptx/parse/tree.h"
#include "sim/ptx/writer.h"

// ---- Arithmetic ----

// Writes the current instruction; false if no rule is for its opcode.
bool ptx_write_arithmetic(struct ptx_writer *writer);

#endif
