// Matrices as fragments in PTX: the requests of wmma, which an H200 counts as well, and what is refused.
#include "device/sim/lines.h"
#include "tests/unit/sim_fixture.h"

// Counted by ncu on an H200, one kernel for each row: requests, and sectors or passes. Shared memory is stored to
// first.
static const struct move {
    const char *opcode; // after "wmma."; of m16n16k16
    int stride;
    double requests, cost;
} moves[] = {
    {"load.a.sync.aligned.row.m16n16k16.global.f16", 16, 4, 32},
    {"load.a.sync.aligned.col.m16n16k16.global.f16", 24, 4, 32},
    {"load.b.sync.aligned.row.m16n16k16.global.f16", 24, 4, 32},
    {"load.b.sync.aligned.col.m16n16k16.global.f16", 16, 4, 32},
    {"load.c.sync.aligned.row.m16n16k16.global.f32", 16, 4, 32},
    {"load.c.sync.aligned.col.m16n16k16.global.f32", 16, 8, 32},
    {"load.c.sync.aligned.row.m16n16k16.global.f16", 16, 4, 32},
    {"load.c.sync.aligned.col.m16n16k16.global.f16", 16, 4, 32},
    {"store.d.sync.aligned.row.m16n16k16.global.f32", 16, 4, 32},
    {"store.d.sync.aligned.col.m16n16k16.global.f32", 16, 8, 32},
    {"store.d.sync.aligned.row.m16n16k16.global.f16", 16, 4, 32},
    {"store.d.sync.aligned.col.m16n16k16.global.f16", 16, 4, 32},
    {"load.a.sync.aligned.row.m16n16k16.shared.f16", 16, 1, 8},
    {"load.a.sync.aligned.col.m16n16k16.shared.f16", 24, 1, 4},
    {"load.b.sync.aligned.row.m16n16k16.shared.f16", 24, 1, 4},
    {"load.b.sync.aligned.col.m16n16k16.shared.f16", 16, 1, 8},
    {"load.c.sync.aligned.row.m16n16k16.shared.f32", 16, 4, 16},
    {"load.c.sync.aligned.col.m16n16k16.shared.f32", 16, 8, 32},
    {"load.c.sync.aligned.row.m16n16k16.shared.f16", 16, 4, 8},
    {"load.c.sync.aligned.col.m16n16k16.shared.f16", 16, 4, 8},
    {"store.d.sync.aligned.row.m16n16k16.shared.f32", 16, 4, 16},
    {"store.d.sync.aligned.col.m16n16k16.shared.f32", 16, 8, 32},
    {"store.d.sync.aligned.row.m16n16k16.shared.f16", 16, 4, 8},
    {"store.d.sync.aligned.col.m16n16k16.shared.f16", 16, 4, 8},
};

enum {
    FIRST_LINE = 8, // of the moves
    BYTES = 4096
};

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".entry k(.param .u64 matrix) {\n"
                           " .reg .b32 %r<8>, %h; .reg .b64 %p;\n .shared .align 128 .b8 matrices[4096];\n"
                           " ld.param.u64 %p, [matrix]; mov.u32 %h, matrices;\n";

static char *text_of_moves(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(head, out);
    for (size_t i = 0; i < LENGTH(moves); i++) {
        const char *opcode = moves[i].opcode, *address = strstr(opcode, "shared") ? "[%h]" : "[%p]";
        const bool few = (strstr(opcode, "load.c") || strstr(opcode, "store.d")) && strstr(opcode, "f16");
        const char *list = few ? "{%r0, %r1, %r2, %r3}" : "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}";
        const bool store = strncmp(opcode, "store", 5) == 0;
        fprintf(out, " wmma.%s %s, %s, %d; bar.warp.sync -1;\n", opcode, store ? address : list, store ? list : address,
                moves[i].stride);
    }
    fputs(" ret;\n}\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static struct memory_counts counts_of_line(const struct launch_counts *counts, const char *opcode) {
    const bool store = strncmp(opcode, "store", 5) == 0, shared = strstr(opcode, "shared") != NULL;
    return shared ? (store ? counts->shared_store : counts->shared_load)
                  : (store ? counts->global_store : counts->global_load);
}

static void moves_count_as_on_an_h200(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    struct sim_line *lines;
    size_t count;
    char *text = text_of_moves();
    const struct kernel_source source = {"fragment.ptx", text};
    const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
    const struct argument argument = POINTER(allocate(device, BYTES));
    must(device_build(device, &request, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(32), &argument, 1, &error), &error);
    must(sim_lines(device, &lines, &count, &error), &error);
    assert_int_equal(count, LENGTH(moves));
    for (size_t i = 0; i < count; i++) {
        const struct memory_counts found = counts_of_line(&lines[i].counts, moves[i].opcode);
        const double cost = strstr(moves[i].opcode, "shared") ? found.passes : found.sectors;
        if (lines[i].number != FIRST_LINE + i || found.requests != moves[i].requests || cost != moves[i].cost) {
            fail_msg("%s, stride %d: %g requests, %g", moves[i].opcode, moves[i].stride, found.requests, cost);
        }
    }
    free(lines);
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

static void refused(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%p], 32;",
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0}, [%p], 16;",
        "wmma.load.a.sync.aligned.row.global.f16 {%r0, %r1}, [%p], 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 %r0, [%p], 16;"};
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(bodies); i++) {
        char text[1024];
        struct error error = {0};
        struct kernel *kernel;
        snprintf(text, sizeof text, "%s %s\n ret;\n}\n", head, bodies[i]);
        const struct kernel_source source = {"fragment.ptx", text};
        const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
        assert_int_equal(device_build(device, &request, &kernel, &error), STATUS_FAILED);
        if (!strstr(error.text, "fragment.ptx:8: wmma")) {
            fail_msg("%s: %s", bodies[i], error.text);
        }
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_count_as_on_an_h200), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
