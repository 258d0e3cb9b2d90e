// Tries every padding up to a row and every swizzle of a tile, and counts the passes of each access on each GPU.
#ifndef TOOLS_LANES_LAYOUT_SEARCH_H
#define TOOLS_LANES_LAYOUT_SEARCH_H

#include "tools/lanes/layout/tile_access.h"

// The requests of one access on one GPU. None: the GPU does not make the access.
struct layout_case {
    const struct gpu *gpu;
    enum operation operation;
    enum tile_copy copy;
    uint32_t bytes; // of a lane
    struct tile_requests requests;
};

// Sets the cases of an access as typed, one for each GPU, whose requests are to be freed. STATUS_USAGE if the text is
// no access to this tile.
enum status layout_cases_make(struct layout_case *cases, const char *access_text, const struct tile *tile,
                              const struct gpu *const *gpus, size_t gpu_count, struct error *error);

// Frees the cases with their requests.
void layout_cases_free(struct layout_case *cases, size_t count);

struct layout_tried {
    struct layout layout;
    uint64_t *passes; // of each case, over all of its requests
    uint64_t excess;  // of all cases, beyond the least
};

// What was found: the layouts that keep each lane's bytes together and fit into a block's shared memory, best first:
// fewest passes of all cases together, then fewest bytes, then the largest alignment, then the simplest.
struct layout_search {
    struct tile tile;
    struct layout_tried *tried;
    size_t tried_count;
    size_t space;     // how many layouts there are, with those that were left out
    uint64_t *least;  // passes of each case below which no layout of any kind can get
    uint64_t *passes; // what tried[].passes point into
};

// Of so many cases. STATUS_FAILED if no layout is possible, as where a lane's bytes are not aligned.
enum status layout_search(struct layout_search *search, const struct tile *tile, const struct layout_case *cases,
                          size_t count, struct error *error);
void layout_search_clear(struct layout_search *search);

#endif
