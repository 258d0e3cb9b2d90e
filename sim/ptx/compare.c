// setp, set, selp, slct
#include "sim/ptx/arithmetic.h"
#include "sim/ptx/instruction.h"

static const struct ptx_operation comparisons[] = {
    {"eq", "a == b", "a == b"},
    {"ne", "a != b", "a < b || a > b"},
    {"lt", "a < b", "a < b"},
    {"le", "a <= b", "a <= b"},
    {"gt", "a > b", "a > b"},
    {"ge", "a >= b", "a >= b"},
    {"lo", "a < b", NULL},
    {"ls", "a <= b", NULL},
    {"hi", "a > b", NULL},
    {"hs", "a >= b", NULL},
    {"equ", NULL, "!(a < b || a > b)"},
    {"neu", NULL, "a != b"},
    {"ltu", NULL, "!(a >= b)"},
    {"leu", NULL, "!(a > b)"},
    {"gtu", NULL, "!(a <= b)"},
    {"geu", NULL, "!(a < b)"},
    {"num", NULL, "a == a && b == b"},
    {"nan", NULL, "a != a || b != b"},
};

// NULL and an error if the opcode names none.
static const char *comparison_of(struct ptx_writer *writer, const struct ptx_type *type) {
    const char *comparison =
        ptx_operation_of(writer->statement, type, comparisons, sizeof comparisons / sizeof *comparisons);
    if (!comparison) {
        ptx_refuse(writer, "no comparison for this type: give a PTX file that ptxas accepts");
    }
    return comparison;
}

// .and, .or, .xor: the operator between the comparison and the third operand.
static const char *combination_of(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "and")   ? "&"
           : ptx_has_part(statement, "or")  ? "|"
           : ptx_has_part(statement, "xor") ? "^"
                                            : NULL;
}

// One side of the comparison; lane is which half of a packed type.
static void write_side(struct ptx_writer *writer, char name, size_t n, const struct ptx_type *type, uint32_t lane) {
    const struct ptx_operand *operand = ptx_operand(writer, n);
    if (!operand) {
        return;
    }
    fprintf(writer->out, "const %s %c = %s(", type->number, name, ptx_flush_of(writer->statement, type));
    if (type->lanes > 1) {
        fprintf(writer->out, "%s((%s)(", type->from, type->bits);
        ptx_write_bits(writer, operand, ptx_type_named("b32"));
        fprintf(writer->out, " >> %u)))", 16 * lane);
    } else {
        ptx_write_number(writer, operand, type);
        fputc(')', writer->out);
    }
    fputs("; ", writer->out);
}

// Declares `holds`, and what it and its opposite give with the third operand: `yes` and `no`.
static void write_test(struct ptx_writer *writer, const struct ptx_type *type, uint32_t lane) {
    const char *comparison = comparison_of(writer, type), *combination = combination_of(writer->statement);
    const struct ptx_operand *third = combination ? ptx_operand(writer, 3) : NULL;
    write_side(writer, 'a', 1, type, lane);
    write_side(writer, 'b', 2, type, lane);
    fprintf(writer->out, "const bool holds = %s, third = ", comparison ? comparison : "");
    if (third) {
        ptx_write_bits(writer, third, ptx_type_named("pred"));
    } else {
        fputc('0', writer->out);
    }
    fprintf(writer->out, "; const bool yes = holds %s third, no = !holds %s third; ", combination ? combination : "|",
            combination ? combination : "|");
}

static void write_setp(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!type || !target) {
        return;
    }
    write_test(writer, type, 0);
    ptx_write_target(writer, target);
    fputs("yes; ", writer->out);
    if (target->pair && type->lanes > 1) {
        fputs("{ ", writer->out);
        write_test(writer, type, 1);
        ptx_write_target(writer, target->pair);
        fputs("yes; } ", writer->out);
    } else if (target->pair) {
        ptx_write_target(writer, target->pair);
        fputs("no; ", writer->out);
    }
}

// set gives all ones, or 1.0 if its result is a float.
static void write_set(struct ptx_writer *writer) {
    const struct ptx_type *to = ptx_type_part(writer->statement, 0), *from = ptx_type_part(writer->statement, 1);
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!to || !from || !target || to->lanes > 1 || from->lanes > 1) {
        ptx_refuse(writer, "its types are not supported: use setp and selp");
        return;
    }
    write_test(writer, from, 0);
    ptx_write_target(writer, target);
    if (*to->to) {
        fprintf(writer->out, "%s(yes); ", to->to);
    } else {
        fputs("(yes ? -1 : 0); ", writer->out);
    }
}

static void write_choice(struct ptx_writer *writer, const struct ptx_type *type, const char *condition) {
    ptx_write_target(writer, ptx_operand(writer, 0));
    fprintf(writer->out, "(%s ? ", condition);
    ptx_write_bits(writer, ptx_operand(writer, 1), type);
    fputs(" : ", writer->out);
    ptx_write_bits(writer, ptx_operand(writer, 2), type);
    fputs("); ", writer->out);
}

static void write_selp(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct ptx_operand *condition = ptx_operand(writer, 3);
    if (type && condition) {
        fputs("const bool first = ", writer->out);
        ptx_write_bits(writer, condition, ptx_type_named("pred"));
        fputs("; ", writer->out);
        write_choice(writer, type, "first");
    }
}

static void write_slct(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_type_part(writer->statement, 0), *by = ptx_type_part(writer->statement, 1);
    if (type && by && ptx_operand(writer, 3)) {
        write_side(writer, 'c', 3, by, 0);
        write_choice(writer, type, "c >= 0");
    }
}

bool ptx_write_compare(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {
        {"setp", NULL, write_setp}, {"set", NULL, write_set}, {"selp", NULL, write_selp}, {"slct", NULL, write_slct}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
