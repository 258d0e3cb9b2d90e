#include "device/gpu/compile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/embed.h"

EMBED_FILE(gpu_kernel_header, "device/kernel/kernel.h");

enum status gpu_options_add(struct gpu_options *options, struct error *error, const char *format, ...) {
    char *text = options->text + options->text_length;
    size_t room = sizeof options->text - options->text_length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room ||
        (size_t)options->count == sizeof options->option / sizeof *options->option) {
        return error_set(error, STATUS_FAILED, "too many constants for a kernel: leave some out");
    }
    options->option[options->count++] = text;
    options->text_length += (size_t)length + 1;
    return STATUS_OK;
}

enum status gpu_options_add_constants(struct gpu_options *options, const struct kernel_request *request,
                                      uint32_t warp_width, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < request->constant_count && status == STATUS_OK; i++) {
        const struct kernel_constant *constant = &request->constants[i];
        status = gpu_options_add(options, error, "-D%s=%" PRId64, constant->name, constant->value);
    }
    return status == STATUS_OK ? gpu_options_add(options, error, "-DWARP_WIDTH=%" PRIu32, warp_width) : status;
}

enum status gpu_compile_failed(const struct kernel_request *request, const char *arch,
                               const struct gpu_options *options, const char *reason, const char *log,
                               struct error *error) {
    char parameters[512] = "";
    for (int i = 0; i < options->count; i++) {
        size_t length = strlen(parameters);
        if (!strncmp(options->option[i], "-D", 2)) {
            snprintf(parameters + length, sizeof parameters - length, " %s", options->option[i] + 2);
        }
    }
    error_attach_log(error, log);
    return error_set(error, STATUS_FAILED, "%s: %s does not compile for %s with%s: %s%s", request->source->file_name,
                     request->entry, arch, parameters, reason, log && *log ? ", see the compiler's log above" : "");
}
