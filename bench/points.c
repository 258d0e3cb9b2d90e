#include "bench/points.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct option_row *points_options(const struct probe *probe, size_t sweeps) {
    struct option_row *options = memory_zeros(probe->parameter_count, sizeof *options);
    for (size_t i = 0; i < probe->parameter_count; i++) {
        const struct parameter *parameter = &probe->parameters[i];
        options[i] = (struct option_row){parameter->name,
                                         parameter->letter,
                                         parameter->dimensions ? OPTION_DIMENSIONS : OPTION_SWEEP,
                                         sweeps + i * sizeof(struct sweep),
                                         "LIST",
                                         parameter->help,
                                         parameter->min,
                                         parameter->max,
                                         0};
    }
    return options;
}

static void copy_sweep(struct sweep *to, const struct sweep *from) {
    to->values = memory_zeros(from->count, sizeof *to->values);
    memcpy(to->values, from->values, from->count * sizeof *to->values);
    to->count = from->count;
}

enum status points_prepare(struct run *run, const struct sweep given[PARAMETERS_MAX], struct error *error) {
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        const char *text = run->variant->defaults[i];
        if (text && given[i].count > 0) {
            copy_sweep(&run->sweeps[i], &given[i]);
        } else if (text) {
            const struct parameter *parameter = &run->probe->parameters[i];
            run->defaulted[i] = true;
            const uint64_t max = (uint64_t)parameter->max;
            TRY(parameter->dimensions ? sweep_parse_dimensions(&run->sweeps[i], parameter->name, text, max, error)
                                      : sweep_parse(&run->sweeps[i], parameter->name, text, 0, max, error));
        }
    }
    return STATUS_OK;
}

size_t point_count(const struct run *run) {
    size_t count = 1;
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        count *= run->sweeps[i].count ? run->sweeps[i].count : 1;
    }
    return count;
}

void point_indices(const struct run *run, size_t number, size_t indices[PARAMETERS_MAX]) {
    for (size_t i = run->probe->parameter_count; i-- > 0;) {
        const size_t count = run->sweeps[i].count ? run->sweeps[i].count : 1;
        indices[i] = number % count;
        number /= count;
    }
}

struct point point_at(const struct run *run, size_t number) {
    struct point point = {.variant = run->variant};
    size_t indices[PARAMETERS_MAX];
    point_indices(run, number, indices);
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        if (run->sweeps[i].count > 0) {
            point.values[i] = run->sweeps[i].values[indices[i]];
        }
    }
    return point;
}

bool point_skipped(const struct run *run, const struct point *point) {
    return run->probe->skip && run->probe->skip(run, point);
}

static bool has_points(const struct run *run) {
    for (size_t i = 0; i < point_count(run); i++) {
        const struct point point = point_at(run, i);
        if (!point_skipped(run, &point)) {
            return true;
        }
    }
    return false;
}

enum status points_check_left(const struct run *runs, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if (has_points(&runs[i])) {
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_USAGE,
                     "%s on %s: no point of this sweep can run there: give other values or more devices",
                     runs[0].variant->name, runs[0].bench_device->device->info.spec);
}
