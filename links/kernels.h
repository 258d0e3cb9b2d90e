// links' kernels on one device, each compiled when it is first asked for.
#ifndef LINKS_KERNELS_H
#define LINKS_KERNELS_H

#include "device/device.h"

enum links_kernel {
    LINKS_COPY,
    LINKS_CHASE,
    LINKS_FILL,
    LINKS_CHECK,
    LINKS_KERNEL_COUNT
};

struct links_kernels {
    struct device *device; // NULL: a free place
    struct kernel *kernel[LINKS_KERNEL_COUNT];
};

// The device's own among `count` places, a free one where it has none yet.
enum status links_kernel_of(struct links_kernels *kernels, size_t count, struct device *device, enum links_kernel which,
                            struct kernel **kernel, struct error *error);
void links_kernels_discard(struct links_kernels *kernels, size_t count);

// A launch over so many words, `each` of them a thread, that leaves room on the device for as many more as `beside`.
struct launch links_launch_over(const struct device *device, size_t beside, uint64_t words, uint64_t each,
                                const struct argument *arguments, size_t count);

// Words that a thread of the copy has under way.
extern const uint32_t links_copy_items;

#endif
