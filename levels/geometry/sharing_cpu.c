#include "levels/geometry/sharing_cpu.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "util/clock.h"
#include "util/threads.h"

enum {
    WARM_TURNS = 2,
    STEPS_MIN = 1 << 15, // of what is timed: long compared with reading the clock
};

size_t sharing_cpus(int cpus[SHARING_CPUS_MAX]) {
    cpu_set_t set;
    size_t count = 0;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < SHARING_CPUS_MAX; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set)) {
            cpus[count++] = cpu;
        }
    }
    return count;
}

static bool move_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static uint64_t follow(uint64_t at, uint64_t steps) {
    for (uint64_t step = 0; step < steps; step++) {
        at = *(const volatile uint64_t *)(uintptr_t)at;
    }
    return at;
}

struct meeting {
    atomic_uint ready, over;
    uint32_t threads;
};

static void wait_for_all(struct meeting *meeting) {
    atomic_fetch_add(&meeting->ready, 1);
    while (atomic_load(&meeting->ready) < meeting->threads) {
    }
}

static double time_chase(struct sharing_chase *chase, struct meeting *meeting) {
    const uint64_t turns = (STEPS_MIN + chase->turn - 1) / chase->turn;
    uint64_t at = follow(chase->at, WARM_TURNS * chase->turn);
    wait_for_all(meeting);
    at = follow(at, chase->turn); // the other chase runs now
    const double begin = clock_ns();
    at = follow(at, turns * chase->turn);
    const double time = clock_ns() - begin;
    atomic_store(&meeting->over, 1);
    chase->end = at;
    return time / (double)(turns * chase->turn);
}

static void chase_beside(const struct sharing_chase *chase, struct meeting *meeting) {
    enum {
        STEPS = 256 // between two reads of the flag
    };
    uint64_t at = follow(chase->at, WARM_TURNS * chase->turn);
    wait_for_all(meeting);
    while (atomic_load_explicit(&meeting->over, memory_order_relaxed) == 0) {
        at = follow(at, STEPS);
    }
}

double sharing_time(struct sharing_chase *chase, const struct sharing_chase *other) {
    struct meeting meeting = {0, 0, 1};
    double time = -1;
    atomic_uint moved = 0;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
#pragma omp parallel num_threads(other ? 2 : 1)
    {
        const bool first = omp_get_thread_num() == 0;
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
        if (move_to(first ? chase->cpu : other->cpu)) {
            atomic_fetch_add(&moved, 1);
        }
#pragma omp barrier
#pragma omp single
        meeting.threads = (uint32_t)omp_get_num_threads();
        if (atomic_load(&moved) == (other ? 2u : 1u)) {
            if (first) {
                time = time_chase(chase, &meeting);
            } else {
                chase_beside(other, &meeting);
            }
        }
        sched_setaffinity(0, sizeof own, &own);
    }
    sched_setaffinity(0, sizeof before, &before);
    return time;
}
