#include "sim/compile/user/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/compile/text.h"
#include "sim/process.h"
#include "util/error.h"
#include "util/text.h"

// ---- Words ----

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_comment(const char *text) {
    return text[0] == '/' && (text[1] == '/' || text[1] == '*');
}

// A directive ends with its line, but a comment in it may go on to the next.
static const char *directive_end(const char *text) {
    while (*text && *text != '\n') {
        if (text[0] == '/' && text[1] == '*') {
            text = sim_text_opaque_end(text);
        } else {
            text += *text == '\\' && text[1] ? 2 : 1;
        }
    }
    return text;
}

// R"mark( ... )mark", whose lines and quotes mean nothing.
static const char *raw_end(const char *quote) {
    const char *open = quote + 1 + strcspn(quote + 1, "( \n\"");
    const size_t length = (size_t)(open - quote - 1);
    for (const char *close = *open == '(' ? strchr(open, ')') : NULL; close; close = strchr(close + 1, ')')) {
        if (!strncmp(close + 1, quote + 1, length) && close[1 + length] == '"') {
            return close + length + 2;
        }
    }
    return sim_text_opaque_end(quote);
}

// A number may hold exponents' signs, and quotes between its digits.
static const char *number_end(const char *text) {
    for (;;) {
        if (strchr("eEpP", *text) && *text && (text[1] == '+' || text[1] == '-')) {
            text += 2;
        } else if (is_word(*text) || *text == '.' || (*text == '\'' && is_word(text[1]))) {
            text++;
        } else {
            return text;
        }
    }
}

static bool prefixes(const char *begin, const char *end, const char *quote, bool *raw) {
    static const char *const prefix[] = {"R", "u8R", "uR", "UR", "LR", "u8", "u", "U", "L"};
    const size_t length = (size_t)(end - begin);
    for (size_t i = 0; (*quote == '"' || *quote == '\'') && i < sizeof prefix / sizeof *prefix; i++) {
        if (strlen(prefix[i]) == length && !strncmp(begin, prefix[i], length)) {
            *raw = prefix[i][length - 1] == 'R';
            return *quote == '"' || !*raw;
        }
    }
    return false;
}

static struct user_token word(const char *text) {
    const char *end = text;
    bool raw;
    while (is_word(*end)) {
        end++;
    }
    if (prefixes(text, end, end, &raw)) {
        return (struct user_token){USER_STRING, text, raw ? raw_end(end) : sim_text_opaque_end(end)};
    }
    return (struct user_token){USER_WORD, text, end};
}

static struct user_token next_token(const char *text) {
    while (isspace((unsigned char)*text) || is_comment(text) || (*text == '\\' && text[1] == '\n')) {
        text = is_comment(text) ? sim_text_opaque_end(text) : text + 1;
    }
    if (!*text) {
        return (struct user_token){USER_SIGN, NULL, NULL};
    }
    if (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]))) {
        return (struct user_token){USER_NUMBER, text, number_end(text)};
    }
    if (is_word(*text)) {
        return word(text);
    }
    if (*text == '"' || *text == '\'') {
        return (struct user_token){USER_STRING, text, sim_text_opaque_end(text)};
    }
    return (struct user_token){USER_SIGN, text, text + 1};
}

// Whether only space and comments stand between the line's beginning and this place.
static bool begins_line(const char *text, const struct user_tokens *tokens, const char *place) {
    const char *from = tokens->count ? tokens->list[tokens->count - 1].end : text;
    return from == text || memchr(from, '\n', (size_t)(place - from)) != NULL;
}

// The tokens point into the text.
static void split(const char *text, struct user_tokens *tokens) {
    *tokens = (struct user_tokens){0};
    for (struct user_token token = next_token(text); token.begin; token = next_token(token.end)) {
        if (*token.begin == '#' && begins_line(text, tokens, token.begin)) {
            token = (struct user_token){USER_DIRECTIVE, token.begin, directive_end(token.begin)};
        }
        tokens->list = memory_room(tokens->list, tokens->count, sizeof *tokens->list);
        tokens->list[tokens->count++] = token;
    }
}

static void clear(struct user_tokens *tokens) {
    free(tokens->list);
    *tokens = (struct user_tokens){0};
}

bool user_token_equals(const struct user_token *a, const struct user_token *b) {
    const ptrdiff_t length = a->end - a->begin;
    return a->begin && b->begin && b->end - b->begin == length && !memcmp(a->begin, b->begin, (size_t)length);
}

// ---- Declarations ----

static const struct user_token *token_at(const struct user_declarations *all, size_t i) {
    return &all->tokens.list[i];
}

static bool is_at(const struct user_declarations *all, size_t i, const char *text) {
    const struct user_token wanted = {USER_WORD, text, text + strlen(text)};
    return i < all->tokens.count && user_token_equals(token_at(all, i), &wanted);
}

static bool is_any(const struct user_declarations *all, size_t i, const char *const *words) {
    for (; *words; words++) {
        if (is_at(all, i, *words)) {
            return true;
        }
    }
    return false;
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

static void add_space(struct user_declarations *all, size_t parent, size_t brace) {
    all->spaces = memory_room(all->spaces, all->space_count, sizeof *all->spaces);
    struct user_space *space = &all->spaces[all->space_count++];
    *space = (struct user_space){.parent = parent};
    if (brace && token_at(all, brace - 1)->kind == USER_WORD && !is_at(all, brace - 1, "namespace")) {
        space->name = *token_at(all, brace - 1);
    }
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

static void add(struct user_declarations *all, size_t first, size_t end, size_t space) {
    static const char *const device_words[] = {"__device__", "__constant__", "__shared__", "__managed__", NULL};
    all->list = memory_room(all->list, all->count, sizeof *all->list);
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
}

// A declaration ends at its ; or }, so what may follow the }, such as the names behind a class, is another one.
static void find_all(struct user_declarations *all) {
    size_t first = 0, space = 0;
    add_space(all, 0, 0);
    for (size_t i = 0; i < all->tokens.count; i++) {
        if (i == first && token_at(all, i)->kind == USER_DIRECTIVE) {
            first++;
        } else if (is_at(all, i, "}")) {
            space = all->spaces[space].parent;
            first = i + 1;
        } else if (is_at(all, i, "{") && opens_space(all, first, i)) {
            add_space(all, space, i);
            space = all->space_count - 1;
            first = i + 1;
        } else if (is_at(all, i, "{") || is_at(all, i, ";")) {
            const size_t end = is_at(all, i, ";") ? i + 1 : behind_closing(all, i);
            add(all, first, end, space);
            first = end;
            i = end - 1;
        } else if (is_at(all, i, "(") || is_at(all, i, "[")) {
            i = behind_closing(all, i) - 1;
        }
    }
    if (first < all->tokens.count) {
        add(all, first, all->tokens.count, space);
    }
}

void user_declarations_find(const char *text, struct user_declarations *declarations) {
    *declarations = (struct user_declarations){0};
    split(text, &declarations->tokens);
    find_all(declarations);
}

void user_declarations_clear(struct user_declarations *declarations) {
    clear(&declarations->tokens);
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
    return user_token_equals(&kernel->name, &(struct user_token){USER_WORD, begin, end});
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
    size_t angles = 0;
    const struct user_token *name = &none;
    struct written text;
    FILE *out = memory_stream(&text);
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
    return memory_stream_end(&text);
}

// ---- Includes ----

enum {
    FILES_MAX = 256,
    FILE_BYTES_MAX = 16 << 20
};

struct splice {
    FILE *out;
    struct names files; // that are in already
    const struct user_headers *headers;
};

// ---- Directives ----

// An #include's name, from behind its quote to its end.
struct included {
    const char *name;
    int length;
    bool quoted;
};

static const char *skip_space(const char *text) {
    return text + strspn(text, " \t");
}

static bool reads_included(const struct user_token *directive, struct included *included) {
    static const char word[] = "include";
    const char *at = skip_space(directive->begin + 1);
    if (directive->kind != USER_DIRECTIVE || strncmp(at, word, sizeof word - 1) != 0) {
        return false;
    }
    at = skip_space(at + sizeof word - 1);
    const char *end = *at == '<' ? strchr(at, '>') : *at == '"' ? strchr(at + 1, '"') : NULL;
    if (!end || end > directive->end) {
        return false;
    }
    *included = (struct included){at + 1, (int)(end - at - 1), *at == '"'};
    return true;
}

static bool is_called(const struct included *included, const char *name) {
    return (int)strlen(name) == included->length && !strncmp(name, included->name, strlen(name));
}

// The headers of C and C++ that kernels use. Others, such as <iostream>, take long to compile.
static bool is_standard(const struct included *included) {
    static const char *const names[] = {"algorithm", "array",     "assert.h", "bit",         "cassert",   "cfloat",
                                        "cinttypes", "climits",   "cmath",    "cstddef",     "cstdint",   "cstdio",
                                        "cstdlib",   "cstring",   "float.h",  "functional",  "limits",    "limits.h",
                                        "math.h",    "stdbool.h", "stddef.h", "stdint.h",    "stdio.h",   "stdlib.h",
                                        "string.h",  "tuple",     "utility",  "type_traits", "inttypes.h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_called(included, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_among(const struct included *included, const struct kernel_header *list) {
    for (; list->name; list++) {
        if (is_called(included, list->name)) {
            return true;
        }
    }
    return false;
}

// C++'s own have neither a dot nor a slash in their names.
static bool is_of_cxx(const struct included *included) {
    return !memchr(included->name, '.', (size_t)included->length) &&
           !memchr(included->name, '/', (size_t)included->length);
}

static bool is_kept(const struct included *included, const struct user_headers *headers) {
    return headers->all || is_standard(included) ||
           (headers->list ? is_among(included, headers->list) : !is_of_cxx(included));
}

// ---- Files ----

// Why the file is not read: that may never end; NULL: it may be read.
static const char *obstacle(const char *path) {
    struct stat about;
    const bool known = stat(path, &about) == 0;
    return known && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) ? "a pipe"
           : known && !S_ISREG(about.st_mode)                            ? "no regular file"
                                                                         : NULL;
}

// NULL if the file cannot be read, or is no text. Without O_NONBLOCK, opening a pipe would wait for its writer.
static char *read_file(const char *path) {
    struct stat about;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    char *text = NULL;
    size_t length;
    if (file && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < FILE_BYTES_MAX) {
        text = scratch_read_all(file, &length);
    }
    if (text && strncmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark
        memmove(text, text + 3, length + 1 - 3);
    }
    if (file) {
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    return text;
}

// The path of an included file beside the one that includes it; false if there is none.
static bool find_beside(const struct included *included, const char *file_name, char path[PATH_MAX]) {
    const char *slash = strrchr(file_name, '/');
    const int folder = slash && *included->name != '/' ? (int)(slash + 1 - file_name) : 0;
    const int written = snprintf(path, PATH_MAX, "%.*s%.*s", folder, file_name, included->length, included->name);
    return included->quoted && written < PATH_MAX && access(path, R_OK) == 0;
}

// ---- Writing ----

static void write_line(struct splice *splice, unsigned line, const char *file_name) {
    fputc('\n', splice->out);
    sim_text_line(splice->out, line, file_name);
}

static void splice_text(struct splice *splice, const char *file_name, const char *text);

static void splice_file(struct splice *splice, const char *path) {
    struct names *files = &splice->files;
    if (names_find(files, path) < files->count) {
        return;
    }
    const char *why = obstacle(path);
    if (why) {
        fprintf(splice->out, "\n#error %s is %s: include a regular file\n", path, why);
        return;
    }
    char *text = files->count < FILES_MAX ? read_file(path) : NULL;
    if (text) {
        names_number(files, path);
        write_line(splice, 1, path);
        splice_text(splice, path, text);
    }
    free(text);
}

static void write_include(struct splice *splice, const struct included *included, const char *file_name) {
    char path[PATH_MAX];
    if (find_beside(included, file_name, path)) {
        splice_file(splice, path);
    } else if (is_kept(included, splice->headers)) {
        const char open = included->quoted ? '"' : '<', close = included->quoted ? '"' : '>';
        fprintf(splice->out, "\n#if __has_include(%c%.*s%c)\n#include %c%.*s%c\n#endif", open, included->length,
                included->name, close, open, included->length, included->name, close);
    }
}

static void splice_text(struct splice *splice, const char *file_name, const char *text) {
    struct user_tokens tokens;
    struct included included;
    unsigned line = 1;
    const char *from = text, *counted = text;
    split(text, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        const struct user_token *token = &tokens.list[i];
        if (!reads_included(token, &included)) {
            continue;
        }
        fwrite(from, 1, (size_t)(token->begin - from), splice->out);
        from = token->end;
        write_include(splice, &included, file_name);
        for (; counted < token->end; counted++) {
            line += *counted == '\n';
        }
        write_line(splice, line, file_name);
    }
    fputs(from, splice->out);
    clear(&tokens);
}

char *user_splice(const char *file_name, const char *text, const struct user_headers *headers) {
    struct written result;
    struct splice splice = {.out = memory_stream(&result), .headers = headers};
    write_line(&splice, 1, file_name);
    splice_text(&splice, file_name, text);
    names_clear(&splice.files);
    return memory_stream_end(&result);
}

// ---- Places ----

// A place in the text: its file, as its first character and length, and its line.
struct place {
    const char *file;
    unsigned line;
};

// Whether the name in a line directive, with its escapes and up to its quote, is this file's.
static bool is_named(const char *name, const char *file, size_t length) {
    for (; length && *name && *name != '"'; name++, file++, length--) {
        name += *name == '\\';
        if (*name != *file) {
            return false;
        }
    }
    return !length && (*name == '"' || !*name);
}

// Follows the text's lines from *at on. False at its end.
static bool next_line(const char **at, struct place *place) {
    static const char directive[] = "#line ";
    const char *end = strchr(*at, '\n');
    if (strncmp(*at, directive, sizeof directive - 1) == 0) {
        char *quote;
        place->line = (unsigned)strtoul(*at + sizeof directive - 1, &quote, 10);
        place->file = quote + 2;
    } else {
        place->line++;
    }
    *at = end ? end + 1 : *at;
    return end != NULL;
}

const char *user_place_find(const char *text, const char *file, size_t file_length, unsigned line) {
    struct place place = {"", 1};
    for (const char *at = text;;) {
        if (place.line == line && is_named(place.file, file, file_length) && strncmp(at, "#line ", 6) != 0) {
            return at;
        }
        if (!next_line(&at, &place)) {
            return NULL;
        }
    }
}
