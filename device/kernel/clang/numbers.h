// CUDA's functions of integers and bits, and from one type of numbers to another.
#ifndef DEVICE_KERNEL_CLANG_NUMBERS_H
#define DEVICE_KERNEL_CLANG_NUMBERS_H

#define GPU_FUNCTION1(result, name, type, expression)                                                                  \
    GPU_FUNCTION result name(type a) {                                                                                 \
        return expression;                                                                                             \
    }
#define GPU_FUNCTION2(result, name, type, expression)                                                                  \
    GPU_FUNCTION result name(type a, type b) {                                                                         \
        return expression;                                                                                             \
    }

// ---- Bits ----

GPU_FUNCTION1(int, __popc, unsigned, __builtin_popcount(a))
GPU_FUNCTION1(int, __popcll, unsigned long long, __builtin_popcountll(a))
GPU_FUNCTION1(int, __clz, int, a ? __builtin_clz((unsigned)a) : 32)
GPU_FUNCTION1(int, __clzll, long long, a ? __builtin_clzll((unsigned long long)a) : 64)
GPU_FUNCTION1(int, __ffs, int, __builtin_ffs(a))
GPU_FUNCTION1(int, __ffsll, long long, __builtin_ffsll(a))
GPU_FUNCTION1(unsigned, __brev, unsigned, __builtin_bitreverse32(a))
GPU_FUNCTION1(unsigned long long, __brevll, unsigned long long, __builtin_bitreverse64(a))
GPU_FUNCTION2(int, __mulhi, int, (int)((long long)a *b >> 32))
GPU_FUNCTION2(unsigned, __umulhi, unsigned, (unsigned)((unsigned long long)a *b >> 32))
GPU_FUNCTION2(long long, __mul64hi, long long, (long long)((__int128)a *b >> 64))
GPU_FUNCTION2(unsigned long long, __umul64hi, unsigned long long, (unsigned long long)((unsigned __int128)a *b >> 64))
GPU_FUNCTION2(int, __mul24, int, (a << 8 >> 8) * (b << 8 >> 8))
GPU_FUNCTION2(unsigned, __umul24, unsigned, (a & 0xffffff) * (b & 0xffffff))
GPU_FUNCTION2(int, __hadd, int, (int)(((long long)a + b) >> 1))
GPU_FUNCTION2(int, __rhadd, int, (int)(((long long)a + b + 1) >> 1))

GPU_FUNCTION unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
GPU_FUNCTION unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a > b ? a - b : b - a) + c;
}
GPU_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
GPU_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
GPU_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) << (shift < 32 ? shift : 32) >> 32);
}
GPU_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift < 32 ? shift : 32));
}
// Each of the selector's four digits picks one of the eight bytes; a digit's highest bit has no meaning.
GPU_FUNCTION unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        result |= ((unsigned)(bytes >> 8 * (selector >> 4 * i & 7)) & 255) << 8 * i;
    }
    return result;
}
GPU_FUNCTION int __dp4a(int a, int b, int c) {
    for (int shift = 0; shift < 32; shift += 8) {
        c += (int)(signed char)(a >> shift) * (int)(signed char)(b >> shift);
    }
    return c;
}
GPU_FUNCTION unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int shift = 0; shift < 32; shift += 8) {
        c += (a >> shift & 255) * (b >> shift & 255);
    }
    return c;
}

// ---- From one type to another: the instructions end at a type's limits ----

#define GPU_TO_INTEGER(from, from_name, to, to_name, suffix)                                                           \
    GPU_FUNCTION1(to, __##from_name##2##to_name##_rn, from, (to)__builtin_rint##suffix(a))                             \
    GPU_FUNCTION1(to, __##from_name##2##to_name##_rz, from, (to)a)                                                     \
    GPU_FUNCTION1(to, __##from_name##2##to_name##_rd, from, (to)__builtin_floor##suffix(a))                            \
    GPU_FUNCTION1(to, __##from_name##2##to_name##_ru, from, (to)__builtin_ceil##suffix(a))
GPU_TO_INTEGER(float, float, int, int, f)
GPU_TO_INTEGER(float, float, unsigned, uint, f)
GPU_TO_INTEGER(float, float, long long, ll, f)
GPU_TO_INTEGER(float, float, unsigned long long, ull, f)
GPU_TO_INTEGER(double, double, int, int, )
GPU_TO_INTEGER(double, double, unsigned, uint, )
GPU_TO_INTEGER(double, double, long long, ll, )
GPU_TO_INTEGER(double, double, unsigned long long, ull, )

GPU_FUNCTION1(float, __int2float_rn, int, (float)a)
GPU_FUNCTION1(float, __uint2float_rn, unsigned, (float)a)
GPU_FUNCTION1(float, __ll2float_rn, long long, (float)a)
GPU_FUNCTION1(float, __ull2float_rn, unsigned long long, (float)a)
GPU_FUNCTION1(float, __double2float_rn, double, (float)a)
GPU_FUNCTION1(double, __int2double_rn, int, a)
GPU_FUNCTION1(double, __uint2double_rn, unsigned, a)
GPU_FUNCTION1(double, __ll2double_rn, long long, (double)a)
GPU_FUNCTION1(double, __ull2double_rn, unsigned long long, (double)a)

GPU_FUNCTION1(int, __float_as_int, float, __builtin_bit_cast(int, a))
GPU_FUNCTION1(unsigned, __float_as_uint, float, __builtin_bit_cast(unsigned, a))
GPU_FUNCTION1(float, __int_as_float, int, __builtin_bit_cast(float, a))
GPU_FUNCTION1(float, __uint_as_float, unsigned, __builtin_bit_cast(float, a))
GPU_FUNCTION1(long long, __double_as_longlong, double, __builtin_bit_cast(long long, a))
GPU_FUNCTION1(double, __longlong_as_double, long long, __builtin_bit_cast(double, a))
GPU_FUNCTION1(int, __double2hiint, double, (int)(__builtin_bit_cast(uint64_t, a) >> 32))
GPU_FUNCTION1(int, __double2loint, double, (int)__builtin_bit_cast(uint64_t, a))
GPU_FUNCTION double __hiloint2double(int high, int low) {
    return __builtin_bit_cast(double, (uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

// ---- The least and the greatest ----

// The type is that of values: of the parameters' own names it would be a reference to one of them.
template <class A, class B> GPU_CONSTANT auto min(A a, B b) -> decltype(false ? A() : B()) {
    typedef decltype(false ? A() : B()) type;
    return (type)a < (type)b ? (type)a : (type)b;
}
template <class A, class B> GPU_CONSTANT auto max(A a, B b) -> decltype(false ? A() : B()) {
    typedef decltype(false ? A() : B()) type;
    return (type)a > (type)b ? (type)a : (type)b;
}
// If one is not a number, the other is returned.
GPU_FUNCTION2(float, min, float, __builtin_fminf(a, b))
GPU_FUNCTION2(float, max, float, __builtin_fmaxf(a, b))
GPU_FUNCTION2(double, min, double, __builtin_fmin(a, b))
GPU_FUNCTION2(double, max, double, __builtin_fmax(a, b))
#define umin(a, b) min((unsigned)(a), (unsigned)(b))
#define umax(a, b) max((unsigned)(a), (unsigned)(b))

GPU_FUNCTION1(int, abs, int, a < 0 ? -a : a)
GPU_FUNCTION1(long, abs, long, a < 0 ? -a : a)
GPU_FUNCTION1(long, labs, long, a < 0 ? -a : a)
GPU_FUNCTION1(long long, abs, long long, a < 0 ? -a : a)
GPU_FUNCTION1(long long, llabs, long long, a < 0 ? -a : a)

#endif
