#include "compare/document.h"

#include <math.h>
#include <stdlib.h>

#include "compare/row_table.h"

const char nothing_compared[] = "Nothing is compared, because no row ran on both sides.";

bool same_mean(const struct comparison *a, const struct comparison *b) {
    return rows_equal(a->a, b->a, SAME_KIND) && rows_equal(a->b, b->b, SAME_KIND);
}

static struct mean *add_mean(struct contrast *contrast, const struct comparison *comparison) {
    struct mean *mean = &contrast->means[contrast->mean_count++];
    *mean = (struct mean){.first = comparison};
    return mean;
}

// The mean that the comparison belongs to. `kinds` holds the number of the first mean of each kind of A's rows. Means
// of other devices and sources of B, of which there are few, are linked to it.
static struct mean *find_mean(struct contrast *contrast, struct row_table *kinds, const struct comparison *comparison) {
    const struct row_entry *kind = row_table_add(kinds, comparison->a, contrast->mean_count);
    struct mean *mean = kind->count == 1 ? add_mean(contrast, comparison) : &contrast->means[kind->first];
    while (!same_mean(mean->first, comparison)) {
        if (!mean->next) {
            mean->next = add_mean(contrast, comparison);
        }
        mean = mean->next;
    }
    return mean;
}

enum status contrast_find_means(struct contrast *contrast, struct error *error) {
    struct row_table kinds = {0};
    contrast->mean_count = 0;
    contrast->means = calloc(contrast->judgement.count + 1, sizeof *contrast->means);
    enum status status = contrast->means ? row_table_make(&kinds, contrast->judgement.count, SAME_KIND, error)
                                         : error_set(error, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < contrast->judgement.count && status == STATUS_OK; i++) {
        const struct comparison *comparison = &contrast->judgement.comparisons[i];
        struct mean *mean = find_mean(contrast, &kinds, comparison);
        mean->outcomes[comparison->outcome]++;
        if (!isnan(comparison->ratio)) {
            mean->log_sum += log(comparison->ratio);
            mean->rows++;
        }
    }
    row_table_clear(&kinds);
    return status;
}

double mean_ratio(const struct mean *mean) {
    return mean->rows ? exp(mean->log_sum / (double)mean->rows) : NAN;
}

size_t document_pairs(const struct document *document) {
    size_t pairs = 0;
    for (size_t i = 0; i < document->contrast_count; i++) {
        pairs += document->contrasts[i].judgement.count;
    }
    return pairs;
}

void contrast_clear(struct contrast *contrast) {
    joined_clear(&contrast->joined);
    judgement_clear(&contrast->judgement);
    free(contrast->means);
    *contrast = (struct contrast){0};
}
