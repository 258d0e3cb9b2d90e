// Latency of the smallest transfer: one load of a kernel, one word by the copy engine.
#include <stdio.h>
#include <string.h>

#include "links/row.h"
#include "links/schedule.h"
#include "util/random.h"

enum {
    WORD_BYTES = 8,
    LINE_BYTES = 128, // between elements: no device has longer lines
    LINES = 16384,
    UNITS = 16,  // number of units that chase in turn, because each has a different distance to the link
    STEPS = 1000 // of each unit: together they do not return to the start
};

// ---- Loads of a kernel, each waiting for the one before ----

struct far_chase {
    struct run *run;
    struct bench_device *peer; // whose memory is measured; NULL: the host's
    struct host_buffer host;   // holds the chain: the measured memory itself, or the source of a device's copy
    uint64_t chain, at;        // device addresses
    struct kernel *kernel;
};

static uint32_t all_units(const struct far_chase *chase) {
    const uint32_t units = run_info(chase->run)->compute_units;
    return units > 0 ? units : 1;
}

static uint32_t chasing_units(const struct far_chase *chase) {
    return all_units(chase) < UNITS ? all_units(chase) : UNITS;
}

static void write_chain(void *memory, uint64_t address) {
    for (uint64_t i = 0; i < LINES; i++) {
        const uint64_t next = address + (i + 1) % LINES * LINE_BYTES;
        memcpy((char *)memory + i * LINE_BYTES, &next, sizeof next);
    }
}

// The chain visits lines in order, so that few pages are translated, because the time of the link is measured.
static enum status make_chain(struct far_chase *chase, struct error *error) {
    const uint64_t bytes = (uint64_t)LINES * LINE_BYTES;
    struct device *own = run_device(chase->run);
    TRY(host_buffer_open(&chase->host, own, chase->peer ? HOST_PAGEABLE : HOST_PINNED, bytes, error));
    if (!chase->peer) {
        TRY(device_map(own, chase->host.memory, &chase->chain, error));
        write_chain(chase->host.memory, chase->chain);
        return STATUS_OK;
    }
    TRY(device_reach(own, chase->peer->device, error));
    TRY(device_allocate(chase->peer->device, bytes, &chase->chain, error));
    write_chain(chase->host.memory, chase->chain);
    return device_copy_to_device(chase->peer->device, chase->chain, chase->host.memory, bytes, error);
}

static enum status open_chase(struct far_chase *chase, struct error *error) {
    TRY(make_chain(chase, error));
    TRY(device_allocate(run_device(chase->run), WORD_BYTES, &chase->at, error));
    return links_kernel_of(links_kernels_of(chase->run), run_device(chase->run), LINKS_CHASE, &chase->kernel, error);
}

static void close_chase(struct far_chase *chase) {
    device_release(run_device(chase->run), chase->at);
    if (chase->peer) {
        device_release(chase->peer->device, chase->chain);
    }
    host_buffer_close(&chase->host);
}

static enum status begin_chase(void *context, struct error *error) {
    const struct far_chase *chase = context;
    return device_copy_to_device(run_device(chase->run), chase->at, &chase->chain, sizeof chase->chain, error);
}

static enum status enqueue_chase(void *context, struct error *error) {
    const struct far_chase *chase = context;
    const uint32_t units = all_units(chase), chasing = chasing_units(chase);
    for (uint32_t i = 0; i < chasing; i++) {
        const struct launch launch = {
            .grid = {units, 1, 1},
            .block = {1, 1, 1},
            LAUNCH_ARGUMENTS(argument_pointer(chase->at), argument_u32(STEPS), argument_u32(i * units / chasing))};
        TRY(device_launch(run_device(chase->run), chase->kernel, &launch, error));
    }
    return STATUS_OK;
}

static enum status check_chase(void *context, bool *right, struct error *error) {
    const struct far_chase *chase = context;
    uint64_t at = 0;
    enum status status = device_copy_to_host(run_device(chase->run), &at, chase->at, sizeof at, error);
    *right = at == chase->chain + (uint64_t)chasing_units(chase) * STEPS * LINE_BYTES;
    return status;
}

static enum status emit(struct run *run, const struct transfer *transfer, const char *op, double steps,
                        const struct measurement *measurement, struct error *error) {
    struct row row = links_row(run, transfer, "one-way");
    snprintf(row.op, sizeof row.op, "%s", op);
    row.latency_ns = measurement->time_ns.median / steps;
    links_finish_row(&row, measurement);
    return run_emit(run, &row, error);
}

static enum status measure_loads(struct run *run, struct bench_device *peer, struct error *error) {
    struct far_chase chase = {.run = run, .peer = peer};
    const struct trial trial = {&chase, begin_chase, enqueue_chase, check_chase};
    struct measurement measurement;
    enum status status = open_chase(&chase, error);
    THEN(status, run_trial(run, &trial, &measurement, error));
    close_chase(&chase);
    const struct transfer loaded = {.from = peer,
                                    .to = run->bench_device,
                                    .mover = MOVER_DESTINATION_KERNEL,
                                    .bytes = (uint64_t)LINES * LINE_BYTES,
                                    .launch = {.grid = {all_units(&chase), 1, 1}, .block = {1, 1, 1}}};
    const double steps = (double)chasing_units(&chase) * (double)STEPS;
    return status == STATUS_OK ? emit(run, &loaded, "load", steps, &measurement, error) : status;
}

// ---- One word by the copy engine, with a wait ----

static enum status copy_word(void *context, struct error *error) {
    const struct transfer *transfer = context;
    TRY(transfer_enqueue(transfer, NULL, error));
    return device_synchronize(transfer_actor(transfer)->device, error);
}

static enum status measure_copy(struct run *run, struct bench_device *from, struct bench_device *to,
                                struct error *error) {
    struct transfer transfer = {.from = from,
                                .to = to,
                                .mover = MOVER_SOURCE_ENGINE,
                                .memory = HOST_PINNED,
                                .bytes = WORD_BYTES,
                                .seed = mix64(run->settings->seed + (from ? 1 : 0)),
                                .kernels = links_kernels_of(run)};
    const struct trial trial = {&transfer, transfer_poison, copy_word, transfer_check};
    struct measurement measurement;
    enum status status = transfer_open(&transfer, error);
    THEN(status, run_trial(run, &trial, &measurement, error));
    transfer_close(&transfer);
    return status == STATUS_OK ? emit(run, &transfer, "copy", 1, &measurement, error) : status;
}

// ---- Both ----

static enum status measure_peer(struct run *run, struct bench_device *peer, struct error *error) {
    struct device_link link = {.direct = true};
    if (peer) {
        device_link(run_device(run), peer->device, &link);
    }
    if (link.direct) {
        TRY(measure_loads(run, peer, error));
    }
    if (!peer) {
        TRY(measure_copy(run, NULL, run->bench_device, error));
    }
    return measure_copy(run, run->bench_device, peer, error);
}

enum status links_measure_latency(struct run *run, const struct point *point, struct error *error) {
    enum {
        ROWS = 3 // of a peer, at most
    };
    (void)point;
    const bool pairs = links_detail_of(run)->pairs;
    struct settings settings = links_share(run->settings, ROWS * (pairs ? run->device_count : 1));
    struct run shared = *run;
    struct bench_device *peer = NULL;
    settings.long_samples = true;
    settings.host_has_part = true;
    shared.settings = &settings;
    if (!pairs) {
        TRY(measure_peer(&shared, NULL, error));
    }
    for (size_t i = 0; pairs && (peer = links_peer(run, i)) != NULL; i++) {
        if (peer != run->bench_device) {
            TRY(measure_peer(&shared, peer, error));
        }
    }
    return STATUS_OK;
}
