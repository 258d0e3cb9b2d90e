// The values that an option runs over: "1,2,4", "1:32", "1:32:+4", "1:32:*2", and lists of these; with or without
// the suffixes K, M, G (1024, 1024^2, 1024^3).
#ifndef UTIL_SWEEP_H
#define UTIL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
    SWEEP_VALUES_MAX = 65536
};

struct sweep {
    uint64_t *values;
    size_t count;
};

// Values outside min..max are refused. Messages begin with name: "--stride". Free with sweep_clear.
enum status sweep_parse(struct sweep *sweep, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error);
// A list of sizes "32x8", or "32" for 32x1: a value is x | y << 32. Each of x and y is at most max.
enum status sweep_parse_dimensions(struct sweep *sweep, const char *name, const char *text, uint64_t max,
                                   struct error *error);
void sweep_clear(struct sweep *sweep);
uint64_t sweep_max(const struct sweep *sweep);

// One whole number with an optional suffix.
enum status parse_count(uint64_t *value, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error);

// One real number.
enum status parse_real(double *value, const char *name, const char *text, double min, double max, struct error *error);

#endif
