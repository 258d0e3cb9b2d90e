#include "sim/ptx/instruction.h"

#include <inttypes.h>
#include <string.h>

static bool has_part_among(const struct ptx_statement *statement, const char *parts) {
    size_t i = 1;
    while (i < statement->part_count && !ptx_text_is_among(statement->parts[i], parts, '|')) {
        i++;
    }
    return i < statement->part_count;
}

bool ptx_write_by(struct ptx_writer *writer, const struct ptx_instruction *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ptx_text_is_among(writer->statement->parts[0], rows[i].opcode, '|') &&
            (!rows[i].part || has_part_among(writer->statement, rows[i].part))) {
            ptx_write(writer, "{ ");
            if (rows[i].write) {
                rows[i].write(writer);
            } else {
                ptx_write(writer, rows[i].template);
            }
            ptx_write(writer, "}\n");
            return true;
        }
    }
    return false;
}

const char *ptx_operation_of(const struct ptx_statement *statement, const struct ptx_type *type,
                             const struct ptx_operation *rows, size_t count) {
    const bool real = type->class & (PTX_CLASS_FLOAT | PTX_CLASS_HALF);
    for (size_t i = 0; i < count; i++) {
        const char *expression = real ? rows[i].reals : rows[i].integers;
        if (expression && ptx_has_part(statement, rows[i].part)) {
            return expression;
        }
    }
    return NULL;
}

enum ptx_space ptx_space_part(const struct ptx_statement *statement) {
    static const struct {
        const char *parts;
        enum ptx_space space;
    } spaces[] = {{"global", PTX_SPACE_GLOBAL},
                  {"shared|shared::cta|shared::cluster", PTX_SPACE_SHARED},
                  {"local", PTX_SPACE_LOCAL},
                  {"const", PTX_SPACE_CONST},
                  {"param|param::entry|param::func", PTX_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (has_part_among(statement, spaces[i].parts)) {
            return spaces[i].space;
        }
    }
    return PTX_SPACE_GENERIC;
}

// ---- Read, modify, write ----

// The stored value, from the value before and the lane's operand.
static const struct ptx_operation updates[] = {
    {"add", "old + value", "old + value"}, // but of f32: see ptx_update_of
    {"min", "value < old ? value : old", "least(old, value, false)"},
    {"max", "value > old ? value : old", "greatest(old, value, false)"},
    {"and", "old & value", NULL},
    {"or", "old | value", NULL},
    {"xor", "old ^ value", NULL},
    {"exch", "value", "value"},
    {"cas", "old == value ? other : old", NULL},
    {"inc", "old >= value ? 0 : old + 1", NULL},
    {"dec", "old == 0 || old > value ? value : old - 1", NULL},
};

const char *ptx_update_of(struct ptx_writer *writer, const struct ptx_type *type) {
    const char *update = ptx_operation_of(writer->statement, type, updates, sizeof updates / sizeof *updates);
    if (update && ptx_has_part(writer->statement, "add") && strcmp(ptx_type_element(type)->name, "f32") == 0) {
        update = "sum_f32(at, old, value)";
    }
    if (!update) {
        ptx_refuse(writer, "no such atomic operation on .%s: give a PTX file that ptxas accepts", type->name);
    }
    return update ? update : "0";
}

void ptx_write_combination(struct ptx_writer *writer, const struct ptx_type *type, const char *from) {
    ptx_write(
        writer,
        "{ const %s old = %s(PTX_AT(const %s, at)), value = %s(PTX_AT(const %s, %s)); PTX_AT(%s, at) = %s(%s); } ",
        type->number, type->from, type->bits, type->from, type->bits, from, type->bits, type->to,
        ptx_update_of(writer, type));
}
