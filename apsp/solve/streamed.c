#include "apsp/solve/streamed.h"

#include <stdlib.h>
#include <string.h>

#include "util/whole.h"

enum {
    TILE = APSP_REGISTER_TILE,
    BLOCKS_PER_UNIT = 2, // of register_tiled.cu
    PIVOT_SLOTS = 2
};

static uint64_t words(uint64_t count) {
    return count * sizeof(int32_t);
}

uint64_t apsp_streamed_bytes(uint32_t vertices, uint32_t strip) {
    const uint64_t pitch = round_up(vertices, TILE), square = (uint64_t)strip * strip;
    return words(APSP_STREAMED_BUFFERS * strip * pitch + 3 * square); // and two panels, and columns of a strip
}

// The share of the multiprocessors' time that a multiply of one strip uses: its parts come in whole waves.
static double use_of(const struct apsp_streamed *s, uint32_t strip) {
    const uint64_t parts = (uint64_t)(strip / TILE) * (s->pitch / TILE);
    const uint64_t wave = (uint64_t)s->device->info.compute_units * BLOCKS_PER_UNIT;
    return (double)parts / (double)round_up(parts, wave);
}

// The best size among the largest ones. A strip half as high would need twice as many copies.
static uint32_t choose_strip(const struct apsp_streamed *s, uint64_t memory_bytes) {
    uint32_t most = s->pitch, best;
    while (most > 0 && apsp_streamed_bytes(s->vertices, most) > memory_bytes) {
        most -= TILE;
    }
    best = most;
    for (uint32_t strip = most; most < s->pitch && strip > most / 2; strip -= TILE) {
        best = use_of(s, strip) > use_of(s, best) + 0.01 ? strip : best;
    }
    return best;
}

struct apsp_streamed apsp_streamed_make(struct device *device, uint32_t vertices, uint64_t memory_bytes) {
    struct apsp_streamed s = {.device = device, .vertices = vertices, .pitch = (uint32_t)round_up(vertices, TILE)};
    s.strip = choose_strip(&s, memory_bytes);
    s.strips = s.strip ? (s.pitch + s.strip - 1) / s.strip : 0;
    return s;
}

// ---- Memory ----

static enum status prepare_slot(struct apsp_streamed *s, struct apsp_slot *slot, struct error *error) {
    struct event **events[] = {&slot->uploaded, &slot->computed, &slot->downloaded};
    TRY(device_allocate(s->device, words((uint64_t)s->strip * s->pitch), &slot->address, error));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        TRY(device_event_create(s->device, events[i], error));
    }
    return STATUS_OK;
}

static enum status prepare_host(struct apsp_streamed *s, struct error *error) {
    const uint64_t bytes = words((uint64_t)s->pitch * s->pitch);
    void *memory = NULL;
    s->home = memory_zeros(s->strips, sizeof *s->home);
    TRY(page_allocate_pinned(s->device, bytes, "use fewer vertices", &memory, error));
    s->w = memory;
    for (uint32_t i = 0; i < s->strips; i++) {
        TRY(device_event_create(s->device, &s->home[i], error));
    }
    return STATUS_OK;
}

enum status apsp_streamed_prepare(struct apsp_streamed *s, struct error *error) {
    struct device *device = s->device;
    const uint64_t panel_bytes = words((uint64_t)s->strip * s->strip);
    struct stream **streams[] = {&s->up, &s->down, &s->ahead};
    TRY(prepare_host(s, error));
    for (size_t i = 0; i < APSP_STREAMED_BUFFERS; i++) {
        TRY(prepare_slot(s, &s->slots[i], error));
    }
    TRY(device_allocate(device, panel_bytes, &s->left, error));
    TRY(device_allocate(device, panel_bytes, &s->closed, error));
    TRY(device_allocate(device, panel_bytes, &s->old, error));
    TRY(apsp_panels_prepare(device, s->strip, apsp_may_be_wide(&device->info), &s->panels, error));
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        TRY(device_stream_create(device, STREAM_FIRST, streams[i], error));
    }
    TRY(device_event_create(device, &s->begun, error));
    return device_event_create(device, &s->ready, error);
}

static void release_slots(struct apsp_streamed *s) {
    for (size_t i = 0; i < APSP_STREAMED_BUFFERS; i++) {
        device_release(s->device, s->slots[i].address);
        device_event_destroy(s->device, s->slots[i].uploaded);
        device_event_destroy(s->device, s->slots[i].computed);
        device_event_destroy(s->device, s->slots[i].downloaded);
    }
    for (uint32_t i = 0; s->home && i < s->strips; i++) {
        device_event_destroy(s->device, s->home[i]);
    }
    device_event_destroy(s->device, s->begun);
    device_event_destroy(s->device, s->ready);
    free(s->home);
}

void apsp_streamed_release(struct apsp_streamed *s) {
    struct device *device = s->device;
    struct stream *streams[] = {s->up, s->down, s->ahead};
    DEVICE_RELEASE(device, s->left, s->closed, s->old);
    if (s->panels.closer.device) {
        apsp_panels_release(&s->panels);
    }
    release_slots(s);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        device_stream_destroy(device, streams[i]);
    }
    page_release_pinned(device, s->w);
}

void apsp_streamed_fill(struct apsp_streamed *s, const int32_t *distances) {
#pragma omp parallel for schedule(static)
    for (uint32_t row = 0; row < s->pitch; row++) {
        int32_t *to = s->w + (uint64_t)row * s->pitch;
        const uint32_t known = row < s->vertices ? s->vertices : 0;
        memcpy(to, distances + (known ? (uint64_t)row * s->vertices : 0), words(known));
        for (uint32_t i = known; i < s->pitch; i++) {
            to[i] = UNREACHABLE;
        }
    }
}

void apsp_streamed_read(const struct apsp_streamed *s, int32_t *distances) {
#pragma omp parallel for schedule(static)
    for (uint32_t row = 0; row < s->vertices; row++) {
        memcpy(distances + (uint64_t)row * s->vertices, s->w + (uint64_t)row * s->pitch, words(s->vertices));
    }
}

// ---- Copies ----

static uint32_t rows_of(const struct apsp_streamed *s, uint32_t strip) {
    const uint32_t left = s->pitch - strip * s->strip;
    return left < s->strip ? left : s->strip;
}

static int32_t *host_of(const struct apsp_streamed *s, uint32_t strip) {
    return s->w + (uint64_t)strip * s->strip * s->pitch;
}

// Uploads a strip when the host has it and the slot is free.
static enum status upload(struct apsp_streamed *s, uint32_t strip, const struct apsp_slot *slot, struct error *error) {
    struct device *device = s->device;
    const uint64_t bytes = words((uint64_t)rows_of(s, strip) * s->pitch);
    TRY(device_event_wait_in(device, s->up, s->home[strip], error));
    TRY(device_event_wait_in(device, s->up, slot->computed, error));
    TRY(device_event_wait_in(device, s->up, slot->downloaded, error));
    TRY(device_copy_to_device_in(device, s->up, slot->address, host_of(s, strip), bytes, error));
    return device_event_record_in(device, s->up, slot->uploaded, error);
}

// Downloads a strip when it is computed.
static enum status download(struct apsp_streamed *s, uint32_t strip, const struct apsp_slot *slot,
                            struct error *error) {
    struct device *device = s->device;
    const uint64_t bytes = words((uint64_t)rows_of(s, strip) * s->pitch);
    TRY(device_event_wait_in(device, s->down, slot->computed, error));
    TRY(device_copy_to_host_in(device, s->down, host_of(s, strip), slot->address, bytes, error));
    TRY(device_event_record_in(device, s->down, slot->downloaded, error));
    return device_event_record_in(device, s->down, s->home[strip], error);
}

// ---- Rounds ----

// The slots of a round's pivots and of the next one's. They change their roles from round to round: the next round's
// pivots are where this round has put them.
struct round {
    uint32_t k;
    const struct apsp_slot *pivots, *next;
};

// The slot for another strip, by turns.
static const struct apsp_slot *next_slot(struct apsp_streamed *s) {
    return &s->slots[PIVOT_SLOTS + s->turn++ % (APSP_STREAMED_BUFFERS - PIVOT_SLOTS)];
}

// Some columns of a strip. The left panel has as many rows.
static struct apsp_product product_of(const struct apsp_streamed *s, uint64_t w, uint64_t left, struct apsp_words right,
                                      uint32_t rows, uint32_t columns, uint32_t pivots) {
    return (struct apsp_product){
        .to = w,
        .w = {w, s->pitch},
        .left = {left, rows},
        .right = right,
        .pivots = pivots,
        .high = rows / TILE,
        .wide = columns / TILE,
    };
}

// Closes the strip of the next round's pivots: first their own block, then the rows. A few columns are multiplied at a
// time, because their old values are a factor and need a copy.
static enum status close_strip(struct apsp_streamed *s, uint32_t strip, const struct apsp_slot *slot,
                               struct error *error) {
    const struct apsp_panels *panels = &s->panels;
    const uint32_t rows = rows_of(s, strip);
    const uint64_t block = slot->address + words((uint64_t)strip * s->strip);
    TRY(apsp_panels_close(panels, s->ahead, block, s->pitch, rows, error));
    TRY(apsp_panels_take_left(panels, s->ahead, s->closed, block, s->pitch, rows, rows, error));
    for (uint32_t column = 0; column < s->pitch; column += s->strip) {
        const uint32_t rest = s->pitch - column, columns = rest < s->strip ? rest : s->strip;
        const struct apsp_words old = {s->old, s->strip}, from = {slot->address + words(column), s->pitch};
        const struct apsp_product product = product_of(s, from.at, s->closed, old, rows, columns, rows);
        TRY(apsp_product_copy(&panels->closer, s->ahead, old, from, rows, columns, error));
        TRY(apsp_panels_multiply(panels, s->ahead, &product, false, error));
    }
    TRY(device_event_record_in(s->device, s->ahead, slot->computed, error));
    return device_event_record_in(s->device, s->ahead, s->ready, error);
}

static enum status update(struct apsp_streamed *s, const struct round *round, uint32_t strip,
                          const struct apsp_slot *slot, struct error *error) {
    const uint32_t rows = rows_of(s, strip), pivots = rows_of(s, round->k);
    const uint64_t column = slot->address + words((uint64_t)round->k * s->strip);
    const struct apsp_words right = {round->pivots->address, s->pitch};
    const struct apsp_product product = product_of(s, slot->address, s->left, right, rows, s->pitch, pivots);
    TRY(upload(s, strip, slot, error));
    TRY(device_event_wait_in(s->device, NULL, slot->uploaded, error));
    TRY(apsp_panels_take_left(&s->panels, NULL, s->left, column, s->pitch, rows, pivots, error));
    TRY(apsp_panels_multiply(&s->panels, NULL, &product, false, error));
    return device_event_record(s->device, slot->computed, error);
}

// Updates the strip of the next round's pivots, which another stream then closes.
static enum status update_next(struct apsp_streamed *s, const struct round *round, struct error *error) {
    TRY(update(s, round, round->k + 1, round->next, error));
    TRY(device_event_wait_in(s->device, s->ahead, round->next->computed, error));
    return close_strip(s, round->k + 1, round->next, error);
}

// Updates the strip that is `distance` strips after the pivots'.
static enum status update_other(struct apsp_streamed *s, const struct round *round, uint32_t distance,
                                struct error *error) {
    const uint32_t strip = (round->k + distance) % s->strips;
    const struct apsp_slot *slot = next_slot(s);
    TRY(update(s, round, strip, slot, error));
    return download(s, strip, slot, error);
}

// The next round's pivots come second, because their slot is free only when the round before has ended: they are
// uploaded while the first strip is multiplied. They are closed late, so they are downloaded last.
static enum status run_round(struct apsp_streamed *s, uint32_t k, struct error *error) {
    const struct round round = {k, &s->slots[k % PIVOT_SLOTS], &s->slots[(k + 1) % PIVOT_SLOTS]};
    const bool goes_on = k + 1 < s->strips;
    uint32_t distance = goes_on ? 2 : 1;
    TRY(device_event_wait_in(s->device, NULL, s->ready, error));
    if (distance < s->strips) {
        TRY(update_other(s, &round, distance++, error));
    }
    if (goes_on) {
        TRY(update_next(s, &round, error));
    }
    while (distance < s->strips) {
        TRY(update_other(s, &round, distance++, error));
    }
    if (goes_on) {
        TRY(download(s, k + 1, round.next, error));
    }
    return device_event_record(s->device, round.pivots->computed, error);
}

// Records the events that nobody has recorded yet in this solution: everything is where it must be.
static enum status begin(struct apsp_streamed *s, struct error *error) {
    struct device *device = s->device;
    TRY(device_event_record(device, s->begun, error));
    TRY(device_event_wait_in(device, s->up, s->begun, error));
    TRY(device_event_wait_in(device, s->down, s->begun, error));
    for (size_t i = 0; i < APSP_STREAMED_BUFFERS; i++) {
        TRY(device_event_record(device, s->slots[i].computed, error));
        TRY(device_event_record_in(device, s->down, s->slots[i].downloaded, error));
    }
    for (uint32_t i = 0; i < s->strips; i++) {
        TRY(device_event_record_in(device, s->down, s->home[i], error));
    }
    return STATUS_OK;
}

enum status apsp_streamed_enqueue(struct apsp_streamed *s, struct error *error) {
    const struct apsp_slot *first = &s->slots[0];
    TRY(begin(s, error));
    TRY(upload(s, 0, first, error));
    TRY(device_event_wait_in(s->device, s->ahead, first->uploaded, error));
    TRY(close_strip(s, 0, first, error));
    TRY(download(s, 0, first, error));
    for (uint32_t k = 0; k < s->strips; k++) {
        TRY(run_round(s, k, error));
    }
    for (uint32_t i = 0; i < s->strips; i++) {
        TRY(device_event_wait_in(s->device, NULL, s->home[i], error));
    }
    return STATUS_OK;
}
