// The instructions that compute a result from registers: a table of rules, comparisons, conversions, moves.
#include <inttypes.h>
#include <string.h>

#include "sim/ptx/instruction.h"

// ---- Rules ----

// The table of instructions that compute one result from registers: each row gives the computation in C.

struct ptx_rule {
    const char *opcode; // "mul.wide": the first part, and parts that must be present
    unsigned classes;   // of the opcode's last type
    const char *also;   // parts that may be present, each between spaces
    // The types of the result and of the operands: T the opcode's last type, W twice as wide as T, U T without sign,
    // u u32, i s32, p a predicate.
    const char *types;
    const char *expression; // of the operands a, b, c, d; `mode` is the rounding
};

enum {
    U = PTX_CLASS_UNSIGNED,
    S = PTX_CLASS_SIGNED,
    I = U | S,
    B = PTX_CLASS_BITS,
    F = PTX_CLASS_FLOAT,
    H = PTX_CLASS_HALF,
    P = PTX_CLASS_PREDICATE,
    FH = F | H
};

#define ROUNDS " rn rz rm rp ftz sat relu "
#define FLUSHES " approx full ftz rn "
#define FACTOR_TYPES " u32 s32 " // of the first factor; the last type is the second's
#define NONE " "
#define UNARY_DOUBLE(opcode, function)                                                                                 \
    { opcode, FH, FLUSHES, "TT", function "((double)a)" }

#define LIMIT_OF_SIZES(function, nan)                                                                                  \
    "with_both_signs(" function "(__builtin_fabs(a), __builtin_fabs(b), " nan "), a, b)"
#define LIMITS(opcode, function)                                                                                       \
    {opcode ".NaN.xorsign.abs", FH, " ftz ", "TTT", LIMIT_OF_SIZES(function, "true")},                                 \
        {opcode ".xorsign.abs", FH, " ftz ", "TTT", LIMIT_OF_SIZES(function, "false")},                                \
        {opcode ".NaN", FH, " ftz ", "TTT", function "(a, b, true)"}, {                                                \
        opcode, FH, " ftz ", "TTT", function "(a, b, false)"                                                           \
    }

// A row with more parts stands before one with fewer.
static const struct ptx_rule rules[] = {
    // Integers
    {"add.sat", S, NONE, "TTT", "clamp_signed((int128_t)a + b, PTX_BITS_OF(a))"},
    {"sub.sat", S, NONE, "TTT", "clamp_signed((int128_t)a - b, PTX_BITS_OF(a))"},
    {"add.cc", I | B, NONE, "UUU", "PTX_ADD_CARRY(a, b, 0)"},
    {"addc.cc", I | B, NONE, "UUU", "PTX_ADD_CARRY(a, b, carry)"},
    {"addc", I | B, NONE, "UUU", "a + b + carry"},
    {"sub.cc", I | B, NONE, "UUU", "PTX_SUBTRACT_CARRY(a, b, 0)"},
    {"subc.cc", I | B, NONE, "UUU", "PTX_SUBTRACT_CARRY(a, b, carry)"},
    {"subc", I | B, NONE, "UUU", "a - b - carry"},
    {"mad.lo.cc", I, NONE, "UUUU", "PTX_ADD_CARRY((__typeof__(a))(a * b), c, 0)"},
    {"madc.lo.cc", I, NONE, "UUUU", "PTX_ADD_CARRY((__typeof__(a))(a * b), c, carry)"},
    {"madc.lo", I, NONE, "UUUU", "a * b + c + carry"},
    {"mad.hi.cc", I, NONE, "UTTU", "PTX_ADD_CARRY((__typeof__(c))PTX_HIGH(a, b), c, 0)"},
    {"madc.hi.cc", I, NONE, "UTTU", "PTX_ADD_CARRY((__typeof__(c))PTX_HIGH(a, b), c, carry)"},
    {"madc.hi", I, NONE, "UTTU", "(__typeof__(c))PTX_HIGH(a, b) + c + carry"},
    {"add", I, NONE, "UUU", "a + b"},
    {"sub", I, NONE, "UUU", "a - b"},
    {"mul.lo", I, NONE, "UUU", "(uint64_t)a * b"},
    {"mul.hi", I, NONE, "TTT", "PTX_HIGH(a, b)"},
    {"mul.wide", I, NONE, "WTT", "(uint64_t)a * b"},
    {"mad.lo", I, NONE, "UUUU", "(uint64_t)a * b + c"},
    {"mad.hi.sat", S, NONE, "TTTT", "clamp_signed((int128_t)PTX_HIGH(a, b) + c, 32)"},
    {"mad.hi", I, NONE, "UTTU", "(__typeof__(c))PTX_HIGH(a, b) + c"},
    {"mad.wide", I, NONE, "WTTW", "(uint64_t)a * b + c"},
    {"mul24.lo", I, NONE, "TTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8)"},
    {"mul24.hi", I, NONE, "TTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16"},
    {"mad24.lo", I, NONE, "TTTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8) + c"},
    {"mad24.hi.sat", S, NONE, "TTTT", "clamp_signed(((int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16) + c, 32)"},
    {"mad24.hi", I, NONE, "TTTT", "((int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16) + c"},
    {"sad", I, NONE, "TTTU", "c + (uint64_t)(a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b)"},
    {"div", I, NONE, "TTT", "PTX_DIVIDE(a, b)"},
    {"rem", I, NONE, "TTT", "PTX_REMAINDER(a, b)"},
    {"abs", S, NONE, "TT", "a < 0 ? 0 - (uint64_t)a : (uint64_t)a"},
    {"neg", S, NONE, "TT", "0 - (uint64_t)a"},
    {"min", I, " relu ", "TTT", "a < b ? a : b"},
    {"max", I, " relu ", "TTT", "a > b ? a : b"},
    {"popc", B, NONE, "uT", "__builtin_popcountll(a)"},
    {"clz", B, NONE, "uT", "leading_zeros(a, PTX_BITS_OF(a))"},
    {"bfind.shiftamt", I, NONE, "uT", "find_bit((uint64_t)a, PTX_BITS_OF(a), PTX_IS_SIGNED(a), true)"},
    {"bfind", I, NONE, "uT", "find_bit((uint64_t)a, PTX_BITS_OF(a), PTX_IS_SIGNED(a), false)"},
    {"brev", B, NONE, "TT", "reversed(a, PTX_BITS_OF(a))"},
    {"bfe", I, NONE, "TTuu", "field((uint64_t)a, b, c, PTX_BITS_OF(a), PTX_IS_SIGNED(a))"},
    {"bfi", B, NONE, "TTTuu", "insert_field(a, b, c, d, PTX_BITS_OF(a))"},
    {"szext.wrap", I, NONE, "TTu", "extended(a, b, PTX_IS_SIGNED(a), true)"},
    {"szext.clamp", I, NONE, "TTu", "extended(a, b, PTX_IS_SIGNED(a), false)"},
    {"bmsk.wrap", B, NONE, "uuu", "mask_of(a, b, true)"},
    {"bmsk.clamp", B, NONE, "uuu", "mask_of(a, b, false)"},
    {"fns", B, NONE, "uuui", "nth_set(a, b, c)"},
    {"dp4a", I, FACTOR_TYPES, "uuuu", "dot(a, 1, first_signed, b, 0, last_signed, c)"},
    {"dp2a.lo", I, FACTOR_TYPES, "uuuu", "dot(a, 2, first_signed, b, 0, last_signed, c)"},
    {"dp2a.hi", I, FACTOR_TYPES, "uuuu", "dot(a, 2, first_signed, b, 2, last_signed, c)"},
    // Bits
    {"and", B | P, NONE, "TTT", "a & b"},
    {"or", B | P, NONE, "TTT", "a | b"},
    {"xor", B | P, NONE, "TTT", "a ^ b"},
    {"not", B, NONE, "TT", "~a"},
    {"not", P, NONE, "TT", "!a"},
    {"cnot", B, NONE, "TT", "a == 0"},
    {"lop3", B, NONE, "uuuuu", "logic(a, b, c, d)"},
    {"shl", B, NONE, "TTu", "PTX_SHIFT_LEFT(a, b)"},
    {"shr", I | B, NONE, "TTu", "PTX_SHIFT_RIGHT(a, b)"},
    {"shf.l.wrap", B, NONE, "uuuu", "funnel(a, b, c, true, true)"},
    {"shf.l.clamp", B, NONE, "uuuu", "funnel(a, b, c, true, false)"},
    {"shf.r.wrap", B, NONE, "uuuu", "funnel(a, b, c, false, true)"},
    {"shf.r.clamp", B, NONE, "uuuu", "funnel(a, b, c, false, false)"},
    {"prmt.f4e", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x3210, 0x4321, 0x5432, 0x6543))"},
    {"prmt.b4e", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x5670, 0x6701, 0x7012, 0x0123))"},
    {"prmt.rc8", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x0000, 0x1111, 0x2222, 0x3333))"},
    {"prmt.ecl", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x3210, 0x3211, 0x3222, 0x3333))"},
    {"prmt.ecr", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x0000, 0x1110, 0x2210, 0x3210))"},
    {"prmt.rc16", B, NONE, "uuuu", "permuted(a, b, selector(c, 0x1010, 0x3232, 0x1010, 0x3232))"},
    {"prmt", B, NONE, "uuuu", "permuted(a, b, c)"},
    // Floating point. A product of two halves, and their sum, need no more digits than a double has.
    {"add", FH, ROUNDS, "TTT", "a + b"},
    {"sub", FH, ROUNDS, "TTT", "a - b"},
    {"mul", FH, ROUNDS, "TTT", "a * b"},
    {"fma", F, ROUNDS, "TTTT", "fused(a, b, c)"},
    {"mad", F, ROUNDS, "TTTT", "fused(a, b, c)"},
    {"fma", H, ROUNDS, "TTTT", "fused_small(a, b, c)"},
    {"div.approx", F, FLUSHES, "TTT", "divided(a, b)"},
    {"div.full", F, FLUSHES, "TTT", "a / b"},
    {"div", F, ROUNDS, "TTT", "a / b"},
    {"rcp.approx", F, FLUSHES, "TT", "1 / a"},
    {"rcp", F, ROUNDS, "TT", "1 / a"},
    {"sqrt.approx", F, FLUSHES, "TT", "root(a)"},
    {"sqrt", F, ROUNDS, "TT", "root(a)"},
    {"rsqrt", F, FLUSHES, "TT", "1 / root((double)a)"},
    UNARY_DOUBLE("sin", "sin"),
    UNARY_DOUBLE("cos", "cos"),
    UNARY_DOUBLE("lg2", "log2"),
    UNARY_DOUBLE("ex2", "exp2"),
    UNARY_DOUBLE("tanh", "tanh"),
    {"abs", FH, " ftz ", "TT", "__builtin_fabs(a)"},
    {"neg", FH, " ftz ", "TT", "-a"},
    {"copysign", F, NONE, "TTT", "__builtin_copysign(b, a)"},
    LIMITS("min", "least"),
    LIMITS("max", "greatest"),
    {"testp.finite", F, NONE, "pT", "isfinite(a) != 0"},
    {"testp.infinite", F, NONE, "pT", "isinf(a) != 0"},
    {"testp.number", F, NONE, "pT", "!isnan(a)"},
    {"testp.notanumber", F, NONE, "pT", "isnan(a) != 0"},
    {"testp.normal", F, NONE, "pT", "a == 0 || isnormal(a)"},
    {"testp.subnormal", F, NONE, "pT", "fpclassify(a) == FP_SUBNORMAL"},
};

static bool has_all_words(const struct ptx_statement *statement, const char *opcode) {
    for (const char *word = opcode; *word;) {
        const size_t length = strcspn(word, ".");
        bool found = false;
        for (size_t i = 0; i < statement->part_count && !found; i++) {
            found = statement->parts[i].length == length && !memcmp(statement->parts[i].at, word, length);
        }
        if (!found) {
            return false;
        }
        word += length + (word[length] == '.');
    }
    return true;
}

static bool fits(const struct ptx_rule *rule, const struct ptx_statement *statement, struct ptx_text *unknown) {
    size_t last = 0; // the part that is the last type
    for (size_t i = 1; i < statement->part_count; i++) {
        last = ptx_type_find(statement->parts[i]) ? i : last;
    }
    if (!last || !(ptx_type_find(statement->parts[last])->class & rule->classes) ||
        !has_all_words(statement, rule->opcode)) {
        return false;
    }
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        if (i != last && !ptx_text_is_among(part, rule->opcode, '.') && !ptx_text_is_among(part, rule->also, ' ')) {
            *unknown = part;
            return false;
        }
    }
    return true;
}

// The row of an instruction; NULL if none fits. *unknown: the part that no row of this opcode allows.
static const struct ptx_rule *ptx_rule_find(const struct ptx_statement *statement, struct ptx_text *unknown) {
    *unknown = (struct ptx_text){"", 0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const size_t length = statement->parts[0].length;
        if (!strncmp(rules[i].opcode, statement->parts[0].at, length) && strchr(".", rules[i].opcode[length]) &&
            fits(&rules[i], statement, unknown)) {
            return &rules[i];
        }
    }
    return NULL;
}

// ---- Arithmetic ----

static const char letters[] = "abcd";

// The constant of enum rounding that the opcode's parts name.
static const char *ptx_rounding_of(const struct ptx_statement *statement) {
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

// The type of a letter in a rule; an error if there is no such type.
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
    return type ? type : last;
}

// ---- The result ----

// Begins a call around what follows, if it is wanted, and counts it.
static void wrap(struct ptx_writer *writer, bool wanted, const char *function, size_t *calls) {
    if (wanted) {
        ptx_write(writer, "%s(", function);
        ++*calls;
    }
}

static bool rounds(const struct ptx_statement *statement, const struct ptx_type *type) {
    return type->class == PTX_CLASS_FLOAT && strcmp(ptx_rounding_of(statement), "ROUND_NEAREST") != 0;
}

// The function that makes a subnormal number of this type a zero, or of each of its lanes; "" if none does.
static const char *ptx_flush_of(const struct ptx_statement *statement, const struct ptx_type *type) {
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
    size_t calls = 0; // around the rule's expression, by which the opcode's parts change the result
    if (*type->to == '\0') {
        ptx_write(writer, "(%s)", type->number);
    }
    wrap(writer, true, type->to, &calls);
    wrap(writer, !strcmp(type->number, "float"), "(float)", &calls);
    wrap(writer, *flush, flush, &calls);
    wrap(writer, ptx_has_part(statement, "sat") && *type->to, "saturated", &calls);
    wrap(writer, ptx_has_part(statement, "relu"), "positive_part", &calls);
    wrap(writer, rounds(statement, type), "PTX_ROUNDED", &calls);
    fputs(rule->expression, writer->out);
    for (; calls > 0; calls--) {
        ptx_write(writer, ")");
    }
}

// ---- The operands ----

// Declares the number of an operand under this name; lane is which half of a packed type.
static void write_side(struct ptx_writer *writer, char name, size_t n, const struct ptx_type *type, uint32_t lane) {
    const struct ptx_operand *operand = ptx_operand(writer, n);
    fprintf(writer->out, "%s %s %c = %s(", rounds(writer->statement, type) ? "volatile" : "const", type->number, name,
            ptx_flush_of(writer->statement, type));
    if (type->lanes > 1) {
        ptx_write(writer, "%s((%s)($*:T >> %u))); ", type->from, type->bits, operand,
                  ptx_type_of(PTX_CLASS_BITS, type->bytes), 4 * type->bytes * lane);
    } else {
        ptx_write(writer, "$*:N); ", operand, type);
    }
}

static size_t count_sources(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t wanted = strlen(rule->types), given = ptx_count_operands(writer->statement->operands);
    if (wanted != given) {
        ptx_refuse(writer, "%zu operands, %zu are expected: give a PTX file that ptxas accepts", given, wanted);
    }
    return wanted - 1;
}

static void write_mode(struct ptx_writer *writer, const struct ptx_type *type) {
    const struct ptx_statement *statement = writer->statement;
    if (rounds(statement, type)) {
        ptx_write(writer, "const enum rounding mode = %s; ", ptx_rounding_of(statement));
    }
    if (ptx_count_types(statement) == 2) {
        ptx_write(writer, "const bool first_signed = %d, last_signed = %d; ",
                  ptx_type_part(statement, 0)->class == PTX_CLASS_SIGNED,
                  ptx_type_part(statement, 1)->class == PTX_CLASS_SIGNED);
    }
}

static void write_single(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t sources = count_sources(writer, rule);
    const struct ptx_type *result = type_of(writer, rule->types[0]);
    write_mode(writer, result);
    for (size_t i = 0; i < sources && writer->status == STATUS_OK; i++) {
        write_side(writer, letters[i], i + 1, type_of(writer, rule->types[i + 1]), 0);
    }
    ptx_write(writer, "$0 = ");
    write_value(writer, rule, result);
    ptx_write(writer, "; ");
}

// Two results in one register.
static void write_packed(struct ptx_writer *writer, const struct ptx_rule *rule) {
    const size_t sources = count_sources(writer, rule);
    const struct ptx_type *type = type_of(writer, 'T');
    ptx_write(writer, "uint32_t both = 0; ");
    for (uint32_t lane = 0; lane < 2; lane++) {
        ptx_write(writer, "{ ");
        for (size_t i = 0; i < sources && writer->status == STATUS_OK; i++) {
            write_side(writer, letters[i], i + 1, type, lane);
        }
        ptx_write(writer, "both |= (uint32_t)(%s)", type->bits);
        write_value(writer, rule, type);
        ptx_write(writer, " << %u; } ", 4 * type->bytes * lane);
    }
    ptx_write(writer, "$0 = both; ");
}

// Writes an instruction of the table of rules; false if none is for its opcode.
static bool write_by_rule(struct ptx_writer *writer) {
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
    ptx_write(writer, "{ ");
    if (type->lanes > 1 && strspn(rule->types, "TU") == strlen(rule->types)) {
        write_packed(writer, rule);
    } else {
        write_single(writer, rule);
    }
    ptx_write(writer, "}\n");
    return true;
}

// ---- Comparisons ----

// setp, set, selp, slct

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

// Declares `holds`, and what it and its opposite give with the third operand: `yes` and `no`.
static void write_test(struct ptx_writer *writer, const struct ptx_type *type, uint32_t lane) {
    const char *comparison = comparison_of(writer, type), *combination = combination_of(writer->statement);
    write_side(writer, 'a', 1, type, lane);
    write_side(writer, 'b', 2, type, lane);
    ptx_write(writer, "const bool holds = %s; ", comparison ? comparison : "");
    if (combination) {
        ptx_write(writer, "const bool third = $3:pred; const bool yes = holds %s third, no = !holds %s third; ",
                  combination, combination);
    } else {
        ptx_write(writer, "const bool yes = holds, no = !holds; ");
    }
}

static void write_setp(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_expect_type(writer, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0);
    write_test(writer, type, 0);
    ptx_write(writer, "$0 = yes; ");
    if (target->pair && type->lanes > 1) {
        ptx_write(writer, "{ ");
        write_test(writer, type, 1);
        ptx_write(writer, "$* = yes; } ", target->pair);
    } else if (target->pair) {
        ptx_write(writer, "$* = no; ", target->pair);
    }
}

// set gives all ones, or 1.0 if its result is a float.
static void write_set(struct ptx_writer *writer) {
    const struct ptx_type *to = ptx_type_part(writer->statement, 0), *from = ptx_type_part(writer->statement, 1);
    if (!to || !from || to->lanes > 1 || from->lanes > 1) {
        ptx_refuse(writer, "its types are not supported: use setp and selp");
        return;
    }
    write_test(writer, from, 0);
    ptx_write(writer, *to->to ? "$0 = %s(yes); " : "$0 = (yes ? -1 : 0); ", to->to);
}

static void write_selp(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_expect_type(writer, 0);
    ptx_write(writer, "const bool first = $3:pred; $0 = (first ? $1:T : $2:T); ", type, type);
}

static void write_slct(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_expect_type(writer, 0);
    write_side(writer, 'c', 3, ptx_expect_type(writer, 1), 0);
    ptx_write(writer, "$0 = (c >= 0 ? $1:T : $2:T); ", type, type);
}

// ---- Conversions ----

// cvt

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

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. cvt.rn.f16x2.e4m3x2 d, a
static void write_two_results(struct ptx_writer *writer, const struct conversion *c) {
    ptx_write(writer, "uint32_t both = 0; ");
    for (uint32_t i = 0; i < 2; i++) {
        if (c->from->lanes == 1) {
            ptx_write(writer, "{ const %s x = $*:N; ", c->from->number, ptx_operand(writer, 2 - i), c->from);
        } else {
            ptx_write(writer, "{ const double x = %s((%s)($1:T >> %u)); ", c->from->from, c->from->bits,
                      ptx_type_of(PTX_CLASS_BITS, c->from->bytes), i * 4 * c->from->bytes);
        }
        ptx_write(writer, "both |= (uint32_t)");
        write_result(writer->out, c);
        ptx_write(writer, " << %u; } ", i * 4 * c->to->bytes);
    }
    ptx_write(writer, "$0 = both; ");
}

static void write_cvt(struct ptx_writer *writer) {
    const struct conversion c = conversion_of(writer->statement);
    const size_t operands = ptx_count_operands(writer->statement->operands);
    if (!c.to || !c.from || operands < 2 || ptx_has_part(writer->statement, "pack")) {
        ptx_refuse(writer, "this conversion is not supported: write it with other instructions");
    } else if (c.to->lanes == 2 && operands == (c.from->lanes == 1 ? 3 : 2)) {
        write_two_results(writer, &c);
    } else if (c.to->lanes == 1 && c.from->lanes == 1) {
        ptx_write(writer, "const %s x = $1:N; $0 = ", c.from->number, c.from);
        write_result(writer->out, &c);
        ptx_write(writer, "; ");
    } else {
        ptx_refuse(writer, "this conversion is not supported: write it with other instructions");
    }
}

// ---- Moves ----

// mov, cvta, isspacep

// {a, b} = c
static void write_unpack(struct ptx_writer *writer, const struct ptx_operand *list, const struct ptx_type *type) {
    const size_t count = ptx_count_operands(list->items);
    const uint32_t bits = count ? 8 * type->bytes / (uint32_t)count : 0;
    ptx_write(writer, "const %s whole = $1:T; ", type->bits, type);
    uint32_t shift = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next, shift += bits) {
        ptx_write(writer, "$* = (whole >> %u); ", item, shift);
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
    ptx_write(writer, "const %s whole = 0", type->bits);
    uint32_t shift = 0;
    for (const struct ptx_operand *item = list->items; item; item = item->next, shift += 8 * part->bytes) {
        ptx_write(writer, " | (%s)$*:T << %u", type->bits, item, part, shift);
    }
    ptx_write(writer, "; $0 = whole; ");
}

static void write_mov(struct ptx_writer *writer) {
    const struct ptx_type *type = ptx_expect_type(writer, 0);
    const struct ptx_operand *target = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    if (target->kind == PTX_OPERAND_LIST) {
        write_unpack(writer, target, type);
    } else if (source->kind == PTX_OPERAND_LIST) {
        write_pack(writer, source, type);
    } else {
        ptx_write(writer, "$0 = $1:T; ", type);
    }
}

static void write_cvta(struct ptx_writer *writer) {
    const bool shared = ptx_space_part(writer->statement) == PTX_SPACE_SHARED;
    ptx_write(writer, "$0 = %s($1:T); ",
              !shared                                 ? ""
              : ptx_has_part(writer->statement, "to") ? "to_shared"
                                                      : "from_shared",
              ptx_expect_type(writer, 0));
}

// An address that is neither shared nor local is global; no address tells constants and parameters apart.
static void write_isspacep(struct ptx_writer *writer) {
    const enum ptx_space space = ptx_space_part(writer->statement);
    const bool cluster = ptx_has_part(writer->statement, "shared::cluster");
    ptx_write(writer, "const uint64_t at = $1:b64; $0 = %s; ",
              space == PTX_SPACE_SHARED   ? (cluster ? "is_of_cluster(at)" : "is_shared(at)")
              : space == PTX_SPACE_LOCAL  ? "sim_ptx_is_local(at)"
              : space == PTX_SPACE_GLOBAL ? "(!is_of_cluster(at) && !sim_ptx_is_local(at))"
                                          : "0");
}

// Declares `address`, which is generic: the instruction's own addresses are if it names no space.
static void write_cluster_address(struct ptx_writer *writer) {
    const bool shared = ptx_space_part(writer->statement) == PTX_SPACE_SHARED;
    ptx_write(writer, "const uint64_t address = %s($1:T); ", shared ? "from_shared" : "", ptx_expect_type(writer, 0));
}

// mapa.shared::cluster.u32 to, address, rank;
static void write_mapa(struct ptx_writer *writer) {
    write_cluster_address(writer);
    ptx_write(writer, "$0 = %s(address, $2:b32); ",
              ptx_space_part(writer->statement) == PTX_SPACE_SHARED ? "map_shared_to_rank" : "map_to_rank");
}

static void write_getctarank(struct ptx_writer *writer) {
    write_cluster_address(writer);
    ptx_write(writer, "$0 = rank_of(address); ");
}

// ---- The rows ----

bool ptx_write_arithmetic(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {
        {"setp", .write = write_setp}, {"set", .write = write_set},
        {"selp", .write = write_selp}, {"slct", .write = write_slct},
        {"cvt", .write = write_cvt},   {"mov", .write = write_mov},
        {"cvta", .write = write_cvta}, {"isspacep", .write = write_isspacep},
        {"mapa", .write = write_mapa}, {"getctarank", .write = write_getctarank}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows) || write_by_rule(writer);
}
