// Lines of the assembly that a host's compiler makes: instructions, their operands, and the places that these name.
#ifndef SIM_COMPILE_ASSEMBLY_H
#define SIM_COMPILE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>

// A place is a register or a slot of the stack. Slots are told apart by a hash of their offsets, so two may meet.
enum {
    ASSEMBLY_REGISTERS = 64,
    ASSEMBLY_PLACES = ASSEMBLY_REGISTERS + 512,
    ASSEMBLY_OPERANDS = 4, // at most, of a line
    ASSEMBLY_RESULT = 0    // the register of what a function returns
};

// The register of a function's first argument.
#if defined(__aarch64__)
enum {
    ASSEMBLY_ARGUMENT = 0
};
#else
enum {
    ASSEMBLY_ARGUMENT = 5 // %rdi
};
#endif

struct text {
    const char *begin;
    size_t length;
};

bool text_begins(struct text text, const char *word);
bool text_holds(struct text text, const char *word);

// Whether the text begins with one of the words, which end with NULL.
bool text_begins_with(struct text text, const char *const *words);

bool line_calls(struct text line);
bool line_compares(struct text line);
bool line_moves(struct text line);
bool line_takes_address(struct text line); // and does not access it

// Whether an instruction of two operands leaves nothing of its destination's old value.
bool line_overwrites(struct text line);

// Whether an instruction that writes the place adds a constant to it.
bool line_adds_constant(struct text line, int place);

bool line_is_jump(struct text line, bool *conditional);

// Splits a line into up to ASSEMBLY_OPERANDS operands and returns their number.
size_t line_split(struct text line, struct text *operands);

// Which of a line's operands it writes.
size_t line_destination(struct text line, size_t operands);

bool operand_is_memory(struct text operand);
bool operand_is_stack(struct text operand);

// The register that a name at this place of the text means; -1: there is none.
int operand_register(const char *at, const char *begin);

// The slot of the stack that an operand means.
int operand_slot(struct text operand);

// The place that an operand means; -1: another one.
int operand_place(struct text operand);

// Whether a function that is called keeps the register's value.
bool register_is_kept(int place);

#endif
