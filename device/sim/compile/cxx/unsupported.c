#include "device/sim/compile/cxx/unsupported.h"

#include <string.h>

static const char no_ptx[] = "inline PTX is not supported in CUDA C++: run it by --via ptx, or write it in C++";
static const char no_texture[] = "textures and surfaces are not supported: read a buffer through a pointer instead";
static const char no_launch[] = "a launch from a kernel is not supported: run the launched kernel by itself";
static const char no_tensor[] = "matrix fragments (wmma) are not supported in CUDA C++: run it by --via ptx";
static const char no_heap[] = "memory that a kernel allocates is not supported: pass it a buffer";
static const char no_cluster[] = "clusters of blocks are not supported: leave the kernel without them";
static const char no_grid[] = "barriers of the whole grid are not supported: end the kernel there, and launch another";

// A word that ends in * stands for every word with this beginning.
static const struct {
    const char *word, *why;
} table[] = {
    {"asm", no_ptx},
    {"__asm__", no_ptx},
    {"__asm", no_ptx},
    {"tex1D*", no_texture},
    {"tex2D*", no_texture},
    {"tex3D*", no_texture},
    {"texCubemap*", no_texture},
    {"surf1D*", no_texture},
    {"surf2D*", no_texture},
    {"surf3D*", no_texture},
    {"cudaTextureObject_t", no_texture},
    {"cudaSurfaceObject_t", no_texture},
    {"cudaLaunchDevice", no_launch},
    {"cudaDeviceSynchronize", no_launch},
    {"wmma", no_tensor},
    {"malloc", no_heap},
    {"new", no_heap},
    {"this_cluster", no_cluster},
    {"cluster_group", no_cluster},
    {"multi_grid_group", no_grid},
};

static bool matches(const struct token *token, const char *word) {
    const size_t length = strlen(word);
    if (word[length - 1] != '*') {
        return token_is(token, word);
    }
    return (size_t)(token->end - token->begin) >= length - 1 && !strncmp(token->begin, word, length - 1);
}

static bool is_launch(const struct tokens *tokens, size_t at) {
    const struct token *token = &tokens->list[at];
    return at + 2 < tokens->count && !strncmp(token->begin, "<<<", 3) && token->kind == TOKEN_SIGN;
}

const char *cxx_unsupported(const struct tokens *tokens, size_t at) {
    if (is_launch(tokens, at)) {
        return no_launch;
    }
    for (size_t i = 0; tokens->list[at].kind == TOKEN_WORD && i < sizeof table / sizeof *table; i++) {
        if (matches(&tokens->list[at], table[i].word)) {
            return table[i].why;
        }
    }
    return NULL;
}
