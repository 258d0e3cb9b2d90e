// How a reduction combines two lanes' words: for PTX's redux and CUDA's __reduce_*_sync.
#ifndef SIM_PTX_KERNEL_REDUCE_H
#define SIM_PTX_KERNEL_REDUCE_H

#include <stdint.h>

enum reduction {
    REDUCE_ADD,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_MIN_U32,
    REDUCE_MAX_U32,
    REDUCE_MIN_S32,
    REDUCE_MAX_S32
};

static inline uint32_t reduced(enum reduction kind, uint32_t a, uint32_t b) {
    switch (kind) {
    case REDUCE_ADD:
        return a + b;
    case REDUCE_AND:
        return a & b;
    case REDUCE_OR:
        return a | b;
    case REDUCE_XOR:
        return a ^ b;
    case REDUCE_MIN_U32:
        return a < b ? a : b;
    case REDUCE_MAX_U32:
        return a > b ? a : b;
    case REDUCE_MIN_S32:
        return (int32_t)a < (int32_t)b ? a : b;
    case REDUCE_MAX_S32:
        return (int32_t)a > (int32_t)b ? a : b;
    }
    return 0;
}

#endif
