// Operations of device.h on a GPU's memory: allocation, pinned memory of the host, copies.
#ifndef DEVICE_GPU_MEMORY_H
#define DEVICE_GPU_MEMORY_H

#include "device/device.h"

enum status gpu_allocate(struct device *base, size_t bytes, uint64_t *address, struct error *error);
void gpu_release(struct device *base, uint64_t address);
enum status gpu_pin(struct device *base, void *memory, size_t bytes, struct error *error);
void gpu_unpin(struct device *base, void *memory);
enum status gpu_allocate_pool(struct device *base, size_t bytes, uint64_t *address, struct error *error);
enum status gpu_allocate_managed(struct device *base, size_t bytes, uint64_t *address, struct error *error);
enum status gpu_prefetch(struct device *base, uint64_t address, size_t bytes, bool to_device, struct error *error);
enum status gpu_keep_on_host(struct device *base, uint64_t address, size_t bytes, struct error *error);
enum status gpu_allocate_pinned(struct device *base, size_t bytes, void **memory, struct error *error);
void gpu_release_pinned(struct device *base, void *memory);
enum status gpu_map(struct device *base, void *memory, uint64_t *address, struct error *error);
enum status gpu_copy_to_device(struct device *base, uint64_t to, const void *from, size_t bytes, struct error *error);
enum status gpu_copy_to_host(struct device *base, void *to, uint64_t from, size_t bytes, struct error *error);
enum status gpu_copy_to_device_async(struct device *base, struct stream *stream, uint64_t to, const void *from,
                                     size_t bytes, struct error *error);
enum status gpu_copy_to_host_async(struct device *base, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                   struct error *error);
enum status gpu_copy_on_device(struct device *base, uint64_t to, uint64_t from, size_t bytes, struct error *error);
enum status gpu_copy_to_peer(struct device *from_base, struct stream *stream, uint64_t from, struct device *to_base,
                             uint64_t to, size_t bytes, struct error *error);
enum status gpu_copy_from_peer(struct device *to_base, struct stream *stream, uint64_t to, struct device *from_base,
                               uint64_t from, size_t bytes, struct error *error);
enum status gpu_reach(struct device *base, struct device *peer, struct error *error);
enum status gpu_copy_rows(struct device *base, struct stream *stream, const struct device_rows *rows,
                          struct error *error);
enum status gpu_fill(struct device *base, uint64_t address, uint8_t byte, size_t bytes, struct error *error);

#endif
