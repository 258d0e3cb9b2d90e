#include "lanes/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/dimensions.h"
#include "lanes/output.h"
#include "model/gpu_suggest.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const uint64_t not_given = UINT64_MAX;

// The options that need more than parsing.
struct words {
    const char *gpus, *space, *operation, *order, *block, *grid, *fail_if;
    uint64_t width, stride, offset, pitch;
    bool swizzle;
};

// The command line, as typed and as parsed.
struct command {
    struct words words;
    struct arguments arguments;
};

static const struct option_row options[] = {
    {"gpu", 'g', OPTION_TEXT, offsetof(struct command, words.gpus), "NAME[,NAME]",
     "GPUs whose rules apply: one, or two side by side; with --csv any number, or all (default h200)", 0, 0, NULL},
    {"space", 0, OPTION_CHOICE, offsetof(struct command, words.space), "shared|global", "which memory (default shared)",
     0, 0, "shared|global"},
    {"op", 0, OPTION_CHOICE, offsetof(struct command, words.operation), "load|store", "which operation (default load)",
     0, 0, "load|store"},
    {"width", 'w', OPTION_COUNT, offsetof(struct command, words.width), "N",
     "bytes per lane: 1, 2, 4, 8 or 16 (default 4)", 1, 16, NULL},
    {"stride", 's', OPTION_COUNT, offsetof(struct command, words.stride), "N", "elements from lane to lane (default 1)",
     0, 1e9, NULL},
    {"offset", 0, OPTION_COUNT, offsetof(struct command, words.offset), "N", "elements before the first (default 0)", 0,
     1e9, NULL},
    {"block", 'b', OPTION_TEXT, offsetof(struct command, words.block), "XxY",
     "a block of threads touches a tile, thread (x, y) the element in row y and column x; its first warp is shown", 0,
     0, NULL},
    {"pitch", 0, OPTION_COUNT, offsetof(struct command, words.pitch), "N",
     "elements from one row of the tile to the next (default: a row's length)", 1, 1e9, NULL},
    {"order", 0, OPTION_CHOICE, offsetof(struct command, words.order), "row|column",
     "column: thread (x, y) takes row x and column y instead (default row)", 0, 0, "row|column"},
    {"swizzle", 0, OPTION_FLAG, offsetof(struct command, words.swizzle), NULL,
     "the element in row r and column c of the tile lies at column c xor r; the pitch is a power of two", 0, 0, NULL},
    {"addresses", 'a', OPTION_INPUT, offsetof(struct command, arguments.addresses), "FILE",
     "read requests from FILE or - : one per line, one byte address per lane, . for an inactive lane", 0, 0, "-"},
    {"csv", 'o', OPTION_OUTPUT, offsetof(struct command, arguments.csv), "FILE",
     "one CSV row per request and GPU, or per kernel line and GPU; - is standard output", 0, 0, "-"},
    {"svg", 0, OPTION_OUTPUT, offsetof(struct command, arguments.svg), "FILE",
     "the picture of the first request, or of a kernel's --line, as SVG", 0, 0, "-"},
    {"kernel", 'k', OPTION_INPUT, offsetof(struct command, arguments.kernel.path), "FILE.cu",
     "show the cost of each line of this kernel, run on the simulator, instead of one request", 0, 0, NULL},
    {"ptx", 0, OPTION_INPUT, offsetof(struct command, arguments.kernel.ptx), "FILE.ptx",
     "the same for a kernel that a compiler has made PTX of: count the accesses that are left", 0, 0, NULL},
    {"via", 0, OPTION_CHOICE, offsetof(struct command, arguments.kernel.via), "c|ptx",
     "how --kernel runs: as C or C++, or as the PTX that NVIDIA's compiler makes of it (default c)", 0, 0, "c|ptx"},
    {"entry", 0, OPTION_TEXT, offsetof(struct command, arguments.kernel.entry), "NAME",
     "which kernel of the file (default: the only one); a template with its arguments, as in 'gemm<float, 32>'", 0, 0,
     NULL},
    {"grid", 0, OPTION_TEXT, offsetof(struct command, words.grid), "XxYxZ", "blocks of the kernel (default 1)", 0, 0,
     NULL},
    {"arg", 0, OPTION_APPEND, offsetof(struct command, arguments.kernel.values), "TYPE:VALUE",
     "the kernel's arguments, in order: int:64, float:0.5, buffer:float:4096, buffer:int:1K:zero", 0, 0, NULL},
    {"define", 'D', OPTION_APPEND, offsetof(struct command, arguments.kernel.constants), "NAME=N",
     "a constant that the kernel is compiled with", 0, 0, NULL},
    {"shared", 0, OPTION_COUNT, offsetof(struct command, arguments.kernel.shared_bytes), "BYTES",
     "dynamic shared memory of a block (default 0)", 0, 1 << 20, NULL},
    {"sim-blocks", 0, OPTION_COUNT, offsetof(struct command, arguments.kernel.simulated_blocks), "N",
     "run the first N blocks only and scale the counts (default: all)", 1, 1e9, NULL},
    {"line", 0, OPTION_COUNT, offsetof(struct command, arguments.line), "N",
     "draw the costliest request of this line of the kernel", 1, 1e9, NULL},
    {"advise", 0, OPTION_FLAG, offsetof(struct command, arguments.advise), NULL,
     "say which lines of the kernel waste most, why, and the usual cure", 0, 0, NULL},
    {"json", 'j', OPTION_OUTPUT, offsetof(struct command, arguments.json), "FILE",
     "the kernel's counts, in all and by line, as JSON; - is standard output", 0, 0, "-"},
    {"fail-if", 0, OPTION_TEXT, offsetof(struct command, words.fail_if), "CONDITION",
     "end with status 1 if this is true of the kernel, such as 'conflicts > 0'", 0, 0, NULL},
    {"max-time", 0, OPTION_REAL, offsetof(struct command, arguments.kernel.max_time_s), "SECONDS",
     "stop a kernel that runs longer (default 60)", 0.001, 1e6, NULL},
    {"list", 'l', OPTION_FLAG, offsetof(struct command, arguments.list), NULL, "what can be asked, one per line", 0, 0,
     NULL},
    {"list-devices", 0, OPTION_FLAG, offsetof(struct command, arguments.list_devices), NULL,
     "the devices, and why a backend is missing", 0, 0, NULL},
    {"list-gpus", 0, OPTION_FLAG, offsetof(struct command, arguments.list_gpus), NULL,
     "list the GPUs whose rules are known", 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, offsetof(struct command, arguments.help), NULL, "this text", 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, offsetof(struct command, arguments.version), NULL, "the version", 0, 0, NULL},
};

static void print_help(const struct option_table *table) {
    puts("lanes: the cost of one request of a warp, or of each line of a kernel\n\n"
         "  lanes --gpu h200 --space shared --op load --width 4 --stride 2\n"
         "  lanes --gpu h200,mi210 --width 4 --block 32x8 --pitch 32 --order column\n"
         "  lanes --gpu gtx1080 --space global --width 8 --addresses FILE --csv -\n"
         "  lanes --kernel FILE.cu --grid 4 --block 256 --arg int:64 --arg buffer:float:4K\n"
         "  lanes --ptx FILE.ptx --entry NAME --grid 4 --block 256 --arg int:64 --arg buffer:float:4K\n");
    options_help(table, 1);
}

static enum status add_gpu(struct arguments *arguments, const char *name, struct error *error) {
    const struct gpu *gpu = gpu_find(name);
    if (!gpu) {
        const char *nearest = gpu_suggest(name);
        return error_set(error, STATUS_USAGE, "--gpu %.100s: unknown GPU: %s%s%ssee --list-gpus", name,
                         nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "");
    }
    if (arguments->gpu_count == GPUS_MAX) {
        return error_set(error, STATUS_USAGE, "--gpu: more than %d GPUs: name fewer", GPUS_MAX);
    }
    arguments->gpus[arguments->gpu_count++] = gpu;
    return STATUS_OK;
}

static enum status add_all_gpus(struct arguments *arguments) {
    const struct gpu *gpus = gpu_table(&arguments->gpu_count);
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        arguments->gpus[i] = &gpus[i];
    }
    return STATUS_OK;
}

static enum status choose_gpus(struct arguments *arguments, const char *names, struct error *error) {
    if (strcmp(names, "all") == 0) {
        return add_all_gpus(arguments);
    }
    char name[64];
    enum status status;
    do {
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, names);
        status = add_gpu(arguments, name, error);
        names += length;
    } while (status == STATUS_OK && *names++);
    return status;
}

// Refuses options that belong to a source of requests other than the chosen one.
static enum status check_source(const struct words *words, const struct arguments *arguments, struct error *error) {
    const struct kernel_run *kernel = &arguments->kernel;
    bool tile = words->pitch != not_given || words->order || words->swizzle;
    bool formula = words->stride != not_given || words->offset != not_given || tile;
    bool request = words->space || words->operation || words->width != not_given;
    bool kernels_own = kernel->entry || kernel->via || words->grid || kernel->values.count || kernel->constants.count ||
                       kernel->shared_bytes || kernel->simulated_blocks || arguments->advise || arguments->json ||
                       arguments->line || words->fail_if;
    if (kernel->path && (formula || request || arguments->addresses)) {
        return error_set(
            error, STATUS_USAGE,
            "--kernel: the kernel makes the accesses: leave out --space, --op, --width, --stride, --offset, "
            "--pitch, --order, --swizzle, --addresses");
    }
    if (kernel->path && arguments->svg && !arguments->line) {
        return error_set(error, STATUS_USAGE,
                         "--svg: a kernel makes many requests: give --line N, whose request is drawn");
    }
    if (!kernel->path && kernels_own) {
        return error_set(
            error, STATUS_USAGE,
            "--entry, --via, --grid, --arg, --define, --shared, --sim-blocks, --line, --advise, --json, --fail-if: "
            "these options are for a kernel: give --kernel FILE too");
    }
    if (arguments->addresses && (formula || words->block)) {
        return error_set(error, STATUS_USAGE,
                         "--addresses: the file gives the addresses: leave out --stride, --offset, --block, --pitch, "
                         "--order, --swizzle");
    }
    if (tile && !words->block) {
        return error_set(error, STATUS_USAGE,
                         "--pitch, --order, --swizzle: these options are for a tile: give --block XxY too");
    }
    return STATUS_OK;
}

static enum status check_pictures(const struct arguments *arguments, struct error *error) {
    const bool draws = !arguments->kernel.path || arguments->line;
    if (arguments->gpu_count <= PANELS_MAX || !draws || (arguments->csv && !arguments->svg)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "--gpu: a picture shows %d GPUs at most: name fewer, or use --csv",
                     PANELS_MAX);
}

static uint64_t given_or(uint64_t value, uint64_t otherwise) {
    return value != not_given ? value : otherwise;
}

static enum status make_pattern(const struct words *words, struct arguments *arguments, struct error *error) {
    struct dimensions *block = &arguments->kernel.block;
    *block = (struct dimensions){WARP_WIDTH_MAX, 1, 1};
    enum status status =
        words->block ? dimensions_parse(block, "--block", words->block, BLOCK_THREADS_MAX, error) : STATUS_OK;
    if (status == STATUS_OK && block->z > 1 && !arguments->kernel.path) {
        return error_set(error, STATUS_USAGE, "--block %.100s: a tile has two dimensions: give XxY", words->block);
    }
    bool by_column = words->order && strcmp(words->order, "column") == 0;
    arguments->pattern = (struct pattern){.stride = given_or(words->stride, 1),
                                          .offset = given_or(words->offset, 0),
                                          .block_x = block->x,
                                          .block_y = block->y,
                                          .pitch = given_or(words->pitch, by_column ? block->y : block->x),
                                          .by_column = by_column,
                                          .swizzled = words->swizzle};
    if (status == STATUS_OK && words->swizzle && (arguments->pattern.pitch & (arguments->pattern.pitch - 1))) {
        return error_set(error, STATUS_USAGE,
                         "--swizzle: a row of %llu elements is no power of two: give another --pitch",
                         (unsigned long long)arguments->pattern.pitch);
    }
    return status;
}

static enum status make_request(const struct words *words, struct arguments *arguments, struct error *error) {
    uint64_t width = given_or(words->width, 4);
    if (width & (width - 1)) {
        return error_set(error, STATUS_USAGE, "--width %u: no access has this width: give 1, 2, 4, 8 or 16",
                         (unsigned)width);
    }
    arguments->width_bytes = (uint32_t)width;
    arguments->space = words->space && strcmp(words->space, "global") == 0 ? SPACE_GLOBAL : SPACE_SHARED;
    arguments->operation =
        words->operation && strcmp(words->operation, "store") == 0 ? OPERATION_STORE : OPERATION_LOAD;
    return STATUS_OK;
}

static enum status make_kernel(const struct words *words, struct arguments *arguments, struct error *error) {
    if (!arguments->kernel.path) {
        return STATUS_OK;
    }
    if (!words->block) {
        return error_set(error, STATUS_USAGE, "--kernel: the size of a block is missing: give --block XxY");
    }
    if (words->fail_if) {
        const enum status status = condition_parse(&arguments->fail_if, words->fail_if, error);
        if (status != STATUS_OK) {
            return status;
        }
    }
    arguments->kernel.grid = (struct dimensions){1, 1, 1};
    return words->grid ? dimensions_parse(&arguments->kernel.grid, "--grid", words->grid, UINT32_MAX, error)
                       : STATUS_OK;
}

// The kernel's file, whichever option names it.
static enum status choose_kernel(struct kernel_run *kernel, struct error *error) {
    if (kernel->path && kernel->ptx) {
        return error_set(error, STATUS_USAGE, "--kernel and --ptx: two files: give one of them");
    }
    if (kernel->ptx && kernel->constants.count) {
        return error_set(error, STATUS_USAGE, "--define: PTX has been compiled already: leave it out");
    }
    kernel->path = kernel->ptx ? kernel->ptx : kernel->path;
    return STATUS_OK;
}

static enum status understand(const struct words *words, struct arguments *arguments, struct error *error) {
    enum status status = choose_kernel(&arguments->kernel, error);
    if (status == STATUS_OK) {
        status = check_source(words, arguments, error);
    }
    if (status == STATUS_OK) {
        status = choose_gpus(arguments, words->gpus, error);
    }
    if (status == STATUS_OK) {
        status = check_pictures(arguments, error);
    }
    if (status == STATUS_OK) {
        status = make_request(words, arguments, error);
    }
    if (status == STATUS_OK) {
        status = make_pattern(words, arguments, error);
    }
    if (status == STATUS_OK) {
        status = make_kernel(words, arguments, error);
    }
    return status;
}

enum status arguments_parse(struct arguments *arguments, int argc, char **argv, struct error *error) {
    struct command command = {
        .words = {.gpus = "h200", .width = not_given, .stride = not_given, .offset = not_given, .pitch = not_given},
        .arguments = {.kernel.max_time_s = 60}};
    const struct option_table table = {options, LENGTH(options), &command};
    enum status status = options_parse(&table, 1, argc, argv, error);
    *arguments = command.arguments;
    if (status != STATUS_OK) {
        return status;
    }
    if (arguments->help) {
        print_help(&table);
    }
    if (arguments->help || arguments->version || arguments->list || arguments->list_devices || arguments->list_gpus) {
        return STATUS_OK;
    }
    return understand(&command.words, arguments, error);
}

void arguments_clear(struct arguments *arguments) {
    free(arguments->kernel.values.values);
    free(arguments->kernel.constants.values);
}
