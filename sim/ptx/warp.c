#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/instruction.h"
#include "sim/ptx/writer.h"

// ---- Elements of matrices that instructions multiply ----

struct ptx_element {
    const char *name, *constant; // in PTX; in C
    uint32_t per_word;           // of 32 bits
};

// The element that the opcode's n-th type names; NULL if there is none.
static const struct ptx_element *ptx_element_part(const struct ptx_statement *statement, size_t n) {
    static const struct ptx_element elements[] = {{"f16", "ELEMENT_F16", 2},   {"bf16", "ELEMENT_BF16", 2},
                                                  {"tf32", "ELEMENT_TF32", 1}, {"e4m3", "ELEMENT_E4M3", 4},
                                                  {"e5m2", "ELEMENT_E5M2", 4}, {"s8", "ELEMENT_S8", 4},
                                                  {"u8", "ELEMENT_U8", 4}};
    const struct ptx_type *type = ptx_type_part(statement, n);
    for (size_t i = 0; i < sizeof elements / sizeof *elements && type; i++) {
        if (strcmp(elements[i].name, type->name) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

// Writes `FIELD = {words}, ` with at most this many registers of the list.
static void ptx_write_words(struct ptx_writer *writer, const char *field, const struct ptx_operand *list,
                            const struct ptx_type *type, uint32_t most) {
    if (!list || list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) > most) {
        ptx_refuse(writer, "a list of registers is expected as operand %s: give a PTX file that ptxas accepts", field);
        return;
    }
    fprintf(writer->out, ".%s = {", field);
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write_number(writer, item, type);
        fputs(", ", writer->out);
    }
    fputs("}, ", writer->out);
}

// Writes `.FIELD = {...}, ` for sums of this type.
static void ptx_write_sums(struct ptx_writer *writer, const char *field, const struct ptx_type *type) {
    fprintf(writer->out, ".%s = {'%c', %d}, ", field,
            type->class == PTX_CLASS_SIGNED ? 'i'
            : type->bytes == 2              ? 'h'
                                            : 'f',
            ptx_has_part(writer->statement, "satfinite"));
}

// ---- Exchanges ----

// shfl, vote, match, redux, activemask, elect

static void write_field(struct ptx_writer *writer, const char *field, size_t n, const char *type) {
    const struct ptx_operand *operand = ptx_operand(writer, n);
    if (operand) {
        fprintf(writer->out, ".%s = ", field);
        ptx_write_bits(writer, operand, ptx_type_named(type));
        fputs(", ", writer->out);
    }
}

// Synchronizes the lanes of the mask, which is the last operand. Without one, the lanes that are there meet.
static void write_meeting(struct ptx_writer *writer, const char *meet, const struct ptx_operand *mask) {
    fputs(".mask = ", writer->out);
    if (mask) {
        ptx_write_bits(writer, mask, ptx_type_named("u32"));
    } else {
        fputs("0xffffffff", writer->out);
    }
    fprintf(writer->out, "}; sim_ptx_meet(%s, &mine, %s, ", meet, mask ? "mine.mask" : "0");
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

static void write_results(struct ptx_writer *writer, const struct ptx_operand *target) {
    ptx_write_target(writer, target);
    fputs("mine.result; ", writer->out);
    if (target->pair && !ptx_is_sink(target->pair)) {
        ptx_write_target(writer, target->pair);
        fputs("mine.inside; ", writer->out);
    }
}

// The constant of the opcode's part; NULL and an error if the opcode has none of the parts.
struct choice {
    const char *part, *constant;
};

static const char *choose(struct ptx_writer *writer, const struct choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ptx_has_part(writer->statement, choices[i].part)) {
            return choices[i].constant;
        }
    }
    ptx_refuse(writer, "this mode is not supported: give a PTX file that ptxas accepts");
    return "0";
}

#define CHOOSE(writer, choices) choose(writer, choices, sizeof(choices) / sizeof *(choices))

static void write_shfl(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"up", "SHUFFLE_UP"}, {"down", "SHUFFLE_DOWN"}, {"bfly", "SHUFFLE_BFLY"}, {"idx", "SHUFFLE_IDX"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *last = ptx_operand(writer, 3);
    if (!target || !last) {
        return;
    }
    fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
    write_field(writer, "value", 1, "b32");
    write_field(writer, "operand", 2, "b32");
    write_field(writer, "bounds", 3, "b32");
    write_meeting(writer, "meet_shuffle", last->next);
    write_results(writer, target);
}

static void write_vote(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"all", "VOTE_ALL"}, {"any", "VOTE_ANY"}, {"uni", "VOTE_UNI"}, {"ballot", "VOTE_BALLOT"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    if (target && value) {
        fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
        write_field(writer, "value", 1, "pred");
        write_meeting(writer, "meet_vote", value->next);
        write_results(writer, target);
    }
}

static void write_match(struct ptx_writer *writer) {
    static const struct choice modes[] = {{"any", "0"}, {"all", "1"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    if (target && value) {
        fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
        write_field(writer, "value", 1, ptx_has_part(writer->statement, "b64") ? "b64" : "b32");
        write_meeting(writer, "meet_match", value->next);
        write_results(writer, target);
    }
}

static void write_redux(struct ptx_writer *writer) {
    static const struct choice bits[] = {
        {"add", "REDUCE_ADD"}, {"and", "REDUCE_AND"}, {"or", "REDUCE_OR"}, {"xor", "REDUCE_XOR"}};
    static const struct choice limits[] = {{"min", "REDUCE_MIN_"}, {"max", "REDUCE_MAX_"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    const bool limit = ptx_has_part(writer->statement, "min") || ptx_has_part(writer->statement, "max");
    if (!target || !value || ptx_has_part(writer->statement, "f32")) {
        ptx_refuse(writer, "it is supported on integers only: use shfl.sync");
        return;
    }
    fprintf(writer->out, "struct exchange mine = {.kind = %s%s, ",
            limit ? CHOOSE(writer, limits) : CHOOSE(writer, bits),
            !limit                                   ? ""
            : ptx_has_part(writer->statement, "s32") ? "S32"
                                                     : "U32");
    write_field(writer, "value", 1, "b32");
    write_meeting(writer, "meet_reduce", value->next);
    write_results(writer, target);
}

static void write_activemask(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (target) {
        fputs("struct exchange mine = {", writer->out);
        write_meeting(writer, "meet_active", NULL);
        write_results(writer, target);
    }
}

// The lowest lane that has arrived is elected.
static void write_elect(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!target || !target->pair) {
        ptx_refuse(writer, "its predicate is missing: give a PTX file that ptxas accepts");
        return;
    }
    fputs("struct exchange mine = {", writer->out);
    write_meeting(writer, "meet_active", target->next);
    fputs("const uint32_t leader = (uint32_t)__builtin_ctzll(mine.result); ", writer->out);
    ptx_write_target(writer, target);
    fputs("leader; ", writer->out);
    ptx_write_target(writer, target->pair);
    fputs("(leader == sim_ptx_special(SIM_PTX_LANEID)); ", writer->out);
}

// ---- Groups ----

// wgmma: products of a warp group.

// N of m64nNkK; 0: another shape.
static uint32_t columns_of(const struct ptx_statement *statement) {
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        if (part.length > 4 && part.length < 16 && !strncmp(part.at, "m64n", 4)) {
            return (uint32_t)strtoul(part.at + 4, NULL, 10);
        }
    }
    return 0;
}

// The operands after the one that says whether the sums begin with the old ones: signs, then directions in memory.
struct switches {
    const struct ptx_operand *sign[2], *across[2];
};

static struct switches read_switches(const struct ptx_operand *operand, bool a_in_registers) {
    struct switches switches = {0};
    const struct ptx_operand **const places[] = {&switches.sign[0], &switches.sign[1], &switches.across[a_in_registers],
                                                 &switches.across[1]};
    const size_t count = sizeof places / sizeof *places - a_in_registers;
    for (size_t i = 0; i < count && operand && operand->next; i++) {
        operand = operand->next;
        *places[i] = operand;
    }
    return switches;
}

static bool is_sparse(const struct ptx_writer *writer) {
    return ptx_has_part(writer->statement, "sp");
}

// A product of single bits reads as many bytes as one of bytes.
static const struct ptx_element *element_of(const struct ptx_writer *writer, size_t n) {
    static const struct ptx_element bytes = {"u8", "ELEMENT_U8", 4};
    const struct ptx_element *element = ptx_element_part(writer->statement, n);
    return element ? element : &bytes;
}

// A sparse product has half of A's elements.
static void write_operand_matrix(struct ptx_writer *writer, const char *field, const struct ptx_operand *descriptor,
                                 const struct switches *switches, size_t n) {
    const struct ptx_operand *sign = switches->sign[n], *across = switches->across[n];
    const struct ptx_element *element = element_of(writer, n + 1);
    fprintf(writer->out, ".%s = {.type = %s, .depth = %" PRIu32 ", .negated = %d, .across = %d, .descriptor = ", field,
            element->constant, (n == 1 && is_sparse(writer) ? 16 : 8) * element->per_word,
            sign && (int64_t)sign->value < 0, across && across->value != 0);
    if (descriptor->kind == PTX_OPERAND_LIST) {
        fputc('0', writer->out);
    } else {
        ptx_write_bits(writer, descriptor, ptx_type_named("b64"));
    }
    fputs("}, ", writer->out);
}

// A warp reads its own rows of A, and a quarter of B, because the hardware gives each part of B to all four warps.
static void write_reads(struct ptx_writer *writer, uint32_t columns, bool a_in_registers) {
    fputs("const uint32_t lane = sim_ptx_special(SIM_PTX_LANEID); ", writer->out);
    if (!a_in_registers) {
        fputs("sim_ptx_access(operand_run(&mine.a, mine.first_row, 16, lane), 16, SIM_PTX_LOAD, ", writer->out);
        ptx_write_site(writer);
        fputs("); ", writer->out);
    }
    const uint32_t runs = is_sparse(writer) ? columns : columns / 2;
    fprintf(writer->out,
            "for (uint32_t n = lane; n < %" PRIu32 "; n += 32) { sim_ptx_access(operand_run(&mine.b, 0, %" PRIu32
            ", mine.first_row / 16 * %" PRIu32 " + n), 16, SIM_PTX_LOAD, ",
            runs, columns, runs);
    ptx_write_site(writer);
    fputs("); } ", writer->out);
}

static void write_registers(struct ptx_writer *writer, const struct ptx_operand *list) {
    uint32_t i = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write_target(writer, item);
        fprintf(writer->out, "mine.d[%" PRIu32 "]; ", i++);
    }
}

static void write_product(struct ptx_writer *writer, const struct ptx_type *sum, uint32_t columns, bool computed) {
    const struct ptx_operand *list = ptx_operand(writer, 0), *a = ptx_operand(writer, 1), *b = ptx_operand(writer, 2);
    const struct ptx_operand *accumulates = ptx_operand(writer, is_sparse(writer) ? 5 : 3);
    const uint32_t words = sum->bytes == 2 ? columns / 4 : columns / 2;
    if (!list || !a || !b || !accumulates) {
        return;
    }
    const bool a_in_registers = a->kind == PTX_OPERAND_LIST;
    const struct switches switches = read_switches(accumulates, a_in_registers);
    fputs("struct group_part mine = {", writer->out);
    ptx_write_words(writer, "d", list, ptx_type_named("b32"), words);
    if (a_in_registers) {
        ptx_write_words(writer, "a_words", a, ptx_type_named("b32"), 4);
    }
    write_operand_matrix(writer, "a", a, &switches, 0);
    write_operand_matrix(writer, "b", b, &switches, 1);
    ptx_write_sums(writer, "sums", sum);
    fprintf(writer->out, ".columns = %" PRIu32 ", .a_in_registers = %d, .accumulates = ", columns, a_in_registers);
    ptx_write_bits(writer, accumulates, ptx_type_named("pred"));
    fputs(", .first_row = sim_ptx_special(SIM_PTX_WARPID) % 4 * 16}; ", writer->out);
    write_reads(writer, columns, a_in_registers);
    if (!computed) {
        ptx_leave_out(writer, list->items);
        return;
    }
    ptx_write_meeting_for_access(writer, "meet_group_multiply");
    write_registers(writer, list);
}

static void write_mma_async(struct ptx_writer *writer) {
    const struct ptx_type *sum = ptx_type_part(writer->statement, 0);
    const struct ptx_element *a = ptx_element_part(writer->statement, 1), *b = ptx_element_part(writer->statement, 2);
    const uint32_t columns = columns_of(writer->statement);
    if (!sum || columns == 0 || columns > 256 || columns % 8 != 0) {
        ptx_refuse(writer, "a product of .m64n8 to .m64n256 is expected: give a PTX file that ptxas accepts");
        return;
    }
    write_product(writer, sum, columns, a && b && !is_sparse(writer));
}

static void write_nothing(struct ptx_writer *writer) {
    (void)writer; // products are complete when they are issued
}

// A product is the work of four warps together: it begins when all of them have come, and none goes on before it is
// complete. The numbers are above those that kernels use.
static void write_group_barrier(struct ptx_writer *writer) {
    fputs("sim_ptx_block_barrier(16 + sim_ptx_special(SIM_PTX_WARPID) / 4, 128, false, ", writer->out);
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

// ---- ldmatrix and mma ----

// ldmatrix, stmatrix, movmatrix, mma

static void write_matrix_meeting(struct ptx_writer *writer, const char *meet) {
    fprintf(writer->out, "sim_ptx_meet(%s, &mine, 0xffffffff, ", meet);
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

static void write_moves(struct ptx_writer *writer, const char *direction, uint32_t matrices) {
    char meet[32];
    snprintf(meet, sizeof meet, "meet_%s_matrix_%" PRIu32, direction, matrices);
    ptx_write_meeting_for_access(writer, meet);
}

static uint32_t matrices_of(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "x4") ? 4 : ptx_has_part(statement, "x2") ? 2 : 1;
}

// Each lane that holds a row's address accesses the row's 16 bytes.
static void write_rows(struct ptx_writer *writer, uint32_t matrices, const char *operation) {
    fprintf(writer->out, "if (sim_ptx_special(SIM_PTX_LANEID) < %" PRIu32 ") { sim_ptx_access(at, 16, %s, ",
            8 * matrices, operation);
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

static bool is_supported_matrix(struct ptx_writer *writer, const struct ptx_operand *list, uint32_t count) {
    const bool whole = ptx_has_part(writer->statement, "m8n8") && ptx_has_part(writer->statement, "b16");
    if (!whole || !list || list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) != count) {
        ptx_refuse(writer, "only .m8n8 of .b16 is supported, with a register for each matrix");
        return false;
    }
    return true;
}

static void write_ldmatrix(struct ptx_writer *writer) {
    const uint32_t matrices = matrices_of(writer->statement);
    const struct ptx_operand *list = ptx_operand(writer, 0), *address = ptx_operand(writer, 1);
    if (!address || !is_supported_matrix(writer, list, matrices)) {
        return;
    }
    fputs("const uint64_t at = ", writer->out);
    ptx_write_address(writer, address, ptx_space_part(writer->statement));
    fprintf(writer->out, "; struct matrix_part mine = {.transposed = %d}; ", ptx_has_part(writer->statement, "trans"));
    write_rows(writer, matrices, "SIM_PTX_LOAD");
    fputs("__builtin_memcpy(mine.row, (const void *)(uintptr_t)at, 16); } ", writer->out);
    write_moves(writer, "load", matrices);
    uint32_t m = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write_target(writer, item);
        fprintf(writer->out, "mine.pair[%" PRIu32 "]; ", m++);
    }
}

static void write_pairs(struct ptx_writer *writer, const struct ptx_operand *item) {
    fputs(".pair = {", writer->out);
    for (; item; item = item->next) {
        ptx_write_bits(writer, item, ptx_type_named("b32"));
        fputs(", ", writer->out);
    }
    fputs("}", writer->out);
}

static void write_stmatrix(struct ptx_writer *writer) {
    const uint32_t matrices = matrices_of(writer->statement);
    const struct ptx_operand *address = ptx_operand(writer, 0), *list = ptx_operand(writer, 1);
    if (!address || !is_supported_matrix(writer, list, matrices)) {
        return;
    }
    fputs("const uint64_t at = ", writer->out);
    ptx_write_address(writer, address, ptx_space_part(writer->statement));
    fprintf(writer->out, "; struct matrix_part mine = {.transposed = %d, ", ptx_has_part(writer->statement, "trans"));
    write_pairs(writer, list->items);
    fputs("}; ", writer->out);
    write_moves(writer, "store", matrices);
    write_rows(writer, matrices, "SIM_PTX_STORE");
    fputs("__builtin_memcpy((void *)(uintptr_t)at, mine.row, 16); } ", writer->out);
}

static void write_movmatrix(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (target && source) {
        fputs("struct matrix_part mine = {", writer->out);
        write_pairs(writer, source);
        fputs("}; ", writer->out);
        write_matrix_meeting(writer, "meet_transpose");
        ptx_write_target(writer, target);
        fputs("mine.pair[0]; ", writer->out);
    }
}

// ---- mma ----

// K of m16n8kK; 0: another shape.
static uint32_t depth_of(const struct ptx_statement *statement) {
    static const struct {
        const char *part;
        uint32_t depth;
    } shapes[] = {{"m16n8k4", 4}, {"m16n8k8", 8}, {"m16n8k16", 16}, {"m16n8k32", 32}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (ptx_has_part(statement, shapes[i].part)) {
            return shapes[i].depth;
        }
    }
    return 0;
}

static void write_fragments(struct ptx_writer *writer, const struct ptx_type *type, uint32_t a, uint32_t b,
                            uint32_t c) {
    ptx_write_words(writer, "a", ptx_operand(writer, 1), type, a);
    ptx_write_words(writer, "b", ptx_operand(writer, 2), type, b);
    ptx_write_words(writer, "c", ptx_operand(writer, 3), type, c);
    fputs("}; ", writer->out);
}

static void write_products(struct ptx_writer *writer, const char *to) {
    const struct ptx_operand *list = ptx_operand(writer, 0);
    uint32_t i = 0;
    for (const struct ptx_operand *item = list && list->kind == PTX_OPERAND_LIST ? list->items : NULL; item && i < 4;
         item = item->next) {
        ptx_write_target(writer, item);
        fprintf(writer->out, "%s(mine.d[%" PRIu32 "]); ", to, i++);
    }
}

void ptx_write_product_f64(struct ptx_writer *writer) {
    const struct ptx_operand *list = ptx_operand(writer, 1);
    if (!list || list->kind != PTX_OPERAND_LIST) {
        ptx_refuse(writer, "lists of registers are expected: give a PTX file that ptxas accepts");
        return;
    }
    fputs("struct double_part mine = {", writer->out);
    write_fragments(writer, ptx_type_named("f64"), 1, 1, 2);
    write_matrix_meeting(writer, "meet_multiply_f64");
    write_products(writer, "to_f64");
}

static void write_mma(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_type *result = ptx_type_part(statement, 0);
    const struct ptx_element *a = ptx_element_part(statement, 1), *b = ptx_element_part(statement, 2);
    const uint32_t depth = depth_of(statement);
    if (ptx_has_part(statement, "m8n8k4") && result && !strcmp(result->name, "f64")) {
        ptx_write_product_f64(writer);
        return;
    }
    const bool plain = ptx_count_operands(statement->operands) <= 4; // neither sparse nor with scales
    if (!result || !a || !b || depth < 4 * a->per_word || depth > 8 * a->per_word || !plain) {
        const struct ptx_operand *list = ptx_operand(writer, 0);
        ptx_leave_out(writer, list && list->kind == PTX_OPERAND_LIST ? list->items : list);
        return;
    }
    fprintf(writer->out, "struct product_part mine = {.depth = %" PRIu32 ", .a_type = %s, .b_type = %s, ", depth,
            a->constant, b->constant);
    ptx_write_sums(writer, "sums", result);
    write_fragments(writer, ptx_type_named("b32"), 4, 2, 4);
    write_matrix_meeting(writer, "meet_multiply");
    write_products(writer, "");
}

// ---- wmma ----

// wmma: a warp loads, multiplies and stores matrices.

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

static bool is_supported_fragment(struct ptx_writer *writer, const struct shape *shape, const struct ptx_type *type) {
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
    if (!list || !address || !is_supported_fragment(writer, &shape, type)) {
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
static void write_wmma(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const size_t types = ptx_count_types(statement);
    const struct ptx_type *d_type = ptx_type_part(statement, 0);
    const struct ptx_element *element = types > 2 ? ptx_element_part(statement, 1) : NULL;
    const struct shape shape = shape_of(statement);
    if (d_type && !strcmp(d_type->name, "f64")) {
        ptx_write_product_f64(writer);
        return;
    }
    if (!is_supported_fragment(writer, &shape, types > 2 && !element ? NULL : d_type)) {
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

// ---- The rows ----

bool ptx_write_warp(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"shfl", NULL, write_shfl},
                                                  {"vote", NULL, write_vote},
                                                  {"match", NULL, write_match},
                                                  {"redux", NULL, write_redux},
                                                  {"elect", NULL, write_elect},
                                                  {"activemask", NULL, write_activemask},
                                                  {"wgmma", "mma_async", write_mma_async},
                                                  {"wgmma", "fence", write_group_barrier},
                                                  {"wgmma", "commit_group", write_nothing},
                                                  {"wgmma", "wait_group", write_group_barrier},
                                                  {"ldmatrix", NULL, write_ldmatrix},
                                                  {"stmatrix", NULL, write_stmatrix},
                                                  {"movmatrix", NULL, write_movmatrix},
                                                  {"mma", "sync", write_mma},
                                                  {"wmma", "load", write_load},
                                                  {"wmma", "store", write_store},
                                                  {"wmma", "mma", write_wmma}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
