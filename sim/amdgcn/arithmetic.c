// Arithmetic instructions, by the table of instructions.c. A vector instruction becomes the call of a function that has
// its statement in a loop over lanes; the same instruction with other registers calls the same function.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/instructions.h"
#include "sim/amdgcn/writer.h"

enum {
    PLACES = 4, // sources, and the first result where it is a source
    RESULTS = 2
};

struct type {
    const char *name, *c;
    uint32_t bits;
    const char *from, *to; // its number from its bits, and back
};

static const struct type types[] = {
    {"u32", "uint32_t", 32, "", "(uint32_t)"},
    {"i32", "int32_t", 32, "(int32_t)", "(uint32_t)"},
    {"f32", "float", 32, "from_f32", "to_f32"},
    {"u64", "uint64_t", 64, "", "(uint64_t)"},
    {"i64", "int64_t", 64, "(int64_t)", "(uint64_t)"},
    {"f64", "double", 64, "from_f64", "to_f64"},
    {"u16", "uint16_t", 16, "(uint16_t)", "(uint16_t)"},
    {"i16", "int16_t", 16, "(int16_t)", "(uint16_t)"},
    {"f16", "double", 16, "from_f16", "to_f16"},
    {"m", "uint32_t", 1, "", ""},
    {"f16lo", "double", 16, "from_f16", "to_f16"}, // of a register whose other half stays
    {"f16hi", "double", 16, "from_f16", "to_f16"},
    {"fmix", "float", 32, "from_f32", "to_f32"}, // or, where op_sel_hi says so, an f16
};

struct place {
    const struct type *type;
    bool packed;    // it is two numbers
    bool is_result; // and a source, too
};

struct signature {
    struct place results[RESULTS], sources[PLACES];
    uint32_t result_count, source_count;
    bool uses_vcc;
};

static const struct type *type_named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == length && !strncmp(types[i].name, name, length)) {
            return &types[i];
        }
    }
    return NULL;
}

// `width` takes the place of a #.
static struct place place_of(const char *word, size_t length, uint32_t width) {
    struct place place = {.is_result = *word == '+'};
    char of_width[8];
    word += place.is_result;
    length -= place.is_result;
    place.packed = *word == 'p';
    word += place.packed;
    length -= place.packed;
    snprintf(of_width, sizeof of_width, "%c%" PRIu32, *word, width);
    place.type = length == 2 && word[1] == '#' ? type_named(of_width, strlen(of_width)) : type_named(word, length);
    return place;
}

static struct signature signature_of(const char *text, const char *name) {
    struct signature signature = {0};
    bool sources = false;
    while (*text) {
        const size_t length = strcspn(text, ",:");
        if (length == 3 && !strncmp(text, "vcc", 3)) {
            signature.uses_vcc = true;
        } else if (length && sources) {
            signature.sources[signature.source_count++] = place_of(text, length, gcn_width(name));
        } else if (length) {
            signature.results[signature.result_count++] = place_of(text, length, gcn_width(name));
        }
        sources |= text[length] == ':';
        text += length + (text[length] != '\0');
    }
    return signature;
}

// ---- Scalar instructions ----

static void write_scalar_result(struct gcn_writer *writer, const struct gcn_operand *operand, const struct type *type) {
    if (operand->first != 125) { // null
        gcn_write(writer, type->bits == 64 ? " S64(%u) = %s(d);" : " S(%u) = %s(d);", operand->first, type->to);
    }
}

static bool is_exec(const struct gcn_operand *operand) {
    return operand->kind == GCN_S && operand->first + operand->count > 126 && operand->first <= 127;
}

static void write_scalar(struct gcn_writer *writer, const struct gcn_instruction *instruction) {
    struct signature signature = signature_of(instruction->signature, writer->base);
    const struct gcn_operand *result = signature.result_count ? gcn_operand(writer, 0, GCN_S) : NULL;
    bool sets_exec = strstr(instruction->statement, "EXEC") != NULL;
    gcn_write(writer, "{ ");
    for (uint32_t i = 0; i < signature.source_count; i++) {
        const struct gcn_operand *operand = gcn_operand(writer, signature.result_count + i, GCN_NONE);
        const struct type *type = signature.sources[i].type;
        const char letter[] = {(char)('a' + (int)i), '\0'};
        gcn_write(writer, "const %s %s = %s(%s$T); ", type->c, letter, type->from, operand->negative ? "-" : "",
                  operand, type->name);
    }
    if (signature.result_count) {
        const struct place *place = &signature.results[0];
        gcn_write(writer, "%s d", place->type->c);
        if (place->is_result && result) {
            gcn_write(writer, " = %s($T)", place->type->from, result, place->type->name);
        }
        gcn_write(writer, "; ");
    }
    fprintf(writer->out, "%s;", instruction->statement);
    if (result) {
        write_scalar_result(writer, result, signature.results[0].type);
        sets_exec |= is_exec(result);
    }
    gcn_write(writer, " }\n");
    gcn_segment_add(writer, COUNT_SCALAR);
    if (sets_exec) {
        gcn_write_exec_change(writer);
    }
}

// ---- Vector instructions ----

// The bits of a register that SDWA names: "BYTE_2", "WORD_1", or "DWORD" for all. False if it is none of these.
static bool find_part(const char *name, uint32_t *bits, uint32_t *shift) {
    const uint32_t number = strlen(name) == 6 ? (uint32_t)(name[5] - '0') : 4;
    const bool byte = !strncmp(name, "BYTE_", 5) && number < 4, half = !strncmp(name, "WORD_", 5) && number < 2;
    *bits = byte ? 8 : half ? 16 : 32;
    *shift = byte || half ? number * *bits : 0;
    return byte || half || !strcmp(name, "DWORD");
}

// What the operands' modifiers choose of a source.
struct choice {
    const char *part; // of SDWA: "BYTE_0", "WORD_1"; NULL: all
    uint32_t half[2]; // of op_sel and op_sel_hi, for each number of a packed one
    bool negative[2];
    bool absolute, extended;
    bool is_half; // an fmix: the half of the register that op_sel chooses
};

static struct choice choice_of(struct gcn_writer *writer, const struct gcn_operand *operand, uint32_t n,
                               const struct place *place) {
    static const char *const names[] = {"src0_sel", "src1_sel"};
    const struct gcn_operands *all = &writer->operands;
    struct choice choice = {.absolute = operand->absolute, .extended = operand->extended};
    choice.part = n < 2 ? gcn_modifier(all, names[n]) : NULL;
    choice.half[0] = gcn_modifier_element(all, "op_sel", n, 0);
    choice.half[1] = gcn_modifier_element(all, "op_sel_hi", n, 1);
    choice.is_half = !strcmp(place->type->name, "fmix") && gcn_modifier_element(all, "op_sel_hi", n, 0);
    choice.negative[0] = operand->negative != (gcn_modifier_element(all, "neg_lo", n, 0) != 0);
    choice.negative[1] = operand->negative != (gcn_modifier_element(all, "neg_hi", n, 0) != 0);
    if (!place->packed) {
        choice.negative[0] = operand->negative;
    }
    return choice;
}

static bool is_wide(const struct place *place) {
    return place->packed ? place->type->bits == 32 : place->type->bits == 64;
}

// The bits of a source, for one of the numbers of a packed one.
static void write_bits(struct gcn_writer *writer, FILE *out, const struct place *place, const struct choice *choice,
                       char letter, bool vector, uint32_t part) {
    char raw[64];
    const uint32_t half = place->packed || place->type->bits == 16 ? choice->half[place->packed ? part : 0] : 0;
    if (place->packed && place->type->bits == 32) {
        snprintf(raw, sizeof raw, vector ? "%c_[l + %" PRIu32 " * LANES]" : "(uint32_t)(%c_ >> %" PRIu32 " * 32)",
                 letter, half);
    } else if (place->type->bits == 64) {
        snprintf(raw, sizeof raw, vector ? "wide(%c_, l)" : "%c_", letter);
    } else {
        snprintf(raw, sizeof raw, vector ? "%c_[l]" : "%c_", letter);
    }
    uint32_t bits = 32, shift = 0;
    if (choice->part && !find_part(choice->part, &bits, &shift)) {
        gcn_refuse(writer, "no such part of a register: %.32s", choice->part);
    }
    if (bits < 32) {
        fprintf(out,
                choice->extended ? "(uint32_t)(int32_t)(int%" PRIu32 "_t)(%s >> %" PRIu32 ")"
                                 : "(uint%" PRIu32 "_t)(%s >> %" PRIu32 ")",
                bits, raw, shift);
    } else if (half && place->type->bits == 16) {
        fprintf(out, "(%s >> 16)", raw);
    } else {
        fputs(raw, out);
    }
}

static bool is_real(const struct type *type) {
    return type->name[0] == 'f';
}

// saturates: the sources are those of an integer that saturates.
static void write_source(struct gcn_writer *writer, FILE *out, const struct place *place, const struct choice *choice,
                         char letter, bool vector, uint32_t part, bool saturates) {
    const struct place half = {.type = type_named("f16", strlen("f16"))};
    place = choice->is_half ? &half : place;
    const struct type *type = place->type;
    if (type->bits == 1) {
        fprintf(out, "const uint32_t %c = (uint32_t)(%c_ >> l & 1); ", letter, letter);
        return;
    }
    const bool negative = choice->negative[place->packed ? part : 0];
    if ((negative || choice->absolute) && !is_real(type)) { // of the float that the bits are
        if (strcmp(type->name, "u32") != 0 || place->packed) {
            gcn_refuse(writer, "a sign of integers is not supported: compile with another optimization");
        }
        fprintf(out, "const uint32_t %c = ((uint32_t)(", letter);
        write_bits(writer, out, place, choice, letter, vector, part);
        fprintf(out, ") & 0x%xu) ^ 0x%xu; ", choice->absolute ? 0x7fffffffu : 0xffffffffu, negative ? 0x80000000u : 0u);
        return;
    }
    fprintf(out, "const %s %c = %s%s%s(", saturates ? "int64_t" : type->c, letter, negative ? "-" : "",
            choice->absolute ? (type->bits == 32 ? "__builtin_fabsf(" : "__builtin_fabs(") : "", type->from);
    write_bits(writer, out, place, choice, letter, vector, part);
    fputs(choice->absolute ? ")); " : "); ", out);
}

// The result after its modifiers, in d.
static void write_result_modifiers(struct gcn_writer *writer, FILE *out, const struct place *place) {
    const struct gcn_operands *all = &writer->operands;
    const char *multiply = gcn_modifier(all, "mul"), *divide = gcn_modifier(all, "div");
    if (multiply || divide) {
        fprintf(out, " d = d %c %ld;", multiply ? '*' : '/', strtol(multiply ? multiply : divide, NULL, 10));
    }
    if (!gcn_modifier(all, "clamp")) {
        return;
    }
    if (is_real(place->type)) {
        fputs(" d = saturated(d);", out);
    } else {
        const bool has_sign = place->type->name[0] == 'i';
        const uint32_t bits = place->type->bits;
        fprintf(out,
                has_sign ? " d = MEDIAN((int64_t)INT%" PRIu32 "_MIN, d, (int64_t)INT%" PRIu32 "_MAX);"
                         : " d = MEDIAN(INT64_C(0) * %" PRIu32 ", d, (int64_t)UINT%" PRIu32 "_MAX);",
                bits, bits);
    }
}

// Whether an integer saturates. Sums and differences do, because their statements hold in 64 bits, too.
static bool saturates(struct gcn_writer *writer, const struct gcn_instruction *instruction,
                      const struct signature *signature) {
    const struct type *type = signature->results[0].type;
    if (!gcn_modifier(&writer->operands, "clamp") || is_real(type)) {
        return false;
    }
    if (type->bits > 32 || list_place("d = a + b|d = a - b|d = b - a", '|', instruction->statement) < 0) {
        gcn_refuse(writer, "clamp of this instruction is not supported: leave the saturation out");
    }
    return true;
}

static void write_store(struct gcn_writer *writer, FILE *out, const struct place *place, uint32_t part) {
    const struct type *type = place->type;
    const char *dst = gcn_modifier(&writer->operands, "dst_sel"),
               *unused = gcn_modifier(&writer->operands, "dst_unused");
    if (place->packed && type->bits == 16) {
        fprintf(out, " r |= (uint32_t)%s(d) << %" PRIu32 ";", type->to, 16 * part);
    } else if (place->packed) {
        fprintf(out, " %c = %s(d);", part ? 's' : 'r', type->to);
    } else if (type->bits == 64) {
        fprintf(out,
                " const uint64_t r = %s(d); d_[l] = w->m[l] ? (uint32_t)r : d_[l];"
                " d_[l + LANES] = w->m[l] ? (uint32_t)(r >> 32) : d_[l + LANES];",
                type->to);
    } else {
        const bool is_part = !strncmp(type->name, "f16", 3) && type->name[3];
        const bool keeps = is_part || (type->bits == 16 && writer->generation > 9);
        const bool upper = is_part ? type->name[3] == 'h'
                                   : type->bits == 16 && gcn_modifier_element(&writer->operands, "op_sel", 3, 0);
        fprintf(out, " uint32_t r = %s(d);", type->to);
        if (upper) {
            fputs(" r = (d_[l] & 0xffff) | r << 16;", out);
        } else if (keeps) {
            fputs(" r |= d_[l] & 0xffff0000;", out);
        }
        uint32_t bits = 32, shift = 0;
        if (dst && !find_part(dst, &bits, &shift)) {
            gcn_refuse(writer, "no such part of a register: %.32s", dst);
        }
        if (bits < 32) {
            const uint32_t mask = ((1u << bits) - 1) << shift;
            fprintf(out, " r = (r << %" PRIu32 " & 0x%" PRIx32 "u)", shift, mask);
            fprintf(out, unused && !strcmp(unused, "UNUSED_PRESERVE") ? " | (d_[l] & ~0x%" PRIx32 "u);" : ";", mask);
            if (unused && !strcmp(unused, "UNUSED_SEXT")) {
                gcn_refuse(writer, "dst_unused:UNUSED_SEXT is not supported: compile with another optimization");
            }
        }
        fputs(" d_[l] = w->m[l] ? r : d_[l];", out);
    }
}

// What a call passes and a function takes.
struct call {
    struct signature signature;
    const char *statement;
    const struct gcn_operand *sources[PLACES];
    bool saturates;   // an integer: it is computed in 64 bits first
    bool result_mask; // the first result is a bit of each lane
    bool second_mask; // the second
};

static bool is_vector(const struct gcn_operand *operand) {
    return operand->kind == GCN_V;
}

static void write_parameters(FILE *out, const struct call *call) {
    fputs("struct wave *w", out);
    if (!call->result_mask) {
        fputs(", uint32_t *d_", out);
    }
    for (uint32_t i = 0; i < call->signature.source_count; i++) {
        const struct place *place = &call->signature.sources[i];
        const bool mask = place->type->bits == 1;
        fprintf(out,
                !mask && is_vector(call->sources[i]) ? ", const uint32_t *%c_"
                : mask || is_wide(place)             ? ", uint64_t %c_"
                                                     : ", uint32_t %c_",
                'a' + (int)i);
    }
    if (call->signature.uses_vcc) {
        fputs(", uint64_t vcc", out);
    }
}

static void write_old_result(struct gcn_writer *writer, FILE *out, const struct place *place, uint32_t part,
                             bool saturates) {
    const struct type *type = place->type;
    fprintf(out, "%s d", saturates ? "int64_t" : type->c);
    if (place->is_result) {
        static const struct choice whole = {.half = {0, 1}};
        struct place old = *place;
        fprintf(out, " = %s(", type->from);
        write_bits(writer, out, &old, &whole, 'd', true, part);
        fputs(")", out);
    }
    fputs("; ", out);
}

// A bit for each of the first two sources: NEG says that its bytes have signs (RDNA3, VOP3P, V_DOT4_I32_IU8).
static uint32_t signs_of(const struct gcn_writer *writer) {
    return gcn_modifier_element(&writer->operands, "neg_lo", 0, 0) |
           gcn_modifier_element(&writer->operands, "neg_lo", 1, 0) << 1;
}

static void write_body(struct gcn_writer *writer, FILE *out, const struct call *call) {
    const struct signature *signature = &call->signature;
    const struct place *result = &signature->results[0];
    const bool packed = result->packed;
    if (packed) {
        fputs("uint32_t r = 0, s = 0; (void)s; ", out);
    }
    for (uint32_t part = 0; part < (packed ? 2u : 1u); part++) {
        fprintf(out, "{ enum { part = %" PRIu32 ", signs = %" PRIu32 " }; ", part, signs_of(writer));
        for (uint32_t i = 0; i < signature->source_count; i++) {
            const struct choice choice = choice_of(writer, call->sources[i], i, &signature->sources[i]);
            write_source(writer, out, &signature->sources[i], &choice, (char)('a' + (int)i),
                         is_vector(call->sources[i]), part, call->saturates);
        }
        if (signature->uses_vcc) {
            fputs("const uint32_t carry = (uint32_t)(vcc >> l & 1); ", out);
        }
        if (call->result_mask) {
            fputs("bool d; ", out);
        } else {
            write_old_result(writer, out, result, part, call->saturates);
        }
        if (call->second_mask) {
            fputs("bool e; ", out);
        }
        fprintf(out, "%s;", call->statement);
        if (!call->result_mask) {
            write_result_modifiers(writer, out, result);
            write_store(writer, out, result, part);
        }
        if (call->result_mask || call->second_mask) {
            fprintf(out, " bit[l] = %c;", call->result_mask ? 'd' : 'e');
        }
        fputs(" }", out);
    }
    if (packed) {
        fputs(" d_[l] = w->m[l] ? r : d_[l];", out);
        if (is_wide(result)) {
            fputs(" d_[l + LANES] = w->m[l] ? s : d_[l + LANES];", out);
        }
    }
}

static char *function_text(struct gcn_writer *writer, const struct call *call) {
    struct written text;
    FILE *out = memory_stream(&text);
    const bool mask = call->result_mask || call->second_mask;
    fputs("(", out);
    write_parameters(out, call);
    fputs(mask ? ") { uint8_t bit[LANES]; EACH_LANE { " : ") { EACH_LANE { ", out);
    write_body(writer, out, call);
    fputs(mask ? " } return pack(bit) & EXEC_MASK; }" : " } }", out);
    return memory_stream_end(&text);
}

static void write_argument(struct gcn_writer *writer, const struct place *place, const struct gcn_operand *operand) {
    if (place->type->bits == 1) {
        if (operand->kind != GCN_S && operand->kind != GCN_NUMBER) {
            gcn_refuse(writer, "a mask that is no scalar register: give what clang -S makes");
        } else if (operand->kind == GCN_NUMBER) {
            gcn_write(writer, ", (uint64_t)INT64_C(%ld)", operand->number);
        } else {
            gcn_write(writer, ", MASK(%u)", operand->first);
        }
    } else if (is_vector(operand)) {
        gcn_write(writer, ", w->v[ROW(%u)]", operand->first);
    } else {
        gcn_write(writer, ", $T", operand, is_wide(place) && place->packed ? "p32" : place->type->name);
    }
}

// Writes the call. first: the operand's number of the first source.
static void write_call(struct gcn_writer *writer, struct call *call, uint32_t first, uint32_t result) {
    static const struct gcn_operand vcc = {.kind = GCN_S, .first = 106, .count = 2}; // VOPD does not name it
    for (uint32_t i = 0; i < call->signature.source_count; i++) {
        const bool implied = call->signature.sources[i].type->bits == 1 && first + i == writer->operands.count;
        call->sources[i] = implied ? &vcc : gcn_operand(writer, first + i, GCN_NONE);
    }
    char *text = function_text(writer, call);
    if (writer->status != STATUS_OK) {
        free(text);
        return;
    }
    gcn_write(writer, "f%u(w", gcn_function(writer, text));
    if (!call->result_mask) {
        gcn_write(writer, ", w->v[ROW(%u)]", result);
    }
    for (uint32_t i = 0; i < call->signature.source_count; i++) {
        write_argument(writer, &call->signature.sources[i], call->sources[i]);
    }
    gcn_write(writer, call->signature.uses_vcc ? ", VCC_MASK);\n" : ");\n");
}

// DPP takes the first source from other lanes, which `shuffle` names (sim/amdgcn/kernel/wave.h), with its number.
// CDNA3 and RDNA3: Data Parallel Processing.
static const char *find_dpp(const struct gcn_operands *operands, const char **value) {
    static const struct {
        const char *name, *shuffle;
    } rows[] = {
        {"quad_perm", "DPP_QUAD"},      {"row_shl", "DPP_ROW_SHL"},       {"row_shr", "DPP_ROW_SHR"},
        {"row_ror", "DPP_ROW_ROR"},     {"row_mirror", "DPP_ROW_MIRROR"}, {"row_half_mirror", "DPP_HALF_MIRROR"},
        {"row_bcast", "DPP_ROW_BCAST"}, {"wave_shl", "DPP_WAVE_SHL"},     {"wave_shr", "DPP_WAVE_SHR"},
        {"wave_rol", "DPP_WAVE_ROL"},   {"wave_ror", "DPP_WAVE_ROR"},     {"row_newbcast", "DPP_ROW_SHARE"},
        {"row_share", "DPP_ROW_SHARE"}, {"row_xmask", "DPP_ROW_XMASK"},   {"dpp8", "DPP_EIGHT"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *value = gcn_modifier(operands, rows[i].name);
        if (*value) {
            return rows[i].shuffle;
        }
    }
    return NULL;
}

// A number, or lanes such as [3,2,1,0], each in `bits` bits.
static uint32_t lanes_of(const char *value, uint32_t bits) {
    uint32_t lanes = 0, shift = 0;
    if (*value != '[') {
        return (uint32_t)strtoul(value, NULL, 0);
    }
    for (; *value && *value != ']' && shift < 32; shift += bits) {
        lanes |= (uint32_t)strtoul(value + 1, NULL, 0) << shift;
        value += 1 + strcspn(value + 1, ",]");
    }
    return lanes;
}

// Writes the first source of lanes that take it from others into a row for a while, or into two, and takes off EXEC
// what has no result. The operand becomes that row.
static bool begin_dpp(struct gcn_writer *writer, uint32_t first) {
    const struct gcn_operands *all = &writer->operands;
    const char *value, *shuffle = find_dpp(all, &value);
    if (!shuffle) {
        return false;
    }
    const struct gcn_operand *source = gcn_operand(writer, first, GCN_V);
    const bool eight = !strcmp(shuffle, "DPP_EIGHT");
    if (source->count > 2) {
        gcn_refuse(writer, "DPP takes one register or two: give what clang -S makes");
    }
    gcn_write(writer, "{ const mask_t whole = EXEC_MASK; EXEC_MASK &= shuffle(w, $rows0, %u, ", source, source->count);
    fprintf(writer->out, "%s, %" PRIu32 ", %" PRId64 ", %" PRId64 ", %d, %d); sync_exec(w); ", shuffle,
            lanes_of(value, eight ? 3 : 2), gcn_modifier_number(all, "row_mask", 15),
            gcn_modifier_number(all, "bank_mask", 15), gcn_modifier(all, "bound_ctrl") != NULL,
            gcn_modifier_number(all, "fi", 0) != 0);
    writer->operands.operand[first].first = GCN_SHUFFLED;
    return true;
}

static void end_dpp(struct gcn_writer *writer, bool begun) {
    if (begun) {
        gcn_write(writer, "EXEC_MASK = whole; sync_exec(w); }\n");
    }
}

static void write_vector(struct gcn_writer *writer, const struct gcn_instruction *instruction) {
    struct call call = {.signature = signature_of(instruction->signature, writer->base),
                        .statement = instruction->statement};
    call.second_mask = call.signature.result_count == 2;
    call.saturates = saturates(writer, instruction, &call.signature);
    const struct gcn_operand *result = gcn_operand(writer, 0, GCN_V);
    const struct gcn_operand *mask = call.second_mask ? gcn_operand(writer, 1, GCN_S) : NULL;
    const bool shuffled = begin_dpp(writer, call.signature.result_count);
    if (mask) {
        if (mask->first == 125) {
            gcn_write(writer, "(void)");
        } else {
            gcn_write(writer, "MASK(%u) = ", mask->first);
        }
    }
    write_call(writer, &call, call.signature.result_count, result->first);
    end_dpp(writer, shuffled);
    gcn_segment_add(writer, COUNT_VECTOR);
}

static void write_scalar_comparison(struct gcn_writer *writer, const struct gcn_comparison *comparison) {
    const char *type = comparison->type;
    char signature[32], statement[64];
    snprintf(signature, sizeof signature, ":%s,%c%s", type, *type, comparison->by_constant ? "16" : type + 1);
    snprintf(statement, sizeof statement, "scc = %s", comparison->expression);
    write_scalar(writer, &(struct gcn_instruction){.signature = signature, .statement = statement});
}

static void write_comparison(struct gcn_writer *writer, const struct gcn_comparison *comparison) {
    char statement[64];
    snprintf(statement, sizeof statement, "d = %s", comparison->expression);
    struct call call = {.statement = statement, .result_mask = true};
    const bool class = !strcmp(comparison->type, "class");
    const bool class64 = class && strstr(comparison->expression, "f64");
    const struct place place = {.type = type_named(class ? (class64 ? "f64" : "f32") : comparison->type, 3)};
    call.signature = (struct signature){.sources = {place, place}, .source_count = 2};
    if (class) {
        call.signature.sources[1].type = type_named("u32", 3);
    }
    const bool named = writer->operands.count == 3;
    const struct gcn_operand *result = named ? gcn_operand(writer, 0, GCN_S) : NULL;
    gcn_write(writer, "{ mask_t mask; ");
    const bool shuffled = begin_dpp(writer, named);
    gcn_write(writer, "mask = ");
    write_call(writer, &call, named, 0);
    end_dpp(writer, shuffled);
    if (result && result->first != 125) {
        gcn_write(writer, "MASK(%u) = mask; ", result->first);
    }
    gcn_write(writer, comparison->sets_exec ? "EXEC_MASK = mask; }\n" : "}\n");
    gcn_segment_add(writer, COUNT_VECTOR);
    if (comparison->sets_exec || (result && is_exec(result))) {
        gcn_write_exec_change(writer);
    }
}

bool gcn_write_arithmetic(struct gcn_writer *writer) {
    const struct gcn_instruction *instruction = gcn_instruction_find(writer->base);
    const bool scalar = gcn_is_scalar(writer->base);
    struct gcn_comparison comparison;
    if (!instruction && !gcn_comparison_find(writer->base, &comparison)) {
        return false;
    }
    if (instruction) {
        (scalar ? write_scalar : write_vector)(writer, instruction);
    } else {
        (scalar ? write_scalar_comparison : write_comparison)(writer, &comparison);
    }
    return true;
}
