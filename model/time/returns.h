// Which loads and stores miss a cache of many units, from how regularly visits to a line return.
#ifndef MODEL_TIME_RETURNS_H
#define MODEL_TIME_RETURNS_H

#include <stdbool.h>

// The share of visits that memory serves.
// - footprint: in sizes of the cache, whose least recently used lines make room.
// - halves: the cache consists of two, of which each also keeps copies of the other's lines for the units near to it.
// - irregularity: of the times between two visits to a line, standard deviation over mean; 1: by chance; 0: in turn.
double returns_missed(double footprint, bool halves, double irregularity);

#endif
