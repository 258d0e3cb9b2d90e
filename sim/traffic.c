#include "sim/traffic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpus.h"
#include "model/time/time.h"

// ---- One cache ----

void sim_cache_create(struct sim_cache *cache, uint64_t bytes, uint32_t line_bytes, struct cache_sets sets) {
    *cache = (struct sim_cache){.line_bytes = line_bytes, .of = sets};
    if (bytes > 0) {
        cache->sets = bytes / line_bytes / sets.ways;
        cache->lines = memory_zeros(cache->sets * sets.ways, sizeof *cache->lines);
    }
}

void sim_cache_destroy(struct sim_cache *cache) {
    free(cache->lines);
    *cache = (struct sim_cache){0};
}

void sim_cache_clear(struct sim_cache *cache) {
    if (cache->lines) {
        memset(cache->lines, 0, cache->sets * cache->of.ways * sizeof *cache->lines);
    }
}

// The finalizer of MurmurHash3.
static uint64_t hash(uint64_t line) {
    line = (line ^ line >> 33) * UINT64_C(0xff51afd7ed558ccd);
    line = (line ^ line >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return line ^ line >> 33;
}

static uint64_t set_of(const struct sim_cache *cache, uint64_t place) {
    const uint64_t number = place / cache->line_bytes;
    return (cache->of.hashed ? hash(number) : number) % cache->sets;
}

static struct sim_cache_line *lines_of(const struct sim_cache *cache, uint64_t set) {
    return cache->lines + set * cache->of.ways;
}

// The line, or else a free or the least recently used one of the set.
static struct sim_cache_line *find(const struct sim_cache *cache, uint64_t set, uint64_t number) {
    struct sim_cache_line *lines = lines_of(cache, set), *oldest = lines;
    for (uint32_t way = 0; way < cache->of.ways; way++) {
        if (lines[way].number == number) {
            return &lines[way];
        }
        oldest = lines[way].used < oldest->used ? &lines[way] : oldest;
    }
    return oldest;
}

// Before a free line of a group is taken: frees the least recently used one if the group has no room for more.
static void make_room(const struct sim_cache *cache, uint64_t group) {
    const struct cache_sets *of = &cache->of;
    const uint64_t neighbours = of->group_bytes / cache->line_bytes, step = neighbours * of->groups;
    struct sim_cache_line *oldest = NULL;
    uint64_t held = 0;
    for (uint64_t set = group * neighbours; set < cache->sets; set += step) {
        struct sim_cache_line *lines = lines_of(cache, set);
        for (uint64_t i = 0; i < neighbours * of->ways; i++) {
            held += lines[i].number > 0;
            if (lines[i].number > 0 && (!oldest || lines[i].used < oldest->used)) {
                oldest = &lines[i];
            }
        }
    }
    if (oldest && held >= cache_sets_room(of, cache->sets * of->ways, group)) {
        *oldest = (struct sim_cache_line){0};
    }
}

bool sim_cache_access(struct sim_cache *cache, uint64_t address) {
    return sim_cache_access_at(cache, address, address);
}

bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address) {
    if (!cache->lines) {
        return false;
    }
    const uint64_t number = address / cache->line_bytes + 1, set = set_of(cache, place);
    struct sim_cache_line *line = find(cache, set, number);
    const bool found = line->number == number;
    if (line->number == 0 && cache->of.groups > 0) {
        make_room(cache, cache_sets_group(&cache->of, place));
    }
    *line = (struct sim_cache_line){.number = number, .used = ++cache->accesses};
    return found;
}

// ---- All of them ----

static const struct cache_sets l3_sets = {.ways = 16}, tlb_sets = {.ways = 16, .hashed = true};

static void create_l2(struct sim_caches *caches, const struct gpu *gpu) {
    const uint32_t parts = gpu->l2_parts > 1 ? gpu->l2_parts : 1;
    const uint32_t line_bytes = 128; // on every part of the table of latencies
    caches->parts = gpu->l2_private || parts > SIM_L2_PARTS ? 1 : parts;
    for (uint32_t i = 0; i < caches->parts; i++) {
        sim_cache_create(&caches->of[SIM_L2 + i], gpu->l2_bytes / parts, line_bytes, caches->latency->l2_sets);
    }
}

enum status sim_caches_create(struct sim_caches *caches, const struct gpu *gpu, struct error *error) {
    const struct gpu_latency *latency = gpu_latency(gpu);
    *caches = (struct sim_caches){.latency = latency};
    if (!latency) {
        return error_set(error, STATUS_NO_DEVICE,
                         "sim:%s: the latencies of its caches are not known: give another part, or measure them on the "
                         "GPU (levels --variant geometry,latency --emit-gpu)",
                         gpu->name);
    }
    const uint64_t l3_bytes = latency->l3 ? gpu->last_level_cache_bytes : 0;
    sim_cache_create(&caches->of[SIM_L1], gpu->l1_bytes, gpu->line_bytes, latency->l1_sets);
    create_l2(caches, gpu);
    sim_cache_create(&caches->of[SIM_L3], l3_bytes, gpu->line_bytes, l3_sets);
    sim_cache_create(&caches->of[SIM_TLB], latency->tlb_bytes, latency->tlb_page, tlb_sets);
    return STATUS_OK;
}

void sim_caches_destroy(struct sim_caches *caches) {
    for (int i = 0; i < SIM_CACHES; i++) {
        sim_cache_destroy(&caches->of[i]);
    }
    *caches = (struct sim_caches){0};
}

void sim_caches_begin_launch(struct sim_caches *caches) {
    sim_cache_clear(&caches->of[SIM_L1]);
}

void sim_caches_forget(struct sim_caches *caches) {
    for (int i = 0; i < SIM_CACHES; i++) {
        sim_cache_clear(&caches->of[i]);
    }
}

// Blocks of this size belong to the parts of the L2 in turn: an H200's atomic additions (results/h200, up to 32 KiB)
// take long in blocks 0, 3, 4, 7 and short in 1, 2, 5, 6.
static const uint64_t home_bytes = 4096;

// The part of the L2 that an address belongs to: of two neighbouring blocks one is near.
static uint32_t home_of(const struct sim_caches *caches, uint64_t address) {
    return caches->parts > 1 && address / home_bytes % 4 % 3 == 0;
}

// The lines of a part are numbered without the other part's, so that they fill the sets evenly.
static uint64_t number_in_part(const struct sim_cache *part, uint64_t address) {
    return (address / (2 * home_bytes) * home_bytes + address % home_bytes) / part->line_bytes;
}

// Copies that crowd some sets begin in the middle of the sets, where the part's own lines come last.
static uint64_t set_of_copy(const struct sim_caches *caches, const struct sim_cache *part, uint64_t number) {
    const uint64_t one_in = caches->latency->crowding_copies;
    if (one_in == 0) {
        return number;
    }
    const uint64_t set = number + part->sets / 2, turn = set / part->sets;
    return (turn + set / 2) % one_in == 0 ? set / 2 * 2 : set;
}

static bool is_in_part(struct sim_caches *caches, uint32_t index, uint64_t address) {
    struct sim_cache *part = &caches->of[SIM_L2 + index];
    if (caches->parts == 1) {
        return sim_cache_access(part, address);
    }
    const uint64_t number = number_in_part(part, address);
    const uint64_t set = home_of(caches, address) == index ? number : set_of_copy(caches, part, number);
    return sim_cache_access_at(part, set * part->line_bytes, address);
}

static uint32_t translate(struct sim_caches *caches, uint64_t address) {
    return caches->of[SIM_TLB].lines && !sim_cache_access(&caches->of[SIM_TLB], address) ? caches->latency->tlb_miss
                                                                                         : 0;
}

// An access beyond the L2.
static uint32_t fetch(struct sim_caches *caches, uint64_t address) {
    return sim_cache_access(&caches->of[SIM_L3], address) ? caches->latency->l3 : caches->latency->memory;
}

// An access at the part of the L2 that the line belongs to. What an atomic takes there is over before memory answers.
static uint32_t at_home(struct sim_caches *caches, uint64_t address, uint32_t atomic) {
    const struct gpu_latency *latency = caches->latency;
    const uint32_t home = home_of(caches, address), far = home > 0 ? latency->far : 0;
    return far + (is_in_part(caches, home, address) ? latency->l2 + atomic : fetch(caches, address));
}

// The near part keeps copies of the far part's lines.
uint32_t sim_caches_load(struct sim_caches *caches, uint64_t address) {
    if (sim_cache_access(&caches->of[SIM_L1], address)) {
        return caches->latency->l1;
    }
    const uint32_t translated = translate(caches, address);
    const bool copied = home_of(caches, address) > 0 && is_in_part(caches, 0, address);
    return translated + (copied ? caches->latency->l2 : at_home(caches, address, 0));
}

// An atomic is carried out where the line belongs.
uint32_t sim_caches_atomic(struct sim_caches *caches, uint64_t address) {
    return translate(caches, address) + at_home(caches, address, caches->latency->atomic);
}

uint32_t sim_caches_store(const struct sim_caches *caches, uint64_t address) {
    return caches->latency->store + (home_of(caches, address) > 0 ? caches->latency->far : 0);
}

// ---- Traffic ----

// Traffic between memory and the caches; each unit moves once. Loads move the unit that the GPU fetches at once. Stores
// move units of MEMORY_WRITE_BYTES; where one is written in part, what surrounds it is read first, unless loads have
// brought it (filled).

// Adds what the accesses to a buffer move, so many times; the other fields are counted elsewhere.
static void add_times(struct memory_traffic *sum, const struct memory_traffic *more, double times) {
    sum->load_bytes += times * more->load_bytes;
    sum->fill_bytes += times * more->fill_bytes;
    sum->write_bytes += times * more->write_bytes;
    sum->unwritten_bytes += times * more->unwritten_bytes;
    sum->reloaded_bytes += times * more->reloaded_bytes;
    sum->load_runs += times * more->load_runs;
    sum->write_runs += times * more->write_runs;
    sum->partial_lines += times * more->partial_lines;
}

enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error) {
    if (buffer->read.words) {
        return STATUS_OK;
    }
    if (sim_bitmap_create(&buffer->read, buffer->bytes / sector_bytes + 1) == STATUS_OK &&
        sim_bitmap_create(&buffer->written, buffer->bytes) == STATUS_OK) {
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
                       struct memory_traffic *traffic) {
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
static struct memory_traffic count_run(const struct run_bits *bits, const struct gpu *gpu) {
    const uint32_t fill = gpu_fill_bytes(gpu), line = gpu->line_bytes > fill ? gpu->line_bytes : fill;
    uint64_t partial_line = UINT64_MAX; // the last of them
    struct memory_traffic traffic = {0};
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

static void add_alike(struct alike_runs *runs, const struct gpu *gpu, struct memory_traffic *sum) {
    const struct memory_traffic one = count_run(&runs->bits, gpu);
    add_times(sum, &one, (double)runs->count);
    runs->count = 0;
}

static void count_written(const struct sim_buffer *buffer, size_t chunk, const struct gpu *gpu, struct alike_runs *runs,
                          struct memory_traffic *traffic) {
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

static struct memory_traffic take(struct sim_buffer *buffer, const struct gpu *gpu) {
    const uint32_t fetch_bytes = gpu_fetch_bytes(gpu);
    struct memory_traffic traffic = {0};
    struct alike_runs runs = {.count = 0};
    traffic.load_bytes = (double)(sim_bitmap_runs(&buffer->read, fetch_bytes / gpu->sector_bytes) * fetch_bytes);
    traffic.load_runs = (double)sim_bitmap_runs(&buffer->read, MEMORY_RUN_BYTES / gpu->sector_bytes);
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
    const struct memory_traffic traffic = take(buffer, gpu);
    add_times(&buffer->traffic, &traffic, weight);
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

void sim_memory_forget_launches(struct sim_memory *memory) {
    memory->passed_bytes = 0;
    for (size_t i = 0; i < memory->count; i++) {
        memory->buffers[i].left = (struct sim_left){0};
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
