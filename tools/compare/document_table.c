// The comparison as a table for people, 80 columns wide.
#include <math.h>
#include <string.h>

#include "bench/keys.h"
#include "tools/compare/document.h"
#include "tools/compare/run_words.h"
#include "util/error.h"
#include "util/terminal.h"
#include "util/text.h"

enum {
    RUN_WIDTH = 25, // leaves room for the longest reason
    MEAN_INDENT = 11,
    BRIEF_WIDTH = 80,
    BRIEF_ROWS = 10 // that --brief shows; more are only counted
};

// ---- Sections ----

// Rows that follow each other and belong to one mean, and what all of them ran: on both sides, on A and on B alone.
struct section {
    const struct comparison *first;
    size_t count;
    char shared[RUN_WORDS], a[RUN_WORDS], b[RUN_WORDS];
};

static bool same_devices(const struct comparison *a, const struct comparison *b) {
    return strcmp(a->a->device, b->a->device) == 0 && strcmp(a->b->device, b->b->device) == 0 &&
           a->a->source == b->a->source && a->b->source == b->b->source;
}

static bool same_mean(const struct comparison *a, const struct comparison *b) {
    return same_devices(a, b) && strcmp(a->a->probe, b->a->probe) == 0 && strcmp(a->a->variant, b->a->variant) == 0;
}

static struct section section_at(const struct judgement *judgement, size_t start) {
    struct section section = {.first = &judgement->comparisons[start]};
    char a[RUN_WORDS], b[RUN_WORDS];
    run_words_keep(a, section.first->a->run, section.first->a->run);
    run_words_keep(b, section.first->b->run, section.first->b->run);
    while (start + section.count < judgement->count && same_mean(section.first, &section.first[section.count])) {
        const struct comparison *next = &section.first[section.count++];
        run_words_keep(a, a, next->a->run);
        run_words_keep(b, b, next->b->run);
    }
    if (section.count > 1) {
        run_words_keep(section.shared, a, b);
        run_words_drop(section.a, a, b);
        run_words_drop(section.b, b, a);
    }
    return section;
}

// ---- Lines ----

// A text to be written to, and to be measured or wrapped once it is closed. Where nothing is written it is empty, which
// not every C library sees to.
static FILE *open_text(char text[RUN_WORDS]) {
    text[0] = '\0';
    FILE *file = fmemopen(text, RUN_WORDS, "w");
    return file ? file : memory_end();
}

static void write_verdict(FILE *file, enum outcome outcome, enum reason reason, bool colour) {
    static const char *const colours[OUTCOMES] = {"", TERMINAL_GREEN, TERMINAL_RED, TERMINAL_YELLOW};
    const bool coloured = colour && outcome != OUTCOME_SAME;
    fprintf(file, "%s%s%s%s%s\n", coloured ? colours[outcome] : "", outcome_name(outcome),
            coloured ? TERMINAL_PLAIN : "", reason == REASON_NONE ? "" : " ", reason_name(reason));
}

// Four significant digits, whole numbers from 1000 on, and three digits from 1e7 on: at most 8 characters.
static const char *short_number(char to[16], double value) {
    const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    snprintf(to, 16, value < 1e7 ? "%.*f" : "%.*e", value < 1e7 ? decimals : 2, value);
    return to;
}

// Half of the ratio's interval in percent; NaN without one.
static double reach_pct(const struct comparison *c) {
    return c->low < c->high ? 50 * (c->high - c->low) / c->ratio : NAN;
}

// Below 0 there is no speed, so an interval that would reach as far, as it is rounded, is told by its ends.
static bool is_wide(const struct comparison *c) {
    return reach_pct(c) >= 99.5;
}

// The ratio and its interval, which take 12 characters.
static void write_ratio(FILE *file, const struct comparison *c) {
    char ratio[16], reach[16] = "", ends[32];
    const double percent = reach_pct(c);
    if (is_wide(c)) {
        const int length = snprintf(ends, sizeof ends, "%.2g to %.2g", c->low, c->high);
        fprintf(file, "%12s", length <= 12 ? ends : "too noisy");
        return;
    }
    if (percent >= 0) {
        snprintf(reach, sizeof reach, "%.*f%%", percent < 10 ? 2 : 0, percent);
    }
    fprintf(file, "%6s %5s", short_number(ratio, c->ratio), reach);
}

static void write_comparison(FILE *file, const struct section *section, const struct comparison *c, bool colour) {
    char own_a[RUN_WORDS], own_b[RUN_WORDS], run[RUN_WORDS], a[16], b[16];
    run_words_drop(own_a, c->a->run, section->shared);
    run_words_drop(own_a, own_a, section->a);
    run_words_drop(own_b, c->b->run, section->shared);
    run_words_drop(own_b, own_b, section->b);
    FILE *line = open_text(run);
    run_words_join(line, own_a, own_b);
    fclose(line);
    fputs("  ", file);
    const int column = wrap_text(file, run, 2, 2);
    fprintf(file, column > RUN_WIDTH ? "\n%*s" : "%*s", column > RUN_WIDTH ? RUN_WIDTH : RUN_WIDTH - column, "");
    if (c->figure == FIGURES) {
        fprintf(file, " %8s %8s %5s %6s %5s ", "", "", "", "", "");
    } else {
        fprintf(file, " %8s %8s %-5s ", short_number(a, c->value_a), short_number(b, c->value_b),
                figure_kinds[c->figure].unit);
        write_ratio(file, c);
        fputc(' ', file);
    }
    write_verdict(file, c->outcome, c->reason, colour);
}

static void write_device(FILE *file, const struct result *row) {
    fputs(row->device, file);
    if (row->source != SOURCE_MEASURED) {
        fprintf(file, " (%s)", source_name(row->source));
    }
}

static void write_devices(FILE *file, const struct comparison *c) {
    write_device(file, c->a);
    if (strcmp(c->a->device, c->b->device) != 0 || c->a->source != c->b->source) {
        fputs(" and ", file);
        write_device(file, c->b);
    }
}

static void write_words(FILE *file, const char *side, const char *words) {
    static const char USUAL[] = "kernel=all devices=1 offset=0 group=1"; // left out where all rows have it
    char shown[RUN_WORDS], joined[RUN_WORDS];
    run_words_drop(shown, words, USUAL);
    if (*shown) {
        FILE *line = open_text(joined);
        run_words_join(line, shown, shown);
        fclose(line);
        fprintf(file, "  %s", side);
        wrap_text(file, joined, 2 + (int)strlen(side), 2);
        fputc('\n', file);
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
            write_devices(file, c);
            fputc('\n', file);
            write_words(file, "", section->shared);
            write_words(file, "A: ", section->a);
            write_words(file, "B: ", section->b);
            headed = true;
        }
        write_comparison(file, section, c, document->colour);
    }
}

// ---- The parts below the rows ----

static void write_mean(FILE *file, const struct mean *mean) {
    write_devices(file, mean->first);
    for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
        if (mean->outcomes[outcome]) {
            fprintf(file, ", %zu %s", mean->outcomes[outcome], outcome_name(outcome));
        }
    }
}

static void write_means(FILE *file, const struct contrast *contrast) {
    fprintf(file, "\nGeometric means of the ratios:\n");
    for (size_t i = 0; i < contrast->mean_count; i++) {
        const struct mean *mean = &contrast->means[i];
        char text[RUN_WORDS];
        FILE *line = open_text(text);
        fprintf(line, "%s %s on ", mean->first->a->probe, mean->first->a->variant);
        write_mean(line, mean);
        fclose(line);
        fprintf(file, "  %7.3f  ", mean_ratio(mean));
        wrap_text(file, text, MEAN_INDENT, MEAN_INDENT + 2);
        fputc('\n', file);
    }
}

// How many of a probe's rows had which outcome. Returns the characters written.
static size_t write_probe_counts(FILE *file, const struct mean *sum) {
    char text[RUN_WORDS];
    FILE *line = open_text(text);
    fprintf(line, "%s on ", sum->first->a->probe);
    write_mean(line, sum);
    fputc(':', line);
    fclose(line);
    fputs(text, file);
    return strlen(text);
}

// Means that follow each other and are of one probe and pair of devices. Returns how many there are.
static size_t write_probe_means(FILE *file, const struct mean *means, size_t count) {
    const struct mean *first = means;
    struct mean sum = {.first = first->first};
    size_t length = 0;
    while (length < count && strcmp(means[length].first->a->probe, first->first->a->probe) == 0 &&
           same_devices(means[length].first, first->first)) {
        for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
            sum.outcomes[outcome] += means[length].outcomes[outcome];
        }
        length++;
    }
    size_t column = write_probe_counts(file, &sum);
    for (size_t i = 0; i < length; i++) {
        char word[RUN_WORDS];
        const size_t width = (size_t)snprintf(word, sizeof word, "%s %.3f%s", means[i].first->a->variant,
                                              mean_ratio(&means[i]), i + 1 < length ? "," : "");
        const bool fits = column + width + 1 <= BRIEF_WIDTH;
        fputs(fits ? " " : "\n  ", file);
        column = (fits ? column + 1 : 2) + width;
        fputs(word, file);
    }
    fputc('\n', file);
    return length;
}

// A line or a few for each probe.
static void write_brief_means(FILE *file, const struct contrast *contrast) {
    fputs("Geometric means of B/A by variant:\n", file);
    for (size_t i = 0; i < contrast->mean_count;) {
        i += write_probe_means(file, &contrast->means[i], contrast->mean_count - i);
    }
}

static void write_row_count(FILE *file, size_t count) {
    fprintf(file, "%zu row%s", count, count == 1 ? "" : "s");
}

// A line for the rows of each variant.
static void write_only(FILE *file, char letter, const struct side *only) {
    if (only->row_count > 0) {
        fprintf(file, "\nOnly in %c (", letter);
        write_row_count(file, only->row_count);
        fputs("):\n", file);
    }
    for (size_t i = 0; i < only->count; i++) {
        const struct repeats *variant = &only->groups[i];
        fprintf(file, "  %s %s on ", variant->rows[0]->probe, variant->rows[0]->variant);
        write_device(file, variant->rows[0]);
        fputs(": ", file);
        write_row_count(file, variant->count);
        fputc('\n', file);
    }
}

static size_t changed_rows(const struct contrast *contrast) {
    const size_t *outcomes = contrast->judgement.outcomes;
    return outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER];
}

static bool shows_rows(const struct contrast *contrast, const struct document *document) {
    return !document->brief || changed_rows(contrast) <= BRIEF_ROWS;
}

static bool has_any(const struct judgement *judgement, bool (*is)(const struct comparison *)) {
    bool has = false;
    for (size_t i = 0; i < judgement->count && !has; i++) {
        has = is(&judgement->comparisons[i]);
    }
    return has;
}

static bool is_on_cpu(const struct comparison *c) {
    return c->a->on_cpu || c->b->on_cpu;
}

static bool runs_differ(const struct comparison *c) {
    return strcmp(c->a->run, c->b->run) != 0;
}

static void write_cpu_threshold(FILE *file, double threshold) {
    if (isfinite(threshold)) {
        fprintf(file, "Single runs of a CPU are called different beyond %.3g %%.\n", 100 * threshold);
    } else {
        fputs("So few rows do not show how far single runs of a CPU differ.\n", file);
    }
}

// For files with different columns.
static void write_unknown(FILE *file, const struct joined *joined) {
    char text[RUN_WORDS];
    FILE *line = open_text(text);
    fputs("One side lacks", line);
    for (size_t key = 0, named = 0; key < key_column_count; key++) {
        if (joined->unknown >> key & 1) {
            fprintf(line, "%s %s", named++ ? "," : "", key_columns[key].name);
        }
    }
    fputs(": ", line);
    write_row_count(line, joined->by_less);
    fputs(" may differ there.", line);
    fclose(line);
    wrap_text(file, text, 0, 0);
    fputc('\n', file);
}

static void write_side(FILE *file, char letter, const struct named_side *side) {
    fprintf(file, "%c: %s%s%s", letter, side->name, *side->date ? ", " : "", side->date);
    if (side->foreign > 0) {
        fprintf(file, "; left out: %zu file%s", side->foreign,
                side->foreign == 1 ? " of another kind" : "s of other kinds");
    }
    fputc('\n', file);
}

static void write_tested(FILE *file, const struct contrast *contrast, const struct document *document) {
    const size_t tested = contrast->judgement.tested;
    if (contrast->judgement.count == 0) {
        fprintf(file, "%s\n", nothing_compared);
    } else if (tested > 0 && !shows_rows(contrast, document)) {
        fprintf(file, "B/A is the speed of B over that of A. Differences up to %g %% count as none.\n",
                document->threshold_pct);
    } else if (tested > 0) {
        fprintf(file,
                "B/A is the speed of B over that of A. The interval +- holds for all %zu tested\n"
                "rows together with %g %%. Differences up to %g %% count as none.\n",
                tested, 100 * (1 - false_alarm_rate), document->threshold_pct);
    } else {
        fputs("B/A is the speed of B over that of A. No row is tested, because each one is\n"
              "identical in A and B, or its verdict says why it is unsure.\n",
              file);
    }
}

static void write_head(FILE *file, const struct contrast *contrast, const struct document *document) {
    write_side(file, 'A', contrast->a);
    write_side(file, 'B', contrast->b);
    write_tested(file, contrast, document);
    if (has_any(&contrast->judgement, is_on_cpu)) {
        write_cpu_threshold(file, contrast->judgement.cpu_threshold);
    }
    if (has_any(&contrast->judgement, comparison_has_origins)) {
        fprintf(file,
                "Published figures and predictions of another part are called different beyond\n"
                "%g %%, and never the same.\n",
                100 * origin_threshold);
    }
    if (has_any(&contrast->judgement, comparison_has_predictions)) {
        fputs("Predictions of two parts are called different beyond the expected errors of both\n"
              "together, and never the same.\n",
              file);
    }
    if (shows_rows(contrast, document) && has_any(&contrast->judgement, runs_differ)) {
        fputs("Where the two ran something else, 2/3 says that A ran 2 and B 3.\n", file);
    }
    if (shows_rows(contrast, document) && has_any(&contrast->judgement, is_wide)) {
        fputs("Where +- would be 100 % or more, the interval of B/A itself stands there.\n", file);
    }
    if (contrast->joined.by_less > 0) {
        write_unknown(file, &contrast->joined);
    }
    if (document_moved_alike(contrast)) {
        fprintf(file, "All rows of single runs of a CPU moved alike, by %.3g: give three runs each.\n",
                contrast->judgement.moved_alike);
    }
}

static void write_heading(FILE *file, size_t rows) {
    if (rows > 0) {
        fprintf(file, "\n%-*s %8s %8s %-5s %6s %5s %s\n", RUN_WIDTH, "what was run", "A", "B", "unit", "B/A", "+-",
                "verdict");
    }
}

static void write_totals(FILE *file, const struct contrast *contrast, bool brief) {
    const struct joined *joined = &contrast->joined;
    fprintf(file, "%s%zu rows only in A, %zu in B\n", brief ? "" : "\n", joined->only_a.row_count,
            joined->only_b.row_count);
    fprintf(file, "%zu rows:", contrast->judgement.count);
    for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
        fprintf(file, "%s %zu %s", outcome ? "," : "", contrast->judgement.outcomes[outcome], outcome_name(outcome));
    }
    fputc('\n', file);
}

static void write_contrast(FILE *file, const struct contrast *contrast, const struct document *document) {
    const struct judgement *judgement = &contrast->judgement;
    write_head(file, contrast, document);
    if (judgement->count > 0 && document->brief) {
        write_brief_means(file, contrast);
    }
    if (shows_rows(contrast, document)) {
        write_heading(file, document->brief ? changed_rows(contrast) : judgement->count);
    }
    for (size_t i = 0; i < judgement->count && shows_rows(contrast, document);) {
        const struct section section = section_at(judgement, i);
        write_section(file, &section, document);
        i += section.count;
    }
    if (judgement->count > 0 && !document->brief) {
        write_means(file, contrast);
    }
    if (!document->brief) {
        write_only(file, 'A', &contrast->joined.only_a);
        write_only(file, 'B', &contrast->joined.only_b);
    }
    write_totals(file, contrast, document->brief);
}

void document_write_table(FILE *file, const struct document *document) {
    for (size_t i = 0; i < document->contrast_count; i++) {
        if (i > 0) {
            fputc('\n', file);
        }
        write_contrast(file, &document->contrasts[i], document);
    }
}
