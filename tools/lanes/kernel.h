// Runs a user's kernels on the simulator, and finds the cost of each of their lines.
#ifndef TOOLS_LANES_KERNEL_H
#define TOOLS_LANES_KERNEL_H

#include "device/device.h"
#include "sim/lines.h"
#include "sim/records.h"
#include "sim/requests.h"
#include "tools/lanes/input/npy.h"
#include "util/file.h"
#include "util/options.h"
#include "util/text.h"

// ---- What a launch's rows say ----

// The result of a launch, and its way from the process that ran the kernel to the one that shows it.

// Lines with their counts, and the names of their files, which the lines point to.
struct line_list {
    struct sim_line *lines;
    size_t count;
    struct texts names;
};

struct record_list {
    struct sim_recorded *list; // without `file`
    size_t count;
};

enum {
    KERNEL_NAME = 128
};

// The result of a launch on one GPU. It points into itself, so it must stay where it is.
struct kernel_report {
    const struct gpu *gpu;
    char kernel[KERNEL_NAME];
    struct launch_counts counts;
    char predicted_by[32];         // what counts.predicted_by points to
    struct line_list source_lines; // of the CUDA source
    struct line_list ptx_lines;    // of the PTX that ran; empty where none did
    struct record_list records;    // of a run that records
    const struct sim_line *lines;  // the list that is shown
    size_t line_count;
};

// Shows the lines of the PTX, where its source cannot be shown.
void kernel_show_ptx(struct kernel_report *report);
void kernel_report_clear(struct kernel_report *report);

// ---- Runs ----

enum {
    LAUNCHES_MAX = 16,
    SAVES_MAX = 32
};

// One kernel and its launch.
struct kernel_launch {
    const char *path, *entry;           // entry NULL: the file's only kernel
    const char *ptx;                    // the path again where the file is PTX; else NULL
    const char *assembly;               // the same of AMDGPU assembly
    const char *via;                    // "ptx", "amdgcn": run what a GPU's compiler makes of it; NULL: as C or C++
    const char *grid_text, *block_text; // as typed
    struct dimensions grid, block;
    uint64_t shared_bytes; // dynamic
    struct option_list values, constants;
    char *text; // of the file; NULL: it was not read
};

// Launches that follow each other on the same buffers.
struct kernel_run {
    struct kernel_launch launches[LAUNCHES_MAX];
    size_t launch_count;
    struct option_list saves;  // BUFFER:FILE: a buffer after the last launch, as .npy or else its elements alone
    double max_time_s;         // of all launches
    bool allows_races;         // on shared memory
    uint64_t simulated_blocks; // of each grid; 0: all
    uint64_t seed;             // of random buffers
    bool records;              // the requests to shared memory
    // What one of the launches is counted with, in place of where its data lie.
    struct sim_remap remap;
    size_t remapped;
};

// What the files of a run's `saves` will hold.
struct saved {
    struct file_piece files[SAVES_MAX]; // in their order
    char *results;                      // holds all of them; the caller frees it
};

// Reads the whole file into a string, which the caller frees. STATUS_USAGE if it cannot be read.
enum status kernel_read(const char *path, char **text, struct error *error);

// Sets the launch's text likewise: of a code object, its disassembly.
enum status kernel_read_launch(struct kernel_launch *launch, struct error *error);

// STATUS_USAGE if one of run->saves cannot be understood, or its file cannot be written.
enum status kernel_check_saves(const struct kernel_run *run, struct error *error);

// Runs the kernels, whose texts were read, in a process of its own, and reports launch i in reports[i * apart]. On
// failure the reports are empty, and the error holds the compiler's log or the line at fault. Sets *saved unless it is
// NULL.
enum status kernel_run(const struct kernel_run *run, const struct gpu *gpu, struct kernel_report *reports, size_t apart,
                       struct saved *saved, struct error *error);

// Writes the files of run->saves.
enum status kernel_save(const struct kernel_run *run, const struct saved *saved, struct error *error);

#endif
