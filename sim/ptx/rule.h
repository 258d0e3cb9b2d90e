// The table of instructions that compute one result from registers: each row gives the computation in C.
#ifndef SIM_PTX_RULE_H
#define SIM_PTX_RULE_H

#include "sim/ptx/parse/tree.h"

struct ptx_rule {
    const char *opcode; // "mul.wide": the first part, and parts that must be present
    unsigned classes;   // of the opcode's last type
    const char *also;   // parts that may be present, each between spaces
    // The types of the result and of the operands: T the opcode's last type, W twice as wide as T, U T without sign,
    // u u32, i s32, p a predicate.
    const char *types;
    const char *expression; // of the operands a, b, c, d; `mode` is the rounding
};

// The row of an instruction; NULL if none fits. *unknown: the part that no row of this opcode allows.
const struct ptx_rule *ptx_rule_find(const struct ptx_statement *statement, struct ptx_text *unknown);

#endif
