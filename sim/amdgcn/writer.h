// The state of a translation of AMDGPU assembly to C.
#ifndef SIM_AMDGCN_WRITER_H
#define SIM_AMDGCN_WRITER_H

#include <stdio.h>

#include "sim/amdgcn/operand.h"
#include "sim/amdgcn/parse.h"
#include "sim/program.h"
#include "util/text.h"

struct gcn_writer {
    FILE *out; // the kernel's body
    struct sim_program *program;
    struct gcn_file *file;
    const struct gcn_kernel *kernel;
    const struct gcn_statement *statement; // the current one
    uint32_t index;                        // its number in the file
    size_t first, end;                     // the statements of the kernel, or of a function that it calls
    struct gcn_statement **called;         // the labels of these functions
    size_t called_count;
    uint32_t *calls; // their numbers in the file
    size_t call_count;
    bool jumps; // to a place that a register holds
    struct gcn_operands operands;
    char base[64];                   // the mnemonic without its encoding
    uint32_t lanes;                  // of a wave
    uint32_t generation;             // 9 to 12
    uint32_t vectors, accumulators;  // registers that instructions have named so far
    bool index_source, index_result; // count from M0, by s_set_gpr_idx_on
    struct names functions;          // the texts of vector instructions, one for each form
    enum status status;
    struct error *error;
};

// Ends the translation with "FILE:LINE: mnemonic: what". The first error stays.
void gcn_refuse(struct gcn_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The number of a new site, for the current statement.
uint32_t gcn_site(struct gcn_writer *writer);

// Begins a segment, or counts the current instruction in it.
void gcn_segment_begin(struct gcn_writer *writer);
void gcn_segment_add(struct gcn_writer *writer, enum sim_program_count count);
void gcn_segment_add_more(struct gcn_writer *writer, enum sim_program_count count, uint32_t by);

// The operand; an error and an empty one if it is missing or of another kind (GCN_NONE: any).
const struct gcn_operand *gcn_operand(struct gcn_writer *writer, uint32_t n, enum gcn_operand_kind kind);

// Writes C by a template (sim/compile/text.h), in which operands are given:
//   $rows0 is a vector operand as a pointer to its first row; a scalar is spread into the temporary of this number;
//          NULL: none
//   $u32   a scalar operand's bits as an expression of 32 or 64 bits for a type such as u32 or f64
//   $T     the same for a type whose name is given, too
void gcn_write(struct gcn_writer *writer, const char *format, ...);

// Takes ownership of the text of a function, and returns its number; the same for the same text.
uint32_t gcn_function(struct gcn_writer *writer, char *text);

// The place of a function that the kernel may call, which will be translated, too; 0: there is none of this name. The
// place stands for its address.
size_t gcn_called(struct gcn_writer *writer, const char *name);

// Called after EXEC has changed.
void gcn_write_exec_change(struct gcn_writer *writer);

// Each writes the current instruction; false if it is none of these.
bool gcn_write_arithmetic(struct gcn_writer *writer); // arithmetic.c
bool gcn_write_matrix(struct gcn_writer *writer);     // matrix.c
bool gcn_write_memory(struct gcn_writer *writer);     // memory.c
bool gcn_write_control(struct gcn_writer *writer);    // control.c
bool gcn_write_indexed(struct gcn_writer *writer); // control.c; one that is under s_set_gpr_idx_on, before the others

#endif
