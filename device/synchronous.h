// Operations of backends where all that is asked for is done when the call returns: streams part nothing there.
#ifndef DEVICE_SYNCHRONOUS_H
#define DEVICE_SYNCHRONOUS_H

#include "device/device.h"

enum status synchronous_stream_create(struct device *device, struct stream **stream, struct error *error);
void synchronous_stream_destroy(struct device *device, struct stream *stream);
enum status synchronous_event_wait(struct device *device, struct event *event, struct error *error);
enum status synchronous_copy_rows(struct device *device, const struct device_rows *rows, struct error *error);
enum status synchronous_pin(struct device *device, void *memory, size_t bytes, struct error *error);
void synchronous_unpin(struct device *device, void *memory);

#endif
