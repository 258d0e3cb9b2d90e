// Parses instructions and their operands.
#ifndef SIM_PTX_PARSE_STATEMENT_H
#define SIM_PTX_PARSE_STATEMENT_H

#include "sim/ptx/parse/reader.h"

// An instruction up to its semicolon, with its guard; NULL after an error.
struct ptx_statement *ptx_parse_instruction(struct ptx_reader *reader);

// Operands between commas; empty where none begins here.
struct ptx_operand *ptx_parse_operands(struct ptx_reader *reader);

// One value of an initialiser: a number, a name, name+4, generic(name).
struct ptx_operand *ptx_parse_value(struct ptx_reader *reader);

#endif
