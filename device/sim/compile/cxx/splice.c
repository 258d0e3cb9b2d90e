#include "device/sim/compile/cxx/splice.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/sim/compile/cxx/headers.h"
#include "device/sim/compile/text.h"

enum {
    FILES_MAX = 256,
    FILE_BYTES_MAX = 16 << 20
};

struct splice {
    FILE *out;
    char *paths[FILES_MAX]; // of the files that are in already
    size_t count;
    bool failed; // for want of memory
};

// NULL if the file cannot be read, or is no text.
static char *read_file(const char *path) {
    struct stat about;
    FILE *file = fopen(path, "r");
    char *text = NULL;
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size < FILE_BYTES_MAX) {
        text = malloc((size_t)about.st_size + 1);
    }
    if (text) {
        const size_t length = fread(text, 1, (size_t)about.st_size, file);
        text[length] = '\0';
    }
    if (file) {
        fclose(file);
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

static void write_line(struct splice *splice, unsigned line, const char *file_name) {
    fprintf(splice->out, "\n#line %u \"", line);
    for (; *file_name; file_name++) {
        fprintf(splice->out, "%s%c", strchr("\"\\", *file_name) ? "\\" : "", *file_name);
    }
    fputs("\"\n", splice->out);
}

static void splice_text(struct splice *splice, const char *file_name, const char *text);

// Writes the file instead of the directive. False if the directive must stay.
static bool splice_file(struct splice *splice, const struct token *directive, const char *file_name) {
    char path[PATH_MAX];
    if (!cxx_header_beside(directive, file_name, path, sizeof path)) {
        return false;
    }
    if (is_in(splice, path)) {
        return true;
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
    return text != NULL;
}

static void splice_text(struct splice *splice, const char *file_name, const char *text) {
    struct tokens tokens;
    unsigned line = 1;
    const char *from = text, *counted = text;
    splice->failed |= !tokens_split(text, &tokens);
    for (size_t i = 0; i < tokens.count && !splice->failed; i++) {
        const struct token *token = &tokens.list[i];
        if (token->kind != TOKEN_DIRECTIVE) {
            continue;
        }
        fwrite(from, 1, (size_t)(token->begin - from), splice->out);
        from = token->begin;
        if (splice_file(splice, token, file_name)) {
            for (; counted < token->end; counted++) {
                line += *counted == '\n';
            }
            write_line(splice, line, file_name);
            from = token->end;
        }
    }
    fputs(from, splice->out);
    tokens_clear(&tokens);
}

char *cxx_splice(const char *file_name, const char *text) {
    char *result = NULL;
    size_t size;
    struct splice splice = {.out = open_memstream(&result, &size)};
    if (!splice.out) {
        return NULL;
    }
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

char *cxx_place_text(const char *file_name, const char *text, const char *place, char *place_text, size_t size) {
    unsigned line = 1;
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s", file_name);
    for (const char *at = text; at < place; at++) {
        char name[PATH_MAX];
        unsigned number;
        line += *at == '\n';
        if (*at == '\n' && sscanf(at + 1, "#line %u \"%4095[^\"\n]\"", &number, name) == 2) {
            line = number - 1; // the directive's own line end adds one
            snprintf(file, sizeof file, "%s", name);
        }
    }
    snprintf(place_text, size, "%s:%u", file, line);
    return place_text;
}
