// Products of matrices by a wave of 64 lanes: D = A * B + C for some blocks at once. Layouts are those of AMD's Matrix
// Instruction Calculator, version 1.3.2, and of CDNA3, "Matrix Arithmetic Instructions", which also has it that EXEC is
// ignored.
#ifndef SIM_AMDGCN_KERNEL_MATRIX_H
#define SIM_AMDGCN_KERNEL_MATRIX_H

#include "sim/amdgcn/kernel/wave.h"

#if LANES == 64

enum matrix_number {
    MATRIX_F32,
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_FP8, // 4 bits of exponent and 3 of mantissa
    MATRIX_BF8, // 5 and 2
    MATRIX_I8,
    MATRIX_F64
};

// A has `size` rows, and B as many columns. `each`: elements of A or B in a lane.
struct matrix {
    uint32_t size, k, blocks, each, bits;
    enum matrix_number left, right;
    uint32_t c_step;     // words from a register of C to the next; 0: all are the same constant
    uint32_t cbsz, abid; // a block of A that others take, too
    uint32_t blgp;       // lanes of B that others take, too
    bool negative[3];    // A, B and C
};

// gfx940's formats, whose bias is one more than IEEE 754's and whose only NaN has the bits of -0.
INLINE float matrix_byte(uint32_t bits, uint32_t mantissa_bits) {
    const uint32_t exponent = bits >> mantissa_bits & (0x7fu >> mantissa_bits),
                   mantissa = bits & ((1u << mantissa_bits) - 1);
    const int bias = 1 << (6 - mantissa_bits);
    const uint32_t whole = exponent ? mantissa | 1u << mantissa_bits : mantissa;
    const float size = __builtin_ldexpf((float)whole, (int)(exponent ? exponent : 1) - bias - (int)mantissa_bits);
    return bits == 0x80 ? __builtin_nanf("") : bits & 0x80 ? -size : size;
}

INLINE float matrix_f32(uint64_t bits, enum matrix_number number) {
    switch (number) {
    case MATRIX_F16:
        return (float)from_f16((uint16_t)bits);
    case MATRIX_BF16:
        return (float)from_bf16((uint16_t)bits);
    case MATRIX_FP8:
        return matrix_byte(bits & 255, 3);
    case MATRIX_BF8:
        return matrix_byte(bits & 255, 2);
    default:
        return from_f32((uint32_t)bits);
    }
}

INLINE int32_t matrix_i32(uint64_t bits, enum matrix_number number) {
    return number == MATRIX_I8 ? (int8_t)bits : (int32_t)bits;
}

INLINE double matrix_f64(uint64_t bits, enum matrix_number number) {
    (void)number;
    return from_f64(bits);
}

// Element `n` of a lane.
INLINE uint64_t matrix_bits(const uint32_t *rows, uint32_t bits, uint32_t n, uint32_t lane) {
    return bits == 64 ? wide(rows + 2 * n * LANES, lane)
                      : (uint64_t)(rows[n * bits / 32 * LANES + lane] >> n * bits % 32);
}

// The lane that gives the elements which this lane has without BLGP.
INLINE uint32_t matrix_lane(uint32_t lane, uint32_t blgp) {
    return blgp == 0   ? lane
           : blgp == 1 ? lane % 32
           : blgp == 2 ? lane % 32 + 32
           : blgp == 3 ? (lane + 16) % 64
                       : lane % 16 + 16 * (blgp - 4);
}

// A product whose sums have `words` registers. The elements of A and B lie in one lane for each row of A or column of
// B, first by block and then by group of `each` along k. Those of C and D lie in a lane for each column; rows follow
// each other in `height` registers, then in the lanes behind those of all blocks that share a register, then in the
// next registers.
#define MATRIX_PRODUCT(name, type, convert, to_bits, words, height, sum_of)                                            \
    INLINE void name(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, struct matrix m) {          \
        type left[64 * 8], right[64 * 8];                                                                              \
        for (uint32_t n = 0; n < m.blocks * m.k * m.size; n++) {                                                       \
            const uint32_t i = n % m.size, k = n / m.size % m.k, block = n / m.size / m.k;                             \
            const uint32_t lane = (k / m.each * m.blocks + block) * m.size + i;                                        \
            const uint32_t other = (k / m.each * m.blocks + (block >> m.cbsz << m.cbsz) + m.abid) * m.size + i;        \
            left[n] = convert(matrix_bits(a, m.bits, k % m.each, other % LANES), m.left);                              \
            right[n] = convert(matrix_bits(b, m.bits, k % m.each, matrix_lane(lane, m.blgp)), m.right);                \
            left[n] = m.negative[0] ? -left[n] : left[n];                                                              \
            right[n] = m.negative[1] ? -right[n] : right[n];                                                           \
        }                                                                                                              \
        const uint32_t across = 64 / m.size, area = m.size * m.size, share = area / (height);                          \
        const uint32_t together = share < 64 ? 64 / share : 1;                                                         \
        for (uint32_t block = 0; block < m.blocks; block++) {                                                          \
            for (uint32_t i = 0; i < m.size; i++) {                                                                    \
                const uint32_t n = block * (area / 64) + i / ((height)*across) * (height) + i % (height);              \
                const uint32_t lane = (i / (height) % across * together + block % together) * m.size;                  \
                const uint32_t *old = c + n * (words)*m.c_step + lane;                                                 \
                uint32_t *result = d + n * (words)*LANES + lane;                                                       \
                type sum[32];                                                                                          \
                for (uint32_t j = 0; j < m.size; j++) {                                                                \
                    sum[j] = convert(matrix_bits(old, 32 * (words), 0, j), MATRIX_F32);                                \
                    sum[j] = m.negative[2] ? -sum[j] : sum[j];                                                         \
                }                                                                                                      \
                for (uint32_t k = 0; k < m.k; k++) {                                                                   \
                    const type x = left[(block * m.k + k) * m.size + i];                                               \
                    const type *row = right + (block * m.k + k) * m.size;                                              \
                    for (uint32_t j = 0; j < m.size; j++) {                                                            \
                        sum[j] = sum_of(x, row[j], sum[j]);                                                            \
                    }                                                                                                  \
                }                                                                                                      \
                for (uint32_t j = 0; j < m.size; j++) {                                                                \
                    const uint64_t bits = to_bits(sum[j]);                                                             \
                    result[j] = (uint32_t)bits;                                                                        \
                    if ((words) == 2) {                                                                                \
                        result[j + LANES] = (uint32_t)(bits >> 32);                                                    \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#define MATRIX_SUM_I32(x, y, sum) ((int32_t)((uint32_t)(sum) + (uint32_t)((x) * (y))))
MATRIX_PRODUCT(matrix_product_f32, float, matrix_f32, to_f32, 1, 4, __builtin_fmaf)
MATRIX_PRODUCT(matrix_product_i32, int32_t, matrix_i32, (uint32_t), 1, 4, MATRIX_SUM_I32)
MATRIX_PRODUCT(matrix_product_f64, double, matrix_f64, to_f64, 2, 1, __builtin_fma)

// A constant in place of C.
FUNCTION const uint32_t *matrix_constant(struct wave *w, uint64_t bits) {
    EACH_LANE {
        w->t[0][l] = (uint32_t)bits;
        w->t[1][l] = (uint32_t)(bits >> 32);
    }
    return w->t[0];
}

#endif
#endif
