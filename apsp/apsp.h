// What the parts of apsp share: its parameters, its variants, and the graph under way.
#ifndef APSP_APSP_H
#define APSP_APSP_H

#include "apsp/graph/graph.h"
#include "bench/probe.h"

enum {
    // Of register_tiled.cu: rows of a tile, and threads of a block. A device's own rows are whole tiles.
    APSP_REGISTER_TILE = 128,
    APSP_REGISTER_THREADS = 256
};

// How many of its tiles a row of the matrix has: no more devices can share a solution.
static inline uint64_t apsp_register_tiles(uint64_t vertices) {
    return (vertices + APSP_REGISTER_TILE - 1) / APSP_REGISTER_TILE;
}

enum apsp_parameter {
    APSP_VERTICES,
    APSP_TILE,
    APSP_BLOCK,
    APSP_DEVICES
};

enum apsp_kind {
    APSP_CPU,
    APSP_CPU_PEAK,
    APSP_GLOBAL,    // global.cu
    APSP_SHARED,    // shared.cu
    APSP_REGISTERS, // register_tiled.cu
    APSP_GPU_PEAK,
};

// What a variant is, beside its name.
struct apsp_detail {
    enum apsp_kind kind;
    bool linear, bounded, by_column; // constants of the kernels: global.cu says what they mean
    uint32_t unroll;                 // shared.cu
    uint32_t bits;                   // of a distance, where they fit: 16 or 32
    bool several;                    // devices share a solution
    bool weak;                       // the graph grows with the devices
    bool transfers;                  // only the matrix's way to the device and back
};

// How a GPU's variant cuts the matrix and its work.
struct apsp_shape {
    uint32_t tile;
    struct dimensions block;
};
struct apsp_shape apsp_shape(const struct point *point);

// The graph of a point, kept until another one is wanted, and the time that it took to come by.
struct apsp_input {
    struct graph graph;
    bool ready;         // no longer to be saved
    int32_t *distances; // as graph_distances makes them; NULL until somebody wants them
    int32_t max_weight;
    double read_ns;       // of the file; NaN: there was none
    double initialise_ns; // from the list of edges to distances
};

// As the command line set them.
struct apsp_options {
    const char *graph, *save_graph, *output;
    bool random;
    uint64_t edges, max_weight;
    const char *exchange;    // "auto", "peer", "host"
    const char *look_ahead;  // "yes", "no"
    const char *initialise;  // "auto", "host", "device"
    const char *host_memory; // "pageable", "pinned"
    const char *strip;       // "kernel", "copy"
};
extern struct apsp_options apsp_options;

// Refuses a graph that can't be, and reads the file that was named: before anything is measured.
enum status apsp_input_check(const struct run *run, uint64_t vertices, struct error *error);

// The graph with its distances; the caller does not own it. vertices is not looked at where a file was named.
enum status apsp_input_get(const struct run *run, uint64_t vertices, const struct apsp_input **input,
                           struct error *error);
// The same without distances.
enum status apsp_input_graph(const struct run *run, uint64_t vertices, const struct apsp_input **input,
                             struct error *error);

// vertices^2 words in pages of their own, to be freed; NULL where there is not enough memory.
int32_t *apsp_matrix_allocate(uint64_t vertices);

// Refuses a tile and a block that the device or the variant can't have.
enum status apsp_check_shape(const struct run *run, const struct point *point, struct error *error);

// How many vertices a point's graph has.
uint32_t apsp_vertices(const struct run *run, const struct point *point);

// Whether these are the distances, every single one, by an argument that knows no Floyd and no Warshall: no edge makes
// a distance shorter, and every distance is that of a path. An error where memory is short.
enum status apsp_check(const struct apsp_input *input, const int32_t *distances, bool *right, struct error *error);

// A row of one part of a run.
struct row apsp_row(const struct run *run, const struct apsp_input *input, const char *kernel);

// A row of a piece of work that the host's clock timed, of so many useful bytes; none where time_ns is NaN.
enum status apsp_emit_time(struct run *run, const struct apsp_input *input, const char *kernel, double time_ns,
                           double bytes, struct error *error);
double apsp_now_ns(void);

// The rows of reading and initialising, where they took place, on the CPU.
enum status apsp_emit_input(struct run *run, const struct apsp_input *input, struct error *error);

// Refuses --output and --save-graph that can't be written, and those of graphs of several sizes, of which only the last
// would stay. vertices: of a graph that will be solved.
enum status apsp_output_check(uint64_t vertices, struct error *error);
// Both leave graphs out that apsp_output_check was not told of.
enum status apsp_save_graph(const struct graph *graph, struct error *error);
// Writes --output, if it was given; time_ns is NaN if it was not.
enum status apsp_write_output(const struct apsp_input *input, const int32_t *distances, double *time_ns,
                              struct error *error);
// The same and its row, on the CPU.
enum status apsp_emit_output(struct run *run, const struct apsp_input *input, const int32_t *distances,
                             struct error *error);

enum status apsp_measure_cpu(struct run *run, const struct point *point, struct error *error);
// On the run's device or, where the variant says so, on all devices of its backend together.
enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error);
enum status apsp_measure_gpu_peak(struct run *run, struct error *error);
enum status apsp_measure_cpu_peak(struct run *run, struct error *error);

#endif
