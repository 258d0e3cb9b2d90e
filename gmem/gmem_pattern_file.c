#include "gmem/gmem_pattern_file.h"

#include <stdlib.h>
#include <string.h>

#include "gmem/gmem_spatter.h"

static enum status out_of_memory(const char *path, struct error *error) {
    return error_set(error, STATUS_FAILED, "%.200s: out of memory: give fewer requests", path);
}

// Appends the addresses of one request; a lane without one is left out.
static enum status add_request(struct gmem_side *side, const struct request *request, const char *path, uint64_t line,
                               struct error *error) {
    const uint64_t lanes = (uint64_t)__builtin_popcountll(request->active);
    uint32_t *grown = realloc(side->indices, (side->length + lanes + 1) * sizeof *grown);
    if (!grown) {
        return out_of_memory(path, error);
    }
    side->indices = grown;
    for (uint64_t active = request->active; active != 0; active &= active - 1) {
        const uint64_t index = request->address[__builtin_ctzll(active)] / request->width_bytes;
        if (index >= UINT32_MAX) {
            return error_set(error, STATUS_USAGE,
                             "%.200s:%llu: address %llu is too large for an index of 32 bits: give addresses from 0 on",
                             path, (unsigned long long)line, (unsigned long long)(index * request->width_bytes));
        }
        grown[side->length++] = (uint32_t)index;
        side->delta = index + 1 > side->delta ? index + 1 : side->delta;
    }
    return STATUS_OK;
}

// Each repetition begins after the one before, on an aligned address.
static void repeat(struct gmem_pattern *pattern, uint32_t width_bytes, uint64_t elements) {
    enum {
        ALIGNMENT = 256
    };
    const uint64_t unit = ALIGNMENT / width_bytes, length = pattern->gather.length;
    pattern->gather.delta = (pattern->gather.delta + unit - 1) / unit * unit;
    pattern->count = length == 0 ? 0 : elements <= length ? 1 : (elements + length - 1) / length;
}

static enum status parse_addresses(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                   struct gmem_patterns *patterns, struct error *error) {
    struct address_reader *reader = NULL;
    struct request request = {.width_bytes = width_bytes};
    struct gmem_pattern *pattern = gmem_patterns_add(patterns);
    enum status status = pattern ? address_reader_open_text(text, &reader, error) : out_of_memory(text->path, error);
    for (bool end = false; status == STATUS_OK && !end;) {
        status = address_reader_next(reader, WARP_WIDTH_MAX, &request, &end, error);
        if (status == STATUS_OK && !end) {
            status = add_request(&pattern->gather, &request, text->path, address_reader_line(reader), error);
        }
    }
    address_reader_close(reader);
    if (status == STATUS_OK) {
        repeat(pattern, width_bytes, elements);
        status = gmem_pattern_check(pattern, text->path, error);
    }
    return status;
}

static bool is_json(const struct address_text *text) {
    size_t at = 0;
    while (at < text->length && strchr(" \t\r\n", text->bytes[at]) && text->bytes[at] != '\0') {
        at++;
    }
    return at < text->length && (text->bytes[at] == '[' || text->bytes[at] == '{');
}

enum status gmem_patterns_parse(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                struct gmem_patterns *patterns, struct error *error) {
    *patterns = (struct gmem_patterns){0};
    const enum status status = is_json(text) ? gmem_spatter_parse(text, patterns, error)
                                             : parse_addresses(text, width_bytes, elements, patterns, error);
    if (status != STATUS_OK) {
        gmem_patterns_clear(patterns);
    }
    return status;
}
