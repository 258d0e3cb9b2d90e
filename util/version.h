// The version of all programs, and of what they write.
#ifndef UTIL_VERSION_H
#define UTIL_VERSION_H

// "0.2.0 (4f26dbd12a9c)", the commit where it was known when the program was built, with -dirty if the sources were
// changed since.
extern const char version_text[];

// Of the rows, in the metadata's line `schema`: it grows when a column of the same name gets another meaning
// (docs/csv.md).
enum {
    ROWS_SCHEMA = 1
};

#endif
