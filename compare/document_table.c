// The comparison as a table for people, 80 columns wide.
#include <math.h>
#include <string.h>

#include "compare/document.h"
#include "util/terminal.h"
#include "util/wrap.h"

enum {
    RUN_WIDTH = 26,
    SHARED_TEXT = 1024
};

// ---- Properties that the rows of a section share ----

// Whether this word of `length` characters is one of the words of the text.
static bool has_word(const char *text, const char *word, size_t length) {
    const char *at = text;
    while (*at) {
        const size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0) {
            return true;
        }
        at += here + (at[here] == ' ');
    }
    return false;
}

// Copies those words of `from` that are in `other`, or with `in` false those that are not.
static void filter_words(char to[SHARED_TEXT], const char *from, const char *other, bool in) {
    size_t length = 0;
    to[0] = '\0';
    while (*from) {
        const size_t word = strcspn(from, " ");
        if (has_word(other, from, word) == in && length + word + 2 < SHARED_TEXT) {
            length += (size_t)snprintf(to + length, SHARED_TEXT - length, "%s%.*s", length ? " " : "", (int)word, from);
        }
        from += word + (from[word] == ' ');
    }
}

struct section {
    const struct comparison *first;
    size_t count;
    char shared[SHARED_TEXT];
};

// The rows that follow each other and belong to one mean.
static struct section section_at(const struct judgement *judgement, size_t start) {
    struct section section = {&judgement->comparisons[start], 0, ""};
    snprintf(section.shared, sizeof section.shared, "%s", section.first->a->run);
    while (start + section.count < judgement->count) {
        const struct comparison *next = &section.first[section.count];
        char shared[SHARED_TEXT];
        if (!same_mean(section.first, next)) {
            break;
        }
        filter_words(shared, section.shared, next->a->run, true);
        memcpy(section.shared, shared, sizeof shared);
        section.count++;
    }
    if (section.count == 1) {
        section.shared[0] = '\0';
    }
    return section;
}

// ---- Lines ----

static const char *colour_of(enum outcome outcome) {
    static const char *const colours[OUTCOMES] = {"", TERMINAL_GREEN, TERMINAL_RED, TERMINAL_YELLOW};
    return colours[outcome];
}

static void write_verdict(FILE *file, enum outcome outcome, enum reason reason, bool colour) {
    const bool coloured = colour && outcome != OUTCOME_SAME;
    fprintf(file, "%s%s%s%s%s\n", coloured ? colour_of(outcome) : "", outcome_name(outcome),
            coloured ? TERMINAL_PLAIN : "", reason == REASON_NONE ? "" : " ", reason_name(reason));
}

// Four significant digits, whole numbers from 1000 on.
static const char *short_number(char to[16], double value) {
    const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    snprintf(to, 16, value < 1e7 ? "%.*f" : "%.*e", value < 1e7 ? decimals : 3, value);
    return to;
}

static void write_comparison(FILE *file, const struct section *section, const struct comparison *c, bool colour) {
    char run[SHARED_TEXT], a[16], b[16], reach[16] = "";
    filter_words(run, c->a->run, section->shared, false);
    fputs("  ", file);
    const int column = wrap_text(file, run, 2, 2);
    fprintf(file, column > RUN_WIDTH ? "\n%*s" : "%*s", column > RUN_WIDTH ? RUN_WIDTH : RUN_WIDTH - column, "");
    if (c->figure == FIGURES) {
        fprintf(file, " %9s %9s %5s %6s %6s ", "", "", "", "", "");
    } else {
        if (!isnan(c->low)) {
            snprintf(reach, sizeof reach, "%.2f%%", 50 * (c->high - c->low) / c->ratio);
        }
        fprintf(file, " %9s %9s %-5s %6.3f %6s ", short_number(a, c->value_a), short_number(b, c->value_b),
                figure_kinds[c->figure].unit, c->ratio, reach);
    }
    write_verdict(file, c->outcome, c->reason, colour);
}

static void write_device(FILE *file, const struct comparison *c) {
    fprintf(file, "%s%s", c->a->device, c->a->predicted ? " (predicted)" : "");
    if (strcmp(c->a->device, c->b->device) != 0 || c->a->predicted != c->b->predicted) {
        fprintf(file, " and %s%s", c->b->device, c->b->predicted ? " (predicted)" : "");
    }
}

static bool has_changed(enum outcome outcome) {
    return outcome == OUTCOME_FASTER || outcome == OUTCOME_SLOWER;
}

static void write_section(FILE *file, const struct section *section, const struct document *document) {
    bool headed = false;
    for (size_t i = 0; i < section->count; i++) {
        const struct comparison *c = &section->first[i];
        if (document->brief && !has_changed(c->outcome)) {
            continue;
        }
        if (!headed) {
            fprintf(file, "\n%s %s on ", c->a->probe, c->a->variant);
            write_device(file, c);
            fputc('\n', file);
            if (section->shared[0]) {
                fputs("  ", file);
                wrap_text(file, section->shared, 2, 2);
                fputc('\n', file);
            }
            headed = true;
        }
        write_comparison(file, section, c, document->colour);
    }
}

// ---- The parts below the rows ----

static void write_means(FILE *file, const struct contrast *contrast) {
    fprintf(file, "\nGeometric means of the ratios:\n");
    for (size_t i = 0; i < contrast->mean_count; i++) {
        const struct mean *mean = &contrast->means[i];
        fprintf(file, "  %7.3f  %s %s on ", mean_ratio(mean), mean->first->a->probe, mean->first->a->variant);
        write_device(file, mean->first);
        for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
            if (mean->outcomes[outcome]) {
                fprintf(file, ", %zu %s", mean->outcomes[outcome], outcome_name(outcome));
            }
        }
        fputc('\n', file);
    }
}

// Rows of one variant that follow each other share a line.
static void write_only(FILE *file, char side, const struct repeats *const *groups, size_t count) {
    if (count > 0) {
        fprintf(file, "\nOnly in %c (%zu rows):\n", side, count);
    }
    for (size_t i = 0, next; i < count; i = next) {
        const struct result *row = groups[i]->rows[0];
        for (next = i + 1; next < count; next++) {
            const struct result *other = groups[next]->rows[0];
            if (strcmp(row->probe, other->probe) != 0 || strcmp(row->variant, other->variant) != 0 ||
                strcmp(row->device, other->device) != 0 || row->predicted != other->predicted) {
                break;
            }
        }
        fprintf(file, "  %s %s on %s%s: ", row->probe, row->variant, row->device, row->predicted ? " (predicted)" : "");
        fprintf(file, "%zu row%s\n", next - i, next - i == 1 ? "" : "s");
    }
}

static bool has_cpu(const struct judgement *judgement) {
    bool has = false;
    for (size_t i = 0; i < judgement->count && !has; i++) {
        has = judgement->comparisons[i].a->on_cpu || judgement->comparisons[i].b->on_cpu;
    }
    return has;
}

static void write_cpu_threshold(FILE *file, double threshold) {
    if (isfinite(threshold)) {
        fprintf(file, "Single runs of a CPU are called different beyond %.3g %%.\n", 100 * threshold);
    } else {
        fputs("So few rows do not show how far single runs of a CPU differ.\n", file);
    }
}

static void write_head(FILE *file, const struct contrast *contrast, const struct document *document) {
    const char *const sides[][2] = {{contrast->a, contrast->a_date}, {contrast->b, contrast->b_date}};
    for (int i = 0; i < 2; i++) {
        fprintf(file, "%c: %s%s%s\n", "AB"[i], sides[i][0], *sides[i][1] ? ", " : "", sides[i][1]);
    }
    fprintf(file,
            "B/A is the speed of B over that of A. The interval +- holds for all %zu tested\n"
            "rows together with %g %%. Differences up to %g %% count as none.\n",
            contrast->judgement.tested, 100 * (1 - false_alarm_rate), document->threshold_pct);
    if (has_cpu(&contrast->judgement)) {
        write_cpu_threshold(file, contrast->judgement.cpu_threshold);
    }
    fputc('\n', file);
    fprintf(file, "%-*s %9s %9s %-5s %6s %6s %s\n", RUN_WIDTH, "what was run", "A", "B", "unit", "B/A", "+-",
            "verdict");
}

static void write_totals(FILE *file, const struct contrast *contrast) {
    const struct joined *joined = &contrast->joined;
    fprintf(file, "\n%zu rows:", contrast->judgement.count);
    for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
        fprintf(file, "%s %zu %s", outcome ? "," : "", contrast->judgement.outcomes[outcome], outcome_name(outcome));
    }
    fprintf(file, "; %zu only in A, %zu only in B\n", joined->only_a_count, joined->only_b_count);
}

static void write_contrast(FILE *file, const struct contrast *contrast, const struct document *document) {
    const struct judgement *judgement = &contrast->judgement;
    write_head(file, contrast, document);
    for (size_t i = 0; i < judgement->count;) {
        const struct section section = section_at(judgement, i);
        write_section(file, &section, document);
        i += section.count;
    }
    if (judgement->count > 0 && !document->brief) {
        write_means(file, contrast);
    }
    if (!document->brief) {
        write_only(file, 'A', contrast->joined.only_a, contrast->joined.only_a_count);
        write_only(file, 'B', contrast->joined.only_b, contrast->joined.only_b_count);
    }
    write_totals(file, contrast);
}

void document_write_table(FILE *file, const struct document *document) {
    for (size_t i = 0; i < document->contrast_count; i++) {
        if (i > 0) {
            fputc('\n', file);
        }
        write_contrast(file, &document->contrasts[i], document);
    }
}
