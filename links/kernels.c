#include "links/kernels.h"

#include "util/embed.h"

EMBED_FILE(links_links_cu, "links/links.cu");

enum {
    THREADS = 512,
    ITEMS = 8,
    WIDTH = 16,
    UNITS_UNKNOWN = 64
};

const uint32_t links_copy_items = ITEMS;

static const struct kernel_source source = {"links/links.cu", links_links_cu};

static const char *const entries[LINKS_KERNEL_COUNT] = {
    [LINKS_COPY] = "link_copy",
    [LINKS_CHASE] = "link_chase",
    [LINKS_FILL] = "link_fill",
    [LINKS_CHECK] = "link_check",
};

enum status links_kernel_of(struct links_kernels *kernels, size_t count, struct device *device, enum links_kernel which,
                            struct kernel **kernel, struct error *error) {
    static const struct kernel_constant constants[] = {{"WIDTH", WIDTH}, {"ITEMS", ITEMS}, {"THREADS", THREADS}};
    size_t i = 0;
    while (i < count && kernels[i].device && kernels[i].device != device) {
        i++;
    }
    if (i == count) {
        return error_set(error, STATUS_FAILED, "%s: more devices than links can hold: name fewer", device->info.spec);
    }
    kernels[i].device = device;
    enum status status = STATUS_OK;
    if (!kernels[i].kernel[which]) {
        const struct kernel_request request = {.source = &source,
                                               .entry = entries[which],
                                               .constants = constants,
                                               .constant_count = sizeof constants / sizeof *constants};
        status = device_build(device, &request, &kernels[i].kernel[which], error);
    }
    *kernel = kernels[i].kernel[which];
    return status;
}

void links_kernels_discard(struct links_kernels *kernels, size_t count) {
    for (size_t i = 0; i < count && kernels[i].device; i++) {
        for (size_t k = 0; k < LINKS_KERNEL_COUNT; k++) {
            device_discard(kernels[i].device, kernels[i].kernel[k]);
        }
        kernels[i] = (struct links_kernels){0};
    }
}

// A unit has room for two blocks of the copy, by its registers.
struct launch links_launch_over(const struct device *device, size_t others, uint64_t words, uint64_t each,
                                const struct argument *arguments, size_t count) {
    const uint64_t all = device->info.compute_units ? device->info.compute_units : UNITS_UNKNOWN;
    const uint64_t units = others < 2 ? all : (2 * all + others) / (others + 1);
    const uint64_t blocks = (words + each * THREADS - 1) / (each * THREADS);
    return (struct launch){.grid = {(uint32_t)(blocks < units ? blocks : units), 1, 1},
                           .block = {THREADS, 1, 1},
                           .arguments = arguments,
                           .argument_count = count};
}
