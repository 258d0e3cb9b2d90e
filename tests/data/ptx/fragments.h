// Products by wmma, whose matrices lie in memory, as one kernel, and the sums of its results: for the simulator, and
// for a GPU (tests/data/ptx/device.c), whose sums tests/data/ptx/fragments.h200 holds.
#ifndef TESTS_PTX_FRAGMENTS_H
#define TESTS_PTX_FRAGMENTS_H

#include "tests/data/ptx/products.h"

// Each thread has a line of A, of B and of the addend: words 0, 16 and 32 of its PRODUCT_IN. A line of the result is a
// thread's, too. A sum of eight rows lies by columns.
static const struct fragments_product {
    const char *shape, *layouts, *types; // of wmma.mma; types: D, A, B and C
    const char *element, *addend;
    int a, b, c, d; // registers
    struct product product;
} fragments_products[] = {
    {"m16n16k16", "row.col", "f32.f32", "f16", "f32", 8, 8, 8, 8, {.element = 'h', .sum = 'f'}},
    {"m16n16k16", "col.row", "f16.f16", "f16", "f16", 8, 8, 4, 4, {.element = 'h', .sum = 'E'}},
    {"m16n16k16", "row.row", "f32.f16", "f16", "f16", 8, 8, 4, 8, {.element = 'h', .sum = 'f'}},
    {"m8n32k16", "row.row", "f32.f32", "f16", "f32", 8, 8, 8, 8, {.element = 'h', .sum = 'f'}},
    {"m32n8k16", "col.col", "f16.f16", "f16", "f16", 8, 8, 4, 4, {.element = 'h', .sum = 'E'}},
    {"m16n16k16", "col.col", "f32.bf16.bf16.f32", "bf16", "f32", 4, 4, 8, 8, {.element = 'b', .sum = 'f'}},
    {"m8n32k16", "col.row", "f32.bf16.bf16.f32", "bf16", "f32", 2, 8, 8, 8, {.element = 'b', .sum = 'f'}},
    {"m32n8k16", "row.col", "f32.bf16.bf16.f32", "bf16", "f32", 8, 2, 8, 8, {.element = 'b', .sum = 'f'}},
    {"m16n16k8", "row.col", "f32.tf32.tf32.f32", "tf32", "f32", 4, 4, 8, 8, {.element = 't', .sum = 'f'}},
    {"m16n16k8", "col.row", "f32.tf32.tf32.f32", "tf32", "f32", 4, 4, 8, 8, {.element = 't', .sum = 'f'}},
    {"m16n16k16", "col.row", "s32.s8.s8.s32", "s8", "s32", 2, 2, 8, 8, {.element = 'i', .sum = 'w'}},
    {"m8n32k16", "row.col", "s32.s8.s8.s32", "s8", "s32", 1, 4, 8, 8, {.element = 'i', .sum = 'w'}},
    {"m32n8k16", "col.row", "s32.u8.u8.s32.satfinite", "u8", "s32", 4, 1, 8, 8, {.element = 'i', .sum = 'w'}},
};

enum {
    FRAGMENTS_PRODUCTS = sizeof fragments_products / sizeof *fragments_products
};

// "LAYOUTS.SHAPE.TYPES", as in the opcode; valid until the next call.
static inline const char *fragments_name(size_t i) {
    static char name[64];
    const struct fragments_product *product = &fragments_products[i];
    snprintf(name, sizeof name, "%s.%s.%s", product->layouts, product->shape, product->types);
    return name;
}

static inline int fragments_bytes(const char *type) {
    return strstr(type, "32") ? 4 : strchr(type, '8') ? 1 : 2;
}

// Loads a matrix whose first line is at `at` of the warp's first thread.
static inline void fragments_load(FILE *out, const struct fragments_product *product, char name, const char *layout,
                                  size_t at) {
    const char *type = name == 'c' ? product->addend : product->element;
    fprintf(out, "  wmma.load.%c.sync.aligned.%.3s.%s.global.%s ", name, layout, product->shape, type);
    product_registers(out, name, name == 'a' ? product->a : name == 'b' ? product->b : product->c);
    fprintf(out, ", [%%in+%zu], %d;\n", at, 4 * PRODUCT_IN / fragments_bytes(type));
}

static inline void fragments_multiply(FILE *out, const struct fragments_product *product, size_t in, size_t to) {
    const char *sums_layout = strncmp(product->shape, "m8", 2) ? "row" : "col";
    const char *type = product->product.sum == 'f' ? "f32" : product->product.sum == 'E' ? "f16" : "s32";
    fragments_load(out, product, 'a', product->layouts, in);
    fragments_load(out, product, 'b', product->layouts + 4, in + 64);
    fragments_load(out, product, 'c', sums_layout, in + 128);
    fprintf(out, "  wmma.mma.sync.aligned.%s ", fragments_name((size_t)(product - fragments_products)));
    product_registers(out, 'd', product->d);
    for (const char *name = "abc"; *name; name++) {
        fputs(", ", out);
        product_registers(out, *name, *name == 'a' ? product->a : *name == 'b' ? product->b : product->c);
    }
    fprintf(out, ";\n  wmma.store.d.sync.aligned.%s.%s.global.%s [%%out+%zu], ", sums_layout, product->shape, type, to);
    product_registers(out, 'd', product->d);
    fprintf(out, ", %d;\n", 4 * PRODUCT_OUT / fragments_bytes(type));
}

// The kernel's text, to be freed; NULL if memory runs out.
static inline char *fragments_ptx(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry fragments(.param .u64 in, .param .u64 out) {\n"
            "  .reg .b32 %%a<8>, %%b<8>, %%c<8>, %%d<8>, %%thread, %%block; .reg .b64 %%in, %%out, %%place;\n"
            "  mov.u32 %%thread, %%tid.x; mov.u32 %%block, %%ctaid.x; mad.lo.u32 %%thread, %%block, 128, %%thread;\n"
            "  ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
            "  mul.wide.u32 %%place, %%thread, %d; add.u64 %%out, %%out, %%place; mov.u32 %%a0, 0;\n",
            4 * PRODUCT_OUT);
    const size_t results = OPERATION_THREADS * PRODUCT_OUT * 4;
    for (size_t i = 0; i < FRAGMENTS_PRODUCTS * results; i += results) {
        for (size_t j = 0; j < PRODUCT_OUT * 4; j += 16) {
            fprintf(out, "  st.global.v4.u32 [%%out+%zu], {%%a0, %%a0, %%a0, %%a0};\n", i + j);
        }
    }
    fprintf(out,
            "  bar.sync 0; and.b32 %%block, %%thread, 31; mul.wide.u32 %%place, %%block, %d;\n"
            "  sub.u64 %%out, %%out, %%place; sub.u32 %%thread, %%thread, %%block;\n"
            "  mul.wide.u32 %%place, %%thread, %d; add.u64 %%in, %%in, %%place;\n",
            4 * PRODUCT_OUT, 4 * PRODUCT_IN);
    for (size_t i = 0; i < FRAGMENTS_PRODUCTS; i++) {
        fragments_multiply(out, &fragments_products[i], i * OPERATION_THREADS * PRODUCT_IN * 4, i * results);
    }
    fputs("  ret;\n}\n", out);
    return fclose(out) == 0 ? text : NULL;
}

// `in` holds FRAGMENTS_PRODUCTS * OPERATION_THREADS * PRODUCT_IN words.
static inline void fragments_inputs(uint32_t *in) {
    uint64_t state = 11;
    for (size_t i = 0; i < FRAGMENTS_PRODUCTS; i++) {
        product_inputs(&fragments_products[i].product, in + i * OPERATION_THREADS * PRODUCT_IN, &state);
    }
}

static inline uint64_t fragments_sum(size_t i, const uint32_t *results) {
    struct product product = fragments_products[i].product;
    product.c = PRODUCT_OUT;
    return product_sum(&product, results);
}

#endif
