// Standard output, and the abilities of the terminal behind a stream.
#ifndef UTIL_TERMINAL_H
#define UTIL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

#define TERMINAL_RED "\033[31m"
#define TERMINAL_GREEN "\033[32m"
#define TERMINAL_YELLOW "\033[33m"
#define TERMINAL_PLAIN "\033[0m"

// A rank of MPI has no terminal here, because its launcher may give it one and pass on to a file what it prints there.

// Whether text may be coloured: the stream is a terminal that has colours, and NO_COLOR is not set
// (https://no-color.org); or else CLICOLOR_FORCE asks for colours (https://bixense.com/clicolors).
bool terminal_has_colour(FILE *stream);

// The most columns of a line: COLUMNS, or else the terminal's; 0: no limit, because the stream is no terminal.
int terminal_columns(FILE *stream);

// ---- Standard output in place of a file ----

// Whether this path of an option stands for standard output: "-". NULL does not.
bool standard_output_is(const char *path);

// Writes what is still in the buffer. STATUS_FAILED if this, or any write before it, failed.
enum status standard_output_finish(struct error *error);

// The same at a program's end, where a fault from before is the one that counts. Prints the error behind the output,
// also where both go to one file, unless it has no text because the faults were named as they were found, and clears
// it. Returns the exit status.
int program_end(const char *program, enum status status, struct error *error);

// ---- Progress on standard error ----

// The current point, how much is done, and the time left.

struct progress {
    bool shown;
    bool terminal; // one line is overwritten; otherwise lines follow each other
    size_t total, done;
    double started_s, next_line_s;
    double ends_s; // on clock_s, at the latest; infinite: not known
};

// Shows progress on a terminal only.
struct progress progress_start(size_t total, bool quiet);
// Elsewhere, too: a line after 1, 2, 4, ... seconds and later every minute, for programs that run under mpirun or in a
// job, where standard error is never a terminal.
struct progress progress_start_lines(size_t total, bool quiet);
// Says what is done next, unless all is done.
void progress_show(struct progress *progress, const char *what);
void progress_advance(struct progress *progress);
// Removes the line on a terminal, so that a row or an error can be printed.
void progress_clear(const struct progress *progress);

#endif
