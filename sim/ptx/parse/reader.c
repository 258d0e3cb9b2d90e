#include "sim/ptx/parse/reader.h"

#include <stdarg.h>

#include "sim/ptx/parse/token.h"

enum {
    SHOWN = 40 // characters of the text in a message
};

void ptx_fail(struct ptx_reader *reader, enum status status, const char *format, ...) {
    if (reader->status != STATUS_OK) {
        return;
    }
    const struct ptx_fault fault = {reader->file_name, reader->token.line, {"", 0}};
    va_list arguments;
    va_start(arguments, format);
    reader->status = ptx_report_fault(reader->error, status, &fault, format, arguments);
    va_end(arguments);
    reader->token.kind = PTX_TOKEN_END;
    reader->token.text.length = 0;
}

void ptx_fail_here(struct ptx_reader *reader, const char *expected) {
    const struct ptx_text *text = &reader->token.text;
    const int shown = text->length > SHOWN ? SHOWN : (int)text->length;
    if (reader->token.kind == PTX_TOKEN_END) {
        ptx_fail(reader, STATUS_USAGE, "the file ends where %s is expected: give a whole PTX file", expected);
    } else if ((unsigned char)*text->at < ' ' || (unsigned char)*text->at > '~') {
        ptx_fail(reader, STATUS_USAGE, "the byte 0x%02x where %s is expected: give a PTX file",
                 (unsigned char)*text->at, expected);
    } else {
        ptx_fail(reader, STATUS_USAGE, "'%.*s' where %s is expected: give a PTX file", shown, text->at, expected);
    }
}

void ptx_advance(struct ptx_reader *reader) {
    if (reader->status == STATUS_OK) {
        reader->token = ptx_next_token(&reader->lexer);
        if (reader->token.kind == PTX_TOKEN_WRONG) {
            ptx_fail_here(reader, "a word of PTX");
        }
    }
}

bool ptx_at_mark(const struct ptx_reader *reader, char mark) {
    return reader->token.kind == PTX_TOKEN_MARK && *reader->token.text.at == mark;
}

bool ptx_at_directive(const struct ptx_reader *reader, const char *name) {
    return reader->token.kind == PTX_TOKEN_DIRECTIVE && ptx_text_is(reader->token.text, name);
}

bool ptx_take_mark(struct ptx_reader *reader, char mark) {
    const bool there = ptx_at_mark(reader, mark);
    if (there) {
        ptx_advance(reader);
    }
    return there;
}

bool ptx_take_directive(struct ptx_reader *reader, const char *name) {
    const bool there = ptx_at_directive(reader, name);
    if (there) {
        ptx_advance(reader);
    }
    return there;
}

void ptx_expect_mark(struct ptx_reader *reader, char mark) {
    if (!ptx_take_mark(reader, mark)) {
        const char expected[] = {'\'', mark, '\'', '\0'};
        ptx_fail_here(reader, expected);
    }
}

struct ptx_text ptx_expect_word(struct ptx_reader *reader, const char *expected) {
    const struct ptx_text text = reader->token.text;
    if (reader->token.kind != PTX_TOKEN_WORD) {
        ptx_fail_here(reader, expected);
    } else {
        ptx_advance(reader);
    }
    return text;
}

uint64_t ptx_expect_integer(struct ptx_reader *reader, const char *expected) {
    const bool negative = ptx_take_mark(reader, '-');
    const uint64_t value = reader->token.value;
    if (reader->token.kind != PTX_TOKEN_INTEGER) {
        ptx_fail_here(reader, expected);
        return 0;
    }
    ptx_advance(reader);
    return negative ? -value : value;
}

void *ptx_take_memory(struct ptx_reader *reader, size_t bytes) {
    void *memory = reader->status == STATUS_OK ? ptx_tree_allocate(reader->tree, bytes) : NULL;
    if (!memory) {
        ptx_fail(reader, STATUS_FAILED, "no memory for the file: close other programs");
    }
    return memory;
}
