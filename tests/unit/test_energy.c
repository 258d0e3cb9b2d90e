// Joules of the CPU's packages, from Linux's files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/energy.h"
#include "device/energy.h"

static char folder[] = "/tmp/bankshot-energy-XXXXXX";

static void write_package(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/energy_uj", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_package(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s/energy_uj", folder, name);
    unlink(path);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    rmdir(path);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    remove_package("intel-rapl:0");
    remove_package("intel-rapl:1");
    remove_package("intel-rapl:0:0");
    return rmdir(folder);
}

static void test_no_counter(void **state) {
    (void)state;
    double joules;
    struct error error;
    assert_int_equal(rapl_energy(folder, &joules, &error), STATUS_NO_DEVICE);
    assert_non_null(strstr(error.text, "no energy counter"));
}

// A package's own parts (cores, memory) are in it, so they are not added.
static void test_packages_are_added(void **state) {
    (void)state;
    double joules;
    struct error error;
    write_package("intel-rapl:0", "1500000\n");
    write_package("intel-rapl:1", "2000000\n");
    write_package("intel-rapl:0:0", "777\n");
    assert_int_equal(rapl_energy(folder, &joules, &error), STATUS_OK);
    assert_true(joules > 3.4999 && joules < 3.5001);
    write_package("intel-rapl:1", "none\n");
    assert_int_equal(rapl_energy(folder, &joules, &error), STATUS_NO_DEVICE);
    assert_non_null(strstr(error.text, "intel-rapl:1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_counter),
        cmocka_unit_test(test_packages_are_added),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
