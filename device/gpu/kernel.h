// Operations of device.h on a GPU's kernels.
#ifndef DEVICE_GPU_KERNEL_H
#define DEVICE_GPU_KERNEL_H

#include "device/device.h"

enum status gpu_build(struct device *base, const struct kernel_request *request, struct kernel **built,
                      struct error *error);
void gpu_discard(struct device *base, struct kernel *kernel);
enum status gpu_launch(struct device *base, struct stream *stream, struct kernel *kernel, const struct launch *launch,
                       struct error *error);
enum status gpu_active_clusters(struct device *base, struct kernel *kernel, const struct launch *launch,
                                uint32_t blocks, uint32_t *clusters, struct error *error);

#endif
