// How panels travel along the rows and the columns of the grid of ranks.
#ifndef APSP_MPI_EXCHANGE_H
#define APSP_MPI_EXCHANGE_H

#include "apsp/mpi/ranks.h"
#include "device/device.h"

enum exchange_direction {
    ALONG_ROW,
    ALONG_COLUMN,
    EXCHANGE_DIRECTIONS
};

enum {
    EXCHANGE_PIECES = 8 // of a broadcast through the host's memory
};

struct exchange {
    const struct ranks *ranks;
    struct device *device;
    struct stream *stream; // of the panels; NULL on the CPU
    char text[512];        // the way, for the metadata

    // Sends `bytes` from rank `from` of a direction to the same address on its other ranks. On a GPU what the stream
    // enqueues later finds the data; on the CPU the request is complete when they have arrived. All ranks of the
    // direction call it in the same order, also those that have failed, so that none waits forever.
    enum status (*broadcast)(struct exchange *exchange, enum exchange_direction direction, uint64_t address,
                             size_t bytes, int from, MPI_Request *request, struct error *error);

    // Through pinned memory of the host:
    void *memory;
    struct event *copied[EXCHANGE_PIECES];

    // By NCCL or RCCL:
    struct group_library *library;
    struct group *groups[EXCHANGE_DIRECTIONS]; // NULL where a rank is alone
};

static inline MPI_Comm exchange_ranks(const struct exchange *exchange, enum exchange_direction direction) {
    return direction == ALONG_ROW ? exchange->ranks->row : exchange->ranks->column;
}

// Collective, with one status for all. way is "auto", "nccl", "mpi" or "host"; with "auto" the first of these that
// works here. panel_bytes is the size of the largest broadcast.
enum status exchange_open(const struct ranks *ranks, struct device *device, struct stream *stream, const char *way,
                          size_t panel_bytes, struct exchange *exchange, struct error *error);
void exchange_close(struct exchange *exchange);

// Returns a fault that showed after a broadcast was enqueued.
enum status exchange_check(const struct exchange *exchange, struct error *error);

// Ends broadcasts that wait for a rank that has failed. Later broadcasts from GPU to GPU do nothing.
void exchange_stop(struct exchange *exchange);

#endif
