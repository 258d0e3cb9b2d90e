// A device and what the harness keeps on it: its own kernels, a clock, and a buffer that flushes the cache.
#ifndef BENCH_BENCH_DEVICE_H
#define BENCH_BENCH_DEVICE_H

#include "bench/settings.h"
#include "device/device.h"

// Seconds per byte; 0 where they are not measured because they hardly matter.
struct bench_rates {
    double make_s;   // to allocate new pages and fill them
    double handle_s; // to poison, and to check
    double copy_s;   // to copy
};

struct bench_device {
    struct device *device;
    struct kernel *clock_kernel; // NULL if the device has no timer
    uint64_t clock_result;       // device address of two words
    struct event *start, *stop;
    double launch_overhead_ns;   // of an empty kernel; NaN on a predicted device
    double expected_clock_mhz;   // clock that the device should run at; 0: unknown
    struct kernel *flush_kernel; // NULL until the cache is flushed for the first time
    struct kernel *fill_kernel;  // NULL until memory is filled for the first time
    uint64_t flush_buffer;       // device address
    uint64_t flush_words;
    struct bench_rates rates;
    uint64_t footprint_max;   // a default footprint stays below this if possible, so that the budget suffices
    double sampled_s;         // spent in measurements so far
    double flush_probe_ratio; // time of a read after a flush over that of a read from the cache; NaN: not measured
};

// By whose instructions a simulated device runs kernels: as the settings say, or else as is usual for its part.
enum device_via bench_device_via(const struct bench_device *bench_device, const struct settings *settings);

// Opens the device and measures its launch overhead; with settings->cold also measures whether the flush works.
enum status bench_device_open(struct bench_device *bench_device, const char *spec, const struct settings *settings,
                              struct error *error);
void bench_device_close(struct bench_device *bench_device);

// The clock that the device runs at now, in MHz; NaN where it cannot be measured.
enum status bench_device_clock(struct bench_device *bench_device, double *mhz, struct error *error);

// Keeps the default stream busy for this long, but at most for 4 ms, so that the host can queue what follows before the
// device comes to it. The device's own timer ends this, whatever the host does. Does nothing on a device without a
// timer.
enum status bench_device_hold(struct bench_device *bench_device, double nanoseconds, struct error *error);

// The same for longer than a host takes to queue so many launches.
enum status bench_device_hold_for(struct bench_device *bench_device, uint32_t launches, struct error *error);

// The clock in MHz below which a sample counts as throttled; 0: unknown.
double bench_device_throttled_mhz(const struct bench_device *bench_device);

enum status bench_device_flush(struct bench_device *bench_device, struct error *error);

// Fills device memory with mix64(seed + i) for each 8-byte word i. Bytes after the last whole word stay as they are.
enum status bench_device_fill_random(struct bench_device *bench_device, uint64_t address, uint64_t bytes, uint64_t seed,
                                     struct error *error);

// The same with (mix64(seed + i) & keep) | set.
enum status bench_device_fill_masked(struct bench_device *bench_device, uint64_t address, uint64_t bytes, uint64_t seed,
                                     uint64_t keep, uint64_t set, struct error *error);

// Builds a kernel, launches it once, waits for it and discards it, for work that is not timed.
enum status bench_device_run(struct bench_device *bench_device, const struct kernel_request *request,
                             const struct launch *launch, struct error *error);

// Time of one launch, by the device's events.
enum status bench_device_time(struct bench_device *bench_device, struct kernel *kernel, const struct launch *launch,
                              double *nanoseconds, struct error *error);

// ---- Rates of the CPU ----

// Measures the CPU's rates, in about 50 ms. Elsewhere memory is so fast, or simulated, that its rates hardly matter.
// Also sets footprint_max, so that filling it takes a small share of the budget.
enum status rates_measure(struct bench_device *bench_device, double budget_s, struct error *error);

// Notes how long it took to allocate and fill so many bytes, if the rates were measured and this took longest so far:
// pages that a system has not had in use for long may take several times as long as those of the small array that
// rates_measure makes again and again, and larger arrays need more of them.
void rates_note_made(struct bench_device *bench_device, double bytes, double seconds);

#endif
