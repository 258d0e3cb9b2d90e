// Which units of a buffer a launch touches.
#ifndef SIM_BITMAP_H
#define SIM_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// ---- Large pages of the host, which cost less than the faults of small ones ----

enum {
    SIM_LARGE_PAGE = 2 << 20
};

// Addresses without memory that begin at a multiple of a large page; NULL if there are none.
char *sim_reserve_aligned(size_t bytes);

// Makes large pages of whole ones in shared memory. Each must have a small page already. Where the system makes none,
// the small ones do as well.
void sim_make_large_pages(char *begin, size_t bytes);

// ---- Bitmaps ----

// A bit for each unit of a buffer. Touched chunks are marked, so that counting and clearing skip the others.
struct sim_bitmap {
    uint64_t *words;  // NULL until a bit is set
    uint8_t *touched; // one for each chunk of SIM_CHUNK_WORDS
    size_t word_count, chunk_count;
};

enum {
    SIM_CHUNK_WORDS = 512,
    SIM_CHUNK_BITS = SIM_CHUNK_WORDS * 64
};

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits);
void sim_bitmap_destroy(struct sim_bitmap *bitmap);

static inline void sim_bitmap_set(struct sim_bitmap *bitmap, uint64_t bit, uint64_t pattern) {
    uint64_t word = bit / 64;
    bitmap->words[word] |= pattern << bit % 64;
    bitmap->touched[word / SIM_CHUNK_WORDS] = 1;
}

// Whether the chunk of a bit is touched.
static inline bool sim_bitmap_has_chunk(const struct sim_bitmap *bitmap, uint64_t bit) {
    return bitmap->touched[bit / SIM_CHUNK_BITS];
}

// Sets `count` bits from `bit` on, which lie in one buffer.
void sim_bitmap_set_run(struct sim_bitmap *bitmap, uint64_t bit, uint64_t count);

// Sets the same bits in `count` words that are `apart` words apart.
void sim_bitmap_set_words(struct sim_bitmap *bitmap, size_t word, size_t count, size_t apart, uint64_t bits);

// Call this where bits are set in ascending order. It makes the page after this bit's a large one, which costs less
// than the faults of small pages.
void sim_bitmap_expect(struct sim_bitmap *bitmap, uint64_t bit);

// The same for a range of words.
void sim_bitmap_expect_words(struct sim_bitmap *bitmap, size_t first, size_t end);

// The first touched chunk from `chunk` on; chunk_count if there is none.
size_t sim_bitmap_touched(const struct sim_bitmap *bitmap, size_t chunk);
#define SIM_EACH_TOUCHED_CHUNK(chunk, bitmap)                                                                          \
    for (size_t chunk = sim_bitmap_touched(bitmap, 0); chunk < (bitmap)->chunk_count;                                  \
         chunk = sim_bitmap_touched(bitmap, chunk + 1))

// Counts the runs of `length` bits (a power of two up to 64) in which a bit is set.
uint64_t sim_bitmap_runs(const struct sim_bitmap *bitmap, uint32_t length);

void sim_bitmap_clear_chunk(struct sim_bitmap *bitmap, size_t chunk);
void sim_bitmap_clear(struct sim_bitmap *bitmap);

#endif
