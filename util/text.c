#include "util/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

// ---- Many short texts, kept until all of them are freed together ----

enum {
    BLOCK_BYTES = 1 << 20
};

struct text_block {
    struct text_block *older;
    size_t size;
    char bytes[];
};

static struct text_block *add_block(struct texts *texts, size_t least) {
    const size_t size = least > BLOCK_BYTES ? least : BLOCK_BYTES;
    struct text_block *block = memory_zeros(1, sizeof *block + size);
    block->older = texts->newest;
    block->size = size;
    texts->newest = block;
    texts->used = 0;
    return block;
}

// Room for a text of this length.
static char *take_room(struct texts *texts, size_t length) {
    struct text_block *block = texts->newest;
    if (!block || block->size - texts->used < length + 1) {
        block = add_block(texts, length + 1);
    }
    char *room = block->bytes + texts->used;
    texts->used += length + 1;
    return room;
}

const char *texts_keep(struct texts *texts, const char *text, size_t length) {
    char *copy = take_room(texts, length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

const char *texts_copy(struct texts *texts, const char *text) {
    return texts_keep(texts, text, strlen(text));
}

const char *texts_format(struct texts *texts, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *text = take_room(texts, (size_t)length);
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void texts_clear(struct texts *texts) {
    for (struct text_block *block = texts->newest; block;) {
        struct text_block *older = block->older;
        free(block);
        block = older;
    }
    *texts = (struct texts){0};
}

// ---- Numbers for texts ----

static size_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    }
    return (size_t)(hash ^ hash >> 29);
}

// The slot of the text, or the empty one where it belongs.
static size_t find_slot(const struct names *names, const char *text) {
    size_t slot = hash_of(text) & (names->slot_count - 1);
    while (names->slots[slot] && strcmp(names->texts[names->slots[slot] - 1], text) != 0) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return slot;
}

// Keeps half of the slots empty.
static void make_room(struct names *names) {
    if (2 * (names->count + 1) <= names->slot_count) {
        return;
    }
    free(names->slots);
    names->slot_count = names->slot_count ? 2 * names->slot_count : 64;
    names->slots = memory_zeros(names->slot_count, sizeof *names->slots);
    for (size_t i = 0; i < names->count; i++) {
        names->slots[find_slot(names, names->texts[i])] = i + 1;
    }
}

size_t names_number(struct names *names, const char *text) {
    make_room(names);
    const size_t slot = find_slot(names, text);
    if (!names->slots[slot]) {
        names->texts = memory_room(names->texts, names->count, sizeof *names->texts);
        names->texts[names->count++] = memory_copy(text);
        names->slots[slot] = names->count;
    }
    return names->slots[slot] - 1;
}

size_t names_find(const struct names *names, const char *text) {
    const size_t number = names->slot_count > 0 ? names->slots[find_slot(names, text)] : 0;
    return number > 0 ? number - 1 : names->count;
}

void names_clear(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->texts[i]);
    }
    free(names->texts);
    free(names->slots);
    *names = (struct names){0};
}

// ---- Texts joined ----

char *text_join(char *text, const char *separator, char *more) {
    const bool is_first = !text || !*text;
    char *joined = memory_format("%s%s%s", is_first ? "" : text, is_first ? "" : separator, more);
    free(text);
    free(more);
    return joined;
}

// ---- Lists of names with a mark between them ----

int list_place(const char *list, char mark, const char *name) {
    const size_t length = strlen(name);
    int place = 0;
    for (const char *at = list; at && length > 0; at = strchr(at, mark), place++) {
        at += *at == mark;
        if (strncmp(at, name, length) == 0 && (at[length] == mark || at[length] == '\0')) {
            return place;
        }
    }
    return -1;
}

// ---- Lines for a terminal of 80 columns ----

enum {
    WRAP_WIDTH = 79
};

// The length of the word here, or of as much of its list as fits into a line.
static int word_length(const char *text, int indent) {
    const int length = (int)strcspn(text, " \n"), room = WRAP_WIDTH - indent;
    int cut = length > room ? room : 0;
    while (cut > 0 && text[cut - 1] != ',') {
        cut--;
    }
    return cut > 0 ? cut : length;
}

int wrap_text(FILE *file, const char *text, int column, int indent) {
    char gap = '\0';
    while (*text) {
        const int length = word_length(text, indent);
        if (gap == '\n' || (column + (gap == ' ') + length > WRAP_WIDTH && column > indent)) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            gap = '\0';
        }
        column += fprintf(file, "%s%.*s", gap ? " " : "", length, text);
        text += length;
        const bool ended = strchr(" \n", *text) != NULL; // or cut
        gap = ended ? *text : '\n';
        text += ended && gap;
    }
    return column;
}

// ---- The name that was probably meant ----

enum {
    NAME_MAX_LENGTH = 63,
    LETTERS_PER_MISTAKE = 3
};

struct suggestion suggestion_for(const char *given, size_t length) {
    return (struct suggestion){given, length, NULL, SIZE_MAX};
}

static size_t least(size_t a, size_t b, size_t c) {
    const size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

// The optimal string alignment distance, row by row of its table.
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_MAX_LENGTH + 1];
    for (size_t k = 0; k <= b_length; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            row[k] = least(above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && second_above[k - 2] + 1 < row[k]) {
                row[k] = second_above[k - 2] + 1;
            }
        }
    }
    return rows[a_length % 3][b_length];
}

void suggestion_offer(struct suggestion *suggestion, const char *name) {
    const size_t length = strlen(name);
    if (length > NAME_MAX_LENGTH || suggestion->length > NAME_MAX_LENGTH || suggestion->length == 0) {
        return;
    }
    const size_t longer = length > suggestion->length ? length : suggestion->length;
    const bool begins = suggestion->length > 2 && strncmp(name, suggestion->given, suggestion->length) == 0;
    size_t mistakes = distance(suggestion->given, suggestion->length, name, length);
    mistakes = begins && mistakes > 1 ? 1 : mistakes;
    if (mistakes * LETTERS_PER_MISTAKE <= longer && mistakes < suggestion->distance) {
        suggestion->nearest = name;
        suggestion->distance = mistakes;
    }
}

// ---- Characters ----

size_t utf8_length(const char *start) {
    const unsigned char *text = (const unsigned char *)start;
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } forms[] = {
        // RFC 3629
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bool fits = text[0] >= forms[i].first && text[0] <= forms[i].last;
        for (size_t k = 1; k < forms[i].length && fits; k++) {
            const unsigned char low = k == 1 ? forms[i].second_first : 0x80,
                                high = k == 1 ? forms[i].second_last : 0xbf;
            fits = text[k] >= low && text[k] <= high;
        }
        if (fits) {
            return forms[i].length;
        }
    }
    return 0;
}

// ---- Text within HTML and XML ----

void markup_text(FILE *out, const char *text) {
    while (*text) {
        const size_t length = utf8_length(text);
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fwrite((unsigned char)*text < ' ' ? " " : length ? text : "\xef\xbf\xbd", length ? length : 3, 1, out);
            break;
        }
        text += length ? length : 1;
    }
}

void markup_json(FILE *out, const char *json) {
    for (; *json; json++) {
        if (*json == '<') {
            fputs("\\u003c", out);
        } else {
            fputc(*json, out);
        }
    }
}
