// Matrices that the lanes of a warp hold together, for kernels that were translated from PTX: ldmatrix, stmatrix,
// movmatrix, mma. PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions", the fragments of each shape.
#ifndef DEVICE_SIM_PTX_KERNEL_MATRIX_H
#define DEVICE_SIM_PTX_KERNEL_MATRIX_H

#include "device/sim/ptx/kernel/memory.h"
#include "device/sim/ptx/kernel/warp.h"

// Matrices of 8 x 8 numbers of 16 bits. Lane 8 m + r knows row r of matrix m; every lane holds a pair of each matrix.
struct matrix_part {
    uint16_t row[8];
    uint32_t pair[4];
    bool transposed;
};

// Which row and column the first or second number of a lane's pair has.
#define PTX_PAIR_ROW(lane, second, transposed) ((transposed) ? (lane) % 4 * 2 + (second) : (lane) / 4)
#define PTX_PAIR_COLUMN(lane, second, transposed) ((transposed) ? (lane) / 4 : (lane) % 4 * 2 + (second))

PTX_INLINE void move_pairs(const struct sim_ptx_meeting *meeting, uint32_t matrices, bool load) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        struct matrix_part *mine = meeting->lane[lane];
        for (uint32_t m = 0; m < matrices && mine; m++) {
            for (uint32_t second = 0; second < 2; second++) {
                const uint32_t row = PTX_PAIR_ROW(lane, second, mine->transposed);
                const uint32_t column = PTX_PAIR_COLUMN(lane, second, mine->transposed), shift = 16 * second;
                struct matrix_part *owner = meeting->lane[8 * m + row];
                if (owner && load) {
                    mine->pair[m] |= (uint32_t)owner->row[column] << shift;
                } else if (owner) {
                    owner->row[column] = (uint16_t)(mine->pair[m] >> shift);
                }
            }
        }
    }
}

#define PTX_MEET_TO_MOVE(direction, matrices, load)                                                                    \
    PTX_FUNCTION void meet_##direction##_matrix_##matrices(const struct sim_ptx_meeting *meeting) {                    \
        move_pairs(meeting, matrices, load);                                                                           \
    }
PTX_MEET_TO_MOVE(load, 1, true)
PTX_MEET_TO_MOVE(load, 2, true)
PTX_MEET_TO_MOVE(load, 4, true)
PTX_MEET_TO_MOVE(store, 1, false)
PTX_MEET_TO_MOVE(store, 2, false)
PTX_MEET_TO_MOVE(store, 4, false)

// movmatrix: the pairs as rows, then the rows' columns as pairs.
PTX_FUNCTION void meet_transpose(const struct sim_ptx_meeting *meeting) {
    move_pairs(meeting, 1, false);
    PTX_EACH_LANE(lane, meeting) {
        struct matrix_part *mine = meeting->lane[lane];
        mine->pair[0] = 0;
        mine->transposed = true;
    }
    move_pairs(meeting, 1, true);
}

// ---- Products of 16 x K and K x 8 ----

enum element {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_S8,
    ELEMENT_U8
};

struct product_part {
    uint32_t a[4], b[2], c[4], d[4];
    uint32_t depth; // K
    enum element a_type, b_type;
    char result; // f: f32, h: f16, i: s32
    bool saturate;
};

PTX_INLINE uint32_t elements_of_word(enum element type) {
    return type == ELEMENT_TF32 ? 1 : type == ELEMENT_S8 || type == ELEMENT_U8 ? 4 : 2;
}

PTX_INLINE double element_of(enum element type, uint32_t word, uint32_t i) {
    switch (type) {
    case ELEMENT_F16:
        return from_f16((uint16_t)(word >> 16 * i));
    case ELEMENT_BF16:
        return from_bf16((uint16_t)(word >> 16 * i));
    case ELEMENT_TF32:
        return from_tf32(word);
    case ELEMENT_S8:
        return (int8_t)(word >> 8 * i);
    case ELEMENT_U8:
        return (uint8_t)(word >> 8 * i);
    }
    return 0;
}

struct product {
    double a[16][64], b[64][8];
};

PTX_INLINE void gather_factors(struct product *product, uint32_t lane, const struct product_part *mine) {
    const uint32_t per_word = elements_of_word(mine->a_type), group = lane / 4, place = lane % 4 * per_word;
    const uint32_t words = mine->depth / (4 * per_word); // of B; A has twice as many
    for (uint32_t word = 0; word < words; word++) {
        for (uint32_t i = 0; i < per_word; i++) {
            const uint32_t k = place + i + word * 4 * per_word;
            product->a[group][k] = element_of(mine->a_type, mine->a[2 * word], i);
            product->a[group + 8][k] = element_of(mine->a_type, mine->a[2 * word + 1], i);
            product->b[k][group] = element_of(mine->b_type, mine->b[word], i);
        }
    }
}

PTX_INLINE double addend_of(const struct product_part *mine, uint32_t i) {
    return mine->result == 'i'   ? (double)(int32_t)mine->c[i]
           : mine->result == 'h' ? from_f16((uint16_t)(mine->c[i / 2] >> 16 * (i % 2)))
                                 : (double)from_f32(mine->c[i]);
}

PTX_INLINE void keep_result(struct product_part *mine, uint32_t i, double sum) {
    if (mine->result == 'i') {
        mine->d[i] = mine->saturate ? (uint32_t)to_signed(sum, ROUND_ZERO, 32, false) : (uint32_t)(int64_t)sum;
    } else if (mine->result == 'h') {
        mine->d[i / 2] |= (uint32_t)to_f16(sum) << 16 * (i % 2);
    } else {
        mine->d[i] = to_f32((float)sum);
    }
}

// Sums are exact to a double's digits and rounded once; a GPU rounds in between.
PTX_FUNCTION void meet_multiply(const struct sim_ptx_meeting *meeting) {
    struct product product;
    __builtin_memset(&product, 0, sizeof product);
    PTX_EACH_LANE(lane, meeting) {
        gather_factors(&product, (uint32_t)lane, meeting->lane[lane]);
    }
    PTX_EACH_LANE(lane, meeting) {
        struct product_part *mine = meeting->lane[lane];
        for (uint32_t i = 0; i < 4; i++) {
            const uint64_t row = lane / 4 + (i / 2) * 8, column = lane % 4 * 2 + i % 2;
            double sum = 0;
            for (uint32_t k = 0; k < mine->depth; k++) {
                sum += product.a[row][k] * product.b[k][column];
            }
            keep_result(mine, i, sum + addend_of(mine, i));
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
