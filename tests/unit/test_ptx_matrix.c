// Products of warp groups in PTX: where elements lie in shared memory, what is computed, and what is counted. A group
// waits for a product together, so that what any of its threads stores next is no race.
#include "tests/unit/sim_fixture.h"

enum {
    ROWS = 64,
    COLUMNS = 32,
    THREADS = 128,
    B_PLACE = 8192, // of shared memory
    IMAGE_BYTES = 2 * B_PLACE,
    SUMS = ROWS * COLUMNS / THREADS // of a thread
};

// How a matrix lies in shared memory: runs of `span` bytes, eight of them in turn.
struct layout {
    uint32_t span;
    bool across; // a run goes along lines, which are A's rows and B's columns
    uint32_t row_distance, span_distance;
};

static const struct product {
    const char *opcode, *tail;
    uint32_t bytes; // of an element
    bool a_in_registers;
    struct layout a, b;
    double requests, passes; // of shared memory
} products[] = {
    {"m64n32k16.f32.f16.f16", ", 1, -1, 0, 0", 2, false, {16, false, 256, 128}, {16, false, 256, 128}, 8, 24},
    {"m64n32k16.f32.f16.f16", ", 1, -1, 0, 1", 2, false, {128, false, 1024, 0}, {128, true, 1024, 0}, 8, 24},
    {"m64n32k16.f32.f16.f16", ", 1, -1, 1, 0", 2, false, {32, true, 256, 512}, {64, false, 512, 0}, 8, 24},
    {"m64n32k16.f32.f16.f16", ", 1, -1, 1", 2, true, {16, false, 0, 0}, {16, true, 128, 256}, 4, 8},
    {"m64n32k32.s32.s8.s8", "", 1, false, {16, false, 256, 128}, {32, false, 256, 0}, 8, 24},
};

static int32_t a_value(uint32_t row, uint32_t k) {
    return (int32_t)(row * 7 + k * 3) % 16;
}

static int32_t b_value(uint32_t column, uint32_t k) {
    return (int32_t)(column * 5 + k * 11) % 13;
}

// Bits of an integer below 16 as a half or as a byte.
static uint16_t element_of(int32_t value, uint32_t bytes) {
    int32_t exponent = 0;
    while (value >> (exponent + 1)) {
        exponent++;
    }
    const int32_t half = value ? (exponent + 15) << 10 | (value << (10 - exponent) & 1023) : 0;
    return (uint16_t)(bytes == 2 ? half : value);
}

// PTX's swizzle of spans of 128, 64 and 32 bytes: runs of 16 bytes are exchanged, by the row in each eight.
static uint32_t place_of(const struct layout *layout, uint32_t line, uint32_t k, uint32_t bytes) {
    const uint32_t row = layout->across ? k : line, byte = (layout->across ? line : k) * bytes;
    const uint32_t chunk = byte % layout->span / 16 ^ row % 8 * layout->span / 128;
    return row / 8 * layout->row_distance + row % 8 * layout->span + byte / layout->span * layout->span_distance +
           chunk * 16 + byte % 16;
}

static void fill_image(const struct product *product, uint8_t image[IMAGE_BYTES]) {
    const uint32_t bytes = product->bytes, depth = 32 / bytes;
    for (uint32_t i = 0; i < ROWS * depth; i++) {
        const uint16_t a = element_of(a_value(i / depth, i % depth), bytes);
        const uint16_t b = element_of(b_value(i / depth % COLUMNS, i % depth), bytes);
        const uint32_t row = i / depth, k = i % depth, lane = row % 8 * 4 + k % 8 / 2; // of the fragment in registers
        const uint32_t place = product->a_in_registers
                                   ? row / 16 * 512 + lane * 16 + (row / 8 % 2 + k / 8 * 2) * 4 + k % 2 * 2
                                   : place_of(&product->a, row, k, bytes);
        memcpy(image + place, &a, bytes);
        memcpy(image + B_PLACE + place_of(&product->b, row % COLUMNS, k, bytes), &b, bytes);
    }
}

static uint64_t descriptor_of(const struct layout *layout, uint64_t place) {
    const uint64_t codes[] = {[16 / 16] = 0, [32 / 16] = 3, [64 / 16] = 2, [128 / 16] = 1};
    const bool exchanged = layout->across && layout->span == 16;
    const uint64_t leading = exchanged ? layout->row_distance : layout->span_distance;
    const uint64_t stride = exchanged ? layout->span_distance : layout->row_distance;
    return place >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | codes[layout->span / 16] << 62;
}

static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".entry k(.param .u64 image, .param .u64 sums, .param .u64 a, .param .u64 b) {\n"
    " .reg .b32 %t, %m, %w<4>, %d<16>, %x<4>; .reg .b64 %i, %s, %a, %b, %o; .reg .pred %p;\n"
    " .shared .align 1024 .b8 matrices[16384];\n"
    " ld.param.u64 %i, [image]; ld.param.u64 %s, [sums]; ld.param.u64 %a, [a]; ld.param.u64 %b, [b];\n"
    " mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 16; add.u64 %i, %i, %o; mul.wide.u32 %o, %t, 64; add.u64 %s, %s, %o;\n"
    " mov.u32 %m, matrices; shl.b32 %t, %t, 4; add.u32 %m, %m, %t; setp.eq.u32 %p, 0, 0;\n";

static char *text_of(const struct product *product) {
    char *text = NULL, registers[128] = "";
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(head, out);
    for (uint32_t i = 0; i < IMAGE_BYTES; i += 16 * THREADS) {
        fprintf(out,
                " ld.global.v4.u32 {%%x0, %%x1, %%x2, %%x3}, [%%i+%u]; st.shared.v4.u32 [%%m+%u], {%%x0, %%x1, %%x2, "
                "%%x3};\n",
                i, i);
    }
    for (int i = 0; i < SUMS; i++) {
        fprintf(out, " mov.b32 %%d%d, %s;", i, product->bytes == 1 ? "1" : "0f3F800000");
        snprintf(registers + strlen(registers), sizeof registers - strlen(registers), "%s%%d%d", i ? ", " : "", i);
    }
    fprintf(out,
            "\n ld.global.v4.u32 {%%w0, %%w1, %%w2, %%w3}, [%%i]; bar.sync 0; wgmma.fence.sync.aligned;\n"
            " wgmma.mma_async.sync.aligned.%s {%s}, %s, %%b, %%p%s;\n"
            " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.shared.u32 [%%m], %%t;\n",
            product->opcode, registers, product->a_in_registers ? "{%w0, %w1, %w2, %w3}" : "%a", product->tail);
    for (int i = 0; i < SUMS; i++) {
        fprintf(out, " st.global.u32 [%%s+%d], %%d%d;\n", 4 * i, i);
    }
    fputs(" ret;\n}\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

// The sums of B's columns are subtracted where the instruction negates B.
static void check_sums(const struct product *product, const uint32_t sums[THREADS][SUMS]) {
    const uint32_t depth = 32 / product->bytes;
    for (uint32_t i = 0; i < THREADS * SUMS; i++) {
        const uint32_t thread = i / SUMS, n = i % SUMS;
        const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + n / 2 % 2 * 8;
        const uint32_t column = n / 4 * 8 + thread % 4 * 2 + n % 2;
        int32_t sum = 0;
        for (uint32_t k = 0; k < depth; k++) {
            sum += a_value(row, k) * b_value(column, k);
        }
        float found;
        memcpy(&found, &sums[thread][n], sizeof found);
        if (product->bytes == 1 ? (int32_t)sums[thread][n] != 1 + sum : found != (float)(1 - sum)) {
            fail_msg("%s%s: row %u, column %u", product->opcode, product->tail, row, column);
        }
    }
}

static void products_of_a_warp_group(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(products); i++) {
        const struct product *product = &products[i];
        static uint8_t image[IMAGE_BYTES];
        static uint32_t sums[THREADS][SUMS];
        struct error error = {0};
        struct kernel *kernel;
        char *text = text_of(product);
        const struct kernel_source source = {"group.ptx", text};
        const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
        memset(image, 0, sizeof image);
        fill_image(product, image);
        const uint64_t in = upload(device, image, sizeof image), out = allocate(device, sizeof sums);
        const struct argument arguments[] = {POINTER(in), POINTER(out), POINTER(descriptor_of(&product->a, 0)),
                                             POINTER(descriptor_of(&product->b, B_PLACE))};
        must(device_build(device, &request, &kernel, &error), &error);
        must(try_launch(device, kernel, one_block(THREADS), arguments, 4, &error), &error);
        download(device, sums, out, sizeof sums);
        check_sums(product, (const uint32_t(*)[SUMS])sums);
        const struct launch_counts found = counts_of(device);
        assert_true(found.shared_load.requests == product->requests);
        assert_true(found.shared_load.passes == product->passes && found.shared_load.conflicts == 0);
        device_discard(device, kernel);
        free(text);
    }
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_of_a_warp_group)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
