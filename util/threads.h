// OpenMP's functions, or replacements for a single thread where the compiler has no OpenMP.
#ifndef UTIL_THREADS_H
#define UTIL_THREADS_H

#include "util/error.h"

#ifdef _OPENMP
#include <omp.h>
#define OPENMP_TEXT(version) OPENMP_TEXT_OF(version)
#define OPENMP_TEXT_OF(version) "OpenMP " #version

static inline const char *openmp_version(void) {
    return OPENMP_TEXT(_OPENMP);
}
#else
static inline const char *openmp_version(void) {
    return "no OpenMP";
}

static inline int omp_get_max_threads(void) {
    return 1;
}

static inline int omp_get_thread_num(void) {
    return 0;
}

static inline int omp_get_num_threads(void) {
    return 1;
}

static inline int omp_get_num_procs(void) {
    return 1;
}

static inline void omp_set_num_threads(int threads) {
    (void)threads;
}
#endif

enum {
    THREADS_ALWAYS_ALLOWED = 256,
    THREADS_ALLOWED_A_PROCESSOR = 16
};

// Refuses more threads than any run can use, because libgomp's stack overflows long before a million.
static inline enum status threads_check(struct error *error) {
    const int threads = omp_get_max_threads(), processors = omp_get_num_procs();
    const int by_processor = THREADS_ALLOWED_A_PROCESSOR * processors;
    const int most = by_processor > THREADS_ALWAYS_ALLOWED ? by_processor : THREADS_ALWAYS_ALLOWED;
    if (threads <= most) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "OMP_NUM_THREADS: %d threads on %d processors: set it to %d or fewer",
                     threads, processors, most);
}

#endif
