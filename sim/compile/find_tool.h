// Finds LLVM's programs.
#ifndef SIM_COMPILE_FIND_TOOL_H
#define SIM_COMPILE_FIND_TOOL_H

#include <limits.h>
#include <stdbool.h>

// ROCm's own program of this name, else the newest in PATH, such as clang-19, else the one without a version. False if
// there is none.
bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]);

// The version of LLVM in such a program's path, as in clang-19, else the one that it tells; 0: unknown.
int sim_llvm_tool_version(const char *path);

#endif
