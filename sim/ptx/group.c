// wgmma: products of a warp group.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/element.h"
#include "sim/ptx/instruction.h"

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

// The operands after both matrices: whether the sums begin with the old ones, then signs, then directions in memory.
struct switches {
    const struct ptx_operand *accumulates, *sign[2], *across[2];
};

static struct switches read_switches(const struct ptx_operand *operand, bool a_in_registers) {
    struct switches switches = {.accumulates = operand};
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

bool ptx_write_group(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"wgmma", "mma_async", write_mma_async},
                                                  {"wgmma", "fence", write_group_barrier},
                                                  {"wgmma", "commit_group", write_nothing},
                                                  {"wgmma", "wait_group", write_group_barrier}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
