// How a measurement is made, from the command line (docs/method.md).
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct counting;
struct series_list;

struct settings {
    bool headline;             // only a headline is measured (--quick)
    double budget_s;           // what the whole program may take; infinite with --full
    bool budget_given;         // by the user, so that it limits even points that the user chose
    bool times_given;          // the user said when a measurement ends, and a budget does not change that
    double asked_s;            // that --min-time has a measurement last; infinite: --samples is given; 0: neither
    double limit_s;            // a measurement ends after this even with few samples; 0: no limit
    double min_time_s;         // no measurement ends sooner
    double max_time_s;         // none goes on longer once it has 10 samples
    double noise_pct;          // a measurement ends once its noise is below this
    uint64_t more;             // with min_time_s over, this many samples are enough in this round; 0: no such bound
    struct series_list *kept;  // samples of the point's earlier rounds, to which more are added; NULL: there are none
    uint64_t samples;          // take exactly this many instead; 0: as above
    bool long_samples;         // a sample lasts as long as the CPU's, because its rounds differ from each other
    bool host_has_part;        // in the work, which therefore is not queued before the device begins it
    bool energy;               // count joules in a further run
    bool cold;                 // the last-level cache is flushed before each sample
    bool one_round;            // a sample is one round, because the next would find what it left
    uint64_t seed;             // of the random data
    double peak_gb_s;          // given by the user; 0: that of the device
    uint64_t sim_blocks;       // the simulator runs about this many blocks of a grid; 0: all
    const char *via;           // how the simulator runs a kernel (device_via_named); NULL: device_usual_via
    bool quiet;                // no progress
    bool predict;              // add the model's figures to measured rows
    struct counting *counting; // if not NULL, a profiler counts and nothing is timed (bench/counters)
};

#endif
