#include "sim/bitmap.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

// ---- Large pages ----

#ifndef MADV_COLLAPSE // headers of older systems
#define MADV_COLLAPSE 25
#endif

char *sim_reserve_aligned(size_t bytes) {
    char *room = mmap(NULL, bytes + SIM_LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return NULL;
    }
    const size_t before = (SIM_LARGE_PAGE - (uintptr_t)room % SIM_LARGE_PAGE) % SIM_LARGE_PAGE;
    if (before) {
        munmap(room, before);
    }
    munmap(room + before + bytes, SIM_LARGE_PAGE - before);
    return room + before;
}

void sim_make_large_pages(char *begin, size_t bytes) {
    madvise(begin, bytes / SIM_LARGE_PAGE * SIM_LARGE_PAGE, MADV_COLLAPSE);
}

// ---- Bitmaps ----

// Mapped, so that the untouched part of a large buffer costs no memory.
static void *map_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits) {
    bitmap->chunk_count = (size_t)(bits / SIM_CHUNK_BITS + 1);
    bitmap->word_count = bitmap->chunk_count * SIM_CHUNK_WORDS;
    bitmap->words = map_zeros(bitmap->word_count * sizeof *bitmap->words);
    bitmap->touched = map_zeros(bitmap->chunk_count);
    if (bitmap->words && bitmap->touched) {
        return STATUS_OK;
    }
    sim_bitmap_destroy(bitmap);
    return STATUS_FAILED;
}

void sim_bitmap_destroy(struct sim_bitmap *bitmap) {
    if (bitmap->words) {
        munmap(bitmap->words, bitmap->word_count * sizeof *bitmap->words);
    }
    if (bitmap->touched) {
        munmap(bitmap->touched, bitmap->chunk_count);
    }
    *bitmap = (struct sim_bitmap){0};
}

void sim_bitmap_set_run(struct sim_bitmap *bitmap, uint64_t bit, uint64_t count) {
    while (count) {
        const uint64_t room = 64 - bit % 64, taken = count < room ? count : room;
        sim_bitmap_set(bitmap, bit, taken < 64 ? (UINT64_C(1) << taken) - 1 : UINT64_MAX);
        bit += taken;
        count -= taken;
    }
}

void sim_bitmap_set_words(struct sim_bitmap *bitmap, size_t word, size_t count, size_t apart, uint64_t bits) {
    for (size_t left = count; left;) {
        const size_t chunk = word / SIM_CHUNK_WORDS, end = (chunk + 1) * SIM_CHUNK_WORDS;
        bitmap->touched[chunk] = 1;
        for (; left && word < end; left--, word += apart) {
            bitmap->words[word] |= bits;
        }
    }
}

void sim_bitmap_expect_words(struct sim_bitmap *bitmap, size_t first, size_t end) {
    const uintptr_t begin = (uintptr_t)(bitmap->words + first) + SIM_LARGE_PAGE - 1,
                    last = (uintptr_t)(bitmap->words + end);
    const uintptr_t page = begin - begin % SIM_LARGE_PAGE;
    if (page < last) {
        madvise((void *)page, (last - page) / SIM_LARGE_PAGE * SIM_LARGE_PAGE, MADV_HUGEPAGE);
    }
}

void sim_bitmap_expect(struct sim_bitmap *bitmap, uint64_t bit) {
    char *now = (char *)(bitmap->words + bit / 64), *end = (char *)(bitmap->words + bitmap->word_count);
    char *next = now + (SIM_LARGE_PAGE - (uintptr_t)now % SIM_LARGE_PAGE);
    if (end - now >= 2 * SIM_LARGE_PAGE) {
        madvise(next, SIM_LARGE_PAGE, MADV_HUGEPAGE);
    }
}

size_t sim_bitmap_touched(const struct sim_bitmap *bitmap, size_t chunk) {
    const uint8_t *found = memchr(bitmap->touched + chunk, 1, bitmap->chunk_count - chunk);
    return found ? (size_t)(found - bitmap->touched) : bitmap->chunk_count;
}

uint64_t sim_bitmap_runs(const struct sim_bitmap *bitmap, uint32_t length) {
    const uint64_t first_of_each = length < 64 ? UINT64_MAX / ((UINT64_C(1) << length) - 1) : 1;
    uint64_t runs = 0;
    SIM_EACH_TOUCHED_CHUNK(chunk, bitmap) {
        for (size_t i = 0; i < SIM_CHUNK_WORDS; i++) {
            uint64_t word = bitmap->words[chunk * SIM_CHUNK_WORDS + i];
            for (uint32_t shift = 1; shift < length; shift *= 2) {
                word |= word >> shift;
            }
            runs += (uint64_t)__builtin_popcountll(word & first_of_each);
        }
    }
    return runs;
}

void sim_bitmap_clear_chunk(struct sim_bitmap *bitmap, size_t chunk) {
    memset(bitmap->words + chunk * SIM_CHUNK_WORDS, 0, SIM_CHUNK_WORDS * sizeof *bitmap->words);
    bitmap->touched[chunk] = 0;
}

void sim_bitmap_clear(struct sim_bitmap *bitmap) {
    SIM_EACH_TOUCHED_CHUNK(chunk, bitmap) {
        sim_bitmap_clear_chunk(bitmap, chunk);
    }
}
