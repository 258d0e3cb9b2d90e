// The comparison as JSON: compare/README.md describes the object.
#include <math.h>
#include <string.h>

#include "compare/document.h"
#include "util/json_writer.h"

static void write_row(struct json_writer *json, const struct result *row) {
    json_write_text(json, "probe", row->probe);
    json_write_text(json, "variant", row->variant);
    json_write_text(json, "run", row->run);
}

static void write_ends(struct json_writer *json, const struct comparison *c) {
    json_write_text(json, "device_a", c->a->device);
    json_write_text(json, "device_b", c->b->device);
    json_write_text(json, "source_a", result_source(c->a));
    json_write_text(json, "source_b", result_source(c->b));
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
        json_write_text(json, "source", result_source(only->rows[i]));
        json_end(json);
    }
    json_end(json);
}

static void write_contrast(struct json_writer *json, const struct contrast *contrast) {
    json_begin_object(json, NULL);
    json_write_text(json, "a", contrast->a);
    json_write_text(json, "b", contrast->b);
    json_write_text(json, "note", contrast->judgement.count == 0 ? nothing_compared : NULL);
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

void document_write_json(FILE *file, const struct document *document) {
    struct json_writer json = json_writer(file);
    json_begin_object(&json, NULL);
    json_write_text(&json, "bankshot", "compare " BANKSHOT_VERSION);
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
