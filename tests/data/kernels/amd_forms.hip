#include <hip/hip_runtime.h>

// Instructions that clang makes of few kernels. Each kernel knows its answers otherwise, and traps if one is wrong.
// `in` holds its elements' numbers.
typedef int int16 __attribute__((ext_vector_type(16)));
typedef unsigned short ushort2v __attribute__((ext_vector_type(2)));
typedef short short2v __attribute__((ext_vector_type(2)));
#define LANE ((int)threadIdx.x)
#define SHUFFLED(old, value, control, rows, zero) __builtin_amdgcn_update_dpp(old, value, control, rows, 15, zero)

static __device__ void expect(bool right) {
    if (!right) {
        __builtin_trap();
    }
}

// An array in registers, whose elements' numbers are known when it runs.
extern "C" __global__ void array_in_registers(const int *in, int n) {
    int16 words;
    int sum = 0, expected = 0;
    for (int i = 0; i < 16; i++) {
        words[i] = in[(LANE + i) & 63];
    }
    for (int i = 0; i < n; i++) {
        sum += words[(n + 5 * i) & 15];
        words[(n + 5 * i) & 15] += 1;
        expected += ((LANE + ((n + 5 * i) & 15)) & 63) + i / 16;
    }
    expect(sum == expected);
}

static __device__ int within(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

extern "C" __global__ void saturated(const int *in, int n) {
    const int x = (in[LANE] - 32) * 0x2000000, half = in[LANE] * 500 + n - n;
    const long long sum = (long long)x + 0x7fff0000;
    expect(__builtin_elementwise_add_sat(x, 0x7fff0000) == (sum > 0x7fffffff ? 0x7fffffff : (int)sum));
    expect(__builtin_elementwise_sub_sat((unsigned)in[LANE], 20u) == (LANE > 20 ? (unsigned)LANE - 20 : 0));
    const ushort2v wide = {(unsigned short)half, (unsigned short)n};
    const ushort2v added = __builtin_elementwise_add_sat(wide, ushort2v{50000, 1});
    expect(added.x == within(half + 50000, 0, 65535) && added.y == n + 1);
    const short2v pair = {(short)half, (short)-half}, other = {(short)(n + 20000), -20000};
    const short2v sums = __builtin_elementwise_add_sat(pair, other), rests = __builtin_elementwise_sub_sat(pair, other);
    expect(sums.x == within(half + n + 20000, -32768, 32767) && sums.y == within(-half - 20000, -32768, 32767));
    expect(rests.x == half - n - 20000 && rests.y == 20000 - half);
}

extern "C" __global__ void other_lanes(const int *in, int n) {
    const int value = in[LANE], place = LANE % 16;
    expect(SHUFFLED(-1, value, 0x1b, 15, false) == (LANE ^ 3));                        // quad_perm:[3,2,1,0]
    expect(SHUFFLED(-1, value, 0x103, 15, false) == (place < 13 ? LANE + 3 : -1));     // row_shl:3
    expect(SHUFFLED(-1, value, 0x112, 15, true) == (place < 2 ? 0 : LANE - 2));        // row_shr:2 bound_ctrl
    expect(SHUFFLED(-1, value, 0x124, 15, false) == LANE - place + (place + 12) % 16); // row_ror:4
    expect(SHUFFLED(-1, value, 0x140, 5, false) == (LANE / 16 % 2 ? -1 : LANE + 15 - 2 * place)); // row_mirror
    expect(SHUFFLED(-1, value, 0x141, 15, false) == (LANE ^ 7));                                  // row_half_mirror
    if (LANE % 2) { // a lane that takes no part gives nothing
        expect(SHUFFLED(-1, value, 0xb1, 15, false) == -1 && SHUFFLED(-1, value, 0x4e, 15, false) == (LANE ^ 2));
    }
    int sum = value + n - n;
    sum += SHUFFLED(0, sum, 0x111, 15, false);
    sum += SHUFFLED(0, sum, 0x112, 15, false);
    sum += SHUFFLED(0, sum, 0x114, 15, false);
    sum += SHUFFLED(0, sum, 0x118, 15, false);
    expect(sum == (place + 1) * (LANE - place) + place * (place + 1) / 2);
#ifdef __GFX9__
    sum += SHUFFLED(0, sum, 0x142, 10, false); // row_bcast:15
    sum += SHUFFLED(0, sum, 0x143, 12, false); // row_bcast:31
    expect(sum == LANE * (LANE + 1) / 2);
#endif
}

// Loads from behind a buffer's end give 0, and stores there are not made. The array is in private memory, to which the
// same instructions go on some parts.
extern "C" __global__ void buffers(int *in, int n) {
    const __amdgpu_buffer_rsrc_t words = __builtin_amdgcn_make_buffer_rsrc(in, 0, 4 * 61, 0x27000);
    int own[100], sum = 0;
    for (int i = 0; i < 100; i++) {
        own[i] = __builtin_amdgcn_raw_buffer_load_b32(words, 4 * (LANE + i), 0, 0);
    }
    for (int i = 0; i < n; i++) {
        own[(own[i % 7] + i) % 100] += 1;
        sum += own[(LANE + i) % 100] > LANE;
    }
    expect(sum >= 0 && (LANE + 90 < 61 ? own[90] >= LANE + 90 : own[90] <= n) &&
           own[10] >= (LANE < 51 ? LANE + 10 : 0));
    const int bytes = (unsigned char)__builtin_amdgcn_raw_buffer_load_b8(words, 4 * LANE, 0, 0);
    expect(bytes == (LANE < 61 ? LANE : 0));
    __syncthreads();
    __builtin_amdgcn_raw_buffer_store_b32(LANE < 60 ? LANE + 1 : -1, words, 4 * LANE, 4, 0);
    __syncthreads();
    expect(((volatile int *)in)[LANE] == LANE);
}

extern "C" __global__ void records(int *in, int n) {
    const __amdgpu_buffer_rsrc_t words = __builtin_amdgcn_make_buffer_rsrc(in, 16, 4, 0x27000);
    expect(__builtin_amdgcn_raw_buffer_load_b32(words, 4 * n, 0, 0) == n);
}

// Bytes, halves and words at any address, by all lanes and by the wave.
extern "C" __global__ void narrow(const unsigned char *in, int n) {
    const short *halves = (const short *)(in + 4 * n); // of elements n, n + 1, ...
    int sum = 0, expected = 0;
    for (int i = 0; i < n; i++) {
        sum += in[4 * i] * halves[2 * i];
        expected += i * (n + i);
    }
    expect(sum == expected);
    struct __attribute__((packed)) odd {
        unsigned char before;
        unsigned word;
    };
    const unsigned word = ((const odd *)(in + 4 * (LANE % 63)))->word; // three bytes of one element and one of the next
    expect(word == (unsigned)(LANE % 63 + 1) << 24);
}

// clang joins the bytes of a word in shared memory, too.
extern "C" __global__ void narrow_shared(const int *in, int n) {
    struct __attribute__((packed)) odd {
        unsigned char before;
        unsigned word;
        unsigned long long two;
    };
    __shared__ odd words[64];
    words[LANE].before = 255;
    words[LANE].word = in[LANE] * 0x01010101u;
    words[LANE].two = (unsigned long long)in[LANE] << 32 | (unsigned)n;
    __syncthreads();
    const odd *other = &words[63 - LANE];
    expect(other->word == (63 - LANE) * 0x01010101u && other->two == ((63ull - LANE) << 32 | (unsigned)n));
}

// Each lane's word lies in two cache lines, and is stored to two words of the bits that say what is written.
extern "C" __global__ void torn(const char *in, char *out) {
    struct __attribute__((packed)) odd {
        unsigned word;
    };
    ((odd *)(out + 126 + 256 * LANE))->word = ((const odd *)(in + 126 + 256 * LANE))->word;
}

// A word of one wave, of which the last byte lies in a word of the other one.
extern "C" __global__ void torn_race(unsigned *out) {
    __shared__ unsigned words[256];
    struct __attribute__((packed)) odd {
        unsigned word;
    };
    if (LANE < 64) {
        ((odd *)((char *)(words + 2 * LANE) + 1))->word = LANE;
    } else {
        words[2 * (LANE - 64) + 1] = LANE;
    }
    __syncthreads();
    out[LANE] = words[2 * LANE % 256];
}

// The last byte of a buffer, by the wave where the part can.
extern "C" __global__ void last_byte(const unsigned char *in, int n) {
    expect(in[n] == n);
}

extern "C" __global__ void halves(const int *in, int n) {
    const _Float16 x = (_Float16)in[LANE] / (_Float16)4, one = (_Float16)n / (_Float16)n;
    expect((float)x == LANE / 4.f && one == (_Float16)1);
    expect((float)__builtin_floorf16(x) == (float)(LANE / 4) && (float)__builtin_ceilf16(x) == (float)((LANE + 3) / 4));
    expect((short)(x * (_Float16)-4) == -LANE && (unsigned short)(x + (_Float16)2) == LANE / 4 + 2);
    expect((float)__builtin_sqrtf16(x * x) == (float)x);
    expect((float)(x * (_Float16)0.5 + (_Float16)3) == LANE / 8.f + 3);
    _Float16 all = 0; // by the wave
    for (int i = 0; i < n; i++) {
        all = all + (_Float16)in[i];
    }
    all = all < (_Float16)9 ? (_Float16)-1 : all;
    expect((float)all == (float)(n * (n - 1) / 2));
}

extern "C" __global__ void signs(const int *in, signed char byte, short half) {
    const long long product = (long long)byte * half + ((long long)(signed char)(byte * 3) << 20);
    const long long expected = -77 * -3111 + 25 * 1048576ll;
    expect(product * in[LANE] == expected * LANE);
    expect(__ffsll((long long)in[LANE] << 40) == (LANE ? 40 + __ffs(LANE) : 0));
}

// On parts without such an atomic a loop compares and swaps.
extern "C" __global__ void shared_sum(const int *in, int n) {
    __shared__ double sum;
    if (LANE == 0) {
        sum = n;
    }
    __syncthreads();
    atomicAdd(&sum, (double)in[LANE % 64]);
    __syncthreads();
    expect(sum == n + blockDim.x / 64 * (63 * 64 / 2));
}

extern "C" __global__ void limited(const int *in, int n) {
    const float x = (float)in[LANE] / 16 - 1, high = n, limited = fminf(fmaxf(x, -0.5f), high);
    expect(limited == (LANE < 8 ? -0.5f : LANE / 16.f - 1));
}

// Products of four bytes with a sign and without.
extern "C" __global__ void bytes_multiplied(const int *in, int n) {
#if defined(__gfx906__) || defined(__gfx942__)
    const int bytes = in[LANE] | 0x80ff0200; // from the lowest: the lane, 2, -1, -128
    expect(__builtin_amdgcn_sdot4(bytes, 0x7f030501, n, false) == LANE + 10 - 3 - 128 * 127 + n);
    expect((int)__builtin_amdgcn_udot4((unsigned)bytes, 0x7f030501u, (unsigned)n, false) ==
           LANE + 10 + 255 * 3 + 128 * 127 + n);
#endif
#if defined(__GFX11__) || defined(__GFX12__)
    const int bytes = in[LANE] | 0x80ff0200;
    expect(__builtin_amdgcn_sudot4(true, bytes, true, 0x7f030501, n, false) == LANE + 10 - 3 - 128 * 127 + n);
    expect(__builtin_amdgcn_sudot4(false, bytes, true, 0xff030501, n, false) == LANE + 10 + 255 * 3 - 128 + n);
    expect(__builtin_amdgcn_sudot4(true, bytes, false, 0xff030501, n, false) == LANE + 10 - 3 - 128 * 255 + n);
#endif
}

// Rows of 16 lanes in another order, and lanes that take from ones that take no part.
extern "C" __global__ void rows_permuted(const int *in, int n) {
#ifndef __GFX9__
    const int value = in[LANE], other = LANE ^ 16;
    expect(__builtin_amdgcn_permlane16(-1, value, 0x76543210, 0xfedcba98, false, false) == LANE);
    expect(__builtin_amdgcn_permlane16(-1, value, n - n + 0x89abcdef, 0x01234567, false, false) == (LANE ^ 15));
    expect(__builtin_amdgcn_permlanex16(-1, value, 0x76543210, 0xfedcba98, false, false) == other);
    int own = value, zero = value, idle = value;
    if (value % 2) {
        own = __builtin_amdgcn_permlane16(-1, value, 0x67452301, 0xefcdab89, false, false);
        zero = __builtin_amdgcn_permlane16(-1, value, 0x67452301, 0xefcdab89, false, true);
        idle = __builtin_amdgcn_permlane16(-1, value, 0x67452301, 0xefcdab89, true, false);
    }
    expect(own == (LANE % 2 ? -1 : LANE) && zero == (LANE % 2 ? 0 : LANE) && idle == (LANE % 2 ? LANE - 1 : LANE));
#endif
}

// Functions that are called, one by the other, and by some lanes alone. One has an array in private memory.
static __attribute__((noinline)) __device__ int twice(int x) {
    asm volatile("" : "+v"(x));
    return 2 * x;
}

static __attribute__((noinline)) __device__ int sum_to(int n, int place) {
    int terms[40];
    for (int i = 0; i <= n; i++) {
        terms[(i + place) % 40] = twice(i);
    }
    int sum = 0;
    for (int i = 0; i <= n; i++) {
        sum += terms[(i + place) % 40];
    }
    return sum;
}

extern "C" __global__ void functions_called(const int *in, int n) {
    int own[50];
    own[in[LANE] % 50] = sum_to(n, LANE);
    if (LANE % 2) {
        own[LANE % 50] += twice(LANE);
    }
    expect(own[in[LANE] % 50] == n * (n + 1) + (LANE % 2 ? 2 * LANE : 0));
}

// What clang 19 has no builtin functions of.
typedef int int4w __attribute__((ext_vector_type(4)));
extern "C" __device__ int buffer_add(int, int4w, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.add.i32");
extern "C" __device__ int buffer_cas(int, int, int4w, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.cmpswap.i32");
extern "C" __device__ long buffer_max(long, int4w, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.smax.i64");

// Atomics on a buffer of 61 elements: behind its end nothing is updated, and 0 is returned.
extern "C" __global__ void buffer_atomics(int *in, int n) {
    const long place = (long)in;
    const int4w words = {(int)place, (int)(place >> 32), 4 * 61, 0x27000};
    const int before = buffer_add(n, words, 4 * LANE, 0, 0);
    expect(before == (LANE < 61 ? LANE : 0));
    __syncthreads();
    expect(((volatile int *)in)[LANE] == LANE + (LANE < 61 ? n : 0));
    buffer_add(-n, words, 4 * LANE, 0, 0);
    __syncthreads();
    const int swapped = buffer_cas(-1, LANE % 2 ? LANE : 100, words, 4 * LANE, 0, 0);
    expect(swapped == (LANE < 61 ? LANE : 0));
    __syncthreads();
    expect(((volatile int *)in)[LANE] == (LANE % 2 && LANE < 61 ? -1 : LANE));
    __syncthreads();
    if (LANE < 32) { // element 60 has no neighbour in the buffer
        const long old = buffer_max(1l << 40, words, 8 * LANE, 0, 0);
        expect(old == (LANE < 30 ? (long)(0xffffffff00000000 | 2 * LANE) : 0));
    }
    __syncthreads();
    expect(((volatile int *)in)[LANE] == (LANE >= 60 ? (LANE % 2 && LANE < 61 ? -1 : LANE) : LANE % 2 ? 256 : 0));
}

// Loads whose data go to shared memory, from M0 on and lane by lane. clang 19 fails at their builtin functions.
#define TO_SHARED(words, instruction, ...)                                                                             \
    asm volatile("s_mov_b32 m0, %0\n" instruction                                                                      \
                 "\ns_waitcnt vmcnt(0)" ::"s"((unsigned)(size_t)(__attribute__((address_space(3))) void *)(words)),    \
                 __VA_ARGS__                                                                                           \
                 : "memory")

extern "C" __global__ void to_shared(const int *in, int n) {
    __shared__ int words[128];
#ifdef __gfx942__
    TO_SHARED(words, "global_load_lds_dword %1, off offset:4", "v"(in + 63 - LANE - 1));
    expect(((volatile int *)words)[LANE + 1] == 63 - LANE);
    TO_SHARED(words, "global_load_lds_ubyte %1, off", "v"(in + LANE));
    expect(((volatile int *)words)[LANE] == LANE);
#endif
    const __amdgpu_buffer_rsrc_t buffer = __builtin_amdgcn_make_buffer_rsrc((void *)in, 0, 4 * 50, 0x27000);
    TO_SHARED(words + 64, "buffer_load_dword %1, %2, 0 offen lds", "v"(4 * (63 - LANE)), "s"(buffer));
    expect(((volatile int *)words)[64 + LANE] == (LANE < 14 ? 0 : 63 - LANE));
}
