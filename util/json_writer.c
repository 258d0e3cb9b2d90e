#include "util/json_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum {
    LINES_DEPTH = 2, // values at a greater depth share a line
    INDENT = 2
};

struct json_writer json_writer(FILE *file) {
    return (struct json_writer){.file = file};
}

static void new_line(const struct json_writer *writer) {
    if (writer->depth <= LINES_DEPTH && !writer->compact) {
        fprintf(writer->file, "\n%*s", writer->depth * INDENT, "");
    }
}

static void write_quoted(FILE *file, const char *text) {
    fputc('"', file);
    while (*text) {
        const unsigned char byte = (unsigned char)*text;
        const size_t length = utf8_length(text);
        if (byte == '"' || byte == '\\') {
            fprintf(file, "\\%c", byte);
        } else if (byte < ' ' || byte == 0x7f) {
            fprintf(file, "\\u%04x", (unsigned)byte);
        } else if (length) {
            fwrite(text, 1, length, file);
        } else {
            fputs("\\ufffd", file);
        }
        text += length ? length : 1;
    }
    fputc('"', file);
}

// Writes what precedes a value: the comma, the line break, the key.
static void begin_value(struct json_writer *writer, const char *key) {
    bool *filled = &writer->filled[writer->depth];
    if (*filled) {
        fputs(writer->depth > LINES_DEPTH && !writer->compact ? ", " : ",", writer->file);
    }
    if (writer->depth > 0) {
        new_line(writer);
    }
    *filled = true;
    if (key) {
        write_quoted(writer->file, key);
        fputs(writer->compact ? ":" : ": ", writer->file);
    }
}

static void begin(struct json_writer *writer, const char *key, char opening, char closing) {
    begin_value(writer, key);
    fputc(opening, writer->file);
    assert(writer->depth + 1 < JSON_DEPTH_MAX);
    writer->depth++;
    writer->closing[writer->depth] = closing;
    writer->filled[writer->depth] = false;
}

void json_begin_object(struct json_writer *writer, const char *key) {
    begin(writer, key, '{', '}');
}

void json_begin_array(struct json_writer *writer, const char *key) {
    begin(writer, key, '[', ']');
}

void json_end(struct json_writer *writer) {
    const char closing = writer->closing[writer->depth];
    const bool lines = writer->filled[writer->depth] && writer->depth <= LINES_DEPTH;
    writer->depth--;
    if (lines) {
        new_line(writer);
    }
    fputc(closing, writer->file);
    if (writer->depth == 0) {
        fputc('\n', writer->file);
    }
}

void json_write_text(struct json_writer *writer, const char *key, const char *text) {
    begin_value(writer, key);
    if (text) {
        write_quoted(writer->file, text);
    } else {
        fputs("null", writer->file);
    }
}

void json_write_real(struct json_writer *writer, const char *key, double value) {
    char digits[32];
    begin_value(writer, key);
    if (!isfinite(value)) {
        fputs("null", writer->file);
        return;
    }
    snprintf(digits, sizeof digits, "%.15g", value);
    const double read_back = strtod(digits, NULL);
    fprintf(writer->file, read_back < value || read_back > value ? "%.17g" : "%.15g", value);
}

void json_write_count(struct json_writer *writer, const char *key, uint64_t value) {
    begin_value(writer, key);
    fprintf(writer->file, "%llu", (unsigned long long)value);
}

void json_write_bool(struct json_writer *writer, const char *key, bool value) {
    begin_value(writer, key);
    fputs(value ? "true" : "false", writer->file);
}

static const char *skip_digits(const char *text) {
    return text + strspn(text, "0123456789");
}

static bool is_number(const char *text) {
    text += *text == '-';
    const char *whole = skip_digits(text);
    bool number = whole > text && (*text != '0' || whole == text + 1);
    if (*whole == '.') {
        number = number && skip_digits(whole + 1) > whole + 1;
        whole = skip_digits(whole + 1);
    }
    if (*whole == 'e' || *whole == 'E') {
        const char *exponent = whole + 1 + (whole[1] == '+' || whole[1] == '-');
        number = number && skip_digits(exponent) > exponent;
        whole = skip_digits(exponent);
    }
    return number && *whole == '\0';
}

void json_write_number(struct json_writer *writer, const char *key, const char *digits) {
    if (!is_number(digits)) {
        json_write_text(writer, key, digits);
        return;
    }
    begin_value(writer, key);
    fputs(digits, writer->file);
}
