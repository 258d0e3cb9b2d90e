#include "device/gpu/stream.h"

#include <stdlib.h>

#include "device/gpu/fault.h"

struct launch_graph {
    void *executable; // the driver's
};

static enum status capture_begin(struct device *base, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->capture_begin(device->stream);
    }
    return gpu_check(device, result, "beginning to record launches", error);
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
    struct launch_graph *graph = calloc(1, sizeof *graph);
    void *executable = NULL;
    *ended = NULL;
    const int result = instantiate(device, &executable);
    if (result == 0 && graph) {
        graph->executable = executable;
        *ended = graph;
        return STATUS_OK;
    }
    free(graph);
    if (result == 0) {
        device->driver->executable_destroy(executable);
        return error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    return gpu_check(device, result, "making a graph of launches", error);
}

static enum status graph_launch(struct device *base, struct launch_graph *graph, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->graph_launch(graph->executable, device->stream);
    }
    return gpu_check(device, result, "launching a graph", error);
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
    struct stream *stream = calloc(1, sizeof *stream);
    *created = NULL;
    if (!stream) {
        return error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    int result = gpu_enter(device);
    if (result == 0) {
        const struct gpu_driver *driver = device->driver;
        result = priority == STREAM_AS_DEFAULT ? driver->stream_create(&stream->handle)
                                               : driver->stream_create_prior(&stream->handle, priority);
    }
    if (result != 0) {
        free(stream);
        return gpu_check(device, result, "creating a stream", error);
    }
    *created = stream;
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
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->stream_synchronize(gpu_stream(device, stream));
    }
    return gpu_check(device, result, "what was launched before", error);
}

enum status gpu_event_create(struct device *base, struct event **created, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    struct event *event = calloc(1, sizeof *event);
    *created = NULL;
    if (!event) {
        return error_set(error, STATUS_FAILED, "%s: out of memory", base->info.spec);
    }
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->event_create(&event->handle);
    }
    if (result != 0) {
        free(event);
        return gpu_check(device, result, "creating an event", error);
    }
    *created = event;
    return STATUS_OK;
}

enum status gpu_event_record(struct device *base, struct stream *stream, struct event *event, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->event_record(event->handle, gpu_stream(device, stream));
    }
    return gpu_check(device, result, "recording an event", error);
}

enum status gpu_event_wait(struct device *base, struct stream *stream, struct event *event, struct error *error) {
    struct gpu_device *device = gpu_of(base);
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->event_wait(gpu_stream(device, stream), event->handle);
    }
    return gpu_check(device, result, "waiting for an event", error);
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
    int result = gpu_enter(device);
    if (result == 0) {
        result = device->driver->event_elapsed(&milliseconds, start->handle, stop->handle);
    }
    *nanoseconds = (double)milliseconds * 1e6;
    return gpu_check(device, result, "timing", error);
}

void gpu_event_destroy(struct device *base, struct event *event) {
    if (event && gpu_enter(gpu_of(base)) == 0) {
        gpu_of(base)->driver->event_destroy(event->handle);
    }
    free(event);
}
