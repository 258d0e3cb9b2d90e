#include "util/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct reader {
    const char *name; // the option, for messages
    const char *text; // all of it, for messages
    const char *at;
    uint64_t min, max;
    const char *wanted; // for messages: what the text is not, and what to give
    bool dimensions;    // "32x8" is a value
    struct error *error;
};

static enum status refuse(const struct reader *reader, const char *why) {
    return error_set(reader->error, STATUS_USAGE, "%s %.100s: %s", reader->name, reader->text, why);
}

static enum status refuse_range(const struct reader *reader) {
    return error_set(reader->error, STATUS_USAGE, "%s %.100s: out of range: give %llu to %llu", reader->name,
                     reader->text, (unsigned long long)reader->min, (unsigned long long)reader->max);
}

static bool multiply_overflows(uint64_t a, uint64_t b, uint64_t *product) {
    return __builtin_mul_overflow(a, b, product);
}

static uint64_t suffix_factor(char suffix) {
    switch (toupper((unsigned char)suffix)) {
    case 'K':
        return UINT64_C(1) << 10;
    case 'M':
        return UINT64_C(1) << 20;
    case 'G':
        return UINT64_C(1) << 30;
    default:
        return 1;
    }
}

static enum status read_number(struct reader *reader, uint64_t *value) {
    if (!isdigit((unsigned char)*reader->at)) {
        return refuse(reader, reader->wanted);
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(reader->at, &end, 10);
    uint64_t factor = suffix_factor(*end);
    if (errno == ERANGE || multiply_overflows(number, factor, value)) {
        return refuse_range(reader);
    }
    reader->at = end + (factor > 1);
    const bool unknown_suffix = isalpha((unsigned char)*reader->at) && !(reader->dimensions && *reader->at == 'x');
    return unknown_suffix ? refuse(reader, reader->wanted) : STATUS_OK;
}

static enum status read_value(struct reader *reader, uint64_t *value) {
    TRY(read_number(reader, value));
    if (*value < reader->min || *value > reader->max) {
        return refuse_range(reader);
    }
    return STATUS_OK;
}

static enum status append(struct sweep *sweep, const struct reader *reader, uint64_t value) {
    if (sweep->count == SWEEP_VALUES_MAX) {
        return refuse(reader, "too many values: give 65536 at most");
    }
    sweep->values = memory_room(sweep->values, sweep->count, sizeof *sweep->values);
    sweep->values[sweep->count++] = value;
    return STATUS_OK;
}

// Reads what follows "first:last": ":+step", ":*factor", or nothing for steps of one.
static enum status read_step(struct reader *reader, bool *multiply, uint64_t *step) {
    *multiply = false;
    *step = 1;
    if (*reader->at != ':') {
        return STATUS_OK;
    }
    reader->at++;
    char sign = *reader->at;
    if (sign != '+' && sign != '*') {
        return refuse(reader, "not a step: give :+N or :*N");
    }
    reader->at++;
    *multiply = sign == '*';
    TRY(read_number(reader, step));
    if (*step < (*multiply ? 2U : 1U)) {
        return refuse(reader, "the step does not advance: give at least +1 or *2");
    }
    return STATUS_OK;
}

static enum status read_range(struct sweep *sweep, struct reader *reader, uint64_t first) {
    uint64_t last;
    uint64_t step;
    bool multiply;
    reader->at++;
    TRY(read_value(reader, &last));
    TRY(read_step(reader, &multiply, &step));
    if (last < first) {
        return refuse(reader, "the range runs backwards: give the smaller end first");
    }
    if (multiply && first == 0) {
        return refuse(reader, "a range from 0 cannot be multiplied: start at 1");
    }
    for (uint64_t value = first; value <= last;) {
        TRY(append(sweep, reader, value));
        bool overflow =
            multiply ? __builtin_mul_overflow(value, step, &value) : __builtin_add_overflow(value, step, &value);
        if (overflow) {
            break;
        }
    }
    return STATUS_OK;
}

// Reads the "x8" of "32x8", if it is there.
static enum status read_dimension(struct reader *reader, uint64_t *value) {
    uint64_t y = 1;
    enum status status = STATUS_OK;
    if (*reader->at == 'x') {
        reader->at++;
        status = read_value(reader, &y);
    }
    *value |= y << 32;
    return status;
}

static enum status read_item(struct sweep *sweep, struct reader *reader) {
    uint64_t first;
    TRY(read_value(reader, &first));
    if (reader->dimensions) {
        TRY(read_dimension(reader, &first));
        return append(sweep, reader, first);
    }
    return *reader->at == ':' ? read_range(sweep, reader, first) : append(sweep, reader, first);
}

static enum status read_list(struct sweep *sweep, struct reader *reader) {
    *sweep = (struct sweep){0};
    enum status status = read_item(sweep, reader);
    while (status == STATUS_OK && *reader->at == ',') {
        reader->at++;
        status = read_item(sweep, reader);
    }
    if (status == STATUS_OK && *reader->at != '\0') {
        status = refuse(reader, reader->wanted);
    }
    if (status != STATUS_OK) {
        sweep_clear(sweep);
    }
    return status;
}

enum status sweep_parse(struct sweep *sweep, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error) {
    struct reader reader = {.name = name,
                            .text = text,
                            .at = text,
                            .min = min,
                            .max = max,
                            .wanted = "not a list or a range: give values like 1,2,4 or 1:32 or 1:32:*2, sizes with K, "
                                      "M or G",
                            .error = error};
    return read_list(sweep, &reader);
}

enum status sweep_parse_dimensions(struct sweep *sweep, const char *name, const char *text, uint64_t max,
                                   struct error *error) {
    struct reader reader = {.name = name,
                            .text = text,
                            .at = text,
                            .min = 1,
                            .max = max,
                            .wanted = "not a list of sizes: give values like 16x16,32x8",
                            .dimensions = true,
                            .error = error};
    return read_list(sweep, &reader);
}

void sweep_clear(struct sweep *sweep) {
    free(sweep->values);
    *sweep = (struct sweep){0};
}

uint64_t sweep_max(const struct sweep *sweep) {
    uint64_t max = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        max = sweep->values[i] > max ? sweep->values[i] : max;
    }
    return max;
}

enum status parse_count(uint64_t *value, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error) {
    struct reader reader = {.name = name,
                            .text = text,
                            .at = text,
                            .min = min,
                            .max = max,
                            .wanted = "not a whole number: give one like 4096 or 64K",
                            .error = error};
    TRY(read_value(&reader, value));
    return *reader.at != '\0' ? refuse(&reader, reader.wanted) : STATUS_OK;
}

enum status parse_real(double *value, const char *name, const char *text, double min, double max, struct error *error) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value)) {
        return error_set(error, STATUS_USAGE, "%s %.100s: not a number: give one like 0.5", name, text);
    }
    if (*value < min || *value > max) {
        return error_set(error, STATUS_USAGE, "%s %.100s: out of range: give %.10g to %.10g", name, text, min, max);
    }
    return STATUS_OK;
}
