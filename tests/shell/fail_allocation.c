// For LD_PRELOAD: the FAIL_ALLOCATION-th call by which the program itself, not a library, asks for memory fails; with 0
// none does. The number of calls goes to the file COUNT_ALLOCATIONS. A process that this one forks counts on; programs
// that it starts are left alone.
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/types.h>

static atomic_long *calls; // shared with forked processes
static long failing;
static const char *count_path;

static void *find(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        abort();
    }
    return symbol;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAIL_ALLOCATION");
    failing = text ? strtol(text, NULL, 10) : 0;
    count_path = getenv("COUNT_ALLOCATIONS");
    unsetenv("LD_PRELOAD");
    void *(*map)(void *, size_t, int, int, int, off_t);
    *(void **)&map = find("mmap");
    void *shared = map(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        abort();
    }
    calls = shared;
}

__attribute__((destructor)) static void end(void) {
    FILE *file = count_path ? fopen(count_path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(calls));
        fclose(file);
    }
}

static bool of_program(const void *caller) {
    Dl_info program, other;
    return dladdr((const void *)getauxval(AT_ENTRY), &program) && dladdr(caller, &other) &&
           program.dli_fbase == other.dli_fbase;
}

static bool fails(const void *caller) {
    if (!calls || !of_program(caller) || atomic_fetch_add(calls, 1) + 1 != failing) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

// The real function, or `failure` where it is this call's turn.
#define CALL(result, name, failure, parameters, arguments)                                                             \
    result name parameters {                                                                                           \
        static result(*real) parameters;                                                                               \
        if (!real) {                                                                                                   \
            *(void **)&real = find(#name);                                                                             \
        }                                                                                                              \
        return fails(__builtin_return_address(0)) ? failure : real arguments;                                          \
    }

CALL(void *, malloc, NULL, (size_t bytes), (bytes))
CALL(void *, realloc, NULL, (void *memory, size_t bytes), (memory, bytes))
CALL(void *, aligned_alloc, NULL, (size_t alignment, size_t bytes), (alignment, bytes))
CALL(char *, strdup, NULL, (const char *text), (text))
CALL(FILE *, open_memstream, NULL, (char **text, size_t *length), (text, length))
CALL(void *, mmap, MAP_FAILED, (void *at, size_t bytes, int access, int flags, int file, off_t offset),
     (at, bytes, access, flags, file, offset))

// dlsym itself may call calloc before the real one is known.
void *calloc(size_t count, size_t bytes) {
    static void *(*real)(size_t, size_t);
    static _Alignas(64) char early[4096];
    static size_t used;
    static bool looking;
    if (!real && looking) {
        char *piece = early + used;
        used += (count * bytes + 15) / 16 * 16;
        return used <= sizeof early ? piece : NULL;
    }
    if (!real) {
        looking = true;
        *(void **)&real = find("calloc");
    }
    return fails(__builtin_return_address(0)) ? NULL : real(count, bytes);
}
