// Runs the host's compiler, in a folder of its own.
#ifndef DEVICE_SIM_COMPILE_PROCESS_H
#define DEVICE_SIM_COMPILE_PROCESS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "util/error.h"

// A folder under TMPDIR that lives between enter and leave; signals that end the program wait for leave.
struct scratch {
    char path[PATH_MAX];
    sigset_t signals; // that were blocked before
};

enum status scratch_enter(struct scratch *scratch, struct error *error);
void scratch_leave(struct scratch *scratch);

// Writes a text file into the folder, and the folders on the way to it.
enum status scratch_write(const struct scratch *scratch, const char *name, const char *text, struct error *error);

// All of a file of the folder as a string, to be freed; NULL if it cannot be read.
char *scratch_read(const struct scratch *scratch, const char *name);

// Runs a program in this process's working folder and waits for it. What it prints goes to *output, to be freed, where
// that is not NULL. STATUS_FAILED if it is missing, was killed, or ended with a status other than 0: then its output is
// attached to the error.
enum status scratch_run(const struct scratch *scratch, char *const *arguments, char **output, struct error *error);

#endif
