#include "device/cpu/data_caches.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/host.h"

static uint64_t read_number(int cpu, int index, const char *name) {
    char text[64];
    return cpu_read_cache_text(cpu, index, name, text, sizeof text) ? cpu_size_in_bytes(text) : 0;
}

static cpu_set_t allowed_cpus(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

// Counts the processors of a list such as "0-3,8-11".
static void count_sharers(const char *list, struct data_cache *cache) {
    const cpu_set_t allowed = allowed_cpus();
    while (*list >= '0' && *list <= '9') {
        char *end;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        cache->sharers += (uint32_t)(last - first + 1);
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++) {
            cache->allowed_sharers += CPU_ISSET((size_t)cpu, &allowed) ? 1 : 0;
        }
        list = end + (*end == ',');
    }
}

static int first_cpu(void) {
    const cpu_set_t allowed = allowed_cpus();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed)) {
            return cpu;
        }
    }
    return 0;
}

size_t cpu_data_caches(struct data_cache caches[DATA_CACHES_MAX]) {
    const int cpu = first_cpu();
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
            count_sharers(text, cache);
        }
        count += cache->bytes > 0 && cache->level >= 1 && cache->level <= DATA_CACHES_MAX;
    }
    return count;
}
