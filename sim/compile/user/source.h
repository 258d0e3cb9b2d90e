// What a compiler gets of a user's CUDA C++ file: its words, its declarations, and the files that it includes.
#ifndef SIM_COMPILE_USER_SOURCE_H
#define SIM_COMPILE_USER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "device/launch.h"

// ---- Words ----

// Splits a C++ text into tokens, without comments.

enum user_token_kind {
    USER_WORD, // an identifier or a keyword
    USER_NUMBER,
    USER_STRING,   // or a character
    USER_SIGN,     // one character
    USER_DIRECTIVE // a whole line of the preprocessor, with those that continue it
};

struct user_token {
    enum user_token_kind kind;
    const char *begin, *end;
};

// Whether both have a text, the same one.
bool user_token_equals(const struct user_token *a, const struct user_token *b);

struct user_tokens {
    struct user_token *list;
    size_t count;
};

// ---- Declarations ----

// The declarations of a CUDA C++ text outside of functions and classes: where they begin and end, and which are
// kernels.

struct user_declaration {
    size_t first, end; // tokens
    size_t space;      // the namespace that contains it
    bool is_kernel;    // __global__
    bool is_device;    // __device__, __constant__ or __shared__
    bool is_template, is_static;
    bool dropped;
    struct user_token name; // of a kernel; begin is NULL if a macro makes it
    size_t parameters;      // of a kernel: the token of their (
};

// A namespace. Space 0 is the file, and others' braces have no name.
struct user_space {
    size_t parent;
    struct user_token name;
};

struct user_declarations {
    struct user_tokens tokens;
    struct user_declaration *list;
    struct user_space *spaces;
    size_t count, space_count;
};

// The tokens point into the text.
void user_declarations_find(const char *text, struct user_declarations *declarations);
void user_declarations_clear(struct user_declarations *declarations);

// The declaration that contains a place of the text; NULL if none does.
struct user_declaration *user_declaration_at(const struct user_declarations *declarations, const char *place);

// The first kernel of this name, whose space and template's arguments do not matter, or of any name if it is NULL; NULL
// if there is none.
struct user_declaration *user_kernel_named(const struct user_declarations *declarations, const char *entry);

// The names of a kernel's parameters, with commas between; the name of one that has none is empty. The caller frees the
// text.
char *user_parameter_names(const struct user_declarations *declarations, const struct user_declaration *kernel);

// ---- Includes ----

// Puts a kernel's file and the headers beside it into one text, from which what only the host needs can be left out.

// Which headers a compiler may include: those of C and C++ that kernels use, and others.
struct user_headers {
    bool all;                         // it compiles for the host, too
    const struct kernel_header *list; // no others than these; NULL: all but C++'s, if they are here
};

// Returns the text with each `#include "name"` of a file beside it replaced by that file, once, and by #line, which
// keeps files and lines. A header that is not here is passed over, and so are those that the compiler has no use for.
// The caller frees the text.
char *user_splice(const char *file_name, const char *text, const struct user_headers *headers);

// The line of that file in such a text; NULL if the file is no part of it, such as one of the compiler's headers.
const char *user_place_find(const char *text, const char *file, size_t file_length, unsigned line);

#endif
