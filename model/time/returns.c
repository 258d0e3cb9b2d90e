// docs/simulator.md, Footprints, derives this.
#include "model/time/returns.h"

#include <math.h>
#include <stdint.h>

enum {
    VISITS = 1 << 14, // to one line, which stands for all; the share of misses is exact to about 0.004
    HALVINGS = 24,
};
static const double LEAST_IRREGULARITY = 0.05; // no launch is as regular, and a shape must be finite
static const double LONGEST_LIFE = 1000;

// A line in its own half, and its copy in the other one: when each was last used.
struct line {
    double used, copy_used;
};

// What becomes of all visits if a line stays for so long after its last use, in mean times between visits.
struct visits {
    double time, held; // sum of the time for which the line and its copy are there
    uint32_t missed;
};

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32;
}

// A Weibull distribution of mean 1.
static double interval(uint64_t *state, double shape) {
    const double random = ((double)next_random(state) + 0.5) / 4294967296.0;
    return pow(-log(random), 1 / shape) / tgamma(1 + 1 / shape);
}

// How much of the time until the next visit a line is held.
static double held(double used, double now, double next, double life) {
    return fmax(0, fmin(next, used + life) - now);
}

static struct visits visit(double life, bool halves, double shape) {
    struct line line = {-INFINITY, -INFINITY};
    struct visits visits = {0};
    uint64_t state = 1;
    for (uint32_t i = 0; i < VISITS; i++) {
        const bool far = halves && (next_random(&state) & 1) != 0;
        const double now = visits.time;
        const bool asks = !far || now - line.copy_used > life; // the line's own half
        visits.missed += asks && now - line.used > life;
        line.used = asks ? now : line.used;
        line.copy_used = far ? now : line.copy_used;
        visits.time += interval(&state, shape);
        visits.held += held(line.used, now, visits.time, life) + held(line.copy_used, now, visits.time, life);
    }
    return visits;
}

// The longer lines stay, the more of the cache they take. Of all lives the one is looked for that fills it.
double returns_missed(double footprint, bool halves, double irregularity) {
    const double shape =
        pow(fmax(irregularity, LEAST_IRREGULARITY), -1.086); // approximately: Justus et al., 1978, on winds
    double least = 0, most = LONGEST_LIFE;
    struct visits visits = visit(most, halves, shape);
    if (visits.held / visits.time * footprint <= 1) {
        return 0; // the cache holds all lines, and the copies
    }
    for (int i = 0; i < HALVINGS; i++) {
        const double life = (least + most) / 2;
        visits = visit(life, halves, shape);
        *(visits.held / visits.time * footprint > 1 ? &most : &least) = life;
    }
    return visits.missed / (double)VISITS;
}
