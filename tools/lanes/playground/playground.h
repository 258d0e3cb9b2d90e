// What the playground's page asks and what it shows. The page runs this compiled to WebAssembly, and its tests run it
// on the host, too.
#ifndef TOOLS_LANES_PLAYGROUND_PLAYGROUND_H
#define TOOLS_LANES_PLAYGROUND_PLAYGROUND_H

#include "tools/lanes/grid.h"
#include "tools/lanes/output.h"

enum {
    PLAYGROUND_TEXT_BYTES = 1 << 16
};

// It has the same size on all compilers, and each member the same place, so that a page can write it.
struct playground_question {
    uint32_t gpu; // row of the table of GPUs
    uint32_t space;
    struct request request;
};

struct playground {
    struct playground_question questions[PANELS_MAX];
    char input[PLAYGROUND_TEXT_BYTES]; // addresses, as a user types them
    char output[PLAYGROUND_TEXT_BYTES];
    struct grid grid; // last, because its size depends on the compiler
};

// To be freed.
struct playground *playground_open(void);

// Writes to output, as JSON, the GPUs and where the page finds each member. Returns output.
const char *playground_describe(struct playground *playground);

// Sets the lanes' addresses by the formula of tools/lanes/output.h; the question has the GPU and the width.
void playground_pattern(struct playground_question *question, uint32_t stride, uint32_t offset, uint32_t block_x,
                        uint32_t block_y, uint32_t pitch, uint32_t by_column, uint32_t swizzled);

// Sets the first question's addresses as --addresses reads them from `length` bytes of input. Returns NULL, or what is
// wrong.
const char *playground_addresses(struct playground *playground, uint32_t length, uint32_t warp_width);

// Writes to output, as JSON, what the question's request costs: counts, the lines below its picture, the lanes of each
// group that shared memory serves together, and the picture's rows, as struct grid_row has them. Returns output.
const char *playground_answer(struct playground *playground, const struct playground_question *question);

// Writes to output the text that lanes prints for the first `count` questions. Returns output.
const char *playground_text(struct playground *playground, uint32_t count);

// Writes to output which layouts of a tile of shared memory serve walks along its rows and down its columns, both for
// loads and stores, on the GPUs of the first `count` questions, as lanes --layout prints it. Returns output, or what is
// wrong with the tile.
const char *playground_layouts(struct playground *playground, uint32_t count, uint32_t rows, uint32_t columns,
                               uint32_t element_bytes);

// Writes to output the GPUs of the first `count` questions beside each other, as parts prints it. Returns output.
const char *playground_parts(struct playground *playground, uint32_t count);

#endif
