// judge: which GPUs of a fleet are not like the rest, by the rows that bankshot fleet has measured.
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/judge/output.h"
#include "tools/judge/rows.h"
#include "util/error.h"
#include "util/file.h"
#include "util/help.h"
#include "util/options.h"
#include "util/terminal.h"

struct command {
    struct option_list folders;
    const char *hosts, *against, *since, *csv, *junit, *page;
    double threshold_pct;
    bool help, version;
};

static const struct option_row options[] = {
    {"", 0, OPTION_OPERANDS, offsetof(struct command, folders), "FOLDER ...",
     "that bankshot fleet has measured into: FOLDER/HOST/GPU/*.csv", 0, 0, NULL},
    {"hosts", 0, OPTION_TEXT, offsetof(struct command, hosts), "LIST",
     "hosts that must be there: names with commas, or a file with one a line", 0, 0, NULL},
    {"against", 0, OPTION_TEXT, offsetof(struct command, against), "DIR",
     "hold each row against the same one of this folder, such as results/h200", 0, 0, NULL},
    {"since", 0, OPTION_TEXT, offsetof(struct command, since), "FOLDER",
     "hold each GPU against itself in this folder, which the same fleet was measured into before", 0, 0, NULL},
    {"threshold", 0, OPTION_REAL, offsetof(struct command, threshold_pct), "PERCENT",
     "a difference that does not matter (3)", 1e-6, 1e6, NULL},
    {"csv", 0, OPTION_OUTPUT, offsetof(struct command, csv), "FILE", "every row that stands out, - for standard output",
     0, 0, "-"},
    {"junit", 0, OPTION_OUTPUT, offsetof(struct command, junit), "FILE",
     "one JUnit test case for each GPU, for CI; - for standard output", 0, 0, "-"},
    {"page", 0, OPTION_OUTPUT, offsetof(struct command, page), "FILE",
     "a page for a browser: hosts by variants as a heat map, and what stands out", 0, 0, NULL},
    HELP_OPTION(struct command),
    VERSION_OPTION(struct command),
};

static const struct help help = {
    .program = "judge",
    .summary = "which GPUs of a fleet are not like the rest",
    .synopsis = "[OPTION]... FOLDER ...",
    .tables = &(const struct option_table){options, sizeof options / sizeof *options, NULL},
    .table_count = 1,
    .description = "Each row is compared with the same row of the other GPUs of its model, by their median and "
                   "their median absolute deviation. docs/fleet.md says what stands out.",
    .exit_status = "0 all alike, 1 a GPU stands out, failed or is missing, 2 usage.",
};

// The rows of a folder that is named twice would count twice.
static bool is_named_before(const struct option_list *folders, size_t at) {
    struct stat about, other;
    bool named = false;
    for (size_t i = 0; i < at && stat(folders->values[at], &about) == 0; i++) {
        named = named ||
                (stat(folders->values[i], &other) == 0 && about.st_dev == other.st_dev && about.st_ino == other.st_ino);
    }
    return named;
}

static enum status read_folders(const struct command *command, struct rows *rows, struct error *error) {
    for (size_t i = 0; i < command->folders.count; i++) {
        if (is_named_before(&command->folders, i)) {
            return error_set(error, STATUS_USAGE, "%s: the folder is named twice: name it once",
                             command->folders.values[i]);
        }
        TRY(fleet_read(rows->fleet, command->folders.values[i], rows_read, rows, error));
    }
    return STATUS_OK;
}

static enum status read_against(const struct command *command, struct store *store, struct error *error) {
    if (!command->against) {
        return STATUS_OK;
    }
    char *pattern = memory_format("%s/*.csv", command->against);
    glob_t found;
    const bool any = glob(pattern, 0, NULL, &found) == 0;
    enum status status =
        any ? STATUS_OK
            : error_set(error, STATUS_USAGE, "--against %s: it has no CSV files: name a folder such as results/h200",
                        command->against);
    for (size_t i = 0; any && i < found.gl_pathc && status == STATUS_OK; i++) {
        status = rows_read_reference(store, found.gl_pathv[i], error);
    }
    globfree(&found);
    free(pattern);
    return status;
}

static enum status write_all(const struct command *command, const struct verdict *verdict, struct error *error) {
    const bool by_folder = command->against || command->since;
    if (verdict->rows == 0 && verdict->fleet->count == 0) {
        return error_set(error, STATUS_USAGE,
                         "%s: no GPU's rows are in it: name the folder that bankshot fleet measured into",
                         verdict->folder);
    }
    if (by_folder && verdict->compared == 0) {
        return error_set(
            error, STATUS_FAILED, "%s %s: no row of it is among these: measure it with bankshot fleet, too",
            command->against ? "--against" : "--since", command->against ? command->against : command->since);
    }
    const bool to_output = standard_output_is(command->csv) || standard_output_is(command->junit);
    const size_t bad = output_lines(to_output ? NULL : stdout, verdict, !by_folder);
    enum status written = print_file(command->csv, output_csv, verdict, error);
    THEN(written, print_file(command->junit, output_junit, verdict, error));
    THEN(written, print_file(command->page, output_page, verdict, error));
    // A full disk is no bad GPU.
    return written != STATUS_OK ? STATUS_USAGE : bad ? STATUS_FAILED : STATUS_OK;
}

static enum status judge(const struct command *command, struct error *error) {
    struct fleet fleet = {0}, earlier = {0};
    struct heat heat = {0};
    struct store store;
    struct rows rows = {.fleet = &fleet, .store = &store};
    struct verdict verdict = {.fleet = &fleet,
                              .folder = command->folders.values[0],
                              .threshold = command->threshold_pct / 100,
                              .before = command->since};
    enum status status = store_open(&store, error);
    THEN(status, read_folders(command, &rows, error));
    if (status == STATUS_OK && command->hosts) {
        status = fleet_expect(&fleet, command->hosts, error);
    }
    if (status == STATUS_OK && command->since) {
        rows.earlier = &earlier; // whose own faults are not today's
        status = fleet_read(&earlier, command->since, rows_read, &rows, error);
    }
    THEN(status, read_against(command, &store, error));
    if (status == STATUS_OK) {
        if (command->page) {
            heat = heat_make(fleet.count);
            verdict.heat = &heat;
        }
        verdict_set_rows(&verdict, rows.count);
        status = store_judge(&store, verdict_judge, &verdict, error);
    }
    THEN(status, write_all(command, &verdict, error));
    free(verdict.outliers);
    heat_clear(&heat);
    fleet_clear(&fleet);
    fleet_clear(&earlier);
    store_close(&store);
    return status;
}

static enum status check_command(const struct command *command, struct error *error) {
    if (command->folders.count == 0) {
        return error_set(error, STATUS_USAGE, "no folder is given: name the one that bankshot fleet has measured into");
    }
    TRY(file_write_check(command->csv, error));
    TRY(file_write_check(command->page, error));
    return file_write_check(command->junit, error);
}

int main(int argc, char **argv) {
    struct command command = {.threshold_pct = 3};
    struct error error = {0};
    const struct option_table table = {options, sizeof options / sizeof *options, &command};
    enum status status = options_parse(&table, 1, argc, argv, &error);
    if (status == STATUS_OK && !help_answers(&help, command.help, command.version)) {
        status = check_command(&command, &error);
        THEN(status, judge(&command, &error));
    }
    struct error of_output = {0};
    if (standard_output_finish(&of_output) != STATUS_OK) {
        error_print("judge", &of_output);
        status = command.help || command.version ? STATUS_FAILED : STATUS_USAGE; // 1 would be a bad GPU
    }
    if (*error.text) {
        error_print("judge", &error);
    }
    error_clear(&error);
    error_clear(&of_output);
    free(command.folders.values);
    return (int)status;
}
