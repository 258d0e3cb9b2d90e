// levels: the chains that a chase follows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "levels/chain.h"
#include "levels/levels_cpu.h"

// Counts how often each element is visited in one turn.
static uint8_t *visits_of(const struct chain *chain) {
    uint8_t *visits = calloc(chain->elements, 1);
    assert_non_null(visits);
    for (uint64_t i = 0; i < chain->elements; i++) {
        const uint64_t place = chain_offset(chain, i) / chain->line_bytes;
        assert_true(place < chain->elements);
        visits[place]++;
    }
    return visits;
}

static void test_every_element_is_visited_once(void **state) {
    (void)state;
    for (uint64_t elements = 1; elements <= 1100; elements += elements < 40 ? 1 : 53) {
        for (uint64_t page = 0; page <= 64 * 128; page += 16 * 128) {
            const struct chain chain = chain_make(elements * 128 + 5, 128, page, elements);
            const uint64_t page_elements = page / 128;
            assert_true(chain.elements <= elements && chain.elements + page_elements >= elements);
            uint8_t *visits = visits_of(&chain);
            for (uint64_t i = 0; i < chain.elements; i++) {
                assert_int_equal(visits[i], 1);
            }
            assert_int_equal(chain_offset(&chain, chain.elements), chain_offset(&chain, 0));
            free(visits);
        }
    }
}

static void test_steps_visit_every_element(void **state) {
    (void)state;
    for (uint64_t elements = 2; elements <= 1100; elements += elements < 40 ? 1 : 53) {
        const struct chain chain = chain_make_stepped(elements * 64, 64);
        uint8_t *visits = visits_of(&chain);
        for (uint64_t i = 0; i < elements; i++) {
            assert_int_equal(visits[i], 1);
            const uint64_t next = chain_offset(&chain, i) + chain.step * 64;
            assert_int_equal(chain_offset(&chain, i + 1), next % (elements * 64)); // as the kernels continue
        }
        assert_true(elements < 16 || (chain.step > elements / 2 && chain.step < elements));
        free(visits);
    }
}

static void test_pages_are_visited_in_turn(void **state) {
    (void)state;
    const struct chain chain = chain_make(64 << 10, 64, 4 << 10, 1);
    assert_int_equal(chain.elements, 1024);
    for (uint64_t i = 0; i < chain.elements; i++) {
        assert_int_equal(chain_offset(&chain, i) / 4096, i / 64);
    }
    // and not all in the same order
    uint32_t alike = 0;
    for (uint64_t i = 0; i < 64; i++) {
        alike += chain_offset(&chain, i) % 4096 == chain_offset(&chain, 64 + i) % 4096;
    }
    assert_true(alike < 16);
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// A prefetcher follows strides, so no distance of successive elements may be frequent.
static void test_no_stride_is_common(void **state) {
    (void)state;
    enum {
        ELEMENTS = 4000
    };
    const struct chain chain = chain_make(ELEMENTS * 128, 128, 0, 1);
    static int64_t strides[ELEMENTS];
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        strides[i] = (int64_t)chain_offset(&chain, i + 1) - (int64_t)chain_offset(&chain, i);
    }
    qsort(strides, ELEMENTS, sizeof strides[0], ascending);
    uint32_t most = 0, run = 0;
    for (uint32_t i = 1; i < ELEMENTS; i++) {
        run = strides[i] == strides[i - 1] ? run + 1 : 0;
        most = run > most ? run : most;
    }
    assert_true(most < ELEMENTS / 100);
}

static void test_stagger_stays_in_the_line(void **state) {
    (void)state;
    struct chain chain = chain_make(64 << 20, 2 << 20, 0, 1);
    chain.stagger_bytes = 128;
    uint32_t seen = 0;
    for (uint64_t i = 0; i < chain.elements; i++) {
        const uint64_t offset = chain_offset(&chain, i), place = offset / chain.line_bytes;
        assert_int_equal(offset % chain.line_bytes, 128 * place);
        seen |= UINT32_C(1) << place;
    }
    assert_int_equal(seen, UINT32_MAX);
}

static void test_pairs_stand_beside_each_other(void **state) {
    (void)state;
    const struct chain chain = chain_make_pairs(100, 1024, 96, 1);
    uint8_t seen[100] = {0};
    assert_int_equal(chain.elements, 200);
    assert_int_equal(chain_bytes(&chain), 100 * 1024);
    for (uint64_t i = 0; i < chain.elements; i += 2) {
        assert_int_equal(chain_offset(&chain, i + 1), chain_offset(&chain, i) + 96);
        assert_int_equal(chain_offset(&chain, i) % 1024, 0);
        seen[chain_offset(&chain, i) / 1024]++;
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(seen[i], 1);
    }
}

// Pieces at any distance: the requested number, none twice, all within the memory.
static void test_pieces_are_read_once(void **state) {
    (void)state;
    enum {
        MEMORY = 1 << 16
    };
    static const uint64_t rows[] = {0, 32, 64, 96, 128, 4096, 4160, 16384, 16448, 65536};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t piece = 32; piece <= 64; piece *= 2) {
            const struct pieces pieces = pieces_make(MEMORY, MEMORY / 4, 64, rows[i], piece);
            static uint8_t seen[MEMORY / 16];
            memset(seen, 0, sizeof seen);
            assert_true(pieces.count == MEMORY / 4 / 64);
            for (uint64_t k = 0; k < pieces.count; k++) {
                const uint64_t offset = pieces_offset(&pieces, k);
                assert_true(offset + piece <= MEMORY && offset % 16 == 0);
                for (uint64_t word = offset / 16; word < (offset + piece) / 16; word++) {
                    assert_int_equal(seen[word]++, 0);
                }
                if (k > 0 && k < pieces.rows) {
                    assert_int_equal(offset - pieces_offset(&pieces, k - 1), pieces.row_bytes);
                }
            }
        }
    }
}

// Bytes of the mapping at this address in large pages; -1: the system does not tell.
static long large_bytes(const void *address) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned long first = 0, last = 0;
    long kib = -1;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long a, b;
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
            first = a;
            last = b;
        }
        if (first <= (uintptr_t)address && (uintptr_t)address < last) {
            sscanf(line, "AnonHugePages: %ld", &kib);
        }
    }
    if (maps) {
        fclose(maps);
    }
    return kib < 0 ? -1 : kib * 1024;
}

static void test_small_pages(void **state) {
    (void)state;
    const size_t bytes = 16 << 20, large = 2 << 20;
    char *memory = aligned_alloc(large, bytes);
    assert_non_null(memory);
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 1, bytes);
    const long before = large_bytes(memory);
    levels_cpu_small_pages((uintptr_t)memory, bytes);
    memset(memory, 2, bytes);
    if (before > 0) {
        assert_int_equal(large_bytes(memory), 0);
    } else {
        print_message("SKIP large pages: this machine gives none\n");
    }
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_element_is_visited_once), cmocka_unit_test(test_pages_are_visited_in_turn),
        cmocka_unit_test(test_no_stride_is_common),           cmocka_unit_test(test_stagger_stays_in_the_line),
        cmocka_unit_test(test_steps_visit_every_element),     cmocka_unit_test(test_pairs_stand_beside_each_other),
        cmocka_unit_test(test_pieces_are_read_once),          cmocka_unit_test(test_small_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
