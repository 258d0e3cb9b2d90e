// geometry: finds a device's caches from chases alone and compares them with the documented ones.
#include "levels/geometry/geometry.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levels/geometry/emit_gpu.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"

enum {
    COARSE_AN_OCTAVE = 4,
    FINE_AN_OCTAVE = 24,
    CPU_FINE_AN_OCTAVE = 12, // because points of the CPU's last level take long
    FINE_MAX = 24,           // points added to one rise
};
static const double FIRST_FOOTPRINT = 1024;
static const double CACHE_MULTIPLE = 6;                         // the curve ends at this many last-level caches,
static const double UNKNOWN_LAST = (double)(UINT64_C(1) << 30); // or here if their size is unknown
static const double ROOM = 10;                                  // memory for the pairs, in last footprints of the curve

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    enum {
        WORD = sizeof(uint64_t),
        LINE_MAX_BYTES = 512 // half the first footprint, so that it is a chain
    };
    const struct levels_session *session = run->session;
    const struct device_info *info = run_info(run);
    const uint64_t line = levels_line_bytes(run, point);
    if (session->emit_gpu && !device_is_cpu(info) && !emit_gpu_knows(info->arch)) {
        return error_set(error, STATUS_USAGE,
                         "--emit-gpu: model/gpus.c has no rules for the family of %s (%s): leave the option out",
                         info->arch, info->name);
    }
    if (line % WORD != 0 || line > LINE_MAX_BYTES) {
        return error_set(error, STATUS_USAGE, "--line %llu: give a multiple of %d, the bytes of an address, up to %d",
                         (unsigned long long)line, (int)WORD, (int)LINE_MAX_BYTES);
    }
    return STATUS_OK;
}

// ---- The curve ----

static double last_footprint(const struct run *run) {
    const struct device_info *info = run_info(run);
    const double cache = (double)device_cache_bytes_max(info);
    return fmin(cache > 0 ? CACHE_MULTIPLE * cache : UNKNOWN_LAST, (double)device_free_bytes(info) / 2);
}

static double coarse_footprint(int i) {
    return (double)FIRST_FOOTPRINT * exp2((double)i / (double)COARSE_AN_OCTAVE);
}

// The number of rises is unknown beforehand, so each octave is priced as if it held part of one.
static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double WITH_RISES = 3;
    const double last = last_footprint(run);
    for (int i = 0; coarse_footprint(i) <= last; i++) {
        const struct chain chain = chain_make((uint64_t)coarse_footprint(i), levels_line_bytes(run, point), 0, 0);
        cost->prepare_s += WITH_RISES * chase_prepare_s(run_info(run), &chain);
    }
    cost->make_bytes = ROOM * last;
}

// Takes four points per octave, then more where the curve rises.
static enum status take_curve(struct geometry *geometry, struct error *error) {
    const double last = last_footprint(geometry->run);
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && coarse_footprint(i) <= last; i++) {
        status = geometry_add_point(geometry, coarse_footprint(i), error);
    }
    THEN(status, geometry_retake_disturbed(geometry, error));
    geometry->plateau_count = plateaus_find(geometry->curve, geometry->count, geometry->plateaus);
    struct plateau coarse[PLATEAUS_MAX];
    memcpy(coarse, geometry->plateaus, sizeof coarse);
    const int fine = device_is_cpu(run_info(geometry->run)) ? CPU_FINE_AN_OCTAVE : FINE_AN_OCTAVE;
    for (size_t i = 0; i + 1 < geometry->plateau_count; i++) {
        double footprint = coarse[i].low;
        for (int k = 0; k < FINE_MAX && footprint < coarse[i].high && status == STATUS_OK; k++) {
            footprint *= exp2(1.0 / fine);
            status = geometry_add_point(geometry, footprint, error);
        }
    }
    THEN(status, geometry_retake_disturbed(geometry, error));
    geometry->plateau_count = plateaus_find(geometry->curve, geometry->count, geometry->plateaus);
    return status;
}

// ---- Rows ----

static enum status emit_latency(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    return geometry_emit(geometry,
                         &(struct statement){.level = level->name,
                                             .parameter = "latency",
                                             .value = level->plateau->latency,
                                             .unit = device_is_cpu(run_info(geometry->run)) ? "ns" : "cycles",
                                             .confidence_pct = level->plateau->confidence_pct,
                                             .finding = FINDING_NOT_KNOWN},
                         error);
}

static enum status emit_level(struct geometry *geometry, size_t index, struct error *error) {
    static enum status (*const statements[])(struct geometry *, const struct geometry_level *, struct error *) = {
        geometry_emit_size, emit_latency,          geometry_emit_line,     geometry_emit_fetch,
        geometry_emit_ways, geometry_emit_sharing, geometry_emit_bandwidth};
    const struct geometry_level level = geometry_level_of(geometry, index);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        TRY(statements[i](geometry, &level, error));
    }
    return STATUS_OK;
}

static enum status emit_levels(struct geometry *geometry, struct error *error) {
    if (geometry->plateau_count == 0) {
        return error_set(error, STATUS_FAILED,
                         "%s: the latency curve is too noisy to tell levels: close other programs",
                         run_info(geometry->run)->spec);
    }
    TRY(geometry_measure_rates(geometry, error));
    for (size_t i = 0; i + 1 < geometry->plateau_count; i++) {
        TRY(emit_level(geometry, i, error));
    }
    const struct geometry_level memory = geometry_level_of(geometry, geometry->plateau_count - 1);
    TRY(emit_latency(geometry, &memory, error));
    TRY(geometry_emit_bandwidth(geometry, &memory, error));
    return geometry_emit_reach(geometry, error);
}

static void keep_row(const struct geometry *geometry) {
    struct levels_session *session = geometry->run->session;
    const struct device_info *info = run_info(geometry->run);
    struct written row;
    if (!session->emit_gpu || device_is_cpu(info)) {
        return;
    }
    free(session->row);
    emit_gpu(memory_stream(&row), info, geometry->plateaus, geometry->plateau_count, geometry->memory_fetch);
    session->row = memory_stream_end(&row);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct geometry *geometry = memory_zeros(1, sizeof *geometry);
    geometry->run = run;
    geometry->chase = run->state;
    geometry->documented = caches_of(run_info(run));
    geometry->line = levels_line_bytes(run, point);
    geometry->right = true;
    const double room = fmin(ROOM * last_footprint(run), (double)device_free_bytes(run_info(run)) / 2);
    enum status status =
        chase_open(geometry->chase, run->bench_device, &chase_of_loads, MEMORY_DEVICE, (uint64_t)room, error);
    THEN(status, take_curve(geometry, error));
    THEN(status, emit_levels(geometry, error));
    if (status == STATUS_OK) {
        keep_row(geometry);
    }
    free(geometry->unit_latencies);
    free(geometry);
    return status;
}

TABLE(geometry, COLUMN(device), COLUMN(level), COLUMN(parameter), COLUMN(value), COLUMN(unit), COLUMN(confidence_pct),
      COLUMN(expected), COLUMN(model), COLUMN(verdict));

const struct variant_kind levels_geometry = {
    .table = geometry, .check = check, .cost = cost, .measure = measure_point, .finish = levels_close_chase};
