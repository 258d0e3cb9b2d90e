#include "sim/lines.h"

#include <stdlib.h>
#include <string.h>

#include "sim/program.h"
#include "sim/sim_device.h"

void sim_prefer_own_lines(struct device *device) {
    const struct sim_compiled *counted = sim_of(device)->counted;
    if (counted && counted->module.program) {
        counted->module.program->by_source = false;
    }
}

static int by_place(const void *left, const void *right) {
    const struct sim_line *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

// The place of a line in the list, at whose end it is added if it is not there.
static size_t find_line(struct sim_line *list, size_t *count, const char *file, uint32_t number) {
    size_t i = 0;
    while (i < *count && (list[i].number != number || strcmp(list[i].file, file) != 0)) {
        i++;
    }
    if (i == *count) {
        list[(*count)++] = (struct sim_line){.file = file, .number = number};
    }
    return i;
}

// Makes the addresses of a request to global memory relative to its buffer, which it returns.
static struct sim_line_buffer make_relative(const struct sim_memory *memory, struct request *request) {
    uint64_t least = UINT64_MAX;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        least = address < least ? address : least;
    }
    const struct sim_buffer *buffer = sim_memory_find(memory, least, 1);
    const uint64_t base = buffer ? buffer->address : least / 256 * 256;
    for (uint64_t left = request->active; left; left &= left - 1) {
        request->address[__builtin_ctzll(left)] -= base;
    }
    return buffer ? (struct sim_line_buffer){buffer->device_address, buffer->bytes} : (struct sim_line_buffer){0};
}

static void add_site(const struct sim_memory *memory, const struct sim_site *site, struct sim_line *line,
                     uint64_t ranks[LINE_KINDS]) {
    launch_counts_add(&line->counts, &site->sum);
    line->counts.weighed_instructions += sim_site_weighed(site);
    for (int space = 0; space < SIM_SPACES; space++) {
        const struct sim_costliest *costliest = &site->costliest[space];
        const int kind = 2 * space + (int)costliest->request.operation;
        if (costliest->rank > ranks[kind]) {
            ranks[kind] = costliest->rank;
            line->costliest[kind] = costliest->request;
            if (space == SIM_GLOBAL) {
                line->buffer[kind] = make_relative(memory, &line->costliest[kind]);
            }
        }
    }
}

enum status sim_lines(struct device *device, struct sim_line **lines, size_t *count, struct error *error) {
    const struct sim_device *sim = sim_of(device);
    *lines = NULL;
    *count = 0;
    if (!sim->counted) {
        return error_set(error, STATUS_FAILED, "no launch to count: launch a kernel first");
    }
    const struct sim_sites *sites = &sim->counted->sites;
    struct sim_line *list = memory_zeros(sites->count, sizeof *list);
    uint64_t(*ranks)[LINE_KINDS] = memory_zeros(sites->count, sizeof *ranks);
    for (size_t i = 0; i < sites->count; i++) {
        const char *file;
        uint32_t number;
        sim_module_source_line(&sim->counted->module, sites->site[i]->pc, &file, &number);
        if (file) {
            const size_t line = find_line(list, count, file, number);
            add_site(&sim->memory, sites->site[i], &list[line], ranks[line]);
        }
    }
    free(ranks);
    qsort(list, *count, sizeof *list, by_place);
    *lines = list;
    return STATUS_OK;
}
