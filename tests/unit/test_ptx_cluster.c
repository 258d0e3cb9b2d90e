// Clusters of several blocks: their ranks, their shared memory, their barrier, copies to all of them, and faults.
#include "tests/unit/sim_fixture.h"

#include <inttypes.h>

#define NEIGHBOUR " add.u32 %n, %k, 1; rem.u32 %n, %n, %size;\n"
#define SYNC " barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
#define TILE " .shared .align 16 .b32 tile[64]; mov.u32 %s, tile; shl.b32 %o, %t, 2; add.u32 %s, %s, %o;\n"

enum {
    THREADS = 64,
    BLOCKS = 8
};

static struct kernel *build(struct device *device, const char *cluster, const char *body, struct error *error) {
    char text[4096];
    struct kernel *kernel = NULL;
    snprintf(
        text, sizeof text,
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) .reqnctapercluster %s {\n"
        " .reg .b32 %%t, %%k, %%n, %%size, %%s, %%o, %%r, %%a, %%b, %%c; .reg .b64 %%in, %%out, %%p, %%w;\n"
        " .reg .pred %%q; .reg .b16 %%h;\n"
        " ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n"
        " mov.u32 %%k, %%cluster_ctarank; mov.u32 %%size, %%cluster_nctarank;\n%s"
        " mov.u32 %%a, %%ctaid.y; mov.u32 %%b, %%nctaid.x; mov.u32 %%c, %%ctaid.x; mad.lo.u32 %%a, %%a, %%b, %%c;\n"
        " mov.u32 %%b, %%ntid.x; mad.lo.u32 %%a, %%a, %%b, %%t; mul.wide.u32 %%w, %%a, 4; add.u64 %%out, %%out, %%w;\n"
        " st.global.u32 [%%out], %%r;\nDone: ret;\n}\n",
        cluster, body);
    const enum status status = build_ptx(device, "k.ptx", text, NULL, &kernel, error);
    return status == STATUS_OK ? kernel : NULL;
}

static enum status run(struct device *device, struct kernel *kernel, struct dimensions grid,
                       uint32_t results[BLOCKS * THREADS], struct error *error) {
    static const uint32_t input[4] = {100, 200, 300, 400};
    const uint64_t in = upload(device, input, sizeof input);
    const uint64_t out = allocate(device, BLOCKS * THREADS * sizeof *results);
    const struct argument arguments[] = {POINTER(in), POINTER(out)};
    const struct launch launch = {.grid = grid, .block = {THREADS, 1, 1}, .arguments = arguments, .argument_count = 2};
    const enum status status = device_launch(device, kernel, &launch, error);
    if (status == STATUS_OK && results) {
        download(device, results, out, BLOCKS * THREADS * sizeof *results);
    }
    return status;
}

// ---- What each thread finds: a number by the block's rank, the cluster's size and the thread ----

static uint32_t of_neighbour(uint32_t rank, uint32_t size, uint32_t thread) {
    return (rank + 1) % size * 1000 + thread;
}

static uint32_t of_former(uint32_t rank, uint32_t size, uint32_t thread) {
    return (rank + size - 1) % size * 1000 + thread;
}

static uint32_t of_ranks(uint32_t rank, uint32_t size, uint32_t thread) {
    (void)thread;
    return rank * 100 + size;
}

static uint32_t of_adders(uint32_t rank, uint32_t size, uint32_t thread) {
    (void)rank;
    return thread == 0 ? size * THREADS : 0;
}

static uint32_t of_multicast(uint32_t rank, uint32_t size, uint32_t thread) {
    (void)rank;
    (void)size;
    return thread < 4 ? 100 * (thread + 1) : 7;
}

static uint32_t of_rounds(uint32_t rank, uint32_t size, uint32_t thread) {
    (void)thread;
    return rank == 0 ? size - 1 : rank;
}

static const struct {
    const char *what, *body;
    uint32_t (*expected)(uint32_t rank, uint32_t size, uint32_t thread);
} cases[] = {
    {"a neighbour's words, by numbers of shared memory",
     TILE NEIGHBOUR " mad.lo.u32 %r, %k, 1000, %t; st.shared.u32 [%s], %r;\n" SYNC
                    " mapa.shared::cluster.u32 %a, %s, %n; ld.shared::cluster.u32 %r, [%a];\n" SYNC,
     of_neighbour},
    {"a neighbour's words, by generic addresses",
     TILE NEIGHBOUR " mad.lo.u32 %r, %k, 1000, %t; st.shared.u32 [%s], %r;\n" SYNC
                    " cvt.u64.u32 %p, %s; cvta.shared.u64 %p, %p; mapa.u64 %p, %p, %n; ld.u32 %r, [%p];\n" SYNC,
     of_neighbour},
    {"a number that another block made of its own memory",
     TILE NEIGHBOUR " mad.lo.u32 %r, %k, 1000, %t; st.shared.u32 [%s], %r;\n" SYNC
                    " mapa.shared::cluster.u32 %a, %s, %k; cvt.u64.u32 %p, %a; cvta.shared::cluster.u64 %p, %p;\n"
                    " mapa.u64 %p, %p, %n; cvta.to.shared::cluster.u64 %p, %p; cvt.u32.u64 %a, %p;\n"
                    " ld.shared::cluster.u32 %r, [%a];\n" SYNC,
     of_neighbour},
    {"ranks",
     TILE " mapa.shared::cluster.u32 %a, %s, %k; getctarank.shared::cluster.u32 %b, %a;\n"
          " getctarank.shared::cluster.u32 %c, %s; setp.ne.u32 %q, %b, %c; selp.u32 %r, 50, 0, %q;\n"
          " mad.lo.u32 %r, %b, 100, %r; add.u32 %r, %r, %size;\n",
     of_ranks},
    {"atomics to the first block's and to all",
     TILE " mov.u32 %r, 0; st.shared.u32 [%s], %r;\n" SYNC " mov.u32 %n, 0;\n"
          "Next: mov.u32 %s, tile; mapa.shared::cluster.u32 %a, %s, %n;\n"
          " red.relaxed.cluster.shared::cluster.add.u32 [%a], 1;\n"
          " add.u32 %n, %n, 1; setp.lt.u32 %q, %n, %size; @%q bra Next;\n" SYNC
          " mov.u32 %s, tile; add.u32 %s, %s, %o; ld.shared.u32 %r, [%s];\n",
     of_adders},
    {"a copy to all blocks",
     TILE
     " .shared .align 8 .b64 arrived; mov.u32 %b, arrived; mov.u32 %r, 7; st.shared.u32 [%s], %r;\n"
     " bar.sync 0; setp.ne.u32 %q, %t, 0; @%q bra Ready;\n"
     " mbarrier.init.shared::cta.b64 [%b], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 16;\n"
     "Ready:" SYNC " or.b32 %a, %t, %k; setp.ne.u32 %q, %a, 0; @%q bra Again; mov.u32 %a, 1; shl.b32 %a, %a, %size;\n"
     " sub.u32 %a, %a, 1; cvt.u16.u32 %h, %a; mov.u32 %c, tile;\n"
     " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%c], [%in], 16, [%b], "
     "%h;\n"
     "Again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra Again; ld.shared.u32 %r, [%s];\n" SYNC,
     of_multicast},
    {"stores to the neighbour that its barrier counts",
     TILE NEIGHBOUR
     " .shared .align 8 .b64 arrived; mov.u32 %b, arrived; setp.ne.u32 %q, %t, 0; @%q bra Ready;\n"
     " mbarrier.init.shared::cta.b64 [%b], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 256;\n"
     "Ready:" SYNC " mad.lo.u32 %r, %k, 1000, %t; mapa.shared::cluster.u32 %a, %s, %n;\n"
     " mapa.shared::cluster.u32 %c, %b, %n;\n"
     " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%a], %r, [%c];\n"
     "Again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra Again; ld.shared.u32 %r, [%s];\n" SYNC,
     of_former},
    {"additions to the neighbour that its barrier counts",
     TILE NEIGHBOUR
     " .shared .align 8 .b64 arrived; mov.u32 %b, arrived; mul.lo.u32 %r, %k, 1000; st.shared.u32 [%s], %t;\n"
     " setp.ne.u32 %q, %t, 0; @%q bra Ready;\n"
     " mbarrier.init.shared::cta.b64 [%b], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 256;\n"
     "Ready:" SYNC " mapa.shared::cluster.u32 %a, %s, %n; mapa.shared::cluster.u32 %c, %b, %n;\n"
     " red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%a], %r, [%c];\n"
     "Again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra Again; ld.shared.u32 %r, [%s];\n" SYNC,
     of_former},
    {"a sum in bulk that the neighbour's barrier counts",
     TILE NEIGHBOUR
     " .shared .align 8 .b64 arrived; .shared .align 16 .b32 mine[64]; mov.u32 %b, arrived; st.shared.u32 [%s], %t;\n"
     " mov.u32 %a, mine; add.u32 %a, %a, %o; mul.lo.u32 %r, %k, 1000; st.shared.u32 [%a], %r;\n"
     " setp.ne.u32 %q, %t, 0; @%q bra Ready;\n"
     " mbarrier.init.shared::cta.b64 [%b], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 256;\n"
     "Ready:" SYNC " mapa.shared::cluster.u32 %c, %b, %n; mov.u32 %b, tile; mapa.shared::cluster.u32 %b, %b, %n;\n"
     " @%q bra Wait;\n"
     " cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%b], [%a], 256, [%c];\n"
     "Wait: mov.u32 %b, arrived;\n"
     "Again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%b], 0; @!%q bra Again; ld.shared.u32 %r, [%s];\n" SYNC,
     of_former},
    // The first block has waited at barriers of its own, in turn with the cluster's, as often as it has neighbours.
    {"barriers of one block between those of all",
     TILE " mov.u32 %r, 0; setp.ne.u32 %q, %k, 0; @%q bra Other;\n"
          "Mine: add.u32 %r, %r, 1; add.u32 %a, %r, 1; bar.sync 0; setp.lt.u32 %q, %a, %size; @%q bra Mine; bra Met;\n"
          "Other: mov.u32 %r, %k;\n"
          "Met:" SYNC,
     of_rounds},
};

static void check(struct device *device, size_t i, const char *cluster, struct dimensions size) {
    const struct dimensions grid = {4, 2, 1};
    uint32_t results[BLOCKS * THREADS];
    struct error error = {0};
    struct kernel *kernel = build(device, cluster, cases[i].body, &error);
    must(kernel ? STATUS_OK : STATUS_FAILED, &error);
    must(run(device, kernel, grid, results, &error), &error);
    for (uint32_t block = 0; block < BLOCKS; block++) {
        const uint32_t x = block % grid.x, y = block / grid.x, rank = y % size.y * size.x + x % size.x;
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            const uint32_t found = results[block * THREADS + thread];
            const uint32_t expected = cases[i].expected(rank, size.x * size.y, thread);
            if (found != expected) {
                fail_msg("%s, clusters of %s: thread %" PRIu32 " of block %" PRIu32 " has %" PRIu32 ", not %" PRIu32,
                         cases[i].what, cluster, thread, block, found, expected);
            }
        }
    }
    device_discard(device, kernel);
}

static void blocks_share_what_they_should(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        check(device, i, "2, 2, 1", (struct dimensions){2, 2, 1});
        check(device, i, "4", (struct dimensions){4, 1, 1});
    }
    device_close(device);
}

// ---- Faults ----

static const struct {
    const char *cluster, *body, *says;
    struct dimensions grid;
} faults[] = {
    {"2",
     TILE NEIGHBOUR " st.shared.u32 [%s], %k; bar.sync 0; mapa.shared::cluster.u32 %a, %s, %n;\n"
                    " ld.shared::cluster.u32 %r, [%a];\n" SYNC,
     "race on shared memory: reads byte 0 of 'tile', which",
     {2, 1, 1}},
    {"2",
     TILE NEIGHBOUR " mapa.shared::cluster.u32 %a, %s, %n; ld.shared::cluster.u32 %r, [%a]; bar.sync 0;\n"
                    " st.shared.u32 [%s], %k;\n" SYNC,
     "with no cluster.sync() between",
     {2, 1, 1}},
    {"2",
     TILE NEIGHBOUR " st.shared.u32 [%s], %k;\n" SYNC " setp.eq.u32 %q, %k, 0; @%q bra Done;\n"
                    " mapa.shared::cluster.u32 %a, %s, %n; ld.shared::cluster.u32 %r, [%a];\n",
     "of the cluster's block 0, which has returned",
     {2, 1, 1}},
    {"2",
     TILE " mapa.shared::cluster.u32 %a, %s, %size; ld.shared::cluster.u32 %r, [%a];\n",
     "outside every buffer",
     {2, 1, 1}},
    {"2",
     TILE NEIGHBOUR " mapa.shared::cluster.u32 %a, %s, %n; ld.shared::cluster.u32 %r, [%a+256];\n",
     "right after the end of 'tile' (256 bytes)",
     {2, 1, 1}},
    {"2", TILE SYNC, "a grid of 3x1x1 blocks is no multiple of its clusters of 2x1x1", {3, 1, 1}},
    {"17", TILE, "a cluster of 17x1x1 blocks: give it 1 to 16", {17, 1, 1}},
};

static void faults_are_named(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(faults); i++) {
        struct error error = {0};
        struct kernel *kernel = build(device, faults[i].cluster, faults[i].body, &error);
        const enum status status = kernel ? run(device, kernel, faults[i].grid, NULL, &error) : STATUS_FAILED;
        if (status == STATUS_OK || !strstr(error.text, faults[i].says)) {
            fail_msg("'%s' is not in '%s'", faults[i].says, error.text);
        }
        if (kernel) {
            device_discard(device, kernel);
        }
    }
    device_close(device);
}

// ---- Counts ----

// A stride of five words: each request has five lines, of which two share a bank of tags at least.
static void loads_of_other_blocks_go_through_the_tags(void **state) {
    (void)state;
    static const struct { uint32_t away, passes; } ways[] = {{0, 1}, {1, 2}};
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(ways); i++) {
        char body[1024];
        struct launch_counts counts;
        struct error error = {0};
        snprintf(body, sizeof body,
                 " .shared .align 128 .b32 wide[320]; mov.u32 %%s, wide; mad.lo.u32 %%s, %%t, 20, %%s;\n"
                 " st.shared.u32 [%%s], %%k;\n" SYNC " add.u32 %%n, %%k, %" PRIu32
                 "; rem.u32 %%n, %%n, %%size; mapa.shared::cluster.u32 %%a, %%s, %%n;\n"
                 " ld.shared::cluster.u32 %%r, [%%a];\n" SYNC,
                 ways[i].away);
        struct kernel *kernel = build(device, "2", body, &error);
        must(kernel ? run(device, kernel, (struct dimensions){2, 1, 1}, NULL, &error) : STATUS_FAILED, &error);
        must(device_counts(device, &counts, &error), &error);
        assert_true(counts.shared_load.requests > 0);
        assert_int_equal(counts.shared_load.passes, ways[i].passes * counts.shared_load.requests);
        device_discard(device, kernel);
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_share_what_they_should),
                                       cmocka_unit_test(faults_are_named),
                                       cmocka_unit_test(loads_of_other_blocks_go_through_the_tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
