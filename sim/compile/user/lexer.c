#include "sim/compile/user/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static const char *line_end(const char *text) {
    while (*text && *text != '\n') {
        text += *text == '\\' && text[1] ? 2 : 1;
    }
    return text;
}

static const char *comment_end(const char *text) {
    if (text[1] == '/') {
        return line_end(text);
    }
    const char *end = strstr(text + 2, "*/");
    return end ? end + 2 : text + strlen(text);
}

static bool is_comment(const char *text) {
    return text[0] == '/' && (text[1] == '/' || text[1] == '*');
}

// A directive ends with its line, but a comment in it may go on to the next.
static const char *directive_end(const char *text) {
    while (*text && *text != '\n') {
        if (text[0] == '/' && text[1] == '*') {
            text = comment_end(text);
        } else {
            text += *text == '\\' && text[1] ? 2 : 1;
        }
    }
    return text;
}

static const char *quoted_end(const char *text) {
    const char *end = text + 1;
    while (*end && *end != *text && *end != '\n') {
        end += *end == '\\' && end[1] ? 2 : 1;
    }
    return *end == *text ? end + 1 : end;
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
    return quoted_end(quote);
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
        return (struct user_token){USER_STRING, text, raw ? raw_end(end) : quoted_end(end)};
    }
    return (struct user_token){USER_WORD, text, end};
}

static struct user_token next_token(const char *text) {
    while (isspace((unsigned char)*text) || is_comment(text) || (*text == '\\' && text[1] == '\n')) {
        text = is_comment(text) ? comment_end(text) : text + 1;
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
        return (struct user_token){USER_STRING, text, quoted_end(text)};
    }
    return (struct user_token){USER_SIGN, text, text + 1};
}

// Whether only space and comments stand between the line's beginning and this place.
static bool begins_line(const char *text, const struct user_tokens *tokens, const char *place) {
    const char *from = tokens->count ? tokens->list[tokens->count - 1].end : text;
    return from == text || memchr(from, '\n', (size_t)(place - from)) != NULL;
}

static bool add(struct user_tokens *tokens, struct user_token token) {
    if ((tokens->count & (tokens->count - 1)) == 0) {
        const size_t room = tokens->count ? 2 * tokens->count : 1;
        struct user_token *list = realloc(tokens->list, room * sizeof *list);
        if (!list) {
            return false;
        }
        tokens->list = list;
    }
    tokens->list[tokens->count++] = token;
    return true;
}

bool user_tokens_split(const char *text, struct user_tokens *tokens) {
    *tokens = (struct user_tokens){0};
    for (struct user_token token = next_token(text); token.begin; token = next_token(token.end)) {
        if (*token.begin == '#' && begins_line(text, tokens, token.begin)) {
            token = (struct user_token){USER_DIRECTIVE, token.begin, directive_end(token.begin)};
        }
        if (!add(tokens, token)) {
            user_tokens_clear(tokens);
            return false;
        }
    }
    return true;
}

void user_tokens_clear(struct user_tokens *tokens) {
    free(tokens->list);
    *tokens = (struct user_tokens){0};
}

bool user_token_is(const struct user_token *token, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(token->end - token->begin) == length && !memcmp(token->begin, text, length);
}
