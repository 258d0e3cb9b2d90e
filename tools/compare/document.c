#include "tools/compare/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "tools/compare/side.h"
#include "util/csv.h"
#include "util/json_writer.h"
#include "util/version.h"

const char nothing_compared[] = "Nothing is compared, because no row ran on both sides.";

void contrast_find_means(struct contrast *contrast) {
    struct names kinds_a = {0}, kinds_b = {0}, kinds = {0};
    contrast->means = memory_zeros(contrast->judgement.count, sizeof *contrast->means);
    for (size_t i = 0; i < contrast->judgement.count; i++) {
        const struct comparison *comparison = &contrast->judgement.comparisons[i];
        char kind[48];
        snprintf(kind, sizeof kind, "%zu %zu", row_number(&kinds_a, comparison->a, SAME_KIND, 0),
                 row_number(&kinds_b, comparison->b, SAME_KIND, 0));
        struct mean *mean = &contrast->means[names_number(&kinds, kind)];
        mean->first = mean->first ? mean->first : comparison;
        mean->outcomes[comparison->outcome]++;
        if (!isnan(comparison->ratio)) {
            mean->log_sum += log(comparison->ratio);
            mean->rows++;
        }
    }
    contrast->mean_count = kinds.count;
    names_clear(&kinds_a);
    names_clear(&kinds_b);
    names_clear(&kinds);
}

double mean_ratio(const struct mean *mean) {
    return mean->rows ? exp(mean->log_sum / (double)mean->rows) : NAN;
}

bool document_moved_alike(const struct contrast *contrast) {
    const double moved = contrast->judgement.moved_alike;
    return moved < 1 || moved > 1;
}

size_t document_pairs(const struct document *document) {
    size_t pairs = 0;
    for (size_t i = 0; i < document->contrast_count; i++) {
        pairs += document->contrasts[i].judgement.count;
    }
    return pairs;
}

void contrast_clear(struct contrast *contrast) {
    joined_clear(&contrast->joined);
    judgement_clear(&contrast->judgement);
    free(contrast->means);
    *contrast = (struct contrast){0};
}

// ---- CSV ----

// The comparison as CSV: a row for each pair of rows, and one for each row that only one side has.

static const char *const columns =
    "a,b,probe,variant,run,run_b,device_a,device_b,source_a,source_b,figure,value_a,value_b,ratio,"
    "ratio_low,ratio_high,verdict,reason\n";

static void write_number(FILE *file, double number) {
    if (!isnan(number)) {
        fprintf(file, "%.6g", number);
    }
    fputc(',', file);
}

static void write_unknown(FILE *file, const struct document *document) {
    uint64_t unknown = 0;
    for (size_t i = 0; i < document->contrast_count; i++) {
        unknown |= document->contrasts[i].joined.unknown;
    }
    for (size_t key = 0; key < key_column_count; key++) {
        if (unknown >> key & 1) {
            fprintf(file, "# unknown column: %s, which files of one side lack\n", key_columns[key].name);
        }
    }
}

// Up to the column `figure`. The row of a side is NULL if only the other side has it.
static void write_run(FILE *file, const struct contrast *contrast, const struct result *a, const struct result *b) {
    const struct result *row = a ? a : b;
    const char *const texts[] = {contrast->a->name,
                                 contrast->b->name,
                                 row->probe,
                                 row->variant,
                                 row->run,
                                 a && b && strcmp(a->run, b->run) != 0 ? b->run : "",
                                 a ? a->device : "",
                                 b ? b->device : "",
                                 a ? source_name(a->source) : "",
                                 b ? source_name(b->source) : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        csv_write_field(file, texts[i]);
        fputc(',', file);
    }
}

static void write_csv_row(FILE *file, const struct contrast *contrast, const struct comparison *c) {
    const double numbers[] = {c->value_a, c->value_b, c->ratio, c->low, c->high};
    write_run(file, contrast, c->a, c->b);
    fprintf(file, "%s,", c->figure < FIGURES ? figure_kinds[c->figure].column : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        write_number(file, c->figure < FIGURES ? numbers[i] : NAN);
    }
    fprintf(file, "%s,%s\n", outcome_name(c->outcome), reason_name(c->reason));
}

void document_write_csv(FILE *file, const void *context) {
    const struct document *document = context;
    fprintf(file, "# bankshot: compare %s\n# command: %s\n# threshold: %g %%\n", version_text, document->command,
            document->threshold_pct);
    if (document_pairs(document) == 0) {
        fprintf(file, "# %s\n", nothing_compared);
    }
    write_unknown(file, document);
    for (size_t i = 0; i < document->contrast_count; i++) {
        if (document_moved_alike(&document->contrasts[i])) {
            fprintf(file, "# moved alike: %.6g, all rows of single runs of a CPU\n",
                    document->contrasts[i].judgement.moved_alike);
        }
    }
    fputs(columns, file);
    for (size_t k = 0; k < document->contrast_count; k++) {
        const struct contrast *contrast = &document->contrasts[k];
        for (size_t i = 0; i < contrast->judgement.count; i++) {
            write_csv_row(file, contrast, &contrast->judgement.comparisons[i]);
        }
        for (size_t i = 0; i < contrast->joined.only_a.row_count; i++) {
            write_run(file, contrast, contrast->joined.only_a.rows[i], NULL);
            fputs(",,,,,,only-a,\n", file);
        }
        for (size_t i = 0; i < contrast->joined.only_b.row_count; i++) {
            write_run(file, contrast, NULL, contrast->joined.only_b.rows[i]);
            fputs(",,,,,,only-b,\n", file);
        }
    }
}

// ---- JSON ----

// The comparison as JSON: tools/compare/README.md describes the object.

static void write_row(struct json_writer *json, const struct result *row) {
    json_write_text(json, "probe", row->probe);
    json_write_text(json, "variant", row->variant);
    json_write_text(json, "run", row->run);
}

static void write_ends(struct json_writer *json, const struct comparison *c) {
    json_write_text(json, "device_a", c->a->device);
    json_write_text(json, "device_b", c->b->device);
    json_write_text(json, "source_a", source_name(c->a->source));
    json_write_text(json, "source_b", source_name(c->b->source));
}

static void write_comparison(struct json_writer *json, const struct comparison *c) {
    const bool known = c->figure < FIGURES;
    json_begin_object(json, NULL);
    write_row(json, c->a);
    json_write_text(json, "run_b", strcmp(c->a->run, c->b->run) != 0 ? c->b->run : NULL);
    write_ends(json, c);
    json_write_text(json, "figure", known ? figure_kinds[c->figure].column : NULL);
    json_write_real(json, "value_a", known ? c->value_a : NAN);
    json_write_real(json, "value_b", known ? c->value_b : NAN);
    json_write_real(json, "ratio", c->ratio);
    json_write_real(json, "ratio_low", c->low);
    json_write_real(json, "ratio_high", c->high);
    json_write_text(json, "verdict", outcome_name(c->outcome));
    json_write_text(json, "reason", c->reason == REASON_NONE ? NULL : reason_name(c->reason));
    json_end(json);
}

static void write_outcomes(struct json_writer *json, const size_t outcomes[OUTCOMES]) {
    for (enum outcome outcome = 0; outcome < OUTCOMES; outcome++) {
        json_write_count(json, outcome_name(outcome), outcomes[outcome]);
    }
}

static void write_mean(struct json_writer *json, const struct mean *mean) {
    json_begin_object(json, NULL);
    json_write_text(json, "probe", mean->first->a->probe);
    json_write_text(json, "variant", mean->first->a->variant);
    write_ends(json, mean->first);
    json_write_real(json, "ratio", mean_ratio(mean));
    write_outcomes(json, mean->outcomes);
    json_end(json);
}

static void write_only(struct json_writer *json, const char *key, const struct side *only) {
    json_begin_array(json, key);
    for (size_t i = 0; i < only->row_count; i++) {
        json_begin_object(json, NULL);
        write_row(json, only->rows[i]);
        json_write_text(json, "device", only->rows[i]->device);
        json_write_text(json, "source", source_name(only->rows[i]->source));
        json_end(json);
    }
    json_end(json);
}

static void write_contrast(struct json_writer *json, const struct contrast *contrast) {
    json_begin_object(json, NULL);
    json_write_text(json, "a", contrast->a->name);
    json_write_text(json, "b", contrast->b->name);
    json_write_text(json, "note", contrast->judgement.count == 0 ? nothing_compared : NULL);
    json_write_real(json, "moved_alike", document_moved_alike(contrast) ? contrast->judgement.moved_alike : NAN);
    json_begin_array(json, "unknown_columns");
    for (size_t key = 0; key < key_column_count; key++) {
        if (contrast->joined.unknown >> key & 1) {
            json_write_text(json, NULL, key_columns[key].name);
        }
    }
    json_end(json);
    write_outcomes(json, contrast->judgement.outcomes);
    json_begin_array(json, "rows");
    for (size_t i = 0; i < contrast->judgement.count; i++) {
        write_comparison(json, &contrast->judgement.comparisons[i]);
    }
    json_end(json);
    json_begin_array(json, "means");
    for (size_t i = 0; i < contrast->mean_count; i++) {
        write_mean(json, &contrast->means[i]);
    }
    json_end(json);
    write_only(json, "only_a", &contrast->joined.only_a);
    write_only(json, "only_b", &contrast->joined.only_b);
    json_end(json);
}

void document_write_json(FILE *file, const void *context) {
    const struct document *document = context;
    struct json_writer json = json_writer(file);
    json_begin_object(&json, NULL);
    char version[128];
    snprintf(version, sizeof version, "compare %s", version_text);
    json_write_text(&json, "bankshot", version);
    json_write_text(&json, "command", document->command);
    json_write_real(&json, "threshold_pct", document->threshold_pct);
    json_write_real(&json, "false_alarm_rate", false_alarm_rate);
    json_begin_array(&json, "comparisons");
    for (size_t i = 0; i < document->contrast_count; i++) {
        write_contrast(&json, &document->contrasts[i]);
    }
    json_end(&json);
    json_end(&json);
}
