// Splits a C++ text into tokens, without comments.
#ifndef DEVICE_SIM_COMPILE_CXX_LEXER_H
#define DEVICE_SIM_COMPILE_CXX_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_WORD, // an identifier or a keyword
    TOKEN_NUMBER,
    TOKEN_STRING,   // or a character
    TOKEN_SIGN,     // one character
    TOKEN_DIRECTIVE // a whole line of the preprocessor, with those that continue it
};

struct token {
    enum token_kind kind;
    const char *begin, *end;
};

struct tokens {
    struct token *list;
    size_t count;
};

// The tokens point into the text. Returns false if memory runs out.
bool tokens_split(const char *text, struct tokens *tokens);
// The same for a part of the text without directives.
bool tokens_of_part(const char *begin, const char *end, struct tokens *tokens);
void tokens_clear(struct tokens *tokens);

// Orders tokens by their text.
int tokens_compare(const struct token *a, const struct token *b);
bool token_is(const struct token *token, const char *text);

// The first of the elements that begin with this word, by which they are sorted; NULL if none does.
void *tokens_find(void *list, size_t count, size_t bytes, const struct token *word);

// The next token in text, whose directives are not recognized; its begin and end are NULL at the end of the text.
struct token token_next(const char *text);

#endif
