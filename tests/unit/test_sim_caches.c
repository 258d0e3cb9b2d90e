// The simulator's caches: what they keep, and which level answers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/traffic.h"

enum {
    LINE = 128,
    BLOCK = 4096 // belongs to one part of the L2
};

// Visits lines 0 to count-1 in turn and returns how many of them hit.
static uint64_t go_round(struct sim_cache *cache, uint64_t count) {
    uint64_t hits = 0;
    for (uint64_t i = 1; i <= count; i++) {
        hits += sim_cache_access(cache, i * LINE);
    }
    return hits;
}

static void caches_keep_what_fits(void **state) {
    (void)state;
    const struct {
        struct cache_sets sets;
        uint64_t lines, hits;
    } cases[] = {
        {{.ways = 4}, 64, 64},                  // as many lines as there are places
        {{.ways = 4}, 65, 60},                  // the line too many pushes out the others of its set
        {{.ways = 4}, 80, 0},                   // so does one in each set
        {{.ways = 64, .hashed = true}, 64, 64}, // one set needs no hash
        {{.ways = 4, .groups = 4, .group_bytes = LINE, .short_groups = 8, .short_lines = 2}, 58, 58},
        {{.ways = 4, .groups = 4, .group_bytes = LINE, .short_groups = 8, .short_lines = 2}, 59, 44}, // a 15th line
        {{.ways = 4, .groups = 4, .group_bytes = LINE, .short_groups = 8, .short_lines = 2},
         65,
         44}, // and a fifth of a set
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_cache cache;
        sim_cache_create(&cache, 64 * LINE, LINE, cases[i].sets);
        assert_int_equal(go_round(&cache, cases[i].lines), 0);
        assert_int_equal(go_round(&cache, cases[i].lines), cases[i].hits);
        sim_cache_clear(&cache);
        assert_int_equal(go_round(&cache, cases[i].lines), 0);
        sim_cache_destroy(&cache);
    }
}

// Otherwise a group would lie in part beyond the cache, or a short one would have no room.
static void groups_divide_each_gpus_cache(void **state) {
    (void)state;
    size_t grouped = 0;
    for (size_t i = 0; i < gpu_row_count; i++) {
        const struct gpu_latency *latency = gpu_latency(&gpu_rows[i]);
        if (!latency || latency->l1_sets.groups == 0) {
            continue;
        }
        const struct cache_sets *sets = &latency->l1_sets;
        assert_int_equal(sets->group_bytes % gpu_rows[i].line_bytes, 0);
        assert_int_equal(gpu_rows[i].l1_bytes % (sets->group_bytes * sets->groups * sets->ways), 0);
        assert_true(sets->short_groups < UINT64_C(1) << sets->groups);
        assert_true(sets->short_lines < gpu_rows[i].l1_bytes / gpu_rows[i].line_bytes / sets->groups);
        grouped++;
    }
    assert_true(grouped > 0);
}

// A hash makes some sets overflow before the cache is full, and leaves others with room when it is.
static void hashed_sets_fill_by_chance(void **state) {
    (void)state;
    struct sim_cache cache;
    sim_cache_create(&cache, 4096 * LINE, LINE, (struct cache_sets){.ways = 16, .hashed = true});
    go_round(&cache, 4096);
    assert_in_range(go_round(&cache, 4096), 4096 * 35 / 100, 4096 * 65 / 100);
    sim_cache_destroy(&cache);
}

static struct sim_caches caches_of(const char *gpu) {
    struct sim_caches caches;
    assert_int_equal(sim_caches_create(&caches, gpu_find(gpu), NULL), STATUS_OK);
    return caches;
}

static void each_level_answers(void **state) {
    (void)state;
    const uint64_t far = 0, near = BLOCK;
    struct sim_caches caches = caches_of("h200");
    const struct gpu_latency *is = caches.latency;
    assert_int_equal(sim_caches_load(&caches, near + LINE), is->memory);
    assert_int_equal(sim_caches_load(&caches, far + LINE), is->memory + is->far);
    assert_int_equal(sim_caches_load(&caches, near + LINE), is->l1);
    assert_int_equal(sim_caches_load(&caches, far + LINE), is->l1);
    sim_caches_begin_launch(&caches);
    assert_int_equal(sim_caches_load(&caches, near + LINE), is->l2);
    assert_int_equal(sim_caches_load(&caches, far + LINE), is->l2); // the near part has a copy
    assert_int_equal(sim_caches_atomic(&caches, near + LINE), is->l2 + is->atomic);
    assert_int_equal(sim_caches_atomic(&caches, far + LINE), is->l2 + is->far + is->atomic);
    assert_int_equal(sim_caches_store(&caches, far + LINE), is->store + is->far);
    sim_caches_forget(&caches);
    assert_int_equal(sim_caches_load(&caches, near + LINE), is->memory);
    sim_caches_destroy(&caches);
}

// The near part is full of copies and of its own lines before the two parts together are.
static void copies_push_out_lines_of_the_near_part(void **state) {
    (void)state;
    struct sim_caches caches = caches_of("h200");
    const struct gpu_latency *is = caches.latency;
    const uint64_t bytes = gpu_find("h200")->l2_bytes * 3 / 4;
    uint64_t clocks = 0;
    for (int round = 0; round < 2; round++) {
        clocks = 0;
        for (uint64_t at = 0; at < bytes; at += LINE) {
            clocks += sim_caches_load(&caches, at);
        }
    }
    const uint64_t mean = clocks / (bytes / LINE);
    assert_in_range(mean, (is->memory + is->l2 + is->far) / 2 - 2, (is->memory + is->l2 + is->far) / 2 + 2);
    sim_caches_destroy(&caches);
}

// Where L1 ends: of the lines of one footprint so many miss in every round but the first.
static void the_first_level_ends_below_its_size(void **state) {
    (void)state;
    const struct {
        const char *gpu;
        uint64_t lines, missed;
    } cases[] = {
        {"v100", 121 * 8, 0},       // 7 KiB fewer than it has
        {"v100", 121 * 8 + 4, 243}, // its fourth group has one line too many
        {"v100", 128 * 8, 256},
        {"v100", 128 * 8 + 4, 256 + 16}, // each of four sets has a fifth line; one missed before
        {"h200", 54 * 32, 0},
        {"h200", 54 * 32 + 4, 0}, // the fourth page of a short group
        {"h200", 54 * 32 + 5, 101},
        {"h200", 64 * 32, 1024},         // eight short groups of four pages
        {"h200", 64 * 32 + 1, 1024 + 5}, // a set of the first group
        {"mi210", 16 * 8, 0},
        {"a100", 38 * 32 + 4, 0},
        {"a100", 38 * 32 + 5, 101},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_caches caches = caches_of(cases[i].gpu);
        uint64_t missed = 0;
        for (int round = 0; round < 3; round++) {
            missed = 0;
            for (uint64_t line = 0; line < cases[i].lines; line++) {
                missed += sim_caches_load(&caches, line * LINE) > caches.latency->l1;
            }
        }
        assert_int_equal(missed, cases[i].missed);
        sim_caches_destroy(&caches);
    }
}

// The share in a hundred of a footprint, in sixteenths of the near part, that the near part does not answer.
static uint64_t lost_beyond(const char *gpu, uint64_t sixteenths) {
    struct sim_caches caches = caches_of(gpu);
    const uint64_t bytes = gpu_find(gpu)->l2_bytes / 2 / 16 * sixteenths;
    uint64_t lost = 0;
    for (int round = 0; round < 2; round++) {
        lost = 0;
        for (uint64_t at = 0; at < bytes; at += LINE) {
            lost += sim_caches_load(&caches, at) > caches.latency->l2;
        }
    }
    sim_caches_destroy(&caches);
    return 100 * lost / (bytes / LINE);
}

// Of the sets that copies crowd half a part is lost before it is full, and the other half after.
static void copies_crowd_half_of_the_sets(void **state) {
    (void)state;
    static const char *const gpus[] = {"h200", "a100"};
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        assert_int_equal(lost_beyond(gpus[i], 14), 0);
        assert_in_range(lost_beyond(gpus[i], 15), 1, 10);
        assert_in_range(lost_beyond(gpus[i], 16), 48, 55);
        assert_in_range(lost_beyond(gpus[i], 17), 48, 60);
        assert_in_range(lost_beyond(gpus[i], 19), 95, 100);
    }
}

static void a_third_level_answers_and_translation_adds(void **state) {
    (void)state;
    struct sim_caches caches = caches_of("mi300x");
    const struct gpu_latency *is = caches.latency;
    const uint64_t reached = gpu_find("mi300x")->l2_bytes / gpu_find("mi300x")->l2_parts;
    assert_int_equal(sim_caches_load(&caches, LINE), is->memory + is->tlb_miss);
    for (uint64_t at = 0; at < 2 * reached; at += LINE) {
        sim_caches_load(&caches, at);
    }
    assert_int_equal(sim_caches_load(&caches, LINE), is->l3);
    for (uint64_t page = 1; page < 4 * is->tlb_bytes / is->tlb_page; page++) {
        sim_caches_load(&caches, page * is->tlb_page);
    }
    sim_caches_begin_launch(&caches);
    assert_int_equal(sim_caches_load(&caches, LINE), is->l2 + is->tlb_miss);
    sim_caches_destroy(&caches);
}

static void parts_without_figures_are_refused(void **state) {
    (void)state;
    struct sim_caches caches;
    struct error error = {0};
    assert_int_equal(sim_caches_create(&caches, gpu_find("k40"), &error), STATUS_NO_DEVICE);
    assert_non_null(strstr(error.text, "sim:k40"));
    assert_null(caches.latency);
    assert_null(gpu_latency(gpu_find("k40")));
    assert_ptr_equal(gpu_latency(gpu_find("mi210")), gpu_latency(gpu_find("mi250x")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_divide_each_gpus_cache),
        cmocka_unit_test(caches_keep_what_fits),
        cmocka_unit_test(hashed_sets_fill_by_chance),
        cmocka_unit_test(each_level_answers),
        cmocka_unit_test(copies_push_out_lines_of_the_near_part),
        cmocka_unit_test(copies_crowd_half_of_the_sets),
        cmocka_unit_test(the_first_level_ends_below_its_size),
        cmocka_unit_test(a_third_level_answers_and_translation_adds),
        cmocka_unit_test(parts_without_figures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
