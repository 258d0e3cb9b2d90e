// The variant `pattern`, each point of which measures every pattern of a file.
#include "gmem/gmem_measure.h"
#include "gmem/gmem_pattern.h"
#include "util/whole.h"

static const struct gmem_kernel kernels[] = {
    [GMEM_PATTERN_GATHER] = {GMEM_GATHER},
    [GMEM_PATTERN_SCATTER] = {GMEM_SCATTER},
    [GMEM_PATTERN_GATHER_SCATTER] = {GMEM_GATHER_SCATTER},
};

// The file is read once, because standard input cannot be read again.
static enum status parse(const struct run *run, const struct gmem_layout *layout, struct gmem_patterns *patterns,
                         struct error *error) {
    struct gmem_session *session = run->session;
    *patterns = (struct gmem_patterns){0};
    if (!session->pattern_text.bytes) {
        TRY(address_text_read(session->pattern_path, &session->pattern_text, error));
    }
    return gmem_patterns_parse(&session->pattern_text, (uint32_t)layout->width_bytes, layout->elements, patterns,
                               error);
}

static struct gmem_job job_of(const struct gmem_pattern *pattern, uint64_t width_bytes) {
    struct gmem_job job = {.pattern = pattern->name,
                           .layout = {.kernel = &kernels[pattern->kernel],
                                      .width_bytes = width_bytes,
                                      .stride = 1,
                                      .elements = pattern->index[0].elements}};
    for (size_t i = 0; i < 2 && pattern->index[i].pattern; i++) {
        job.index[i] = pattern->index[i];
        job.layout.slots = larger(job.layout.slots, gmem_index_slots(&pattern->index[i]));
        job.layout.indices += pattern->index[i].length;
    }
    job.largest = job.layout;
    return job;
}

// What makes a pattern smaller. The width of an element moves no address, and one repetition is the least.
static const char *remedy(const struct gmem_patterns *patterns, const struct gmem_pattern *pattern) {
    return !patterns->from_addresses ? "give a smaller count or delta in the file, or a smaller --width"
           : pattern->index[0].elements > pattern->index[0].length ? "give a smaller --elements, or smaller addresses"
                                                                   : "give smaller addresses";
}

enum status gmem_pattern_check_point(const struct run *run, const struct gmem_layout *layout, struct error *error) {
    const uint64_t free_bytes = device_free_bytes(run_info(run));
    struct gmem_patterns patterns;
    enum status status = parse(run, layout, &patterns, error);
    for (size_t i = 0; i < patterns.count && status == STATUS_OK; i++) {
        const struct gmem_job job = job_of(&patterns.patterns[i], layout->width_bytes);
        const uint64_t buffer_bytes = gmem_buffer_bytes(&job.layout);
        if (buffer_bytes == 0 || buffer_bytes > free_bytes || gmem_footprint_bytes(&job.layout) > free_bytes) {
            status = error_set(error, STATUS_USAGE,
                               "pattern %s needs %llu elements of %llu bytes, more than the %llu free bytes of %s: %s",
                               job.pattern, (unsigned long long)job.layout.slots,
                               (unsigned long long)layout->width_bytes, (unsigned long long)free_bytes,
                               run_info(run)->spec, remedy(&patterns, &patterns.patterns[i]));
        }
    }
    gmem_patterns_clear(&patterns);
    return status;
}

enum status gmem_pattern_measure(struct run *run, const struct gmem_layout *layout, uint64_t block,
                                 struct error *error) {
    struct gmem_patterns patterns;
    enum status status = parse(run, layout, &patterns, error);
    for (size_t i = 0; i < patterns.count && status == STATUS_OK; i++) {
        struct gmem_job job = job_of(&patterns.patterns[i], layout->width_bytes);
        job.run = run;
        status = gmem_measure(&job, block, error);
        gmem_buffers_release(run); // the next pattern may need other buffers
    }
    gmem_patterns_clear(&patterns);
    return status;
}
