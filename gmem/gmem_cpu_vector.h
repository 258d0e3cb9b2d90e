// The contiguous loops for one kind of vector. Included once for each kind, with
//   VECTOR(name)        the name that a definition gets
//   VECTOR_BYTES        a vector's size, a divisor of 64
//   VECTOR_TARGET       the attribute by which the compiler may use its instructions
//   STREAM(to, vector)  stores to an aligned address past the caches;  STREAM_END  orders such stores
// No include guard, on purpose.
#define VECTOR_WORDS (VECTOR_BYTES / sizeof(uint32_t))

typedef uint32_t VECTOR(words) __attribute__((vector_size(VECTOR_BYTES)));
typedef VECTOR(words) VECTOR(anywhere) __attribute__((aligned(1), may_alias)); // in memory

VECTOR_TARGET static void VECTOR(copy)(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    const uint64_t head = bytes_to_line(to, bytes);
    const uint64_t end = bytes - (bytes - head) % LINE_BYTES;
    memcpy(to, from, head);
    UNROLL
    for (uint64_t i = head; i < end; i += VECTOR_BYTES) {
        const VECTOR(words) vector = *(const VECTOR(anywhere) *)(from + i);
        STREAM(to + i, vector);
    }
    STREAM_END;
    memcpy(to + end, from + end, bytes - end);
}

VECTOR_TARGET static uint32_t VECTOR(read)(const uint8_t *from, uint64_t bytes) {
    enum {
        STEP = 4 * VECTOR_BYTES // four sums: none waits for the one before it
    };
    VECTOR(words) a = {0}, b = {0}, c = {0}, d = {0};
    uint64_t done = 0;
    for (; bytes - done >= STEP; done += STEP) {
        const VECTOR(anywhere) *vectors = (const void *)(from + done);
        a ^= vectors[0];
        b ^= vectors[1];
        c ^= vectors[2];
        d ^= vectors[3];
    }
    a ^= b ^ c ^ d;
    uint32_t rest[STEP / sizeof(uint32_t)] = {0};
    memcpy(rest, from + done, bytes - done);
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < VECTOR_WORDS; i++) {
        checksum ^= a[i] ^ rest[i] ^ rest[VECTOR_WORDS + i] ^ rest[2 * VECTOR_WORDS + i] ^ rest[3 * VECTOR_WORDS + i];
    }
    return checksum;
}

// Element i of WIDTH bytes from pattern64(position + i), as 32-bit words. Each word comes from one hash
// (position + i) * PATTERN_FACTOR, which a sum carries on; a word of narrow elements is put together from the hashes of
// all of them, a wide element repeats its hash in all its words, some of them flipped.
VECTOR_TARGET static inline __attribute__((always_inline)) void
VECTOR(write_width)(uint8_t *to, uint64_t elements, uint64_t position, bool stream, const uint32_t width) {
    const uint32_t elements_per_word = width < 4 ? 4 / width : 1;
    const uint32_t words_per_element = width < 4 ? 1 : width / 4;
    const uint32_t mask = width < 4 ? (UINT32_C(1) << 8 * width) - 1 : UINT32_MAX;
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
            vector ^= (((hash[i] >> 16) | (hash[i] << 16)) & mask) << (8 * width * i % 32);
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

static const struct contiguous VECTOR(contiguous) = {VECTOR(copy), VECTOR(read), VECTOR(write)};

#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_WORDS
#undef VECTOR_TARGET
#undef STREAM
#undef STREAM_END
