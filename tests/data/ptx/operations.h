// The instructions of tests/data/ptx/operations as one kernel, with its inputs and the sums of its results: for the
// simulator, and for a GPU (tests/data/ptx/device.c), whose sums tests/data/ptx/sums.h200 holds.
#ifndef TESTS_PTX_OPERATIONS_H
#define TESTS_PTX_OPERATIONS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERATIONS = 1024,
    OPERATION_TEXT = 120,
    OPERATION_THREADS = 2048
};

struct operation {
    bool approximate;
    char result;      // the type of D
    char operands[4]; // of A, B, C
    char text[OPERATION_TEXT];
};

struct operations {
    struct operation operation[OPERATIONS];
    size_t count;
};

// False if the file cannot be read or holds too many.
static inline bool operations_read(struct operations *operations, const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    operations->count = 0;
    while (file && fgets(line, sizeof line, file) && operations->count < OPERATIONS) {
        struct operation *operation = &operations->operation[operations->count];
        const bool approximate = *line == '~';
        if (*line == '#' || *line == '\n') {
            continue;
        }
        *operation = (struct operation){.approximate = approximate, .result = line[approximate]};
        sscanf(line + approximate + 1, "%3s %119[^\n]", operation->operands, operation->text);
        operations->count++;
    }
    const bool whole = file && feof(file) && operations->count > 0;
    if (file) {
        fclose(file);
    }
    return whole;
}

// The register type of a type's letter: h, w, x or p.
static inline char operation_register(char type) {
    return strchr("xd", type) ? 'x' : strchr("heb", type) ? 'h' : type == 'p' ? 'p' : 'w';
}

static inline void operation_write(FILE *out, const struct operation *operation, size_t number) {
    static const char *const widen[] = {"cvt.u64.u16 %result, %dh;", "cvt.u64.u32 %result, %dw;",
                                        "mov.b64 %result, %dx;", "selp.b64 %result, 1, 0, %dp;"};
    fputs("  ", out);
    for (const char *at = operation->text; *at; at++) {
        const bool alone = !isalnum((unsigned char)at[1]) && (at == operation->text || strchr(" {,", at[-1]));
        if (alone && strchr("ABCD", *at)) {
            const char type = *at == 'D' ? operation->result : operation->operands[*at - 'A'];
            fprintf(out, "%%%c%c", tolower((unsigned char)*at), operation_register(type));
        } else {
            fputc(*at, out);
        }
    }
    const char kind = operation_register(operation->result);
    fprintf(out, "\n  %s\n", widen[kind == 'h' ? 0 : kind == 'w' ? 1 : kind == 'x' ? 2 : 3]);
    fprintf(out, "  st.global.u64 [%%out+%zu], %%result;\n", number * OPERATION_THREADS * sizeof(uint64_t));
}

// The kernel's text, to be freed; NULL if memory runs out. One thread for each triple of inputs.
static inline char *operations_ptx(const struct operations *operations) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fputs(".version 8.0\n.target sm_90\n.address_size 64\n"
          ".visible .entry operations(.param .u64 in, .param .u64 out) {\n"
          "  .reg .b16 %ah, %bh, %ch, %dh; .reg .b32 %aw, %bw, %cw, %dw, %thread, %block;\n"
          "  .reg .b64 %ax, %bx, %cx, %dx, %in, %out, %result, %place; .reg .pred %dp, %yes;\n"
          "  mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %aw, %ntid.x;\n"
          "  mad.lo.u32 %thread, %block, %aw, %thread;\n"
          "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
          "  mul.wide.u32 %place, %thread, 24; add.u64 %in, %in, %place;\n"
          "  mul.wide.u32 %place, %thread, 8; add.u64 %out, %out, %place;\n"
          "  ld.global.u64 %ax, [%in]; ld.global.u64 %bx, [%in+8]; ld.global.u64 %cx, [%in+16];\n"
          "  cvt.u32.u64 %aw, %ax; cvt.u32.u64 %bw, %bx; cvt.u32.u64 %cw, %cx;\n"
          "  cvt.u16.u64 %ah, %ax; cvt.u16.u64 %bh, %bx; cvt.u16.u64 %ch, %cx;\n"
          "  setp.lt.s32 %yes, %cw, 0;\n",
          out);
    for (size_t i = 0; i < operations->count; i++) {
        operation_write(out, &operations->operation[i], i);
    }
    fputs("  ret;\n}\n", out);
    return fclose(out) == 0 ? text : NULL;
}

static inline uint64_t operation_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// Random bits, and the values at which instructions differ: zeros, infinities, subnormals, ties, small integers.
static inline uint64_t operation_input(uint64_t *state) {
    static const uint32_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff,
                                   1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                                   0x3fc00000, 0xc0200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3effffff, 0x33800000};
    static const uint64_t f64[] = {0,
                                   UINT64_C(0x8000000000000000),
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0xfff0000000000000),
                                   UINT64_C(0x7fffffffffffffff),
                                   1,
                                   UINT64_C(0x000fffffffffffff),
                                   UINT64_C(0x0010000000000000),
                                   UINT64_C(0x7fefffffffffffff),
                                   UINT64_C(0x4004000000000000),
                                   UINT64_C(0xc00c000000000000),
                                   UINT64_C(0x43e0000000000000),
                                   UINT64_C(0x47efffffefffffff),
                                   UINT64_C(0x3690000000000000)};
    static const uint16_t f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 1,      0x03ff,
                                   0x0400, 0x7bff, 0x3800, 0x4100, 0x7f80, 0xff80, 0x3f80, 0x007f, 0x7f7f};
    const uint64_t bits = operation_random(state), choice = operation_random(state);
    switch (choice % 8) {
    case 0:
        return (bits & ~UINT64_C(0xffffffff)) | f32[choice / 8 % (sizeof f32 / sizeof *f32)];
    case 1:
        return f64[choice / 8 % (sizeof f64 / sizeof *f64)];
    case 2:
        return (bits & ~UINT64_C(0xffffffff)) | (uint64_t)f16[choice / 8 % (sizeof f16 / sizeof *f16)] << 16 |
               f16[choice / 512 % (sizeof f16 / sizeof *f16)];
    case 3:
        return bits % 80 - 8;
    case 4: // floats of a moderate size
        return (bits & UINT64_C(0x80ffffff81ffffff)) | UINT64_C(0x3f0000003e000000);
    default:
        return bits;
    }
}

// The three inputs of each thread.
static inline void operations_inputs(uint64_t inputs[3 * OPERATION_THREADS]) {
    uint64_t state = 14;
    for (size_t i = 0; i < 3 * OPERATION_THREADS; i++) {
        inputs[i] = operation_input(&state);
    }
}

// Makes all forms of NaN one, because PTX leaves open which of them results.
static inline uint64_t operation_normal(char type, uint64_t value) {
    static const struct {
        char type;
        int shift;
        uint64_t magnitude, infinity;
    } formats[] = {
        {'f', 0, 0x7fffffff, 0x7f800000}, {'d', 0, UINT64_C(0x7fffffffffffffff), UINT64_C(0x7ff0000000000000)},
        {'e', 0, 0x7fff, 0x7c00},         {'b', 0, 0x7fff, 0x7f80},
        {'E', 0, 0x7fff, 0x7c00},         {'E', 16, 0x7fff, 0x7c00},
        {'B', 0, 0x7fff, 0x7f80},         {'B', 16, 0x7fff, 0x7f80}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].type == type && (value >> formats[i].shift & formats[i].magnitude) > formats[i].infinity) {
            const uint64_t all = formats[i].magnitude << 1 | 1;
            value = (value & ~(all << formats[i].shift)) | formats[i].magnitude << formats[i].shift;
        }
    }
    return value;
}

// A sum of one operation's results, which any change alters.
static inline uint64_t operation_sum(char type, const uint64_t results[OPERATION_THREADS]) {
    uint64_t sum = 0;
    for (size_t i = 0; i < OPERATION_THREADS; i++) {
        sum = (sum ^ operation_normal(type, results[i])) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

#endif
