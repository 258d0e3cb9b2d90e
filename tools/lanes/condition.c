#include "tools/lanes/condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double requests(const struct launch_counts *counts) {
    return counts->global_load.requests + counts->global_store.requests + counts->shared_load.requests +
           counts->shared_store.requests;
}

static double sectors(const struct launch_counts *counts) {
    return counts->global_load.sectors + counts->global_store.sectors;
}

static double passes(const struct launch_counts *counts) {
    return counts->shared_load.passes + counts->shared_store.passes;
}

static double conflicts(const struct launch_counts *counts) {
    return counts->shared_load.conflicts + counts->shared_store.conflicts;
}

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static double passes_per_request(const struct launch_counts *counts) {
    return ratio(passes(counts), counts->shared_load.requests + counts->shared_store.requests);
}

static double sectors_per_request(const struct launch_counts *counts) {
    return ratio(sectors(counts), counts->global_load.requests + counts->global_store.requests);
}

static double read_bytes(const struct launch_counts *counts) {
    return counts->device_read_bytes;
}

static double written_bytes(const struct launch_counts *counts) {
    return counts->device_write_bytes;
}

static double scratch_instructions(const struct launch_counts *counts) {
    return counts->scratch_instructions;
}

static double predicted_us(const struct launch_counts *counts) {
    return counts->predicted_ns / 1000;
}

static const struct {
    const char *name;
    double (*count)(const struct launch_counts *counts);
} names[] = {
    {"requests", requests},
    {"sectors", sectors},
    {"passes", passes},
    {"conflicts", conflicts},
    {"passes_per_request", passes_per_request},
    {"sectors_per_request", sectors_per_request},
    {"read_bytes", read_bytes},
    {"written_bytes", written_bytes},
    {"scratch_instructions", scratch_instructions},
    {"predicted_us", predicted_us},
};

// Longer signs first, so that >= is not taken for >.
static const char *const signs[] = {">=", "<=", "==", "!=", ">", "<"};

static bool holds(int sign, double value, double limit) {
    const bool results[] = {value >= limit, value <= limit, value == limit,
                            value != limit, value > limit,  value < limit};
    return results[sign];
}

static int parse_sign(const char **text) {
    for (int i = 0; i < (int)(sizeof signs / sizeof *signs); i++) {
        if (strncmp(*text, signs[i], strlen(signs[i])) == 0) {
            *text += strlen(signs[i]);
            return i;
        }
    }
    return -1;
}

enum status condition_parse(struct condition *condition, const char *text, struct error *error) {
    const char *at = text + strspn(text, " ");
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    char *end;
    *condition = (struct condition){.text = text};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == length && strncmp(names[i].name, at, length) == 0) {
            condition->count = names[i].count;
        }
    }
    at += length + strspn(at + length, " ");
    condition->sign = parse_sign(&at);
    condition->limit = strtod(at, &end);
    if (!condition->count || condition->sign < 0 || end == at || end[strspn(end, " ")] || isnan(condition->limit)) {
        return error_set(error, STATUS_USAGE,
                         "--fail-if %.100s: not understood: give NAME > NUMBER (or >=, <, <=, ==, !=), NAME one of "
                         "requests, sectors, passes, conflicts, passes_per_request, sectors_per_request, read_bytes, "
                         "written_bytes, scratch_instructions, predicted_us",
                         text);
    }
    return STATUS_OK;
}

enum status condition_check(const struct condition *condition, const char *gpu, const struct launch_counts *counts,
                            struct error *error) {
    if (!condition->text) {
        return STATUS_OK;
    }
    const double value = condition->count(counts);
    if (!holds(condition->sign, value, condition->limit)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED, "--fail-if '%.100s': it is %.10g on %s: change the kernel or the limit",
                     condition->text, value, gpu);
}
