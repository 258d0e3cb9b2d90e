#include "levels/geometry/geometry.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/row.h"
#include "levels/levels_detail.h"
#include "util/clock.h"

// ---- Chases ----

enum {
    LAUNCHES = 5,      // the median of these counts, on a CPU the fastest
    CPU_ATTEMPTS = 3,  // at that many launches
    CPU_TURNS = 3,     // of chains that answer one question, two of them at least
    RETAKE_ROUNDS = 2, // of points that were disturbed
    LAST_POINTS = 3,   // after which no larger footprint shows that they were disturbed
};
static const double CALM = 0.05;    // spread of launches that no other program disturbs
static const double PATIENCE = 0.5; // share of the other time that is spent on chases that were disturbed

static enum status take_launches(struct geometry *geometry, struct chase_result *result, struct error *error) {
    const enum status status = chase_sample(geometry->chase, LAUNCHES, result, error);
    geometry->right &= result->right;
    return status;
}

// What is repeated because of other programs must not take longer than the rest together.
static bool has_patience(const struct geometry *geometry) {
    return geometry->again_s < PATIENCE * geometry->first_s;
}

// The fastest of all launches, and by how much of it the next one exceeds it.
static enum status find_fastest(struct geometry *geometry, double *latency, double *spread, struct error *error) {
    double next = INFINITY;
    enum status status = STATUS_OK;
    *latency = *spread = INFINITY;
    for (int i = 0; i < CPU_ATTEMPTS && status == STATUS_OK && *spread > CALM && (i == 0 || has_patience(geometry));
         i++) {
        struct chase_result result;
        const double began_s = clock_s();
        status = take_launches(geometry, &result, error);
        for (size_t k = 0; k < 2 && status == STATUS_OK; k++) {
            next = fmin(next, fmax(*latency, result.fastest_ns[k]));
            *latency = fmin(*latency, result.fastest_ns[k]);
        }
        *spread = next / *latency - 1;
        geometry->again_s += i > 0 ? clock_s() - began_s : 0;
    }
    return status;
}

// The latency in cycles if the device counts them, otherwise in nanoseconds, and by how much of it launches differ. On
// a CPU the fastest launch counts, because other programs only make one longer, and a chain that they disturb is
// followed again.
static enum status time_chain(struct geometry *geometry, const struct chain *chain, double *latency, double *spread,
                              struct error *error) {
    struct chase_result result;
    bool warm;
    const double began_s = clock_s(), again_s = geometry->again_s;
    enum status status = chase_prepare(geometry->chase, chain, &warm, error);
    if (status == STATUS_OK && device_is_cpu(run_info(geometry->run))) {
        status = find_fastest(geometry, latency, spread, error);
    } else if (status == STATUS_OK) {
        status = take_launches(geometry, &result, error);
        *latency = isfinite(result.latency_cycles) ? result.latency_cycles : result.latency_ns;
        *spread = result.spread;
    }
    geometry->first_s += clock_s() - began_s - (geometry->again_s - again_s);
    return status;
}

enum status geometry_ask_chains(struct geometry *geometry, const struct chain *chains, size_t count, double *latencies,
                                double *scatter, struct error *error) {
    const bool is_cpu = device_is_cpu(run_info(geometry->run));
    double next[GEOMETRY_CHAINS_MAX]; // the second lowest latency of each chain
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        double spread;
        status = time_chain(geometry, &chains[i], &latencies[i], &spread, error);
        next[i] = is_cpu ? INFINITY : latencies[i] * (1 + spread);
    }
    for (int turn = 1; turn < CPU_TURNS && is_cpu; turn++) {
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            double again = INFINITY, spread;
            if (next[i] > (1 + CALM) * latencies[i] && (turn == 1 || has_patience(geometry))) {
                status = time_chain(geometry, &chains[i], &again, &spread, error);
                next[i] = fmin(next[i], fmax(latencies[i], again));
                latencies[i] = fmin(latencies[i], again);
            }
        }
    }
    *scatter = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        *scatter = fmax(*scatter, next[i] - latencies[i]);
    }
    return status;
}

// ---- The curve ----

enum status geometry_add_point(struct geometry *geometry, double footprint, struct error *error) {
    const struct chain chain = chain_make((uint64_t)footprint, geometry->line, 0, geometry->run->settings->seed);
    const double bytes = (double)chain_bytes(&chain);
    size_t at = 0;
    if (bytes > (double)geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    while (at < geometry->count && geometry->curve[at].footprint < bytes) {
        at++;
    }
    if (geometry->count == GEOMETRY_CURVE_MAX || (at < geometry->count && geometry->curve[at].footprint == bytes)) {
        return STATUS_OK;
    }
    double latency, spread;
    const enum status status = time_chain(geometry, &chain, &latency, &spread, error);
    memmove(&geometry->curve[at + 1], &geometry->curve[at], (geometry->count - at) * sizeof geometry->curve[0]);
    geometry->curve[at] = (struct curve_point){bytes, latency, spread};
    geometry->count++;
    return status;
}

static enum status retake_point(struct geometry *geometry, struct curve_point *point, struct error *error) {
    const struct chain chain = chain_make((uint64_t)point->footprint, geometry->line, 0, geometry->run->settings->seed);
    struct curve_point again = {.footprint = point->footprint};
    const double first_s = geometry->first_s;
    const enum status status = time_chain(geometry, &chain, &again.latency, &again.spread, error);
    geometry->again_s += geometry->first_s - first_s;
    geometry->first_s = first_s;
    if (status == STATUS_OK && again.latency < point->latency) {
        *point = again;
    }
    return status;
}

enum status geometry_retake_disturbed(struct geometry *geometry, struct error *error) {
    bool disturbed[GEOMETRY_CURVE_MAX];
    size_t found = 1;
    for (int round = 0; round < RETAKE_ROUNDS && found > 0; round++) {
        found = plateaus_disturbed(geometry->curve, geometry->count, disturbed);
        for (size_t i = 0; i < geometry->count; i++) {
            struct curve_point *point = &geometry->curve[i];
            const bool is_last = round == 0 && i + LAST_POINTS >= geometry->count;
            const bool is_doubtful = device_is_cpu(run_info(geometry->run)) && (is_last || point->spread > CALM);
            if ((disturbed[i] || is_doubtful) && has_patience(geometry)) {
                TRY(retake_point(geometry, point, error));
            }
        }
    }
    return STATUS_OK;
}

// ---- Rows ----

// Why the row has no value; NULL: it has one.
static const char *reason_of(const struct statement *statement) {
    if (statement->reason || statement->confidence_pct >= (double)GEOMETRY_SURE_PCT) {
        return statement->reason;
    }
    return "the measurement is not clear enough for a confidence of 50 %";
}

static void set_value(struct row *row, const struct statement *statement) {
    static const char *const words[] = {
        [FINDING_AGREES] = "agrees", [FINDING_DIFFERS] = "differs", [FINDING_NOT_KNOWN] = "not known"};
    snprintf(row->unit, sizeof row->unit, "%s", statement->unit);
    snprintf(row->model, sizeof row->model, "%s", words[statement->finding]);
    row->value = statement->value;
    row->confidence_pct = statement->confidence_pct;
}

enum status geometry_emit(struct geometry *geometry, const struct statement *statement, struct error *error) {
    const char *reason = reason_of(statement);
    struct row row = run_row(geometry->run);
    row.peak_gb_s = NAN;
    snprintf(row.level, sizeof row.level, "%s", statement->level);
    snprintf(row.parameter, sizeof row.parameter, "%s", statement->parameter);
    if (reason) {
        snprintf(row.model, sizeof row.model, "not shown");
        snprintf(row.reason, sizeof row.reason, "%s", reason);
        row.confidence_pct = 0;
    } else {
        set_value(&row, statement);
    }
    if (statement->expected > 0) {
        snprintf(row.expected, sizeof row.expected, "%.15g", statement->expected);
    }
    if (statement->page_bytes > 0) {
        row.page_bytes = statement->page_bytes;
    }
    row_judge(&row, !reason && statement->above_peak ? VERDICT_ABOVE_PEAK : VERDICT_OK,
              verification_of(geometry->right));
    return run_emit(geometry->run, &row, error);
}

enum status geometry_emit_count(struct geometry *geometry, struct statement *statement, struct error *error) {
    statement->finding = geometry_compare_count(statement->value, statement->expected);
    return geometry_emit(geometry, statement, error);
}

struct geometry_level geometry_level_of(const struct geometry *geometry, size_t index) {
    const struct plateau *plateau = &geometry->plateaus[index];
    struct geometry_level level = {.index = index, .plateau = plateau};
    if (index + 1 == geometry->plateau_count) {
        snprintf(level.name, sizeof level.name, "memory");
        return level;
    }
    const size_t match = geometry_match(&geometry->documented, plateau, index, geometry->plateau_count - 1);
    if (match == SIZE_MAX) {
        snprintf(level.name, sizeof level.name, "level %u", (unsigned)(index + 1));
    } else {
        level.cache = &geometry->documented.levels[match];
        snprintf(level.name, sizeof level.name, "%s", level.cache->name);
    }
    return level;
}
