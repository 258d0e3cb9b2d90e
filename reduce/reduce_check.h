// Which blocks run, because the simulator may run only some, and whether their sums are right.
#ifndef REDUCE_REDUCE_CHECK_H
#define REDUCE_REDUCE_CHECK_H

#include "reduce/reduce_job.h"

// The i-th block of the first launch that runs; false after the last.
bool reduce_next_block(const struct reduce_job *job, uint64_t i, uint64_t *block);
bool reduce_is_partial(const struct reduce_job *job);

// Tiles of the first launch.
uint64_t reduce_tile_count(const struct reduce_job *job);

// Checks the sum of each block that ran. It must follow the first launch.
enum status reduce_check_blocks(struct reduce_job *job, bool *right, struct error *error);

// The checks of variants' rows: of the one sum; of the yardstick's checksums; of the sum or, if only some blocks ran,
// of the blocks' sums, of the sum and the count so far, or the result of reduce_check_blocks after the first launch.
enum status reduce_check_sum(struct reduce_job *job, bool *right, struct error *error);
enum status reduce_check_checksums(struct reduce_job *job, bool *right, struct error *error);
enum status reduce_check_last_block(struct reduce_job *job, bool *right, struct error *error);
enum status reduce_check_counted(struct reduce_job *job, bool *right, struct error *error);
enum status reduce_check_launches(struct reduce_job *job, bool *right, struct error *error);

#endif
