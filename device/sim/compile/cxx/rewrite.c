#include "device/sim/compile/cxx/rewrite.h"

#include <stdio.h>
#include <string.h>

#include "device/sim/compile/cxx/headers.h"
#include "device/sim/compile/text.h"

// A text that is being written.
struct writing {
    const struct items *items;
    const char *file_name;
    const char *from; // everything before it is written
    FILE *out;
    enum cxx_target target;
};

static void write_to(struct writing *writing, const char *end) {
    fwrite(writing->from, 1, (size_t)(end - writing->from), writing->out);
    writing->from = end;
}

// Writes the text before a token, and the token as space.
static void blank(struct writing *writing, const struct token *token) {
    write_to(writing, token->begin);
    for (; writing->from < token->end; writing->from++) {
        fputc(*writing->from == '\n' ? '\n' : ' ', writing->out);
    }
}

static const struct token *token_at(const struct writing *writing, size_t at) {
    return &writing->items->tokens.list[at];
}

static bool is_at(const struct writing *writing, size_t at, const char *text) {
    return at < writing->items->tokens.count && token_is(token_at(writing, at), text);
}

// Whether a kept token must not reach the compiler: a host's header, or a word that libraries' headers use as an
// attribute's name, so that it cannot be a macro.
static bool is_unwanted(const struct writing *writing, const struct token *token) {
    return token->kind == TOKEN_DIRECTIVE ? cxx_header_is_passed_over(token, writing->file_name, writing->target)
                                          : writing->target == CXX_FOR_HOST && token_is(token, "__noinline__");
}

static bool is_pragma(const struct token *directive) {
    const struct token hash = token_next(directive->begin), word = token_next(hash.end);
    return word.begin && token_is(&word, "pragma");
}

// Other directives stay, because one that closes in the item may have been opened before it.
static void blank_item(struct writing *writing, const struct item *item) {
    for (size_t i = item->first; i < item->end; i++) {
        const struct token *token = token_at(writing, i);
        if (token->kind != TOKEN_DIRECTIVE || is_pragma(token) || is_unwanted(writing, token)) {
            blank(writing, token);
        }
    }
}

// `using namespace name` may name a namespace of a header that is left out, so the namespace is opened first.
static void write_space(struct writing *writing, const struct item *item) {
    if (item->end > item->first + 3) {
        const char *name = token_at(writing, item->first + 2)->begin, *end = token_at(writing, item->end - 1)->begin;
        write_to(writing, token_at(writing, item->first)->begin);
        fprintf(writing->out, "namespace %.*s {} ", (int)(end - name), name);
    }
}

// The ; of a declaration `extern __shared__ T name[];` that begins here; 0 if another begins.
static size_t dynamic_array_end(const struct writing *writing, size_t at, size_t end) {
    bool shared = false;
    for (at++; at < end && !is_at(writing, at, ";") && !is_at(writing, at, "{"); at++) {
        shared |= is_at(writing, at, "__shared__");
    }
    return shared && is_at(writing, at, ";") ? at : 0;
}

// Dynamic shared memory: in a function a reference, because gcc forgets the label of a template's variable.
static void write_dynamic_array(struct writing *writing, size_t at, size_t end, bool in_function) {
    bool named = false;
    for (; at < end; at++) {
        const struct token *token = token_at(writing, at);
        if (token_is(token, "__shared__") || (in_function && token_is(token, "extern"))) {
            blank(writing, token);
        } else if (in_function && !named && is_at(writing, at + 1, "[")) {
            named = true;
            write_to(writing, token->begin);
            fprintf(writing->out, "(&%.*s)", (int)(token->end - token->begin), token->begin);
            writing->from = token->end;
        }
    }
    write_to(writing, token_at(writing, end)->begin);
    fputs(in_function ? " = sim_dynamic_memory{}" : " __asm__(\"sim_dynamic_shared\")", writing->out);
}

// Variables in constant memory get a section, by which the simulator knows them, unless they are const: their loads
// are not instrumented, and the compiler keeps them elsewhere.
static void write_constant(struct writing *writing, const struct item *item, size_t at) {
    bool is_const = false;
    for (size_t i = item->first; i < item->end && !(i > at && strchr("=[{(;", *token_at(writing, i)->begin)); i++) {
        is_const |= is_at(writing, i, "const") || is_at(writing, i, "constexpr");
    }
    if (!is_const) {
        write_to(writing, token_at(writing, at)->end);
        fputs(" __attribute__((section(\"bankshot_constant\")))", writing->out);
    }
}

static void write_item(struct writing *writing, const struct item *item) {
    bool in_function = false; // which may be a member of a class
    for (size_t i = item->first; i < item->end; i++) {
        const struct token *token = token_at(writing, i);
        if (is_unwanted(writing, token)) {
            blank(writing, token);
        }
        if (writing->target == CXX_FOR_NVRTC) {
            continue;
        }
        if (token_is(token, "__constant__")) {
            write_constant(writing, item, i);
        }
        in_function |= token_is(token, "{");
        const size_t end = token_is(token, "extern") ? dynamic_array_end(writing, i, item->end) : 0;
        if (end) {
            write_dynamic_array(writing, i, end, in_function);
            i = end;
        }
    }
}

static void write_all(struct writing *writing) {
    const struct items *items = writing->items;
    const struct item *item = items->list, *last = items->list + items->count;
    for (size_t i = 0; i < items->tokens.count;) {
        if (item < last && item->first == i) {
            if (item->kept) {
                write_item(writing, item);
            } else if (item->flags & ITEM_SPACE) {
                write_space(writing, item);
            } else {
                blank_item(writing, item);
            }
            i = item->end;
            item++;
            continue;
        }
        if (is_unwanted(writing, token_at(writing, i))) {
            blank(writing, token_at(writing, i));
        }
        i++;
    }
    fputs(writing->from, writing->out);
}

char *cxx_rewrite(const struct items *items, const char *file_name, const char *text, enum cxx_target target) {
    char *result = NULL;
    size_t size;
    struct writing writing = {items, file_name, text, open_memstream(&result, &size), target};
    if (!writing.out) {
        return NULL;
    }
    write_all(&writing);
    return sim_text_finish(writing.out, &result);
}
