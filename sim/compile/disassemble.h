// Code objects, as AMD's compilers and Triton write them, turned into the assembly that clang -S would have written.
#ifndef SIM_COMPILE_DISASSEMBLE_H
#define SIM_COMPILE_DISASSEMBLE_H

#include <stdbool.h>

#include "util/error.h"

// Whether the file begins as an ELF file does.
bool sim_is_code_object(const char *path);

// Disassembles by LLVM's tools. The caller frees *text. STATUS_NO_DEVICE if they are not here, STATUS_USAGE if the file
// is no code object of AMD's.
enum status sim_disassemble(const char *path, char **text, struct error *error);

#endif
