// What kernels know of the matrix of distances and of its tiles.
#ifndef APSP_KERNELS_MATRIX_H
#define APSP_KERNELS_MATRIX_H

#define UNREACHABLE 0x3fffffff

// The number of the index-th tile other than the pivot.
#define OTHER(index, pivot) ((index) + ((index) >= (pivot)))

// What one instruction loads or stores.
typedef struct __attribute__((aligned(16))) {
    uint32_t word[4];
} quad;

#endif
