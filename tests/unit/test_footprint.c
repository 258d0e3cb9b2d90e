// The time of going through one footprint again and again: which level it is that takes the longest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/footprint.h"
#include "model/latency.h"

static const double MIB = 1 << 20;
enum {
    ROUNDS = 8
};

// GB/s of going through so many bytes, of which a share is written.
static double rate(const char *gpu, double bytes, double written, bool shared) {
    const struct gpu *part = gpu_find(gpu);
    const struct launch_work work = {.blocks = part->compute_units,
                                     .load_sector_bytes = (double)ROUNDS * bytes * (1 - written),
                                     .store_sector_bytes = (double)ROUNDS * bytes * written,
                                     .memory = {.load_bytes = bytes * (1 - written), .write_bytes = bytes * written}};
    return (double)ROUNDS * bytes / footprint_ns(part, &work, shared);
}

static void within(double value, double expected, double percent) {
    if (!(fabs(value / expected - 1) <= percent / 100)) {
        fail_msg("%g is not within %g %% of %g", value, percent, expected);
    }
}

// Measured on an H200 (results/h200/levels.csv), and not used to fit the model.
static void held_out_rows_of_an_h200(void **state) {
    (void)state;
    within(rate("h200", 8 * MIB, 0, true), 10143.5, 5);
    within(rate("h200", 32 * MIB, 0, true), 9652.6, 5);
    within(rate("h200", 128 * MIB, 0, true), 6145.8, 10);
    within(rate("h200", 512 * MIB, 0, true), 4670.1, 10);
    within(rate("h200", 4 * MIB, 1, true), 4819.5, 5);
    within(rate("h200", 512 * MIB, 1, true), 4413.5, 10);
    within(rate("h200", 4 * MIB, 0.5, true), 7791.2, 5);
    within(rate("h200", 1024 * MIB, 0.5, true), 3998.7, 5);
    within(rate("h200", 132 * MIB / 16, 0, false), 32786.1, 5);
    within(rate("h200", 132 * MIB * 5 / 16, 0, false), 30546.4, 10); // larger than L1
    within(rate("h200", 132 * MIB / 2, 0, false), 4726.4, 10);       // and so are all together than the L2
    within(rate("h200", 132 * MIB * 0.75, 0, false), 4647.1, 10);
    within(rate("h200", 132 * MIB / 8, 1, false), 4651.3, 5);
}

static void each_level_has_its_rate(void **state) {
    (void)state;
    const struct gpu *gpu = gpu_find("v100");
    const struct gpu_latency *part = gpu_latency(gpu);
    const double ghz = gpu->clock_mhz / 1000.0;
    within(rate("v100", 80 * 65536, 0, false), part->l1_bytes_per_clock * 80 * ghz, 0.1);
    within(rate("v100", 4 * MIB, 0, true), part->l2_read_bytes_per_clock * ghz, 0.1);
    within(rate("v100", 64 * MIB, 0, true), part->memory_gb_s, 2); // less what the L2 takes
    assert_true(isnan(rate("k40", MIB, 0, true)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_rows_of_an_h200),
        cmocka_unit_test(each_level_has_its_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
