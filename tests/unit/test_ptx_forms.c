// Forms of PTX's instructions that tests/data/ptx/operations does not hold: what the PTX ISA says of them, for chosen
// inputs.
#include "tests/unit/sim_fixture.h"

#include <inttypes.h>

#include "tests/data/ptx/operations.h"

#define HEAD ".version 8.8\n.target sm_90a\n.address_size 64\n"

// ---- One result of up to three operands ----

static const struct {
    struct operation operation;
    uint64_t inputs[3], expected;
} forms[] = {
    // Subnormal numbers of bf16 are as small as those of f32.
    {{false, 'b', "h", "ex2.approx.ftz.bf16 D, A;"}, {0xc1a0}, 0x3580}, // 2^-20
    {{false, 'w', "w", "ex2.approx.ftz.bf16x2 D, A;"}, {0xc1a0c1a0}, 0x35803580},
    {{false, 'h', "h", "tanh.approx.bf16 D, A;"}, {0x3f80}, 0x3f43},
    // The sign of the product of both, and the magnitude of one.
    {{false, 'w', "ww", "min.xorsign.abs.f32 D, A, B;"}, {0xc0400000, 0x40000000}, 0xc0000000}, // of -3 and 2
    {{false, 'w', "ww", "max.xorsign.abs.f32 D, A, B;"}, {0xc0400000, 0xc0000000}, 0x40400000},
    {{false, 'w', "ww", "min.NaN.xorsign.abs.f16x2 D, A, B;"}, {0xc2004000, 0x4000c200}, 0xc000c000},
    {{false, 'w', "ww", "max.relu.s32 D, A, B;"}, {0xfffffff0, 0xfffffffe}, 0},
    {{false, 'w', "ww", "min.relu.s16x2 D, A, B;"}, {0x0005fff0, 0x00070003}, 0x00050000},
    // .ftz of halves: 2^-24 is 0.
    {{false, 'p', "hh", "setp.lt.ftz.f16 D, A, B;"}, {1, 2}, 0},
    {{false, 'p', "hh", "setp.lt.f16 D, A, B;"}, {1, 2}, 1},
    {{false, 'w', "ww", "{ .reg .pred q; setp.lt.ftz.f16x2 q|%yes, A, B; selp.b32 D, 1, 0, %yes; }"},
     {1 << 16, 2 << 16},
     0},
    {{false, 'w', "hh", "set.lt.ftz.u32.f16 D, A, B;"}, {1, 2}, 0},
    // .sat of whole numbers; .relu; .satfinite.
    {{false, 'w', "w", "cvt.rz.sat.f32.s32 D, A;"}, {5}, 0x3f800000},
    {{false, 'w', "w", "cvt.rn.sat.f32.s32 D, A;"}, {0xfffffffb}, 0},
    {{false, 'h', "w", "cvt.rn.sat.f16.s32 D, A;"}, {5}, 0x3c00},
    {{false, 'h', "w", "cvt.rn.f16.s32 D, A;"}, {5}, 0x4500},
    {{false, 'w', "ww", "cvt.rn.relu.f16x2.f32 D, A, B;"}, {0xc0000000, 0x40000000}, 0x00004000},
    {{false, 'h', "ww", "cvt.rn.satfinite.relu.e4m3x2.f32 D, A, B;"}, {0x47000000, 0xc0000000}, 0x7e00},
    {{false, 'h', "w", "cvt.rn.satfinite.f16.f32 D, A;"}, {0x7f800000}, 0x7bff},
    {{false, 'w', "w", "cvt.rna.satfinite.tf32.f32 D, A;"}, {0x7f800000}, 0x7f7fe000},
    {{false, 'w', "w", "cvt.rna.tf32.f32 D, A;"}, {0x7f800000}, 0x7f800000},
    {{false, 'w', "w", "cvt.rn.relu.tf32.f32 D, A;"}, {0xc0000000}, 0},
    {{false, 'h', "h", "cvt.rn.bf16.f16 D, A;"}, {0x3c01}, 0x3f80},
    {{false, 'w', "h", "cvt.rni.s32.bf16 D, A;"}, {0xc020}, 0xfffffffe}, // -2.5
    // The high 32 of 48 bits: 0x7fffff * -2 >> 16 is -256.
    {{false, 'w', "www", "mad24.hi.s32 D, A, B, C;"}, {0x007fffff, 0x00fffffe, 3}, 0xffffff03},
    {{false, 'w', "www", "mad24.hi.u32 D, A, B, C;"}, {0xff800000, 0xff000002, 3}, 0x00000103},
    {{false, 'w', "www", "mad24.hi.sat.s32 D, A, B, C;"}, {0x007fffff, 0x007fffff, 0x7fffffff}, 0x7fffffff},
};

static void write_form(FILE *out, size_t i) {
    const uint64_t *in = forms[i].inputs;
    for (size_t n = 0; n < 3; n++) {
        fprintf(out, "mov.u64 %%%cx, %" PRIu64 "; cvt.u32.u64 %%%cw, %%%cx; cvt.u16.u64 %%%ch, %%%cx;\n",
                (char)('a' + n), in[n], (char)('a' + n), (char)('a' + n), (char)('a' + n), (char)('a' + n));
    }
    operation_write(out, &forms[i].operation, i);
}

static char *forms_ptx(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(HEAD ".entry k(.param .u64 out) {\n .reg .b16 %ah, %bh, %ch, %dh; .reg .b32 %aw, %bw, %cw, %dw;\n"
               " .reg .b64 %ax, %bx, %cx, %dx, %out, %result; .reg .pred %dp, %yes; ld.param.u64 %out, [out];\n",
          out);
    for (size_t i = 0; i < LENGTH(forms); i++) {
        write_form(out, i);
    }
    fputs("ret;\n}\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void forms_by_the_isa(void **state) {
    (void)state;
    static uint64_t results[LENGTH(forms)][OPERATION_THREADS];
    struct device *device = open_sim("h200");
    struct error error = {0};
    struct kernel *kernel;
    char *text = forms_ptx();
    const uint64_t out = allocate(device, sizeof results);
    const struct argument arguments[] = {POINTER(out)};
    must(build_ptx(device, "forms.ptx", text, NULL, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(1), arguments, 1, &error), &error);
    download(device, results, out, sizeof results);
    for (size_t i = 0; i < LENGTH(forms); i++) {
        if (results[i][0] != forms[i].expected) {
            fail_msg("%s: %" PRIx64 ", not %" PRIx64, forms[i].operation.text, results[i][0], forms[i].expected);
        }
    }
    device_discard(device, kernel);
    device_close(device);
    free(text);
}

// ---- Small kernels, whose threads each store a word ----

enum {
    WORDS = 5 // of the input, which is as long as the loads may reach
};

#define BARRIER ".shared .align 8 .b64 barrier; mov.u64 %a, barrier; "
#define DONE " selp.u32 %r, 1, 0, %q;"

static const struct {
    const char *variables, *body; // the result is in %r, the thread in %t, the input's address in %in
    uint32_t threads;
    int32_t first, step; // the result of thread t is first + step * t
} kernels[] = {
    // The threads of a cluster's only block wait for each other.
    {"",
     ".shared .b32 words[64]; shl.b32 %s, %t, 2; mov.u32 %r, words; add.u32 %r, %r, %s; st.shared.u32 [%r], %t;\n"
     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
     "sub.u32 %s, 252, %s; mov.u32 %r, words; add.u32 %r, %r, %s; ld.shared.u32 %r, [%r];",
     64, 63, -1},
    // Two groups of eight lanes, each of which names its own lanes: 170 + 8 + 255 in both.
    {"",
     ".reg .b32 %base, %mask; and.b32 %base, %t, 8; shl.b32 %mask, 255, %base; and.b32 %s, %t, 1; setp.ne.u32 %q, %s, "
     "0;\n"
     "vote.sync.ballot.b32 %r, %q, %mask; shr.u32 %r, %r, %base; redux.sync.add.u32 %s, 1, %mask; add.u32 %r, %r, %s;\n"
     "match.any.sync.b32 %s, 5, %mask; shr.u32 %s, %s, %base; add.u32 %r, %r, %s; setp.ge.u32 %q, %t, 8;\n"
     "vote.sync.any.pred %q, %q, %mask; selp.u32 %s, 125, 0, %q; mul.lo.u32 %s, %s, 8; add.u32 %r, %r, %s;\n"
     "mul.lo.u32 %s, %base, 125; sub.u32 %r, %r, %s;",
     16, 433, 0},
    // A generic address of an mbarrier.
    {"",
     BARRIER "cvta.shared.u64 %a, %a; mbarrier.init.b64 [%a], 1; mbarrier.arrive.b64 %b, [%a];\n"
             "mbarrier.test_wait.b64 %q, [%a], %b;" DONE,
     1, 1, 0},
    // 65,536 arrivals are missing, though all bytes have come.
    {"",
     BARRIER "mbarrier.init.shared.b64 [%a], 65536; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%a], 16;\n"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%a], 16; mbarrier.test_wait.parity.shared.b64 %q, "
             "[%a], 0;" DONE,
     1, 0, 0},
    // A copy of 4 of 16 bytes reads no more than these, which are the input's last.
    {"",
     ".shared .align 16 .b8 tile[32]; mov.u32 %r, tile; st.shared.u32 [%r+4], %t; mov.u32 %s, 4;\n"
     "cp.async.ca.shared.global [%r], [%in+16], 16, %s; cp.async.wait_all;\n"
     "ld.shared.u32 %s, [%r+4]; ld.shared.u32 %r, [%r]; add.u32 %r, %r, %s;",
     1, 50, 0},
    {"",
     ".shared .align 16 .b8 tile[16]; mov.u32 %r, tile; mov.u32 %s, 12;\n"
     "cp.async.ca.shared.global [%r], [%in], 16, %s; cp.async.wait_all; ld.shared.u32 %r, [%r+8];",
     1, 30, 0},
    // The input's first four numbers grow by those of shared memory.
    {"",
     ".shared .align 16 .b32 tile[4]; mov.u32 %r, tile; mov.u32 %s, 7; st.shared.v4.u32 [%r], {%s, %t, %s, %s};\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%in], [%r], 16; cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0; ld.global.u32 %r, [%in+8];",
     1, 37, 0},
    {"",
     ".shared .align 16 .b32 tile[4]; mov.u32 %r, tile; mov.u32 %s, 25; st.shared.v4.u32 [%r], {%s, %s, %s, %s};\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%in], [%r], 16; cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0; ld.global.u32 %r, [%in+4];",
     1, 25, 0},
    // Compilers put a member's offset into an aligned address by `or`.
    {"",
     ".local .b8 odd[24]; .local .align 128 .b8 stack[256]; st.local.u8 [odd], 0; mov.u64 %a, stack; and.b64 %a, %a, "
     "127; "
     "cvt.u32.u64 %r, %a;",
     1, 0, 0},
    // Decimal numbers of a variable, and an array that its values give a size.
    {".global .f32 numbers[2] = {1.5, -2.5};\n", "ld.global.f32 %s, [numbers+4]; cvt.rzi.s32.f32 %r, %s;", 1, -2, 0},
    {".global .u32 numbers[] = {3, 4, 5};\n", "ld.global.u32 %r, [numbers+8];", 1, 5, 0},
};

static void check_kernel(struct device *device, size_t i) {
    static const int32_t input[WORDS] = {10, 20, 30, 40, 50};
    char text[2048];
    int32_t results[64];
    struct error error = {0};
    struct kernel *kernel;
    snprintf(text, sizeof text,
             HEAD "%s.entry k(.param .u64 in, .param .u64 out) {\n"
                  ".reg .b32 %%r, %%s, %%t; .reg .b64 %%a, %%b, %%in, %%out; .reg .pred %%q;\n"
                  "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n%s\n"
                  "mul.wide.u32 %%a, %%t, 4; add.u64 %%out, %%out, %%a; st.global.u32 [%%out], %%r;\nret;\n}\n",
             kernels[i].variables, kernels[i].body);
    const uint64_t in = upload(device, input, sizeof input), out = allocate(device, sizeof results);
    const struct argument arguments[] = {POINTER(in), POINTER(out)};
    must(build_ptx(device, "k.ptx", text, NULL, &kernel, &error), &error);
    must(try_launch(device, kernel, one_block(kernels[i].threads), arguments, 2, &error), &error);
    download(device, results, out, sizeof results);
    for (int32_t thread = 0; thread < (int32_t)kernels[i].threads; thread++) {
        if (results[thread] != kernels[i].first + kernels[i].step * thread) {
            fail_msg("%s: %d in thread %d", kernels[i].body, results[thread], thread);
        }
    }
    device_discard(device, kernel);
}

static void small_kernels(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        check_kernel(device, i);
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_by_the_isa), cmocka_unit_test(small_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
