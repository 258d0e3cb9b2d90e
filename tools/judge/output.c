#include "tools/judge/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "util/text.h"

// "HOST GPU", or "HOST" of a node.
static void print_gpu(FILE *out, const struct fleet_gpu *gpu) {
    fprintf(out, "%s%s%s", gpu->host, gpu->name ? " " : "", gpu->name ? gpu->name : "");
}

size_t output_lines(FILE *out, const struct verdict *verdict, uint64_t rows, bool few_matter) {
    const struct fleet *fleet = verdict->fleet;
    const char *common = verdict_common_model(fleet);
    size_t bad = 0, few = 0, measured = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_gpu *gpu = &fleet->gpus[i];
        char *text = verdict_of(gpu, common);
        bad += text != NULL;
        few += gpu->has_few;
        measured += gpu->model && strcmp(gpu->name, "machine") != 0;
        if (text && out) {
            print_gpu(out, gpu);
            fprintf(out, ": %s\n", text);
        }
        free(text);
    }
    if (!out) {
        return bad;
    }
    fprintf(out, "%zu GPUs, %" PRIu64 " rows; %zu of them stand out, failed or are missing\n", measured, rows, bad);
    if (rows) {
        fprintf(out,
                "A row stands out beyond %g %% and %.1f deviations: a false alarm in one of %d fleets without a "
                "fault.\n",
                100 * verdict->threshold, verdict->deviations, VERDICT_FLEETS_PER_ALARM);
    }
    if (few && few_matter) {
        fprintf(out, "GPUs of whose model fewer than %d have the same rows: %zu; --against judges them by a folder.\n",
                VERDICT_TOO_FEW, few);
    }
    return bad;
}

void output_csv(FILE *out, const struct verdict *verdict) {
    fputs("host,gpu,device,row,figure,expected,unit,longer_pct,spread_pct\n", out);
    for (size_t i = 0; i < verdict->count; i++) {
        const struct outlier *outlier = &verdict->outliers[i];
        const struct fleet_gpu *gpu = &verdict->fleet->gpus[outlier->gpu];
        const char *const texts[] = {gpu->host, gpu->name ? gpu->name : "", gpu->model ? gpu->model : "",
                                     outlier->name};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            csv_write_field(out, texts[k]);
            fputc(',', out);
        }
        fprintf(out, "%.6g,%.6g,%s,%.3f,%.3f\n", store_value(outlier->figure, outlier->cost),
                store_value(outlier->figure, outlier->expected), figure_kinds[outlier->figure].unit,
                100 * (outlier->cost / outlier->expected - 1), 100 * outlier->spread);
    }
}

void output_junit(FILE *out, const struct verdict *verdict) {
    const struct fleet *fleet = verdict->fleet;
    const char *common = verdict_common_model(fleet);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"bankshot fleet\" tests=\"%zu\" "
            "failures=\"%zu\">\n",
            fleet->count, output_lines(NULL, verdict, 0, false));
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_gpu *gpu = &fleet->gpus[i];
        char *text = verdict_of(gpu, common);
        fputs("  <testcase name=\"", out);
        markup_text(out, gpu->host);
        fputs(gpu->name ? " " : "", out);
        markup_text(out, gpu->name ? gpu->name : "");
        if (text) {
            fputs("\"><failure message=\"", out);
            markup_text(out, text);
            fputs("\"/></testcase>\n", out);
        } else {
            fputs("\"/>\n", out);
        }
        free(text);
    }
    fputs("</testsuite>\n", out);
}
