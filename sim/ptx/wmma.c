// wmma: a warp loads, multiplies and stores matrices.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/element.h"
#include "sim/ptx/instruction.h"

struct shape {
    uint32_t rows, columns, depth;
};

// mMnNkK; all 0: none is named.
static struct shape shape_of(const struct ptx_statement *statement) {
    struct shape shape = {0};
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        char name[16] = "";
        if (part.length < sizeof name) {
            memcpy(name, part.at, part.length);
        }
        if (sscanf(name, "m%" SCNu32 "n%" SCNu32 "k%" SCNu32, &shape.rows, &shape.columns, &shape.depth) == 3) {
            return shape;
        }
    }
    return (struct shape){0};
}

static bool is_supported(struct ptx_writer *writer, const struct shape *shape, const struct ptx_type *type) {
    static const struct shape shapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}, {8, 8, 4}};
    bool known = false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && type; i++) {
        known |= !memcmp(shape, &shapes[i], sizeof *shape) && (shape->depth == 4) == (type->bytes == 8);
    }
    if (!known) {
        ptx_refuse(writer, "this matrix is not supported: use elements of f16, bf16, tf32, s8, u8 or f64");
    }
    return known;
}

// Whether the opcode names this matrix, such as "a" in wmma.load.a, or this operation.
static bool is_of(const struct ptx_writer *writer, const char *letter) {
    return ptx_has_part(writer->statement, letter);
}

// How a matrix lies in memory and in registers.
struct layout {
    uint32_t bytes, per_lane, lines, tiles, stride;
    bool across, is_sum;
};

static struct layout layout_of(const struct ptx_writer *writer, const struct shape *shape,
                               const struct ptx_type *type) {
    const bool column = ptx_has_part(writer->statement, "col");
    const bool is_a = is_of(writer, "a"), is_b = is_of(writer, "b"), by_column = shape->rows == 8 && shape->columns > 8;
    struct layout layout = {.bytes = type->bytes, .is_sum = !is_a && !is_b};
    const uint32_t rows = is_b ? shape->depth : shape->rows, columns = is_a ? shape->depth : shape->columns;
    layout.per_lane = layout.is_sum ? 2 : type->bytes > 4 ? 1 : 4 / type->bytes;
    layout.across = column != (is_b || (layout.is_sum && by_column));
    layout.lines = is_b || (layout.is_sum && by_column) ? columns : rows;
    layout.tiles = rows * columns / (32 * layout.per_lane);
    layout.stride = column ? rows : columns;
    return layout;
}

static void write_fragment(struct ptx_writer *writer, const struct layout *layout, const struct ptx_operand *address,
                           const struct ptx_operand *stride) {
    fprintf(writer->out,
            "struct fragment mine = {.shape = {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %d}, .at = ",
            layout->bytes, layout->per_lane, layout->lines, layout->tiles, layout->across);
    ptx_write_address(writer, address, ptx_space_part(writer->statement));
    fputs(", .stride = ", writer->out);
    if (stride) {
        ptx_write_number(writer, stride, ptx_type_named("u32"));
    } else {
        fprintf(writer->out, "%" PRIu32, layout->stride);
    }
}

static void write_requests(struct ptx_writer *writer, const struct layout *layout, const char *operation) {
    const bool matrices = ptx_space_part(writer->statement) == PTX_SPACE_SHARED && is_of(writer, "load") &&
                          !layout->is_sum && layout->bytes <= 2 && (!layout->across || layout->bytes == 2);
    fputs(matrices ? "const uint32_t at_once = fragment_tiles_at_once(&mine.shape); "
                     "for (uint32_t n = 0; n < mine.shape.tiles / at_once; n++) { "
                     "if (sim_ptx_special(SIM_PTX_LANEID) < 8 * at_once) { sim_ptx_access(fragment_run(&mine, n), 16, "
                   : "for (uint32_t n = 0; n < fragment_requests(&mine.shape); n++) { { "
                     "sim_ptx_access(fragment_request(&mine, n), fragment_width(&mine.shape), ",
          writer->out);
    fprintf(writer->out, "%s, ", operation);
    ptx_write_site(writer);
    fputs("); } } ", writer->out);
}

// More registers than the fragment needs, as A and B of f16 have, hold it once more.
static void write_targets(struct ptx_writer *writer, const struct ptx_operand *list, const char *field,
                          uint32_t count) {
    uint32_t i = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write_target(writer, item);
        fprintf(writer->out, "mine.%s[%" PRIu32 "]; ", field, i++ % count);
    }
}

static uint32_t registers_of(const struct layout *layout) {
    const uint32_t bytes = layout->tiles * layout->per_lane * layout->bytes;
    return layout->bytes > 4 ? bytes / 8 : bytes / 4;
}

static const char *field_of(const struct layout *layout) {
    return layout->bytes > 4 ? "longs" : "words";
}

static bool is_list(struct ptx_writer *writer, const struct ptx_operand *operand, uint32_t least) {
    const bool fits = operand && operand->kind == PTX_OPERAND_LIST && ptx_count_operands(operand->items) >= least &&
                      ptx_count_operands(operand->items) <= 8;
    if (!fits) {
        ptx_refuse(writer, "a list of registers is expected: give a PTX file that ptxas accepts");
    }
    return fits;
}

static void write_move(struct ptx_writer *writer, bool load) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct shape shape = shape_of(writer->statement);
    const struct ptx_operand *list = ptx_operand(writer, load ? 0 : 1), *address = ptx_operand(writer, load ? 1 : 0);
    if (!list || !address || !is_supported(writer, &shape, type)) {
        return;
    }
    const struct layout layout = layout_of(writer, &shape, type);
    if (!is_list(writer, list, registers_of(&layout))) {
        return;
    }
    const bool has_stride = ptx_count_operands(writer->statement->operands) > 2;
    write_fragment(writer, &layout, address, has_stride ? ptx_operand(writer, 2) : NULL);
    if (!load) {
        fputs(", ", writer->out);
        ptx_write_words(writer, field_of(&layout), list, ptx_type_named(layout.bytes > 4 ? "b64" : "b32"), 8);
    }
    fputs("}; ", writer->out);
    write_requests(writer, &layout, load ? "SIM_PTX_LOAD" : "SIM_PTX_STORE");
    ptx_write_meeting_for_access(writer, load ? "meet_load_fragment" : "meet_store_fragment");
    if (load) {
        write_targets(writer, list, field_of(&layout), registers_of(&layout));
    }
}

static void write_load(struct ptx_writer *writer) {
    write_move(writer, true);
}

static void write_store(struct ptx_writer *writer) {
    write_move(writer, false);
}

// wmma.mma names the types of D and C, and between them those of A and B unless they are f16.
static void write_mma(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const size_t types = ptx_count_types(statement);
    const struct ptx_type *d_type = ptx_type_part(statement, 0);
    const struct ptx_element *element = types > 2 ? ptx_element_part(statement, 1) : NULL;
    const struct shape shape = shape_of(statement);
    if (d_type && !strcmp(d_type->name, "f64")) {
        ptx_write_product_f64(writer);
        return;
    }
    if (!is_supported(writer, &shape, types > 2 && !element ? NULL : d_type)) {
        return;
    }
    fprintf(writer->out,
            "struct fragments mine = {.rows = %" PRIu32 ", .columns = %" PRIu32 ", .depth = %" PRIu32 ", .type = %s, ",
            shape.rows, shape.columns, shape.depth, element ? element->constant : "ELEMENT_F16");
    ptx_write_sums(writer, "d_sums", d_type);
    ptx_write_sums(writer, "c_sums", ptx_type_part(statement, types - 1));
    ptx_write_words(writer, "a", ptx_operand(writer, 1), ptx_type_named("b32"), 8);
    ptx_write_words(writer, "b", ptx_operand(writer, 2), ptx_type_named("b32"), 8);
    ptx_write_words(writer, "c", ptx_operand(writer, 3), ptx_type_named("b32"), 8);
    fputs("}; ", writer->out);
    ptx_write_meeting_for_access(writer, "meet_multiply_fragments");
    const struct ptx_operand *list = ptx_operand(writer, 0);
    if (is_list(writer, list, 4)) {
        write_targets(writer, list, "d", 8);
    }
}

bool ptx_write_wmma(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {
        {"wmma", "load", write_load}, {"wmma", "store", write_store}, {"wmma", "mma", write_mma}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
