#include "apsp/apsp_gpu_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apsp/apsp_gpu_traffic.h"
#include "apsp/apsp_look_ahead.h"
#include "apsp/apsp_output.h"
#include "apsp/apsp_report.h"
#include "apsp/solve/gpu_arithmetic.h"
#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_round.h"
#include "apsp/solve/team_exchange.h"
#include "bench/row.h"

static struct row row_of(const struct apsp_job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.tile = first_gpu(job)->settings.tile;
    row.width_bytes = first_gpu(job)->settings.bits / 8;
    row.devices = job->team.count;
    row_format_dimensions(row.block, first_gpu(job)->settings.block);
    if (job->next) {
        row.paths = job->paths;
    }
    if (job->team.count > 1) {
        snprintf(row.op, sizeof row.op, "%s", first_gpu(job)->settings.peer ? "peer" : "host");
    }
    return row;
}

// Names the options of the transfers in `op`.
static void name_transfer(struct row *row, const struct apsp_job *job) {
    const struct apsp_transfer *transfer = &first_gpu(job)->settings.transfer;
    snprintf(row->op, sizeof row->op, "%s+%s+%s", transfer->pinned ? "pinned" : "pageable",
             transfer->strip_by_copy ? "copy" : "kernel", transfer->from_edges ? "device" : "host");
}

static struct launch_counts mean_counts(const struct apsp_tally *tally) {
    struct launch_counts mean = tally->counts;
    launch_counts_mean(&mean, (double)tally->launches);
    return mean;
}

// Sets the bandwidths of a phase. The simulator counts the bytes of global memory; elsewhere the kernel's source tells.
static void set_bandwidths(struct row *row, const struct apsp_job *job, enum apsp_step step) {
    const struct apsp_gpu *gpu = first_gpu(job);
    if (apsp_step_is_outside_rounds(step) || job->team.count > 1) {
        return;
    }
    const struct apsp_traffic traffic = apsp_gpu_traffic(gpu, step);
    row->useful_bytes = traffic.global_bytes;
    if (device_counts_launches(gpu->device)) {
        const struct launch_counts counts = mean_counts(&job->tallies[step]);
        row->useful_bytes = (counts.global_load.lane_bytes + counts.global_store.lane_bytes) * gpu->rounds;
    }
    row->bandwidth_gb_s = row->useful_bytes / row->time_ns_median;
    if (traffic.shared_bytes > 0) {
        row->shared_gb_s = traffic.shared_bytes / row->time_ns_median;
    }
}

// The peak of all GPUs together.
static double peak_gop_s(const struct apsp_job *job, double clock_mhz) {
    return apsp_gpu_peak_gop_s(first_gpu(job), clock_mhz) * (double)job->team.count;
}

// Sets the time of one solution, or the statistics of several. Returns the verdicts that follow.
static unsigned set_time(struct row *row, const struct apsp_tally *tally, double noise_pct) {
    struct measurement measurement = measurement_empty();
    if (tally->samples > 1) {
        measurement.samples = tally->samples;
        measurement.time_ns = tally->solution_ns;
        row_set_time(row, &measurement);
        return verdicts_of_time(&tally->solution_ns, noise_pct);
    }
    row_set_single_time(row, tally->time_ns);
    return VERDICT_NOISY;
}

static enum status emit_step(struct apsp_job *job, enum apsp_step step, struct error *error) {
    const struct apsp_tally *tally = &job->tallies[step];
    const enum apsp_step kernel = step == APSP_PREPARE ? APSP_ROUND : step;
    struct row row = row_of(job, apsp_step_name(step));
    unsigned verdicts = 0;
    if (tally->launches == 0) {
        return STATUS_OK;
    }
    if (apsp_step_is_outside_rounds(step) && step != APSP_PREPARE) {
        name_transfer(&row, job);
    }
    if (device_counts_launches(first_gpu(job)->device) && apsp_gpu_has_kernel(first_gpu(job), kernel)) {
        const struct launch_counts counts = mean_counts(tally);
        row_set_counts(&row, &counts, info_of(job)->gpu);
    }
    row_format_dimensions(row.block, apsp_gpu_block(first_gpu(job), step));
    row_format_dimensions(row.grid, apsp_round_grid(first_gpu(job), step));
    if (info_of(job)->predicted) {
        row_set_bound(&row, tally->bound_ns, tally->bound_by);
        row.time_ns_median = row.predicted_ns = tally->time_ns;
    } else {
        verdicts = set_time(&row, tally, job->run->settings->noise_pct);
    }
    row.ops = apsp_gpu_updates(first_gpu(job), step);
    row.gop_s = row.ops / row.time_ns_median;
    row.peak_gop_s = isnan(row.ops) ? NAN : peak_gop_s(job, NAN);
    set_bandwidths(&row, job, step);
    verdicts |= row_verdicts(&row, info_of(job));
    row_judge(&row, verdicts, sampled(job) ? VERIFICATION_LEFT_OUT : VERIFICATION_NONE);
    return run_emit(job->run, &row, error);
}

// Emits a time by the host's clock, which has no meaning among predictions.
static enum status emit_time(struct apsp_job *job, const char *kernel, double time_ns, double bytes,
                             struct error *error) {
    struct row row = row_of(job, kernel);
    if (info_of(job)->predicted || bytes == 0 || isnan(time_ns)) {
        return STATUS_OK;
    }
    if (strcmp(kernel, "exchange") != 0) {
        name_transfer(&row, job);
    }
    row_set_single_time(&row, time_ns);
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bytes / time_ns;
    return run_emit(job->run, &row, error);
}

// Sets the bound of the whole. With look-ahead phase 3 runs beside the other phases, else the steps follow one another.
static void set_bound_of_all(struct row *row, const struct apsp_job *job) {
    const struct apsp_tally *longest = &job->tallies[0];
    double sum_ns = 0, beside_ns = 0;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        const struct apsp_tally *tally = &job->tallies[step];
        *(apsp_looks_ahead(job) && step == APSP_PHASE3 ? &beside_ns : &sum_ns) += tally->bound_ns;
        longest = tally->bound_ns > longest->bound_ns ? tally : longest;
    }
    row_set_bound(row, fmax(sum_ns, beside_ns), longest->bound_by ? longest->bound_by : "");
    row->predicted_ns = row->time_ns_median;
}

// On a simulated device the row tells how the launches of its part would go.
static bool is_graph(const struct apsp_job *job) {
    return info_of(job)->predicted ? apsp_wants_graph(job) : job->graph != NULL;
}

static enum status emit_all(struct apsp_job *job, const struct measurement *measurement, enum verification verification,
                            struct error *error) {
    struct row row = row_of(job, "all");
    const double n = first_gpu(job)->vertices;
    if (job->transfers) {
        name_transfer(&row, job);
    } else {
        snprintf(row.launch, sizeof row.launch, "%s", is_graph(job) ? "graph" : "stream");
        row.ops = n * n * n;
        row.peak_gop_s = peak_gop_s(job, measurement->clock_mhz);
    }
    row_finish(&row, job->run, measurement, NAN, verification);
    if (info_of(job)->predicted) {
        set_bound_of_all(&row, job);
    }
    return run_emit(job->run, &row, error);
}

// Emits what the host does before the first step.
static enum status emit_input(struct apsp_job *job, struct error *error) {
    const double bytes = (double)apsp_gpu_matrix_bytes(first_gpu(job)), count = (double)job->team.count;
    const double edge_bytes = (double)job->input->graph.edge_count * sizeof(struct edge);
    const double init_bytes = bytes * (first_gpu(job)->settings.transfer.from_edges ? count : 1);
    const double copied = count * (first_gpu(job)->settings.transfer.from_edges ? edge_bytes : bytes);
    TRY(emit_time(job, "read", job->input->read_ns, edge_bytes, error));
    TRY(emit_time(job, "pin", job->pin_ns, bytes * (double)job->pinned, error));
    TRY(emit_time(job, "copy-in", job->copy_in_ns, copied, error));
    return emit_time(job, "init", job->initialise_ns, init_bytes, error);
}

static enum status write_output(struct apsp_job *job, struct error *error) {
    struct apsp_written written;
    TRY(apsp_write_output(job->run, job->input, job->distances, job->next, &written, error));
    return emit_time(job, "write", written.time_ns, written.bytes, error);
}

static enum status emit_parts(struct apsp_job *job, struct error *error) {
    const double exchanged = (double)apsp_team_exchange_bytes(&job->team) * first_gpu(job)->rounds;
    TRY(emit_input(job, error));
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        TRY(emit_step(job, step, error));
    }
    TRY(emit_time(job, "exchange", job->exchange_ns, exchanged, error));
    return emit_time(job, "copy-out", job->copy_out_ns, (double)apsp_gpu_matrix_bytes(first_gpu(job)), error);
}

enum status apsp_job_emit(struct apsp_job *job, const struct measurement *measurement, enum verification verification,
                          struct error *error) {
    TRY(emit_parts(job, error));
    TRY(emit_all(job, measurement, verification, error));
    if (!sampled(job) && !job->transfers) {
        TRY(write_output(job, error));
    }
    return STATUS_OK;
}
