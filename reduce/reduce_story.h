// What one step gained over another: the rows of a run, kept until its end.
#ifndef REDUCE_REDUCE_STORY_H
#define REDUCE_REDUCE_STORY_H

#include <stdio.h>

#include "reduce/reduce.h"

// The bandwidth at which this device reads so many numbers of a type, as measured in this run; NaN: not yet.
double reduce_story_limit(const struct device *device, enum reduce_type type, uint64_t elements);
void reduce_story_set_limit(const struct device *device, enum reduce_type type, uint64_t elements, double gb_s);

// Puts the speed-up over the step before into the row where that has run with the same parameters, and keeps the row.
// told: it is a part of the story, too.
void reduce_story_add(const struct variant *variant, struct row *row, bool told);

// The run as a story: step, what changed, what the counters say, what it gained.
void reduce_story_print(const void *session, FILE *file);

#endif
