#include "bench/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/wrap.h"

static const double DEFAULT_MIN_TIME_S = 0.5;
static const double DEFAULT_MAX_TIME_S = 15;
static const double DEFAULT_BUDGET_S = 60;
static const double HEADLINE_BUDGET_S = 8; // of the 15 s that it may take
static const double WARNING_RATIO = 1.5;   // of the expected time to the budget

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
    char *left_out = plan_left_out(plan);
    if (isfinite(plan->settings->budget_s)) {
        snprintf(budget, sizeof budget, "%g s%s", plan->settings->budget_s,
                 plan->settings->extent == EXTENT_HEADLINE ? ", a headline" : "");
    }
    enum status status = output_metadata(output, "budget", budget, error);
    if (status == STATUS_OK && left_out && *left_out) {
        status = output_metadata(output, "left out", left_out, error);
    }
    free(left_out);
    return status;
}

void budget_warn(const struct plan *plan, const char *program) {
    const struct settings *settings = plan->settings;
    const double expected = plan_expected_s(plan);
    if (!settings->quiet && !settings->budget_given && expected > WARNING_RATIO * settings->budget_s) {
        fprintf(stderr, "%s: this takes about %.0f s, the default budget is %.0f s: --budget leaves rows out\n",
                program, expected, settings->budget_s);
    }
}

// Prints each part of the text, which semicolons separate, on lines of its own.
static void print_parts(const char *text) {
    while (*text) {
        const char *end = strchr(text, ';');
        char *part = strndup(text, end ? (size_t)(end - text) : strlen(text));
        fputs("  ", stderr);
        wrap_text(stderr, part ? part : "", 2, 4);
        fputc('\n', stderr);
        free(part);
        text = end ? end + strspn(end, "; ") : text + strlen(text);
    }
}

void budget_report(const struct plan *plan, const char *program) {
    char *left_out = plan->settings->extent == EXTENT_BUDGET ? plan_left_out(plan) : NULL;
    if (left_out && *left_out) {
        fprintf(stderr, "%s: left out to end within %g s (see --budget and --full):\n", program,
                plan->settings->budget_s);
        print_parts(left_out);
    }
    free(left_out);
}
