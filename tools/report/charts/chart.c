#include "tools/report/charts/chart.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// Whether a way from the column along definitions, of which `steps` were gone, is longer than there are definitions.
static bool is_endless(struct texts *texts, const struct chart *chart, const char *column, size_t steps) {
    const char *expression = chart_expression(chart, column);
    bool endless = steps > chart->definition_count + COMMON_COUNT;
    struct words names = words_split(texts, expression ? expression : "", "*/|()");
    for (size_t i = 0; i < names.count && !endless; i++) {
        endless = is_endless(texts, chart, names.words[i], steps + 1);
    }
    free(names.words);
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

struct chart chart_read(struct texts *texts, const char *name, const char *text, const char *lists) {
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
    for (size_t i = 0; i < chart.definition_count && !chart.endless; i++) {
        chart.endless = is_endless(texts, &chart, chart.definitions[i].name, 0) ? chart.definitions[i].name : NULL;
    }
    return chart;
}

void chart_clear(struct chart *chart) {
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
