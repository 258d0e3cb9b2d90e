// The comparison as CSV: a row for each pair of rows, and one for each row that only one side has.
#include <math.h>
#include <string.h>

#include "compare/document.h"
#include "util/csv_write.h"

static const char *const columns =
    "a,b,probe,variant,run,run_b,device_a,device_b,source_a,source_b,figure,value_a,value_b,ratio,"
    "ratio_low,ratio_high,verdict,reason\n";

static void write_number(FILE *file, double number) {
    if (!isnan(number)) {
        fprintf(file, "%.6g", number);
    }
    fputc(',', file);
}

// Up to the column `figure`. The row of a side is NULL if only the other side has it.
static void write_run(FILE *file, const struct contrast *contrast, const struct result *a, const struct result *b) {
    const struct result *row = a ? a : b;
    const char *const texts[] = {contrast->a,
                                 contrast->b,
                                 row->probe,
                                 row->variant,
                                 row->run,
                                 a && b && strcmp(a->run, b->run) != 0 ? b->run : "",
                                 a ? a->device : "",
                                 b ? b->device : "",
                                 a ? result_source(a) : "",
                                 b ? result_source(b) : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        csv_write_field(file, texts[i]);
        fputc(',', file);
    }
}

static void write_comparison(FILE *file, const struct contrast *contrast, const struct comparison *c) {
    const double numbers[] = {c->value_a, c->value_b, c->ratio, c->low, c->high};
    write_run(file, contrast, c->a, c->b);
    fprintf(file, "%s,", c->figure < FIGURES ? figure_kinds[c->figure].column : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        write_number(file, c->figure < FIGURES ? numbers[i] : NAN);
    }
    fprintf(file, "%s,%s\n", outcome_name(c->outcome), reason_name(c->reason));
}

void document_write_csv(FILE *file, const struct document *document) {
    fprintf(file, "# bankshot: compare " BANKSHOT_VERSION "\n# command: %s\n# threshold: %g %%\n", document->command,
            document->threshold_pct);
    if (document_pairs(document) == 0) {
        fprintf(file, "# %s\n", nothing_compared);
    }
    fputs(columns, file);
    for (size_t k = 0; k < document->contrast_count; k++) {
        const struct contrast *contrast = &document->contrasts[k];
        for (size_t i = 0; i < contrast->judgement.count; i++) {
            write_comparison(file, contrast, &contrast->judgement.comparisons[i]);
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
