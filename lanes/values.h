// The arguments that --arg gives to a kernel: numbers, and buffers with random content.
#ifndef LANES_VALUES_H
#define LANES_VALUES_H

#include "device/device.h"

enum {
    VALUES_MAX = 32
};

struct values {
    size_t count;
    struct argument arguments[VALUES_MAX]; // a buffer is its address
};

// Each text is TYPE:VALUE or buffer:TYPE:COUNT[:random|zero|index]; TYPE is one of uchar, int, uint, long, ulong,
// float, double. Buffers are allocated on the device and live until it is closed. The same texts yield the same content
// everywhere: floats from 0 to 1, integers from 0 to COUNT - 1.
enum status values_make(struct values *values, struct device *device, const char *const *texts, size_t count,
                        struct error *error);

#endif
