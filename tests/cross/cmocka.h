// The part of cmocka that the CPU's tests use, for processors for which the machine has a compiler but no cmocka.
#ifndef TESTS_CROSS_CMOCKA_H
#define TESTS_CROSS_CMOCKA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first failure ends the program.
#define assert_true(condition)                                                                                         \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true(!(pointer))
#define assert_non_null(pointer) assert_true(pointer)
#define assert_int_equal(a, b) assert_true((uint64_t)(a) == (uint64_t)(b))
#define assert_string_equal(a, b) assert_true(!strcmp(a, b))
#define assert_memory_equal(a, b, size) assert_true(!memcmp(a, b, size))
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), exit(1))

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(test)                                                                                         \
    { #test, test }
#define cmocka_run_group_tests(tests, setup, teardown) run_group(tests, sizeof(tests) / sizeof *(tests))
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

static inline int run_group(const struct CMUnitTest *tests, size_t count) {
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        tests[i].run(NULL);
        printf("ok %zu - %s\n", i + 1, tests[i].name);
        fflush(stdout);
    }
    return 0;
}

#endif
