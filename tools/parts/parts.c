// parts: GPUs beside each other, and what their differences mean for code.
#include <stdlib.h>
#include <string.h>

#include "bench/parts_table.h"
#include "util/error.h"
#include "util/file.h"
#include "util/help.h"
#include "util/options.h"
#include "util/terminal.h"

struct command {
    struct option_list names;
    const char *csv, *json;
    bool sources, list_gpus, help, version;
};

static const struct option_row options[] = {
    {"", 0, OPTION_OPERANDS, offsetof(struct command, names), "GPU ...",
     "names of --list-gpus, or with figures changed: rtx4090,units=46,memory=504", 0, 0, NULL},
    {"sources", 's', OPTION_FLAG, offsetof(struct command, sources), NULL,
     "where each cell comes from, in place of the table", 0, 0, NULL},
    {"csv", 0, OPTION_OUTPUT, offsetof(struct command, csv), "FILE", "the cells as CSV, - for standard output", 0, 0,
     "-"},
    {"json", 0, OPTION_OUTPUT, offsetof(struct command, json), "FILE", "the same and the sentences as JSON", 0, 0, "-"},
    {"list-gpus", 0, OPTION_FLAG, offsetof(struct command, list_gpus), NULL, "the GPUs that the model knows", 0, 0,
     NULL},
    HELP_OPTION(struct command),
    VERSION_OPTION(struct command),
};

static const struct help help = {
    .program = "parts",
    .summary = "GPUs beside each other, and what differs for code",
    .synopsis = "[OPTION]... GPU ...",
    .tables = &(const struct option_table){options, sizeof options / sizeof *options, NULL},
    .table_count = 1,
    .description = "Each cell ends with a letter: m measured by this project, p published, d derived from other "
                   "figures or parts, g guessed. docs/parts.md explains the rows.",
    .exit_status = "0 done, 1 a file could not be written to its end, 2 usage, as for a GPU that is not known.",
};

static void list_gpus(void) {
    for (size_t i = 0; i < gpu_row_count; i++) {
        printf("%-10s %s\n", gpu_rows[i].name, gpu_rows[i].title);
    }
}

static enum status find_parts(struct parts *parts, const struct option_list *names, struct error *error) {
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->values[i];
        name += strncmp(name, "sim:", strlen("sim:")) == 0 ? strlen("sim:") : 0; // as --device names it
        TRY(gpu_part_find(name, &parts->gpus[i], &parts->made[i], error));
        parts->count++;
    }
    return STATUS_OK;
}

static enum status write_parts(const struct command *command, const struct parts *parts, struct error *error) {
    TRY(print_file(command->csv, parts_write_csv, parts, error));
    TRY(print_file(command->json, parts_write_json, parts, error));
    if (!standard_output_is(command->csv) && !standard_output_is(command->json)) {
        (command->sources ? parts_write_sources : parts_write_table)(stdout, parts);
    }
    return STATUS_OK;
}

static enum status run(const struct command *command, struct error *error) {
    if (command->list_gpus) {
        list_gpus();
        return STATUS_OK;
    }
    if (command->names.count == 0) {
        return error_set(error, STATUS_USAGE, "no GPU is given: name two or three, such as parts h200 mi300x");
    }
    const size_t count = command->names.count;
    struct parts parts = {memory_zeros(count, sizeof(struct gpu *)), memory_zeros(count, sizeof(struct gpu_part *)), 0};
    enum status status = file_write_check(command->csv, error);
    THEN(status, file_write_check(command->json, error));
    THEN(status, find_parts(&parts, &command->names, error));
    THEN(status, write_parts(command, &parts, error));
    for (size_t i = 0; i < parts.count; i++) {
        free(parts.made[i]);
    }
    free(parts.made);
    free(parts.gpus);
    return status;
}

int main(int argc, char **argv) {
    struct command command = {0};
    struct error error = {0};
    const struct option_table table = {options, sizeof options / sizeof *options, &command};
    enum status status = options_parse(&table, 1, argc, argv, &error);
    if (status == STATUS_OK && !help_answers(&help, command.help, command.version)) {
        status = run(&command, &error);
    }
    free(command.names.values);
    return program_end(help.program, status, &error);
}
