// report: one page that shows what was measured, for a browser.
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/gnuplot.h"
#include "tools/report/page.h"
#include "util/file.h"
#include "util/help.h"
#include "util/options.h"
#include "util/terminal.h"

struct command {
    struct option_list paths, beside;
    const char *output, *title, *gnuplot, *plots;
    bool help, version;
};

static const struct option_row options[] = {
    {"", 0, OPTION_OPERANDS, offsetof(struct command, paths), "DIR ...",
     "folders of CSV files of the probes, or such files; each folder's own folders count, too", 0, 0, NULL},
    {"output", 'o', OPTION_OUTPUT, offsetof(struct command, output), "FILE",
     "the page (report.html), - for standard output", 0, 0, "-"},
    {"title", 't', OPTION_TEXT, offsetof(struct command, title), "TEXT", "its heading (the names of the devices)", 0, 0,
     NULL},
    {"beside", 0, OPTION_APPEND, offsetof(struct command, beside), "DIR",
     "also a folder of other machines, to compare these with; may be given several times", 0, 0, NULL},
    {"gnuplot", 0, OPTION_TEXT, offsetof(struct command, gnuplot), "FOLDER",
     "write gnuplot's scripts of the charts of one DIR into FOLDER, for plots/draw.sh, and no page", 0, 0, NULL},
    {"plots", 0, OPTION_TEXT, offsetof(struct command, plots), "FOLDER",
     "with --gnuplot: draw the charts of this folder (plots)", 0, 0, NULL},
    HELP_OPTION(struct command),
    VERSION_OPTION(struct command),
};

static const struct help help = {
    .program = "report",
    .summary = "one page for the browser: charts, figures and rows of results",
    .synopsis = "[OPTION]... DIR ...",
    .tables = &(const struct option_table){options, sizeof options / sizeof *options, NULL},
    .table_count = 1,
    .description =
        "The page is one file that needs no network, so it can be opened from a disk and sent by mail. It shows "
        "the machine, key figures, each probe's charts and how to read them, and all rows in tables that sort and "
        "filter. Several folders are shown side by side. docs/report.md explains the page.",
    .exit_status = "0 the page is written, 1 it could not be made, as when the disk is full, 2 usage, or a file "
                   "cannot be read or may not be written.",
};

static enum status write_charts(const struct command *command, struct error *error) {
    return command->paths.count == 1
               ? gnuplot_write(command->paths.values[0], &command->beside, command->plots ? command->plots : "plots",
                               command->gnuplot, error)
               : error_set(error, STATUS_USAGE, "--gnuplot takes one folder: draw the charts of each on its own");
}

static enum status write_report(const struct command *command, struct error *error) {
    const char *output = command->output ? command->output : "report.html";
    struct inputs inputs = {0};
    enum status status = file_write_check(output, error);
    THEN(status, inputs_read(&inputs, command->paths.values, command->paths.count, error));
    inputs.own = inputs.count;
    THEN(status, inputs_read(&inputs, command->beside.values, command->beside.count, error));
    if (status == STATUS_OK) {
        const struct page page = {&inputs, command->title ? command->title : ""};
        status = print_file(output, page_write, &page, error);
    }
    inputs_clear(&inputs);
    return status;
}

static enum status run(const struct command *command, struct error *error) {
    if (command->paths.count == 0) {
        return error_set(error, STATUS_USAGE, "no folder is given: name one with CSV files, such as report results");
    }
    return command->gnuplot ? write_charts(command, error) : write_report(command, error);
}

int main(int argc, char **argv) {
    struct command command = {0};
    struct error error = {0};
    const struct option_table table = {options, sizeof options / sizeof *options, &command};
    enum status status = options_parse(&table, 1, argc, argv, &error);
    if (status == STATUS_OK && !help_answers(&help, command.help, command.version)) {
        status = run(&command, &error);
    }
    free(command.paths.values);
    free(command.beside.values);
    return program_end(help.program, status, &error);
}
