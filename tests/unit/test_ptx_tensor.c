// Copies of boxes of a tensor in PTX: which elements they move, what they count, and what they refuse.
#include "tests/unit/sim_fixture.h"

#include "sim/ptx/kernel/tensor_map.h"

enum {
    WIDTH = 80, // of the tensor, in elements of 2 bytes
    HEIGHT = 20,
    PITCH = 96,
    BOX_WIDTH = 64,
    BOX_HEIGHT = 8,
    BOX = BOX_WIDTH * BOX_HEIGHT,
    OUTSIDE = 1000 // in what a store must not write
};

// Loads a box, copies shared memory to `image`, and stores the box at the same place of a second tensor, but not before
// its start, where an H200 stops.
static const char text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 image, .param .u32 x, "
    ".param .u32 y) {\n"
    " .reg .b32 %t, %x, %y, %m, %b, %o, %v; .reg .b64 %from, %to, %i, %s; .reg .pred %p, %done;\n"
    " .shared .align 1024 .b8 box[1024]; .shared .align 8 .b64 arrived;\n"
    " ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.u64 %i, [image]; mov.u32 %t, %tid.x;\n"
    " mov.b64 %from, from; cvta.param.u64 %from, %from; mov.b64 %to, to; cvta.param.u64 %to, %to;\n"
    " mov.u32 %m, box; mov.u32 %b, arrived; setp.ne.u32 %p, %t, 0; @%p bra Wait;\n"
    " mbarrier.init.shared::cta.b64 [%b], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 1024;\n"
    " cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%m], [%from, {%x, %y}], [%b];\n"
    "Wait: bar.sync 0;\n"
    "Again: mbarrier.try_wait.parity.shared::cta.b64 %done, [%b], 0; @!%done bra Again;\n"
    " shl.b32 %o, %t, 2; add.u32 %o, %o, %m; ld.shared.u32 %v, [%o];\n"
    " mul.wide.u32 %s, %t, 4; add.u64 %i, %i, %s; st.global.u32 [%i], %v;\n"
    " or.b32 %t, %x, %y; setp.lt.or.s32 %p, %t, 0, %p;\n"
    " @%p bra Done; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%to, {%x, %y}], [%m];\n"
    " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "Done: ret;\n}\n";

static struct tensor_map map_of(uint64_t address, uint8_t swizzle) {
    return (struct tensor_map){.mark = tensor_map_mark,
                               .address = address,
                               .strides = {2 * PITCH},
                               .sizes = {WIDTH, HEIGHT},
                               .box = {BOX_WIDTH, BOX_HEIGHT},
                               .dimensions = 2,
                               .element_bytes = 2,
                               .swizzle = swizzle};
}

// A map is passed by value, 8 bytes at a time.
static size_t add_map(struct argument *arguments, const struct tensor_map *map) {
    for (size_t i = 0; i < sizeof *map / 8; i++) {
        uint64_t word;
        memcpy(&word, (const char *)map + 8 * i, 8);
        arguments[i] = (struct argument)POINTER(word);
    }
    return sizeof *map / 8;
}

static const struct box {
    int32_t x, y;
    uint8_t swizzle;
    uint32_t columns, rows, sectors; // inside the tensor
} boxes[] = {
    {0, 0, 0, 64, 8, 32},      {16, 4, 128, 64, 8, 32}, {32, 16, 0, 48, 4, 12},
    {-16, -2, 128, 48, 6, 18}, {8, 1, 0, 64, 8, 40},    {128, 0, 0, 0, 8, 0},
};

static enum status launch(struct device *device, struct kernel *kernel, const struct box *box,
                          const struct tensor_map maps[2], uint64_t image, struct error *error) {
    struct argument arguments[40];
    size_t count = add_map(arguments, &maps[0]);
    count += add_map(arguments + count, &maps[1]);
    arguments[count++] = (struct argument)POINTER(image);
    arguments[count++] = (struct argument)U32((uint32_t)box->x);
    arguments[count++] = (struct argument)U32((uint32_t)box->y);
    return try_launch(device, kernel, one_block(BOX / 2), arguments, count, error);
}

static bool is_inside(int32_t column, int32_t row) {
    return column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT;
}

static void check_box(const struct box *box, const uint16_t image[BOX], uint16_t to[HEIGHT][PITCH],
                      uint16_t from[HEIGHT][PITCH]) {
    for (int32_t i = 0; i < BOX; i++) {
        const int32_t column = box->x + i % BOX_WIDTH, row = box->y + i / BOX_WIDTH;
        const int32_t run = i % BOX_WIDTH / 8 ^ (box->swizzle ? i / BOX_WIDTH % 8 : 0);
        assert_int_equal(image[i / BOX_WIDTH * BOX_WIDTH + run * 8 + i % 8],
                         is_inside(column, row) ? from[row][column] : 0);
    }
    for (int32_t row = 0; row < HEIGHT; row++) {
        for (int32_t column = 0; column < PITCH; column++) {
            const bool stored = (box->x | box->y) >= 0 && is_inside(column, row) && column >= box->x &&
                                column < box->x + BOX_WIDTH && row >= box->y && row < box->y + BOX_HEIGHT;
            assert_int_equal(to[row][column], stored ? from[row][column] : OUTSIDE);
        }
    }
}

static struct kernel *build(struct device *device, const char *file, const char *of_file) {
    const struct kernel_source source = {file, of_file};
    const struct kernel_request request = {.source = &source, .language = KERNEL_PTX};
    struct error error = {0};
    struct kernel *kernel;
    must(device_build(device, &request, &kernel, &error), &error);
    return kernel;
}

static void boxes_of_a_tensor(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct kernel *kernel = build(device, "tensor.ptx", text);
    for (size_t i = 0; i < LENGTH(boxes); i++) {
        static uint16_t from[HEIGHT][PITCH], to[HEIGHT][PITCH], image[BOX];
        struct error error = {0};
        for (size_t n = 0; n < HEIGHT * PITCH; n++) {
            from[n / PITCH][n % PITCH] = (uint16_t)(n + 2000);
            to[n / PITCH][n % PITCH] = OUTSIDE;
        }
        const uint64_t at_from = upload(device, from, sizeof from), at_to = upload(device, to, sizeof to);
        const uint64_t at_image = allocate(device, sizeof image);
        const struct tensor_map maps[] = {map_of(at_from, boxes[i].swizzle), map_of(at_to, boxes[i].swizzle)};
        must(launch(device, kernel, &boxes[i], maps, at_image, &error), &error);
        download(device, image, at_image, sizeof image);
        download(device, to, at_to, sizeof to);
        check_box(&boxes[i], image, to, from);
        const struct launch_counts found = counts_of(device);
        assert_int_equal(found.global_load.sectors, boxes[i].sectors);
        const uint32_t stored = boxes[i].x < 0 || boxes[i].y < 0 ? 0 : boxes[i].sectors;
        assert_int_equal(found.global_store.sectors, stored + sizeof image / 32);
    }
    device_discard(device, kernel);
    device_close(device);
}

static void a_box_between_multiples_of_16_bytes(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct kernel *kernel = build(device, "tensor.ptx", text);
    struct error error = {0};
    const uint64_t tensor = allocate(device, 2 * HEIGHT * PITCH);
    const struct tensor_map maps[] = {map_of(tensor, 128), map_of(tensor, 128)};
    const struct box box = {.x = 3, .y = 2};
    assert_int_equal(launch(device, kernel, &box, maps, allocate(device, 2 * BOX), &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "no multiple of 16 bytes"));
    device_discard(device, kernel);
    device_close(device);
}

static void a_map_that_is_none(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct kernel *kernel = build(device, "tensor.ptx", text);
    struct error error = {0};
    const struct tensor_map maps[2] = {{0}};
    assert_int_equal(launch(device, kernel, &boxes[0], maps, allocate(device, 2 * BOX), &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "tensor.ptx:11: "));
    assert_non_null(strstr(error.text, "tensor map"));
    device_discard(device, kernel);
    device_close(device);
}

// ---- Reductions ----

enum {
    ROWS = 10, // of the tensor that is reduced into, of 16 columns of 4 bytes
    COLUMNS = 16,
    SUM_WIDTH = 8, // of the box
    SUM_HEIGHT = 8
};

// Fills the box with 100 + i and reduces it into the tensor at (x, y).
static const char reduction[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .align 64 .b8 to[128], .param .u32 x, .param .u32 y) {\n"
    " .reg .b32 %%t, %%x, %%y, %%o, %%v, %%m; .reg .b64 %%to; .reg .pred %%p;\n"
    " .shared .align 1024 .b8 box[256];\n"
    " ld.param.u32 %%x, [x]; ld.param.u32 %%y, [y]; mov.u32 %%t, %%tid.x; mov.b64 %%to, to; "
    "cvta.param.u64 %%to, %%to;\n"
    " mov.u32 %%m, box; shl.b32 %%o, %%t, 2; add.u32 %%o, %%o, %%m; add.u32 %%v, %%t, 100;\n"
    " %s st.shared.u32 [%%o], %%v; fence.proxy.async.shared::cta; bar.sync 0;\n"
    " setp.ne.u32 %%p, %%t, 0; @%%p bra Done;\n"
    " cp.reduce.async.bulk.tensor.2d.global.shared::cta.%s.tile.bulk_group [%%to, {%%x, %%y}], [%%m];\n"
    " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "Done: ret;\n}\n";

static struct kernel *build_reduction(struct device *device, const char *operation, bool floats) {
    char made[sizeof reduction + 64];
    snprintf(made, sizeof made, reduction, floats ? "cvt.rn.f32.u32 %v, %v;" : "", operation);
    return build(device, "reduction.ptx", made);
}

static enum status reduce(struct device *device, struct kernel *kernel, enum tensor_type type, uint32_t bytes,
                          uint64_t to, const int32_t place[2], struct error *error) {
    const struct tensor_map map = {.mark = tensor_map_mark,
                                   .address = to,
                                   .strides = {4 * COLUMNS},
                                   .sizes = {4 * COLUMNS / bytes, ROWS},
                                   .box = {4 * SUM_WIDTH / bytes, SUM_HEIGHT},
                                   .dimensions = 2,
                                   .element_bytes = (uint8_t)bytes,
                                   .swizzle = 32,
                                   .type = (uint8_t)type};
    struct argument arguments[18];
    size_t count = add_map(arguments, &map);
    arguments[count++] = (struct argument)U32((uint32_t)place[0]);
    arguments[count++] = (struct argument)U32((uint32_t)place[1]);
    return try_launch(device, kernel, one_block(SUM_WIDTH * SUM_HEIGHT), arguments, count, error);
}

// The element of the box in this row and column. A row has two runs of 16 bytes, which the swizzle exchanges from the
// fifth row on.
static uint32_t element_of(uint32_t row, uint32_t column) {
    const uint32_t offset = 32 * row + 4 * column;
    return 100 + (offset ^ (offset >> 7 & 1) << 4) / 4;
}

static uint32_t combined(const char *operation, uint32_t old, uint32_t value) {
    return strcmp(operation, "add") == 0   ? old + value
           : strcmp(operation, "min") == 0 ? (value < old ? value : old)
           : strcmp(operation, "max") == 0 ? (value > old ? value : old)
           : strcmp(operation, "inc") == 0 ? (old >= value ? 0 : old + 1)
           : strcmp(operation, "dec") == 0 ? (old == 0 || old > value ? value : old - 1)
           : strcmp(operation, "and") == 0 ? (old & value)
           : strcmp(operation, "or") == 0  ? (old | value)
                                           : (old ^ value);
}

static void integers_into_a_tensor(struct device *device, struct kernel *kernel, const char *operation,
                                   const int32_t place[2]) {
    uint32_t before[ROWS * COLUMNS], after[ROWS * COLUMNS];
    struct error error = {0};
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        before[i] = 85 + i % 48;
    }
    const uint64_t to = upload(device, before, sizeof before);
    must(reduce(device, kernel, TENSOR_U32, 4, to, place, &error), &error);
    download(device, after, to, sizeof after);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const uint32_t row = i / COLUMNS - (uint32_t)place[1], column = i % COLUMNS - (uint32_t)place[0];
        const bool hit = row < SUM_HEIGHT && column < SUM_WIDTH; // those before the box wrap around
        assert_int_equal(after[i], hit ? combined(operation, before[i], element_of(row, column)) : before[i]);
    }
}

// By operation: those types at which an H200 does not stop.
static const struct {
    const char *name, *types;
} operations[] = {{"add", "u32 s32 u64 f16 f32 f64 bf16"},
                  {"min", "u32 s32 u64 s64 f16 bf16"},
                  {"max", "u32 s32 u64 s64 f16 bf16"},
                  {"inc", "u32"},
                  {"dec", "u32"},
                  {"and", "u32 s32 u64"},
                  {"or", "u32 s32 u64"},
                  {"xor", "u32 s32 u64"}};

static void types_of_a_reduction(struct device *device, struct kernel *kernel, const char *types) {
    static const struct {
        const char *name;
        enum tensor_type type;
        uint32_t bytes;
    } all[] = {{"u8", TENSOR_U8, 1},   {"u16", TENSOR_U16, 2},  {"u32", TENSOR_U32, 4}, {"s32", TENSOR_S32, 4},
               {"u64", TENSOR_U64, 8}, {"s64", TENSOR_S64, 8},  {"f16", TENSOR_F16, 2}, {"f32", TENSOR_F32, 4},
               {"f64", TENSOR_F64, 8}, {"bf16", TENSOR_BF16, 2}};
    for (size_t i = 0; i < LENGTH(all); i++) {
        struct error error = {0};
        const uint64_t to = allocate(device, 4 * ROWS * COLUMNS);
        const enum status status =
            reduce(device, kernel, all[i].type, all[i].bytes, to, (const int32_t[]){0, 0}, &error);
        const char *found = strstr(types, all[i].name);
        const bool known = found && (found == types || found[-1] == ' ');
        assert_int_equal(status, known ? STATUS_OK : STATUS_FAILED);
        assert_true(known || strstr(error.text, "a type that this reduction does not know"));
        device_release(device, to);
    }
}

static void reductions_into_a_tensor(void **state) {
    static const int32_t places[][2] = {{0, 0}, {4, 1}, {12, 4}};
    (void)state;
    struct device *device = open_sim("h200");
    for (size_t i = 0; i < LENGTH(operations); i++) {
        struct kernel *kernel = build_reduction(device, operations[i].name, false);
        for (size_t n = 0; n < LENGTH(places); n++) {
            integers_into_a_tensor(device, kernel, operations[i].name, places[n]);
        }
        types_of_a_reduction(device, kernel, operations[i].types);
        device_discard(device, kernel);
    }
    device_close(device);
}

static void sums_of_floats(void **state) {
    (void)state;
    struct device *device = open_sim("h200");
    struct kernel *kernel = build_reduction(device, "add", true);
    float before[ROWS * COLUMNS], after[ROWS * COLUMNS];
    struct error error = {0};
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        before[i] = 0.5f * (float)i;
    }
    const uint64_t to = upload(device, before, sizeof before);
    must(reduce(device, kernel, TENSOR_F32, 4, to, (const int32_t[]){0, 0}, &error), &error);
    download(device, after, to, sizeof after);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const uint32_t row = i / COLUMNS, column = i % COLUMNS;
        const bool hit = row < SUM_HEIGHT && column < SUM_WIDTH;
        assert_true(after[i] == before[i] + (hit ? (float)element_of(row, column) : 0));
    }
    device_discard(device, kernel);
    device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_of_a_tensor), cmocka_unit_test(a_map_that_is_none),
                                       cmocka_unit_test(a_box_between_multiples_of_16_bytes),
                                       cmocka_unit_test(reductions_into_a_tensor), cmocka_unit_test(sums_of_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
