#include "gmem/gmem_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/whole.h"

// Repeats the indices that many times, and refuses a pattern with no elements or too many.
static enum status repeat(struct gmem_pattern *pattern, uint64_t count, const char *path, struct error *error) {
    const uint64_t length = pattern->index[0].length, other = pattern->index[1].length;
    if (pattern->kernel == GMEM_PATTERN_GATHER_SCATTER && length != other) {
        return error_set(error, STATUS_USAGE,
                         "%.200s: %s: %llu indices to gather and %llu to scatter: give equal numbers", path,
                         pattern->name, (unsigned long long)length, (unsigned long long)other);
    }
    if (length == 0 || count == 0 || count > UINT32_MAX / length) {
        return error_set(error, STATUS_USAGE,
                         "%.200s: %s: %llu indices repeated %llu times: give 1 to %u elements in all", path,
                         pattern->name, (unsigned long long)length, (unsigned long long)count, UINT32_MAX);
    }
    pattern->index[0].elements = length * count;
    pattern->index[1].elements = other * count;
    return STATUS_OK;
}

// Adds a zeroed pattern.
static struct gmem_pattern *gmem_patterns_add(struct gmem_patterns *patterns) {
    patterns->patterns = memory_room(patterns->patterns, patterns->count, sizeof *patterns->patterns);
    struct gmem_pattern *added = &patterns->patterns[patterns->count++];
    *added = (struct gmem_pattern){0};
    snprintf(added->name, sizeof added->name, "%zu", patterns->count);
    return added;
}

void gmem_patterns_clear(struct gmem_patterns *patterns) {
    for (size_t i = 0; i < patterns->count; i++) {
        free(patterns->patterns[i].index[0].pattern);
        free(patterns->patterns[i].index[1].pattern);
    }
    free(patterns->patterns);
    *patterns = (struct gmem_patterns){0};
}

// ---- Spatter's files ----

#ifndef HAVE_JANSSON

static enum status parse_spatter(const struct address_text *text, struct gmem_patterns *patterns, struct error *error) {
    (void)patterns;
    return error_set(error, STATUS_USAGE,
                     "%.200s: gmem was built without jansson, which reads JSON: run scripts/setup.sh, "
                     "then make",
                     text->path);
}

#else

#include <jansson.h>

enum {
    LENGTH_MAX = 1 << 24 // of one pattern
};
// Spatter's defaults.
static const uint64_t DEFAULT_DELTA = 8, DEFAULT_COUNT = 1024;

// One configuration of the file.
struct source {
    const char *path;
    size_t number; // the first is 1
    const json_t *object;
};

// "FILE: configuration 3: KEY: WHAT", where WHAT includes what to do.
static enum status refuse(const struct source *source, const char *key, const char *what, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: configuration %zu: %s: %s", source->path, source->number, key, what);
}

// Reads a whole number; a missing key leaves *value as it is.
static enum status get_count(const struct source *source, const char *key, uint64_t least, uint64_t *value,
                             struct error *error) {
    const json_t *number = json_object_get(source->object, key);
    if (!number) {
        return STATUS_OK;
    }
    if (!json_is_integer(number) || json_integer_value(number) < (json_int_t)least ||
        json_integer_value(number) > UINT32_MAX) {
        return refuse(source, key,
                      least > 0 ? "give a whole number of 32 bits, at least 1"
                                : "give a whole number of 32 bits, at least 0",
                      error);
    }
    *value = (uint64_t)json_integer_value(number);
    return STATUS_OK;
}

static enum status make_room(const struct source *source, uint64_t length, struct gmem_index *index,
                             struct error *error) {
    index->pattern = malloc(length * sizeof *index->pattern);
    index->length = length;
    return index->pattern
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "%.200s: out of memory: give fewer configurations", source->path);
}

static enum status read_array(const struct source *source, const char *key, const json_t *array,
                              struct gmem_index *index, struct error *error) {
    const size_t length = json_array_size(array);
    if (length == 0 || length > LENGTH_MAX) {
        return refuse(source, key, "give 1 to 16777216 indices", error);
    }
    TRY(make_room(source, length, index, error));
    for (size_t i = 0; i < length; i++) {
        const json_t *place = json_array_get(array, i);
        if (!json_is_integer(place) || json_integer_value(place) < 0 || json_integer_value(place) >= UINT32_MAX) {
            TRY(refuse(source, key, "an index is out of range: give whole numbers from 0 to 4294967294", error));
        } else {
            index->pattern[i] = (uint32_t)json_integer_value(place);
        }
    }
    return STATUS_OK;
}

// Reads a whole number that ends at a colon or at the end of the text, and moves *text past it; false: there is none.
static bool next_number(const char **text, uint64_t *number) {
    const char *at = *text;
    *number = 0;
    while (*at >= '0' && *at <= '9' && *number <= UINT32_MAX) {
        *number = *number * 10 + (uint64_t)(*at++ - '0');
    }
    const bool good = at > *text && *number > 0 && *number <= UINT32_MAX && (*at == ':' || *at == '\0');
    *text = *at == ':' ? at + 1 : at;
    return good;
}

// UNIFORM:length:stride[:delta]. The delta NR means that repetitions do not overlap.
static enum status read_uniform(const struct source *source, const char *key, const char *text,
                                struct gmem_index *index, struct error *error) {
    static const char prefix[] = "UNIFORM:";
    uint64_t length, stride;
    const char *at = text + sizeof prefix - 1;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return refuse(source, key, "give a list of indices, or UNIFORM:length:stride[:delta|NR]", error);
    }
    if (!next_number(&at, &length) || !next_number(&at, &stride) || length > LENGTH_MAX ||
        (length - 1) * stride >= UINT32_MAX ||
        (*at != '\0' && strcmp(at, "NR") != 0 && (!next_number(&at, &index->delta) || *at != '\0'))) {
        return refuse(source, key, "give UNIFORM:length:stride[:delta|NR], numbers of 32 bits, at least 1", error);
    }
    if (strcmp(at, "NR") == 0) {
        index->delta = length * stride;
    }
    TRY(make_room(source, length, index, error));
    for (uint64_t i = 0; i < length; i++) {
        index->pattern[i] = (uint32_t)(i * stride);
    }
    return STATUS_OK;
}

static enum status read_index(const struct source *source, const char *key, const char *delta_key,
                              struct gmem_index *index, struct error *error) {
    const json_t *pattern = json_object_get(source->object, key);
    uint64_t kept = 0;
    index->delta = DEFAULT_DELTA;
    TRY(get_count(source, delta_key, 0, &index->delta, error));
    TRY(json_is_array(pattern)    ? read_array(source, key, pattern, index, error)
        : json_is_string(pattern) ? read_uniform(source, key, json_string_value(pattern), index, error)
                                  : refuse(source, key, "missing or no list: give a list of indices", error));
    TRY(get_count(source, "pattern-size", 0, &kept, error));
    if (kept > 0 && kept < index->length) {
        index->length = kept;
    }
    return STATUS_OK;
}

static enum status read_kernel(const struct source *source, struct gmem_pattern *pattern, struct error *error) {
    static const char *const names[] = {
        [GMEM_PATTERN_GATHER] = "gather", [GMEM_PATTERN_SCATTER] = "scatter", [GMEM_PATTERN_GATHER_SCATTER] = "gs"};
    const json_t *kernel = json_object_get(source->object, "kernel");
    if (!kernel) {
        return STATUS_OK; // the default is a gather
    }
    for (int i = 0; i < GMEM_PATTERN_KERNELS && json_is_string(kernel); i++) {
        if (strcasecmp(json_string_value(kernel), names[i]) == 0) {
            pattern->kernel = (enum gmem_pattern_kernel)i;
            return STATUS_OK;
        }
    }
    return refuse(source, "kernel", "give Gather, Scatter or GS", error);
}

// Replaces characters that could break a line, because names and messages are printed on one line.
static void keep_printable(char *text) {
    for (char *at = text; *at; at++) {
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    }
}

static void set_name(const struct source *source, struct gmem_pattern *pattern) {
    const char *name = json_string_value(json_object_get(source->object, "name"));
    if (name && *name) {
        snprintf(pattern->name, sizeof pattern->name, "%s", name);
        keep_printable(pattern->name);
    }
}

static enum status read_configuration(const struct source *source, struct gmem_pattern *pattern, struct error *error) {
    if (!json_is_object(source->object)) {
        return refuse(source, "not an object", "give an object with a kernel and a pattern", error);
    }
    if (json_object_get(source->object, "boundary")) {
        return refuse(source, "boundary", "not supported: leave it out", error);
    }
    uint64_t count = DEFAULT_COUNT;
    TRY(read_kernel(source, pattern, error));
    TRY(get_count(source, "count", 1, &count, error));
    if (pattern->kernel == GMEM_PATTERN_GATHER_SCATTER) {
        TRY(read_index(source, "pattern-gather", "delta-gather", &pattern->index[0], error));
        TRY(read_index(source, "pattern-scatter", "delta-scatter", &pattern->index[1], error));
    } else {
        TRY(read_index(source, "pattern", "delta", &pattern->index[0], error));
    }
    set_name(source, pattern);
    return repeat(pattern, count, source->path, error);
}

static enum status parse_spatter(const struct address_text *text, struct gmem_patterns *patterns, struct error *error) {
    json_error_t wrong;
    json_t *list = json_loadb(text->bytes, text->length, JSON_REJECT_DUPLICATES, &wrong);
    if (!list) {
        keep_printable(wrong.text);
        return error_set(error, STATUS_USAGE, "%.200s:%d: not JSON: %s: correct the file", text->path, wrong.line,
                         wrong.text);
    }
    enum status status = STATUS_OK;
    if (!json_is_array(list) || json_array_size(list) == 0) {
        status = error_set(error, STATUS_USAGE,
                           "%.200s: no list of configurations: give [{\"pattern\": [0, 1], ...}, ...]", text->path);
    }
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(list); i++) {
        const struct source source = {text->path, i + 1, json_array_get(list, i)};
        status = read_configuration(&source, gmem_patterns_add(patterns), error);
    }
    json_decref(list);
    return status;
}

#endif

// ---- Files of patterns ----

// Appends the addresses of one request; a lane without one is left out.
static enum status add_request(struct gmem_index *index, const struct request *request, const char *path, uint64_t line,
                               struct error *error) {
    const uint64_t lanes = (uint64_t)__builtin_popcountll(request->active);
    uint32_t *grown = realloc(index->pattern, (index->length + lanes + 1) * sizeof *grown);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "%.200s: out of memory: give fewer requests", path);
    }
    index->pattern = grown;
    for (uint64_t active = request->active; active != 0; active &= active - 1) {
        const uint64_t place = request->address[__builtin_ctzll(active)] / request->width_bytes;
        if (place >= UINT32_MAX) {
            return error_set(error, STATUS_USAGE,
                             "%.200s:%llu: address %llu is too large for an index of 32 bits: give addresses from 0 on",
                             path, (unsigned long long)line, (unsigned long long)(place * request->width_bytes));
        }
        grown[index->length++] = (uint32_t)place;
        index->delta = place + 1 > index->delta ? place + 1 : index->delta;
    }
    return STATUS_OK;
}

// Each repetition begins after the one before, on an aligned address.
static enum status parse_addresses(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                   struct gmem_patterns *patterns, struct error *error) {
    enum {
        ALIGNMENT = 256
    };
    struct address_reader *reader = NULL;
    struct request request = {.width_bytes = width_bytes};
    struct gmem_pattern *pattern = gmem_patterns_add(patterns);
    struct gmem_index *index = &pattern->index[0];
    enum status status = address_reader_open_text(text, &reader, error);
    for (bool end = false; status == STATUS_OK && !end;) {
        status = address_reader_next(reader, WARP_WIDTH_MAX, &request, &end, error);
        if (status == STATUS_OK && !end) {
            status = add_request(index, &request, text->path, address_reader_line(reader), error);
        }
    }
    address_reader_close(reader);
    TRY(status);
    index->delta = round_up(index->delta, ALIGNMENT / width_bytes);
    return repeat(pattern, index->length > 0 ? divide_up(larger(elements, 1), index->length) : 0, text->path, error);
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
    *patterns = (struct gmem_patterns){.from_addresses = !is_json(text)};
    const enum status status = patterns->from_addresses ? parse_addresses(text, width_bytes, elements, patterns, error)
                                                        : parse_spatter(text, patterns, error);
    if (status != STATUS_OK) {
        gmem_patterns_clear(patterns);
    }
    return status;
}
