#include "bench/parameters.h"

#include <stdio.h>
#include <string.h>

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
