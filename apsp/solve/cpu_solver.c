#include "apsp/solve/cpu_solver.h"

#include <math.h>
#include <stdlib.h>

#include "util/clock.h"
#include "util/statistics.h"

#define PAIR(vectors, isa) [vectors] = {#isa, &solver_##isa##_32, &solver_##isa##_16},
static const struct solver_pair pairs[] = {CPU_VECTORS_BUILT(PAIR)};

const struct solver_pair *solver_pair(size_t index) {
    for (size_t vectors = cpu_vectors() + 1; vectors-- > 0;) {
        if (pairs[vectors].name && index-- == 0) {
            return &pairs[vectors];
        }
    }
    return NULL;
}

const struct solver *solver_of(size_t width_bytes) {
    const struct solver_pair *best = solver_pair(0);
    return width_bytes == sizeof(uint16_t) ? best->of_16 : best->of_32;
}

// ---- The peak of the arithmetic ----

static const double WINDOW_MIN_NS = 1e6, WINDOW_MAX_NS = 20e6;

// A thread checks the clock after about 10 us of instructions. It counts from its own start, because a busy machine may
// start it after the window of another thread has ended.
static double updates_within(const struct solver *solver, double window_ns) {
    enum {
        ROUNDS = 1 << 12
    };
    const double end = clock_ns() + window_ns;
    double updates = 0;
    do {
        updates += solver->bare(ROUNDS);
    } while (clock_ns() < end);
    return updates;
}

static double rate_of_window(uint32_t width_bytes, double window_ns) {
    const struct solver *solver = solver_of(width_bytes);
    const double start = clock_ns();
    double updates = 0;
#pragma omp parallel reduction(+ : updates)
    updates += updates_within(solver, window_ns);
    return updates / (clock_ns() - start);
}

void apsp_cpu_peak_window(struct apsp_cpu_peak *peak, uint32_t width_bytes, double window_ns) {
    peak->gop_s = memory_room(peak->gop_s, peak->windows, sizeof *peak->gop_s);
    peak->gop_s[peak->windows++] = rate_of_window(width_bytes, fmax(WINDOW_MIN_NS, fmin(window_ns, WINDOW_MAX_NS)));
    peak->ended_ns = clock_ns();
}

double apsp_cpu_peak_median(struct apsp_cpu_peak *peak) {
    return peak->windows ? statistics_of(peak->gop_s, peak->windows).median : NAN;
}

double apsp_cpu_peak_best(struct apsp_cpu_peak *peak) {
    return peak->windows ? statistics_of(peak->gop_s, peak->windows).max : NAN;
}

void apsp_cpu_peak_release(struct apsp_cpu_peak *peak) {
    free(peak->gop_s);
    *peak = (struct apsp_cpu_peak){0};
}

double apsp_cpu_peak_gop_s(uint32_t width_bytes) {
    double best = 0;
    for (int window = 0; window < 8; window++) {
        best = fmax(best, rate_of_window(width_bytes, WINDOW_MAX_NS));
    }
    return best;
}
