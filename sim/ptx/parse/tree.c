#include "sim/ptx/parse/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory ----

enum {
    CHUNK_BYTES = 1 << 16 // a short file need not have more mapped and cleared
};

struct ptx_chunk {
    struct ptx_chunk *next;
    size_t used, bytes;
    max_align_t memory[];
};

void *ptx_tree_allocate(struct ptx_tree *tree, size_t bytes) {
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct ptx_chunk *chunk = tree->chunks;
    if (!chunk || chunk->bytes - chunk->used < bytes) {
        const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = calloc(1, sizeof *chunk + size);
        if (!chunk) {
            return NULL;
        }
        chunk->bytes = size;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    void *memory = (char *)chunk->memory + chunk->used;
    chunk->used += bytes;
    return memory;
}

void ptx_tree_clear(struct ptx_tree *tree) {
    while (tree->chunks) {
        struct ptx_chunk *next = tree->chunks->next;
        free(tree->chunks);
        tree->chunks = next;
    }
}

// ---- Symbols ----

static size_t bucket_of(const struct ptx_scope *scope, struct ptx_text name) {
    uint64_t sum = (uintptr_t)scope;
    for (size_t i = 0; i < name.length; i++) {
        sum = (sum ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3);
    }
    return (size_t)((sum ^ sum >> 32) % PTX_BUCKETS);
}

struct ptx_symbol *ptx_symbol_add(struct ptx_tree *tree, const struct ptx_scope *scope, enum ptx_symbol_kind kind,
                                  struct ptx_text name) {
    struct ptx_symbol *symbol = ptx_tree_allocate(tree, sizeof *symbol);
    if (!symbol) {
        return NULL;
    }
    struct ptx_symbol **bucket = &tree->buckets[bucket_of(scope, name)];
    *symbol = (struct ptx_symbol){.kind = kind,
                                  .name = name,
                                  .scope = scope,
                                  .id = tree->symbol_count++,
                                  .vector = 1,
                                  .count = 1,
                                  .hashed = *bucket};
    *bucket = symbol;
    *tree->last_symbol = symbol;
    tree->last_symbol = &symbol->next;
    return symbol;
}

struct ptx_symbol *ptx_symbol_in(const struct ptx_tree *tree, const struct ptx_scope *scope, struct ptx_text name) {
    struct ptx_symbol *symbol = tree->buckets[bucket_of(scope, name)];
    while (symbol && (symbol->scope != scope || symbol->name.length != name.length ||
                      memcmp(symbol->name.at, name.at, name.length) != 0)) {
        symbol = symbol->hashed;
    }
    return symbol;
}

// %r12 of .reg .b32 %r<20>.
static struct ptx_symbol *find_in_range(const struct ptx_tree *tree, const struct ptx_scope *scope,
                                        struct ptx_text name, uint64_t *member) {
    struct ptx_text stem = name;
    while (stem.length > 0 && isdigit((unsigned char)stem.at[stem.length - 1])) {
        stem.length--;
    }
    const size_t digits = name.length - stem.length;
    if (digits == 0 || digits > 9) {
        return NULL;
    }
    struct ptx_symbol *symbol = ptx_symbol_in(tree, scope, stem);
    *member = strtoull(stem.at + stem.length, NULL, 10);
    return symbol && symbol->range && *member < symbol->count ? symbol : NULL;
}

struct ptx_symbol *ptx_symbol_find(const struct ptx_tree *tree, const struct ptx_scope *scope, struct ptx_text name,
                                   uint64_t *member) {
    for (; scope; scope = scope->parent) {
        *member = 0;
        struct ptx_symbol *symbol = ptx_symbol_in(tree, scope, name);
        if (symbol && symbol->range) {
            symbol = NULL; // the range's name alone is no register
        }
        if (!symbol) {
            symbol = find_in_range(tree, scope, name, member);
        }
        if (symbol) {
            return symbol;
        }
    }
    return NULL;
}
