#include "util/markup.h"

void markup_text(FILE *out, const char *text) {
    for (; *text; text++) {
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
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
            break;
        }
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
