// The kernel of loaded.cu for the CPU.
#include "levels/levels_cpu.h"

#include <stdatomic.h>

#include "device/cpu/slice.h"
#include "device/cpu/stream_vector.h"
#include "util/clock.h"
#include "util/loops.h"
#include "util/threads.h"

enum phase {
    PHASE_BEFORE, // the traffic begins
    PHASE_CHASE,  // its chunks count
    PHASE_AFTER
};

enum {
    CALIBRATION_CHUNKS = 256, // between two looks at the clock
    CALIBRATION_TURNS = 1 << 15,
};
static const double LEAD_NS = 50e3; // head start of the traffic
static const double CALIBRATION_NS = 200e3;

struct traffic {
    const struct stream_loops *loops;
    uint8_t *memory;
    uint64_t chunks; // of the memory
    uint32_t writes; // quarters of all chunks
    uint32_t percent;
    atomic_uint *begun; // threads
    _Atomic enum phase *phase;
};

// The chunks of one thread, which it goes through again and again.
struct tour {
    const struct traffic *traffic;
    uint64_t first, count; // chunks
    uint64_t turn;
    uint32_t sum;
};

static struct tour tour_of(const struct traffic *traffic, uint32_t thread, uint32_t threads) {
    const struct slice slice = cpu_slice(traffic->chunks, thread, threads);
    return slice.count > 0 ? (struct tour){traffic, slice.first, slice.count, 0, 0}
                           : (struct tour){traffic, 0, traffic->chunks, 0, 0};
}

static void touch_chunk(struct tour *tour) {
    const struct traffic *traffic = tour->traffic;
    uint8_t *chunk = traffic->memory + (tour->first + tour->turn % tour->count) * LOADED_CPU_CHUNK_BYTES;
    if (tour->turn % 4 < traffic->writes) {
        traffic->loops->write(chunk, LOADED_CPU_CHUNK_BYTES, tour->turn);
    } else {
        tour->sum += traffic->loops->read(chunk, LOADED_CPU_CHUNK_BYTES);
    }
    tour->turn++;
}

static void wait_turns(uint64_t turns) {
    for (uint64_t i = 0; i < turns; i++) {
        __asm__ volatile("");
    }
}

// The turns of waiting after a chunk that leave the wanted share of the full rate. The waiting uses no clock, because
// on some machines reading it takes longer than a chunk.
static uint64_t turns_for_rate(struct tour *tour) {
    const uint32_t percent = tour->traffic->percent;
    double chunks = 0;
    const double begin = clock_ns();
    for (; chunks == 0 || clock_ns() < begin + CALIBRATION_NS; chunks += (double)CALIBRATION_CHUNKS) {
        for (int i = 0; i < CALIBRATION_CHUNKS; i++) {
            touch_chunk(tour);
        }
    }
    const double middle = clock_ns();
    wait_turns(CALIBRATION_TURNS);
    const double chunk_ns = (middle - begin) / chunks, turn_ns = (clock_ns() - middle) / (double)CALIBRATION_TURNS;
    return (uint64_t)(chunk_ns * (100 - percent) / percent / turn_ns);
}

// Returns the number of chunks that the thread touched during the chase.
static uint64_t make_traffic(struct tour *tour) {
    const struct traffic *traffic = tour->traffic;
    const uint64_t turns = traffic->percent < 100 ? turns_for_rate(tour) : 0;
    uint64_t touched = 0;
    enum phase phase = PHASE_BEFORE;
    atomic_fetch_add(traffic->begun, 1);
    while (phase != PHASE_AFTER) {
        touch_chunk(tour);
        wait_turns(turns);
        touched += phase == PHASE_CHASE;
        phase = atomic_load_explicit(traffic->phase, memory_order_relaxed);
    }
    return touched;
}

static void follow(volatile uint64_t *state, uint32_t rounds) {
    uint64_t at = state[0];
    const double start = clock_ns();
    for (uint32_t round = 0; round < rounds; round++) {
        UNROLL(32)
        for (int step = 0; step < LOADED_CPU_STEPS; step++) {
            at = *(const volatile uint64_t *)(uintptr_t)at;
        }
    }
    state[3] = state[0] = at; // the clock is read after the last load
    state[1] = 0;
    state[2] = (uint64_t)(clock_ns() - start);
}

static void chase(const struct traffic *traffic, volatile uint64_t *state, uint32_t rounds, uint32_t others) {
    while (atomic_load(traffic->begun) < others) {
    }
    for (const double begin = clock_ns(); others > 0 && clock_ns() < begin + LEAD_NS;) {
    }
    atomic_store(traffic->phase, PHASE_CHASE);
    follow(state, rounds);
    atomic_store(traffic->phase, PHASE_AFTER);
}

void levels_cpu_chase_loaded(const struct native_call *call) {
    volatile uint64_t *state = native_pointer(call, 0);
    uint64_t *touched = native_pointer(call, 3);
    atomic_uint begun = 0;
    _Atomic enum phase phase = PHASE_BEFORE;
    const struct traffic traffic = {.loops = cpu_stream_loops(),
                                    .memory = native_pointer(call, 1),
                                    .chunks = native_u32(call, 2),
                                    .writes = native_u32(call, 5),
                                    .percent = native_u32(call, 6),
                                    .begun = &begun,
                                    .phase = &phase};
    uint32_t sums = 0;
#pragma omp parallel num_threads(call->launch->grid.x) reduction(+ : sums)
    {
        const uint32_t thread = (uint32_t)omp_get_thread_num(), others = (uint32_t)omp_get_num_threads() - 1;
        uint32_t sum = 0;
        if (thread == 0) {
            chase(&traffic, state, native_u32(call, 4), others);
        } else {
            struct tour tour = tour_of(&traffic, thread - 1, others);
            touched[thread - 1] = make_traffic(&tour);
            sum = tour.sum;
        }
        sums += sum;
    }
    state[5] = sums;
}
