#include "device/gpu/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

struct cached_code {
    char *input; // all that the code follows from
    size_t input_bytes;
    struct gpu_code code;
};

// Texts are separated by their NUL, so that no two requests have the same input.
static void write_text(FILE *stream, const char *text) {
    fwrite(text, 1, strlen(text) + 1, stream);
}

// Everything of the request that the compiler sees; what entry is asked for is not of it.
static void write_input(struct cached_code *cached, const struct kernel_request *request) {
    FILE *stream = memory_stream(&cached->input, &cached->input_bytes);
    write_text(stream, request->source->file_name);
    write_text(stream, request->source->text);
    fprintf(stream, "%d", (int)request->language);
    for (size_t i = 0; i < request->constant_count; i++) {
        fprintf(stream, " %s=%" PRId64, request->constants[i].name, request->constants[i].value);
    }
    for (const struct kernel_header *header = request->headers; header && header->name; header++) {
        write_text(stream, header->name);
        write_text(stream, header->text);
    }
    memory_stream_end(stream);
}

static const struct gpu_code *find(const struct code_cache *cache, const struct cached_code *wanted) {
    for (size_t i = 0; i < cache->count; i++) {
        const struct cached_code *cached = &cache->codes[i];
        if (cached->input_bytes == wanted->input_bytes && !memcmp(cached->input, wanted->input, wanted->input_bytes)) {
            return &cached->code;
        }
    }
    return NULL;
}

enum status code_cache_compile(struct code_cache *cache, const struct gpu_compiler *compiler,
                               const struct kernel_request *request, const char *arch, uint32_t warp_width,
                               const struct gpu_code **code, struct error *error) {
    struct cached_code wanted = {0};
    write_input(&wanted, request);
    *code = find(cache, &wanted);
    enum status status = STATUS_OK;
    if (!*code) {
        status = gpu_compile(compiler, request, arch, warp_width, &wanted.code, error);
    }
    if (*code || status != STATUS_OK) {
        free(wanted.input);
        return status;
    }
    cache->codes = memory_room(cache->codes, cache->count, sizeof *cache->codes);
    cache->codes[cache->count++] = wanted;
    *code = &cache->codes[cache->count - 1].code;
    return STATUS_OK;
}

void code_cache_destroy(struct code_cache *cache) {
    for (size_t i = 0; i < cache->count; i++) {
        free(cache->codes[i].input);
        free(cache->codes[i].code.bytes);
    }
    free(cache->codes);
    *cache = (struct code_cache){0};
}

const char *gpu_error_words(const struct gpu_driver *driver, int result, char words[DEVICE_TEXT]) {
    const char *name = driver->error_name(result), *text = driver->error_text(result);
    const bool same = !strcmp(name, text);
    snprintf(words, DEVICE_TEXT, "%s%s%s%s", name, same ? "" : " (", same ? "" : text, same ? "" : ")");
    return words;
}

enum status gpu_fault_advising(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                               const char *advice, struct error *error) {
    char words[DEVICE_TEXT];
    return error_set(error, STATUS_FAILED, "%s: %s failed with %s: %s", spec, what,
                     gpu_error_words(driver, result, words),
                     result == driver->out_of_memory ? "use less memory" : advice);
}

enum status gpu_fault(const struct gpu_driver *driver, const char *spec, int result, const char *what,
                      struct error *error) {
    return gpu_fault_advising(driver, spec, result, what, "the device can do no more in this run", error);
}

enum status gpu_check(const struct gpu_device *device, int result, const char *what, struct error *error) {
    return result == 0 ? STATUS_OK : gpu_fault(device->driver, device->base.info.spec, result, what, error);
}
