// Graphs of launches on a GPU.
#ifndef DEVICE_GPU_GRAPH_H
#define DEVICE_GPU_GRAPH_H

#include "device/launch_graph.h"

extern const struct graph_operations gpu_graphs;

#endif
