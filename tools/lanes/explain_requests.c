#include "tools/lanes/explain_requests.h"

#include <inttypes.h>
#include <string.h>

#include "bench/addresses.h"
#include "tools/lanes/output.h"
#include "tools/lanes/picture.h"

// The number of lanes that all of the GPUs have.
static uint32_t narrowest_warp(const struct arguments *arguments) {
    uint32_t width = WARP_WIDTH_MAX;
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        if (arguments->gpus[i]->warp_width < width) {
            width = arguments->gpus[i]->warp_width;
        }
    }
    return width;
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

static enum status write_svg(const struct arguments *arguments, const struct request *request, struct error *error) {
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        panels[i] = make_panel(arguments, arguments->gpus[i], request);
    }
    FILE *file;
    TRY(text_file_open(arguments->svg, &file, error));
    svg_write(file, panels, arguments->gpu_count);
    return text_file_close(arguments->svg, file, error);
}

static void show(const struct arguments *arguments, const struct request *request, FILE *csv) {
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        struct panel panel = make_panel(arguments, arguments->gpus[i], request);
        if (csv) {
            csv_row(csv, panel.gpu, &panel.request, &panel.cost, arguments->addresses ? NULL : &arguments->pattern);
        } else {
            panels[i] = panel;
        }
    }
    if (!csv) {
        picture_print(stdout, panels, arguments->gpu_count);
    }
}

// The values of a list, or a single one.
static size_t values_of(const struct sweep *sweep) {
    return sweep->count ? sweep->count : 1;
}

// Shows a request for each width, stride and offset.
static void show_patterns(const struct arguments *arguments, const struct request *first, FILE *csv) {
    const size_t widths = values_of(&arguments->widths), strides = values_of(&arguments->strides);
    const size_t count = widths * strides * values_of(&arguments->offsets);
    for (size_t i = 0; i < count; i++) {
        struct arguments one = *arguments;
        struct request request = *first;
        if (one.widths.count) {
            request.width_bytes = (uint32_t)one.widths.values[i % widths];
        }
        if (one.strides.count) {
            one.pattern.stride = one.strides.values[i / widths % strides];
        }
        if (one.offsets.count) {
            one.pattern.offset = one.offsets.values[i / widths / strides];
        }
        if (!csv && count > 1) {
            printf("%swidth %u, stride %" PRIu64 ", offset %" PRIu64 "\n\n", i ? "\n" : "", request.width_bytes,
                   one.pattern.stride, one.pattern.offset);
        }
        show(&one, &request, csv);
    }
}

static enum status next_request(const struct arguments *arguments, struct address_reader *reader,
                                struct request *request, bool *end, struct error *error) {
    if (reader) {
        return address_reader_next(reader, narrowest_warp(arguments), request, end, error);
    }
    *end = true; // a pattern is a single request
    return STATUS_OK;
}

// Reads the first request before it opens a file to write, so that a bad request leaves the file as it was.
static enum status explain(const struct arguments *arguments, struct address_reader *reader, struct error *error) {
    struct request request = {
        .operation = arguments->operation, .atomic = arguments->atomic, .width_bytes = arguments->width_bytes};
    FILE *csv = NULL;
    bool end = false;
    enum status status = next_request(arguments, reader, &request, &end, error);
    if (status == STATUS_OK && arguments->svg) {
        status = write_svg(arguments, &request, error);
    }
    if (status == STATUS_OK && arguments->csv) {
        status = text_file_open(arguments->csv, &csv, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (csv) {
        csv_header(csv);
    }

    if (!reader) {
        show_patterns(arguments, &request, csv);
    } else {
        show(arguments, &request, csv);
    }
    while (!end && status == STATUS_OK) {
        status = next_request(arguments, reader, &request, &end, error);
        if (status == STATUS_OK && !end) {
            show(arguments, &request, csv);
        }
    }
    struct error closing = {0};
    enum status closed = text_file_close(arguments->csv ? arguments->csv : "-", csv ? csv : stdout, &closing);
    if (status == STATUS_OK && closed != STATUS_OK) {
        *error = closing;
    }
    return status == STATUS_OK ? closed : status;
}

enum status explain_requests(const struct arguments *arguments, struct error *error) {
    struct address_reader *reader = NULL;
    enum status status = STATUS_OK;
    if (arguments->addresses) {
        status = address_reader_open(arguments->addresses, &reader, error);
    }
    THEN(status, explain(arguments, reader, error));
    address_reader_close(reader);
    return status;
}
