#include "device/sim/traffic.h"

#include <stdbool.h>

// Traffic between memory and the caches; each unit moves once. Loads move the unit that the GPU fetches at once. Stores
// move sectors; a sector that is written in part and not loaded is read first (filled).
struct sim_traffic {
    uint64_t load_bytes, load_sectors, fill_bytes, write_bytes, unwritten_bytes, load_runs, write_runs, partial_lines;
};

enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error) {
    if (buffer->read.words) {
        return STATUS_OK;
    }
    if (sim_bitmap_create(&buffer->read, buffer->bytes / sector_bytes + 1) != STATUS_OK) {
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    }
    if (sim_bitmap_create(&buffer->written, buffer->bytes) != STATUS_OK) {
        sim_bitmap_destroy(&buffer->read);
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    }
    return STATUS_OK;
}

// A sector is 32, 64 or 128 bytes: half a word, a word or two words of the bitmap.
static uint32_t bytes_written(const struct sim_buffer *buffer, uint64_t bit, uint32_t sector_bytes) {
    uint32_t written = 0;
    for (uint64_t part = bit; part < bit + sector_bytes; part += 32) {
        written += (uint32_t)__builtin_popcount((uint32_t)(buffer->written.words[part / 64] >> part % 64));
    }
    return written;
}

static bool is_read(const struct sim_buffer *buffer, uint64_t sector) {
    return buffer->read.words[sector / 64] >> sector % 64 & 1;
}

// Counts the sectors of one run of MEMORY_RUN_BYTES that were written, and those that were written in part.
static void count_run(const struct sim_buffer *buffer, uint64_t bit, const struct gpu *gpu,
                      struct sim_traffic *traffic) {
    uint32_t sectors = 0, partial_lines = 0;
    uint64_t partial_line = UINT64_MAX;
    for (uint64_t at = bit; at < bit + MEMORY_RUN_BYTES; at += gpu->sector_bytes) {
        uint32_t written = bytes_written(buffer, at, gpu->sector_bytes);
        sectors += written > 0;
        if (written > 0 && written < gpu->sector_bytes) {
            traffic->unwritten_bytes += gpu->sector_bytes - written;
            traffic->fill_bytes += is_read(buffer, at / gpu->sector_bytes) ? 0 : gpu->sector_bytes;
            partial_lines += at / gpu->line_bytes != partial_line;
            partial_line = at / gpu->line_bytes;
        }
    }
    traffic->write_bytes += (uint64_t)sectors * gpu->sector_bytes;
    traffic->write_runs += sectors > 0;
    traffic->partial_lines += partial_lines;
}

static void count_written(const struct sim_buffer *buffer, size_t chunk, const struct gpu *gpu,
                          struct sim_traffic *traffic) {
    uint64_t bit = (uint64_t)chunk * SIM_CHUNK_WORDS * 64, end = bit + SIM_CHUNK_WORDS * 64;
    for (; bit < end; bit += MEMORY_RUN_BYTES) {
        const uint64_t *words = &buffer->written.words[bit / 64];
        if (words[0] | words[1] | words[2] | words[3]) {
            count_run(buffer, bit, gpu, traffic);
        }
    }
}

static struct sim_traffic take(struct sim_buffer *buffer, const struct gpu *gpu) {
    const uint32_t fetch_bytes = gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
    struct sim_traffic traffic = {0};
    traffic.load_bytes = sim_bitmap_runs(&buffer->read, fetch_bytes / gpu->sector_bytes) * fetch_bytes;
    traffic.load_sectors = sim_bitmap_runs(&buffer->read, 1);
    traffic.load_runs = sim_bitmap_runs(&buffer->read, MEMORY_RUN_BYTES / gpu->sector_bytes);
    SIM_EACH_TOUCHED_CHUNK(chunk, &buffer->written) {
        count_written(buffer, chunk, gpu, &traffic);
    }
    sim_bitmap_clear(&buffer->read);
    sim_bitmap_clear(&buffer->written);
    return traffic;
}

static double at_most(double value, uint64_t bytes, uint32_t unit) {
    const double most = (double)((bytes + unit - 1) / unit * unit);
    return value < most ? value : most;
}

static void fold(struct sim_buffer *buffer, const struct gpu *gpu, double weight) {
    if (!buffer->read.words) {
        return;
    }
    const struct sim_traffic traffic = take(buffer, gpu);
    struct memory_traffic *sum = &buffer->traffic;
    const uint32_t line = gpu->line_bytes;
    sum->load_bytes = at_most(sum->load_bytes + weight * (double)traffic.load_bytes, buffer->bytes, line);
    sum->fill_bytes = at_most(sum->fill_bytes + weight * (double)traffic.fill_bytes, buffer->bytes, line);
    sum->write_bytes = at_most(sum->write_bytes + weight * (double)traffic.write_bytes, buffer->bytes, line);
    sum->unwritten_bytes += weight * (double)traffic.unwritten_bytes;
    sum->unit_load_bytes += weight * (double)traffic.load_sectors * gpu->sector_bytes;
    sum->load_runs += weight * (double)traffic.load_runs;
    sum->write_runs += weight * (double)traffic.write_runs;
    sum->partial_lines += weight * (double)traffic.partial_lines;
}

void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight) {
    for (size_t i = 0; i < memory->count; i++) {
        fold(&memory->buffers[i], gpu, weight);
    }
    fold(file_data, gpu, weight);
}

static void add(struct memory_traffic *sum, struct sim_buffer *buffer) {
    const struct memory_traffic *more = &buffer->traffic;
    sum->load_bytes += more->load_bytes;
    sum->fill_bytes += more->fill_bytes;
    sum->write_bytes += more->write_bytes;
    sum->unwritten_bytes += more->unwritten_bytes;
    sum->unit_load_bytes += more->unit_load_bytes;
    sum->load_runs += more->load_runs;
    sum->write_runs += more->write_runs;
    sum->partial_lines += more->partial_lines;
    buffer->traffic = (struct memory_traffic){0};
    buffer->stored = false;
}

struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data) {
    struct memory_traffic sum = {0};
    for (size_t i = 0; i < memory->count; i++) {
        add(&sum, &memory->buffers[i]);
    }
    add(&sum, file_data);
    return sum;
}
