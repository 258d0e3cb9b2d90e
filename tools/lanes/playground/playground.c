#include "tools/lanes/playground/playground.h"

#include <stddef.h>
#include <string.h>

#include "bench/addresses.h"
#include "bench/parts_table.h"
#include "model/shared_memory.h"
#include "tools/lanes/layout/show_layouts.h"
#include "tools/lanes/output.h"
#include "tools/lanes/picture.h"

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
#define QUESTION(member) #member, offsetof(struct playground_panel, question.member)
#define ANSWER(member) #member, offsetof(struct playground_panel, answer.member)
    static const struct {
        const char *name;
        size_t at;
    } members[] = {
        {QUESTION(gpu)},
        {QUESTION(space)},
        {QUESTION(request.operation)},
        {QUESTION(request.atomic)},
        {QUESTION(request.width_bytes)},
        {QUESTION(request.active)},
        {QUESTION(request.address)},
        {ANSWER(active_lanes)},
        {ANSWER(unique_bytes)},
        {ANSWER(passes)},
        {ANSWER(conflicts)},
        {ANSWER(groups)},
        {ANSWER(certainty)},
        {ANSWER(sectors)},
        {ANSWER(full_sectors)},
        {ANSWER(lines)},
        {ANSWER(columns)},
        {ANSWER(bank_bytes)},
        {ANSWER(row_count)},
        {ANSWER(group)},
        {ANSWER(cell_count)},
        {ANSWER(cells)},
        {ANSWER(rows)},
    };
#undef QUESTION
#undef ANSWER
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
    fprintf(file, "},\"panel_bytes\":%u,\"row_bytes\":%u,\"row_label\":%u,\"row_extra\":%u,",
            (unsigned)sizeof(struct playground_panel), (unsigned)sizeof(struct playground_row),
            (unsigned)offsetof(struct playground_row, label), (unsigned)offsetof(struct playground_row, extra));
    fprintf(file, "\"input\":%u,\"input_bytes\":%u}", (unsigned)offsetof(struct playground, input),
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
    THEN(status, address_reader_next(reader, warp_width, &playground->panels->question.request, &end, &error));
    address_reader_close(reader);
    if (status == STATUS_OK) {
        return NULL;
    }
    snprintf(playground->output, sizeof playground->output, "%s", error.text);
    error_clear(&error);
    return playground->output;
}

static void fill_cost(struct playground_answer *answer, const struct gpu *gpu, enum space space,
                      const struct request *request) {
    const struct cost cost = request_cost(gpu, space, request);
    answer->active_lanes = cost.active_lanes;
    answer->unique_bytes = cost.unique_bytes;
    answer->passes = cost.shared.passes;
    answer->conflicts = cost.shared.conflicts;
    answer->groups = cost.shared.groups;
    answer->certainty = cost.shared.certainty;
    answer->sectors = cost.global.sectors;
    answer->full_sectors = cost.global.full_sectors;
    answer->lines = cost.global.lines;
    if (space == SPACE_SHARED) {
        answer->bank_bytes = shared_memory_location(gpu, request, 0).bank_bytes;
    }
    for (uint32_t group = 0; group < cost.shared.groups; group++) {
        for (uint64_t left = shared_memory_group_lanes(gpu, request, group); left; left &= left - 1) {
            answer->group[__builtin_ctzll(left)] = (uint8_t)group;
        }
    }
}

// Says for each lane which cells of the row serve it.
static void add_cells(struct playground_answer *answer, const struct grid *grid, uint32_t row) {
    for (uint32_t column = 0; column < grid->column_count; column++) {
        for (uint64_t left = grid->rows[row].lanes[column]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            if (answer->cell_count[lane] < PLAYGROUND_CELLS_MAX) {
                answer->cells[lane][answer->cell_count[lane]++] =
                    (struct playground_cell){(uint8_t)row, (uint8_t)column};
            }
        }
    }
}

static void fill_rows(struct playground_answer *answer, const struct grid *grid) {
    answer->columns = grid->column_count;
    answer->row_count = grid->row_count;
    for (uint32_t i = 0; i < grid->row_count; i++) {
        const struct grid_row *from = &grid->rows[i];
        struct playground_row *to = &answer->rows[i];
        *to = (struct playground_row){.paid = from->paid, .extra = from->extra};
        memcpy(to->label, from->label, sizeof to->label);
        add_cells(answer, grid, i);
    }
}

void playground_answer(struct playground *playground, struct playground_panel *panel) {
    const struct playground_question *question = &panel->question;
    const struct gpu *gpu = gpu_of(question);
    struct playground_answer *answer = &panel->answer;
    memset(answer, 0, offsetof(struct playground_answer, rows));
    fill_cost(answer, gpu, space_of(question), &question->request);
    grid_make(&playground->grid, gpu, space_of(question), &question->request);
    fill_rows(answer, &playground->grid);
}

static struct panel panel_of(const struct playground_question *question) {
    struct panel panel = {.gpu = gpu_of(question), .request = question->request};
    panel.cost = request_cost(panel.gpu, space_of(question), &panel.request);
    return panel;
}

const char *playground_text(struct playground *playground, uint32_t count) {
    struct panel panels[PANELS_MAX];
    for (uint32_t i = 0; i < count && i < PANELS_MAX; i++) {
        panels[i] = panel_of(&playground->panels[i].question);
    }
    FILE *file = open_output(playground);
    picture_print(file, panels, count);
    fclose(file);
    return playground->output;
}

const char *playground_summary(struct playground *playground, const struct playground_panel *panel) {
    const struct panel shown = panel_of(&panel->question);
    char lines[SUMMARY_LINES][SUMMARY_WIDTH];
    panel_summary(&shown, lines);
    snprintf(playground->output, sizeof playground->output, "%s\n%s\n%s", lines[0], lines[1], lines[2]);
    return playground->output;
}

// ---- Layouts ----

// Sets gpus[] to those of the first `count` questions; returns their number.
static uint32_t gpus_of(const struct playground *playground, uint32_t count, const struct gpu *gpus[PANELS_MAX]) {
    uint32_t found = 0;
    for (; found < count && found < PANELS_MAX; found++) {
        gpus[found] = gpu_of(&playground->panels[found].question);
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
