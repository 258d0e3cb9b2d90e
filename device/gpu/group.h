// GPUs of several processes that broadcast to each other from memory to memory, by the vendor's library: NCCL for
// NVIDIA, RCCL for AMD.
#ifndef DEVICE_GPU_GROUP_H
#define DEVICE_GPU_GROUP_H

#include "device/device.h"

// What the members must know to find each other. One of them makes it and sends it to the others.
struct group_id {
    char bytes[128];
};

struct group_library;
struct group;

// Loads the library that serves the device and writes its name, version and file to text. Returns STATUS_NO_DEVICE and
// the reason if there is none, or if it is too old. The library must be closed after its groups.
enum status group_library_open(struct device *device, struct group_library **library, char *text, size_t size,
                               struct error *error);
void group_library_close(struct group_library *library);

enum status group_make_id(struct group_library *library, struct group_id *id, struct error *error);

// Returns when all members have joined. The group serves the library's device.
enum status group_join(struct group_library *library, const struct group_id *id, int member, int count,
                       struct group **group, struct error *error);

// Enqueues a broadcast of whole words in a stream of the group's device. All members must call it in the same order.
enum status group_broadcast(struct group *group, struct stream *stream, uint64_t address, size_t bytes, int from,
                            struct error *error);

// Returns the fault that a broadcast has met since it was enqueued.
enum status group_check(struct group *group, struct error *error);

// Leaves the group after its work is done, or with `abort` ends broadcasts that are under way, also those that wait for
// a member that is gone. group may be NULL.
void group_leave(struct group *group, bool abort);

#endif
