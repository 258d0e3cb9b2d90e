// Compiled once per instruction set (Makefile), with ISA as its name and VECTOR_BYTES as a vector's size, which must
// divide a line.
#include "gmem/gmem_cpu_vector.h"

#include <string.h>

#include "device/cpu/streaming_store.h"
#include "gmem/gmem_layout.h"
#include "util/loops.h"
#include "util/random.h"

#define JOIN(name, isa) name##_##isa
#define WITH_ISA(name, isa) JOIN(name, isa)

enum {
    PAIR_BYTES = 2 * GMEM_LINE_BYTES, // prefetchers often fetch two lines together
    PAGE_BYTES = 4096,                // prefetchers do not cross a page
    VECTOR_WORDS = VECTOR_BYTES / sizeof(uint32_t)
};

// Fetches a line into the second-level cache.
#define FETCH(address) __builtin_prefetch(address, 0, 2)

typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));
typedef words anywhere __attribute__((aligned(1), may_alias)); // a vector at any address

ALWAYS_INLINE void copy_lines(uint8_t *to, const uint8_t *from, uint64_t bytes, const bool stream,
                              const uint32_t ahead) {
    UNROLL(8)
    for (uint64_t line = 0; line < bytes; line += GMEM_LINE_BYTES) {
        if (ahead) {
            FETCH(from + line + ahead);
        }
        UNROLL(8)
        for (uint64_t i = line; i < line + GMEM_LINE_BYTES; i += VECTOR_BYTES) {
            const words vector = *(const anywhere *)(from + i);
            if (stream) {
                STREAM(to + i, vector);
            } else {
                *(anywhere *)(to + i) = vector;
            }
        }
    }
}

// Copies `pages` pages at once as long as that many are left, PAIR_BYTES of each in turn, so that the prefetchers see
// one stream per page.
ALWAYS_INLINE void copy_by(uint8_t *to, const uint8_t *from, uint64_t bytes, const uint32_t pages, const uint32_t ahead,
                           const bool stream) {
    const uint64_t head = gmem_bytes_to_line(to, bytes);
    const uint64_t end = bytes - (bytes - head) % GMEM_LINE_BYTES;
    memcpy(to, from, head);
    uint64_t done = head;
    for (; pages > 1 && end - done >= pages * PAGE_BYTES; done += pages * PAGE_BYTES) {
        for (uint64_t offset = done; offset < done + PAGE_BYTES; offset += PAIR_BYTES) {
            UNROLL(8)
            for (uint32_t page = 0; page < pages; page++) {
                const uint64_t at = offset + page * PAGE_BYTES;
                copy_lines(to + at, from + at, PAIR_BYTES, stream, ahead);
            }
        }
    }
    copy_lines(to + done, from + done, end - done, stream, ahead);
    STREAM_END;
    memcpy(to + end, from + end, bytes - end);
}

#define DEFINE_COPY(name, text, ...)                                                                                   \
    static void copy_##name(uint8_t *to, const uint8_t *from, uint64_t bytes) {                                        \
        copy_by(to, from, bytes, __VA_ARGS__);                                                                         \
    }
GMEM_VECTOR_COPIES(DEFINE_COPY)

// Adds to four sums in turn, which are independent of each other.
ALWAYS_INLINE void add(words sums[4], const uint8_t *from, uint32_t first, uint32_t vectors) {
    UNROLL(8)
    for (uint32_t i = 0; i < vectors; i++) {
        sums[(first + i) % 4] ^= ((const anywhere *)(const void *)from)[i];
    }
}

ALWAYS_INLINE uint32_t read_by(const uint8_t *from, uint64_t bytes, const uint32_t pages, const uint32_t ahead) {
    enum {
        STEP = 4 * VECTOR_BYTES,
        PAIR = PAIR_BYTES / VECTOR_BYTES
    };
    words sums[4] = {0};
    uint64_t done = 0;
    for (; pages > 1 && bytes - done >= pages * PAGE_BYTES; done += pages * PAGE_BYTES) {
        for (uint64_t offset = done; offset < done + PAGE_BYTES; offset += PAIR_BYTES) {
            UNROLL(8)
            for (uint32_t page = 0; page < pages; page++) {
                add(sums, from + offset + page * PAGE_BYTES, page * PAIR, PAIR);
            }
        }
    }
    for (; bytes - done >= STEP; done += STEP) {
        UNROLL(8)
        for (uint32_t line = 0; ahead && line < STEP; line += GMEM_LINE_BYTES) {
            FETCH(from + done + ahead + line);
        }
        add(sums, from + done, 0, 4);
    }
    const words sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
    uint32_t rest[STEP / sizeof(uint32_t)] = {0};
    memcpy(rest, from + done, bytes - done);
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < VECTOR_WORDS; i++) {
        checksum ^= sum[i] ^ rest[i] ^ rest[VECTOR_WORDS + i] ^ rest[2 * VECTOR_WORDS + i] ^ rest[3 * VECTOR_WORDS + i];
    }
    return checksum;
}

#define DEFINE_READ(name, text, ...)                                                                                   \
    static uint32_t read_##name(const uint8_t *from, uint64_t bytes) {                                                 \
        return read_by(from, bytes, __VA_ARGS__);                                                                      \
    }
GMEM_VECTOR_READS(DEFINE_READ)

// The element that pattern64 makes of a hash: the hash with its halves swapped, cut to width and shifted up by `up`
// bits. The low bits of narrow elements come from the upper half alone, so that one shift is enough.
ALWAYS_INLINE words element(words hash, const uint32_t width, const uint32_t up) {
    if (width >= 4) {
        return (hash >> 16) | (hash << 16);
    }
    const uint32_t mask = ((UINT32_C(1) << 8 * width) - 1) << up;
    return (up < 16 ? hash >> (16 - up) : hash << (up - 16)) & mask;
}

// Element i of WIDTH bytes from pattern64(position + i), as 32-bit words. Each word comes from one hash
// (position + i) * PATTERN_FACTOR, to which each step adds. A word of narrow elements combines the hashes of all of
// them. A wide element repeats its hash in all its words, and some of these are inverted.
ALWAYS_INLINE void write_width(uint8_t *to, uint64_t elements, uint64_t position, bool stream, const uint32_t width) {
    const uint32_t elements_per_word = width < 4 ? 4 / width : 1;
    const uint32_t words_per_element = width < 4 ? 1 : width / 4;
    const uint32_t step = VECTOR_BYTES / width * PATTERN_FACTOR;
    words hash[4], flip;
    for (uint32_t word = 0; word < VECTOR_WORDS; word++) {
        const uint32_t part = word % words_per_element;
        flip[word] = part == 1 || part == 2 ? UINT32_MAX : 0;
        for (uint32_t i = 0; i < elements_per_word; i++) {
            const uint32_t element = word / words_per_element * elements_per_word + i;
            hash[i][word] = ((uint32_t)position + element) * PATTERN_FACTOR;
        }
    }
    for (uint64_t done = 0; done < elements * width; done += VECTOR_BYTES) {
        words vector = flip;
        UNROLL(8)
        for (uint32_t i = 0; i < elements_per_word; i++) {
            vector ^= element(hash[i], width, 8 * width * i % 32);
            hash[i] += step;
        }
        if (stream) {
            STREAM(to + done, vector);
        } else {
            *(anywhere *)(to + done) = vector;
        }
    }
    STREAM_END;
}

static void write(uint8_t *to, uint64_t elements, uint64_t position, bool stream, uint32_t width) {
    WITH_WIDTH(width, write_width, to, elements, position, stream);
}

// ---- Floating-point numbers ----

#define DEFINE_TRIAD(number)                                                                                           \
    ALWAYS_INLINE void triad_##number(uint8_t *a, const uint8_t *b, const uint8_t *c, uint64_t bytes,                  \
                                      const bool stream) {                                                             \
        typedef number vector __attribute__((vector_size(VECTOR_BYTES)));                                              \
        typedef vector vector_anywhere __attribute__((aligned(1), may_alias));                                         \
        for (uint64_t i = 0; i < bytes; i += VECTOR_BYTES) {                                                           \
            const vector x = *(const vector_anywhere *)(b + i), y = *(const vector_anywhere *)(c + i);                 \
            const vector sum = x + (number)3 * y;                                                                      \
            if (stream) {                                                                                              \
                const words bits = (words)sum;                                                                         \
                STREAM(a + i, bits);                                                                                   \
            } else {                                                                                                   \
                *(vector_anywhere *)(a + i) = sum;                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        STREAM_END;                                                                                                    \
    }
DEFINE_TRIAD(float)
DEFINE_TRIAD(double)

static void triad(uint8_t *a, const uint8_t *b, const uint8_t *c, uint64_t bytes, bool stream, bool doubles) {
    if (doubles && stream) {
        triad_double(a, b, c, bytes, true);
    } else if (doubles) {
        triad_double(a, b, c, bytes, false);
    } else if (stream) {
        triad_float(a, b, c, bytes, true);
    } else {
        triad_float(a, b, c, bytes, false);
    }
}

// The sum of that many numbers is exact. Four vectors of sums are independent of each other.
#define DEFINE_SUM(number)                                                                                             \
    static uint64_t sum_##number(const uint8_t *from, uint64_t bytes) {                                                \
        enum {                                                                                                         \
            PIECE_BYTES = 4096 * sizeof(number),                                                                       \
            STEP = 4 * VECTOR_BYTES                                                                                    \
        };                                                                                                             \
        typedef number vector __attribute__((vector_size(VECTOR_BYTES)));                                              \
        typedef vector vector_anywhere __attribute__((aligned(1), may_alias));                                         \
        const number scale = (number)(UINT64_C(1) << gmem_number_bits(sizeof(number)));                                \
        uint64_t sum = 0;                                                                                              \
        for (uint64_t done = 0; done < bytes;) {                                                                       \
            const uint64_t end = bytes - done < PIECE_BYTES ? bytes : done + PIECE_BYTES;                              \
            vector sums[4] = {{0}};                                                                                    \
            number rest = 0;                                                                                           \
            for (; end - done >= STEP; done += STEP) {                                                                 \
                UNROLL(4)                                                                                              \
                for (uint32_t i = 0; i < 4; i++) {                                                                     \
                    sums[i] += ((const vector_anywhere *)(const void *)(from + done))[i];                              \
                }                                                                                                      \
            }                                                                                                          \
            for (; done < end; done += sizeof(number)) {                                                               \
                number one;                                                                                            \
                memcpy(&one, from + done, sizeof one);                                                                 \
                rest += one;                                                                                           \
            }                                                                                                          \
            const vector all = sums[0] + sums[1] + (sums[2] + sums[3]);                                                \
            for (uint32_t i = 0; i < VECTOR_BYTES / sizeof(number); i++) {                                             \
                rest += all[i];                                                                                        \
            }                                                                                                          \
            sum += (uint64_t)(rest * scale);                                                                           \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
DEFINE_SUM(float)
DEFINE_SUM(double)

static uint64_t sum(const uint8_t *from, uint64_t bytes, bool doubles) {
    return doubles ? sum_double(from, bytes) : sum_float(from, bytes);
}

#define COPY_ENTRY(name, ...) copy_##name,
#define READ_ENTRY(name, ...) read_##name,
const struct gmem_vectors WITH_ISA(gmem_vectors, ISA) = {
    {GMEM_VECTOR_COPIES(COPY_ENTRY)}, {GMEM_VECTOR_READS(READ_ENTRY)}, write, triad, sum,
};
