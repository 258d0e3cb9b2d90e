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
    "cublas_v2.h",
    "cublasLt.h",
};

static bool is_kept(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (strlen(kept[i]) == length && !strncmp(kept[i], name, length)) {
            return true;
        }
    }
    return false;
}

// The name in `#include "name"`, or in <name>; NULL if the directive is another.
static const char *included(const struct token *directive, size_t *length) {
    const struct token hash = token_next(directive->begin), word = token_next(hash.end);
    if (!word.begin || !token_is(&word, "include")) {
        return NULL;
    }
    const char *open = word.end + strspn(word.end, " \t");
    if (*open != '<' && *open != '"') {
        return NULL;
    }
    *length = strcspn(open + 1, *open == '<' ? ">\n" : "\"\n");
    return open + 1;
}

bool cxx_header_beside(const struct token *directive, const char *file_name, char *path, size_t size) {
    size_t length;
    const char *name = included(directive, &length);
    if (!name || name[-1] != '"' || is_kept(name, length)) {
        return false;
    }
    const char *slash = strrchr(file_name, '/');
    const int folder = slash && *name != '/' ? (int)(slash + 1 - file_name) : 0;
    const int written = snprintf(path, size, "%.*s%.*s", folder, file_name, (int)length, name);
    return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

// CUDA's headers for kernels, CUTLASS, CUB, ThunderKittens and their like.
static bool is_for_kernels(const char *name, size_t length) {
    static const char *const beginnings[] = {"cub/",  "cuda/",   "cute/",     "cutlass/",           "curand",
                                             "mma.h", "cuda_fp", "cuda_bf16", "cooperative_groups", "math_constants"};
    static const char *const ends[] = {".cuh", ".hpp"};
    bool known = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        known |= !strncmp(name, beginnings[i], strlen(beginnings[i]));
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        known |= length > strlen(ends[i]) && !strncmp(name + length - strlen(ends[i]), ends[i], strlen(ends[i]));
    }
    return known;
}

bool cxx_header_is_passed_over(const struct token *directive, const char *file_name, enum cxx_target target) {
    char path[PATH_MAX];
    size_t length;
    const char *name = included(directive, &length);
    return name && !(target == CXX_FOR_NVRTC ? is_for_kernels(name, length) : is_kept(name, length)) &&
           !cxx_header_beside(directive, file_name, path, sizeof path);
}

bool cxx_library_passed_over(const char *file_name, const char *text, char *name, size_t size) {
    struct tokens tokens;
    bool found = false;
    if (!tokens_split(text, &tokens)) {
        return false;
    }
    for (size_t i = 0; i < tokens.count && !found; i++) {
        size_t length;
        const struct token *token = &tokens.list[i];
        const char *header = token->kind == TOKEN_DIRECTIVE ? included(token, &length) : NULL;
        found = header && is_for_kernels(header, length) && cxx_header_is_passed_over(token, file_name, CXX_FOR_HOST);
        if (found) {
            snprintf(name, size, "%.*s", (int)length, header);
        }
    }
    tokens_clear(&tokens);
    return found;
}
