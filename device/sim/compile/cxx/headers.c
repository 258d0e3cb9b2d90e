#include "device/sim/compile/cxx/headers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The compiler's headers, and those that compile.c writes next to the kernel. Others of C++, such as <vector> and
// <iostream>, are useful only to the host and take long to compile.
static const char *const kept[] = {
    "algorithm",
    "array",
    "bit",
    "bitset",
    "cassert",
    "cfloat",
    "cinttypes",
    "climits",
    "cmath",
    "complex",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "functional",
    "initializer_list",
    "iterator",
    "limits",
    "numeric",
    "tuple",
    "type_traits",
    "utility",
    "assert.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "cuda_fp16.h",

    "cuda_bf16.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cooperative_groups/memcpy_async.h",
    "hip/hip_fp16.h",
    "hip/hip_bf16.h",
    "hip/hip_cooperative_groups.h",
    "math_constants.h",
};

static bool is_kept(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (strlen(kept[i]) == length && !strncmp(kept[i], name, length)) {
            return true;
        }
    }
    return false;
}

static bool is_beside(const char *file_name, const char *name, size_t length) {
    char path[PATH_MAX];
    const char *slash = strrchr(file_name, '/');
    const int folder = slash && *name != '/' ? (int)(slash + 1 - file_name) : 0;
    const int size = snprintf(path, sizeof path, "%.*s%.*s", folder, file_name, (int)length, name);
    return size > 0 && (size_t)size < sizeof path && access(path, R_OK) == 0;
}

bool cxx_header_is_passed_over(const struct token *directive, const char *file_name) {
    const struct token hash = token_next(directive->begin), word = token_next(hash.end);
    if (!word.begin || !token_is(&word, "include")) {
        return false;
    }
    const char *open = word.end + strspn(word.end, " \t");
    if (*open != '<' && *open != '"') {
        return false;
    }
    const char *name = open + 1;
    const size_t length = strcspn(name, *open == '<' ? ">\n" : "\"\n");
    return !is_kept(name, length) && !(*open == '"' && is_beside(file_name, name, length));
}
