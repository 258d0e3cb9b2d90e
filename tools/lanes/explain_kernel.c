#include "tools/lanes/explain_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "tools/lanes/access.h"
#include "tools/lanes/advise.h"
#include "tools/lanes/annotate.h"
#include "tools/lanes/output.h"
#include "tools/lanes/picture.h"
#include "util/terminal.h"

enum {
    TERMINAL_WIDTH = 80
};

// A line of the source, and its reports: those of PANELS_MAX GPUs at most.
struct line_view {
    const char *path, *text; // of the source that the reports' lines name
    uint32_t number;
    const struct kernel_report *reports;
    size_t count;
};

// The panels of one kind of access, for the GPUs whose run has it.
static size_t make_panels(const struct line_view *view, size_t kind, struct panel panels[PANELS_MAX],
                          struct access *first) {
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++) {
        const struct sim_line *line = line_find(&view->reports[i], view->path, view->number);
        struct access accesses[LINE_KINDS];
        if (!line || !line->costliest[kind].active) {
            continue;
        }
        line_accesses(&view->reports[i], line, accesses);
        if (count == 0) {
            *first = accesses[kind];
        }
        const struct gpu *gpu = view->reports[i].gpu;
        panels[count++] = (struct panel){.gpu = gpu,
                                         .request = line->costliest[kind],
                                         .cost = request_cost(gpu, accesses[kind].space, &line->costliest[kind])};
    }
    return count;
}

static bool has_request(const struct sim_line *line) {
    return line_requests(&line->counts) > 0;
}

// STATUS_USAGE, with the lines that make requests, if this one makes none.
static enum status line_check(const struct line_view *view, struct error *error) {
    char others[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < view->reports->line_count; i++) {
        const struct sim_line *line = &view->reports->lines[i];
        if (strcmp(line->file, view->path) != 0 || !has_request(line)) {
            continue;
        }
        if (line->number == view->number) {
            return STATUS_OK;
        }
        if (used < sizeof others - 16) {
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%u", used ? ", " : "", line->number);
        }
    }
    return error_set(error, STATUS_USAGE, "--line %u: no request of the kernel is made there: %s%s", view->number,
                     used ? "the lines that make some are " : "the kernel makes none", others);
}

static void print_source(FILE *file, const struct line_view *view) {
    const char *line = view->text;
    for (uint32_t number = 1; number < view->number && *line; number++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    line += strspn(line, " \t");
    const size_t length = strcspn(line, "\r\n"), room = TERMINAL_WIDTH - 6;
    fprintf(file, "%4u  %.*s\n", view->number, (int)(length < room ? length : room), line);
}

// Prints a picture for each kind of access of the line. The line must have passed line_check.
static void line_print(FILE *file, const struct line_view *view) {
    print_source(file, view);
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        struct panel panels[PANELS_MAX];
        struct access access;
        const size_t count = make_panels(view, kind, panels, &access);
        if (count) {
            fprintf(file, "\nthe costliest of %.0f requests (%s), %.1f %% of the predicted time\n\n",
                    access.counts->requests, panels->gpu->name, 100 * access.share);
            picture_print(file, panels, count);
        }
    }
}

// Writes the picture of the kind that takes the largest share of the time as SVG.
static void line_write_svg(FILE *file, const struct line_view *view) {
    struct panel worst[PANELS_MAX];
    size_t worst_count = 0;
    double most = -1;
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        struct panel panels[PANELS_MAX];
        struct access access;
        const size_t count = make_panels(view, kind, panels, &access);
        if (count && access.share > most) {
            most = access.share;
            worst_count = count;
            memcpy(worst, panels, sizeof worst);
        }
    }
    svg_write(file, worst, worst_count);
}

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

// A launch as it is shown: the text that is annotated, and a report for each GPU.
struct shown {
    const struct kernel_launch *launch;
    char *text;
    const char *path; // of the text
    struct kernel_report *reports;
};

// For PTX: annotates the source that it was compiled from, if that can be read; else the PTX.
static void choose_text(struct shown *shown, size_t gpus) {
    char *source = NULL;
    shown->path = shown->launch->path;
    if (!shown->launch->ptx && !shown->launch->assembly) {
        return;
    }
    const char *name = source_of(&shown->reports[0], shown->path);
    if (strcmp(name, shown->path) == 0) {
        return;
    }
    if (kernel_read(name, &source, NULL) == STATUS_OK) {
        free(shown->text);
        shown->text = source;
        shown->path = name;
        return;
    }
    for (size_t i = 0; i < gpus; i++) {
        kernel_show_ptx(&shown->reports[i]);
    }
}

static struct line_view view_of(const struct arguments *arguments, const struct shown *shown) {
    return (struct line_view){shown->path, shown->text, (uint32_t)arguments->line, shown->reports,
                              arguments->gpu_count};
}

// The launch whose request is drawn: the first that makes one in the line.
static enum status find_line(const struct arguments *arguments, const struct shown *shown, struct line_view *view,
                             struct error *error) {
    enum status status = STATUS_FAILED;
    for (size_t i = 0; i < arguments->kernel.launch_count && status != STATUS_OK; i++) {
        *view = view_of(arguments, &shown[i]);
        status = line_check(view, error);
    }
    return status;
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
    annotate_json(file, arguments->kernel.launches[0].path, reports,
                  arguments->gpu_count * arguments->kernel.launch_count);
    return text_file_close(arguments->json, file, error);
}

static void show_for_people(const struct arguments *arguments, const struct shown *shown, FILE *file) {
    for (size_t i = 0; i < arguments->kernel.launch_count; i++) {
        const struct line_view view = view_of(arguments, &shown[i]);
        if (arguments->kernel.launch_count > 1) {
            fprintf(file, "%skernel %zu of %zu: %s\n\n", i ? "\n" : "", i + 1, arguments->kernel.launch_count,
                    shown[i].reports->kernel);
        }
        annotate_source(file, view.path, view.text, view.reports, view.count);
    }
}

// The texts that ran are read again, because the source that they were compiled from may be shown in their place.
static enum status advise(const struct arguments *arguments, const struct shown *shown, FILE *file,
                          struct error *error) {
    const struct kernel_run *run = &arguments->kernel;
    char *texts[LAUNCHES_MAX] = {NULL};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->launch_count && status == STATUS_OK; i++) {
        status = kernel_read_launch(&run->launches[i], &texts[i], error);
    }
    for (size_t i = 0; i < run->launch_count && status == STATUS_OK; i++) {
        const struct trial_kernel kernel = {run, texts, i};
        advise_print(file, &kernel, shown[i].reports, arguments->gpu_count);
    }
    for (size_t i = 0; i < run->launch_count; i++) {
        free(texts[i]);
    }
    return status;
}

// What people read goes to standard output unless rows do.
static enum status show(const struct arguments *arguments, const struct shown *shown, const struct line_view *drawn,
                        struct error *error) {
    const bool json_only = standard_output_is(arguments->json);
    const char *path = arguments->csv ? arguments->csv : "-";
    FILE *file;
    enum status status = json_only && !arguments->csv ? STATUS_OK : text_file_open(path, &file, error);
    if (status != STATUS_OK || (json_only && !arguments->csv)) {
        return status;
    }
    if (arguments->csv) {
        annotate_csv(file, shown->reports, arguments->gpu_count * arguments->kernel.launch_count);
    } else if (arguments->line) {
        line_print(file, drawn);
    } else {
        show_for_people(arguments, shown, file);
    }
    if (arguments->advise) {
        status = advise(arguments, shown, arguments->csv ? stderr : file, error);
    }
    return status == STATUS_OK ? text_file_close(path, file, error) : status;
}

static enum status show_all(const struct arguments *arguments, const struct shown *shown, struct error *error) {
    struct line_view drawn = {0};
    const size_t reports = arguments->gpu_count * arguments->kernel.launch_count;
    enum status status = arguments->line ? find_line(arguments, shown, &drawn, error) : STATUS_OK;
    if (status == STATUS_OK) {
        status = show(arguments, shown, &drawn, error);
    }
    if (status == STATUS_OK && arguments->json) {
        status = write_json(arguments, shown->reports, error);
    }
    if (status == STATUS_OK && arguments->svg) {
        status = write_svg(arguments, &drawn, error);
    }
    for (size_t i = 0; i < reports && status == STATUS_OK; i++) {
        const struct kernel_report *report = &shown->reports[i];
        status = condition_check(&arguments->fail_if, report->gpu->name, &report->counts, error);
    }
    return status;
}

// Runs the kernels on one GPU, and keeps a report of each launch. The first GPU's buffers are saved.
static enum status run_on(const struct arguments *arguments, const struct shown *shown, size_t gpu,
                          struct saved saved[SAVES_MAX], struct error *error) {
    const struct kernel_run *run = &arguments->kernel;
    char *texts[LAUNCHES_MAX];
    struct kernel_report *reports[LAUNCHES_MAX];
    for (size_t i = 0; i < run->launch_count; i++) {
        texts[i] = shown[i].text;
        reports[i] = &shown[i].reports[gpu];
    }
    return kernel_run(run, texts, arguments->gpus[gpu], reports, gpu == 0 ? saved : NULL, error);
}

static enum status read_texts(const struct kernel_run *run, struct shown *shown, struct error *error) {
    for (size_t i = 0; i < run->launch_count; i++) {
        shown[i].launch = &run->launches[i];
        TRY(kernel_read_launch(&run->launches[i], &shown[i].text, error));
    }
    return STATUS_OK;
}

static enum status write_saved(const struct kernel_run *run, const struct saved saved[SAVES_MAX], struct error *error) {
    for (size_t i = 0; i < run->saves.count; i++) {
        TRY(save_write(run->saves.values[i], &saved[i], error));
    }
    return STATUS_OK;
}

static enum status run_and_show(const struct arguments *arguments, struct shown *shown, struct saved saved[SAVES_MAX],
                                struct error *error) {
    const struct kernel_run *run = &arguments->kernel;
    TRY(read_texts(run, shown, error));
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        TRY(run_on(arguments, shown, i, saved, error));
    }
    TRY(write_saved(run, saved, error));
    for (size_t i = 0; i < run->launch_count; i++) {
        choose_text(&shown[i], arguments->gpu_count);
    }
    return show_all(arguments, shown, error);
}

enum status explain_kernel(const struct arguments *arguments, struct error *error) {
    const size_t launches = arguments->kernel.launch_count, count = arguments->gpu_count * launches;
    struct shown shown[LAUNCHES_MAX] = {0};
    struct saved saved[SAVES_MAX] = {0};
    struct kernel_report *reports = calloc(count, sizeof *reports);
    if (!reports) {
        return error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    for (size_t i = 0; i < launches; i++) {
        shown[i].reports = reports + i * arguments->gpu_count;
    }
    enum status status = run_and_show(arguments, shown, saved, error);
    for (size_t i = 0; i < count; i++) {
        kernel_report_clear(&reports[i]);
    }
    for (size_t i = 0; i < SAVES_MAX; i++) {
        saved_clear(&saved[i]);
    }
    for (size_t i = 0; i < launches; i++) {
        free(shown[i].text);
    }
    free(reports);
    return status;
}
