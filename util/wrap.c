#include "util/wrap.h"

#include <stdbool.h>
#include <string.h>

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
