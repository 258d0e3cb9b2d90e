#include "util/options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

enum {
    NAME_MAX_LENGTH = 64,
    LONG_OPTION = 256
};

// A row and the variable that holds its value.
struct bound_option {
    const struct option_row *row;
    void *target;
};

// ---- Files: each may serve one purpose only ----

static bool is_file(const struct bound_option *option) {
    return option->row->kind == OPTION_INPUT || option->row->kind == OPTION_OUTPUT;
}

static const char *name_of(const struct bound_option *option) {
    return *(const char **)option->target;
}

static bool is_stream(const struct bound_option *option) {
    return option->row->choices && strcmp(name_of(option), option->row->choices) == 0;
}

static bool find(const struct bound_option *option, struct stat *about) {
    const int stream = option->row->kind == OPTION_INPUT ? STDIN_FILENO : STDOUT_FILENO;
    return is_stream(option) ? fstat(stream, about) == 0 : stat(name_of(option), about) == 0;
}

// Several options may name a terminal or /dev/null.
static bool are_same(const struct bound_option *a, const struct bound_option *b) {
    struct stat about_a, about_b;
    char path_a[PATH_MAX], path_b[PATH_MAX];
    const bool there_a = find(a, &about_a), there_b = find(b, &about_b);
    if (there_a && there_b) {
        return !S_ISCHR(about_a.st_mode) && about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
    }
    return !there_a && !there_b && path_resolve(name_of(a), path_a) && path_resolve(name_of(b), path_b) &&
           strcmp(path_a, path_b) == 0;
}

static bool collide(const struct bound_option *a, const struct bound_option *b) {
    const bool written = a->row->kind == OPTION_OUTPUT || b->row->kind == OPTION_OUTPUT;
    if (is_stream(a) && is_stream(b)) {
        return a->row->kind == b->row->kind;
    }
    return written && are_same(a, b);
}

static enum status check_row(const struct bound_option *options, size_t row, struct error *error) {
    if (strcmp(name_of(&options[row]), "-") == 0 && !is_stream(&options[row])) {
        return error_set(error, STATUS_USAGE,
                         "--%s -: a stream cannot be used here: name a file (./- is a file called -)",
                         options[row].row->name);
    }
    for (size_t i = 0; i < row; i++) {
        if (is_file(&options[i]) && name_of(&options[i]) && collide(&options[i], &options[row])) {
            return error_set(error, STATUS_USAGE, "--%s %.200s: --%s is the same file: name another one",
                             options[i].row->name, name_of(&options[i]), options[row].row->name);
        }
    }
    return STATUS_OK;
}

// An argument that is no option may be a file that is read.
static enum status check_operands(const struct bound_option *options, size_t count, const struct bound_option *operands,
                                  struct error *error) {
    const struct option_list *list = operands->target;
    for (size_t i = 0; i < list->count; i++) {
        const struct option_row read = {.name = "", .kind = OPTION_INPUT};
        const struct bound_option operand = {&read, (void *)&list->values[i]};
        for (size_t k = 0; k < count; k++) {
            if (options[k].row->kind == OPTION_OUTPUT && name_of(&options[k]) && !is_stream(&options[k]) &&
                are_same(&operand, &options[k])) {
                return error_set(error, STATUS_USAGE, "--%s %.200s: it is a file that is read: name another one",
                                 options[k].row->name, name_of(&options[k]));
            }
        }
    }
    return STATUS_OK;
}

// Refuses a file that is written and named a second time, even by another name or a link, and "-" where an option takes
// no stream.
static enum status files_check(const struct bound_option *options, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if (is_file(&options[i]) && name_of(&options[i])) {
            TRY(check_row(options, i, error));
        }
        if (options[i].row->kind == OPTION_OPERANDS) {
            TRY(check_operands(options, count, &options[i], error));
        }
    }
    return STATUS_OK;
}

// ---- Values ----

static enum status check_choice(const struct option_row *row, const char *value, struct error *error) {
    return list_place(row->choices, '|', value) >= 0
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--%s %.100s: unknown: give one of %s", row->name, value, row->choices);
}

static void append(struct option_list *list, const char *value) {
    list->values = memory_room(list->values, list->count, sizeof *list->values);
    list->values[list->count++] = value;
}

static enum status set(const struct bound_option *option, const char *value, struct error *error) {
    const struct option_row *row = option->row;
    char name[NAME_MAX_LENGTH];
    snprintf(name, sizeof name, "--%s", row->name);
    enum status status = STATUS_OK;
    struct sweep sweep;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)option->target = true;
        break;
    case OPTION_CHOICE:
        status = check_choice(row, value, error);
        *(const char **)option->target = value;
        break;
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        *(const char **)option->target = value;
        break;
    case OPTION_REAL:
        status = parse_real(option->target, name, value, row->min, row->max, error);
        break;
    case OPTION_COUNT:
        status = parse_count(option->target, name, value, (uint64_t)row->min, (uint64_t)row->max, error);
        break;
    case OPTION_SWEEP:
    case OPTION_DIMENSIONS:
        status = row->kind == OPTION_SWEEP
                     ? sweep_parse(&sweep, name, value, (uint64_t)row->min, (uint64_t)row->max, error)
                     : sweep_parse_dimensions(&sweep, name, value, (uint64_t)row->max, error);
        if (status == STATUS_OK) {
            sweep_clear(option->target);
            *(struct sweep *)option->target = sweep;
        }
        break;
    case OPTION_APPEND:
    case OPTION_OPERANDS:
        append(option->target, value);
        break;
    }
    return status;
}

struct getopt_tables {
    struct option *longs; // as getopt_long wants them, a zero row at the end
    char *shorts;
};

static struct getopt_tables make_tables(const struct bound_option *options, size_t count) {
    struct getopt_tables tables = {memory_zeros(count + 1, sizeof *tables.longs), memory_zeros(2 * count + 2, 1)};
    char *at = tables.shorts;
    *at++ = ':'; // makes getopt distinguish a missing value from an unknown option
    struct option *next = tables.longs;
    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = options[i].row;
        if (row->kind == OPTION_OPERANDS) {
            continue;
        }
        const bool value = row->kind != OPTION_FLAG;
        *next++ = (struct option){row->name, value ? required_argument : no_argument, NULL, LONG_OPTION + (int)i};
        if (row->short_name) {
            *at++ = row->short_name;
            *at = ':';
            at += value;
        }
    }
    *at = '\0';
    return tables;
}

static const struct bound_option *find_option(const struct bound_option *options, size_t count, int code) {
    for (size_t i = 0; i < count; i++) {
        const char short_name = options[i].row->short_name;
        if (code == LONG_OPTION + (int)i || (short_name && code == short_name)) {
            return &options[i];
        }
    }
    return NULL;
}

static enum status no_option(const struct bound_option *options, size_t count, const char *given, struct error *error) {
    const char *name = given + strspn(given, "-");
    struct suggestion suggestion = suggestion_for(name, strcspn(name, "="));
    for (size_t i = 0; i < count; i++) {
        if (options[i].row->help) {
            suggestion_offer(&suggestion, options[i].row->name);
        }
    }
    const char *nearest = suggestion.nearest;
    return error_set(error, STATUS_USAGE, "unknown option %.100s: %s%s%ssee --help", given,
                     nearest ? "did you mean --" : "", nearest ? nearest : "", nearest ? "? " : "");
}

static enum status parse_one(const struct bound_option *options, size_t count, int code, char **argv,
                             struct error *error) {
    const char *given = argv[optind - 1];
    const struct bound_option *option = find_option(options, count, code);
    if (option) {
        return set(option, optarg, error);
    }
    if (code == ':') {
        return error_set(error, STATUS_USAGE, "%.100s: the value is missing: see --help", given);
    }
    if (optopt > 0 && optopt < LONG_OPTION) {
        return error_set(error, STATUS_USAGE, "unknown option -%c: see --help", optopt);
    }
    if (optopt >= LONG_OPTION) {
        return error_set(error, STATUS_USAGE, "%.100s: the option takes no value: leave it out", given);
    }
    return no_option(options, count, given, error);
}

static enum status take_operand(const struct bound_option *options, size_t count, const char *operand,
                                struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if (options[i].row->kind == OPTION_OPERANDS) {
            return set(&options[i], operand, error);
        }
    }
    return error_set(error, STATUS_USAGE, "unexpected argument %.100s: see --help", operand);
}

static enum status parse_all(const struct bound_option *options, size_t count, const struct getopt_tables *tables,
                             int argc, char **argv, struct error *error) {
    enum status status = STATUS_OK;
    optind = 0; // from the start, also when called again
    opterr = 0;
    while (status == STATUS_OK) {
        optopt = 0;
        const int code = getopt_long(argc, argv, tables->shorts, tables->longs, NULL);
        if (code == -1) {
            break;
        }
        status = parse_one(options, count, code, argv, error);
    }
    for (; status == STATUS_OK && optind < argc; optind++) {
        status = take_operand(options, count, argv[optind], error);
    }
    return status == STATUS_OK ? files_check(options, count, error) : status;
}

// The rows of all tables, each with its variable, to be freed.
static struct bound_option *bind_options(const struct option_table *tables, size_t table_count, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < table_count; i++) {
        *count += tables[i].count;
    }
    struct bound_option *options = memory_zeros(*count, sizeof *options);
    struct bound_option *at = options;
    for (size_t i = 0; i < table_count; i++) {
        for (size_t row = 0; row < tables[i].count; row++) {
            const struct option_row *bound = &tables[i].rows[row];
            *at++ = (struct bound_option){bound, (char *)tables[i].base + bound->offset};
        }
    }
    return options;
}

// A file that is opened where a standard stream is closed would become it. So each is opened, in a way in which its use
// fails.
static void open_standard_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
            const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
            (void)opened; // the lowest that is free: this one
        }
    }
}

enum status options_parse(const struct option_table *tables, size_t count, int argc, char **argv, struct error *error) {
    open_standard_streams();
    signal(SIGXFSZ, SIG_IGN); // turns a limit on a file's size into an error of write()
    size_t option_count;
    struct bound_option *options = bind_options(tables, count, &option_count);
    struct getopt_tables getopt_tables = make_tables(options, option_count);
    const enum status status = parse_all(options, option_count, &getopt_tables, argc, argv, error);
    free(getopt_tables.longs);
    free(getopt_tables.shorts);
    free(options);
    return status;
}

// ---- Values of a sweep ----

enum {
    SWEEP_VALUES_MAX = 65536
};

struct reader {
    const char *name; // the option, for messages
    const char *text; // all of it, for messages
    const char *at;
    uint64_t min, max;
    uint64_t largest;   // of the values so far
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
    if (errno == ERANGE || __builtin_mul_overflow(number, factor, value)) {
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

// Whether the value is there already. A value above the largest is new, so an ascending list is not searched.
static bool is_repeated(const struct sweep *sweep, uint64_t largest, uint64_t value) {
    bool found = false;
    for (size_t i = 0; value <= largest && i < sweep->count && !found; i++) {
        found = sweep->values[i] == value;
    }
    return found;
}

// Leaves out a value that is there, because its point would be measured twice.
static enum status append_value(struct sweep *sweep, struct reader *reader, uint64_t value) {
    if (is_repeated(sweep, reader->largest, value)) {
        return STATUS_OK;
    }
    if (sweep->count == SWEEP_VALUES_MAX) {
        return refuse(reader, "too many values: give 65536 at most");
    }
    sweep->values = memory_room(sweep->values, sweep->count, sizeof *sweep->values);
    sweep->values[sweep->count++] = value;
    reader->largest = value > reader->largest ? value : reader->largest;
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
        TRY(append_value(sweep, reader, value));
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
        return append_value(sweep, reader, first);
    }
    return *reader->at == ':' ? read_range(sweep, reader, first) : append_value(sweep, reader, first);
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

static struct reader reader_of(const char *name, const char *text, uint64_t min, uint64_t max, const char *wanted,
                               struct error *error) {
    return (struct reader){
        .name = name, .text = text, .at = text, .min = min, .max = max, .wanted = wanted, .error = error};
}

enum status sweep_parse(struct sweep *sweep, const char *name, const char *text, uint64_t min, uint64_t max,
                        struct error *error) {
    static const char WANTED[] =
        "not a list or a range: give values like 1,2,4 or 1:32 or 1:32:*2, sizes with K, M or G";
    struct reader reader = reader_of(name, text, min, max, WANTED, error);
    return read_list(sweep, &reader);
}

enum status sweep_parse_dimensions(struct sweep *sweep, const char *name, const char *text, uint64_t max,
                                   struct error *error) {
    struct reader reader = reader_of(name, text, 1, max, "not a list of sizes: give values like 16x16,32x8", error);
    reader.dimensions = true;
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
    struct reader reader = reader_of(name, text, min, max, "not a whole number: give one like 4096 or 64K", error);
    TRY(read_value(&reader, value));
    return *reader.at != '\0' ? refuse(&reader, reader.wanted) : STATUS_OK;
}

enum status parse_real(double *value, const char *name, const char *text, double min, double max, struct error *error) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value) || strpbrk(text, "xX \t")) { // no base but ten
        return error_set(error, STATUS_USAGE, "%s %.100s: not a number: give one like 0.5", name, text);
    }
    if (*value < min || *value > max) {
        return error_set(error, STATUS_USAGE, "%s %.100s: out of range: give %.10g to %.10g", name, text, min, max);
    }
    return STATUS_OK;
}
