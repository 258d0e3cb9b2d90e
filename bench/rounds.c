#include "bench/rounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/launches.h"
#include "bench/plan.h"
#include "bench/table.h"
#include "bench/twin.h"
#include "bench/workers.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/leftover.h"

// ---- What was left out ----

enum {
    PIECES_MAX = 12, // ranges of one sweep that a message names, besides the last
    AHEAD_MAX = 64   // points that are predicted before their turn, whose rows take memory
};

// A run's items, which stand side by side.
struct part {
    const struct run *run;
    const struct item *items;
    size_t count;
    size_t left_out;
};

static struct part part_at(const struct plan *plan, size_t first) {
    struct part part = {plan->items[first].run, &plan->items[first], 0, 0};
    while (first + part.count < plan->count && plan->items[first + part.count].run == part.run) {
        part.left_out += part.items[part.count].state == ITEM_LEFT_OUT;
        part.count++;
    }
    return part;
}

static uint64_t value_of(const struct part *part, size_t item, size_t parameter) {
    return point_at(part->run, part->items[item].number).values[parameter];
}

// Prints a value of a parameter; a dimension's parts are its halves.
static void write_value(FILE *stream, const struct parameter *parameter, uint64_t value) {
    if (parameter->dimensions) {
        fprintf(stream, "%" PRIu64 "x%" PRIu64, value & UINT32_MAX, value >> 32);
    } else {
        fprintf(stream, "%" PRIu64, value);
    }
}

// The values of a sweep that are left out, in the order of the sweep.
struct gaps {
    const struct parameter *parameter;
    uint64_t *values;
    size_t count;
};

// Values that only points have that were left out.
static struct gaps find_gaps(const struct part *part, size_t parameter) {
    const struct sweep *sweep = &part->run->sweeps[parameter];
    struct gaps gaps = {&part->run->probe->parameters[parameter], memory_zeros(sweep->count, sizeof *gaps.values), 0};
    bool *lacks = memory_zeros(sweep->count, sizeof *lacks), *has = memory_zeros(sweep->count, sizeof *has);
    for (size_t i = 0; i < part->count && sweep->count > 0; i++) {
        size_t indices[PARAMETERS_MAX];
        point_indices(part->run, part->items[i].number, indices);
        *(part->items[i].state == ITEM_LEFT_OUT ? &lacks[indices[parameter]] : &has[indices[parameter]]) = true;
    }
    for (size_t i = 0; i < sweep->count; i++) {
        if (lacks[i] && !has[i]) {
            gaps.values[gaps.count++] = sweep->values[i];
        }
    }
    free(lacks);
    free(has);
    return gaps;
}

// The number of values from `first` on that the range FIRST:LAST denotes; 1 if a range would not be shorter.
static size_t range_length(const struct gaps *gaps, size_t first) {
    size_t end = first + 1;
    while (end < gaps->count && gaps->values[end] == gaps->values[end - 1] + 1 && !gaps->parameter->dimensions) {
        end++;
    }
    return end - first > 2 ? end - first : 1;
}

// Writes the values as the option would take them. Of many ranges the first and the last are written.
static void write_sweep(FILE *stream, const struct gaps *gaps) {
    size_t pieces = 0;
    fprintf(stream, " --%s ", gaps->parameter->name);
    for (size_t i = 0, length; i < gaps->count; i += length) {
        length = range_length(gaps, i);
        const bool last = i + length == gaps->count;
        if (++pieces > PIECES_MAX && !last) {
            continue;
        }
        fputs(pieces == 1 ? "" : pieces > PIECES_MAX + 1 ? ",...," : ",", stream);
        write_value(stream, gaps->parameter, gaps->values[i]);
        if (length > 1) {
            fputc(':', stream);
            write_value(stream, gaps->parameter, gaps->values[i + length - 1]);
        }
    }
    if (pieces > PIECES_MAX + 1) {
        fprintf(stream, " (%zu values)", gaps->count);
    }
}

static bool has_gap(const struct gaps *gaps, uint64_t value) {
    for (size_t i = 0; i < gaps->count; i++) {
        if (gaps->values[i] == value) {
            return true;
        }
    }
    return false;
}

// Writes the values that no measured point has, and marks the points that they tell of.
static size_t write_values(FILE *stream, const struct part *part, bool *told) {
    size_t written = 0;
    for (size_t k = 0; k < part->run->probe->parameter_count; k++) {
        struct gaps gaps = find_gaps(part, k);
        if (gaps.count > 0) {
            write_sweep(stream, &gaps);
            written++;
        }
        for (size_t i = 0; i < part->count; i++) {
            told[i] = told[i] || has_gap(&gaps, value_of(part, i, k));
        }
        free(gaps.values);
    }
    return written;
}

// " --width 1,2 --stride 3:64 and 2 more points", " all 3 points"; nothing where nothing is left out.
static void write_gaps(FILE *stream, const struct part *part) {
    bool *told = memory_zeros(part->count, sizeof *told);
    size_t more = 0, written = 0;
    if (part->left_out == part->count) {
        fprintf(stream, part->count > 1 ? " all %zu points" : " its only point", part->count);
    } else if (part->left_out > 0) {
        written = write_values(stream, part, told);
        for (size_t i = 0; i < part->count; i++) {
            more += part->items[i].state == ITEM_LEFT_OUT && !told[i];
        }
    }
    if (more > 0) {
        fprintf(stream, "%s %zu%s point%s", written ? " and" : "", more, written ? " more" : "", more == 1 ? "" : "s");
    }
    free(told);
}

static char *gaps_of(const struct part *part) {
    struct written text;
    write_gaps(memory_stream(&text), part);
    return memory_stream_end(&text);
}

// Variants of one device that lack the same values are named together.
static void write_all(FILE *stream, const struct plan *plan) {
    char *before = NULL;
    const struct bench_device *device = NULL;
    const char *separator = "";
    for (size_t i = 0; i < plan->count;) {
        const struct part part = part_at(plan, i);
        char *gaps = gaps_of(&part);
        i += part.count;
        if (*gaps && before && part.run->bench_device == device && strcmp(gaps, before) == 0) {
            fprintf(stream, ", %s", part.run->variant->name);
            free(gaps);
            continue;
        }
        if (before) {
            fprintf(stream, ":%s", before);
            separator = "; ";
        }
        free(before);
        before = NULL;
        if (*gaps) {
            fprintf(stream, "%s%s %s", separator, run_info(part.run)->spec, part.run->variant->name);
            before = gaps;
            device = part.run->bench_device;
        } else {
            free(gaps);
        }
    }
    fprintf(stream, "%s%s", before ? ":" : "", before ? before : "");
    free(before);
}

char *budget_left_out(const struct plan *plan) {
    struct written text;
    write_all(memory_stream(&text), plan);
    return memory_stream_end(&text);
}

static const double DEFAULT_MIN_TIME_S = 0.5;
static const double DEFAULT_MAX_TIME_S = 15;
static const double DEFAULT_BUDGET_S = 60;
static const double HEADLINE_BUDGET_S = 8; // of the 15 s that it may take

// A bound that was not given follows from the one that was.
static enum status resolve_times(struct settings *s, struct error *error) {
    if (s->min_time_s >= 0 && s->max_time_s >= 0 && s->max_time_s < s->min_time_s) {
        return error_set(error, STATUS_USAGE, "--max-time %g is below --min-time %g: give at least as much",
                         s->max_time_s, s->min_time_s);
    }
    s->times_given = s->min_time_s >= 0 || s->max_time_s >= 0 || s->samples > 0;
    s->asked_s = s->samples > 0 ? INFINITY : fmax(0, s->min_time_s);
    if (s->max_time_s < 0) {
        s->max_time_s = fmax(DEFAULT_MAX_TIME_S, s->min_time_s);
    }
    if (s->min_time_s < 0) {
        s->min_time_s = fmin(DEFAULT_MIN_TIME_S, s->max_time_s);
    }
    return STATUS_OK;
}

enum status budget_resolve(struct settings *s, bool quick, bool full, struct error *error) {
    s->budget_given = s->budget_s >= 0;
    if (full && (quick || s->budget_given)) {
        return error_set(error, STATUS_USAGE, "--full and %s contradict each other: give one of them",
                         quick ? "--quick" : "--budget");
    }
    s->headline = quick;
    if (!s->budget_given) {
        s->budget_s = full ? INFINITY : quick ? HEADLINE_BUDGET_S : DEFAULT_BUDGET_S;
    }
    return resolve_times(s, error);
}

void budget_describe(const struct plan *plan, struct output *output) {
    char budget[64] = "none: everything";
    if (isfinite(plan->settings->budget_s)) {
        snprintf(budget, sizeof budget, "%g s%s", plan->settings->budget_s,
                 plan->settings->headline ? ", a headline" : "");
    }
    output_metadata(output, "budget", budget);
}

// Writes a word of a command so that a shell reads it as one.
static void write_word(const char *word) {
    const bool plain =
        *word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%") == strlen(word);
    fputs(plain ? "" : "'", stderr);
    for (const char *at = word; *at; at++) {
        fprintf(stderr, *at == '\'' ? "'\\''" : "%c", *at);
    }
    fputs(plain ? "" : "'", stderr);
}

// Whether the word says how much to measure, which --full replaces. *values: how many words of its own follow it.
static bool says_how_much(const char *word, int *values) {
    *values = strcmp(word, "--budget") == 0;
    return *values || strncmp(word, "--budget=", strlen("--budget=")) == 0 || strcmp(word, "--quick") == 0;
}

void budget_report(const struct plan *plan, size_t rows, int argc, char **argv) {
    const size_t left_out = plan_left_out_count(plan);
    int values;
    if (left_out == 0) {
        return;
    }
    fprintf(stderr, "%s: %zu of %zu rows measured; for the rest:\n   ", program_name(plan->items->run->probe->name),
            rows, rows + left_out);
    for (int i = 0; i < argc; i++) {
        if (says_how_much(argv[i], &values)) {
            i += values;
        } else {
            fputc(' ', stderr);
            write_word(argv[i]);
        }
    }
    fputs(" --full\n", stderr);
}

static const double REWRITE_S = 2, SAY_S = 0.2; // not more often

// ---- Delivering rows ----

// Gives streams a row of the run, below the heading of its table if *section, whose table they have, is another run.
static enum status show(const struct rounds *r, struct output *output, const struct run **section,
                        const struct run *run, const struct row *row, struct error *error) {
    if (*section != run) {
        const struct table table = table_of_runs(run, r->runs, r->run_count);
        output_section(output, &table);
        *section = run;
    }
    return output_row_to(output, OUTPUT_STREAMS, row, error);
}

// Whether streams have all rows before those of the current item, so that its own may follow at once.
static bool goes_straight(const struct rounds *r) {
    return !r->plan->in_rounds && r->item == &r->plan->items[r->front];
}

enum status rounds_row(struct rounds *r, const struct row *row, struct error *error) {
    // Rows are large and all are kept, so there is no room for more than there are.
    struct row *grown = realloc(r->fresh, (r->fresh_count + 1) * sizeof *grown);
    if (!grown) {
        memory_end();
    }
    r->fresh = grown;
    struct row *fresh = &r->fresh[r->fresh_count++];
    *fresh = *row;
    if (!r->item->awaits_prediction) {
        r->complete(r->item->run, fresh, r->item->rounds > 0);
    }
    if (r->item->rounds == 0) {
        progress_clear(&r->progress);
        TRY(output_row_to(r->output, OUTPUT_FILES, fresh, error));
    }
    if (goes_straight(r)) {
        TRY(show(r, r->output, &r->section, r->item->run, fresh, error));
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
        if (!all && !item_is_final(item)) {
            return STATUS_OK;
        }
        for (; item->shown < item->row_count && status == STATUS_OK; item->shown++) {
            progress_clear(&r->progress);
            status = show(r, r->output, &r->section, item->run, &item->rows[item->shown], error);
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

static void write_known(const struct rounds *r, struct output *copy) {
    const struct run *section = r->section;
    enum status status = STATUS_OK;
    for (size_t i = r->front; i < r->plan->count; i++) {
        const struct item *item = &r->plan->items[i];
        for (size_t k = item->shown; k < item->row_count && status == STATUS_OK; k++) {
            status = show(r, copy, &section, item->run, &item->rows[k], NULL);
        }
    }
    output_end_copy(copy, NULL);
}

static void choose_last_words(struct rounds *r) {
    struct written words;
    if (clock_s() - r->said_s < SAY_S) {
        return;
    }
    struct output copy;
    output_copy_streams(r->output, memory_stream(&words), &copy);
    write_known(r, &copy);
    leftover_say(memory_stream_end(&words));
    free(r->last_words);
    r->last_words = words.text;
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
    if (run->variant->kind->finish) {
        run->variant->kind->finish(run);
    }
    free(run->state);
    run->state = NULL;
    active->run = NULL;
}

static void enter(struct rounds *r, size_t device, struct run *run) {
    struct active *active = &r->active[device];
    if (active->run == run) {
        return;
    }
    leave(active);
    run->state = memory_zeros(1, run->probe->state_bytes);
    active->run = run;
    active->has_twin = twin_begin(&r->twins[device], run, &active->twin);
}

static void tell_progress(struct rounds *r, const struct item *item) {
    char what[128];
    const struct run *run = item->run;
    const size_t begun = 1 + (r->workers && !r->workers_predict ? workers_given(r->workers) : 0);
    snprintf(what, sizeof what, "%s %s%s", run_info(run)->spec, run->variant->name, item->rounds > 0 ? ", again" : "");
    r->progress.total = r->progress.done + begun + plan_left(r->plan);
    progress_show(&r->progress, what);
}

static struct active *active_of(struct rounds *r, struct item *item) {
    const size_t device = (size_t)(item->run->bench_device - r->plan->devices);
    enter(r, device, item->run);
    return &r->active[device];
}

static enum status take_prediction(struct rounds *r, struct error *error);

// In the first round a worker, if there is one, predicts the point: in a run of rounds while it is measured, otherwise
// before that (predict_ahead). Later rounds keep that prediction, because it does not depend on samples.
static enum status measure_with_twin(struct rounds *r, struct item *item, const struct point *point, struct run *twin,
                                     struct error *error) {
    struct row_list known = {item->rows, item->row_count};
    while (item->awaits_prediction && item->rounds == 0) {
        TRY(take_prediction(r, error));
    }
    if (item->is_predicted_ahead) {
        known = item->predicted;
    } else if (r->workers_predict && r->plan->in_rounds && item->rounds == 0 && workers_wait(r->workers)) {
        workers_give(r->workers, (size_t)(item - r->plan->items));
        item->awaits_prediction = true;
    }
    const bool elsewhere = item->awaits_prediction || item->is_predicted_ahead;
    const enum status status = twin_measure(item->run, elsewhere ? NULL : twin, point, known.rows,
                                            item->awaits_prediction ? 0 : known.count, error);
    free(item->predicted.rows);
    item->predicted = (struct row_list){0};
    return status;
}

static enum status measure_point(struct rounds *r, struct item *item, struct error *error) {
    const struct point point = point_at(item->run, item->number);
    struct active *active = active_of(r, item);
    if (r->plan->settings->counting) {
        counting_begin_point(r->plan->settings->counting);
    }
    return active->has_twin ? measure_with_twin(r, item, &point, &active->twin, error)
                            : run_measure(item->run, &point, error);
}

static void end_item(struct rounds *r, enum status status, double passed_s) {
    take_fresh(r, status == STATUS_OK);
    plan_done(r->plan, r->item, passed_s);
    progress_advance(&r->progress);
}

// improved: files are rewritten now and then, because they have earlier states of some rows.
static enum status deliver(struct rounds *r, bool improved, struct error *error) {
    enum status status = show_final(r, false, error);
    if (status == STATUS_OK && improved && clock_s() - r->rewritten_s > REWRITE_S) {
        status = rewrite(r, error);
    }
    if (r->plan->in_rounds) {
        choose_last_words(r);
    }
    return status;
}

static enum status measure_item(struct rounds *r, struct item *item, struct error *error) {
    const double begun_s = clock_s();
    r->item = item;
    tell_progress(r, item);
    enum status status = measure_point(r, item, error);
    end_item(r, status, clock_s() - begun_s);
    return status == STATUS_OK ? deliver(r, r->item->rounds > 1, error) : status;
}

// ---- Points that workers simulate ----

static void predict_item(struct rounds *r, struct item *item, struct row_list *predicted) {
    struct active *active = active_of(r, item);
    const struct point point = point_at(item->run, item->number);
    if (active->has_twin) {
        twin_predict(&active->twin, &point, predicted);
    }
}

static void simulate_in_worker(size_t number, struct answer *answer, void *context) {
    struct rounds *r = context;
    struct item *item = &r->plan->items[number];
    r->plan->settings->quiet = true;
    if (r->workers_predict) {
        predict_item(r, item, &answer->made);
        return;
    }
    item->run->emit = run_keep_row;
    item->run->emit_context = &answer->made;
    device_show_progress(run_device(item->run), false);
    answer->status = measure_point(r, item, &answer->error);
}

// The rows of simulated devices do not depend on what else runs, so that several are made at once; unless a row needs
// what an earlier one left. The predictions of GPUs are made beside the measurements, by all processors but one,
// because the GPU waits for them otherwise.
static enum status start_workers(struct rounds *r, struct error *error) {
    const struct probe *probe = r->runs->probe;
    size_t simulated = 0, twins = 0;
    uint32_t processors;
    for (size_t i = 0; i < r->plan->count; i++) {
        const struct item *item = &r->plan->items[i];
        simulated += item_is_predicted(item);
        twins += r->twins[item->run->bench_device - r->plan->devices].device != NULL;
    }
    const bool apart = !(probe->keeps_rows && probe->keeps_rows(r->runs->session));
    const bool predict = simulated == 0;
    const size_t work = predict ? twins : apart ? simulated : 0;
    if (work < 2 || r->plan->settings->counting) {
        return STATUS_OK;
    }
    TRY(workers_processors(&processors, error));
    const size_t most = predict ? processors - 1 : processors;
    const size_t least = predict ? 1 : 2;
    r->workers_predict = predict; // which the workers read
    if (most >= least) {
        r->workers = workers_start((uint32_t)(work < most ? work : most), simulate_in_worker, r);
    }
    r->workers_predict = predict && r->workers;
    return STATUS_OK;
}

// Adds what a worker predicted to the rows that were measured meanwhile, or keeps it for the point's turn. If the
// worker ended without an answer, the program predicts the rows itself, as soon as they are measured.
static enum status take_prediction(struct rounds *r, struct error *error) {
    size_t number;
    struct answer answer;
    const bool known = workers_take(r->workers, &number, &answer);
    struct item *item = &r->plan->items[number];
    item->awaits_prediction = false;
    if (item->state != ITEM_MEASURED) {
        item->is_predicted_ahead = known;
        item->predicted = answer.made;
        answer.made = (struct row_list){0};
        answer_clear(&answer);
        return STATUS_OK;
    }
    if (!known) {
        predict_item(r, item, &answer.made);
    }
    twin_add(item->rows, item->row_count, answer.made.rows, answer.made.count);
    answer_clear(&answer);
    for (size_t i = 0; i < item->row_count; i++) {
        r->complete(item->run, &item->rows[i], false);
    }
    return deliver(r, true, error);
}

// Delivers the rows of the item that was given to a worker first. If the worker ended without an answer, for want of
// memory for example, the item is measured here.
static enum status take_item(struct rounds *r, struct error *error) {
    size_t number;
    struct answer answer;
    if (!workers_take(r->workers, &number, &answer)) {
        return measure_item(r, &r->plan->items[number], error);
    }
    enum status status = STATUS_OK;
    r->item = &r->plan->items[number];
    for (size_t i = 0; i < answer.made.count && status == STATUS_OK; i++) {
        status = r->item->run->emit(r->item->run, &answer.made.rows[i], error);
    }
    if (status == STATUS_OK && answer.status != STATUS_OK) {
        status = error_set(error, answer.status, "%s", answer.error.text);
        error_attach_log(error, answer.error.log);
    }
    end_item(r, status, answer.seconds);
    answer_clear(&answer);
    return status == STATUS_OK ? deliver(r, r->item->rounds > 1, error) : status;
}

static enum status take_items(struct rounds *r, bool all, struct error *error) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && r->workers &&
           (all ? workers_given(r->workers) > 0 : workers_have_answer(r->workers))) {
        status = r->workers_predict ? take_prediction(r, error) : take_item(r, error);
    }
    return status;
}

// Gives workers the next points of a run without rounds, whose rows are written for good as soon as they are measured.
static void predict_ahead(struct rounds *r) {
    while (r->ahead < r->plan->count && r->ahead < r->progress.done + AHEAD_MAX && workers_idle(r->workers)) {
        struct item *item = r->plan->order[r->ahead++];
        if (item->state == ITEM_UNTRIED && r->twins[item->run->bench_device - r->plan->devices].device) {
            workers_give(r->workers, (size_t)(item - r->plan->items));
            item->awaits_prediction = true;
        }
    }
}

// What is measured runs alone, but for a GPU's predictions.
static enum status prepare_workers(struct rounds *r, const struct item *item, struct error *error) {
    const bool ahead = r->workers_predict && !r->plan->in_rounds;
    if (!item) {
        return ahead ? STATUS_OK : take_items(r, true, error); // no row lacks a prediction that was made ahead
    }
    if (!r->workers_predict || !run_info(item->run)->gpu) {
        return take_items(r, true, error);
    }
    if (ahead) {
        predict_ahead(r);
    }
    return STATUS_OK;
}

static enum status measure_all(struct rounds *r, struct error *error) {
    struct item *item;
    do {
        const bool some_work = r->workers && !r->workers_predict && workers_wait(r->workers);
        TRY(take_items(r, false, error));
        item = plan_next(r->plan);
        if (item && some_work && item_is_predicted(item)) {
            tell_progress(r, item);
            workers_give(r->workers, (size_t)(item - r->plan->items));
            continue;
        }
        TRY(prepare_workers(r, item, error));
        if (item) {
            TRY(measure_item(r, item, error));
        }
    } while (item);
    return STATUS_OK;
}

static void leave_all(struct rounds *r) {
    for (size_t i = 0; i < r->plan->device_count; i++) {
        leave(&r->active[i]);
    }
    free(r->active);
    r->active = NULL;
}

// How much of the plan the rows are, and what they lack.
static void note_left_out(struct rounds *r) {
    if (isinf(r->plan->settings->budget_s)) {
        return; // all of it is measured
    }
    const size_t rows = rounds_row_count(r);
    char count[64], *left_out = budget_left_out(r->plan);
    snprintf(count, sizeof count, "%zu of %zu", rows, rows + plan_left_out_count(r->plan));
    output_metadata(r->output, "rows", count);
    output_metadata(r->output, "left out", left_out);
    free(left_out);
}

enum status rounds_run(struct rounds *r, bool quiet, struct error *error) {
    r->progress = progress_start(0, quiet);
    r->progress.ends_s = plan_end_s(r->plan);
    r->active = memory_zeros(r->plan->device_count, sizeof *r->active);
    enum status status = STATUS_OK;
    // A stream gets its head with its rows, when it is known what was left out.
    if (!(r->plan->in_rounds && output_is_standard(r->output))) {
        status = output_begin(r->output, error);
    }
    THEN(status, start_workers(r, error));
    THEN(status, measure_all(r, error));
    if (r->workers_predict && r->plan->in_rounds && status != STATUS_OK) {
        take_items(r, true, NULL); // what was measured before has its predictions, too
    }
    if (r->workers) {
        workers_end(r->workers);
        r->workers = NULL;
    }
    progress_clear(&r->progress);
    leave_all(r);
    if (status == STATUS_OK) {
        note_left_out(r);
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
