// A wave of an AMD GPU, for kernels that were translated from AMDGPU assembly: its registers, and what instructions do
// that is no arithmetic. A vector instruction is a loop over lanes.
// LANES, VECTORS, ACCUMULATORS, SHARED_BYTES, SCRATCH_BYTES, GFX (the generation: 9, 10, 11, 12) and ARGUMENT_BYTES are
// the translation's.
#ifndef SIM_AMDGCN_KERNEL_WAVE_H
#define SIM_AMDGCN_KERNEL_WAVE_H

#include "sim/amdgcn/kernel/wave_hooks.h"
#include "sim/ptx/kernel/numbers.h"

#define INLINE static inline __attribute__((always_inline, unused))
#define FUNCTION static __attribute__((noinline, unused))
// A kernel's body is not optimized: it calls functions for all that takes long to run, and where loops are unrolled it
// has thousands of lines, on which the host's compiler would spend most of its time.
#ifdef __clang__
#define BODY static __attribute__((optnone, noinline))
#else
#define BODY static __attribute__((optimize("O0")))
#endif

// Places of scalar registers (the operand numbers of the ISA documents, and two more).
enum {
    VCC = 106,
    TTMP = 108,
    M0 = 124,
    SCALAR_NULL = 125,
    EXEC = 126,
    FLAT_SCRATCH = 128,
    XNACK_MASK = 130,
    SCALAR_REGISTERS = 132
};

// Generic addresses of these windows lie above what the host can have.
#define SHARED_WINDOW UINT64_C(0x0002000000000000)
#define PRIVATE_WINDOW UINT64_C(0x0004000000000000)

struct wave {
    struct sim_wave hooked;
    _Alignas(8) uint32_t s[SCALAR_REGISTERS];
    uint32_t condition;                             // SCC
    uint32_t jumps;                                 // back, since its last step
    _Alignas(64) uint32_t m[LANES];                 // of each lane: all bits of EXEC's one
    _Alignas(64) uint32_t t[4][LANES];              // for a while
    _Alignas(64) uint64_t at[LANES], second[LANES]; // addresses
    uint32_t words[LANES];                          // that lie in a buffer
    // An operand may reach beyond the registers' end.
    _Alignas(64) uint32_t v[VECTORS + ACCUMULATORS + 4][LANES];
};

typedef uint64_t __attribute__((aligned(4), may_alias)) word64;

// The row of a vector register; the accumulators, whose numbers begin at 512, come behind, and then the two rows that a
// shuffle fills.
#define SHUFFLED (VECTORS + ACCUMULATORS + 2)
#define ROW(n) ((n) < 512 ? (n) : (n) == 1024 ? SHUFFLED : VECTORS + (n)-512)
#define EACH_LANE for (uint32_t l = 0; l < LANES; l++)
#define S(n) (w->s[n])
#define scc (w->condition)
#define S64(n) (*(word64 *)&w->s[n])
#if LANES == 64
#define MASK(n) S64(n)
typedef uint64_t mask_t;
#else
#define MASK(n) S(n)
typedef uint32_t mask_t;
#endif
#define EXEC_MASK MASK(EXEC)
// The part of EXEC that an instruction of x's width reads and writes.
#define EXEC_AS(x) (*_Generic((x), uint32_t : &S(EXEC), default : &EXEC_MASK))
#define VCC_MASK MASK(VCC)

FUNCTION void sync_exec(struct wave *w) {
    const mask_t exec = EXEC_MASK;
    EACH_LANE {
        w->m[l] = -(uint32_t)(exec >> l & 1);
    }
}

// ---- Bits and numbers ----

INLINE uint64_t wide(const uint32_t *low, uint32_t l) {
    return (uint64_t)low[l + LANES] << 32 | low[l];
}

// Packs a bit of each lane.
INLINE mask_t pack(const uint8_t *bits) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < LANES / 8; i++) {
        uint64_t eight;
        __builtin_memcpy(&eight, bits + 8 * i, sizeof eight);
        mask |= (eight * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return (mask_t)mask;
}

INLINE uint32_t first_lane(const struct wave *w) {
    const mask_t exec = EXEC_MASK;
    return exec ? (uint32_t)__builtin_ctzll(exec) : 0;
}

// A shift of 64 bits by a field of 6.
INLINE uint64_t bits64(uint64_t value, uint32_t shift, uint32_t width) {
    shift &= 63;
    width &= 127;
    return width == 0 ? 0 : width >= 64 ? value >> shift : value >> shift & ((UINT64_C(1) << width) - 1);
}

INLINE uint32_t bits32(uint32_t value, uint32_t shift, uint32_t width) {
    shift &= 31;
    return width == 0 ? 0 : width >= 32 ? value >> shift : value >> shift & ((1u << width) - 1);
}

INLINE int32_t signed_bits32(uint32_t value, uint32_t shift, uint32_t width) {
    shift &= 31;
    width = width > 32 - shift ? 32 - shift : width;
    return width == 0 ? 0 : (int32_t)(value << (32 - shift - width)) >> (32 - width);
}

INLINE int64_t signed_bits64(int64_t value, uint32_t shift, uint32_t width) {
    shift &= 63;
    width = width > 64 - shift ? 64 - shift : width;
    return width == 0 ? 0 : (int64_t)((uint64_t)value << (64 - shift - width)) >> (64 - width);
}

INLINE uint32_t reversed(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

INLINE uint32_t permuted_bytes(uint32_t high, uint32_t low, uint32_t choice) {
    const uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t which = choice >> 8 * i & 255;
        const uint32_t byte = which < 8     ? (uint32_t)(bytes >> 8 * which & 255)
                              : which < 12  ? (bytes >> (16 * (which - 8) + 15) & 1 ? 255u : 0u)
                              : which == 12 ? 0u
                                            : 255u;
        result |= byte << 8 * i;
    }
    return result;
}

// minNum and maxNum of IEEE 754-2008: of a number and NaN, the number.
INLINE float least_f32(float a, float b) {
    return a != a ? b : b != b ? a : a < b || (a == b && to_f32(a) >> 31) ? a : b;
}

INLINE float greatest_f32(float a, float b) {
    return a != a ? b : b != b ? a : a > b || (a == b && to_f32(b) >> 31) ? a : b;
}

INLINE double least_f64(double a, double b) {
    return a != a ? b : b != b ? a : a < b || (a == b && to_f64(a) >> 63) ? a : b;
}

INLINE double greatest_f64(double a, double b) {
    return a != a ? b : b != b ? a : a > b || (a == b && to_f64(b) >> 63) ? a : b;
}

// If one of them is NaN, the least of the others.
INLINE float median_f32(float a, float b, float c) {
    const float least = least_f32(a, b);
    return a != a || b != b || c != c ? least_f32(least, c) : greatest_f32(least, least_f32(greatest_f32(a, b), c));
}

INLINE double median_f64(double a, double b, double c) {
    const double least = least_f64(a, b);
    return a != a || b != b || c != c ? least_f64(least, c) : greatest_f64(least, least_f64(greatest_f64(a, b), c));
}

#define scaled(a, exponent) _Generic((a), float : __builtin_ldexpf, double : __builtin_ldexp)(a, exponent)

// V_CMP_CLASS: a mask of signalling and quiet NaN, then -infinity, -normal, -subnormal, -0, and the same upwards.
#define CLASS(name, type, bits_of, quiet)                                                                              \
    INLINE bool name(type x, uint32_t mask) {                                                                          \
        const bool negative = __builtin_signbit(x) != 0;                                                               \
        const int of_sign[] = {isinf(x)      ? 2                                                                       \
                               : isnormal(x) ? 3                                                                       \
                               : x != 0      ? 4                                                                       \
                                             : 5,                                                                           \
                               isinf(x)      ? 9                                                                       \
                               : isnormal(x) ? 8                                                                       \
                               : x != 0      ? 7                                                                       \
                                             : 6};                                                                          \
        return mask >> (x != x ? (bits_of(x) >> quiet & 1 ? 1 : 0) : of_sign[!negative]) & 1;                          \
    }
CLASS(class_f32, float, to_f32, 22)
CLASS(class_f64, double, to_f64, 51)

// Sums of the products of four bytes.
// signs: a bit for each factor, whose bytes have one.
INLINE int32_t dot4_iu8(uint32_t a, uint32_t b, uint32_t signs) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < 32; i += 8) {
        const int32_t left = signs & 1 ? (int8_t)(a >> i) : (uint8_t)(a >> i);
        sum += left * (signs & 2 ? (int8_t)(b >> i) : (uint8_t)(b >> i));
    }
    return sum;
}

INLINE int32_t dot4_i8(uint32_t a, uint32_t b) {
    return dot4_iu8(a, b, 3);
}

INLINE uint32_t dot4_u8(uint32_t a, uint32_t b) {
    return (uint32_t)dot4_iu8(a, b, 0);
}

INLINE float f16_low(uint32_t pair) {
    return (float)from_f16((uint16_t)pair);
}

INLINE float f16_high(uint32_t pair) {
    return (float)from_f16((uint16_t)(pair >> 16));
}

#define BITS(a) ((uint32_t)(8 * sizeof(a)))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MEDIAN(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))

// The nearest integer towards 0 that there is; of NaN, 0. Comparisons before the conversion take less than rounding.
INLINE uint32_t u32_from(double x) {
    return x >= 4294967295.0 ? UINT32_MAX : x > 0 ? (uint32_t)(int64_t)x : 0;
}

INLINE int32_t i32_from(double x) {
    return x >= 2147483647.0 ? INT32_MAX : x > -2147483648.0 ? (int32_t)x : x == x ? INT32_MIN : 0;
}

// ---- Memory ----

#define DATA(alignment) __attribute__((used, aligned(alignment), section("bankshot_data")))

unsigned char sim_shared[SHARED_BYTES] __attribute__((aligned(4096)));
static unsigned char sim_parameters[ARGUMENT_BYTES] DATA(4096) = {0};

// An offset beyond all shared memory stays small, so that it is reported as a stray access.
INLINE uint64_t from_shared(uint32_t offset) {
    return offset < SHARED_BYTES ? (uint64_t)(uintptr_t)sim_shared + offset : offset;
}

INLINE uint64_t from_flat(uint64_t address) {
    return (address & UINT64_C(0xffffffff00000000)) == SHARED_WINDOW ? from_shared((uint32_t)address) : address;
}

// What an access moves: whole registers, or these together.
enum {
    FORM_WORDS = 0,
    FORM_BYTE = 1,
    FORM_HALF = 2,
    FORM_SIGNED = 4,
    FORM_LOW = 8, // half a register, whose other half stays
    FORM_HIGH = 16
};

INLINE uint32_t narrow_value(uint32_t form, uint64_t address, uint32_t old) {
    uint32_t value = 0;
    __builtin_memcpy(&value, (const void *)(uintptr_t)address, form & FORM_BYTE ? 1 : 2);
    if (form & FORM_SIGNED) {
        value = (uint32_t)(form & FORM_BYTE ? (int8_t)value : (int16_t)value);
    }
    return form & FORM_LOW    ? (old & 0xffff0000) | (value & 0xffff)
           : form & FORM_HIGH ? (old & 0xffff) | value << 16
                              : value;
}

#define LOWEST(mask) ((uint64_t)__builtin_ctzll(mask))
#define EACH_ACTIVE(active) for (uint64_t left_ = (active), l; left_ && (l = LOWEST(left_), true); left_ &= left_ - 1)

typedef uint32_t __attribute__((aligned(1), may_alias)) loose32;

INLINE void load_lanes(uint32_t *d, const uint64_t *address, uint64_t active, uint32_t form, uint32_t words) {
    if (form != FORM_WORDS) {
        EACH_ACTIVE(active) {
            d[l] = narrow_value(form, address[l], d[l]);
        }
    } else if (active == (mask_t)-1) {
        for (uint32_t i = 0; i < words; i++) {
            for (uint32_t l = 0; l < LANES; l++) {
                d[i * LANES + l] = ((const loose32 *)(uintptr_t)address[l])[i];
            }
        }
    } else {
        EACH_ACTIVE(active) {
            const loose32 *from = (const loose32 *)(uintptr_t)address[l];
            for (uint32_t i = 0; i < words; i++) {
                d[i * LANES + l] = from[i];
            }
        }
    }
}

INLINE void store_lanes(const uint32_t *d, const uint64_t *address, uint64_t active, uint32_t form, uint32_t words) {
    EACH_ACTIVE(active) {
        unsigned char *to = (unsigned char *)(uintptr_t)address[l];
        const uint32_t value = form & FORM_HIGH ? d[l] >> 16 : d[l];
        if (form & FORM_BYTE) {
            *to = (unsigned char)value;
        } else if (form & FORM_HALF) {
            __builtin_memcpy(to, &value, 2);
        } else {
            for (uint32_t i = 0; i < words; i++) {
                ((loose32 *)to)[i] = d[i * LANES + l];
            }
        }
    }
}

FUNCTION void load_words(uint32_t *d, const uint64_t *address, uint64_t active, uint32_t words) {
    switch (words) {
    case 1:
        load_lanes(d, address, active, FORM_WORDS, 1);
        break;
    case 2:
        load_lanes(d, address, active, FORM_WORDS, 2);
        break;
    default:
        load_lanes(d, address, active, FORM_WORDS, words);
        break;
    }
}

FUNCTION void store_words(const uint32_t *d, const uint64_t *address, uint64_t active, uint32_t words) {
    store_lanes(d, address, active, FORM_WORDS, words);
}

FUNCTION void load_part(uint32_t *d, const uint64_t *address, uint64_t active, uint32_t form) {
    load_lanes(d, address, active, form, 1);
}

FUNCTION void store_part(const uint32_t *d, const uint64_t *address, uint64_t active, uint32_t form) {
    store_lanes(d, address, active, form, 1);
}

// Addresses of lanes: of a register pair, of a scalar base and an offset of 32 bits, in shared memory.
FUNCTION void address_pair(struct wave *w, const uint32_t *pair, int32_t offset) {
    EACH_LANE {
        w->at[l] = wide(pair, l) + (uint64_t)(int64_t)offset;
    }
}

FUNCTION void address_base(struct wave *w, uint64_t base, const uint32_t *offsets, int32_t offset) {
    base += (uint64_t)(int64_t)offset;
    EACH_LANE {
        w->at[l] = base + offsets[l];
    }
}

FUNCTION void address_shared(struct wave *w, const uint32_t *offsets, uint32_t offset) {
    EACH_LANE {
        w->at[l] = from_shared(offsets[l] + offset);
    }
}

// Private memory is no request: the model does not follow it. Lanes' words of one address are neighbours.
#if SCRATCH_BYTES
static unsigned char scratch_memory[32][LANES][SCRATCH_BYTES];

INLINE unsigned char *scratch_of(struct wave *w, uint32_t lane, uint32_t offset, uint32_t bytes, const char *site) {
    if (offset > SCRATCH_BYTES || bytes > SCRATCH_BYTES - offset) {
        sim_wave_trap("accesses private memory beyond its end: check the index", lane, site);
    }
    return scratch_memory[w->hooked.index][lane] + offset;
}
#else
INLINE unsigned char *scratch_of(struct wave *w, uint32_t lane, uint32_t offset, uint32_t bytes, const char *site) {
    (void)w, (void)offset, (void)bytes;
    sim_wave_trap("accesses private memory, of which the kernel has none: check the address", lane, site);
}
#endif

// offsets NULL: none.
FUNCTION void address_scratch(struct wave *w, const uint32_t *offsets, uint32_t offset, uint32_t bytes,
                              const char *site) {
    EACH_ACTIVE(EXEC_MASK) {
        const uint32_t place = offset + (offsets ? offsets[l] : 0);
        w->at[l] = (uint64_t)(uintptr_t)scratch_of(w, (uint32_t)l, place, bytes, site);
    }
}

// Flat addresses: those of shared memory become the host's, and those of private memory take no part in the request.
FUNCTION uint64_t resolve_flat(struct wave *w, uint32_t bytes, const char *site) {
    uint64_t active = EXEC_MASK, *address = w->at;
    EACH_ACTIVE(EXEC_MASK) {
        if (address[l] >> 32 == PRIVATE_WINDOW >> 32) {
            address[l] = (uint64_t)(uintptr_t)scratch_of(w, (uint32_t)l, (uint32_t)address[l], bytes, site);
            active &= ~(UINT64_C(1) << l);
        } else {
            address[l] = from_flat(address[l]);
        }
    }
    return active;
}

FUNCTION void announce(struct wave *w, uint64_t active, uint32_t bytes, enum sim_wave_operation operation,
                       const char *site) {
    if (active) {
        sim_wave_access(&w->hooked, w->at, active, bytes, operation, site);
    }
}

// ---- Buffers ----

// The descriptor: an address of 48 bits, the bytes behind it in its third word. Each word is checked of its own, an
// update as a whole: what lies behind the end is not stored, and reads as 0. Returns the lanes of the request, whose
// addresses are in `at`, and leaves in `second` where each lane's data are, and in `words` how many of its registers.
FUNCTION uint64_t address_buffer(struct wave *w, uint32_t descriptor, const uint32_t *offsets, uint32_t offset,
                                 uint32_t scalar, uint32_t bytes, bool updates, const char *site) {
    const uint64_t base = S64(descriptor), length = S(descriptor + 2);
    const uint32_t all = (bytes + 3) / 4;
    uint64_t requested = 0;
    const bool private = base >> 32 == PRIVATE_WINDOW >> 32;
    if (private) {
        scalar /= LANES; // the wave's, whose lanes lie beside each other
        address_scratch(w, offsets, offset + scalar, bytes, site);
    } else if (base >> 48 & 0x3fff) { // then the third word counts records
        sim_wave_trap("uses a buffer with a stride, which is not simulated: give its descriptor the stride 0",
                      first_lane(w), site);
    }
    EACH_ACTIVE(EXEC_MASK) {
        const uint64_t place = (uint64_t)offset + scalar + (offsets ? offsets[l] : 0);
        const uint64_t there = place < length ? length - place : 0;
        w->words[l] = private || there >= bytes ? all : updates ? 0 : (uint32_t)there / 4;
        if (!private) { // a request that the end cuts is taken as one before it
            w->at[l] = (base & 0xffffffffffff) + (there >= bytes || length < bytes ? place : length - bytes);
        }
        w->second[l] = private ? w->at[l] : (base & 0xffffffffffff) + place;
        requested |= (uint64_t)(!private && w->words[l]) << l;
    }
    return requested;
}

FUNCTION void load_buffer(struct wave *w, uint32_t *d, uint32_t form, uint32_t words) {
    EACH_ACTIVE(EXEC_MASK) {
        const loose32 *from = (const loose32 *)(uintptr_t)w->second[l];
        if (form != FORM_WORDS) {
            static const uint32_t none = 0;
            d[l] = narrow_value(form, (uint64_t)(uintptr_t)(w->words[l] ? from : &none), d[l]);
            continue;
        }
        for (uint32_t i = 0; i < words; i++) {
            d[i * LANES + l] = i < w->words[l] ? from[i] : 0;
        }
    }
}

FUNCTION void store_buffer(struct wave *w, const uint32_t *d, uint32_t form, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        uint64_t lanes = 0;
        EACH_ACTIVE(EXEC_MASK) {
            lanes |= (uint64_t)(i < w->words[l]) << l;
        }
        store_lanes(d + i * LANES, w->second, lanes, form, 1);
        EACH_ACTIVE(lanes) {
            w->second[l] += 4;
        }
    }
}

// Shared memory that a load fills lane by lane, from M0 on.
FUNCTION void address_lanes(struct wave *w, uint32_t offset, uint32_t bytes) {
    EACH_LANE {
        w->at[l] = from_shared((S(M0) & 0xffff) + offset + bytes * l);
    }
}

// ---- Scalar loads ----

// Loads through the scalar cache; the arguments are no accesses.
FUNCTION const void *scalar_part(struct wave *w, uint32_t bytes, uint64_t address, const char *site) {
    if (address - (uint64_t)(uintptr_t)sim_parameters > ARGUMENT_BYTES - bytes) {
        sim_wave_scalar_load(&w->hooked, address, bytes, site);
    }
    return (const void *)(uintptr_t)address;
}

FUNCTION void scalar_load(struct wave *w, uint32_t first, uint32_t bytes, uint64_t address, const char *site) {
    __builtin_memcpy(&w->s[first], scalar_part(w, bytes, address & ~UINT64_C(3), site), bytes);
}

// ---- Between lanes ----

INLINE void set_active(struct wave *w, uint32_t *d, const uint32_t *result) {
    EACH_LANE {
        d[l] = w->m[l] ? result[l] : d[l];
    }
}

// A register whose number is M0 behind this one's.
FUNCTION uint32_t *relative_row(struct wave *w, uint32_t row, const char *site) {
    if (S(M0) >= VECTORS || row + S(M0) >= VECTORS) {
        sim_wave_trap("takes an element beyond the end of an array in registers: check the index", first_lane(w), site);
    }
    return w->v[row + S(M0)];
}

FUNCTION uint32_t relative_scalar(struct wave *w, uint32_t first, const char *site) {
    if (S(M0) >= VCC || first + S(M0) >= VCC) {
        sim_wave_trap("takes an element beyond the end of an array in registers: check the index", first_lane(w), site);
    }
    return first + S(M0);
}

FUNCTION void bpermute(struct wave *w, uint32_t *d, const uint32_t *from, const uint32_t *value, uint32_t offset) {
    uint32_t result[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t source = (from[l] + offset) / 4 % LANES;
        result[l] = value[source] & w->m[source]; // a lane that takes no part gives 0
    }
    set_active(w, d, result);
}

FUNCTION void permute(struct wave *w, uint32_t *d, const uint32_t *to, const uint32_t *value, uint32_t offset) {
    uint32_t result[LANES] = {0};
    EACH_ACTIVE(EXEC_MASK) {
        result[(to[l] + offset) / 4 % LANES] = value[l];
    }
    set_active(w, d, result);
}

// ds_swizzle_b32: quads, or groups of 32 lanes whose numbers are masked.
FUNCTION void swizzle(struct wave *w, uint32_t *d, const uint32_t *value, uint32_t pattern) {
    uint32_t result[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t source = pattern & 0x8000
                                    ? (l & ~3u) | (pattern >> 2 * (l & 3) & 3)
                                    : (l & ~31u) | (((l & 31 & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
        result[l] = value[source] & w->m[source];
    }
    set_active(w, d, result);
}

// v_permlane16_b32, and `across` v_permlanex16_b32: a row of 16 lanes, or the other of two, in the order of `choice`. A
// lane whose source takes no part keeps its value, or with `zero` takes 0; with `idle` it takes the source's.
FUNCTION void permute_rows(struct wave *w, uint32_t *d, const uint32_t *value, uint64_t choice, bool across, bool idle,
                           bool zero) {
    uint32_t result[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t source = ((l & ~15u) ^ (across ? 16 : 0)) | (choice >> 4 * (l & 15) & 15);
        result[l] = idle || w->m[source] ? value[source] : zero ? 0 : d[l];
    }
    set_active(w, d, result);
}

// DPP: from which lane a lane takes a value, in its row of 16, its quad, its group of eight, or the wave.
enum dpp {
    DPP_QUAD,
    DPP_ROW_SHL,
    DPP_ROW_SHR,
    DPP_ROW_ROR,
    DPP_ROW_MIRROR,
    DPP_HALF_MIRROR,
    DPP_ROW_BCAST, // the last lane of a row, or of two, to the ones behind
    DPP_WAVE_SHL,
    DPP_WAVE_SHR,
    DPP_WAVE_ROL,
    DPP_WAVE_ROR,
    DPP_ROW_SHARE,
    DPP_ROW_XMASK,
    DPP_EIGHT
};

// LANES where there is none.
INLINE uint32_t dpp_source(enum dpp kind, uint32_t n, uint32_t l) {
    const uint32_t row = l & ~15u, place = l & 15;
    switch (kind) {
    case DPP_QUAD:
        return (l & ~3u) | (n >> 2 * (l & 3) & 3);
    case DPP_ROW_SHL:
        return place + n < 16 ? l + n : LANES;
    case DPP_ROW_SHR:
        return place >= n ? l - n : LANES;
    case DPP_ROW_ROR:
        return row | ((place - n) & 15);
    case DPP_ROW_MIRROR:
        return row | (15 - place);
    case DPP_HALF_MIRROR:
        return l ^ 7;
    case DPP_ROW_BCAST:
        return l > n ? l / (n + 1) * (n + 1) - 1 : LANES;
    case DPP_WAVE_SHL:
        return l + n;
    case DPP_WAVE_SHR:
        return l >= n ? l - n : LANES;
    case DPP_WAVE_ROL:
        return (l + n) % LANES;
    case DPP_WAVE_ROR:
        return (l - n) % LANES;
    case DPP_ROW_SHARE:
        return row | (n & 15);
    case DPP_ROW_XMASK:
        return row | ((place ^ n) & 15);
    default:
        return (l & ~7u) | (n >> 3 * (l & 7) & 7);
    }
}

// Fills the row SHUFFLED, and for a value of two registers the one behind it, and returns which lanes have a result. A
// lane whose source does not exist or takes no part has none, or with `zero` takes 0; with `idle` it also takes from
// lanes that take no part.
FUNCTION mask_t shuffle(struct wave *w, const uint32_t *value, uint32_t registers, enum dpp kind, uint32_t n,
                        uint32_t rows, uint32_t banks, bool zero, bool idle) {
    mask_t results = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t source = dpp_source(kind, n, l);
        const bool found = source < LANES && (idle || w->m[source]);
        for (uint32_t i = 0; i < registers; i++) {
            w->t[i][l] = found ? value[i * LANES + source] : 0;
        }
        const bool chosen = (rows >> l / 16 & 1) && (banks >> l / 4 % 4 & 1);
        results |= (mask_t)(chosen && (found || zero)) << l;
    }
    __builtin_memcpy(w->v[SHUFFLED], w->t, registers * sizeof w->t[0]);
    return results;
}

// A scalar in the place of a vector.
FUNCTION const uint32_t *spread(struct wave *w, uint32_t temporary, uint32_t value) {
    EACH_LANE {
        w->t[temporary][l] = value;
    }
    return w->t[temporary];
}

FUNCTION void copy_row(uint32_t *to, const uint32_t *from) {
    __builtin_memcpy(to, from, LANES * sizeof *to);
}

// ---- The wave ----

// Registers that nothing has set hold all ones.
FUNCTION void begin(struct wave *w) {
    __builtin_memset(w->s, 0xff, sizeof w->s);
    __builtin_memset(w->v, 0xff, sizeof w->v);
    __builtin_memset(w->t, 0, sizeof w->t);
    w->condition = w->jumps = 0;
    sim_wave_begin(&w->hooked);
    S64(EXEC) = 0;
    EXEC_MASK = (mask_t)(w->hooked.threads >= LANES ? UINT64_MAX : (UINT64_C(1) << w->hooked.threads) - 1);
    sync_exec(w);
}

// The indices of each lane's thread: packed in one register, or each in its own, as many as the kernel asks for.
FUNCTION void set_indices(struct wave *w, bool packed, uint32_t last) {
    const uint32_t *size = w->hooked.size;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t thread = w->hooked.first + l;
        const uint32_t x = thread % size[0], y = thread / size[0] % size[1], z = thread / size[0] / size[1];
        w->v[0][l] = packed ? x | (last > 0 ? y << 10 : 0) | (last > 1 ? z << 20 : 0) : x;
        if (!packed && last > 0) {
            w->v[1][l] = y;
        }
        if (!packed && last > 1) {
            w->v[2][l] = z;
        }
    }
}

#define JUMP_BACK(site) ((void)(++w->jumps % 1024 == 0 ? sim_wave_pause(&w->hooked, site) : (void)0))

#endif
