#include "apsp/apsp_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 16 << 20, // about the size of a pivot's rows in a large graph
    COPIES = 8
};

enum route {
    TO_PEER,
    TO_HOST,
    FROM_HOST
};

// Two devices, a buffer on each and one on the host.
struct pair {
    struct bench_device *from, *to;
    uint64_t source, target;
    void *host;
};

static enum status copy(const struct pair *pair, enum route route, struct error *error) {
    struct device *from = pair->from->device, *to = pair->to->device;
    switch (route) {
    case TO_PEER:
        return device_copy_to_peer_in(from, NULL, pair->source, to, pair->target, BYTES, error);
    case TO_HOST:
        return device_copy_to_host_in(from, NULL, pair->host, pair->source, BYTES, error);
    default:
        return device_copy_to_device_in(to, NULL, pair->target, pair->host, BYTES, error);
    }
}

// Times one copy by the clock of the device whose stream it is in. The first copy is slow, so it is not timed.
static enum status time_route(const struct pair *pair, enum route route, double *time_ns, struct error *error) {
    const struct bench_device *bench = route == FROM_HOST ? pair->to : pair->from;
    enum status status = copy(pair, route, error);
    THEN(status, device_event_record(bench->device, bench->start, error));
    for (int i = 0; i < COPIES && status == STATUS_OK; i++) {
        status = copy(pair, route, error);
    }
    THEN(status, device_event_record(bench->device, bench->stop, error));
    THEN(status, device_synchronize(bench->device, error));
    THEN(status, device_event_elapsed(bench->device, bench->start, bench->stop, time_ns, error));
    *time_ns /= (double)COPIES;
    return status;
}

static enum status allocate(struct pair *pair, struct error *error) {
    struct device *from = pair->from->device, *to = pair->to->device;
    TRY(device_allocate(from, BYTES, &pair->source, error));
    TRY(device_allocate(to, BYTES, &pair->target, error));
    TRY(device_fill(from, pair->source, 0, BYTES, error));
    return page_allocate_pinned(from, BYTES, "close other programs", &pair->host, error);
}

static void release(struct pair *pair) {
    struct device *from = pair->from->device, *to = pair->to->device;
    device_release(from, pair->source);
    device_release(to, pair->target);
    page_release_pinned(from, pair->host);
}

static enum status measure_link(struct bench_device *from, struct bench_device *to, struct apsp_link *link,
                                struct error *error) {
    struct pair pair = {from, to, 0, 0, NULL};
    double time_ns[3] = {NAN, NAN, NAN};
    enum status status = allocate(&pair, error);
    for (enum route route = TO_PEER; route <= FROM_HOST && status == STATUS_OK; route++) {
        status = time_route(&pair, route, &time_ns[route], error);
    }
    release(&pair);
    *link = (struct apsp_link){from->device, to->device, (double)BYTES / time_ns[TO_PEER],
                               (double)BYTES / (time_ns[TO_HOST] + time_ns[FROM_HOST])};
    return status;
}

static void describe(const struct apsp_link *link, struct output *output) {
    struct device *from = link->from, *to = link->to;
    struct device_link joined;
    char key[160], text[256];
    device_link(from, to, &joined);
    snprintf(key, sizeof key, "%s to %s", from->info.spec, to->info.spec);
    snprintf(text, sizeof text, "%s, %s; %.3g GB/s from device to device, %.3g GB/s through the host's memory",
             joined.name, joined.direct ? "direct" : "not direct", link->peer_gb_s, link->host_gb_s);
    output_metadata(output, key, text);
}

enum status apsp_link_describe(void *context, const struct run *runs, size_t run_count, struct bench_device *devices,
                               size_t count, struct output *output, struct error *error) {
    (void)runs, (void)run_count;
    struct apsp_session *session = context;
    session->links = memory_zeros(count * count, sizeof *session->links);
    for (size_t i = 0; i < count * count; i++) {
        struct bench_device *from = &devices[i / count], *to = &devices[i % count];
        if (from != to && from->device->info.backend == to->device->info.backend && device_has_links(from->device)) {
            struct apsp_link *link = &session->links[session->link_count++];
            TRY(measure_link(from, to, link, error));
            describe(link, output);
        }
    }
    return STATUS_OK;
}

static bool is_among(const struct device *device, struct device *const *devices, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found |= devices[i] == device;
    }
    return found;
}

bool apsp_link_prefers_peer(const struct apsp_session *session, struct device *const *devices, size_t count) {
    double peer_gb_s = INFINITY, host_gb_s = INFINITY;
    if (strcmp(session->options.exchange, "auto") != 0) {
        return strcmp(session->options.exchange, "peer") == 0;
    }
    for (size_t i = 0; i < session->link_count; i++) {
        const struct apsp_link *link = &session->links[i];
        if (is_among(link->from, devices, count) && is_among(link->to, devices, count)) {
            peer_gb_s = fmin(peer_gb_s, link->peer_gb_s);
            host_gb_s = fmin(host_gb_s, link->host_gb_s);
        }
    }
    return peer_gb_s >= host_gb_s;
}
