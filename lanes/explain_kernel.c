#include "lanes/explain.h"

#include <stdlib.h>

#include "lanes/annotate.h"
#include "lanes/output.h"

static enum status show(const struct arguments *arguments, const char *text, const struct kernel_report *reports,
                        struct error *error) {
    const char *path = arguments->csv ? arguments->csv : "-";
    FILE *file;
    enum status status = text_file_open(path, &file, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (arguments->csv) {
        annotate_csv(file, reports, arguments->gpu_count);
    } else {
        annotate_source(file, arguments->kernel.path, text, reports, arguments->gpu_count);
    }
    return text_file_close(path, file, error);
}

enum status explain_kernel(const struct arguments *arguments, struct error *error) {
    struct kernel_report reports[GPUS_MAX] = {0};
    char *text = NULL;
    enum status status = kernel_read(arguments->kernel.path, &text, error);
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        status = kernel_launch(&arguments->kernel, text, arguments->gpus[i], &reports[i], error);
    }
    if (status == STATUS_OK) {
        status = show(arguments, text, reports, error);
    }
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        kernel_report_clear(&reports[i]);
    }
    free(text);
    return status;
}
