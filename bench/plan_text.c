// Describes what the plan leaves out.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_inside.h"

enum {
    PIECES_MAX = 12 // ranges of one sweep that a message names, besides the last
};

static bool has_value(const struct sweep *sweep, uint64_t value) {
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->values[i] == value) {
            return true;
        }
    }
    return false;
}

// Prints a value of a parameter; a dimension's parts are its halves.
static void write_value(FILE *stream, const struct parameter *parameter, uint64_t value) {
    if (parameter->dimensions) {
        fprintf(stream, "%" PRIu64 "x%" PRIu64, value & UINT32_MAX, value >> 32);
    } else {
        fprintf(stream, "%" PRIu64, value);
    }
}

// The values of a sweep that are left out, in the order of the sweep.
struct gaps {
    const struct parameter *parameter;
    uint64_t *values;
    size_t count;
};

static struct gaps find_gaps(const struct planned *planned, size_t parameter) {
    const struct sweep *whole = &planned->whole[parameter];
    struct gaps gaps = {&planned->run->probe->parameters[parameter], calloc(whole->count + 1, sizeof *gaps.values), 0};
    for (size_t i = 0; i < whole->count && gaps.values; i++) {
        if (!has_value(&planned->run->sweeps[parameter], whole->values[i])) {
            gaps.values[gaps.count++] = whole->values[i];
        }
    }
    return gaps;
}

// The number of values from `first` on that the range FIRST:LAST denotes; 1 if a range would not be shorter.
static size_t range_length(const struct gaps *gaps, size_t first) {
    size_t end = first + 1;
    while (end < gaps->count && gaps->values[end] == gaps->values[end - 1] + 1 && !gaps->parameter->dimensions) {
        end++;
    }
    return end - first > 2 ? end - first : 1;
}

// Writes the values as the option would take them. Of many ranges the first and the last are written.
static void write_sweep(FILE *stream, const struct gaps *gaps) {
    size_t pieces = 0;
    fprintf(stream, " --%s ", gaps->parameter->name);
    for (size_t i = 0, length; i < gaps->count; i += length) {
        length = range_length(gaps, i);
        const bool last = i + length == gaps->count;
        if (++pieces > PIECES_MAX && !last) {
            continue;
        }
        fputs(pieces == 1 ? "" : pieces > PIECES_MAX + 1 ? ",...," : ",", stream);
        write_value(stream, gaps->parameter, gaps->values[i]);
        if (length > 1) {
            fputc(':', stream);
            write_value(stream, gaps->parameter, gaps->values[i + length - 1]);
        }
    }
    if (pieces > PIECES_MAX + 1) {
        fprintf(stream, " (%zu values)", gaps->count);
    }
}

// " --width 1,2 --stride 3:64 and 2 more points", " 3 points"; nothing where nothing is left out.
static void write_gaps(FILE *stream, const struct planned *planned) {
    bool more = false;
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        struct gaps gaps = find_gaps(planned, k);
        if (gaps.count > 0) {
            write_sweep(stream, &gaps);
            more = true;
        }
        free(gaps.values);
    }
    if (planned->dropped > 0) {
        fprintf(stream, "%s %zu%s point%s", more ? " and" : "", planned->dropped, more ? " more" : "",
                planned->dropped == 1 ? "" : "s");
    }
}

static char *gaps_of(const struct planned *planned) {
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (stream) {
        write_gaps(stream, planned);
        fclose(stream);
    }
    return text;
}

// Variants of one device that lack the same values are named together.
static void write_all(FILE *stream, const struct plan *plan) {
    char *before = NULL;
    const struct bench_device *device = NULL;
    const char *separator = "";
    for (size_t i = 0; i < plan->count; i++) {
        const struct run *run = plan->planned[i].run;
        char *gaps = gaps_of(&plan->planned[i]);
        if (gaps && *gaps && before && run->bench_device == device && strcmp(gaps, before) == 0) {
            fprintf(stream, ", %s", run->variant->name);
            free(gaps);
            continue;
        }
        if (before) {
            fprintf(stream, ":%s", before);
            separator = "; ";
        }
        free(before);
        before = NULL;
        if (gaps && *gaps) {
            fprintf(stream, "%s%s %s", separator, run->bench_device->device->info.spec, run->variant->name);
            before = gaps;
            device = run->bench_device;
        } else {
            free(gaps);
        }
    }
    fprintf(stream, "%s%s", before ? ":" : "", before ? before : "");
    free(before);
}

char *plan_left_out(const struct plan *plan) {
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (stream) {
        write_all(stream, plan);
        fclose(stream);
    }
    return text;
}
