// Operations of device.h on a GPU's streams and events, and on graphs of launches, which are recorded from a stream.
#ifndef DEVICE_GPU_STREAM_H
#define DEVICE_GPU_STREAM_H

#include "device/gpu/fault.h"
#include "device/launch_graph.h"

extern const struct graph_operations gpu_graphs;

// The driver's handle of a stream; NULL means the device's default stream.
void *gpu_stream(const struct gpu_device *device, const struct stream *stream);

enum status gpu_stream_create(struct device *base, enum stream_priority priority, struct stream **created,
                              struct error *error);
void gpu_stream_destroy(struct device *base, struct stream *stream);
enum status gpu_synchronize(struct device *base, struct stream *stream, struct error *error);
void *gpu_native_stream(struct device *base);
enum status gpu_event_create(struct device *base, struct event **created, struct error *error);
enum status gpu_event_record(struct device *base, struct stream *stream, struct event *event, struct error *error);
enum status gpu_event_wait(struct device *base, struct stream *stream, struct event *event, struct error *error);
enum status gpu_event_done(struct device *base, struct event *event, bool *done, struct error *error);
enum status gpu_event_elapsed(struct device *base, struct event *start, struct event *stop, double *nanoseconds,
                              struct error *error);
void gpu_event_destroy(struct device *base, struct event *event);

#endif
