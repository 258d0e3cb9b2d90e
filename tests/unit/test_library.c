// The search for the libraries of GPU vendors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/gpu/library.h"
#include "tests/unit/assertions.h"

static char *test_environment(const char *name) {
    static const char *const variables[][2] = {{"CUDA_HOME", "/home/cuda"},
                                               {"CUDA_PATH", ""},
                                               {"PYTHONPATH", "/first:/second"},
                                               {"HOME", "/home/me"},
                                               {"PATH", "/bin:/opt/conda/bin:/sbin"}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (!strcmp(variables[i][0], name)) {
            return (char *)(uintptr_t)variables[i][1];
        }
    }
    return NULL;
}

static const struct library_search search = {
    .title = "A library",
    .advice = "install it",
    .names = (const char *const[]){"liba.so.2", "liba.so", NULL},
    .variables = (const char *const[]){"CUDA_HOME", "CUDA_PATH", NULL},
    .folders = (const char *const[]){"/opt/a", "/opt/a-*", NULL},
    .wheels = (const char *const[]){"vendor/a/lib", NULL},
};

static void test_knows_where_to_look(void **state) {
    (void)state;
    static const char *const expected[] = {
        "/home/cuda/lib64/liba.so.2",
        "/home/cuda/lib64/liba.so",
        "/home/cuda/lib/liba.so.2",
        "/home/cuda/lib/liba.so",
        "/home/cuda/targets/*/lib/liba.so.2",
        "/home/cuda/targets/*/lib/liba.so",
        "/home/cuda/cuda/lib64/liba.so.2",
        "/home/cuda/cuda/lib64/liba.so",
        "liba.so.2",
        "liba.so",
        "/opt/a/lib64/liba.so.2",
        "/opt/a/lib64/liba.so",
        "/opt/a/lib/liba.so.2",
        "/opt/a/lib/liba.so",
        "/opt/a/targets/*/lib/liba.so.2",
        "/opt/a/targets/*/lib/liba.so",
        "/opt/a/cuda/lib64/liba.so.2",
        "/opt/a/cuda/lib64/liba.so",
        "/opt/a-*/lib64/liba.so.2",
        "/opt/a-*/lib64/liba.so",
        "/opt/a-*/lib/liba.so.2",
        "/opt/a-*/lib/liba.so",
        "/opt/a-*/targets/*/lib/liba.so.2",
        "/opt/a-*/targets/*/lib/liba.so",
        "/opt/a-*/cuda/lib64/liba.so.2",
        "/opt/a-*/cuda/lib64/liba.so",
        "/program/wheels/vendor/a/lib/liba.so.2",
        "/program/wheels/vendor/a/lib/liba.so",
        "/first/vendor/a/lib/liba.so.2",
        "/first/vendor/a/lib/liba.so",
        "/second/vendor/a/lib/liba.so.2",
        "/second/vendor/a/lib/liba.so",
        "/home/me/.local/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
        "/home/me/.local/lib/python3*/site-packages/vendor/a/lib/liba.so",
        "/opt/conda/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
        "/opt/conda/lib/python3*/site-packages/vendor/a/lib/liba.so",
        "/usr/local/lib/python3*/site-packages/vendor/a/lib/liba.so.2",
    };
    char **found = library_candidates(&search, test_environment, "/program");
    assert_non_null(found);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_string_equal(found[i], expected[i]);
    }
    library_candidates_free(found);
}

static void test_says_what_is_missing(void **state) {
    (void)state;
    struct library_table table = {.search = &search};
    struct error error = {0};
    assert_int_equal(library_load(&table, &error), STATUS_NO_DEVICE);
    assert_string_equal(error.text, "A library (liba.so.2) was not found: install it");
}

static void test_says_where_it_looked(void **state) {
    (void)state;
    char *home = strdup(getenv("CUDA_HOME") ? getenv("CUDA_HOME") : "");
    setenv("CUDA_HOME", "/home/cuda", 1);
    unsetenv("CUDA_PATH");
    char *places = library_places(&search);
    assert_non_null(places);
    assert_contains(places,
                    "CUDA_HOME=/home/cuda, CUDA_PATH (not set), the loader's folders (LD_LIBRARY_PATH), /opt/a, ");
    assert_contains(places, "/wheels/");
    assert_contains(places, "/usr/lib/python3/dist-packages/");
    setenv("CUDA_HOME", home, 1);
    free(home);
    free(places);
}

static bool accept_none(void *handle, int wanted_version) {
    (void)wanted_version;
    (void)handle;
    return false;
}

// Every machine has the C library; if none suits, the first that opens is taken.
static void test_takes_what_opens(void **state) {
    (void)state;
    struct library_search c = search;
    c.names = (const char *const[]){"libnowhere.so.1", "libc.so.6", NULL};
    struct library_table unsuitable = {.search = &c, .accept = accept_none};
    struct error error = {0};
    assert_ok(library_load(&unsuitable, &error), &error);
    assert_true(unsuitable.library.path[0] == '/');
    void *functions[3] = {0};
    const struct library_symbol symbols[] = {
        {"getenv_v9", "getenv", false}, {"malloc", "malloc", false}, {"getenv_v9", NULL, true}};
    struct library_table table = {.search = &c, .symbols = symbols, .symbol_count = 3, .calls = functions};
    assert_ok(library_load(&table, &error), &error);
    assert_non_null(functions[0]);
    assert_non_null(functions[1]);
    assert_null(functions[2]);
    const struct library_symbol absent = {"getenv_v9", "getenv_v8", false};
    struct library_table incomplete = {.search = &c, .symbols = &absent, .symbol_count = 1, .calls = functions};
    assert_int_equal(library_load(&incomplete, &error), STATUS_NO_DEVICE);
    assert_contains(error.text, "has no getenv_v9");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knows_where_to_look),
        cmocka_unit_test(test_says_what_is_missing),
        cmocka_unit_test(test_says_where_it_looked),
        cmocka_unit_test(test_takes_what_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
