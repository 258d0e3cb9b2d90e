// Reads requests from a file. A line is one request: a byte address for each lane, or "." for an inactive one,
// separated by spaces. Blank lines and lines that begin with # are skipped.
#ifndef BENCH_ADDRESSES_H
#define BENCH_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/request.h"
#include "util/error.h"

struct address_reader;

// The path "-" is standard input. STATUS_USAGE if the file cannot be read.
enum status address_reader_open(const char *path, struct address_reader **reader, struct error *error);
void address_reader_close(struct address_reader *reader);

// A whole file in memory, so that it can be read more than once, which standard input does not allow.
struct address_text {
    const char *path; // as messages name it
    char *bytes;      // owned
    size_t length;
};
enum status address_text_read(const char *path, struct address_text *text, struct error *error);

// The same as address_reader_open; the text must outlive the reader.
enum status address_reader_open_text(const struct address_text *text, struct address_reader **reader,
                                     struct error *error);

// Fills active and address from the next line. Every address must be a multiple of width_bytes, which the caller sets.
// When there are no more lines only *end is set; a file without any request is an error.
enum status address_reader_next(struct address_reader *reader, uint32_t warp_width, struct request *request, bool *end,
                                struct error *error);

// The number of the line that the latest request came from, counted from 1.
uint64_t address_reader_line(const struct address_reader *reader);

#endif
