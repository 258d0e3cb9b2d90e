// A program's command line from tables: parsing, checking and help (util/help.h) follow from their rows.
// GNU style: --name value, --name=value, unambiguous beginnings, a short form where a row has one.
#ifndef UTIL_OPTIONS_H
#define UTIL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum option_kind {
    OPTION_FLAG,       // bool: true when given
    OPTION_TEXT,       // const char *
    OPTION_INPUT,      // const char *: a file that is read
    OPTION_OUTPUT,     // const char *: a file that is written
    OPTION_CHOICE,     // const char *: one of choices
    OPTION_REAL,       // double: min..max
    OPTION_COUNT,      // uint64_t: min..max
    OPTION_SWEEP,      // struct sweep: min..max
    OPTION_DIMENSIONS, // struct sweep, of sizes "32x8", each part up to max
    OPTION_APPEND,     // struct option_list: may be given several times
    OPTION_OPERANDS,   // struct option_list: the arguments that are no options; one row, with the name ""
};

struct option_list {
    const char **values;
    size_t count;
};

struct option_row {
    const char *name; // without the dashes
    char short_name;  // 0: none
    enum option_kind kind;
    size_t offset;        // of the variable that takes the value, in the struct that the table's owner keeps
    const char *argument; // name of the value in --help: "N", "LIST"; NULL for a flag
    const char *help;     // one line; NULL: --help leaves the option out
    double min, max;      // of numbers
    const char *choices;  // "cold|warm"; for a file "-" if that stands for standard input or output
};

// Rows, and the struct that their offsets refer to.
struct option_table {
    const struct option_row *rows;
    size_t count;
    void *base;
};

// Sets the given options and leaves the variables of the others as they are. Texts point into argv. Returns
// STATUS_USAGE for an argument that is no option, a bad value, or one file given for two purposes. The tables make up
// one command line, so no name may be in two of them.
enum status options_parse(const struct option_table *tables, size_t count, int argc, char **argv, struct error *error);

// ---- Values of a sweep ----

// The values that an option runs over: "1,2,4", "1:32", "1:32:+4", "1:32:*2", and lists of these; with or without
// the suffixes K, M, G (1024, 1024^2, 1024^3). A value that is given again counts once, at its first place.

struct sweep {
    uint64_t *values;
    size_t count;
};

// Values outside min..max are refused. Messages begin with name: "--stride". Free with sweep_clear.
enum status sweep_parse(struct sweep *sweep, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error);
// A list of sizes "32x8", or "32" for 32x1: a value is x | y << 32. Each of x and y is at most max.
enum status sweep_parse_dimensions(struct sweep *sweep, const char *name, const char *text, uint64_t max,
                                   struct error *error);
void sweep_clear(struct sweep *sweep);
uint64_t sweep_max(const struct sweep *sweep);

// One whole number with an optional suffix.
enum status parse_count(uint64_t *value, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error);

// One real number.
enum status parse_real(double *value, const char *name, const char *text, double min, double max, struct error *error);

#endif
