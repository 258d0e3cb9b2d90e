// A program's page of help, the same way for every program: what --help prints within 80 columns, and of the same data
// its manual page and what a shell needs to complete its options.
#ifndef UTIL_HELP_H
#define UTIL_HELP_H

#include "util/options.h"

struct help_term {
    const char *name, *meaning;
};

// Texts are NULL where a program has none. Each line of a text is a paragraph.
struct help {
    const char *program, *summary;
    const char *synopsis; // the arguments of "Usage: PROGRAM ARGUMENTS", a line for each usage
    const struct option_table *tables;
    size_t table_count;
    const char *values; // how the options' values are written
    const char *description;
    const char *terms_title; // "Variants"
    const struct help_term *terms;
    size_t term_count;
    const char *exit_status;
};

// Prints the page. The build makes other forms of it: with BANKSHOT_HELP=manual in the environment a manual page, with
// BANKSHOT_HELP=summary its first line, with BANKSHOT_HELP=options a line for each option, "NAME LETTER KIND CHOICES
// HELP" separated by tabs, where the kind is flag, choice, file, operands or value.
void help_print(const struct help *help);

// Prints the page for --help, or the version for --version. Returns whether one of them was given.
bool help_answers(const struct help *help, bool wants_help, bool wants_version);

// The rows of these options, whose flags are the members `help` and `version` of the type.
#define HELP_OPTION(type)                                                                                              \
    { "help", 'h', OPTION_FLAG, offsetof(type, help), NULL, "this text", 0, 0, NULL }
#define VERSION_OPTION(type)                                                                                           \
    { "version", 'V', OPTION_FLAG, offsetof(type, version), NULL, "the version", 0, 0, NULL }

#endif
