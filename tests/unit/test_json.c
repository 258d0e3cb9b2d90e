// The JSON writer: commas, nesting, numbers, and texts that JSON must escape.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/json_writer.h"

struct text {
    char *bytes;
    size_t length;
    FILE *file;
    struct json_writer writer;
};

static struct text *text_begin(struct text *text) {
    text->file = open_memstream(&text->bytes, &text->length);
    assert_non_null(text->file);
    text->writer = json_writer(text->file);
    return text;
}

static void text_is(struct text *text, const char *expected) {
    fclose(text->file);
    assert_string_equal(text->bytes, expected);
    free(text->bytes);
}

static void test_nesting(void **state) {
    struct text text;
    (void)state;
    struct json_writer *writer = &text_begin(&text)->writer;
    json_begin_object(writer, NULL);
    json_write_text(writer, "name", "h200");
    json_begin_array(writer, "rows");
    for (int row = 0; row < 2; row++) {
        json_begin_array(writer, NULL);
        json_write_count(writer, NULL, 1);
        json_write_bool(writer, NULL, row == 1);
        json_write_text(writer, NULL, NULL);
        json_end(writer);
    }
    json_end(writer);
    json_begin_object(writer, "empty");
    json_end(writer);
    json_end(writer);
    text_is(&text, "{\n  \"name\": \"h200\",\n  \"rows\": [\n    [1, false, null],\n    [1, true, null]\n  ],\n"
                   "  \"empty\": {}\n}\n");
}

static void test_texts(void **state) {
    static const struct {
        const char *given, *written;
    } cases[] = {
        {"a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\""},
        {"line\nend\x01\x7f", "\"line\\u000aend\\u0001\\u007f\""},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff|\xc3|\xc0\xaf|\xed\xa0\x80", "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\""},
        {"cut \xe2\x82", "\"cut \\ufffd\\ufffd\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text;
        json_write_text(&text_begin(&text)->writer, NULL, cases[i].given);
        text_is(&text, cases[i].written);
    }
}

static void test_numbers(void **state) {
    struct text text;
    (void)state;
    struct json_writer *writer = &text_begin(&text)->writer;
    json_begin_array(writer, NULL);
    json_begin_array(writer, NULL);
    json_begin_array(writer, NULL);
    json_write_real(writer, NULL, 0.1);
    json_write_real(writer, NULL, 1.0 / 3);
    json_write_real(writer, NULL, -1e300);
    json_write_real(writer, NULL, NAN);
    json_write_real(writer, NULL, -INFINITY);
    json_write_count(writer, NULL, UINT64_MAX);
    json_end(writer);
    json_end(writer);
    json_end(writer);
    text_is(&text, "[\n  [\n    [0.1, 0.33333333333333331, -1e+300, null, null, 18446744073709551615]\n  ]\n]\n");
}

// A field of a CSV stays unchanged if it is a JSON number, and otherwise becomes a text.
static void test_fields(void **state) {
    static const char *const numbers[] = {"0", "-0", "12", "1.50", "-3.2e+07", "1E5", "10.0"};
    static const char *const texts[] = {"", "-", "01", "1.", ".5", "1e", "1e+", "nan", "0x10", "1 ", "32x8", "+1"};
    char quoted[32];
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct text text;
        json_write_number(&text_begin(&text)->writer, NULL, numbers[i]);
        text_is(&text, numbers[i]);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct text text;
        json_write_number(&text_begin(&text)->writer, NULL, texts[i]);
        snprintf(quoted, sizeof quoted, "\"%s\"", texts[i]);
        text_is(&text, quoted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
