#include "tools/compare/run_words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"

// The next word of the text, and its length; NULL at the end.
static const char *next_word(const char **text, size_t *length) {
    *text += strspn(*text, " ");
    const char *word = *text;
    *length = strcspn(word, " ");
    *text += *length;
    return *length > 0 ? word : NULL;
}

// The text behind the word of this beginning, or NULL.
static const char *find_word(const char *text, const char *beginning, size_t length) {
    size_t here;
    for (const char *word; (word = next_word(&text, &here)) != NULL;) {
        if (here >= length && memcmp(word, beginning, length) == 0) {
            return word + length;
        }
    }
    return NULL;
}

static bool has_word(const char *text, const char *word, size_t length) {
    const char *behind = find_word(text, word, length);
    return behind && (*behind == ' ' || *behind == '\0');
}

// Adds the word to a text of `used` characters, if there is room. Returns how many it has then; its end is not set.
static size_t add_word(char to[RUN_WORDS], size_t used, const char *word, size_t length) {
    if (used + length + 2 < RUN_WORDS) {
        if (used > 0) {
            to[used++] = ' ';
        }
        memmove(to + used, word, length);
        used += length;
    }
    return used;
}

static void filter(char to[RUN_WORDS], const char *from, const char *other, bool in) {
    size_t used = 0, length;
    for (const char *word; (word = next_word(&from, &length)) != NULL;) {
        if (has_word(other, word, length) == in) {
            used = add_word(to, used, word, length);
        }
    }
    to[used] = '\0';
}

void run_words_keep(char to[RUN_WORDS], const char *from, const char *other) {
    filter(to, from, other, true);
}

void run_words_drop(char to[RUN_WORDS], const char *from, const char *other) {
    filter(to, from, other, false);
}

enum {
    KEY_NAME = 64 // more characters than a key column's name has
};

// Whether the word is of an unknown column. One without a column of its own is of the column `parameters`.
static bool is_unknown(const char *word, size_t length, uint64_t unknown) {
    const char *equals = memchr(word, '=', length);
    const size_t name_length = equals ? (size_t)(equals - word) : length;
    char name[KEY_NAME] = "";
    if (name_length < sizeof name) {
        memcpy(name, word, name_length);
    }
    const struct key_column *key = key_column_find(name);
    key = key ? key : key_column_find("parameters");
    return unknown >> (key - key_columns) & 1;
}

size_t run_words_known(char to[RUN_WORDS], const char *from, size_t sizes_at, uint64_t unknown) {
    size_t used = 0, sizes = 0, length;
    bool reached = false;
    const char *rest = from;
    for (const char *word; (word = next_word(&rest, &length)) != NULL;) {
        if (!reached && word >= from + sizes_at) {
            sizes = used;
            reached = true;
        }
        if (!is_unknown(word, length, unknown)) {
            used = add_word(to, used, word, length);
        }
    }
    to[used] = '\0';
    return reached ? sizes : used;
}

// Sizes are shortened if K, M or G tell them exactly, and those of a curve's footprints, whose rows are the nearest,
// also to four digits.
static void write_value(FILE *to, const char *word, const char *value, size_t length) {
    static const char FOOTPRINT[] = "footprint_bytes=";
    static const char *const sizes[] = {FOOTPRINT, "elements=", "window_bytes=", "page_bytes="};
    char *end;
    double number = strtod(value, &end);
    int units = 0;
    bool is_size = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && end == value + length; i++) {
        is_size = is_size || strncmp(word, sizes[i], strlen(sizes[i])) == 0;
    }
    while (is_size && units < 3 && number >= 1024 && fmod(number, 1024) <= 0) {
        number /= 1024;
        units++;
    }
    while (is_size && units < 3 && number >= 10000 && strncmp(word, FOOTPRINT, strlen(FOOTPRINT)) == 0) {
        number /= 1024;
        units++;
    }
    if (units > 0 && number < 10000) {
        fprintf(to, "%.4g%c", number, "KMG"[units - 1]);
    } else {
        fprintf(to, "%.*s", (int)length, value);
    }
}

// A word of one side, and what the other has in the same column. Returns whether it is the line's.
static bool write_word(FILE *to, const char *gap, const char *word, size_t length, const char *other, bool is_b) {
    const char *equals = memchr(word, '=', length);
    const size_t key = equals ? (size_t)(equals - word) + 1 : length;
    const char *beside = find_word(other, word, key);
    if (is_b && beside) {
        return false; // A's word has it
    }
    fprintf(to, "%s%.*s%s", gap, (int)key, word, is_b ? "-/" : "");
    write_value(to, word, word + key, length - key);
    if (!is_b && !has_word(other, word, length)) {
        fputc('/', to);
        write_value(to, word, beside ? beside : "-", beside ? strcspn(beside, " ") : 1);
    }
    return true;
}

void run_words_join(FILE *to, const char *a, const char *b) {
    const char *left = a, *right = b, *word, *gap = "";
    size_t length;
    while ((word = next_word(&left, &length)) != NULL) {
        write_word(to, gap, word, length, b, false);
        gap = " ";
    }
    while ((word = next_word(&right, &length)) != NULL) {
        gap = write_word(to, gap, word, length, a, true) ? " " : gap;
    }
}
