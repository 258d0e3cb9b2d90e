// What the playground's page asks and what it shows. The page runs this compiled to WebAssembly, and its tests run it
// on the host, too.
#ifndef TOOLS_LANES_PLAYGROUND_PLAYGROUND_H
#define TOOLS_LANES_PLAYGROUND_PLAYGROUND_H

#include "tools/lanes/grid.h"
#include "tools/lanes/picture.h"

enum {
    PLAYGROUND_TEXT_BYTES = 1 << 16
};

struct playground {
    char input[PLAYGROUND_TEXT_BYTES]; // addresses, as a user types them; first, so that the page finds it
    char output[PLAYGROUND_TEXT_BYTES];
    struct panel panels[PANELS_MAX];
    struct grid grid;
};

// To be freed.
struct playground *playground_open(void);

// Writes to output, as JSON, the GPUs and the size of input. Returns output.
const char *playground_describe(struct playground *playground);

// Sets what a panel asks about, but for the lanes' addresses. gpu: the row of the table of GPUs.
void playground_ask(struct playground *playground, uint32_t side, uint32_t gpu, uint32_t space, uint32_t operation,
                    uint32_t atomic, uint32_t width_bytes);

// Sets the lanes' addresses by the formula of tools/lanes/grid.h.
void playground_pattern(struct playground *playground, uint32_t side, uint32_t stride, uint32_t offset,
                        uint32_t block_x, uint32_t block_y, uint32_t pitch, uint32_t by_column, uint32_t swizzled);

// Sets them as --addresses reads them from `length` bytes of input. Returns NULL, or what is wrong.
const char *playground_addresses(struct playground *playground, uint32_t side, uint32_t length, uint32_t warp_width);

// Writes to output, as JSON, what the panel's request costs: counts, the lines below its picture, the active lanes and
// all lanes' addresses, the lanes of each group that shared memory serves together, and the picture's rows, as struct
// grid_row has them. Returns output. It must come before the texts below.
const char *playground_answer(struct playground *playground, uint32_t side);

// Writes to output the text that lanes prints for the first `count` panels. Returns output.
const char *playground_text(struct playground *playground, uint32_t count);

// Writes to output which layouts of a tile of shared memory serve walks along its rows and down its columns, both for
// loads and stores, on the GPUs of the first `count` panels, as lanes --layout prints it. Returns output, or what is
// wrong with the tile.
const char *playground_layouts(struct playground *playground, uint32_t count, uint32_t rows, uint32_t columns,
                               uint32_t element_bytes);

// Writes to output the GPUs of the first `count` panels beside each other, as parts prints it. Returns output.
const char *playground_parts(struct playground *playground, uint32_t count);

#endif
