#include "device/synchronous.h"

// One for all: there is nothing to know of it.
static struct stream { char nothing; } only_stream;

enum status synchronous_stream_create(struct device *device, struct stream **stream, struct error *error) {
    (void)device, (void)error;
    *stream = &only_stream;
    return STATUS_OK;
}

void synchronous_stream_destroy(struct device *device, struct stream *stream) {
    (void)device, (void)stream;
}

enum status synchronous_event_wait(struct device *device, struct event *event, struct error *error) {
    (void)device, (void)event, (void)error;
    return STATUS_OK;
}

enum status synchronous_copy_rows(struct device *device, const struct device_rows *rows, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rows->rows && status == STATUS_OK; i++) {
        char *host = (char *)rows->host + i * rows->host_pitch;
        const uint64_t address = rows->device + i * rows->device_pitch;
        status = rows->to_host ? device->operations->copy_to_host(device, host, address, rows->row_bytes, error)
                               : device->operations->copy_to_device(device, address, host, rows->row_bytes, error);
    }
    return status;
}

enum status synchronous_pin(struct device *device, void *memory, size_t bytes, struct error *error) {
    (void)device, (void)memory, (void)bytes, (void)error;
    return STATUS_OK;
}

void synchronous_unpin(struct device *device, void *memory) {
    (void)device, (void)memory;
}
