#include "tools/lanes/advise.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lanes/access.h"
#include "tools/lanes/layout/explain_layout.h"
#include "tools/lanes/layout/show_layouts.h"
#include "util/text.h"

enum {
    CURE_TEXT = 512
};

// What a line's accesses waste, the pattern behind it, and the usual cure.
struct cure {
    const struct access *access;
    enum {
        CURE_OTHER,
        CURE_TILE,    // another layout of an array in shared memory
        CURE_STRUCTS, // a structure of arrays in global memory
        CURE_REUSE,   // shared memory for what neighbours load, too
    } kind;
    uint64_t stride_bytes; // from lane to lane, of CURE_TILE and CURE_STRUCTS
    char others[64];       // further lines that need the same: ", 12, 13"
    uint32_t last;         // of them
    bool both;             // they load and store
    char unit[16];         // of what is wasted: "passes", "sectors", ...
    double all, wasted;    // of them
    double gain_ns;        // that the launch is predicted to take less
    double share;          // of the predicted time, that the accesses take
    char text[CURE_TEXT];  // the pattern and the cure
};

enum {
    INDENT = 4,
    TRIAL_TEXT = 320
};

// ---- Cures that are tried ----

// The kernel runs again as if its data lay elsewhere, and what the launch would take is predicted.

// Runs all launches again; false if that fails, and the reports are empty then.
static bool run_again(const struct kernel_run *run, const struct gpu *gpu, struct kernel_report reports[LAUNCHES_MAX]) {
    struct error error = {0};
    const bool done = kernel_run(run, gpu, reports, 1, NULL, &error) == STATUS_OK;
    error_clear(&error);
    return done;
}

static void clear_reports(struct kernel_report reports[LAUNCHES_MAX]) {
    for (size_t i = 0; i < LAUNCHES_MAX; i++) {
        kernel_report_clear(&reports[i]);
    }
}

// Predicts the launch as if its data were moved, and prints `what` was tried and what it gains; nothing if it cannot be
// run.
static void print_trial(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                        const struct sim_remap *remap, const char *what) {
    struct kernel_run run = *kernel->run;
    struct kernel_report reports[LAUNCHES_MAX] = {0};
    run.remap = *remap;
    run.remapped = kernel->launch;
    if (run_again(&run, report->gpu, reports)) {
        const double now = report->counts.predicted_ns, then = reports[kernel->launch].counts.predicted_ns;
        fprintf(file, "%*s", INDENT, "");
        wrap_text(file, what, INDENT, 2 * INDENT);
        fprintf(file, "\n%*s%.3g us in place of %.3g us, a %s of %.1f %%\n", 2 * INDENT, "", then / 1000, now / 1000,
                then <= now ? "gain" : "loss", 100 * fabs(now - then) / now);
    }
    clear_reports(reports);
}

// ---- An array in shared memory ----

// The array that the line accesses with most requests in this operation.
static const struct sim_recorded *find_array(const struct record_list *records, const struct access *access) {
    const struct sim_recorded *most = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        const bool fits = record->line == access->line->number && record->request.operation == access->operation;
        most = fits && (!most || record->count > most->count) ? record : most;
    }
    return most;
}

// Rows as long as lanes are apart that go down a column, of elements as wide as the narrowest access.
static bool find_tile(const struct record_list *records, const struct sim_recorded *array, uint64_t row_bytes,
                      struct tile *tile) {
    uint32_t element = array->request.width_bytes;
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        if (record->array_offset == array->array_offset && record->request.width_bytes < element) {
            element = record->request.width_bytes;
        }
    }
    if (!row_bytes || row_bytes % element || row_bytes > array->array_bytes || array->array_bytes > TILE_BYTES_MAX) {
        return false;
    }
    *tile = (struct tile){(uint32_t)(array->array_bytes / row_bytes), (uint32_t)(row_bytes / element), element};
    return tile_bytes(tile) == array->array_bytes;
}

static void try_layout(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                       const struct sim_recorded *array, const struct layout *layout) {
    const struct sim_remap remap = {
        .kind = REMAP_TILE, .begin = array->array_offset, .bytes = array->array_bytes, .layout = *layout};
    char name[LAYOUT_NAME], index[LAYOUT_INDEX], what[TRIAL_TEXT];
    layout_name(layout, name);
    layout_index(layout, index);
    snprintf(what, sizeof what, "tried %s of %s, index = %s:", name, *array->array ? array->array : "the array", index);
    print_trial(file, kernel, report, &remap, what);
}

// Tries the best padding and the best swizzle, if they are better than the array as it is.
static void try_layouts(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                        const struct sim_recorded *array, const struct layout_search *found) {
    bool tried[2] = {false};
    for (size_t i = 0; i < found->tried_count; i++) {
        const struct layout *layout = &found->tried[i].layout;
        const bool swizzles = layout->bits > 0;
        if (!layout->padding && !swizzles) {
            break;
        }
        if (!tried[swizzles]) {
            tried[swizzles] = true;
            try_layout(file, kernel, report, array, layout);
        }
    }
}

static void try_tile(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                     const struct cure *cure) {
    struct kernel_run run = *kernel->run;
    struct kernel_report reports[LAUNCHES_MAX] = {0};
    const struct kernel_report *recorded = &reports[kernel->launch];
    struct layout_search found = {0};
    struct tile tile;
    run.records = true;
    run_again(&run, report->gpu, reports);
    const struct sim_recorded *array = find_array(&recorded->records, cure->access);
    if (array && find_tile(&recorded->records, array, cure->stride_bytes, &tile) &&
        layout_search_recorded(&found, &tile, *array->array ? array->array : "dynamic", recorded, 1, NULL) ==
            STATUS_OK) {
        try_layouts(file, kernel, report, array, &found);
    }
    layout_search_clear(&found);
    clear_reports(reports);
}

// ---- Structures in global memory ----

static void try_structs(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                        const struct cure *cure) {
    const struct sim_line *line = cure->access->line;
    const struct sim_remap remap = {.kind = REMAP_STRUCTS,
                                    .begin = line->buffer[cure->access->operation].address,
                                    .bytes = line->buffer[cure->access->operation].bytes,
                                    .struct_bytes = (uint32_t)cure->stride_bytes,
                                    .member_bytes = cure->access->costliest->width_bytes};
    print_trial(file, kernel, report, &remap, "tried a structure of arrays:");
}

enum {
    WIDEST = 16,       // bytes of one lane's access
    STRUCT_MOST = 128, // bytes of a structure; what is farther apart is in another row
};

// How the lanes' addresses of a request follow each other.
struct pattern_found {
    bool regular;    // neighbouring active lanes are equally far apart
    int64_t stride;  // that distance in bytes, or the most frequent one, but 0, where they are not equally far apart
    uint32_t lanes;  // active
    uint64_t offset; // of the first lane from a sector's start
};

// The value that occurs most often among those that are not 0.
static int64_t most_frequent(const int64_t *values, uint32_t count) {
    int64_t best = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = 0;
        for (uint32_t j = i; j < count; j++) {
            same += values[j] == values[i];
        }
        if (values[i] && same > most) {
            most = same;
            best = values[i];
        }
    }
    return best;
}

static struct pattern_found find_pattern(const struct gpu *gpu, const struct request *request) {
    struct pattern_found found = {.regular = true, .lanes = (uint32_t)__builtin_popcountll(request->active)};
    int64_t steps[WARP_WIDTH_MAX];
    uint64_t before = 0;
    uint32_t rank = 0;
    for (uint64_t left = request->active; left; left &= left - 1, rank++) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        steps[rank] = (int64_t)(address - before);
        found.offset = rank == 0 ? address % gpu->sector_bytes : found.offset;
        found.regular = found.regular && (rank < 2 || steps[rank] == steps[1]);
        before = address;
    }
    if (rank > 1) {
        found.stride = found.regular ? steps[1] : most_frequent(steps + 1, rank - 1);
    }
    return found;
}

enum {
    WORD_BYTES = 4 // a row that is longer by less leaves lanes in the same bank
};

// That the launch is predicted to take less without this work.
static double gain_ns(const struct kernel_report *report, const struct line_work *less) {
    const struct line_work launch = launch_line_work(report);
    return time_gain_ns(report->gpu, report->counts.part_ns, less, &launch);
}

static uint32_t padding_elements(const struct request *request) {
    return request->width_bytes < WORD_BYTES ? WORD_BYTES / request->width_bytes : 1;
}

// The passes of the request if each lane's row were longer by the padding.
static uint32_t passes_if_padded(const struct gpu *gpu, const struct request *request) {
    struct request padded = *request;
    uint32_t rank = 0;
    for (uint64_t left = request->active; left; left &= left - 1, rank++) {
        padded.address[__builtin_ctzll(left)] += (uint64_t)rank * request->width_bytes * padding_elements(request);
    }
    return request_cost(gpu, SPACE_SHARED, &padded).shared.passes;
}

// ---- Bank conflicts ----

static void describe_conflicts(const struct gpu *gpu, const struct request *request, struct cure *cure) {
    const struct pattern_found found = find_pattern(gpu, request);
    const uint32_t now = request_cost(gpu, SPACE_SHARED, request).shared.passes;
    const uint32_t padded = passes_if_padded(gpu, request);
    static const char *const paddings[] = {[1] = "one element", [2] = "two elements", [4] = "four elements"};
    if (found.regular && padded < now) {
        snprintf(
            cure->text, sizeof cure->text,
            "Neighbouring lanes are %lld bytes apart, as down a column, so that they want different rows of the same "
            "banks: make the array's rows %s longer (%u pass%s then), or swizzle the index (column ^ row).",
            (long long)found.stride, paddings[padding_elements(request)], padded, padded == 1 ? "" : "es");
    } else if (found.regular) {
        snprintf(cure->text, sizeof cure->text,
                 "Neighbouring lanes are %lld bytes apart, so that some want different rows of the same bank: let "
                 "neighbouring lanes take neighbouring elements.",
                 (long long)found.stride);
    } else {
        snprintf(
            cure->text, sizeof cure->text,
            "Lanes of one request want different rows of the same bank: where they walk a tile, make its rows longer "
            "by one access, or swizzle the index (column ^ row); where they go to places that the data chooses, give "
            "each warp its own copy.");
    }
}

static struct cure cure_conflicts(const struct kernel_report *report, const struct access *access) {
    struct cure cure = {
        .access = access, .unit = "passes", .all = access->counts->passes, .wasted = access->counts->conflicts};
    if (cure.wasted > 0) {
        cure.gain_ns = gain_ns(report, &(struct line_work){.passes = access->work.passes * cure.wasted / cure.all});
        cure.kind = CURE_TILE;
        cure.stride_bytes = (uint64_t)llabs(find_pattern(report->gpu, access->costliest).stride);
        describe_conflicts(report->gpu, access->costliest, &cure);
    }
    return cure;
}

// ---- Sectors ----

static void describe_sectors(const struct gpu *gpu, const struct access *access, struct cure *cure) {
    const struct request *request = access->costliest;
    const struct pattern_found found = find_pattern(gpu, request);
    const int64_t stride = found.stride < 0 ? -found.stride : found.stride;
    const bool whole = stride % request->width_bytes == 0 && access->line->buffer[access->operation].bytes > 0;
    if (found.lanes > 1 && found.regular && whole && stride > request->width_bytes && stride <= STRUCT_MOST) {
        cure->kind = CURE_STRUCTS;
        cure->stride_bytes = (uint64_t)stride;
        snprintf(cure->text, sizeof cure->text,
                 "Neighbouring lanes are %lld bytes apart and take %u of them, as in an array of structures: make it a "
                 "structure of arrays, in which neighbouring lanes take neighbouring elements.",
                 (long long)found.stride, request->width_bytes);
    } else if (found.lanes < 2 || !found.regular) {
        snprintf(
            cure->text, sizeof cure->text,
            "The lanes use only parts of the sectors that move: let neighbouring lanes take neighbouring elements, "
            "or bring whole rows into shared memory first and pick from there.");
    } else if (stride >= gpu->sector_bytes) {
        snprintf(
            cure->text, sizeof cure->text,
            "Neighbouring lanes are %lld bytes apart, so that each moves a sector for itself: let neighbouring lanes "
            "take neighbouring elements (transpose the index), or stage the tile through shared memory.",
            (long long)found.stride);
    } else if (stride > request->width_bytes) {
        snprintf(
            cure->text, sizeof cure->text,
            "Neighbouring lanes are %lld bytes apart and use %u of them: keep the elements that are used together in "
            "an array of their own, or load whole structs of up to %d bytes.",
            (long long)found.stride, request->width_bytes, WIDEST);
    } else {
        snprintf(cure->text, sizeof cure->text,
                 "The request begins %u bytes after a sector's start, so that it moves one more: begin each row at a "
                 "multiple of %u bytes.",
                 (unsigned)found.offset, gpu->sector_bytes);
    }
}

// Sectors that requests move and no request uses leave memory's traffic, too.
static double saved_memory_sectors(const struct line_work *launch, double wasted) {
    const double left = launch->sectors - wasted;
    return launch->memory_sectors > left ? launch->memory_sectors - left : 0;
}

static struct cure cure_sectors(const struct kernel_report *report, const struct access *access) {
    const struct memory_counts *counts = access->counts;
    const double least = counts->lane_bytes / report->gpu->sector_bytes;
    struct cure cure = {.access = access,
                        .unit = "sectors",
                        .all = counts->sectors,
                        .wasted = counts->sectors > least ? counts->sectors - least : 0};
    if (cure.wasted > 0) {
        const struct line_work launch = launch_line_work(report);
        const struct line_work less = {.sectors = cure.wasted,
                                       .memory_sectors = saved_memory_sectors(&launch, cure.wasted),
                                       .l1_cycles = access->work.l1_cycles * cure.wasted / cure.all};
        cure.gain_ns = gain_ns(report, &less);
        describe_sectors(report->gpu, access, &cure);
    }
    return cure;
}

// ---- Neighbours that several loads take ----

// What loads of neighbours from one buffer do in all: each lane takes its own element and some beside it.
struct neighbours {
    double requests;
    bool unaligned; // some begin where no wider access can
};

static struct neighbours find_neighbours(const struct kernel_report *report, const struct access *access) {
    struct neighbours found = {0};
    for (size_t i = 0; i < report->line_count; i++) {
        const struct sim_line *line = &report->lines[i];
        const struct request *request = &line->costliest[OPERATION_LOAD];
        const struct pattern_found pattern = find_pattern(report->gpu, request);
        if (pattern.lanes > 1 && pattern.regular && pattern.stride == request->width_bytes &&
            line->buffer[OPERATION_LOAD].address == access->line->buffer[OPERATION_LOAD].address) {
            found.requests += line->counts.global_load.requests;
            found.unaligned = found.unaligned || pattern.offset % WIDEST != 0;
        }
    }
    return found;
}

// A stencil: what one load of a warp brings, its others bring again, moved by some elements. Wider loads would not be
// aligned. From shared memory the same elements come without L1's tags and sectors.
static struct cure cure_neighbours(const struct kernel_report *report, const struct access *access) {
    const struct pattern_found pattern = find_pattern(report->gpu, access->costliest);
    const struct neighbours found = find_neighbours(report, access);
    const double each = found.requests / report->counts.warps; // of a warp
    struct cure cure = {.access = access, .unit = "requests", .all = access->counts->requests};
    const bool dense = pattern.regular && pattern.lanes > 1 && pattern.stride == access->costliest->width_bytes;
    if (access->space != SPACE_GLOBAL || access->operation != OPERATION_LOAD || !dense || !found.unaligned ||
        each < 2) {
        return cure;
    }
    const struct line_work *now = &access->work;
    const double gone = 1 - 1 / each;
    const struct line_work less = {
        .global_loads = now->global_loads * gone, .sectors = now->sectors * gone, .l1_cycles = now->l1_cycles * gone};
    const struct gpu *gpu = report->gpu;
    const double passes =
        access->counts->requests * ceil(access->costliest->width_bytes / 4.0); // that take their place
    const double shared_ns = passes / gpu->compute_units * 1000 / gpu->clock_mhz;
    cure.kind = CURE_REUSE;
    cure.wasted = cure.all * gone;
    cure.gain_ns = fmax(0, gain_ns(report, &less) - shared_ns);
    snprintf(cure.text, sizeof cure.text,
             "Each warp loads from this buffer %.0f times, and the places overlap, as in a stencil: bring the block's "
             "elements and those around them into shared memory once, and take neighbours from there.",
             each);
    return cure;
}

// ---- Narrow accesses and atomics ----

static struct cure cure_width(const struct kernel_report *report, const struct access *access) {
    const struct request *request = access->costliest;
    const struct pattern_found found = find_pattern(report->gpu, request);
    const double requests = access->counts->requests, kept = (double)request->width_bytes / (double)WIDEST;
    struct cure cure = {.access = access, .unit = "requests", .all = requests};
    const bool dense = found.regular && found.lanes > 1 && found.stride == request->width_bytes;
    if (!dense || found.offset % WIDEST || kept >= 1 || access->work.atomics > 0) {
        return cure;
    }
    const struct line_work *now = &access->work;
    const struct line_work less = {.instructions = now->instructions * (1 - kept),
                                   .global_loads = now->global_loads * (1 - kept),
                                   .shared_loads = now->shared_loads * (1 - kept)};
    cure.wasted = requests * (1 - kept);
    cure.gain_ns = gain_ns(report, &less);
    snprintf(cure.text, sizeof cure.text,
             "Each lane accesses %u byte%s of a row: let it take %d bytes at once (as a %s).", request->width_bytes,
             request->width_bytes == 1 ? "" : "s", WIDEST, request->width_bytes == 8 ? "double2" : "float4 or an int4");
    return cure;
}

static struct cure cure_atomics(const struct kernel_report *report, const struct access *access) {
    const double atomics = access->work.atomics, lanes = access_active_lanes(access);
    struct cure cure = {.access = access, .unit = "atomics", .all = atomics};
    if (atomics <= 0 || lanes <= 1) {
        return cure;
    }
    const struct line_work less = {.atomics = atomics * (1 - 1 / lanes)};
    cure.wasted = less.atomics;
    cure.gain_ns = gain_ns(report, &less);
    snprintf(
        cure.text, sizeof cure.text,
        "Each lane sends an atomic to L2: combine the lanes' values first, by shuffles or in shared memory, and send "
        "one for each warp or block.");
    return cure;
}

// Adds what `more` gains to a cure which cures that, too: of the same structures or neighbours. False if it does not.
static bool cure_join(struct cure *cure, const struct cure *more) {
    const struct access *a = cure->access, *b = more->access;
    if ((cure->kind != CURE_STRUCTS && cure->kind != CURE_REUSE) || cure->kind != more->kind ||
        cure->stride_bytes != more->stride_bytes ||
        a->line->buffer[a->operation].address != b->line->buffer[b->operation].address) {
        return false;
    }
    const size_t used = strlen(cure->others);
    const bool is_new = b->line->number != a->line->number && b->line->number != cure->last;
    cure->last = b->line->number;
    cure->both = cure->both || b->operation != a->operation;
    if (is_new && used + 12 < sizeof cure->others) {
        snprintf(cure->others + used, sizeof cure->others - used, ", %u", b->line->number);
    }
    cure->all += more->all;
    cure->wasted += more->wasted;
    cure->gain_ns += more->gain_ns;
    cure->share += more->share;
    return true;
}

// The cure that gains most for this access; gain_ns 0: nothing is wasted.
static struct cure cure_find(const struct kernel_report *report, const struct access *access) {
    const bool shared = access->space == SPACE_SHARED;
    struct cure best = cure_neighbours(report, access);
    if (best.kind == CURE_REUSE) {
        best.share = access->share;
        return best;
    }
    best = (shared ? cure_conflicts : cure_sectors)(report, access);
    const struct cure others[] = {cure_width(report, access), cure_atomics(report, access)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        best = others[i].gain_ns > best.gain_ns ? others[i] : best;
    }
    best.share = access->share;
    return best;
}

enum {
    WORST = 3
};

// Advice that gains less of the predicted time is left out.
static const double least_gain = 0.01;

static int by_gain(const void *left, const void *right) {
    const struct cure *a = left, *b = right;
    return (a->gain_ns < b->gain_ns) - (a->gain_ns > b->gain_ns);
}

static bool gains(const struct kernel_report *report, const struct cure *cure) {
    return cure->gain_ns > least_gain * report->counts.predicted_ns;
}

// What was tried is predicted by a whole run, and what was not by the line's part in the time.
static void print_gain(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                       const struct cure *cure) {
    char text[160];
    struct written tried;
    FILE *trials = memory_stream(&tried);
    if (cure->kind == CURE_TILE) {
        try_tile(trials, kernel, report, cure);
    } else if (cure->kind == CURE_STRUCTS) {
        try_structs(trials, kernel, report, cure);
    }
    memory_stream_end(&tried);
    int length = snprintf(text, sizeof text, "%.0f of %.0f %s would go", cure->wasted, cure->all, cure->unit);
    if (!tried.length && !gains(report, cure)) {
        snprintf(text + length, sizeof text - (size_t)length, ", but L1 serves them as fast: no gain is predicted");
    } else if (!tried.length) {
        snprintf(text + length, sizeof text - (size_t)length, ", and %.3g of the %.3g us of the predicted time",
                 cure->gain_ns / 1000, report->counts.predicted_ns / 1000);
    }
    fprintf(file, "\n%*s", INDENT, "");
    wrap_text(file, text, INDENT, INDENT);
    fputc('\n', file);
    fputs(tried.text, file);
    free(tried.text);
}

static void print_cure(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report,
                       const struct cure *cure) {
    const struct access *access = cure->access;
    fprintf(file, "%s:%u%s: %s %s, %.1f %% of the predicted time\n%*s", access->line->file, access->line->number,
            cure->others, space_name(access->space), cure->both ? "load and store" : access_name(access),
            100 * cure->share, INDENT, "");
    wrap_text(file, cure->text, INDENT, INDENT);
    print_gain(file, kernel, report, cure);
}

// Puts cures that are one and the same into one, and returns how many are left.
static size_t join(struct cure *cures, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < kept && !cure_join(&cures[j], &cures[i])) {
            j++;
        }
        if (j == kept) {
            cures[kept++] = cures[i];
        }
    }
    return kept;
}

// A launch that takes most of the time leaves little to gain for any line.
static void print_launch(FILE *file, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    if (counts->predicted_by && strcmp(counts->predicted_by, time_part_name(TIME_LAUNCH)) == 0) {
        fprintf(file,
                "bound by the launch, %.3g of %.3g us: give it more work, or join it with others; cures of lines gain "
                "little\n",
                counts->part_ns[TIME_LAUNCH] / 1000, counts->predicted_ns / 1000);
    }
}

static void advise_one(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *report) {
    struct access *accesses = memory_zeros(report->line_count * LINE_KINDS, sizeof *accesses);
    struct cure *cures = memory_zeros(report->line_count * LINE_KINDS, sizeof *cures);
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < report->line_count; i++) {
        struct access *of_line = accesses + LINE_KINDS * i;
        line_accesses(report, &report->lines[i], of_line);
        for (size_t kind = 0; kind < LINE_KINDS; kind++) {
            if (of_line[kind].counts->requests > 0) {
                cures[count++] = cure_find(report, &of_line[kind]);
            }
        }
    }
    count = join(cures, count);
    qsort(cures, count, sizeof *cures, by_gain);
    fprintf(file, "\nadvice for %s\n", report->gpu->name);
    print_launch(file, report);
    for (size_t i = 0; i < count && shown < WORST; i++) {
        if (cures[i].kind == CURE_REUSE || gains(report, &cures[i])) {
            print_cure(file, kernel, report, &cures[i]);
            shown++;
        }
    }
    if (!shown) {
        fputs("no line's usual cure gains 1 % of the predicted time\n", file);
    }
    free(cures);
    free(accesses);
}

void advise_print(FILE *file, const struct trial_kernel *kernel, const struct kernel_report *reports, size_t count) {
    for (size_t i = 0; i < count; i++) {
        advise_one(file, kernel, &reports[i]);
    }
}
