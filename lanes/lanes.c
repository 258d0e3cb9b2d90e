// What one memory request of a warp costs: lane by lane, bank by bank, sector by sector.
#include <stdlib.h>
#include <string.h>

#include "bench/addresses.h"
#include "bench/options.h"
#include "lanes/output.h"
#include "lanes/pattern.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum {
    GPUS_MAX = 64
};

static const uint64_t not_given = UINT64_MAX;

// The command line, as read and as understood.
struct arguments {
    const char *gpu_names, *space_word, *operation_word, *order_word, *block_text;
    const char *addresses, *csv, *svg;
    uint64_t width, stride, offset, pitch;
    bool help, version, list_gpus;

    const struct gpu *gpus[GPUS_MAX];
    size_t gpu_count;
    enum space space;
    enum operation operation;
    struct pattern pattern;
};

enum {
    OPTION_COUNT_MAX = 32
};

static size_t make_options(struct arguments *arguments, struct option_row rows[OPTION_COUNT_MAX]) {
    const struct option_row table[] = {
        {"gpu", 'g', OPTION_TEXT, &arguments->gpu_names, "NAME[,NAME]",
         "whose rules: one, or two side by side; with --csv any number, or all (default h200)", 0, 0, NULL},
        {"space", 0, OPTION_CHOICE, &arguments->space_word, "shared|global", "which memory (default shared)", 0, 0,
         "shared|global"},
        {"op", 0, OPTION_CHOICE, &arguments->operation_word, "load|store", "(default load)", 0, 0, "load|store"},
        {"width", 'w', OPTION_COUNT, &arguments->width, "N", "bytes a lane: 1, 2, 4, 8 or 16 (default 4)", 1, 16, NULL},
        {"stride", 's', OPTION_COUNT, &arguments->stride, "N", "elements from lane to lane (default 1)", 0, 1e9, NULL},
        {"offset", 0, OPTION_COUNT, &arguments->offset, "N", "elements before the first (default 0)", 0, 1e9, NULL},
        {"block", 'b', OPTION_TEXT, &arguments->block_text, "XxY",
         "a block of threads touches a tile, thread (x, y) the element in row y and column x; its first warp is shown",
         0, 0, NULL},
        {"pitch", 0, OPTION_COUNT, &arguments->pitch, "N", "elements from one row of the tile to the next (default X)",
         1, 1e9, NULL},
        {"order", 0, OPTION_CHOICE, &arguments->order_word, "row|column",
         "column: thread (x, y) takes row x and column y instead (default row)", 0, 0, "row|column"},
        {"addresses", 'a', OPTION_TEXT, &arguments->addresses, "FILE",
         "read requests from FILE or - : one a line, one byte address a lane, . for an inactive lane", 0, 0, NULL},
        {"csv", 0, OPTION_TEXT, &arguments->csv, "FILE", "one CSV row a request and GPU, - is standard output", 0, 0,
         NULL},
        {"svg", 0, OPTION_TEXT, &arguments->svg, "FILE", "the picture of the first request as SVG", 0, 0, NULL},
        {"list-gpus", 0, OPTION_FLAG, &arguments->list_gpus, NULL, "the GPUs whose rules are known", 0, 0, NULL},
        {"help", 'h', OPTION_FLAG, &arguments->help, NULL, "this text", 0, 0, NULL},
        {"version", 'V', OPTION_FLAG, &arguments->version, NULL, "the version", 0, 0, NULL},
    };
    memcpy(rows, table, sizeof table);
    return LENGTH(table);
}

static void print_help(const struct option_row *rows, size_t count) {
    puts("lanes: what one request of a warp costs, lane by lane, bank by bank\n"
         "  lanes --gpu h200 --space shared --op load --width 4 --stride 2\n"
         "  lanes --gpu h200,mi210 --space shared --width 4 --block 8x32 --pitch 32\n"
         "  lanes --gpu gtx1080 --space global --width 8 --addresses FILE --csv -\n");
    options_help(rows, count);
}

static void list_gpus(void) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++)
        printf("%-10s %-8s %s\n", gpus[i].name, gpus[i].arch, gpus[i].title);
}

static enum status add_gpu(struct arguments *arguments, const char *name, struct error *error) {
    const struct gpu *gpu = gpu_find(name);
    if (!gpu)
        return error_set(error, STATUS_USAGE, "--gpu %.100s: unknown GPU: see --list-gpus", name);
    if (arguments->gpu_count == GPUS_MAX)
        return error_set(error, STATUS_USAGE, "--gpu: more than %d GPUs: name fewer", GPUS_MAX);
    arguments->gpus[arguments->gpu_count++] = gpu;
    return STATUS_OK;
}

static enum status choose_gpus(struct arguments *arguments, struct error *error) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    if (strcmp(arguments->gpu_names, "all") == 0) {
        for (size_t i = 0; i < count; i++)
            arguments->gpus[arguments->gpu_count++] = &gpus[i];
    } else {
        const char *at = arguments->gpu_names;
        do {
            char name[64];
            size_t length = strcspn(at, ",");
            snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, at);
            enum status status = add_gpu(arguments, name, error);
            if (status != STATUS_OK)
                return status;
            at += length;
        } while (*at++);
    }
    if (!arguments->csv && arguments->gpu_count > PANELS_MAX)
        return error_set(error, STATUS_USAGE, "--gpu: a picture shows %d GPUs at most: name fewer, or use --csv",
                         PANELS_MAX);
    return STATUS_OK;
}

static enum status check_source(const struct arguments *arguments, struct error *error) {
    bool formula = arguments->stride != not_given || arguments->offset != not_given || arguments->pitch != not_given ||
                   arguments->block_text || arguments->order_word;
    if (arguments->addresses && formula)
        return error_set(error, STATUS_USAGE,
                         "--addresses: the file says it all: leave --stride, --offset, --block, --pitch, --order out");
    if ((arguments->pitch != not_given || arguments->order_word) && !arguments->block_text)
        return error_set(error, STATUS_USAGE, "--pitch and --order: of a tile only: give --block XxY too");
    return STATUS_OK;
}

static enum status make_pattern(struct arguments *arguments, struct error *error) {
    struct pattern *pattern = &arguments->pattern;
    *pattern = (struct pattern){.stride = 1, .block_x = WARP_WIDTH_MAX, .block_y = 1};
    if (arguments->stride != not_given)
        pattern->stride = arguments->stride;
    if (arguments->offset != not_given)
        pattern->offset = arguments->offset;
    if (arguments->block_text) {
        enum status status = pattern_parse_block(pattern, arguments->block_text, error);
        if (status != STATUS_OK)
            return status;
    }
    pattern->by_column = arguments->order_word && strcmp(arguments->order_word, "column") == 0;
    pattern->pitch = pattern->by_column ? pattern->block_y : pattern->block_x;
    if (arguments->pitch != not_given)
        pattern->pitch = arguments->pitch;
    return STATUS_OK;
}

static enum status understand(struct arguments *arguments, struct error *error) {
    arguments->space = strcmp(arguments->space_word, "shared") == 0 ? SPACE_SHARED : SPACE_GLOBAL;
    arguments->operation = strcmp(arguments->operation_word, "load") == 0 ? OPERATION_LOAD : OPERATION_STORE;
    if (arguments->width & (arguments->width - 1))
        return error_set(error, STATUS_USAGE, "--width %u: no width of an access: give 1, 2, 4, 8 or 16",
                         (unsigned)arguments->width);
    enum status status = choose_gpus(arguments, error);
    if (status == STATUS_OK)
        status = check_source(arguments, error);
    if (status == STATUS_OK)
        status = make_pattern(arguments, error);
    return status;
}

// The lanes that every GPU named has.
static uint32_t narrowest_warp(const struct arguments *arguments) {
    uint32_t width = WARP_WIDTH_MAX;
    for (size_t i = 0; i < arguments->gpu_count; i++)
        if (arguments->gpus[i]->warp_width < width)
            width = arguments->gpus[i]->warp_width;
    return width;
}

static struct panel make_panel(const struct arguments *arguments, const struct gpu *gpu,
                               const struct request *request) {
    struct panel panel = {.gpu = gpu, .request = *request};
    if (!arguments->addresses)
        pattern_request(&arguments->pattern, gpu->warp_width, &panel.request);
    panel.cost = request_cost(gpu, arguments->space, &panel.request);
    return panel;
}

static enum status write_svg(const struct arguments *arguments, const struct request *request, struct error *error) {
    if (arguments->gpu_count > PANELS_MAX)
        return error_set(error, STATUS_USAGE, "--svg: a picture shows %d GPUs at most: name fewer", PANELS_MAX);
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++)
        panels[i] = make_panel(arguments, arguments->gpus[i], request);
    FILE *file;
    enum status status = text_file_open(arguments->svg, &file, error);
    if (status != STATUS_OK)
        return status;
    svg_write(file, panels, arguments->gpu_count);
    return text_file_close(arguments->svg, file, error);
}

static void show(const struct arguments *arguments, const struct request *request, FILE *csv) {
    struct panel panels[PANELS_MAX];
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        struct panel panel = make_panel(arguments, arguments->gpus[i], request);
        if (csv)
            csv_row(csv, panel.gpu, &panel.request, &panel.cost);
        else
            panels[i] = panel;
    }
    if (!csv)
        picture_print(stdout, panels, arguments->gpu_count);
}

static enum status next_request(const struct arguments *arguments, struct address_reader *reader,
                                struct request *request, bool *end, struct error *error) {
    if (reader)
        return address_reader_next(reader, narrowest_warp(arguments), request, end, error);
    *end = true; // a formula is one request
    return STATUS_OK;
}

// The first request is understood before any file is written.
static enum status run(const struct arguments *arguments, struct address_reader *reader, struct error *error) {
    struct request request = {.operation = arguments->operation, .width_bytes = (uint32_t)arguments->width};
    FILE *csv = NULL;
    bool end = false;
    enum status status = next_request(arguments, reader, &request, &end, error);
    if (status == STATUS_OK && arguments->svg)
        status = write_svg(arguments, &request, error);
    if (status == STATUS_OK && arguments->csv)
        status = text_file_open(arguments->csv, &csv, error);
    if (status != STATUS_OK)
        return status;
    if (csv)
        csv_header(csv);

    show(arguments, &request, csv);
    while (!end && status == STATUS_OK) {
        status = next_request(arguments, reader, &request, &end, error);
        if (status == STATUS_OK && !end)
            show(arguments, &request, csv);
    }
    struct error closing = {0};
    enum status closed = text_file_close(arguments->csv ? arguments->csv : "-", csv ? csv : stdout, &closing);
    if (status == STATUS_OK && closed != STATUS_OK)
        *error = closing;
    return status == STATUS_OK ? closed : status;
}

static enum status start(struct arguments *arguments, struct error *error) {
    enum status status = understand(arguments, error);
    struct address_reader *reader = NULL;
    if (status == STATUS_OK && arguments->addresses)
        status = address_reader_open(arguments->addresses, &reader, error);
    if (status == STATUS_OK)
        status = run(arguments, reader, error);
    address_reader_close(reader);
    return status;
}

int main(int argc, char **argv) {
    struct arguments arguments = {.gpu_names = "h200",
                                  .space_word = "shared",
                                  .operation_word = "load",
                                  .width = 4,
                                  .stride = not_given,
                                  .offset = not_given,
                                  .pitch = not_given};
    struct option_row rows[OPTION_COUNT_MAX];
    size_t count = make_options(&arguments, rows);
    struct error error = {0};
    enum status status = options_parse(rows, count, argc, argv, &error);
    if (status == STATUS_OK) {
        if (arguments.help)
            print_help(rows, count);
        else if (arguments.version)
            puts("lanes (bankshot) " BANKSHOT_VERSION);
        else if (arguments.list_gpus)
            list_gpus();
        else
            status = start(&arguments, &error);
    }
    if (status != STATUS_OK)
        error_print("lanes", &error);
    error_clear(&error);
    return (int)status;
}
