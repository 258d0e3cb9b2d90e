// Sums and reads of contiguous numbers, built once per instruction set (device/cpu/host.h).
#ifndef REDUCE_REDUCE_CPU_VECTOR_H
#define REDUCE_REDUCE_CPU_VECTOR_H

#include "device/cpu/host.h"
#include "reduce/reduce_numbers.h"

// Sums contiguous numbers of one type.
typedef void reduce_sum(const void *in, uint64_t elements, void *result);

struct reduce_vectors {
    reduce_sum *sum[REDUCE_TYPES];
    reduce_sum *read; // the xor of 32-bit words
    uint32_t bytes;   // of a vector
};

#define DECLARE_REDUCE_VECTORS(vectors, isa) extern const struct reduce_vectors reduce_vectors_##isa;
CPU_VECTORS_BUILT(DECLARE_REDUCE_VECTORS)

#endif
