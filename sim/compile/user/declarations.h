// The declarations of a CUDA C++ text outside of functions and classes: where they begin and end, and which are
// kernels.
#ifndef SIM_COMPILE_USER_DECLARATIONS_H
#define SIM_COMPILE_USER_DECLARATIONS_H

#include "sim/compile/user/lexer.h"

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

// The tokens point into the text. Returns false if memory runs out.
bool user_declarations_find(const char *text, struct user_declarations *declarations);
void user_declarations_clear(struct user_declarations *declarations);

// The declaration that contains a place of the text; NULL if none does.
struct user_declaration *user_declaration_at(const struct user_declarations *declarations, const char *place);

// The first kernel of this name, whose space and template's arguments do not matter, or of any name if it is NULL; NULL
// if there is none.
struct user_declaration *user_kernel_named(const struct user_declarations *declarations, const char *entry);

// The names of a kernel's parameters, with commas between; the name of one that has none is empty. The caller frees the
// text; NULL if memory runs out.
char *user_parameter_names(const struct user_declarations *declarations, const struct user_declaration *kernel);

#endif
