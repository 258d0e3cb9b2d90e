// Facts about this machine from /proc and /sys. A fact that is missing there is 0 or empty.
#ifndef DEVICE_CPU_HOST_H
#define DEVICE_CPU_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "util/error.h"

// The widest vectors that the kernels can use on this machine.
enum cpu_vectors {
    CPU_PORTABLE,
    CPU_SSE2,
    CPU_AVX2,
    CPU_AVX512,
    CPU_NEON
};
enum cpu_vectors cpu_vectors(void);

// The vectors that a program for this kind of processor is built for: X(vectors, suffix of its functions) for each.
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

// The last-level caches of this process's processors, summed.
struct cpu_cache_sizes {
    uint64_t reported_bytes;  // as the machine states them
    uint64_t effective_bytes; // what the threads together can hold in them, at most reported_bytes
};
// Takes about 10 ms.
struct cpu_cache_sizes cpu_last_level_caches(void);

// Reads the start of a small text file and appends a NUL; false if there is none.
bool cpu_read_text(const char *path, char *text, size_t size);

// Describes the caches of the first processor that this process may use, from the nearest on; returns their number.
size_t cpu_data_caches(struct data_cache caches[DATA_CACHES_MAX]);

struct cpu_memory {
    uint64_t total_bytes;
    uint64_t available_bytes; // without swapping, within the limits of the process's control groups, less a reserve
};

struct cpu_memory cpu_memory(void);
// The same, from files below another root than /.
struct cpu_memory cpu_memory_below(const char *root);

// The processors that this process may keep busy, by its affinity and by the limits of its control groups; at least 1.
uint32_t cpu_processors(void);
// The same, with groups below another root than /.
uint32_t cpu_processors_below(const char *root);

// Writes a zero into each page, by the threads that will use it (device/cpu/slice.h), because a page belongs to the
// node of the thread that writes it first, unless it is bound to another one.
void cpu_first_touch(void *memory, size_t bytes);

// Returns STATUS_USAGE if more is needed than available, because the kernel would promise the memory and kill the
// process later.
enum status cpu_memory_check(const char *what, double bytes, const char *cure, struct error *error);

// ---- The measured clock ----

// MHz of the calling thread's core, from about 100 us of dependent one-cycle instructions.
double cpu_clock_mhz(void);

// ---- What the firmware's tables say ----

// GB/s (10^9 bytes) of all memory channels in use, from the firmware; only root can read the table.
double cpu_memory_peak_gb_s(void);

// The same from an SMBIOS structure table: the sum over channels of transfers per second times width. 0 if a module's
// speed, width or channel is missing.
double cpu_smbios_peak_gb_s(const uint8_t *table, size_t bytes);

#endif
