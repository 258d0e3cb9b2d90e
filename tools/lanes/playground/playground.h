// What the playground's page asks and what it shows. The page runs this compiled to WebAssembly, and its tests run it
// on the host, too.
#ifndef TOOLS_LANES_PLAYGROUND_PLAYGROUND_H
#define TOOLS_LANES_PLAYGROUND_PLAYGROUND_H

#include "tools/lanes/grid.h"
#include "tools/lanes/output.h"

enum {
    PLAYGROUND_CELLS_MAX = 4, // of a lane: 16 bytes in words of 4
    PLAYGROUND_TEXT_BYTES = 1 << 16
};

struct playground_question {
    uint32_t gpu; // row of the table of GPUs
    uint32_t space;
    struct request request;
};

// Where a part of a lane's data is served: a pass and a bank, or a run of 128 bytes and a word of it.
struct playground_cell {
    uint8_t row, column;
};

struct playground_row {
    uint64_t paid;  // as struct grid_row has it
    char label[16]; // the same
    uint64_t extra; // 1: a pass that a conflict adds
};

// Every type has the same size and place on all compilers, so that a page can read it and a test can compare it.
struct playground_answer {
    uint32_t active_lanes, unique_bytes, passes, conflicts, groups, certainty, sectors, full_sectors, lines;
    uint32_t columns, bank_bytes, row_count;
    uint8_t group[WARP_WIDTH_MAX];      // of each lane, in shared memory
    uint8_t cell_count[WARP_WIDTH_MAX]; // of each lane
    struct playground_cell cells[WARP_WIDTH_MAX][PLAYGROUND_CELLS_MAX];
    struct playground_row rows[GRID_ROWS_MAX];
};

struct playground_panel {
    struct playground_question question;
    struct playground_answer answer;
};

struct playground {
    struct playground_panel panels[PANELS_MAX];
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

void playground_answer(struct playground *playground, struct playground_panel *panel);

// Writes to output the text that lanes prints for the first `count` questions. Returns output.
const char *playground_text(struct playground *playground, uint32_t count);

// Writes to output which layouts of a tile of shared memory serve walks along its rows and down its columns, both for
// loads and stores, on the GPUs of the first `count` questions, as lanes --layout prints it. Returns output, or what is
// wrong with the tile.
const char *playground_layouts(struct playground *playground, uint32_t count, uint32_t rows, uint32_t columns,
                               uint32_t element_bytes);

// Writes to output the GPUs of the first `count` questions beside each other, as parts prints it. Returns output.
const char *playground_parts(struct playground *playground, uint32_t count);

// Writes to output the lines below the panel's picture, separated by newlines. Returns output.
const char *playground_summary(struct playground *playground, const struct playground_panel *panel);

#endif
