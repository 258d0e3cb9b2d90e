// Runs a task in a separate process, so that this process survives whatever happens to the task.
#ifndef UTIL_CHILD_H
#define UTIL_CHILD_H

#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

struct child_task {
    void (*run)(FILE *results, void *context); // in the child, where standard output is standard error
    void *context;
    const char *what;      // "the kernel", for messages
    double limit_s;        // after the first byte of the results; then the child is killed
    size_t prints_at_most; // bytes on its standard output; more are left out, and a line says so; 0: any number
    const char *program;   // which says so
};

// The caller frees *results, the task's output. Returns STATUS_FAILED, with the reason, if the child ended in any other
// way than by returning from run.
enum status child_run(const struct child_task *task, char **results, size_t *bytes, struct error *error);

#endif
