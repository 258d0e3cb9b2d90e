// Sums and reads of contiguous numbers for one kind of vector. Included once for each kind, with
//   VECTOR(name)        the name that a definition gets
//   VECTOR_BYTES        a vector's size
//   VECTOR_TARGET       the attribute by which the compiler may use its instructions
// No include guard, on purpose.

// Four accumulators: none waits for the one before it. combine is += or ^=.
#define ACCUMULATE(number, combine, from, elements, result)                                                            \
    do {                                                                                                               \
        typedef number vector __attribute__((vector_size(VECTOR_BYTES)));                                              \
        typedef vector anywhere __attribute__((aligned(1), may_alias));                                                \
        enum {                                                                                                         \
            LANES = VECTOR_BYTES / sizeof(number)                                                                      \
        };                                                                                                             \
        vector a = {0}, b = {0}, c = {0}, d = {0};                                                                     \
        uint64_t done = 0;                                                                                             \
        for (; (elements)-done >= 4 * LANES; done += 4 * LANES) {                                                      \
            const anywhere *vectors = (const void *)((from) + done);                                                   \
            a combine vectors[0];                                                                                      \
            b combine vectors[1];                                                                                      \
            c combine vectors[2];                                                                                      \
            d combine vectors[3];                                                                                      \
        }                                                                                                              \
        a combine b;                                                                                                   \
        c combine d;                                                                                                   \
        a combine c;                                                                                                   \
        for (; done < (elements); done++) {                                                                            \
            (result) combine(from)[done];                                                                              \
        }                                                                                                              \
        for (uint32_t lane = 0; lane < LANES; lane++) {                                                                \
            (result) combine a[lane];                                                                                  \
        }                                                                                                              \
    } while (0)

#define DEFINE_VECTOR_SUM(id, number, name)                                                                            \
    VECTOR_TARGET static void VECTOR(sum_##name)(const void *in, uint64_t elements, void *result) {                    \
        const number *from = in;                                                                                       \
        number sum = 0;                                                                                                \
        ACCUMULATE(number, +=, from, elements, sum);                                                                   \
        memcpy(result, &sum, sizeof sum);                                                                              \
    }
REDUCE_TYPE_LIST(DEFINE_VECTOR_SUM)
#undef DEFINE_VECTOR_SUM

VECTOR_TARGET static void VECTOR(read)(const void *in, uint64_t words, void *result) {
    const uint32_t *from = in;
    uint32_t checksum = 0;
    ACCUMULATE(uint32_t, ^=, from, words, checksum);
    memcpy(result, &checksum, sizeof checksum);
}

#define VECTOR_SUM_ROW(id, number, name) [id] = VECTOR(sum_##name),
static const struct contiguous VECTOR(contiguous) = {{REDUCE_TYPE_LIST(VECTOR_SUM_ROW)}, VECTOR(read), VECTOR_BYTES};
#undef VECTOR_SUM_ROW

#undef ACCUMULATE
#undef VECTOR
#undef VECTOR_BYTES
#undef VECTOR_TARGET
