// Finds the shared libraries of GPU vendors when a program runs, wherever their packages put them.
#ifndef DEVICE_GPU_LIBRARY_H
#define DEVICE_GPU_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

// Lists end with NULL. A folder may hold shell wildcards.
struct library_search {
    const char *title;            // for messages: "NVRTC"
    const char *advice;           // what to do where it is missing: "install the CUDA toolkit"
    const char *const *names;     // file names, best first
    const char *const *variables; // environment variables that name the vendor's folder
    const char *const *folders;   // the vendor's usual folders
    const char *const *wheels;    // folders of PyPI's wheels, below site-packages
};

struct library {
    void *handle;
    char path[256]; // the file that was taken, symbolic links resolved
};

// getenv, or a stand-in.
typedef char *library_environment(const char *name);

// Where to look, in this order: the vendor's folder as the environment names it, the loader's own places, the vendor's
// usual folders, the wheels beside the program (folder is the program's), on PYTHONPATH, in Python's environments and
// in the usual site-packages. Pure: looks at no file. Returns a list that ends with NULL, to be freed with
// library_candidates_free; NULL where memory ran out.
char **library_candidates(const struct library_search *search, library_environment *environment, const char *folder);
void library_candidates_free(char **candidates);

// The same for people: the variables and the folders below which library_open looks, in one line, to be freed; NULL
// where memory ran out.
char *library_places(const struct library_search *search);

// Opens the first candidate that suits (accept may be NULL: any does), or, where none suits, the first that opens at
// all. STATUS_NO_DEVICE where there is none: the error says why.
enum status library_open(const struct library_search *search, bool (*accept)(void *handle, int wanted_version),
                         int wanted_version, struct library *library, struct error *error);

// One function of a library, and where its pointer goes.
struct library_symbol {
    const char *name;     // as the headers spell it, with a version where they add one: "cuMemAlloc_v2"
    const char *fallback; // an older or a newer library's name of the same function
    size_t offset;        // of the pointer, in the table that is filled
};

// A row of a table of symbols, from a list of F(function) or F(field, function). The pointer's type comes from the
// vendor's header, so that a call that does not fit it does not compile.
#define LIBRARY_FIELD(field, function) __typeof__(&function) field;
#define LIBRARY_STRING(name) #name
#define LIBRARY_SYMBOL(table, field, function, plain)                                                                  \
    { LIBRARY_STRING(function), plain, offsetof(struct table, field) }

// A library's functions, found once in a program's run.
struct library_table {
    const struct library_search *search;
    bool (*accept)(void *handle, int wanted_version); // whether this file suits; NULL: any does
    int wanted_version;                               // what it must suit; 0: anything
    const struct library_symbol *symbols;
    size_t symbol_count;
    void *calls; // the pointers, each at its symbol's offset
    struct library library;
};

// STATUS_NO_DEVICE where there is no library, or one without a function.
enum status library_load(struct library_table *table, struct error *error);

#endif
