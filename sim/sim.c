// The simulator as a device: docs/simulator.md.
#include "sim/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "model/gpu_part.h"
#include "model/time/time_constants.h"
#include "sim/compile/compile.h"
#include "sim/compile/kernel.h"
#include "sim/compile/kernel_cache.h"
#include "sim/compile/via.h"
#include "sim/launch.h"
#include "sim/program.h"
#include "sim/sim_device.h"
#include "sim/time.h"
#include "util/error.h"

const char *sim_kernel_name(const struct kernel *kernel) {
    return kernel->entry.name;
}

const char *sim_kernel_note(const struct kernel *kernel) {
    const struct sim_program *program = kernel->compiled->module.program;
    return program && *program->note ? program->note : NULL;
}

const char *sim_parameter_name(const struct kernel *kernel, size_t i) {
    return sim_parameter(&kernel->compiled->module, &kernel->entry, i);
}

const char *sim_argument_name(const struct kernel *kernel, const struct launch *launch, size_t i) {
    return sim_argument_parameter(&kernel->compiled->module, &kernel->entry, launch, i);
}

uint64_t sim_used_bytes(const struct device *device) {
    return ((const struct sim_device *)device)->memory.used_bytes;
}

void sim_set_options(struct device *device, const struct sim_options *options) {
    struct sim_device *sim = sim_of(device);
    sim->time_limit_s = options->time_limit_s;
    sim->race.allowed = options->allows_races;
    sim->compiler.loads_later = options->loads_later;
    if (options->records && !sim->recording) {
        sim->recording = memory_zeros(1, sizeof *sim->recording);
    }
}

enum status sim_load(struct kernel *kernel, const char *file_name, const char *entry, struct error *error) {
    const enum status status = sim_kernel_open(kernel, entry, error);
    if (status != STATUS_OK && error) {
        char reason[sizeof error->text];
        snprintf(reason, sizeof reason, "%s", error->text);
        error_set(error, status, "%s: %s", file_name, reason);
    }
    return status;
}

// ---- Devices ----

static void describe(const struct gpu *gpu, struct device_info *info) {
    snprintf(info->spec, sizeof info->spec, "sim:%s", gpu->name);
    info->backend = BACKEND_SIM;
    snprintf(info->name, sizeof info->name, "%s (simulated)", gpu->title);
    snprintf(info->arch, sizeof info->arch, "%s", gpu->arch);
    snprintf(info->runtime, sizeof info->runtime, "bankshot simulator");
    sim_compiler_version(info->compiler, sizeof info->compiler);
    info->memory_bytes = gpu->memory_bytes;
    info->memory_free_bytes = gpu->memory_bytes;
    info->last_level_cache_bytes = gpu->last_level_cache_bytes;
    info->compute_units = gpu->compute_units;
    info->warp_width = gpu->warp_width;
    info->max_block_threads = SIM_BLOCK_THREADS;
    info->shared_bytes_per_block = gpu->shared_bytes_per_block < 49152 ? gpu->shared_bytes_per_block : 49152;
    info->shared_bytes_per_block_max = gpu->shared_bytes_per_block;
    info->clock_mhz = gpu->clock_mhz;
    info->time_counter_mhz = 1000; // time_counter() counts nanoseconds
    info->peak_gb_s = gpu->memory_gb_s;
    info->predicted = true;
    info->gpu = gpu;
}

static void sim_close(struct device *device) {
    struct sim_device *sim = sim_of(device);
    sim_memory_release_all(&sim->memory);
    sim_via_forget(&sim->via);
    sim_compiled_destroy_all(&sim->compiled);
    sim_compiler_forget(&sim->compiler);
    sim_race_destroy(&sim->race);
    sim_caches_destroy(&sim->caches);
    sim_sample_destroy(&sim->sample);
    if (sim->recording) {
        sim_recording_destroy(sim->recording);
    }
    free(sim->made);
    free(sim);
}

// ---- Memory ----

static enum status sim_allocate(struct device *device, enum memory_kind kind, size_t bytes, uint64_t *address,
                                struct error *error) {
    (void)kind;
    return sim_memory_allocate(&sim_of(device)->memory, bytes, address, error);
}

static void sim_release(struct device *device, uint64_t address) {
    sim_memory_release(&sim_of(device)->memory, address);
}

// The host's view of device memory. Sets the error and returns NULL if the bytes do not all lie in one buffer.
static void *host_view(struct device *device, uint64_t address, size_t bytes, struct error *error) {
    if (sim_memory_find(&sim_of(device)->memory, address, bytes)) {
        return (void *)(uintptr_t)address;
    }
    error_set(error, STATUS_FAILED, "%s: %zu bytes at 0x%" PRIx64 " lie in no buffer: check address and size",
              device->info.spec, bytes, address);
    return NULL;
}

static enum status sim_copy_to_device(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                      size_t bytes, struct error *error) {
    (void)stream;
    void *view = host_view(device, to, bytes, error);
    if (!view) {
        return STATUS_FAILED;
    }
    memcpy(view, from, bytes);
    return STATUS_OK;
}

static enum status sim_copy_to_host(struct device *device, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                    struct error *error) {
    (void)stream;
    const void *view = host_view(device, from, bytes, error);
    if (!view) {
        return STATUS_FAILED;
    }
    memcpy(to, view, bytes);
    return STATUS_OK;
}

static enum status sim_copy_between(struct device *device, struct stream *stream, struct device *from_device,
                                    uint64_t from, struct device *to_device, uint64_t to, size_t bytes,
                                    struct error *error) {
    (void)device, (void)stream;
    void *target = host_view(to_device, to, bytes, error);
    const void *source = target ? host_view(from_device, from, bytes, error) : NULL;
    if (!source) {
        return STATUS_FAILED;
    }
    memmove(target, source, bytes);
    return STATUS_OK;
}

// Predicted as one read and one write at memory's peak bandwidth.
static enum status sim_copy_on_device(struct device *device, uint64_t to, uint64_t from, size_t bytes,
                                      struct error *error) {
    const double ns = 2.0 * (double)bytes / device->info.peak_gb_s;
    TRY(sim_copy_between(device, NULL, device, from, device, to, bytes, error));
    sim_of(device)->predicted.ns += ns;
    sim_of(device)->predicted.copies_ns += ns;
    sim_of(device)->predicted.bound_ns[RESOURCE_MEMORY] += ns;
    return STATUS_OK;
}

// Where more than a few bytes are filled, no time is measured.
static enum status sim_fill(struct device *device, uint64_t address, uint8_t byte, size_t bytes, struct error *error) {
    if (!host_view(device, address, bytes, error)) {
        return STATUS_FAILED;
    }
    sim_of(device)->predicted.ns += time_constants.fill_ns;
    sim_of(device)->predicted.fills++;
    return sim_memory_fill(&sim_of(device)->memory, address, byte, bytes, error);
}

// ---- Kernels ----

static enum status build(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                         struct error *error) {
    struct sim_device *sim = sim_of(device);
    struct sim_compiled *compiled;
    TRY(sim_compiled_get(&sim->compiled, request, &sim->compiler, &compiled, error));
    *kernel = sim_kernel_create(compiled);
    if (sim->compiler.loads_later) {
        return STATUS_OK;
    }
    const enum status status = sim_load(*kernel, request->source->file_name, request->entry, error);
    if (status != STATUS_OK) {
        sim_kernel_destroy(*kernel);
        *kernel = NULL;
    }
    return status;
}

// Compiles the kernel to a GPU's instructions, and builds those.
static enum status build_via(struct device *device, enum device_via via, const struct kernel_request *request,
                             struct kernel **kernel, struct error *error) {
    const struct gpu_text *text;
    TRY(sim_via_get(&sim_of(device)->via, via, request, device->info.gpu, &text, error));
    const char *name = request->source->file_name;
    const struct kernel_source source = {name, text->instructions};
    const struct kernel_request made = {.source = &source,
                                        .entry = request->entry,
                                        .language = via == VIA_PTX ? KERNEL_PTX : KERNEL_AMDGCN,
                                        .compiled_from = name,
                                        .parameters = text->parameters};
    return build(device, &made, kernel, error);
}

// Only a GPU's compiler understands CUDA C++.
static enum device_via via_of(const struct device *device, const struct kernel_request *request) {
    const enum device_via asked = device->info.via;
    const bool nvidia = device->info.gpu->vendor == VENDOR_NVIDIA;
    return asked != VIA_C || request->language != KERNEL_CXX ? asked : nvidia ? VIA_PTX : VIA_AMDGCN;
}

static enum status sim_build(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                             struct error *error) {
    const enum device_via via = kernel_is_translated(request->language) ? VIA_C : via_of(device, request);
    return via == VIA_C ? build(device, request, kernel, error) : build_via(device, via, request, kernel, error);
}

static enum device_via sim_usual_via(const struct device *device) {
    return sim_via_usual(device->info.gpu);
}

static void sim_instructions_by(const struct device *device, char *text, size_t size) {
    sim_via_compiler(device->info.via, text, size);
}

static void sim_discard(struct device *device, struct kernel *kernel) {
    (void)device;
    if (kernel) {
        sim_kernel_destroy(kernel);
    }
}

// ---- Predictions ----

static void sim_forget_caches(struct device *device) {
    sim_memory_forget_launches(&sim_of(device)->memory);
    sim_caches_forget(&sim_of(device)->caches);
}

static void sim_predict_begin(struct device *device) {
    sim_of(device)->predicted = (struct sim_predicted){0};
}

static struct prediction sim_predict_end(struct device *device) {
    const struct sim_predicted *predicted = &sim_of(device)->predicted;
    struct prediction prediction = {.ns = predicted->ns};
    double most = 0;
    for (enum resource resource = 0; resource < RESOURCES; resource++) {
        const double ns = predicted->bound_ns[resource];
        prediction.bound.ns += ns;
        prediction.bound.by = ns > most ? resource : prediction.bound.by;
        most = fmax(most, ns);
    }
    sim_work_log_span(&(struct span_record){.launches = predicted->launches,
                                            .fills = (double)predicted->fills,
                                            .other_ns = predicted->copies_ns,
                                            .predicted_ns = predicted->ns});
    return prediction;
}

// ---- Counts ----

static enum status sim_counts(struct device *device, struct launch_counts *counts, struct error *error) {
    const struct sim_device *sim = sim_of(device);
    if (!sim->counted) {
        return error_set(error, STATUS_FAILED, "no launch to count: launch a kernel first");
    }
    *counts = sim->counts;
    return STATUS_OK;
}

static const struct device_operations operations = {.close = sim_close,
                                                    .allocate = sim_allocate,
                                                    .release = sim_release,
                                                    .copy_to_device = sim_copy_to_device,
                                                    .copy_to_host = sim_copy_to_host,
                                                    .copy_on_device = sim_copy_on_device,
                                                    .copy_between = sim_copy_between,
                                                    .fill = sim_fill,
                                                    .build = sim_build,
                                                    .discard = sim_discard,
                                                    .choose_blocks = sim_choose_blocks,
                                                    .chosen_blocks = sim_chosen_blocks,
                                                    .launch = sim_launch_kernel,
                                                    .forget_caches = sim_forget_caches,
                                                    .predict_begin = sim_predict_begin,
                                                    .predict_end = sim_predict_end,
                                                    .counts = sim_counts,
                                                    .usual_via = sim_usual_via,
                                                    .instructions_by = sim_instructions_by};

static enum status sim_count_devices(uint32_t *count, struct error *error) {
    (void)error;
    *count = (uint32_t)gpu_row_count;
    return STATUS_OK;
}

static enum status sim_open(const char *selector, struct device **device, struct error *error) {
    *device = NULL;
    if (!selector || !*selector) {
        return error_set(error, STATUS_NO_DEVICE, "sim needs a GPU: write sim:NAME, --list-gpus lists the names");
    }
    const struct gpu *gpu;
    struct gpu_part *made;
    const enum status status = gpu_part_find(selector, &gpu, &made, error);
    if (status != STATUS_OK) {
        return gpu ? status : STATUS_NO_DEVICE;
    }
    struct kernel_cache cache;
    if (kernel_cache_open(&cache, error) != STATUS_OK) {
        free(made);
        return STATUS_USAGE; // before any row, as every kernel would fail
    }
    kernel_cache_close(&cache);
    struct sim_device *sim = memory_zeros(1, sizeof *sim);
    sim->device.operations = &operations;
    sim->made = made;
    sim->progress = sim_progress_form();
    sim->memory.bytes = gpu->memory_bytes;
    describe(gpu, &sim->device.info);
    sim->compiler.gpu = gpu;
    sim->compiler.version = sim->device.info.compiler;
    *device = &sim->device;
    return STATUS_OK;
}

const struct backend sim_backend = {BACKEND_SIM, "sim", NULL, sim_count_devices, sim_open, NULL};

void sim_set_remap(struct device *device, const struct sim_remap *remap) {
    sim_of(device)->remap = remap;
}
