// Coroutines keep their position, their stack and their registers. tests/shell/test_sim_portable.sh runs this on
// other processors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/coroutine.h"

enum {
    COROUTINES = 40,
    TURNS = 100
};

static struct coroutine scheduler, coroutines[COROUTINES];
static int current;
static double sums[COROUTINES];

// Keeps values in integer and floating-point registers across every switch.
static double series(int first, void (*between)(void)) {
    double sum = first, factor = 1 + 1e-3 * first;
    for (int i = 1; i < TURNS; i++) {
        sum = sum * factor + i;
        if (between) {
            between();
        }
    }
    return sum;
}

static void rest(void) {
    int own = current;
    coroutine_switch(&coroutines[own], &scheduler);
    if (current != own) {
        current = -1;
    }
}

static void work(void) {
    for (;;) {
        int own = current;
        sums[own] = series(own, rest);
        rest();
    }
}

static void each_keeps_its_own(void **state) {
    (void)state;
    struct error error = {0};
    for (int i = 0; i < COROUTINES; i++) {
        assert_int_equal(coroutine_create(&coroutines[i], (unsigned)i, &error), STATUS_OK);
        coroutine_prepare(&coroutines[i], work);
    }
    double own = 1.5;
    for (int turn = 0; turn < 3 * TURNS; turn++) {
        for (int i = 0; i < COROUTINES; i++) {
            own *= 1.0001;
            current = i;
            coroutine_switch(&scheduler, &coroutines[i]);
            assert_int_equal(current, i);
        }
    }
    double expected = 1.5;
    for (int i = 0; i < 3 * TURNS * COROUTINES; i++) {
        expected *= 1.0001;
    }
    assert_true(own == expected);
    for (int i = 0; i < COROUTINES; i++) {
        assert_true(sums[i] == series(i, NULL));
    }
}

// A coroutine that is prepared again starts from the beginning.
static void one_is_dropped(void **state) {
    (void)state;
    sums[3] = 0;
    current = 3;
    coroutine_prepare(&coroutines[3], work);
    for (int turn = 0; turn < TURNS; turn++) {
        coroutine_switch(&scheduler, &coroutines[3]);
    }
    assert_true(sums[3] == series(3, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_keeps_its_own),
        cmocka_unit_test(one_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
