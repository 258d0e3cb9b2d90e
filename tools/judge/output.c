#include "tools/judge/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "util/embed.h"
#include "util/error.h"
#include "util/json_writer.h"
#include "util/text.h"

// ---- A page for a browser ----

EMBED_FILE(fleet_page_html, "tools/judge/fleet_page.html");

enum {
    PER_10000 = 10000 // of a difference in a cell
};

static const char marker[] = "{{data}}"; // where the template takes the data

// A cell is a difference in hundredths of a per cent, the numbers of the row's name and of its figure, and that figure:
// short, because there are tens of thousands.
static void write_cells(struct json_writer *json, const struct heat *heat, size_t gpu, const char **names,
                        size_t *name_count) {
    json_begin_array(json, "cells");
    for (size_t column = 0; column < heat->columns.count; column++) {
        const struct heat_cell *cell = &heat->cells[gpu * HEAT_COLUMNS_MAX + column];
        if (!cell->name) {
            json_write_text(json, NULL, NULL);
            continue;
        }
        if (*name_count == 0 || strcmp(names[*name_count - 1], cell->name) != 0) {
            names[(*name_count)++] = cell->name;
        }
        char text[64];
        json_begin_array(json, NULL);
        snprintf(text, sizeof text, "%.0f", (double)PER_10000 * (cell->cost / cell->median - 1));
        json_write_number(json, NULL, text);
        json_write_count(json, NULL, *name_count - 1);
        snprintf(text, sizeof text, "%.5g", store_value(cell->figure, cell->cost));
        json_write_number(json, NULL, text);
        json_write_count(json, NULL, cell->figure);
        json_end(json);
    }
    json_end(json);
}

static void write_gpus(struct json_writer *json, const struct verdict *verdict) {
    const struct fleet *fleet = verdict->fleet;
    const char *common = verdict_common_model(fleet);
    const char **names = memory_zeros(fleet->count * HEAT_COLUMNS_MAX, sizeof *names);
    size_t name_count = 0;
    json_begin_array(json, "gpus");
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_gpu *gpu = &fleet->gpus[i];
        char *text = verdict_of(gpu, common);
        json_begin_object(json, NULL);
        json_write_text(json, "host", gpu->host);
        json_write_text(json, "name", gpu->name ? gpu->name : "");
        json_write_text(json, "text", text);
        if (gpu->model) {
            write_cells(json, verdict->heat, i, names, &name_count);
        }
        json_end(json);
        free(text);
    }
    json_end(json);
    json_begin_array(json, "names");
    for (size_t i = 0; i < name_count; i++) {
        json_write_text(json, NULL, names[i]);
    }
    json_end(json);
    free(names);
}

static char *make_json(const struct verdict *verdict) {
    struct written text;
    struct json_writer json = json_writer(memory_stream(&text));
    json.compact = true;
    json_begin_object(&json, NULL);
    json_write_text(&json, "folder", verdict->folder);
    json_write_count(&json, "rows", verdict->rows);
    json_write_real(&json, "threshold", verdict->threshold);
    json_write_real(&json, "deviations", verdict->deviations);
    json_begin_array(&json, "units");
    for (size_t i = 0; i < FIGURES; i++) {
        json_write_text(&json, NULL, figure_kinds[i].unit);
    }
    json_end(&json);
    json_begin_array(&json, "columns");
    for (size_t i = 0; i < verdict->heat->columns.count; i++) {
        json_write_text(&json, NULL, verdict->heat->columns.texts[i]);
    }
    json_end(&json);
    write_gpus(&json, verdict);
    json_end(&json);
    return memory_stream_end(&text);
}

void output_page(FILE *out, const void *verdict) {
    const char *at = strstr(fleet_page_html, marker);
    char *json = make_json(verdict);
    fwrite(fleet_page_html, 1, (size_t)(at - fleet_page_html), out);
    markup_json(out, json);
    fputs(at + strlen(marker), out);
    free(json);
}

// ---- Lines, CSV and XML ----

size_t output_lines(FILE *out, const struct verdict *verdict, bool few_matter) {
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
            fprintf(out, "%s%s%s: %s\n", gpu->host, gpu->name ? " " : "", gpu->name ? gpu->name : "", text);
        }
        free(text);
    }
    if (!out) {
        return bad;
    }
    fprintf(out, "%zu GPUs, %" PRIu64 " rows; %zu of them stand out, failed or are missing\n", measured, verdict->rows,
            bad);
    if (verdict->rows) {
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

void output_csv(FILE *out, const void *context) {
    const struct verdict *verdict = context;
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

void output_junit(FILE *out, const void *context) {
    const struct verdict *verdict = context;
    const struct fleet *fleet = verdict->fleet;
    const char *common = verdict_common_model(fleet);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"bankshot fleet\" tests=\"%zu\" "
            "failures=\"%zu\">\n",
            fleet->count, output_lines(NULL, verdict, false));
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
