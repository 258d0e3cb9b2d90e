// How much of a cache this process really gets: a virtual machine reports its host's, and may have a small share of it.
#ifndef DEVICE_CPU_CACHE_H
#define DEVICE_CPU_CACHE_H

#include <stdint.h>

// The largest footprint, up to reported_bytes, of which random loads mostly hit. 32 MiB take some 10 ms. Where lines
// cannot be flushed, or memory is short, it is what was reported.
uint64_t cpu_measure_cache_bytes(uint64_t reported_bytes);

#endif
