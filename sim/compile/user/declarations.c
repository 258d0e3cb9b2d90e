#include "sim/compile/user/declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/text.h"

static const struct user_token *token_at(const struct user_declarations *all, size_t i) {
    return &all->tokens.list[i];
}

static bool is_at(const struct user_declarations *all, size_t i, const char *text) {
    return i < all->tokens.count && user_token_is(token_at(all, i), text);
}

static bool is_any(const struct user_declarations *all, size_t i, const char *const *words) {
    for (; *words; words++) {
        if (is_at(all, i, *words)) {
            return true;
        }
    }
    return false;
}

// Makes room for one more element; false if memory runs out.
static bool grow(void **list, size_t count, size_t bytes) {
    if ((count & (count - 1)) == 0) {
        void *grown = realloc(*list, (count ? 2 * count : 1) * bytes);
        if (!grown) {
            return false;
        }
        *list = grown;
    }
    return true;
}

// ---- Where declarations begin and end ----

// The token behind the bracket that closes the one here.
static size_t behind_closing(const struct user_declarations *all, size_t i) {
    static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}", NULL};
    size_t depth = 0;
    for (; i < all->tokens.count; i++) {
        depth += is_any(all, i, opening);
        if (is_any(all, i, closing) && --depth == 0) {
            return i + 1;
        }
    }
    return i;
}

// Whether the { at this token opens a namespace or a linkage, `extern "C" {`, of which the declaration's first tokens
// tell.
static bool opens_space(const struct user_declarations *all, size_t first, size_t brace) {
    for (size_t i = first; i < brace; i++) {
        if (is_at(all, i, "(") || is_at(all, i, "=")) {
            return false;
        }
        if (is_at(all, i, "namespace") || (is_at(all, i, "extern") && i + 2 == brace)) {
            return true;
        }
    }
    return false;
}

static bool add_space(struct user_declarations *all, size_t parent, size_t brace) {
    if (!grow((void **)&all->spaces, all->space_count, sizeof *all->spaces)) {
        return false;
    }
    struct user_space *space = &all->spaces[all->space_count++];
    *space = (struct user_space){.parent = parent};
    if (brace && token_at(all, brace - 1)->kind == USER_WORD && !is_at(all, brace - 1, "namespace")) {
        space->name = *token_at(all, brace - 1);
    }
    return true;
}

// The kernel's name stands before the ( of its parameters, unlike an attribute's, whose name is known.
static void find_name(const struct user_declarations *all, struct user_declaration *kernel) {
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                                             "__align__",         "decltype",      NULL};
    size_t i = kernel->first;
    while (i < kernel->end && !is_at(all, i, "__global__")) {
        i++;
    }
    for (i++; i + 1 < kernel->end && !is_at(all, i, "{"); i++) {
        if (token_at(all, i)->kind == USER_WORD && is_at(all, i + 1, "(")) {
            if (!is_any(all, i, attributes)) {
                kernel->name = *token_at(all, i);
                kernel->parameters = i + 1;
                return;
            }
            i = behind_closing(all, i + 1) - 1;
        }
    }
}

static bool add(struct user_declarations *all, size_t first, size_t end, size_t space) {
    static const char *const device_words[] = {"__device__", "__constant__", "__shared__", "__managed__", NULL};
    if (!grow((void **)&all->list, all->count, sizeof *all->list)) {
        return false;
    }
    struct user_declaration *made = &all->list[all->count++];
    *made = (struct user_declaration){
        .first = first, .end = end, .space = space, .is_template = is_at(all, first, "template")};
    for (size_t i = first; i < end; i++) {
        made->is_kernel |= is_at(all, i, "__global__");
        made->is_device |= is_any(all, i, device_words);
        made->is_static |= is_at(all, i, "static") && !made->is_kernel;
    }
    if (made->is_kernel) {
        find_name(all, made);
    }
    return true;
}

// A declaration ends at its ; or }, so what may follow the }, such as the names behind a class, is another one.
static bool find_all(struct user_declarations *all) {
    size_t first = 0, space = 0;
    bool room = add_space(all, 0, 0);
    for (size_t i = 0; i < all->tokens.count && room; i++) {
        if (i == first && token_at(all, i)->kind == USER_DIRECTIVE) {
            first++;
        } else if (is_at(all, i, "}")) {
            space = all->spaces[space].parent;
            first = i + 1;
        } else if (is_at(all, i, "{") && opens_space(all, first, i)) {
            room = add_space(all, space, i);
            space = all->space_count - 1;
            first = i + 1;
        } else if (is_at(all, i, "{") || is_at(all, i, ";")) {
            const size_t end = is_at(all, i, ";") ? i + 1 : behind_closing(all, i);
            room = add(all, first, end, space);
            first = end;
            i = end - 1;
        } else if (is_at(all, i, "(") || is_at(all, i, "[")) {
            i = behind_closing(all, i) - 1;
        }
    }
    return room && (first >= all->tokens.count || add(all, first, all->tokens.count, space));
}

bool user_declarations_find(const char *text, struct user_declarations *declarations) {
    *declarations = (struct user_declarations){0};
    if (user_tokens_split(text, &declarations->tokens) && find_all(declarations)) {
        return true;
    }
    user_declarations_clear(declarations);
    return false;
}

void user_declarations_clear(struct user_declarations *declarations) {
    user_tokens_clear(&declarations->tokens);
    free(declarations->list);
    free(declarations->spaces);
    *declarations = (struct user_declarations){0};
}

// ---- Looking them up ----

struct user_declaration *user_declaration_at(const struct user_declarations *declarations, const char *place) {
    size_t low = 0, high = declarations->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct user_declaration *own = &declarations->list[middle];
        if (token_at(declarations, own->end - 1)->end <= place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < declarations->count ? &declarations->list[low] : NULL;
}

static bool has_name(const struct user_declaration *kernel, const char *entry) {
    const char *end = entry + strcspn(entry, "< \t"), *begin = end;
    while (begin > entry && begin[-1] != ':') {
        begin--;
    }
    const size_t length = (size_t)(end - begin);
    return (size_t)(kernel->name.end - kernel->name.begin) == length && !memcmp(kernel->name.begin, begin, length);
}

struct user_declaration *user_kernel_named(const struct user_declarations *declarations, const char *entry) {
    for (size_t i = 0; i < declarations->count; i++) {
        struct user_declaration *kernel = &declarations->list[i];
        if (kernel->is_kernel && kernel->name.begin && (!entry || has_name(kernel, entry))) {
            return kernel;
        }
    }
    return NULL;
}

// A parameter's name is its last word outside of brackets.
char *user_parameter_names(const struct user_declarations *declarations, const struct user_declaration *kernel) {
    static const char *const brackets[] = {"(", "[", "{", NULL};
    static const struct user_token none = {USER_WORD, "", ""};
    const size_t end = behind_closing(declarations, kernel->parameters);
    size_t angles = 0, size;
    const struct user_token *name = &none;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    for (size_t i = kernel->parameters + 1; i + 1 < end; i++) {
        const struct user_token *token = token_at(declarations, i);
        if (is_any(declarations, i, brackets)) {
            i = behind_closing(declarations, i) - 1;
        } else if (is_at(declarations, i, "<") || is_at(declarations, i, ">")) {
            angles += is_at(declarations, i, "<") ? 1 : (size_t)-1;
        } else if (is_at(declarations, i, ",") && angles == 0) {
            fprintf(out, "%.*s,", (int)(name->end - name->begin), name->begin);
            name = &none;
        } else if (angles == 0 && token->kind == USER_WORD) {
            name = token;
        }
    }
    fprintf(out, "%.*s", (int)(name->end - name->begin), name->begin);
    return sim_text_finish(out, &text);
}
