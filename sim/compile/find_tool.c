#include "sim/compile/find_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/compile/process.h"

enum {
    NEWEST = 25, // versions of LLVM
    OLDEST = 14
};

static bool is_program(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return written < PATH_MAX && access(path, X_OK) == 0;
}

static bool find_in_path(const char *name, char path[PATH_MAX]) {
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t length = strcspn(at, ":");
        if (is_program(at, length, name, path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]) {
    static const char rocm[] = "/opt/rocm/llvm/bin";
    char versioned[64];
    if (is_program(rocm, strlen(rocm), name, path)) {
        return true;
    }
    for (int version = NEWEST; version >= OLDEST; version--) {
        snprintf(versioned, sizeof versioned, "%s-%d", name, version);
        if (find_in_path(versioned, path)) {
            return true;
        }
    }
    return find_in_path(name, path);
}

int sim_llvm_tool_version(const char *path) {
    static const char word[] = "version ";
    const char *dash = strrchr(path, '-');
    char program[PATH_MAX], option[] = "--version", *words[] = {program, option, NULL}, *text = NULL;
    if (dash && atoi(dash + 1) > 0) {
        return atoi(dash + 1);
    }
    snprintf(program, sizeof program, "%s", path);
    const char *found = scratch_run(words, &text, NULL) == STATUS_OK ? strstr(text, word) : NULL;
    const int version = found ? atoi(found + sizeof word - 1) : 0;
    free(text);
    return version;
}
