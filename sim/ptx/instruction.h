// The instructions, with a source for each group. A group's function writes the current instruction, and returns false
// if it belongs to another group.
#ifndef SIM_PTX_INSTRUCTION_H
#define SIM_PTX_INSTRUCTION_H

#include "sim/ptx/writer.h"

// An opcode's first part, optionally another one (alternatives separated by '|'), and what it becomes: what the
// function writes, or else this template, which is empty if lanes notice nothing of the instruction.
struct ptx_instruction {
    const char *opcode, *part;
    void (*write)(struct ptx_writer *writer);
    const char *template;
};

// Writes the instruction with the first row that fits.
bool ptx_write_by(struct ptx_writer *writer, const struct ptx_instruction *rows, size_t count);

// What a part of the opcode computes, in C: of integers, of real numbers; NULL: nothing.
struct ptx_operation {
    const char *part, *integers, *reals;
};

// The expression of the first row whose part the opcode has, for this type; NULL if there is none.
const char *ptx_operation_of(const struct ptx_statement *statement, const struct ptx_type *type,
                             const struct ptx_operation *rows, size_t count);

bool ptx_write_memory(struct ptx_writer *writer);     // ld, st, atom, red; cp.async, mbarrier
bool ptx_write_control(struct ptx_writer *writer);    // bra, ret, barriers, call
bool ptx_write_warp(struct ptx_writer *writer);       // shfl, vote, match, redux; ldmatrix, mma, wgmma, wmma
bool ptx_write_arithmetic(struct ptx_writer *writer); // mov, cvt, setp, and what the table of rules has

// What an atomic stores, in C, from the value before, `old`, and the lane's operand, `value` (and `other` of a swap).
// f32 also needs the address, `at`. An error if the type has no such operation.
const char *ptx_update_of(struct ptx_writer *writer, const struct ptx_type *type);

// Combines the number at the address `at` with that at another, a C expression, by the opcode's operation on the type.
void ptx_write_combination(struct ptx_writer *writer, const struct ptx_type *type, const char *from);

// The space named by one of the opcode's parts.
enum ptx_space ptx_space_part(const struct ptx_statement *statement);

#endif
