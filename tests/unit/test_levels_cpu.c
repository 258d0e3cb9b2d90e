// levels: the kernels by which a CPU's threads follow several chains, and follow one beside traffic.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "levels/chain.h"
#include "levels/levels_cpu.h"
#include "util/threads.h"

enum {
    MEMORY_BYTES = 1 << 20,
    LINE = 64,
    CHUNKS = MEMORY_BYTES / LOADED_CPU_CHUNK_BYTES,
    STATE_WORDS = 6,
    TRIES = 1000,
};

struct fixture {
    struct chain chain;
    uint8_t *memory; // of the chain
};

static uint64_t address(const void *pointer) {
    return (uintptr_t)pointer;
}

static void run_native(native_kernel *native, uint32_t threads, const struct argument *arguments) {
    const struct launch launch = {.grid = {threads, 1, 1}, .arguments = arguments};
    native(&(struct native_call){.launch = &launch});
}

static struct fixture make_fixture(void) {
    struct fixture fixture = {.chain = chain_make(MEMORY_BYTES, LINE, 0, 1),
                              .memory = aligned_alloc(4096, MEMORY_BYTES)};
    const struct chain *chain = &fixture.chain;
    assert_non_null(fixture.memory);
    const struct argument arguments[] = {argument_pointer(address(fixture.memory)),
                                         argument_u64(chain->elements),
                                         argument_u64(chain->page_elements),
                                         argument_u32(chain_page_bits(chain)),
                                         argument_u64(chain->line_bytes),
                                         argument_u64(0),
                                         argument_u64(0),
                                         argument_u64(chain->seed)};
    run_native(levels_cpu_fill_chain, 1, arguments);
    return fixture;
}

static uint64_t place(const struct fixture *fixture, uint64_t visit) {
    return address(fixture->memory) + chain_offset(&fixture->chain, visit);
}

static void test_every_chain_ends_where_it_leads(void **state) {
    (void)state;
    static const struct {
        uint32_t threads, chains, steps;
    } shapes[] = {{1, 1, 1}, {1, 64, 33}, {2, 1, 1000}, {3, 7, 100}, {2, 64, 10}};
    struct fixture fixture = make_fixture();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const uint32_t all = shapes[i].threads * shapes[i].chains;
        uint64_t cursors[256];
        for (uint32_t k = 0; k < all; k++) {
            cursors[k] = place(&fixture, 11 * k);
        }
        levels_cpu_chase_several(cursors, shapes[i].threads, shapes[i].chains, shapes[i].steps);
        for (uint32_t k = 0; k < all; k++) {
            assert_true(cursors[k] == place(&fixture, 11 * k + shapes[i].steps));
        }
    }
    free(fixture.memory);
}

// Returns how many chunks the other threads touched per nanosecond.
static double chase_beside(const struct fixture *fixture, uint8_t *traffic, uint32_t threads, uint32_t writes,
                           uint32_t percent) {
    enum {
        ROUNDS = 2000,
        OTHERS_MAX = 8
    };
    uint64_t state[STATE_WORDS] = {place(fixture, 5)}, touched[OTHERS_MAX] = {0};
    const struct argument arguments[] = {argument_pointer(address(state)),
                                         argument_pointer(address(traffic)),
                                         argument_u32(CHUNKS),
                                         argument_pointer(address(touched)),
                                         argument_u32(ROUNDS),
                                         argument_u32(writes),
                                         argument_u32(percent)};
    run_native(levels_cpu_chase_loaded, threads, arguments);
    assert_true(state[3] == place(fixture, 5 + ROUNDS * LOADED_CPU_STEPS));
    assert_true(state[2] > 0);
    uint64_t sum = 0;
    for (int i = 0; i < OTHERS_MAX; i++) {
        sum += touched[i];
    }
    return (double)sum / (double)state[2];
}

static void test_chase_beside_traffic(void **state) {
    (void)state;
    struct fixture fixture = make_fixture();
    uint8_t *traffic = aligned_alloc(4096, MEMORY_BYTES), *before = malloc(MEMORY_BYTES);
    assert_true(traffic && before);
    memset(traffic, 7, MEMORY_BYTES);
    memset(before, 7, MEMORY_BYTES);
    assert_true(chase_beside(&fixture, traffic, 1, 0, 0) == 0); // nobody else
    if (omp_get_num_procs() < 2) {
        print_message("SKIP traffic beside a chase: there is one processor\n");
    } else {
        double full = 0, tenth = INFINITY;
        for (int i = 0; i < TRIES && tenth >= full / 2; i++) { // other programs may keep a thread from running
            full = fmax(full, chase_beside(&fixture, traffic, 2, 0, 100));
            tenth = fmin(tenth, chase_beside(&fixture, traffic, 2, 0, 10));
        }
        assert_true(full > 0 && tenth < full / 2);
        assert_memory_equal(traffic, before, MEMORY_BYTES); // only read
        chase_beside(&fixture, traffic, 2, 2, 100);         // the traffic begins before the chase
        assert_memory_not_equal(traffic, before, MEMORY_BYTES);
    }
    free(traffic);
    free(before);
    free(fixture.memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_chain_ends_where_it_leads),
        cmocka_unit_test(test_chase_beside_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
