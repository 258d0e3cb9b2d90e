// cvt
#include <string.h>

#include "sim/ptx/arithmetic.h"
#include "sim/ptx/instruction.h"

enum {
    INTEGER = PTX_CLASS_BITS | PTX_CLASS_UNSIGNED | PTX_CLASS_SIGNED
};

struct conversion {
    const struct ptx_type *to, *from;
    const char *mode;
    bool ftz, saturate, finite, relu, integral;
};

static bool is_integer(const struct ptx_type *type) {
    return type->class & INTEGER;
}

static struct conversion conversion_of(const struct ptx_statement *statement) {
    return (struct conversion){
        .to = ptx_type_part(statement, 0),
        .from = ptx_type_part(statement, 1),
        .mode = ptx_rounding_of(statement),
        .ftz = ptx_has_part(statement, "ftz"),
        .saturate = ptx_has_part(statement, "sat"),
        .finite = ptx_has_part(statement, "satfinite"),
        .relu = ptx_has_part(statement, "relu"),
        .integral = ptx_has_part(statement, "rni") || ptx_has_part(statement, "rzi") ||
                    ptx_has_part(statement, "rmi") || ptx_has_part(statement, "rpi"),
    };
}

// The source is the C variable `x`, of the number type of `from`. Writes the bits of the result.
static void write_from_integer(FILE *out, const struct conversion *c) {
    if (is_integer(c->to) && c->saturate) {
        fprintf(out, "(%s)%s((int128_t)x, %u)", c->to->number,
                c->to->class == PTX_CLASS_SIGNED ? "clamp_signed" : "clamp_unsigned", 8 * c->to->bytes);
    } else if (is_integer(c->to)) {
        fprintf(out, "(%s)x", c->to->number);
    } else if (c->saturate) {
        fprintf(out, "round_integer(&%s, ROUND_NEAREST, false, x > 0)", c->to->format); // a whole number is 0 or 1 then
    } else if (!strcmp(c->mode, "ROUND_NEAREST") && c->to->class == PTX_CLASS_FLOAT) {
        fprintf(out, "%s((%s)x)", c->to->to, c->to->number);
    } else {
        fprintf(out, "round_integer(&%s, %s, x < 0, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)", c->to->format, c->mode);
    }
}

static void write_from_real(FILE *out, const struct conversion *c) {
    const bool flush = c->ftz && !strcmp(c->from->name, "f32");
    if (is_integer(c->to)) {
        fprintf(out, "%s(%s(x), %s, %u, %d)", c->to->class == PTX_CLASS_SIGNED ? "to_signed" : "to_unsigned",
                flush ? "flushed_f32" : "", c->mode, 8 * c->to->bytes, !strcmp(c->from->name, "f64"));
        return;
    }
    if (c->to->class == PTX_CLASS_FLOAT && !c->integral && !strcmp(c->mode, "ROUND_NEAREST")) {
        fprintf(out, "%s((%s)%s(%s(x)))", c->to->to, c->to->number, c->saturate ? "saturated" : "",
                flush ? "flushed_f32" : "");
        return;
    }
    if (!strcmp(c->to->name, "tf32")) {
        fprintf(out, "round_tf32(%s(x), %s, %s)", c->relu ? "positive_part" : "", c->mode,
                c->finite ? "true" : "false");
        return;
    }
    fprintf(out, "round_number(&%s, %s, ", ptx_type_element(c->to)->format, c->integral ? "ROUND_NEAREST" : c->mode);
    fprintf(out, "%s(%s(%s(x)",
            c->saturate ? "saturated"
            : c->relu   ? "positive_part"
                        : "",
            c->integral ? "to_integral" : "", flush ? "flushed_f32" : "");
    fprintf(out, "%s%s)), %s)", c->integral ? ", " : "", c->integral ? c->mode : "", c->finite ? "true" : "false");
}

// A subnormal result is flushed only where it is a float.
static void write_result(FILE *out, const struct conversion *c) {
    const bool flush = c->ftz && !strcmp(c->to->name, "f32");
    fputs(flush ? "to_f32(flushed_f32(from_f32(" : "((", out);
    (is_integer(c->from) ? write_from_integer : write_from_real)(out, c);
    fputs(flush ? ")))" : "))", out);
}

static void write_source(struct ptx_writer *writer, const struct ptx_operand *operand, const struct ptx_type *type) {
    fprintf(writer->out, "const %s x = ", type->number);
    ptx_write_number(writer, operand, type);
    fputs("; ", writer->out);
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
static void write_two_sources(struct ptx_writer *writer, const struct conversion *c) {
    const uint32_t half = 4 * c->to->bytes;
    fputs("uint32_t both = 0; ", writer->out);
    for (uint32_t i = 0; i < 2; i++) {
        fputs("{ ", writer->out);
        write_source(writer, ptx_operand(writer, 2 - i), c->from);
        fprintf(writer->out, "both |= (uint32_t)");
        write_result(writer->out, c);
        fprintf(writer->out, " << %u; } ", i * half);
    }
    ptx_write_target(writer, ptx_operand(writer, 0));
    fputs("both; ", writer->out);
}

// cvt.rn.f16x2.e4m3x2 d, a
static void write_two_lanes(struct ptx_writer *writer, const struct conversion *c) {
    const uint32_t to_half = 4 * c->to->bytes, from_half = 4 * c->from->bytes;
    fputs("uint32_t both = 0; ", writer->out);
    for (uint32_t i = 0; i < 2; i++) {
        fprintf(writer->out, "{ const double x = %s((%s)(", c->from->from, c->from->bits);
        ptx_write_bits(writer, ptx_operand(writer, 1), ptx_type_of(PTX_CLASS_BITS, c->from->bytes));
        fprintf(writer->out, " >> %u)); both |= (uint32_t)", i * from_half);
        write_result(writer->out, c);
        fprintf(writer->out, " << %u; } ", i * to_half);
    }
    ptx_write_target(writer, ptx_operand(writer, 0));
    fputs("both; ", writer->out);
}

static void write_cvt(struct ptx_writer *writer) {
    const struct conversion c = conversion_of(writer->statement);
    const size_t operands = ptx_count_operands(writer->statement->operands);
    if (!c.to || !c.from || operands < 2 || ptx_has_part(writer->statement, "pack")) {
        ptx_refuse(writer, "this conversion is not supported: write it with other instructions");
    } else if (c.to->lanes == 2 && c.from->lanes == 1 && operands == 3) {
        write_two_sources(writer, &c);
    } else if (c.to->lanes == 2 && c.from->lanes == 2 && operands == 2) {
        write_two_lanes(writer, &c);
    } else if (c.to->lanes == 1 && c.from->lanes == 1) {
        write_source(writer, ptx_operand(writer, 1), c.from);
        ptx_write_target(writer, ptx_operand(writer, 0));
        write_result(writer->out, &c);
        fputs("; ", writer->out);
    } else {
        ptx_refuse(writer, "this conversion is not supported: write it with other instructions");
    }
}

bool ptx_write_convert(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"cvt", NULL, write_cvt}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
