// Matrices that the lanes of a warp hold together, for kernels that were translated from PTX: ldmatrix, stmatrix,
// movmatrix, mma. PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions", the fragments of each shape.
#ifndef SIM_PTX_KERNEL_MATRIX_H
#define SIM_PTX_KERNEL_MATRIX_H

#include "sim/ptx/kernel/memory.h"
#include "sim/ptx/kernel/warp.h"

// Matrices of 8 x 8 numbers of 16 bits. Lane 8 m + r knows row r of matrix m; every lane holds a pair of each matrix.
struct matrix_part {
    uint16_t row[8];
    uint32_t pair[4], matrices;
    bool transposed, loads; // from rows to pairs, or else from pairs to rows
};

// Which row and column the first or second number of a lane's pair has.
#define PTX_PAIR_ROW(lane, second, transposed) ((transposed) ? (lane) % 4 * 2 + (second) : (lane) / 4)
#define PTX_PAIR_COLUMN(lane, second, transposed) ((transposed) ? (lane) / 4 : (lane) % 4 * 2 + (second))

PTX_FUNCTION void meet_move_matrices(const struct sim_ptx_meeting *meeting) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        struct matrix_part *mine = meeting->lane[lane];
        for (uint32_t m = 0; mine && m < mine->matrices; m++) {
            for (uint32_t second = 0; second < 2; second++) {
                const uint32_t row = PTX_PAIR_ROW(lane, second, mine->transposed);
                const uint32_t column = PTX_PAIR_COLUMN(lane, second, mine->transposed), shift = 16 * second;
                struct matrix_part *owner = meeting->lane[8 * m + row];
                if (owner && mine->loads) {
                    mine->pair[m] |= (uint32_t)owner->row[column] << shift;
                } else if (owner) {
                    owner->row[column] = (uint16_t)(mine->pair[m] >> shift);
                }
            }
        }
    }
}

// movmatrix: the pairs as rows, then the rows' columns as pairs.
PTX_FUNCTION void meet_transpose(const struct sim_ptx_meeting *meeting) {
    meet_move_matrices(meeting);
    PTX_EACH_LANE(lane, meeting) {
        struct matrix_part *mine = meeting->lane[lane];
        mine->pair[0] = 0;
        mine->transposed = mine->loads = true;
    }
    meet_move_matrices(meeting);
}

// ---- Elements and sums of products ----

enum element {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_S8,
    ELEMENT_U8
};

PTX_INLINE uint32_t elements_of_word(enum element type) {
    return type == ELEMENT_TF32 ? 1 : type >= ELEMENT_E4M3 ? 4 : 2;
}

PTX_INLINE double element_of(enum element type, uint32_t word, uint32_t i) {
    switch (type) {
    case ELEMENT_F16:
        return from_f16((uint16_t)(word >> 16 * i));
    case ELEMENT_BF16:
        return from_bf16((uint16_t)(word >> 16 * i));
    case ELEMENT_TF32:
        return from_tf32(word);
    case ELEMENT_E4M3:
        return from_e4m3((uint8_t)(word >> 8 * i));
    case ELEMENT_E5M2:
        return from_e5m2((uint8_t)(word >> 8 * i));
    case ELEMENT_S8:
        return (int8_t)(word >> 8 * i);
    case ELEMENT_U8:
        return (uint8_t)(word >> 8 * i);
    }
    return 0;
}

// How sums are kept in registers: f, f32; h, a pair of f16 in each; i, s32.
struct sums {
    char type;
    bool saturate;
};

PTX_INLINE double kept_sum(struct sums sums, const uint32_t *words, uint32_t i) {
    return sums.type == 'i'   ? (double)(int32_t)words[i]
           : sums.type == 'h' ? from_f16((uint16_t)(words[i / 2] >> 16 * (i % 2)))
                              : (double)from_f32(words[i]);
}

// Tensor cores cut an f32's surplus bits off, and what is too large becomes infinite. A sum that becomes 0 has no sign.
PTX_INLINE uint32_t cut_to_f32(double sum) {
    const bool too_large = __builtin_fabs(sum) >= 0x1p128;
    const uint32_t bits = too_large ? to_f32(sum < 0 ? -__builtin_inff() : __builtin_inff())
                                    : (uint32_t)round_number(&format_f32, ROUND_ZERO, sum, false);
    return bits == UINT32_C(0x80000000) ? 0 : bits;
}

PTX_INLINE void keep_sum(struct sums sums, uint32_t *words, uint32_t i, double sum) {
    if (sums.type == 'i') {
        words[i] = sums.saturate ? (uint32_t)to_signed(sum, ROUND_ZERO, 32, false) : (uint32_t)(int64_t)sum;
    } else if (sums.type == 'h') {
        const uint32_t shift = 16 * (i % 2), half = to_f16(sum);
        words[i / 2] = (words[i / 2] & ~(UINT32_C(0xffff) << shift)) | (half == 0x8000 ? 0 : half) << shift;
    } else {
        words[i] = cut_to_f32(sum);
    }
}

// The exponent of a number other than 0 in a format whose least is given.
PTX_INLINE int exponent_of(double x, int least) {
    const int exponent = (int)(to_f64(x) >> 52 & 0x7ff) - 1023;
    return exponent > least ? exponent : least;
}

PTX_INLINE int least_exponent(enum element type) {
    return type == ELEMENT_BF16 || type == ELEMENT_TF32 ? -126 : type == ELEMENT_E4M3 ? -6 : -14;
}

PTX_INLINE double power_of_two(int exponent) {
    return from_f64((uint64_t)(exponent + 1023) << 52);
}

PTX_INLINE int64_t cut_off(double x, double scale) {
    return (int64_t)(x * scale);
}

// A row of A times a column of B as an H200's tensor cores add: they shift all products and the addend to the greatest
// exponent, cut them off 25 bits below it, and add what is left exactly. Of elements of 8 bits they keep 13 bits, also
// of the sum.
PTX_INLINE double sum_of_products(const double *row, const double *column, uint32_t count, enum element type,
                                  double addend, struct sums sums) {
    const bool small = type == ELEMENT_E4M3 || type == ELEMENT_E5M2;
    const int kept = small ? 13 : 25; // bits below the greatest exponent
    const int least = least_exponent(type);
    int greatest = addend != 0 ? exponent_of(addend, sums.type == 'h' ? -14 : -126) : -1000;
    double plain = addend;
    for (uint32_t k = 0; k < count; k++) {
        const double product = row[k] * column[k];
        const int exponent = exponent_of(row[k], least) + exponent_of(column[k], least);
        plain += product;
        greatest = product != 0 && exponent > greatest ? exponent : greatest;
    }
    if (sums.type == 'i' || !isfinite(plain) || greatest == -1000) {
        return plain; // exact, or not finite, or 0
    }
    const double scale = power_of_two(kept - greatest);
    int64_t sum = cut_off(addend, scale);
    for (uint32_t k = 0; k < count; k++) {
        sum += cut_off(row[k] * column[k], scale);
    }
    const double result = (double)sum * power_of_two(greatest - kept);
    return small ? (double)from_f32(cut_to_f32(result) & ~UINT32_C(0x3ff)) : result;
}

// The elements of the words that a lane holds of a matrix. Each word is of another tile of eight lines, of which so
// many follow each other before the next ones, which are further along these lines. `length`: elements from line to
// line.
PTX_INLINE void gather_tiles(double *lines, uint32_t length, uint32_t tiles, uint32_t lane, enum element type,
                             const uint32_t *words, uint32_t count) {
    const uint32_t per_word = elements_of_word(type), shift = (uint32_t)__builtin_ctz(tiles); // tiles: a power of two
    for (uint32_t word = 0; word < count; word++) {
        const uint32_t line = (word & (tiles - 1)) * 8 + lane / 4, k = ((word >> shift) * 4 + lane % 4) * per_word;
        for (uint32_t i = 0; i < per_word; i++) {
            lines[line * length + k + i] = element_of(type, words[word], i);
        }
    }
}

// ---- Products of matrices that lanes hold in tiles of eight lines ----

// An H200 multiplies elements of 8 bits as f16: first the first two of each four, then the others, then it adds the
// addend as any float.
PTX_INLINE double sum_of_small_products(const double *row, const double *column, uint32_t count, double addend,
                                        struct sums sums) {
    double sum = 0, left[16], right[16];
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t i = 0; i < count / 2; i++) {
            const uint32_t k = i / 2 * 4 + half * 2 + i % 2;
            left[i] = row[k];
            right[i] = column[k];
        }
        sum = (double)from_f32(cut_to_f32(sum_of_products(left, right, count / 2, ELEMENT_F16, sum, sums)));
    }
    return (double)((float)sum + (float)addend);
}

// `step`: the elements of a line that are multiplied at a time. The struct is small because every lane clears one.
struct product {
    uint32_t *d; // 8 words
    uint32_t a[8], b[8], c[8];
    uint8_t rows, columns, depth, step;
    enum element a_type, b_type;
    struct sums c_sums, d_sums;
};

PTX_INLINE double sum_of_lines(const double *row, const double *column, double sum, const struct product *mine) {
    if (mine->a_type == ELEMENT_E4M3 || mine->a_type == ELEMENT_E5M2) {
        return sum_of_small_products(row, column, mine->depth, sum, mine->d_sums);
    }
    for (uint32_t k = 0;; sum = (double)from_f32(cut_to_f32(sum))) {
        sum = sum_of_products(row + k, column + k, mine->step, mine->a_type, sum, mine->d_sums);
        k += mine->step;
        if (k == mine->depth) {
            return sum;
        }
    }
}

PTX_INLINE uint32_t words_of_lines(const struct product *mine, uint32_t lines, enum element type) {
    return lines / 8 * mine->depth / (4 * elements_of_word(type));
}

// A lane holds sums of rows, or of columns where there are eight rows.
PTX_FUNCTION void meet_multiply(const struct sim_ptx_meeting *meeting) {
    double rows[32][32], columns[32][32];
    const struct product *any = meeting->lane[__builtin_ctzll(meeting->active)];
    __builtin_memset(rows, 0, any->rows * sizeof *rows);
    __builtin_memset(columns, 0, any->columns * sizeof *columns);
    const uint32_t a_words = words_of_lines(any, any->rows, any->a_type);
    const uint32_t b_words = words_of_lines(any, any->columns, any->b_type);
    PTX_EACH_LANE(lane, meeting) {
        const struct product *mine = meeting->lane[lane];
        gather_tiles(*rows, 32, mine->rows / 8, (uint32_t)lane, mine->a_type, mine->a, a_words);
        gather_tiles(*columns, 32, mine->columns / 8, (uint32_t)lane, mine->b_type, mine->b, b_words);
    }
    PTX_EACH_LANE(lane, meeting) {
        struct product *mine = meeting->lane[lane];
        const bool by_column = mine->rows == 8;
        const uint32_t tiles_of_lines =
            (by_column ? mine->columns : mine->rows) / 8; // 1, 2 or 4: a division takes long
        const uint32_t sums = mine->rows * mine->columns / 32, shift = (uint32_t)__builtin_ctz(tiles_of_lines);
        for (uint32_t i = 0; i < sums; i++) {
            const uint32_t line = (i / 2 & (tiles_of_lines - 1)) * 8 + (uint32_t)lane / 4;
            const uint32_t place = (i / 2 >> shift) * 8 + lane % 4 * 2 + i % 2;
            keep_sum(mine->d_sums, mine->d, i,
                     sum_of_lines(rows[by_column ? place : line], columns[by_column ? line : place],
                                  kept_sum(mine->c_sums, mine->c, i), mine));
        }
    }
}

// ---- Products of 8 x 4 and 4 x 8 doubles ----

struct double_part {
    double a, b, c[2], d[2];
};

PTX_FUNCTION void meet_multiply_f64(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct double_part *mine = meeting->lane[lane];
        for (uint32_t i = 0; i < 2; i++) {
            mine->d[i] = mine->c[i];
            for (uint32_t k = 0; k < 4; k++) {
                const struct double_part *left = meeting->lane[lane / 4 * 4 + k];
                const struct double_part *right = meeting->lane[(lane % 4 * 2 + i) * 4 + k];
                if (left && right) {
                    mine->d[i] = __builtin_fma(left->a, right->b, mine->d[i]);
                }
            }
        }
    }
}

#endif
