#include "device/sim/compile/cxx/select.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/compile/cxx/items.h"
#include "device/sim/compile/cxx/rewrite.h"
#include "device/sim/compile/cxx/splice.h"
#include "device/sim/compile/cxx/unsupported.h"
#include "device/sim/compile/text.h"

// The state of a search for everything that a file's kernel needs.
struct search {
    const char *file_name, *text;
    struct items items;
    size_t *waiting; // kept items whose words have yet to be searched
    size_t waiting_count;
    enum cxx_target target;
    const char *trouble; // what is not supported, and where
    const char *place;
};

static enum status no_memory(struct error *error) {
    return error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
}

// ---- The kernel ----

// The name in "space::name<int>".
static struct token name_of(const char *entry) {
    const char *end = entry + strcspn(entry, "< \t"), *begin = end;
    while (begin > entry && begin[-1] != ':') {
        begin--;
    }
    return (struct token){TOKEN_WORD, begin, end};
}

static bool is_kernel(const struct item *item) {
    return item->flags & ITEM_KERNEL && item->flags & ITEM_BODY && item->name.begin && !(item->flags & ITEM_MACRO);
}

// The first kernel of this name, or of any name; NULL if there is none.
static const struct item *find_kernel(const struct items *items, const struct token *name) {
    for (size_t i = 0; i < items->count; i++) {
        if (is_kernel(&items->list[i]) && (!name || !tokens_compare(&items->list[i].name, name))) {
            return &items->list[i];
        }
    }
    return NULL;
}

static bool is_another(const struct item *item, const struct item *kernel) {
    return is_kernel(item) && tokens_compare(&item->name, &kernel->name) != 0;
}

static void list_kernels(const struct items *items, char *names, size_t size) {
    *names = '\0';
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->list[i];
        const size_t length = strlen(names);
        if (is_kernel(item) && find_kernel(items, &item->name) == item) {
            snprintf(names + length, size - length, "%s%.*s", length ? ", " : "",
                     (int)(item->name.end - item->name.begin), item->name.begin);
        }
    }
}

// *kernel is NULL if a macro makes the kernel, so that its name is not in the text.
static enum status choose_kernel(const struct items *items, const char *entry, const struct item **kernel,
                                 struct error *error) {
    char names[512];
    const struct token name = name_of(entry ? entry : "");
    bool macros = false, several = false;
    *kernel = find_kernel(items, entry ? &name : NULL);
    for (size_t i = 0; i < items->count; i++) {
        macros |= items->list[i].flags & ITEM_KERNEL && items->list[i].flags & ITEM_MACRO;
        several |= *kernel && !entry && is_another(&items->list[i], *kernel);
    }
    list_kernels(items, names, sizeof names);
    if (several || (!entry && macros)) {
        return error_set(error, STATUS_USAGE, "several kernels in the file: name one of %s%s", names,
                         macros ? " or those that macros make" : "");
    }
    if (*kernel || (entry && macros)) {
        return STATUS_OK;
    }
    return *names ? error_set(error, STATUS_USAGE, "no kernel is called %s: the file has %s", entry, names)
                  : error_set(error, STATUS_USAGE, "no kernel in the file: mark one with __global__");
}

static void write_scope(FILE *out, const struct items *items, size_t scope) {
    if (scope) {
        write_scope(out, items, items->scopes[scope].parent);
        const struct token *name = &items->scopes[scope].name;
        if (name->begin) {
            fprintf(out, "%.*s::", (int)(name->end - name->begin), name->begin);
        }
    }
}

// The kernel's whole name, as an expression that the compiler understands; NULL if memory runs out.
static char *entry_text(const struct items *items, const struct item *kernel, const char *entry) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    if (kernel && (!entry || !strstr(entry, "::") || strcspn(entry, "<") < (size_t)(strstr(entry, "::") - entry))) {
        write_scope(out, items, kernel->scope);
    }
    if (entry) {
        fputs(entry, out);
    } else {
        fprintf(out, "%.*s", (int)(kernel->name.end - kernel->name.begin), kernel->name.begin);
    }
    return sim_text_finish(out, &text);
}

static enum status check_template(const struct items *items, const struct item *kernel, const char *entry,
                                  struct error *error) {
    if (!kernel || !(kernel->flags & ITEM_TEMPLATE) || (entry && strchr(entry, '<'))) {
        return STATUS_OK;
    }
    const struct token *head = &items->tokens.list[kernel->first];
    const int length = (int)(kernel->name.end - kernel->name.begin);
    return error_set(error, STATUS_USAGE,
                     "kernel %.*s is a template, %.*s: name its arguments, as in --entry '%.*s<...>'", length,
                     kernel->name.begin, (int)strcspn(head->begin, "\n"), head->begin, length, kernel->name.begin);
}

// ---- Its needs ----

static void keep(struct search *search, size_t item) {
    if (!search->items.list[item].kept) {
        search->items.list[item].kept = true;
        search->waiting[search->waiting_count++] = item;
    }
}

// A kernel never calls host functions, so a host function with a name that it mentions is something else.
static bool can_be_needed(const struct item *item) {
    return !(item->flags & ITEM_INSTANTIATION) &&
           (!(item->flags & ITEM_FUNCTION) || item->flags & (ITEM_DEVICE | ITEM_CONSTANT));
}

static void look_at(struct search *search, const struct tokens *tokens, size_t first, size_t end);

static void need_word(struct search *search, const struct token *word) {
    size_t count;
    struct item_name *named = items_named(&search->items, word, &count);
    for (size_t i = 0; i < count && !named->needed; i++) {
        if (can_be_needed(&search->items.list[named[i].item])) {
            keep(search, named[i].item);
        }
    }
    if (count) {
        named->needed = true;
    }
    struct macro *macros = macros_named(&search->items.macros, word, &count);
    if (count && !macros->needed) {
        macros->needed = true;
        for (size_t i = 0; i < count; i++) {
            look_at(search, &macros[i].text, 0, macros[i].text.count);
        }
    }
}

static void look_at(struct search *search, const struct tokens *tokens, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const char *trouble = cxx_unsupported(tokens, i);
        if (trouble && !search->trouble) {
            search->trouble = trouble;
            search->place = tokens->list[i].begin;
        }
        if (tokens->list[i].kind == TOKEN_WORD) {
            need_word(search, &tokens->list[i]);
        }
    }
}

static bool is_root(const struct item *item, const struct item *kernel) {
    const bool makes_kernels = !kernel && item->flags & ITEM_KERNEL && item->flags & ITEM_MACRO;
    const bool is_operator = item->flags & ITEM_OPERATOR && item->flags & ITEM_DEVICE; // no name mentions it
    const bool same = kernel && item->flags & ITEM_KERNEL && item->name.begin && can_be_needed(item) &&
                      !tokens_compare(&item->name, &kernel->name);
    return makes_kernels || is_operator || same;
}

static enum status find_needed(struct search *search, const struct item *kernel, const char *entry,
                               struct error *error) {
    struct tokens arguments = {0}; // of the template
    search->waiting = calloc(search->items.count + 1, sizeof *search->waiting);
    if (!search->waiting) {
        return no_memory(error);
    }
    for (size_t i = 0; i < search->items.count; i++) {
        if (is_root(&search->items.list[i], kernel)) {
            keep(search, i);
        }
    }
    if (entry && tokens_split(entry, &arguments)) {
        look_at(search, &arguments, 0, arguments.count);
    }
    tokens_clear(&arguments);
    while (search->waiting_count) {
        const struct item *item = &search->items.list[search->waiting[--search->waiting_count]];
        look_at(search, &search->items.tokens, item->first, item->end);
    }
    free(search->waiting);
    if (!search->trouble || search->target == CXX_FOR_NVRTC) {
        return STATUS_OK;
    }
    char place[PATH_MAX + 16];
    cxx_place_text(search->file_name, search->text, search->place, place, sizeof place);
    return error_set(error, STATUS_FAILED, "%s: %s", place, search->trouble);
}

enum status cxx_select(const char *file_name, const char *text, const char *entry, enum cxx_target target,
                       struct cxx_selection *selection, struct error *error) {
    char *whole = cxx_splice(file_name, text);
    struct search search = {.file_name = file_name, .text = whole, .target = target};
    const struct item *kernel = NULL;
    *selection = (struct cxx_selection){0};
    if (!whole || !items_find(whole, &search.items)) {
        free(whole);
        return no_memory(error);
    }
    enum status status = choose_kernel(&search.items, entry, &kernel, error);
    if (status == STATUS_OK) {
        status = check_template(&search.items, kernel, entry, error);
    }
    if (status == STATUS_OK) {
        status = find_needed(&search, kernel, entry, error);
    }
    if (status == STATUS_OK) {
        selection->text = cxx_rewrite(&search.items, file_name, whole, target);
        selection->entry = entry_text(&search.items, kernel, entry);
    }
    if (status == STATUS_OK && (!selection->text || !selection->entry)) {
        free(selection->text);
        free(selection->entry);
        status = no_memory(error);
    }
    items_clear(&search.items);
    free(whole);
    return status;
}
