#include "sim/sample.h"

#include <math.h>
#include <stdlib.h>

enum {
    // Of neighbouring blocks for each kind, because neighbours share sectors and rows of memory.
    RUN_LEAST = 4,
    RUNS = 4 // at most, spread over the grid
};

static int by_kind(const void *left, const void *right) {
    const struct sim_kind *a = left, *b = right;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return (a->block > b->block) - (a->block < b->block);
}

static size_t without_repeats(struct sim_kind *looked, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || looked[kept - 1].block != looked[i].block) {
            looked[kept++] = looked[i];
        }
    }
    return kept;
}

static enum status make_room(struct sim_sample *sample, size_t blocks, size_t strata, struct error *error) {
    *sample = (struct sim_sample){.blocks = malloc((blocks + 1) * sizeof *sample->blocks),
                                  .strata = malloc((strata + 1) * sizeof *sample->strata)};
    if (sample->blocks && sample->strata) {
        return STATUS_OK;
    }
    sim_sample_destroy(sample);
    return error_set(error, STATUS_FAILED, "no memory for the numbers of the blocks: simulate fewer (--sim-blocks)");
}

static size_t kind_end(const struct sim_kind *looked, size_t count, size_t first) {
    size_t end = first;
    while (end < count && looked[end].kind == looked[first].kind) {
        end++;
    }
    return end;
}

// The number of blocks to run of a kind with `members` blocks. One is enough if they return at once.
static size_t share(uint64_t wanted, size_t members, size_t looked, bool idle) {
    double part = (double)wanted * (double)members / (double)looked;
    size_t taken = idle ? 1 : (size_t)(part + 0.5);
    taken += taken == 0;
    return taken < members ? taken : members;
}

// The first of `length` members near `first` that are neighbours, if there are such.
static size_t align_run(const struct sim_kind *members, size_t begin, size_t first, size_t length) {
    size_t aligned = first;
    while (aligned > begin && members[aligned].block - members[aligned - 1].block == 1) {
        aligned--;
    }
    const bool together = members[first + length - 1].block - members[first].block == length - 1;
    return together ? first : aligned;
}

// Takes evenly spread runs of neighbouring blocks.
static void take_spread(struct sim_sample *sample, const struct sim_kind *members, size_t count, size_t taken) {
    const size_t wanted = taken / RUN_LEAST, runs = wanted < 1 ? 1 : wanted < RUNS ? wanted : RUNS;
    for (size_t run = 0; run < runs; run++) {
        size_t begin = run * count / runs, end = (run + 1) * count / runs;
        size_t length = (run + 1) * taken / runs - run * taken / runs;
        size_t first = begin + (end - begin > length ? (end - begin - length) / 2 : 0);
        first = align_run(members, begin, first, length);
        for (size_t i = 0; i < length; i++) {
            sample->blocks[sample->block_count++] = members[first + i].block;
        }
    }
}

enum status sim_sample_take(struct sim_sample *sample, uint64_t grid_blocks, uint64_t wanted, struct sim_kind *looked,
                            size_t looked_count, struct error *error) {
    qsort(looked, looked_count, sizeof *looked, by_kind);
    looked_count = without_repeats(looked, looked_count);
    enum status status = make_room(sample, looked_count, looked_count, error);
    for (size_t first = 0, end; status == STATUS_OK && first < looked_count; first = end) {
        end = kind_end(looked, looked_count, first);
        struct sim_stratum *stratum = &sample->strata[sample->stratum_count++];
        *stratum =
            (struct sim_stratum){.first = sample->block_count,
                                 .idle = looked[first].kind == 0,
                                 .grid_blocks = (double)grid_blocks * (double)(end - first) / (double)looked_count};
        take_spread(sample, looked + first, end - first, share(wanted, end - first, looked_count, stratum->idle));
        stratum->count = sample->block_count - stratum->first;
    }
    sample->is_part = sample->block_count < grid_blocks;
    return status;
}

enum status sim_sample_all(struct sim_sample *sample, uint64_t grid_blocks, struct error *error) {
    enum status status = make_room(sample, grid_blocks, 1, error);
    if (status != STATUS_OK) {
        return status;
    }
    for (uint64_t block = 0; block < grid_blocks; block++) {
        sample->blocks[sample->block_count++] = block;
    }
    sample->strata[sample->stratum_count++] =
        (struct sim_stratum){.count = grid_blocks, .grid_blocks = (double)grid_blocks};
    return STATUS_OK;
}

// make_room has left room for it.
void sim_sample_add_last(struct sim_sample *sample, uint64_t grid_blocks) {
    if (sample->is_part) {
        sample->strata[sample->stratum_count - 1].grid_blocks -= 1;
        sample->strata[sample->stratum_count++] =
            (struct sim_stratum){.first = sample->block_count, .count = 1, .grid_blocks = 1, .is_last = true};
        sample->blocks[sample->block_count++] = grid_blocks - 1;
    }
}

double sim_sample_scale(const struct sim_sample *sample) {
    double of_grid = 0, run = 0;
    for (size_t i = 0; i < sample->stratum_count; i++) {
        of_grid += sample->strata[i].idle ? 0 : sample->strata[i].grid_blocks;
        run += sample->strata[i].idle ? 0 : (double)sample->strata[i].count;
    }
    return run > 0 ? of_grid / run : 1;
}

void sim_sample_destroy(struct sim_sample *sample) {
    free(sample->blocks);
    free(sample->strata);
    free(sample->cluster_blocks);
    *sample = (struct sim_sample){0};
}

// Stratified sampling: the variance of a total is the sum of N^2 (1 - n / N) s^2 / n over the kinds.
double sim_sample_error_pct(const struct sim_sample *sample, const uint64_t *of_block) {
    double total = 0, variance = 0;
    for (size_t i = 0; i < sample->stratum_count; i++) {
        const struct sim_stratum *stratum = &sample->strata[i];
        double count = (double)stratum->count, sum = 0, squares = 0;
        for (size_t k = stratum->first; k < stratum->first + stratum->count; k++) {
            sum += (double)of_block[k];
        }
        for (size_t k = stratum->first; k < stratum->first + stratum->count; k++) {
            squares += ((double)of_block[k] - sum / count) * ((double)of_block[k] - sum / count);
        }
        total += sum / count * stratum->grid_blocks;
        if (stratum->grid_blocks <= count || stratum->idle) {
            continue;
        }
        if (stratum->count < 2) {
            return NAN;
        }
        variance += stratum->grid_blocks * (stratum->grid_blocks - count) * squares / (count - 1) / count;
    }
    return total > 0 ? 100 * sqrt(variance) / total : 0;
}
