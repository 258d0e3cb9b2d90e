// What apsp's sources share: a variant, and the state of a run.
#ifndef APSP_APSP_SESSION_H
#define APSP_APSP_SESSION_H

#include "apsp/graph/graph.h"
#include "apsp/solve/cpu.h"
#include "apsp/solve/gpu.h"
#include "apsp/solve/next_hops.h"
#include "bench/probe.h"

// ---- Variants ----

// The probe's parameters, and what a row of its table of variants holds.

enum apsp_parameter {
    APSP_VERTICES,
    APSP_TILE,
    APSP_BLOCK,
    APSP_DEVICES
};

struct apsp_detail {
    const struct apsp_cpu_method *cpu; // of a solution on the CPU
    struct apsp_settings settings;     // of a solution on GPUs; the point and the options add the rest
    bool weak;                         // the graph grows with the number of GPUs
};

static inline const struct apsp_detail *apsp_detail_of(const struct point *point) {
    return point->variant->detail;
}

// Whether several GPUs share the solution.
static inline bool apsp_is_shared(const struct point *point) {
    return point->values[APSP_DEVICES] > 0;
}

// ---- The run ----

struct apsp_options {
    const char *graph, *save_graph, *output, *output_paths; // NULL where not given
    bool random, paths;
    uint64_t edges, max_weight; // 0 where not given
    uint64_t memory_limit;      // of the GPU in bytes; 0: its free memory
    const char *exchange;       // "auto", "peer", "host"
    const char *look_ahead;     // "yes", "no"
    const char *launch;         // "graph", "stream"
    const char *initialise;     // "auto", "host", "device"
    const char *host_memory;    // "pageable", "pinned"
    const char *strip;          // "kernel", "copy"
};

// The latest point's graph, kept until a point needs another one, and the time that it took to make it.
struct apsp_input {
    struct graph graph;
    bool ready;                      // max_weight is known, and the graph is saved if it must be
    int32_t *distances;              // as graph_distances makes them; NULL until a variant needs them
    int32_t max_weight;              // as graph_max_weight finds it
    struct apsp_hop_edges hop_edges; // without memory until a variant needs them
    double read_ns;                  // NaN if no file was read
    double initialise_ns;            // from the list of edges to the distances
};

// How fast a pair of devices exchanges data.
struct apsp_link {
    struct device *from, *to;
    double peer_gb_s, host_gb_s;
};

struct apsp_session {
    struct apsp_options options;
    struct apsp_input input;
    uint64_t output_vertices; // of the graph that --output and --save-graph hold; 0: not known yet
    struct apsp_link *links;  // of all pairs of devices of one backend
    size_t link_count;
    const struct bench_device *without_graphs; // the last device of which it was said why it records no graph
    double cpu_updates_per_s;                  // of the slowest variant on the CPU; 0: not measured yet
};

static inline struct apsp_session *apsp_session_of(const struct run *run) {
    return run->session;
}

static inline const struct apsp_options *apsp_options_of(const struct run *run) {
    return &apsp_session_of(run)->options;
}

// Whether a solution also finds the next hops of all paths.
static inline bool apsp_wants_paths(const struct apsp_options *options) {
    return options->paths || options->output_paths;
}

// ---- The measurements of a point, in apsp_measure_*.c ----

// On the CPU: a whole solution with the rate of add-min instructions alone, or only that rate.
enum status apsp_measure_cpu(struct run *run, const struct point *point, struct error *error);
enum status apsp_measure_cpu_peak(struct run *run, const struct point *point, struct error *error);

// On the run's GPU or, if the point is shared, on several GPUs of its backend together.
enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error);

// The transfers alone, by one option after the other.
enum status apsp_measure_transfers(struct run *run, const struct point *point, struct error *error);

// Of a solution whose matrix stays in the host's memory.
enum status apsp_measure_streamed(struct run *run, const struct point *point, struct error *error);

// The rates of the instructions that every variant consists of, from registers alone, on a GPU.
enum status apsp_measure_gpu_peak(struct run *run, const struct point *point, struct error *error);

#endif
