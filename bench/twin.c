#include "bench/twin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/plan.h"

enum {
    BLOCKS = 8 // of a grid that run, where the probe does not say how many
};

void twin_open(struct bench_device *twin, const struct bench_device *measured, const struct probe *probe,
               const struct settings *settings) {
    const struct device_info *info = &measured->device->info;
    char spec[sizeof info->spec];
    *twin = (struct bench_device){0};
    if (!settings->predict || info->predicted || !info->gpu) {
        return;
    }
    snprintf(spec, sizeof spec, "sim:%s", info->gpu->name);
    if (bench_device_open(twin, spec, settings, NULL) == STATUS_OK) {
        device_simulate_blocks(twin->device, probe->simulated_blocks ? probe->simulated_blocks : BLOCKS);
        struct device_info *own = &twin->device->info; // what a probe's defaults follow from
        own->memory_bytes = info->memory_bytes;
        own->memory_free_bytes = info->memory_free_bytes;
        own->last_level_cache_bytes = info->last_level_cache_bytes;
        own->compute_units = info->compute_units;
        own->max_block_threads = info->max_block_threads;
    }
}

// ---- Rows ----

static void fill(double *measured, double predicted) {
    *measured = isnan(*measured) ? predicted : *measured;
}

// Adds the counts that the measured row lacks, and the predicted times.
static void add_prediction(struct row *row, const struct row *from) {
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) fill(&row->name, from->name);
#define PREDICTED(name, of, format) row->name = from->of;
#include "bench/columns.h"
    row->sector_bytes = row->sector_bytes == ROW_NO_COUNT ? from->sector_bytes : row->sector_bytes;
    row->sampling_error_pct = from->sampling_error_pct;
    row_set_bound(row, from->bound_ns, from->bound_by);
    row->predicted_ns = from->predicted_ns;
    row->prediction_error_pct = 100 * (row->predicted_ns / row->time_ns_median - 1);
}

// ---- Runs ----

// Whether the twin runs the variant by the instructions of this compiler.
static bool runs_via(struct bench_device *twin, const struct run *measured, enum device_via via) {
    const struct probe *probe = measured->probe;
    device_run_via(twin->device, via);
    return !probe->supports || probe->supports(measured->session, twin->device, measured->variant, NULL) == STATUS_OK;
}

bool twin_begin(struct bench_device *twin, const struct run *measured, struct run *run) {
    *run = *measured;
    run->state = NULL;
    // Clusters run as PTX alone, whose compiler is where CUDA is. A way that the user chose stays.
    const struct settings *settings = measured->settings;
    const bool may_choose = !settings->via && measured->bench_device->device->info.backend == BACKEND_CUDA;
    if (!twin->device || !(runs_via(twin, measured, bench_device_via(twin, settings)) ||
                           (may_choose && runs_via(twin, measured, VIA_PTX)))) {
        return false;
    }
    run->bench_device = run->devices = twin;
    run->device_count = 1;
    run->predicts = measured;
    run->emit = run_keep_row;
    run->state = memory_zeros(1, measured->probe->state_bytes);
    return true;
}

void twin_end(struct run *run) {
    if (run->state && run->variant->kind->finish) {
        run->variant->kind->finish(run);
    }
    free(run->state);
}

void twin_predict(struct run *twin, const struct point *point, struct row_list *predicted) {
    twin->emit_context = predicted;
    if (point_skipped(twin, point) || point_check(twin, point, NULL) != STATUS_OK ||
        run_measure(twin, point, NULL) != STATUS_OK) {
        predicted->count = 0;
    }
}

void twin_add(struct row *measured, size_t measured_count, const struct row *predicted, size_t predicted_count) {
    for (size_t i = 0; i < measured_count; i++) {
        size_t k = 0;
        while (k < predicted_count && !row_same_work(&measured[i], &predicted[k])) {
            k++;
        }
        if (k < predicted_count) {
            add_prediction(&measured[i], &predicted[k]);
        }
    }
}

enum status twin_measure(struct run *run, struct run *twin, const struct point *point, const struct row *known,
                         size_t known_count, struct error *error) {
    struct row_list rows = {0}, predicted = {0};
    const struct run before = *run;
    run->emit = run_keep_row;
    run->emit_context = &rows;
    enum status status = run_measure(run, point, error);
    run->emit = before.emit;
    run->emit_context = before.emit_context;
    if (known_count == 0 && twin && rows.count > 0) {
        twin_predict(twin, point, &predicted);
    }
    twin_add(rows.rows, rows.count, known_count > 0 ? known : predicted.rows,
             known_count > 0 ? known_count : predicted.count);
    for (size_t i = 0; i < rows.count; i++) {
        const enum status written = run->emit(run, &rows.rows[i], status == STATUS_OK ? error : NULL);
        THEN(status, written);
    }
    free(predicted.rows);
    free(rows.rows);
    return status;
}
