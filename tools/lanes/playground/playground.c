#include "tools/lanes/playground/playground.h"

#include <inttypes.h>

#include "bench/addresses.h"
#include "bench/parts_table.h"
#include "model/shared_memory.h"
#include "tools/lanes/layout/show_layouts.h"
#include "tools/lanes/picture.h"
#include "util/json_writer.h"

struct playground *playground_open(void) {
    return memory_zeros(1, sizeof(struct playground));
}

static FILE *open_output(struct playground *playground) {
    FILE *file = fmemopen(playground->output, sizeof playground->output, "w");
    return file ? file : memory_end();
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

const char *playground_describe(struct playground *playground) {
    FILE *file = open_output(playground);
    fputs("{\"gpus\":[", file);
    describe_gpus(file);
    fprintf(file, "],\"input_bytes\":%u}", (unsigned)sizeof playground->input);
    fclose(file);
    return playground->output;
}

void playground_ask(struct playground *playground, uint32_t side, uint32_t gpu, uint32_t space, uint32_t operation,
                    uint32_t atomic, uint32_t width_bytes) {
    struct panel *panel = &playground->panels[side];
    panel->gpu = &gpu_rows[gpu < gpu_row_count ? gpu : 0];
    panel->cost.space = space == SPACE_SHARED ? SPACE_SHARED : SPACE_GLOBAL;
    panel->request.operation = operation == OPERATION_LOAD ? OPERATION_LOAD : OPERATION_STORE;
    panel->request.atomic = atomic != 0;
    panel->request.width_bytes = width_bytes;
}

void playground_pattern(struct playground *playground, uint32_t side, uint32_t stride, uint32_t offset,
                        uint32_t block_x, uint32_t block_y, uint32_t pitch, uint32_t by_column, uint32_t swizzled) {
    struct panel *panel = &playground->panels[side];
    const struct pattern pattern = {.stride = stride,
                                    .offset = offset,
                                    .block_x = block_x,
                                    .block_y = block_y,
                                    .pitch = pitch,
                                    .by_column = by_column != 0,
                                    .swizzled = swizzled != 0};
    pattern_request(&pattern, panel->gpu->warp_width, &panel->request);
}

const char *playground_addresses(struct playground *playground, uint32_t side, uint32_t length, uint32_t warp_width) {
    const struct address_text text = {"addresses", playground->input, length};
    struct address_reader *reader = NULL;
    struct error error = {0};
    bool end = false;
    enum status status = address_reader_open_text(&text, &reader, &error);
    THEN(status, address_reader_next(reader, warp_width, &playground->panels[side].request, &end, &error));
    address_reader_close(reader);
    if (status == STATUS_OK) {
        return NULL;
    }
    snprintf(playground->output, sizeof playground->output, "%s", error.text);
    error_clear(&error);
    return playground->output;
}

static void write_lanes(struct json_writer *json, const char *key, uint64_t lanes) {
    json_begin_array(json, key);
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
        write_lanes(json, NULL, row->lanes[column]);
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

// As texts, because a page's numbers have fewer digits.
static void write_addresses(struct json_writer *json, const struct request *request, uint32_t warp_width) {
    json_begin_array(json, "address");
    for (uint32_t lane = 0; lane < warp_width; lane++) {
        const bool is_active = request->active >> lane & 1;
        char address[24];
        snprintf(address, sizeof address, "%" PRIu64, is_active ? request->address[lane] : 0);
        json_write_text(json, NULL, address);
    }
    json_end(json);
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
    write_lanes(json, "active", panel->request.active);
    write_addresses(json, &panel->request, panel->gpu->warp_width);
    json_begin_array(json, "groups");
    for (uint32_t group = 0; group < panel->cost.shared.groups; group++) {
        write_lanes(json, NULL, shared_memory_group_lanes(panel->gpu, &panel->request, group));
    }
    json_end(json);
    json_begin_array(json, "rows");
    for (uint32_t i = 0; i < grid->row_count; i++) {
        write_row(json, &grid->rows[i], grid->column_count);
    }
    json_end(json);
    json_end(json);
}

const char *playground_answer(struct playground *playground, uint32_t side) {
    struct panel *panel = &playground->panels[side];
    FILE *file = open_output(playground);
    struct json_writer json = json_writer(file);
    json.compact = true;
    panel->cost = request_cost(panel->gpu, panel->cost.space, &panel->request);
    grid_make(&playground->grid, panel->gpu, panel->cost.space, &panel->request);
    write_panel(&json, panel, &playground->grid);
    fclose(file);
    return playground->output;
}

const char *playground_text(struct playground *playground, uint32_t count) {
    FILE *file = open_output(playground);
    picture_print(file, playground->panels, count);
    fclose(file);
    return playground->output;
}

// ---- Layouts ----

// Sets gpus[] to those of the first `count` panels.
static void find_gpus(const struct playground *playground, uint32_t count, const struct gpu *gpus[PANELS_MAX]) {
    for (uint32_t i = 0; i < count; i++) {
        gpus[i] = playground->panels[i].gpu;
    }
}

const char *playground_layouts(struct playground *playground, uint32_t count, uint32_t rows, uint32_t columns,
                               uint32_t element_bytes) {
    static const char *const walks[] = {"store:row", "store:column", "load:row", "load:column"};
    const struct gpu *gpus[PANELS_MAX];
    const struct tile tile = {.rows = rows, .columns = columns, .element_bytes = element_bytes};
    struct layout_search search;
    struct error error = {0};
    find_gpus(playground, count, gpus);
    FILE *file = open_output(playground);
    if (layout_search_typed(&search, &tile, walks, sizeof walks / sizeof *walks, gpus, count, &error) == STATUS_OK) {
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
    const struct parts parts = {.gpus = gpus, .count = count};
    find_gpus(playground, count, gpus);
    FILE *file = open_output(playground);
    parts_write_table(file, &parts);
    fclose(file);
    return playground->output;
}
