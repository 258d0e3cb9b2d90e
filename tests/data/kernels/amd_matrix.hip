#include <hip/hip_runtime.h>

// Products of matrices whose answers are known otherwise: a kernel traps if one is wrong. `in` holds its elements'
// numbers. An element of A, B or C is a small integer that its place decides, so each sum is exact.
typedef float float4v __attribute__((ext_vector_type(4)));
typedef float float16v __attribute__((ext_vector_type(16)));
typedef float float32v __attribute__((ext_vector_type(32)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef int int16v __attribute__((ext_vector_type(16)));
typedef int int32v __attribute__((ext_vector_type(32)));
typedef double double4v __attribute__((ext_vector_type(4)));
typedef _Float16 half4v __attribute__((ext_vector_type(4)));
typedef short short2v __attribute__((ext_vector_type(2)));
typedef short short4v __attribute__((ext_vector_type(4)));
#define LANE ((int)threadIdx.x)

static __device__ void expect(bool right) {
    if (!right) {
        __builtin_trap();
    }
}

static __device__ int a_of(int i, int k, int block) {
    return (3 * i + 5 * k + 7 * block) % 11 - 4;
}

static __device__ int b_of(int k, int j, int block) {
    return (2 * k + 7 * j + 3 * block) % 13 - 5;
}

static __device__ int c_of(int i, int j, int block) {
    return (i + 2 * j + 3 * block) % 9 - 4;
}

// Sets element n of what a lane holds of A or B.
static __device__ void set(float *to, int, int value) {
    *to = value;
}
static __device__ void set(double *to, int, int value) {
    *to = value;
}
static __device__ void set(half4v *to, int n, int value) {
    (*to)[n] = (_Float16)value;
}
template <typename T> static __device__ void set_bf16(T *to, int n, int value) {
    (*to)[n] = (short)(__float_as_uint((float)value) >> 16);
}
static __device__ void set(short2v *to, int n, int value) {
    set_bf16(to, n, value);
}
static __device__ void set(short4v *to, int n, int value) {
    set_bf16(to, n, value);
}
static __device__ void set(int *to, int n, int value) {
    *to = (*to & ~(255 << 8 * n)) | (value & 255) << 8 * n;
}
static __device__ void set(long *to, int n, int value) {
    *to = (*to & ~(255l << 8 * n)) | (long)(value & 255) << 8 * n;
}

// Where a lane's register of the result lies (AMD lab notes, "AMD matrix cores"): a 64-bit one of a double.
template <int M, bool IS_DOUBLE> struct place {
    static __device__ int row(int r) {
        return M == 4      ? (IS_DOUBLE ? LANE / 16 : r)
               : IS_DOUBLE ? 4 * r + LANE / 16
               : M == 16   ? 4 * (LANE / 16) + r % 4
                           : 8 * (r / 4 % 4) + 4 * (LANE / 32) + r % 4;
    }
    static __device__ int block(int r) {
        return M == 4 ? (IS_DOUBLE ? LANE / 4 % 4 : LANE / 4) : IS_DOUBLE ? 0 : M == 16 ? r / 4 : r / 16;
    }
};

__shared__ double results[32][64];

// D = A * B + C; a_block: the block whose A is taken; columns: what B's column is of the column's place.
template <int M, int K, int BLOCKS, bool IS_DOUBLE, typename ABlock>
static __device__ void check(int registers, ABlock a_block, int c_share) {
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < registers; r++) {
        const int i = place<M, IS_DOUBLE>::row(r), j = LANE % M, block = place<M, IS_DOUBLE>::block(r);
        int sum = c_share * c_of(i, j, block);
#pragma unroll 1
        for (int k = 0; k < K; k++) {
            sum += a_of(i, k, a_block(block)) * b_of(k, j, block);
        }
        expect(results[r][LANE] == sum);
    }
    __syncthreads();
}

struct own_block {
    __device__ int operator()(int block) {
        return block;
    }
};
struct second_of_two {
    __device__ int operator()(int block) {
        return block / 2 * 2 + 1;
    }
};

#define FACTORS(M, K, BLOCKS, EACH, IN)                                                                                \
    IN a = {}, b = {};                                                                                                 \
    for (int n = 0; n < EACH; n++) {                                                                                   \
        const int k = LANE / M / BLOCKS * EACH + n, block = LANE / M % BLOCKS;                                         \
        set(&a, n, a_of(LANE % M, k, block));                                                                          \
        set(&b, n, b_of(k, LANE % M, block));                                                                          \
    }
#define SUMMANDS(M, OUT, COUNT, IS_DOUBLE)                                                                             \
    OUT c;                                                                                                             \
    for (int r = 0; r < COUNT; r++) {                                                                                  \
        c[r] = c_of(place<M, IS_DOUBLE>::row(r), LANE % M, place<M, IS_DOUBLE>::block(r));                             \
    }
#define KEEP(d, COUNT)                                                                                                 \
    for (int r = 0; r < COUNT; r++) {                                                                                  \
        results[r][LANE] = d[r];                                                                                       \
    }
#define PRODUCT(M, K, BLOCKS, EACH, IN, OUT, COUNT, IS_DOUBLE, multiply)                                               \
    {                                                                                                                  \
        FACTORS(M, K, BLOCKS, EACH, IN)                                                                                \
        SUMMANDS(M, OUT, COUNT, IS_DOUBLE)                                                                             \
        const OUT d = multiply(a, b, c, 0, 0, 0);                                                                      \
        KEEP(d, COUNT)                                                                                                 \
        check<M, K, BLOCKS, IS_DOUBLE>(COUNT, own_block(), 1);                                                         \
    }
// The five shapes of a type that has EACH elements in a lane.
#define SHAPES(EACH, IN, V4, V16, V32, k1, k2, k3, k4, k5)                                                             \
    PRODUCT(32, EACH, 2, EACH, IN, V32, 32, false, k1)                                                                 \
    PRODUCT(16, EACH, 4, EACH, IN, V16, 16, false, k2)                                                                 \
    PRODUCT(4, EACH, 16, EACH, IN, V4, 4, false, k3)                                                                   \
    PRODUCT(32, 2 * EACH, 1, EACH, IN, V16, 16, false, k4)                                                             \
    PRODUCT(16, 4 * EACH, 1, EACH, IN, V4, 4, false, k5)
#define MFMA(name) __builtin_amdgcn_mfma_##name

extern "C" __global__ void singles(const int *, int) {
    SHAPES(1, float, float4v, float16v, float32v, MFMA(f32_32x32x1f32), MFMA(f32_16x16x1f32), MFMA(f32_4x4x1f32),
           MFMA(f32_32x32x2f32), MFMA(f32_16x16x4f32))
}

extern "C" __global__ void halves(const int *, int) {
    SHAPES(4, half4v, float4v, float16v, float32v, MFMA(f32_32x32x4f16), MFMA(f32_16x16x4f16), MFMA(f32_4x4x4f16),
           MFMA(f32_32x32x8f16), MFMA(f32_16x16x16f16))
}

#ifdef __gfx942__
extern "C" __global__ void bytes(const int *, int) {
    PRODUCT(32, 4, 2, 4, int, int32v, 32, false, MFMA(i32_32x32x4i8))
    PRODUCT(16, 4, 4, 4, int, int16v, 16, false, MFMA(i32_16x16x4i8))
    PRODUCT(4, 4, 16, 4, int, int4v, 4, false, MFMA(i32_4x4x4i8))
    PRODUCT(32, 16, 1, 8, long, int16v, 16, false, MFMA(i32_32x32x16_i8))
    PRODUCT(16, 32, 1, 8, long, int4v, 4, false, MFMA(i32_16x16x32_i8))
}
#else
extern "C" __global__ void bytes(const int *, int) {
    SHAPES(4, int, int4v, int16v, int32v, MFMA(i32_32x32x4i8), MFMA(i32_16x16x4i8), MFMA(i32_4x4x4i8),
           MFMA(i32_32x32x8i8), MFMA(i32_16x16x16i8))
}

extern "C" __global__ void pairs_of_bfloats(const int *, int) {
    SHAPES(2, short2v, float4v, float16v, float32v, MFMA(f32_32x32x2bf16), MFMA(f32_16x16x2bf16), MFMA(f32_4x4x2bf16),
           MFMA(f32_32x32x4bf16), MFMA(f32_16x16x8bf16))
}
#endif

#ifndef __gfx908__
extern "C" __global__ void bfloats(const int *, int) {
    SHAPES(4, short4v, float4v, float16v, float32v, MFMA(f32_32x32x4bf16_1k), MFMA(f32_16x16x4bf16_1k),
           MFMA(f32_4x4x4bf16_1k), MFMA(f32_32x32x8bf16_1k), MFMA(f32_16x16x16bf16_1k))
}

typedef double double1v __attribute__((ext_vector_type(1)));
static __device__ double1v small_double(double a, double b, double1v c, int, int, int) {
    return double1v{MFMA(f64_4x4x4f64)(a, b, c[0], 0, 0, 0)};
}

extern "C" __global__ void doubles(const int *, int) {
    PRODUCT(16, 4, 1, 1, double, double4v, 4, true, MFMA(f64_16x16x4f64))
    PRODUCT(4, 4, 4, 1, double, double1v, 1, true, small_double)
}
#endif

#ifdef __gfx942__
// 1, 1.5, 2, 3, -1, 0.5 and 0 in the formats of 8 bits.
extern "C" __global__ void small_floats(const int *, int) {
    static const unsigned char fp8[] = {0x40, 0x44, 0x48, 0x4c, 0xc0, 0x38, 0},
                               bf8[] = {0x40, 0x42, 0x44, 0x46, 0xc0, 0x3c, 0};
    static const float values[] = {1, 1.5f, 2, 3, -1, 0.5f, 0};
    unsigned long a = 0, b = 0;
    for (int n = 0; n < 8; n++) {
        const int k = LANE / 16 * 8 + n;
        a |= (unsigned long)fp8[(LANE % 16 + k) % 7] << 8 * n;
        b |= (unsigned long)bf8[(LANE % 16 + 3 * k) % 7] << 8 * n;
    }
    const float4v d = MFMA(f32_16x16x32_fp8_bf8)(a, b, float4v{0, 0, 0, 0}, 0, 0, 0);
    for (int r = 0; r < 4; r++) {
        float sum = 0;
        for (int k = 0; k < 32; k++) {
            sum += values[(4 * (LANE / 16) + r + k) % 7] * values[(LANE % 16 + 3 * k) % 7];
        }
        expect(d[r] == sum);
    }
}

// Negative factors and summands of doubles.
extern "C" __global__ void signs(const int *, int) {
    const double4v d = MFMA(f64_16x16x4f64)((double)LANE, 2., double4v{1, 1, 1, 1}, 0, 0, 1 + 4);
    for (int r = 0; r < 4; r++) {
        const int i = 4 * r + LANE / 16;
        expect(d[r] == -2. * (4 * i + 16 * 6) - 1);
    }
}
#endif

// A constant in place of C, blocks and lanes that others take, and lanes that take no part, which a product ignores.
extern "C" __global__ void forms(const int *in, int) {
    FACTORS(16, 1, 4, 1, float)
    float16v c = {};
    const float16v two = MFMA(f32_16x16x1f32)(a, b, c, 1, 1, 0);
    KEEP(two, 16)
    check<16, 1, 4, false>(16, second_of_two(), 0);
    const float16v first = MFMA(f32_16x16x1f32)(a, b, c, 2, 3, 4);
    for (int r = 0; r < 16; r++) {
        expect(first[r] == a_of(4 * (LANE / 16) + r % 4, 0, 3) * b_of(0, LANE % 16, 0));
    }
    const float16v turned = MFMA(f32_16x16x1f32)(a, b, c, 0, 0, 3);
    for (int r = 0; r < 16; r++) {
        expect(turned[r] == a_of(4 * (LANE / 16) + r % 4, 0, r / 4) * b_of(0, LANE % 16, (r / 4 + 1) % 4));
    }
    float one = 1, quarter = LANE / 16;
    asm volatile("" : "+v"(one), "+v"(quarter)); // set by all lanes
    if (in[LANE] == 5) {
        const float4v ones = MFMA(f32_16x16x4f32)(one, quarter, float4v{1, 1, 1, 1}, 0, 0, 0);
        expect(ones[0] == 7 && ones[3] == 7);
    }
}

#ifndef __gfx908__
#ifdef __gfx942__
#define INTO_ACCUMULATORS "v_mfma_f32_4x4x1_16b_f32 %0, %1, %2, %0"
#else
#define INTO_ACCUMULATORS "v_mfma_f32_4x4x1f32 %0, %1, %2, %0"
#endif
// Sums in accumulation registers, into which the compiler puts them where the others are full.
extern "C" __global__ void accumulators(const int *, int) {
    FACTORS(4, 1, 16, 1, float)
    SUMMANDS(4, float4v, 4, false)
    asm volatile("s_nop 4\n" INTO_ACCUMULATORS "\ns_nop 15" : "+a"(c) : "v"(a), "v"(b));
    KEEP(c, 4)
    check<4, 1, 16, false>(4, own_block(), 1);
}
#endif

// Whether C is A * B, whose columns follow each other, by other instructions.
extern "C" __global__ void compare(const float *c, const _Float16 *a, const _Float16 *b, int n) {
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            sum += (float)a[i / n * n + k] * (float)b[i % n * n + k];
        }
        expect(c[i] == sum);
    }
}
