// How a fault is reported: a status says what kind it is, an error says in one line what is wrong and what to do. The
// error is written where the fault is first seen, and the program prints it once.
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stddef.h>
#include <stdio.h>

// The values are the programs' exit statuses.
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,    // a row failed: its verification, or the device
    STATUS_USAGE = 2,     // the command line, or a file named on it
    STATUS_NO_DEVICE = 3, // no such device or backend
};

struct error {
    char text[1024]; // one line: "what is wrong: what to do"
    char *log;       // a compiler's own output, many lines; NULL where there is none; free with error_clear
};

// Writes the line and returns status, so that a fault is one statement. A line that is too long loses its middle:
//     return error_set(error, STATUS_FAILED, "%s: out of memory", name);
// If error is NULL, only the status is returned.
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Keeps a copy of a compiler's log beside the line.
void error_attach_log(struct error *error, const char *log);

// What a program calls itself: the name that it was started by if it is installed, such as "bankshot-gmem", else its
// own, such as "gmem".
const char *program_name(const char *own);

// Prints "program: text" and, before it, the first lines of the log if there is one, on standard error. All lines are
// printed if BANKSHOT_WHOLE_LOG is yes.
void error_print(const char *program, const struct error *error);

void error_clear(struct error *error);

// Returns from the function with the call's status unless that is STATUS_OK. A function that gives something back at
// its end keeps the status in a variable instead, and makes later calls by THEN or jumps to a label in front of what it
// gives back.
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const enum status tried = (call);                                                                              \
        if (tried != STATUS_OK) {                                                                                      \
            return tried;                                                                                              \
        }                                                                                                              \
    } while (0)

// Makes the call and keeps its status in the variable, unless an earlier call failed, whose status stays. So with the
// result of a driver's or a library's call, of which 0 is success, too.
#define THEN(status, call)                                                                                             \
    do {                                                                                                               \
        if ((status) == STATUS_OK) {                                                                                   \
            (status) = (call);                                                                                         \
        }                                                                                                              \
    } while (0)

// ---- Memory for what is small ----

// Where there is none left, the program ends with one line and status 1, so that no caller
// has to.

// Ends the program because memory ran out. It has a type so that it can stand for what is missing.
void *memory_end(void) __attribute__((noreturn));

// From now on memory_end ends this process with that status and prints nothing: a child calls this, because its parent
// says why it ended.
void memory_end_silently(int status);

// An array of zeros, to be freed; never NULL.
void *memory_zeros(size_t count, size_t size);

// Makes room for one more element of an array of `count`, which may move: items = memory_room(items, n, sizeof *items).
// The room doubles at each power of two, so no capacity has to be kept.
void *memory_room(void *array, size_t count, size_t size);

// A copy of the whole text, or of its first `length` characters, to be freed.
char *memory_copy(const char *text);
char *memory_text(const char *text, size_t length);

// A text as printf would print it, to be freed.
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A text that is written to a stream.
struct written {
    FILE *stream; // NULL: it is whole
    char *text;
    size_t length;
};

// Begins such a text, and returns its stream.
FILE *memory_stream(struct written *written);

// Closes the stream and returns the text, which is to be freed.
char *memory_stream_end(struct written *written);

#endif
