#include "device/kernel/headers.h"

#include "util/embed.h"

EMBED_FILE(kernel_dialect_header, "device/kernel/kernel.h");
EMBED_FILE(kernel_word_header, "device/kernel/word.h");
EMBED_FILE(kernel_async_header, "device/kernel/async.h");

const struct kernel_header kernel_headers[] = {
    {"device/kernel/kernel.h", kernel_dialect_header},
    {"device/kernel/word.h", kernel_word_header},
    {"device/kernel/async.h", kernel_async_header},
    {NULL, NULL},
};
