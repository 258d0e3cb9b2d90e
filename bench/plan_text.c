// Describes what the plan leaves out.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_inside.h"

static bool has_value(const struct sweep *sweep, uint64_t value) {
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->values[i] == value) {
            return true;
        }
    }
    return false;
}

static void write_value(FILE *stream, const struct parameter *parameter, uint64_t value) {
    if (parameter->dimensions) {
        fprintf(stream, "%" PRIu64 "x%" PRIu64, value & UINT32_MAX, value >> 32);
    } else {
        fprintf(stream, "%" PRIu64, value);
    }
}

// " --width 1,2 --stride 64", " 3 points"; nothing where nothing is left out.
static void write_gaps(FILE *stream, const struct planned *planned) {
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        const struct parameter *parameter = &planned->run->probe->parameters[k];
        const struct sweep *whole = &planned->whole[k];
        const char *gap = " --";
        for (size_t i = 0; i < whole->count; i++) {
            if (!has_value(&planned->run->sweeps[k], whole->values[i])) {
                fprintf(stream, "%s%s", gap, *gap == ' ' ? parameter->name : "");
                fputs(*gap == ' ' ? " " : "", stream);
                write_value(stream, parameter, whole->values[i]);
                gap = ",";
            }
        }
    }
    if (planned->dropped > 0) {
        fprintf(stream, " %zu point%s", planned->dropped, planned->dropped == 1 ? "" : "s");
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
