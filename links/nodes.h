// Bandwidth between the nodes of a CPU's memory: what the threads of one node read from another or write to it.
#ifndef LINKS_NODES_H
#define LINKS_NODES_H

#include "bench/probe.h"

// ---- The CPU's loops ----

// Kernels of the CPU's threads, which share the memory's pages. Arguments: the memory, its bytes, the first value of
// what is written, and the address of a 64-bit word for what is read.

native_kernel links_cpu_read; // the sum of the 32-bit words
native_kernel links_cpu_write;
native_kernel links_cpu_write_past_caches;

// The footprint is one node's memory; 0: several times the caches.
enum status links_check_nodes(const struct run *run, const struct point *point, struct error *error);
// Rows for each node with processors and each node with memory.
enum status links_measure_nodes(struct run *run, const struct point *point, struct error *error);

#endif
