#include "tools/lanes/explain_line.h"

#include <string.h>

#include "tools/lanes/access.h"
#include "tools/lanes/output.h"
#include "tools/lanes/picture.h"
#include "tools/lanes/svg.h"

enum {
    TERMINAL_WIDTH = 80
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

enum status line_check(const struct line_view *view, struct error *error) {
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

void line_print(FILE *file, const struct line_view *view) {
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

void line_write_svg(FILE *file, const struct line_view *view) {
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
