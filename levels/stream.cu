// Bandwidth: blocks go through a footprint again and again, each through a separate part or all through the same.
//
// A thread has ITEMS words of WIDTH bytes in flight before it needs the first, THREADS words apart. A chunk is
// ITEMS * THREADS words, one for each thread and item.
// Constants: WIDTH=4 ITEMS=1,8 THREADS=512
// Constants: WIDTH=16 ITEMS=2,4 THREADS=32,512
// Constants: WIDTH=8 ITEMS=16 THREADS=1024
// Constants: WIDTH=16 ITEMS=2 THREADS=512 POLICY=1,2,3,4,5,6,7,8,9,10
// Constants: WIDTH=4,8,16 ITEMS=2 THREADS=256 STAGES=1,4 PAST_L1=0
// Constants: WIDTH=16 ITEMS=1 THREADS=128 STAGES=8 PAST_L1=1
#include "device/kernel/async.h"
#include "device/kernel/kernel.h"

#define CHUNK (ITEMS * THREADS)

// ---- All blocks share the chunks ----
//
// `group` blocks touch adjacent chunks, one chunk each and round, and the next group continues after their last round.
// So a launch goes through the footprint in order, and no block finds in a cache what another has just brought there.
// If all rounds of a group are the whole footprint, each block follows the one `group` blocks before it on the same
// path. The blocks of a group change places from round to round, so that none soon returns to a chunk of its own in L1;
// loads bypass L1 where the part allows.

struct sweep {
    uint32_t first, place; // the group's first chunk, and the block's place in the group
};

static inline __device__ struct sweep sweep_begin(uint32_t chunks, uint32_t rounds, uint32_t group) {
    const uint64_t before = (uint64_t)(blockIdx.x / group) * rounds * group;
    const struct sweep sweep = {(uint32_t)(before % chunks), blockIdx.x % group};
    return sweep;
}

static inline __device__ uint32_t sweep_chunk(struct sweep sweep, uint32_t chunks) {
    const uint32_t chunk = sweep.first + sweep.place;
    return chunk < chunks ? chunk : chunk - chunks;
}

static inline __device__ struct sweep sweep_next(struct sweep sweep, uint32_t chunks, uint32_t group) {
    const uint32_t first = sweep.first + group;
    const struct sweep next = {first < chunks ? first : first - chunks, sweep.place + 1 < group ? sweep.place + 1 : 0};
    return next;
}

// Adds the last loaded word first, so that every load is issued before the first wait.
static inline __device__ uint32_t add_words(uint32_t sum, const word_t *value, int count) {
#pragma unroll
    for (int i = count - 1; i >= 0; i--) {
#if WIDTH == 16
        sum += value[i].x;
        sum += value[i].y;
        sum += value[i].z;
        sum += value[i].w;
#else
        sum += word_fold(value[i]);
#endif
    }
    return sum;
}

// sums: for each warp the sum of what its lanes loaded.
static inline __device__ void write_sum(uint32_t *sums, uint32_t sum) {
    FOLD_WARP(sum, +=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        sums[((uint64_t)blockIdx.x * THREADS + threadIdx.x) / WARP_WIDTH] = sum;
    }
}

KERNEL void stream_read(const word_t *RESTRICT from, uint32_t *RESTRICT sums, uint32_t chunks, uint32_t rounds,
                        uint32_t group) {
    struct sweep sweep = sweep_begin(chunks, rounds, group);
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; round++) {
        const word_t *at = from + (uint64_t)sweep_chunk(sweep, chunks) * CHUNK + threadIdx.x;
        word_t value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            value[i] = load_global_l2(at + i * THREADS);
        }
        sweep = sweep_next(sweep, chunks, group);
        sum = add_words(sum, value, ITEMS);
    }
    write_sum(sums, sum);
}

// Word i gets word_from_u64(first + i), which is cheap to compute and differs from word to word.
KERNEL void stream_write(word_t *RESTRICT to, uint64_t first, uint32_t chunks, uint32_t rounds, uint32_t group) {
    struct sweep sweep = sweep_begin(chunks, rounds, group);
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; round++) {
        const uint64_t word = (uint64_t)sweep_chunk(sweep, chunks) * CHUNK + threadIdx.x;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            store_global(to + word + i * THREADS, word_from_u64(first + word + i * THREADS));
        }
        sweep = sweep_next(sweep, chunks, group);
    }
}

KERNEL void stream_copy(const word_t *RESTRICT from, word_t *RESTRICT to, uint32_t chunks, uint32_t rounds,
                        uint32_t group) {
    struct sweep sweep = sweep_begin(chunks, rounds, group);
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; round++) {
        const uint64_t word = (uint64_t)sweep_chunk(sweep, chunks) * CHUNK + threadIdx.x;
        word_t value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            value[i] = load_global_l2(from + word + i * THREADS);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            store_global(to + word + i * THREADS, value[i]);
        }
        sweep = sweep_next(sweep, chunks, group);
    }
}

// ---- Each block has separate chunks of THREADS words, which stay in its unit's L1 as long as they fit ----

#define OWN_WORD(chunks) ((uint64_t)blockIdx.x * (chunks)*THREADS + threadIdx.x)

// load_unit(p) loads by the policy of this number in enum stream_policy of levels/stream.h; without one, or where the
// part has none, as usual.
#if defined(POLICY) && __CUDA_ARCH__ >= 800

#if POLICY == 1
#define LOAD_UNIT "ld.global.ca"
#elif POLICY == 2
#define LOAD_UNIT "ld.global.cg"
#elif POLICY == 3
#define LOAD_UNIT "ld.global.cs"
#elif POLICY == 4
#define LOAD_UNIT "ld.global.nc"
#elif POLICY == 5
#define LOAD_UNIT "ld.volatile.global"
#elif POLICY == 6
#define LOAD_UNIT "ld.global.L1::evict_first"
#elif POLICY == 7
#define LOAD_UNIT "ld.global.L1::evict_last"
#elif POLICY == 8
#define LOAD_UNIT "ld.global.L1::no_allocate"
#elif POLICY == 9
#define L2_POLICY "evict_first"
#elif POLICY == 10
#define L2_POLICY "evict_last"
#endif

static inline __device__ word_t load_unit(const word_t *p) {
    word_t value;
#ifdef L2_POLICY
    uint64_t policy;
    asm("createpolicy.fractional.L2::" L2_POLICY ".b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : PTX_WORD("=", value)
                 : "l"(__cvta_generic_to_global(p)), "l"(policy));
#else
    asm volatile(LOAD_UNIT ".v4.u32 {%0, %1, %2, %3}, [%4];" : PTX_WORD("=", value) : "l"(__cvta_generic_to_global(p)));
#endif
    return value;
}

#elif POLICY == 3 && defined(__HIP__)

static inline __device__ word_t load_unit(const word_t *p) {
    const global_word *address = (const global_word *)p;
    __asm__ volatile("" : "+v"(address));
    const word_memory value = __builtin_nontemporal_load(address);
    return WORD_FROM_MEMORY(value);
}

#else
#define load_unit(p) load_global(p)
#endif

// The loads of the next step are requested before the words of this one are added, so that L1 does not wait for a sum.
// After the last chunks come the first ones again, without a pause between two rounds. `chunks` is a multiple of ITEMS.
KERNEL void unit_read(const word_t *RESTRICT from, uint32_t *RESTRICT sums, uint32_t chunks, uint32_t rounds) {
    const word_t *const own = from + OWN_WORD(chunks);
    const uint32_t steps = chunks / ITEMS * rounds;
    uint32_t sum = 0, chunk = 0;
    word_t value[ITEMS], next[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        value[i] = load_unit(own + i * THREADS);
    }
#pragma unroll 2
    for (uint32_t step = 1; step < steps; step++) {
        chunk = chunk + ITEMS < chunks ? chunk + ITEMS : 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            next[i] = load_unit(own + ((uint64_t)chunk + i) * THREADS);
        }
        sum = add_words(sum, value, ITEMS);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            value[i] = next[i];
        }
    }
    write_sum(sums, add_words(sum, value, ITEMS));
}

KERNEL void unit_write(word_t *RESTRICT to, uint64_t first, uint32_t chunks, uint32_t rounds) {
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t word = OWN_WORD(chunks);
#pragma unroll 4
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            store_global(to + word, word_from_u64(first + word));
            word += THREADS;
        }
    }
}

KERNEL void unit_copy(const word_t *RESTRICT from, word_t *RESTRICT to, uint32_t chunks, uint32_t rounds) {
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t word = OWN_WORD(chunks);
#pragma unroll 4
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            store_global(to + word, load_global(from + word));
            word += THREADS;
        }
    }
}

// ---- Pieces of a large memory, `row_bytes` apart; after the last row comes the next piece of the first row ----

// Several lanes read a piece of `piece_bytes` together, one word each. A thread advances by the pieces of all threads.
// Adding that step's row and column avoids a division per piece.
KERNEL void piece_read(const word_t *RESTRICT from, uint32_t *RESTRICT sums, uint64_t pieces, uint64_t rows,
                       uint64_t row_bytes, uint64_t piece_bytes) {
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t lanes = piece_bytes / WIDTH;
    const uint64_t step = (uint64_t)gridDim.x * THREADS / lanes;
    const uint64_t row_step = step % rows, column_step = step / rows;
    uint64_t piece = thread / lanes;
    uint64_t row = piece % rows, column = piece / rows;
    const unsigned char *const first = (const unsigned char *)(const void *)(from + thread % lanes);
    uint32_t sum = 0;
#pragma unroll 1
    while (piece < pieces) {
        word_t value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const word_t none = {0};
            value[i] = none;
            if (piece < pieces) {
                value[i] =
                    load_global_l2((const word_t *)(const void *)(first + row * row_bytes + column * piece_bytes));
            }
            piece += step;
            row += row_step;
            column += column_step + (row >= rows);
            row -= row >= rows ? rows : 0;
        }
        sum = add_words(sum, value, ITEMS);
    }
    write_sum(sums, sum);
}

#ifdef STAGES

// ---- Asynchronous copies to shared memory, past the registers: STAGES chunks of a block are in flight ----
//
// Chunk r goes to stage r % STAGES. A round begins to copy its chunk, then waits for the chunk that was begun STAGES -
// 1 rounds before and adds its words. Where a part has no such copies, its threads load and store the words instead.

static inline __device__ uint32_t add_stage(uint32_t sum, const word_t *stage) {
    word_t value[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        value[i] = load_shared(stage + threadIdx.x + i * THREADS);
    }
    return add_words(sum, value, ITEMS);
}

static inline __device__ uint32_t next_stage(uint32_t stage) {
    return stage + 1 < STAGES ? stage + 1 : 0;
}

#if !defined(ASYNC_WORDS)
#define begin_word(cache, to, from) store_shared(to, load_global_l2(from))
#define commit_words() (void)0
#define await_groups(n) (void)0
#endif
#if PAST_L1
#define CACHE "cg"
#else
#define CACHE "ca"
#endif

// A thread adds the words that it has copied itself, so no thread waits for another.
KERNEL void staged_words(const word_t *RESTRICT from, uint32_t *RESTRICT sums, uint32_t chunks, uint32_t rounds,
                         uint32_t group) {
    DYNAMIC_SHARED(word_t, stages);
    struct sweep sweep = sweep_begin(chunks, rounds, group);
    uint32_t sum = 0, to = 0, at = 0;
#pragma unroll 1
    for (uint32_t round = 0; round < rounds + STAGES - 1; round++) {
        if (round < rounds) {
            const word_t *words = from + (uint64_t)sweep_chunk(sweep, chunks) * CHUNK + threadIdx.x;
            word_t *stage = stages + to * CHUNK + threadIdx.x;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                begin_word(CACHE, stage + i * THREADS, words + i * THREADS);
            }
            sweep = sweep_next(sweep, chunks, group);
            to = next_stage(to);
        }
        commit_words();
        if (round + 1 >= STAGES) {
            await_groups(STAGES - 1);
            sum = add_stage(sum, stages + at * CHUNK);
            at = next_stage(at);
        }
    }
    write_sum(sums, sum);
}

#if WIDTH == 16
#ifdef ASYNC_BULK
#define BARRIER(stage) shared_address(barriers + (stage))
static inline __device__ void begin_chunk(word_t *to, const word_t *from, uint64_t *barriers, uint32_t stage) {
    if (threadIdx.x == 0) {
        barrier_expect(BARRIER(stage), CHUNK * WIDTH);
        bulk_copy(shared_address(to), from, CHUNK * WIDTH, BARRIER(stage));
    }
}
#else
#define BARRIER(stage) (stage)
#define barrier_init(barrier, count) (barriers[barrier] = (count))
#define barrier_await(barrier, phase) ((void)(phase), __syncthreads())
static inline __device__ void begin_chunk(word_t *to, const word_t *from, uint64_t *barriers, uint32_t stage) {
    (void)barriers, (void)stage;
    for (int i = 0; i < ITEMS; i++) {
        store_shared(to + threadIdx.x + i * THREADS, load_global(from + threadIdx.x + i * THREADS));
    }
}
#endif

// The copy engine copies a chunk at once. The barriers are behind the stages, each of which has one.
KERNEL void staged_bulk(const word_t *RESTRICT from, uint32_t *RESTRICT sums, uint32_t chunks, uint32_t rounds,
                        uint32_t group) {
    DYNAMIC_SHARED(word_t, stages);
    uint64_t *barriers = (uint64_t *)(void *)(stages + STAGES * CHUNK);
    struct sweep sweep = sweep_begin(chunks, rounds, group);
    uint32_t sum = 0, to = 0, at = 0, phase = 0;
    if (threadIdx.x < STAGES) {
        barrier_init(BARRIER(threadIdx.x), 1);
    }
    __syncthreads();
#pragma unroll 1
    for (uint32_t round = 0; round < rounds + STAGES - 1; round++) {
        if (round < rounds) {
            begin_chunk(stages + to * CHUNK, from + (uint64_t)sweep_chunk(sweep, chunks) * CHUNK, barriers, to);
            sweep = sweep_next(sweep, chunks, group);
            to = next_stage(to);
        }
        if (round + 1 >= STAGES) {
            barrier_await(BARRIER(at), phase);
            sum = add_stage(sum, stages + at * CHUNK);
            at = next_stage(at);
            phase ^= at == 0;
            __syncthreads(); // the next round copies to this stage
        }
    }
    write_sum(sums, sum);
}
#endif

#endif // STAGES
