// Definitions that levels' sources share: the parameters and the description of a variant.
#ifndef LEVELS_LEVELS_DETAIL_H
#define LEVELS_LEVELS_DETAIL_H

#include "bench/probe.h"
#include "device/cpu/nodes.h"
#include "levels/caches.h"
#include "levels/chase.h"
#include "levels/stream.h"

enum levels_parameter {
    LEVELS_FOOTPRINT,
    LEVELS_LINE,
    LEVELS_PAGE,
    LEVELS_ELEMENTS,
    LEVELS_WARPS,
    LEVELS_LOADS,
    LEVELS_TRAFFIC,
    LEVELS_WRITES,
    LEVELS_FETCH,
    LEVELS_WIDTH,
    LEVELS_STAGES
};

// Options that only levels has, and their result.
struct levels_session {
    const char *memory; // kind of the footprint's memory; NULL: the device's own
    bool emit_gpu;
    char *row;                         // for model/gpus.c; NULL: none was made
    char from[ROW_TEXT], to[ROW_TEXT]; // nodes of the threads and of the memory; empty: not placed
    bool placement_is_real;
};

// The properties of a variant besides its name, as far as its kind reads them. NULL: it is of another kind.
struct levels_detail {
    const struct levels_latency *latency;
    const struct levels_stream *stream;
    const struct levels_numa *numa;
};

// The kind that --memory names. Only a device's own memory is one of the levels that its caches are in front of.
enum memory_kind levels_memory(const struct run *run);

// The largest default footprint in the host's memory, 0 if the footprint lies elsewhere: a larger one shows the same
// link again, and is slow to pin.
uint64_t levels_linked_bytes_most(const struct run *run);

// Sets the columns that follow from a measurement. Only a bandwidth of memory is compared with the memory's peak.
void levels_finish_row(struct row *row, const struct measurement *measurement, double useful_bytes);

// Fills `from` and `to` if threads and memory are placed. Returns verdicts: a placement that a pretended topology asks
// for has not been verified.
unsigned levels_place_row(const struct run *run, struct row *row);

// ---- partitions.c ----

extern const struct variant_kind levels_partitions;

// ---- in_flight.c: on a CPU; on a GPU bandwidth.c reads a stream whose launch has the wanted bytes in flight ----

extern const struct variant_kind levels_in_flight;

// ---- dram.c: pieces of a large memory, read by a kernel of stream.cu ----

// Kept from point to point.
struct dram {
    struct kernel *kernel;
    uint64_t memory, sums; // device addresses
    uint64_t memory_bytes;
};

extern const struct variant_kind levels_dram;

// ---- loaded.c: the latency of a chase while other blocks, or threads of a CPU, read and write memory ----

// Kept from point to point.
struct loaded {
    struct run *run;
    struct chase chase; // builds the chain; the kernel of loaded.cu follows it, and loaded.c checks the end
    struct kernel *kernel;
    uint64_t memory, state, touched; // device addresses
    uint64_t memory_bytes;
    uint64_t visited;
};

// STATUS_NO_DEVICE: nothing can make traffic beside the chase.
enum status levels_supports_loaded(const struct device_info *info, const char *variant, struct error *error);

extern const struct variant_kind levels_loaded;

// ---- geometry/measure.c ----

extern const struct variant_kind levels_geometry;

// ---- latency.c ----

// By which elements that stand a page apart are moved, one more often than the other, so that they use all sets.
uint64_t levels_stagger_bytes(const struct device_info *info);

// Closes the chase that is the state of a variant's run.
void levels_close_chase(struct run *run);

// The given line, otherwise the device's, otherwise a usual one.
uint64_t levels_line_bytes(const struct run *run, const struct point *point);

// Which caches may hold an access's line on a GPU. A CPU's accesses all take the same path.
enum levels_path {
    PATH_LOADS,   // all of them
    PATH_MEMORY,  // those on memory's side: atomics are carried out there, beyond L1 and copies
    PATH_L2,      // L2 answers every access, because a store waits for no line
    PATH_UNKNOWN, // separate, undocumented caches
};

struct levels_latency {
    struct chase_kernel kernel;
    const char *op; // value of the column
    bool staggered; // elements a page apart use different sets of the caches
    enum levels_path path;
    bool small_pages; // the CPU's memory is in its smallest pages
};

extern const struct variant_kind levels_latencies; // by the footprint
extern const struct variant_kind levels_tlbs;      // by the number of elements

// ---- numa.c ----

struct levels_numa {
    enum cpu_pages pages;
    const struct variant_kind *pair; // measures one pair of nodes, and finishes it, because the memory lies on its node
    uint32_t least_threads;          // of a node
};

// Whether the machine has several nodes, and free pages of that kind.
enum status levels_supports_numa(const struct levels_numa *numa, struct error *error);
// A row for each node with processors and each node with memory.
extern const struct variant_kind levels_nodes;

// ---- Limits of a rate ----

// Upper bounds in GB/s: of the units' caches, from their bytes per clock; of the shared cache, from its documented rate
// (0: unknown); and of memory at its peak (NaN: unknown), which delivers its share of the bytes.
struct levels_limit {
    double units_gb_s, shared_gb_s, memory_gb_s;
};

double levels_most_gb_s(const struct levels_limit *limit, const struct answer *answer, bool shared);

// Whether units that load the same line at once got more together than the L2 delivers, so that no level is measured.
bool levels_is_merged(const struct levels_limit *limit, double gb_s, bool shared);

// Then the row names no level. Returns its verdict.
unsigned levels_shared_verdicts(struct row *row, const struct device_info *info, bool shared);
// The verdicts of a row's bandwidth where several levels may answer.
unsigned levels_mixed_verdicts(const struct row *row, const struct device_info *info, const struct answer *answer,
                               bool shared);

// ---- bandwidth.c ----

struct levels_stream {
    enum stream_operation operation;
    bool own;       // each unit has a separate footprint
    bool in_flight; // the grid follows from the warps and loads in flight
    bool follow;    // short blocks follow each other
    enum stream_path path;
    enum stream_policy policy;
};

extern const struct variant_kind levels_streams; // by the footprint
extern const struct variant_kind levels_staged;  // by the bytes in flight in shared memory

// Leaves out default warps and loads that a unit does not hold.
bool levels_skip_warps(const struct run *run, const struct point *point);

#endif
