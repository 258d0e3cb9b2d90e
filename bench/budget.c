#include "bench/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    s->extent = full ? EXTENT_ALL : quick ? EXTENT_HEADLINE : EXTENT_BUDGET;
    if (!s->budget_given) {
        s->budget_s = full ? INFINITY : quick ? HEADLINE_BUDGET_S : DEFAULT_BUDGET_S;
    }
    return resolve_times(s, error);
}

enum status budget_describe(const struct plan *plan, struct output *output, struct error *error) {
    char budget[64] = "none: everything";
    if (isfinite(plan->settings->budget_s)) {
        snprintf(budget, sizeof budget, "%g s%s", plan->settings->budget_s,
                 plan->settings->extent == EXTENT_HEADLINE ? ", a headline" : "");
    }
    return output_metadata(output, "budget", budget, error);
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
    fprintf(stderr, "%s: %zu of %zu rows measured; for the rest:", program_name(plan->items->run->probe->name), rows,
            rows + left_out);
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
