// compare: which of two or more results is faster, by how much, beyond noise.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/document.h"
#include "tools/compare/results.h"
#include "tools/compare/side.h"
#include "util/error.h"
#include "util/file.h"
#include "util/help.h"
#include "util/options.h"
#include "util/terminal.h"
#include "util/text.h"

enum {
    EXIT_SLOWER = 1,
    EXIT_FAULT = 2, // of any kind, so that a script does not take it for a slowdown
};

struct command {
    struct option_list paths;
    const char *by, *csv, *json;
    double threshold_pct, cpu_threshold_pct;
    bool brief, help, version;
};

struct program {
    struct command command;
    struct results *results; // one for each path
    size_t result_count;
    struct named_side *sides;
    size_t side_count;
    struct names devices; // with --by device, of the sides
    struct document document;
};

static const struct option_row options[] = {
    {"", 0, OPTION_OPERANDS, offsetof(struct command, paths), "A B ...",
     "CSV files of the probes, tables of results/published or folders of them; each is compared with the first", 0, 0,
     NULL},
    {"threshold", 't', OPTION_REAL, offsetof(struct command, threshold_pct), "PCT",
     "differences up to PCT % count as none, because two runs of one machine differ (1)", 0, 100, NULL},
    {"cpu-threshold", 0, OPTION_REAL, offsetof(struct command, cpu_threshold_pct), "PCT",
     "the same for single runs of a CPU, if it is larger (as far as the rows scatter)", 0, 100, NULL},
    {"by", 0, OPTION_CHOICE, offsetof(struct command, by), "file|device",
     "device: compare each device in the files with the first one instead (file)", 0, 0, "file|device"},
    {"brief", 0, OPTION_FLAG, offsetof(struct command, brief), NULL,
     "the means by variant, what is faster or slower if it is ten rows at most, and the totals", 0, 0, NULL},
    {"csv", 'o', OPTION_OUTPUT, offsetof(struct command, csv), "FILE",
     "the comparison as CSV, - for standard output in place of the table", 0, 0, "-"},
    {"json", 'j', OPTION_OUTPUT, offsetof(struct command, json), "FILE", "the same as JSON", 0, 0, "-"},
    HELP_OPTION(struct command),
    VERSION_OPTION(struct command),
};

static const struct help help = {
    .program = "compare",
    .summary = "which of two runs, drivers or devices is faster, beyond noise",
    .synopsis = "[OPTION]... A B ...",
    .tables = &(const struct option_table){options, sizeof options / sizeof *options, NULL},
    .table_count = 1,
    .description =
        "Rows join by what was run. A device and its simulation are the same part. Several runs in one folder are "
        "taken together. A verdict is same, faster, slower (B than A) or unsure; if nothing changed, the chance "
        "that any row is called faster or slower is 1 % for all rows together, as far as the samples are "
        "independent. tools/compare/README.md explains the test.\n"
        "A single run cannot know whether the program was slower or this one run was: where its pages lay, how "
        "warm the device was, who else ran. Where a few runs differ by more than their samples show, their rows "
        "are unsure (runs), and so are rows whose samples drift, fall into groups or resemble each other. Five "
        "runs of each in a folder, in turn, decide.",
    .exit_status =
        "0 nothing is slower, 1 a row is slower, or all rows of single runs of a CPU are, 2 usage or a file cannot "
        "be read or written.",
};

// ---- Sides ----

static enum status read_all(struct program *p, struct error *error) {
    const struct option_list *paths = &p->command.paths;
    p->results = memory_zeros(paths->count, sizeof *p->results);
    for (size_t i = 0; i < paths->count; i++) {
        p->result_count++;
        TRY(results_read(&p->results[i], paths->values[i], error));
    }
    return STATUS_OK;
}

// Two GPUs of one name are no repeated runs of one.
static enum status check_gpus(const struct named_side *side, struct error *error) {
    for (size_t i = 0; i < side->rows.count; i++) {
        const struct repeats *group = &side->rows.groups[i];
        for (size_t run = 1; run < group->count; run++) {
            const char *gpu = group->rows[0]->gpu, *other = group->rows[run]->gpu;
            if (gpu && other && strcmp(gpu, other) != 0) {
                return error_set(
                    error, STATUS_USAGE,
                    "%s: it holds runs of two GPUs of one name, %s and %s: name the files of one, or compare "
                    "its files with the other's",
                    side->name, gpu, other);
            }
        }
    }
    return STATUS_OK;
}

static bool compares_devices(const struct program *p) {
    return p->command.by && strcmp(p->command.by, "device") == 0;
}

enum {
    DEVICES_MAX = 64
};

static enum status find_devices(struct program *p, struct error *error) {
    for (size_t i = 0; i < p->result_count; i++) {
        for (size_t row = 0; row < p->results[i].count; row++) {
            names_number(&p->devices, p->results[i].rows[row].device);
        }
    }
    return p->devices.count <= DEVICES_MAX
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--by device: more than %d devices: name fewer files", DEVICES_MAX);
}

// A side's rows, in the order of the paths: those of one path, or of one device. Returns how many there are.
static size_t collect(const struct program *p, size_t side, const struct result **rows) {
    const char *device = compares_devices(p) ? p->devices.texts[side] : NULL;
    size_t count = 0;
    for (size_t i = 0; i < p->result_count; i++) {
        for (size_t row = 0; row < p->results[i].count; row++) {
            const struct result *result = &p->results[i].rows[row];
            if (device ? strcmp(result->device, device) == 0 : i == side) {
                rows[count++] = result;
            }
        }
    }
    return count;
}

static struct named_side side_name(const struct program *p, size_t side) {
    if (compares_devices(p)) {
        return (struct named_side){.name = p->devices.texts[side], .date = ""};
    }
    const struct results *results = &p->results[side];
    return (struct named_side){.name = results->path, .date = results->date, .foreign = results->foreign};
}

static enum status make_sides(struct program *p, struct error *error) {
    size_t most = 0;
    enum status status = compares_devices(p) ? find_devices(p, error) : STATUS_OK;
    for (size_t i = 0; i < p->result_count; i++) {
        most += p->results[i].count;
    }
    const struct result **rows = memory_zeros(most, sizeof *rows);
    const size_t count = compares_devices(p) ? p->devices.count : p->result_count;
    p->sides = memory_zeros(count, sizeof *p->sides);
    while (p->side_count < count && status == STATUS_OK) {
        struct named_side *side = &p->sides[p->side_count];
        *side = side_name(p, p->side_count);
        side->rows = side_make(rows, collect(p, p->side_count, rows), SAME_ALL);
        p->side_count++;
        status = check_gpus(side, error);
    }
    free(rows);
    if (status == STATUS_OK && compares_devices(p) && p->side_count == 1) {
        status = error_set(error, STATUS_USAGE,
                           "--by device: all rows are of %.100s: name files of another device, too", p->sides[0].name);
    }
    return status;
}

// ---- Comparing ----

static bool has_device(const struct side *side, const char *device) {
    bool found = false;
    for (size_t i = 0; i < side->count && !found; i++) {
        found = strcmp(side->groups[i].rows[0]->device, device) == 0;
    }
    return found;
}

static const char *only_device(const struct side *side) {
    const char *device = side->groups[0].rows[0]->device;
    for (size_t i = 1; i < side->count && device; i++) {
        device = strcmp(device, side->groups[i].rows[0]->device) == 0 ? device : NULL;
    }
    return device;
}

// A side of one device, which the other side lacks, is compared with each device of the other.
static bool joins_across(const struct side *a, const struct side *b) {
    const char *device_a = only_device(a), *device_b = only_device(b);
    return (device_a && !has_device(b, device_a)) || (device_b && !has_device(a, device_b));
}

static enum status contrast(struct program *p, size_t number, struct error *error) {
    struct contrast *contrast = &p->document.contrasts[p->document.contrast_count++];
    const struct named_side *a = &p->sides[0], *b = &p->sides[number];
    *contrast = (struct contrast){.a = a, .b = b};
    TRY(join(&contrast->joined, &a->rows, &b->rows, joins_across(&a->rows, &b->rows), error));
    contrast->judgement = judge(&contrast->joined, p->command.threshold_pct / 100, p->command.cpu_threshold_pct / 100);
    contrast_find_means(contrast);
    return STATUS_OK;
}

static enum status contrast_all(struct program *p, struct error *error) {
    p->document.contrasts = memory_zeros(p->side_count, sizeof *p->document.contrasts);
    for (size_t i = 1; i < p->side_count; i++) {
        TRY(contrast(p, i, error));
    }
    return STATUS_OK;
}

// ---- Output ----

static enum status write_all(struct program *p, struct error *error) {
    const struct command *command = &p->command;
    if (!standard_output_is(command->csv) && !standard_output_is(command->json)) {
        document_write_table(stdout, &p->document);
    }
    TRY(print_file(command->csv, document_write_csv, &p->document, error));
    return print_file(command->json, document_write_json, &p->document, error);
}

// ---- The program ----

// A comparison of nothing must not look like one that found nothing slower.
static enum status check_joined(const struct document *document, struct error *error) {
    return document_pairs(document) > 0
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "nothing ran the same on both sides: compare runs of the same probes and options");
}

static enum status run(struct program *p, struct error *error) {
    if (p->command.paths.count < 2 && !(p->command.paths.count == 1 && p->command.by)) {
        return error_set(error, STATUS_USAGE, "two files or folders are needed: compare A.csv B.csv");
    }
    TRY(file_write_check(p->command.csv, error));
    TRY(file_write_check(p->command.json, error));
    TRY(read_all(p, error));
    TRY(make_sides(p, error));
    TRY(contrast_all(p, error));
    TRY(write_all(p, error));
    return check_joined(&p->document, error);
}

static bool anything_slower(const struct document *document) {
    bool slower = false;
    for (size_t i = 0; i < document->contrast_count; i++) {
        const struct judgement *judgement = &document->contrasts[i].judgement;
        slower = slower || judgement->outcomes[OUTCOME_SLOWER] > 0 || judgement->moved_alike < 1;
    }
    return slower;
}

static void release(struct program *p) {
    for (size_t i = 0; i < p->document.contrast_count; i++) {
        contrast_clear(&p->document.contrasts[i]);
    }
    for (size_t i = 0; i < p->side_count; i++) {
        side_clear(&p->sides[i].rows);
    }
    for (size_t i = 0; i < p->result_count; i++) {
        results_clear(&p->results[i]);
    }
    free(p->document.contrasts);
    free(p->sides);
    names_clear(&p->devices);
    free(p->results);
    free(p->command.paths.values);
}

// The words of the command line, separated by blanks; to be freed.
static char *join_words(int argc, char **argv) {
    char *text = NULL;
    for (int i = 0; i < argc; i++) {
        text = text_join(text, " ", memory_copy(argv[i]));
    }
    for (char *at = text; *at; at++) {
        *at = (unsigned char)*at < ' ' ? ' ' : *at; // a line of the CSV holds it
    }
    return text;
}

static bool has_status; // main has found out the program's exit status

// What ends the program before then is a fault, too, such as memory that ran out: util/error.h ends with 1, which says
// "slower" here.
static void end_with_fault(void) {
    if (!has_status) {
        _Exit(EXIT_FAULT);
    }
}

int main(int argc, char **argv) {
    struct program program = {.command = {.threshold_pct = 1, .cpu_threshold_pct = NAN}};
    struct program *p = &program;
    struct error error = {0};
    const struct option_table table = {options, sizeof options / sizeof *options, &p->command};
    atexit(end_with_fault);
    char *words = join_words(argc, argv);
    enum status status = options_parse(&table, 1, argc, argv, &error);
    p->document.command = words;
    p->document.threshold_pct = p->command.threshold_pct;
    p->document.brief = p->command.brief;
    p->document.colour = terminal_has_colour(stdout);
    if (status == STATUS_OK && !help_answers(&help, p->command.help, p->command.version)) {
        status = run(p, &error);
    }
    const bool failed = program_end(help.program, status, &error) != STATUS_OK, slower = anything_slower(&p->document);
    release(p);
    free(words);
    has_status = true;
    return failed ? EXIT_FAULT : slower ? EXIT_SLOWER : EXIT_SUCCESS;
}
