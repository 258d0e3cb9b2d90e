#include "reduce/reduce_numbers.h"

#include <math.h>
#include <string.h>

#include "device/cpu/slice.h"
#include "util/random.h"

enum {
    SLICES = 64,            // for any number of threads, so that the reference is always the same
    PARALLEL_MIN = 1 << 16, // for fewer numbers threads cost more than they save
};

static const struct {
    const char *name;
    size_t bytes;
    double ulp; // the last digit of 1; 0: it is an integer
    struct reduce_mask mask;
} types[] = {
    [REDUCE_INT32] = {"int32", 4, 0, {UINT64_MAX, 0}},
    [REDUCE_INT64] = {"int64", 8, 0, {UINT64_MAX, 0}},
    [REDUCE_FLOAT32] = {"float32", 4, 0x1p-23, {UINT64_C(0x807fffff807fffff), UINT64_C(0x3f8000003f800000)}},
    [REDUCE_FLOAT64] = {"float64", 8, 0x1p-52, {UINT64_C(0x800fffffffffffff), UINT64_C(0x3ff0000000000000)}},
};

const char *reduce_type_name(enum reduce_type type) {
    return types[type].name;
}

size_t reduce_type_bytes(enum reduce_type type) {
    return types[type].bytes;
}

bool reduce_type_is_floating(enum reduce_type type) {
    return types[type].ulp > 0;
}

// ---- The numbers ----

struct reduce_mask reduce_mask(enum reduce_type type) {
    return types[type].mask;
}

// The bits of the number at this position.
static inline uint64_t number_bits(enum reduce_type type, uint64_t position, uint64_t seed) {
    const uint64_t in_word = sizeof(uint64_t) / types[type].bytes;
    const uint64_t word = (mix64(seed + position / in_word) & types[type].mask.keep) | types[type].mask.set;
    return in_word == 1 ? word : word >> 32 * (position % 2) & UINT32_MAX;
}

// ---- Their sum ----

static struct reduce_reference slice_reference(enum reduce_type type, uint64_t first, uint64_t count, uint64_t seed) {
    struct reduce_reference reference = {.count = count};
    switch (type) {
#define SUM_CASE(id, number, name)                                                                                     \
    case id:                                                                                                           \
        for (uint64_t i = 0; i < count; i++) {                                                                         \
            const uint64_t bits = number_bits(id, first + i, seed);                                                    \
            number value;                                                                                              \
            memcpy(&value, &bits, sizeof value);                                                                       \
            reference.checksum ^= (uint32_t)bits ^ (uint32_t)(bits >> 32);                                             \
            reference.sum += types[id].ulp > 0 ? (int64_t)((double)value / types[id].ulp) : (reduce_total)bits;        \
            reference.absolute += types[id].ulp > 0 ? fabs((double)value) : 0;                                         \
        }                                                                                                              \
        break;
        REDUCE_TYPE_LIST(SUM_CASE)
    case REDUCE_TYPES:
        break;
    }
    return reference;
}

void reduce_reference_add(struct reduce_reference *to, const struct reduce_reference *other) {
    to->count += other->count;
    to->sum += other->sum;
    to->absolute += other->absolute;
    to->checksum ^= other->checksum;
}

struct reduce_reference reduce_reference(enum reduce_type type, uint64_t first, uint64_t count, uint64_t seed) {
    struct reduce_reference part[SLICES];
#pragma omp parallel for schedule(static) if (count > PARALLEL_MIN)
    for (uint32_t index = 0; index < SLICES; index++) {
        const struct slice slice = cpu_slice(count, index, SLICES);
        part[index] = slice_reference(type, first + slice.first, slice.count, seed);
    }
    struct reduce_reference reference = {0};
    for (uint32_t index = 0; index < SLICES; index++) {
        reduce_reference_add(&reference, &part[index]);
    }
    return reference;
}

struct reduce_reference reduce_reference_known(struct reduce_known *known, enum reduce_type type, uint64_t elements,
                                               uint64_t seed) {
    if (!known->known || known->type != type || known->elements != elements || known->seed != seed) {
        *known = (struct reduce_known){true, type, elements, seed, reduce_reference(type, 0, elements, seed)};
    }
    return known->reference;
}

// ---- Whether a sum is right ----

double reduce_error_bound(enum reduce_type type, const struct reduce_reference *reference, double depth) {
    const double rounding = types[type].ulp / 2, share = depth * rounding;
    if (share < 0.5) {
        return share / (1 - share) * reference->absolute;
    }
    return (double)(reference->count - 1) * rounding * reference->absolute;
}

bool reduce_is_right(enum reduce_type type, const struct reduce_reference *reference, double depth,
                     const void *result) {
    const size_t bytes = types[type].bytes;
    const double sum = (double)reference->sum, rest = (double)(reference->sum - (reduce_total)sum);
    uint64_t bits = 0;
    float single;
    double value;
    memcpy(&bits, result, bytes);
    if (!reduce_type_is_floating(type)) {
        return bits == (bytes == sizeof(uint32_t) ? (uint32_t)reference->sum : (uint64_t)reference->sum);
    }
    memcpy(&single, &bits, sizeof single);
    memcpy(&value, &bits, sizeof value);
    value = bytes == sizeof single ? (double)single : value;
    return fabs(value - sum * types[type].ulp - rest * types[type].ulp) <= reduce_error_bound(type, reference, depth);
}
