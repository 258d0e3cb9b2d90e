// ldmatrix, stmatrix, movmatrix, mma
#include <inttypes.h>
#include <string.h>

#include "sim/ptx/element.h"
#include "sim/ptx/instruction.h"

static void write_meeting(struct ptx_writer *writer, const char *meet) {
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

static bool is_supported(struct ptx_writer *writer, const struct ptx_operand *list, uint32_t count) {
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
    if (!address || !is_supported(writer, list, matrices)) {
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
    if (!address || !is_supported(writer, list, matrices)) {
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
        write_meeting(writer, "meet_transpose");
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
    write_meeting(writer, "meet_multiply_f64");
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
    write_meeting(writer, "meet_multiply");
    write_products(writer, "");
}

bool ptx_write_matrix(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"ldmatrix", NULL, write_ldmatrix},
                                                  {"stmatrix", NULL, write_stmatrix},
                                                  {"movmatrix", NULL, write_movmatrix},
                                                  {"mma", "sync", write_mma}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
