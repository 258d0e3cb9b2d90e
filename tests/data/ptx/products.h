// Products of matrices with random elements as one kernel, and the sums of its results: for the simulator, and for a
// GPU (tests/data/ptx/device.c), whose sums tests/data/ptx/products.h200 holds.
#ifndef TESTS_PTX_PRODUCTS_H
#define TESTS_PTX_PRODUCTS_H

#include "tests/data/ptx/operations.h"

enum {
    PRODUCT_IN = 48,     // words of a thread: its part of the matrices, then of the addend
    PRODUCT_MATRIX = 32, // words of a thread, of a warp group's matrices in shared memory
    PRODUCT_OUT = 16
};

static const struct product {
    const char *opcode; // mma of a warp, or wgmma of a warp group whose matrices have 64 rows and 32 columns
    char element;       // f16: h, bf16: b, tf32: t, e4m3: 4, e5m2: 5, s8 and u8: i
    char sum;           // f32: f, f16: E, s32: w
    int a, b, c;        // registers
} products[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 'h', 'f', 4, 2, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 'h', 'f', 2, 1, 4},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 'h', 'E', 4, 2, 2},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 'b', 'f', 4, 2, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 'b', 'f', 2, 1, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 't', 'f', 4, 2, 4},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 't', 'f', 2, 1, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", '4', 'f', 4, 2, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", '5', 'f', 4, 2, 4},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 'i', 'w', 4, 2, 4},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 'i', 'w', 2, 1, 4},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 'i', 'w', 4, 2, 4},
    {"wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16", 'h', 'f', 0, 0, 16},
    {"wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16", 'h', 'E', 0, 0, 8},
    {"wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16", 'b', 'f', 0, 0, 16},
    {"wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32", 't', 'f', 0, 0, 16},
    {"wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3", '4', 'f', 0, 0, 16},
    {"wgmma.mma_async.sync.aligned.m64n32k32.f32.e5m2.e5m2", '5', 'f', 0, 0, 16},
    {"wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8", 'i', 'w', 0, 0, 16},
};

enum {
    PRODUCTS = sizeof products / sizeof *products
};

static inline void product_registers(FILE *out, char name, int count) {
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s%%%c%d%s", i ? ", " : "{", name, i, i + 1 == count ? "}" : "");
    }
}

static inline void product_load(FILE *out, char name, int count, size_t place) {
    for (int i = 0; i < count; i++) {
        fprintf(out, "  ld.global.u32 %%%c%d, [%%in+%zu];\n", name, i, place + 4 * (size_t)i);
    }
}

static inline void product_of_warp(FILE *out, const struct product *product, size_t place) {
    product_load(out, 'a', product->a, place);
    product_load(out, 'b', product->b, place + 16);
    product_load(out, 'c', product->c, place + PRODUCT_MATRIX * 4);
    fprintf(out, "  %s ", product->opcode);
    product_registers(out, 'c', product->c);
    fputs(", ", out);
    product_registers(out, 'a', product->a);
    fputs(", ", out);
    product_registers(out, 'b', product->b);
    fputs(", ", out);
    product_registers(out, 'c', product->c);
    fputs(";\n", out);
}

// A is first in shared memory, B 8192 bytes further on, both without a swizzle: runs of 16 bytes of eight lines, 128
// bytes to the next along K, 256 to the next eight lines.
static inline void product_of_group(FILE *out, const struct product *product, size_t place) {
    const unsigned long long strides = 128ull >> 4 << 16 | 256ull >> 4 << 32;
    fputs("  bar.sync 0;\n", out);
    for (size_t i = 0; i < PRODUCT_MATRIX; i += 4) {
        fprintf(out, "  ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%in+%zu];\n", place + 4 * i);
        fprintf(out, "  st.shared.v4.u32 [%%mine+%zu], {%%a0, %%a1, %%a2, %%a3};\n", 512 * i);
    }
    product_load(out, 'c', product->c, place + PRODUCT_MATRIX * 4);
    fputs("  fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n", out);
    fprintf(out, "  shr.u32 %%block, %%first, 4; cvt.u64.u32 %%left, %%block; or.b64 %%left, %%left, %llu;\n", strides);
    fprintf(out, "  add.u64 %%right, %%left, %d; %s ", 8192 >> 4, product->opcode);
    product_registers(out, 'c', product->c);
    fprintf(out, ", %%left, %%right, %%yes%s;\n",
            product->sum == 'w'              ? ""
            : strchr("hb", product->element) ? ", 1, 1, 0, 0"
                                             : ", 1, 1");
    fputs("  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n", out);
}

// The kernel's text, to be freed; NULL if memory runs out. Blocks have 128 threads.
static inline char *products_ptx(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out,
            ".version 8.4\n.target sm_90a\n.address_size 64\n"
            ".visible .entry products(.param .u64 in, .param .u64 out) {\n"
            "  .reg .b32 %%a<4>, %%b<2>, %%c<16>, %%thread, %%block, %%first, %%mine; .reg .pred %%yes;\n"
            "  .reg .b64 %%in, %%out, %%place, %%left, %%right;\n  .shared .align 1024 .b8 matrices[16384];\n"
            "  mov.u32 %%first, matrices; mov.u32 %%thread, %%tid.x; shl.b32 %%block, %%thread, 4;\n"
            "  add.u32 %%mine, %%first, %%block; setp.eq.u32 %%yes, 0, 0;\n"
            "  mov.u32 %%block, %%ctaid.x; mad.lo.u32 %%thread, %%block, 128, %%thread;\n"
            "  ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
            "  mul.wide.u32 %%place, %%thread, %d; add.u64 %%in, %%in, %%place;\n"
            "  mul.wide.u32 %%place, %%thread, %d; add.u64 %%out, %%out, %%place;\n",
            4 * PRODUCT_IN, 4 * PRODUCT_OUT);
    for (size_t i = 0; i < PRODUCTS; i++) {
        const size_t place = i * OPERATION_THREADS * PRODUCT_IN * 4;
        (products[i].a ? product_of_warp : product_of_group)(out, &products[i], place);
        for (int j = 0; j < products[i].c; j++) {
            fprintf(out, "  st.global.u32 [%%out+%zu], %%c%d;\n",
                    i * OPERATION_THREADS * PRODUCT_OUT * 4 + 4 * (size_t)j, j);
        }
    }
    fputs("  ret;\n}\n", out);
    return fclose(out) == 0 ? text : NULL;
}

// A word of elements: any bits, small and moderate magnitudes, moderate ones alone, or great ones.
static inline uint32_t product_word(char element, unsigned mode, uint32_t bits) {
    static const struct {
        char element;
        uint32_t keep[4], set[4];
    } formats[] = {{'h', {~0u, 0xbfffbfff, 0x87ff87ff, 0x8fff8fff}, {0, 0, 0x38003800, 0x50005000}},
                   {'b', {~0u, 0x8fff8fff, 0x80ff80ff, 0x807f807f}, {0, 0x30003000, 0x3f003f00, 0x5f005f00}},
                   {'t', {~0u, 0x8fffffff, 0x80ffffff, 0x807fffff}, {0, 0x30000000, 0x3f000000, 0x5f000000}},
                   {'4', {~0u, 0xbfbfbfbf, 0x8f8f8f8f, 0x87878787}, {0, 0, 0x30303030, 0x70707070}},
                   {'5', {~0u, 0xbfbfbfbf, 0x87878787, 0x87878787}, {0, 0, 0x38383838, 0x70707070}}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].element == element) {
            return (bits & formats[i].keep[mode]) | formats[i].set[mode];
        }
    }
    return bits;
}

// The words of all threads of one product; `in` holds OPERATION_THREADS * PRODUCT_IN.
static inline void product_inputs(const struct product *product, uint32_t *in, uint64_t *state) {
    const char addend = product->sum == 'f' ? 't' : product->sum == 'E' ? 'h' : 'i';
    for (size_t i = 0; i < OPERATION_THREADS * PRODUCT_IN; i++) {
        const size_t thread = i / PRODUCT_IN;
        const bool of_matrix = i % PRODUCT_IN < PRODUCT_MATRIX;
        // Blocks have one magnitude for their matrices, and warps one for the addend.
        const size_t mode = (of_matrix ? thread / 128 : thread / 32) % 4;
        in[i] = product_word(of_matrix ? product->element : addend, (unsigned)mode, (uint32_t)operation_random(state));
    }
}

// `in` holds PRODUCTS * OPERATION_THREADS * PRODUCT_IN words.
static inline void products_inputs(uint32_t *in) {
    uint64_t state = 9;
    for (size_t i = 0; i < PRODUCTS; i++) {
        product_inputs(&products[i], in + i * OPERATION_THREADS * PRODUCT_IN, &state);
    }
}

// A sum of one product's results, which any change alters.
static inline uint64_t product_sum(const struct product *product, const uint32_t *results) {
    static uint64_t words[OPERATION_THREADS];
    uint64_t sum = 0;
    for (int i = 0; i < product->c; i++) {
        for (size_t thread = 0; thread < OPERATION_THREADS; thread++) {
            words[thread] = results[thread * PRODUCT_OUT + (size_t)i];
        }
        sum = (sum ^ operation_sum(product->sum, words)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

static inline const char *products_name(size_t i) {
    return products[i].opcode;
}

static inline uint64_t products_sum(size_t i, const uint32_t *results) {
    return product_sum(&products[i], results);
}

#endif
