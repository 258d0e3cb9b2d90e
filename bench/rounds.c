#include "bench/rounds.h"
#include "bench/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/budget.h"
#include "bench/counters/counting.h"
#include "bench/points.h"
#include "bench/table.h"
#include "util/clock.h"
#include "util/leftover.h"
#include "util/memory.h"

static const double REWRITE_S = 2, SAY_S = 0.2; // not more often

// ---- Delivering rows ----

static void begin_section(struct rounds *r, struct output *output, const struct run *run) {
    const struct table table = table_of_runs(run, r->runs, r->run_count);
    output_section(output, &table);
}

static enum status show(struct rounds *r, const struct row *row, struct error *error) {
    const struct run *run = r->item->run;
    if (r->section != run) {
        begin_section(r, r->output, run);
        r->section = run;
    }
    progress_clear(&r->progress);
    headline_add(r->headline, row);
    return output_row_to(r->output, OUTPUT_STREAMS, row, error);
}

// Whether streams have all rows before those of the current item, so that its own may follow at once.
static bool goes_straight(const struct rounds *r) {
    return !r->plan->in_rounds && r->item == &r->plan->items[r->front];
}

enum status rounds_row(struct rounds *r, const struct row *row, struct error *error) {
    struct row *grown = realloc(r->fresh, (r->fresh_count + 1) * sizeof *grown);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    r->fresh = grown;
    r->fresh[r->fresh_count++] = *row;
    if (r->item->rounds == 0) {
        progress_clear(&r->progress);
        TRY(output_row_to(r->output, OUTPUT_FILES, row, error));
    }
    if (goes_straight(r)) {
        TRY(show(r, row, error));
        r->item->shown++;
    }
    return STATUS_OK;
}

// The rows of a round that failed early do not replace better ones.
static void take_fresh(struct rounds *r, bool whole) {
    if (r->fresh_count > 0 && (whole || r->item->rounds == 0)) {
        free(r->item->rows);
        r->item->rows = r->fresh;
        r->item->row_count = r->fresh_count;
    } else {
        free(r->fresh);
    }
    r->fresh = NULL;
    r->fresh_count = 0;
}

// Gives streams the rows that are final and follow what they have; all of them if nothing will follow.
static enum status show_final(struct rounds *r, bool all, struct error *error) {
    enum status status = STATUS_OK;
    if (r->plan->in_rounds && !r->output->has_table && !all) {
        return STATUS_OK; // what CSV and JSON say first, the metadata, is not known yet
    }
    while (r->front < r->plan->count && status == STATUS_OK) {
        struct item *item = &r->plan->items[r->front];
        if (!all && !item_is_final(r->plan, item)) {
            return STATUS_OK;
        }
        r->item = item;
        for (; item->shown < item->row_count && status == STATUS_OK; item->shown++) {
            status = show(r, &item->rows[item->shown], error);
        }
        r->front++;
        if (isinf(r->plan->settings->budget_s)) { // files are not rewritten in such a run
            free(item->rows);
            item->rows = NULL;
            item->row_count = item->shown = 0;
        }
    }
    return status;
}

static enum status write_rows(void *context, struct output *output, struct error *error) {
    const struct rounds *r = context;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < r->plan->count; i++) {
        const struct item *item = &r->plan->items[i];
        for (size_t k = 0; k < item->row_count && status == STATUS_OK; k++) {
            status = output_row(output, &item->rows[k], error);
        }
    }
    return status;
}

static enum status rewrite(struct rounds *r, struct error *error) {
    if (!output_has_files(r->output) || rounds_row_count(r) == 0) {
        return STATUS_OK;
    }
    r->rewritten_s = clock_s();
    return output_rewrite(r->output, write_rows, r, error);
}

// ---- What a signal does not take ----

static void write_known(struct rounds *r, struct output *copy) {
    const struct run *section = r->section;
    enum status status = STATUS_OK;
    for (size_t i = r->front; i < r->plan->count; i++) {
        const struct item *item = &r->plan->items[i];
        for (size_t k = item->shown; k < item->row_count && status == STATUS_OK; k++) {
            if (section != item->run) {
                begin_section(r, copy, item->run);
                section = item->run;
            }
            status = output_row_to(copy, OUTPUT_STREAMS, &item->rows[k], NULL);
        }
    }
    output_end_copy(copy, NULL);
}

static void choose_last_words(struct rounds *r) {
    char *text = NULL;
    size_t length;
    if (clock_s() - r->said_s < SAY_S) {
        return;
    }
    FILE *stream = open_memstream(&text, &length);
    if (stream) {
        struct output copy;
        output_copy_streams(r->output, stream, &copy);
        write_known(r, &copy);
        fclose(stream);
    }
    leftover_say(text);
    free(r->last_words);
    r->last_words = text;
    r->said_s = clock_s();
}

static void forget_last_words(struct rounds *r) {
    if (r->last_words) {
        leftover_say(NULL);
        free(r->last_words);
        r->last_words = NULL;
    }
}

// ---- Measuring ----

static void leave(struct active *active) {
    struct run *run = active->run;
    if (!run) {
        return;
    }
    if (active->has_twin) {
        twin_end(&active->twin);
    }
    if (run->probe->finish) {
        run->probe->finish(run);
    }
    free(run->state);
    run->state = NULL;
    active->run = NULL;
}

static enum status enter(struct rounds *r, size_t device, struct run *run, struct error *error) {
    struct active *active = &r->active[device];
    if (active->run == run) {
        return STATUS_OK;
    }
    leave(active);
    run->state = calloc(1, run->probe->state_bytes + 1);
    if (!run->state) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    active->run = run;
    active->has_twin = twin_begin(&r->twins[device], run, &active->twin);
    return STATUS_OK;
}

static void tell_progress(struct rounds *r) {
    char what[128];
    const struct run *run = r->item->run;
    snprintf(what, sizeof what, "%s %s%s", run->bench_device->device->info.spec, run->variant->name,
             r->item->rounds > 0 ? ", again" : "");
    r->progress.total = r->progress.done + plan_left(r->plan) + (r->item->rounds > 0);
    progress_show(&r->progress, what);
}

static enum status measure_item(struct rounds *r, struct error *error) {
    struct item *item = r->item;
    struct run *run = item->run;
    const struct point point = point_at(run, item->number);
    const size_t device = (size_t)(run->bench_device - r->plan->devices);
    struct active *active = &r->active[device];
    enum status status = enter(r, device, run, error);
    if (status != STATUS_OK) {
        return status;
    }
    tell_progress(r);
    if (r->plan->settings->counting) {
        counting_begin_point(r->plan->settings->counting);
    }
    status = active->has_twin ? twin_measure(run, &active->twin, &point, item->rows, item->row_count, error)
                              : run_measure(run, &point, error);
    take_fresh(r, status == STATUS_OK);
    plan_done(r->plan, item);
    progress_advance(&r->progress);
    return status;
}

static enum status deliver(struct rounds *r, struct error *error) {
    const bool improved = r->item->rounds > 1;
    enum status status = show_final(r, false, error);
    if (status == STATUS_OK && improved && clock_s() - r->rewritten_s > REWRITE_S) {
        status = rewrite(r, error);
    }
    if (r->plan->in_rounds) {
        choose_last_words(r);
    }
    return status;
}

static void leave_all(struct rounds *r) {
    for (size_t i = 0; i < r->plan->device_count; i++) {
        leave(&r->active[i]);
    }
    free(r->active);
    r->active = NULL;
}

// How much of the plan the rows are, and what they lack.
static enum status note_left_out(struct rounds *r, struct error *error) {
    if (isinf(r->plan->settings->budget_s)) {
        return STATUS_OK; // all of it is measured
    }
    const size_t rows = rounds_row_count(r);
    char count[64], *left_out = budget_left_out(r->plan);
    snprintf(count, sizeof count, "%zu of %zu", rows, rows + plan_left_out_count(r->plan));
    enum status status = output_metadata(r->output, "rows", count, error);
    if (status == STATUS_OK && left_out && *left_out) {
        status = output_metadata(r->output, "left out", left_out, error);
    }
    free(left_out);
    return status;
}

enum status rounds_run(struct rounds *r, bool quiet, struct error *error) {
    r->progress = progress_start(0, quiet);
    r->active = memory_zeros(r->plan->device_count, sizeof *r->active);
    enum status status = STATUS_OK;
    // A stream gets its head with its rows, when it is known what was left out.
    if (!(r->plan->in_rounds && output_is_standard(r->output))) {
        status = output_begin(r->output, error);
    }
    while (status == STATUS_OK && (r->item = plan_next(r->plan))) {
        status = measure_item(r, error);
        if (status == STATUS_OK) {
            status = deliver(r, error);
        }
    }
    progress_clear(&r->progress);
    leave_all(r);
    if (status == STATUS_OK) {
        status = note_left_out(r, error);
    }
    const enum status shown = show_final(r, true, status == STATUS_OK ? error : NULL);
    forget_last_words(r);
    if (isfinite(r->plan->settings->budget_s) && shown == STATUS_OK) {
        const enum status written = rewrite(r, status == STATUS_OK ? error : NULL);
        return status == STATUS_OK ? written : status;
    }
    return status == STATUS_OK ? shown : status;
}

size_t rounds_row_count(const struct rounds *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->plan->count; i++) {
        count += r->plan->items[i].row_count;
    }
    return count;
}
