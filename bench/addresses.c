#include "bench/addresses.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 4096, // room for 64 addresses of 20 digits, three times
    BUFFER_BYTES = 1 << 20,
    TEXT_BYTES_MAX = 64 << 20
};

struct address_reader {
    const char *path;
    FILE *file;
    uint64_t line;
    uint64_t requests;
    char text[LINE_MAX_BYTES]; // of the latest line
};

static const char *name_of(const char *path) {
    return strcmp(path, "-") ? path : "standard input";
}

static enum status cannot_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: cannot be read: %s", name_of(path), strerror(errno));
}

// Takes ownership of the file, which is NULL if it could not be opened.
static enum status open_reader(const char *path, FILE *file, struct address_reader **reader, struct error *error) {
    if (!file) {
        return cannot_read(path, error);
    }
    struct address_reader *made = memory_zeros(1, sizeof *made);
    made->path = name_of(path);
    made->file = file;
    *reader = made;
    return STATUS_OK;
}

static FILE *open_file(const char *path) {
    return strcmp(path, "-") ? fopen(path, "r") : stdin;
}

enum status address_reader_open(const char *path, struct address_reader **reader, struct error *error) {
    return open_reader(path, open_file(path), reader, error);
}

enum status address_reader_open_text(const struct address_text *text, struct address_reader **reader,
                                     struct error *error) {
    return open_reader(text->path, fmemopen(text->bytes, text->length, "r"), reader, error);
}

static enum status read_all(FILE *file, struct address_text *text, struct error *error) {
    size_t capacity = 0;
    do {
        if (text->length >= TEXT_BYTES_MAX) {
            return error_set(error, STATUS_USAGE, "%.200s: larger than %d MiB: give fewer requests",
                             name_of(text->path), TEXT_BYTES_MAX >> 20);
        }
        capacity = 2 * capacity + BUFFER_BYTES;
        char *bytes = realloc(text->bytes, capacity);
        if (!bytes) {
            return error_set(error, STATUS_FAILED, "%.200s: out of memory: give fewer requests", name_of(text->path));
        }
        text->bytes = bytes;
        text->length += fread(bytes + text->length, 1, capacity - text->length, file);
    } while (text->length == capacity);
    if (ferror(file)) {
        return cannot_read(text->path, error);
    }
    text->bytes[text->length++] = '\n'; // fmemopen may refuse an empty buffer
    return STATUS_OK;
}

enum status address_text_read(const char *path, struct address_text *text, struct error *error) {
    *text = (struct address_text){.path = name_of(path)};
    FILE *file = open_file(path);
    if (!file) {
        return cannot_read(path, error);
    }
    enum status status = read_all(file, text, error);
    if (file != stdin) {
        fclose(file);
    }
    return status;
}

uint64_t address_reader_line(const struct address_reader *reader) {
    return reader->line;
}

void address_reader_close(struct address_reader *reader) {
    if (reader && reader->file != stdin) {
        fclose(reader->file);
    }
    free(reader);
}

// Reads the next line without its newline; *found is false at the end of the file.
static enum status next_line(struct address_reader *reader, bool *found, size_t *length, struct error *error) {
    int character = getc_unlocked(reader->file);
    *found = character != EOF;
    reader->line += *found;
    for (*length = 0; character != EOF && character != '\n'; character = getc_unlocked(reader->file)) {
        if (*length == LINE_MAX_BYTES) {
            return error_set(error, STATUS_USAGE,
                             "%.200s:%llu: the line is longer than %d bytes: give one request per line", reader->path,
                             (unsigned long long)reader->line, LINE_MAX_BYTES);
        }
        reader->text[(*length)++] = (char)character;
    }
    return ferror(reader->file) ? cannot_read(reader->path, error) : STATUS_OK;
}

static bool is_space(char character) {
    return character == ' ' || character == '\t' || character == '\r';
}

// Converts decimal digits; false if the text is no number or one that does not fit.
static bool parse_address(const char *text, size_t length, uint64_t *address) {
    *address = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || *address > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *address = *address * 10 + digit;
    }
    return true;
}

struct line_parser {
    const struct address_reader *reader;
    uint32_t warp_width, lane;
    struct request *request;
};

static enum status parse_lane(struct line_parser *parser, const char *text, size_t length, struct error *error) {
    const char *path = parser->reader->path;
    const unsigned long long line = parser->reader->line, width = parser->request->width_bytes;
    const unsigned long long unit = width == 12 ? 4 : width;
    uint32_t lane = parser->lane++;
    if (lane >= parser->warp_width) {
        return error_set(error, STATUS_USAGE, "%.200s:%llu: too many lanes: give at most %u addresses per line", path,
                         line, parser->warp_width);
    }
    if (length == 1 && *text == '.') {
        return STATUS_OK;
    }
    uint64_t address;
    if (!parse_address(text, length, &address)) {
        return error_set(error, STATUS_USAGE,
                         "%.200s:%llu: lane %u: '%.*s' is no address: give bytes as a whole number, or '.'", path, line,
                         lane, length < 40 ? (int)length : 40, text);
    }
    if (address % unit) {
        return error_set(error, STATUS_USAGE, "%.200s:%llu: lane %u: %llu is not aligned: give a multiple of %llu",
                         path, line, lane, (unsigned long long)address, unit);
    }
    parser->request->active |= UINT64_C(1) << lane;
    parser->request->address[lane] = address;
    return STATUS_OK;
}

static enum status parse_line(struct line_parser *parser, const char *line, size_t length, struct error *error) {
    parser->request->active = 0;
    for (size_t i = 0; i < length;) {
        size_t begin = i;
        while (i < length && !is_space(line[i])) {
            i++;
        }
        if (i > begin) {
            TRY(parse_lane(parser, line + begin, i - begin, error));
        }
        i++;
    }
    return STATUS_OK;
}

enum status address_reader_next(struct address_reader *reader, uint32_t warp_width, struct request *request, bool *end,
                                struct error *error) {
    struct line_parser parser = {.reader = reader, .warp_width = warp_width, .request = request};
    bool found;
    *end = false;
    do {
        size_t length;
        TRY(next_line(reader, &found, &length, error));
        if (length > 0 && reader->text[0] != '#') {
            TRY(parse_line(&parser, reader->text, length, error));
        }
    } while (found && parser.lane == 0);

    *end = !found;
    if (*end && reader->requests == 0) {
        return error_set(error, STATUS_USAGE,
                         "%.200s: holds no request: give one per line, with a byte address for each lane",
                         reader->path);
    }
    reader->requests++;
    return STATUS_OK;
}
