// Operations of backends where all that is asked for is done when the call returns: streams part nothing there.
#ifndef DEVICE_SYNCHRONOUS_H
#define DEVICE_SYNCHRONOUS_H

#include "device/device.h"

enum status synchronous_stream_create(struct device *device, struct stream **stream, struct error *error);
void synchronous_stream_destroy(struct device *device, struct stream *stream);
enum status synchronous_event_wait(struct device *device, struct event *event, struct error *error);
enum status synchronous_host_allocate(struct device *device, size_t bytes, void **memory, struct error *error);
void synchronous_host_release(struct device *device, void *memory);

#endif
