#include "sim/ptx/rule.h"

#include <string.h>

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
    {"mad.hi.cc", U, NONE, "TTTT", "PTX_ADD_CARRY(PTX_HIGH(uint128_t, a, b), c, 0)"},
    {"madc.hi.cc", U, NONE, "TTTT", "PTX_ADD_CARRY(PTX_HIGH(uint128_t, a, b), c, carry)"},
    {"madc.hi", U, NONE, "TTTT", "PTX_HIGH(uint128_t, a, b) + c + carry"},
    {"mad.hi.cc", S, NONE, "UTTU", "PTX_ADD_CARRY((__typeof__(c))PTX_HIGH(int128_t, a, b), c, 0)"},
    {"madc.hi.cc", S, NONE, "UTTU", "PTX_ADD_CARRY((__typeof__(c))PTX_HIGH(int128_t, a, b), c, carry)"},
    {"madc.hi", S, NONE, "UTTU", "(__typeof__(c))PTX_HIGH(int128_t, a, b) + c + carry"},
    {"add", I, NONE, "UUU", "a + b"},
    {"sub", I, NONE, "UUU", "a - b"},
    {"mul.lo", I, NONE, "UUU", "(uint64_t)a * b"},
    {"mul.hi", U, NONE, "TTT", "PTX_HIGH(uint128_t, a, b)"},
    {"mul.hi", S, NONE, "TTT", "PTX_HIGH(int128_t, a, b)"},
    {"mul.wide", U, NONE, "WTT", "(uint64_t)a * b"},
    {"mul.wide", S, NONE, "WTT", "(int64_t)a * b"},
    {"mad.lo", I, NONE, "UUUU", "(uint64_t)a * b + c"},
    {"mad.hi.sat", S, NONE, "TTTT", "clamp_signed((int128_t)PTX_HIGH(int128_t, a, b) + c, 32)"},
    {"mad.hi", U, NONE, "TTTT", "PTX_HIGH(uint128_t, a, b) + c"},
    {"mad.hi", S, NONE, "UTTU", "(__typeof__(c))PTX_HIGH(int128_t, a, b) + c"},
    {"mad.wide", U, NONE, "WTTW", "(uint64_t)a * b + c"},
    {"mad.wide", S, NONE, "WTTW", "(uint64_t)((int64_t)a * b) + (uint64_t)c"},
    {"mul24.lo", U, NONE, "TTT", "(uint64_t)(a & 0xffffff) * (b & 0xffffff)"},
    {"mul24.hi", U, NONE, "TTT", "(uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16"},
    {"mul24.lo", S, NONE, "TTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8)"},
    {"mul24.hi", S, NONE, "TTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16"},
    {"mad24.lo", U, NONE, "TTTT", "(uint64_t)(a & 0xffffff) * (b & 0xffffff) + c"},
    {"mad24.lo", S, NONE, "TTTT", "(int64_t)(a << 8 >> 8) * (b << 8 >> 8) + c"},
    {"mad24.hi.sat", S, NONE, "TTTT", "clamp_signed(((int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16) + c, 32)"},
    {"mad24.hi", U, NONE, "TTTT", "((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16) + c"},
    {"mad24.hi", S, NONE, "TTTT", "((int64_t)(a << 8 >> 8) * (b << 8 >> 8) >> 16) + c"},
    {"sad", U, NONE, "TTTT", "c + (a < b ? b - a : a - b)"},
    {"sad", S, NONE, "TTTU", "c + (uint64_t)(a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b)"},
    {"div", I, NONE, "TTT", "PTX_DIVIDE(a, b)"},
    {"rem", I, NONE, "TTT", "PTX_REMAINDER(a, b)"},
    {"abs", S, NONE, "TT", "a < 0 ? 0 - (uint64_t)a : (uint64_t)a"},
    {"neg", S, NONE, "TT", "0 - (uint64_t)a"},
    {"min", I, " relu ", "TTT", "a < b ? a : b"},
    {"max", I, " relu ", "TTT", "a > b ? a : b"},
    {"popc", B, NONE, "uT", "__builtin_popcountll(a)"},
    {"clz", B, NONE, "uT", "leading_zeros(a, PTX_BITS_OF(a))"},
    {"bfind.shiftamt", U, NONE, "uT", "find_bit(a, PTX_BITS_OF(a), false, true)"},
    {"bfind.shiftamt", S, NONE, "uT", "find_bit((uint64_t)a, PTX_BITS_OF(a), true, true)"},
    {"bfind", U, NONE, "uT", "find_bit(a, PTX_BITS_OF(a), false, false)"},
    {"bfind", S, NONE, "uT", "find_bit((uint64_t)a, PTX_BITS_OF(a), true, false)"},
    {"brev", B, NONE, "TT", "reversed(a, PTX_BITS_OF(a))"},
    {"bfe", U, NONE, "TTuu", "field(a, b, c, PTX_BITS_OF(a), false)"},
    {"bfe", S, NONE, "TTuu", "field((uint64_t)a, b, c, PTX_BITS_OF(a), true)"},
    {"bfi", B, NONE, "TTTuu", "insert_field(a, b, c, d, PTX_BITS_OF(a))"},
    {"szext.wrap", U, NONE, "uuu", "extended(a, b, false, true)"},
    {"szext.wrap", S, NONE, "uuu", "extended(a, b, true, true)"},
    {"szext.clamp", U, NONE, "uuu", "extended(a, b, false, false)"},
    {"szext.clamp", S, NONE, "uuu", "extended(a, b, true, false)"},
    {"bmsk.wrap", B, NONE, "uuu", "mask_of(a, b, true)"},
    {"bmsk.clamp", B, NONE, "uuu", "mask_of(a, b, false)"},
    {"fns", B, NONE, "uuui", "nth_set(a, b, c)"},
    {"dp4a", I, FACTOR_TYPES, "uuuu", "dot4(a, first_signed, b, last_signed, c)"},
    {"dp2a.lo", I, FACTOR_TYPES, "uuuu", "dot2(a, first_signed, b, last_signed, c, false)"},
    {"dp2a.hi", I, FACTOR_TYPES, "uuuu", "dot2(a, first_signed, b, last_signed, c, true)"},
    // Bits
    {"and", B | P, NONE, "TTT", "a & b"},
    {"or", B | P, NONE, "TTT", "a | b"},
    {"xor", B | P, NONE, "TTT", "a ^ b"},
    {"not", B, NONE, "TT", "~a"},
    {"not", P, NONE, "TT", "!a"},
    {"cnot", B, NONE, "TT", "a == 0"},
    {"lop3", B, NONE, "uuuuu", "logic(a, b, c, d)"},
    {"shl", B, NONE, "TTu", "PTX_SHIFT_LEFT(a, b)"},
    {"shr", U | B, NONE, "TTu", "PTX_SHIFT_RIGHT_ZERO(a, b)"},
    {"shr", S, NONE, "TTu", "PTX_SHIFT_RIGHT(a, b)"},
    {"shf.l.wrap", B, NONE, "uuuu", "funnel(a, b, c, true, true)"},
    {"shf.l.clamp", B, NONE, "uuuu", "funnel(a, b, c, true, false)"},
    {"shf.r.wrap", B, NONE, "uuuu", "funnel(a, b, c, false, true)"},
    {"shf.r.clamp", B, NONE, "uuuu", "funnel(a, b, c, false, false)"},
    {"prmt.f4e", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_F4E)"},
    {"prmt.b4e", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_B4E)"},
    {"prmt.rc8", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_RC8)"},
    {"prmt.ecl", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_ECL)"},
    {"prmt.ecr", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_ECR)"},
    {"prmt.rc16", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE_RC16)"},
    {"prmt", B, NONE, "uuuu", "permuted(a, b, c, PERMUTE)"},
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
    {"testp.finite", F, NONE, "pT", "(sort_of_number(a) & SORT_FINITE) != 0"},
    {"testp.infinite", F, NONE, "pT", "(sort_of_number(a) & SORT_INFINITE) != 0"},
    {"testp.number", F, NONE, "pT", "!(sort_of_number(a) & SORT_NAN)"},
    {"testp.notanumber", F, NONE, "pT", "(sort_of_number(a) & SORT_NAN) != 0"},
    {"testp.normal", F, NONE, "pT", "(sort_of_number(a) & SORT_NORMAL) != 0"},
    {"testp.subnormal", F, NONE, "pT", "(sort_of_number(a) & SORT_SUBNORMAL) != 0"},
};

// Whether the part is one of the row's words.
static bool is_word_of(const char *words, char separator, struct ptx_text part) {
    for (const char *word = words; *word;) {
        const char *end = strchr(word, separator);
        const size_t length = end ? (size_t)(end - word) : strlen(word);
        if (length == part.length && !memcmp(word, part.at, length)) {
            return true;
        }
        word += length + (end != NULL);
    }
    return false;
}

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
        if (i != last && !is_word_of(rule->opcode, '.', part) && !is_word_of(rule->also, ' ', part)) {
            *unknown = part;
            return false;
        }
    }
    return true;
}

const struct ptx_rule *ptx_rule_find(const struct ptx_statement *statement, struct ptx_text *unknown) {
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
