// Shows the cost of one memory request of a warp, lane by lane and bank by bank, or the cost of each line of a kernel.
#include <stdio.h>

#include "lanes/explain_kernel.h"
#include "lanes/explain_requests.h"
#include "util/standard_output.h"

static void list_gpus(void) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++) {
        printf("%-10s %-8s %s\n", gpus[i].name, gpus[i].arch, gpus[i].title);
    }
}

static enum status run(const struct arguments *arguments, struct error *error) {
    if (arguments->help) {
        return STATUS_OK; // printed already
    }
    if (arguments->version) {
        puts("lanes (bankshot) " BANKSHOT_VERSION);
    } else if (arguments->list_gpus) {
        list_gpus();
    } else if (arguments->kernel.path) {
        return explain_kernel(arguments, error);
    } else {
        return explain_requests(arguments, error);
    }
    return STATUS_OK;
}

int main(int argc, char **argv) {
    struct arguments arguments;
    struct error error = {0};
    enum status status = arguments_parse(&arguments, argc, argv, &error);
    if (status == STATUS_OK) {
        status = run(&arguments, &error);
    }
    if (status == STATUS_OK) {
        status = standard_output_finish(&error);
    }
    if (status != STATUS_OK) {
        error_print("lanes", &error);
    }
    error_clear(&error);
    arguments_clear(&arguments);
    return (int)status;
}
