// How a kernel accesses a tile: "store:row", "load:column:8", "load:16x4-down:8", "load:ldmatrix", "load:@FILE:4",
// "copy:row:16".
// All of its requests together touch the tile once, or those of the file.
#ifndef TOOLS_LANES_LAYOUT_TILE_ACCESS_H
#define TOOLS_LANES_LAYOUT_TILE_ACCESS_H

#include "model/gpus.h"
#include "model/layout.h"
#include "model/request.h"
#include "util/error.h"

// A request by elements, wherever the tile's layout puts them.
struct tile_request {
    uint64_t active;
    uint64_t count;                 // how often it is made
    uint32_t index[WARP_WIDTH_MAX]; // row * columns + column of each active lane's first element
    uint64_t from[WARP_WIDTH_MAX];  // of a copy: the byte in global memory, counted from the beginning of a line
};

struct tile_requests {
    struct tile_request *list; // owned
    size_t count;
};

// A copy from global memory by cp.async: 16 bytes a lane pass by L1, fewer go through it.
enum tile_copy {
    COPY_NONE,
    COPY_THROUGH_L1,
    COPY_PAST_L1
};

// The requests of one access on one GPU. None: the GPU does not make the access.
struct layout_case {
    const char *name; // of the access, for people
    uint32_t line;    // of the kernel that makes it; 0: it was typed
    enum operation operation;
    enum tile_copy copy;
    uint32_t bytes; // of a lane
    const struct gpu *gpu;
    struct tile_requests requests;
};

// Sets the cases of an access as typed, one for each GPU, whose requests are to be freed. The text must stay where it
// is. STATUS_USAGE if it is no access to this tile, or if a file of addresses cannot be read or leads out of the tile.
enum status tile_access_cases(struct layout_case *cases, const char *text, const struct tile *tile,
                              const struct gpu *const *gpus, size_t gpu_count, struct error *error);

// Adds a copy of the request.
void tile_requests_add(struct tile_requests *requests, const struct tile_request *request);

#endif
