#include "sim/ptx/parse/token.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ptx_text_is(struct ptx_text text, const char *word) {
    return strlen(word) == text.length && !memcmp(text.at, word, text.length);
}

bool ptx_text_is_among(struct ptx_text text, const char *list, char mark) {
    for (const char *word = list, *end; word; word = *end ? end + 1 : NULL) {
        end = strchrnul(word, mark);
        if ((size_t)(end - word) == text.length && !memcmp(word, text.at, text.length)) {
            return true;
        }
    }
    return false;
}

static bool begins_word(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool continues_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_comment(struct ptx_lexer *lexer) {
    const char *end = strstr(lexer->at + 2, "*/");
    end = end ? end + 2 : lexer->at + strlen(lexer->at);
    for (; lexer->at < end; lexer->at++) {
        lexer->line += *lexer->at == '\n';
    }
}

// A compiler marks a kernel's inline assembly by comments.
static void skip_line_comment(struct ptx_lexer *lexer) {
    static const char begin[] = "// begin inline asm", end[] = "// end inline asm";
    if (!strncmp(lexer->at, begin, sizeof begin - 1)) {
        lexer->assembly = ++lexer->assembly_blocks;
    } else if (!strncmp(lexer->at, end, sizeof end - 1)) {
        lexer->assembly = 0;
    }
    lexer->at += strcspn(lexer->at, "\n");
}

static void skip_space(struct ptx_lexer *lexer) {
    for (;;) {
        if (isspace((unsigned char)*lexer->at)) {
            lexer->line += *lexer->at++ == '\n';
        } else if (!strncmp(lexer->at, "//", 2)) {
            skip_line_comment(lexer);
        } else if (!strncmp(lexer->at, "/*", 2)) {
            skip_comment(lexer);
        } else {
            return;
        }
    }
}

// A word may have parts: ld.global.v4.f32, st.async.shared::cluster.
static const char *word_end(const char *at) {
    for (;;) {
        const size_t joint = *at == '.' ? 1 : at[0] == ':' && at[1] == ':' ? 2 : 0;
        if (!continues_word(at[joint])) {
            return at;
        }
        at += joint + 1;
    }
}

// The bits of 0f3F800000 and 0d3FF0000000000000.
static const char *hexadecimal_float(const char *at, struct ptx_token *token) {
    const size_t wanted = tolower((unsigned char)at[1]) == 'f' ? 8 : 16;
    const size_t found = strspn(at + 2, "0123456789abcdefABCDEF"), digits = found < wanted ? found : wanted;
    char text[17];
    snprintf(text, sizeof text, "%.*s", (int)digits, at + 2);
    token->kind = digits < wanted ? PTX_TOKEN_WRONG : wanted == 8 ? PTX_TOKEN_FLOAT32 : PTX_TOKEN_FLOAT64;
    token->value = strtoull(text, NULL, 16);
    return at + 2 + digits;
}

static const char *decimal_float(const char *at, struct ptx_token *token) {
    char *end;
    const double value = strtod(at, &end);
    token->kind = PTX_TOKEN_FLOAT64;
    memcpy(&token->value, &value, sizeof value);
    return end;
}

static const char *integer(const char *at, struct ptx_token *token) {
    char *end;
    const bool binary = at[0] == '0' && tolower((unsigned char)at[1]) == 'b';
    token->kind = PTX_TOKEN_INTEGER;
    token->value = strtoull(binary ? at + 2 : at, &end, binary ? 2 : 0);
    return end + (*end == 'U');
}

static const char *number(const char *at, struct ptx_token *token) {
    const char second = (char)tolower((unsigned char)at[1]);
    if (*at == '0' && (second == 'f' || second == 'd')) {
        return hexadecimal_float(at, token);
    }
    const size_t digits = strspn(at, "0123456789");
    const bool real = at[digits] == '.' || (tolower((unsigned char)at[digits]) == 'e' && second != 'x');
    const char *end = real ? decimal_float(at, token) : integer(at, token);
    if (continues_word(*end)) {
        token->kind = PTX_TOKEN_WRONG;
    }
    return end;
}

// Up to the last quote of its line, because NVRTC does not escape those in a file's name.
static const char *string(const char *at, struct ptx_token *token) {
    const size_t rest = strcspn(at + 1, "\n");
    const char *quote = memrchr(at + 1, '"', rest);
    const size_t length = quote ? (size_t)(quote - at - 1) : rest;
    const bool whole = quote != NULL;
    token->kind = whole ? PTX_TOKEN_STRING : PTX_TOKEN_WRONG;
    token->text = (struct ptx_text){at + 1, length};
    return at + 1 + length + whole;
}

struct ptx_token ptx_next_token(struct ptx_lexer *lexer) {
    skip_space(lexer);
    const char *at = lexer->at, *end = at + 1;
    struct ptx_token token = {
        .kind = PTX_TOKEN_MARK, .text = {at, 1}, .line = lexer->line, .assembly = lexer->assembly};
    if (!*at) {
        token.kind = PTX_TOKEN_END;
        token.text.length = 0;
        return token;
    }
    if (*at == '"') {
        lexer->at = string(at, &token);
        return token;
    }
    if (begins_word(*at) || (*at == '.' && begins_word(at[1]))) {
        token.kind = *at == '.' ? PTX_TOKEN_DIRECTIVE : PTX_TOKEN_WORD;
        end = *at == '.' ? at + 1 : word_end(at + 1);
        while (*at == '.' && continues_word(*end)) {
            end++;
        }
    } else if (isdigit((unsigned char)*at)) {
        end = number(at, &token);
    } else if (!strchr("{}()[],;:@!|+-=<>*", *at)) {
        token.kind = PTX_TOKEN_WRONG;
    }
    token.text.length = (size_t)(end - at);
    lexer->at = end;
    return token;
}

enum {
    SHOWN_TEXT = 80 // characters of the opcode
};

enum status ptx_report_fault(struct error *error, enum status status, const struct ptx_fault *fault, const char *format,
                             va_list arguments) {
    char what[512];
    const struct ptx_text opcode = fault->opcode;
    vsnprintf(what, sizeof what, format, arguments);
    return error_set(error, status, "%.200s:%u: %.*s%s%s", fault->file_name, fault->line,
                     opcode.length > SHOWN_TEXT ? SHOWN_TEXT : (int)opcode.length, opcode.at, opcode.length ? ": " : "",
                     what);
}
