// The declarations of a CUDA C++ file: their names, and whether they are for the device.
#ifndef DEVICE_SIM_COMPILE_CXX_ITEMS_H
#define DEVICE_SIM_COMPILE_CXX_ITEMS_H

#include "device/sim/compile/cxx/macros.h"

enum item_flag {
    ITEM_DEVICE = 1,   // __device__, __constant__ and the like
    ITEM_KERNEL = 2,   // __global__
    ITEM_CONSTANT = 4, // constexpr
    ITEM_FUNCTION = 8,
    ITEM_BODY = 16, // a function that is defined here
    ITEM_TEMPLATE = 32,
    ITEM_INSTANTIATION = 64, // template void f<int>();
    ITEM_OPERATOR = 128,
    ITEM_SPACE = 256, // using namespace name;
    ITEM_MACRO = 512  // the call of a macro that makes functions
};

// A declaration outside of functions and classes.
struct item {
    size_t first, end; // tokens
    unsigned flags;
    size_t scope;      // that contains it
    struct token name; // the first that it declares; begin is NULL if it declares none
    bool kept;         // for the caller
};

// One name that an item declares.
struct item_name {
    struct token name; // first, for tokens_find
    size_t item;
    size_t same; // number of this name's occurrences, in the first of them
    bool needed; // for the caller, in the first of them
};

// A namespace's name, which is empty for the file and for others' braces.
struct scope {
    size_t parent;
    struct token name;
};

struct items {
    struct tokens tokens;
    struct macros macros;
    struct item *list;
    struct item_name *names; // sorted
    struct scope *scopes;    // scope 0 is the file
    size_t count, name_count, scope_count;
    bool failed; // memory ran out
};

// Returns false if memory runs out.
bool items_find(const char *text, struct items *items);
void items_clear(struct items *items);

// The names that equal a word: the first of *count.
struct item_name *items_named(const struct items *items, const struct token *word, size_t *count);

#endif
