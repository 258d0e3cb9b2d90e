// How a measurement is made, as the command line sets it (docs/method.md).
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

// How much is measured.
enum extent {
    EXTENT_BUDGET,   // what fits
    EXTENT_HEADLINE, // --quick
    EXTENT_ALL       // --full
};

struct settings {
    enum extent extent;
    double budget_s;     // what the whole program may take; infinite with --full
    bool budget_given;   // it was asked for: then no wish for more goes beyond it
    bool times_given;    // how a measurement ends was asked for, and a budget does not change it
    double limit_s;      // a measurement ends then even with few samples; 0: never
    double min_time_s;   // no measurement ends before
    double max_time_s;   // none goes on longer, once it has its 10 samples
    double noise_pct;    // it ends when the noise is below
    uint64_t samples;    // exactly so many instead; 0: as above
    bool cold;           // the last-level cache is flushed before each sample
    uint64_t seed;       // of the random data
    double peak_gb_s;    // the memory's peak where the user knows better; 0: the device's own
    uint64_t sim_blocks; // the simulator runs so many blocks of a grid; 0: all
    bool quiet;          // no progress
    bool predict;        // the model's figures beside measured rows
};

#endif
