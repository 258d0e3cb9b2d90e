// A solution on one GPU of a matrix that stays in the host's memory. The matrix is cut into strips of whole rows. A
// round takes the paths through the vertices of one strip: the GPU closes it, and every other strip passes through the
// GPU's memory once:
//     upload, w = min(w, left (x) closed strip), download
// where `left` is the strip's own columns of the pivots. Uploads, multiplies and downloads of different strips run at
// the same time. The strip of the next round's pivots comes second and stays, and the GPU closes it beside the
// multiplies of the others.
#ifndef APSP_SOLVE_STREAMED_H
#define APSP_SOLVE_STREAMED_H

#include "apsp/solve/gpu_panel.h"

enum {
    APSP_STREAMED_BUFFERS = 5 // strips on the GPU: of this round's pivots and the next one's, and three on their way
};

// A strip's place in the GPU's memory.
struct apsp_slot {
    uint64_t address;
    struct event *uploaded, *computed, *downloaded;
};

struct apsp_streamed {
    struct device *device;
    uint32_t vertices, pitch; // pitch: rows and columns of the matrix with its padding
    uint32_t strip, strips;   // rows of a strip, the last of which may have fewer; number of strips
    int32_t *w;               // pitch x pitch words of the host, pinned
    struct apsp_slot slots[APSP_STREAMED_BUFFERS];
    uint32_t turn;              // of the slots for strips on their way
    uint64_t left, closed, old; // panels, and columns of a strip as they were before it was closed
    struct apsp_panels panels;
    struct stream *up, *down; // of the copies; the default stream multiplies
    struct stream *ahead;     // closes strips
    struct event *begun;
    struct event *ready; // the strip of the next round is closed
    struct event **home; // of each strip: the host has it
};

// Bytes of the GPU's memory for strips of this many rows.
uint64_t apsp_streamed_bytes(uint32_t vertices, uint32_t strip);

// Lays out a solution within this much of the GPU's memory. Nothing is allocated yet. `strip` is 0 if even the smallest
// strips do not fit.
struct apsp_streamed apsp_streamed_make(struct device *device, uint32_t vertices, uint64_t memory_bytes);

// The solution must be released even if this fails.
enum status apsp_streamed_prepare(struct apsp_streamed *streamed, struct error *error);
void apsp_streamed_release(struct apsp_streamed *streamed);

// Copy between the solution's matrix and one of vertices^2 words.
void apsp_streamed_fill(struct apsp_streamed *streamed, const int32_t *distances);
void apsp_streamed_read(const struct apsp_streamed *streamed, int32_t *distances);

// Enqueues a whole solution and does not wait for it. The default stream begins first and finishes last.
enum status apsp_streamed_enqueue(struct apsp_streamed *streamed, struct error *error);

#endif
