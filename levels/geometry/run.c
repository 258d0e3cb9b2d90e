#include "levels/geometry/run.h"

#include <math.h>
#include <stdio.h>

#include "bench/verdict.h"

enum {
    LAUNCHES = 5 // the median of these counts
};

enum status geometry_time_chain(struct geometry *geometry, const struct chain *chain, double *latency,
                                struct error *error) {
    struct chase_result result = {NAN, NAN, false};
    bool warm;
    *latency = NAN;
    enum status status = chase_prepare(geometry->chase, chain, &warm, error);
    if (status == STATUS_OK) {
        status = chase_sample(geometry->chase, LAUNCHES, &result, error);
    }
    geometry->right &= result.right;
    *latency = isfinite(result.latency_cycles) ? result.latency_cycles : result.latency_ns;
    return status;
}

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
              geometry->right ? VERIFICATION_PASSED : VERIFICATION_FAILED);
    return run_emit(geometry->run, &row, error);
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
