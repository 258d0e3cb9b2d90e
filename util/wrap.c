#include "util/wrap.h"

#include <string.h>

int wrap_text(FILE *file, const char *text, int column, int indent) {
    char gap = '\0';
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (gap == '\n' || (column + (gap == ' ') + length > WRAP_WIDTH && column > indent)) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            gap = '\0';
        }
        column += fprintf(file, "%s%.*s", gap ? " " : "", length, text);
        text += length;
        gap = *text;
        text += gap != '\0';
    }
    return column;
}
