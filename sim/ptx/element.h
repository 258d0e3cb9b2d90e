// The elements of matrices that instructions multiply.
#ifndef SIM_PTX_ELEMENT_H
#define SIM_PTX_ELEMENT_H

#include "sim/ptx/writer.h"

struct ptx_element {
    const char *name, *constant; // in PTX; in C
    uint32_t per_word;           // of 32 bits
};

// The element that the opcode's n-th type names; NULL if there is none.
const struct ptx_element *ptx_element_part(const struct ptx_statement *statement, size_t n);

// Writes `FIELD = {words}, ` with at most this many registers of the list.
void ptx_write_words(struct ptx_writer *writer, const char *field, const struct ptx_operand *list,
                     const struct ptx_type *type, uint32_t most);

// Writes `.FIELD = {...}, ` for sums of this type.
void ptx_write_sums(struct ptx_writer *writer, const char *field, const struct ptx_type *type);

#endif
