// links' kernels on one device, each compiled at its first use.
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
    struct device *device; // NULL: unused
    struct kernel *kernel[LINKS_KERNEL_COUNT];
};

// The device's entry among `count`, or an unused one if it has none yet.
enum status links_kernel_of(struct links_kernels *kernels, size_t count, struct device *device, enum links_kernel which,
                            struct kernel **kernel, struct error *error);
void links_kernels_discard(struct links_kernels *kernels, size_t count);

// A launch over that many words, `each` of them per thread, that leaves room on the device for `others` more launches.
struct launch links_launch_over(const struct device *device, size_t others, uint64_t words, uint64_t each,
                                const struct argument *arguments, size_t count);

// Words that a thread of the copy has in flight.
extern const uint32_t links_copy_items;

#endif
