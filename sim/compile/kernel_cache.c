#include "sim/compile/kernel_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"

enum {
    NAME_SIZE = 64,
    OTHERS_WRITE = S_IWGRP | S_IWOTH
};

// An entry begins with this, followed by the key and what was made. The whole key is there and compared, so that two
// keys with one hash cannot be mistaken for each other.
struct head {
    char magic[8];
    uint64_t key_bytes, made_bytes;
    uint64_t checksum; // of both
};

static const char magic[8] = "kernel 1";

// FNV-1a. Pass the result of one piece as the sum of the next.
static const uint64_t no_bytes = UINT64_C(0xcbf29ce484222325);

static uint64_t hash(uint64_t sum, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

// ---- The folder ----

// Code from the folder runs with the user's rights, so no other user may write to it.
static enum status check_folder(int folder, const char *path, struct error *error) {
    struct stat about;
    if (fstat(folder, &about) != 0 || about.st_uid != geteuid()) {
        return error_set(error, STATUS_USAGE,
                         "BANKSHOT_KERNEL_CACHE: %s belongs to another user: name a folder of your own", path);
    }
    if (about.st_mode & OTHERS_WRITE) {
        return error_set(error, STATUS_USAGE, "BANKSHOT_KERNEL_CACHE: other users can write into %s: chmod go-w %s",
                         path, path);
    }
    return STATUS_OK;
}

enum status kernel_cache_open(struct kernel_cache *cache, struct error *error) {
    const char *path = getenv("BANKSHOT_KERNEL_CACHE");
    *cache = (struct kernel_cache){.folder = -1};
    if (!path || !*path) {
        return STATUS_OK;
    }
    mkdir(path, 0700); // it may exist already
    cache->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder < 0) {
        return errno == ENOTDIR
                   ? error_set(error, STATUS_USAGE, "BANKSHOT_KERNEL_CACHE: %s is not a folder: name one", path)
                   : STATUS_OK;
    }
    const enum status status = check_folder(cache->folder, path, error);
    if (status != STATUS_OK) {
        kernel_cache_close(cache);
    }
    return status;
}

void kernel_cache_close(struct kernel_cache *cache) {
    if (cache->folder >= 0) {
        close(cache->folder);
    }
    free(cache->key.text);
    *cache = (struct kernel_cache){.folder = -1};
}

// ---- Keys ----

// The scratch folder's name differs each time, so it is left out of a key.
static void print_without(FILE *out, const char *text, const char *folder) {
    for (const char *found; (found = strstr(text, folder)); text = found + strlen(folder)) {
        fwrite(text, 1, (size_t)(found - text), out);
    }
    fputs(text, out);
}

static void print_compiler(FILE *out, const char *program, const char *version) {
    char path[PATH_MAX];
    struct stat about;
    if (path_find_program(program, path) && stat(path, &about) == 0) {
        fprintf(out, "%s %jd %jd.%ld\n", path, (intmax_t)about.st_size, (intmax_t)about.st_mtim.tv_sec,
                about.st_mtim.tv_nsec);
    }
    fprintf(out, "%s\n", version);
}

// A compiler's output depends on more than its command: on programs that it runs, and on the folder that debug
// information names. That folder matters only to a source that names a file by a path through it, because such a path
// is shown without the folder.
static void print_surroundings(FILE *out, const char *source) {
    static const char *const variables[] = {"COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH"};
    char folder[PATH_MAX];
    const bool known = getcwd(folder, sizeof folder - 1) != NULL;
    if (known) {
        strcat(folder, "/"); // another folder's name may begin with this one's
    }
    fprintf(out, "%s\n", known && strstr(source, folder) ? folder : "");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        fprintf(out, "%s=%s\n", variables[i], value ? value : "");
    }
}

FILE *kernel_cache_begin_key(struct kernel_cache *cache) {
    FILE *out = cache->folder >= 0 ? memory_stream(&cache->key) : NULL;
    if (out) {
        fputs(SIM_COMPILE_SOURCES "\n", out); // these change the source and the assembly, too
    }
    return out;
}

void kernel_cache_print_headers(const struct kernel_header *list, FILE *out) {
    for (; list && list->name; list++) {
        fprintf(out, "%s\n%s\n", list->name, list->text);
    }
}

void kernel_cache_set_key(struct kernel_cache *cache, const struct scratch *scratch, char *const *command,
                          const char *version, const char *source) {
    FILE *out = kernel_cache_begin_key(cache);
    if (out) {
        print_compiler(out, *command, version);
        print_surroundings(out, source);
        for (; *command; command++) {
            print_without(out, *command, scratch->path);
            fputc('\n', out);
        }
        print_without(out, source, scratch->path);
        memory_stream_end(&cache->key);
    }
}

// ---- Entries ----

static void name_entry(const struct kernel_cache *cache, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "%016" PRIx64, hash(no_bytes, cache->key.text, cache->key.length));
}

static FILE *open_at(const struct kernel_cache *cache, const char *name, int flags, const char *mode) {
    const int descriptor = openat(cache->folder, name, flags | O_CLOEXEC, 0600);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, mode) : NULL;
    if (descriptor >= 0 && !file) {
        close(descriptor);
        if (flags & O_CREAT) {
            unlinkat(cache->folder, name, 0);
        }
    }
    return file;
}

// Reads an entry that only this user can have written. The caller frees it; NULL if there is none.
static char *read_entry(const struct kernel_cache *cache, size_t *count) {
    char name[NAME_SIZE], *bytes = NULL;
    struct stat about;
    name_entry(cache, name);
    FILE *file = open_at(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "r");
    if (!file) {
        return NULL;
    }
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        !(about.st_mode & OTHERS_WRITE)) {
        bytes = scratch_read_all(file, count);
    }
    fclose(file);
    return bytes;
}

// Returns what was made, in an entry; NULL if the entry is torn, or belongs to another key.
static const char *find_made(const struct kernel_cache *cache, const char *entry, size_t count, size_t *made_bytes) {
    struct head head;
    if (count < sizeof head) {
        return NULL;
    }
    memcpy(&head, entry, sizeof head);
    const size_t rest = count - sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.key_bytes != cache->key.length || head.key_bytes > rest ||
        head.made_bytes != rest - head.key_bytes) {
        return NULL;
    }
    const char *key = entry + sizeof head;
    *made_bytes = head.made_bytes;
    return memcmp(key, cache->key.text, cache->key.length) == 0 && head.checksum == hash(no_bytes, key, rest)
               ? key + cache->key.length
               : NULL;
}

char *kernel_cache_read(const struct kernel_cache *cache, size_t *count) {
    size_t entry_bytes;
    char *entry = cache->key.text ? read_entry(cache, &entry_bytes) : NULL;
    const char *made = entry ? find_made(cache, entry, entry_bytes, count) : NULL;
    if (!made) {
        free(entry);
        return NULL;
    }
    memmove(entry, made, *count);
    entry[*count] = '\0';
    return entry;
}

// Writes a separate file and renames it, so that another process finds a complete entry or none.
void kernel_cache_write(const struct kernel_cache *cache, const void *made, size_t count) {
    char name[NAME_SIZE], draft[NAME_SIZE + 32];
    if (!cache->key.text) {
        return;
    }
    struct head head = {.key_bytes = cache->key.length, .made_bytes = count};
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = hash(hash(no_bytes, cache->key.text, cache->key.length), made, count);
    name_entry(cache, name);
    snprintf(draft, sizeof draft, "%s.%ld", name, (long)getpid());
    FILE *file = open_at(cache, draft, O_WRONLY | O_CREAT | O_EXCL, "w");
    if (!file) {
        return;
    }
    const bool written = fwrite(&head, sizeof head, 1, file) == 1 &&
                         fwrite(cache->key.text, 1, cache->key.length, file) == cache->key.length &&
                         fwrite(made, 1, count, file) == count;
    if (fclose(file) != 0 || !written || renameat(cache->folder, draft, cache->folder, name) != 0) {
        unlinkat(cache->folder, draft, 0);
    }
}
