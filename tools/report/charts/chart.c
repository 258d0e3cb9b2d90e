#include "tools/report/charts/chart.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/parts.h"
#include "util/error.h"

// ---- Words ----

static void add_word(struct words *words, const char *word) {
    words->words = memory_room(words->words, words->count, sizeof *words->words);
    words->words[words->count++] = word;
}

struct words words_split(struct texts *texts, const char *text, const char *separators) {
    struct words words = {0};
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        const size_t length = strcspn(text, separators);
        add_word(&words, texts_keep(texts, text, length));
        text += length;
    }
    return words;
}

bool words_have(const struct words *words, const char *word) {
    bool found = false;
    for (size_t i = 0; i < words->count && !found; i++) {
        found = strcmp(words->words[i], word) == 0;
    }
    return found;
}

// ---- Computed columns ----

// Columns that several charts need.
static const struct definition common[] = {
    {"offset_bytes", "offset*width_bytes"}, {"speed", "1e9/time_ns_median|1e9/time_ns|1e3/time_ms"}, // runs per second
};

enum {
    COMMON_COUNT = sizeof common / sizeof *common
};

static const char *find_definition(const struct definition *definitions, size_t count, const char *column) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(definitions[i].name, column) == 0) {
            return definitions[i].expression;
        }
    }
    return NULL;
}

const char *chart_expression(const struct chart *chart, const char *column) {
    const char *own = find_definition(chart->definitions, chart->definition_count, column);
    const char *expression = own ? own : find_definition(common, COMMON_COUNT, column);
    return expression ? expression : strpbrk(column, "*/|") ? column : NULL;
}

bool factor_take(const char **product, struct factor *factor) {
    factor->divides = **product == '/';
    *product += **product == '/' || **product == '*';
    factor->name = *product;
    factor->length = strcspn(*product, "*/|");
    factor->is_number = isdigit((unsigned char)*factor->name);
    *product += factor->length;
    return factor->length > 0;
}

// Whether a column is computed from itself. `steps` columns lead to it, each computed from the next one: if these are
// more than there are definitions, one of them was met twice. `ended` keeps the columns that are not, so that one which
// several others need is followed once.
static bool is_endless(struct texts *texts, const struct chart *chart, const char *column, size_t steps,
                       struct words *ended) {
    const char *expression = words_have(ended, column) ? NULL : chart_expression(chart, column);
    if (!expression) {
        return false;
    }
    bool endless = steps > chart->definition_count + COMMON_COUNT;
    struct words factors = words_split(texts, expression, "*/|");
    for (size_t i = 0; i < factors.count && !endless; i++) {
        const char *bracket = strrchr(factors.words[i], '('); // of number(COLUMN) or relative(COLUMN)
        const char *needed = bracket ? bracket + 1 : factors.words[i];
        endless = is_endless(texts, chart, texts_keep(texts, needed, strcspn(needed, ")")), steps + 1, ended);
    }
    free(factors.words);
    if (!endless) {
        add_word(ended, column);
    }
    return endless;
}

// ---- Keys ----

// Where the line of this key goes on after it; NULL if there is none behind `from`.
static const char *find_key(const char *from, const char *key) {
    char line[64];
    const int length = snprintf(line, sizeof line, "\n# %s: ", key);
    const char *at = strstr(from, line);
    return at ? at + length : NULL;
}

static const char *key_text(struct texts *texts, const char *text, const char *key) {
    const char *found = find_key(text, key);
    return found ? texts_keep(texts, found, strcspn(found, "\n")) : "";
}

static size_t key_count(const char *text, const char *key, size_t otherwise) {
    const char *found = find_key(text, key);
    return found ? strtoul(found, NULL, 10) : otherwise;
}

static struct words key_words(struct texts *texts, const char *text, const char *key) {
    return words_split(texts, key_text(texts, text, key), " ");
}

// "NAME=A|B C ...".
static struct key_choices key_choices(struct texts *texts, const char *text, const char *key) {
    struct words words = key_words(texts, text, key);
    struct key_choices choices = {memory_zeros(words.count, sizeof *choices.choices), words.count};
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.words[i];
        const size_t length = strcspn(word, "=");
        choices.choices[i] =
            (struct key_choice){texts_keep(texts, word, length), word[length] ? word + length + 1 : word};
    }
    free(words.words);
    return choices;
}

// "# column: NAME = EXPRESSION"; there may be several such lines.
static void read_definitions(struct chart *chart, struct texts *texts, const char *text) {
    for (const char *at = find_key(text, "column"); at; at = find_key(at, "column")) {
        const char *equals = strstr(at, " = ");
        if (equals) {
            chart->definitions = memory_room(chart->definitions, chart->definition_count, sizeof *chart->definitions);
            chart->definitions[chart->definition_count++] = (struct definition){
                texts_keep(texts, at, (size_t)(equals - at)), texts_keep(texts, equals + 3, strcspn(equals + 3, "\n"))};
        }
    }
}

// Puts the lines of plots/variants in place of their names.
static struct words read_patterns(struct texts *texts, const char *variants, const char *lists) {
    struct words patterns = {0}, names = words_split(texts, variants, " ");
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.words[i], *line = texts_format(texts, "\n%s: ", name + 1);
        const char *list = *name == '@' ? strstr(lists, line) : NULL;
        if (list) {
            list += strlen(line);
            struct words words = words_split(texts, texts_keep(texts, list, strcspn(list, "\n")), " ");
            for (size_t j = 0; j < words.count; j++) {
                add_word(&patterns, words.words[j]);
            }
            free(words.words);
        } else {
            add_word(&patterns, name);
        }
    }
    free(names.words);
    return patterns;
}

// The comment lines before the first key, as one line.
static const char *read_caption(struct texts *texts, const char *text) {
    const char *caption = "";
    for (const char *line = text; strncmp(line, "# ", 2) == 0;) {
        const size_t letters = 2 + strspn(line + 2, "abcdefghijklmnopqrstuvwxyz"), length = strcspn(line, "\n");
        if (letters > 2 && strncmp(line + letters, ": ", 2) == 0) {
            break;
        }
        caption = texts_format(texts, "%s%s%.*s", caption, *caption ? " " : "", (int)length - 2, line + 2);
        line += length + (line[length] == '\n');
    }
    return caption;
}

// What draws the chart: "series" of load 'series.gp'.
static const char *read_kind(struct texts *texts, const char *text) {
    static const char *const scripts[] = {"series", "bars", "stack", "scaling", "steps", "matrix"};
    const char *kind = key_text(texts, text, "picture");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && !*kind; i++) {
        char line[64];
        snprintf(line, sizeof line, "\nload '%s.gp'", scripts[i]);
        kind = strstr(text, line) ? scripts[i] : kind;
    }
    return kind;
}

static struct chart chart_read(struct texts *texts, const char *name, const char *text, const char *lists) {
    text = texts_format(texts, "\n%s", text); // so that each key follows the end of a line
    struct chart chart = {.name = name, .text = text + 1};
    chart.probe = key_text(texts, text, "probe");
    chart.file = key_text(texts, text, "file");
    chart.variants = key_text(texts, text, "variants");
    chart.scope = key_text(texts, text, "scope");
    chart.series = key_text(texts, text, "series");
    chart.published = key_text(texts, text, "published");
    chart.kind = read_kind(texts, text);
    chart.caption = read_caption(texts, chart.text);
    chart.patterns = read_patterns(texts, chart.variants, lists);
    chart.yardsticks = key_words(texts, text, "yardsticks");
    chart.beside = key_words(texts, text, "beside");
    chart.rows = key_words(texts, text, "rows");
    chart.values = key_words(texts, text, "values");
    chart.same = key_words(texts, text, "same");
    chart.curves = key_words(texts, text, "curves");
    chart.alike = words_split(
        texts, texts_format(texts, "%s %s", key_text(texts, text, "same"), key_text(texts, text, "alike")), " ");
    chart.where = key_choices(texts, text, "where");
    chart.groups = key_choices(texts, text, "groups");
    read_definitions(&chart, texts, text);
    const char *reference = key_text(texts, text, "relative");
    const size_t length = strcspn(reference, "=");
    chart.reference_column = texts_keep(texts, reference, length);
    chart.reference_value = reference + length + (reference[length] == '=');
    chart.points = key_count(text, "points", list_place("series bars steps", ' ', chart.kind) >= 0 ? 2 : 1);
    chart.first = key_count(text, "first", 0);
    chart.one_source = strcmp(key_text(texts, text, "sources"), "one") == 0;
    chart.counts_all = strcmp(key_text(texts, text, "counts"), "all") == 0;
    return chart;
}

static void chart_clear(struct chart *chart) {
    const struct words *const lists[] = {&chart->patterns, &chart->yardsticks, &chart->beside, &chart->rows,
                                         &chart->values,   &chart->same,       &chart->alike,  &chart->curves};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->words);
    }
    free(chart->definitions);
    free(chart->where.choices);
    free(chart->groups.choices);
    *chart = (struct chart){0};
}

// ---- Variants ----

bool chart_names(const struct chart *chart, const char *variant) {
    bool found = words_have(&chart->yardsticks, variant);
    for (size_t i = 0; i < chart->patterns.count && !found; i++) {
        found = fnmatch(chart->patterns.words[i], variant, 0) == 0;
    }
    return found;
}

bool chart_is_about(const struct chart *chart, const char *variant) {
    bool found = words_have(&chart->yardsticks, variant);
    for (size_t i = 0; i < chart->beside.count && !found; i++) {
        found = fnmatch(chart->beside.words[i], variant, 0) == 0;
    }
    return !found;
}

bool chart_lists(const struct chart *chart, const char *variant, bool is_published) {
    for (size_t i = 0; i < chart->patterns.count; i++) {
        const char *pattern = chart->patterns.words[i];
        if (*pattern == '!' &&
            (strcmp(pattern, "!@unpublished") == 0 ? !is_published : fnmatch(pattern + 1, variant, 0) == 0)) {
            return false;
        }
    }
    return chart_names(chart, variant);
}

const char *chart_short_name(const struct chart *chart, const char *variant) {
    for (size_t i = 0; i < chart->patterns.count; i++) {
        const char *pattern = chart->patterns.words[i];
        if (*pattern != '!' && pattern[strlen(pattern) - 1] == '*' && fnmatch(pattern, variant, 0) == 0) {
            return variant + strlen(pattern) - 1;
        }
    }
    return variant;
}

const char *chart_group(const struct chart *chart, const char *value) {
    for (size_t i = 0; i < chart->groups.count; i++) {
        if (list_place(chart->groups.choices[i].members, '|', value) >= 0) {
            return chart->groups.choices[i].name;
        }
    }
    return NULL;
}

// ---- Charts ----

// STATUS_USAGE if a column of the chart of this path cannot be computed.
static enum status check_columns(struct texts *texts, const struct chart *chart, const char *path,
                                 struct error *error) {
    struct words ended = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < chart->definition_count && status == STATUS_OK; i++) {
        const char *column = chart->definitions[i].name;
        if (is_endless(texts, chart, column, 0, &ended)) {
            status = error_set(error, STATUS_USAGE,
                               "%s: the column %s is computed from itself: name others in its line '# column:'", path,
                               column);
        }
    }
    free(ended.words);
    return status;
}

// STATUS_USAGE if the chart of this path cannot be computed.
static enum status add_chart(struct charts *charts, const char *path, const char *name, size_t length, const char *text,
                             const char *lists, struct error *error) {
    struct chart chart = chart_read(&charts->texts, texts_keep(&charts->texts, name, length), text, lists);
    const bool is_chart =
        *chart.probe && chart.rows.count > 0 && chart.rows.count <= POSITIONS_MAX && chart.values.count > 0;
    const enum status status = check_columns(&charts->texts, &chart, path, error);
    if (is_chart && status == STATUS_OK) {
        charts->charts = memory_room(charts->charts, charts->count, sizeof *charts->charts);
        charts->charts[charts->count++] = chart;
    } else {
        chart_clear(&chart);
    }
    return status;
}

// A file's text, to be freed; NULL if it cannot be read.
static char *read_text(const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "r");
    if (file && getdelim(&text, &length, '\0', file) < 0) {
        free(text);
        text = ferror(file) ? NULL : memory_text("", 0);
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static enum status cannot_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
}

enum status charts_read_folder(struct charts *charts, const char *folder, struct error *error) {
    char *variants = memory_format("%s/variants", folder), *pattern = memory_format("%s/*.gp", folder);
    char *lists = read_text(variants);
    enum status status = lists ? STATUS_OK : cannot_read(variants, error);
    glob_t files = {0};
    if (status == STATUS_OK && glob(pattern, 0, NULL, &files) != 0) {
        status = error_set(error, STATUS_USAGE, "%s: there is no chart in it: name the folder plots", folder);
    }
    for (size_t i = 0; i < files.gl_pathc && status == STATUS_OK; i++) {
        const char *path = files.gl_pathv[i], *name = strrchr(path, '/') + 1;
        char *text = read_text(path);
        status = text ? STATUS_OK : cannot_read(path, error);
        if (text) {
            status = add_chart(charts, path, name, strlen(name) - strlen(".gp"), text, lists, error);
        }
        free(text);
    }
    globfree(&files);
    free(lists);
    free(variants);
    free(pattern);
    return status;
}

void charts_read_own(struct charts *charts) {
    static const char FOLDER[] = "plots/", END[] = ".gp";
    char *lists = part_text("plots/variants");
    struct part part = {0};
    while (part_next(&part, FOLDER, END)) {
        char *text = memory_text(part.text, part.length);
        add_chart(charts, "", part.path + strlen(FOLDER), part.path_length - strlen(FOLDER) - strlen(END), text, lists,
                  NULL);
        free(text);
    }
    free(lists);
}

void charts_clear(struct charts *charts) {
    for (size_t i = 0; i < charts->count; i++) {
        chart_clear(&charts->charts[i]);
    }
    free(charts->charts);
    texts_clear(&charts->texts);
    *charts = (struct charts){0};
}

bool charts_published(const char *name, struct table *table) {
    if (!*name) {
        return false;
    }
    struct part part = {0};
    struct error error = {0};
    char *path = memory_format("results/published/%s", name);
    const bool found = part_next(&part, path, path);
    FILE *file = found ? fmemopen((void *)(uintptr_t)part.text, part.length, "r") : NULL;
    const bool read = file && table_read_published(table, file, name, &error) == STATUS_OK;
    free(path);
    return read;
}

// ---- Curves ----

static double evaluate(const struct table *table, size_t row, const char *product) {
    struct factor factor;
    double result = 1;
    while (factor_take(&product, &factor)) {
        char *name = memory_text(factor.name, factor.length);
        const double amount = atof(factor.is_number ? name : table_text(table, row, name));
        free(name);
        result = factor.divides ? result / amount : result * amount;
    }
    return result;
}

struct curves curves_read(const struct chart *chart) {
    struct curves curves = {0};
    struct names devices = {0};
    struct table table;
    if (chart->curves.count != 3 || !charts_published(chart->curves.words[0], &table)) {
        return curves;
    }
    for (size_t row = 0; row < table.row_count; row++) {
        const char *device = table_text(&table, row, "device");
        const size_t number = names_number(&devices, device);
        if (number == curves.count) {
            curves.curves = memory_room(curves.curves, curves.count, sizeof *curves.curves);
            curves.curves[curves.count++] = (struct curve){.device = memory_copy(device)};
        }
        struct curve *curve = &curves.curves[number];
        curve->points = memory_room(curve->points, curve->count, sizeof *curve->points);
        curve->points[curve->count++] = (struct point){evaluate(&table, row, chart->curves.words[1]),
                                                       evaluate(&table, row, chart->curves.words[2])};
    }
    names_clear(&devices);
    table_clear(&table);
    return curves;
}

void curves_clear(struct curves *curves) {
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->curves[i].device);
        free(curves->curves[i].points);
    }
    free(curves->curves);
    *curves = (struct curves){0};
}
