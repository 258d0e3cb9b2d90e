#include "lanes/explain_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "lanes/access.h"
#include "lanes/advise.h"
#include "lanes/annotate.h"
#include "lanes/explain_line.h"
#include "lanes/output.h"

// The file that most of the kernel's requests lead to; the PTX itself where it does not say.
static const char *source_of(const struct kernel_report *report, const char *ptx) {
    const char *best = ptx;
    double most = 0;
    for (size_t i = 0; i < report->line_count; i++) {
        const double requests = line_requests(&report->lines[i].counts);
        if (requests > most) {
            most = requests;
            best = report->lines[i].file;
        }
    }
    return best;
}

// For PTX: annotates the source that it was compiled from, if that can be read; else the PTX.
static void choose_text(const struct arguments *arguments, struct kernel_report *reports, const char **path,
                        char **text) {
    char *source = NULL;
    *path = arguments->kernel.path;
    if (!arguments->kernel.ptx) {
        return;
    }
    const char *name = source_of(&reports[0], *path);
    if (strcmp(name, *path) == 0) {
        return;
    }
    if (kernel_read(name, &source, NULL) == STATUS_OK) {
        free(*text);
        *text = source;
        *path = name;
        return;
    }
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        kernel_show_ptx(&reports[i]);
    }
}

static enum status write_svg(const struct arguments *arguments, const struct line_view *view, struct error *error) {
    FILE *file;
    enum status status = text_file_open(arguments->svg, &file, error);
    if (status != STATUS_OK) {
        return status;
    }
    line_write_svg(file, view);
    return text_file_close(arguments->svg, file, error);
}

static enum status write_json(const struct arguments *arguments, const struct kernel_report *reports,
                              struct error *error) {
    FILE *file;
    enum status status = text_file_open(arguments->json, &file, error);
    if (status != STATUS_OK) {
        return status;
    }
    annotate_json(file, arguments->kernel.path, reports, arguments->gpu_count);
    return text_file_close(arguments->json, file, error);
}

// What people read goes to standard output unless rows do.
static enum status show(const struct arguments *arguments, const struct line_view *view, struct error *error) {
    const bool json_only = arguments->json && strcmp(arguments->json, "-") == 0;
    const char *path = arguments->csv ? arguments->csv : "-";
    FILE *file;
    enum status status = json_only && !arguments->csv ? STATUS_OK : text_file_open(path, &file, error);
    if (status != STATUS_OK || (json_only && !arguments->csv)) {
        return status;
    }
    if (arguments->csv) {
        annotate_csv(file, view->reports, view->count);
    } else if (view->number) {
        line_print(file, view);
    } else {
        annotate_source(file, view->path, view->text, view->reports, view->count);
    }
    if (arguments->advise) {
        advise_print(arguments->csv ? stderr : file, view->reports, view->count);
    }
    return text_file_close(path, file, error);
}

static enum status show_all(const struct arguments *arguments, const struct line_view *view, struct error *error) {
    enum status status = view->number ? line_check(view, error) : STATUS_OK;
    if (status == STATUS_OK) {
        status = show(arguments, view, error);
    }
    if (status == STATUS_OK && arguments->json) {
        status = write_json(arguments, view->reports, error);
    }
    if (status == STATUS_OK && arguments->svg) {
        status = write_svg(arguments, view, error);
    }
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        status = condition_check(&arguments->fail_if, arguments->gpus[i]->name, &view->reports[i].counts, error);
    }
    return status;
}

enum status explain_kernel(const struct arguments *arguments, struct error *error) {
    struct kernel_report reports[GPUS_MAX] = {0};
    char *text = NULL;
    const char *source = NULL;
    enum status status = kernel_read(arguments->kernel.path, &text, error);
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        status = kernel_launch(&arguments->kernel, text, arguments->gpus[i], &reports[i], error);
    }
    if (status == STATUS_OK) {
        choose_text(arguments, reports, &source, &text);
        const struct line_view view = {source, text, (uint32_t)arguments->line, reports, arguments->gpu_count};
        status = show_all(arguments, &view, error);
    }
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        kernel_report_clear(&reports[i]);
    }
    free(text);
    return status;
}
