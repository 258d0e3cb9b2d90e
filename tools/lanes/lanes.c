// Shows the cost of one memory request of a warp, lane by lane and bank by bank, the cost of each line of a kernel, or
// the best layout of a tile.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/addresses.h"
#include "bench/listing.h"
#include "tools/lanes/explain_kernel.h"
#include "tools/lanes/layout/explain_layout.h"
#include "tools/lanes/picture.h"
#include "util/file.h"
#include "util/terminal.h"
#include "util/whole.h"

// ---- Requests ----

// The number of lanes that all of the GPUs have.
static uint32_t narrowest_warp(const struct arguments *arguments) {
    uint64_t width = WARP_WIDTH_MAX;
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        width = smaller(width, arguments->gpus[i]->warp_width);
    }
    return (uint32_t)width;
}

static struct panel make_panel(const struct arguments *arguments, const struct gpu *gpu,
                               const struct request *request) {
    struct panel panel = {.gpu = gpu, .request = *request};
    if (!arguments->addresses) {
        pattern_request(&arguments->pattern, gpu->warp_width, &panel.request);
    }
    panel.cost = request_cost(gpu, arguments->space, &panel.request);
    return panel;
}

// What the outputs are printed from.
struct asked {
    const struct arguments *arguments;
    struct request request;        // the first
    struct address_reader *reader; // of the others; NULL: a pattern gives them
    enum status *read;             // how reading them ends
    struct error *error;
};

static void print_svg(FILE *file, const void *context) {
    const struct asked *asked = context;
    const struct arguments *arguments = asked->arguments;
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        panels[i] = make_panel(arguments, arguments->gpus[i], &asked->request);
    }
    svg_write(file, panels, arguments->gpu_count, NULL);
}

static void csv_header(FILE *file) {
    fputs("gpu,space,op,width_bytes,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,"
          "efficiency_pct,certainty,stride,offset,l1_clocks\n",
          file);
}

// Leaves the fields of the other memory space empty.
static void csv_row(FILE *file, const struct panel *panel, const struct pattern *pattern) {
    const struct cost *cost = &panel->cost;
    fprintf(file, "%s,%s,%s,%u,%u,", panel->gpu->name, space_name(cost->space), request_name(&panel->request),
            panel->request.width_bytes, cost->active_lanes);
    if (cost->space == SPACE_SHARED) {
        fprintf(file, "%u,%u,,,,", cost->shared.passes, cost->shared.conflicts);
    } else {
        fprintf(file, ",,%u,%u,%u,", cost->sector_bytes, cost->global.sectors, cost->global.lines);
    }
    fprintf(file, "%u,", cost->unique_bytes);
    if (!isnan(cost->efficiency_pct)) {
        fprintf(file, "%.2f", cost->efficiency_pct);
    }
    fprintf(file, ",%s,", cost->certainty);
    if (pattern) {
        fprintf(file, "%" PRIu64 ",%" PRIu64 ",", pattern->stride, pattern->offset);
    } else {
        fputs(",,", file);
    }
    if (cost->space == SPACE_GLOBAL) {
        fprintf(file, "%u", cost->global.l1_clocks);
    }
    fputc('\n', file);
}

static void show(FILE *file, const struct arguments *arguments, const struct request *request) {
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        struct panel panel = make_panel(arguments, arguments->gpus[i], request);
        if (arguments->csv) {
            csv_row(file, &panel, arguments->addresses ? NULL : &arguments->pattern);
        } else {
            panels[i] = panel;
        }
    }
    if (!arguments->csv) {
        picture_print(file, panels, arguments->gpu_count);
    }
}

// Shows a request for each width, stride and offset.
static void show_patterns(FILE *file, const struct arguments *arguments, const struct request *first) {
    const size_t widths = arguments->widths.count, strides = arguments->strides.count;
    const size_t count = widths * strides * arguments->offsets.count;
    for (size_t i = 0; i < count; i++) {
        struct arguments one = *arguments;
        struct request request = *first;
        request.width_bytes = (uint32_t)one.widths.values[i % widths];
        one.pattern.stride = one.strides.values[i / widths % strides];
        one.pattern.offset = one.offsets.values[i / widths / strides];
        if (!one.csv && count > 1) {
            fprintf(file, "%swidth %u, stride %" PRIu64 ", offset %" PRIu64 "\n\n", i ? "\n" : "", request.width_bytes,
                    one.pattern.stride, one.pattern.offset);
        }
        show(file, &one, &request);
    }
}

// Rows of CSV, or pictures.
static void print_requests(FILE *file, const void *context) {
    const struct asked *asked = context;
    const struct arguments *arguments = asked->arguments;
    struct request request = asked->request;
    if (arguments->csv) {
        csv_header(file);
    }
    if (!asked->reader) {
        show_patterns(file, arguments, &request);
        return;
    }
    for (bool end = false; !end && *asked->read == STATUS_OK && !ferror(file);) { // addresses may come without end
        show(file, arguments, &request);
        *asked->read = address_reader_next(asked->reader, narrowest_warp(arguments), &request, &end, asked->error);
    }
}

// Shows the requests of a pattern or a file, as pictures, SVG or CSV. Reads the first request before it writes a file,
// so that a bad request leaves the file as it was.
static enum status explain_requests(const struct arguments *arguments, struct error *error) {
    enum status status = STATUS_OK, read = STATUS_OK;
    struct asked asked = {.arguments = arguments, .request = arguments->request, .read = &read, .error = error};
    if (arguments->addresses) {
        bool end = false;
        status = address_reader_open(arguments->addresses, &asked.reader, error);
        THEN(status, address_reader_next(asked.reader, narrowest_warp(arguments), &asked.request, &end, error));
    }
    THEN(status, print_file(arguments->svg, print_svg, &asked, error));
    THEN(status, print_file(arguments->csv ? arguments->csv : "-", print_requests, &asked, error));
    THEN(status, read);
    address_reader_close(asked.reader);
    return status;
}

// ---- The program ----

static void print_gpus(void) {
    for (size_t i = 0; i < gpu_row_count; i++) {
        printf("%-10s %-8s %s\n", gpu_rows[i].name, gpu_rows[i].arch, gpu_rows[i].title);
    }
}

// What can be asked, as --list of a probe says which variants there are.
static void list_questions(void) {
    static const char *const questions[][2] = {
        {"--space shared --op load", "passes and bank conflicts of a load of shared memory"},
        {"--space shared --op store", "the same of a store"},
        {"--space global --op load", "sectors and lines of a load from global memory"},
        {"--space global --op store", "the same of a store"},
        {"--addresses FILE", "the same for requests whose addresses stand in a file"},
        {"--layout RxC --access ...", "the layout of a tile that serves every access"},
        {"--kernel FILE.cu", "what each line of a kernel costs"},
        {"--ptx FILE.ptx", "the same of a compiled kernel"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        printf("%-26s %s\n", questions[i][0], questions[i][1]);
    }
}

static enum status run(const struct arguments *arguments, struct error *error) {
    if (arguments->help || arguments->version) {
        return STATUS_OK; // printed already
    }
    if (arguments->list_gpus) {
        print_gpus();
    } else if (arguments->list_devices) {
        list_devices();
    } else if (arguments->list) {
        list_questions();
    } else if (arguments->tile.rows) {
        return explain_layout(arguments, error);
    } else if (arguments->kernel.launch_count) {
        return explain_kernel(arguments, error);
    } else {
        return explain_requests(arguments, error);
    }
    return STATUS_OK;
}

int main(int argc, char **argv) {
    struct arguments arguments;
    struct error error = {0};
    enum status status = arguments_parse(&arguments, argc, argv, &error);
    THEN(status, run(&arguments, &error));
    arguments_clear(&arguments);
    return program_end("lanes", status, &error);
}
