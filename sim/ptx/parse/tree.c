#include "sim/ptx/parse/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER(name_, class_, bits_, number_)                                                                         \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = bits_ / 8, .lanes = 1, .number = number_, .bits = "uint" #bits_ "_t", \
        .from = "", .to = ""                                                                                           \
    }
#define INTEGERS(bits_)                                                                                                \
    INTEGER("u" #bits_, PTX_CLASS_UNSIGNED, bits_, "uint" #bits_ "_t"),                                                \
        INTEGER("s" #bits_, PTX_CLASS_SIGNED, bits_, "int" #bits_ "_t"),                                               \
        INTEGER("b" #bits_, PTX_CLASS_BITS, bits_, "uint" #bits_ "_t")
#define FLOAT(name_, class_, bits_, number_)                                                                           \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = bits_ / 8, .lanes = 1, .number = number_, .bits = "uint" #bits_ "_t", \
        .from = "from_" name_, .to = "to_" name_, .format = "format_" name_                                            \
    }
#define PACKED(name_, class_, number_, from_, to_)                                                                     \
    {                                                                                                                  \
        .name = name_, .class = class_, .bytes = 4, .lanes = 2, .number = number_, .bits = "uint16_t", .from = from_,  \
        .to = to_                                                                                                      \
    }
#define TINY_PAIR(name_)                                                                                               \
    {                                                                                                                  \
        .name = name_ "x2", .class = PTX_CLASS_TINY, .bytes = 2, .lanes = 2, .number = "double", .bits = "uint8_t",    \
        .from = "from_" name_, .to = "to_" name_, .format = "format_" name_                                            \
    }

static const struct ptx_type types[] = {
    INTEGERS(8),
    INTEGERS(16),
    INTEGERS(32),
    INTEGERS(64),
    INTEGER("b128", PTX_CLASS_BITS, 128, "uint128_t"),
    FLOAT("f32", PTX_CLASS_FLOAT, 32, "float"),
    FLOAT("f64", PTX_CLASS_FLOAT, 64, "double"),
    FLOAT("f16", PTX_CLASS_HALF, 16, "double"),
    FLOAT("bf16", PTX_CLASS_HALF, 16, "double"),
    PACKED("f16x2", PTX_CLASS_HALF, "double", "from_f16", "to_f16"),
    PACKED("bf16x2", PTX_CLASS_HALF, "double", "from_bf16", "to_bf16"),
    PACKED("u16x2", PTX_CLASS_UNSIGNED, "uint16_t", "", ""),
    PACKED("s16x2", PTX_CLASS_SIGNED, "int16_t", "", ""),
    FLOAT("tf32", PTX_CLASS_TINY, 32, "double"),
    FLOAT("e4m3", PTX_CLASS_TINY, 8, "double"),
    FLOAT("e5m2", PTX_CLASS_TINY, 8, "double"),
    TINY_PAIR("e4m3"),
    TINY_PAIR("e5m2"),
    {.name = "pred",
     .class = PTX_CLASS_PREDICATE,
     .bytes = 1,
     .lanes = 1,
     .number = "_Bool",
     .bits = "_Bool",
     .from = "",
     .to = ""},
};

const struct ptx_type *ptx_type_find(struct ptx_text name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (ptx_text_is(name, types[i].name)) {
            return &types[i];
        }
    }
    return NULL;
}

const struct ptx_type *ptx_type_named(const char *name) {
    return ptx_type_find((struct ptx_text){name, strlen(name)});
}

const struct ptx_type *ptx_type_element(const struct ptx_type *type) {
    const char *x2 = strstr(type->name, "x2");
    return x2 ? ptx_type_find((struct ptx_text){type->name, (size_t)(x2 - type->name)}) : type;
}

const struct ptx_type *ptx_type_of(enum ptx_class class, uint32_t bytes) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].class == class && types[i].bytes == bytes && types[i].lanes == 1) {
            return &types[i];
        }
    }
    return NULL;
}

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
        chunk = memory_zeros(1, sizeof *chunk + size);
        chunk->bytes = size;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    void *memory = (char *)chunk->memory + chunk->used;
    chunk->used += bytes;
    return memory;
}

void ptx_tree_clear(struct ptx_tree *tree) {
    free(tree->places);
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
