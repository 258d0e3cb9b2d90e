#include "reduce/reduce_measure.h"

#include <math.h>
#include <stdio.h>

#include "bench/row.h"
#include "reduce/reduce_job.h"
#include "reduce/reduce_plan.h"
#include "reduce/reduce_session.h"

static struct reduce_job make_job(struct run *run, const struct reduce_detail *detail, const struct point *point,
                                  enum reduce_type type) {
    struct reduce_job job = {.run = run, .detail = detail, .type = type};
    const uint32_t block = reduce_on_cpu(run) ? 0 : (uint32_t)point->values[REDUCE_BLOCK];
    job.plan = reduce_plan(detail, type, run_info(run), block, reduce_elements(run, point, type));
    return job;
}

// ---- The yardstick ----

static const struct reduce_detail *read_limit(const struct run *run) {
    for (size_t i = 0; i < run->probe->variant_count; i++) {
        const struct reduce_detail *detail = run->probe->variants[i].detail;
        if (detail->checksums) {
            return detail;
        }
    }
    return NULL;
}

static double useful_bytes(const struct reduce_job *job) {
    return (double)job->plan.pass[0].elements * (double)reduce_number_bytes(job);
}

// Reads the same bytes with a grid that fills the device once, and on a GPU also with one block per tile. The faster
// one counts.
static enum status measure_limit(struct reduce_job *job, struct reduce_times *times, bool *right, struct error *error) {
    enum status status = reduce_job_run(job, times, right, error);
    if (status != STATUS_OK || run_info(job->run)->predicted || reduce_on_cpu(job->run)) {
        return status;
    }
    struct reduce_job tiled = *job;
    struct reduce_times tiled_times;
    bool tiled_right;
    tiled.kernel = NULL;
    tiled.buffers = (struct reduce_buffers){0};
    tiled.first_blocks = NULL;
    tiled.plan.pass[0].grid = reduce_tile_count(job) ? reduce_tile_count(job) : 1;
    status = reduce_job_run(&tiled, &tiled_times, &tiled_right, error);
    reduce_job_release(&tiled);
    if (status == STATUS_OK && tiled_times.all.time_ns.median < times->all.time_ns.median) {
        *times = tiled_times;
        job->plan = tiled.plan;
        *right &= tiled_right;
    }
    return status;
}

// The yardstick is measured once per footprint, even if it is not among the variants.
static enum status ensure_limit(struct run *run, const struct point *point, enum reduce_type type,
                                struct error *error) {
    struct reduce_summary *summary = &reduce_session(run)->summary;
    struct point other = *point;
    if (other.values[REDUCE_BLOCK] == 0) {
        other.values[REDUCE_BLOCK] = 512;
    }
    const struct settings settings = measure_aside(run->settings);
    struct run aside = *run;
    aside.settings = &settings;
    struct reduce_job job = make_job(&aside, read_limit(run), &other, type);
    const uint64_t elements = job.plan.pass[0].elements;
    if (elements == 0 || !isnan(reduce_summary_limit(summary, run_device(job.run), type, elements))) {
        return STATUS_OK;
    }
    struct reduce_times times;
    bool right = false;
    const enum status status = measure_limit(&job, &times, &right, error);
    if (status == STATUS_OK) {
        reduce_summary_set_limit(summary, run_device(job.run), type, elements,
                                 useful_bytes(&job) / times.all.time_ns.median);
    }
    reduce_job_release(&job);
    return status;
}

// ---- The row ----

static void describe(const struct reduce_job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "read");
    snprintf(row->type, sizeof row->type, "%s", reduce_type_name(job->type));
    row->width_bytes = reduce_number_bytes(job);
    row->elements = job->plan.pass[0].elements;
    row->footprint_bytes = (uint64_t)useful_bytes(job);
    if (job->kernel && !reduce_on_cpu(job->run)) {
        row_format_dimensions(row->block, (struct dimensions){job->plan.block, 1, 1});
        row_format_dimensions(row->grid, (struct dimensions){(uint32_t)job->plan.pass[0].grid, 1, 1});
    }
}

static void set_counts(const struct reduce_job *job, struct row *row) {
    if (device_counts_launches(run_device(job->run))) {
        row_set_counts(row, &job->counts, run_info(job->run)->gpu);
    }
}

// Faster than the fastest plain read of the same bytes: one of the two was not a read of memory. The verdict is
// cache-resident where the bytes fit into the cache.
static unsigned limit_verdict(const struct reduce_job *job, const struct reduce_times *times) {
    static const double TOLERANCE = 1.05; // the read was measured at another moment
    const double bytes = useful_bytes(job), gb_s = bytes / times->all.time_ns.median;
    const double limit = reduce_summary_limit(&reduce_session(job->run)->summary, run_device(job->run), job->type,
                                              job->plan.pass[0].elements);
    const bool cached = bytes <= (double)run_info(job->run)->last_level_cache_bytes;
    return !cached && !job->detail->checksums && gb_s > TOLERANCE * limit ? VERDICT_ABOVE_PEAK : 0u;
}

static enum status emit(struct reduce_job *job, const struct point *point, const struct reduce_times *times, bool right,
                        struct error *error) {
    struct reduce_summary *summary = &reduce_session(job->run)->summary;
    struct row row = run_row(job->run);
    describe(job, &row);
    set_counts(job, &row);
    struct measurement measurement = times->all;
    measurement.verdicts |= run_info(job->run)->predicted ? 0u : limit_verdict(job, times);
    row_finish(&row, job->run, &measurement, useful_bytes(job), right ? VERIFICATION_PASSED : VERIFICATION_FAILED);
    if (job->detail->checksums) {
        reduce_summary_set_limit(summary, run_device(job->run), job->type, row.elements, row.bandwidth_gb_s);
    }
    row.first_kernel_pct =
        fmin(100, 100 * times->first_ns / times->all.time_ns.median); // measured separately, so noise may exceed 100
    row.limit_pct =
        100 * row.bandwidth_gb_s / reduce_summary_limit(summary, run_device(job->run), job->type, row.elements);
    if (!job->run->predicts) {
        reduce_summary_add(summary, job->run->variant, &row, !reduce_is_swept(job->run, point));
    }
    return run_emit(job->run, &row, error);
}

enum status reduce_measure(struct run *run, const struct point *point, enum reduce_type type, struct error *error) {
    const struct reduce_detail *detail = point->variant->detail;
    const bool limit = detail->checksums;
    TRY(limit || run->settings->counting ? STATUS_OK : ensure_limit(run, point, type, error));
    struct reduce_job job = make_job(run, detail, point, type);
    struct reduce_times times;
    bool right = false;
    enum status status =
        limit ? measure_limit(&job, &times, &right, error) : reduce_job_run(&job, &times, &right, error);
    THEN(status, emit(&job, point, &times, right, error));
    reduce_job_release(&job);
    return status;
}
