#include "gmem/gmem_indexed_device.h"

#include "gmem/gmem_check.h"
#include "util/embed.h"

enum {
    SOME = 1024 // indices that are compared with the host's at a time
};

EMBED_FILE(gmem_indexed_device_cu, "gmem/indexed_device.cu");

static const struct kernel_source source = {"gmem/indexed_device.cu", gmem_indexed_device_cu};

bool gmem_indexed_on_device(const struct gmem_job *job) {
    return device_is_real_gpu(gmem_info(job->run)) && !job->index[0].pattern;
}

static struct gmem_tally tally_of(const struct gmem_job *job, const char *entry) {
    return (struct gmem_tally){.source = &source, .entry = entry, .width_bytes = job->layout.width_bytes};
}

// Compares the indices from first on with the host's.
static enum status compare_indices(const struct gmem_job *job, uint32_t array, uint64_t first, bool *right,
                                   struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    uint32_t made[SOME];
    const uint64_t left = job->layout.elements - first, count = left < SOME ? left : SOME;
    TRY(device_copy_to_host(job->run->bench_device->device, made, buffers->indices[array] + first * sizeof *made,
                            count * sizeof *made, error));
    for (uint64_t i = 0; i < count; i++) {
        *right &= made[i] == gmem_index_at(&job->index[array], first + i);
    }
    return STATUS_OK;
}

// Each index below the number of elements occurs once, so their sum is known.
enum status gmem_indexed_make(struct gmem_job *job, uint32_t array, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    const uint64_t elements = job->layout.elements;
    const uint64_t pieces[] = {0, elements / 2, elements < SOME ? 0 : elements - SOME};
    struct gmem_tally make = tally_of(job, "make_indices");
    uint64_t sum = 0;
    gmem_tally_add(&make, argument_pointer(buffers->indices[array]));
    gmem_tally_add(&make, argument_u64(elements));
    gmem_tally_add(&make, argument_u64(gmem_index_window(&job->index[array])));
    gmem_tally_add(&make, argument_u64(job->index[array].seed));
    enum status status = gmem_tally_run(job->run->bench_device, &make, &sum, error);
    bool right = sum == elements * (elements - 1) / 2;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && status == STATUS_OK; i++) {
        status = compare_indices(job, array, pieces[i], &right, error);
    }
    return status != STATUS_OK || right
               ? status
               : error_set(error, STATUS_FAILED, "%s makes other indices than the host: update its driver and compiler",
                           gmem_info(job->run)->spec);
}

enum status gmem_indexed_expect_sum(struct gmem_job *job, uint32_t *sum, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    struct gmem_tally expect = tally_of(job, "expect_gather");
    uint64_t total = 0;
    gmem_tally_add(&expect, argument_pointer(buffers->indices[0]));
    gmem_tally_add(&expect, argument_u64(job->layout.elements));
    gmem_tally_add(&expect, argument_u64(gmem_source_seed(job->run->settings->seed, 0)));
    const enum status status = gmem_tally_run(job->run->bench_device, &expect, &total, error);
    *sum = (uint32_t)total;
    return status;
}

enum status gmem_indexed_check_destination(struct gmem_job *job, bool *right, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    const uint32_t reads = job->layout.kernel->reads;
    struct gmem_tally check = tally_of(job, reads > 0 ? "check_gather_scatter" : "check_scatter");
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < reads; i++) {
        gmem_tally_add(&check, argument_pointer(buffers->sources[i]));
    }
    gmem_tally_add(&check, argument_pointer(buffers->destination));
    for (uint32_t array = 0; array <= reads; array++) {
        gmem_tally_add(&check, argument_pointer(buffers->indices[array]));
    }
    gmem_tally_add(&check, argument_u64(job->layout.elements));
    if (reads == 0) {
        gmem_tally_add(&check, argument_u64(job->run->settings->seed));
    }
    const enum status status = gmem_tally_run(job->run->bench_device, &check, &wrong, error);
    *right = wrong == 0;
    return status;
}
