#include "sim/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/parse/entry_name.h"

void sim_program_begin(struct sim_program *program, const struct sim_code *request) {
    program->file_name = memory_copy(request->file_name);
    program->source_name = request->source_name ? memory_copy(request->source_name) : NULL;
    program->by_source = true;
}

enum status sim_program_end(struct sim_program *program, enum status status, struct sim_program **made) {
    *made = status == STATUS_OK ? program : NULL;
    if (status != STATUS_OK) {
        sim_program_destroy(program);
    }
    return status;
}

void sim_program_destroy(struct sim_program *program) {
    if (program) {
        free(program->c);
        free(program->file_name);
        free(program->source_name);
        free(program->parameters);
        free(program->parameter_names);
        free(program->shared);
        free(program->sites);
        free(program->segments);
        program->destroy(program);
    }
}

// ---- The entry ----

// How many kernels have this name; the last of them is *chosen, or one that has it exactly.
static size_t count_called(const char *const *names, size_t count, const char *name, size_t *chosen) {
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        if (name && !strcmp(names[i], name)) {
            *chosen = i;
            return 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!name || ptx_entry_is_called((struct ptx_text){names[i], strlen(names[i])}, name)) {
            *chosen = i;
            hits++;
        }
    }
    return hits;
}

enum status sim_entry_choose(const char *file_name, const char *entry, const char *const *names, size_t count,
                             const char *missing, size_t *chosen, struct error *error) {
    const char *file = file_name ? file_name : "", *colon = file_name ? ": " : "";
    const char *arguments = entry ? strchr(entry, '<') : NULL;
    char list[512] = "", plain[256];
    size_t hits = count_called(names, count, entry, chosen);
    if (hits == 0 && arguments) { // which may be written in another way: 256 / 4, or a type's other name
        snprintf(plain, sizeof plain, "%.*s", (int)(arguments - entry), entry);
        hits = count_called(names, count, plain, chosen);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", names[i]);
    }
    return hits == 1    ? STATUS_OK
           : count == 0 ? error_set(error, STATUS_USAGE, "%s%sno %s", file, colon, missing)
           : hits == 0
               ? error_set(error, STATUS_USAGE, "%s%sno kernel is called %s: the file has %s", file, colon, entry, list)
               : error_set(error, STATUS_USAGE, "%s%sseveral kernels fit: name one of %s", file, colon, list);
}

// ---- Sites ----

struct sim_program_site *sim_program_add_site(struct sim_program *program, uint32_t line, uint32_t place) {
    program->sites = memory_room(program->sites, program->site_count, sizeof *program->sites);
    struct sim_program_site *site = &program->sites[program->site_count++];
    *site = (struct sim_program_site){.line = line, .place = place};
    return site;
}

bool sim_program_is_source(const struct sim_program *program, const char *path) {
    const char *name = program->source_name;
    const size_t length = name ? strlen(name) : 0, all = path ? strlen(path) : 0;
    return length && all >= length && !strcmp(path + all - length, name) &&
           (all == length || path[all - length - 1] == '/');
}

void sim_program_line(const struct sim_program *program, uint32_t site, const char **file, uint32_t *line) {
    *file = program->file_name;
    *line = site < program->site_count ? program->sites[site].line : 0;
    if (site < program->site_count && program->by_source) {
        program->find_source(program, program->sites[site].place, file, line);
    }
}

// ---- Tables ----

const char sim_program_tables[] =
    "extern char __start_bankshot_data[], __stop_bankshot_data[];\n"
    "#define EXPORTED __attribute__((visibility(\"default\")))\n"
    "EXPORTED const void *const sim_module_shared[] = {sim_shared, sim_shared + STATIC_SHARED_BYTES,\n"
    "    sim_shared + STATIC_SHARED_BYTES, sim_shared + SHARED_BYTES};\n"
    "EXPORTED const void *const sim_module_program[] = {sites, sites + sizeof sites,\n"
    "    __start_bankshot_data, __stop_bankshot_data, sim_parameters};\n";
