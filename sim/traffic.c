#include "sim/traffic.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/gpu_limits.h"
#include "model/time/footprint.h"

// Traffic between memory and the caches; each unit moves once. Loads move the unit that the GPU fetches at once. Stores
// move units of MEMORY_WRITE_BYTES; where one is written in part, what surrounds it is read first, unless loads have
// brought it (filled).
struct sim_traffic {
    uint64_t load_bytes, fill_bytes, write_bytes, unwritten_bytes, reloaded_bytes, load_runs, write_runs, partial_lines;
};

enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, bool in_worker, struct error *error) {
    if (buffer->read.words) {
        return STATUS_OK;
    }
    if (sim_bitmap_create(&buffer->read, buffer->bytes / sector_bytes + 1) == STATUS_OK &&
        sim_bitmap_create(&buffer->written, buffer->bytes) == STATUS_OK &&
        (!in_worker || !buffer->stored_before || sim_bitmap_create(&buffer->loaded, buffer->bytes) == STATUS_OK)) {
        return STATUS_OK;
    }
    sim_bitmap_destroy(&buffer->read);
    sim_bitmap_destroy(&buffer->written);
    return error_set(error, STATUS_FAILED,
                     "no memory to count traffic: make the buffers smaller (--elements, --vertices, --footprint or "
                     "--arg), or raise the limit (ulimit -v)");
}

// One run of MEMORY_RUN_BYTES: its words of `written`, and its bits of `read` from the lowest on.
struct run_bits {
    uint64_t words[MEMORY_RUN_BYTES / 64], read;
};

static struct run_bits bits_of(const struct sim_buffer *buffer, uint64_t bit, uint32_t sector_shift) {
    struct run_bits run;
    const uint64_t sector = bit >> sector_shift, sectors = MEMORY_RUN_BYTES >> sector_shift;
    memcpy(run.words, &buffer->written.words[bit / 64], sizeof run.words);
    run.read = buffer->read.words[sector / 64] >> sector % 64 & ((UINT64_C(1) << sectors) - 1);
    return run;
}

// How many bytes of a unit of writing are written.
static uint32_t bytes_written(const struct run_bits *bits, uint32_t at) {
    return (uint32_t)__builtin_popcountll(bits->words[at / 64] >> at % 64 & UINT32_MAX);
}

static bool is_read(const struct run_bits *bits, uint32_t at, const struct gpu *gpu) {
    return bits->read >> at / gpu->sector_bytes & 1;
}

// Counts what is written of one unit that is fetched if it is written in part; returns whether it is.
static bool count_unit(const struct run_bits *bits, uint32_t begin, uint32_t bytes, const struct gpu *gpu,
                       struct sim_traffic *traffic) {
    bool in_part = false;
    for (uint32_t at = begin; at < begin + bytes; at += MEMORY_WRITE_BYTES) {
        const uint32_t written = bytes_written(bits, at);
        traffic->write_bytes += written ? MEMORY_WRITE_BYTES : 0;
        traffic->reloaded_bytes += written && is_read(bits, at, gpu) ? MEMORY_WRITE_BYTES : 0;
        traffic->unwritten_bytes += written ? MEMORY_WRITE_BYTES - written : 0;
        in_part |= written && written < MEMORY_WRITE_BYTES;
    }
    for (uint32_t at = begin; at < begin + bytes && in_part; at += gpu->sector_bytes) {
        traffic->fill_bytes += is_read(bits, at, gpu) ? 0 : gpu->sector_bytes;
    }
    return in_part;
}

// Counts what was written of one run of MEMORY_RUN_BYTES.
static struct sim_traffic count_run(const struct run_bits *bits, const struct gpu *gpu) {
    const uint32_t fill = gpu_fill_bytes(gpu), line = gpu->line_bytes > fill ? gpu->line_bytes : fill;
    uint64_t partial_line = UINT64_MAX; // the last of them
    struct sim_traffic traffic = {0};
    for (uint32_t at = 0; at < MEMORY_RUN_BYTES; at += fill) {
        if (count_unit(bits, at, fill, gpu, &traffic)) {
            traffic.partial_lines += at / line != partial_line;
            partial_line = at / line;
        }
    }
    traffic.write_runs = traffic.write_bytes > 0;
    return traffic;
}

static bool are_alike(const struct run_bits *a, const struct run_bits *b) {
    uint64_t differ = a->read ^ b->read;
    for (size_t i = 0; i < sizeof a->words / sizeof *a->words; i++) {
        differ |= a->words[i] ^ b->words[i];
    }
    return !differ;
}

// Runs with the same bits one after another, which are counted once.
struct alike_runs {
    struct run_bits bits;
    uint64_t count;
};

static void add_alike(struct alike_runs *runs, const struct gpu *gpu, struct sim_traffic *sum) {
    const struct sim_traffic one = count_run(&runs->bits, gpu);
    sum->fill_bytes += runs->count * one.fill_bytes;
    sum->write_bytes += runs->count * one.write_bytes;
    sum->unwritten_bytes += runs->count * one.unwritten_bytes;
    sum->reloaded_bytes += runs->count * one.reloaded_bytes;
    sum->write_runs += runs->count * one.write_runs;
    sum->partial_lines += runs->count * one.partial_lines;
    runs->count = 0;
}

static void count_written(const struct sim_buffer *buffer, size_t chunk, const struct gpu *gpu, struct alike_runs *runs,
                          struct sim_traffic *traffic) {
    const uint64_t begin = (uint64_t)chunk * SIM_CHUNK_BITS, end = begin + SIM_CHUNK_BITS;
    const uint32_t sector_shift = (uint32_t)__builtin_ctz(gpu->sector_bytes); // a division for each run takes long
    for (uint64_t bit = begin; bit < end; bit += MEMORY_RUN_BYTES) {
        const struct run_bits bits = bits_of(buffer, bit, sector_shift);
        if (bits.words[0] | bits.words[1] | bits.words[2] | bits.words[3]) {
            if (!are_alike(&bits, &runs->bits)) {
                add_alike(runs, gpu, traffic);
                runs->bits = bits;
            }
            runs->count++;
        }
    }
}

static struct sim_traffic take(struct sim_buffer *buffer, const struct gpu *gpu) {
    const uint32_t fetch_bytes = gpu_fetch_bytes(gpu);
    struct sim_traffic traffic = {0};
    struct alike_runs runs = {.count = 0};
    traffic.load_bytes = sim_bitmap_runs(&buffer->read, fetch_bytes / gpu->sector_bytes) * fetch_bytes;
    traffic.load_runs = sim_bitmap_runs(&buffer->read, MEMORY_RUN_BYTES / gpu->sector_bytes);
    SIM_EACH_TOUCHED_CHUNK(chunk, &buffer->written) {
        count_written(buffer, chunk, gpu, &runs, &traffic);
        sim_bitmap_clear_chunk(&buffer->written, chunk);
    }
    add_alike(&runs, gpu, &traffic);
    sim_bitmap_clear(&buffer->read);
    return traffic;
}

// From the first touched chunk to the last one.
static uint64_t touched_bytes(const struct sim_bitmap *bitmap, uint32_t bit_bytes) {
    const size_t first = sim_bitmap_touched(bitmap, 0);
    size_t end = first;
    SIM_EACH_TOUCHED_CHUNK(chunk, bitmap) {
        end = chunk + 1;
    }
    return (end - first) * SIM_CHUNK_BITS * bit_bytes;
}

void sim_memory_reach(struct sim_memory *memory, const struct gpu *gpu) {
    for (size_t i = 0; i < memory->count; i++) {
        struct sim_buffer *buffer = &memory->buffers[i];
        if (buffer->read.words) {
            const uint64_t read = touched_bytes(&buffer->read, gpu->sector_bytes);
            const uint64_t written = touched_bytes(&buffer->written, 1);
            const uint64_t reach = read > written ? read : written;
            buffer->reach_bytes = reach > buffer->reach_bytes ? reach : buffer->reach_bytes;
        }
    }
}

static void fold(struct sim_buffer *buffer, const struct gpu *gpu, double weight) {
    if (!buffer->read.words) {
        return;
    }
    const struct sim_traffic traffic = take(buffer, gpu);
    struct memory_traffic *sum = &buffer->traffic;
    sum->load_bytes += weight * (double)traffic.load_bytes;
    sum->fill_bytes += weight * (double)traffic.fill_bytes;
    sum->write_bytes += weight * (double)traffic.write_bytes;
    sum->unwritten_bytes += weight * (double)traffic.unwritten_bytes;
    sum->reloaded_bytes += weight * (double)traffic.reloaded_bytes;
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

// ---- The launch ----

// How often a byte of the buffer moves if it moves as often as blocks touch it.
static double times_moved(const struct sim_buffer *buffer, double bytes, const struct gpu *gpu) {
    const uint32_t line = gpu->line_bytes;
    return bytes / (double)((buffer->bytes + line - 1) / line * line);
}

// Whether blocks touch little of each run, so that others touch the rest at another time. Others share what they touch
// with their neighbours, which run at the same time.
static bool is_scattered(const struct sim_buffer *buffer, const struct gpu *gpu) {
    const struct memory_traffic *sum = &buffer->traffic;
    const double few = 4.0 / 3 * fmax(64, gpu_fetch_bytes(gpu)); // bytes of each run: hardly more than one fetch
    return sum->load_bytes + sum->write_bytes < few * (sum->load_runs + sum->write_runs);
}

static double scattered_reach(const struct sim_memory *memory, const struct gpu *gpu) {
    double reach = 0;
    for (size_t i = 0; i < memory->count; i++) {
        const struct sim_buffer *buffer = &memory->buffers[i];
        const struct memory_traffic *sum = &buffer->traffic;
        const bool shared = times_moved(buffer, sum->load_bytes + sum->write_bytes, gpu) > 1;
        reach += shared && is_scattered(buffer, gpu) ? (double)buffer->reach_bytes : 0;
    }
    return reach;
}

// Adds the bytes of one buffer that move once, and those that move again. Returns the share of both.
static double add_moved(double bytes, double times, double lost, double *once, double *again) {
    const double first = times > 1 ? bytes / times : bytes, more = lost * (bytes - first);
    *once += first;
    *again += more;
    return bytes > 0 ? (first + more) / bytes : 0;
}

// lost: the share of scattered accesses that find nothing in the last-level cache.
static void add(struct memory_traffic *sum, struct sim_buffer *buffer, const struct gpu *gpu, double lost) {
    const struct memory_traffic *more = &buffer->traffic;
    const double share = is_scattered(buffer, gpu) ? lost : 0;
    const double loads = add_moved(more->load_bytes, times_moved(buffer, more->load_bytes, gpu), share,
                                   &sum->load_bytes, &sum->again_load_bytes);
    const double writes = add_moved(more->write_bytes, times_moved(buffer, more->write_bytes, gpu), share,
                                    &sum->write_bytes, &sum->again_write_bytes);
    add_moved(more->fill_bytes, times_moved(buffer, more->fill_bytes, gpu), share, &sum->fill_bytes,
              &sum->again_fill_bytes);
    sum->unwritten_bytes += more->unwritten_bytes;
    sum->reloaded_bytes += writes * more->reloaded_bytes;
    sum->load_runs += loads * more->load_runs;
    sum->write_runs += writes * more->write_runs;
    sum->partial_lines += writes * more->partial_lines;
    sum->unfinished_lines += more->partial_lines;
    buffer->traffic = (struct memory_traffic){0};
    buffer->reach_bytes = 0;
    buffer->stored = false;
}

// The bytes that loads and stores of one buffer move.
struct distinct_bytes {
    double loaded, stored;
};

static struct distinct_bytes distinct_of(const struct sim_buffer *buffer, const struct gpu *gpu) {
    const struct memory_traffic *sum = &buffer->traffic;
    return (struct distinct_bytes){sum->load_bytes / fmax(1, times_moved(buffer, sum->load_bytes, gpu)),
                                   sum->write_bytes / fmax(1, times_moved(buffer, sum->write_bytes, gpu))};
}

// What the launch takes of the last-level cache.
static double launch_takes(const struct sim_memory *memory, const struct gpu *gpu) {
    double loaded = 0, stored = 0;
    for (size_t i = 0; i < memory->count; i++) {
        const struct distinct_bytes bytes = distinct_of(&memory->buffers[i], gpu);
        *(bytes.stored > 0 ? &stored : &loaded) += fmax(bytes.loaded, bytes.stored);
    }
    return cache_taken(gpu, loaded, stored);
}

// What passes through the cache before a load comes back to data, on average over the launch's loads, or over its
// stores if it has no loads.
static double launch_passes(const struct sim_memory *memory, const struct gpu *gpu, double taken) {
    double passed = 0, all = 0;
    for (size_t i = 0; i < memory->count; i++) {
        const struct sim_left *left = &memory->buffers[i].left;
        const double loaded = distinct_of(&memory->buffers[i], gpu).loaded;
        if (loaded > 0) {
            passed += loaded * reuse_distance(left->taken, memory->passed_bytes - left->passed, taken,
                                              fmin(1, left->bytes / loaded));
            all += loaded;
        }
    }
    return all > 0 ? passed / all : taken;
}

static void leave(struct sim_memory *memory, const struct gpu *gpu, double taken) {
    memory->passed_bytes += taken;
    for (size_t i = 0; i < memory->count; i++) {
        const struct distinct_bytes bytes = distinct_of(&memory->buffers[i], gpu);
        const double touched = fmax(bytes.loaded, bytes.stored);
        if (touched > 0) {
            memory->buffers[i].left = (struct sim_left){touched, taken, memory->passed_bytes};
        }
    }
}

struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data,
                                         const struct gpu *gpu) {
    const double taken = launch_takes(memory, gpu);
    struct memory_traffic sum = {.passed_bytes = launch_passes(memory, gpu, taken)};
    leave(memory, gpu, taken);
    const double lost = lost_share(gpu, scattered_reach(memory, gpu));
    for (size_t i = 0; i < memory->count; i++) {
        add(&sum, &memory->buffers[i], gpu, lost);
    }
    add(&sum, file_data, gpu, lost);
    return sum;
}
