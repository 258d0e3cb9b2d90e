#include "bench/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_part.h"
#include "util/memory.h"
#include "util/text.h"

static const struct variant *find_variant(const struct probe *probe, const char *name, size_t length) {
    for (size_t i = 0; i < probe->variant_count; i++) {
        const char *candidate = probe->variants[i].name;
        if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
            return &probe->variants[i];
        }
    }
    return NULL;
}

static enum status no_variant(const struct probe *probe, const char *name, size_t length, struct error *error) {
    struct suggestion suggestion = suggestion_for(name, length);
    for (size_t i = 0; i < probe->variant_count; i++) {
        suggestion_offer(&suggestion, probe->variants[i].name);
    }
    const char *nearest = suggestion.nearest;
    return error_set(error, STATUS_USAGE, "unknown variant '%.*s': %s%s%ssee --list",
                     (int)(length < 100 ? length : 100), name, nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? " : "");
}

static enum status select_variants(struct selection *selection, const struct probe *probe, const char *names,
                                   struct error *error) {
    selection->all_variants = !names || strcmp(names, "all") == 0;
    if (selection->all_variants) {
        for (size_t i = 0; i < probe->variant_count; i++) {
            selection->variants[selection->variant_count++] = &probe->variants[i];
        }
        return STATUS_OK;
    }
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        const struct variant *variant = find_variant(probe, at, length);
        if (!variant) {
            return no_variant(probe, at, length, error);
        }
        bool repeated = false;
        for (size_t i = 0; i < selection->variant_count; i++) {
            repeated |= selection->variants[i] == variant;
        }
        if (!repeated) {
            selection->variants[selection->variant_count++] = variant;
        }
        at += length;
        if (*at == '\0') {
            return STATUS_OK;
        }
    }
}

static enum status add_spec(struct selection *selection, const char *spec, size_t length, struct error *error) {
    if (length == 0 || length >= SPEC_TEXT) {
        return error_set(error, STATUS_USAGE, "--device: '%.*s' is not a device: see --list-devices",
                         (int)(length < 100 ? length : 100), spec);
    }
    if (selection->spec_count == SELECTION_DEVICES_MAX) {
        return error_set(error, STATUS_USAGE, "--device: more than %d devices: name fewer", SELECTION_DEVICES_MAX);
    }
    snprintf(selection->specs[selection->spec_count++], SPEC_TEXT, "%.*s", (int)length, spec);
    return STATUS_OK;
}

static enum status add_list(struct selection *selection, const char *list, struct error *error) {
    enum status status = STATUS_OK;
    for (const char *at = list; status == STATUS_OK; at++) {
        size_t length = gpu_list_item(at);
        status = add_spec(selection, at, length, error);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return status;
}

static enum status add_real_gpus(struct selection *selection, struct error *error) {
    static const enum backend_kind real[] = {BACKEND_CUDA, BACKEND_HIP};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const struct backend *backend = backend_of(real[i]);
        uint32_t count = 0;
        if (backend_count(backend, &count, NULL) != STATUS_OK) {
            continue;
        }
        for (uint32_t n = 0; n < count && status == STATUS_OK; n++) {
            char spec[SPEC_TEXT];
            snprintf(spec, sizeof spec, "%s:%u", backend->name, n);
            status = add_spec(selection, spec, strlen(spec), error);
        }
    }
    return status;
}

static enum status select_devices(struct selection *selection, const char *specs, struct error *error) {
    bool all = specs && strcmp(specs, "all") == 0;
    selection->default_devices = !specs || all;
    if (!selection->default_devices) {
        return add_list(selection, specs, error);
    }
    TRY(add_real_gpus(selection, error));
    if (all || selection->spec_count == 0) {
        TRY(add_list(selection, backend_of(BACKEND_SIM)->missing ? "cpu" : "cpu,sim:h200,sim:mi210", error));
    }
    return STATUS_OK;
}

enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error) {
    *selection = (struct selection){.variants = memory_zeros(probe->variant_count, sizeof(struct variant *))};
    TRY(select_variants(selection, probe, variants, error));
    return select_devices(selection, devices, error);
}

static bool names_variant(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

void selection_keep(struct selection *selection, const char *names) {
    size_t kept = 0;
    for (size_t i = 0; i < selection->variant_count && names; i++) {
        if (names_variant(names, selection->variants[i]->name)) {
            selection->variants[kept++] = selection->variants[i];
        }
    }
    selection->variant_count = names ? kept : selection->variant_count;
}

enum status selection_check_parameters(const struct selection *selection, const struct probe *probe,
                                       const struct sweep given[PARAMETERS_MAX], struct error *error) {
    for (size_t i = 0; i < probe->parameter_count; i++) {
        bool used = given[i].count == 0;
        for (size_t v = 0; v < selection->variant_count; v++) {
            used |= selection->variants[v]->defaults[i] != NULL;
        }
        if (!used) {
            return error_set(error, STATUS_USAGE, "--%s: %s does not use it: leave it out", probe->parameters[i].name,
                             selection->variants[0]->name);
        }
    }
    return STATUS_OK;
}

void selection_clear(struct selection *selection) {
    free(selection->variants);
    selection->variants = NULL;
}
