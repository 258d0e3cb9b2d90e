// The #defines of a CUDA C++ file.
#ifndef DEVICE_SIM_COMPILE_CXX_MACROS_H
#define DEVICE_SIM_COMPILE_CXX_MACROS_H

#include "device/sim/compile/cxx/lexer.h"

struct macro {
    struct token name;  // first, for tokens_find
    struct tokens text; // its replacement, after its parameters
    unsigned flags;     // word_flags of its words
    bool looked;
    size_t same; // number of this name's occurrences, in the first of them
    bool needed; // for the caller, in the first of them
};

struct macros {
    struct macro *list; // sorted by name
    size_t count;
};

// Returns false if memory runs out.
bool macros_find(const struct tokens *tokens, struct macros *macros);
void macros_clear(struct macros *macros);

// The definitions of a macro: the first of *count.
struct macro *macros_named(const struct macros *macros, const struct token *word, size_t *count);

// A word's meaning for the declaration that contains it: enum item_flag, also if a macro stands for it.
unsigned word_flags(const struct macros *macros, const struct token *word);

#endif
