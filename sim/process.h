// Processes: with limits, a compiler's and one's own that runs a user's kernel, and those that run some blocks of a
// launch each.
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"

// Processes with limits: a compiler's, and one's own that runs a user's kernel.

// ---- Confinement ----

// Confines this process to what simulated kernels need: no files, no network, no threads, no more memory than given.

// Limits the compilers that this process starts: their memory, and the time that each may compute.
void sim_confine_compilers(void);

// Limits this process from now on to that many more bytes of memory, and makes most system calls raise SIGSYS. A kernel
// that makes such a call, or that runs longer than limit_s without a step, is reported with its line (block.c). The
// limits cannot be lifted. On a system without seccomp, system calls stay possible.
void sim_confine_kernels(uint64_t more_bytes, double limit_s);

// In a confined process: the next file that is opened is this one, whatever its name, because the loader opens a
// library by its name. -1: none can be opened.
void sim_confine_offer(int file);

// In a handler of SIGSYS: makes the system call fail as if it did not exist. The simulator's libraries make calls that
// they can do without.
void sim_deny_call(void *context);

// ---- Compilers ----

// ROCm's own program of this name, else the newest in PATH, such as clang-19, else the one without a version. False if
// there is none.
bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]);

// The version of LLVM in such a program's path, as in clang-19, else the one that it tells; 0: unknown.
int sim_llvm_tool_version(const char *path);

// Runs the host's compiler in a temporary folder.

// A temporary folder under TMPDIR. However the program ends, the folder goes with it, and so do the compilers that run.
struct scratch {
    char path[PATH_MAX];
};

enum status scratch_enter(struct scratch *scratch, struct error *error);
void scratch_leave(struct scratch *scratch);

// Writes a file into the folder, and creates the folders in its name.
enum status scratch_write(const struct scratch *scratch, const char *name, const void *bytes, size_t count,
                          struct error *error);
enum status scratch_write_text(const struct scratch *scratch, const char *name, const char *text, struct error *error);

// Reads a whole file into a string, which the caller frees, and sets *count to its bytes; NULL if it cannot be read.
char *scratch_read_all(FILE *file, size_t *count);

// Reads a file of the folder into a string, which the caller frees, and sets *count to its bytes; NULL if it cannot be
// read.
char *scratch_read(const struct scratch *scratch, const char *name, size_t *count);

// How long a compiler may take.
double scratch_compiler_seconds(void);

// Runs a program in the current working folder and waits for it. If output is not NULL, the caller frees *output, the
// text that the program printed. STATUS_FAILED if the program is missing, was killed, ended with a status other than 0,
// did not end within the seconds of BANKSHOT_COMPILER_SECONDS, or wrote more than 128 MiB. If it ended by itself, its
// output is then attached to the error. The program's own temporary files lie in the folder, so that none is left if a
// signal ends it; if scratch is NULL, where TMPDIR says.
enum status scratch_run(const struct scratch *scratch, char *const *arguments, char **output, struct error *error);

// The first line that the program prints; empty if it fails.
void scratch_first_line(char *const *arguments, char *text, size_t size);

#endif
