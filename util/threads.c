#include "util/threads.h"

enum {
    ALWAYS_ALLOWED = 256,
    ALLOWED_A_PROCESSOR = 16
};

enum status threads_check(struct error *error) {
    const int threads = omp_get_max_threads(), processors = omp_get_num_procs();
    const int by_processor = ALLOWED_A_PROCESSOR * processors;
    const int most = by_processor > ALWAYS_ALLOWED ? by_processor : ALWAYS_ALLOWED;
    if (threads <= most) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "OMP_NUM_THREADS: %d threads on %d processors: set it to %d or fewer",
                     threads, processors, most);
}
