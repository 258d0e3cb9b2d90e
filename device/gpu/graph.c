#include "device/gpu/graph.h"

#include <stdlib.h>

#include "device/gpu/fault.h"
#include "device/gpu/gpu.h"

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
