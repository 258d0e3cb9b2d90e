// The headers that translations include.
#ifndef DEVICE_SIM_PTX_HEADERS_H
#define DEVICE_SIM_PTX_HEADERS_H

struct ptx_header {
    const char *name, *text;
};

extern const struct ptx_header ptx_headers[]; // the last has no name

#endif
