#include "tools/lanes/playground/playground.h"

#include <stddef.h>
#include <string.h>

#include "bench/addresses.h"
#include "bench/parts_table.h"
#include "model/shared_memory.h"
#include "tools/lanes/layout/show_layouts.h"
#include "tools/lanes/output.h"
#include "tools/lanes/picture.h"
#include "util/json_writer.h"

struct playground *playground_open(void) {
    return memory_zeros(1, sizeof(struct playground));
}

static FILE *open_output(struct playground *playground) {
    FILE *file = fmemopen(playground->output, sizeof playground->output, "w");
    return file ? file : memory_end();
}

static const struct gpu *gpu_of(const struct playground_question *question) {
    return &gpu_rows[question->gpu < gpu_row_count ? question->gpu : 0];
}

static enum space space_of(const struct playground_question *question) {
    return question->space == SPACE_SHARED ? SPACE_SHARED : SPACE_GLOBAL;
}

static void describe_gpus(FILE *file) {
    for (size_t i = 0; i < gpu_row_count; i++) {
        const struct gpu *gpu = &gpu_rows[i];
        fprintf(file,
                "%s{\"name\":\"%s\",\"title\":\"%s\",\"arch\":\"%s\",\"vendor\":\"%s\",\"warp_width\":%u,"
                "\"sector_bytes\":%u,\"line_bytes\":%u,\"pass_bytes\":%u}",
                i ? "," : "", gpu->name, gpu->title, gpu->arch, gpu->vendor == VENDOR_AMD ? "AMD" : "NVIDIA",
                gpu->warp_width, gpu->sector_bytes, gpu->line_bytes, shared_memory_pass_bytes(gpu));
    }
}

static void describe_members(FILE *file) {
#define MEMBER(member) #member, offsetof(struct playground_question, member)
    static const struct {
        const char *name;
        size_t at;
    } members[] = {
        {MEMBER(gpu)},
        {MEMBER(space)},
        {MEMBER(request.operation)},
        {MEMBER(request.atomic)},
        {MEMBER(request.width_bytes)},
        {MEMBER(request.active)},
        {MEMBER(request.address)},
    };
#undef MEMBER
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        fprintf(file, "%s\"%s\":%u", i ? "," : "", members[i].name, (unsigned)members[i].at);
    }
}

const char *playground_describe(struct playground *playground) {
    FILE *file = open_output(playground);
    fputs("{\"gpus\":[", file);
    describe_gpus(file);
    fputs("],\"members\":{", file);
    describe_members(file);
    fprintf(file, "},\"question_bytes\":%u,\"input\":%u,\"input_bytes\":%u}",
            (unsigned)sizeof(struct playground_question), (unsigned)offsetof(struct playground, input),
            (unsigned)sizeof playground->input);
    fclose(file);
    return playground->output;
}

void playground_pattern(struct playground_question *question, uint32_t stride, uint32_t offset, uint32_t block_x,
                        uint32_t block_y, uint32_t pitch, uint32_t by_column, uint32_t swizzled) {
    const struct pattern pattern = {.stride = stride,
                                    .offset = offset,
                                    .block_x = block_x,
                                    .block_y = block_y,
                                    .pitch = pitch,
                                    .by_column = by_column != 0,
                                    .swizzled = swizzled != 0};
    pattern_request(&pattern, gpu_of(question)->warp_width, &question->request);
}

const char *playground_addresses(struct playground *playground, uint32_t length, uint32_t warp_width) {
    const struct address_text text = {"addresses", playground->input, length};
    struct address_reader *reader = NULL;
    struct error error = {0};
    bool end = false;
    enum status status = address_reader_open_text(&text, &reader, &error);
    THEN(status, address_reader_next(reader, warp_width, &playground->questions->request, &end, &error));
    address_reader_close(reader);
    if (status == STATUS_OK) {
        return NULL;
    }
    snprintf(playground->output, sizeof playground->output, "%s", error.text);
    error_clear(&error);
    return playground->output;
}

static struct panel panel_of(const struct playground_question *question) {
    struct panel panel = {.gpu = gpu_of(question), .request = question->request};
    panel.cost = request_cost(panel.gpu, space_of(question), &panel.request);
    return panel;
}

static void write_lanes(struct json_writer *json, uint64_t lanes) {
    json_begin_array(json, NULL);
    for (uint64_t left = lanes; left; left &= left - 1) {
        json_write_count(json, NULL, (uint64_t)__builtin_ctzll(left));
    }
    json_end(json);
}

static void write_row(struct json_writer *json, const struct grid_row *row, uint32_t columns) {
    json_begin_object(json, NULL);
    json_write_text(json, "label", row->label);
    json_write_bool(json, "extra", row->extra);
    json_begin_array(json, "paid");
    for (uint32_t column = 0; column < columns; column++) {
        json_write_bool(json, NULL, row->paid >> column & 1);
    }
    json_end(json);
    json_begin_array(json, "lanes");
    for (uint32_t column = 0; column < columns; column++) {
        write_lanes(json, row->lanes[column]);
    }
    json_end(json);
    json_end(json);
}

static void write_counts(struct json_writer *json, const struct panel *panel, const struct grid *grid) {
    const struct cost *cost = &panel->cost;
    const bool shared = cost->space == SPACE_SHARED;
    json_write_count(json, "active_lanes", cost->active_lanes);
    json_write_count(json, "unique_bytes", cost->unique_bytes);
    json_write_count(json, "passes", cost->shared.passes);
    json_write_count(json, "conflicts", cost->shared.conflicts);
    json_write_count(json, "sectors", cost->global.sectors);
    json_write_count(json, "full_sectors", cost->global.full_sectors);
    json_write_count(json, "lines", cost->global.lines);
    json_write_count(json, "columns", grid->column_count);
    json_write_count(json, "bank_bytes",
                     shared ? shared_memory_location(panel->gpu, &panel->request, 0).bank_bytes : 0);
}

static void write_panel(struct json_writer *json, const struct panel *panel, const struct grid *grid) {
    char lines[SUMMARY_LINES][SUMMARY_WIDTH];
    panel_summary(panel, lines);
    json_begin_object(json, NULL);
    write_counts(json, panel, grid);
    json_begin_array(json, "summary");
    for (size_t i = 0; i < SUMMARY_LINES; i++) {
        json_write_text(json, NULL, lines[i]);
    }
    json_end(json);
    json_begin_array(json, "groups");
    for (uint32_t group = 0; group < panel->cost.shared.groups; group++) {
        write_lanes(json, shared_memory_group_lanes(panel->gpu, &panel->request, group));
    }
    json_end(json);
    json_begin_array(json, "rows");
    for (uint32_t i = 0; i < grid->row_count; i++) {
        write_row(json, &grid->rows[i], grid->column_count);
    }
    json_end(json);
    json_end(json);
}

const char *playground_answer(struct playground *playground, const struct playground_question *question) {
    const struct panel panel = panel_of(question);
    FILE *file = open_output(playground);
    struct json_writer json = json_writer(file);
    json.compact = true;
    grid_make(&playground->grid, panel.gpu, panel.cost.space, &panel.request);
    write_panel(&json, &panel, &playground->grid);
    fclose(file);
    return playground->output;
}

const char *playground_text(struct playground *playground, uint32_t count) {
    struct panel panels[PANELS_MAX];
    for (uint32_t i = 0; i < count && i < PANELS_MAX; i++) {
        panels[i] = panel_of(&playground->questions[i]);
    }
    FILE *file = open_output(playground);
    picture_print(file, panels, count);
    fclose(file);
    return playground->output;
}

// ---- Layouts ----

// Sets gpus[] to those of the first `count` questions; returns their number.
static uint32_t gpus_of(const struct playground *playground, uint32_t count, const struct gpu *gpus[PANELS_MAX]) {
    uint32_t found = 0;
    for (; found < count && found < PANELS_MAX; found++) {
        gpus[found] = gpu_of(&playground->questions[found]);
    }
    return found;
}

const char *playground_layouts(struct playground *playground, uint32_t count, uint32_t rows, uint32_t columns,
                               uint32_t element_bytes) {
    static const char *const walks[] = {"store:row", "store:column", "load:row", "load:column"};
    const struct gpu *gpus[PANELS_MAX];
    const uint32_t gpu_count = gpus_of(playground, count, gpus);
    const struct tile tile = {.rows = rows, .columns = columns, .element_bytes = element_bytes};
    struct layout_search search;
    struct error error = {0};
    FILE *file = open_output(playground);
    if (layout_search_typed(&search, &tile, walks, sizeof walks / sizeof *walks, gpus, gpu_count, &error) ==
        STATUS_OK) {
        layouts_print(file, &search);
    } else {
        fprintf(file, "%s\n", error.text);
    }
    layout_search_clear(&search);
    error_clear(&error);
    fclose(file);
    return playground->output;
}

// ---- Parts ----

const char *playground_parts(struct playground *playground, uint32_t count) {
    const struct gpu *gpus[PANELS_MAX];
    const struct parts parts = {.gpus = gpus, .count = gpus_of(playground, count, gpus)};
    FILE *file = open_output(playground);
    parts_write_table(file, &parts);
    fclose(file);
    return playground->output;
}
