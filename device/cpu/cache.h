// How much of a cache this process can use. A virtual machine reports its host's cache and may have a small share of
// it.
#ifndef DEVICE_CPU_CACHE_H
#define DEVICE_CPU_CACHE_H

#include <stdint.h>

// The largest footprint, up to reported_bytes, in which random loads mostly hit. Measuring 32 MiB takes about 10 ms.
// Returns reported_bytes if lines cannot be flushed or memory is short.
uint64_t cpu_measure_cache_bytes(uint64_t reported_bytes);

#endif
