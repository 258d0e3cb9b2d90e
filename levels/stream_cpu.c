// Kernels of stream.cu for the CPU.
#include "levels/levels_cpu.h"

#include "device/cpu/slice.h"
#include "device/cpu/stream_vector.h"

enum {
    WORD_BYTES = 16
};

// Keeps the compiler from merging turns.
#define AGAIN __asm__ volatile("" : : : "memory")

// Each thread does ACT(offset) for its chunks, as often as the launch says.
#define FOR_TURNS(call, ACT)                                                                                           \
    const uint64_t bytes = (uint64_t)native_u32(call, 2) * (call)->launch->block.x * WORD_BYTES;                       \
    const uint32_t rounds = native_u32(call, 3);                                                                       \
    _Pragma("omp parallel for schedule(static)") for (uint32_t block = 0; block < (call)->launch->grid.x; block++) {   \
        for (uint32_t round = 0; round < rounds; round++) {                                                            \
            ACT(block *bytes);                                                                                         \
            AGAIN;                                                                                                     \
        }                                                                                                              \
    }

void levels_cpu_unit_read(const struct native_call *call) {
    const uint8_t *from = native_pointer(call, 0);
    uint32_t *sums = native_pointer(call, 1);
    const struct stream_loops *with = cpu_stream_loops();
    for (uint32_t block = 0; block < call->launch->grid.x; block++) {
        sums[block] = 0;
    }
#define READ(offset) sums[block] += with->read(from + (offset), bytes)
    FOR_TURNS(call, READ)
}

void levels_cpu_unit_write(const struct native_call *call) {
    uint8_t *to = native_pointer(call, 0);
    const uint64_t first = native_u64(call, 1);
    const struct stream_loops *with = cpu_stream_loops();
#define WRITE(offset) with->write(to + (offset), bytes, first + (offset) / WORD_BYTES)
    FOR_TURNS(call, WRITE)
}

void levels_cpu_unit_copy(const struct native_call *call) {
    const uint8_t *from = native_pointer(call, 0);
    uint8_t *to = native_pointer(call, 1);
    const struct stream_loops *with = cpu_stream_loops();
#define COPY(offset) with->copy(to + (offset), from + (offset), bytes)
    FOR_TURNS(call, COPY)
}

static uint32_t sum_of(const uint8_t *from, uint64_t bytes) {
    const uint32_t *words = (const uint32_t *)(const void *)from;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < bytes / sizeof *words; i++) {
        sum += words[i];
    }
    return sum;
}

// Each thread takes its share of the pieces, one after the other.
void levels_cpu_piece_read(const struct native_call *call) {
    const uint8_t *from = native_pointer(call, 0);
    uint32_t *sums = native_pointer(call, 1);
    const struct pieces pieces = {.count = native_u64(call, 2),
                                  .rows = native_u64(call, 3),
                                  .row_bytes = native_u64(call, 4),
                                  .piece_bytes = native_u64(call, 5)};
    const uint32_t threads = call->launch->grid.x;
#pragma omp parallel for schedule(static)
    for (uint32_t thread = 0; thread < threads; thread++) {
        const struct slice slice = cpu_slice(pieces.count, thread, threads);
        uint64_t row = slice.first % pieces.rows, column = slice.first / pieces.rows;
        uint32_t sum = 0;
        for (uint64_t left = slice.count; left > 0; left--) {
            sum += sum_of(from + row * pieces.row_bytes + column * pieces.piece_bytes, pieces.piece_bytes);
            row = row + 1 < pieces.rows ? row + 1 : 0;
            column += row == 0;
        }
        sums[thread] = sum;
    }
}
