// Integers, bits, floats and exchanges between lanes, in results that a GPU and the host compute alike.
#ifndef __cplusplus // what bankshot's own dialect lacks
#define __clz(a) ((a) ? __builtin_clz((unsigned)(a)) : 32)
#define __umulhi(a, b) ((unsigned)((unsigned long long)(a) * (b) >> 32))
#define __mulhi(a, b) ((int)((long long)(a) * (b) >> 32))
__device__ unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++) {
        reversed = reversed << 1 | (x >> bit & 1);
    }
    return reversed;
}
#endif

__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void integers(unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = hash(i), b = hash(i + 77777) >> (i % 29);
    const long long wide = (long long)a << 32 | b;
    unsigned *own = out + 24 * i;
    own[0] = a / (b | 1);
    own[1] = (unsigned)((int)a / (int)(b | 1));
    own[2] = a % (b | 1);
    own[3] = (unsigned)((int)a % (int)(b | 1));
    own[4] = (unsigned)(wide / (long long)(b | 1));
    own[5] = (unsigned)((unsigned long long)wide % (a | 1));
    own[6] = __popc(a) + 100 * __clz((int)b);
    own[7] = __brev(a) ^ __ffs((int)b);
    own[8] = (unsigned)(wide >> (b & 63));
    own[9] = (unsigned)((unsigned long long)wide >> (a & 63)) + (unsigned)(wide << (b & 63) >> 32);
    own[10] = __umulhi(a, b) + (unsigned)__mulhi((int)a, (int)b);
    own[11] = (unsigned)(min((int)a, (int)b) ^ max((int)a, -(int)b));
    own[12] = (a & 0xff) * (b >> 8 & 0xffff) + (unsigned char)(a >> 5) - (short)b;
    own[13] = (unsigned)(short)(a >> 3) * (unsigned)(signed char)b;
    own[14] = a > b ? a << (b & 31) | b >> (a & 31) : a >> (b & 31);
    own[15] = (unsigned)(wide * (long long)hash(b)) ^ (unsigned)(wide * wide >> 32);
    unsigned sum = 0;
    for (unsigned n = a & 15; n > 0; n--) {
        sum += n % 3 == 0 ? hash(sum + n) : sum / 5;
    }
    own[16] = sum;
    own[17] = __shfl_xor(a, 5) ^ __shfl_down(b, 3);
    own[18] = __shfl(a, (int)(b & 15)) + __shfl_up(a, 2);
    own[19] = (unsigned)abs((int)a) ^ (a << 7 | a >> 25);
    own[20] = (unsigned)(wide < 0 ? -wide : wide);
    own[21] = (unsigned)((long long)a - (long long)b >> 32) + (unsigned)((wide + b) >> 32);
    own[22] = (a ^ b ^ i) + ((a & b) | ~i);
    own[23] = (unsigned short)(a * 3 + b) | (unsigned)(unsigned char)(b - a) << 16;
}

extern "C" __global__ void floats(float *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = (float)(int)hash(i) * 1e-5f, y = (float)(hash(i + 5) >> 9) * 0.25f + 1.0f;
    const double u = (double)x * 3.0;
    float *own = out + 12 * i;
    own[0] = x / y;
    own[1] = sqrtf(y);
    own[2] = fminf(x, y) - fmaxf(-x, y);
    own[3] = floorf(x) + ceilf(y * 0.37f);
    own[4] = truncf(x * 0.01f) + rintf(y * 0.3f);
    own[5] = (float)(int)(x * 0.5f) + (float)(unsigned)y;
    own[6] = fmaf(x, y, -1.5f);
    own[7] = fabsf(x) > 3.0f ? x : -y;
    own[8] = (float)u;
    own[9] = (float)((long long)u) + (float)hash(i);
    own[10] = copysignf(y, x);
    own[11] = x < y || x != x ? 1.0f : 0.0f;
}

extern "C" __global__ void doubles(double *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = (double)(int)hash(i) * 1e-5, u = x * 3.0, v = (double)(hash(i + 5) >> 9) * 0.25 + 1.1;
    double *wide = out + 6 * i;
    wide[0] = u / v;
    wide[1] = sqrt(v);
    wide[2] = fma(u, v, 2.5);
    wide[3] = fmin(u, v) + floor(u);
    wide[4] = (double)(int)x + (double)hash(i);
    wide[5] = u > v ? u : fabs(u);
}
