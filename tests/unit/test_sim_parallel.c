// Launches on several threads: results, counts and messages are those of one thread.
#include "tests/unit/sim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/launch_state.h"
#include "sim/section.h"
#include "util/clock.h"

static const char file[] = "tests/data/kernels/sim_parallel.cu";

enum {
    BLOCKS = 61,
    THREADS = 256,
    WORDS = BLOCKS * THREADS
};

static const uint32_t thread_counts[] = {2, 3, 7};

// What a launch leaves: two buffers, its counts, and its error.
struct outcome {
    uint32_t words[2][WORDS];
    struct launch_counts counts;
    struct error error;
    enum status status;
};

struct trial {
    const char *entry;
    bool takes_both; // buffers
    struct argument more[2];
    size_t more_count;
    uint64_t simulated_blocks; // 0: all
};

static void launch(const struct trial *trial, const char *gpu, uint32_t threads, struct outcome *outcome) {
    struct device *device = open_sim(gpu);
    struct kernel *kernel;
    struct error error = {0};
    static uint32_t words[WORDS];
    struct argument arguments[4];
    size_t count = 0;
    *outcome = (struct outcome){.status = STATUS_OK};
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = i * 2654435761u;
    }
    sim_set_threads(device, threads, 0);
    device_simulate_blocks(device, trial->simulated_blocks);
    must(try_build(device, file, trial->entry, (struct kernel_constant){NULL, 0}, &kernel, &error), &error);
    const uint64_t buffers[] = {upload(device, words, sizeof words), upload(device, words, sizeof words)};
    for (size_t i = 0; i < 1 + (size_t)trial->takes_both; i++) {
        arguments[count++] = argument_pointer(buffers[i]);
    }
    for (size_t i = 0; i < trial->more_count; i++) {
        arguments[count++] =
            trial->more[i].type == ARGUMENT_POINTER ? argument_pointer(buffers[1] + 4096 * (i + 1)) : trial->more[i];
    }
    outcome->status = try_launch(device, kernel, (struct shape){{BLOCKS, 1, 1}, {THREADS, 1, 1}, 0}, arguments, count,
                                 &outcome->error);
    if (outcome->status == STATUS_OK) {
        outcome->counts = counts_of(device);
    }
    download(device, outcome->words[0], buffers[0], sizeof words);
    download(device, outcome->words[1], buffers[1], sizeof words);
    device_discard(device, kernel);
    device_close(device);
}

// Runs the trial on one thread and on several, on a part whose sectors are small and on one whose sectors are large.
static void compare(const struct trial *trial) {
    static struct outcome one, several;
    static const char *const gpus[] = {"h200", "mi210"};
    for (size_t g = 0; g < LENGTH(gpus); g++) {
        launch(trial, gpus[g], 1, &one);
        for (size_t i = 0; i < LENGTH(thread_counts); i++) {
            launch(trial, gpus[g], thread_counts[i], &several);
            assert_int_equal(several.status, one.status);
            assert_string_equal(several.error.text, one.error.text);
            assert_memory_equal(several.words, one.words, one.status == STATUS_OK ? sizeof one.words : 0);
            assert_memory_equal(&several.counts, &one.counts, sizeof one.counts);
        }
    }
}

static void blocks_apart(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "apart", .takes_both = true});
}

static void sampled_blocks(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "apart", .takes_both = true, .simulated_blocks = 23});
}

static void blocks_that_read_what_others_write(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "from_neighbour"});
    compare(&(struct trial){.entry = "last_stores", .takes_both = true});
}

static void blocks_that_write_the_same_bytes(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "overwrite"});
}

static void blocks_that_write_by_strides(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "strided", .takes_both = true});
}

enum {
    PAGES_BLOCK_BYTES = THREADS * 512 * 4, // that a block of over_pages has
    PAGES_BLOCKS_MAX = 144
};

// Runs over_pages twice, because the second launch finds what the first one's workers left. Returns the blocks that
// ran in workers.
static uint32_t write_over_pages(uint32_t blocks, uint32_t threads, uint32_t *content) {
    struct device *device = open_sim("h200");
    struct kernel *kernel;
    struct error error = {0};
    uint32_t processes[PAGES_BLOCKS_MAX], elsewhere = 0;
    const size_t bytes = (size_t)blocks * PAGES_BLOCK_BYTES;
    const uint64_t out = allocate(device, bytes), tells = allocate(device, sizeof processes);
    const struct argument arguments[] = {argument_pointer(out), argument_pointer(tells)};
    sim_set_threads(device, threads, 0);
    must(try_build(device, file, "over_pages", (struct kernel_constant){NULL, 0}, &kernel, &error), &error);
    for (int i = 0; i < 2; i++) {
        const struct shape shape = {{blocks, 1, 1}, {THREADS, 1, 1}, 0};
        must(try_launch(device, kernel, shape, arguments, LENGTH(arguments), &error), &error);
    }
    download(device, content, out, bytes);
    download(device, processes, tells, blocks * sizeof *processes);
    device_discard(device, kernel);
    device_close(device);
    for (uint32_t i = 0; i < blocks; i++) {
        elsewhere += processes[i] != (uint32_t)getpid();
    }
    return elsewhere;
}

static void blocks_that_share_large_pages(void **state) {
    (void)state;
    static const uint32_t sizes[] = {11, PAGES_BLOCKS_MAX}; // 5.5 and 72 MiB
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const size_t bytes = (size_t)sizes[i] * PAGES_BLOCK_BYTES;
        uint32_t *one = malloc(bytes), *several = malloc(bytes);
        assert_true(one && several);
        assert_int_equal(write_over_pages(sizes[i], 1, one), 0);
        for (uint32_t threads = 2; threads <= 3; threads++) {
            assert_int_equal(write_over_pages(sizes[i], threads, several), sizes[i] - 1);
            assert_int_equal(memcmp(one, several, bytes), 0);
        }
        free(one);
        free(several);
    }
}

static void atomics_in_order(void **state) {
    (void)state;
    compare(&(struct trial){
        .entry = "in_order", .takes_both = true, .more = {{.type = ARGUMENT_POINTER}}, .more_count = 1});
}

static void file_scope_data(void **state) {
    (void)state;
    compare(&(struct trial){.entry = "file_scope"});
}

static void workers_that_are_killed(void **state) {
    (void)state;
    compare(&(struct trial){
        .entry = "kills_workers", .more = {{ARGUMENT_U32, {.u32 = (uint32_t)getpid()}}}, .more_count = 1});
}

static void the_first_fault(void **state) {
    (void)state;
    for (uint32_t from = 1; from < BLOCKS; from += 17) {
        const struct argument first = {ARGUMENT_U32, {.u32 = from}};
        static struct outcome outcome;
        const struct trial race = {.entry = "races", .more = {first}, .more_count = 1};
        char block[32];
        compare(&race);
        launch(&race, "h200", 3, &outcome);
        snprintf(block, sizeof block, "block (%u,0,0)", from);
        assert_non_null(strstr(outcome.error.text, block));
        assert_non_null(strstr(outcome.error.text, "race on shared memory"));
    }
}

// A message has addresses, which are the same only within one device.
static void the_first_stray(void **state) {
    (void)state;
    static struct outcome outcome;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        launch(&(struct trial){.entry = "strays", .more = {{ARGUMENT_U32, {.u32 = 30}}}, .more_count = 1}, "h200",
               thread_counts[i], &outcome);
        assert_int_equal(outcome.status, STATUS_FAILED);
        assert_non_null(strstr(outcome.error.text, "block (30,0,0), thread (0,0,0)"));
    }
}

// What they print comes in the order of the blocks.
static void printing_blocks(void **state) {
    (void)state;
    static struct outcome outcome;
    const int kept = dup(STDOUT_FILENO);
    FILE *out = tmpfile();
    assert_non_null(out);
    fflush(stdout);
    dup2(fileno(out), STDOUT_FILENO);
    launch(&(struct trial){.entry = "prints"}, "h200", 3, &outcome);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(out);
    unsigned block, expected = 0;
    while (fscanf(out, "block %u ", &block) == 1) {
        assert_int_equal(block, expected++);
    }
    fclose(out);
    assert_int_equal(expected, BLOCKS);
}

// The slices of L2 follow from the addresses that the GPU has, which are the same in every run.
static void atomics_wherever_the_host_has_the_buffers(void **state) {
    (void)state;
    static struct outcome here, there;
    const struct trial trial = {.entry = "scattered_atomics"};
    launch(&trial, "h200", 1, &here);
    for (int i = 0; i < 8; i++) {
        struct device *other = open_sim("h200");
        allocate(other, 12345u << i);
        launch(&trial, "h200", 1, &there);
        assert_memory_equal(&here.counts, &there.counts, sizeof here.counts);
        device_close(other);
    }
}

// Ten blocks of a second each are left, and one has run.
static bool pays(struct sim_setback setback) {
    struct sim_module module = {.program = NULL};
    struct sim_contention contention = {.used = 0};
    struct sim_launch launch = {
        .module = &module, .contention = &contention, .threads = {2, 0.03}, .setback = &setback};
    const struct sim_blocks blocks = {.next = 1, .end = 11, .block_s = 1, .spent_s = 1, .here = 1};
    return sim_section_pays(&launch, &blocks);
}

// Blocks that disturb one another will always do so, but a section that took too long is tried again.
static void sections_after_a_setback(void **state) {
    (void)state;
    assert_true(pays((struct sim_setback){0}));
    assert_true(pays((struct sim_setback){"slow", clock_processor_s()}));
    assert_false(pays((struct sim_setback){"slow", clock_processor_s() + 100}));
    assert_false(pays((struct sim_setback){"disturbed", INFINITY}));
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_apart),
        cmocka_unit_test(sampled_blocks),
        cmocka_unit_test(blocks_that_read_what_others_write),
        cmocka_unit_test(blocks_that_write_the_same_bytes),
        cmocka_unit_test(blocks_that_write_by_strides),
        cmocka_unit_test(blocks_that_share_large_pages),
        cmocka_unit_test(atomics_in_order),
        cmocka_unit_test(file_scope_data),
        cmocka_unit_test(workers_that_are_killed),
        cmocka_unit_test(the_first_fault),
        cmocka_unit_test(the_first_stray),
        cmocka_unit_test(printing_blocks),
        cmocka_unit_test(atomics_wherever_the_host_has_the_buffers),
        cmocka_unit_test(sections_after_a_setback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
    return run_all();
}
