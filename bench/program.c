// A probe's program, from the command line to the exit status.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_device.h"
#include "bench/counters/counters.h"
#include "bench/explain.h"
#include "bench/listing.h"
#include "bench/output.h"
#include "bench/plan.h"
#include "bench/probe.h"
#include "bench/rounds.h"
#include "bench/table.h"
#include "bench/twin.h"
#include "device/energy.h"
#include "model/evidence.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/terminal.h"
#include "util/text.h"
#include "util/threads.h"
#include "util/version.h"

static const double NO_BOUND = 1e15;

static const double COUNTING_EXTRA = 2; // counting may take this many default budgets in addition

enum {
    OPTION_TABLES = 3 // the parameters', the probe's, and those common to all probes
};

// A part of which rows are predictions.
struct predicted_part {
    const struct gpu *gpu;       // of an open device
    const char *via;             // how its kernels ran
    struct checked_time checked; // what was held against the least certain of the rows that were checked
    struct names unchecked;      // variants of other rows
};

struct program {
    const struct probe *probe;
    double started_s;
    struct settings settings;
    struct sweep sweeps[PARAMETERS_MAX]; // as given; empty: the variant's default
    const char *devices, *variants, *cache, *predict, *count_launches, *explain;
    struct output_paths paths;
    bool quick, full, help, version, list, list_devices, list_gpus;
    void *session;                        // struct of the probe
    struct option_row *parameter_options; // one for each parameter
    struct option_table options[OPTION_TABLES];

    struct selection selection;
    struct bench_device open_devices[SELECTION_DEVICES_MAX];
    struct bench_device twins[SELECTION_DEVICES_MAX]; // of these
    size_t device_count;
    struct run *runs; // one for each variant on each device that it can run on
    size_t run_count;
    enum status refused; // why the last variant left out could not run
    struct plan plan;
    struct counters counters; // of --counters
    struct output output;
    struct rounds rounds;
    bool unverified;                                    // some row's result was wrong
    struct predicted_part parts[SELECTION_DEVICES_MAX]; // there are no more than devices
    size_t part_count;
};

#define AT(member) offsetof(struct program, member)
static const struct option_row common_options[] = {
    {"device", 'd', OPTION_TEXT, AT(devices), "SPEC[,SPEC]",
     "cuda[:N], hip[:N], cpu, sim:GPU, all; default: real GPUs, or cpu,sim:h200,sim:mi210", 0, 0, 0},
    {"variant", 'v', OPTION_TEXT, AT(variants), "A[,B]", "which variants, or all (the default); see --list", 0, 0, 0},
    {"csv", 'o', OPTION_OUTPUT, AT(paths.csv), "FILE",
     "rows as CSV, - for standard output; an existing file is replaced when the first row is known; without it a table",
     0, 0, "-"},
    {"json", 'j', OPTION_OUTPUT, AT(paths.json), "FILE", "the same rows as one JSON object, - for standard output", 0,
     0, "-"},
    {"min-time", 0, OPTION_REAL, AT(settings.min_time_s), "S",
     "measure a row for at least S seconds (0.5), on top of the default budget", 0, 3600, 0},
    {"max-time", 0, OPTION_REAL, AT(settings.max_time_s), "S", "but for at most S once it has 10 samples (15)", 0,
     86400, 0},
    {"noise", 0, OPTION_REAL, AT(settings.noise_pct), "PCT", "stop once the median is known to +- PCT % (0.5)", 0, 100,
     0},
    {"samples", 0, OPTION_COUNT, AT(settings.samples), "N", "take exactly N samples instead", 1, 1e6, 0},
    {"budget", 0, OPTION_REAL, AT(settings.budget_s), "S",
     "S seconds for all: everything once, then again the rows with the widest intervals (60)", 0.1, 1e6, 0},
    {"quick", 0, OPTION_FLAG, AT(quick), NULL, "only a headline, within 15 s", 0, 0, 0},
    {"full", 0, OPTION_FLAG, AT(full), NULL, "everything, however long it takes", 0, 0, 0},
    {"cache", 0, OPTION_CHOICE, AT(cache), "cold|warm", "flush the last-level cache before each sample, or not (warm)",
     0, 0, "cold|warm"},
    {"energy", 0, OPTION_FLAG, AT(settings.energy), NULL,
     "add the joules of each row, from a further run of the same work of more than a second", 0, 0, 0},
    {"predict", 0, OPTION_CHOICE, AT(predict), "yes|no", "add the model's figures to measured rows (yes)", 0, 0,
     "yes|no"},
    {"counters", 0, OPTION_FLAG, AT(counters.wanted), NULL,
     "add the vendor's counters to each row, from a further run of the same kernels under ncu or rocprofv3", 0, 0, 0},
    {"count-launches", 0, OPTION_TEXT, AT(count_launches), "FILE", NULL, 0, 0, 0}, // only for the additional run
    {"seed", 0, OPTION_COUNT, AT(settings.seed), "N", "seed of the random data (1)", 0, NO_BOUND, 0},
    {"peak", 0, OPTION_REAL, AT(settings.peak_gb_s), "GB/S", "the memory's peak bandwidth, if you know it better",
     0.001, 1e6, 0},
    {"sim-blocks", 0, OPTION_COUNT, AT(settings.sim_blocks), "N",
     "simulate about N of a grid's blocks and scale up; 0: all", 0, NO_BOUND, 0},
    {"via", 0, OPTION_CHOICE, AT(settings.via), "c|ptx|amdgcn",
     "sim runs a kernel as C, or as NVIDIA's PTX or AMD's instructions of it (amdgcn of AMD's parts where clang is, "
     "else c)",
     0, 0, "c|ptx|amdgcn"},
    {"quiet", 'q', OPTION_FLAG, AT(settings.quiet), NULL, "neither progress nor what was left out on standard error", 0,
     0, 0},
    {"list", 'l', OPTION_FLAG, AT(list), NULL, "the variants, one per line", 0, 0, 0},
    {"list-devices", 0, OPTION_FLAG, AT(list_devices), NULL, "the devices, and why a backend is missing", 0, 0, 0},
    {"list-gpus", 0, OPTION_FLAG, AT(list_gpus), NULL, "the GPUs that sim knows", 0, 0, 0},
    {"explain", 0, OPTION_TEXT, AT(explain), "COLUMN",
     "what a column means, named as in the table or the CSV; all: every one; keys: the names of those that say what "
     "was run",
     0, 0, 0},
    {"help", 'h', OPTION_FLAG, AT(help), NULL, "this text", 0, 0, 0},
    {"version", 'V', OPTION_FLAG, AT(version), NULL, "the version", 0, 0, 0},
};

// Makes the probe's struct with the options' defaults.
static void make_session(struct program *p) {
    p->session = memory_zeros(1, p->probe->session_bytes);
    if (p->probe->session_defaults) {
        memcpy(p->session, p->probe->session_defaults, p->probe->session_bytes);
    }
}

static void make_options(struct program *p) {
    const struct probe *probe = p->probe;
    make_session(p);
    p->parameter_options = points_options(probe, AT(sweeps));
    const struct option_table tables[OPTION_TABLES] = {
        {p->parameter_options, probe->parameter_count, p},
        {probe->options, probe->option_count, p->session},
        {common_options, sizeof common_options / sizeof *common_options, p},
    };
    memcpy(p->options, tables, sizeof tables);
}

// *printed says that the command line asked only for information.
static enum status print_information(const struct program *p, bool *printed, struct error *error) {
    *printed = true;
    if (p->help) {
        list_help(p->probe, p->options, OPTION_TABLES);
    } else if (p->version) {
        printf("bankshot %s %s\n", p->probe->name, version_text);
    } else if (p->list) {
        list_variants(p->probe);
    } else if (p->list_devices) {
        list_devices();
    } else if (p->list_gpus) {
        list_gpus();
    } else if (p->explain) {
        return explain_column(p->explain, error);
    } else {
        *printed = false;
    }
    return STATUS_OK;
}

static enum status parse(struct program *p, int argc, char **argv, struct error *error) {
    make_options(p);
    TRY(options_parse(p->options, OPTION_TABLES, argc, argv, error));
    p->settings.cold = p->cache && strcmp(p->cache, "cold") == 0;
    p->settings.predict = !p->predict || strcmp(p->predict, "yes") == 0;
    if (p->count_launches) {
        p->counters.wanted = p->settings.predict = false;
        TRY(counting_open(&p->settings.counting, p->count_launches, p->options, OPTION_TABLES, error));
    }
    if (p->settings.energy && p->settings.cold) {
        return error_set(error, STATUS_USAGE, "--energy: repeats work without a flush: leave out --cache cold");
    }
    p->settings.energy &= !p->count_launches;
    TRY(budget_resolve(&p->settings, p->quick, p->full, error));
    if (p->count_launches && !p->quick && !p->full && !p->settings.budget_given) {
        p->started_s += COUNTING_EXTRA * p->settings.budget_s; // a launch under a profiler takes longer than a row
    }
    return STATUS_OK;
}

// What was held against the prediction that the row holds or is.
static void add_evidence(struct row *row, const struct gpu *gpu) {
    if (gpu && (row->predicted_ns > 0 || strcmp(row->source, "predicted") == 0)) {
        const struct checked_time checked = checked_time(gpu, row->probe, row->variant);
        snprintf(row->certainty, sizeof row->certainty, "%s", evidence_name(checked.evidence));
        row->expected_error_pct = row->predicted_ns > 0 || row->time_ns_median > 0 ? checked.error_pct : NAN;
    }
}

// Keeps each part whose row is a prediction, for the words below the table.
static void add_part(struct program *p, const struct row *row, const struct device_info *info) {
    size_t i = 0;
    while (i < p->part_count && strcmp(p->parts[i].gpu->name, info->gpu->name) != 0) {
        i++;
    }
    struct predicted_part *part = &p->parts[i];
    if (i == p->part_count) {
        *part = (struct predicted_part){.gpu = info->gpu, .via = device_via_name(info->via)};
        part->checked.error_pct = NAN;
        p->part_count++;
    }
    const struct checked_time checked = checked_time(part->gpu, row->probe, row->variant);
    if (isnan(checked.error_pct)) {
        names_number(&part->unchecked, row->variant);
    } else if (!(checked.error_pct <= part->checked.error_pct)) {
        part->checked = checked;
    }
}

// Says how far a part's predictions can be trusted, and of which variants nothing is known.
static void write_evidence(const struct predicted_part *part, const char *probe, FILE *file) {
    const bool some = !isnan(part->checked.error_pct);
    if (some) {
        fprintf(file, "predicted; nine in ten %s rows were within %.3g %%", evidence_name(part->checked.evidence),
                part->checked.error_pct);
    }
    for (size_t i = 0; i < part->unchecked.count && some; i++) {
        fprintf(file, "%s %s", i ? "," : ";", part->unchecked.texts[i]);
    }
    if (part->unchecked.count > 0) {
        fprintf(file, "%s held against no measurement (%s)", some ? ":" : "predicted, and",
                evidence_name(checked_time(part->gpu, probe, part->unchecked.texts[0]).evidence));
    }
}

// Says below the table how each part's kernels ran, and what the predictions were held against.
static void print_evidence(const struct program *p) {
    for (size_t i = 0; i < p->part_count; i++) {
        struct written text;
        FILE *stream = memory_stream(&text);
        fprintf(stream, "sim:%s via %s: ", p->parts[i].gpu->name, p->parts[i].via);
        write_evidence(&p->parts[i], p->probe->name, stream);
        fputs(i ? "" : "\n", p->output.file);
        wrap_text(p->output.file, memory_stream_end(&text), 0, 2);
        fputc('\n', p->output.file);
        free(text.text);
    }
}

static void complete(struct run *run, struct row *row, bool again) {
    struct program *p = run->emit_context;
    if (p->counters.wanted) {
        counters_fill(&p->counters, row, again);
    }
    add_evidence(row, run_info(run)->gpu);
}

static enum status emit(struct run *run, const struct row *row, struct error *error) {
    struct program *p = run->emit_context;
    const struct device_info *info = run_info(run);
    if (p->settings.counting) {
        counting_row(p->settings.counting, row);
        return STATUS_OK;
    }
    p->unverified |= strcmp(row->verified, "no") == 0;
    if (info->predicted) {
        add_part(p, row, info);
    }
    return rounds_row(&p->rounds, row, error);
}

static enum status add_run(struct program *p, struct bench_device *bench_device, const struct variant *variant,
                           struct error *error) {
    struct run *run = &p->runs[p->run_count++];
    *run = (struct run){.probe = p->probe,
                        .bench_device = bench_device,
                        .settings = &p->settings,
                        .session = p->session,
                        .variant = variant,
                        .emit = emit,
                        .emit_context = p};
    TRY(points_prepare(run, p->sweeps, error));
    for (size_t i = 0; i < point_count(run); i++) {
        struct point point = point_at(run, i);
        if (!point_skipped(run, &point)) {
            TRY(point_check(run, &point, error));
        }
    }
    return STATUS_OK;
}

static enum status add_runs(struct program *p, struct bench_device *bench_device, struct error *error) {
    for (size_t i = 0; i < p->selection.variant_count; i++) {
        const struct variant *variant = p->selection.variants[i];
        const enum status supported =
            p->probe->supports ? p->probe->supports(p->session, bench_device->device, variant, error) : STATUS_OK;
        if (supported == STATUS_OK) {
            TRY(add_run(p, bench_device, variant, error));
            continue;
        }
        p->refused = supported;
        if (!p->selection.all_variants && !p->selection.default_devices) {
            return supported;
        }
    }
    return STATUS_OK;
}

static enum status check_energy(const struct program *p, struct device *device, struct error *error) {
    double joules;
    if (!device->info.predicted) {
        return device_energy(device, &joules, error);
    }
    return p->selection.default_devices
               ? STATUS_OK
               : error_set(error, STATUS_NO_DEVICE, "%s draws no power: leave out --energy", device->info.spec);
}

// Opens every device and refuses what does not fit, before the first row.
static enum status prepare(struct program *p, struct error *error) {
    size_t runs_max = p->selection.spec_count * p->selection.variant_count;
    p->runs = memory_zeros(runs_max, sizeof *p->runs);
    for (size_t i = 0; i < p->selection.spec_count; i++) {
        struct bench_device *bench_device = &p->open_devices[p->device_count];
        size_t runs_before = p->run_count;
        TRY(bench_device_open(bench_device, p->selection.specs[i], &p->settings, error));
        p->device_count++;
        if (p->settings.counting) {
            counting_watch(p->settings.counting, bench_device->device);
        }
        twin_open(&p->twins[p->device_count - 1], bench_device, p->probe, &p->settings);
        if (p->settings.energy) {
            TRY(check_energy(p, bench_device->device, error));
        }
        if (!bench_device->device->info.predicted) {
            TRY(rates_measure(bench_device, p->settings.budget_s, error));
        }
        TRY(add_runs(p, bench_device, error));
        if (p->run_count == runs_before) {
            bench_device_close(&p->twins[--p->device_count]);
            bench_device_close(bench_device);
            TRY(p->selection.default_devices ? STATUS_OK : p->refused); // supports wrote the reason
        }
    }
    return p->run_count > 0 ? options_check_used(p->runs, p->run_count, p->sweeps, error) : p->refused;
}

static enum status write_head(struct program *p, int argc, char **argv, struct error *error) {
    metadata_write_program(&p->output, p->probe, argc, argv);
    for (size_t i = 0; i < p->device_count; i++) {
        metadata_write_device(&p->output, &p->open_devices[i]);
    }
    if (p->probe->describe) {
        TRY(p->probe->describe(p->session, p->runs, p->run_count, p->open_devices, p->device_count, &p->output, error));
    }
    budget_describe(&p->plan, &p->output);
    return STATUS_OK;
}

static enum status select_and_run(struct program *p, int argc, char **argv, struct error *error) {
    TRY(selection_make(&p->selection, p->probe, p->variants, p->devices, error));
    if (p->quick && p->selection.all_variants) {
        selection_keep(&p->selection, p->probe->headline);
    }
    TRY(output_open(&p->output, &p->paths, error));
    enum status status = prepare(p, error);
    if (status == STATUS_OK && p->counters.wanted) {
        const struct counters_request request = {
            p->probe->name, argc, argv, p->open_devices, p->device_count, &p->settings, p->probe->counts_warm};
        status = counters_collect(&p->counters, &request, p->options, OPTION_TABLES, error);
        p->started_s = clock_s(); // the budget is for measuring
    }
    THEN(status, plan_make(&p->plan, &p->settings, p->runs, p->run_count, p->open_devices, p->device_count,
                           p->started_s, error));
    THEN(status, write_head(p, argc, argv, error));
    if (status == STATUS_OK) {
        p->rounds = (struct rounds){.plan = &p->plan,
                                    .output = &p->output,
                                    .complete = complete,
                                    .twins = p->twins,
                                    .runs = p->runs,
                                    .run_count = p->run_count};
        status = rounds_run(&p->rounds, p->settings.quiet, error);
    }
    if (status == STATUS_OK && p->probe->conclude && p->output.has_table) {
        p->probe->conclude(p->session, p->output.file);
    }
    if (status == STATUS_OK && p->output.has_table) {
        print_evidence(p);
    }
    if (status == STATUS_OK && !p->settings.quiet) {
        budget_report(&p->plan, rounds_row_count(&p->rounds), argc, argv);
    }
    if (status == STATUS_OK && p->quick) {
        headline_print(&p->plan, output_is_standard(&p->output) ? stderr : stdout);
    }
    if (status == STATUS_OK && p->counters.wanted) {
        status = counters_conclude(&p->counters, program_name(p->probe->name), error);
    }
    enum status closed = output_close(&p->output, status == STATUS_OK, status == STATUS_OK ? error : NULL);
    return status == STATUS_OK ? closed : status;
}

static void release(struct program *p) {
    if (p->session && p->probe->release) {
        p->probe->release(p->session); // while the devices are open, which may hold some of it
    }
    for (size_t i = 0; i < p->run_count; i++) {
        for (size_t k = 0; k < PARAMETERS_MAX; k++) {
            sweep_clear(&p->runs[i].sweeps[k]);
        }
    }
    for (size_t i = 0; i < p->device_count; i++) {
        bench_device_close(&p->twins[i]);
        bench_device_close(&p->open_devices[i]);
    }
    for (size_t i = 0; i < PARAMETERS_MAX; i++) {
        sweep_clear(&p->sweeps[i]);
    }
    selection_clear(&p->selection);
    plan_clear(&p->plan);
    if (p->counters.wanted) {
        counters_clear(&p->counters);
    }
    free(p->runs);
    free(p->parameter_options);
    for (size_t i = 0; i < p->part_count; i++) {
        names_clear(&p->parts[i].unchecked);
    }
    free(p->session);
}

int program_main(const struct probe *probe, int argc, char **argv) {
    struct program program = {.probe = probe};
    struct program *p = &program;
    struct error error = {0};
    p->started_s = clock_s();
    p->settings = (struct settings){.min_time_s = BUDGET_NOT_GIVEN,
                                    .max_time_s = BUDGET_NOT_GIVEN,
                                    .budget_s = BUDGET_NOT_GIVEN,
                                    .noise_pct = 0.5,
                                    .seed = 1,
                                    .sim_blocks = probe->simulated_blocks};
    enum status status = parse(p, argc, argv, &error);
    THEN(status, threads_check(&error));
    bool informed = false;
    THEN(status, print_information(p, &informed, &error));
    if (status == STATUS_OK && !informed) {
        status = select_and_run(p, argc, argv, &error);
    }
    if (p->settings.counting) {
        const enum status counted = counting_close(p->settings.counting, status == STATUS_OK ? &error : NULL);
        THEN(status, counted);
    }
    THEN(status, standard_output_finish(&error));
    if (status == STATUS_OK && p->unverified) {
        status = error_set(&error, STATUS_FAILED, "a result was wrong: see the rows that are not verified");
    }
    if (status != STATUS_OK) {
        error_print(probe->name, &error);
    }
    error_clear(&error);
    release(p);
    return (int)status;
}
