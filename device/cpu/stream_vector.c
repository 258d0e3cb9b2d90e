// Compiled once per instruction set (Makefile), with ISA as its name and VECTOR_BYTES as a vector's size, which must
// divide a cache line.
#include "device/cpu/stream_vector.h"

#include "device/cpu/streaming_store.h"
#include "util/loops.h"

#define JOIN(name, isa) name##_##isa
#define WITH_ISA(name, isa) JOIN(name, isa)

enum {
    VECTOR_WORDS = VECTOR_BYTES / sizeof(uint32_t)
};

typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint64_t longs __attribute__((vector_size(VECTOR_BYTES), may_alias));

static uint32_t read(const uint8_t *from, uint64_t bytes) {
    enum {
        SUMS = 8 // independent, so that none waits for the one before
    };
    words sums[SUMS] = {{0}};
    for (uint64_t done = 0; done < bytes; done += SUMS * VECTOR_BYTES) {
        const words *vectors = (const void *)(from + done);
        UNROLL(8)
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

// Its upper half is the complement of the lower one.
static longs word_values(uint64_t first) {
    longs value;
    for (uint32_t i = 0; i < VECTOR_BYTES / 8; i++) {
        value[i] = i % 2 ? ~(first + i / 2) : first + i / 2;
    }
    return value;
}

// From one vector to the next.
static longs word_steps(void) {
    longs step;
    for (uint32_t i = 0; i < VECTOR_BYTES / 8; i++) {
        step[i] = i % 2 ? UINT64_C(0) - VECTOR_BYTES / 16 : VECTOR_BYTES / 16;
    }
    return step;
}

static void write(uint8_t *to, uint64_t bytes, uint64_t first) {
    longs value = word_values(first);
    const longs step = word_steps();
    UNROLL(8)
    for (uint64_t done = 0; done < bytes; done += VECTOR_BYTES) {
        *(longs *)(void *)(to + done) = value;
        value += step;
    }
}

static void write_past_caches(uint8_t *to, uint64_t bytes, uint64_t first) {
    longs value = word_values(first);
    const longs step = word_steps();
    UNROLL(8)
    for (uint64_t done = 0; done < bytes; done += VECTOR_BYTES) {
        STREAM(to + done, value);
        value += step;
    }
    STREAM_END;
}

static void copy(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    UNROLL(8)
    for (uint64_t done = 0; done < bytes; done += VECTOR_BYTES) {
        *(words *)(void *)(to + done) = *(const words *)(const void *)(from + done);
    }
}

const struct stream_loops WITH_ISA(stream_loops, ISA) = {read, write, write_past_caches, copy};
