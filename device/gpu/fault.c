#include "device/gpu/fault.h"

#include <stdio.h>
#include <string.h>

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
