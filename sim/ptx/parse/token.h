// The words of a PTX file.
#ifndef SIM_PTX_PARSE_TOKEN_H
#define SIM_PTX_PARSE_TOKEN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// A piece of the file, which is not NUL-terminated.
struct ptx_text {
    const char *at;
    size_t length;
};

bool ptx_text_is(struct ptx_text text, const char *word);

// Whether the text is one of the words in a list with this mark between them.
bool ptx_text_is_among(struct ptx_text text, const char *list, char mark);

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,      // add.s32, %r1, $L__BB0_2, %tid.x
    PTX_TOKEN_DIRECTIVE, // .reg
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_FLOAT32, // 0f3F800000; value holds its bits
    PTX_TOKEN_FLOAT64, // 0d3FF0000000000000 or 1.5; likewise
    PTX_TOKEN_STRING,  // without its quotes
    PTX_TOKEN_MARK,    // one character
    PTX_TOKEN_WRONG    // no word of PTX
};

struct ptx_token {
    enum ptx_token_kind kind;
    struct ptx_text text;
    uint64_t value;
    uint32_t line;
    uint32_t assembly; // the number of the block of inline assembly that the token is in; 0: none
};

struct ptx_lexer {
    const char *at; // NUL-terminated
    uint32_t line;
    uint32_t assembly, assembly_blocks; // that it is in, and so far
};

struct ptx_token ptx_next_token(struct ptx_lexer *lexer);

// A fault in a PTX file, with its place.

struct ptx_fault {
    const char *file_name;
    uint32_t line;
    struct ptx_text opcode; // empty: the fault is in no instruction
};

// Writes "FILE:LINE: opcode: what", and returns the status.
enum status ptx_report_fault(struct error *error, enum status status, const struct ptx_fault *fault, const char *format,
                             va_list arguments) __attribute__((format(printf, 4, 0)));

#endif
