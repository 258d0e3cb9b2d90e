// Floating-point numbers of 16 bits, and pairs of them: what cuda_fp16.h and cuda_bf16.h share.
#ifndef DEVICE_KERNEL_CLANG_SMALL_FLOATS_H
#define DEVICE_KERNEL_CLANG_SMALL_FLOATS_H

// GPU_SMALL_FLOAT(T, of_float, to_float, fused) defines the type T, whose `bits` of_float(f) makes of a float and
// to_float(bits) reads; fused(a, b, c) is the bits of a * b + c. Sums, products and quotients of float are exact enough
// to be rounded once more.
#define GPU_SMALL_FLOAT(T, of_float, to_float, fused)                                                                  \
    struct alignas(2) T {                                                                                              \
        unsigned short bits;                                                                                           \
        T() = default;                                                                                                 \
        GPU_BOTH T(float value) : bits(of_float(value)) {}                                                             \
        GPU_BOTH T(double value) : T((float)value) {}                                                                  \
        GPU_BOTH T(int value) : T((float)value) {}                                                                     \
        GPU_BOTH T(unsigned value) : T((float)value) {}                                                                \
        GPU_BOTH T(long long value) : T((float)value) {}                                                               \
        GPU_BOTH T(unsigned long long value) : T((float)value) {}                                                      \
        GPU_BOTH operator float() const {                                                                              \
            return to_float(bits);                                                                                     \
        }                                                                                                              \
    };                                                                                                                 \
    GPU_FUNCTION T operator-(T a) {                                                                                    \
        a.bits ^= 0x8000;                                                                                              \
        return a;                                                                                                      \
    }                                                                                                                  \
    GPU_SMALL_OPERATOR(T, +, __hadd)                                                                                   \
    GPU_SMALL_OPERATOR(T, -, __hsub)                                                                                   \
    GPU_SMALL_OPERATOR(T, *, __hmul)                                                                                   \
    GPU_SMALL_OPERATOR(T, /, __hdiv)                                                                                   \
    GPU_SMALL_COMPARISON(T, ==, __heq)                                                                                 \
    GPU_SMALL_COMPARISON(T, !=, __hne)                                                                                 \
    GPU_SMALL_COMPARISON(T, <, __hlt)                                                                                  \
    GPU_SMALL_COMPARISON(T, <=, __hle)                                                                                 \
    GPU_SMALL_COMPARISON(T, >, __hgt)                                                                                  \
    GPU_SMALL_COMPARISON(T, >=, __hge)                                                                                 \
    GPU_SMALL_FUNCTION(T, hsqrt, sqrtf)                                                                                \
    GPU_SMALL_FUNCTION(T, hexp, expf)                                                                                  \
    GPU_SMALL_FUNCTION(T, hexp2, exp2f)                                                                                \
    GPU_SMALL_FUNCTION(T, hlog, logf)                                                                                  \
    GPU_SMALL_FUNCTION(T, hlog2, log2f)                                                                                \
    GPU_SMALL_FUNCTION(T, hsin, sinf)                                                                                  \
    GPU_SMALL_FUNCTION(T, hcos, cosf)                                                                                  \
    GPU_SMALL_FUNCTION(T, htanh, tanhf)                                                                                \
    GPU_SMALL_FUNCTION(T, hfloor, floorf)                                                                              \
    GPU_SMALL_FUNCTION(T, hceil, ceilf)                                                                                \
    GPU_SMALL_FUNCTION(T, hrint, rintf)                                                                                \
    GPU_SMALL_FUNCTION(T, htrunc, truncf)                                                                              \
    GPU_SMALL_FUNCTION(T, hrcp, __frcp_rn)                                                                             \
    GPU_SMALL_FUNCTION(T, hrsqrt, __frsqrt_rn)                                                                         \
    GPU_SMALL_FUNCTION(T, __habs, fabsf)                                                                               \
    GPU_SMALL_FUNCTION(T, __hneg, -)                                                                                   \
    GPU_FUNCTION T __hfma(T a, T b, T c) {                                                                             \
        a.bits = fused(a, b, c);                                                                                       \
        return a;                                                                                                      \
    }                                                                                                                  \
    GPU_FUNCTION2(T, __hmin, T, T(fminf(a, b)))                                                                        \
    GPU_FUNCTION2(T, __hmax, T, T(fmaxf(a, b)))                                                                        \
    GPU_FUNCTION1(bool, __hisnan, T, isnan((float)a))                                                                  \
    GPU_FUNCTION T atomicAdd(T *p, T value) {                                                                          \
        return gpu_change<unsigned short>(p, [value](T old) { return old + value; });                                  \
    }

// The assignment of an operator, and CUDA's name for it.
#define GPU_NAME_OPERATOR(T, sign, name)                                                                               \
    GPU_FUNCTION T &operator sign##=(T &a, T b) {                                                                      \
        return a = a sign b;                                                                                           \
    }                                                                                                                  \
    GPU_FUNCTION2(T, name, T, a sign b)
#define GPU_SMALL_OPERATOR(T, sign, name)                                                                              \
    GPU_FUNCTION2(T, operator sign, T, T((float)a sign(float) b))                                                      \
    GPU_NAME_OPERATOR(T, sign, name)
#define GPU_SMALL_COMPARISON(T, sign, name)                                                                            \
    GPU_FUNCTION2(bool, operator sign, T, (float)a sign(float) b)                                                      \
    GPU_FUNCTION2(bool, name, T, a sign b)
#define GPU_SMALL_FUNCTION(T, name, function) GPU_FUNCTION1(T, name, T, T((float)function((float)a)))

// Pairs: every operation on both halves.
#define GPU_SMALL_PAIR(T, Pair)                                                                                        \
    struct alignas(4) [[clang::trivial_abi]] Pair {                                                                    \
        T x, y;                                                                                                        \
        GPU_COPIED_WHOLE(Pair, unsigned short, 2)                                                                      \
        GPU_BOTH Pair(T x, T y) : x(x), y(y) {}                                                                        \
    };                                                                                                                 \
    GPU_PAIR_OPERATOR(T, Pair, +, __hadd2)                                                                             \
    GPU_PAIR_OPERATOR(T, Pair, -, __hsub2)                                                                             \
    GPU_PAIR_OPERATOR(T, Pair, *, __hmul2)                                                                             \
    GPU_PAIR_OPERATOR(T, Pair, /, __h2div)                                                                             \
    GPU_PAIR_FUNCTION(Pair, h2sqrt, hsqrt)                                                                             \
    GPU_PAIR_FUNCTION(Pair, h2exp, hexp)                                                                               \
    GPU_PAIR_FUNCTION(Pair, h2exp2, hexp2)                                                                             \
    GPU_PAIR_FUNCTION(Pair, h2log, hlog)                                                                               \
    GPU_PAIR_FUNCTION(Pair, h2tanh, htanh)                                                                             \
    GPU_PAIR_FUNCTION(Pair, h2rcp, hrcp)                                                                               \
    GPU_PAIR_FUNCTION(Pair, h2rsqrt, hrsqrt)                                                                           \
    GPU_PAIR_FUNCTION(Pair, __hneg2, __hneg)                                                                           \
    GPU_PAIR_FUNCTION(Pair, __habs2, __habs)                                                                           \
    GPU_FUNCTION Pair __hfma2(Pair a, Pair b, Pair c) {                                                                \
        return Pair{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                                     \
    }                                                                                                                  \
    GPU_FUNCTION2(Pair, __hmin2, Pair, (Pair{__hmin(a.x, b.x), __hmin(a.y, b.y)}))                                     \
    GPU_FUNCTION2(Pair, __hmax2, Pair, (Pair{__hmax(a.x, b.x), __hmax(a.y, b.y)}))                                     \
    GPU_FUNCTION1(Pair, __lowhigh2highlow, Pair, (Pair{a.y, a.x}))                                                     \
    GPU_FUNCTION1(float, __low2float, Pair, a.x)                                                                       \
    GPU_FUNCTION1(float, __high2float, Pair, a.y)                                                                      \
    GPU_FUNCTION Pair atomicAdd(Pair *p, Pair value) {                                                                 \
        return gpu_change<unsigned>(p, [value](Pair old) { return old + value; });                                     \
    }
#define GPU_PAIR_OPERATOR(T, Pair, sign, name)                                                                         \
    GPU_FUNCTION2(Pair, operator sign, Pair, (Pair{a.x sign b.x, a.y sign b.y}))                                       \
    GPU_NAME_OPERATOR(Pair, sign, name)
#define GPU_PAIR_FUNCTION(Pair, name, function) GPU_FUNCTION1(Pair, name, Pair, (Pair{function(a.x), function(a.y)}))

// Conversions, whose names contain the format: half or bfloat16.
#define GPU_SMALL_CONVERSIONS(T, Pair, name)                                                                           \
    GPU_FUNCTION1(T, __float2##name, float, T(a))                                                                      \
    GPU_FUNCTION1(T, __float2##name##_rn, float, T(a))                                                                 \
    GPU_FUNCTION1(T, __double2##name, double, T(a))                                                                    \
    GPU_FUNCTION1(float, __##name##2float, T, a)                                                                       \
    GPU_FUNCTION1(unsigned short, __##name##_as_ushort, T, a.bits)                                                     \
    GPU_FUNCTION1(T, __ushort_as_##name, unsigned short, __builtin_bit_cast(T, a))                                     \
    GPU_FUNCTION1(Pair, __##name##2##name##2, T, (Pair{a, a}))                                                         \
    GPU_FUNCTION1(Pair, __float2##name##2_rn, float, (Pair{T(a), T(a)}))                                               \
    GPU_FUNCTION1(Pair, __float22##name##2_rn, float2, (Pair{T(a.x), T(a.y)}))                                         \
    GPU_FUNCTION1(float2, __##name##22float2, Pair, (float2{(float)a.x, (float)a.y}))                                  \
    GPU_FUNCTION1(T, __low2##name, Pair, a.x)                                                                          \
    GPU_FUNCTION1(T, __high2##name, Pair, a.y)                                                                         \
    GPU_FUNCTION2(Pair, __floats2##name##2_rn, float, (Pair{T(a), T(b)}))                                              \
    GPU_FUNCTION2(Pair, __halves2##name##2, T, (Pair{a, b}))

#endif
