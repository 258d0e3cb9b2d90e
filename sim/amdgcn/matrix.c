// Matrix instructions of CDNA (v_mfma), by a table of their shapes. Each becomes the call of a function of
// sim/amdgcn/kernel/matrix.h, whose loops have the shape's constants.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/instructions.h"
#include "sim/amdgcn/writer.h"
#include "util/text.h"

// Instructions whose lanes hold equally many elements of A and B. A name is "v_mfma_", a result, "_", a shape and its
// types; from gfx940 on blocks may stand between the latter two.
struct family {
    const char *result, *types;
    const char *shapes; // of M x N x K
    uint32_t bits, each;
    const char *left, *right; // the types of A and B
};

// AMD's Matrix Instruction Calculator; CDNA3, "Matrix Arithmetic Instructions".
#define OF_FOUR "32x32x4|16x16x4|4x4x4|32x32x8|16x16x16"
#define OF_EIGHT "32x32x16|16x16x32"
static const struct family families[] = {
    {"f32", "f32|_f32", "32x32x1|16x16x1|4x4x1|32x32x2|16x16x4", 32, 1, "F32", "F32"},
    {"f32", "f16|_f16", OF_FOUR, 16, 4, "F16", "F16"},
    {"f32", "bf16", "32x32x2|16x16x2|4x4x2|32x32x4|16x16x8", 16, 2, "BF16", "BF16"},
    {"f32", "bf16_1k|_bf16", OF_FOUR, 16, 4, "BF16", "BF16"},
    {"i32", "i8|_i8", OF_FOUR, 8, 4, "I8", "I8"},
    {"i32", "_i8", OF_EIGHT, 8, 8, "I8", "I8"},
    {"f64", "f64|_f64", "16x16x4|4x4x4", 64, 1, "F64", "F64"},
    {"f32", "_fp8_fp8", OF_EIGHT, 8, 8, "FP8", "FP8"},
    {"f32", "_fp8_bf8", OF_EIGHT, 8, 8, "FP8", "BF8"},
    {"f32", "_bf8_fp8", OF_EIGHT, 8, 8, "BF8", "FP8"},
    {"f32", "_bf8_bf8", OF_EIGHT, 8, 8, "BF8", "BF8"},
};

struct shape {
    const struct family *family;
    uint32_t size, k, blocks;
};

// `name` begins with a shape of the family.
static bool find_shape(const struct family *family, const char *name, struct shape *shape) {
    for (const char *at = family->shapes; *at; at += strcspn(at, "|"), at += *at == '|') {
        const size_t length = strcspn(at, "|");
        if (strncmp(name, at, length) != 0) {
            continue;
        }
        const char *types = name + length, *last = at + length;
        while (last[-1] != 'x') {
            last--;
        }
        *shape = (struct shape){family, (uint32_t)strtoul(at, NULL, 10), (uint32_t)strtoul(last, NULL, 10), 1};
        shape->blocks = 64 * family->each / (shape->size * shape->k);
        char blocks[16];
        const size_t own = (size_t)snprintf(blocks, sizeof blocks, "_%" PRIu32 "b_", shape->blocks);
        types += shape->blocks > 1 && !strncmp(types, blocks, own) ? own - 1 : 0;
        if (list_place(family->types, '|', types) >= 0) {
            return true;
        }
    }
    return false;
}

static bool find_matrix(const char *name, struct shape *shape) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char beginning[16];
        const size_t length = (size_t)snprintf(beginning, sizeof beginning, "v_mfma_%s_", families[i].result);
        if (!strncmp(name, beginning, length) && find_shape(&families[i], name + length, shape)) {
            return true;
        }
    }
    return false;
}

static bool is_double(const struct shape *shape) {
    return shape->family->bits == 64;
}

// Groups of four clocks for which it keeps a SIMD's matrix core busy: the cycles of AMD's Matrix Instruction
// Calculator.
static uint32_t passes_of(const struct gcn_writer *writer, const struct shape *shape) {
    const bool fast = writer->generation == 9 && strcmp(writer->file->arch, "gfx940") >= 0 && shape->blocks == 1 &&
                      shape->family->bits < 32;
    const uint32_t passes = is_double(shape)    ? (shape->size == 16 ? 8 : 4)
                            : shape->size == 32 ? 16
                            : shape->size == 16 ? 8
                                                : 2;
    return fast ? passes / 2 : passes;
}

static const struct gcn_operand *registers(struct gcn_writer *writer, uint32_t n, uint32_t count) {
    const struct gcn_operand *operand = gcn_operand(writer, n, GCN_V);
    if (operand->kind == GCN_V && operand->count != count) {
        gcn_refuse(writer, "operand %" PRIu32 " has %" PRIu32 " registers, not %" PRIu32 ": give what clang -S makes",
                   n + 1, operand->count, count);
    }
    return operand;
}

// The values of the modifiers, as members of the struct. BLGP of a double says which operands are negative, where it
// says anything.
static char *modifiers_text(struct gcn_writer *writer, const struct shape *shape) {
    const struct gcn_operands *all = &writer->operands;
    const uint32_t cbsz = (uint32_t)gcn_modifier_number(all, "cbsz", 0),
                   abid = (uint32_t)gcn_modifier_number(all, "abid", 0);
    const uint32_t blgp = (uint32_t)gcn_modifier_number(all, "blgp", 0);
    if (cbsz > 4 || 1u << cbsz > shape->blocks || abid >= 1u << cbsz || blgp > 7 || (blgp && is_double(shape))) {
        gcn_refuse(writer, "cbsz, abid or blgp is not one of this shape: give what clang -S makes");
    }
    return memory_format("%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", {%" PRIu32 ", %" PRIu32 ", %" PRIu32 "}", cbsz, abid,
                         blgp, gcn_modifier_element(all, "neg", 0, 0), gcn_modifier_element(all, "neg", 1, 0),
                         gcn_modifier_element(all, "neg", 2, 0));
}

// The same shape with other registers calls the same function.
static uint32_t function_of(struct gcn_writer *writer, const struct shape *shape, bool has_constant) {
    const struct family *family = shape->family;
    char *modifiers = modifiers_text(writer, shape);
    char *text = memory_format("(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c) { "
                               "matrix_product_%s(d, a, b, c, (struct matrix){%" PRIu32 ", %" PRIu32 ", %" PRIu32
                               ", %" PRIu32 ", %" PRIu32 ", MATRIX_%s, MATRIX_%s, %s, %s}); }",
                               family->result, shape->size, shape->k, shape->blocks, family->each, family->bits,
                               family->left, family->right, has_constant ? "0" : "LANES", modifiers);
    free(modifiers);
    return gcn_function(writer, text);
}

static void write_matrix(struct gcn_writer *writer, const struct shape *shape) {
    const uint32_t words = is_double(shape) ? 2 : 1, sources = (shape->family->each * shape->family->bits + 31) / 32;
    const uint32_t results = shape->size * shape->size * shape->blocks / 64 * words;
    const struct gcn_operand *d = registers(writer, 0, results), *a = registers(writer, 1, sources);
    const struct gcn_operand *b = registers(writer, 2, sources), *c = gcn_operand(writer, 3, GCN_NONE);
    const bool has_constant = c->kind != GCN_V;
    if (!has_constant) {
        registers(writer, 3, results);
    }
    const uint32_t function = function_of(writer, shape, has_constant);
    gcn_write(writer, "f%u($rows0, $rows0, $rows0, ", function, d, a, b);
    if (has_constant) {
        gcn_write(writer, "matrix_constant(w, $T));\n", c, shape->family->result);
    } else {
        gcn_write(writer, "$rows0);\n", c);
    }
}

bool gcn_write_matrix(struct gcn_writer *writer) {
    struct shape shape;
    if (!find_matrix(writer->base, &shape)) {
        return false;
    }
    write_matrix(writer, &shape);
    gcn_segment_add(writer, COUNT_VECTOR);
    gcn_segment_add_more(writer, COUNT_MATRIX_PASSES, passes_of(writer, &shape) - 1);
    return true;
}
