#include "tools/lanes/arguments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_part.h"
#include "tools/lanes/access.h"
#include "tools/lanes/picture.h"
#include "util/file.h"
#include "util/help.h"

// ---- Dimensions ----

// Sizes in up to three dimensions, as written on the command line: "32", "32x8", "8x8x4".

enum {
    BLOCK_THREADS_MAX = 1024
};

// Omitted sizes are 1. The product must lie in 1..max. `name` is the option, for the message: "--block".
static enum status dimensions_parse(struct dimensions *dimensions, const char *name, const char *text, uint64_t max,
                                    struct error *error) {
    struct shape shape;
    if (strspn(text, "0123456789x") != strlen(text) || !shape_parse(&shape, text) || shape.rank > 3 ||
        shape_elements(&shape) > max) {
        return error_set(error, STATUS_USAGE, "%s %.100s: not a size: give X, XxY or XxYxZ, 1 to %" PRIu64 " in all",
                         name, text, max);
    }
    *dimensions = (struct dimensions){(uint32_t)shape.size[0], shape.rank > 1 ? (uint32_t)shape.size[1] : 1,
                                      shape.rank > 2 ? (uint32_t)shape.size[2] : 1};
    return STATUS_OK;
}

// ---- Conditions ----

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

// What a condition may name: X(name, its value in the counts `c`).
#define NAMED_COUNTS(X)                                                                                                \
    X(requests, line_requests(c))                                                                                      \
    X(sectors, c->global_load.sectors + c->global_store.sectors)                                                       \
    X(passes, c->shared_load.passes + c->shared_store.passes)                                                          \
    X(conflicts, c->shared_load.conflicts + c->shared_store.conflicts)                                                 \
    X(passes_per_request,                                                                                              \
      ratio(c->shared_load.passes + c->shared_store.passes, c->shared_load.requests + c->shared_store.requests))       \
    X(sectors_per_request,                                                                                             \
      ratio(c->global_load.sectors + c->global_store.sectors, c->global_load.requests + c->global_store.requests))     \
    X(read_bytes, c->device_read_bytes)                                                                                \
    X(written_bytes, c->device_write_bytes)                                                                            \
    X(scratch_instructions, c->scratch_instructions)                                                                   \
    X(predicted_us, c->predicted_ns / 1000)

#define NAMED_COUNT(name, value)                                                                                       \
    static double name##_of(const struct launch_counts *c) {                                                           \
        return value;                                                                                                  \
    }
NAMED_COUNTS(NAMED_COUNT)

#define NAMED_COUNT_ROW(name, value) {#name, name##_of},
static const struct {
    const char *name;
    double (*count)(const struct launch_counts *counts);
} named_counts[] = {NAMED_COUNTS(NAMED_COUNT_ROW)};

#define NAMED_COUNT_IN_LIST(name, value) ", " #name
static const char count_names[] = NAMED_COUNTS(NAMED_COUNT_IN_LIST); // ", requests, sectors"

// Longer signs first, so that >= is not taken for >.
static const char *const signs[] = {">=", "<=", "==", "!=", ">", "<"};

static bool holds(int sign, double value, double limit) {
    const bool results[] = {value >= limit, value <= limit, value == limit,
                            value != limit, value > limit,  value < limit};
    return results[sign];
}

static int parse_sign(const char **text) {
    for (int i = 0; i < (int)(sizeof signs / sizeof *signs); i++) {
        if (strncmp(*text, signs[i], strlen(signs[i])) == 0) {
            *text += strlen(signs[i]);
            return i;
        }
    }
    return -1;
}

// STATUS_USAGE if the text is no condition.
static enum status condition_parse(struct condition *condition, const char *text, struct error *error) {
    char name[32] = "", *end;
    int length = 0;
    *condition = (struct condition){.text = text};
    sscanf(text, " %31[a-z_] %n", name, &length);
    for (size_t i = 0; i < sizeof named_counts / sizeof *named_counts; i++) {
        if (strcmp(named_counts[i].name, name) == 0) {
            condition->count = named_counts[i].count;
        }
    }
    const char *at = text + length;
    condition->sign = parse_sign(&at);
    condition->limit = strtod(at, &end);
    if (!condition->count || condition->sign < 0 || end == at || end[strspn(end, " ")] || isnan(condition->limit)) {
        return error_set(error, STATUS_USAGE,
                         "--fail-if %.100s: not understood: give NAME > NUMBER (or >=, <, <=, ==, !=), NAME one of %s",
                         text, count_names + strlen(", "));
    }
    return STATUS_OK;
}

enum status condition_check(const struct condition *condition, const char *gpu, const struct launch_counts *counts,
                            struct error *error) {
    if (!condition->text) {
        return STATUS_OK;
    }
    const double value = condition->count(counts);
    if (!holds(condition->sign, value, condition->limit)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED, "--fail-if '%.100s': it is %.10g on %s: change the kernel or the limit",
                     condition->text, value, gpu);
}

// ---- Arguments ----

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const uint64_t not_given = UINT64_MAX;

// The options that need more than parsing.
struct words {
    const char *gpus, *space, *operation, *order, *fail_if, *layout;
    uint64_t pitch;
    bool swizzle;
};

// The command line, as typed and as parsed. Without a kernel, the first launch has the block that touches a tile.
struct command_line {
    struct words words;
    struct arguments arguments;
    bool then; // only in --help: the command line is split there before it is parsed
};

// What each launch has.
static const struct option_row launch_options[] = {
    {"kernel", 'k', OPTION_INPUT, offsetof(struct kernel_launch, path), "FILE.cu",
     "show the cost of each line of this kernel, run on the simulator, instead of one request", 0, 0, NULL},
    {"ptx", 0, OPTION_INPUT, offsetof(struct kernel_launch, ptx), "FILE.ptx",
     "the same for a kernel compiled to PTX: counts the accesses that the compiler left", 0, 0, NULL},
    {"asm", 0, OPTION_INPUT, offsetof(struct kernel_launch, assembly), "FILE.s",
     "the same of AMDGPU assembly, which clang -S makes, or of a code object (.co, .hsaco)", 0, 0, NULL},
    {"via", 0, OPTION_CHOICE, offsetof(struct kernel_launch, via), "c|ptx|amdgcn",
     "how --kernel runs: as C by the host's compiler, as PTX, or as AMD's instructions (default: CUDA C++ as what a "
     "compiler makes of it for the GPU, a file in bankshot's own dialect as C)",
     0, 0, "c|ptx|amdgcn"},
    {"entry", 0, OPTION_TEXT, offsetof(struct kernel_launch, entry), "NAME",
     "which kernel of the file (default: the only one); a template with its arguments, as in 'gemm<float, 32>'", 0, 0,
     NULL},
    {"grid", 0, OPTION_TEXT, offsetof(struct kernel_launch, grid_text), "XxYxZ", "blocks of the kernel (default 1)", 0,
     0, NULL},
    {"block", 'b', OPTION_TEXT, offsetof(struct kernel_launch, block_text), "XxY",
     "threads of a kernel's block; without a kernel: a block of threads touches a tile, thread (x, y) the element in "
     "row y and column x, and its first warp is shown",
     0, 0, NULL},
    {"arg", 0, OPTION_APPEND, offsetof(struct kernel_launch, values), "TYPE:VALUE",
     "the kernel's arguments, in order: int:64, float:0.5, buffer:float:64x48, buffer:int:1K:permutation, file:a.npy, "
     "file:float:a.raw, map:64x64@128:buffer:half:256x128 (a tensor map), zeros:96 (a struct's padding); "
     "NAME=buffer:... can be given again as NAME",
     0, 0, NULL},
    {"define", 'D', OPTION_APPEND, offsetof(struct kernel_launch, constants), "NAME=N",
     "a constant that the kernel is compiled with", 0, 0, NULL},
    {"shared", 0, OPTION_COUNT, offsetof(struct kernel_launch, shared_bytes), "BYTES",
     "dynamic shared memory of a block (default 0)", 0, 1 << 20, NULL},
};

static const struct option_row options[] = {
    {"gpu", 'g', OPTION_TEXT, offsetof(struct command_line, words.gpus), "NAME[,NAME]",
     "GPUs whose rules apply: one, or two side by side; with --csv any number, or all (default h200)", 0, 0, NULL},
    {"device", 0, OPTION_TEXT, offsetof(struct command_line, words.gpus), "NAME[,NAME]",
     "the same, by the probes' names such as sim:h200", 0, 0, NULL},
    {"space", 0, OPTION_CHOICE, offsetof(struct command_line, words.space), "shared|global",
     "which memory (default shared)", 0, 0, "shared|global"},
    {"op", 0, OPTION_CHOICE, offsetof(struct command_line, words.operation), "load|store|atomic",
     "which operation (default load); atomic: in global memory", 0, 0, "load|store|atomic"},
    {"width", 'w', OPTION_SWEEP, offsetof(struct command_line, arguments.widths), "LIST",
     "bytes per lane: 1, 2, 4, 8, 12 or 16 (default 4); --width, --stride and --offset also take lists and ranges: "
     "1,2,4 or 1:32",
     1, 16, NULL},
    {"stride", 's', OPTION_SWEEP, offsetof(struct command_line, arguments.strides), "LIST",
     "elements from lane to lane (default 1)", 0, 1e9, NULL},
    {"offset", 0, OPTION_SWEEP, offsetof(struct command_line, arguments.offsets), "LIST",
     "elements before the first (default 0)", 0, 1e9, NULL},
    {"pitch", 0, OPTION_COUNT, offsetof(struct command_line, words.pitch), "N",
     "elements from one row of the tile to the next (default: a row's length)", 1, 1e9, NULL},
    {"order", 0, OPTION_CHOICE, offsetof(struct command_line, words.order), "row|column",
     "column: thread (x, y) takes row x and column y instead (default row)", 0, 0, "row|column"},
    {"swizzle", 0, OPTION_FLAG, offsetof(struct command_line, words.swizzle), NULL,
     "the element in row r and column c of the tile lies at column c xor r; the pitch is a power of two", 0, 0, NULL},
    {"addresses", 'a', OPTION_INPUT, offsetof(struct command_line, arguments.addresses), "FILE",
     "read requests from FILE or - : one per line, one byte address per lane, . for an inactive lane", 0, 0, "-"},
    {"layout", 0, OPTION_TEXT, offsetof(struct command_line, words.layout), "RxC",
     "find the layout of a tile of R rows and C columns in shared memory that serves every --access: all paddings and "
     "XOR swizzles are tried; --width is that of an element",
     0, 0, NULL},
    {"access", 0, OPTION_APPEND, offsetof(struct command_line, arguments.accesses), "OP:LANES[:BYTES]",
     "an access to the tile: load, store, or copy (cp.async); lanes go by row, by column, by blocks of RxC or "
     "RxC-down, or as ldmatrix, "
     "stmatrix, mma, mfma16 or mfma32 want them, or to the addresses in @FILE; BYTES is what a lane takes",
     0, 0, NULL},
    {"array", 0, OPTION_TEXT, offsetof(struct command_line, arguments.array), "NAME",
     "with --layout and --kernel: the array in shared memory that holds the tile, whose accesses are recorded", 0, 0,
     NULL},
    {"csv", 'o', OPTION_OUTPUT, offsetof(struct command_line, arguments.csv), "FILE",
     "one CSV row per request and GPU, or per kernel line and GPU; - is standard output", 0, 0, "-"},
    {"svg", 0, OPTION_OUTPUT, offsetof(struct command_line, arguments.svg), "FILE",
     "the picture of the first request, or of a kernel's --line, as SVG", 0, 0, "-"},
    {"then", 0, OPTION_FLAG, offsetof(struct command_line, then), NULL,
     "another kernel on the same buffers: the options of a kernel follow, and those left out stay as they were, apart "
     "from --entry, --arg and --shared",
     0, 0, NULL},
    {"save", 0, OPTION_APPEND, offsetof(struct command_line, arguments.kernel.saves), "BUFFER:FILE",
     "write a buffer after the last kernel, as .npy or else raw; BUFFER is its NAME, its parameter or the number of "
     "its "
     "--arg",
     0, 0, NULL},
    {"seed", 0, OPTION_COUNT, offsetof(struct command_line, arguments.kernel.seed), "N",
     "of random buffers (default 0)", 0, 1e18, NULL},
    {"sim-blocks", 0, OPTION_COUNT, offsetof(struct command_line, arguments.kernel.simulated_blocks), "N",
     "run about N blocks of each grid only and scale the counts (default: all)", 1, 1e9, NULL},
    {"allow-races", 0, OPTION_FLAG, offsetof(struct command_line, arguments.kernel.allows_races), NULL,
     "count a kernel that races on shared memory, too", 0, 0, NULL},
    {"line", 0, OPTION_COUNT, offsetof(struct command_line, arguments.line), "N",
     "draw the costliest request of this line of the kernel", 1, 1e9, NULL},
    {"advise", 0, OPTION_FLAG, offsetof(struct command_line, arguments.advise), NULL,
     "say which lines of the kernel waste most, why, and the usual cure", 0, 0, NULL},
    {"json", 'j', OPTION_OUTPUT, offsetof(struct command_line, arguments.json), "FILE",
     "the kernel's counts, in all and by line, or every layout, as JSON; - is standard output", 0, 0, "-"},
    {"fail-if", 0, OPTION_TEXT, offsetof(struct command_line, words.fail_if), "CONDITION",
     "end with status 1 if this is true of the kernel, such as 'conflicts > 0'", 0, 0, NULL},
    {"max-time", 0, OPTION_REAL, offsetof(struct command_line, arguments.kernel.max_time_s), "SECONDS",
     "stop kernels that run longer in all (default 60); the compiler has a limit apart from this, 120 s of processor "
     "time",
     0.001, 1e6, NULL},
    {"list", 'l', OPTION_FLAG, offsetof(struct command_line, arguments.list), NULL,
     "what lanes can be asked, one per line", 0, 0, NULL},
    {"list-devices", 0, OPTION_FLAG, offsetof(struct command_line, arguments.list_devices), NULL,
     "the devices, and why a backend is missing", 0, 0, NULL},
    {"list-gpus", 0, OPTION_FLAG, offsetof(struct command_line, arguments.list_gpus), NULL,
     "list the GPUs whose rules are known", 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, offsetof(struct command_line, arguments.help), NULL, "this text", 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, offsetof(struct command_line, arguments.version), NULL, "the version", 0, 0, NULL},
};

static const struct help help = {
    .program = "lanes",
    .summary = "what a request, the lines of a kernel and layouts of a tile cost",
    .synopsis = "--gpu h200 --space shared --op load --width 4 --stride 2\n"
                "--gpu h200,mi210 --block 32x8 --pitch 32 --order column\n"
                "--gpu gtx1080 --space global --addresses FILE --csv -\n"
                "--kernel FILE.cu --grid 4 --block 256 --arg buffer:int:4K\n"
                "--ptx FILE.ptx --entry NAME --grid 4 --block 256\n"
                "--layout 32x32 --access store:row --access load:column",
    .tables =
        (const struct option_table[]){{options, LENGTH(options), NULL}, {launch_options, LENGTH(launch_options), NULL}},
    .table_count = 2,
    .exit_status = "0 done, 1 failed or --fail-if is true, 2 usage.",
};

static enum status add_gpu(struct arguments *arguments, const char *name, struct error *error) {
    static const char SIMULATED[] = "sim:";
    name += strncmp(name, SIMULATED, sizeof SIMULATED - 1) == 0 ? sizeof SIMULATED - 1 : 0;
    const size_t at = arguments->gpu_count;
    if (at == GPUS_MAX) {
        return error_set(error, STATUS_USAGE, "--gpu: more than %d GPUs: name fewer", GPUS_MAX);
    }
    TRY(gpu_part_find(name, &arguments->gpus[at], &arguments->made[at], error));
    arguments->gpu_count++;
    return STATUS_OK;
}

static void add_all_gpus(struct arguments *arguments) {
    arguments->gpu_count = gpu_row_count;
    for (size_t i = 0; i < gpu_row_count; i++) {
        arguments->gpus[i] = &gpu_rows[i];
    }
}

static enum status choose_gpus(struct arguments *arguments, const char *names, struct error *error) {
    if (strcmp(names, "all") == 0) {
        add_all_gpus(arguments);
        return STATUS_OK;
    }
    char name[64];
    enum status status;
    do {
        size_t length = gpu_list_item(names);
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, names);
        status = add_gpu(arguments, name, error);
        names += length;
    } while (status == STATUS_OK && *names++);
    return status;
}

static bool has_kernel(const struct arguments *arguments) {
    return arguments->kernel.launch_count > 0;
}

// The first option given that is for a kernel; NULL: none.
static const char *find_kernels_option(const struct words *words, const struct arguments *arguments) {
    const struct kernel_launch *launch = &arguments->kernel.launches[0];
    const struct kernel_run *kernel = &arguments->kernel;
    const struct {
        bool given;
        const char *name;
    } kernels[] = {
        {launch->entry, "--entry"},
        {launch->via, "--via"},
        {launch->grid_text, "--grid"},
        {launch->values.count > 0, "--arg"},
        {launch->constants.count > 0, "--define"},
        {launch->shared_bytes > 0, "--shared"},
        {kernel->simulated_blocks > 0, "--sim-blocks"},
        {kernel->allows_races, "--allow-races"},
        {kernel->saves.count > 0, "--save"},
        {arguments->advise, "--advise"},
        {arguments->json && !words->layout, "--json"},
        {arguments->line > 0, "--line"},
        {words->fail_if, "--fail-if"},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i].given) {
            return kernels[i].name;
        }
    }
    return NULL;
}

// Refuses options that belong to a source of requests other than the chosen one.
static enum status check_source(const struct words *words, const struct arguments *arguments, struct error *error) {
    const bool kernel = has_kernel(arguments), layout = words->layout, block = arguments->kernel.launches[0].block_text;
    const bool typed = arguments->accesses.count, array = arguments->array, addresses = arguments->addresses;
    const bool tile = words->pitch != not_given || words->order || words->swizzle;
    const bool formula = arguments->strides.count || arguments->offsets.count || tile;
    const bool memory = words->space || words->operation;
    const bool request = memory || (arguments->widths.count && !layout);
    const bool drawn = memory || formula || (block && !kernel) || addresses || arguments->csv || arguments->svg;
    const char *kernels = find_kernels_option(words, arguments);
    const struct {
        bool is_wrong;
        const char *message;
    } faults[] = {
        {kernel && (formula || request || addresses),
         "--kernel: the kernel makes the accesses: leave out --space, --op, --width, --stride, --offset, --pitch, "
         "--order, --swizzle, --addresses"},
        {kernel && arguments->svg && !arguments->line,
         "--svg: a kernel makes many requests: give --line N, whose request is drawn"},
        {addresses && (formula || block),
         "--addresses: the file gives the addresses: leave out --stride, --offset, --block, --pitch, --order, "
         "--swizzle"},
        {tile && !block, "--pitch, --order, --swizzle: these options are for a tile: give --block XxY too"},
        {typed && !layout, "--access: to which tile: give --layout RxC, too"},
        {layout && drawn,
         "--layout: --access says what is accessed: leave out the options of one request, --csv and --svg"},
        {(layout && kernel) != array,
         "--array: a kernel's array is searched for a layout: give --layout RxC, --kernel FILE and --array NAME"},
        {array && (typed || arguments->kernel.launch_count > 1),
         "--array: one kernel makes the accesses: leave out --access and --then"},
        {layout && !typed && !array, "--layout: no access to the tile: give --access store:row or others"},
    };
    if (!kernel && kernels) {
        return error_set(error, STATUS_USAGE,
                         "%s: this option is for a kernel, and there is none: give --kernel FILE, too", kernels);
    }
    for (size_t i = 0; i < LENGTH(faults); i++) {
        if (faults[i].is_wrong) {
            return error_set(error, STATUS_USAGE, "%s", faults[i].message);
        }
    }
    return STATUS_OK;
}

static enum status make_tile(const char *text, struct arguments *arguments, struct error *error) {
    struct shape shape;
    if (!text) {
        return STATUS_OK;
    }
    if (arguments->widths.count > 1) {
        return error_set(error, STATUS_USAGE, "--width: the elements of a tile have one width: give one");
    }
    const uint32_t element_bytes = arguments->request.width_bytes;
    if (strspn(text, "0123456789x") != strlen(text) || !shape_parse(&shape, text) || shape.rank != 2 ||
        shape_elements(&shape) > TILE_BYTES_MAX / element_bytes) {
        return error_set(error, STATUS_USAGE,
                         "--layout %.100s: no tile of at most %d KiB: give rows x columns, as in 32x32", text,
                         TILE_BYTES_MAX >> 10);
    }
    arguments->tile = (struct tile){(uint32_t)shape.size[0], (uint32_t)shape.size[1], element_bytes};
    return STATUS_OK;
}

static enum status check_pictures(const struct arguments *arguments, struct error *error) {
    const bool layout = arguments->accesses.count || arguments->array;
    const bool draws = (!has_kernel(arguments) && !layout) || arguments->line;
    if (arguments->gpu_count <= PANELS_MAX || !draws || (arguments->csv && !arguments->svg)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "--gpu: a picture shows %d GPUs at most: name fewer, or use --csv",
                     PANELS_MAX);
}

// Gives a list that was not given its only value, and returns the first one.
static uint64_t first_or(struct sweep *sweep, uint64_t otherwise) {
    if (!sweep->count) {
        *sweep = (struct sweep){memory_zeros(1, sizeof *sweep->values), 1};
        sweep->values[0] = otherwise;
    }
    return sweep->values[0];
}

static enum status make_pattern(const struct words *words, struct arguments *arguments, struct error *error) {
    const char *block_text = arguments->kernel.launches[0].block_text;
    struct dimensions block = {WARP_WIDTH_MAX, 1, 1};
    if (block_text && !has_kernel(arguments)) {
        TRY(dimensions_parse(&block, "--block", block_text, BLOCK_THREADS_MAX, error));
    }
    if (block.z > 1) {
        return error_set(error, STATUS_USAGE, "--block %.100s: a tile has two dimensions: give XxY", block_text);
    }
    bool by_column = words->order && strcmp(words->order, "column") == 0;
    arguments->pattern = (struct pattern){.stride = first_or(&arguments->strides, 1),
                                          .offset = first_or(&arguments->offsets, 0),
                                          .block_x = block.x,
                                          .block_y = block.y,
                                          .pitch = words->pitch != not_given ? words->pitch
                                                   : by_column               ? block.y
                                                                             : block.x,
                                          .by_column = by_column,
                                          .swizzled = words->swizzle};
    if (words->swizzle && (arguments->pattern.pitch & (arguments->pattern.pitch - 1))) {
        return error_set(error, STATUS_USAGE,
                         "--swizzle: a row of %llu elements is no power of two: give another --pitch",
                         (unsigned long long)arguments->pattern.pitch);
    }
    return STATUS_OK;
}

static enum status check_atomic(const struct arguments *arguments, struct error *error) {
    if (arguments->space != SPACE_GLOBAL) {
        return error_set(error, STATUS_USAGE, "--op atomic: only in global memory: give --space global");
    }
    for (size_t i = 0; i < arguments->widths.count; i++) {
        if (arguments->widths.values[i] != 4 && arguments->widths.values[i] != 8) {
            return error_set(error, STATUS_USAGE, "--op atomic: no atomic has %u bytes: give --width 4 or 8",
                             (unsigned)arguments->widths.values[i]);
        }
    }
    return STATUS_OK;
}

static enum status make_request(const struct words *words, struct arguments *arguments, struct error *error) {
    for (size_t i = 0; i < arguments->widths.count; i++) {
        const uint64_t width = arguments->widths.values[i];
        if (width & (width - 1) && width != 12) {
            return error_set(error, STATUS_USAGE, "--width %u: no access has this width: give 1, 2, 4, 8, 12 or 16",
                             (unsigned)width);
        }
    }
    if (arguments->addresses && arguments->widths.count > 1) {
        return error_set(error, STATUS_USAGE, "--width: addresses from a file have one width: give one");
    }
    arguments->space = words->space && strcmp(words->space, "global") == 0 ? SPACE_GLOBAL : SPACE_SHARED;
    arguments->request = (struct request){
        .operation = words->operation && strcmp(words->operation, "load") != 0 ? OPERATION_STORE : OPERATION_LOAD,
        .atomic = words->operation && strcmp(words->operation, "atomic") == 0,
        .width_bytes = (uint32_t)first_or(&arguments->widths, 4)};
    return arguments->request.atomic ? check_atomic(arguments, error) : STATUS_OK;
}

// A later launch has what the one before had, where nothing else is given. Its kernel and arguments are new.
static void inherit(struct kernel_launch *launch, const struct kernel_launch *before) {
    launch->block_text = launch->block_text ? launch->block_text : before->block_text;
    launch->grid_text = launch->grid_text ? launch->grid_text : before->grid_text;
    if (!launch->constants.count) {
        launch->constants = before->constants;
    }
    if (!launch->path && !launch->ptx && !launch->assembly) {
        launch->path = before->path;
        launch->ptx = before->ptx;
        launch->assembly = before->assembly;
        launch->via = launch->via ? launch->via : before->via;
    }
}

// The kernel's file, whichever option names it.
static enum status choose_kernel(struct kernel_launch *launch, struct error *error) {
    const char *compiled = launch->ptx ? launch->ptx : launch->assembly;
    if (launch->ptx && launch->assembly) {
        return error_set(error, STATUS_USAGE, "--ptx and --asm: two files: give one of them");
    }
    if (launch->path && compiled && launch->path != compiled) {
        return error_set(error, STATUS_USAGE, "--kernel and %s: two files: give one of them",
                         launch->ptx ? "--ptx" : "--asm");
    }
    if (compiled && (launch->constants.count || launch->via)) {
        return error_set(error, STATUS_USAGE, "%s: %s has been compiled already: leave it out",
                         launch->via ? "--via" : "--define", launch->ptx ? "PTX" : "assembly");
    }
    launch->path = compiled ? compiled : launch->path;
    return STATUS_OK;
}

static enum status make_launch(struct kernel_launch *launch, struct error *error) {
    TRY(choose_kernel(launch, error));
    TRY(kernel_read_launch(launch, error));
    if (!launch->block_text) {
        return error_set(error, STATUS_USAGE, "--kernel: the size of a block is missing: give --block XxY");
    }
    TRY(dimensions_parse(&launch->block, "--block", launch->block_text, BLOCK_THREADS_MAX, error));
    return dimensions_parse(&launch->grid, "--grid", launch->grid_text ? launch->grid_text : "1", UINT32_MAX, error);
}

static enum status make_launches(const struct words *words, struct arguments *arguments, struct error *error) {
    struct kernel_run *kernel = &arguments->kernel;
    for (size_t i = 0; i < kernel->launch_count; i++) {
        if (i > 0) {
            inherit(&kernel->launches[i], &kernel->launches[i - 1]);
        }
        TRY(make_launch(&kernel->launches[i], error));
    }
    if (words->fail_if) {
        TRY(condition_parse(&arguments->fail_if, words->fail_if, error));
    }
    return kernel_check_saves(kernel, error);
}

// Before the work whose results the written ones will hold.
static enum status check_files(const struct arguments *arguments, struct error *error) {
    TRY(file_write_check(arguments->csv, error));
    TRY(file_write_check(arguments->json, error));
    return file_write_check(arguments->svg, error);
}

static enum status understand(struct command_line *command, struct error *error) {
    const struct words *words = &command->words;
    struct arguments *arguments = &command->arguments;
    TRY(check_source(words, arguments, error));
    TRY(choose_gpus(arguments, words->gpus, error));
    TRY(check_pictures(arguments, error));
    TRY(make_request(words, arguments, error));
    TRY(make_tile(words->layout, arguments, error));
    TRY(make_pattern(words, arguments, error));
    TRY(make_launches(words, arguments, error));
    return check_files(arguments, error);
}

// The number of arguments before the next --then.
static int stage_length(int argc, char **argv) {
    int length = 1;
    while (length < argc && strcmp(argv[length], "--then") != 0) {
        length++;
    }
    return length;
}

// Parses what stands before the first --then and after each. Only a launch's options differ from one to the next.
static enum status parse_stages(struct command_line *command, struct option_table tables[2], int argc, char **argv,
                                struct error *error) {
    struct kernel_run *kernel = &command->arguments.kernel;
    size_t stage = 0;
    int length = stage_length(argc, argv);
    enum status status = options_parse(tables, 2, length, argv, error);
    for (argc -= length, argv += length; argc > 0 && status == STATUS_OK; argc -= length, argv += length) {
        if (++stage == LAUNCHES_MAX) {
            return error_set(error, STATUS_USAGE, "--then: more than %d kernels: give fewer", LAUNCHES_MAX);
        }
        tables[1].base = &kernel->launches[stage];
        length = stage_length(argc, argv);
        status = options_parse(tables, 2, length, argv, error);
    }
    const bool any = kernel->launches[0].path || kernel->launches[0].ptx || kernel->launches[0].assembly;
    kernel->launch_count = any ? stage + 1 : 0;
    if (status == STATUS_OK && (command->then || (stage && !any))) {
        return error_set(error, STATUS_USAGE, "--then: no kernel comes before it: give --kernel FILE first");
    }
    return status;
}

enum status arguments_parse(struct arguments *arguments, int argc, char **argv, struct error *error) {
    struct command_line command = {.words = {.gpus = "h200", .pitch = not_given},
                                   .arguments = {.kernel.max_time_s = 60}};
    struct option_table tables[] = {{options, LENGTH(options), &command},
                                    {launch_options, LENGTH(launch_options), &command.arguments.kernel.launches[0]}};
    enum status status = parse_stages(&command, tables, argc, argv, error);
    const struct arguments *given = &command.arguments;
    if (status == STATUS_OK && !help_answers(&help, given->help, given->version) &&
        !(given->list || given->list_devices || given->list_gpus)) {
        status = understand(&command, error);
    }
    *arguments = command.arguments;
    return status;
}

void arguments_clear(struct arguments *arguments) {
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        free(arguments->made[i]);
    }
    free(arguments->kernel.saves.values);
    free(arguments->accesses.values);
    sweep_clear(&arguments->widths);
    sweep_clear(&arguments->strides);
    sweep_clear(&arguments->offsets);
    for (size_t i = 0; i < LAUNCHES_MAX; i++) {
        struct kernel_launch *launch = &arguments->kernel.launches[i];
        const bool inherited = i && launch->constants.values == arguments->kernel.launches[i - 1].constants.values;
        free(launch->text);
        free(launch->values.values);
        if (!inherited) {
            free(launch->constants.values);
        }
    }
}
