#include "model/parts/meaning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct extreme {
    const struct gpu *gpu; // NULL: no part has a known figure
    struct cell cell;
};

// Of cells with equal values the first is the least and the last the most, so that texts which differ are told apart.
static void find_extremes(const struct fact *fact, const struct gpu *const *gpus, size_t count, struct extreme *most,
                          struct extreme *least) {
    *most = *least = (struct extreme){0};
    for (size_t i = 0; i < count; i++) {
        struct extreme at = {.gpu = gpus[i]};
        fact_cell(fact, gpus[i], &at.cell);
        if (isnan(at.cell.value)) {
            continue;
        }
        if (!most->gpu || at.cell.value >= most->cell.value) {
            *most = at;
        }
        if (!least->gpu || at.cell.value < least->cell.value) {
            *least = at;
        }
    }
}

static void expand(char text[MEANING_TEXT], const char *template, const struct extreme *most,
                   const struct extreme *least) {
    char ratio[16];
    snprintf(ratio, sizeof ratio, "%.3g", most->cell.value / least->cell.value);
    const struct {
        const char *mark, *value;
    } places[] = {{"{A}", most->gpu->name},
                  {"{B}", least->gpu->name},
                  {"{a}", most->cell.text},
                  {"{b}", least->cell.text},
                  {"{r}", ratio}};
    size_t used = 0;
    while (*template && used + 1 < MEANING_TEXT) {
        const char *value = NULL;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            if (strncmp(template, places[i].mark, strlen(places[i].mark)) == 0) {
                value = places[i].value;
            }
        }
        used += (size_t)snprintf(text + used, MEANING_TEXT - used, "%.*s", value ? (int)strlen(value) : 1,
                                 value ? value : template);
        template += value ? strlen("{A}") : 1;
    }
}

bool meaning_of(const struct fact *fact, const struct gpu *const *gpus, size_t count, char text[MEANING_TEXT]) {
    struct extreme most, least;
    find_extremes(fact, gpus, count, &most, &least);
    if (!fact->meaning || !most.gpu || most.gpu == least.gpu || strcmp(most.cell.text, least.cell.text) == 0) {
        return false;
    }
    expand(text, fact->meaning, &most, &least);
    return true;
}
