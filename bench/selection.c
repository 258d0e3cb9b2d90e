#include "bench/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_part.h"
#include "util/error.h"
#include "util/text.h"

static const struct variant *find_variant(const struct probe *probe, const char *name, size_t length) {
    for (size_t i = 0; i < probe->variant_count; i++) {
        const char *candidate = probe->variants[i].name;
        if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
            return &probe->variants[i];
        }
    }
    return NULL;
}

static enum status no_variant(const struct probe *probe, const char *name, size_t length, struct error *error) {
    struct suggestion suggestion = suggestion_for(name, length);
    for (size_t i = 0; i < probe->variant_count; i++) {
        suggestion_offer(&suggestion, probe->variants[i].name);
    }
    const char *nearest = suggestion.nearest;
    return error_set(error, STATUS_USAGE, "unknown variant '%.*s': %s%s%ssee --list",
                     (int)(length < 100 ? length : 100), name, nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? " : "");
}

static enum status select_variants(struct selection *selection, const struct probe *probe, const char *names,
                                   struct error *error) {
    selection->all_variants = !names || strcmp(names, "all") == 0;
    if (selection->all_variants) {
        for (size_t i = 0; i < probe->variant_count; i++) {
            selection->variants[selection->variant_count++] = &probe->variants[i];
        }
        return STATUS_OK;
    }
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        const struct variant *variant = find_variant(probe, at, length);
        if (!variant) {
            return no_variant(probe, at, length, error);
        }
        bool repeated = false;
        for (size_t i = 0; i < selection->variant_count; i++) {
            repeated |= selection->variants[i] == variant;
        }
        if (!repeated) {
            selection->variants[selection->variant_count++] = variant;
        }
        at += length;
        if (*at == '\0') {
            return STATUS_OK;
        }
    }
}

static enum status add_spec(struct selection *selection, const char *spec, size_t length, struct error *error) {
    if (length == 0 || length >= SPEC_TEXT) {
        return error_set(error, STATUS_USAGE, "--device: '%.*s' is not a device: see --list-devices",
                         (int)(length < 100 ? length : 100), spec);
    }
    if (selection->spec_count == SELECTION_DEVICES_MAX) {
        return error_set(error, STATUS_USAGE, "--device: more than %d devices: name fewer", SELECTION_DEVICES_MAX);
    }
    snprintf(selection->specs[selection->spec_count++], SPEC_TEXT, "%.*s", (int)length, spec);
    return STATUS_OK;
}

static enum status add_list(struct selection *selection, const char *list, struct error *error) {
    enum status status = STATUS_OK;
    for (const char *at = list; status == STATUS_OK; at++) {
        size_t length = gpu_list_item(at);
        status = add_spec(selection, at, length, error);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return status;
}

static enum status add_real_gpus(struct selection *selection, struct error *error) {
    static const enum backend_kind real[] = {BACKEND_CUDA, BACKEND_HIP};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const struct backend *backend = backend_of(real[i]);
        uint32_t count = 0;
        if (backend_count(backend, &count, NULL) != STATUS_OK) {
            continue;
        }
        for (uint32_t n = 0; n < count && status == STATUS_OK; n++) {
            char spec[SPEC_TEXT];
            snprintf(spec, sizeof spec, "%s:%u", backend->name, n);
            status = add_spec(selection, spec, strlen(spec), error);
        }
    }
    return status;
}

static enum status select_devices(struct selection *selection, const char *specs, struct error *error) {
    bool all = specs && strcmp(specs, "all") == 0;
    selection->default_devices = !specs || all;
    if (!selection->default_devices) {
        return add_list(selection, specs, error);
    }
    TRY(add_real_gpus(selection, error));
    if (all || selection->spec_count == 0) {
        TRY(add_list(selection, backend_of(BACKEND_SIM)->missing ? "cpu" : "cpu,sim:h200,sim:mi210", error));
    }
    return STATUS_OK;
}

enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error) {
    *selection = (struct selection){.variants = memory_zeros(probe->variant_count, sizeof(struct variant *))};
    TRY(select_variants(selection, probe, variants, error));
    return select_devices(selection, devices, error);
}

static bool names_variant(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

void selection_keep(struct selection *selection, const char *names) {
    size_t kept = 0;
    for (size_t i = 0; i < selection->variant_count && names; i++) {
        if (names_variant(names, selection->variants[i]->name)) {
            selection->variants[kept++] = selection->variants[i];
        }
    }
    selection->variant_count = names ? kept : selection->variant_count;
}

enum status selection_check_parameters(const struct selection *selection, const struct probe *probe,
                                       const struct sweep given[PARAMETERS_MAX], struct error *error) {
    for (size_t i = 0; i < probe->parameter_count; i++) {
        bool used = given[i].count == 0;
        for (size_t v = 0; v < selection->variant_count; v++) {
            used |= selection->variants[v]->defaults[i] != NULL;
        }
        if (!used) {
            return error_set(error, STATUS_USAGE, "--%s: %s does not use it: leave it out", probe->parameters[i].name,
                             selection->variants[0]->name);
        }
    }
    return STATUS_OK;
}

void selection_clear(struct selection *selection) {
    free(selection->variants);
    selection->variants = NULL;
}

// ---- The points of a sweep ----

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

// ---- What a row says of its point ----

size_t parameter_column(const char *option, const char *column) {
    static const char *const ends[] = {"", "_bytes", "_pct"};
    size_t found = ROW_COLUMN_COUNT;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && found == ROW_COLUMN_COUNT; i++) {
        char name[ROW_TEXT];
        snprintf(name, sizeof name, "%s%s", column ? column : option, ends[i]);
        found = row_column_find(name);
    }
    return found;
}

static bool is_stated(const struct row *row, const char *option, const char *column) {
    char field[ROW_TEXT];
    const size_t number = parameter_column(option, column);
    return number < ROW_COLUMN_COUNT && *row_field(row, number, field);
}

static enum status append(struct row *row, const char *option, const char *value, struct error *error) {
    const size_t used = strlen(row->parameters), room = sizeof row->parameters - used;
    const int length = snprintf(row->parameters + used, room, "%s%s=%s", used ? " " : "", option, value);
    return length >= 0 && (size_t)length < room
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "the row has no room for its parameters: shorten the name of --%s",
                           option);
}

// ---- Parameters ----

static bool is_only_default(const struct parameter *parameter, const char *defaults, uint64_t value) {
    struct sweep sweep = {0};
    const uint64_t max = (uint64_t)parameter->max;
    const enum status status = parameter->dimensions
                                   ? sweep_parse_dimensions(&sweep, parameter->name, defaults, max, NULL)
                                   : sweep_parse(&sweep, parameter->name, defaults, 0, max, NULL);
    const bool only = status == STATUS_OK && sweep.count == 1 && sweep.values[0] == value;
    sweep_clear(&sweep);
    return only;
}

static void format_value(char to[ROW_TEXT], const struct parameter *parameter, uint64_t value) {
    if (parameter->dimensions) {
        row_format_dimensions(to, (struct dimensions){(uint32_t)value, (uint32_t)(value >> 32), 1});
    } else {
        snprintf(to, ROW_TEXT, "%llu", (unsigned long long)value);
    }
}

static enum status describe_point(struct row *row, const struct run *run, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; run->point && i < run->probe->parameter_count && status == STATUS_OK; i++) {
        const struct parameter *parameter = &run->probe->parameters[i];
        const char *defaults = run->variant->defaults[i];
        const uint64_t value = run->point->values[i];
        if (defaults && !is_stated(row, parameter->name, parameter->column) &&
            !is_only_default(parameter, defaults, value)) {
            char text[ROW_TEXT];
            format_value(text, parameter, value);
            status = append(row, parameter->name, text, error);
        }
    }
    return status;
}

// ---- Options ----

// The value of an option that takes a number or a choice. Returns false for other kinds, which say where bytes come
// from or go to, and without a value.
static bool format_option(char to[ROW_TEXT], const struct option_row *option, const void *session) {
    const void *place = (const char *)session + option->offset;
    const char *choice = "";
    uint64_t count;
    double real;
    to[0] = '\0';
    switch (option->kind) {
    case OPTION_CHOICE:
        memcpy(&choice, place, sizeof choice);
        snprintf(to, ROW_TEXT, "%s", choice ? choice : "");
        break;
    case OPTION_COUNT:
        memcpy(&count, place, sizeof count);
        snprintf(to, ROW_TEXT, "%llu", (unsigned long long)count);
        break;
    case OPTION_REAL:
        memcpy(&real, place, sizeof real);
        snprintf(to, ROW_TEXT, "%.15g", real);
        break;
    default:
        break;
    }
    return *to;
}

static enum status describe_options(struct row *row, const struct run *run, struct error *error) {
    const struct probe *probe = run->probe;
    enum status status = STATUS_OK;
    for (size_t i = 0; run->session && i < probe->option_count && status == STATUS_OK; i++) {
        const struct option_row *option = &probe->options[i];
        char value[ROW_TEXT], usual[ROW_TEXT] = "0"; // a session without defaults starts zeroed
        if (!format_option(value, option, run->session)) {
            continue;
        }
        if (probe->session_defaults) {
            format_option(usual, option, probe->session_defaults);
        }
        if (strcmp(value, usual) != 0 && !is_stated(row, option->name, NULL)) {
            status = append(row, option->name, value, error);
        }
    }
    return status;
}

enum status parameters_describe(struct row *row, const struct run *run, struct error *error) {
    TRY(describe_point(row, run, error));
    return describe_options(row, run, error);
}
