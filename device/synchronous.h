// Operations of backends whose calls return when the work is done, so that streams have nothing to order.
#ifndef DEVICE_SYNCHRONOUS_H
#define DEVICE_SYNCHRONOUS_H

#include "device/device.h"

enum status synchronous_stream_create(struct device *device, enum stream_priority priority, struct stream **stream,
                                      struct error *error);
void synchronous_stream_destroy(struct device *device, struct stream *stream);
enum status synchronous_event_wait(struct device *device, struct stream *stream, struct event *event,
                                   struct error *error);
enum status synchronous_event_done(struct device *device, struct event *event, bool *done, struct error *error);
enum status synchronous_synchronize(struct device *device, struct stream *stream, struct error *error);
enum status synchronous_copy_to_device(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                       size_t bytes, struct error *error);
enum status synchronous_copy_to_host(struct device *device, struct stream *stream, void *to, uint64_t from,
                                     size_t bytes, struct error *error);
enum status synchronous_copy_rows(struct device *device, struct stream *stream, const struct device_rows *rows,
                                  struct error *error);
enum status synchronous_pin(struct device *device, void *memory, size_t bytes, struct error *error);
void synchronous_unpin(struct device *device, void *memory);

#endif
