// Products of a warp group, four warps, for kernels that were translated from PTX: wgmma. Each warp multiplies 16 rows
// of A by all of B. PTX ISA: "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", the layouts of
// matrices in shared memory.
#ifndef SIM_PTX_KERNEL_GROUP_H
#define SIM_PTX_KERNEL_GROUP_H

#include "sim/ptx/kernel/matrix.h"

// A matrix in shared memory. A line is a row of A or a column of B.
struct operand_matrix {
    uint64_t descriptor;
    enum element type;
    uint32_t depth; // elements of a line
    bool across;    // neighbours in memory are of neighbouring lines, not of one line
    bool negated;   // each element
};

// The offset in shared memory of element k of a line.
PTX_INLINE uint32_t operand_offset(const struct operand_matrix *matrix, uint32_t line, uint32_t k) {
    static const uint32_t spans[] = {16, 128, 64, 32}; // bytes of a row of the swizzled pattern
    const uint32_t layout = (uint32_t)(matrix->descriptor >> 62), span = spans[layout];
    const uint32_t first = (uint32_t)(matrix->descriptor & 0x3fff) << 4;
    const uint32_t leading = (uint32_t)(matrix->descriptor >> 16 & 0x3fff) << 4;
    const uint32_t stride = (uint32_t)(matrix->descriptor >> 32 & 0x3fff) << 4;
    const uint32_t base = (uint32_t)(matrix->descriptor >> 49 & 7);
    const uint32_t bytes = 4 / elements_of_word(matrix->type);
    const uint32_t along = (matrix->across ? line : k) * bytes, other = matrix->across ? k : line;
    const bool exchanged = matrix->across && layout == 0; // the two distances
    const uint32_t offset = first + along % span + along / span * (exchanged ? stride : leading) + other % 8 * span +
                            other / 8 * (exchanged ? leading : stride);
    return offset ^ ((((offset >> 7) - base) & 7 & (span / 16 - 1)) << 4);
}

// The n-th run of 16 bytes of `lines` lines from line `first` on. Eight runs in turn are of eight rows in memory.
PTX_INLINE uint64_t operand_run(const struct operand_matrix *matrix, uint32_t first, uint32_t lines, uint32_t n) {
    const uint32_t elements = 4 * elements_of_word(matrix->type), depth = matrix->depth;
    return from_shared(matrix->across ? operand_offset(matrix, first + n / depth * elements, n % depth)
                                      : operand_offset(matrix, first + n % lines, n / lines * elements));
}

struct group_part {
    struct operand_matrix a, b;
    uint32_t a_words[4], d[128];
    uint32_t columns, first_row;
    bool a_in_registers, accumulates;
    struct sums sums;
};

PTX_INLINE double operand_element(const struct operand_matrix *matrix, uint32_t line, uint32_t k) {
    uint32_t word = 0;
    __builtin_memcpy(&word, (const void *)(uintptr_t)from_shared(operand_offset(matrix, line, k)),
                     4 / elements_of_word(matrix->type));
    const double element = element_of(matrix->type, word, 0);
    return matrix->negated ? -element : element;
}

PTX_INLINE void gather_lines(double (*lines)[32], const struct operand_matrix *matrix, uint32_t first, uint32_t count,
                             uint32_t depth) {
    for (uint32_t line = 0; line < count; line++) {
        for (uint32_t k = 0; k < depth; k++) {
            lines[line][k] = operand_element(matrix, first + line, k);
        }
    }
}

PTX_INLINE void negate_rows(double (*rows)[32], uint32_t depth) {
    for (uint32_t i = 0; i < 16 * depth; i++) {
        rows[i / depth][i % depth] = -rows[i / depth][i % depth];
    }
}

PTX_FUNCTION void meet_group_multiply(const struct sim_ptx_meeting *meeting) {
    static double rows[16][32], columns[256][32];
    const struct group_part *any = meeting->lane[__builtin_ctzll(meeting->active)];
    const uint32_t depth = 8 * elements_of_word(any->a.type);
    if (any->a_in_registers) {
        PTX_EACH_LANE(lane, meeting) {
            const uint32_t *words = ((struct group_part *)meeting->lane[lane])->a_words;
            gather_tiles(*rows, 32, 2, (uint32_t)lane, any->a.type, words, 4);
        }
        if (any->a.negated) {
            negate_rows(rows, depth);
        }
    } else {
        gather_lines(rows, &any->a, any->first_row, 16, depth);
    }
    gather_lines(columns, &any->b, 0, any->columns, depth);
    PTX_EACH_LANE(lane, meeting) {
        struct group_part *mine = meeting->lane[lane];
        for (uint32_t i = 0; i < mine->columns / 2; i++) {
            const double *row = rows[lane / 4 + i / 2 % 2 * 8], *column = columns[i / 4 * 8 + lane % 4 * 2 + i % 2];
            keep_sum(mine->sums, mine->d, i,
                     sum_of_products(row, column, depth, mine->a.type,
                                     mine->accumulates ? kept_sum(mine->sums, mine->d, i) : 0, mine->sums));
        }
    }
}

#endif
