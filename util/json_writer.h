// Writes JSON to a stream, one value after the other. Commas, quotes and indents follow from the calls.
//     struct json_writer writer = json_writer(file);
//     json_begin_object(&writer, NULL);
//     json_write_text(&writer, "name", "h200");
//     json_end(&writer);
// The key is NULL in an array and for the outermost value. Write faults stay in the stream: see ferror().
#ifndef UTIL_JSON_WRITER_H
#define UTIL_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    JSON_DEPTH_MAX = 16
};

struct json_writer {
    FILE *file;
    bool compact; // no space that JSON does not need: for programs, not for people
    int depth;
    char closing[JSON_DEPTH_MAX]; // of each object or array that is open
    bool filled[JSON_DEPTH_MAX];  // something stands in it
};

struct json_writer json_writer(FILE *file);

// Values nested deeper than two levels share one line, so a row of a table does, too.
void json_begin_object(struct json_writer *writer, const char *key);
void json_begin_array(struct json_writer *writer, const char *key);
void json_end(struct json_writer *writer); // of the innermost one

// Bytes that are not UTF-8 become U+FFFD, so the file can be read whatever a name holds. NULL becomes null.
void json_write_text(struct json_writer *writer, const char *key, const char *text);

// A number that is not finite becomes null, because JSON has no other way to say it.
void json_write_real(struct json_writer *writer, const char *key, double value);
void json_write_count(struct json_writer *writer, const char *key, uint64_t value);
void json_write_bool(struct json_writer *writer, const char *key, bool value);

// A number that is already formatted, like a CSV field, so that no digit is added. Text that is not a JSON number
// becomes a string.
void json_write_number(struct json_writer *writer, const char *key, const char *digits);

#endif
