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

static void filter(char to[RUN_WORDS], const char *from, const char *other, bool in) {
    size_t used = 0, length;
    for (const char *word; (word = next_word(&from, &length)) != NULL;) {
        if (has_word(other, word, length) == in && used + length + 2 < RUN_WORDS) {
            if (used > 0) {
                to[used++] = ' ';
            }
            memmove(to + used, word, length);
            used += length;
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

// Whether the word is of an unknown column. One without a column of its own is of the column `parameters`.
static bool is_unknown(const char *word, size_t length, uint64_t unknown) {
    const char *equals = memchr(word, '=', length);
    char name[RUN_WORDS];
    snprintf(name, sizeof name, "%.*s", (int)(equals ? (size_t)(equals - word) : length), word);
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
        if (!is_unknown(word, length, unknown) && used + length + 2 < RUN_WORDS) {
            used += (size_t)snprintf(to + used, RUN_WORDS - used, "%s%.*s", used ? " " : "", (int)length, word);
        }
    }
    to[used] = '\0';
    return reached ? sizes : used;
}

struct line {
    char *text;
    size_t used;
};

static void append(struct line *line, const char *text, size_t length) {
    const size_t room = RUN_WORDS - 1 - line->used, taken = length < room ? length : room;
    memcpy(line->text + line->used, text, taken);
    line->used += taken;
    line->text[line->used] = '\0';
}

static bool has_key(const char *word, const char *const *keys, size_t count) {
    bool has = false;
    for (size_t i = 0; i < count; i++) {
        has = has || strncmp(word, keys[i], strlen(keys[i])) == 0;
    }
    return has;
}

// Sizes are shortened if K, M or G tell them exactly, and those of a curve's footprints, whose rows are the nearest,
// also to four digits.
static void append_value(struct line *line, const char *word, const char *value, size_t length) {
    static const char *const sizes[] = {"footprint_bytes=", "elements=", "window_bytes=", "page_bytes="};
    char *end, text[32];
    double number = strtod(value, &end);
    int units = 0;
    const bool is_size = end == value + length && has_key(word, sizes, sizeof sizes / sizeof *sizes);
    while (is_size && units < 3 && number >= 1024 && fmod(number, 1024) <= 0) {
        number /= 1024;
        units++;
    }
    while (is_size && units < 3 && number >= 10000 && has_key(word, sizes, 1)) {
        number /= 1024;
        units++;
    }
    if (units > 0 && number < 10000) {
        append(line, text, (size_t)snprintf(text, sizeof text, "%.4g%c", number, "KMG"[units - 1]));
    } else {
        append(line, value, length);
    }
}

// A word of one side, and what the other has in the same column.
static void append_word(struct line *line, const char *word, size_t length, const char *other, bool is_b) {
    const char *equals = memchr(word, '=', length);
    const size_t key = equals ? (size_t)(equals - word) + 1 : length;
    const char *beside = find_word(other, word, key);
    if (is_b && beside) {
        return; // A's word has it
    }
    append(line, " ", line->used > 0);
    append(line, word, key);
    if (is_b) {
        append(line, "-/", 2);
    }
    append_value(line, word, word + key, length - key);
    if (!is_b && !has_word(other, word, length)) {
        append(line, "/", 1);
        append_value(line, word, beside ? beside : "-", beside ? strcspn(beside, " ") : 1);
    }
}

void run_words_join(char to[RUN_WORDS], const char *a, const char *b) {
    struct line line = {to, 0};
    const char *left = a, *right = b, *word;
    size_t length;
    to[0] = '\0';
    while ((word = next_word(&left, &length)) != NULL) {
        append_word(&line, word, length, b, false);
    }
    while ((word = next_word(&right, &length)) != NULL) {
        append_word(&line, word, length, a, true);
    }
}
