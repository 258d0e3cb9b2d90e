// What Linux says about this machine in /proc and /sys. A fact that is missing there is 0 or empty.
#ifndef DEVICE_CPU_HOST_H
#define DEVICE_CPU_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// The widest vectors that kernels use here.
enum cpu_vectors {
    CPU_PORTABLE,
    CPU_SSE2,
    CPU_AVX2,
    CPU_AVX512,
    CPU_NEON
};
enum cpu_vectors cpu_vectors(void);

// Those that a program for this kind of processor is built for: X(vectors, suffix of its functions) for each.
#if defined __x86_64__
#define CPU_VECTORS_BUILT(X) X(CPU_SSE2, sse2) X(CPU_AVX2, avx2) X(CPU_AVX512, avx512)
#elif defined __aarch64__
#define CPU_VECTORS_BUILT(X) X(CPU_NEON, neon)
#else
#define CPU_VECTORS_BUILT(X) X(CPU_PORTABLE, portable)
#endif

// "x86-64 avx512", "arm64 neon".
const char *cpu_arch(void);

// "AMD EPYC 9575F 64-Core Processor"; returns name.
char *cpu_model_name(char *name, size_t size);

// The caches of the last level that this process's processors share, summed.
struct cpu_cache_sizes {
    uint64_t reported_bytes;  // as the machine states them
    uint64_t effective_bytes; // what the threads together can hold in them, at most what is reported
};
// Measures for about 10 ms.
struct cpu_cache_sizes cpu_last_level_caches(void);

struct cpu_memory {
    uint64_t total_bytes;
    uint64_t available_bytes; // without swapping, within the limits of the process's control groups, less a little
};
struct cpu_memory cpu_memory(void);
// The same, read below another root than /.
struct cpu_memory cpu_memory_below(const char *root);

// STATUS_USAGE where more is needed than is available: the kernel would promise the memory and kill the process later.
enum status cpu_memory_check(const char *what, double bytes, const char *cure, struct error *error);

// GB/s (10^9 bytes) of all memory channels in use, as the firmware states them; the table is readable by root.
double cpu_memory_peak_gb_s(void);

// The same from the text of an SMBIOS structure table: for each channel transfers a second times width. 0 if a module
// does not tell its speed, its width or its channel.
double cpu_smbios_peak_gb_s(const uint8_t *table, size_t bytes);

// The start of a small text file, with a NUL at the end; false if there is none.
bool cpu_read_text(const char *path, char *text, size_t size);

// The same of a file that Linux keeps for one cache of a processor: "size", "level", ...
bool cpu_read_cache_text(int cpu, int index, const char *name, char *text, size_t size);

// "32768K"
uint64_t cpu_size_in_bytes(const char *text);

// The number behind key where a line of text begins with it.
bool cpu_find_number(const char *text, const char *key, uint64_t *number);

#endif
