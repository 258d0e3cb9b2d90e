// Texts: kept, numbered, joined, wrapped, escaped for HTML, and the name that was probably meant.
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stddef.h>
#include <stdio.h>

// ---- Many short texts, kept until all of them are freed together ----

struct texts {
    struct text_block *newest;
    size_t used; // of it
};

// A copy of the first `length` characters. Ends the program if memory runs out.
const char *texts_keep(struct texts *texts, const char *text, size_t length);

// The same of the whole text.
const char *texts_copy(struct texts *texts, const char *text);

// A text as printf would print it.
const char *texts_format(struct texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void texts_clear(struct texts *texts);

// ---- Numbers for texts ----

// Numbers for texts: equal texts have one number, counted from 0 in the order in which they first came.

struct names {
    char **texts; // by number
    size_t count;
    size_t *slots, slot_count; // a hash table of numbers + 1
};

size_t names_number(struct names *names, const char *text);

// The same of a text that need not be among them: names->count if it is not.
size_t names_find(const struct names *names, const char *text);
void names_clear(struct names *names);

// ---- Texts joined ----

// The text, the separator and more; `more` alone if the text is empty or NULL. Frees both, and is to be freed.
char *text_join(char *text, const char *separator, char *more);

// ---- Lists of names with a mark between them ----

// The place of a name in a list such as "a,b,c", counted from 0; -1 if it is not there, or nothing is.
int list_place(const char *list, char mark, const char *name);

// ---- Lines for a terminal of 80 columns ----

// Writes the words of the text from this column on, broken between words and at each newline; further lines begin at
// `indent`. A word that is longer than a line is broken after a comma. Returns the column where the last line ends.
int wrap_text(FILE *file, const char *text, int column, int indent);

// ---- The name that was probably meant ----

struct suggestion {
    const char *given;
    size_t length;       // of given
    const char *nearest; // NULL: nothing offered is near
    size_t distance;
};

// What was typed: the first `length` characters.
struct suggestion suggestion_for(const char *given, size_t length);

// Keeps the name if it is nearer than those before: letters left out, added, replaced or swapped, at most one in three.
// A name that begins with what was typed is near, too.
void suggestion_offer(struct suggestion *suggestion, const char *name);

// ---- Characters ----

// The length of the UTF-8 character at text, or 0 if none is there.
size_t utf8_length(const char *text);

// ---- Text within HTML and XML ----

// Text, also within quotes. A control character becomes a blank, because XML has none, not even as a reference. Bytes
// that are not UTF-8 become U+FFFD.
void markup_text(FILE *out, const char *text);

// JSON within a script element: a '<' could end it, and stands only in strings.
void markup_json(FILE *out, const char *json);

#endif
