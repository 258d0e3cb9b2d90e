// The state of the parser, with one token of lookahead. After the first error the next token stays the end of the file,
// so that every loop ends.
#ifndef SIM_PTX_PARSE_READER_H
#define SIM_PTX_PARSE_READER_H

#include "sim/ptx/parse/tree.h"
#include "util/error.h"

struct ptx_reader {
    const char *file_name;
    struct ptx_lexer lexer;
    struct ptx_token token;
    struct ptx_tree *tree;
    uint32_t place, location_room; // the last .loc
    uint32_t assembly;             // the last block of inline assembly that had one
    enum status status;
    struct error *error;
};

void ptx_advance(struct ptx_reader *reader);

// Ends the reading with "FILE:LINE: what".
void ptx_fail(struct ptx_reader *reader, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ptx_fail_here(struct ptx_reader *reader, const char *expected);

bool ptx_at_mark(const struct ptx_reader *reader, char mark);
bool ptx_at_directive(const struct ptx_reader *reader, const char *name);

// Skips the token if it is this one.
bool ptx_take_mark(struct ptx_reader *reader, char mark);
bool ptx_take_directive(struct ptx_reader *reader, const char *name);

void ptx_expect_mark(struct ptx_reader *reader, char mark);
struct ptx_text ptx_expect_word(struct ptx_reader *reader, const char *expected);
uint64_t ptx_expect_integer(struct ptx_reader *reader, const char *expected);

// Zeroed memory of the tree; NULL and an error if there is none.
void *ptx_take_memory(struct ptx_reader *reader, size_t bytes);

#endif
