// What --arg accepts: shapes, contents, elements and .npy files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/ptx/kernel/tensor_map.h"
#include "tools/lanes/input/npy.h"
#include "tools/lanes/input/values.h"

static const struct element_type *type_named(const char *name) {
    const struct element_type *type = element_type_named(name, strlen(name));
    assert_non_null(type);
    return type;
}

static void shapes(void **state) {
    (void)state;
    struct shape shape;
    assert_true(shape_parse(&shape, "4K"));
    assert_true(shape_elements(&shape) == 4096 && shape_extent(&shape) == 4096);
    assert_true(shape_parse(&shape, "3x5@8x1"));
    assert_true(shape_elements(&shape) == 15 && shape_extent(&shape) == 21 && shape_place(&shape, 7) == 10);
    assert_true(shape_parse(&shape, "2x3x4"));
    assert_true(shape_place(&shape, 23) == 23 && shape.stride[0] == 12);
    shape_set_dense(&shape, true);
    assert_true(shape_place(&shape, 1) == 6 && shape_place(&shape, 12) == 1);
    static const char *const bad[] = {
        "", "x", "0", "4x", "4@", "4x4@4", "4@1x1", "-1", "4x4x4x4x4x4x4x4x4", "1G x1", "1048576Gx1", "1Gx1Gx1G"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(shape_parse(&shape, bad[i]));
    }
}

// The content of three elements as text.
static const char *content_of(const char *type_name, const char *text) {
    static char out[128];
    const struct element_type *type = type_named(type_name);
    struct shape shape = {.rank = 1, .size = {3}, .stride = {1}};
    struct content content;
    int32_t integers[3];
    float reals[3];
    if (!content_parse(&content, type, text)) {
        return "refused";
    }
    assert_int_equal(
        content_write(&content, type, &shape, 7, element_is_integer(type) ? (void *)integers : reals, NULL), STATUS_OK);
    if (element_is_integer(type)) {
        snprintf(out, sizeof out, "%d %d %d", integers[0], integers[1], integers[2]);
    } else {
        snprintf(out, sizeof out, "%g %g %g", (double)reals[0], (double)reals[1], (double)reals[2]);
    }
    return out;
}

static void contents(void **state) {
    (void)state;
    assert_string_equal(content_of("int", "zero"), "0 0 0");
    assert_string_equal(content_of("int", "index"), "0 1 2");
    assert_string_equal(content_of("int", "range=5,-2"), "5 3 1");
    assert_string_equal(content_of("float", "range=1,0.5"), "1 1.5 2");
    assert_string_equal(content_of("float", "value=-0.25"), "-0.25 -0.25 -0.25");
    assert_string_equal(content_of("int", "random=-4,-3"), "-4 -4 -4");
    static const char *const bad[] = {"",        "one",        "value=",     "value=1,2",        "range=1",
                                      "random=", "random=3,3", "random=4,3", "value=2147483648", "index=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_string_equal(content_of("int", bad[i]), "refused");
    }
}

static void permutations(void **state) {
    (void)state;
    enum {
        COUNT = 1000
    };
    struct shape shape = {.rank = 1, .size = {COUNT}, .stride = {1}};
    struct content content;
    uint16_t numbers[COUNT];
    unsigned found[COUNT] = {0}, in_place = 0;
    assert_true(content_parse(&content, type_named("ushort"), "permutation"));
    assert_int_equal(content_write(&content, type_named("ushort"), &shape, 1, numbers, NULL), STATUS_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(numbers[i] < COUNT && !found[numbers[i]]++);
        in_place += numbers[i] == i;
    }
    assert_true(in_place < 10);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *type, *text;
        uint64_t bits; // 1: refused
    } cases[] = {{"half", "1", 0x3c00},
                 {"half", "65504", 0x7bff},
                 {"half", "65520", 0x7c00},
                 {"half", "-5.9604644775390625e-08", 0x8001},
                 {"half", "2048.5", 0x6800},
                 {"half", "inf", 0x7c00},
                 {"bfloat16", "1.00390625", 0x3f80},
                 {"bfloat16", "-2", 0xc000},
                 {"char", "-128", 0x80},
                 {"char", "128", 1},
                 {"uchar", "255", 255},
                 {"uchar", "-1", 1},
                 {"short", "-3", 0xfffd},
                 {"float", "0.5", 0x3f000000},
                 {"int", "0x10", 16},
                 {"int", "", 1},
                 {"int", "4x", 1},
                 {"long", "-1", UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct element_type *type = type_named(cases[i].type);
        struct number number;
        uint64_t bits = 0;
        if (!number_parse(&number, type, cases[i].text)) {
            assert_true(cases[i].bits == 1);
            continue;
        }
        element_store(type, &bits, &number);
        assert_true(bits == cases[i].bits);
    }
    assert_null(element_type_named("floats", 6));
}

// Parses a file of tests/npy; returns its error, or NULL.
static const char *parse_file(const char *name, struct npy *npy, unsigned char bytes[4096]) {
    static struct error error;
    char path[128];
    snprintf(path, sizeof path, "tests/data/npy/%s.npy", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, 4096, file);
    fclose(file);
    return npy_parse(name, bytes, count, npy, &error) == STATUS_OK ? NULL : error.text;
}

static void npy_files(void **state) {
    (void)state;
    struct npy npy;
    unsigned char bytes[4096];
    float real;
    int64_t integer;
    assert_null(parse_file("rows", &npy, bytes));
    memcpy(&real, bytes + npy.data + 4 * shape_place(&npy.shape, 4), sizeof real);
    assert_true(real == 4 && npy.type == type_named("float") && npy.shape.rank == 2 && npy.shape.size[1] == 3);
    assert_null(parse_file("columns", &npy, bytes));
    memcpy(&integer, bytes + npy.data + 8 * shape_place(&npy.shape, 4), sizeof integer);
    assert_true(integer == 4 && npy.type == type_named("long"));
    assert_null(parse_file("scalar", &npy, bytes));
    assert_true(npy.shape.rank == 0 && shape_elements(&npy.shape) == 1 && npy.type == type_named("double"));
    assert_null(parse_file("half", &npy, bytes));
    assert_true(npy.type == type_named("half") && npy.shape.size[0] == 3);
    assert_null(parse_file("version2", &npy, bytes));
    assert_true(npy.type == type_named("uchar") && bytes[npy.data + 3] == 3);
    static const char *const refused[][2] = {{"big_endian", "big-endian"},
                                             {"struct", "header"},
                                             {"empty", "no elements"},
                                             {"short", "ends before its last element"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *error = parse_file(refused[i][0], &npy, bytes);
        assert_true(error && strstr(error, refused[i][1]) && !strchr(error, '\n'));
    }
}

static void npy_headers(void **state) {
    (void)state;
    struct npy npy;
    struct error error = {0};
    unsigned char bytes[NPY_HEADER_MAX + 97] = {0};
    struct shape shape;
    assert_true(shape_parse(&shape, "2x3x4"));
    const size_t length = npy_header((char *)bytes, type_named("int"), &shape);
    assert_int_equal(npy_parse("own", bytes, length + 96, &npy, &error), STATUS_OK);
    assert_true(npy.data == length && npy.type == type_named("int"));
    assert_memory_equal(&npy.shape, &shape, sizeof shape);
    assert_int_equal(npy_parse("own", bytes, length + 95, &npy, &error), STATUS_USAGE);
    assert_int_equal(npy_parse("own", bytes, length + 97, &npy, &error), STATUS_USAGE);
    memcpy(bytes + length - 20, "'shape': (24,), }", 17); // over the blanks at the header's end
    *(char *)memchr(bytes, '}', length) = ' ';
    assert_int_equal(npy_parse("own", bytes, length + 96, &npy, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "its header"));
}

// Why the --arg is refused, "" if it is not; *arguments receives the map.
static const char *map_of(const char *box_text, const char *shape_text, struct argument *arguments) {
    static struct error error;
    struct tensor_box box;
    struct shape shape;
    error.text[0] = '\0';
    assert_true(shape_parse(&shape, shape_text));
    return !tensor_box_parse(&box, &box_text)
               ? "no box"
               : (tensor_map_make(arguments, &box, type_named("half"), &shape, 4096, "ARG", &error), error.text);
}

static void tensor_maps(void **state) {
    (void)state;
    struct argument arguments[TENSOR_MAP_ARGUMENTS];
    struct tensor_map map;
    assert_string_equal(map_of("8x64@128:rest", "20x80@96x1", arguments), "");
    for (size_t i = 0; i < TENSOR_MAP_ARGUMENTS; i++) {
        memcpy((char *)&map + 8 * i, &arguments[i].value, 8);
    }
    assert_true(map.mark == tensor_map_mark && map.address == 4096 && map.dimensions == 2 && map.element_bytes == 2);
    assert_true(map.sizes[0] == 80 && map.sizes[1] == 20 && map.box[0] == 64 && map.box[1] == 8);
    assert_true(map.strides[0] == 192 && map.swizzle == 128);
    static const struct {
        const char *box, *shape, *fault;
    } bad[] = {{"8x64", "20x80", "no box"},
               {"8x64@x:", "20x80", "no box"},
               {"8:", "20x80", "ARG: the box has other dimensions"},
               {"1x1x1x1x1x8:", "1x1x1x1x1x8", "ARG: the box has other dimensions"},
               {"512x8:", "512x80", "ARG: the box is too large"},
               {"8x8:", "20x80@81x1", "ARG: the buffer's rows"},
               {"8x8:", "20x80@1x20", "ARG: the buffer's rows"},
               {"8x4:", "20x80", "ARG: a row of the box"},
               {"8x64@64:", "20x80", "ARG: a row of the box"},
               {"8x8@48:", "20x80", "ARG: no such swizzle"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *found = map_of(bad[i].box, bad[i].shape, arguments);
        const char *text = strstr(found, "ARG: ") ? strstr(found, "ARG: ") : found;
        assert_true(strncmp(text, bad[i].fault, strlen(bad[i].fault)) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),      cmocka_unit_test(contents),  cmocka_unit_test(permutations),
        cmocka_unit_test(numbers),     cmocka_unit_test(npy_files), cmocka_unit_test(npy_headers),
        cmocka_unit_test(tensor_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
