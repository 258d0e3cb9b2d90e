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

// How lanes follow each other: along the rows of blocks, or down their columns. The blocks follow each other along the
// tile's rows.
struct tile_walk {
    uint32_t rows, columns; // of a block; columns in pieces of a lane's bytes; 0: all of the tile
    bool down;
};

enum tile_parts {
    TILE_FOR_ALL,
    TILE_FOR_NVIDIA,
    TILE_FOR_COPIES,      // of NVIDIA's cp.async
    TILE_FOR_MATRIX_CORES // of AMD's waves of 64 lanes
};

// A copy from global memory by cp.async: 16 bytes a lane pass by L1, fewer go through it.
enum tile_copy {
    COPY_NONE,
    COPY_THROUGH_L1,
    COPY_PAST_L1
};

struct tile_access {
    const char *text;    // as typed
    enum tile_copy copy; // from a matrix whose rows begin with lines; counts as a store
    enum operation operation;
    uint32_t bytes;        // of a lane
    enum tile_parts parts; // which have the instruction
    char *addresses;       // the file of them, owned; NULL: the walk
    struct tile_walk walk;
};

// STATUS_USAGE if the text is no access to this tile.
enum status tile_access_parse(struct tile_access *access, const char *text, const struct tile *tile,
                              struct error *error);
void tile_access_clear(struct tile_access *access);

// Whether the part has the instruction that makes the access.
bool tile_access_exists(const struct tile_access *access, const struct gpu *gpu);

// The requests of warps of so many lanes. The caller frees requests->list. STATUS_USAGE if a file of addresses cannot
// be read or leads out of the tile.
enum status tile_access_requests(const struct tile_access *access, const struct tile *tile, uint32_t warp_width,
                                 struct tile_requests *requests, struct error *error);

// Adds a copy of the request.
void tile_requests_add(struct tile_requests *requests, const struct tile_request *request);

#endif
