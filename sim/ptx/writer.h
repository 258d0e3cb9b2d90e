// The state of the translation to C, and how operands are written.
#ifndef SIM_PTX_WRITER_H
#define SIM_PTX_WRITER_H

#include <stdio.h>

#include "sim/program.h"
#include "sim/ptx/parse/tree.h"
#include "util/error.h"

// ---- Operands ----

struct ptx_writer {
    FILE *out;
    struct sim_program *program;
    struct ptx_tree *tree;
    const struct ptx_function *function;
    const struct ptx_statement *statement; // the current one
    uint64_t shared_bytes;                 // of the static variables so far
    enum status status;
    struct error *error;
};

uint64_t ptx_symbol_bytes(const struct ptx_symbol *symbol);

// Ends the translation with "FILE:LINE: opcode: what". The first error stays.
void ptx_refuse(struct ptx_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Writes C by a template (sim/compile/text.h). Of the instruction's operands, counted from 0, or of one that is given
// where a * stands for the number,
//   $1:b32 is the value's bits, as a C expression of the type of this name,
//   $1:T   the same, of a type that is given,
//   $1:N   the value as the number of a type that is given,
//   $1:A   the generic address that an operand in brackets stands for; a space is given,
//   $0 =   the assignment of bits to a register; for `_`, "(void)".
// $site is "SITE(n), depth", the arguments that every hook ends with, and counts the instruction.
void ptx_write(struct ptx_writer *writer, const char *format, ...);

// Gives all bits 1 to the registers of the list, and notes that the current instruction is not computed.
void ptx_leave_out(struct ptx_writer *writer, const struct ptx_operand *targets);

// Whether the opcode has this part after its first.
bool ptx_has_part(const struct ptx_statement *statement, const char *part);

// The n-th type among the opcode's parts; NULL if there are fewer.
const struct ptx_type *ptx_type_part(const struct ptx_statement *statement, size_t n);

// The same of one that there must be: if there are fewer, an error, and a type of 32 bits.
const struct ptx_type *ptx_expect_type(struct ptx_writer *writer, size_t n);

size_t ptx_count_types(const struct ptx_statement *statement);

// The n-th operand; if there are not so many, an error, which names the first that is missing, and one without a name.
const struct ptx_operand *ptx_operand(struct ptx_writer *writer, size_t n);
size_t ptx_count_operands(const struct ptx_operand *operands);

// The symbol that an operand names, which the translation then holds; NULL and an error if there is none.
struct ptx_symbol *ptx_symbol_of(struct ptx_writer *writer, const struct ptx_operand *operand, uint64_t *member);

// Whether the operand is `_`, which discards the result.
bool ptx_is_sink(const struct ptx_operand *operand);

// The type of a register's bits; NULL and an error if the operand is no register.
const struct ptx_type *ptx_register_type(struct ptx_writer *writer, const struct ptx_operand *operand);

// The bits of a number of the file, in a type.
uint64_t ptx_number_bits(const struct ptx_operand *operand, const struct ptx_type *type);

// The C expression for the address of a variable, as in PTX's mov: shared memory counts from its start.
void ptx_write_address_of(struct ptx_writer *writer, struct ptx_symbol *symbol);

#endif
