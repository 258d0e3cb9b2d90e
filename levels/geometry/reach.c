// The reach of the TLB: the same number of elements as before, but each on a separate page.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "levels/geometry/statements.h"
#include "levels/levels.h"
#include "levels/levels_cpu.h"

enum {
    POINTS_MAX = 64,
    FIRST_ELEMENTS = 16,
    POINTS_AN_OCTAVE = 4,
};
static const uint64_t LARGE_PAGE = 2 << 20;
static const double CACHED = 0.5; // share of the second cache that the elements' lines take at most

struct reach {
    uint64_t page_bytes;
    size_t count;
    double elements[POINTS_MAX];
    double near[POINTS_MAX]; // latencies of adjacent elements
    struct curve_point far[POINTS_MAX];
};

// A GPU's L1 answers without the TLB, so there must be too many elements for L1.
static double first_elements(const struct geometry *geometry) {
    static const double PAST_L1 = 2; // in sizes of L1
    return device_is_cpu(levels_info(geometry->run)) ? (double)FIRST_ELEMENTS
                                                     : PAST_L1 * geometry->plateaus[0].size / (double)geometry->line;
}

static struct reach reach_of(const struct geometry *geometry, uint64_t page_bytes) {
    struct reach reach = {.page_bytes = page_bytes};
    const size_t cached = geometry->plateau_count > 2 ? 1 : 0;
    const double lines = CACHED * geometry->plateaus[cached].size / (double)geometry->line;
    const double most = fmin((double)(geometry->chase->memory_bytes / page_bytes), lines);
    for (int i = 0; reach.count < POINTS_MAX; i++) {
        const double elements = round(first_elements(geometry) * exp2((double)i / (double)POINTS_AN_OCTAVE));
        if (elements > most) {
            break;
        }
        reach.elements[reach.count++] = elements;
    }
    return reach;
}

static enum status time_near(struct geometry *geometry, struct reach *reach, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < reach->count && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make((uint64_t)reach->elements[i] * geometry->line, geometry->line, 0, geometry->run->settings->seed);
        status = geometry_time_chain(geometry, &chain, &reach->near[i], error);
    }
    return status;
}

// Subtracts what the caches add, so that the curve shows the TLB alone.
static enum status time_far(struct geometry *geometry, struct reach *reach, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < reach->count && status == STATUS_OK; i++) {
        double latency;
        struct chain chain = chain_make((uint64_t)reach->elements[i] * reach->page_bytes, reach->page_bytes, 0,
                                        geometry->run->settings->seed);
        chain.stagger_bytes = levels_stagger_bytes(levels_info(geometry->run));
        status = geometry_time_chain(geometry, &chain, &latency, error);
        reach->far[i] = (struct curve_point){reach->elements[i] * (double)reach->page_bytes,
                                             reach->near[0] + fmax(latency - reach->near[i], 0)};
    }
    return status;
}

static enum status emit(struct geometry *geometry, const struct reach *reach, struct error *error) {
    struct plateau plateaus[PLATEAUS_MAX];
    const size_t count = plateaus_find(reach->far, reach->count, plateaus);
    enum status status = STATUS_OK;
    struct statement statement = {
        .level = "TLB", .unit = "B", .finding = FINDING_NOT_KNOWN, .page_bytes = reach->page_bytes};
    for (size_t i = 0; i + 1 < count && status == STATUS_OK; i++) {
        statement.parameter = i == 0 ? "page reach" : "next page reach";
        statement.value = plateaus[i].size;
        statement.confidence_pct = plateaus[i].confidence_pct;
        status = geometry_emit(geometry, &statement, error);
    }
    if (status == STATUS_OK && count > 0) { // the reach beyond the last point is unknown
        statement.parameter = "page reach at least";
        statement.value = reach->far[reach->count - 1].footprint;
        statement.confidence_pct = plateaus[count - 1].confidence_pct;
        status = count == 1 ? geometry_emit(geometry, &statement, error) : STATUS_OK;
    }
    return status;
}

static enum status emit_large_pages(struct geometry *geometry, struct error *error) {
    struct reach reach = reach_of(geometry, LARGE_PAGE);
    enum status status = time_near(geometry, &reach, error);
    if (status == STATUS_OK) {
        status = time_far(geometry, &reach, error);
    }
    return status == STATUS_OK ? emit(geometry, &reach, error) : status;
}

// Adjacent elements are measured in large pages, so that only the small pages need the TLB.
static enum status emit_small_pages(struct geometry *geometry, struct error *error) {
    struct reach reach = reach_of(geometry, (uint64_t)sysconf(_SC_PAGESIZE));
    enum status status = time_near(geometry, &reach, error);
    if (status == STATUS_OK) {
        levels_cpu_small_pages(geometry->chase->memory, geometry->chase->memory_bytes);
        status = time_far(geometry, &reach, error);
    }
    return status == STATUS_OK ? emit(geometry, &reach, error) : status;
}

// A GPU's pages reach so far that the curve's memory does not suffice.
static enum status emit_on_gpu(struct geometry *geometry, struct error *error) {
    static const struct chase_kernel kernel = {"chase", levels_cpu_chase, CHASE_MEMORY};
    const uint64_t bytes = (device_free_bytes(levels_info(geometry->run)) - geometry->chase->memory_bytes) / 2;
    struct chase *narrow = geometry->chase, *wide = calloc(1, sizeof *wide);
    if (!wide) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = chase_open(wide, geometry->run->bench_device, &kernel, bytes, error);
    geometry->chase = wide;
    if (status == STATUS_OK) {
        status = emit_large_pages(geometry, error);
    }
    geometry->chase = narrow;
    chase_close(wide);
    free(wide);
    return status;
}

enum status geometry_emit_reach(struct geometry *geometry, struct error *error) {
    if (geometry->plateau_count < 2) {
        return STATUS_OK; // without a documented cache, its effect cannot be separated from the TLB's
    }
    if (!device_is_cpu(levels_info(geometry->run))) {
        return emit_on_gpu(geometry, error);
    }
    const enum status status = emit_large_pages(geometry, error);
    return status == STATUS_OK ? emit_small_pages(geometry, error) : status;
}
