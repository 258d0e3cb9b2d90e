// Addresses from a file: one request a line, one byte address a lane, "." for an inactive lane, space between.
// Blank lines and lines that begin with # are skipped.
#ifndef BENCH_ADDRESSES_H
#define BENCH_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/request.h"
#include "util/error.h"

struct address_reader;

// path "-" is the standard input. USAGE if it can't be read.
enum status address_reader_open(const char *path, struct address_reader **reader, struct error *error);
void address_reader_close(struct address_reader *reader);

// A whole file in memory, for those who read it more than once, which the standard input does not allow.
struct address_text {
    const char *path; // as messages name it
    char *bytes;      // owned
    size_t length;
};
enum status address_text_read(const char *path, struct address_text *text, struct error *error);

// The same as address_reader_open; the text must outlive the reader.
enum status address_reader_open_text(const struct address_text *text, struct address_reader **reader,
                                     struct error *error);

// Fills active and address from the next line; width_bytes is the caller's and every address must be a multiple of it.
// *end is set, and nothing else, when there are no more lines; a file without any request is an error.
enum status address_reader_next(struct address_reader *reader, uint32_t warp_width, struct request *request, bool *end,
                                struct error *error);

// The line that the latest request came from, the first is 1.
uint64_t address_reader_line(const struct address_reader *reader);

#endif
