#include "device/synchronous.h"

#include <stdlib.h>

// One for all: there is nothing to know of it.
static struct stream { char nothing; } only_stream;

enum status synchronous_stream_create(struct device *device, struct stream **stream, struct error *error) {
    (void)device, (void)error;
    *stream = &only_stream;
    return STATUS_OK;
}

void synchronous_stream_destroy(struct device *device, struct stream *stream) {
    (void)device, (void)stream;
}

enum status synchronous_event_wait(struct device *device, struct event *event, struct error *error) {
    (void)device, (void)event, (void)error;
    return STATUS_OK;
}

enum status synchronous_host_allocate(struct device *device, size_t bytes, void **memory, struct error *error) {
    *memory = malloc(bytes);
    return *memory ? STATUS_OK : error_set(error, STATUS_FAILED, "%s: out of memory", device->info.spec);
}

void synchronous_host_release(struct device *device, void *memory) {
    (void)device;
    free(memory);
}
