#include "tools/report/charts/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "util/error.h"

// ---- Columns ----

enum column_kind {
    PLAIN,
    DEVICE,   // the part's name
    NUMBER,   // number(inner)
    RELATIVE, // relative(inner)
    COMPUTED,
    SURE_LEVEL, // the level, if the run is sure of it
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t inner;
    const char *expression;
    bool is_relative;        // it depends on other rows
    const char **references; // by line, for relative(this)
};

// ---- Adding columns ----

static size_t add_column(struct selection *selection, const char *name);

// Sets a column's expression and adds the columns that it needs.
static void set_expression(struct selection *selection, size_t column, const char *expression) {
    struct words factors = words_split(&selection->texts, expression, "*/|");
    bool is_relative = false;
    for (size_t i = 0; i < factors.count; i++) {
        if (!isdigit((unsigned char)*factors.words[i])) { // it is a column
            const size_t needed = add_column(selection, factors.words[i]);
            is_relative = is_relative || selection->columns[needed].is_relative;
        }
    }
    free(factors.words);
    selection->columns[column].kind = COMPUTED;
    selection->columns[column].expression = expression;
    selection->columns[column].is_relative = is_relative;
}

// What stands in "WORD(...)"; NULL if the name is none. To be freed.
static char *inside(const char *name, const char *word) {
    const size_t length = strlen(word), whole = strlen(name);
    return whole > length + 2 && strncmp(name, word, length) == 0 && name[length] == '(' && name[whole - 1] == ')'
               ? memory_text(name + length + 1, whole - length - 2)
               : NULL;
}

// Whether the name is one of these, which have blanks between them.
static bool is_any(const char *name, const char *names) {
    return list_place(names, ' ', name) >= 0;
}

static const struct table *table_at(const struct selection *selection, size_t file) {
    return file < selection->table_count ? selection->tables[file] : selection->published;
}

// The levels of each device that a file's rows of variant geometry are sure of: of a cache its size, of memory its
// latency.
static void find_sure_levels(struct selection *selection) {
    static const double SURE_PCT = 90;
    for (size_t file = 0; file < selection->table_count; file++) {
        const struct table *table = selection->tables[file];
        for (size_t row = 0; row < table->row_count; row++) {
            const char *level = table_text(table, row, "level"), *about = table_text(table, row, "parameter");
            if (strcmp(table_text(table, row, "variant"), "geometry") == 0 &&
                strcmp(about, strcmp(level, "memory") == 0 ? "latency" : "size") == 0 &&
                strcmp(table_text(table, row, "verdict"), "ok") == 0 &&
                atof(table_text(table, row, "confidence_pct")) >= SURE_PCT) {
                char *name = memory_format("%zu %zu %s", file, selection->parts_of[file][row], level);
                names_number(&selection->sure_levels, name);
                free(name);
            }
        }
    }
}

static size_t add_column(struct selection *selection, const char *name) {
    for (size_t i = 0; i < selection->column_count; i++) {
        if (strcmp(selection->columns[i].name, name) == 0) {
            return i;
        }
    }
    const size_t column = selection->column_count;
    selection->columns = memory_room(selection->columns, column, sizeof *selection->columns);
    selection->columns[selection->column_count++] = (struct column){.name = texts_copy(&selection->texts, name)};
    char *number = inside(name, "number"), *relative = inside(name, "relative");
    const char *expression = chart_expression(selection->chart, selection->columns[column].name);
    if (strcmp(name, "device") == 0) {
        selection->columns[column].kind = DEVICE;
    } else if (strcmp(name, "sure_level") == 0) {
        const size_t inner = add_column(selection, "level");
        selection->columns[column].kind = SURE_LEVEL;
        selection->columns[column].inner = inner;
        find_sure_levels(selection);
    } else if (number || relative) {
        const size_t inner = add_column(selection, number ? number : relative);
        selection->columns[column].kind = number ? NUMBER : RELATIVE;
        selection->columns[column].inner = inner;
        selection->columns[column].is_relative = relative != NULL;
    } else if (expression) {
        set_expression(selection, column, expression);
    }
    free(number);
    free(relative);
    return column;
}

static size_t *add_columns(struct selection *selection, const struct words *names) {
    size_t *columns = memory_zeros(names->count, sizeof *columns);
    for (size_t i = 0; i < names->count; i++) {
        columns[i] = add_column(selection, names->words[i]);
    }
    return columns;
}

// By its name or expression, of which the first `length` characters are given.
static size_t column_number_of(const struct selection *selection, const char *name, size_t length) {
    size_t column = 0;
    while (strncmp(selection->columns[column].name, name, length) != 0 || selection->columns[column].name[length]) {
        column++;
    }
    return column;
}

static size_t column_number(const struct selection *selection, const char *name) {
    return column_number_of(selection, name, strlen(name));
}

const char *column_name(const struct selection *selection, size_t column) {
    return selection->columns[column].name;
}

// ---- Values ----

bool is_number_text(const char *text) {
    char *end;
    strtod(text, &end);
    return *text && !*end && text[strspn(text, "0123456789.+-eE")] == '\0';
}

static const char *keep_number(struct selection *selection, double number) {
    return texts_format(&selection->texts, "%.10g", number);
}

const char *item_text(const struct item *item, const char *column) {
    return table_text(item->table, item->row, column);
}

// How much of the amount the prediction's time makes; "" if nothing was measured of it.
static const char *per_predicted(struct selection *selection, const struct item *item, const char *measured,
                                 const char *amount) {
    const double ns = atof(item_text(item, "predicted_ns"));
    return *measured ? keep_number(selection, atof(item_text(item, amount)) / ns) : "";
}

// The column of a measured row that says what the model expects of this column; NULL if none does.
static const char *prediction_of(const char *column) {
    static const struct prediction {
        const char *of, *name;
    } predictions[] = {
        {"time_ns_median", "predicted_ns"},
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define PREDICTED(name, of, format) {#of, #name},
#include "bench/columns.h"
    };
    for (size_t i = 0; i < sizeof predictions / sizeof *predictions; i++) {
        if (strcmp(column, predictions[i].of) == 0) {
            return predictions[i].name;
        }
    }
    return NULL;
}

// What a carried prediction has in a column of its measured row.
static const char *carried_value(struct selection *selection, const struct item *item, const char *column,
                                 const char *measured) {
    static const char MEASURED_ONLY[] =
        "time_ns_min time_ns_max time_ns_low time_ns_high noise_pct waited_pct peak_pct copy_pct limit_pct speedup "
        "shared_gb_s one_way_gb_s sum_gb_s latency_cycles latency_low degree first_kernel_pct";
    const char *predicted = prediction_of(column);
    return predicted                               ? item_text(item, predicted)
           : is_any(column, MEASURED_ONLY)         ? ""
           : strcmp(column, "source") == 0         ? "predicted"
           : strcmp(column, "verdict") == 0        ? "ok"
           : strcmp(column, "bandwidth_gb_s") == 0 ? per_predicted(selection, item, measured, "useful_bytes")
           : strcmp(column, "gop_s") == 0          ? per_predicted(selection, item, measured, "ops")
                                                   : measured;
}

static const char *plain_value(struct selection *selection, const struct item *item, size_t number) {
    const struct column *column = &selection->columns[number];
    const char *value = item_text(item, column->name);
    return item->is_carried ? carried_value(selection, item, column->name, value)
           : item->source == PUBLISHED && strcmp(column->name, "source") == 0 ? "published"
                                                                              : value;
}

// A column alone keeps its text. "" if a column is not there.
static const char *product_value(struct selection *selection, const struct item *item, const char *product) {
    const char *end = product + strcspn(product, "*/|");
    const bool is_column = *end == '\0' || *end == '|';
    struct factor factor;
    double result = 1;
    while (factor_take(&product, &factor)) {
        const char *text = factor.is_number
                               ? NULL
                               : item_value(selection, item, column_number_of(selection, factor.name, factor.length));
        const double amount = atof(text ? text : factor.name);
        if ((text && !*text) || (factor.divides && !(amount < 0 || amount > 0))) {
            return "";
        }
        if (text && is_column) {
            return text;
        }
        result = factor.divides ? result / amount : result * amount;
    }
    return keep_number(selection, result);
}

// Of the first product whose columns are all there.
static const char *first_value(struct selection *selection, const struct item *item, const char *expression) {
    const char *text = product_value(selection, item, expression);
    for (const char *bar = strchr(expression, '|'); bar && !*text; bar = strchr(bar + 1, '|')) {
        text = product_value(selection, item, bar + 1);
    }
    return text;
}

static const char *relative_value(struct selection *selection, const struct item *item, size_t inner) {
    const char *const *references = selection->columns[inner].references;
    const char *base = references && references[item->line] ? references[item->line] : "";
    const char *own = item_value(selection, item, inner);
    return *own && atof(base) > 0 ? keep_number(selection, 100 * atof(own) / atof(base)) : "";
}

// 1 of "cuda:1"; empty if it is no device.
static const char *device_number(struct selection *selection, const char *text) {
    const size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    return letters > 0 && text[letters] == ':' ? keep_number(selection, atof(text + letters + 1)) : "";
}

static const char *sure_level(const struct selection *selection, const struct item *item, const char *level) {
    char *name = memory_format("%zu %zu %s", item->file, item->part, level);
    const bool is_sure = names_find(&selection->sure_levels, name) < selection->sure_levels.count;
    free(name);
    return is_sure ? level : "";
}

static const char *find_value(struct selection *selection, const struct item *item, size_t number) {
    const struct column *column = &selection->columns[number];
    switch (column->kind) {
    case DEVICE:
        return item->source == PUBLISHED ? "" : selection->parts[item->part].id;
    case NUMBER:
        return device_number(selection, item_value(selection, item, column->inner));
    case RELATIVE:
        return relative_value(selection, item, column->inner);
    case SURE_LEVEL:
        return sure_level(selection, item, item_value(selection, item, column->inner));
    case COMPUTED:
        return first_value(selection, item, column->expression);
    case PLAIN:
        break;
    }
    return plain_value(selection, item, number);
}

const char *item_value(struct selection *selection, const struct item *item, size_t column) {
    const char **value = &item->values[column];
    if (!*value) {
        *value = find_value(selection, item, column);
    }
    return *value;
}

const char *item_series(struct selection *selection, const struct item *item) {
    if (selection->chart->groups.count > 0) {
        const char *group = chart_group(selection->chart, plain_value(selection, item, selection->series));
        return group ? group : "";
    }
    return item_value(selection, item, selection->series);
}

const char *text_and(struct selection *selection, const char *text, const char *separator, const char *more) {
    return *text ? texts_format(&selection->texts, "%s%s%s", text, separator, more) : more;
}

// The words of its verdict for which its point is hollow. A prediction carries no warning, because nothing was run.
static const char *warnings_of(struct selection *selection, const struct item *item) {
    const bool is_wrong = strcmp(item_text(item, "verified"), "no") == 0;
    const char *verdict = item->origin == MEASURED ? item_text(item, "verdict") : "";
    const char *marks = "";
    struct words words = words_split(&selection->texts, verdict, "+");
    for (size_t i = 0; i < words.count; i++) {
        if (strcmp(words.words[i], "ok") != 0) {
            marks = text_and(selection, marks, "+", words.words[i]);
        }
    }
    free(words.words);
    return is_wrong ? text_and(selection, marks, "+", "wrong-result") : marks;
}

// ---- Intervals ----

static enum bar_interval interval_of(struct selection *selection, const struct item *item, double *low, double *high) {
    static const char TIMES[] = // twice the time of the row is twice the value
        "latency_ns time_ns_median cycles_per_request degree";
    static const char RATES[] = // twice the time is half the value
        "bandwidth_gb_s one_way_gb_s sum_gb_s gop_s shared_gb_s peak_pct limit_pct copy_pct speed";
    const struct column *y = &selection->columns[selection->y];
    const char *name = y->kind == RELATIVE ? column_name(selection, y->inner) : y->name;
    const bool is_time = is_any(name, TIMES);
    const double value = atof(item_value(selection, item, selection->y));
    const double median = atof(item_text(item, "time_ns_median"));
    const bool is_known = *item_text(item, "time_ns_low") && *item_text(item, "time_ns_high");
    const double shortest = atof(item_text(item, is_known ? "time_ns_low" : "time_ns_min"));
    const double longest = atof(item_text(item, is_known ? "time_ns_high" : "time_ns_max"));
    if (item->origin != MEASURED || (!is_time && !is_any(name, RATES)) || !(value > 0) || !(median > 0) ||
        !(shortest > 0) || !(longest >= shortest)) {
        return NO_INTERVAL;
    }
    *low = is_time ? value * shortest / median : value * median / longest;
    *high = is_time ? value * longest / median : value * median / shortest;
    return is_known ? OF_THE_MEDIAN : OF_ALL_SAMPLES;
}

void item_describe(struct selection *selection, struct item *item) {
    for (size_t i = 0; i < selection->chart->rows.count; i++) {
        item_value(selection, item, selection->rows[i]);
    }
    for (size_t i = 0; i < selection->chart->values.count; i++) {
        item_value(selection, item, selection->values[i]);
    }
    item->warnings = warnings_of(selection, item);
    item->interval = interval_of(selection, item, &item->low, &item->high);
}

// ---- References ----

static void refer(struct selection *selection, size_t inner) {
    struct column *column = &selection->columns[inner];
    const size_t by = column_number(selection, selection->chart->reference_column);
    free(column->references);
    column->references = memory_zeros(selection->lines.count, sizeof *column->references);
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_kept && strcmp(plain_value(selection, item, by), selection->chart->reference_value) == 0) {
            selection->columns[inner].references[item->line] = item_value(selection, item, inner);
        }
    }
}

void find_references(struct selection *selection) {
    for (size_t i = 0; i < selection->column_count; i++) {
        if (selection->columns[i].is_relative) {
            for (size_t j = 0; j < selection->item_count; j++) {
                selection->items[j].values[i] = NULL;
            }
            if (selection->columns[i].kind == RELATIVE) {
                refer(selection, selection->columns[i].inner);
            }
        }
    }
}

// ---- The rows that the chart may show ----

static bool meets_conditions(struct selection *selection, const struct item *item, const size_t *columns) {
    const struct key_choices *where = &selection->chart->where;
    bool meets = true;
    for (size_t i = 0; i < where->count && meets; i++) {
        const char *text = plain_value(selection, item, columns[i]);
        meets = !*text || list_place(where->choices[i].members, '|', text) >= 0;
    }
    return meets;
}

// Published figures need not name their variant.
static bool is_shown(struct selection *selection, const struct item *item, bool is_published, bool by_kernel) {
    const struct chart *chart = selection->chart;
    const char *variant = item_text(item, "variant");
    const char *kernel = item_text(item, "kernel");
    if (item->source == PUBLISHED) {
        return !*variant || chart_lists(chart, variant, true);
    }
    return chart_lists(chart, variant, is_published) &&
           (chart->groups.count == 0 || chart_group(chart, plain_value(selection, item, selection->series))) &&
           (by_kernel || !*kernel || strcmp(kernel, "all") == 0);
}

// A key that the rows of one line share, which is everything but x, or that those of one point do.
static size_t key_of(struct selection *selection, const struct item *item, bool with_x) {
    char text[ROW_KEY];
    const size_t rows = selection->chart->rows.count;
    int length = snprintf(text, sizeof text, "%zu\t%d\t%zu\t%s", item->file, item->origin, item->part,
                          item_series(selection, item));
    for (size_t i = 0; i + !with_x < rows && length < (int)sizeof text; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "\t%s",
                           item_value(selection, item, selection->rows[i]));
    }
    return names_number(with_x ? &selection->points : &selection->lines, text);
}

static void add_item(struct selection *selection, size_t file, size_t row, enum source source, bool is_carried) {
    const struct item item = {.table = table_at(selection, file),
                              .file = file,
                              .row = row,
                              .source = source,
                              .origin = selection->chart->counts_all && source == MEASURED ? PREDICTED : source,
                              .is_carried = is_carried,
                              .part = source == PUBLISHED ? (size_t)NOWHERE : selection->parts_of[file][row]};
    selection->items = memory_room(selection->items, selection->item_count, sizeof *selection->items);
    selection->items[selection->item_count++] = item;
}

// The rows whose variant the chart names, with the predictions that measured ones carry.
static void read_table(struct selection *selection, size_t file) {
    const struct table *table = selection->tables[file];
    const size_t variant = table_column(table, "variant"), source = table_column(table, "source"),
                 predicted = table_column(table, "predicted_ns");
    const char *last = NULL;
    bool is_named = false;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *name = table_field(table, row, variant);
        is_named = name == last ? is_named : chart_names(selection->chart, name);
        last = name;
        if (is_named) {
            const bool is_measured = strcmp(table_field(table, row, source), "measured") == 0;
            add_item(selection, file, row, is_measured ? MEASURED : PREDICTED, false);
            if (is_measured && atof(table_field(table, row, predicted)) > 0) {
                add_item(selection, file, row, PREDICTED, true);
            }
        }
    }
}

// The expression of the first value without relative(), which tells whether a row has one at all.
static size_t add_needed_value(struct selection *selection) {
    const char *name = selection->chart->values.words[0], *expression = chart_expression(selection->chart, name);
    char *text = memory_copy(expression ? expression : name);
    for (char *at = strstr(text, "relative("); at; at = strstr(text, "relative(")) {
        char *end = strchr(at, ')');
        const size_t length = strlen("relative(");
        if (end) {
            memmove(end, end + 1, strlen(end + 1) + 1);
        }
        memmove(at, at + length, strlen(at + length) + 1);
    }
    const size_t column = add_column(selection, text);
    free(text);
    return column;
}

// Whether the chart shows the column, so that its rows may differ in it.
static bool is_shown_column(const struct chart *chart, const char *column) {
    const bool by_offset = strcmp(chart->rows.words[chart->rows.count - 1], "offset_bytes") == 0;
    bool shown = strcmp(column, chart->series) == 0 || (by_offset && strcmp(column, "offset") == 0);
    for (size_t i = 0; i < chart->rows.count && !shown; i++) {
        char *number = inside(chart->rows.words[i], "number");
        shown = strcmp(number ? number : chart->rows.words[i], column) == 0;
        free(number);
    }
    return shown;
}

static void add_setting(struct selection *selection, const char *name) {
    const size_t column = add_column(selection, name);
    bool is_new = !is_shown_column(selection->chart, name);
    for (size_t i = 0; i < selection->setting_count; i++) {
        is_new = is_new && selection->settings[i] != column;
    }
    if (is_new) {
        selection->settings[selection->setting_count++] = column;
    }
}

// The columns that say how a row was run (bench/keys.h), except for those that the chart shows. A picture's rows agree
// in each, the ones that readers look for first. Other sizes than elements follow from these.
static void find_settings(struct selection *selection) {
    const bool is_links = strcmp(selection->chart->probe, "links") == 0;
    struct words first = words_split(&selection->texts,
                                     is_links ? "direction footprint_bytes from to"
                                              : "type width_bytes vertices edges elements tile block devices stride "
                                                "offset group op",
                                     " ");
    selection->settings = memory_zeros(first.count + key_column_count, sizeof *selection->settings);
    for (size_t i = 0; i < first.count; i++) {
        add_setting(selection, first.words[i]);
    }
    for (size_t i = 0; i < key_column_count; i++) {
        if (!is_any(key_columns[i].name, "probe variant kernel") && key_columns[i].kind != KEY_SIZE) {
            add_setting(selection, key_columns[i].name);
        }
    }
    free(first.words);
}

void select_rows(struct selection *selection) {
    const struct chart *chart = selection->chart;
    selection->rows = add_columns(selection, &chart->rows);
    selection->values = add_columns(selection, &chart->values);
    selection->series = add_column(selection, chart->series);
    selection->x = selection->rows[chart->rows.count - 1];
    selection->y = selection->values[0];
    free(add_columns(selection, &chart->alike));
    free(add_columns(selection, &chart->same));
    add_column(selection, chart->reference_column);
    find_settings(selection);
    const size_t needed = add_needed_value(selection);
    size_t *where = memory_zeros(chart->where.count, sizeof *where);
    bool by_kernel = strcmp(chart->series, "kernel") == 0;
    for (size_t i = 0; i < chart->where.count; i++) {
        where[i] = add_column(selection, chart->where.choices[i].name);
        by_kernel = by_kernel || strcmp(chart->where.choices[i].name, "kernel") == 0;
    }
    for (size_t i = 0; i < selection->table_count; i++) {
        read_table(selection, i);
    }
    struct names published = {0};
    for (size_t row = 0; selection->published && row < selection->published->row_count; row++) {
        add_item(selection, selection->table_count, row, PUBLISHED, false);
    }
    const char **values = memory_zeros(selection->item_count * selection->column_count, sizeof *values);
    selection->item_values = values;
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        item->values = values + i * selection->column_count;
    }
    for (size_t i = selection->item_count; i-- > 0;) { // the published rows are the last
        struct item *item = &selection->items[i];
        const char *variant = item_text(item, "variant");
        const bool is_published = names_find(&published, variant) < published.count;
        if (item->source == PUBLISHED) {
            names_number(&published, variant);
        }
        item->is_shown = meets_conditions(selection, item, where) && *item_value(selection, item, needed) &&
                         is_shown(selection, item, is_published, by_kernel);
    }
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_shown) {
            item->line = key_of(selection, item, false);
            item->point = key_of(selection, item, true);
        }
    }
    names_clear(&published);
    free(where);
}

void forget_rows(struct selection *selection) {
    for (size_t i = 0; i < selection->column_count; i++) {
        struct column *column = &selection->columns[i];
        free(column->references);
    }
    free(selection->columns);
    free(selection->item_values);
    free(selection->items);
    free(selection->values);
    free(selection->rows);
    free(selection->settings);
    names_clear(&selection->lines);
    names_clear(&selection->points);
    names_clear(&selection->sure_levels);
    texts_clear(&selection->texts);
}

// ---- Words ----

// 67108864 as "64 Mi", the way in which the programs take sizes.
static const char *size_in_binary(struct selection *selection, double amount) {
    static const char *const units[] = {"", " Ki", " Mi", " Gi", " Ti"};
    size_t unit = 0;
    while (amount >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1024;
        unit++;
    }
    return texts_format(&selection->texts, "%.4g%s", amount, units[unit]);
}

const char *cut_text(struct texts *texts, const char *text, size_t longest) {
    if (strlen(text) <= longest) {
        return text;
    }
    const char *blank = memrchr(text, ' ', longest - 3), *end = blank ? blank : text + longest - 3;
    end -= blank && blank > text && blank[-1] == ',';
    return texts_format(texts, "%.*s...", (int)(end - text), text);
}

const char *sources_text(const struct selection *selection, long series) {
    bool has[SOURCES] = {false};
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        if (series < 0 || item->series == (size_t)series) {
            has[item->origin] = true;
        }
    }
    return has[MEASURED] && has[PREDICTED] ? "measured and predicted"
           : has[MEASURED]                 ? "measured"
           : has[PREDICTED]                ? "predicted"
                                           : "";
}

const char *series_title(struct selection *selection, const char *name) {
    const char *series = selection->chart->series;
    for (size_t i = 0; i < selection->part_count && strcmp(series, "device") == 0; i++) {
        if (strcmp(selection->parts[i].id, name) == 0) {
            return selection->parts[i].title;
        }
    }
    const bool is_width = is_any(series, "width_bytes fetch_bytes");
    return is_width ? texts_format(&selection->texts, "%s byte%s", name, strcmp(name, "1") == 0 ? "" : "s") : name;
}

// ---- Settings ----

// The values of a setting in a picture's own rows.
struct extent {
    const char *least, *most;
    bool differ;
    size_t count;
};

static struct extent extent_of(struct selection *selection, size_t column) {
    struct extent extent = {0};
    const char *first = "";
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        const char *value = item->source == PUBLISHED ? "" : item_value(selection, item, column);
        if (*value) {
            extent.least = extent.count == 0 || atof(value) < atof(extent.least) ? value : extent.least;
            extent.most = extent.count == 0 || atof(value) > atof(extent.most) ? value : extent.most;
            extent.differ = extent.differ || (extent.count > 0 && strcmp(value, first) != 0);
            first = value;
            extent.count++;
        }
    }
    return extent;
}

// "1 Ki to 64 Mi elements", "2048 vertices".
static const char *size_text(struct selection *selection, const char *name, const struct extent *extent) {
    const bool is_elements = strcmp(name, "elements") == 0;
    const char *least = is_elements ? size_in_binary(selection, atof(extent->least)) : extent->least;
    const char *most = is_elements ? size_in_binary(selection, atof(extent->most)) : extent->most;
    if (strcmp(name, "devices") == 0 && strcmp(most, "1") == 0) {
        return NULL;
    }
    return strcmp(extent->least, extent->most) == 0 ? texts_format(&selection->texts, "%s %s", most, name)
                                                    : texts_format(&selection->texts, "%s to %s %s", least, most, name);
}

// Sizes that differ are a range; another setting is named only if all rows that have it have the same, and a type only
// if all rows have it. NULL: nothing is to be said.
static const char *setting_text(struct selection *selection, size_t column) {
    struct texts *texts = &selection->texts;
    const char *name = column_name(selection, column);
    const struct extent extent = extent_of(selection, column);
    const char *most = extent.most;
    if (extent.count == 0 || (strcmp(name, "type") == 0 && extent.count < selection->own_count)) {
        return NULL;
    }
    if (strcmp(name, "footprint_bytes") == 0) {
        return strcmp(extent.least, most) == 0
                   ? texts_format(texts, "transfers of %sB", size_in_binary(selection, atof(most)))
                   : NULL;
    }
    if (is_any(name, "vertices elements devices")) {
        return size_text(selection, name, &extent);
    }
    if (extent.differ || is_any(name, "offset op direction") ||
        (strcmp(name, "group") == 0 && strcmp(most, "1") == 0)) {
        return NULL;
    }
    return strcmp(name, "type") == 0 ? most
           : strcmp(name, "width_bytes") == 0
               ? texts_format(texts, "%s byte%s an element", most, strcmp(most, "1") == 0 ? "" : "s")
           : strcmp(name, "edges") == 0 ? texts_format(texts, "%s edges", most)
           : strcmp(name, "tile") == 0  ? texts_format(texts, "tiles of %sx%s", most, most)
           : strcmp(name, "block") == 0
               ? texts_format(texts, "blocks of %s%s", most, strchr(most, 'x') ? "" : " threads")
               : texts_format(texts, "%s %s", name, most);
}

const char *settings_text(struct selection *selection) {
    const char *text = "";
    for (size_t i = 0; i < selection->setting_count; i++) {
        const char *one = setting_text(selection, selection->settings[i]);
        text = one ? text_and(selection, text, ", ", one) : text;
    }
    return text;
}

// ---- What is left out, in words ----

const char *folder_name(struct selection *selection, const char *path) {
    const char *end = strrchr(path, '/');
    const char *start = end ? memrchr(path, '/', (size_t)(end - path)) : NULL;
    start = start ? start + 1 : path;
    return end ? texts_keep(&selection->texts, start, (size_t)(end - start)) : path;
}

// The values because of which rows are left out, or their number.
static const char *dropped_values(struct selection *selection, const struct drop *reason) {
    static const size_t MOST = 4;
    const char *text = "";
    if (reason->values.count > MOST) {
        return texts_format(&selection->texts, " with %zu other values of %s", reason->values.count, reason->column);
    }
    for (size_t i = 0; i < reason->values.count; i++) {
        const char *value = reason->values.texts[i];
        const bool is_size = strcmp(reason->column, "elements") == 0;
        text = text_and(selection, text, ", ", is_size ? size_in_binary(selection, atof(value)) : value);
    }
    return texts_format(&selection->texts, " with %s %s", reason->column, text);
}

static const char *drop_text(struct selection *selection, const struct drop *reason) {
    struct texts *texts = &selection->texts;
    const char *rows = reason->count == reason->predicted ? "predicted row" : "row";
    const char *why = strcmp(reason->column, "repeated") == 0 ? " that a later one repeats"
                      : strcmp(reason->column, "source") == 0 ? ""
                      : strcmp(reason->column, "file") == 0
                          ? texts_format(texts, " in other files of the same devices (%s%s)",
                                         folder_name(selection, reason->values.texts[0]),
                                         reason->values.count > 1 ? " and others" : "")
                      : strpbrk(reason->column, "*/") ? texts_format(texts, " with other %s", reason->column)
                                                      : dropped_values(selection, reason);
    return texts_format(texts, "%zu %s%s%s", reason->count, rows, reason->count > 1 ? "s" : "", why);
}

const char *left_out_text(struct selection *selection) {
    const char *text = "";
    for (size_t i = 0; i < selection->drop_count; i++) {
        text = text_and(selection, text, "; ", drop_text(selection, &selection->drops[i]));
    }
    return text;
}

// Selects the rows of a picture: only rows that differ in nothing but what the picture shows. The others are left out,
// and the picture says so.
//   - Rows of a picture agree on the chart's columns "same", and rows of a device also on those of "alike". The
//     values chosen are those that most points of the picture have, and the largest of several.
//   - If rows still meet at one point and differ in another setting, the value is chosen that most points of their
//     line have. If they differ in none, the last row counts.
//   - A device's picture shows the rows of its own file. A file of predicted rows lends measured rows those that were
//     computed for the same settings. Nothing is lent to predicted rows, because the measured device's picture
//     already has them.

// ---- What is left out ----

void drop(struct selection *selection, struct item *item, const char *column) {
    item->is_current = false;
    if (item->is_carried) { // the measured row that carries it counts for both
        return;
    }
    size_t i = 0;
    while (i < selection->drop_count && strcmp(selection->drops[i].column, column) != 0) {
        i++;
    }
    if (i == selection->drop_count) {
        selection->drops = memory_room(selection->drops, i, sizeof *selection->drops);
        selection->drops[selection->drop_count++] = (struct drop){.column = column};
    }
    struct drop *reason = &selection->drops[i];
    reason->count++;
    reason->predicted += item->source == PREDICTED;
    if (strcmp(column, "file") == 0) {
        names_number(&reason->values, item->table->path);
    } else if (strcmp(column, "repeated") != 0 && strcmp(column, "source") != 0) { // which need no value
        names_number(&reason->values, item_value(selection, item, column_number(selection, column)));
    }
}

void forget_drops(struct selection *selection) {
    for (size_t i = 0; i < selection->drop_count; i++) {
        names_clear(&selection->drops[i].values);
    }
    free(selection->drops);
    selection->drops = NULL;
    selection->drop_count = 0;
}

// ---- Settings that rows have in common ----

static bool is_near(const char *a, const char *b) {
    const double x = atof(a), y = atof(b);
    return strcmp(a, b) == 0 || (is_number_text(a) && is_number_text(b) && x <= 1.1 * y && y <= 1.1 * x);
}

// Computed values count as the same if they are near each other.
static bool agrees(const struct selection *selection, size_t column, const char *a, const char *b) {
    return strpbrk(column_name(selection, column), "*/") ? is_near(a, b) : strcmp(a, b) == 0;
}

// Some settings that rows share: a value for each of the columns, the points that have them, and the devices.
struct settings {
    const char **values;
    size_t points, devices;
    struct names seen;
};

struct ballot {
    struct settings *settings;
    size_t count;
};

// The first of the columns in which the row differs from these values; NULL if it does in none.
static const char *differs_in(struct selection *selection, const struct item *item, const char *const *values,
                              const struct words *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        const size_t column = column_number(selection, columns->words[i]);
        if (!agrees(selection, column, item_value(selection, item, column), values[i])) {
            return columns->words[i];
        }
    }
    return NULL;
}

static void vote(struct selection *selection, struct ballot *ballot, const struct item *item,
                 const struct words *columns) {
    size_t i = 0;
    while (i < ballot->count && differs_in(selection, item, ballot->settings[i].values, columns)) {
        i++;
    }
    if (i == ballot->count) {
        ballot->settings = memory_room(ballot->settings, i, sizeof *ballot->settings);
        ballot->settings[ballot->count++] =
            (struct settings){.values = memory_zeros(columns->count, sizeof *ballot->settings->values)};
        for (size_t j = 0; j < columns->count; j++) {
            const size_t column = column_number(selection, columns->words[j]);
            ballot->settings[i].values[j] = item_value(selection, item, column);
        }
    }
    struct settings *settings = &ballot->settings[i];
    char name[48];
    size_t before = settings->seen.count;
    snprintf(name, sizeof name, "point %zu", item->point);
    names_number(&settings->seen, name);
    settings->points += settings->seen.count - before;
    before = settings->seen.count;
    snprintf(name, sizeof name, "device %zu", item->part);
    names_number(&settings->seen, name);
    settings->devices += settings->seen.count - before;
}

// Whether the first number in which they differ is larger.
static bool is_larger(const struct settings *a, const struct settings *b, size_t count) {
    size_t i = 0;
    while (i < count && strcmp(a->values[i], b->values[i]) == 0) {
        i++;
    }
    return i < count && atof(a->values[i]) > atof(b->values[i]);
}

// Those that most devices have, then most points, then the largest; NULL if there are none. To be freed.
static const char **elect(struct ballot *ballot, size_t count) {
    const struct settings *best = ballot->settings;
    for (size_t i = 1; i < ballot->count; i++) {
        const struct settings *one = &ballot->settings[i];
        const bool wins = one->devices != best->devices ? one->devices > best->devices
                          : one->points != best->points ? one->points > best->points
                                                        : is_larger(one, best, count);
        best = wins ? one : best;
    }
    const char **values = best ? best->values : NULL;
    for (size_t i = 0; i < ballot->count; i++) {
        names_clear(&ballot->settings[i].seen);
        if (&ballot->settings[i] != best) {
            free(ballot->settings[i].values);
        }
    }
    free(ballot->settings);
    *ballot = (struct ballot){0};
    return values;
}

// Leaves out the current rows that differ from these values.
static void hold(struct selection *selection, const char *const *values, const struct words *columns) {
    for (struct item *item = selection->items; item < items_end(selection) && values; item++) {
        const char *column = item->is_current ? differs_in(selection, item, values, columns) : NULL;
        if (column) {
            drop(selection, item, column);
        }
    }
}

// ---- One row at each point ----

static bool is_of_file(const struct item *item, size_t file) {
    return item->is_current && item->file == file;
}

static bool points_differ(struct selection *selection, size_t file, size_t column) {
    const char **first = memory_zeros(selection->points.count, sizeof *first);
    bool differ = false;
    for (const struct item *item = selection->items; item < items_end(selection) && !differ; item++) {
        if (is_of_file(item, file)) {
            const char *value = item_value(selection, item, column);
            differ = first[item->point] && strcmp(first[item->point], value) != 0;
            first[item->point] = value;
        }
    }
    free(first);
    return differ;
}

// Where rows of a point differ in the column, keeps those whose value most points of their line have.
static void keep_one_value(struct selection *selection, size_t file, size_t column) {
    if (!points_differ(selection, file, column)) {
        return;
    }
    struct names names = {0}; // of a value in a line
    size_t *names_of = memory_zeros(selection->item_count, sizeof *names_of);
    size_t *votes = memory_zeros(selection->item_count, sizeof *votes);
    const struct item **best = memory_zeros(selection->points.count, sizeof *best);
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (is_of_file(item, file)) {
            char name[ROW_KEY];
            snprintf(name, sizeof name, "%zu\t%s", item->line, item_value(selection, item, column));
            votes[names_of[item - selection->items] = names_number(&names, name)]++;
        }
    }
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (is_of_file(item, file)) {
            const struct item *other = best[item->point] ? best[item->point] : item;
            const size_t own = votes[names_of[item - selection->items]],
                         others = votes[names_of[other - selection->items]];
            const bool is_larger =
                atof(item_value(selection, item, column)) > atof(item_value(selection, other, column));
            best[item->point] = own > others || (own == others && is_larger) ? item : other;
        }
    }
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (is_of_file(item, file) &&
            strcmp(item_value(selection, item, column), item_value(selection, best[item->point], column)) != 0) {
            drop(selection, item, column_name(selection, column));
        }
    }
    names_clear(&names);
    free(names_of);
    free(votes);
    free(best);
}

static void keep_one_row(struct selection *selection, size_t file) {
    for (size_t i = 0; i < selection->setting_count; i++) {
        keep_one_value(selection, file, selection->settings[i]);
    }
    struct item **last = memory_zeros(selection->points.count, sizeof *last);
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (is_of_file(item, file)) {
            if (last[item->point]) {
                drop(selection, last[item->point], "repeated");
            }
            last[item->point] = item;
        }
    }
    free(last);
}

// ---- Rows of another file ----

// In a chart of counts, measured rows repeat what predicted ones say. A chart of one source prefers measured rows.
static void keep_one_source(struct selection *selection) {
    const struct chart *chart = selection->chart;
    if (!selection->has_own[MEASURED] || !selection->has_own[PREDICTED] || (!chart->counts_all && !chart->one_source)) {
        return;
    }
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_current && chart->counts_all && item->source == MEASURED) {
            item->is_current = false;
        } else if (item->is_current && !chart->counts_all && item->source == PREDICTED) {
            drop(selection, item, "source");
        }
    }
}

// Rows of a device that represent all of its settings, for each of its series and variants.
struct own_rows {
    const struct item **items;
    size_t count;
};

static struct own_rows find_own_rows(struct selection *selection) {
    struct own_rows own = {0};
    struct names seen = {0};
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_current) {
            char key[ROW_KEY];
            int length = snprintf(key, sizeof key, "%s\t%s", item_series(selection, item), item_text(item, "variant"));
            for (size_t j = 0; j < selection->setting_count && length < (int)sizeof key; j++) {
                length += snprintf(key + length, sizeof key - (size_t)length, "\t%s",
                                   item_value(selection, item, selection->settings[j]));
            }
            const size_t before = seen.count;
            if (names_number(&seen, key) == before) {
                own.items = memory_room(own.items, own.count, sizeof *own.items);
                own.items[own.count++] = item;
            }
        }
    }
    names_clear(&seen);
    return own;
}

// The first setting in which both rows have a value, and not nearly the same.
static const char *setting_between(struct selection *selection, const struct item *a, const struct item *b) {
    for (size_t i = 0; i < selection->setting_count; i++) {
        const char *x = item_value(selection, a, selection->settings[i]);
        const char *y = item_value(selection, b, selection->settings[i]);
        if (*x && *y && !is_near(x, y)) {
            return column_name(selection, selection->settings[i]);
        }
    }
    return NULL;
}

// The column in which a predicted row differs from all of the device's own rows of its series and variant; NULL if it
// is like one of them. If the variant was not measured, only the columns on which all rows agree are compared.
static const char *unlike(struct selection *selection, const struct item *item, const struct own_rows *own) {
    const char *differs = differs_in(selection, item, selection->held_key, &selection->chart->alike);
    const char *series = item_series(selection, item), *variant = item_text(item, "variant");
    if (differs) {
        return differs;
    }
    bool has_series = false;
    for (size_t i = 0; i < own->count; i++) {
        const struct item *other = own->items[i];
        const bool is_of_series = strcmp(item_series(selection, other), series) == 0;
        has_series = has_series || is_of_series;
        if (is_of_series && strcmp(item_text(other, "variant"), variant) == 0) {
            differs = setting_between(selection, item, other);
            if (!differs) {
                return NULL;
            }
        }
    }
    return has_series ? differs : selection->chart->series;
}

static bool may_be_lent(const struct item *item, size_t part, size_t file) {
    return item->is_shown && item->part == part && item->file != file && item->source == PREDICTED;
}

// The first other file with predicted rows of the device that are like its own, else the first with any.
static size_t lender_of(struct selection *selection, size_t part, size_t file, const struct own_rows *own) {
    size_t found = (size_t)NOWHERE;
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (may_be_lent(item, part, file)) {
            found = found == (size_t)NOWHERE ? item->file : found;
            if (!unlike(selection, item, own)) {
                return item->file;
            }
        }
    }
    return found;
}

// Adds another file's predicted rows of a device that is measured in this file.
static void lend(struct selection *selection, size_t part, size_t file) {
    if (!selection->has_own[MEASURED] || selection->has_own[PREDICTED] || selection->chart->one_source ||
        selection->chart->counts_all) {
        return;
    }
    struct own_rows own = find_own_rows(selection);
    const size_t lender = lender_of(selection, part, file, &own);
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (may_be_lent(item, part, file) && item->file == lender) {
            const char *column = unlike(selection, item, &own);
            if (column) {
                drop(selection, item, column);
            } else {
                item->is_current = true;
            }
        }
    }
    free(own.items);
    keep_one_row(selection, lender);
}

// ---- Devices ----

static void find_own_sources(struct selection *selection) {
    selection->has_own[MEASURED] = selection->has_own[PREDICTED] = false;
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_current) {
            selection->has_own[item->source] = true;
        }
    }
}

void keep_device(struct selection *selection, size_t part, size_t file, const char *const *same) {
    const struct words *alike = &selection->chart->alike;
    struct ballot ballot = {0};
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        item->is_current = item->is_shown && item->part == part && item->file == file;
    }
    hold(selection, same, &selection->chart->same);
    find_own_sources(selection);
    keep_one_source(selection);
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_current) {
            vote(selection, &ballot, item, alike);
        }
    }
    selection->held_key = elect(&ballot, alike->count);
    hold(selection, selection->held_key, alike);
    keep_one_row(selection, file);
    if (selection->held_key) {
        lend(selection, part, file);
    }
    free(selection->held_key);
    selection->held_key = NULL;
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        item->is_kept = item->is_kept || item->is_current;
    }
}

// The file whose rows represent a device in a comparison: an own one before those beside it, one with measured rows
// before predicted ones, then the one with the most, then the first.
static size_t best_file(struct selection *selection, size_t part, const char *const *same) {
    size_t *ranks = memory_zeros(selection->table_count, sizeof *ranks), best = (size_t)NOWHERE;
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_shown && item->part == part && !differs_in(selection, item, same, &selection->chart->same)) {
            const size_t weight = item->source == MEASURED ? 1000000 : 1;
            ranks[item->file] += item->file < selection->own_table_count ? 1000 * weight : weight;
        }
    }
    for (size_t i = 0; i < selection->table_count; i++) {
        if (ranks[i] > 0 && (best == (size_t)NOWHERE || ranks[i] > ranks[best])) {
            best = i;
        }
    }
    free(ranks);
    return best;
}

// Leaves out the measured rows of a device that another file represents.
static void drop_other_files(struct selection *selection, size_t part, size_t file) {
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_shown && item->part == part && item->file != file && item->source == MEASURED) {
            drop(selection, item, "file");
        }
    }
}

void keep_all_devices(struct selection *selection) {
    struct ballot ballot = {0};
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_shown && item->source != PUBLISHED) {
            vote(selection, &ballot, item, &selection->chart->same);
        }
    }
    const char **same = elect(&ballot, selection->chart->same.count);
    for (size_t i = 0; i < selection->part_count && same; i++) {
        const size_t file = best_file(selection, i, same);
        keep_device(selection, i, file, same);
        drop_other_files(selection, i, file);
    }
    free(same);
}
