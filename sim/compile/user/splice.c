#include "sim/compile/user/splice.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/compile/text.h"
#include "sim/compile/user/lexer.h"

enum {
    FILES_MAX = 256,
    FILE_BYTES_MAX = 16 << 20
};

struct splice {
    FILE *out;
    char *paths[FILES_MAX]; // of the files that are in already
    size_t count;
    const struct user_headers *headers;
    bool failed; // for want of memory
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
    if (file && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < FILE_BYTES_MAX) {
        text = malloc((size_t)about.st_size + 1);
    }
    if (text) {
        const size_t length = fread(text, 1, (size_t)about.st_size, file);
        text[length] = '\0';
        if (strncmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark
            memmove(text, text + 3, length + 1 - 3);
        }
    }
    if (file) {
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    return text;
}

static bool is_in(const struct splice *splice, const char *path) {
    for (size_t i = 0; i < splice->count; i++) {
        if (strcmp(splice->paths[i], path) == 0) {
            return true;
        }
    }
    return false;
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
    if (is_in(splice, path)) {
        return;
    }
    const char *why = obstacle(path);
    if (why) {
        fprintf(splice->out, "\n#error %s is %s: include a regular file\n", path, why);
        return;
    }
    char *name = splice->count < FILES_MAX ? strdup(path) : NULL, *text = name ? read_file(path) : NULL;
    if (text) {
        splice->paths[splice->count++] = name;
        write_line(splice, 1, path);
        splice_text(splice, path, text);
    } else {
        free(name);
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
    splice->failed |= !user_tokens_split(text, &tokens);
    for (size_t i = 0; i < tokens.count && !splice->failed; i++) {
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
    user_tokens_clear(&tokens);
}

char *user_splice(const char *file_name, const char *text, const struct user_headers *headers) {
    char *result = NULL;
    size_t size;
    struct splice splice = {.out = open_memstream(&result, &size), .headers = headers};
    if (!splice.out) {
        return NULL;
    }
    write_line(&splice, 1, file_name);
    splice_text(&splice, file_name, text);
    for (size_t i = 0; i < splice.count; i++) {
        free(splice.paths[i]);
    }
    result = sim_text_finish(splice.out, &result);
    if (splice.failed) {
        free(result);
        return NULL;
    }
    return result;
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
