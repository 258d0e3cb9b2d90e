// C's functions of floating-point numbers, for which the compiler has no library here. Those of float follow from the
// GPU's fast functions; those of double are series, right to about 14 digits.
#ifndef DEVICE_KERNEL_CLANG_FUNCTIONS_H
#define DEVICE_KERNEL_CLANG_FUNCTIONS_H

#define GPU_INFINITY __builtin_inf()
#define GPU_NAN __builtin_nan("")

// ---- What the compiler knows ----

// By C's names, and the double's also for a float.
#define GPU_BUILTIN1(name)                                                                                             \
    GPU_FUNCTION1(float, name##f, float, __builtin_##name##f(a))                                                       \
    GPU_FUNCTION1(float, name, float, __builtin_##name##f(a))                                                          \
    GPU_FUNCTION1(double, name, double, __builtin_##name(a))
GPU_BUILTIN1(fabs)
GPU_BUILTIN1(floor)
GPU_BUILTIN1(ceil)
GPU_BUILTIN1(trunc)
GPU_BUILTIN1(rint)
GPU_BUILTIN1(nearbyint)
GPU_BUILTIN1(sqrt)
#define GPU_BUILTIN2(name)                                                                                             \
    GPU_FUNCTION2(float, name##f, float, __builtin_##name##f(a, b))                                                    \
    GPU_FUNCTION2(float, name, float, __builtin_##name##f(a, b))                                                       \
    GPU_FUNCTION2(double, name, double, __builtin_##name(a, b))
GPU_BUILTIN2(fmin)
GPU_BUILTIN2(fmax)
GPU_BUILTIN2(copysign)
#undef GPU_BUILTIN1
#undef GPU_BUILTIN2
GPU_FUNCTION1(float, abs, float, __builtin_fabsf(a))
GPU_FUNCTION1(double, abs, double, __builtin_fabs(a))
GPU_FUNCTION1(double, round, double, copysign(floor(fabs(a) + 0.5), a))
GPU_FUNCTION1(float, roundf, float, copysignf(floorf(fabsf(a) + 0.5f), a))
GPU_FUNCTION1(float, round, float, roundf(a))
GPU_FUNCTION1(long, lrintf, float, (long)rintf(a))
GPU_FUNCTION1(long, lrint, double, (long)rint(a))
GPU_FUNCTION1(long, lroundf, float, (long)roundf(a))
GPU_FUNCTION1(long, lround, double, (long)round(a))

#define GPU_FUSED(name, type, builtin)                                                                                 \
    GPU_FUNCTION type name(type a, type b, type c) {                                                                   \
        return builtin(a, b, c);                                                                                       \
    }
GPU_FUSED(fmaf, float, __builtin_fmaf)
GPU_FUSED(fma, float, __builtin_fmaf)
GPU_FUSED(fma, double, __builtin_fma)
GPU_FUSED(__fmaf_rn, float, __builtin_fmaf)
GPU_FUSED(__fma_rn, double, __builtin_fma)
#undef GPU_FUSED

#define GPU_TEST(name)                                                                                                 \
    GPU_FUNCTION1(bool, name, float, __builtin_##name(a))                                                              \
    GPU_FUNCTION1(bool, name, double, __builtin_##name(a))
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
GPU_TEST(isnan)
GPU_TEST(isinf)
GPU_TEST(isfinite)
GPU_FUNCTION1(bool, signbit, float, __builtin_bit_cast(uint32_t, a) >> 31)
GPU_FUNCTION1(bool, signbit, double, __builtin_bit_cast(uint64_t, a) >> 63)
#undef GPU_TEST

// ---- One operation, rounded to nearest ----

GPU_FUNCTION1(float, __frcp_rn, float, 1.0f / a)
GPU_FUNCTION1(float, __fsqrt_rn, float, sqrtf(a))
GPU_FUNCTION1(float, __frsqrt_rn, float, (float)(1.0 / sqrt((double)a)))
GPU_FUNCTION1(double, __drcp_rn, double, 1.0 / a)
GPU_FUNCTION1(double, __dsqrt_rn, double, sqrt(a))
GPU_FUNCTION2(float, __fdividef, float, gpu_quotient(a, b))
GPU_FUNCTION2(float, fdividef, float, a / b)
#pragma clang fp contract(off)
GPU_FUNCTION2(float, __fadd_rn, float, a + b)
GPU_FUNCTION2(float, __fsub_rn, float, a - b)
GPU_FUNCTION2(float, __fmul_rn, float, a *b)
GPU_FUNCTION2(double, __dadd_rn, double, a + b)
GPU_FUNCTION2(double, __dsub_rn, double, a - b)
GPU_FUNCTION2(double, __dmul_rn, double, a *b)
#pragma clang fp contract(fast)
GPU_FUNCTION2(float, __fdiv_rn, float, a / b)
GPU_FUNCTION2(double, __ddiv_rn, double, a / b)
GPU_FUNCTION1(float, __saturatef, float, a > 0 ? (a < 1 ? a : 1.0f) : 0.0f)

// ---- Functions of double, of float by the name that ends in f, and of float by the double's name ----

#define GPU_OF_FLOAT(name) GPU_FUNCTION1(float, name, float, name##f(a))
#define GPU_REAL_BY_TYPE(name, of_float, of_double)                                                                    \
    GPU_FUNCTION1(double, name, double, of_double)                                                                     \
    GPU_FUNCTION1(float, name##f, float, of_float)
#define GPU_REAL(name, of_float, of_double)                                                                            \
    GPU_REAL_BY_TYPE(name, of_float, of_double)                                                                        \
    GPU_OF_FLOAT(name)

// ---- Powers and logarithms ----

GPU_FUNCTION double ldexp(double a, int by) { // in two steps, because a power of two may not be a number
    const int half = by / 2;
    a *= __builtin_bit_cast(double, (uint64_t)(max(min(half, 1000), -1000) + 1023) << 52);
    return a * __builtin_bit_cast(double, (uint64_t)(max(min(by - half, 1000), -1000) + 1023) << 52);
}
GPU_FUNCTION float ldexpf(float a, int by) {
    return (float)ldexp((double)a, by);
}

// The rest of the exponent, which the fast function has no digits for, is a factor.
GPU_FUNCTION float expf(float a) {
    const float product = a * 1.44269504f;
    const float rest = fmaf(a, 1.92596303e-8f, fmaf(a, 1.44269504f, -product));
    return isfinite(product) ? fmaf(gpu_exp2(product), rest * 0.69314718f, gpu_exp2(product)) : gpu_exp2(product);
}
GPU_FUNCTION double exp(double a) {
    const double least = -745.2, most = 709.8;
    const double turns = rint(a * 1.4426950408889634);
    const double x = fma(turns, -1.9082149292705877e-10, fma(turns, -0.69314718036912382, a));
    double sum = 1;
#pragma unroll
    for (int n = 13; n > 0; n--) {
        sum = fma(sum, x / n, 1.0);
    }
    return a != a ? a : a > most ? GPU_INFINITY : a < least ? 0 : ldexp(sum, (int)turns);
}
GPU_FUNCTION float logf(float a) {
    return gpu_log2(a) * 0.69314718f;
}
GPU_FUNCTION double log(double a) {
    if (!(a > 0) || a == GPU_INFINITY) {
        return a == 0 ? -GPU_INFINITY : a > 0 ? a : GPU_NAN;
    }
    const bool subnormal = a < 2.2250738585072014e-308;
    const uint64_t bits = __builtin_bit_cast(uint64_t, subnormal ? a * 18014398509481984.0 : a);
    int exponent = (int)(bits >> 52) - 1023 - (subnormal ? 54 : 0);
    double x = __builtin_bit_cast(double, (bits & ((1ull << 52) - 1)) | 1023ull << 52);
    exponent += x > 1.4142135623730951;
    x = x > 1.4142135623730951 ? x / 2 : x;
    const double s = (x - 1) / (x + 1), square = s * s;
    double sum = 0;
#pragma unroll
    for (int n = 21; n > 0; n -= 2) {
        sum = fma(sum, square, 1.0 / n);
    }
    return fma((double)exponent, 0.69314718055994531, 2 * s * sum);
}

GPU_REAL(exp2, gpu_exp2(a), exp(a * 0.69314718055994531))
GPU_REAL_BY_TYPE(exp10, expf(a * 2.30258509f), exp(a * 2.3025850929940457))
GPU_REAL_BY_TYPE(expm1, (float)expm1((double)a), fabs(a) < 1e-5 ? a + a * a / 2 : exp(a) - 1)
GPU_REAL(log2, gpu_log2(a), log(a) * 1.4426950408889634)
GPU_REAL(log10, gpu_log2(a) * 0.30103f, log(a) * 0.43429448190325183)
GPU_REAL_BY_TYPE(log1p, (float)log1p((double)a), fabs(a) < 1e-5 ? a - a * a / 2 : log(1 + a))

// Of negative numbers for whole exponents.
GPU_FUNCTION double pow(double a, double b) {
    const double size = exp(b * log(fabs(a)));
    const bool whole = rint(b) == b, odd = whole && rint(b / 2) * 2 != b;
    return b == 0 || a == 1 ? 1
           : a == 0         ? (b > 0 ? 0 : GPU_INFINITY)
           : a > 0          ? size
           : !whole         ? GPU_NAN
           : odd            ? -size
                            : size;
}
GPU_FUNCTION double pow(double a, int b) {
    double power = 1;
    for (unsigned n = b < 0 ? 0u - (unsigned)b : (unsigned)b; n; n >>= 1, a *= a) {
        power = n & 1 ? power * a : power;
    }
    return b < 0 ? 1 / power : power;
}
GPU_FUNCTION2(float, powf, float, (float)pow((double)a, (double)b))
GPU_FUNCTION float powf(float a, int b) {
    return (float)pow((double)a, b);
}
GPU_FUNCTION2(float, pow, float, powf(a, b))

GPU_FUNCTION1(float, rsqrtf, float, gpu_rsqrt(a))
GPU_FUNCTION1(float, rsqrt, float, gpu_rsqrt(a))
GPU_FUNCTION1(double, rsqrt, double, 1 / sqrt(a))
GPU_REAL(cbrt, (float)cbrt((double)a), a == 0 ? a : copysign(exp(log(fabs(a)) / 3), a))
GPU_REAL_BY_TYPE(rcbrt, 1 / cbrtf(a), 1 / cbrt(a))
GPU_FUNCTION2(double, hypot, double, sqrt(a *a + b * b))
GPU_FUNCTION2(float, hypotf, float, sqrtf(a *a + b * b))
GPU_FUNCTION float norm3df(float a, float b, float c) {
    return sqrtf(a * a + b * b + c * c);
}
GPU_FUNCTION float rnorm3df(float a, float b, float c) {
    return gpu_rsqrt(a * a + b * b + c * c);
}
GPU_FUNCTION2(double, fmod, double, a - trunc(a / b) * b)
GPU_FUNCTION2(float, fmodf, float, (float)fmod((double)a, (double)b))
GPU_FUNCTION2(float, fdimf, float, a > b ? a - b : 0)
GPU_FUNCTION2(double, fdim, double, a > b ? a - b : 0)

// ---- Angles ----

GPU_FUNCTION void sincos(double a, double *sine, double *cosine) {
    const double quarters = rint(a * 0.63661977236758134);
    const double x = fma(quarters, -6.0771005065061922e-11, fma(quarters, -1.5707963267341256, a)), square = x * x;
    double s = 1, c = 1;
#pragma unroll
    for (int n = 20; n > 0; n -= 2) {
        s = fma(s, -square / (n * (n + 1)), 1.0);
        c = fma(c, -square / (n * (n - 1)), 1.0);
    }
    s *= x;
    const int quadrant = (int)(long long)quarters & 3;
    *sine = (quadrant & 2 ? -1 : 1) * (quadrant & 1 ? c : s);
    *cosine = ((quadrant + 1) & 2 ? -1 : 1) * (quadrant & 1 ? s : c);
}
GPU_FUNCTION double sin(double a) {
    double sine, cosine;
    sincos(a, &sine, &cosine);
    return sine;
}
GPU_FUNCTION double cos(double a) {
    double sine, cosine;
    sincos(a, &sine, &cosine);
    return cosine;
}
// The fast functions are exact near 0 only.
GPU_FUNCTION float gpu_reduced(float a) {
    const float turns = rintf(a * 0.15915494f);
    return fmaf(turns, 1.7484556e-7f, fmaf(turns, -6.2831855f, a));
}
GPU_FUNCTION1(float, sinf, float, gpu_sin(gpu_reduced(a)))
GPU_FUNCTION1(float, cosf, float, gpu_cos(gpu_reduced(a)))
GPU_REAL(tan, sinf(a) / cosf(a), sin(a) / cos(a))
GPU_FUNCTION void sincosf(float a, float *sine, float *cosine) {
    *sine = sinf(a);
    *cosine = cosf(a);
}
GPU_REAL_BY_TYPE(sinpi, sinf(a * 3.14159265f), sin(a * 3.14159265358979312))
GPU_REAL_BY_TYPE(cospi, cosf(a * 3.14159265f), cos(a * 3.14159265358979312))

// An angle is halved twice, so that the series is short.
GPU_FUNCTION double atan(double a) {
    double x = fabs(a) > 1 ? 1 / fabs(a) : fabs(a), sum = 0;
    x = x / (1 + sqrt(1 + x * x));
    x = x / (1 + sqrt(1 + x * x));
#pragma unroll
    for (int n = 23; n > 0; n -= 2) {
        sum = fma(-sum, x * x, 1.0 / n);
    }
    sum *= 4 * x;
    return copysign(fabs(a) > 1 ? 1.5707963267948966 - sum : sum, a);
}
GPU_FUNCTION double atan2(double y, double x) {
    const double angle = x == 0 ? (y == 0 ? 0 : 1.5707963267948966) : atan(fabs(y / x));
    return copysign(signbit(x) ? 3.1415926535897931 - angle : angle, y);
}
GPU_FUNCTION1(float, atanf, float, (float)atan((double)a))
GPU_FUNCTION2(float, atan2f, float, (float)atan2((double)a, (double)b))
GPU_REAL(asin, (float)asin((double)a), atan2(a, sqrt(1 - a * a)))
GPU_REAL(acos, (float)acos((double)a), atan2(sqrt(1 - a * a), a))

GPU_REAL(sinh, (expf(a) - expf(-a)) / 2, (expm1(a) - expm1(-a)) / 2)
GPU_REAL(cosh, (expf(a) + expf(-a)) / 2, (exp(a) + exp(-a)) / 2)
GPU_REAL(tanh, fabsf(a) < 0.01f ? a - a * a * a / 3 : copysignf(1 - 2 / (expf(2 * fabsf(a)) + 1), a),
         copysign(1 - 2 / (exp(2 * fabs(a)) + 1), a))

// ---- The error function: a series near 0, a continued fraction elsewhere ----

GPU_FUNCTION double gpu_erf_series(double a) {
    double sum = 0;
    for (int n = 40; n >= 0; n--) {
        sum = fma(-sum, a * a / (n + 1), 1.0 / (2 * n + 1));
    }
    return 1.1283791670955126 * a * sum;
}
GPU_FUNCTION double gpu_erfc_fraction(double a) {
    double fraction = a;
    for (int n = 60; n > 0; n--) {
        fraction = a + n / 2.0 / fraction;
    }
    return exp(-a * a) * 0.56418958354775628 / fraction;
}
GPU_REAL(erf, (float)erf((double)a), fabs(a) < 2 ? gpu_erf_series(a) : copysign(1 - gpu_erfc_fraction(fabs(a)), a))
GPU_REAL_BY_TYPE(erfc, (float)erfc((double)a),
                 fabs(a) < 2 ? 1 - gpu_erf_series(a)
                 : a > 0     ? gpu_erfc_fraction(a)
                             : 2 - gpu_erfc_fraction(-a))
GPU_REAL_BY_TYPE(normcdf, (float)(erfc(-a * 0.70710678118654757) / 2), erfc(-a * 0.70710678118654757) / 2)

GPU_OF_FLOAT(exp)
GPU_OF_FLOAT(log)
GPU_OF_FLOAT(sin)
GPU_OF_FLOAT(cos)
GPU_OF_FLOAT(atan)
#undef GPU_OF_FLOAT
#undef GPU_REAL_BY_TYPE
#undef GPU_REAL

// ---- CUDA's fast functions ----

GPU_FUNCTION1(float, __expf, float, gpu_exp2(a * 1.44269504f))
GPU_FUNCTION1(float, __exp10f, float, gpu_exp2(a * 3.32192809f))
GPU_FUNCTION1(float, __logf, float, logf(a))
GPU_FUNCTION1(float, __log2f, float, gpu_log2(a))
GPU_FUNCTION1(float, __log10f, float, log10f(a))
GPU_FUNCTION1(float, __sinf, float, gpu_sin(a))
GPU_FUNCTION1(float, __cosf, float, gpu_cos(a))
GPU_FUNCTION1(float, __tanf, float, gpu_quotient(gpu_sin(a), gpu_cos(a)))
GPU_FUNCTION1(float, __tanhf, float, tanhf(a))
GPU_FUNCTION2(float, __powf, float, gpu_exp2(b *gpu_log2(a)))
GPU_FUNCTION void __sincosf(float a, float *sine, float *cosine) {
    sincosf(a, sine, cosine);
}

#include "device/kernel/constants.h"

#endif
