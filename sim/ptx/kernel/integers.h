// Operations on integers, for kernels that were translated from PTX. PTX ISA: "Integer Arithmetic Instructions",
// "Logic and Shift Instructions".
#ifndef SIM_PTX_KERNEL_INTEGERS_H
#define SIM_PTX_KERNEL_INTEGERS_H

#include "sim/ptx/kernel/numbers.h"

#define PTX_BITS_OF(a) ((int)(8 * sizeof(a)))
#define PTX_IS_SIGNED(a) ((__typeof__(a))-1 < 0)

// .cc: the sum or difference, and its carry in the kernel's variable.
#define PTX_ADD_CARRY(a, b, in)                                                                                        \
    __extension__({                                                                                                    \
        const uint128_t sum_ = (uint128_t)(a) + (b) + (in);                                                            \
        carry = sum_ >> PTX_BITS_OF(a) & 1;                                                                            \
        (__typeof__(a))sum_;                                                                                           \
    })
#define PTX_SUBTRACT_CARRY(a, b, in)                                                                                   \
    __extension__({                                                                                                    \
        const uint128_t difference_ = (uint128_t)(a) - (b) - (in);                                                     \
        carry = difference_ >> PTX_BITS_OF(a) & 1;                                                                     \
        (__typeof__(a))difference_;                                                                                    \
    })
#define PTX_WIDE(a) __typeof__(__builtin_choose_expr(PTX_IS_SIGNED(a), (int128_t)0, (uint128_t)0))
#define PTX_HIGH(a, b) ((__typeof__(a))((PTX_WIDE(a))(a) * (b) >> PTX_BITS_OF(a)))

// GPUs define these results where C does not.
#define PTX_DIVIDE(a, b)                                                                                               \
    ((b) == 0                                       ? (__typeof__(a))-1                                                \
     : PTX_IS_SIGNED(b) && (b) == (__typeof__(b))-1 ? (__typeof__(a))(0 - (a))                                         \
                                                    : (__typeof__(a))((a) / (b)))
#define PTX_REMAINDER(a, b)                                                                                            \
    ((b) == 0                                       ? (__typeof__(a))-1                                                \
     : PTX_IS_SIGNED(b) && (b) == (__typeof__(b))-1 ? (__typeof__(a))0                                                 \
                                                    : (__typeof__(a))((a) % (b)))

// Shifts by the type's bits or more leave nothing but the sign.
#define PTX_SHIFT_LEFT(a, n) ((n) >= (uint32_t)PTX_BITS_OF(a) ? 0 : (__typeof__(a))((uint64_t)(a) << (n)))
#define PTX_SHIFT_RIGHT(a, n) ((__typeof__(a))((n) >= (uint32_t)PTX_BITS_OF(a) ? -((a) < 0) : (a) >> (n)))

PTX_INLINE uint32_t funnel(uint32_t low, uint32_t high, uint32_t count, bool left, bool wrap) {
    const uint32_t n = wrap ? count & 31 : count > 32 ? 32 : count;
    const uint64_t both = (uint64_t)high << 32 | low;
    return left ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}

PTX_INLINE uint32_t leading_zeros(uint64_t a, int bits) {
    return a ? (uint32_t)(__builtin_clzll(a) - (64 - bits)) : (uint32_t)bits;
}

// The position of the highest bit that differs from the sign; all ones if there is none.
PTX_INLINE uint32_t find_bit(uint64_t a, int bits, bool is_signed, bool as_shift) {
    const bool negative = is_signed && a >> (bits - 1) & 1;
    a = (negative ? ~a : a) & UINT64_MAX >> (64 - bits);
    const uint32_t zeros = leading_zeros(a, bits);
    return !a ? UINT32_MAX : as_shift ? zeros : (uint32_t)bits - 1 - zeros;
}

PTX_INLINE uint64_t reversed(uint64_t a, int bits) {
    uint64_t result = 0;
    for (int i = 0; i < bits; i++) {
        result |= (a >> i & 1) << (bits - 1 - i);
    }
    return result;
}

// In a word of 32 bits an H200 takes the low byte of a field's position and length, in one of 64 bits the whole number.
PTX_INLINE uint32_t field_number(uint32_t number, int bits) {
    return bits == 32 ? number & 255 : number;
}

// bfe: the sign is the field's highest bit, or the value's if the field ends beyond it.
PTX_INLINE uint64_t field(uint64_t a, uint32_t b, uint32_t c, int bits, bool is_signed) {
    const uint64_t position = field_number(b, bits), length = field_number(c, bits), top = (uint64_t)bits - 1;
    const uint64_t last = position + length - 1 < top ? position + length - 1 : top;
    const uint64_t sign = is_signed && length ? a >> last & 1 : 0;
    uint64_t result = sign ? UINT64_MAX : 0;
    for (uint64_t i = 0; i < length && position + i <= top; i++) {
        result = (result & ~(UINT64_C(1) << i)) | (a >> (position + i) & 1) << i;
    }
    return result & UINT64_MAX >> (64 - bits);
}

PTX_INLINE uint64_t insert_field(uint64_t a, uint64_t b, uint32_t c, uint32_t d, int bits) {
    const uint32_t position = field_number(c, bits), length = field_number(d, bits);
    if (position >= (uint32_t)bits || length == 0) {
        return b;
    }
    const uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    return ((b & ~(ones << position)) | (a & ones) << position) & UINT64_MAX >> (64 - bits);
}

PTX_INLINE uint32_t permuted_byte(uint64_t bytes, uint32_t place) {
    const uint32_t byte = (uint32_t)(bytes >> (place & 7) * 8) & 255;
    return place & 8 ? (byte & 128 ? 255 : 0) : byte;
}

// prmt's modes: the selector that the low bits of c choose (PTX ISA, prmt, the table of modes).
PTX_INLINE uint32_t selector(uint32_t c, uint32_t of_0, uint32_t of_1, uint32_t of_2, uint32_t of_3) {
    return c & 2 ? (c & 1 ? of_3 : of_2) : (c & 1 ? of_1 : of_0);
}

PTX_INLINE uint32_t permuted(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        result |= permuted_byte(bytes, c >> i * 4) << i * 8;
    }
    return result;
}

PTX_INLINE uint32_t logic(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if (table >> i & 1) {
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        }
    }
    return result;
}

// A factor of a dot product: 1 or 2 bytes of a word, with a sign or without.
PTX_INLINE int64_t part_of(uint32_t word, int place, int bytes, bool is_signed) {
    const uint32_t part = word >> (place * bytes * 8) & (bytes == 1 ? 0xff : 0xffff);
    return !is_signed ? (int64_t)part : bytes == 1 ? (int8_t)part : (int16_t)part;
}

// The factors of b are bytes, from `first` on.
PTX_INLINE uint32_t dot(uint32_t a, int bytes, bool a_signed, uint32_t b, int first, bool b_signed, uint32_t c) {
    int64_t sum = c;
    for (int i = 0; i < 4 / bytes; i++) {
        sum += part_of(a, i, bytes, a_signed) * part_of(b, first + i, 1, b_signed);
    }
    return (uint32_t)sum;
}

PTX_INLINE uint32_t mask_of(uint32_t first, uint32_t count, bool wrap) {
    if (wrap) {
        first &= 31, count &= 31;
    }
    const uint64_t ones = count >= 32 ? UINT32_MAX : (UINT64_C(1) << count) - 1;
    return first >= 32 ? 0 : (uint32_t)(ones << first);
}

// szext: the n low bits, extended to all.
PTX_INLINE uint32_t extended(uint32_t a, uint32_t n, bool is_signed, bool wrap) {
    n = wrap ? n & 31 : n;
    if (n >= 32) {
        return a;
    }
    const uint32_t ones = (UINT32_C(1) << n) - 1;
    return is_signed && n && a >> (n - 1) & 1 ? a | ~ones : a & ones;
}

// fns: the place of the n-th set bit from `base`, downwards for a negative n; all ones if there is none.
PTX_INLINE uint32_t nth_set(uint32_t mask, uint32_t base, int32_t n) {
    if (n == 0) {
        return mask >> (base & 31) & 1 ? base : UINT32_MAX;
    }
    const int step = n < 0 ? -1 : 1;
    int32_t left = n < 0 ? -n : n;
    for (int32_t place = (int32_t)(base & 31); place >= 0 && place < 32; place += step) {
        if (mask >> place & 1 && --left == 0) {
            return (uint32_t)place;
        }
    }
    return UINT32_MAX;
}

#endif
