// The loops over one thread's chunks for one kind of vector. Included once for each kind, with
//   VECTOR(name)     the name that a definition gets
//   VECTOR_BYTES     a vector's size, a divisor of 64
//   VECTOR_TARGET    the attribute by which the compiler may use its instructions
// No include guard, on purpose.
#define VECTOR_WORDS (VECTOR_BYTES / sizeof(uint32_t))

typedef uint32_t VECTOR(words) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint64_t VECTOR(longs) __attribute__((vector_size(VECTOR_BYTES), may_alias));

VECTOR_TARGET static uint32_t VECTOR(read)(const uint8_t *from, uint64_t bytes) {
    enum {
        SUMS = 8 // so that none waits for the one before it
    };
    VECTOR(words) sums[SUMS] = {{0}};
    for (uint64_t done = 0; done < bytes; done += SUMS * VECTOR_BYTES) {
        const VECTOR(words) *vectors = (const void *)(from + done);
        UNROLL
        for (int i = 0; i < SUMS; i++) {
            sums[i] += vectors[i];
        }
    }
    for (int i = 1; i < SUMS; i++) {
        sums[0] += sums[i];
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < VECTOR_WORDS; i++) {
        sum += sums[0][i];
    }
    return sum;
}

// 16-byte word i becomes word_from_u64(first + i), its upper half the complement of the lower one.
VECTOR_TARGET static void VECTOR(write)(uint8_t *to, uint64_t bytes, uint64_t first) {
    VECTOR(longs) value, step;
    for (uint32_t i = 0; i < VECTOR_BYTES / 8; i++) {
        value[i] = i % 2 ? ~(first + i / 2) : first + i / 2;
        step[i] = i % 2 ? UINT64_C(0) - VECTOR_BYTES / 16 : VECTOR_BYTES / 16;
    }
    UNROLL
    for (uint64_t done = 0; done < bytes; done += VECTOR_BYTES) {
        *(VECTOR(longs) *)(void *)(to + done) = value;
        value += step;
    }
}

VECTOR_TARGET static void VECTOR(copy)(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    UNROLL
    for (uint64_t done = 0; done < bytes; done += VECTOR_BYTES) {
        *(VECTOR(words) *)(void *)(to + done) = *(const VECTOR(words) *)(const void *)(from + done);
    }
}

static const struct stream_loops VECTOR(loops) = {VECTOR(read), VECTOR(write), VECTOR(copy)};

#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_WORDS
#undef VECTOR_TARGET
