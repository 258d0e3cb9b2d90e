// Floating-point numbers of 16 bits, and pairs of them: what cuda_fp16.h and cuda_bf16.h share. Each operation is
// computed in double and rounded once, to nearest even, as the GPU's instruction is.
#ifndef DEVICE_KERNEL_CXX_SMALL_FLOATS_H
#define DEVICE_KERNEL_CXX_SMALL_FLOATS_H

// A format: bits of the mantissa, and the exponent of the least normal number.
template <int Mantissa, int Least> struct sim_format {
    static constexpr int infinity = ((1 << (15 - Mantissa)) - 1) << Mantissa;

    static double decode(unsigned short bits) {
        const int magnitude = bits & 0x7fff, exponent = magnitude >> Mantissa, mask = (1 << Mantissa) - 1;
        double value = exponent ? ldexp((double)(magnitude & mask | 1 << Mantissa), exponent - 1 + Least - Mantissa)
                                : ldexp((double)magnitude, Least - Mantissa);
        value = magnitude > infinity ? (double)NAN : magnitude == infinity ? (double)INFINITY : value;
        return bits & 0x8000 ? -value : value;
    }

    static unsigned short encode(double value) {
        const unsigned short sign = signbit(value) ? 0x8000 : 0;
        if (value != value) {
            return 0x7fff;
        }
        if (value == 0) {
            return sign;
        }
        int exponent;
        frexp(value, &exponent);
        exponent = exponent - 1 < Least ? Least : exponent - 1;
        const double scaled = rint(ldexp(fabs(value), Mantissa - exponent));
        if (isinf(value) || exponent - Least >= infinity >> Mantissa) {
            return sign | infinity;
        }
        const int bits = ((exponent - Least) << Mantissa) + (int)scaled;
        return sign | (unsigned short)(bits < infinity ? bits : infinity);
    }
};

// a * b + c, rounded so that a second rounding gives what a single one would: an inexact sum gets an odd last bit.
SIM_INLINE double sim_fma_to_odd(double a, double b, double c) {
    const double product = a * b, sum = product + c, rest = sum - product;
    const double error = (product - (sum - rest)) + (c - rest);
    uint64_t bits = sim_bits_as<uint64_t>(sum);
    if (error != 0 && error == error && !isinf(sum) && !(bits & 1)) {
        bits += (error > 0) == (sum > 0) ? 1 : -1;
    }
    return sim_bits_as<double>(bits);
}

#define SIM_SMALL_FLOAT(T, format)                                                                                     \
    struct alignas(2) T {                                                                                              \
        unsigned short bits;                                                                                           \
        T() = default;                                                                                                 \
        T(double value) : bits(format::encode(value)) {}                                                               \
        T(float value) : T((double)value) {}                                                                           \
        T(int value) : T((double)value) {}                                                                             \
        T(unsigned value) : T((double)value) {}                                                                        \
        T(long long value) : T((double)value) {}                                                                       \
        T(unsigned long long value) : T((double)value) {}                                                              \
        operator float() const {                                                                                       \
            return (float)format::decode(bits);                                                                        \
        }                                                                                                              \
        double value() const {                                                                                         \
            return format::decode(bits);                                                                               \
        }                                                                                                              \
    };                                                                                                                 \
    SIM_INLINE T operator-(T a) {                                                                                      \
        a.bits ^= 0x8000;                                                                                              \
        return a;                                                                                                      \
    }                                                                                                                  \
    SIM_SMALL_OPERATOR(T, +, __hadd)                                                                                   \
    SIM_SMALL_OPERATOR(T, -, __hsub)                                                                                   \
    SIM_SMALL_OPERATOR(T, *, __hmul)                                                                                   \
    SIM_SMALL_OPERATOR(T, /, __hdiv)                                                                                   \
    SIM_SMALL_COMPARISON(T, ==, __heq)                                                                                 \
    SIM_SMALL_COMPARISON(T, !=, __hne)                                                                                 \
    SIM_SMALL_COMPARISON(T, <, __hlt)                                                                                  \
    SIM_SMALL_COMPARISON(T, <=, __hle)                                                                                 \
    SIM_SMALL_COMPARISON(T, >, __hgt)                                                                                  \
    SIM_SMALL_COMPARISON(T, >=, __hge)                                                                                 \
    SIM_SMALL_FUNCTION(T, hsqrt, sqrt)                                                                                 \
    SIM_SMALL_FUNCTION(T, hexp, exp)                                                                                   \
    SIM_SMALL_FUNCTION(T, hexp2, exp2)                                                                                 \
    SIM_SMALL_FUNCTION(T, hlog, log)                                                                                   \
    SIM_SMALL_FUNCTION(T, hlog2, log2)                                                                                 \
    SIM_SMALL_FUNCTION(T, hsin, sin)                                                                                   \
    SIM_SMALL_FUNCTION(T, hcos, cos)                                                                                   \
    SIM_SMALL_FUNCTION(T, htanh, tanh)                                                                                 \
    SIM_SMALL_FUNCTION(T, hfloor, floor)                                                                               \
    SIM_SMALL_FUNCTION(T, hceil, ceil)                                                                                 \
    SIM_SMALL_FUNCTION(T, hrint, rint)                                                                                 \
    SIM_SMALL_FUNCTION(T, htrunc, trunc)                                                                               \
    SIM_SMALL_FUNCTION(T, hrcp, 1.0 /)                                                                                 \
    SIM_SMALL_FUNCTION(T, hrsqrt, 1.0 / sqrt)                                                                          \
    SIM_SMALL_FUNCTION(T, __habs, fabs)                                                                                \
    SIM_SMALL_FUNCTION(T, __hneg, -)                                                                                   \
    SIM_INLINE T __hfma(T a, T b, T c) {                                                                               \
        return T(sim_fma_to_odd(a.value(), b.value(), c.value()));                                                     \
    }                                                                                                                  \
    SIM_INLINE T __hmin(T a, T b) {                                                                                    \
        return T(fmin(a.value(), b.value()));                                                                          \
    }                                                                                                                  \
    SIM_INLINE T __hmax(T a, T b) {                                                                                    \
        return T(fmax(a.value(), b.value()));                                                                          \
    }                                                                                                                  \
    SIM_INLINE bool __hisnan(T a) {                                                                                    \
        return a.value() != a.value();                                                                                 \
    }                                                                                                                  \
    SIM_INLINE T atomicAdd(T *p, T value) {                                                                            \
        return sim_atomic_change<unsigned short>(p, [value](T old) { return old + value; });                           \
    }

// The assignment of an operator, and CUDA's name for it.
#define SIM_NAME_OPERATOR(T, sign, name)                                                                               \
    SIM_INLINE T &operator sign##=(T &a, T b) {                                                                        \
        return a = a sign b;                                                                                           \
    }                                                                                                                  \
    SIM_INLINE T name(T a, T b) {                                                                                      \
        return a sign b;                                                                                               \
    }
#define SIM_SMALL_OPERATOR(T, sign, name)                                                                              \
    SIM_INLINE T operator sign(T a, T b) {                                                                             \
        return T(a.value() sign b.value());                                                                            \
    }                                                                                                                  \
    SIM_NAME_OPERATOR(T, sign, name)
#define SIM_SMALL_COMPARISON(T, sign, name)                                                                            \
    SIM_INLINE bool operator sign(T a, T b) {                                                                          \
        return a.value() sign b.value();                                                                               \
    }                                                                                                                  \
    SIM_INLINE bool name(T a, T b) {                                                                                   \
        return a sign b;                                                                                               \
    }
#define SIM_SMALL_FUNCTION(T, name, function)                                                                          \
    SIM_INLINE T name(T a) {                                                                                           \
        return T((double)(function(a.value())));                                                                       \
    }

// Pairs: every operation on both halves.
#define SIM_SMALL_PAIR(T, Pair)                                                                                        \
    struct alignas(4) Pair {                                                                                           \
        T x, y;                                                                                                        \
        SIM_PAIR_CONSTRUCTORS(T, Pair)                                                                                 \
    };                                                                                                                 \
    SIM_PAIR_OPERATOR(T, Pair, +, __hadd2)                                                                             \
    SIM_PAIR_OPERATOR(T, Pair, -, __hsub2)                                                                             \
    SIM_PAIR_OPERATOR(T, Pair, *, __hmul2)                                                                             \
    SIM_PAIR_OPERATOR(T, Pair, /, __h2div)                                                                             \
    SIM_PAIR_FUNCTION(Pair, h2sqrt, hsqrt)                                                                             \
    SIM_PAIR_FUNCTION(Pair, h2exp, hexp)                                                                               \
    SIM_PAIR_FUNCTION(Pair, h2exp2, hexp2)                                                                             \
    SIM_PAIR_FUNCTION(Pair, h2log, hlog)                                                                               \
    SIM_PAIR_FUNCTION(Pair, h2tanh, htanh)                                                                             \
    SIM_PAIR_FUNCTION(Pair, h2rcp, hrcp)                                                                               \
    SIM_PAIR_FUNCTION(Pair, h2rsqrt, hrsqrt)                                                                           \
    SIM_PAIR_FUNCTION(Pair, __hneg2, __hneg)                                                                           \
    SIM_PAIR_FUNCTION(Pair, __habs2, __habs)                                                                           \
    SIM_INLINE Pair __hfma2(Pair a, Pair b, Pair c) {                                                                  \
        return Pair{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                                     \
    }                                                                                                                  \
    SIM_INLINE Pair __hmin2(Pair a, Pair b) {                                                                          \
        return Pair{__hmin(a.x, b.x), __hmin(a.y, b.y)};                                                               \
    }                                                                                                                  \
    SIM_INLINE Pair __hmax2(Pair a, Pair b) {                                                                          \
        return Pair{__hmax(a.x, b.x), __hmax(a.y, b.y)};                                                               \
    }                                                                                                                  \
    SIM_INLINE Pair __lowhigh2highlow(Pair a) {                                                                        \
        return Pair{a.y, a.x};                                                                                         \
    }                                                                                                                  \
    SIM_INLINE float __low2float(Pair a) {                                                                             \
        return a.x;                                                                                                    \
    }                                                                                                                  \
    SIM_INLINE float __high2float(Pair a) {                                                                            \
        return a.y;                                                                                                    \
    }                                                                                                                  \
    SIM_INLINE Pair atomicAdd(Pair *p, Pair value) {                                                                   \
        return sim_atomic_change<unsigned>(p, [value](Pair old) { return old + value; });                              \
    }

#define SIM_PAIR_OPERATOR(T, Pair, sign, name)                                                                         \
    SIM_INLINE Pair operator sign(Pair a, Pair b) {                                                                    \
        return Pair{a.x sign b.x, a.y sign b.y};                                                                       \
    }                                                                                                                  \
    SIM_NAME_OPERATOR(Pair, sign, name)
#define SIM_PAIR_FUNCTION(Pair, name, function)                                                                        \
    SIM_INLINE Pair name(Pair a) {                                                                                     \
        return Pair{function(a.x), function(a.y)};                                                                     \
    }

// Conversions, whose names contain the format: half or bfloat16.
#define SIM_SMALL_CONVERSIONS(T, Pair, name)                                                                           \
    SIM_FUNCTION1(T, __float2##name, float, T(a))                                                                      \
    SIM_FUNCTION1(T, __float2##name##_rn, float, T(a))                                                                 \
    SIM_FUNCTION1(T, __double2##name, double, T(a))                                                                    \
    SIM_FUNCTION1(float, __##name##2float, T, a)                                                                       \
    SIM_FUNCTION1(unsigned short, __##name##_as_ushort, T, a.bits)                                                     \
    SIM_FUNCTION1(T, __ushort_as_##name, unsigned short, sim_bits_as<T>(a))                                            \
    SIM_FUNCTION1(Pair, __##name##2##name##2, T, (Pair{a, a}))                                                         \
    SIM_FUNCTION1(Pair, __float2##name##2_rn, float, (Pair{T(a), T(a)}))                                               \
    SIM_FUNCTION1(Pair, __float22##name##2_rn, float2, (Pair{T(a.x), T(a.y)}))                                         \
    SIM_FUNCTION1(float2, __##name##22float2, Pair, (float2{(float)a.x, (float)a.y}))                                  \
    SIM_FUNCTION1(T, __low2##name, Pair, a.x)                                                                          \
    SIM_FUNCTION1(T, __high2##name, Pair, a.y)                                                                         \
    SIM_FUNCTION2(Pair, __floats2##name##2_rn, float, (Pair{T(a), T(b)}))                                              \
    SIM_FUNCTION2(Pair, __halves2##name##2, T, (Pair{a, b}))

// One access copies a pair: vector_types.h.
#ifdef __clang__
#define SIM_PAIR_CONSTRUCTORS(T, Pair)                                                                                 \
    SIM_COPIED_WHOLE(Pair, 4)                                                                                          \
    Pair(T x, T y) : x(x), y(y) {}
#else
#define SIM_PAIR_CONSTRUCTORS(T, Pair)                                                                                 \
    Pair() = default;                                                                                                  \
    Pair(T x, T y) : x(x), y(y) {}
#endif

#endif
