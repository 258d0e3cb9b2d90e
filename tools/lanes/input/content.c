#include "tools/lanes/input/content.h"

#include <stdlib.h>
#include <string.h>

#include "util/random.h"

enum {
    NUMBER_TEXT = 64
};

// Parses "FIRST,SECOND", or one number for both.
static bool parse_two(struct content *content, const struct element_type *type, const char *text, bool one) {
    char first[NUMBER_TEXT] = "";
    const size_t length = strcspn(text, ",");
    if (length >= sizeof first || (text[length] == ',') == one) {
        return false;
    }
    memcpy(first, text, length);
    content->given = true;
    return number_parse(&content->first, type, first) &&
           (one || number_parse(&content->second, type, text + length + 1));
}

static bool is_empty_range(const struct content *content, const struct element_type *type) {
    const uint64_t low = content->first.integer, high = content->second.integer;
    return type->kind == ELEMENT_SIGNED     ? (int64_t)high <= (int64_t)low
           : type->kind == ELEMENT_UNSIGNED ? high <= low
                                            : !(content->second.real > content->first.real);
}

bool content_parse(struct content *content, const struct element_type *type, const char *text) {
    static const struct {
        const char *name;
        enum content_kind kind;
        const char *means; // the numbers that the name stands for
    } names[] = {{"zero", CONTENT_RANGE, "0,0"},
                 {"index", CONTENT_RANGE, "0,1"},
                 {"random", CONTENT_RANDOM, NULL},
                 {"permutation", CONTENT_PERMUTATION, NULL}};
    *content = (struct content){0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i].name) == 0) {
            content->kind = names[i].kind;
            return !names[i].means || parse_two(content, type, names[i].means, false);
        }
    }
    if (strncmp(text, "random=", 7) == 0) {
        content->kind = CONTENT_RANDOM;
        return parse_two(content, type, text + 7, false) && !is_empty_range(content, type);
    }
    content->kind = CONTENT_RANGE;
    return strncmp(text, "range=", 6) == 0   ? parse_two(content, type, text + 6, false)
           : strncmp(text, "value=", 6) == 0 ? parse_two(content, type, text + 6, true)
                                             : false;
}

static struct number random_number(const struct content *content, const struct element_type *type, uint64_t bits,
                                   uint64_t count) {
    const double unit = (double)(bits >> 11) * 0x1p-53;
    if (!content->given) {
        return (struct number){bits % count, unit};
    }
    const struct number *low = &content->first, *high = &content->second;
    return (struct number){low->integer + (element_is_integer(type) ? bits % (high->integer - low->integer) : 0),
                           low->real + unit * (high->real - low->real)};
}

// Fisher and Yates' shuffle; NULL if memory runs out.
static uint64_t *permutation(uint64_t count, uint64_t seed) {
    uint64_t *numbers = malloc(count * sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++) {
        const uint64_t other = mix64(seed ^ mix64(i)) % (i + 1);
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
    return numbers;
}

enum status content_write(const struct content *content, const struct element_type *type, const struct shape *shape,
                          uint64_t seed, void *buffer, struct error *error) {
    const uint64_t count = shape_elements(shape);
    const bool permutes = content->kind == CONTENT_PERMUTATION;
    uint64_t *permuted = permutes ? permutation(count, seed) : NULL;
    if (permutes && !permuted) {
        return error_set(error, STATUS_FAILED, "out of memory: make the buffers smaller");
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct number step = {content->first.integer + i * content->second.integer,
                                    content->first.real + (double)i * content->second.real};
        const struct number number = permutes ? (struct number){permuted[i], (double)permuted[i]}
                                     : content->kind == CONTENT_RANDOM
                                         ? random_number(content, type, mix64(seed ^ mix64(i)), count)
                                         : step;
        element_store(type, (char *)buffer + shape_place(shape, i) * type->bytes, &number);
    }
    free(permuted);
    return STATUS_OK;
}
