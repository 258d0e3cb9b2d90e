#include "util/wrap.h"

#include <string.h>

int wrap_text(FILE *file, const char *text, int column, int indent) {
    const char *gap = "";
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column + (*gap != '\0') + length > WRAP_WIDTH && column > indent) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            gap = "";
        }
        column += fprintf(file, "%s%.*s", gap, length, text);
        text += length + (text[length] == ' ');
        gap = " ";
    }
    return column;
}
