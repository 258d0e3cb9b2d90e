// The simulator's changes to a kernel's source and to its assembly.
#include "tests/unit/sim_fixture.h"

#include "sim/compile/assembly.h"
#include "sim/compile/text.h"

static void check_text(const char *text, bool gcc, const char *expected) {
    char *result = sim_source_text("a\"b.cu", text, 64, gcc);
    assert_memory_equal(result, "#line 1 \"a\\\"b.cu\"\n", 18);
    if (strncmp(result + 18, expected, strlen(expected))) {
        fail_msg("found:\n%s", result + 18);
    }
    free(result);
}

static void source_text(void **state) {
    (void)state;
    check_text("extern \"C\" __global__ void f();", true, "           __global__ void f();");
    check_text("extern \"C\" {\nint a; /* } */ struct { int b; } c;\n}\nint d;", true,
               "            \nint a; /* } */ struct { int b; } c;\n \nint d;");
    check_text("extern __shared__ float a[];", true, "extern            float a[] __asm__(\"sim_dynamic_shared\");");
    check_text("// extern __shared__ float a[];\nint my_extern;", true,
               "// extern __shared__ float a[];\nint my_extern;");
    check_text("#pragma unroll\nfor", true, "SIM_UNROLL()\nfor");
    check_text("#  pragma unroll 4\nfor", true, "SIM_UNROLL( 4)\nfor");
    check_text("#pragma unroll N // all\nfor", true, "SIM_UNROLL( N )// all\nfor");
    check_text("#pragma unroll /* a\nb */ 4\nfor", true, "SIM_UNROLL( /* a\nb */ 4)\nfor");
    check_text("_Pragma(\"unroll\") for", true, "SIM_UNROLL(8) for");
    check_text("_Pragma( \\\n \"unroll 2\") for", true, "SIM_UNROLL( 2)\\\n for");
    check_text("_Pragma(\"once\") my_Pragma(\"unroll\")", true, "_Pragma(\"once\") my_Pragma(\"unroll\")");
    check_text("#pragma unroll 4", true, "SIM_UNROLL( 4)\n#line 1 \"simulator\"");
    check_text("static __global__ void f() { static int a; }", true, "       __global__ void f() { static int a; }");
    check_text("static inline __global__ void f();", true, "       inline __global__ void f();");
    check_text("__global__ static void f();\nstatic int g();", true, "__global__        void f();\nstatic int g();");
    check_text("\xef\xbb\xbfint a;", true, "int a;");
    check_text("#pragma unroll\nfor", false, "#pragma unroll\nfor");
}

static void assembly_text(void **state) {
    (void)state;
#if defined(__x86_64__)
    char *text = sim_assembly_text("\tcall\t__sanitizer_cov_trace_pc@PLT\n\tcmpl $1, %eax\n\tjne\t.L2\n"
                                   "\tcall\t__sanitizer_cov_trace_pc@PLT\n\tjmp\t.L3\n"
                                   "\tcall\t__sanitizer_cov_trace_pc@PLT\n\tjmp\t*%rax\n"
                                   ".L4:\n.LVL1:\n\t.loc 1\n\tjmp\t.L4\n.L5:\n\tnop\n\tjmp\t.L5\n");
    if (!strstr(text, "\tcall\tsim_branch@PLT\n.Lbankshot_site0:\n\tcmpl $1, %eax\n\tjne\t.L2\n"
                      "\tcall\t__sanitizer_cov_trace_pc@PLT\n\tjmp\t.L3\n"
                      "\tcall\tsim_branch@PLT\n.Lbankshot_site1:\n\tjmp\t*%rax\n"
                      ".L4:\n.LVL1:\n\t.loc 1\n\tcall\t__sanitizer_cov_trace_pc\n\tjmp\t.L4\n"
                      ".L5:\n\tnop\n\tjmp\t.L5\n")) {
        fail_msg("found:\n%s", text);
    }
    free(text);
#endif
}

// A block's announcement becomes sim_branch's if this line ends it.
static void check_chooses(const char *line, bool expected) {
#if defined(__aarch64__)
    static const char call[] = "\tbl\t";
#else
    static const char call[] = "\tcall\t";
#endif
    char assembly[128];
    snprintf(assembly, sizeof assembly, "%s__sanitizer_cov_trace_pc\n%s\n\t.cfi_endproc\n", call, line);
    char *text = sim_assembly_text(assembly);
    if ((strstr(text, "sim_branch") != NULL) != expected) {
        fail_msg("%s\nis a choice: %d", line, !expected);
    }
    free(text);
}

// gcc and clang spell jumps differently.
static void choices_are_found(void **state) {
    (void)state;
#if defined(__x86_64__)
    check_chooses("\tjmp\t*%rax", true);
    check_chooses("\tjmpq\t*.LJTI0_0(,%rax,8)", true);
    check_chooses("\tnotrack jmp\t*%rax", true);
    check_chooses("\tnotrack\t\tjmpq\t*%rax", true);
    check_chooses("\tjae\t.L3", true);
    check_chooses("\tjmp\t.L3", false);
#elif defined(__aarch64__)
    check_chooses("\tbr\tx0", true);
    check_chooses("\tbls\t.L3", true);
    check_chooses("\tb.ls\t.L3", true);
    check_chooses("\ttbnz\tw0, 1, .L3", true);
    check_chooses("\tb\t.L3", false);
    check_chooses("\tbsl\tv0.16b, v1.16b, v2.16b", false);
    check_chooses("\tbti\tj", false);
    check_chooses("\ttbl\tv0.16b, {v1.16b}, v2.16b", false);
#endif
}

#if defined(__x86_64__)
// The table that follows from a kernel with this jump, in which no line falls through to the second access.
static char *table_after(const char *jump) {
    char assembly[256];
    snprintf(assembly, sizeof assembly,
             "\t.cfi_startproc\n\tcall\t__tsan_read4\n\tmovq\t(%%rbx), %%rbp\n\t%s\n.L4:\n\tmovq\t%%rbp, %%rdi\n"
             "\tcall\t__tsan_read4\n\t.cfi_endproc\n",
             jump);
    char *text = sim_assembly_text(assembly), *table = memory_copy(strstr(text, "bankshot_sites"));
    free(text);
    return table;
}
#endif

// Control-flow enforcement, which some systems' compilers turn on, changes neither instructions nor what loads wait
// for.
static void enforcement_counts_nothing(void **state) {
    (void)state;
#if defined(__x86_64__)
    char *plain = table_after("jmp\t*%rax"), *enforced = table_after("notrack jmp\t*%rax");
    assert_string_equal(plain, enforced);
    free(plain);
    free(enforced);
#endif
}

static void check_ahead(const char *assembly, bool expected) {
    char *text = sim_assembly_text(assembly);
    if ((strstr(text, "\nsim_runs_ahead:\n") != NULL) != expected) {
        fail_msg("%s\nruns ahead: %d", assembly, !expected);
    }
    free(text);
}

// Lanes stop at each step where they call functions of others, whose effects may depend on the order.
static void lanes_may_run_ahead(void **state) {
    (void)state;
#if defined(__x86_64__)
    check_ahead("f:\n\tcall\t__tsan_read4@PLT\n\tcall\tsim_fence@PLT\n\tcall\tg\n\tret\ng:\n\tret\n", true);
    check_ahead("f:\n\tcall\tg\n\tret\ngh:\n\tret\n", false);
    check_ahead("f:\n\tcall\t*%rax\n\tret\n", false);
    check_ahead("f:\n\tcall\t*puts@GOTPCREL(%rip)\n\tret\n", false);
    check_ahead("f:\n\tcall printf@PLT\n\tret", false);
#endif
}

// The one step of a loop is in a loop that a GPU's compiler unrolls: the last number of its row in the table.
static void check_unrolled(const char *assembly) {
    char *text = sim_assembly_text(assembly);
    if (!strstr(text, ".byte 0, 0, 1\n")) {
        fail_msg("found:\n%s", text);
    }
    free(text);
}

// Each processor's compilers have their own spelling of jumps and constants.
static void counted_loops_are_found(void **state) {
    (void)state;
#if defined(__x86_64__)
    check_unrolled(
        "\t.cfi_startproc\n.L3:\n\tcall\t__tsan_read4@PLT\n\taddq\t$4, %rbx\n\tcmpq\t%rbp, %rbx\n\tjne\t.L3\n"
        "\t.cfi_endproc\n");
#elif defined(__aarch64__)
    check_unrolled("\t.cfi_startproc\n.L3:\n\tbl\t__tsan_read4\n\tadd\tx19, x19, 4\n\tcmp\tx19, x20\n\tbne\t.L3\n"
                   "\t.cfi_endproc\n");
    check_unrolled("\t.cfi_startproc\n.LBB0_1:\n\tbl\t__tsan_read4\n\tadd\tx19, x19, #4\n\tcmp\tx19, x20\n"
                   "\tb.ne\t.LBB0_1\n\t.cfi_endproc\n");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_text),         cmocka_unit_test(assembly_text),
        cmocka_unit_test(choices_are_found),   cmocka_unit_test(enforcement_counts_nothing),
        cmocka_unit_test(lanes_may_run_ahead), cmocka_unit_test(counted_loops_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
