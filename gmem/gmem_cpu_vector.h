// The contiguous loops for one kind of vector. Included once for each kind, with
//   VECTOR(name)        the name that a definition gets
//   VECTOR_BYTES        a vector's size, a divisor of 64
//   VECTOR_TARGET       the attribute by which the compiler may use its instructions
//   STREAM(to, vector)  stores to an aligned address past the caches;  STREAM_END  orders such stores
// No include guard, on purpose.
#define VECTOR_WORDS (VECTOR_BYTES / sizeof(uint32_t))

typedef uint32_t VECTOR(words) __attribute__((vector_size(VECTOR_BYTES)));
typedef VECTOR(words) VECTOR(anywhere) __attribute__((aligned(1), may_alias)); // in memory

VECTOR_TARGET INLINE void VECTOR(copy_lines)(uint8_t *to, const uint8_t *from, uint64_t bytes, const bool stream,
                                             const uint32_t ahead) {
    UNROLL
    for (uint64_t line = 0; line < bytes; line += LINE_BYTES) {
        if (ahead) {
            FETCH(from + line + ahead);
        }
        UNROLL
        for (uint64_t i = line; i < line + LINE_BYTES; i += VECTOR_BYTES) {
            const VECTOR(words) vector = *(const VECTOR(anywhere) *)(from + i);
            if (stream) {
                STREAM(to + i, vector);
            } else {
                *(VECTOR(anywhere) *)(to + i) = vector;
            }
        }
    }
}

// `pages` pages side by side while there are so many, PAIR_BYTES of each in turn: each is a stream of its own to the
// prefetchers.
VECTOR_TARGET INLINE void VECTOR(copy_by)(uint8_t *to, const uint8_t *from, uint64_t bytes, const uint32_t pages,
                                          const uint32_t ahead, const bool stream) {
    const uint64_t head = bytes_to_line(to, bytes);
    const uint64_t end = bytes - (bytes - head) % LINE_BYTES;
    memcpy(to, from, head);
    uint64_t done = head;
    for (; pages > 1 && end - done >= pages * PAGE_BYTES; done += pages * PAGE_BYTES) {
        for (uint64_t offset = done; offset < done + PAGE_BYTES; offset += PAIR_BYTES) {
            UNROLL
            for (uint32_t page = 0; page < pages; page++) {
                const uint64_t at = offset + page * PAGE_BYTES;
                VECTOR(copy_lines)(to + at, from + at, PAIR_BYTES, stream, ahead);
            }
        }
    }
    VECTOR(copy_lines)(to + done, from + done, end - done, stream, ahead);
    STREAM_END;
    memcpy(to + end, from + end, bytes - end);
}

#define DEFINE_COPY(name, text, ...)                                                                                   \
    VECTOR_TARGET static void VECTOR(copy_##name)(uint8_t * to, const uint8_t *from, uint64_t bytes) {                 \
        VECTOR(copy_by)(to, from, bytes, __VA_ARGS__);                                                                 \
    }
COPIES_BY_VECTORS(DEFINE_COPY)

// Four sums: none waits for the one before it.
VECTOR_TARGET INLINE void VECTOR(add)(VECTOR(words) sums[4], const uint8_t *from, uint32_t first, uint32_t vectors) {
    UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        sums[(first + i) % 4] ^= ((const VECTOR(anywhere) *)(const void *)from)[i];
    }
}

VECTOR_TARGET INLINE uint32_t VECTOR(read_by)(const uint8_t *from, uint64_t bytes, const uint32_t pages,
                                              const uint32_t ahead) {
    enum {
        STEP = 4 * VECTOR_BYTES,
        PAIR = PAIR_BYTES / VECTOR_BYTES
    };
    VECTOR(words) sums[4] = {0};
    uint64_t done = 0;
    for (; pages > 1 && bytes - done >= pages * PAGE_BYTES; done += pages * PAGE_BYTES) {
        for (uint64_t offset = done; offset < done + PAGE_BYTES; offset += PAIR_BYTES) {
            UNROLL
            for (uint32_t page = 0; page < pages; page++) {
                VECTOR(add)(sums, from + offset + page * PAGE_BYTES, page * PAIR, PAIR);
            }
        }
    }
    for (; bytes - done >= STEP; done += STEP) {
        UNROLL
        for (uint32_t line = 0; ahead && line < STEP; line += LINE_BYTES) {
            FETCH(from + done + ahead + line);
        }
        VECTOR(add)(sums, from + done, 0, 4);
    }
    const VECTOR(words) sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
    uint32_t rest[STEP / sizeof(uint32_t)] = {0};
    memcpy(rest, from + done, bytes - done);
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < VECTOR_WORDS; i++) {
        checksum ^= sum[i] ^ rest[i] ^ rest[VECTOR_WORDS + i] ^ rest[2 * VECTOR_WORDS + i] ^ rest[3 * VECTOR_WORDS + i];
    }
    return checksum;
}

#define DEFINE_READ(name, text, ...)                                                                                   \
    VECTOR_TARGET static uint32_t VECTOR(read_##name)(const uint8_t *from, uint64_t bytes) {                           \
        return VECTOR(read_by)(from, bytes, __VA_ARGS__);                                                              \
    }
READS(DEFINE_READ)

// What pattern64 makes of a hash, its halves swapped and cut to width, moved up by some bits. The low bits of narrow
// elements come from the upper half alone, in one shift.
VECTOR_TARGET INLINE VECTOR(words) VECTOR(element)(VECTOR(words) hash, const uint32_t width, const uint32_t up) {
    if (width >= 4) {
        return (hash >> 16) | (hash << 16);
    }
    const uint32_t mask = ((UINT32_C(1) << 8 * width) - 1) << up;
    return (up < 16 ? hash >> (16 - up) : hash << (up - 16)) & mask;
}

// Element i of WIDTH bytes from pattern64(position + i), as 32-bit words. Each word comes from one hash
// (position + i) * PATTERN_FACTOR, which a sum carries on; a word of narrow elements is put together from the hashes of
// all of them, a wide element repeats its hash in all its words, some of them flipped.
VECTOR_TARGET INLINE void VECTOR(write_width)(uint8_t *to, uint64_t elements, uint64_t position, bool stream,
                                              const uint32_t width) {
    const uint32_t elements_per_word = width < 4 ? 4 / width : 1;
    const uint32_t words_per_element = width < 4 ? 1 : width / 4;
    const uint32_t step = VECTOR_BYTES / width * PATTERN_FACTOR;
    VECTOR(words) hash[4], flip;
    for (uint32_t word = 0; word < VECTOR_WORDS; word++) {
        const uint32_t part = word % words_per_element;
        flip[word] = part == 1 || part == 2 ? UINT32_MAX : 0;
        for (uint32_t i = 0; i < elements_per_word; i++) {
            const uint32_t element = word / words_per_element * elements_per_word + i;
            hash[i][word] = ((uint32_t)position + element) * PATTERN_FACTOR;
        }
    }
    for (uint64_t done = 0; done < elements * width; done += VECTOR_BYTES) {
        VECTOR(words) vector = flip;
        UNROLL
        for (uint32_t i = 0; i < elements_per_word; i++) {
            vector ^= VECTOR(element)(hash[i], width, 8 * width * i % 32);
            hash[i] += step;
        }
        if (stream) {
            STREAM(to + done, vector);
        } else {
            *(VECTOR(anywhere) *)(to + done) = vector;
        }
    }
    STREAM_END;
}

VECTOR_TARGET static void VECTOR(write)(uint8_t *to, uint64_t elements, uint64_t position, bool stream,
                                        uint32_t width) {
    WITH_WIDTH(width, VECTOR(write_width), to, elements, position, stream);
}

#define COPY_ENTRY(name, ...) VECTOR(copy_##name),
#define READ_ENTRY(name, ...) VECTOR(read_##name),
static const struct contiguous VECTOR(contiguous) = {
    {COPIES_BY_VECTORS(COPY_ENTRY)},
    {READS(READ_ENTRY)},
    VECTOR(write),
};

#undef DEFINE_COPY
#undef DEFINE_READ
#undef COPY_ENTRY
#undef READ_ENTRY
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_WORDS
#undef VECTOR_TARGET
#undef STREAM
#undef STREAM_END
