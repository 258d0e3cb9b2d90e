// Latency: one thread follows a chain of addresses, so that each access waits for the one before.
//
// A step is one load and nothing else, because the loaded value is the next address. The loop's other instructions
// do not wait for a load, so they run while one is in flight and cost no time.
// Constants: WIDTH=8 UNROLL=32
#include "device/kernel/kernel.h"

// A bijection of 0..count-1, which levels/chain.c repeats.
static inline __device__ uint64_t permute(uint64_t value, uint64_t count, uint32_t bits, uint64_t key) {
    const uint64_t mask = (1ull << bits) - 1;
    do {
        for (int round = 0; round < 3; round++) {
            value = (value * 0x9e3779b97f4a7c15ull + key) & mask;
            value ^= value >> ((bits + 1) / 2);
        }
    } while (value >= count);
    return value;
}

// The same as in levels/chain.h.
struct chain {
    uint64_t page_elements, line_bytes, stagger_bytes, pair_bytes, seed;
    uint32_t page_bits;
};

static inline __device__ uint64_t chain_offset(struct chain chain, uint64_t visit) {
    const uint64_t index = chain.pair_bytes ? visit / 2 : visit;
    const uint64_t page = index / chain.page_elements;
    const uint64_t inside = index % chain.page_elements;
    const uint64_t place =
        page * chain.page_elements + permute(inside, chain.page_elements, chain.page_bits, chain.seed + page);
    return place * chain.line_bytes + place * chain.stagger_bytes % chain.line_bytes +
           (visit % 2 ? chain.pair_bytes : 0);
}

// Each element gets the address of the element visited after it.
KERNEL void fill_chain(unsigned char *RESTRICT base, uint64_t elements, uint64_t page_elements, uint32_t page_bits,
                       uint64_t line_bytes, uint64_t stagger_bytes, uint64_t pair_bytes, uint64_t seed) {
    const struct chain chain = {page_elements, line_bytes, stagger_bytes, pair_bytes, seed, page_bits};
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += threads) {
        const uint64_t next = i + 1 < elements ? i + 1 : 0;
        *(uint64_t *)(void *)(base + chain_offset(chain, i)) = (uint64_t)(base + chain_offset(chain, next));
    }
}

// Follows the chain from `at`, first untimed, because a launch begins with an empty L1 on most parts, then timed.
// record: cycles, ticks of the timer, and the address where the chase ended.
#define STEPS(rounds, NEXT)                                                                                            \
    for (uint32_t round = 0; round < (rounds); round++) {                                                              \
        _Pragma("unroll") for (int i = 0; i < UNROLL; i++) {                                                           \
            at = NEXT;                                                                                                 \
        }                                                                                                              \
    }
#define TIMED(base, NEXT)                                                                                              \
    const uint64_t ticks = time_counter();                                                                             \
    const uint64_t start = cycle_counter();                                                                            \
    STEPS(rounds, NEXT)                                                                                                \
    const uint64_t cycles = cycles_since(start);                                                                       \
    record[0] = CYCLE_COUNTER_BITS < 64 ? 0 : cycles;                                                                  \
    record[1] = time_counter() - ticks;                                                                                \
    record[2] = at - (base)
#define CHASE(base, NEXT)                                                                                              \
    STEPS(warm_rounds, NEXT)                                                                                           \
    TIMED(base, NEXT)

// cursor: the address where the next launch continues, so that short launches cover the whole chain.
KERNEL void chase(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                  uint64_t zero) {
    uint64_t at = cursor[0] + zero;
    CHASE(0, load_global((const word_t *)(const void *)at));
    cursor[0] = at;
}

// The same with atomic additions of zero, which return the next address. The compiler does not know that it is zero.
KERNEL void chase_atomic(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                         uint64_t zero) {
    uint64_t at = cursor[0] + zero;
    CHASE(0, atomic_add_global((uint64_t *)(void *)at, zero));
    cursor[0] = at;
}

// The same on the read-only path: NVIDIA's texture loads, AMD's scalar cache.
KERNEL void chase_read_only(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                            uint64_t zero) {
    uint64_t at = cursor[0] + zero;
    CHASE(0, load_read_only((const uint64_t *)(const void *)at));
    cursor[0] = at;
}

// The same in shared memory, where each launch rebuilds the chain; the recorded end is an offset.
KERNEL void chase_shared(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                         uint64_t elements, uint64_t page_elements, uint32_t page_bits, uint64_t line_bytes,
                         uint64_t seed) {
    DYNAMIC_SHARED(unsigned char, bytes);
    const shared_address_t base = shared_address(bytes);
    const struct chain chain = {page_elements, line_bytes, 0, 0, seed, page_bits};
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t next = i + 1 < elements ? i + 1 : 0;
        *(shared_address_t *)(void *)(bytes + chain_offset(chain, i)) =
            base + (shared_address_t)chain_offset(chain, next);
    }
    __syncthreads();
    shared_address_t at = base + (shared_address_t)chain_offset(chain, 0);
    CHASE(base, load_shared_address(at));
    cursor[0] = at;
}

// The next element of a chain with a fixed step, which needs no load.
static inline __device__ uint64_t step_on(uint64_t at, uint64_t last, uint64_t step_bytes, uint64_t span_bytes) {
    return at < last ? at + step_bytes : at + step_bytes - span_bytes;
}

// Stores, each followed by a wait until every unit can see it. The address after the next one is computed while a store
// is in flight. The stored value is the next address, which the host checks.
KERNEL void chase_store(uint64_t *RESTRICT cursor, uint64_t *RESTRICT record, uint32_t warm_rounds, uint32_t rounds,
                        uint64_t base, uint64_t step_bytes, uint64_t span_bytes) {
    const uint64_t last = base + (span_bytes - step_bytes);
    uint64_t at = cursor[0], next = step_on(at, last, step_bytes, span_bytes), after;
#define STORE                                                                                                          \
    (store_global((word_t *)(void *)at, next), after = step_on(next, last, step_bytes, span_bytes), __threadfence(),   \
     at = next, next = after, at)
    CHASE(0, STORE);
    cursor[0] = at;
}

// ---- Sharing: the latency of lines that another unit has just loaded ----

// The grid occupies every unit. The first unit follows the chain, which brings its lines into the caches that it
// reaches. The second unit, which may be the same, then follows it, too, and measures: it finds the lines in the
// nearest level that both share. A fence between them would empty L1. done: 0 before the launch. units: that of each
// block. record: cycles, ticks, and the address where the chase ended.
KERNEL void chase_after_another(uint64_t *RESTRICT done, uint64_t *RESTRICT units, uint64_t *RESTRICT record,
                                uint64_t first, uint64_t second, uint32_t rounds, uint64_t chain, uint64_t zero) {
    const uint32_t polls = 1u << 24; // ends if the blocks do not run at the same time
    const uint64_t begin = cycle_counter(), unit = unit_index();
    while (cycles_since(begin) < 20000) {
    }
    units[blockIdx.x] = unit;
    uint64_t at = chain + zero;
    if (unit == first) {
        STEPS(rounds, load_global((const word_t *)(const void *)at))
        atomic_add_global(done, 1 + (at - chain) * zero);
    }
    if (unit == second) {
        for (uint32_t poll = 0; poll < polls && atomic_add_global(done, zero) == 0; poll++) {
        }
        at = chain + zero;
        TIMED(0, load_global((const word_t *)(const void *)at));
    }
}

// ---- Partitions: latency from each compute unit to each of several addresses ----

// The grid occupies every unit, but only block `turn` measures; the others stay until each unit has a block. An element
// holds its own address, and an atomic addition of zero returns it from the one cache that it belongs to.
// record: the unit, then for each address the cycles, the ticks, and the last returned value.
KERNEL void chase_partitions(const uint64_t *RESTRICT addresses, uint64_t *RESTRICT record, uint32_t count,
                             uint32_t turn, uint32_t rounds, uint64_t zero) {
    const uint64_t begin = cycle_counter();
    while (cycles_since(begin) < 20000) {
    }
    if (blockIdx.x != turn || threadIdx.x > 0) {
        return;
    }
    record[0] = unit_index();
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = addresses[i] + zero;
        uint64_t *const found = record + 1 + 3 * i;
        STEPS(1, atomic_add_global((uint64_t *)(void *)at, zero))
        const uint64_t ticks = time_counter();
        const uint64_t start = cycle_counter();
        STEPS(rounds, atomic_add_global((uint64_t *)(void *)at, zero))
        const uint64_t cycles = cycles_since(start);
        found[0] = CYCLE_COUNTER_BITS < 64 ? 0 : cycles;
        found[1] = time_counter() - ticks;
        found[2] = at;
    }
}
