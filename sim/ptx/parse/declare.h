// Parses declarations of variables, registers and parameters.
#ifndef SIM_PTX_PARSE_DECLARE_H
#define SIM_PTX_PARSE_DECLARE_H

#include "sim/ptx/parse/reader.h"

// Skips .reg, .global and the like.
bool ptx_take_space(struct ptx_reader *reader, enum ptx_space *space);

// A new symbol; NULL and an error if the scope has one of this name.
struct ptx_symbol *ptx_declare(struct ptx_reader *reader, const struct ptx_scope *scope, enum ptx_symbol_kind kind,
                               struct ptx_text name);

// The text between the space and the name: .align 8 .v2 .f32, .u64 .ptr .global.
struct ptx_qualifiers {
    enum ptx_space space;
    const struct ptx_type *type;
    uint32_t align, vector;
    bool pointer; // .ptr: a later .align refers to the target
};

struct ptx_qualifiers ptx_parse_qualifiers(struct ptx_reader *reader, enum ptx_space space);

// name[N] = value; NULL after an error.
struct ptx_symbol *ptx_parse_declarator(struct ptx_reader *reader, const struct ptx_scope *scope,
                                        const struct ptx_qualifiers *qualifiers);

// The variables of one declaration up to its semicolon; the space has been read.
void ptx_parse_variables(struct ptx_reader *reader, const struct ptx_scope *scope, enum ptx_space space, bool external);

#endif
