// What links' parts share: the parameters, what a variant is, what a run of the program keeps.
#ifndef LINKS_LINKS_H
#define LINKS_LINKS_H

#include "bench/probe.h"
#include "bench/selection.h"
#include "links/transfer.h"

enum links_parameter {
    LINKS_FOOTPRINT
};

enum {
    LINKS_WORD_BYTES = 16, // of a kernel's access, which a transfer is a multiple of
};

// What a variant is, beside its name.
struct links_detail {
    enum status (*measure)(struct run *run, const struct point *point, struct error *error);
    bool pairs; // it needs two devices; else a device and the host
    enum transfer_mover mover;
    enum host_memory memory; // of the host's end
    const char *columns;     // of its own table
};

// Beside the program's own devices.
struct links_session {
    struct links_kernels kernels[SELECTION_DEVICES_MAX];
};

static inline const struct links_detail *links_detail_of(const struct run *run) {
    return run->variant->detail;
}

static inline struct links_kernels *links_kernels_of(const struct run *run) {
    return ((struct links_session *)run->session)->kernels;
}

// GB/s that the link between two devices, or a device and the host (NULL), can carry one way; NaN: not known.
double links_peak_gb_s(const struct run *run, struct device *from, struct device *to);

// A row of what goes from one to the other, either of which may be NULL, the host.
struct row links_row(const struct run *run, const struct transfer *transfer, const char *direction);

// The columns that say how it went. Where the row has a one-way bandwidth, it is held against the link's peak.
void links_finish_row(struct row *row, const struct measurement *measurement, enum verification verification);

// Settings for one of so many measurements that share a point's time.
struct settings links_share(const struct settings *settings, size_t measurements);

#endif
