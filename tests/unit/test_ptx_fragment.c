// Matrices as fragments in PTX: the requests of wmma, which an H200 counts as well, and what is refused.
#include "sim/lines.h"
#include "sim/sim.h"
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

// ---- Products that are not computed ----

// Shared memory holds A, 64 rows of 32 bytes, and from byte 4096 on B, 32 columns of 32 bytes, or 64 of a sparse
// product.
static const struct {
    const char *body;
    double requests, passes; // of shared memory, by four warps
} left_out[] = {
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, {%a0, %a1}, {%a2, "
     "%a3}, "
     "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};",
     0, 0},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a0, %a1, %a2, "
     "%a3}, {%d0, %d1, %d2, %d3}, %a0, 0x0;",
     0, 0},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1}, {%a2, "
     "%a3}, {%d0, %d1, %d2, %d3}, %a0, 0x0;",
     0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%d0, %d1, "
     "%d2, %d3}, {%a0, %a1, %a2, %a3}, {%a0, %a1}, {%d0, %d1, %d2, %d3}, %a0, {0, 0}, %a1, {0, 0};",
     0, 0},
    {"wgmma.mma_async.sync.aligned.m64n32k256.s32.b1.b1.and.popc {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8, %d9, "
     "%d10, %d11, %d12, %d13, %d14, %d15}, %x, %y, %p;",
     8, 24},
    {"wgmma.mma_async.sp.sync.aligned.m64n32k32.f32.f16.f16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8, %d9, %d10, "
     "%d11, %d12, %d13, %d14, %d15}, %x, %y, %a0, 0, %p, 1, 1, 0, 0;",
     8, 32},
};

static const char product_head[] =
    ".version 8.3\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 out, .param .u64 a, .param .u64 b) {\n"
    " .reg .b32 %a<4>, %d<16>, %t; .reg .b64 %o, %w, %x, %y; .reg .pred %p; .shared .align 128 .b8 tiles[8192];\n"
    " ld.param.u64 %o, [out]; ld.param.u64 %x, [a]; ld.param.u64 %y, [b]; mov.u32 %t, tiles;\n"
    " mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4;\n"
    " add.u64 %o, %o, %w; setp.eq.u32 %p, 0, 0; mov.u32 %d0, 1;\n";

// Without a swizzle: runs of 16 bytes of eight lines, 128 bytes to the next along K, `stride` to the next eight lines.
static uint64_t plain_matrix(uint64_t place, uint64_t stride) {
    return place >> 4 | UINT64_C(128 >> 4) << 16 | stride >> 4 << 32;
}

static void products_that_are_left_out(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(left_out); i++) {
        char text[2048], place[32];
        uint32_t results[128];
        struct error error = {0};
        struct kernel *kernel;
        snprintf(text, sizeof text, "%s %s\n st.global.u32 [%%o], %%d0;\n ret;\n}\n", product_head, left_out[i].body);
        const struct kernel_source source = {"left_out.ptx", text};
        const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
        const uint64_t out = allocate(device, sizeof results);
        const uint64_t b_stride = strstr(left_out[i].body, ".sp.") ? 512 : 256;
        const struct argument arguments[] = {POINTER(out), POINTER(plain_matrix(0, 256)),
                                             POINTER(plain_matrix(4096, b_stride))};
        must(device_build(device, &request, &kernel, &error), &error);
        snprintf(place, sizeof place, "left_out.ptx:%d: %.5s", 9, left_out[i].body);
        assert_non_null(sim_kernel_note(kernel));
        assert_memory_equal(sim_kernel_note(kernel), place, strlen(place));
        must(try_launch(device, kernel, one_block(128), arguments, 3, &error), &error);
        download(device, results, out, sizeof results);
        const struct launch_counts counts = counts_of(device);
        if (results[5] != UINT32_MAX || counts.shared_load.requests != left_out[i].requests ||
            counts.shared_load.passes != left_out[i].passes) {
            fail_msg("%s: %g requests, %g passes", left_out[i].body, counts.shared_load.requests,
                     counts.shared_load.passes);
        }
        device_discard(device, kernel);
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_count_as_on_an_h200), cmocka_unit_test(refused),
                                       cmocka_unit_test(products_that_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
