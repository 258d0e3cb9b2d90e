#include "device/sim/compile/cxx/items.h"

#include <stdlib.h>
#include <string.h>

// ---- Lists that grow ----

// Makes room for one more element of a list; false if memory ran out.
static bool grow(struct items *items, void **list, size_t count, size_t bytes) {
    if ((count & (count - 1)) == 0) {
        void *more = realloc(*list, (count ? 2 * count : 1) * bytes);
        items->failed |= !more;
        *list = more ? more : *list;
    }
    return !items->failed;
}

static bool add_item(struct items *items, size_t first, size_t scope) {
    if (grow(items, (void **)&items->list, items->count, sizeof *items->list)) {
        items->list[items->count++] = (struct item){.first = first, .end = first + 1, .scope = scope};
    }
    return !items->failed;
}

static struct item *current(struct items *items) {
    return &items->list[items->count - 1];
}

static void declare(struct items *items, const struct token *name) {
    if (name && name->kind == TOKEN_WORD &&
        grow(items, (void **)&items->names, items->name_count, sizeof *items->names)) {
        items->names[items->name_count++] = (struct item_name){.name = *name, .item = items->count - 1};
        current(items)->name = current(items)->name.begin ? current(items)->name : *name;
    }
}

static size_t add_scope(struct items *items, size_t parent, struct token name) {
    if (grow(items, (void **)&items->scopes, items->scope_count, sizeof *items->scopes)) {
        items->scopes[items->scope_count++] = (struct scope){parent, name};
    }
    return items->scope_count ? items->scope_count - 1 : 0;
}

// ---- Names ----

static int by_name(const void *left, const void *right) {
    const struct item_name *a = left, *b = right;
    const int order = tokens_compare(&a->name, &b->name);
    return order ? order : (a->item > b->item) - (a->item < b->item);
}

struct item_name *items_named(const struct items *items, const struct token *word, size_t *count) {
    struct item_name *found = tokens_find(items->names, items->name_count, sizeof *found, word);
    *count = found ? found->same : 0;
    return found;
}

// Sorts the names, and counts those that are the same.
static void sort_names(struct items *items) {
    size_t first = 0;
    if (items->name_count) {
        qsort(items->names, items->name_count, sizeof *items->names, by_name);
    }
    for (size_t i = 0; i < items->name_count; i++) {
        first = tokens_compare(&items->names[i].name, &items->names[first].name) ? i : first;
        items->names[first].same++;
    }
}

// ---- Moving over tokens ----

static bool is_at(const struct items *items, size_t at, const char *text) {
    return at < items->tokens.count && token_is(&items->tokens.list[at], text);
}

static bool is_one_of(const struct token *token, const char *const *words) {
    for (; *words; words++) {
        if (token_is(token, *words)) {
            return true;
        }
    }
    return false;
}

// The token after the bracket that closes the one here.
static size_t after_group(const struct items *items, size_t at) {
    size_t depth = 0;
    for (; at < items->tokens.count; at++) {
        const struct token *token = &items->tokens.list[at];
        if (token->kind == TOKEN_SIGN && strchr("([{", *token->begin)) {
            depth++;
        } else if (token->kind == TOKEN_SIGN && strchr(")]}", *token->begin) && --depth == 0) {
            return at + 1;
        }
    }
    return at;
}

// The token after the > that closes the < here; the token after the < if none does, because it is an operator then.
static size_t after_angles(const struct items *items, size_t open) {
    size_t depth = 0;
    for (size_t at = open; at < items->tokens.count;) {
        const struct token *token = &items->tokens.list[at];
        if (token->kind != TOKEN_SIGN) {
            at++;
        } else if (strchr("([", *token->begin)) {
            at = after_group(items, at);
        } else if (strchr(";{}", *token->begin)) {
            break;
        } else {
            depth += *token->begin == '<';
            if (*token->begin == '>' && !is_at(items, at - 1, "-") && --depth == 0) {
                return at + 1;
            }
            at++;
        }
    }
    return open + 1;
}

// ---- Declarations ----

// A declaration while its tokens are read.
struct reading {
    size_t at;
    size_t name, name_end; // the last name with template arguments, and the token after these
    bool is_class, is_enum, assigned, pointer;
    bool called; // the parameters were seen
};

static const char *const class_words[] = {"class", "struct", "union", "enum", NULL};
// Their parentheses are no parameters.
static const char *const attribute_words[] = {
    "alignas",           "__align__",        "__attribute__", "__declspec", "__builtin_align__", "decltype", "noexcept",
    "__launch_bounds__", "__cluster_dims__", "static_assert", NULL};

static const struct token *word_before(const struct items *items, size_t at) {
    const struct token *before = at > items->list[items->count - 1].first ? &items->tokens.list[at - 1] : NULL;
    return before && before->kind == TOKEN_WORD ? before : NULL;
}

static void skip_attribute(struct items *items, struct reading *reading) {
    reading->at++;
    if (is_at(items, reading->at, "(")) {
        reading->at = after_group(items, reading->at);
    }
}

// class alignas(16) name
static void read_class(struct items *items, struct reading *reading) {
    const struct token *list = items->tokens.list;
    reading->is_class = true;
    while (reading->at < items->tokens.count &&
           (is_one_of(&list[reading->at], class_words) || is_one_of(&list[reading->at], attribute_words))) {
        reading->is_enum |= token_is(&list[reading->at], "enum");
        skip_attribute(items, reading);
    }
    if (reading->at < items->tokens.count && list[reading->at].kind == TOKEN_WORD) {
        declare(items, &list[reading->at++]);
    }
}

static void read_operator(struct items *items, struct reading *reading) {
    current(items)->flags |= ITEM_OPERATOR | ITEM_FUNCTION;
    reading->called = true;
    reading->at++;
    if (is_at(items, reading->at, "(")) {
        reading->at = after_group(items, reading->at);
    }
    while (reading->at < items->tokens.count && !is_at(items, reading->at, "(") && !is_at(items, reading->at, ";")) {
        reading->at++;
    }
}

static void read_word(struct items *items, struct reading *reading) {
    const struct token *word = &items->tokens.list[reading->at];
    if (token_is(word, "template")) {
        const bool header = is_at(items, reading->at + 1, "<");
        current(items)->flags |= header ? ITEM_TEMPLATE : ITEM_INSTANTIATION;
        reading->at = header ? after_angles(items, reading->at + 1) : reading->at + 1;
    } else if (is_one_of(word, class_words)) {
        read_class(items, reading);
    } else if (is_one_of(word, attribute_words)) {
        skip_attribute(items, reading);
    } else if (token_is(word, "operator")) {
        read_operator(items, reading);
    } else {
        const unsigned flags = word_flags(&items->macros, word);
        size_t macros;
        macros_named(&items->macros, word, &macros);
        current(items)->flags |= flags & (ITEM_DEVICE | ITEM_KERNEL | ITEM_CONSTANT);
        reading->at++;
        if (macros && !reading->assigned && is_at(items, reading->at, "(")) {
            reading->at = after_group(items, reading->at);
            current(items)->flags |= flags & ITEM_BODY ? ITEM_MACRO : 0;
        }
    }
}

// The name of a function; for a member that is defined outside of its class, the class' name.
static void declare_function(struct items *items, size_t name) {
    size_t at = name;
    while (at >= current(items)->first + 3 && is_at(items, at - 1, ":") && is_at(items, at - 2, ":")) {
        for (at -= 3; at > current(items)->first && items->tokens.list[at].kind != TOKEN_WORD;) {
            at--;
        }
        size_t open = at; // the name before template arguments
        while (open >= current(items)->first + 2 && is_at(items, open - 1, "<")) {
            open -= 2;
        }
        at = open;
    }
    declare(items, &items->tokens.list[at]);
}

// A pointer to functions: void (*name)(int).
static void declare_pointer(struct items *items, size_t open, size_t end) {
    for (size_t at = open + 1; at < end; at++) {
        if (is_at(items, at - 1, "*")) {
            declare(items, &items->tokens.list[at]);
        }
    }
}

static void read_parenthesis(struct items *items, struct reading *reading) {
    const size_t open = reading->at;
    reading->at = after_group(items, open);
    if (reading->called || reading->assigned || reading->pointer) {
        return;
    }
    if (is_at(items, open + 1, "*") || is_at(items, open + 1, "&")) {
        reading->pointer = true;
        declare_pointer(items, open, reading->at);
        return;
    }
    reading->called = true;
    current(items)->flags |= ITEM_FUNCTION;
    if (word_before(items, open)) {
        declare_function(items, open - 1);
    } else if (reading->name_end == open) {
        declare_function(items, reading->name);
    }
}

static void declare_enumerators(struct items *items, size_t open, size_t end) {
    for (size_t at = open + 1; at < end; at++) {
        if (is_at(items, at - 1, "{") || is_at(items, at - 1, ",")) {
            declare(items, &items->tokens.list[at]);
        }
    }
}

// True if the brace was a function's body, which ends the declaration.
static bool read_brace(struct items *items, struct reading *reading) {
    const size_t open = reading->at;
    reading->at = after_group(items, open);
    if (reading->called && !reading->assigned) {
        const bool initializer =
            word_before(items, open) && (is_at(items, reading->at, ",") || is_at(items, reading->at, "{"));
        current(items)->flags |= initializer ? 0 : ITEM_BODY;
        return !initializer;
    }
    if (reading->is_enum) {
        declare_enumerators(items, open, reading->at);
    } else if (!reading->is_class && !reading->assigned) {
        declare(items, word_before(items, open));
    }
    return false;
}

// True if the sign ends the declaration.
static bool read_sign(struct items *items, struct reading *reading) {
    const size_t at = reading->at;
    const struct token *before = word_before(items, at);
    switch (*items->tokens.list[at].begin) {
    case '(':
        read_parenthesis(items, reading);
        return false;
    case '[':
        declare(items, reading->assigned || reading->called ? NULL : before);
        reading->at = after_group(items, at);
        return false;
    case '{':
        return read_brace(items, reading);
    case '}':
        return true;
    case '<':
        reading->at = before && !reading->assigned ? after_angles(items, at) : at + 1;
        if (before) {
            reading->name = at - 1;
            reading->name_end = reading->at;
        }
        return false;
    case '=':
    case ',':
    case ';':
        declare(items, reading->assigned || reading->called ? NULL : before);
        reading->assigned = is_at(items, at, "=");
        reading->at = at + 1;
        return is_at(items, at, ";");
    default:
        reading->at = at + 1;
        return false;
    }
}

static void read_token(struct items *items, struct reading *reading, bool *ended) {
    switch (items->tokens.list[reading->at].kind) {
    case TOKEN_WORD:
        read_word(items, reading);
        *ended = (current(items)->flags & ITEM_MACRO) != 0;
        break;
    case TOKEN_SIGN:
        *ended = read_sign(items, reading);
        break;
    default:
        reading->at++;
    }
}

// Returns the token after the declaration.
static size_t read_declaration(struct items *items, size_t first, size_t scope) {
    struct reading reading = {.at = first};
    if (!add_item(items, first, scope)) {
        return items->tokens.count;
    }
    if (is_at(items, first, "using") && is_at(items, first + 1, "namespace")) {
        current(items)->flags |= ITEM_SPACE;
    }
    for (bool ended = false; !ended && !items->failed && reading.at < items->tokens.count;) {
        read_token(items, &reading, &ended);
    }
    current(items)->end = reading.at;
    return reading.at;
}

// The token after "namespace name {" or `extern "C" {`, which opens a scope; first if neither stands here.
static size_t open_scope(struct items *items, size_t first, size_t *scope) {
    const bool inline_space = is_at(items, first, "inline") && is_at(items, first + 1, "namespace");
    size_t at = first + inline_space;
    struct token name = {TOKEN_WORD, NULL, NULL};
    if (is_at(items, at, "namespace")) {
        for (at++; at < items->tokens.count && (items->tokens.list[at].kind == TOKEN_WORD || is_at(items, at, ":"));
             at++) {
            name.begin = name.begin ? name.begin : items->tokens.list[at].begin;
            name.end = items->tokens.list[at].end;
        }
    } else if (is_at(items, at, "extern") && at + 1 < items->tokens.count &&
               items->tokens.list[at + 1].kind == TOKEN_STRING) {
        at += 2;
    }
    if (at == first || !is_at(items, at, "{")) {
        return first;
    }
    *scope = add_scope(items, *scope, name);
    return at + 1;
}

static void read_all(struct items *items) {
    size_t scope = add_scope(items, 0, (struct token){TOKEN_WORD, NULL, NULL});
    for (size_t at = 0; !items->failed && at < items->tokens.count;) {
        if (items->tokens.list[at].kind == TOKEN_DIRECTIVE || is_at(items, at, ";")) {
            at++;
        } else if (is_at(items, at, "}")) {
            scope = items->scopes[scope].parent;
            at++;
        } else {
            const size_t inside = open_scope(items, at, &scope);
            at = inside > at ? inside : read_declaration(items, at, scope);
        }
    }
}

bool items_find(const char *text, struct items *items) {
    *items = (struct items){0};
    items->failed = !tokens_split(text, &items->tokens) || !macros_find(&items->tokens, &items->macros);
    read_all(items);
    if (items->failed) {
        items_clear(items);
        return false;
    }
    sort_names(items);
    return true;
}

void items_clear(struct items *items) {
    macros_clear(&items->macros);
    tokens_clear(&items->tokens);
    free(items->list);
    free(items->names);
    free(items->scopes);
    *items = (struct items){0};
}
