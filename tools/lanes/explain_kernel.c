#include "tools/lanes/explain_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "model/global_memory.h"
#include "model/shared_memory.h"
#include "tools/lanes/access.h"
#include "tools/lanes/advise.h"
#include "tools/lanes/picture.h"
#include "util/csv.h"
#include "util/file.h"
#include "util/json_writer.h"
#include "util/terminal.h"

// A launch as it is shown: the text that is annotated, and a report for each GPU.
struct shown {
    const struct kernel_launch *launch;
    const char *text, *path; // path: of the text, as the reports' lines name it
    char *source;            // the text where it is not the launch's, but what that was compiled from
    struct kernel_report *reports;
    size_t count;
    uint32_t line; // whose request is drawn, on PANELS_MAX GPUs at most
};

// A run, and what the outputs are printed from.
struct explained {
    const struct arguments *arguments;
    struct shown shown[LAUNCHES_MAX];
    const struct shown *drawn;     // the launch with the line
    struct kernel_report *reports; // of all launches, by launch and then by GPU
    size_t report_count;
};

// ---- The annotated source ----

// Prints a kernel's source with the cost of each line.

static void print_cost(FILE *file, const struct gpu *gpu, const struct access *access) {
    const struct memory_counts *counts = access->counts;
    fprintf(file, "    %-10s %s %-6s %11.0f %6.1f ", gpu->name, space_name(access->space), access_name(access),
            counts->requests, access_active_lanes(access));
    if (access->space == SPACE_SHARED) {
        fprintf(file, "%8.2f %9s %10.0f %5.1f %%%s\n", counts->passes / counts->requests, "", counts->conflicts,
                100 * access->share, counts->conflicts > 0 ? " !" : "");
    } else {
        fprintf(file, "%8s %9.2f %10s %5.1f %%\n", "", counts->sectors / counts->requests, "", 100 * access->share);
    }
}

// Branches and barriers, where they take some time.
static void print_other(FILE *file, const struct kernel_report *report, const struct sim_line *line) {
    const double share = line_share(report, line);
    if (share >= 0.01) {
        fprintf(file, "    %-10s %-24s %6.1f %29s %5.1f %%\n", report->gpu->name, "no access", line_active_lanes(line),
                "", 100 * share);
    }
}

static void print_costs(FILE *file, const struct shown *shown, uint32_t number) {
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        for (size_t i = 0; i < shown->count; i++) {
            const struct kernel_report *report = &shown->reports[i];
            const struct sim_line *line = line_find(report, shown->path, number);
            struct access accesses[LINE_KINDS];
            if (!line) {
                continue;
            }
            line_accesses(report, line, accesses);
            if (accesses[kind].counts->requests > 0) {
                print_cost(file, report->gpu, &accesses[kind]);
            } else if (kind == 0) {
                print_other(file, report, line);
            }
        }
    }
}

static void print_total(FILE *file, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    fprintf(file, "%-10s %.0f warps, %.0f bank conflicts, %.0f bytes read from memory, %.0f written\n",
            report->gpu->name, counts->warps, counts->shared_load.conflicts + counts->shared_store.conflicts,
            counts->device_read_bytes, counts->device_write_bytes);
    if (counts->scratch_instructions > 0) {
        fprintf(file, "%-10s %.0f loads and stores of private memory, where registers are spilled\n", "",
                counts->scratch_instructions);
    }
    fprintf(file, "%-10s lower bound: %.3g us\n", "", counts->bound.ns / 1000);
    fprintf(file, "%-10s predicted: %.3g us, bound by %s\n", "", counts->predicted_ns / 1000,
            counts->predicted_by ? counts->predicted_by : "nothing");
}

static void annotate_source(FILE *file, const struct shown *shown) {
    fprintf(file, "%-28s %11s %6s %8s %9s %10s %7s\n", "line", "requests", "lanes", "passes", "sectors", "conflicts",
            "time");
    fprintf(file, "%-28s %11s %6s %8s %9s %10s %7s\n\n", "", "", "each", "each", "each", "total", "share");
    uint32_t number = 1;
    for (const char *line = shown->text; *line; number++) {
        size_t length = strcspn(line, "\n");
        fprintf(file, "%4u  %.*s\n", number, (int)length, line);
        print_costs(file, shown, number);
        line += length + (line[length] == '\n');
    }
    fputc('\n', file);
    for (size_t i = 0; i < shown->count; i++) {
        print_total(file, &shown->reports[i]);
    }
}

static void csv_access(FILE *file, const struct kernel_report *report, const struct access *access) {
    const struct gpu *gpu = report->gpu;
    const struct memory_counts *counts = access->counts;
    fprintf(file, "%s,%u,%s,%s,%.0f,%.2f,", gpu->name, access->line->number, space_name(access->space),
            operation_name(access->operation), counts->requests, access_active_lanes(access));
    if (access->space == SPACE_SHARED) {
        fprintf(file, "%.0f,%.0f,,,,%.0f,", counts->passes, counts->conflicts, counts->unique_bytes);
        fprintf(file, "%.2f", 100 * counts->unique_bytes / (shared_memory_pass_bytes(gpu) * counts->passes));
    } else {
        const uint32_t sector_bytes = global_sector_bytes(gpu, access->operation);
        fprintf(file, ",,%u,%.0f,%.0f,,", sector_bytes, counts->sectors, counts->lines);
        fprintf(file, "%.2f", 100 * counts->lane_bytes / (sector_bytes * counts->sectors));
    }
    fprintf(file, ",%.2f,", 100 * access->share);
    csv_write_field(file, report->kernel);
    fputc(',', file);
    if (access->space == SPACE_GLOBAL) {
        fprintf(file, "%.0f", counts->l1_clocks);
    }
    fputc('\n', file);
}

// Prints the same as CSV: a row for each GPU, line and kind of access.
static void annotate_csv(FILE *file, const void *context) {
    const struct explained *explained = context;
    fputs("gpu,line,space,op,requests,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,"
          "efficiency_pct,time_pct,kernel,l1_clocks\n",
          file);
    for (size_t i = 0; i < explained->report_count; i++) {
        const struct kernel_report *report = &explained->reports[i];
        for (size_t j = 0; j < report->line_count; j++) {
            struct access accesses[LINE_KINDS];
            line_accesses(report, &report->lines[j], accesses);
            for (size_t kind = 0; kind < LINE_KINDS; kind++) {
                if (accesses[kind].counts->requests > 0) {
                    csv_access(file, report, &accesses[kind]);
                }
            }
        }
    }
}

static void json_access(struct json_writer *writer, const struct access *access) {
    const bool shared = access->space == SPACE_SHARED;
    const struct memory_counts *counts = access->counts;
    json_begin_object(writer, NULL);
    json_write_text(writer, "file", access->line->file);
    json_write_count(writer, "line", access->line->number);
    json_write_text(writer, "space", space_name(access->space));
    json_write_text(writer, "op", operation_name(access->operation));
    json_write_real(writer, "requests", counts->requests);
    json_write_real(writer, "active_lanes", access_active_lanes(access));
    json_write_real(writer, shared ? "passes" : "sectors", shared ? counts->passes : counts->sectors);
    json_write_real(writer, shared ? "bank_conflicts" : "lines", shared ? counts->conflicts : counts->lines);
    json_write_real(writer, "time_pct", 100 * access->share);
    json_end(writer);
}

static void json_report(struct json_writer *writer, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    json_begin_object(writer, NULL);
    json_write_text(writer, "gpu", report->gpu->name);
    json_write_text(writer, "kernel", report->kernel);
    json_write_real(writer, "warps", counts->warps);
    json_write_real(writer, "active_lanes_pct",
                    100 * counts->lane_steps / (counts->instructions * report->gpu->warp_width));
    json_write_real(writer, "branches", counts->branches / counts->warps);
    json_write_real(writer, "scratch_instructions", counts->scratch_instructions);
    json_write_real(writer, "bank_conflicts", counts->shared_load.conflicts + counts->shared_store.conflicts);
    json_write_real(writer, "device_read_bytes", counts->device_read_bytes);
    json_write_real(writer, "device_write_bytes", counts->device_write_bytes);
    json_write_real(writer, "bound_ns", counts->bound.ns);
    json_write_real(writer, "predicted_ns", counts->predicted_ns);
    json_write_text(writer, "predicted_by", counts->predicted_by);
    json_begin_array(writer, "lines");
    for (size_t i = 0; i < report->line_count; i++) {
        struct access accesses[LINE_KINDS];
        line_accesses(report, &report->lines[i], accesses);
        for (size_t kind = 0; kind < LINE_KINDS; kind++) {
            if (accesses[kind].counts->requests > 0) {
                json_access(writer, &accesses[kind]);
            }
        }
    }
    json_end(writer);
    json_end(writer);
}

// Prints the same as JSON: an object for each GPU, with its lines.
static void annotate_json(FILE *file, const void *context) {
    const struct explained *explained = context;
    struct json_writer writer = json_writer(file);
    json_begin_object(&writer, NULL);
    json_write_text(&writer, "kernel", explained->arguments->kernel.launches[0].path);
    json_begin_array(&writer, "gpus");
    for (size_t i = 0; i < explained->report_count; i++) {
        json_report(&writer, &explained->reports[i]);
    }
    json_end(&writer);
    json_end(&writer);
}

enum {
    TERMINAL_WIDTH = 80
};

// The panels of one kind of access, for the GPUs whose run has it.
static size_t make_panels(const struct shown *shown, size_t kind, struct panel panels[PANELS_MAX],
                          struct access *first) {
    size_t count = 0;
    for (size_t i = 0; i < shown->count; i++) {
        const struct sim_line *line = line_find(&shown->reports[i], shown->path, shown->line);
        struct access accesses[LINE_KINDS];
        if (!line || !line->costliest[kind].active) {
            continue;
        }
        line_accesses(&shown->reports[i], line, accesses);
        if (count == 0) {
            *first = accesses[kind];
        }
        const struct gpu *gpu = shown->reports[i].gpu;
        panels[count++] = (struct panel){.gpu = gpu,
                                         .request = line->costliest[kind],
                                         .cost = request_cost(gpu, accesses[kind].space, &line->costliest[kind])};
    }
    return count;
}

// STATUS_USAGE, with the lines that make requests, if this one makes none.
static enum status line_check(const struct shown *shown, struct error *error) {
    char others[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < shown->reports->line_count; i++) {
        const struct sim_line *line = &shown->reports->lines[i];
        if (strcmp(line->file, shown->path) != 0 || line_requests(&line->counts) <= 0) {
            continue;
        }
        if (line->number == shown->line) {
            return STATUS_OK;
        }
        if (used < sizeof others - 16) {
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%u", used ? ", " : "", line->number);
        }
    }
    return error_set(error, STATUS_USAGE, "--line %u: no request of the kernel is made there: %s%s", shown->line,
                     used ? "the lines that make some are " : "the kernel makes none", others);
}

// The line without its indentation, and in *length what of it fits into a room.
static const char *source_line(const struct shown *shown, size_t room, int *length) {
    const char *line = shown->text;
    for (uint32_t number = 1; number < shown->line && *line; number++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    line += strspn(line, " \t");
    const size_t all = strcspn(line, "\r\n");
    *length = (int)(all < room ? all : room);
    return line;
}

static void print_source(FILE *file, const struct shown *shown) {
    int length;
    const char *line = source_line(shown, TERMINAL_WIDTH - 6, &length);
    fprintf(file, "%4u  %.*s\n", shown->line, length, line);
}

// "columns.cu:15: out[i] = tile[j];"
static char *caption_of(const struct shown *shown) {
    const char *slash = strrchr(shown->path, '/');
    const char *name = slash ? slash + 1 : shown->path;
    int length;
    const char *line = source_line(shown, TERMINAL_WIDTH, &length);
    return memory_format("%s:%u: %.*s", name, shown->line, length, line);
}

// Prints a picture for each kind of access of the line. The line must have passed line_check.
static void line_print(FILE *file, const struct shown *shown) {
    print_source(file, shown);
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        struct panel panels[PANELS_MAX];
        struct access access;
        const size_t count = make_panels(shown, kind, panels, &access);
        if (count) {
            fprintf(file, "\nthe costliest of %.0f requests (%s), %.1f %% of the predicted time\n\n",
                    access.counts->requests, panels->gpu->name, 100 * access.share);
            picture_print(file, panels, count);
        }
    }
}

// Writes the picture of the kind that takes the largest share of the time as SVG.
static void line_write_svg(FILE *file, const void *context) {
    const struct explained *explained = context;
    struct panel worst[PANELS_MAX];
    size_t worst_count = 0;
    double most = -1;
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        struct panel panels[PANELS_MAX];
        struct access access;
        const size_t count = make_panels(explained->drawn, kind, panels, &access);
        if (count && access.share > most) {
            most = access.share;
            worst_count = count;
            memcpy(worst, panels, sizeof worst);
        }
    }
    char *caption = caption_of(explained->drawn);
    svg_write(file, worst, worst_count, caption);
    free(caption);
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

// For PTX: annotates the source that it was compiled from, if that can be read; else the PTX.
static void choose_text(struct shown *shown) {
    shown->text = shown->launch->text;
    shown->path = shown->launch->path;
    if (!shown->launch->ptx && !shown->launch->assembly) {
        return;
    }
    const char *name = source_of(&shown->reports[0], shown->path);
    if (strcmp(name, shown->path) == 0) {
        return;
    }
    if (kernel_read(name, &shown->source, NULL) == STATUS_OK) {
        shown->text = shown->source;
        shown->path = name;
        return;
    }
    for (size_t i = 0; i < shown->count; i++) {
        kernel_show_ptx(&shown->reports[i]);
    }
}

// Finds the launch whose request is drawn: the first that makes one in the line.
static enum status find_line(struct explained *explained, struct error *error) {
    enum status status = STATUS_FAILED;
    for (size_t i = 0; i < explained->arguments->kernel.launch_count && status != STATUS_OK; i++) {
        explained->drawn = &explained->shown[i];
        status = line_check(explained->drawn, error);
    }
    return status;
}

static void show_for_people(const struct explained *explained, FILE *file) {
    const size_t launches = explained->arguments->kernel.launch_count;
    for (size_t i = 0; i < launches; i++) {
        if (launches > 1) {
            fprintf(file, "%skernel %zu of %zu: %s\n\n", i ? "\n" : "", i + 1, launches,
                    explained->shown[i].reports->kernel);
        }
        annotate_source(file, &explained->shown[i]);
    }
}

// What people read goes to standard output unless rows do.
static enum status show(const struct explained *explained, struct error *error) {
    const struct arguments *arguments = explained->arguments;
    if (arguments->csv) {
        TRY(print_file(arguments->csv, annotate_csv, explained, error));
    } else if (standard_output_is(arguments->json)) {
        return STATUS_OK;
    } else if (arguments->line) {
        line_print(stdout, explained->drawn);
    } else {
        show_for_people(explained, stdout);
    }
    for (size_t i = 0; i < explained->arguments->kernel.launch_count && arguments->advise; i++) {
        const struct trial_kernel kernel = {&arguments->kernel, i};
        advise_print(arguments->csv ? stderr : stdout, &kernel, explained->shown[i].reports, arguments->gpu_count);
    }
    return STATUS_OK;
}

static enum status show_all(struct explained *explained, struct error *error) {
    const struct arguments *arguments = explained->arguments;
    for (size_t i = 0; i < explained->arguments->kernel.launch_count; i++) {
        choose_text(&explained->shown[i]);
    }
    if (arguments->line) {
        TRY(find_line(explained, error));
    }
    TRY(show(explained, error));
    TRY(print_file(arguments->json, annotate_json, explained, error));
    TRY(print_file(arguments->svg, line_write_svg, explained, error));
    for (size_t i = 0; i < explained->report_count; i++) {
        const struct kernel_report *report = &explained->reports[i];
        TRY(condition_check(&arguments->fail_if, report->gpu->name, &report->counts, error));
    }
    return STATUS_OK;
}

// Runs the kernels on each GPU, keeps a report of each launch, and saves the first GPU's buffers if all went well.
static enum status run_kernels(struct explained *explained, struct error *error) {
    const struct arguments *arguments = explained->arguments;
    const size_t gpus = arguments->gpu_count;
    struct saved saved = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < gpus && status == STATUS_OK; i++) {
        status =
            kernel_run(&arguments->kernel, arguments->gpus[i], explained->reports + i, gpus, i ? NULL : &saved, error);
    }
    THEN(status, kernel_save(&arguments->kernel, &saved, error));
    free(saved.results);
    return status;
}

enum status explain_kernel(const struct arguments *arguments, struct error *error) {
    struct explained explained = {.arguments = arguments};
    const size_t launches = arguments->kernel.launch_count, gpus = arguments->gpu_count;
    explained.report_count = launches * gpus;
    explained.reports = memory_zeros(explained.report_count, sizeof *explained.reports);
    for (size_t i = 0; i < launches; i++) {
        explained.shown[i] = (struct shown){.launch = &arguments->kernel.launches[i],
                                            .reports = explained.reports + i * gpus,
                                            .count = gpus,
                                            .line = (uint32_t)arguments->line};
    }
    enum status status = run_kernels(&explained, error);
    THEN(status, show_all(&explained, error));
    for (size_t i = 0; i < explained.report_count; i++) {
        kernel_report_clear(&explained.reports[i]);
    }
    for (size_t i = 0; i < launches; i++) {
        free(explained.shown[i].source);
    }
    free(explained.reports);
    return status;
}
