#include "model/time/flight.h"

#include <math.h>

#include "model/gpu_limits.h"
#include "model/overlap.h"
#include "model/time/latency.h"
#include "model/time/time_constants.h"

static const double SCHEDULERS = 4;       // of a unit, so that words of several warps pass at the same time
static const double BULK_LINES = 4;       // that a copy engine asks for while a warp asks for one
static const double ALONE_SHARE = 1 / 4.; // of a round's instructions: what does not run while a lone round waits

static double chunk_bytes(const struct flight *flight) {
    return (double)flight->block_threads * flight->word_bytes * flight->words;
}

// Of all units.
static double in_flight(const struct flight *flight) {
    return chunk_bytes(flight) * flight->blocks * flight->stages;
}

static double round_cycles(const struct flight *flight) {
    const double of_path[] = {0, time_constants.cycled_word_copies, time_constants.cycled_bulk_copies};
    return of_path[flight->path];
}

// What each further word of a lane adds to a round of copies: loads to registers are under way together.
static double more_words(const struct flight *flight) {
    return flight->path == FLIGHT_LOADS ? 0 : time_constants.cycled_word * (flight->words - 1.0);
}

// From asking for a chunk until its words are used. The lines that are waited for together come one after another.
static double wait_cycles(const struct gpu *gpu, const struct flight *flight, double latency) {
    const double askers = flight->path == FLIGHT_BULK ? 1 : (double)flight->block_threads / gpu->warp_width;
    const double lines = chunk_bytes(flight) / askers / gpu->line_bytes;
    const double share = time_constants.cycled_line_share / (flight->path == FLIGHT_BULK ? BULK_LINES : 1);
    return latency * (1 + share * (lines - 1)) + time_constants.cycled_round + more_words(flight) +
           round_cycles(flight) * ALONE_SHARE;
}

// The rounds of all stages, which a unit cannot run faster though all data is there.
static double stages_cycles(const struct gpu *gpu, const struct flight *flight) {
    const double blocks = ceil((double)flight->blocks / gpu->compute_units);
    const double warps = blocks * flight->block_threads / gpu->warp_width;
    const double issue = warps * (time_constants.cycled_word + more_words(flight) / SCHEDULERS);
    const double path = round_cycles(flight) + more_words(flight);
    return flight->path == FLIGHT_LOADS ? 0 : flight->stages * overlap(path, issue, time_constants.cycled_flight_norm);
}

// Until the bytes in flight have come, from a level of that latency and rate, in bytes per clock.
static double flight_cycles(const struct gpu *gpu, const struct flight *flight, double latency, double rate) {
    const double norm = time_constants.cycled_flight_norm;
    const double own = overlap(wait_cycles(gpu, flight, latency), stages_cycles(gpu, flight), norm);
    return overlap(own, in_flight(flight) / rate, norm);
}

double flight_ns(const struct gpu *gpu, const struct flight *flight, double lost) {
    const struct gpu_latency *part = gpu_latency(gpu);
    const double ghz = gpu->clock_mhz / 1000.0, share = part->memory_share > 0 ? part->memory_share : 1;
    const double l2 = flight_cycles(gpu, flight, part->l2, part->l2_read_bytes_per_clock);
    const double memory = flight_cycles(gpu, flight, gpu_waits(gpu).memory, share * gpu_read_gb_s(gpu) / ghz);
    const double turns = (double)flight->rounds / flight->stages;
    return turns * ((1 - lost) * l2 + lost * memory) / ghz;
}
