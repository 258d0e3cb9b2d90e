// CUDA's functions of numbers and bits, and its loads and stores with a cache hint.
#ifndef DEVICE_KERNEL_CXX_INTRINSICS_H
#define DEVICE_KERNEL_CXX_INTRINSICS_H

#include <limits>

// ---- Loads and stores with a cache hint ----

#define SIM_DEFINE_LOAD(name)                                                                                          \
    template <class T> SIM_INLINE T name(const T *p) {                                                                 \
        return *p;                                                                                                     \
    }
SIM_DEFINE_LOAD(__ldg)
SIM_DEFINE_LOAD(__ldca)
SIM_DEFINE_LOAD(__ldcg)
SIM_DEFINE_LOAD(__ldcs)
SIM_DEFINE_LOAD(__ldcv)
SIM_DEFINE_LOAD(__ldlu)
#define SIM_DEFINE_STORE(name)                                                                                         \
    template <class T> SIM_INLINE void name(T *p, sim_as<T> value) {                                                   \
        *p = value;                                                                                                    \
    }
SIM_DEFINE_STORE(__stcg)
SIM_DEFINE_STORE(__stcs)
SIM_DEFINE_STORE(__stwb)
SIM_DEFINE_STORE(__stwt)

#define memcpy sim_memcpy
#define memset sim_memset
namespace std {
using ::sim_memcpy;
using ::sim_memset;
} // namespace std

// ---- Numbers ----

template <class A, class B> constexpr __attribute__((always_inline)) inline auto min(A a, B b) {
    typedef typename std::common_type<A, B>::type T;
    return (T)a < (T)b ? (T)a : (T)b;
}
template <class A, class B> constexpr __attribute__((always_inline)) inline auto max(A a, B b) {
    typedef typename std::common_type<A, B>::type T;
    return (T)a > (T)b ? (T)a : (T)b;
}
// If one argument is NaN, CUDA's and C's functions return the other.
#define SIM_DEFINE_NUMBER_MIN(type, c_min, c_max)                                                                      \
    SIM_INLINE type min(type a, type b) {                                                                              \
        return c_min(a, b);                                                                                            \
    }                                                                                                                  \
    SIM_INLINE type max(type a, type b) {                                                                              \
        return c_max(a, b);                                                                                            \
    }
SIM_DEFINE_NUMBER_MIN(float, __builtin_fminf, __builtin_fmaxf)
SIM_DEFINE_NUMBER_MIN(double, __builtin_fmin, __builtin_fmax)

#define umin(a, b) min((unsigned)(a), (unsigned)(b))
#define umax(a, b) max((unsigned)(a), (unsigned)(b))

#define SIM_FUNCTION1(result, name, type, expression)                                                                  \
    SIM_INLINE result name(type a) {                                                                                   \
        return expression;                                                                                             \
    }
#define SIM_FUNCTION2(result, name, type, expression)                                                                  \
    SIM_INLINE result name(type a, type b) {                                                                           \
        return expression;                                                                                             \
    }

SIM_FUNCTION1(float, rsqrtf, float, 1.0f / sqrtf(a))
SIM_FUNCTION1(double, rsqrt, double, 1.0 / sqrt(a))
SIM_FUNCTION1(float, rsqrt, float, 1.0f / sqrtf(a))
SIM_FUNCTION1(float, rcbrtf, float, 1.0f / cbrtf(a))
SIM_FUNCTION1(double, rcbrt, double, 1.0 / cbrt(a))
SIM_FUNCTION1(float, sinpif, float, (float)sin(a *M_PI))
SIM_FUNCTION1(float, cospif, float, (float)cos(a *M_PI))
SIM_FUNCTION1(float, normcdff, float, (float)(0.5 * erfc(-a * M_SQRT1_2)))
SIM_FUNCTION1(double, normcdf, double, 0.5 * erfc(-a * M_SQRT1_2))
SIM_FUNCTION1(float, __saturatef, float, a > 0 ? (a < 1 ? a : 1.0f) : 0.0f)
SIM_FUNCTION1(float, __frcp_rn, float, 1.0f / a)
SIM_FUNCTION1(float, __fsqrt_rn, float, sqrtf(a))
SIM_FUNCTION1(float, __frsqrt_rn, float, (float)(1.0 / sqrt((double)a)))
SIM_FUNCTION1(double, __drcp_rn, double, 1.0 / a)
SIM_FUNCTION1(double, __dsqrt_rn, double, sqrt(a))
SIM_FUNCTION2(float, __fdividef, float, a / b)
SIM_FUNCTION2(float, fdividef, float, a / b)
SIM_FUNCTION2(float, __fadd_rn, float, a + b)
SIM_FUNCTION2(float, __fsub_rn, float, a - b)
SIM_FUNCTION2(float, __fmul_rn, float, a *b)
SIM_FUNCTION2(float, __fdiv_rn, float, a / b)
SIM_FUNCTION2(double, __dadd_rn, double, a + b)
SIM_FUNCTION2(double, __dsub_rn, double, a - b)
SIM_FUNCTION2(double, __dmul_rn, double, a *b)
SIM_FUNCTION2(double, __ddiv_rn, double, a / b)

SIM_INLINE float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
SIM_INLINE double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}
SIM_INLINE float norm3df(float a, float b, float c) {
    return sqrtf(a * a + b * b + c * c);
}
SIM_INLINE float rnorm3df(float a, float b, float c) {
    return 1.0f / norm3df(a, b, c);
}
// glibc declares functions of these names.
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __tanhf tanhf
#define __powf powf
#define __sincosf sincosf

// ---- From one type to another ----

// A conversion to integers ends at the type's limits, and not a number becomes 0, as on a GPU.
template <class To, class From> SIM_INLINE To sim_to_integer(From a) {
    const To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    return a != a ? 0 : a <= (From)least ? least : a >= (From)most ? most : (To)a;
}

#define SIM_TO_INTEGER(from, from_name, to, to_name, to_even, down, up)                                                \
    SIM_FUNCTION1(to, __##from_name##2##to_name##_rn, from, sim_to_integer<to>(to_even(a)))                            \
    SIM_FUNCTION1(to, __##from_name##2##to_name##_rz, from, sim_to_integer<to>(a))                                     \
    SIM_FUNCTION1(to, __##from_name##2##to_name##_rd, from, sim_to_integer<to>(down(a)))                               \
    SIM_FUNCTION1(to, __##from_name##2##to_name##_ru, from, sim_to_integer<to>(up(a)))
SIM_TO_INTEGER(float, float, int, int, rintf, floorf, ceilf)
SIM_TO_INTEGER(float, float, unsigned, uint, rintf, floorf, ceilf)
SIM_TO_INTEGER(float, float, long long, ll, rintf, floorf, ceilf)
SIM_TO_INTEGER(float, float, unsigned long long, ull, rintf, floorf, ceilf)
SIM_TO_INTEGER(double, double, int, int, rint, floor, ceil)
SIM_TO_INTEGER(double, double, unsigned, uint, rint, floor, ceil)
SIM_TO_INTEGER(double, double, long long, ll, rint, floor, ceil)
SIM_TO_INTEGER(double, double, unsigned long long, ull, rint, floor, ceil)

SIM_FUNCTION1(float, __int2float_rn, int, (float)a)
SIM_FUNCTION1(float, __uint2float_rn, unsigned, (float)a)
SIM_FUNCTION1(float, __ll2float_rn, long long, (float)a)
SIM_FUNCTION1(float, __ull2float_rn, unsigned long long, (float)a)
SIM_FUNCTION1(float, __double2float_rn, double, (float)a)
SIM_FUNCTION1(double, __int2double_rn, int, a)
SIM_FUNCTION1(double, __uint2double_rn, unsigned, a)
SIM_FUNCTION1(double, __ll2double_rn, long long, (double)a)
SIM_FUNCTION1(double, __ull2double_rn, unsigned long long, (double)a)

template <class To, class From> constexpr __attribute__((always_inline)) inline To sim_bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    return __builtin_bit_cast(To, from);
}
SIM_FUNCTION1(int, __float_as_int, float, sim_bits_as<int>(a))
SIM_FUNCTION1(unsigned, __float_as_uint, float, sim_bits_as<unsigned>(a))
SIM_FUNCTION1(float, __int_as_float, int, sim_bits_as<float>(a))
SIM_FUNCTION1(float, __uint_as_float, unsigned, sim_bits_as<float>(a))
SIM_FUNCTION1(long long, __double_as_longlong, double, sim_bits_as<long long>(a))
SIM_FUNCTION1(double, __longlong_as_double, long long, sim_bits_as<double>(a))
SIM_FUNCTION1(int, __double2hiint, double, (int)(sim_bits_as<uint64_t>(a) >> 32))
SIM_FUNCTION1(int, __double2loint, double, (int)sim_bits_as<uint64_t>(a))
SIM_INLINE double __hiloint2double(int high, int low) {
    return sim_bits_as<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

// ---- Bits ----

SIM_FUNCTION1(int, __popc, unsigned, __builtin_popcount(a))
SIM_FUNCTION1(int, __popcll, unsigned long long, __builtin_popcountll(a))
SIM_FUNCTION1(int, __clz, int, a ? __builtin_clz((unsigned)a) : 32)
SIM_FUNCTION1(int, __clzll, long long, a ? __builtin_clzll((unsigned long long)a) : 64)
SIM_FUNCTION1(int, __ffs, int, __builtin_ffs(a))
SIM_FUNCTION1(int, __ffsll, long long, __builtin_ffsll(a))
SIM_INLINE unsigned long long __brevll(unsigned long long a) {
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; bit++) {
        reversed |= (a >> bit & 1) << (63 - bit);
    }
    return reversed;
}
SIM_FUNCTION1(unsigned, __brev, unsigned, (unsigned)(__brevll(a) >> 32))
SIM_FUNCTION2(int, __mulhi, int, (int)((long long)a *b >> 32))
SIM_FUNCTION2(unsigned, __umulhi, unsigned, (unsigned)((unsigned long long)a *b >> 32))
SIM_FUNCTION2(long long, __mul64hi, long long, (long long)((__int128)a *b >> 64))
SIM_FUNCTION2(unsigned long long, __umul64hi, unsigned long long, (unsigned long long)((unsigned __int128)a *b >> 64))
SIM_FUNCTION2(int, __mul24, int, (a << 8 >> 8) * (b << 8 >> 8))
SIM_FUNCTION2(unsigned, __umul24, unsigned, (a & 0xffffff) * (b & 0xffffff))
SIM_FUNCTION2(int, __hadd, int, (int)(((long long)a + b) >> 1))
SIM_FUNCTION2(int, __rhadd, int, (int)(((long long)a + b + 1) >> 1))

SIM_INLINE unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
SIM_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a > b ? a - b : b - a) + c;
}
SIM_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
SIM_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
SIM_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) << (shift < 32 ? shift : 32) >> 32);
}
SIM_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift < 32 ? shift : 32));
}
// Each of the selector's four digits picks one of the eight bytes; bit 3 of a digit spreads the byte's sign.
SIM_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) { // a digit's highest bit has no meaning, unlike in prmt
        result |= ((unsigned)(bytes >> 8 * (selector >> 4 * i & 7)) & 255) << 8 * i;
    }
    return result;
}
SIM_INLINE int __dp4a(int a, int b, int c) {
    for (int shift = 0; shift < 32; shift += 8) {
        c += (int)(signed char)(a >> shift) * (int)(signed char)(b >> shift);
    }
    return c;
}
SIM_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int shift = 0; shift < 32; shift += 8) {
        c += (a >> shift & 255) * (b >> shift & 255);
    }
    return c;
}

#endif
