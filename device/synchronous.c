#include "device/synchronous.h"

enum status synchronous_stream_create(struct device *device, enum stream_priority priority, struct stream **stream,
                                      struct error *error) {
    (void)error, (void)priority;
    *stream = (struct stream *)(void *)device; // a stream has no state, so any pointer stands for it
    return STATUS_OK;
}

void synchronous_stream_destroy(struct device *device, struct stream *stream) {
    (void)device, (void)stream;
}

enum status synchronous_event_wait(struct device *device, struct stream *stream, struct event *event,
                                   struct error *error) {
    (void)device, (void)stream, (void)event, (void)error;
    return STATUS_OK;
}

enum status synchronous_event_done(struct device *device, struct event *event, bool *done, struct error *error) {
    (void)device, (void)event, (void)error;
    *done = true;
    return STATUS_OK;
}

enum status synchronous_synchronize(struct device *device, struct stream *stream, struct error *error) {
    (void)device, (void)stream, (void)error;
    return STATUS_OK;
}

enum status synchronous_copy_to_device(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                       size_t bytes, struct error *error) {
    (void)stream;
    return device_copy_to_device(device, to, from, bytes, error);
}

enum status synchronous_copy_to_host(struct device *device, struct stream *stream, void *to, uint64_t from,
                                     size_t bytes, struct error *error) {
    (void)stream;
    return device_copy_to_host(device, to, from, bytes, error);
}

enum status synchronous_copy_rows(struct device *device, struct stream *stream, const struct device_rows *rows,
                                  struct error *error) {
    (void)stream;
    for (size_t i = 0; i < rows->rows; i++) {
        char *host = (char *)rows->host + i * rows->host_pitch;
        const uint64_t address = rows->device + i * rows->device_pitch;
        TRY(rows->to_host ? device_copy_to_host(device, host, address, rows->row_bytes, error)
                          : device_copy_to_device(device, address, host, rows->row_bytes, error));
    }
    return STATUS_OK;
}

enum status synchronous_pin(struct device *device, void *memory, size_t bytes, struct error *error) {
    (void)device, (void)memory, (void)bytes, (void)error;
    return STATUS_OK;
}

void synchronous_unpin(struct device *device, void *memory) {
    (void)device, (void)memory;
}
