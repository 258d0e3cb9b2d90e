// The numbers to sum, their expected sum, and how far a floating-point sum may be from it.
#ifndef REDUCE_REDUCE_NUMBERS_H
#define REDUCE_REDUCE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reduce_type {
    REDUCE_INT32,
    REDUCE_INT64,
    REDUCE_FLOAT32,
    REDUCE_FLOAT64,
    REDUCE_TYPES
};

// Every type once: F(enum, C type, name). Integers are unsigned, because their sums wrap around.
#define REDUCE_TYPE_LIST(F)                                                                                            \
    F(REDUCE_INT32, uint32_t, int32)                                                                                   \
    F(REDUCE_INT64, uint64_t, int64)                                                                                   \
    F(REDUCE_FLOAT32, float, float32)                                                                                  \
    F(REDUCE_FLOAT64, double, float64)

const char *reduce_type_name(enum reduce_type type);
size_t reduce_type_bytes(enum reduce_type type);
bool reduce_type_is_floating(enum reduce_type type);

// 64-bit word i of the numbers holds (mix64(seed + i) & keep) | set, as bench_device_fill_masked writes it. Integers
// take any value; floating-point numbers lie between 1 and 2, or between -1 and -2.
struct reduce_mask {
    uint64_t keep, set;
};
struct reduce_mask reduce_mask(enum reduce_type type);

// Exact: floating-point numbers are whole multiples of the last digit of 1.
__extension__ typedef __int128 reduce_total;

// The sum of some of the numbers, and the data for its check.
struct reduce_reference {
    uint64_t count;
    reduce_total sum;
    double absolute;   // sum of the absolute values
    uint32_t checksum; // xor of the numbers' 32-bit parts
};

// The reference of the numbers at positions first ... first + count - 1, computed by all threads.
struct reduce_reference reduce_reference(enum reduce_type type, uint64_t first, uint64_t count, uint64_t seed);
void reduce_reference_add(struct reduce_reference *to, const struct reduce_reference *other);

// The reference of the latest range of numbers. Many variants sum the same numbers, so one is enough.
struct reduce_known {
    bool known;
    enum reduce_type type;
    uint64_t elements, seed;
    struct reduce_reference reference;
};
struct reduce_reference reduce_reference_known(struct reduce_known *known, enum reduce_type type, uint64_t elements,
                                               uint64_t seed);

// How far a sum may be off if no number goes through more than `depth` additions. Rounding to nearest errs by a share
// of u = 2^-24 (float32) or 2^-53 in each, so the bound is depth * u / (1 - depth * u) times the absolute sum (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2); if depth * u is too large for it, (count - 1)
// * u times that (Jeannerod and Rump, 2013), which holds for every order. 0 for integers.
double reduce_error_bound(enum reduce_type type, const struct reduce_reference *reference, double depth);

// Whether the number at result is the reference's sum, exactly or within that bound.
bool reduce_is_right(enum reduce_type type, const struct reduce_reference *reference, double depth, const void *result);

#endif
