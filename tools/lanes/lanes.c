// Shows the cost of one memory request of a warp, lane by lane and bank by bank, the cost of each line of a kernel, or
// the best layout of a tile.
#include <stdio.h>

#include "bench/listing.h"
#include "tools/lanes/explain_kernel.h"
#include "tools/lanes/explain_requests.h"
#include "tools/lanes/layout/explain_layout.h"
#include "util/terminal.h"
#include "util/version.h"

static void print_gpus(void) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++) {
        printf("%-10s %-8s %s\n", gpus[i].name, gpus[i].arch, gpus[i].title);
    }
}

// What can be asked, as --list of a probe says which variants there are.
static void list_questions(void) {
    static const char *const questions[][2] = {
        {"--space shared --op load", "passes and bank conflicts of a load of shared memory"},
        {"--space shared --op store", "the same of a store"},
        {"--space global --op load", "sectors and lines of a load from global memory"},
        {"--space global --op store", "the same of a store"},
        {"--addresses FILE", "the same for requests whose addresses stand in a file"},
        {"--layout RxC --access ...", "the layout of a tile that serves every access"},
        {"--kernel FILE.cu", "what each line of a kernel costs"},
        {"--ptx FILE.ptx", "the same of a compiled kernel"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        printf("%-26s %s\n", questions[i][0], questions[i][1]);
    }
}

static enum status run(const struct arguments *arguments, struct error *error) {
    if (arguments->help) {
        return STATUS_OK; // printed already
    }
    if (arguments->version) {
        printf("bankshot lanes %s\n", version_text);
    } else if (arguments->list_gpus) {
        print_gpus();
    } else if (arguments->list_devices) {
        list_devices();
    } else if (arguments->list) {
        list_questions();
    } else if (arguments->tile.rows) {
        return explain_layout(arguments, error);
    } else if (arguments->kernel.launch_count) {
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
    THEN(status, run(&arguments, &error));
    THEN(status, standard_output_finish(&error));
    if (status != STATUS_OK) {
        error_print("lanes", &error);
    }
    error_clear(&error);
    arguments_clear(&arguments);
    return (int)status;
}
