#include "tools/report/charts/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/text.h"

// ---- Words ----

static void add_word(struct words *words, const char *text, size_t length) {
    words->words = memory_room(words->words, words->count, sizeof *words->words);
    words->words[words->count++] = memory_text(text, length);
}

struct words words_split(const char *text, const char *separators) {
    struct words words = {0};
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        const size_t length = strcspn(text, separators);
        add_word(&words, text, length);
        text += length;
    }
    return words;
}

void words_clear(struct words *words) {
    for (size_t i = 0; i < words->count; i++) {
        free(words->words[i]);
    }
    free(words->words);
    *words = (struct words){0};
}

bool words_have(const struct words *words, const char *word) {
    bool found = false;
    for (size_t i = 0; i < words->count && !found; i++) {
        found = strcmp(words->words[i], word) == 0;
    }
    return found;
}

// ---- Keys ----

// Where the line of this key goes on after it; NULL if there is none at or after `from`.
static const char *find_key(const char *from, const char *key) {
    char line[64];
    const int length = snprintf(line, sizeof line, "# %s: ", key);
    for (const char *at = from; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, (size_t)length) == 0) {
            return at + length;
        }
    }
    return NULL;
}

static char *key_text(const char *text, const char *key) {
    const char *found = find_key(text, key);
    return found ? memory_text(found, strcspn(found, "\n")) : memory_text("", 0);
}

static size_t key_count(const char *text, const char *key, size_t otherwise) {
    const char *found = find_key(text, key);
    return found ? strtoul(found, NULL, 10) : otherwise;
}

static bool key_is(const char *text, const char *key, const char *value) {
    char *found = key_text(text, key);
    const bool is = strcmp(found, value) == 0;
    free(found);
    return is;
}

static struct words key_words(const char *text, const char *key) {
    char *value = key_text(text, key);
    const struct words words = words_split(value, " ");
    free(value);
    return words;
}

// "NAME=A|B C ...".
static struct key_choices key_choices(const char *text, const char *key) {
    struct words words = key_words(text, key);
    struct key_choices choices = {memory_zeros(words.count, sizeof *choices.choices), words.count};
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.words[i];
        const size_t length = strcspn(word, "=");
        choices.choices[i].name = memory_text(word, length);
        choices.choices[i].members = memory_copy(word[length] ? word + length + 1 : word);
    }
    words_clear(&words);
    return choices;
}

// "# column: NAME = EXPRESSION"; there may be several such lines.
static void read_definitions(struct chart *chart) {
    for (const char *at = find_key(chart->text, "column"); at; at = find_key(at, "column")) {
        const char *equals = strstr(at, " = ");
        if (equals) {
            chart->definitions = memory_room(chart->definitions, chart->definition_count, sizeof *chart->definitions);
            chart->definitions[chart->definition_count++] = (struct definition){
                memory_text(at, (size_t)(equals - at)), memory_text(equals + 3, strcspn(equals + 3, "\n"))};
        }
    }
}

// Puts the lines of plots/variants in place of their names.
static struct words read_patterns(const char *variants, const char *lists) {
    struct words patterns = {0}, names = words_split(variants, " ");
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.words[i];
        char line[64];
        snprintf(line, sizeof line, "\n%s: ", name + 1);
        const char *list = *name == '@' ? strstr(lists, line) : NULL;
        char *text =
            list ? memory_text(list + strlen(line), strcspn(list + 1, "\n") + 1 - strlen(line)) : memory_copy(name);
        struct words words = words_split(text, " ");
        for (size_t j = 0; j < words.count; j++) {
            add_word(&patterns, words.words[j], strlen(words.words[j]));
        }
        words_clear(&words);
        free(text);
    }
    words_clear(&names);
    return patterns;
}

// The comment lines before the first key, as one line.
static char *read_caption(const char *text) {
    char *caption = memory_zeros(strlen(text) + 1, 1), *to = caption;
    for (const char *line = text; strncmp(line, "# ", 2) == 0;) {
        const size_t letters = 2 + strspn(line + 2, "abcdefghijklmnopqrstuvwxyz"), length = strcspn(line, "\n");
        if (letters > 2 && strncmp(line + letters, ": ", 2) == 0) {
            break;
        }
        to += sprintf(to, "%s%.*s", to > caption ? " " : "", (int)length - 2, line + 2);
        line += length + (line[length] == '\n');
    }
    return caption;
}

// What draws the chart: "series" of load 'series.gp'.
static char *read_kind(const char *text) {
    static const char *const scripts[] = {"series", "bars", "stack", "scaling", "steps", "matrix"};
    char *kind = key_text(text, "picture");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && !*kind; i++) {
        char line[64];
        snprintf(line, sizeof line, "\nload '%s.gp'", scripts[i]);
        if (strstr(text, line)) {
            free(kind);
            kind = memory_copy(scripts[i]);
        }
    }
    return kind;
}

struct chart chart_read(const char *name, const char *text, const char *lists) {
    struct chart chart = {.name = memory_copy(name), .text = memory_copy(text)};
    chart.probe = key_text(text, "probe");
    chart.file = key_text(text, "file");
    chart.variants = key_text(text, "variants");
    chart.scope = key_text(text, "scope");
    chart.series = key_text(text, "series");
    chart.published = key_text(text, "published");
    chart.kind = read_kind(text);
    chart.caption = read_caption(text);
    chart.patterns = read_patterns(chart.variants, lists);
    chart.yardsticks = key_words(text, "yardsticks");
    chart.beside = key_words(text, "beside");
    chart.rows = key_words(text, "rows");
    chart.values = key_words(text, "values");
    chart.same = key_words(text, "same");
    chart.curves = key_words(text, "curves");
    char *alike = text_join(key_text(text, "same"), " ", key_text(text, "alike"));
    chart.alike = words_split(alike, " ");
    free(alike);
    chart.where = key_choices(text, "where");
    chart.groups = key_choices(text, "groups");
    read_definitions(&chart);
    char *reference = key_text(text, "relative");
    const size_t length = strcspn(reference, "=");
    chart.reference_column = memory_text(reference, length);
    chart.reference_value = memory_text(reference + length + (reference[length] == '='), strlen(reference));
    free(reference);
    chart.points = key_count(text, "points", list_place("series bars steps", ' ', chart.kind) >= 0 ? 2 : 1);
    chart.first = key_count(text, "first", 0);
    chart.one_source = key_is(text, "sources", "one");
    chart.counts_all = key_is(text, "counts", "all");
    return chart;
}

static void choices_clear(struct key_choices *choices) {
    for (size_t i = 0; i < choices->count; i++) {
        free(choices->choices[i].name);
        free(choices->choices[i].members);
    }
    free(choices->choices);
}

void chart_clear(struct chart *chart) {
    char *const texts[] = {
        chart->caption,         chart->name,   chart->text, chart->probe,     chart->variants,
        chart->scope,           chart->series, chart->kind, chart->published, chart->reference_column,
        chart->reference_value, chart->file};
    struct words *const lists[] = {&chart->patterns, &chart->yardsticks, &chart->beside, &chart->rows,
                                   &chart->values,   &chart->same,       &chart->alike,  &chart->curves};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(texts[i]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        words_clear(lists[i]);
    }
    for (size_t i = 0; i < chart->definition_count; i++) {
        free(chart->definitions[i].name);
        free(chart->definitions[i].expression);
    }
    free(chart->definitions);
    choices_clear(&chart->where);
    choices_clear(&chart->groups);
    *chart = (struct chart){0};
}

// ---- Variants ----

// Whether "A" is the variant, or "A*" its beginning.
static bool fits(const char *variant, const char *pattern) {
    const size_t length = strlen(pattern);
    return length > 0 && pattern[length - 1] == '*' ? strncmp(variant, pattern, length - 1) == 0
                                                    : strcmp(variant, pattern) == 0;
}

bool chart_names(const struct chart *chart, const char *variant) {
    bool found = words_have(&chart->yardsticks, variant);
    for (size_t i = 0; i < chart->patterns.count && !found; i++) {
        found = fits(variant, chart->patterns.words[i]);
    }
    return found;
}

bool chart_is_about(const struct chart *chart, const char *variant) {
    bool found = words_have(&chart->yardsticks, variant);
    for (size_t i = 0; i < chart->beside.count && !found; i++) {
        found = fits(variant, chart->beside.words[i]);
    }
    return !found;
}

bool chart_lists(const struct chart *chart, const char *variant, bool is_published) {
    for (size_t i = 0; i < chart->patterns.count; i++) {
        const char *pattern = chart->patterns.words[i];
        if (*pattern == '!' && (strcmp(pattern, "!@unpublished") == 0 ? !is_published : fits(variant, pattern + 1))) {
            return false;
        }
    }
    return chart_names(chart, variant);
}

const char *chart_short_name(const struct chart *chart, const char *variant) {
    for (size_t i = 0; i < chart->patterns.count; i++) {
        const char *pattern = chart->patterns.words[i];
        if (*pattern != '!' && pattern[strlen(pattern) - 1] == '*' && fits(variant, pattern)) {
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
