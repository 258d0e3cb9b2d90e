// report: one page that shows what was measured, for a browser.
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "util/file_write.h"
#include "util/help.h"
#include "util/options.h"
#include "util/standard_output.h"

struct command {
    struct option_list paths;
    const char *output, *title;
    bool help, version;
};

static const struct option_row options[] = {
    {"", 0, OPTION_OPERANDS, offsetof(struct command, paths), "DIR ...",
     "folders of CSV files of the probes, or such files; each folder's own folders count, too", 0, 0, NULL},
    {"output", 'o', OPTION_OUTPUT, offsetof(struct command, output), "FILE",
     "the page (report.html), - for standard output", 0, 0, "-"},
    {"title", 't', OPTION_TEXT, offsetof(struct command, title), "TEXT", "its heading (the names of the devices)", 0, 0,
     NULL},
    {"help", 'h', OPTION_FLAG, offsetof(struct command, help), NULL, "this text", 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, offsetof(struct command, version), NULL, "the version", 0, 0, NULL},
};

static void print_help(const struct option_table *table) {
    help_begin("report", "one page for the browser: charts, figures and rows of results", " DIR ...", table, 1);
    help_text(
        "The page is one file that needs no network, so it can be opened from a disk and sent by mail. It shows the "
        "machine, ten figures, each probe's charts and how to read them, and all rows in tables that sort and "
        "filter. Several folders are shown side by side. docs/report.md explains the page.");
    help_text(
        "Exit status: 0 the page is written, 1 it could not be made, as when the disk is full, 2 usage, or a file "
        "cannot be read or may not be written.");
}

static enum status make_page(char **text, size_t *length, const struct page *page, struct error *error) {
    FILE *file = open_memstream(text, length);
    if (!file) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = page_write(file, page, error);
    const bool whole = !ferror(file);
    if ((fclose(file) != 0 || !whole) && status == STATUS_OK) {
        status = error_set(error, STATUS_FAILED, "out of memory");
    }
    return status;
}

static enum status write_page(const char *path, const struct page *page, struct error *error) {
    char *text = NULL;
    size_t length = 0;
    enum status status = make_page(&text, &length, page, error);
    if (status == STATUS_OK && standard_output_is(path)) {
        fwrite(text, 1, length, stdout);
    } else if (status == STATUS_OK) {
        status = file_write(path, &(struct file_piece){text, length}, 1, error);
    }
    free(text);
    return status;
}

static enum status run(const struct command *command, struct error *error) {
    const char *output = command->output ? command->output : "report.html";
    struct inputs inputs = {0};
    struct pictures pictures = {0};
    if (command->paths.count == 0) {
        return error_set(error, STATUS_USAGE, "no folder is given: name one with CSV files, such as report results");
    }
    enum status status = file_write_check(standard_output_is(output) ? NULL : output, error);
    if (status == STATUS_OK) {
        status = inputs_read(&inputs, command->paths.values, command->paths.count, error);
    }
    if (status == STATUS_OK) {
        status = pictures_select(&pictures, &inputs, error);
    }
    if (status == STATUS_OK) {
        const struct page page = {&inputs, &pictures, command->title ? command->title : ""};
        status = write_page(output, &page, error);
    }
    pictures_clear(&pictures);
    inputs_clear(&inputs);
    return status;
}

int main(int argc, char **argv) {
    struct command command = {0};
    struct error error = {0};
    const struct option_table table = {options, sizeof options / sizeof *options, &command};
    enum status status = options_parse(&table, 1, argc, argv, &error);
    if (status == STATUS_OK && command.help) {
        print_help(&table);
    } else if (status == STATUS_OK && command.version) {
        puts("bankshot report " BANKSHOT_VERSION);
    } else if (status == STATUS_OK) {
        status = run(&command, &error);
    }
    if (status == STATUS_OK) {
        status = standard_output_finish(&error);
    }
    if (status != STATUS_OK) {
        error_print("report", &error);
    }
    error_clear(&error);
    free(command.paths.values);
    return (int)status;
}
