#include "bench/counters/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/counters/collect.h"
#include "bench/counters/match.h"
#include "bench/counters/vendor.h"

static const struct counter_vendor *const vendors[COUNTER_VENDORS] = {&nvidia_counters, &amd_counters};

static size_t vendor_of(const struct device_info *info) {
    size_t number = 0;
    while (number < COUNTER_VENDORS && vendors[number]->backend != info->backend) {
        number++;
    }
    return number;
}

static enum status check_option(const struct option_row *row, const void *base, struct error *error) {
    const char *const *value = (const void *)((const char *)base + row->offset);
    if (row->kind == OPTION_INPUT && *value && strcmp(*value, "-") == 0) {
        return error_set(error, STATUS_USAGE, "--%s -: --counters reads the input twice: name a file", row->name);
    }
    return STATUS_OK;
}

static enum status check(const struct counters_request *request, const struct option_table *options, size_t count,
                         struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < request->device_count && status == STATUS_OK; i++) {
        const struct device_info *info = &request->devices[i].device->info;
        if (vendor_of(info) == COUNTER_VENDORS) {
            status =
                error_set(error, STATUS_USAGE, "--counters: %s has no counters: give --device cuda or hip", info->spec);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < options[i].count && status == STATUS_OK; row++) {
            status = check_option(&options[i].rows[row], options[i].base, error);
        }
    }
    return status;
}

// The vendor's devices make one run together.
static void collect_vendor(struct counters *counters, const struct counters_request *request, size_t vendor) {
    char specs[1024] = "";
    unsigned version = UINT32_MAX;
    for (size_t d = 0; d < request->device_count; d++) {
        const struct device_info *info = &request->devices[d].device->info;
        const size_t length = strlen(specs);
        if (vendor_of(info) == vendor) {
            snprintf(specs + length, sizeof specs - length, "%s%s", length ? "," : "", info->spec);
            sscanf(info->arch, "sm_%u", &version);
        }
    }
    if (*specs) {
        struct progress progress = progress_start(1, request->settings->quiet);
        const struct collection collection = {vendors[vendor], request, specs, &progress, version};
        progress_show(&progress, vendors[vendor]->profiler);
        counters->denied[vendor] = !collect(&collection, &counters->logs[vendor], &counters->fault);
        progress_clear(&progress);
    }
}

enum status counters_collect(struct counters *counters, const struct counters_request *request,
                             const struct option_table *options, size_t count, struct error *error) {
    TRY(check(request, options, count, error));
    for (size_t i = 0; i < COUNTER_VENDORS; i++) {
        collect_vendor(counters, request, i);
    }
    return STATUS_OK;
}

static size_t vendor_of_row(const struct row *row) {
    size_t number = 0;
    while (number < COUNTER_VENDORS && strcmp(backend_of(vendors[number]->backend)->name, row->backend) != 0) {
        number++;
    }
    return number;
}

void counters_fill(struct counters *counters, struct row *row, bool again) {
    const size_t vendor = vendor_of_row(row);
    if (vendor == COUNTER_VENDORS) {
        return;
    }
    if (counters->denied[vendor]) {
        snprintf(row->counters, sizeof row->counters, "denied");
        return;
    }
    bool left_out;
    const struct counted_launch *launch = match_row(&counters->logs[vendor], row, &left_out);
    if (launch) {
        vendors[vendor]->fill(launch, row);
        snprintf(row->counters, sizeof row->counters, "%s", match_verdict(row));
    }
    counters->agree += !again && strcmp(row->counters, "agrees") == 0;
    counters->differ += !again && strcmp(row->counters, "differs") == 0;
    counters->left_out += !again && left_out;
}

enum status counters_conclude(const struct counters *counters, const char *program, struct error *error) {
    if (*counters->fault.text) {
        return error_set(error, STATUS_FAILED, "%s", counters->fault.text);
    }
    if (counters->agree + counters->differ > 0) {
        fprintf(stderr, "%s: counters: %llu rows agree with the model, %llu differ\n", program,
                (unsigned long long)counters->agree, (unsigned long long)counters->differ);
    }
    if (counters->left_out > 0) {
        fprintf(stderr, "%s: counters: %llu rows have none, because time ran out: give a larger --budget, or --full\n",
                program, (unsigned long long)counters->left_out);
    }
    return STATUS_OK;
}

void counters_clear(struct counters *counters) {
    for (size_t i = 0; i < COUNTER_VENDORS; i++) {
        launches_clear(&counters->logs[i]);
    }
}
