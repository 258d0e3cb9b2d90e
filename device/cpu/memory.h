// Memory that this process can use: the machine's, or less if a control group (a container, a batch job) limits it.
#ifndef DEVICE_CPU_MEMORY_H
#define DEVICE_CPU_MEMORY_H

#include "util/error.h"
#include <stdint.h>

struct cpu_memory {
    uint64_t total_bytes;
    uint64_t available_bytes; // without swapping, within the limits of the process's control groups, less a reserve
};

struct cpu_memory cpu_memory(void);
// The same, from files below another root than /.
struct cpu_memory cpu_memory_below(const char *root);

// Returns STATUS_USAGE if more is needed than available, because the kernel would promise the memory and kill the
// process later.
enum status cpu_memory_check(const char *what, double bytes, const char *cure, struct error *error);

#endif
