// Kernels of the CPU's threads, which share the memory's pages. Arguments: the memory, its bytes, the first value of
// what is written, and the address of a 64-bit word for what is read.
#ifndef LINKS_NODES_CPU_H
#define LINKS_NODES_CPU_H

#include "device/device.h"

enum {
    LINKS_PAGE_BYTES = 4096 // the memory has whole pages
};

native_kernel links_cpu_read; // the sum of the 32-bit words
native_kernel links_cpu_write;
native_kernel links_cpu_write_past_caches;

#endif
