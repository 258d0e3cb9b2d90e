#include "sim/ptx/arithmetic.h"

#include <string.h>

#include "sim/ptx/instruction.h"
#include "sim/ptx/rule.h"

static const char letters[] = "abcd";

const char *ptx_rounding_of(const struct ptx_statement *statement) {
    static const struct {
        const char *part, *constant;
    } roundings[] = {{"rz", "ROUND_ZERO"},  {"rm", "ROUND_DOWN"},  {"rp", "ROUND_UP"}, {"rna", "ROUND_AWAY"},
                     {"rzi", "ROUND_ZERO"}, {"rmi", "ROUND_DOWN"}, {"rpi", "ROUND_UP"}};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        if (ptx_has_part(statement, roundings[i].part)) {
            return roundings[i].constant;
        }
    }
    return "ROUND_NEAREST";
}

// The type of a letter in a rule; NULL and an error if there is no such type.
static const struct ptx_type *type_of(struct ptx_writer *writer, char letter) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_type *last = ptx_type_part(statement, ptx_count_types(statement) - 1), *type = last;
    switch (letter) {
    case 'W':
        type = ptx_type_of(last->class, 2 * last->bytes);
        break;
    case 'U':
        type = last->lanes > 1 ? last : ptx_type_of(PTX_CLASS_UNSIGNED, last->bytes);
        break;
    case 'u':
        type = ptx_type_named("u32");
        break;
    case 'i':
        type = ptx_type_named("s32");
        break;
    case 'p':
        type = ptx_type_named("pred");
        break;
    default:
        break;
    }
    if (!type) {
        ptx_refuse(writer, "no such type: give a PTX file that ptxas accepts");
    }
    return type;
}

// ---- The result ----

// The effects of the opcode's parts on the result, around the rule's expression.
struct wrapping {
    const char *before[6], *after;
    size_t count;
};

static void wrap(struct wrapping *wrapping, bool wanted, const char *function) {
    if (wanted) {
        wrapping->before[wrapping->count++] = function;
    }
}

static bool rounds(const struct ptx_statement *statement, const struct ptx_type *type) {
    return type->class == PTX_CLASS_FLOAT && strcmp(ptx_rounding_of(statement), "ROUND_NEAREST") != 0;
}

const char *ptx_flush_of(const struct ptx_statement *statement, const struct ptx_type *type) {
    static const char *const flushes[][2] = {{"f32", "flushed_f32"}, {"f16", "flushed_f16"}, {"bf16", "flushed_bf16"}};
    const struct ptx_type *element = ptx_type_element(type);
    for (size_t i = 0; i < sizeof flushes / sizeof *flushes && ptx_has_part(statement, "ftz"); i++) {
        if (!strcmp(element->name, flushes[i][0])) {
            return flushes[i][1];
        }
    }
    return "";
}

static void write_value(struct ptx_writer *writer, const struct ptx_rule *rule, const struct ptx_type *type) {
    const struct ptx_statement *statement = writer->statement;
    const char *flush = ptx_flush_of(statement, type);
    struct wrapping wrapping = {.count = 0};
    wrap(&wrapping, *type->to != '\0', type->to);
    wrap(&wrapping, *type->to == '\0', "");
    wrap(&wrapping, !strcmp(type->number, "float"), "(float)");
    wrap(&wrapping, *flush, flush);
    wrap(&wrapping, ptx_has_part(statement, "sat") && *type->to, "saturated");
    wrap(&wrapping, ptx_has_part(statement, "relu"), "positive_part");
    wrap(&wrapping, rounds(statement, type), "PTX_ROUNDED");
    if (*type->to == '\0') {
        fprintf(writer->out, "(%s)", type->number);
    }
    for (size_t i = 0; i < wrapping.count; i++) {
        fprintf(writer->out, "%s(", wrapping.before[i]);
    }
    fputs(rule->expression, writer->out);
    for (size_t i = 0; i < wrapping.count; i++) {
        fputc(')', writer->out);
    }
}

// ---- The operands ----

static size_t count_sources(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t wanted = strlen(rule->types), given = ptx_count_operands(writer->statement->operands);
    if (wanted != given) {
        ptx_refuse(writer, "%zu operands, %zu are expected: give a PTX file that ptxas accepts", given, wanted);
    }
    return wanted - 1;
}

static void write_source(struct ptx_writer *writer, size_t i, const struct ptx_type *type) {
    const struct ptx_operand *operand = ptx_operand(writer, i + 1);
    if (operand) {
        fprintf(writer->out, "%s %s %c = %s(", rounds(writer->statement, type) ? "volatile" : "const", type->number,
                letters[i], ptx_flush_of(writer->statement, type));
        ptx_write_number(writer, operand, type);
        fputs("); ", writer->out);
    }
}

static void write_mode(struct ptx_writer *writer, const struct ptx_type *type) {
    const struct ptx_statement *statement = writer->statement;
    if (rounds(statement, type)) {
        fprintf(writer->out, "const enum rounding mode = %s; ", ptx_rounding_of(statement));
    }
    if (ptx_count_types(statement) == 2) {
        fprintf(writer->out, "const bool first_signed = %d, last_signed = %d; ",
                ptx_type_part(statement, 0)->class == PTX_CLASS_SIGNED,
                ptx_type_part(statement, 1)->class == PTX_CLASS_SIGNED);
    }
}

static void write_single(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t sources = count_sources(writer, rule);
    const struct ptx_type *result = type_of(writer, rule->types[0]);
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!result || !target) {
        return;
    }
    write_mode(writer, result);
    for (size_t i = 0; i < sources && writer->status == STATUS_OK; i++) {
        const struct ptx_type *type = type_of(writer, rule->types[i + 1]);
        if (type) {
            write_source(writer, i, type);
        }
    }
    ptx_write_target(writer, target);
    write_value(writer, rule, result);
    fputs("; ", writer->out);
}

// Two results in one register.
static void write_packed(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t sources = count_sources(writer, rule);
    const struct ptx_type *type = type_of(writer, 'T');
    const struct ptx_operand *target = ptx_operand(writer, 0);
    const uint32_t half = type->bytes * 4; // bits
    if (!target) {
        return;
    }
    fputs("uint32_t both = 0; ", writer->out);
    for (uint32_t shift = 0; shift < 2 * half; shift += half) {
        fputs("{ ", writer->out);
        for (size_t i = 0; i < sources && writer->status == STATUS_OK; i++) {
            fprintf(writer->out, "const %s %c = %s(%s((%s)(", type->number, letters[i],
                    ptx_flush_of(writer->statement, type), type->from, type->bits);
            ptx_write_bits(writer, ptx_operand(writer, i + 1), ptx_type_of(PTX_CLASS_BITS, type->bytes));
            fprintf(writer->out, " >> %u))); ", shift);
        }
        fprintf(writer->out, "both |= (uint32_t)(%s)", type->bits);
        write_value(writer, rule, type);
        fprintf(writer->out, " << %u; } ", shift);
    }
    ptx_write_target(writer, target);
    fputs("both; ", writer->out);
}

bool ptx_write_arithmetic(struct ptx_writer *writer) {
    struct ptx_text unknown;
    const struct ptx_rule *rule = ptx_rule_find(writer->statement, &unknown);
    if (!rule) {
        if (unknown.length) {
            ptx_refuse(writer, ".%.*s is not supported here: write it with other instructions",
                       unknown.length > 40 ? 40 : (int)unknown.length, unknown.at);
        }
        return unknown.length != 0;
    }
    const struct ptx_type *type = type_of(writer, 'T');
    fputs("{ ", writer->out);
    if (type->lanes > 1 && strspn(rule->types, "TU") == strlen(rule->types)) {
        write_packed(writer, rule);
    } else {
        write_single(writer, rule);
    }
    fputs("}\n", writer->out);
    return true;
}
