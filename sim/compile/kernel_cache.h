// Compiled kernels that processes share: files in the folder that the variable BANKSHOT_KERNEL_CACHE names.
#ifndef SIM_COMPILE_KERNEL_CACHE_H
#define SIM_COMPILE_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/compile/process.h"
#include "util/error.h"

struct kernel_cache {
    int folder; // -1: there is no cache
    char *key;  // everything that the library depends on; NULL: unknown
    size_t key_bytes;
};

// Opens the folder and creates it if it is missing. Returns STATUS_USAGE if another user could put code into it.
// Without the variable, or if no folder can be created, there is no cache.
enum status kernel_cache_open(struct kernel_cache *cache, struct error *error);
void kernel_cache_close(struct kernel_cache *cache);

// Sets the key: the source with all that it includes, the command that compiles it and the compiler, whose version is
// the text of sim_compiler_version.
void kernel_cache_set_key(struct kernel_cache *cache, const struct scratch *scratch, char *const *command,
                          const char *version, const char *source);

// Copies the key's library to kernel.so in the scratch folder. Returns false if the cache has no valid one.
bool kernel_cache_read(const struct kernel_cache *cache, const struct scratch *scratch);

// Keeps kernel.so of the scratch folder for the next process. If that fails, the next process compiles the kernel
// again.
void kernel_cache_write(const struct kernel_cache *cache, const struct scratch *scratch);

#endif
