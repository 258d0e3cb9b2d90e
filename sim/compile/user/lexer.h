// Splits a C++ text into tokens, without comments.
#ifndef SIM_COMPILE_USER_LEXER_H
#define SIM_COMPILE_USER_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum user_token_kind {
    USER_WORD, // an identifier or a keyword
    USER_NUMBER,
    USER_STRING,   // or a character
    USER_SIGN,     // one character
    USER_DIRECTIVE // a whole line of the preprocessor, with those that continue it
};

struct user_token {
    enum user_token_kind kind;
    const char *begin, *end;
};

struct user_tokens {
    struct user_token *list;
    size_t count;
};

// The tokens point into the text. Returns false if memory runs out.
bool user_tokens_split(const char *text, struct user_tokens *tokens);
void user_tokens_clear(struct user_tokens *tokens);

bool user_token_is(const struct user_token *token, const char *text);

#endif
