#include <math.h>
#include <stdio.h>

#include "bench/plan.h"
#include "bench/probe.h"
#include "bench/row.h"

static const double ROUNDING = 1e-9; // a prediction may stand exactly at the peak

static void copy_text(char to[ROW_TEXT], const char *from) {
    snprintf(to, ROW_TEXT, "%s", from);
}

struct row run_row(const struct run *run) {
    const struct device_info *info = run_info(run);
    struct row row = row_empty();
    copy_text(row.spec, info->spec);
    copy_text(row.probe, run->probe->name);
    copy_text(row.variant, run->variant->name);
    copy_text(row.backend, backend_of(info->backend)->name);
    copy_text(row.device, info->name);
    copy_text(row.arch, info->arch);
    copy_text(row.source, info->predicted ? "predicted" : "measured");
    copy_text(row.via, info->predicted ? device_via_name(info->via) : "");
    copy_text(row.kernel, "all");
    copy_text(row.part, info->gpu ? info->gpu->name : "");
    row.devices = 1;
    if (info->peak_gb_s > 0) {
        row.peak_gb_s = info->peak_gb_s;
    }
    return row;
}

static unsigned unverified(enum verification verification) {
    return verification == VERIFICATION_FAILED || verification == VERIFICATION_LEFT_OUT ? VERDICT_UNVERIFIED
                                                                                        : VERDICT_OK;
}

unsigned row_verdicts(const struct row *row, const struct device_info *info) {
    unsigned verdicts = 0;
    if (row->peak_pct > 100 * (1 + ROUNDING) || row->gop_s > row->peak_gop_s * (1 + ROUNDING)) {
        verdicts |= VERDICT_ABOVE_PEAK;
    }
    if (row->footprint_bytes != ROW_NO_COUNT && row->footprint_bytes <= info->last_level_cache_bytes) {
        verdicts |= VERDICT_CACHE_RESIDENT;
    }
    return verdicts;
}

void row_set_single_time(struct row *row, double time_ns) {
    row->samples = 1;
    row->time_ns_median = time_ns;
    verdict_format(row->verdict, VERDICT_NOISY);
}

void row_judge(struct row *row, unsigned verdicts, enum verification verification) {
    copy_text(row->verified, verification == VERIFICATION_PASSED   ? "yes"
                             : verification == VERIFICATION_FAILED ? "no"
                                                                   : "");
    verdict_format(row->verdict, verdicts | unverified(verification));
}

void row_finish(struct row *row, const struct run *run, const struct measurement *measurement, double useful_bytes) {
    row_set_time(row, measurement);
    row->useful_bytes = useful_bytes;
    if (measurement->time_ns.median > 0) {
        row->bandwidth_gb_s = useful_bytes / measurement->time_ns.median;
    }
    row->peak_pct = 100 * row->bandwidth_gb_s / row->peak_gb_s;
    row->gop_s = row->ops / row->time_ns_median;
    row_judge(row, measurement->verdicts | row_verdicts(row, run_info(run)), measurement->verification);
}

// Whether the work runs only once, so that what is measured is also what is checked: a simulation gives the same times
// and results each time.
static bool runs_once(const struct run *run) {
    return run->settings->counting || run_info(run)->predicted;
}

static enum status run_to_check(const struct run *run, const struct trial *trial, struct error *error) {
    TRY(trial->enqueue(trial->context, error));
    return device_synchronize(run_device(run), error);
}

enum status run_trial(const struct run *run, const struct trial *trial, struct measurement *measurement,
                      struct error *error) {
    return run_trial_beside(run, trial, NULL, measurement, error);
}

enum status run_trial_beside(const struct run *run, const struct trial *trial, const struct work *reference,
                             struct measurement *measurement, struct error *error) {
    const struct work work = {trial->enqueue, trial->context};
    const bool once = runs_once(run);
    bool right = false;
    enum status status = trial->poison(trial->context, error);
    if (!once) {
        THEN(status, run_to_check(run, trial, error));
        THEN(status, trial->check(trial->context, &right, error));
    }
    THEN(status, measure_beside(run->bench_device, run->settings, &work, reference, measurement, error));
    if (status == STATUS_OK && once && !run->settings->counting) {
        status = trial->check(trial->context, &right, error);
    }
    measurement->verification = verification_of(right);
    return status;
}

enum status run_emit(struct run *run, const struct row *row, struct error *error) {
    struct row described = *row;
    described.pj_per_byte = row->useful_bytes > 0 ? 1e12 * row->joules / row->useful_bytes : NAN;
    described.sustained_gb_s = row->joules > 0 ? row->useful_bytes * row->watts / row->joules / 1e9 : NAN;
    TRY(parameters_describe(&described, run, error));
    return run->emit(run, &described, error);
}

enum status run_keep_row(struct run *run, const struct row *row, struct error *error) {
    struct row_list *list = run->emit_context;
    (void)error;
    list->rows = memory_room(list->rows, list->count, sizeof *list->rows);
    list->rows[list->count++] = *row;
    return STATUS_OK;
}

// A point's launches are repeated, so they find what they left themselves and not what another point did.
static void forget_other_points(const struct run *run) {
    device_forget_caches(run_device(run));
    for (size_t i = 0; i < run->device_count; i++) {
        device_forget_caches(run->devices[i].device);
    }
}

enum status run_measure(struct run *run, const struct point *point, struct error *error) {
    if (run_info(run)->predicted) {
        forget_other_points(run);
    }
    run->point = point;
    enum status status = run->variant->kind->measure(run, point, error);
    run->point = NULL;
    return status;
}
