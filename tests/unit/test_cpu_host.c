// The CPU backend's facts about its machine: memory, clock, and the peak of the memory channels.
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/cpu/host.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static char root[] = "/tmp/bankshot-root.XXXXXX";

static void write_below(const char *name, const char *text) {
    char command[512];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname %s%s)\" && printf '%s' >%s%s", root, name, text, root,
             name);
    assert_int_equal(system(command), 0);
}

static void remove_root(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void assert_memory(uint64_t total, uint64_t available) {
    const struct cpu_memory memory = cpu_memory_below(root);
    assert_int_equal(memory.total_bytes, total);
    assert_int_equal(memory.available_bytes, available - available / 16);
}

// The machine's memory, and the rest that control groups of either version leave; the tightest group above the process
// counts.
static void memory_is_what_control_groups_leave(void **state) {
    (void)state;
    const uint64_t MB = 1 << 20;
    assert_non_null(mkdtemp(root));
    write_below("/proc/meminfo", "MemTotal: 2048000 kB\\nMemAvailable: 1024000 kB\\n");
    assert_memory(2000 * MB, 1000 * MB);
    write_below("/proc/self/cgroup", "0::/job/step\\n");
    assert_memory(2000 * MB, 1000 * MB); // without facts about control groups
    write_below("/sys/fs/cgroup/job/step/memory.max", "max\\n");
    write_below("/sys/fs/cgroup/job/step/memory.current", "1000\\n");
    assert_memory(2000 * MB, 1000 * MB);
    write_below("/sys/fs/cgroup/job/memory.max", "536870912\\n");
    write_below("/sys/fs/cgroup/job/memory.current", "209715200\\n");
    assert_memory(512 * MB, 312 * MB);
    write_below("/sys/fs/cgroup/job/memory.stat", "anon 9\\ninactive_file 104857600\\n");
    assert_memory(512 * MB, 412 * MB);
    write_below("/proc/self/cgroup", "5:memory:/batch\\n0::/\\n");
    write_below("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "104857600\\n");
    write_below("/sys/fs/cgroup/memory/batch/memory.usage_in_bytes", "52428800\\n");
    assert_memory(100 * MB, 50 * MB);
    remove_root();
}

static void processors_are_what_control_groups_leave(void **state) {
    (void)state;
    write_below("/proc/self/cgroup", "0::/job/step\\n");
    write_below("/sys/fs/cgroup/job/step/cpu.max", "max 100000\\n");
    const uint32_t all = cpu_processors_below(root);
    assert_true(all >= 1);
    write_below("/sys/fs/cgroup/job/cpu.max", "50000 100000\\n"); // half a processor, for all groups below it
    assert_int_equal(cpu_processors_below(root), 1);
    write_below("/sys/fs/cgroup/job/cpu.max", "100000000 100000\\n");
    assert_int_equal(cpu_processors_below(root), all);
}

static bool has_many_processors; // more than a cpu_set_t holds, so that the system does not tell them

// Replaces libc's function.
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set) {
    return !has_many_processors && syscall(SYS_sched_getaffinity, process, bytes, set) > 0 ? 0 : -1;
}

// Then the caches of the first processor are described, and one processor is kept busy.
static void processors_need_not_be_told(void **state) {
    (void)state;
    struct data_cache caches[DATA_CACHES_MAX];
    write_below("/devices/system/cpu/cpu0/cache/index0/type", "Data\\n");
    write_below("/devices/system/cpu/cpu0/cache/index0/level", "1\\n");
    write_below("/devices/system/cpu/cpu0/cache/index0/size", "48K\\n");
    write_below("/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "0-1,1536\\n");
    setenv("BANKSHOT_SYSFS", root, 1);
    has_many_processors = true;
    const size_t count = cpu_data_caches(caches);
    const uint32_t processors = cpu_processors_below(root);
    has_many_processors = false;
    unsetenv("BANKSHOT_SYSFS");
    remove_root();
    assert_int_equal(processors, 1);
    assert_int_equal(count, 1);
    assert_int_equal(caches[0].bytes, 48 << 10);
    assert_int_equal(caches[0].sharers, 3);
    assert_int_equal(caches[0].allowed_sharers, 0);
}

static void more_than_there_is_is_refused(void **state) {
    (void)state;
    struct error error = {0};
    assert_int_equal(cpu_memory_check("--edges", 1e6, "use fewer", &error), STATUS_OK);
    assert_int_equal(cpu_memory_check("--edges", 1e18, "use fewer", &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "--edges: 1e+09 GB of memory needed, "));
    assert_non_null(strstr(error.text, "GB available: use fewer"));
}

static void clock_is_plausible_and_steady(void **state) {
    (void)state;
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < 50; i++) {
        const double mhz = cpu_clock_mhz();
        low = fmin(low, mhz);
        high = fmax(high, mhz);
    }
    assert_true(low > 100);
    assert_true(high < 10000);
}

// ---- The firmware's table of memory modules ----

struct module {
    uint16_t width_bits, size, speed;
    const char *device, *bank;
};

static size_t add_module_structure(uint8_t *to, const struct module *module) {
    enum {
        LENGTH_BYTES = 0x28
    };
    memset(to, 0, LENGTH_BYTES);
    to[0] = 17;
    to[1] = LENGTH_BYTES;
    memcpy(to + 0x0a, &module->width_bits, 2);
    memcpy(to + 0x0c, &module->size, 2);
    memcpy(to + 0x20, &module->speed, 2);
    to[0x10] = 1;
    to[0x11] = *module->bank ? 2 : 0;
    char *text = (char *)to + LENGTH_BYTES;
    text = stpcpy(text, module->device) + 1;
    text = *module->bank ? stpcpy(text, module->bank) + 1 : text;
    *text++ = '\0';
    return (size_t)((uint8_t *)text - to);
}

static double peak_of(const struct module *modules, size_t count) {
    uint8_t table[1024] = {0, 4, 0, 0, 0, 0}; // a structure of another type, without strings
    size_t bytes = 6;
    for (size_t i = 0; i < count; i++) {
        bytes += add_module_structure(table + bytes, &modules[i]);
    }
    return cpu_smbios_peak_gb_s(table, bytes);
}

static bool near(double is, double expected) {
    return fabs(is - expected) < 1e-9;
}

static void memory_peak_counts_channels(void **state) {
    (void)state;
    const struct module desktop[] = {{64, 16384, 3200, "ChannelA-DIMM0", "BANK 0"},
                                     {64, 16384, 3200, "ChannelA-DIMM1", "BANK 1"},
                                     {64, 16384, 3200, "ChannelB-DIMM0", "BANK 2"},
                                     {64, 0, 0, "ChannelB-DIMM1", "BANK 3"}};
    const struct module ryzen[] = {{64, 16384, 6000, "DIMM 1", "P0 CHANNEL A"},
                                   {64, 16384, 6000, "DIMM 1", "P0 CHANNEL B"}};
    const struct module server[] = {{64, 16384, 4800, "P1-DIMMA1", "P0_Node0"},
                                    {64, 16384, 4800, "P1-DIMMA2", "P0_Node0"},
                                    {64, 16384, 4800, "P1-DIMMB1", "P0_Node0"},
                                    {64, 16384, 4800, "P2-DIMMA1", "P1_Node0"}};
    assert_true(near(peak_of(desktop, LENGTH(desktop)), 51.2));
    assert_true(near(peak_of(ryzen, LENGTH(ryzen)), 96.0));
    assert_true(near(peak_of(server, LENGTH(server)), 115.2));
}

static void memory_peak_is_never_guessed(void **state) {
    (void)state;
    const struct module unnamed[] = {{64, 16384, 3200, "DIMM 0", ""}, {64, 16384, 3200, "DIMM 1", ""}};
    const struct module numbered[] = {{64, 16384, 3200, "DIMM0", "BANK 0"}};
    const struct module no_speed[] = {{64, 16384, 3200, "A1", ""}, {64, 16384, 0, "B1", ""}};
    const struct module no_width[] = {{0xffff, 16384, 3200, "A1", ""}};
    assert_true(near(peak_of(unnamed, LENGTH(unnamed)), 0));
    assert_true(near(peak_of(numbered, LENGTH(numbered)), 0));
    assert_true(near(peak_of(no_speed, LENGTH(no_speed)), 0));
    assert_true(near(peak_of(no_width, LENGTH(no_width)), 0));
    assert_true(near(cpu_smbios_peak_gb_s((const uint8_t *)"", 0), 0));
}

// A truncated table is not read past its end (the sanitizers watch).
static void cut_tables_are_harmless(void **state) {
    (void)state;
    const struct module module = {64, 16384, 3200, "ChannelA-DIMM0", "BANK 0"};
    uint8_t table[256];
    const size_t whole = add_module_structure(table, &module);
    for (size_t bytes = 0; bytes < whole; bytes++) {
        uint8_t *cut = malloc(bytes ? bytes : 1);
        assert_non_null(cut);
        memcpy(cut, table, bytes);
        assert_true(near(cpu_smbios_peak_gb_s(cut, bytes), 0));
        free(cut);
    }
    assert_true(near(cpu_smbios_peak_gb_s(table, whole), 25.6));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_what_control_groups_leave),
        cmocka_unit_test(processors_are_what_control_groups_leave),
        cmocka_unit_test(processors_need_not_be_told),
        cmocka_unit_test(more_than_there_is_is_refused),
        cmocka_unit_test(clock_is_plausible_and_steady),
        cmocka_unit_test(memory_peak_counts_channels),
        cmocka_unit_test(memory_peak_is_never_guessed),
        cmocka_unit_test(cut_tables_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
