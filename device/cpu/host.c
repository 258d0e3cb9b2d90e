#include "device/cpu/host.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cpu/slice.h"
#include "util/clock.h"
#include "util/text.h"
#include "util/whole.h"

// ---- The share of a cache that this process can use: a virtual machine reports all of its host's ----

enum {
    LINE_BYTES = 64,
    LOADS = 4096, // loads of a chain
    TRIES = 3,    // the best counts, because other programs only take from the cache
};
static const uint64_t SMALLEST_BYTES = UINT64_C(4) << 20;
static const double HIT_SHARE =
    0.7; // a chain of loads that mostly hit takes less than this share of the time of loads from memory

#if defined __x86_64__
static const bool CAN_FLUSH = true;

static void flush_line(const volatile uint8_t *line) {
    __asm__ volatile("clflush %0" : : "m"(*line) : "memory");
}

static void wait_for_flushes(void) {
    __asm__ volatile("mfence" : : : "memory");
}
#elif defined __aarch64__
static const bool CAN_FLUSH = true;

static void flush_line(const volatile uint8_t *line) {
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

static void wait_for_flushes(void) {
    __asm__ volatile("dsb ish" : : : "memory");
}
#else
static const bool CAN_FLUSH = false;

static void flush_line(const volatile uint8_t *line) {
    (void)line;
}

static void wait_for_flushes(void) {}
#endif

// The line of a load. It depends on the value of the load before, which is always 0, so that loads wait for each other.
static uint64_t line_of(uint64_t number, uint64_t found, uint64_t lines) {
    uint64_t mixed = (number + found + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0xbf58476d1ce4e5b9);
    return (mixed ^ mixed >> 32) % lines;
}

static double chase_ns(const volatile uint8_t *memory, uint64_t lines, uint64_t first) {
    uint64_t found = 0;
    const double start = clock_ns();
    for (uint64_t i = 0; i < LOADS; i++) {
        found = memory[line_of(first + i, found, lines) * LINE_BYTES];
    }
    return clock_ns() - start;
}

// Compares loads that may hit with loads of the same range that cannot, because both miss equally often in the TLB. No
// chain of loads is repeated, because a cache may favour lines that are used twice.
static bool mostly_hits(const volatile uint8_t *memory, uint64_t bytes, uint64_t *next) {
    const uint64_t lines = bytes / LINE_BYTES;
    for (int i = 0; i < TRIES; i++, *next += 2 * LOADS) {
        for (uint64_t line = 0; line < lines; line++) {
            (void)memory[line * LINE_BYTES];
        }
        const double cached = chase_ns(memory, lines, *next);
        for (uint64_t load = 0; load < LOADS; load++) {
            flush_line(&memory[line_of(*next + LOADS + load, 0, lines) * LINE_BYTES]);
        }
        wait_for_flushes();
        if (cached < HIT_SHARE * chase_ns(memory, lines, *next + LOADS)) {
            return true;
        }
    }
    return false;
}

static void touch(volatile uint8_t *memory, uint64_t from, uint64_t to) {
    enum {
        PAGE_BYTES = 4096
    };
    for (uint64_t at = from; at < to; at += PAGE_BYTES) {
        memory[at] = 0;
    }
}

// The largest footprint, up to reported_bytes, in which random loads mostly hit. Measuring 32 MiB takes about 10 ms.
// Returns reported_bytes if lines cannot be flushed or memory is short.
static uint64_t measure_cache_bytes(uint64_t reported_bytes) {
    if (!CAN_FLUSH || reported_bytes <= SMALLEST_BYTES) {
        return reported_bytes;
    }
    volatile uint8_t *memory =
        mmap(NULL, reported_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return reported_bytes;
    }
    madvise((void *)memory, reported_bytes, MADV_HUGEPAGE); // otherwise address translation blurs the caches
    uint64_t found = SMALLEST_BYTES, touched = 0, next = 0;
    for (uint64_t bytes = SMALLEST_BYTES;; bytes = smaller(2 * bytes, reported_bytes)) {
        touch(memory, touched, bytes);
        touched = bytes;
        if (!mostly_hits(memory, bytes, &next)) {
            break;
        }
        found = bytes;
        if (bytes == reported_bytes) {
            break;
        }
    }
    munmap((void *)memory, reported_bytes);
    return found;
}

// ---- Facts from /proc and /sys ----

bool cpu_read_text(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return true;
}

static const char *find_line(const char *text, const char *key) {
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length)) {
            return line + length;
        }
    }
    return NULL;
}

// The number after `key` on the line of text that begins with it.
static bool cpu_find_number(const char *text, const char *key, uint64_t *number) {
    const char *value = find_line(text, key);
    char *end = NULL;
    if (value) {
        *number = strtoull(value, &end, 10);
    }
    return value && end != value;
}

enum cpu_vectors cpu_vectors(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
        return CPU_AVX512;
    }
    return __builtin_cpu_supports("avx2") ? CPU_AVX2 : CPU_SSE2;
#elif defined __aarch64__
    return CPU_NEON;
#else
    return CPU_PORTABLE;
#endif
}

const char *cpu_arch(void) {
    static const char *const names[] = {
        [CPU_PORTABLE] = "portable C",  [CPU_SSE2] = "x86-64 sse2", [CPU_AVX2] = "x86-64 avx2",
        [CPU_AVX512] = "x86-64 avx512", [CPU_NEON] = "arm64 neon",
    };
    return names[cpu_vectors()];
}

// The value of "key<blanks>: value" in /proc/cpuinfo; empty if there is none.
static void cpuinfo_value(const char *cpuinfo, const char *key, char *value, size_t size) {
    const char *line = find_line(cpuinfo, key);
    const char *start = line ? line + strspn(line, "\t :") : "";
    snprintf(value, size, "%.*s", (int)strcspn(start, "\n"), start);
}

char *cpu_model_name(char *name, size_t size) {
    char cpuinfo[4096] = "";
    cpu_read_text("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
    cpuinfo_value(cpuinfo, "model name", name, size);
    if (!*name) { // arm64 has only numbers, which Arm calls implementer and part
        char implementer[32], part[32];
        cpuinfo_value(cpuinfo, "CPU implementer", implementer, sizeof implementer);
        cpuinfo_value(cpuinfo, "CPU part", part, sizeof part);
        if (*implementer && *part) {
            snprintf(name, size, "CPU implementer %s part %s", implementer, part);
        } else {
            snprintf(name, size, "unnamed CPU");
        }
    }
    return name;
}

struct cache {
    uint64_t level, bytes;
    int first_cpu; // the first that shares it and that this process may use
};

// Reads a file that Linux keeps for one cache of a processor: "size", "level", ...
static bool cpu_read_cache_text(int cpu, int index, const char *name, char *text, size_t size) {
    char path[4096];
    const char *root = getenv("BANKSHOT_SYSFS"); // for tests: another machine's caches
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/%s", root ? root : "/sys", cpu, index, name);
    return cpu_read_text(path, text, size);
}

// "32768K"
static uint64_t cpu_size_in_bytes(const char *text) {
    char *unit;
    const uint64_t number = strtoull(text, &unit, 10);
    return number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
}

// Reads a list of processors such as "0-3,8-11": those of them that are allowed. Returns how many there are in all.
static uint32_t read_list(const char *list, const cpu_set_t *allowed, cpu_set_t *set) {
    uint32_t count = 0;
    CPU_ZERO(set);
    while (*list >= '0' && *list <= '9') {
        char *end;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += (uint32_t)(last - first + 1);
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++) {
            CPU_SET((size_t)cpu, set);
        }
        list = end + (*end == ',');
    }
    CPU_AND(set, set, allowed);
    return count;
}

// -1 if the set is empty.
static int first_of(const cpu_set_t *set) {
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, set)) {
            return cpu;
        }
    }
    return -1;
}

// Empty if the system does not tell.
static cpu_set_t allowed_cpus(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

static struct cache last_level_cache_of(int cpu, const cpu_set_t *allowed) {
    struct cache last = {0};
    char text[4096];
    for (int index = 0; cpu_read_cache_text(cpu, index, "level", text, sizeof text); index++) {
        const uint64_t level = strtoull(text, NULL, 10);
        if (level <= last.level || !cpu_read_cache_text(cpu, index, "size", text, sizeof text)) {
            continue;
        }
        const uint64_t size = cpu_size_in_bytes(text);
        if (cpu_read_cache_text(cpu, index, "shared_cpu_list", text, sizeof text)) {
            cpu_set_t sharers;
            read_list(text, allowed, &sharers);
            last = (struct cache){level, size, first_of(&sharers)};
        }
    }
    return last;
}

// Sums the caches' sizes, and finds the largest.
static uint64_t reported_bytes(uint64_t *largest_bytes) {
    uint64_t sum = 0;
    const cpu_set_t allowed = allowed_cpus();
    *largest_bytes = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed)) {
            const struct cache cache = last_level_cache_of(cpu, &allowed);
            sum += cache.first_cpu == cpu ? cache.bytes : 0;
            *largest_bytes = cache.bytes > *largest_bytes ? cache.bytes : *largest_bytes;
        }
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (sum == 0) {
        const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
        sum = *largest_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    }
#endif
    return sum;
}

// One thread can measure only one cache. The others are assumed to be alike.
struct cpu_cache_sizes cpu_last_level_caches(void) {
    uint64_t largest;
    const uint64_t reported = reported_bytes(&largest);
    const double share = reported ? (double)measure_cache_bytes(largest) / (double)largest : 0;
    return (struct cpu_cache_sizes){reported, (uint64_t)((double)reported * share)};
}

// ---- The data caches ----

static uint64_t read_number(int cpu, int index, const char *name) {
    char text[64];
    return cpu_read_cache_text(cpu, index, name, text, sizeof text) ? cpu_size_in_bytes(text) : 0;
}

size_t cpu_data_caches(struct data_cache caches[DATA_CACHES_MAX]) {
    const cpu_set_t allowed = allowed_cpus();
    const int first = first_of(&allowed), cpu = first < 0 ? 0 : first;
    char text[4096];
    size_t count = 0;
    for (int index = 0; cpu_read_cache_text(cpu, index, "type", text, sizeof text) && count < DATA_CACHES_MAX;
         index++) {
        if (strncmp(text, "Instruction", 11) == 0) {
            continue;
        }
        struct data_cache *cache = &caches[count];
        *cache = (struct data_cache){
            .level = (uint32_t)read_number(cpu, index, "level"),
            .bytes = read_number(cpu, index, "size"),
            .line_bytes = (uint32_t)read_number(cpu, index, "coherency_line_size"),
            .ways = (uint32_t)read_number(cpu, index, "ways_of_associativity"),
        };
        if (cpu_read_cache_text(cpu, index, "shared_cpu_list", text, sizeof text)) {
            cpu_set_t sharers;
            cache->sharers = read_list(text, &allowed, &sharers);
            cache->allowed_sharers = (uint32_t)CPU_COUNT(&sharers);
        }
        count += cache->bytes > 0 && cache->level >= 1 && cache->level <= DATA_CACHES_MAX;
    }
    return count;
}

// ---- Memory and processors, and the limits of control groups ----

// Both versions of Linux' control groups; the kernel's documentation: admin-guide/cgroup-v1/memory, cgroup-v2.
static const struct control_group {
    const char *controller; // name in /proc/self/cgroup
    const char *folder, *limit, *usage;
    const char *reclaimable; // file cache that the kernel drops first, a line of memory.stat
} control_groups[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

// Reads a file below another root than /, because a test provides files.
static bool read_below(const char *root, const char *path, char *text, size_t size) {
    char file[4096];
    snprintf(file, sizeof file, "%s%s", root, path);
    return cpu_read_text(file, text, size);
}

static bool read_group_file(const char *root, const struct control_group *group, const char *path, const char *name,
                            char *text, size_t size) {
    char file[4096];
    snprintf(file, sizeof file, "%s%s/%s", group->folder, path, name);
    return read_below(root, file, text, size);
}

static bool read_group_number(const char *root, const struct control_group *group, const char *path, const char *name,
                              uint64_t *number) {
    char text[64];
    return read_group_file(root, group, path, name, text, sizeof text) && cpu_find_number(text, "", number);
}

// Lowers memory to the rest of one group's limit; a group without a limit ("max") changes nothing.
static void limit_memory(const char *root, const struct control_group *group, const char *path, void *result) {
    struct cpu_memory *memory = result;
    uint64_t limit, usage, cached = 0;
    if (!read_group_number(root, group, path, group->limit, &limit) ||
        !read_group_number(root, group, path, group->usage, &usage)) {
        return;
    }
    char statistics[8192] = "";
    if (read_group_file(root, group, path, "memory.stat", statistics, sizeof statistics)) {
        cpu_find_number(statistics, group->reclaimable, &cached);
    }
    const uint64_t used = usage > cached ? usage - cached : 0;
    const uint64_t left = limit > used ? limit - used : 0;
    memory->total_bytes = limit < memory->total_bytes ? limit : memory->total_bytes;
    memory->available_bytes = left < memory->available_bytes ? left : memory->available_bytes;
}

// A group's limit applies to all groups below it, so every group up to the root counts.
static void visit_groups(const char *root, const struct control_group *group, const char *memberships,
                         void (*visit)(const char *, const struct control_group *, const char *, void *),
                         void *result) {
    const char *line = strstr(memberships, group->controller);
    if (!line) {
        return;
    }
    char path[2048], *slash;
    const char *start = line + strlen(group->controller);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(start, "\n"), start);
    do {
        visit(root, group, path, result);
        slash = strrchr(path, '/');
        path[slash ? slash - path : 0] = '\0';
    } while (slash);
}

struct cpu_memory cpu_memory_below(const char *root) {
    struct cpu_memory memory = {0};
    char text[8192];
    if (read_below(root, "/proc/meminfo", text, sizeof text)) {
        cpu_find_number(text, "MemTotal:", &memory.total_bytes);
        cpu_find_number(text, "MemAvailable:", &memory.available_bytes);
        memory.total_bytes *= 1024;
        memory.available_bytes *= 1024;
    }
    if (read_below(root, "/proc/self/cgroup", text, sizeof text)) {
        for (size_t i = 0; i < sizeof control_groups / sizeof *control_groups; i++) {
            visit_groups(root, &control_groups[i], text, limit_memory, &memory);
        }
    }
    memory.available_bytes -= memory.available_bytes / 16; // a process that takes all of it is killed
    return memory;
}

struct cpu_memory cpu_memory(void) {
    return cpu_memory_below("");
}

// The file has the microseconds of each period for which the group may run, or "max", and the period's length.
static void limit_processors(const char *root, const struct control_group *group, const char *path, void *result) {
    double *processors = result, quota, period;
    char text[64];
    if (read_group_file(root, group, path, "cpu.max", text, sizeof text) &&
        sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0) {
        *processors = fmin(*processors, quota / period);
    }
}

uint32_t cpu_processors_below(const char *root) {
    const cpu_set_t allowed = allowed_cpus();
    char memberships[8192];
    double processors = CPU_COUNT(&allowed);
    if (read_below(root, "/proc/self/cgroup", memberships, sizeof memberships)) {
        visit_groups(root, &control_groups[0], memberships, limit_processors, &processors);
    }
    return (uint32_t)fmax(1, ceil(processors));
}

uint32_t cpu_processors(void) {
    return cpu_processors_below("");
}

enum status cpu_memory_check(const char *what, double bytes, const char *cure, struct error *error) {
    const struct cpu_memory memory = cpu_memory();
    if (memory.total_bytes == 0 || bytes <= (double)memory.available_bytes) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "%s: %.3g GB of memory needed, %.3g GB available: %s", what, bytes / 1e9,
                     (double)memory.available_bytes / 1e9, cure);
}

void cpu_first_touch(void *memory, size_t bytes) {
    enum {
        PAGE_BYTES = 4096
    };
    const uint32_t threads = cpu_threads_for(bytes);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t thread = 0; thread < threads; thread++) {
        const struct slice slice = cpu_slice(bytes, thread, threads);
        for (size_t i = 0; i < slice.count; i += PAGE_BYTES) {
            ((char *)memory)[slice.first + i] = 0;
        }
    }
}

// ---- The measured clock ----

enum {
    STEPS_PER_PASS = 128, // a step takes one cycle
    PASSES = 512,
    WINDOWS = 4
};

// Alternates add and xor, both from registers, because some cores execute a chain of additions of constants in the
// rename stage, which takes no time.
#if defined __x86_64__
#define CHAIN ".rept 64\n add %1, %0\n xor %1, %0\n .endr"
#elif defined __aarch64__
#define CHAIN ".rept 64\n add %0, %0, %1\n eor %0, %0, %1\n .endr"
#endif

static uint64_t run_chain(uint64_t value, uint64_t operand) {
#ifdef CHAIN
    __asm__ volatile(CHAIN : "+r"(value) : "r"(operand) : "cc");
#else
    for (int step = 0; step < STEPS_PER_PASS; step += 2) {
        value += operand;
        __asm__ volatile("" : "+r"(value)); // hides the chain from the compiler
        value ^= operand;
        __asm__ volatile("" : "+r"(value));
    }
#endif
    return value;
}

double cpu_clock_mhz(void) {
    uint64_t value = 1;
    double best = 0;
    for (int window = 0; window < WINDOWS;
         window++) { // an interrupt can make a window slower, but nothing makes it faster
        const double start = clock_ns();
        for (int pass = 0; pass < PASSES; pass++) {
            value = run_chain(value, 0x9e3779b9);
        }
        const double mhz = 1e3 * (double)(STEPS_PER_PASS * PASSES) / (clock_ns() - start);
        best = mhz > best ? mhz : best;
    }
    return best;
}

// ---- The peak of the memory channels, from the firmware's table (DMTF DSP0134, SMBIOS reference, type 17) ----

enum {
    SMBIOS_MEMORY_DEVICE = 17,
    CHANNELS_MAX = 64,
    CHANNEL_TEXT = 64
};

// Offsets into a memory device's structure.
enum {
    DATA_WIDTH = 0x0a, // bits, without those of error correction
    SIZE = 0x0c,       // 0: the socket is empty
    DEVICE_LOCATOR = 0x10,
    BANK_LOCATOR = 0x11,
    CONFIGURED_SPEED = 0x20, // 10^6 transfers a second; 0: unknown
    EXTENDED_SPEED = 0x58,   // the same if it exceeds 16 bits
};

struct structure {
    const uint8_t *at;
    size_t length; // of the formatted part; the strings follow
    size_t size;   // with strings
};

static uint32_t word_at(const struct structure *structure, size_t offset, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; offset + bytes <= structure->length && i < bytes; i++) {
        value |= (uint32_t)structure->at[offset + i] << 8 * i;
    }
    return value;
}

// The string of the number at this offset; empty if there is none.
static const char *string_at(const struct structure *structure, size_t offset) {
    const char *text = (const char *)structure->at + structure->length;
    for (uint32_t number = word_at(structure, offset, 1); number > 1 && *text; number--) {
        text += strlen(text) + 1;
    }
    return word_at(structure, offset, 1) ? text : "";
}

// Finds the next structure, whose strings end at two NULs. Returns false at the end of the table or of an incomplete
// table.
static bool next_structure(const uint8_t *table, size_t bytes, size_t position, struct structure *structure) {
    if (position + 4 > bytes || table[position + 1] < 4 || position + table[position + 1] > bytes) {
        return false;
    }
    *structure = (struct structure){table + position, table[position + 1], 0};
    for (size_t end = position + structure->length; end + 2 <= bytes; end++) {
        if (table[end] == 0 && table[end + 1] == 0) {
            structure->size = end + 2 - position;
            return true;
        }
    }
    return false;
}

// Boards name sockets by channel in two ways: "ChannelA-DIMM0", "P0 CHANNEL A"; and "DIMM_A1", "P1-DIMMA1", "A1". The
// channel's name ends at its letter or number; returns its length, 0 if it is not recognized.
static size_t spelled_channel(const char *locator) {
    const char *word = strcasestr(locator, "channel");
    if (!word) {
        return 0;
    }
    word += strlen("channel");
    word += strspn(word, " _-");
    const size_t digits = strspn(word, "0123456789");
    const size_t name = digits ? digits : isalpha((unsigned char)*word) != 0;
    return name ? (size_t)(word - locator) + name : 0;
}

static size_t lettered_channel(const char *locator) {
    size_t end = strlen(locator);
    const size_t whole = end;
    while (end > 0 && isdigit((unsigned char)locator[end - 1])) {
        end--;
    }
    if (end == whole || end == 0 || !strchr("ABCDEFGHIJKL", locator[end - 1])) {
        return 0;
    }
    const bool stands_alone = end == 1 || !isalpha((unsigned char)locator[end - 2]);
    const bool behind_dimm = end > 4 && !strncasecmp(locator + end - 5, "DIMM", 4);
    return stands_alone || behind_dimm ? end : 0;
}

static bool channel_name(const struct structure *module, char name[CHANNEL_TEXT]) {
    size_t (*const readings[])(const char *) = {spelled_channel, lettered_channel};
    const size_t locators[] = {DEVICE_LOCATOR, BANK_LOCATOR};
    for (size_t i = 0; i < 4; i++) {
        const char *locator = string_at(module, locators[i % 2]);
        const size_t length = readings[i / 2](locator);
        if (length) {
            snprintf(name, CHANNEL_TEXT, "%.*s", (int)length, locator);
            return true;
        }
    }
    return false;
}

static double module_gb_s(const struct structure *module) {
    uint32_t speed = word_at(module, CONFIGURED_SPEED, 2);
    if (speed == 0xffff) {
        speed = word_at(module, EXTENDED_SPEED, 4);
    }
    const uint32_t width = word_at(module, DATA_WIDTH, 2);
    return width == 0xffff ? 0 : speed * 1e6 * width / 8 / 1e9;
}

// Modules of one channel share its wires, so they count once. Returns false if the channel's peak is unknown.
static bool add_module(const struct structure *module, struct names *channels, double gb_s[CHANNELS_MAX]) {
    char name[CHANNEL_TEXT];
    const double peak = module_gb_s(module);
    if (peak <= 0 || !channel_name(module, name)) {
        return false;
    }
    const size_t channel = names_number(channels, name);
    if (channel < CHANNELS_MAX) {
        gb_s[channel] = peak;
    }
    return channel < CHANNELS_MAX;
}

double cpu_smbios_peak_gb_s(const uint8_t *table, size_t bytes) {
    struct names channels = {0};
    struct structure structure;
    double gb_s[CHANNELS_MAX], peak = 0;
    bool known = true;
    for (size_t at = 0; known && next_structure(table, bytes, at, &structure); at += structure.size) {
        const bool is_module = structure.at[0] == SMBIOS_MEMORY_DEVICE && word_at(&structure, SIZE, 2) != 0;
        known = !is_module || add_module(&structure, &channels, gb_s);
    }
    for (size_t i = 0; i < channels.count && known; i++) {
        peak += gb_s[i];
    }
    names_clear(&channels);
    return peak;
}

double cpu_memory_peak_gb_s(void) {
    enum {
        TABLE_MAX = 1 << 20
    };
    FILE *file = fopen("/sys/firmware/dmi/tables/DMI", "rb");
    uint8_t *table = file ? malloc(TABLE_MAX) : NULL;
    const double peak = table ? cpu_smbios_peak_gb_s(table, fread(table, 1, TABLE_MAX, file)) : 0;
    free(table);
    if (file) {
        fclose(file);
    }
    return peak;
}
