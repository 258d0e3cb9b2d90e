#include "util/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
