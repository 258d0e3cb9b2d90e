// Runs the lanes of one block on the CPU, so that the fake GPU driver can run kernels in C
// (device/kernel/kernel_c11.h). A lane is a coroutine that yields at barriers and shuffles until the others catch up.
// It models neither time nor memory, unlike the simulator. tests/fakes/fake.h links it with each kernel.
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "device/kernel/kernel_c11.h"
#include "sim/coroutine.h"

#undef memcpy
#undef memset

enum {
    LANES_MAX = 1024,
    ARGUMENTS_MAX = 12
};

typedef void kernel_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t);

unsigned char sim_dynamic_shared[256 << 10] __attribute__((aligned(16)));

static struct coroutine scheduler, lanes[LANES_MAX];
static int ended[LANES_MAX];
static uint32_t running, waiting; // lanes that have not ended, and those of them at the block's barrier
static uint32_t barriers;         // barriers of the block that all lanes have passed
static uint64_t deposited[LANES_MAX];
static uint32_t lane; // the running lane, by its number in the block
static dim3 grid_size, block_size, block_at;
static kernel_function *kernel;
extern const uint32_t host_warp_width; // of the kernel
static uint64_t argument[ARGUMENTS_MAX];

static void give_way(void) {
    coroutine_switch(&lanes[lane], &scheduler);
}

// Counts lanes instead of looking at each, because each lane passes here at each barrier.
static void open_barrier_if_all_wait(void) {
    if (waiting == running) {
        waiting = 0;
        barriers++;
    }
}

static void run_lane(void) {
    kernel(argument[0], argument[1], argument[2], argument[3], argument[4], argument[5], argument[6], argument[7],
           argument[8], argument[9], argument[10], argument[11]);
    ended[lane] = 1;
    running--;
    open_barrier_if_all_wait();
    give_way();
}

static void start_lane(uint32_t number) {
    ended[number] = 0;
    if (!lanes[number].stack_low && coroutine_create(&lanes[number], number, NULL) != STATUS_OK) {
        abort();
    }
    coroutine_prepare(&lanes[number], run_lane);
}

__attribute__((destructor)) static void destroy_lanes(void) {
    for (uint32_t i = 0; i < LANES_MAX; i++) {
        if (lanes[i].stack_low) {
            munmap(lanes[i].stack_low, COROUTINE_STACK_BYTES);
        }
    }
}

// The driver calls this for each block of a launch.
__attribute__((visibility("default"))) void host_run_block(kernel_function *function, const uint64_t *arguments,
                                                           const uint32_t grid[3], const uint32_t block[3],
                                                           const uint32_t at[3]);

void host_run_block(kernel_function *function, const uint64_t *arguments, const uint32_t grid[3],
                    const uint32_t block[3], const uint32_t at[3]) {
    const uint32_t count = block[0] * block[1] * block[2];
    kernel = function;
    memcpy(argument, arguments, sizeof argument);
    grid_size = (dim3){grid[0], grid[1], grid[2]};
    block_size = (dim3){block[0], block[1], block[2]};
    block_at = (dim3){at[0], at[1], at[2]};
    for (uint32_t i = 0; i < count; i++) {
        start_lane(i);
    }
    running = count;
    waiting = 0;
    while (running > 0) {
        for (lane = 0; lane < count; lane++) {
            if (!ended[lane]) {
                coroutine_switch(&scheduler, &lanes[lane]);
            }
        }
    }
}

// ---- Functions that kernel_c11.h declares ----

#define DEFINE_PLACE(name, at_x, at_y, at_z)                                                                           \
    uint32_t sim_##name##_x(void) {                                                                                    \
        return at_x;                                                                                                   \
    }                                                                                                                  \
    uint32_t sim_##name##_y(void) {                                                                                    \
        return at_y;                                                                                                   \
    }                                                                                                                  \
    uint32_t sim_##name##_z(void) {                                                                                    \
        return at_z;                                                                                                   \
    }
DEFINE_PLACE(thread_index, lane % block_size.x, lane / block_size.x % block_size.y, lane / block_size.x / block_size.y)
DEFINE_PLACE(block_index, block_at.x, block_at.y, block_at.z)
DEFINE_PLACE(block_size, block_size.x, block_size.y, block_size.z)
DEFINE_PLACE(grid_size, grid_size.x, grid_size.y, grid_size.z)

uint32_t sim_lane_index(void) {
    return lane % host_warp_width;
}

void sim_block_barrier(void) {
    const uint32_t here = barriers;
    waiting++;
    open_barrier_if_all_wait();
    while (barriers == here) {
        give_way();
    }
}

void sim_warp_barrier(uint64_t mask) {
    (void)mask;
    give_way();
}

void sim_fence(void) {}

uint64_t sim_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// 1.5 GHz
uint64_t sim_cycles(void) {
    return sim_nanoseconds() * 3 / 2;
}

// Every lane of the warp passes here: all deposit before one reads, and all read before one deposits again.
uint64_t sim_shuffle(enum sim_shuffle_kind kind, uint64_t mask, uint64_t bits, uint32_t operand, uint32_t width) {
    (void)mask;
    const uint32_t here = lane % width, first = lane - here;
    uint32_t source = here;
    switch (kind) {
    case SIM_SHUFFLE_DOWN:
        source = here + operand;
        break;
    case SIM_SHUFFLE_UP:
        source = here - operand;
        break;
    case SIM_SHUFFLE_XOR:
        source = here ^ operand;
        break;
    case SIM_SHUFFLE_INDEX:
        source = operand;
        break;
    case SIM_SHUFFLE_ADD:
        break;
    }
    deposited[lane] = bits;
    give_way();
    uint64_t found = deposited[source < width ? first + source : lane];
    for (uint32_t i = 0; i < width && kind == SIM_SHUFFLE_ADD; i++) {
        found = (i ? found : 0) + deposited[first + i];
    }
    give_way();
    return found;
}

uint64_t sim_ballot(uint64_t mask, bool predicate) {
    (void)mask;
    const uint32_t first = lane - lane % host_warp_width;
    uint64_t votes = 0;
    deposited[lane] = predicate;
    give_way();
    for (uint32_t i = 0; i < host_warp_width && first + i < LANES_MAX; i++) {
        votes |= deposited[first + i] << i;
    }
    give_way();
    return votes;
}

uint64_t sim_active_lanes(void) {
    return UINT64_MAX;
}

void *sim_memcpy(void *to, const void *from, size_t bytes) {
    return memcpy(to, from, bytes);
}

void *sim_memset(void *to, int byte, size_t bytes) {
    return memset(to, byte, bytes);
}

#define SIM_FLOAT_SUM(p, old, value) ((old) + (value))
#define DEFINE_ATOMIC(operation, type, suffix, result)                                                                 \
    type sim_atomic_##operation##_##suffix(volatile type *p, type value) {                                             \
        const type old = *p;                                                                                           \
        *p = (type)(result);                                                                                           \
        return old;                                                                                                    \
    }
SIM_ATOMICS(DEFINE_ATOMIC)

#define DEFINE_CAS(unused, type, suffix, none)                                                                         \
    type sim_atomic_cas_##suffix(volatile type *p, type compare, type value) {                                         \
        const type old = *p;                                                                                           \
        if (old == compare) {                                                                                          \
            *p = value;                                                                                                \
        }                                                                                                              \
        return old;                                                                                                    \
    }
SIM_ATOMIC_INTEGERS(DEFINE_CAS, , )
