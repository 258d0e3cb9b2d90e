// Definitions that links' sources share: the parameters, the description of a variant, the state of a run.
#ifndef LINKS_ROW_H
#define LINKS_ROW_H

#include "bench/plan.h"
#include "bench/probe.h"
#include "links/transfer.h"

enum links_parameter {
    LINKS_FOOTPRINT
};

enum {
    LINKS_WORD_BYTES = 16, // of a kernel's access; a transfer is a multiple of it
};

// What the threads of a node do with the memory of another one.
enum links_access {
    NODES_READ,
    NODES_WRITE,
    NODES_WRITE_PAST_CACHES // by streaming stores
};

// How pages of managed memory come to where they are accessed.
enum links_managed {
    MANAGED_TOUCH,    // they are new, and a kernel stores to them
    MANAGED_FAULT,    // they move when they are accessed
    MANAGED_PREFETCH, // the driver moves them ahead
    MANAGED_STAY,     // they stay on the host, and a kernel accesses them there
    MANAGED_OVERFLOW  // they move when a kernel accesses them, and twice as many as fit push each other out
};

// The properties of a variant besides its name.
struct links_detail {
    bool pairs; // needs two devices; otherwise a device and the host
    enum transfer_mover mover;
    enum host_memory memory; // of the host's end
    enum links_access access;
    enum links_managed managed;
};

// Kept in addition to the program's devices.
struct links_session {
    struct links_kernels kernels[SELECTION_DEVICES_MAX];
};

static inline const struct links_detail *links_detail_of(const struct run *run) {
    return run->variant->detail;
}

static inline struct links_kernels *links_kernels_of(const struct run *run) {
    return ((struct links_session *)run->session)->kernels;
}

// ---- bandwidth.c: of a link by the size of a transfer ----

// Refuses a footprint that is not a multiple of a kernel's word, or that does not fit.
enum status links_check_bandwidth(const struct run *run, const struct point *point, struct error *error);

// Leaves out what links_skip_unreachable does, and default footprints that take much of the memory.
bool links_skip_bandwidth(const struct run *run, const struct point *point);

void links_cost_bandwidth(const struct run *run, const struct point *point, struct point_cost *cost);

// Emits a row for each route: alone, both ways, all at once.
enum status links_measure_bandwidth(struct run *run, const struct point *point, struct error *error);

// ---- latency.c: of the smallest transfer, one load of a kernel or one word by the copy engine ----

enum status links_measure_latency(struct run *run, const struct point *point, struct error *error);

// ---- managed.c: of managed memory, whose pages the driver moves between the host and a device ----

// What a kernel or the host's threads get of it while the pages move, or although they stay. Rows for both directions;
// for new pages, which cross no link, one.
enum status links_measure_managed(struct run *run, const struct point *point, struct error *error);

// ---- nodes.c: bandwidth between the nodes of a CPU's memory ----

// The footprint is one node's memory; 0: several times the caches.
enum status links_check_nodes(const struct run *run, const struct point *point, struct error *error);

// Rows for each node with processors and each node with memory.
enum status links_measure_nodes(struct run *run, const struct point *point, struct error *error);

// ---- The content of links' rows ----

// A row of a transfer between two ends, either of which may be NULL, the host.
struct row links_row(const struct run *run, const struct transfer *transfer, const char *direction);

// Sets the columns of the measurement. A one-way bandwidth is compared with the link's peak.
void links_finish_row(struct row *row, const struct measurement *measurement);

// Settings for one of several measurements that share a point's time.
struct settings links_share(const struct settings *settings, size_t measurements);

#endif
