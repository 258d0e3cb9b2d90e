// Compiled kernels that processes share: files in the folder that the variable BANKSHOT_KERNEL_CACHE names.
#ifndef DEVICE_SIM_COMPILE_KERNEL_CACHE_H
#define DEVICE_SIM_COMPILE_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "device/sim/compile/process.h"
#include "util/error.h"

struct kernel_cache {
    int folder; // -1: there is no cache
    char *key;  // all that the library depends on; NULL: it is not known
    size_t key_bytes;
};

// Opens the folder and creates it if it is missing. STATUS_USAGE if someone else could put code into it. Without the
// variable, or where no folder can be created, there is no cache.
enum status kernel_cache_open(struct kernel_cache *cache, struct error *error);
void kernel_cache_close(struct kernel_cache *cache);

// Sets the key: the source after preprocessing (kernel.i in the scratch folder), the command that compiles it and the
// compiler, whose version is the text of sim_compiler_version.
void kernel_cache_set_key(struct kernel_cache *cache, const struct scratch *scratch, char *const *command,
                          const char *version);

// Copies the key's library to kernel.so in the scratch folder. False if the cache has no sound one.
bool kernel_cache_read(const struct kernel_cache *cache, const struct scratch *scratch);

// Keeps kernel.so of the scratch folder for the next process. Where that is not possible, it compiles the kernel again.
void kernel_cache_write(const struct kernel_cache *cache, const struct scratch *scratch);

#endif
