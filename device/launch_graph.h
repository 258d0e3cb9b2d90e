// Graphs of launches: work that is recorded once, and then launched as a whole.
#ifndef DEVICE_LAUNCH_GRAPH_H
#define DEVICE_LAUNCH_GRAPH_H

#include "device/device.h"

struct launch_graph;

// A backend with graphs fills this table. The functions below call it.
//
// From capture_begin to capture_end, work in the default stream is only recorded, and so is work in streams that wait
// for its events. Every event that a stream waits for must be recorded in between, too, and at the end the default
// stream must wait for the others. Then each launch in the default stream does all the work. After capture_begin
// succeeds, capture_end must follow even if the work in between fails.
struct graph_operations {
    enum status (*capture_begin)(struct device *device, struct error *error);
    enum status (*capture_end)(struct device *device, struct launch_graph **graph, struct error *error);
    enum status (*launch)(struct device *device, struct launch_graph *graph, struct error *error);
    void (*destroy)(struct device *device, struct launch_graph *graph);
};

static inline bool device_has_graphs(const struct device *device) {
    return device->operations->graphs != NULL;
}

static inline enum status device_capture_begin(struct device *device, struct error *error) {
    return device->operations->graphs->capture_begin(device, error);
}

static inline enum status device_capture_end(struct device *device, struct launch_graph **graph, struct error *error) {
    return device->operations->graphs->capture_end(device, graph, error);
}

static inline enum status device_graph_launch(struct device *device, struct launch_graph *graph, struct error *error) {
    return device->operations->graphs->launch(device, graph, error);
}

static inline void device_graph_destroy(struct device *device, struct launch_graph *graph) {
    if (graph) {
        device->operations->graphs->destroy(device, graph);
    }
}

#endif
