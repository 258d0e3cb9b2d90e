#include "tools/report/parts.h"

#include <assert.h>
#include <string.h>

#include "util/embed.h"
#include "util/error.h"

// For each file '\036', its path, '\n' and its text.
EMBED_FILE(report_parts, REPORT_PARTS);

static const char MARK = '\036';

// Sets *part to the one whose mark is at `at`.
static void read_part(struct part *part, const char *at) {
    const char *path = at + 1, *text = strchr(path, '\n') + 1;
    const char *end = strchr(text, MARK);
    part->path = path;
    part->path_length = (size_t)(text - 1 - path);
    part->text = text;
    part->length = end ? (size_t)(end - text) : strlen(text);
}

static bool fits(const struct part *part, const char *beginning, const char *end) {
    const size_t head = strlen(beginning), tail = strlen(end);
    return part->path_length >= head && part->path_length >= tail && memcmp(part->path, beginning, head) == 0 &&
           memcmp(part->path + part->path_length - tail, end, tail) == 0;
}

bool part_next(struct part *part, const char *beginning, const char *end) {
    const char *at = part->path ? part->text + part->length : report_parts;
    bool found = false;
    while (*at && !found) {
        read_part(part, at);
        found = fits(part, beginning, end);
        at = part->text + part->length;
    }
    return found;
}

char *part_text(const char *path) {
    struct part part = {0};
    while (part_next(&part, path, path) && part.path_length != strlen(path)) {
    }
    assert(part.path && part.path_length == strlen(path));
    return memory_text(part.text, part.length);
}
