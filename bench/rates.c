#include "bench/rates.h"

#include <math.h>

#include "util/clock.h"

enum {
    POISON = 0xA5,
    TRIES = 3,
    MEMORY_MULTIPLE = 8 // where there is less memory, footprints are small anyway
};
static const uint64_t BYTES = UINT64_C(32) << 20;
static const double POINT_SHARE = 0.02; // of the budget, for one default footprint

// Keeps the shortest of several tries, because other programs can only slow one down.
static void keep_least(double *least, double seconds) {
    *least = *least > 0 ? fmin(*least, seconds) : seconds;
}

static enum status try_once(struct bench_device *b, double *fill_s, struct error *error) {
    const uint64_t half = BYTES / 2;
    uint64_t address = 0;
    const double start = clock_s();
    enum status status = device_allocate(b->device, BYTES, &address, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = bench_device_fill_random(b, address, BYTES, 0, error);
    const double made = clock_s();
    if (status == STATUS_OK) {
        status = device_fill(b->device, address, POISON, BYTES, error);
    }
    const double filled = clock_s();
    if (status == STATUS_OK) {
        status = device_copy_on_device(b->device, address, address + half, half, error);
    }
    keep_least(&b->rates.copy_s, (clock_s() - filled) / (double)half);
    keep_least(&b->rates.make_s, (made - start) / (double)BYTES);
    keep_least(fill_s, (filled - made) / (double)BYTES);
    device_release(b->device, address);
    return status;
}

enum status rates_measure(struct bench_device *b, double budget_s, struct error *error) {
    b->footprint_max = UINT64_MAX;
    if (!device_is_cpu(&b->device->info) || isinf(budget_s) ||
        device_free_bytes(&b->device->info) < MEMORY_MULTIPLE * BYTES) {
        return STATUS_OK;
    }
    double fill_s = 0;
    enum status status = STATUS_OK;
    for (int i = 0; i < TRIES && status == STATUS_OK; i++) {
        status = try_once(b, &fill_s, error);
    }
    if (status == STATUS_OK) { // a check copies to the host and reads what it has copied
        b->rates.handle_s = fill_s + 2 * b->rates.copy_s;
        b->footprint_max = (uint64_t)(POINT_SHARE * budget_s / (b->rates.make_s + b->rates.handle_s));
    }
    return status;
}
