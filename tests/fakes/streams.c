// Streams and events: the requested work, and the order in which it is done.
#include "tests/fakes/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Work in streams ----

static struct fake_stream *fake_streams;

static void run_grid(const struct fake_function *function, const uint64_t *arguments, const uint32_t grid[3],
                     const uint32_t block[3], uint64_t blocks) {
    void (*run_block)(void *, const uint64_t *, const uint32_t[3], const uint32_t[3], const uint32_t[3]);
    memcpy(&run_block, &function->run_block, sizeof run_block);
    for (uint64_t i = 0; i < blocks; i++) {
        uint32_t at[3] = {(uint32_t)(i % grid[0]), (uint32_t)(i / grid[0] % grid[1]),
                          (uint32_t)(i / grid[0] / grid[1])};
        run_block(function->kernel, arguments, grid, block, at);
    }
}

static void do_work(const struct work *work) {
    switch (work->kind) {
    case COPY:
        for (size_t row = 0; row <= work->more_rows; row++) {
            memmove(work->to + row * work->to_pitch, work->from + row * work->from_pitch, work->bytes);
        }
        break;
    case FILL:
        memset(work->to, work->byte, work->bytes);
        break;
    case LAUNCH:
        run_grid(work->function, work->arguments, work->grid, work->block, work->blocks);
        break;
    case RECORD:
        clock_gettime(CLOCK_MONOTONIC, &work->event->time);
        if (work->record > work->event->done) { // an earlier recording in another stream may come later
            work->event->done = work->record;
        }
        break;
    case WAIT:
        break;
    case CALL:
        work->call(work->context);
        break;
    }
}

static bool blocked(const struct fake_stream *stream) {
    const struct work *work = stream->first;
    return (work->kind == WAIT && work->event->done < work->record) ||
           (work->kind == CALL && !work->is_ready(work->context));
}

static bool waits_for_process(const struct fake_stream *stream) {
    return stream->first && stream->first->kind == CALL && blocked(stream);
}

static void do_first(struct fake_stream *stream) {
    struct work *work = stream->first;
    do_work(work);
    stream->first = work->next;
    free(work);
}

// The stream that records the event that this one waits for. A later recording of the same event would not do, because
// it may itself wait for this stream.
static struct fake_stream *recorder(const struct work *waiting) {
    for (struct fake_stream *stream = fake_streams; stream; stream = stream->next) {
        for (const struct work *work = stream->first; work; work = work->next) {
            if (work->kind == RECORD && work->event == waiting->event && work->record == waiting->record) {
                return stream;
            }
        }
    }
    fprintf(stderr, "fake driver: a stream waits for what nobody records\n");
    abort();
}

// NULL while all that could be done waits for another process.
static struct fake_stream *any_ready(void) {
    static uint64_t number;
    struct fake_stream *ready = NULL;
    uint64_t count = 0;
    number += (uint64_t)fake_setting("FAKE_ORDER", 0);
    for (struct fake_stream *stream = fake_streams; stream; stream = stream->next) {
        if (stream->first && !blocked(stream)) {
            number = number * 6364136223846793005u + 1442695040888963407u;
            ready = (number >> 33) % ++count == 0 ? stream : ready;
        }
    }
    for (struct fake_stream *stream = fake_streams; stream && !ready; stream = stream->next) {
        if (waits_for_process(stream)) {
            usleep(100);
            return NULL;
        }
    }
    if (!ready) {
        fprintf(stderr, "fake driver: every stream waits\n");
        abort();
    }
    return ready;
}

// All work of a stream, and as much of the others' as the order requires.
void fake_finish(struct fake_stream *stream) {
    const char *order = getenv("FAKE_ORDER");
    while (stream->first) {
        struct fake_stream *next = order && strcmp(order, "lazy") != 0 ? any_ready() : stream;
        while (next && blocked(next)) {
            if (waits_for_process(next)) {
                usleep(100);
            } else {
                next = recorder(next->first);
            }
        }
        if (next) {
            do_first(next);
        }
    }
}

void fake_finish_all(void) {
    for (struct fake_stream *stream = fake_streams; stream; stream = stream->next) {
        fake_finish(stream);
    }
}

int fake_enqueue(struct fake_stream *stream, struct work work) {
    if (stream->graph) {
        return fake_record_work(stream, work);
    }
    struct work *added = calloc(1, sizeof *added);
    if (!added) {
        return FAKE_OUT_OF_MEMORY;
    }
    *added = work;
    if (stream->first) {
        stream->last->next = added;
    } else {
        stream->first = added;
    }
    stream->last = added;
    if (!getenv("FAKE_ORDER")) {
        fake_finish(stream);
    }
    return FAKE_SUCCESS;
}

// A copy or a fill on a stream of the current device, which must own the memory, or reach it as the host's pinned
// memory.
static int fake_check_access(const struct fake_stream *stream, const char *address, size_t bytes) {
    if (fake_usable() != FAKE_SUCCESS || !stream || stream->device != fake_current) {
        return fake_usable() != FAKE_SUCCESS ? (int)fake_usable() : FAKE_INVALID_CONTEXT;
    }
    return fake_owned(address, bytes, fake_current) || fake_is_pinned(address, bytes) ? FAKE_SUCCESS
                                                                                      : FAKE_INVALID_VALUE;
}

int fake_move_pages(const struct fake_stream *stream, const char *address, size_t bytes) {
    return fake_fails("move") ? FAKE_NOT_SUPPORTED : fake_check_access(stream, address, bytes);
}

// After a copy that fails the device is lost.
static int enqueue_copy(struct fake_stream *stream, struct work work) {
    if (fake_fails("copy")) {
        fake_lost[fake_current] = true;
        return FAKE_ILLEGAL_ADDRESS;
    }
    return fake_enqueue(stream, work);
}

int fake_copy_to_device(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync");
int fake_copy_to_device(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = fake_check_access(stream, to, bytes);
    return result == FAKE_SUCCESS ? enqueue_copy(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_copy_to_host(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync");
int fake_copy_to_host(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = fake_check_access(stream, from, bytes);
    return result == FAKE_SUCCESS ? enqueue_copy(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

// Rows from the host or to it.
int fake_enqueue_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t rows,
                      bool to_host, struct fake_stream *stream) {
    const size_t span = (rows - 1) * (to_host ? from_pitch : to_pitch) + bytes;
    const struct work work = {
        COPY, to, from, bytes, .more_rows = rows - 1, .to_pitch = to_pitch, .from_pitch = from_pitch};
    const int result = fake_check_access(stream, to_host ? from : to, span);
    return result != FAKE_SUCCESS                   ? result
           : bytes > to_pitch || bytes > from_pitch ? FAKE_INVALID_VALUE
                                                    : enqueue_copy(stream, work);
}

int fake_copy_on_device(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
int fake_copy_on_device(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = fake_check_access(stream, from, bytes);
    if (result == FAKE_SUCCESS) {
        result = fake_check_access(stream, to, bytes);
    }
    return result == FAKE_SUCCESS ? enqueue_copy(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_copy_peer(char *to, fake_place to_place, const char *from, fake_place from_place, size_t bytes,
                   struct fake_stream *stream) NAMED("cuMemcpyPeerAsync", "hipMemcpyPeerAsync");
int fake_copy_peer(char *to, fake_place to_place, const char *from, fake_place from_place, size_t bytes,
                   struct fake_stream *stream) {
    const int from_device = fake_place_device(from_place), to_device = fake_place_device(to_place);
    int result = fake_check_access(stream, from_device == fake_current ? from : to, bytes);
    if (result == FAKE_SUCCESS && (!fake_owned(from, bytes, from_device) || !fake_owned(to, bytes, to_device))) {
        result = FAKE_INVALID_VALUE;
    }
    return result == FAKE_SUCCESS ? enqueue_copy(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_enable_peer(fake_place place, unsigned flags) NAMED("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess");
int fake_enable_peer(fake_place place, unsigned flags) {
    (void)flags;
    return fake_place_device(place) == fake_current ? FAKE_INVALID_DEVICE
           : fake_fails("reach")                    ? FAKE_PEER_UNSUPPORTED
                                                    : FAKE_SUCCESS;
}

int fake_fill(char *address, unsigned char byte, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemsetD8Async", "hipMemsetD8Async");
int fake_fill(char *address, unsigned char byte, size_t bytes, struct fake_stream *stream) {
    int result = fake_check_access(stream, address, bytes);
    return result == FAKE_SUCCESS
               ? fake_enqueue(stream, (struct work){FILL, .to = address, .byte = byte, .bytes = bytes})
               : result;
}

// ---- Streams and events ----

int fake_stream_create(struct fake_stream **stream, unsigned flags) NAMED("cuStreamCreate", "hipStreamCreateWithFlags");
int fake_stream_create(struct fake_stream **stream, unsigned flags) {
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    if (*stream) {
        **stream = (struct fake_stream){.device = fake_current, .next = fake_streams};
        fake_streams = *stream;
    }
    return (int)fake_usable();
}

int fake_stream_priorities(int *lowest, int *highest)
    NAMED("cuCtxGetStreamPriorityRange", "hipDeviceGetStreamPriorityRange");
int fake_stream_priorities(int *lowest, int *highest) {
    *lowest = 0;
    *highest = -5;
    return (int)fake_usable();
}

int fake_stream_create_prior(struct fake_stream **stream, unsigned flags, int priority)
    NAMED("cuStreamCreateWithPriority", "hipStreamCreateWithPriority");
int fake_stream_create_prior(struct fake_stream **stream, unsigned flags, int priority) {
    return priority == -5 || priority == -4 ? fake_stream_create(stream, flags) : FAKE_INVALID_VALUE;
}

int fake_stream_destroy(struct fake_stream *stream) NAMED("cuStreamDestroy_v2", "hipStreamDestroy");
int fake_stream_destroy(struct fake_stream *stream) {
    struct fake_stream **at = &fake_streams;
    fake_finish_all();
    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    free(stream);
    return FAKE_SUCCESS;
}

int fake_stream_synchronize(struct fake_stream *stream) NAMED("cuStreamSynchronize", "hipStreamSynchronize");
int fake_stream_synchronize(struct fake_stream *stream) {
    if (stream->graph) {
        return fake_record_fault(stream);
    }
    fake_finish(stream);
    return stream->device == fake_current ? (int)fake_usable() : FAKE_INVALID_CONTEXT;
}

int fake_event_create(struct fake_event **event, unsigned flags) NAMED("cuEventCreate", "hipEventCreateWithFlags");
int fake_event_create(struct fake_event **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    if (*event) {
        (*event)->device = fake_current;
    }
    return (int)fake_usable();
}

int fake_event_destroy(struct fake_event *event) NAMED("cuEventDestroy_v2", "hipEventDestroy");
int fake_event_destroy(struct fake_event *event) {
    fake_finish_all();
    free(event);
    return FAKE_SUCCESS;
}

int fake_event_record(struct fake_event *event, struct fake_stream *stream) NAMED("cuEventRecord", "hipEventRecord");
int fake_event_record(struct fake_event *event, struct fake_stream *stream) {
    if (event->device != fake_current || stream->device != fake_current) {
        return FAKE_INVALID_CONTEXT;
    }
    if (stream->graph) {
        return fake_record_event(stream, event);
    }
    event->graph = 0;
    const int result = fake_enqueue(stream, (struct work){RECORD, .event = event, .record = ++event->asked});
    return result == FAKE_SUCCESS ? (int)fake_usable() : result;
}

int fake_event_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags)
    NAMED("cuStreamWaitEvent", "hipStreamWaitEvent");
int fake_event_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags) {
    if (stream->device != fake_current || flags) {
        return FAKE_INVALID_CONTEXT;
    }
    if (stream->graph || event->graph) {
        return fake_record_wait(stream, event);
    }
    const int result = fake_enqueue(stream, (struct work){WAIT, .event = event, .record = event->asked});
    return result == FAKE_SUCCESS ? (int)fake_usable() : result;
}

// While work waits to be done, a query does a piece of it, so that a program that only asks gets an answer.
int fake_event_query(const struct fake_event *event) NAMED("cuEventQuery", "hipEventQuery");
int fake_event_query(const struct fake_event *event) {
    for (struct fake_stream *stream = fake_streams; stream && event->done < event->asked; stream = stream->next) {
        if (stream->first && !blocked(stream)) {
            do_first(stream);
        }
    }
    return fake_usable() != FAKE_SUCCESS ? (int)fake_usable()
           : event->done < event->asked  ? FAKE_NOT_READY
                                         : FAKE_SUCCESS;
}

int fake_event_elapsed(float *milliseconds, const struct fake_event *start, const struct fake_event *stop)
    NAMED("cuEventElapsedTime", "hipEventElapsedTime");
int fake_event_elapsed(float *milliseconds, const struct fake_event *start, const struct fake_event *stop) {
    if (start->done < start->asked || stop->done < stop->asked) {
        return FAKE_NOT_READY;
    }
    *milliseconds = (float)((double)(stop->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(stop->time.tv_nsec - start->time.tv_nsec) / 1e6);
    return (int)fake_usable();
}
