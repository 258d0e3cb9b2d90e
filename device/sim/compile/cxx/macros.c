#include "device/sim/compile/cxx/macros.h"

#include <stdlib.h>

#include "device/sim/compile/cxx/items.h"

static int by_name(const void *left, const void *right) {
    const struct macro *a = left, *b = right;
    return tokens_compare(&a->name, &b->name);
}

// Reads "#define NAME text"; false if the directive is another.
static bool read_define(const struct token *directive, struct macro *macro, bool *failed) {
    const struct token hash = token_next(directive->begin), word = token_next(hash.end);
    if (!word.begin || word.end >= directive->end || !token_is(&word, "define")) {
        return false;
    }
    *macro = (struct macro){.name = token_next(word.end)};
    if (!macro->name.begin || macro->name.end > directive->end) {
        return false;
    }
    *failed |= !tokens_of_part(macro->name.end, directive->end, &macro->text);
    return true;
}

// Sorts by name, and counts those of the same name.
static void sort(struct macros *macros) {
    size_t first = 0;
    if (macros->count) {
        qsort(macros->list, macros->count, sizeof *macros->list, by_name);
    }
    for (size_t i = 0; i < macros->count; i++) {
        first = tokens_compare(&macros->list[i].name, &macros->list[first].name) ? i : first;
        macros->list[first].same++;
    }
}

bool macros_find(const struct tokens *tokens, struct macros *macros) {
    bool failed = false;
    *macros = (struct macros){0};
    for (size_t i = 0; i < tokens->count && !failed; i++) {
        struct macro macro;
        if (tokens->list[i].kind != TOKEN_DIRECTIVE || !read_define(&tokens->list[i], &macro, &failed)) {
            continue;
        }
        struct macro *list = realloc(macros->list, (macros->count + 1) * sizeof *list);
        failed |= !list;
        macros->list = list ? list : macros->list;
        if (list) {
            list[macros->count++] = macro;
        } else {
            tokens_clear(&macro.text);
        }
    }
    sort(macros);
    return !failed;
}

void macros_clear(struct macros *macros) {
    for (size_t i = 0; i < macros->count; i++) {
        tokens_clear(&macros->list[i].text);
    }
    free(macros->list);
    *macros = (struct macros){0};
}

struct macro *macros_named(const struct macros *macros, const struct token *word, size_t *count) {
    struct macro *found = tokens_find(macros->list, macros->count, sizeof *found, word);
    *count = found ? found->same : 0;
    return found;
}

static unsigned macro_flags(const struct macros *macros, struct macro *macro) {
    if (macro->looked) { // or being looked at, where it names itself
        return macro->flags;
    }
    macro->looked = true;
    for (size_t i = 0; i < macro->text.count; i++) {
        const struct token *token = &macro->text.list[i];
        macro->flags |= token->kind == TOKEN_WORD ? word_flags(macros, token) : 0;
        macro->flags |= token_is(token, "{") ? ITEM_BODY : 0;
    }
    return macro->flags;
}

unsigned word_flags(const struct macros *macros, const struct token *word) {
    static const struct {
        const char *word;
        unsigned flags;
    } known[] = {
        {"__global__", ITEM_DEVICE | ITEM_KERNEL},
        {"__device__", ITEM_DEVICE},
        {"__constant__", ITEM_DEVICE},
        {"__shared__", ITEM_DEVICE},
        {"__managed__", ITEM_DEVICE},
        {"constexpr", ITEM_CONSTANT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (token_is(word, known[i].word)) {
            return known[i].flags;
        }
    }
    size_t count;
    struct macro *named = macros_named(macros, word, &count);
    for (size_t i = 0; i < count && !named->looked; i++) {
        named->flags |= macro_flags(macros, &named[count - 1 - i]); // the first is the last: its mark ends the look
    }
    return count ? named->flags : 0;
}
