#include "device/gpu/stream.h"

#include <stdlib.h>

#include "device/gpu/fault.h"

struct launch_graph {
    void *executable; // the driver's
};

static enum status capture_begin(struct device *base, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->capture_begin(device->stream), "beginning to record launches", error);
}

// The driver needs the recorded graph only until its executable form exists.
static int instantiate(const struct gpu_device *device, void **executable) {
    const struct gpu_driver *driver = device->driver;
    void *recorded = NULL;
    int result = gpu_enter(device);
    if (result == 0) {
        result = driver->capture_end(&recorded, device->stream);
    }
    if (result == 0) {
        result = driver->graph_instantiate(executable, recorded);
        driver->graph_destroy(recorded);
    }
    return result;
}

static enum status capture_end(struct device *base, struct launch_graph **ended, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *executable = NULL;
    *ended = NULL;
    TRY(gpu_check(device, instantiate(device, &executable), "making a graph of launches", error));
    *ended = memory_zeros(1, sizeof **ended);
    (*ended)->executable = executable;
    return STATUS_OK;
}

static enum status graph_launch(struct device *base, struct launch_graph *graph, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->graph_launch(graph->executable, device->stream), "launching a graph",
                    error);
}

static void graph_destroy(struct device *base, struct launch_graph *graph) {
    if (gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->executable_destroy(graph->executable);
    }
    free(graph);
}

const struct graph_operations gpu_graphs = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .launch = graph_launch,
    .destroy = graph_destroy,
};

struct stream {
    void *handle; // the driver's
};

struct event {
    void *handle; // the driver's
};

void *gpu_stream(const struct gpu_device *device, const struct stream *stream) {
    return stream ? stream->handle : device->stream;
}

void *gpu_native_stream(struct device *base) {
    return gpu_of(base)->stream;
}

enum status gpu_stream_create(struct device *base, enum stream_priority priority, struct stream **created,
                              struct error *error) {
    struct gpu_device *device = gpu_of(base);
    const struct gpu_driver *driver = device->driver;
    void *handle = NULL;
    *created = NULL;
    TRY(GPU_CALL(device,
                 priority == STREAM_AS_DEFAULT ? driver->stream_create(&handle)
                                               : driver->stream_create_prior(&handle, priority),
                 "creating a stream", error));
    *created = memory_zeros(1, sizeof **created);
    (*created)->handle = handle;
    return STATUS_OK;
}

void gpu_stream_destroy(struct device *base, struct stream *stream) {
    if (stream && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->stream_destroy(stream->handle);
    }
    free(stream);
}

enum status gpu_synchronize(struct device *base, struct stream *stream, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->stream_synchronize(gpu_stream(device, stream)), "what was launched before",
                    error);
}

enum status gpu_event_create(struct device *base, struct event **created, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    void *handle = NULL;
    *created = NULL;
    TRY(GPU_CALL(device, device->driver->event_create(&handle), "creating an event", error));
    *created = memory_zeros(1, sizeof **created);
    (*created)->handle = handle;
    return STATUS_OK;
}

enum status gpu_event_record(struct device *base, struct stream *stream, struct event *event, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->event_record(event->handle, gpu_stream(device, stream)),
                    "recording an event", error);
}

enum status gpu_event_wait(struct device *base, struct stream *stream, struct event *event, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    return GPU_CALL(device, device->driver->event_wait(gpu_stream(device, stream), event->handle),
                    "waiting for an event", error);
}

enum status gpu_event_done(struct device *base, struct event *event, bool *done, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->event_query(event->handle);
    }
    *done = result != device->driver->not_ready;
    return gpu_check(device, *done ? result : 0, "what was launched before", error);
}

enum status gpu_event_elapsed(struct device *base, struct event *start, struct event *stop, double *nanoseconds,
                              struct error *error) {
    struct gpu_device *device = gpu_of(base);
    float milliseconds = 0;
    const enum status status =
        GPU_CALL(device, device->driver->event_elapsed(&milliseconds, start->handle, stop->handle), "timing", error);
    *nanoseconds = (double)milliseconds * 1e6;
    return status;
}

void gpu_event_destroy(struct device *base, struct event *event) {
    if (event && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->event_destroy(event->handle);
    }
    free(event);
}
