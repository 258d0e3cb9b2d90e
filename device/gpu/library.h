// Finds the shared libraries of GPU vendors at run time, wherever their packages install them.
#ifndef DEVICE_GPU_LIBRARY_H
#define DEVICE_GPU_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

// Lists end with NULL. A folder may hold shell wildcards.
struct library_search {
    const char *title;            // for messages: "NVRTC"
    const char *advice;           // advice if it is missing: "install the CUDA toolkit"
    const char *const *names;     // file names, best first
    const char *const *variables; // environment variables that name the vendor's folder
    const char *const *folders;   // the vendor's usual folders
    const char *const *wheels;    // of PyPI's wheels, below site-packages
};

struct library {
    void *handle;
    char path[256]; // the file that was opened, symbolic links resolved
};

// getenv, or a replacement.
typedef char *library_environment(const char *name);

// The files to try, in this order: the vendor's folder from the environment, the loader's folders, the vendor's usual
// folders, the wheels next to the program (folder is the program's), on PYTHONPATH, in Python's environments and in the
// usual site-packages. This only builds names and opens no file. Returns a list that ends with NULL, to be freed with
// library_candidates_free.
char **library_candidates(const struct library_search *search, library_environment *environment, const char *folder);
void library_candidates_free(char **candidates);

// The same for people: the variables and the folders that library_load searches, on one line, to be freed.
char *library_places(const struct library_search *search);

// One function of a library.
struct library_symbol {
    const char *name;     // name in the library, with the version that headers may append: "cuMemAlloc_v2"
    const char *fallback; // name of the same function in an older or newer library; NULL: none
    bool optional;        // without it the library loads, and the pointer is NULL
};

// A list of F(field, function) becomes the struct of the pointers and, in the same order, the array of the symbols. A
// pointer has the type of the vendor's header, so that a call with wrong arguments does not compile.
#define LIBRARY_FIELD(field, function) __typeof__(&function) field;
#define LIBRARY_STRING(name) #name
#define LIBRARY_SYMBOL(field, function) {LIBRARY_STRING(function), #function, false},
// The same for an optional function. It has no fallback, because older versions take other arguments.
#define LIBRARY_OPTIONAL_SYMBOL(field, function) {LIBRARY_STRING(function), NULL, true},

// A library's functions, found once per run of the program.
struct library_table {
    const struct library_search *search;
    bool (*accept)(void *handle, int wanted_version); // whether this file suits; NULL: any suits
    int wanted_version;                               // argument of accept; 0: any
    const struct library_symbol *symbols;
    size_t symbol_count;
    void *calls; // a struct of a pointer for each symbol, in their order
    struct library library;
};

// What a table needs of its search, its array of symbols and its pointers.
#define LIBRARY_TABLE(search_, symbols_, calls_)                                                                       \
    .search = &(search_), .symbols = symbols_, .symbol_count = sizeof symbols_ / sizeof *(symbols_), .calls = &(calls_)

// The pointers of a list in which no function is optional, and the table that fills them in.
#define LIBRARY_CALLS(name, search, list)                                                                              \
    static struct { list(LIBRARY_FIELD) } name;                                                                        \
    static const struct library_symbol name##_symbols[] = {list(LIBRARY_SYMBOL)};                                      \
    static struct library_table name##_library = {LIBRARY_TABLE(search, name##_symbols, name)}

// Opens the first candidate that suits, otherwise the first that opens at all. Returns STATUS_NO_DEVICE with the reason
// if there is none, or one of its functions that is not optional.
enum status library_load(struct library_table *table, struct error *error);

#endif
