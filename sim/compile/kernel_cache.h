// What compilers made of kernels, for other processes: files in the folder that the variable BANKSHOT_KERNEL_CACHE
// names. An entry is found by its key, which is everything that its bytes depend on.
#ifndef SIM_COMPILE_KERNEL_CACHE_H
#define SIM_COMPILE_KERNEL_CACHE_H

#include <stddef.h>
#include <stdio.h>

#include "device/launch.h"
#include "sim/process.h"
#include "util/error.h"

struct kernel_cache {
    int folder;         // -1: there is no cache
    struct written key; // without a text it is unknown, so that nothing is found or kept
};

// Opens the folder and creates it if it is missing. Returns STATUS_USAGE if another user could put code into it.
// Without the variable, or if no folder can be created, there is no cache.
enum status kernel_cache_open(struct kernel_cache *cache, struct error *error);
void kernel_cache_close(struct kernel_cache *cache);

// Sets the key of what a command makes in a scratch folder: the source with all that it includes, the command and its
// compiler, whose version is the first line that it prints of itself; it is empty where the source
// has it.
void kernel_cache_set_key(struct kernel_cache *cache, const struct scratch *scratch, char *const *command,
                          const char *version, const char *source);

// Begins another key, which the caller writes and ends by memory_stream_end(&cache->key). NULL: there is no cache.
FILE *kernel_cache_begin_key(struct kernel_cache *cache);
void kernel_cache_print_headers(const struct kernel_header *list, FILE *out);

// Returns what is kept under the key, with a zero behind it. The caller frees it; NULL if there is no valid entry.
char *kernel_cache_read(const struct kernel_cache *cache, size_t *count);

// Keeps these bytes under the key. If that fails, the next process makes them again.
void kernel_cache_write(const struct kernel_cache *cache, const void *made, size_t count);

#endif
