// Numbers in PTX's formats, for kernels that were translated from PTX: rounding, conversions, special values.
// PTX ISA: "Floating-Point Instructions", "Half Precision Floating-Point Instructions", "cvt".
#ifndef SIM_PTX_KERNEL_NUMBERS_H
#define SIM_PTX_KERNEL_NUMBERS_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define PTX_INLINE static inline __attribute__((always_inline, unused))
#define PTX_FUNCTION static __attribute__((unused))

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

enum rounding {
    ROUND_NEAREST = FE_TONEAREST, // ties to even
    ROUND_ZERO = FE_TOWARDZERO,
    ROUND_DOWN = FE_DOWNWARD,
    ROUND_UP = FE_UPWARD,
    ROUND_AWAY = -1 // ties away from zero, of conversions alone
};

// ---- Bits ----

#define PTX_REINTERPRET(name, from, to)                                                                                \
    PTX_INLINE to name(from x) {                                                                                       \
        to y;                                                                                                          \
        __builtin_memcpy(&y, &x, sizeof y);                                                                            \
        return y;                                                                                                      \
    }
PTX_REINTERPRET(from_f32, uint32_t, float)
PTX_REINTERPRET(to_f32, float, uint32_t)
PTX_REINTERPRET(from_f64, uint64_t, double)
PTX_REINTERPRET(to_f64, double, uint64_t)

// ---- Rounding to any format ----

struct format {
    int fraction, exponent; // bits
    bool finite;            // no infinity: the greatest bits are not a number
    uint64_t not_a_number;  // the canonical one
};

static const struct format format_f64 __attribute__((unused)) = {52, 11, false, UINT64_C(0x7fffffffffffffff)};
static const struct format format_f32 __attribute__((unused)) = {23, 8, false, 0x7fffffff};
static const struct format format_tf32 __attribute__((unused)) = {10, 8, false, 0x3ffff};
static const struct format format_f16 __attribute__((unused)) = {10, 5, false, 0x7fff};
static const struct format format_bf16 __attribute__((unused)) = {7, 8, false, 0x7fff};
static const struct format format_e5m2 __attribute__((unused)) = {2, 5, false, 0x7f};
static const struct format format_e4m3 __attribute__((unused)) = {3, 4, true, 0x7f};

// Whether a magnitude between two neighbours rounds to the greater one. `rest` is 0 below the middle, 1 in the middle,
// 2 above.
PTX_INLINE bool goes_up(enum rounding mode, bool negative, bool odd, int rest) {
    switch (mode) {
    case ROUND_NEAREST:
        return rest == 2 || (rest == 1 && odd);
    case ROUND_AWAY:
        return rest >= 1;
    case ROUND_ZERO:
        break;
    case ROUND_DOWN:
        return negative;
    case ROUND_UP:
        return !negative;
    }
    return false;
}

// The greatest finite magnitude's bits.
PTX_INLINE uint64_t greatest_bits(const struct format *format) {
    const uint64_t infinity = ((UINT64_C(1) << format->exponent) - 1) << format->fraction;
    return format->finite ? format->not_a_number - 1 : infinity - 1;
}

// The bits of (-1)^negative * magnitude * 2^exponent.
PTX_FUNCTION uint64_t round_bits(const struct format *format, enum rounding mode, bool negative, uint64_t magnitude,
                                 int exponent) {
    const int bias = (1 << (format->exponent - 1)) - 1, least = 1 - bias - format->fraction;
    const uint64_t sign = (uint64_t)negative << (format->fraction + format->exponent);
    if (magnitude == 0) {
        return sign;
    }
    const int leading = 63 - __builtin_clzll(magnitude);
    int ulp = exponent + leading - format->fraction; // the exponent of the result's last bit
    ulp = ulp < least ? least : ulp;
    const int shift = ulp - exponent;
    uint64_t kept, rest = 0;
    if (shift <= 0) {
        kept = magnitude << -shift;
    } else {
        kept = shift > 63 ? 0 : magnitude >> shift;
        const uint64_t cut = shift > 63 ? magnitude : magnitude & ((UINT64_C(1) << shift) - 1);
        const uint64_t half = shift > 64 ? 0 : UINT64_C(1) << (shift - 1);
        rest = !cut ? 0 : half == 0 || cut < half ? 1 : cut == half ? 2 : 3;
    }
    // 0: exact, 1: below the middle, 2: in it, 3: above
    if (rest && goes_up(mode, negative, kept & 1, (int)rest - 1)) {
        kept++;
    }
    // The fraction's carry runs into the exponent, which is right.
    const uint64_t bits = ((uint64_t)(ulp - least) << format->fraction) + kept;
    const uint64_t greatest = greatest_bits(format);
    if (bits <= greatest) {
        return sign | bits;
    }
    const bool stays = mode == ROUND_ZERO || (mode == ROUND_DOWN && !negative) || (mode == ROUND_UP && negative);
    return sign | (stays ? greatest : format->finite ? format->not_a_number : greatest + 1);
}

PTX_FUNCTION uint64_t round_number(const struct format *format, enum rounding mode, double x, bool saturate) {
    const uint64_t bits = to_f64(x), fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const bool negative = bits >> 63;
    const uint64_t sign = (uint64_t)negative << (format->fraction + format->exponent);
    if (isnan(x)) {
        return format->not_a_number;
    }
    uint64_t result = isinf(x) ? sign | (format->finite ? format->not_a_number : greatest_bits(format) + 1)
                               : round_bits(format, mode, negative, exponent ? fraction | UINT64_C(1) << 52 : fraction,
                                            exponent ? exponent - 1075 : -1074);
    if (saturate && (result & ~sign) > greatest_bits(format)) {
        result = sign | greatest_bits(format);
    }
    return result;
}

// The upper bits of a float.
PTX_INLINE uint32_t round_tf32(float x, enum rounding mode, bool saturate) {
    return isnan(x) ? to_f32(x) & ~UINT32_C(0x1fff)
                    : (uint32_t)round_number(&format_tf32, mode, (double)x, saturate) << 13;
}

PTX_FUNCTION uint64_t round_integer(const struct format *format, enum rounding mode, bool negative,
                                    uint64_t magnitude) {
    return magnitude ? round_bits(format, mode, negative, magnitude, 0) : 0;
}

// ---- Small formats ----

PTX_INLINE double from_small(const struct format *format, uint32_t bits) {
    const uint32_t fraction = bits & ((1u << format->fraction) - 1);
    const int greatest = (1 << format->exponent) - 1, bias = greatest >> 1;
    const int exponent = (int)(bits >> format->fraction) & greatest;
    double x = 0;
    if (format->finite ? (bits & 0x7f) == format->not_a_number : exponent == greatest) {
        x = fraction ? __builtin_nan("") : __builtin_inf();
    } else if (exponent) {
        x = from_f64((uint64_t)(exponent - bias + 1023) << 52 | (uint64_t)fraction << (52 - format->fraction));
    } else {
        x = (double)fraction * from_f64((uint64_t)(1024 - bias - format->fraction) << 52);
    }
    return bits >> (format->fraction + format->exponent) & 1 ? -x : x;
}

#define PTX_SMALL_FORMAT(name, type, saturates)                                                                        \
    PTX_INLINE double from_##name(type bits) {                                                                         \
        return from_small(&format_##name, bits);                                                                       \
    }                                                                                                                  \
    PTX_INLINE type to_##name(double x) {                                                                              \
        return (type)round_number(&format_##name, ROUND_NEAREST, x, saturates);                                        \
    }
PTX_SMALL_FORMAT(f16, uint16_t, false)
PTX_SMALL_FORMAT(e4m3, uint8_t, true)
PTX_SMALL_FORMAT(e5m2, uint8_t, true)

PTX_INLINE double from_bf16(uint16_t bits) {
    return (double)from_f32((uint32_t)bits << 16);
}

PTX_INLINE uint16_t to_bf16(double x) {
    return (uint16_t)round_number(&format_bf16, ROUND_NEAREST, x, false);
}

PTX_INLINE double from_tf32(uint32_t bits) {
    return (double)from_f32(bits & ~UINT32_C(0x1fff));
}

// ---- Arithmetic ----

// Rounds an operation of float or double as `mode` says. The operands are volatile, so that the compiler computes
// between the two calls.
#define PTX_ROUNDED(expression)                                                                                        \
    __extension__({                                                                                                    \
        fesetround(mode);                                                                                              \
        volatile __typeof__(expression) rounded_ = (expression);                                                       \
        fesetround(FE_TONEAREST);                                                                                      \
        rounded_;                                                                                                      \
    })

#define fused(a, b, c) _Generic((a), float : __builtin_fmaf, double : __builtin_fma)(a, b, c)
#define root(a) _Generic((a), float : __builtin_sqrtf, double : __builtin_sqrt)(a)

// a * b + c of small formats in a double. If it is inexact the last bit is set (round to odd), so that the second
// rounding gives the same result as a single one.
PTX_INLINE double fused_small(double a, double b, double c) {
    const double product = a * b, sum = product + c, part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    const uint64_t bits = to_f64(sum);
    if (error == 0 || isnan(error) || isinf(sum) || bits & 1) {
        return sum;
    }
    return from_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// .ftz: a subnormal becomes a zero of its sign.
PTX_INLINE float flushed_f32(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

PTX_INLINE double flushed_f16(double x) {
    return __builtin_fabs(x) < 0x1p-14 ? __builtin_copysign(0, x) : x;
}

PTX_INLINE double flushed_bf16(double x) {
    return __builtin_fabs(x) < 0x1p-126 ? __builtin_copysign(0, x) : x;
}

// .sat limits to 0 ... 1; NaN becomes 0.
PTX_INLINE double saturated(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

// .relu: NaN stays NaN.
PTX_INLINE double positive_part(double x) {
    return x > 0 || isnan(x) ? x : 0;
}

// If one operand is NaN the other is taken, but .NaN takes the NaN. -0 is less than +0.
PTX_INLINE double least(double a, double b, bool nan) {
    if (isnan(a) || isnan(b)) {
        return nan ? __builtin_nan("") : isnan(a) ? b : a;
    }
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}

PTX_INLINE double greatest(double a, double b, bool nan) {
    return -least(-a, -b, nan);
}

// .xorsign: the sign of the product of a and b.
PTX_INLINE double with_both_signs(double x, double a, double b) {
    return __builtin_copysign(x, __builtin_signbit(a) != __builtin_signbit(b) ? -1 : 1);
}

// div.approx gives 0 for divisors above 2^126 (PTX ISA, div).
PTX_INLINE double divided(double a, double b) {
    if (__builtin_fabs(b) > 0x1p126 && !isinf(b)) {
        return !isfinite(a) ? __builtin_nan("") : __builtin_copysign(0, a) * __builtin_copysign(1, b);
    }
    return a / b;
}

// ---- Conversions ----

PTX_INLINE double to_integral(double x, enum rounding mode) {
    switch (mode) {
    case ROUND_NEAREST:
        return __builtin_nearbyint(x);
    case ROUND_AWAY:
        return __builtin_round(x);
    case ROUND_ZERO:
        return __builtin_trunc(x);
    case ROUND_DOWN:
        return __builtin_floor(x);
    case ROUND_UP:
        return __builtin_ceil(x);
    }
    return x;
}

// Converts to an integer type, to its nearest value if x lies outside. NaN becomes 0, but from a double or to 64 bits
// it becomes the highest bit alone, as on an H200.
PTX_INLINE int64_t to_signed(double x, enum rounding mode, int bits, bool from_double) {
    const double most = from_f64((uint64_t)(1023 + bits - 1) << 52), whole = to_integral(x, mode);
    if (isnan(x)) {
        return from_double || bits == 64 ? (int64_t)(UINT64_MAX << (bits - 1)) : 0;
    }
    const int64_t greatest_value = (int64_t)(UINT64_MAX >> (65 - bits));
    return whole >= most ? greatest_value : whole < -most ? -greatest_value - 1 : (int64_t)whole;
}

PTX_INLINE uint64_t to_unsigned(double x, enum rounding mode, int bits, bool from_double) {
    const double most = from_f64((uint64_t)(1023 + bits) << 52), whole = to_integral(x, mode);
    if (isnan(x)) {
        return from_double || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    }
    return whole >= most ? UINT64_MAX >> (64 - bits) : whole <= 0 ? 0 : (uint64_t)whole;
}

PTX_INLINE int64_t clamp_signed(int128_t x, int bits) {
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    return x > most ? most : x < -(int128_t)most - 1 ? -most - 1 : (int64_t)x;
}

PTX_INLINE uint64_t clamp_unsigned(int128_t x, int bits) {
    const uint64_t most = UINT64_MAX >> (64 - bits);
    return x > (int128_t)most ? most : x < 0 ? 0 : (uint64_t)x;
}

#endif
