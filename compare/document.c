#include "compare/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool same_row_kind(const struct result *a, const struct result *b) {
    return a->source == b->source && strcmp(a->probe, b->probe) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->device, b->device) == 0;
}

bool same_mean(const struct comparison *a, const struct comparison *b) {
    return same_row_kind(a->a, b->a) && same_row_kind(a->b, b->b);
}

// The mean that the comparison belongs to. Rows of a variant mostly follow each other, so the last mean is tried first.
static struct mean *find_mean(struct contrast *contrast, const struct comparison *comparison) {
    for (size_t i = contrast->mean_count; i > 0; i--) {
        if (same_mean(contrast->means[i - 1].first, comparison)) {
            return &contrast->means[i - 1];
        }
    }
    struct mean *mean = &contrast->means[contrast->mean_count++];
    *mean = (struct mean){.first = comparison};
    return mean;
}

enum status contrast_find_means(struct contrast *contrast, struct error *error) {
    contrast->mean_count = 0;
    contrast->means = calloc(contrast->judgement.count + 1, sizeof *contrast->means);
    if (!contrast->means) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < contrast->judgement.count; i++) {
        const struct comparison *comparison = &contrast->judgement.comparisons[i];
        struct mean *mean = find_mean(contrast, comparison);
        mean->outcomes[comparison->outcome]++;
        if (!isnan(comparison->ratio)) {
            mean->log_sum += log(comparison->ratio);
            mean->rows++;
        }
    }
    return STATUS_OK;
}

double mean_ratio(const struct mean *mean) {
    return mean->rows ? exp(mean->log_sum / (double)mean->rows) : NAN;
}

void contrast_clear(struct contrast *contrast) {
    joined_clear(&contrast->joined);
    judgement_clear(&contrast->judgement);
    free(contrast->means);
    *contrast = (struct contrast){0};
}
