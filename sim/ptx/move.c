// mov, cvta, isspacep
#include <inttypes.h>

#include "sim/ptx/instruction.h"

// {a, b} = c
static void write_unpack(struct ptx_writer *writer, const struct ptx_operand *list, const struct ptx_type *type) {
    const size_t count = ptx_count_operands(list->items);
    const uint32_t bits = count ? 8 * type->bytes / (uint32_t)count : 0;
    fprintf(writer->out, "const %s whole = ", type->bits);
    ptx_write_bits(writer, ptx_operand(writer, 1), type);
    fputs("; ", writer->out);
    uint32_t shift = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next, shift += bits) {
        ptx_write_target(writer, item);
        fprintf(writer->out, "(whole >> %" PRIu32 "); ", shift);
    }
}

// a = {b, c}
static void write_pack(struct ptx_writer *writer, const struct ptx_operand *list, const struct ptx_type *type) {
    const size_t count = ptx_count_operands(list->items);
    const struct ptx_type *part = count ? ptx_type_of(PTX_CLASS_BITS, type->bytes / (uint32_t)count) : NULL;
    if (!part) {
        ptx_refuse(writer, "%zu parts of .%s: give a PTX file that ptxas accepts", count, type->name);
        return;
    }
    fprintf(writer->out, "const %s whole = 0", type->bits);
    uint32_t shift = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next, shift += 8 * part->bytes) {
        fprintf(writer->out, " | (%s)", type->bits);
        ptx_write_bits(writer, item, part);
        fprintf(writer->out, " << %" PRIu32, shift);
    }
    fputs("; ", writer->out);
    ptx_write_target(writer, ptx_operand(writer, 0));
    fputs("whole; ", writer->out);
}

static void write_mov(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (!type || !target || !source) {
        ptx_refuse(writer, "its type is missing: give a PTX file that ptxas accepts");
    } else if (target->kind == PTX_OPERAND_LIST) {
        write_unpack(writer, target, type);
    } else if (source->kind == PTX_OPERAND_LIST) {
        write_pack(writer, source, type);
    } else {
        ptx_write_target(writer, target);
        ptx_write_bits(writer, source, type);
        fputs("; ", writer->out);
    }
}

static void write_cvta(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (!type || !target || !source) {
        return;
    }
    const bool shared = ptx_space_part(writer->statement) == PTX_SPACE_SHARED;
    ptx_write_target(writer, target);
    fputs(!shared ? "(" : ptx_has_part(writer->statement, "to") ? "to_shared(" : "from_shared(", writer->out);
    ptx_write_bits(writer, source, type);
    fputs("); ", writer->out);
}

// An address that is neither shared nor local is global; no address tells constants and parameters apart.
static void write_isspacep(struct ptx_writer *writer) {
    const enum ptx_space space = ptx_space_part(writer->statement);
    const bool cluster = ptx_has_part(writer->statement, "shared::cluster");
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (!target || !source) {
        return;
    }
    fputs("const uint64_t at = ", writer->out);
    ptx_write_bits(writer, source, ptx_type_named("b64"));
    fputs("; ", writer->out);
    ptx_write_target(writer, target);
    fputs(space == PTX_SPACE_SHARED   ? (cluster ? "is_of_cluster(at); " : "is_shared(at); ")
          : space == PTX_SPACE_LOCAL  ? "sim_ptx_is_local(at); "
          : space == PTX_SPACE_GLOBAL ? "(!is_of_cluster(at) && !sim_ptx_is_local(at)); "
                                      : "0; ",
          writer->out);
}

// Declares `address`, which is generic: the instruction's own addresses are if it names no space.
static void write_cluster_address(struct ptx_writer *writer, const struct ptx_operand *source,
                                  const struct ptx_type *type) {
    const bool shared = ptx_space_part(writer->statement) == PTX_SPACE_SHARED;
    fputs(shared ? "const uint64_t address = from_shared(" : "const uint64_t address = (", writer->out);
    ptx_write_bits(writer, source, type);
    fputs("); ", writer->out);
}

// mapa.shared::cluster.u32 to, address, rank;
static void write_mapa(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    const struct ptx_operand *rank = ptx_operand(writer, 2);
    if (!type || !target || !source || !rank) {
        return;
    }
    write_cluster_address(writer, source, type);
    fputs("const uint32_t rank = ", writer->out);
    ptx_write_bits(writer, rank, ptx_type_named("b32"));
    fputs("; ", writer->out);
    ptx_write_target(writer, target);
    fputs(ptx_space_part(writer->statement) == PTX_SPACE_SHARED ? "map_shared_to_rank(address, rank); "
                                                                : "map_to_rank(address, rank); ",
          writer->out);
}

static void write_getctarank(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (type && target && source) {
        write_cluster_address(writer, source, type);
        ptx_write_target(writer, target);
        fputs("rank_of(address); ", writer->out);
    }
}

bool ptx_write_move(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"mov", NULL, write_mov},
                                                  {"cvta", NULL, write_cvta},
                                                  {"isspacep", NULL, write_isspacep},
                                                  {"mapa", NULL, write_mapa},
                                                  {"getctarank", NULL, write_getctarank}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
