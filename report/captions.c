#include "report/captions.h"

#include <stdio.h>
#include <string.h>

// Where the chart's bold name first stands; NULL if it does not.
static const char *find_name(const char *readme, const char *chart) {
    char name[128];
    snprintf(name, sizeof name, "**%s**", chart);
    return strstr(readme, name);
}

// The last place in [readme, at] that follows the text; NULL if there is none.
static const char *last_after(const char *readme, const char *at, const char *text) {
    const size_t length = strlen(text);
    const char *found = NULL;
    for (const char *next = strstr(readme, text); next && next + length <= at; next = strstr(next + 1, text)) {
        found = next + length;
    }
    return found;
}

static const char *later(const char *a, const char *b) {
    return !a || (b && b > a) ? b : a;
}

// Several names may share a beginning: "**a** and **b**: ...".
static const char *find_beginning(const char *readme, const char *name) {
    const char *paragraph = last_after(readme, name, "\n\n");
    const char *sentence = later(last_after(readme, name, ". "), last_after(readme, name, ".\n"));
    while (sentence && strncmp(sentence, "**", 2) != 0 && sentence > readme) {
        const char *before = sentence - 2;
        sentence = later(last_after(readme, before, ". "), last_after(readme, before, ".\n"));
    }
    return later(paragraph, sentence);
}

static const char *find_end(const char *name) {
    const char *end = strstr(name, "\n\n");
    end = end ? end : name + strlen(name);
    const char *const nexts[] = {strstr(name, ". **"), strstr(name, ".\n**")};
    for (size_t i = 0; i < sizeof nexts / sizeof *nexts; i++) {
        end = nexts[i] && nexts[i] + 1 < end ? nexts[i] + 1 : end;
    }
    return end;
}

char *caption_of(const char *readme, const char *chart) {
    const char *name = find_name(readme, chart);
    const char *beginning = name ? find_beginning(readme, name) : NULL;
    return beginning ? strndup(beginning, (size_t)(find_end(name) - beginning)) : NULL;
}

char *caption_heading(const char *readme, const char *chart) {
    const char *name = find_name(readme, chart);
    const char *heading = name ? last_after(readme, name, "\n## ") : NULL;
    return heading ? strndup(heading, strcspn(heading, "\n")) : NULL;
}

size_t caption_place(const char *readme, const char *chart) {
    const char *name = find_name(readme, chart);
    return name ? (size_t)(name - readme) : 0;
}
