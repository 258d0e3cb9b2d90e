#include "bench/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan.h"
#include "util/error.h"
#include "util/terminal.h"
#include "util/text.h"

// ---- Which columns ----

static bool has_values(const struct table_column *column, const struct device_info *info) {
    switch (column->devices) {
    case ON_GPUS:
        return !device_is_cpu(info);
    case ON_MEASURED:
        return !info->predicted;
    case ON_PREDICTED:
        return info->predicted;
    default:
        return true;
    }
}

static bool has_column(const struct table *table, size_t column) {
    bool found = false;
    for (size_t i = 0; i < table->count; i++) {
        found = found || table->columns[i].column == column;
    }
    return found;
}

static void insert(struct table *table, size_t at, struct table_column column) {
    if (table->count < ROW_COLUMN_COUNT) {
        memmove(table->columns + at + 1, table->columns + at, (table->count - at) * sizeof *table->columns);
        table->columns[at] = column;
        table->count++;
    }
}

// Before the verdict, if that is the last column.
static size_t end_of_parameters(const struct table *table) {
    return table->count - (table->count > 0 && table->columns[table->count - 1].column == COLUMN_verdict);
}

static void add_parameters(struct table *table, const struct run *run) {
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        const struct parameter *parameter = &run->probe->parameters[i];
        const size_t column = parameter_column(parameter->name, parameter->column);
        const bool implied = parameter->implied_by && has_column(table, row_column_find(parameter->implied_by));
        if (run->sweeps[i].count > 1 && column < ROW_COLUMN_COUNT && !has_column(table, column) && !implied) {
            insert(table, end_of_parameters(table), (struct table_column){.column = (enum row_column)column});
        }
    }
    for (size_t i = 0; i < run->probe->option_count; i++) {
        const struct option_row *option = &run->probe->options[i];
        const size_t column = parameter_column(option->name, NULL);
        const bool is_list = option->kind == OPTION_TEXT; // such as reduce's types, over which its points run, too
        if (is_list && column < ROW_COLUMN_COUNT && !has_column(table, column) && option_is_given(run, option)) {
            insert(table, end_of_parameters(table), (struct table_column){.column = (enum row_column)column});
        }
    }
}

// Where measured rows have their interval, because a prediction has none; else before the verdict.
static void show_expected_error(struct table *table) {
    const struct table_column expected_error = COLUMN(expected_error_pct);
    for (size_t i = 0; i < table->count; i++) {
        if (table->columns[i].column == COLUMN_interval_pct) {
            table->columns[i] = expected_error;
            return;
        }
    }
    insert(table, end_of_parameters(table), expected_error);
}

static void show_energy(struct table *table) {
    static const struct table_column columns[] = {COLUMN(sustained_gb_s), COLUMN(watts), COLUMN(pj_per_byte)};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        insert(table, end_of_parameters(table), columns[i]);
    }
}

static int longer(int width, const char *name) {
    const int length = (int)strlen(name);
    return length > width ? length : width;
}

static void fit_names(struct table *table, const struct run *run) {
    table->device_width = longer(table->device_width, run_info(run)->spec);
    table->variant_width = longer(table->variant_width, run->variant->name);
}

struct table table_of_run(const struct run *run) {
    struct table table = {.device_width = (int)strlen("device"), .variant_width = (int)strlen("variant")};
    for (const struct table_column *at = run->variant->kind->table; at->column != COLUMN_NONE; at++) {
        if (has_values(at, run_info(run))) {
            insert(&table, table.count, *at);
        }
    }
    if (run_info(run)->predicted) {
        show_expected_error(&table);
    }
    add_parameters(&table, run);
    if (run->settings->energy && !run_info(run)->predicted) {
        show_energy(&table);
    }
    fit_names(&table, run);
    return table;
}

struct table table_of_runs(const struct run *run, const struct run *runs, size_t count) {
    struct table table = table_of_run(run);
    for (size_t i = 0; i < count; i++) {
        const struct table other = table_of_run(&runs[i]);
        if (table_same_columns(&table, &other)) {
            fit_names(&table, &runs[i]);
        }
    }
    return table;
}

bool table_same_columns(const struct table *a, const struct table *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++) {
        same = a->columns[i].column == b->columns[i].column && a->columns[i].width == b->columns[i].width;
    }
    return same;
}

// ---- How they look ----

// A column's heading and its width on an 80-column terminal. A column that is not listed is headed by its name and as
// wide as that.
struct heading {
    const char *text;
    int width; // negative: left-aligned; 0: the last column, as wide as its text
};

static const struct heading headings[ROW_COLUMN_COUNT] = {
    [COLUMN_kernel] = {"kernel", -11},
    [COLUMN_op] = {"op", -5},
    [COLUMN_type] = {"type", -7},
    [COLUMN_width_bytes] = {"width", 5},
    [COLUMN_window_bytes] = {"window", 9},
    [COLUMN_pattern] = {"pattern", -12},
    [COLUMN_request_line] = {"line", 4},
    [COLUMN_elements] = {"elements", 9},
    [COLUMN_block] = {"block", 6},
    [COLUMN_footprint_bytes] = {"footprint", 10},
    [COLUMN_page_bytes] = {"page", 7},
    [COLUMN_bytes_in_flight] = {"in flight", 10},
    [COLUMN_traffic_pct] = {"traffic %", 9},
    [COLUMN_parameters] = {"parameters", -16},
    [COLUMN_level] = {"level", -6},
    [COLUMN_latency_ns] = {"ns", 5},
    [COLUMN_latency_cycles] = {"cycles", 6},
    [COLUMN_parameter] = {"parameter", -13},
    [COLUMN_value] = {"value", 10},
    [COLUMN_unit] = {"unit", -6},
    [COLUMN_confidence_pct] = {"sure %", 6},
    [COLUMN_time_ns_median] = {"time ns", 10},
    [COLUMN_bandwidth_gb_s] = {"GB/s", 6},
    [COLUMN_interval_pct] = {"+-%", 4},
    [COLUMN_sustained_gb_s] = {"sustained", 9},
    [COLUMN_watts] = {"W", 5},
    [COLUMN_pj_per_byte] = {"pJ/B", 6},
    [COLUMN_distance] = {"away", 4},
    [COLUMN_direction] = {"direction", -11},
    [COLUMN_one_way_gb_s] = {"one way", 7},
    [COLUMN_sum_gb_s] = {"sum", 6},
    [COLUMN_peak_pct] = {"% peak", 6},
    [COLUMN_cycles_per_request] = {"cycles", 7},
    [COLUMN_sectors_per_request] = {"sectors", 7},
    [COLUMN_passes_per_request] = {"passes", 7},
    [COLUMN_bank_conflicts] = {"conflicts", 10},
    [COLUMN_bytes_per_clock] = {"B/clk", 6},
    [COLUMN_degree_predicted] = {"model", 6},
    [COLUMN_model] = {"model", -9},
    [COLUMN_rule_certainty] = {"rule", -7},
    [COLUMN_copy_pct] = {"% copy", 6},
    [COLUMN_limit_pct] = {"% limit", 7},
    [COLUMN_speedup] = {"gain", 4},
    [COLUMN_gop_s] = {"GOP/s", 5},
    [COLUMN_peak_gop_s] = {"peak", 5},
    [COLUMN_verdict] = {"verdict", 0},
    [COLUMN_expected_error_pct] = {"+-%", 3},
};

const char *table_heading(enum row_column column) {
    return headings[column].text ? headings[column].text : row_column_name(column);
}

// As printf's * takes it.
static int width_of(const struct table *table, const struct table_column *column) {
    if (column->column == COLUMN_device || column->column == COLUMN_variant) {
        return -(column->column == COLUMN_device ? table->device_width : table->variant_width);
    }
    if (column->width > 0) {
        return -column->width;
    }
    return headings[column->column].text ? headings[column->column].width
                                         : (int)strlen(row_column_name(column->column));
}

static void write_field(const struct table *table, const struct table_column *column, const char *field, FILE *file) {
    const int width = width_of(table, column);
    fprintf(file, width ? "%*s " : "%*s", width, field);
}

void table_write_heading(const struct table *table, FILE *file) {
    for (size_t i = 0; i < table->count; i++) {
        write_field(table, &table->columns[i], table_heading(table->columns[i].column), file);
    }
    fputc('\n', file);
}

// Rounds a number for reading: two decimals below 10, one below 1000, then none.
static void shorten_number(char field[ROW_TEXT]) {
    char *end;
    const double value = strtod(field, &end);
    if (end != field && *end == '\0' && strchr(field, '.')) {
        snprintf(field, ROW_TEXT, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
    }
}

// In whole percent, rounded up; "?" if nothing was held against the prediction.
static void round_error(double error_pct, char field[ROW_TEXT]) {
    if (isnan(error_pct)) {
        snprintf(field, ROW_TEXT, "?");
    } else {
        snprintf(field, ROW_TEXT, "%.0f", ceil(error_pct));
    }
}

// The verdicts that '+' joins, from this column on. One that does not fit into the terminal's line begins another line.
static void write_joined(FILE *file, const char *verdict, int start, int columns) {
    int column = start;
    while (*verdict) {
        const int length = 1 + (int)strcspn(verdict + 1, "+");
        if (columns > 0 && column + length > columns && (*verdict == '+' || start < columns)) {
            column = start + length > columns && columns > length ? columns - length : start;
            fprintf(file, "\n%*s", column, "");
        }
        column += fprintf(file, "%.*s", length, verdict);
        verdict += length;
    }
}

// A row that cannot be trusted stands out.
static void write_verdict(struct table_style style, const char *verdict, int start, FILE *file) {
    const char *colour = strstr(verdict, "unverified") ? TERMINAL_RED : TERMINAL_YELLOW;
    const bool painted = style.colour && *verdict && strcmp(verdict, "ok") != 0;
    fputs(painted ? colour : "", file);
    write_joined(file, verdict, start, style.line_columns);
    fputs(painted ? TERMINAL_PLAIN : "", file);
}

static void read_field(const struct row *row, enum row_column column, char field[ROW_TEXT]) {
    if (column == COLUMN_device) {
        snprintf(field, ROW_TEXT, "%s", row->spec);
    } else if (column == COLUMN_expected_error_pct) {
        round_error(row->expected_error_pct, field);
    } else {
        row_field(row, column, field);
        shorten_number(field);
    }
}

void table_write_row(const struct table *table, struct table_style style, const struct row *row, FILE *file) {
    const long start = ftell(file);
    for (size_t i = 0; i < table->count; i++) {
        const struct table_column *column = &table->columns[i];
        if (column->column == COLUMN_verdict) {
            write_verdict(style, row->verdict, (int)(ftell(file) - start), file);
        } else {
            char field[ROW_TEXT];
            read_field(row, column->column, field);
            write_field(table, column, field, file);
        }
    }
    fputc('\n', file);
}

// ---- The headline: each variant's best rate, and its share of the peak ----

struct headline {
    const struct probe *probe; // whose metrics are printed
    const struct row **rows;   // the best of each variant on each device
    size_t count;
};

static const struct metric bandwidth = {
    .value = COLUMN_bandwidth_gb_s,
    .peak = COLUMN_peak_gb_s,
    .unit = "GB/s",
    .hint = "The memory's peak is unknown here: give it with --peak GB/S.",
};

static const struct metric *metric_of(const struct headline *headline, const struct row *row) {
    const struct metric *metric = &bandwidth;
    for (size_t i = headline->probe->metric_count; i-- > 0;) {
        const struct metric *own = &headline->probe->metrics[i];
        metric = row_real(row, own->value) > 0 ? own : metric;
    }
    return metric;
}

// More is better.
static double score(const struct headline *headline, const struct row *row) {
    const struct metric *metric = metric_of(headline, row);
    const double value = row_real(row, metric->value);
    return metric->is_cost ? 1 / value : value;
}

static const struct row **find(const struct headline *headline, const struct row *row) {
    for (size_t i = 0; i < headline->count; i++) {
        const struct row *found = headline->rows[i];
        if (strcmp(found->spec, row->spec) == 0 && strcmp(found->variant, row->variant) == 0) {
            return &headline->rows[i];
        }
    }
    return NULL;
}

// Keeps the row if it is one of a whole variant and better than the variant's best so far.
static void add(struct headline *headline, const struct row *row) {
    if (strcmp(row->kernel, "all") != 0 || !(score(headline, row) > 0)) {
        return;
    }
    const struct row **found = find(headline, row);
    if (!found) {
        headline->rows = memory_room(headline->rows, headline->count, sizeof *headline->rows);
        headline->rows[headline->count++] = row;
    } else if (score(headline, row) > score(headline, *found)) {
        *found = row;
    }
}

// How well the figure is known.
static void write_interval(const struct row *row, FILE *file) {
    if (isfinite(row->interval_pct)) {
        fprintf(file, " +- %.*f %%", row->interval_pct < 10 ? 1 : 0, row->interval_pct);
    }
    fputs(strstr(row->verdict, "waited") ? " (waited)" : "", file);
    fputs(strstr(row->verdict, "cache-resident") ? " (cache-resident)" : "", file); // it may exceed the memory's peak
}

static void write_row(const struct headline *headline, const struct row *row, FILE *file) {
    const struct metric *metric = metric_of(headline, row);
    const double value = row_real(row, metric->value), peak = row_real(row, metric->peak);
    fprintf(file, " %s %.1f %s", row->variant, value, metric->unit);
    write_interval(row, file);
    if (100 * value / peak >= 0.5 && fabs(value - peak) > 0) { // the row of the peak itself needs no share
        fprintf(file, " (%.0f %% of peak)", 100 * value / peak);
    }
}

// Writes the line of the device whose rows begin here. Returns where the next device's begin.
static size_t write_device(const struct headline *headline, size_t first, FILE *file) {
    size_t i = first;
    const char *spec = headline->rows[first]->spec;
    fputs(spec, file);
    for (; i < headline->count && strcmp(headline->rows[i]->spec, spec) == 0; i++) {
        fputs(i == first ? ":" : ",", file);
        write_row(headline, headline->rows[i], file);
    }
    fputs(strcmp(headline->rows[first]->source, "predicted") == 0 ? ", predicted" : "", file);
    return i;
}

static void print_line(const char *text, FILE *file) {
    if (terminal_columns(file) > 0) {
        wrap_text(file, text, 0, 2);
    } else {
        fputs(text, file);
    }
    fputc('\n', file);
}

static bool has_peak(const struct headline *headline, const char *spec) {
    bool found = false;
    for (size_t i = 0; i < headline->count; i++) {
        const struct row *row = headline->rows[i];
        found |= strcmp(row->spec, spec) == 0 && row_real(row, metric_of(headline, row)->peak) > 0;
    }
    return found;
}

// How to give a device the peak that none of its rows has; NULL if each device has one, as simulated devices have.
static const char *hint_of(const struct headline *headline) {
    const char *hint = NULL;
    for (size_t i = 0; i < headline->count && !hint; i++) {
        const struct row *row = headline->rows[i];
        const bool lacks_peak = strcmp(row->source, "measured") == 0 && !has_peak(headline, row->spec);
        hint = lacks_peak ? metric_of(headline, row)->hint : NULL;
    }
    return hint;
}

void headline_print(const struct plan *plan, FILE *file) {
    struct headline headline = {.probe = plan->items->run->probe};
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t k = 0; k < plan->items[i].row_count; k++) {
            add(&headline, &plan->items[i].rows[k]);
        }
    }
    const char *hint = hint_of(&headline);
    fputs(headline.count > 0 ? "\n" : "", file);
    for (size_t i = 0; i < headline.count;) {
        struct written text;
        i = write_device(&headline, i, memory_stream(&text));
        print_line(memory_stream_end(&text), file);
        free(text.text);
    }
    if (hint) {
        fprintf(file, "%s\n", hint);
    }
    free(headline.rows);
}
