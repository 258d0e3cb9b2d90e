// --energy: joules of a row's work, from a further run that is long against the steps of the device's counter.
#ifndef BENCH_ENERGY_H
#define BENCH_ENERGY_H

#include <stdint.h>

#include "device/device.h"

// Between two changes of the counter, with the device busy all the time.
struct energy {
    double joules, seconds;
    uint64_t rounds, steps; // of the work, and of the counter; no rounds: not measured
    double batch_s;         // the work between two looks at the counter: either change is seen so much too late at most
    bool tells_reasons;     // why the device held its clocks back is known:
    uint64_t reasons;       // at any of the counter's changes (device_throttle_reasons)
};

// Repeats rounds of about this length until the counter has moved on for a second. enqueue starts one round.
enum status energy_measure(struct device *device, enum status (*enqueue)(void *context, struct error *error),
                           void *context, double round_ns, struct energy *energy, struct error *error);

#endif
