// Tries every padding up to a row and every swizzle of a tile, and counts the passes of each access on each GPU.
#ifndef TOOLS_LANES_LAYOUT_SEARCH_H
#define TOOLS_LANES_LAYOUT_SEARCH_H

#include "tools/lanes/layout/tile_access.h"
#include "util/text.h"

struct layout_tried {
    struct layout layout;
    uint64_t *passes; // of each case, over all of its requests
    uint64_t excess;  // of all cases, beyond the least
};

// What is searched for, and what was found: the layouts that keep each lane's bytes together and fit into a block's
// shared memory, best first: fewest passes of all cases together, then fewest bytes, then the largest alignment, then
// the simplest.
struct layout_search {
    struct tile tile;
    struct layout_case *cases; // that of access i on GPU j is cases[i * gpu_count + j]
    size_t access_count, gpu_count;
    struct texts names; // of accesses that were not typed
    struct layout_tried *tried;
    size_t tried_count;
    size_t space;     // how many layouts there are, with those that were left out
    uint64_t *least;  // passes of each case below which no layout of any kind can get
    uint64_t *passes; // what tried[].passes point into
};

// Searches for the tile and the cases that are set. STATUS_FAILED if no layout is possible, as where a lane's bytes are
// not aligned. The caller clears the search in any case.
enum status layout_search(struct layout_search *search, struct error *error);

// The same for accesses as typed, which must stay where they are. STATUS_USAGE if one is no access to this tile.
enum status layout_search_typed(struct layout_search *search, const struct tile *tile, const char *const *accesses,
                                size_t access_count, const struct gpu *const *gpus, size_t gpu_count,
                                struct error *error);
void layout_search_clear(struct layout_search *search);

size_t layout_case_count(const struct layout_search *search);

#endif
